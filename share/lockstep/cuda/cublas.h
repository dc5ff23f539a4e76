/* The cuBLAS of old, which shares its names with the one of today. */
#include "cublas_v2.h"
#ifndef LS_CUBLAS_OLD_H
#define LS_CUBLAS_OLD_H
LS_LOOSE(cublasStatus_t, cublasInit)
LS_LOOSE(cublasStatus_t, cublasShutdown)
LS_LOOSE(cublasStatus_t, cublasGetError)
LS_LOOSE(cublasStatus_t, cublasAlloc)
LS_LOOSE(cublasStatus_t, cublasFree)
LS_LOOSE(cublasStatus_t, cublasSetKernelStream)
#endif
