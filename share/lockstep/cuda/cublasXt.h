/* cuBLAS over several devices. */
#include "cublas_v2.h"
#ifndef LS_CUBLASXT_H
#define LS_CUBLASXT_H
typedef struct cublasXtContext *cublasXtHandle_t;
LS_FN(cublasStatus_t, cublasXtCreate, (cublasXtHandle_t *handle))
LS_FN(cublasStatus_t, cublasXtDestroy, (cublasXtHandle_t handle))
LS_FN(cublasStatus_t, cublasXtDeviceSelect, (cublasXtHandle_t handle, int count, int devices[]))
LS_FN(cublasStatus_t, cublasXtSetBlockDim, (cublasXtHandle_t handle, int block))
LS_FN(cublasStatus_t, cublasXtGetBlockDim, (cublasXtHandle_t handle, int *block))
#define LS_XT(NAME, T) LS_FN(cublasStatus_t, NAME, (cublasXtHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, size_t m, size_t n, size_t k, const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc))
LS_XT(cublasXtSgemm, float)
LS_XT(cublasXtDgemm, double)
LS_XT(cublasXtCgemm, cuComplex)
LS_XT(cublasXtZgemm, cuDoubleComplex)
#undef LS_XT
#endif
