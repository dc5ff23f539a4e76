/* cuSPARSE's host side: sparse matrices and vectors by descriptor. */
#ifndef LS_CUSPARSE_H
#define LS_CUSPARSE_H
#pragma GCC system_header
#define CUSPARSE_H_
#define CUSPARSEAPI
#include "cuComplex.h"
#include "library_types.h"
#include "lockstep_cuda.h"
#include "ls_api.h"
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef enum {
    CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE,
    CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR, CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSPARSE_STATUS_ZERO_PIVOT, CUSPARSE_STATUS_NOT_SUPPORTED, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE } cusparsePointerMode_t;
typedef enum { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC, CUSPARSE_MATRIX_TYPE_HERMITIAN, CUSPARSE_MATRIX_TYPE_TRIANGULAR } cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE } cusparseIndexBase_t;
typedef enum { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE } cusparseOperation_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_SPMV_ALG_DEFAULT = 0, CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1 = 1, CUSPARSE_SPMV_CSR_ALG1 = 2, CUSPARSE_SPMV_CSR_ALG2 = 3 } cusparseSpMVAlg_t;
typedef enum { CUSPARSE_SPMM_ALG_DEFAULT = 0, CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_CSR_ALG2 = 6 } cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 = 2 } cusparseCsr2CscAlg_t;
typedef enum { CUSPARSE_SPGEMM_DEFAULT = 0, CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1, CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2, CUSPARSE_SPGEMM_ALG1 = 3, CUSPARSE_SPGEMM_ALG2 = 4, CUSPARSE_SPGEMM_ALG3 = 5 } cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC } cusparseAction_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL } cusparseSolvePolicy_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
#define LS_SPARSE(NAME, PARAMETERS) LS_FN(cusparseStatus_t, NAME, PARAMETERS)
LS_SPARSE(cusparseCreate, (cusparseHandle_t *handle))
LS_SPARSE(cusparseDestroy, (cusparseHandle_t handle))
LS_SPARSE(cusparseGetVersion, (cusparseHandle_t handle, int *version))
LS_SPARSE(cusparseGetProperty, (libraryPropertyType type, int *value))
LS_SPARSE(cusparseSetStream, (cusparseHandle_t handle, cudaStream_t stream))
LS_SPARSE(cusparseGetStream, (cusparseHandle_t handle, cudaStream_t *stream))
LS_SPARSE(cusparseSetPointerMode, (cusparseHandle_t handle, cusparsePointerMode_t mode))
LS_SPARSE(cusparseGetPointerMode, (cusparseHandle_t handle, cusparsePointerMode_t *mode))
LS_SPARSE(cusparseCreateMatDescr, (cusparseMatDescr_t *descr))
LS_SPARSE(cusparseDestroyMatDescr, (cusparseMatDescr_t descr))
LS_SPARSE(cusparseSetMatType, (cusparseMatDescr_t descr, cusparseMatrixType_t type))
LS_SPARSE(cusparseSetMatFillMode, (cusparseMatDescr_t descr, cusparseFillMode_t mode))
LS_SPARSE(cusparseSetMatDiagType, (cusparseMatDescr_t descr, cusparseDiagType_t type))
LS_SPARSE(cusparseSetMatIndexBase, (cusparseMatDescr_t descr, cusparseIndexBase_t base))
LS_SPARSE(cusparseCreateCsr, (cusparseSpMatDescr_t *made, int64_t rows, int64_t columns, int64_t count, void *offsets, void *columns_of, void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseCreateConstCsr, (cusparseConstSpMatDescr_t *made, int64_t rows, int64_t columns, int64_t count, const void *offsets, const void *columns_of, const void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseCsrGet, (cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *count, void **offsets, void **indices, void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type))
LS_SPARSE(cusparseCsrSetPointers, (cusparseSpMatDescr_t m, void *offsets, void *columns_of, void *values))
LS_SPARSE(cusparseCreateCsc, (cusparseSpMatDescr_t *made, int64_t rows, int64_t columns, int64_t count, void *offsets, void *rows_of, void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseCreateConstCsc, (cusparseConstSpMatDescr_t *made, int64_t rows, int64_t columns, int64_t count, const void *offsets, const void *rows_of, const void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseCscGet, (cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *count, void **offsets, void **indices, void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type))
LS_SPARSE(cusparseCscSetPointers, (cusparseSpMatDescr_t m, void *offsets, void *rows_of, void *values))
LS_SPARSE(cusparseCreateCoo, (cusparseSpMatDescr_t *made, int64_t rows, int64_t columns, int64_t count, void *rows_of, void *columns_of, void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseCreateConstCoo, (cusparseConstSpMatDescr_t *made, int64_t rows, int64_t columns, int64_t count, const void *rows_of, const void *columns_of, const void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseCooGet, (cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *count, void **rows_of, void **columns_of, void **values, cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type))
LS_SPARSE(cusparseCooSetPointers, (cusparseSpMatDescr_t m, void *rows_of, void *columns_of, void *values))
LS_SPARSE(cusparseDestroySpMat, (cusparseConstSpMatDescr_t m))
LS_SPARSE(cusparseDestroySpVec, (cusparseConstSpVecDescr_t v))
LS_SPARSE(cusparseDestroyDnMat, (cusparseConstDnMatDescr_t m))
LS_SPARSE(cusparseDestroyDnVec, (cusparseConstDnVecDescr_t v))
LS_SPARSE(cusparseSpMatGetSize, (cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *count))
LS_SPARSE(cusparseSpMatGetIndexBase, (cusparseConstSpMatDescr_t m, cusparseIndexBase_t *base))
LS_SPARSE(cusparseSpMatSetAttribute, (cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute, const void *data, size_t size))
LS_SPARSE(cusparseSpMatGetAttribute, (cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void *data, size_t size))
LS_SPARSE(cusparseCreateSpVec, (cusparseSpVecDescr_t *made, int64_t size, int64_t count, void *indices, void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type))
LS_SPARSE(cusparseSpVecGet, (cusparseSpVecDescr_t v, int64_t *size, int64_t *count, void **indices, void **values, cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type))
LS_SPARSE(cusparseCreateDnVec, (cusparseDnVecDescr_t *made, int64_t size, void *values, cudaDataType type))
LS_SPARSE(cusparseCreateConstDnVec, (cusparseConstDnVecDescr_t *made, int64_t size, const void *values, cudaDataType type))
LS_SPARSE(cusparseDnVecGet, (cusparseDnVecDescr_t v, int64_t *size, void **values, cudaDataType *type))
LS_SPARSE(cusparseCreateDnMat, (cusparseDnMatDescr_t *made, int64_t rows, int64_t columns, int64_t ld, void *values, cudaDataType type, cusparseOrder_t order))
LS_SPARSE(cusparseCreateConstDnMat, (cusparseConstDnMatDescr_t *made, int64_t rows, int64_t columns, int64_t ld, const void *values, cudaDataType type, cusparseOrder_t order))
LS_SPARSE(cusparseDnMatGet, (cusparseDnMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *ld, void **values, cudaDataType *type, cusparseOrder_t *order))
LS_SPARSE(cusparseSpMatGetValues, (cusparseSpMatDescr_t m, void **values))
LS_SPARSE(cusparseSpMatSetValues, (cusparseSpMatDescr_t m, void *values))
LS_SPARSE(cusparseSpVecGetValues, (cusparseSpVecDescr_t m, void **values))
LS_SPARSE(cusparseSpVecSetValues, (cusparseSpVecDescr_t m, void *values))
LS_SPARSE(cusparseDnMatGetValues, (cusparseDnMatDescr_t m, void **values))
LS_SPARSE(cusparseDnMatSetValues, (cusparseDnMatDescr_t m, void *values))
LS_SPARSE(cusparseDnVecGetValues, (cusparseDnVecDescr_t m, void **values))
LS_SPARSE(cusparseDnVecSetValues, (cusparseDnVecDescr_t m, void *values))
LS_SPARSE(cusparseSpMV, (cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseSpMV_bufferSize, (cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm, size_t *size))
LS_SPARSE(cusparseSpMV_preprocess, (cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseSpMM, (cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseSpMM_bufferSize, (cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t algorithm, size_t *size))
LS_SPARSE(cusparseSpMM_preprocess, (cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseSpSV_createDescr, (cusparseSpSVDescr_t *descr))
LS_SPARSE(cusparseSpSV_destroyDescr, (cusparseSpSVDescr_t descr))
LS_SPARSE(cusparseSpSV_bufferSize, (cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t descr, size_t *size))
LS_SPARSE(cusparseSpSV_analysis, (cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t descr, void *buffer))
LS_SPARSE(cusparseSpSV_solve, (cusparseHandle_t handle, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t descr))
LS_SPARSE(cusparseAxpby, (cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x, const void *beta, cusparseDnVecDescr_t y))
LS_SPARSE(cusparseGather, (cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x))
LS_SPARSE(cusparseScatter, (cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y))
LS_SPARSE(cusparseSpVV, (cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void *result, cudaDataType compute, void *buffer))
LS_SPARSE(cusparseSpVV_bufferSize, (cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, const void *result, cudaDataType compute, size_t *size))
LS_SPARSE(cusparseSparseToDense, (cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseSparseToDense_bufferSize, (cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t algorithm, size_t *size))
LS_SPARSE(cusparseDenseToSparse_bufferSize, (cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm, size_t *size))
LS_SPARSE(cusparseDenseToSparse_analysis, (cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseDenseToSparse_convert, (cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm, void *buffer))
LS_SPARSE(cusparseXcoo2csr, (cusparseHandle_t handle, const int *rows_of, int count, int rows, int *offsets, cusparseIndexBase_t base))
LS_SPARSE(cusparseXcsr2coo, (cusparseHandle_t handle, const int *offsets, int count, int rows, int *rows_of, cusparseIndexBase_t base))
LS_SPARSE(cusparseCreateCsrilu02Info, (csrilu02Info_t *info))
LS_SPARSE(cusparseDestroyCsrilu02Info, (csrilu02Info_t info))
LS_SPARSE(cusparseXcsrilu02_zeroPivot, (cusparseHandle_t handle, csrilu02Info_t info, int *position))
LS_SPARSE(cusparseScsrilu02_bufferSize, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, float *values, const int *offsets, const int *columns_of, csrilu02Info_t info, int *size))
LS_SPARSE(cusparseScsrilu02_analysis, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, const float *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseScsrilu02, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, float *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseDcsrilu02_bufferSize, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, double *values, const int *offsets, const int *columns_of, csrilu02Info_t info, int *size))
LS_SPARSE(cusparseDcsrilu02_analysis, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, const double *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseDcsrilu02, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, double *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseCcsrilu02_bufferSize, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, cuComplex *values, const int *offsets, const int *columns_of, csrilu02Info_t info, int *size))
LS_SPARSE(cusparseCcsrilu02_analysis, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, const cuComplex *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseCcsrilu02, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, cuComplex *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseZcsrilu02_bufferSize, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, cuDoubleComplex *values, const int *offsets, const int *columns_of, csrilu02Info_t info, int *size))
LS_SPARSE(cusparseZcsrilu02_analysis, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, const cuDoubleComplex *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseZcsrilu02, (cusparseHandle_t handle, int rows, int count, const cusparseMatDescr_t descr, cuDoubleComplex *values, const int *offsets, const int *columns_of, csrilu02Info_t info, cusparseSolvePolicy_t policy, void *buffer))
LS_SPARSE(cusparseSpGEMM_createDescr, (cusparseSpGEMMDescr_t *descr))
LS_SPARSE(cusparseSpGEMM_destroyDescr, (cusparseSpGEMMDescr_t descr))
LS_SPARSE(cusparseSpGEMM_workEstimation, (cusparseHandle_t h, cusparseOperation_t oa, cusparseOperation_t ob, const void *alpha, cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *size, void *buffer))
LS_SPARSE(cusparseSpGEMM_compute, (cusparseHandle_t h, cusparseOperation_t oa, cusparseOperation_t ob, const void *alpha, cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *size, void *buffer))
LS_SPARSE(cusparseSpGEMM_copy, (cusparseHandle_t h, cusparseOperation_t oa, cusparseOperation_t ob, const void *alpha, cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr))
LS_SPARSE(cusparseSDDMM_bufferSize, (cusparseHandle_t h, cusparseOperation_t oa, cusparseOperation_t ob, const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t alg, size_t *size))
LS_SPARSE(cusparseSDDMM_preprocess, (cusparseHandle_t h, cusparseOperation_t oa, cusparseOperation_t ob, const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t alg, void *buffer))
LS_SPARSE(cusparseSDDMM, (cusparseHandle_t h, cusparseOperation_t oa, cusparseOperation_t ob, const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t alg, void *buffer))
LS_SPARSE(cusparseCsr2cscEx2_bufferSize, (cusparseHandle_t h, int rows, int columns, int count, const void *values, const int *offsets, const int *indices, void *to_values, int *to_offsets, int *to_indices, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, size_t *size))
LS_SPARSE(cusparseCsr2cscEx2, (cusparseHandle_t h, int rows, int columns, int count, const void *values, const int *offsets, const int *indices, void *to_values, int *to_offsets, int *to_indices, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, void *buffer))
#undef LS_SPARSE
/* Only to be read: Lockstep's library does not have them. */
#define LS_SPARSE(NAME) LS_LOOSE(cusparseStatus_t, NAME)
LS_SPARSE(cusparseScsrmv) LS_SPARSE(cusparseDcsrmv) LS_SPARSE(cusparseSgtsv2)
LS_SPARSE(cusparseDgtsv2)
#undef LS_SPARSE
LS_C cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);
LS_C cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
LS_C const char *cusparseGetErrorString(cusparseStatus_t status);
LS_C const char *cusparseGetErrorName(cusparseStatus_t status);
#endif
