/* Floats of 4 bits: e2m1; two in a byte, the first in the low bits. */
#ifndef LS_CUDA_FP4_H
#define LS_CUDA_FP4_H
#pragma GCC system_header
#include "cuda_fp6.h"
#define __CUDA_FP4_H__

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;
LS_BOTH ls_format ls_format_of(__nv_fp4_interpretation_t) { return LS_E2M1; }
LS_SMALL_CLASS(__nv_fp4_e2m1, __nv_fp4_storage_t, LS_E2M1)
LS_SMALL_PAIRS_ROUNDED(4, __nv_fp4, __nv_fp4_interpretation_t, 4)
LS_SMALL_PAIR_CLASS(__nv_fp4x2_e2m1, __nv_fp4x2_storage_t, 4, LS_E2M1)
LS_SMALL_QUAD_CLASS(__nv_fp4x4_e2m1, __nv_fp4x4_storage_t, 4, LS_E2M1)
#endif
