/* Floats of 6 bits: e2m3 and e3m2, each in the low bits of a byte. */
#ifndef LS_CUDA_FP6_H
#define LS_CUDA_FP6_H
#pragma GCC system_header
#include "cuda_fp8.h"
#define __CUDA_FP6_H__

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;
LS_BOTH ls_format ls_format_of(__nv_fp6_interpretation_t k) { return k == __NV_E2M3 ? LS_E2M3 : LS_E3M2; }
LS_SMALL_CLASS(__nv_fp6_e2m3, __nv_fp6_storage_t, LS_E2M3)
LS_SMALL_CLASS(__nv_fp6_e3m2, __nv_fp6_storage_t, LS_E3M2)
LS_SMALL_PAIRS_ROUNDED(6, __nv_fp6, __nv_fp6_interpretation_t, 8)
LS_SMALL_PAIR_CLASS(__nv_fp6x2_e2m3, __nv_fp6x2_storage_t, 8, LS_E2M3)
LS_SMALL_PAIR_CLASS(__nv_fp6x2_e3m2, __nv_fp6x2_storage_t, 8, LS_E3M2)
LS_SMALL_QUAD_CLASS(__nv_fp6x4_e2m3, __nv_fp6x4_storage_t, 8, LS_E2M3)
LS_SMALL_QUAD_CLASS(__nv_fp6x4_e3m2, __nv_fp6x4_storage_t, 8, LS_E3M2)
#endif
