/* cuFFT, declared for host code. */
#ifndef LS_CUFFT_H
#define LS_CUFFT_H
#pragma GCC system_header
#define _CUFFT_H_
#include "cuComplex.h"
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
typedef enum cufftResult_t { CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA, CUFFT_INCOMPLETE_PARAMETER_LIST, CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED, CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED, CUFFT_MISSING_DEPENDENCY, CUFFT_NVRTC_FAILURE, CUFFT_NVJITLINK_FAILURE, CUFFT_NVSHMEM_FAILURE } cufftResult;
typedef enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 } cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define LS_API(NAME) extern "C" cufftResult NAME(...);
LS_API(cufftPlan1d) LS_API(cufftPlan2d) LS_API(cufftPlan3d) LS_API(cufftPlanMany) LS_API(cufftMakePlan1d) LS_API(cufftMakePlan2d) LS_API(cufftCreate) LS_API(cufftDestroy)
LS_API(cufftExecC2C) LS_API(cufftExecR2C) LS_API(cufftExecC2R) LS_API(cufftExecZ2Z) LS_API(cufftExecD2Z) LS_API(cufftExecZ2D) LS_API(cufftSetStream) LS_API(cufftSetWorkArea) LS_API(cufftGetSize)
#undef LS_API
#endif
