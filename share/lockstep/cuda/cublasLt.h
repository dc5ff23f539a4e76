/* cuBLASLt for host code: matrix products with layouts, epilogues and heuristics. */
#ifndef LS_CUBLASLT_H
#define LS_CUBLASLT_H
#pragma GCC system_header
#include "cublas_v2.h"
#include <stdint.h>
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct { uint64_t data[8]; } cublasLtMatrixLayoutOpaque_t;
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef struct { uint64_t data[32]; } cublasLtMatmulDescOpaque_t;
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef struct { uint64_t data[8]; } cublasLtMatrixTransformDescOpaque_t;
typedef cublasLtMatrixTransformDescOpaque_t *cublasLtMatrixTransformDesc_t;
typedef struct { uint64_t data[8]; } cublasLtMatmulPreferenceOpaque_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
typedef struct { uint64_t data[8]; } cublasLtMatmulAlgo_t;
typedef struct { cublasLtMatmulAlgo_t algo; size_t workspaceSize; cublasStatus_t state; float wavesCount; int reserved[4]; } cublasLtMatmulHeuristicResult_t;
typedef enum { CUBLASLT_POINTER_MODE_HOST = 0, CUBLASLT_POINTER_MODE_DEVICE = 1, CUBLASLT_POINTER_MODE_DEVICE_VECTOR = 2 } cublasLtPointerMode_t;
typedef enum { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1, CUBLASLT_ORDER_COL32 = 2, CUBLASLT_ORDER_COL4_4R2_8C = 3, CUBLASLT_ORDER_COL32_2R_4R4 = 4 } cublasLtOrder_t;
typedef enum {
    CUBLASLT_MATRIX_LAYOUT_TYPE = 0, CUBLASLT_MATRIX_LAYOUT_ORDER = 1, CUBLASLT_MATRIX_LAYOUT_ROWS = 2, CUBLASLT_MATRIX_LAYOUT_COLS = 3,
    CUBLASLT_MATRIX_LAYOUT_LD = 4, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
    CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET = 7
} cublasLtMatrixLayoutAttribute_t;
typedef enum {
    CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0, CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1, CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
    CUBLASLT_MATMUL_DESC_TRANSA = 3, CUBLASLT_MATMUL_DESC_TRANSB = 4, CUBLASLT_MATMUL_DESC_TRANSC = 5, CUBLASLT_MATMUL_DESC_FILL_MODE = 6,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7, CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE = 10,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 13, CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE = 14,
    CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET = 15, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER = 17, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER = 18,
    CUBLASLT_MATMUL_DESC_C_SCALE_POINTER = 19, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER = 20, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER = 21,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER = 23,
    CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER = 24, CUBLASLT_MATMUL_DESC_FAST_ACCUM = 25, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26
} cublasLtMatmulDescAttributes_t;
typedef enum {
    CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_RELU_AUX = 130, CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = 6, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134, CUBLASLT_EPILOGUE_DRELU = 136, CUBLASLT_EPILOGUE_DRELU_BGRAD = 152,
    CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_AUX = 160, CUBLASLT_EPILOGUE_GELU_BIAS = 36, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
    CUBLASLT_EPILOGUE_DGELU = 192, CUBLASLT_EPILOGUE_DGELU_BGRAD = 208, CUBLASLT_EPILOGUE_BGRADA = 256, CUBLASLT_EPILOGUE_BGRADB = 512
} cublasLtEpilogue_t;
typedef enum {
    CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8, CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT = 9, CUBLASLT_MATMUL_PREF_IMPL_MASK = 12
} cublasLtMatmulPreferenceAttributes_t;
#define LS_LT(NAME, PARAMETERS) LS_FN(cublasStatus_t, NAME, PARAMETERS)
LS_LT(cublasLtCreate, (cublasLtHandle_t *handle))
LS_LT(cublasLtDestroy, (cublasLtHandle_t handle))
LS_LT(cublasLtMatmul, (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a, cublasLtMatrixLayout_t al, const void *b, cublasLtMatrixLayout_t bl, const void *beta, const void *c, cublasLtMatrixLayout_t cl, void *d, cublasLtMatrixLayout_t dl, const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size, cudaStream_t stream))
LS_LT(cublasLtMatmulAlgoGetHeuristic, (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t al, cublasLtMatrixLayout_t bl, cublasLtMatrixLayout_t cl, cublasLtMatrixLayout_t dl, cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t results[], int *count))
LS_LT(cublasLtMatmulDescCreate, (cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType scale))
LS_LT(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t desc))
LS_LT(cublasLtMatmulDescSetAttribute, (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void *value, size_t size))
LS_LT(cublasLtMatmulDescGetAttribute, (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, void *value, size_t size, size_t *written))
LS_LT(cublasLtMatrixLayoutCreate, (cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld))
LS_LT(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout))
LS_LT(cublasLtMatrixLayoutSetAttribute, (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void *value, size_t size))
LS_LT(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t *preference))
LS_LT(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))
LS_LT(cublasLtMatmulPreferenceSetAttribute, (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const void *value, size_t size))
LS_LT(cublasLtMatrixLayoutGetAttribute, (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, void *value, size_t size, size_t *written))
LS_LT(cublasLtMatmulDescInit_internal, (cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute, cudaDataType scale))
LS_LT(cublasLtMatrixLayoutInit_internal, (cublasLtMatrixLayout_t layout, size_t size, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld))
LS_LT(cublasLtMatmulPreferenceInit_internal, (cublasLtMatmulPreference_t preference, size_t size))
static inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute, cudaDataType scale) { return cublasLtMatmulDescInit_internal(desc, sizeof *desc, compute, scale); }
static inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld) { return cublasLtMatrixLayoutInit_internal(layout, sizeof *layout, type, rows, columns, ld); }
static inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) { return cublasLtMatmulPreferenceInit_internal(preference, sizeof *preference); }
LS_LT(cublasLtGetProperty, (libraryPropertyType type, int *value))
LS_LT(cublasLtLoggerSetLevel, (int level))
LS_LT(cublasLtLoggerSetMask, (int mask))
LS_LOOSE(cublasStatus_t, cublasLtMatrixTransform)
LS_LOOSE(cublasStatus_t, cublasLtMatrixTransformDescCreate)
LS_LOOSE(cublasStatus_t, cublasLtMatrixTransformDescDestroy)
LS_LOOSE(cublasStatus_t, cublasLtMatrixTransformDescSetAttribute)
LS_LOOSE(cublasStatus_t, cublasLtMatmulAlgoGetIds)
LS_LOOSE(cublasStatus_t, cublasLtMatmulAlgoInit)
LS_LOOSE(cublasStatus_t, cublasLtMatmulAlgoCheck)
LS_LOOSE(cublasStatus_t, cublasLtMatmulAlgoCapGetAttribute)
LS_LOOSE(cublasStatus_t, cublasLtMatmulAlgoConfigSetAttribute)
LS_C size_t cublasLtGetVersion(void);
LS_C size_t cublasLtGetCudartVersion(void);
LS_C const char *cublasLtGetStatusName(cublasStatus_t status);
LS_C const char *cublasLtGetStatusString(cublasStatus_t status);
#undef LS_LT
#endif
