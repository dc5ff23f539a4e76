/* cuFFT for host code. */
#ifndef LS_CUFFT_H
#define LS_CUFFT_H
#pragma GCC system_header
#define _CUFFT_H_
#include "cuComplex.h"
#include "ls_api.h"
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
typedef enum cufftResult_t {
    CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED,
    CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA, CUFFT_INCOMPLETE_PARAMETER_LIST, CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR,
    CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED, CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED, CUFFT_MISSING_DEPENDENCY, CUFFT_NVRTC_FAILURE,
    CUFFT_NVJITLINK_FAILURE, CUFFT_NVSHMEM_FAILURE
} cufftResult;
typedef enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 } cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define LS_FFT(NAME, PARAMETERS) LS_FN(cufftResult, NAME, PARAMETERS)
LS_FFT(cufftPlan1d, (cufftHandle *plan, int nx, cufftType type, int batch))
LS_FFT(cufftPlan2d, (cufftHandle *plan, int nx, int ny, cufftType type))
LS_FFT(cufftPlan3d, (cufftHandle *plan, int nx, int ny, int nz, cufftType type))
LS_FFT(cufftPlanMany, (cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch))
LS_FFT(cufftMakePlan1d, (cufftHandle plan, int nx, cufftType type, int batch, size_t *size))
LS_FFT(cufftMakePlan2d, (cufftHandle plan, int nx, int ny, cufftType type, size_t *size))
LS_FFT(cufftMakePlan3d, (cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size))
LS_FFT(cufftMakePlanMany, (cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch, size_t *size))
LS_FFT(cufftMakePlanMany64, (cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, long long *onembed, long long ostride, long long odist, cufftType type, long long batch, size_t *size))
LS_FFT(cufftEstimate1d, (int nx, cufftType type, int batch, size_t *size))
LS_FFT(cufftEstimate2d, (int nx, int ny, cufftType type, size_t *size))
LS_FFT(cufftEstimate3d, (int nx, int ny, int nz, cufftType type, size_t *size))
LS_FFT(cufftCreate, (cufftHandle *plan))
LS_FFT(cufftDestroy, (cufftHandle plan))
LS_FFT(cufftGetSize, (cufftHandle plan, size_t *size))
LS_FFT(cufftSetWorkArea, (cufftHandle plan, void *area))
LS_FFT(cufftSetAutoAllocation, (cufftHandle plan, int on))
LS_FFT(cufftSetStream, (cufftHandle plan, cudaStream_t stream))
LS_FFT(cufftExecC2C, (cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction))
LS_FFT(cufftExecR2C, (cufftHandle plan, cufftReal *in, cufftComplex *out))
LS_FFT(cufftExecC2R, (cufftHandle plan, cufftComplex *in, cufftReal *out))
LS_FFT(cufftExecZ2Z, (cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction))
LS_FFT(cufftExecD2Z, (cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out))
LS_FFT(cufftExecZ2D, (cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out))
LS_FFT(cufftGetVersion, (int *version))
#undef LS_FFT
#endif
