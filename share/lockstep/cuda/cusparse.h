/* cuSPARSE, declared for host code: sparse matrices and vectors by descriptor. */
#ifndef LS_CUSPARSE_H
#define LS_CUSPARSE_H
#pragma GCC system_header
#define CUSPARSE_H_
#include "cuComplex.h"
#include "library_types.h"
#include "ls_api.h"
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
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
typedef enum { CUSPARSE_SPGEMM_DEFAULT = 0 } cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC } cusparseAction_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
#define LS_SPARSE(NAME) LS_LOOSE(cusparseStatus_t, NAME)
LS_SPARSE(cusparseCreate) LS_SPARSE(cusparseDestroy) LS_SPARSE(cusparseSetStream) LS_SPARSE(cusparseSetPointerMode) LS_SPARSE(cusparseGetVersion)
LS_SPARSE(cusparseCreateMatDescr) LS_SPARSE(cusparseDestroyMatDescr) LS_SPARSE(cusparseSetMatType) LS_SPARSE(cusparseSetMatIndexBase)
LS_SPARSE(cusparseSetMatFillMode) LS_SPARSE(cusparseSetMatDiagType) LS_SPARSE(cusparseCreateCsr) LS_SPARSE(cusparseCreateCoo) LS_SPARSE(cusparseCreateCsc)
LS_SPARSE(cusparseCreateDnVec) LS_SPARSE(cusparseCreateDnMat) LS_SPARSE(cusparseCreateSpVec) LS_SPARSE(cusparseDestroySpMat) LS_SPARSE(cusparseDestroyDnVec)
LS_SPARSE(cusparseDestroyDnMat) LS_SPARSE(cusparseDestroySpVec) LS_SPARSE(cusparseDnVecSetValues) LS_SPARSE(cusparseSpMatSetAttribute)
LS_SPARSE(cusparseSpMV) LS_SPARSE(cusparseSpMV_bufferSize) LS_SPARSE(cusparseSpMM) LS_SPARSE(cusparseSpMM_bufferSize) LS_SPARSE(cusparseSpSV_createDescr)
LS_SPARSE(cusparseSpSV_destroyDescr) LS_SPARSE(cusparseSpSV_bufferSize) LS_SPARSE(cusparseSpSV_analysis) LS_SPARSE(cusparseSpSV_solve)
LS_SPARSE(cusparseSpGEMM_createDescr) LS_SPARSE(cusparseSpGEMM_workEstimation) LS_SPARSE(cusparseSpGEMM_compute) LS_SPARSE(cusparseSpGEMM_copy)
LS_SPARSE(cusparseSparseToDense) LS_SPARSE(cusparseDenseToSparse_bufferSize) LS_SPARSE(cusparseXcoo2csr) LS_SPARSE(cusparseXcsr2coo) LS_SPARSE(cusparseScsrmv)
LS_SPARSE(cusparseDcsrmv) LS_SPARSE(cusparseSgtsv2) LS_SPARSE(cusparseDgtsv2) LS_SPARSE(cusparseAxpby) LS_SPARSE(cusparseSpMatGetSize) LS_SPARSE(cusparseCsrSetPointers)
#undef LS_SPARSE
LS_C cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);
LS_C cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
LS_C const char *cusparseGetErrorString(cusparseStatus_t status);
LS_C const char *cusparseGetErrorName(cusparseStatus_t status);
#endif
