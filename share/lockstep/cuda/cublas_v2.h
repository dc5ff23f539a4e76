/* cuBLAS for host code. */
#ifndef LS_CUBLAS_H
#define LS_CUBLAS_H
#pragma GCC system_header
#define CUBLAS_API_H_
#define CUBLAS_V2_H_
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "library_types.h"
#include "ls_api.h"
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 8
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLASAPI
#define CUBLASWINAPI
typedef struct cublasContext *cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1, CUBLAS_GEMM_ALGO2, CUBLAS_GEMM_ALGO3, CUBLAS_GEMM_ALGO4, CUBLAS_GEMM_ALGO5, CUBLAS_GEMM_ALGO6, CUBLAS_GEMM_ALGO7, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99 } cublasGemmAlgo_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC = 71, CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;
typedef void (*cublasLogCallback)(const char *message);

#define LS_BLAS(NAME, PARAMETERS) LS_FN(cublasStatus_t, NAME, PARAMETERS)
#define LS_BLAS_V2(NAME, PARAMETERS) LS_FN(cublasStatus_t, NAME##_v2, PARAMETERS)
LS_BLAS_V2(cublasCreate, (cublasHandle_t *handle))
LS_BLAS_V2(cublasDestroy, (cublasHandle_t handle))
LS_BLAS_V2(cublasGetVersion, (cublasHandle_t handle, int *version))
LS_BLAS(cublasGetProperty, (libraryPropertyType type, int *value))
LS_BLAS_V2(cublasSetStream, (cublasHandle_t handle, cudaStream_t stream))
LS_BLAS_V2(cublasGetStream, (cublasHandle_t handle, cudaStream_t *stream))
LS_BLAS_V2(cublasSetWorkspace, (cublasHandle_t handle, void *workspace, size_t size))
LS_BLAS_V2(cublasSetPointerMode, (cublasHandle_t handle, cublasPointerMode_t mode))
LS_BLAS_V2(cublasGetPointerMode, (cublasHandle_t handle, cublasPointerMode_t *mode))
LS_BLAS(cublasSetAtomicsMode, (cublasHandle_t handle, cublasAtomicsMode_t mode))
LS_BLAS(cublasSetMathMode, (cublasHandle_t handle, cublasMath_t mode))
LS_BLAS(cublasGetMathMode, (cublasHandle_t handle, cublasMath_t *mode))
LS_BLAS(cublasSetSmCountTarget, (cublasHandle_t handle, int count))
LS_BLAS(cublasLoggerConfigure, (int on, int to_stdout, int to_stderr, const char *file))
LS_BLAS(cublasSetLoggerCallback, (cublasLogCallback callback))
LS_BLAS(cublasSetVector, (int n, int size, const void *x, int incx, void *y, int incy))
LS_BLAS(cublasGetVector, (int n, int size, const void *x, int incx, void *y, int incy))
LS_BLAS(cublasSetMatrix, (int rows, int columns, int size, const void *a, int lda, void *b, int ldb))
LS_BLAS(cublasGetMatrix, (int rows, int columns, int size, const void *a, int lda, void *b, int ldb))
LS_BLAS(cublasSetVectorAsync, (int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t stream))
LS_BLAS(cublasGetVectorAsync, (int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t stream))
LS_BLAS(cublasSetMatrixAsync, (int rows, int columns, int size, const void *a, int lda, void *b, int ldb, cudaStream_t stream))
LS_BLAS(cublasGetMatrixAsync, (int rows, int columns, int size, const void *a, int lda, void *b, int ldb, cudaStream_t stream))
LS_C const char *cublasGetStatusName(cublasStatus_t status);
LS_C const char *cublasGetStatusString(cublasStatus_t status);
/* CUDA's headers give these functions the names of their second version. */
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2

/* Level 1, 2 and 3: X is the letter, T the numbers, R their absolute values. */
#define LS_BLAS_TYPE(X, T, R, ABS)                                                                           \
    LS_BLAS_V2(cublas##X##axpy, (cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy)) \
    LS_BLAS_V2(cublas##X##scal, (cublasHandle_t h, int n, const T *alpha, T *x, int incx))                   \
    LS_BLAS_V2(cublas##X##copy, (cublasHandle_t h, int n, const T *x, int incx, T *y, int incy))             \
    LS_BLAS_V2(cublas##X##swap, (cublasHandle_t h, int n, T *x, int incx, T *y, int incy))                   \
    LS_BLAS_V2(cublasI##ABS##amax, (cublasHandle_t h, int n, const T *x, int incx, int *result))             \
    LS_BLAS_V2(cublasI##ABS##amin, (cublasHandle_t h, int n, const T *x, int incx, int *result))             \
    LS_BLAS_V2(cublas##X##gemv, (cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy)) \
    LS_BLAS_V2(cublas##X##trsv, (cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx)) \
    LS_BLAS_V2(cublas##X##trmv, (cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx)) \
    LS_BLAS_V2(cublas##X##gemm, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)) \
    LS_BLAS_V2(cublas##X##syrk, (cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc)) \
    LS_BLAS_V2(cublas##X##syr2k, (cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)) \
    LS_BLAS_V2(cublas##X##symm, (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)) \
    LS_BLAS_V2(cublas##X##trsm, (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb)) \
    LS_BLAS_V2(cublas##X##trmm, (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc)) \
    LS_BLAS(cublas##X##geam, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc)) \
    LS_BLAS(cublas##X##dgmm, (cublasHandle_t h, cublasSideMode_t mode, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc)) \
    LS_BLAS(cublas##X##gemmBatched, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count)) \
    LS_BLAS(cublas##X##gemmStridedBatched, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a, int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int count)) \
    LS_BLAS(cublas##X##trsmBatched, (cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *const a[], int lda, T *const b[], int ldb, int count)) \
    LS_BLAS(cublas##X##gemvBatched, (cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha, const T *const a[], int lda, const T *const x[], int incx, const T *beta, T *const y[], int incy, int count)) \
    LS_BLAS(cublas##X##gemvStridedBatched, (cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha, const T *a, int lda, long long sa, const T *x, int incx, long long sx, const T *beta, T *y, int incy, long long sy, int count)) \
    LS_BLAS(cublas##X##getrsBatched, (cublasHandle_t h, cublasOperation_t trans, int n, int columns, const T *const a[], int lda, const int *pivots, T *const b[], int ldb, int *info, int count)) \
    LS_BLAS(cublas##X##getrfBatched, (cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info, int count)) \
    LS_BLAS(cublas##X##getriBatched, (cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots, T *const c[], int ldc, int *info, int count)) \
    LS_BLAS(cublas##X##matinvBatched, (cublasHandle_t h, int n, const T *const a[], int lda, T *const inverse[], int ldi, int *info, int count))
LS_BLAS_TYPE(S, float, float, s)
LS_BLAS_TYPE(D, double, double, d)
LS_BLAS_TYPE(C, cuComplex, float, c)
LS_BLAS_TYPE(Z, cuDoubleComplex, double, z)
#undef LS_BLAS_TYPE
#define LS_BLAS_REAL(X, T)                                                                                   \
    LS_BLAS_V2(cublas##X##dot, (cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result)) \
    LS_BLAS_V2(cublas##X##nrm2, (cublasHandle_t h, int n, const T *x, int incx, T *result))                  \
    LS_BLAS_V2(cublas##X##asum, (cublasHandle_t h, int n, const T *x, int incx, T *result))                  \
    LS_BLAS_V2(cublas##X##ger, (cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)) \
    LS_BLAS_V2(cublas##X##symv, (cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy)) \
    LS_BLAS_V2(cublas##X##rot, (cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *c, const T *s))
LS_BLAS_REAL(S, float)
LS_BLAS_REAL(D, double)
#undef LS_BLAS_REAL
LS_BLAS_V2(cublasScnrm2, (cublasHandle_t h, int n, const cuComplex *x, int incx, float *result))
LS_BLAS_V2(cublasDznrm2, (cublasHandle_t h, int n, const cuDoubleComplex *x, int incx, double *result))
LS_BLAS_V2(cublasScasum, (cublasHandle_t h, int n, const cuComplex *x, int incx, float *result))
LS_BLAS_V2(cublasDzasum, (cublasHandle_t h, int n, const cuDoubleComplex *x, int incx, double *result))
LS_BLAS_V2(cublasCdotu, (cublasHandle_t h, int n, const cuComplex *x, int incx, const cuComplex *y, int incy, cuComplex *result))
LS_BLAS_V2(cublasCdotc, (cublasHandle_t h, int n, const cuComplex *x, int incx, const cuComplex *y, int incy, cuComplex *result))
LS_BLAS_V2(cublasZdotu, (cublasHandle_t h, int n, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y, int incy, cuDoubleComplex *result))
LS_BLAS_V2(cublasZdotc, (cublasHandle_t h, int n, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y, int incy, cuDoubleComplex *result))
LS_BLAS(cublasHgemm, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const __half *alpha, const __half *a, int lda, const __half *b, int ldb, const __half *beta, __half *c, int ldc))
LS_BLAS(cublasHgemmBatched, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const __half *alpha, const __half *const a[], int lda, const __half *const b[], int ldb, const __half *beta, __half *const c[], int ldc, int count))
LS_BLAS(cublasHgemmStridedBatched, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const __half *alpha, const __half *a, int lda, long long sa, const __half *b, int ldb, long long sb, const __half *beta, __half *c, int ldc, long long sc, int count))
LS_BLAS(cublasSgemmEx, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const float *alpha, const void *a, cudaDataType at, int lda, const void *b, cudaDataType bt, int ldb, const float *beta, void *c, cudaDataType ct, int ldc))
LS_BLAS(cublasGemmEx, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, const void *b, cudaDataType bt, int ldb, const void *beta, void *c, cudaDataType ct, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo))
LS_BLAS(cublasGemmBatchedEx, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *const a[], cudaDataType at, int lda, const void *const b[], cudaDataType bt, int ldb, const void *beta, void *const c[], cudaDataType ct, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t algo))
LS_BLAS(cublasGemmStridedBatchedEx, (cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, long long sa, const void *b, cudaDataType bt, int ldb, long long sb, const void *beta, void *c, cudaDataType ct, int ldc, long long sc, int count, cublasComputeType_t compute, cublasGemmAlgo_t algo))
LS_BLAS(cublasAxpyEx, (cublasHandle_t h, int n, const void *alpha, cudaDataType alphat, const void *x, cudaDataType xt, int incx, void *y, cudaDataType yt, int incy, cudaDataType compute))
LS_BLAS(cublasScalEx, (cublasHandle_t h, int n, const void *alpha, cudaDataType alphat, void *x, cudaDataType xt, int incx, cudaDataType compute))
LS_BLAS(cublasDotEx, (cublasHandle_t h, int n, const void *x, cudaDataType xt, int incx, const void *y, cudaDataType yt, int incy, void *result, cudaDataType rt, cudaDataType compute))
LS_BLAS(cublasDotcEx, (cublasHandle_t h, int n, const void *x, cudaDataType xt, int incx, const void *y, cudaDataType yt, int incy, void *result, cudaDataType rt, cudaDataType compute))
LS_BLAS(cublasAsumEx, (cublasHandle_t h, int n, const void *x, cudaDataType xt, int incx, void *result, cudaDataType rt, cudaDataType compute))
LS_BLAS(cublasNrm2Ex, (cublasHandle_t h, int n, const void *x, cudaDataType xt, int incx, void *result, cudaDataType rt, cudaDataType compute))
#if defined(__cplusplus) && !defined(__LOCKSTEP_LOOSE__) /* as before CUDA 11: the compute type was a data type */
static inline cublasComputeType_t ls_compute(cudaDataType t) { return t == CUDA_R_16F ? CUBLAS_COMPUTE_16F : t == CUDA_R_64F || t == CUDA_C_64F ? CUBLAS_COMPUTE_64F : t == CUDA_R_32I ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F; }
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, const void *b, cudaDataType bt, int ldb, const void *beta, void *c, cudaDataType ct, int ldc, cudaDataType compute, cublasGemmAlgo_t algo) { return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, ls_compute(compute), algo); }
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType at, int lda, long long sa, const void *b, cudaDataType bt, int ldb, long long sb, const void *beta, void *c, cudaDataType ct, int ldc, long long sc, int count, cudaDataType compute, cublasGemmAlgo_t algo) { return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count, ls_compute(compute), algo); }
static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *const a[], cudaDataType at, int lda, const void *const b[], cudaDataType bt, int ldb, const void *beta, void *const c[], cudaDataType ct, int ldc, int count, cudaDataType compute, cublasGemmAlgo_t algo) { return cublasGemmBatchedEx(h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, count, ls_compute(compute), algo); }
#endif
#undef LS_BLAS
#undef LS_BLAS_V2
#include "ls_cublas_names.h"
#endif
