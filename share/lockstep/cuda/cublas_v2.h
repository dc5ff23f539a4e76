/* cuBLAS, declared for host code. */
#ifndef LS_CUBLAS_H
#define LS_CUBLAS_H
#pragma GCC system_header
#define CUBLAS_API_H_
#define CUBLAS_V2_H_
#include "cuComplex.h"
typedef struct cublasContext *cublasHandle_t;
typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16 } cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH } cublasMath_t;
#define LS_API(NAME) extern "C" cublasStatus_t NAME(...);
LS_API(cublasCreate) LS_API(cublasDestroy) LS_API(cublasInit) LS_API(cublasShutdown) LS_API(cublasSetStream) LS_API(cublasSetPointerMode) LS_API(cublasSetMathMode)
LS_API(cublasSetVector) LS_API(cublasGetVector) LS_API(cublasSetMatrix) LS_API(cublasGetMatrix) LS_API(cublasSgemm) LS_API(cublasDgemm) LS_API(cublasHgemm) LS_API(cublasGemmEx)
LS_API(cublasSgemmBatched) LS_API(cublasSgemmStridedBatched) LS_API(cublasSgemv) LS_API(cublasDgemv) LS_API(cublasSaxpy) LS_API(cublasDaxpy) LS_API(cublasSscal) LS_API(cublasDscal)
LS_API(cublasSdot) LS_API(cublasDdot) LS_API(cublasSnrm2) LS_API(cublasDnrm2) LS_API(cublasScopy) LS_API(cublasDcopy) LS_API(cublasIsamax) LS_API(cublasSasum) LS_API(cublasStrsm) LS_API(cublasSgeam)
#undef LS_API
#endif
