/* The CUDA runtime for host code that is compiled as plain C or C++, by any compiler. */
#ifndef LS_HOST_H
#define LS_HOST_H
#pragma GCC system_header

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(N) __attribute__((aligned(N)))
#define __builtin_align__(N) __attribute__((aligned(N)))
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define CUDART_VERSION 12080
#define __CUDART_API_VERSION 12080
#define LS_BOTH static inline
#define LS_DEVICE static inline
#define LS_MEMBER inline
#include "ls_runtime.h"

#endif
