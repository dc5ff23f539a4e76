/* NVTX: names of the runtime's objects. */
#ifndef LS_NVTX_RUNTIME_H
#define LS_NVTX_RUNTIME_H
#pragma GCC system_header
#include "nvToolsExt.h"
#include "../lockstep_cuda.h"
static inline void nvtxNameCudaDeviceA(int device, const char *name) { (void)device, (void)name; }
static inline void nvtxNameCudaStreamA(cudaStream_t stream, const char *name) { (void)stream, (void)name; }
static inline void nvtxNameCudaEventA(cudaEvent_t event, const char *name) { (void)event, (void)name; }
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif
