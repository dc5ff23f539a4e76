/* Data spread over several devices, as cuFFT has it. */
#ifndef LS_CUDALIBXT_H
#define LS_CUDALIBXT_H
#pragma GCC system_header
#include "lockstep_cuda.h"
#define MAX_CUDA_DESCRIPTOR_GPUS 64
#define CUDA_XT_DESCRIPTOR_VERSION 0x01000000
typedef enum cudaXtCopyType_t { LIB_XT_COPY_HOST_TO_DEVICE, LIB_XT_COPY_DEVICE_TO_HOST, LIB_XT_COPY_DEVICE_TO_DEVICE } cudaLibXtCopyType;
typedef struct cudaXtDesc_t { int version, nGPUs, GPUs[MAX_CUDA_DESCRIPTOR_GPUS]; void *data[MAX_CUDA_DESCRIPTOR_GPUS]; size_t size[MAX_CUDA_DESCRIPTOR_GPUS]; void *cudaXtState; } cudaXtDesc;
typedef struct cudaLibXtDesc_t { int version; cudaXtDesc *descriptor; int library, subFormat; void *libDescriptor; } cudaLibXtDesc;
#endif
