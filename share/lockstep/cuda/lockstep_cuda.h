/* Included before every CUDA file that Lockstep compiles with clang: what nvcc's own headers would give, so
 * that ordinary translation units, host code included, compile where no CUDA toolkit is installed. Device
 * functions are real (PTX instructions, or libclc's mathematics); the host's runtime is declared, and is there
 * for programs that are linked with Lockstep's runtime library.
 * All device functions are nodebug, so that source lines are the user's own. */
#ifndef LOCKSTEP_CUDA_H
#define LOCKSTEP_CUDA_H
#pragma GCC system_header

#ifndef __CUDA__ /* host code in C or C++: the types and functions of the runtime */
#include "ls_host.h"
#else

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#ifndef __LOCKSTEP_SCAN__ /* the scan for kernels looks for the word itself */
#define __global__ __attribute__((global))
#endif
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else /* the runtime knows them by it, and has the device use the host's own variable */
#define __managed__ __attribute__((device)) __attribute__((section("lockstep_managed")))
#endif
#ifdef __CUDA_ARCH__
#define __grid_constant__ __attribute__((annotate("lockstep.grid_constant")))
#else
#define __grid_constant__
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(N)
#if !defined(__CUDA_ARCH__) /* clang has no such attributes: what they say goes into the PTX by annotations */
#define __cluster_dims__(...)
#define __block_size__(...)
#elif __CUDA_ARCH__ < 900
#define __cluster_dims__(...) __attribute__((annotate("", __cluster_dims___needs_sm_90)))
#define __block_size__(...) __attribute__((annotate("", __block_size___of_clusters_needs_sm_90)))
#else
#define __cluster_dims__(...) __attribute__((annotate("lockstep.cluster", ##__VA_ARGS__)))
#define LS_SIZES(X, Y, Z) X, Y, Z
#define LS_BLOCK_SIZE(BLOCK, CLUSTER, ...) \
    __attribute__((annotate("lockstep.cluster", LS_SIZES CLUSTER, LS_SIZES BLOCK)))
#define __block_size__(...) LS_BLOCK_SIZE(__VA_ARGS__, (1, 1, 1), )
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(N) __attribute__((aligned(N)))
#define __builtin_align__(N) __attribute__((aligned(N)))
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __thread__ __thread
#define __import__
#define __export__
#define __specialization_static static
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define __location__(a) __attribute__((a))

/* Guards of the toolkit's headers, which other headers ask for. */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#define __CUDART_API_VERSION 12080
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VERSION 12080

#define LS_DEVICE static inline __attribute__((device, always_inline, nodebug))
#define LS_BOTH static inline __attribute__((host, device, always_inline, nodebug))
#define LS_MEMBER inline __attribute__((host, device, always_inline, nodebug))
#define LS_DEVICE_MEMBER inline __attribute__((device, always_inline, nodebug))

/* Device mathematics stands before the C library's, as clang's own headers do it: a constexpr function of
 * the C++ library would else be taken for a device function as well. */
#include "ls_math.h"

/* And so do the functions that the driver resolves. */
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...); /* clang makes it vprintf */
__device__ void *malloc(__SIZE_TYPE__) __attribute__((malloc));
__device__ void free(void *);
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, __SIZE_TYPE__ char_size);
LS_DEVICE void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
    __assertfail(message, file, line, function, sizeof(char));
}
}


#ifdef __LOCKSTEP_STD__
#include <cmath>
#include <math.h> /* the global names */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <climits>
#include <algorithm>
#else
/* The C library alone: the C++ library's wrappers around it take longer than the rest of a small file. */
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#ifndef __LOCKSTEP_NO_MATH__ /* the largest of them, left out where no name of it is used */
#include <math.h>
#endif
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#endif
#include <new> /* clang's own wrapper has the device's operators */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

LS_DEVICE void *memcpy(void *to, const void *from, size_t size) { return __builtin_memcpy(to, from, size); }
LS_DEVICE void *memset(void *to, int value, size_t size) { return __builtin_memset(to, value, size); }

#include "ls_types.h"
#include "ls_device.h"
#include "ls_simd.h"
#include "ls_atomics.h"
#include "ls_scoped_atomics.h"
#include "ls_cluster.h"
#include "ls_warp.h"
#include "ls_runtime.h"
#ifndef __LOCKSTEP_NO_TEXTURE__
#include "ls_texture.h"
#endif

#include "../lockstep.h"

#endif
#endif
