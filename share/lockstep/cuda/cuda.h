/* The CUDA driver's types and functions, declared for host code (see ls_host.h). */
#ifndef LS_CUDA_DRIVER_H
#define LS_CUDA_DRIVER_H
#pragma GCC system_header
#define __cuda_cuda_h__
#define CUDA_H
#include "lockstep_cuda.h"

typedef enum cudaError_enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_NOT_SUPPORTED = 801, CUDA_ERROR_UNKNOWN = 999 } CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUlinkState_st *CUlinkState;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct { unsigned long long opaque[16]; } CUtensorMap;
enum CUdevice_attribute { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10, CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20, CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103 };
typedef enum CUdevice_attribute CUdevice_attribute;
enum CUjit_option { CU_JIT_MAX_REGISTERS, CU_JIT_INFO_LOG_BUFFER = 3, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE = 12 };
typedef enum CUjit_option CUjit_option;

#define LS_API(NAME) extern "C" CUresult NAME(...);
LS_API(cuInit)
LS_API(cuDeviceGet)
LS_API(cuDeviceGetCount)
LS_API(cuDeviceGetName)
LS_API(cuDeviceGetAttribute)
LS_API(cuDeviceTotalMem)
LS_API(cuDeviceComputeCapability)
LS_API(cuDriverGetVersion)
LS_API(cuCtxCreate)
LS_API(cuCtxDestroy)
LS_API(cuCtxSetCurrent)
LS_API(cuCtxGetCurrent)
LS_API(cuCtxSynchronize)
LS_API(cuCtxPushCurrent)
LS_API(cuCtxPopCurrent)
LS_API(cuDevicePrimaryCtxRetain)
LS_API(cuDevicePrimaryCtxRelease)
LS_API(cuModuleLoad)
LS_API(cuModuleLoadData)
LS_API(cuModuleLoadDataEx)
LS_API(cuModuleGetFunction)
LS_API(cuModuleGetGlobal)
LS_API(cuModuleGetTexRef)
LS_API(cuModuleUnload)
LS_API(cuMemAlloc)
LS_API(cuMemFree)
LS_API(cuMemAllocHost)
LS_API(cuMemFreeHost)
LS_API(cuMemcpyHtoD)
LS_API(cuMemcpyDtoH)
LS_API(cuMemcpyDtoD)
LS_API(cuMemcpyHtoDAsync)
LS_API(cuMemcpyDtoHAsync)
LS_API(cuMemsetD8)
LS_API(cuMemsetD32)
LS_API(cuMemGetInfo)
LS_API(cuLaunchKernel)
LS_API(cuLaunchGrid)
LS_API(cuFuncSetBlockShape)
LS_API(cuFuncSetAttribute)
LS_API(cuFuncGetAttribute)
LS_API(cuParamSetSize)
LS_API(cuParamSeti)
LS_API(cuParamSetv)
LS_API(cuStreamCreate)
LS_API(cuStreamDestroy)
LS_API(cuStreamSynchronize)
LS_API(cuEventCreate)
LS_API(cuEventRecord)
LS_API(cuEventSynchronize)
LS_API(cuEventElapsedTime)
LS_API(cuEventDestroy)
LS_API(cuGetErrorString)
LS_API(cuGetErrorName)
LS_API(cuLinkCreate)
LS_API(cuLinkAddData)
LS_API(cuLinkComplete)
LS_API(cuLinkDestroy)
LS_API(cuDeviceCanAccessPeer)
LS_API(cuMemCreate)
LS_API(cuMemMap)
LS_API(cuMemSetAccess)
LS_API(cuMemAddressReserve)
LS_API(cuMemAddressFree)
LS_API(cuMemRelease)
LS_API(cuMemUnmap)
LS_API(cuMemGetAllocationGranularity)
LS_API(cuPointerGetAttribute)
LS_API(cuStreamWaitValue32)
LS_API(cuStreamWriteValue32)
LS_API(cuTensorMapEncodeTiled)
LS_API(cuDeviceGetUuid)
#undef LS_API
#endif
