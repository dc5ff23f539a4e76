/* cuBLAS over several devices. */
#include "cublas_v2.h"
#ifndef LS_CUBLASXT_H
#define LS_CUBLASXT_H
typedef struct cublasXtContext *cublasXtHandle_t;
LS_LOOSE(cublasStatus_t, cublasXtCreate)
LS_LOOSE(cublasStatus_t, cublasXtDestroy)
LS_LOOSE(cublasStatus_t, cublasXtDeviceSelect)
LS_LOOSE(cublasStatus_t, cublasXtSetBlockDim)
LS_LOOSE(cublasStatus_t, cublasXtSgemm)
LS_LOOSE(cublasStatus_t, cublasXtDgemm)
#endif
