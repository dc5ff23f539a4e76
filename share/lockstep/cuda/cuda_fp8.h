/* Floats of 8 bits: e4m3, e5m2, and the scale e8m0. */
#ifndef LS_CUDA_FP8_H
#define LS_CUDA_FP8_H
#pragma GCC system_header
#include "ls_small_floats.h"
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

LS_BOTH ls_format ls_format_of(__nv_fp8_interpretation_t k) { return k == __NV_E4M3 ? LS_E4M3 : LS_E5M2; }
LS_SMALL_CLASS(__nv_fp8_e4m3, __nv_fp8_storage_t, LS_E4M3)
LS_SMALL_CLASS(__nv_fp8_e5m2, __nv_fp8_storage_t, LS_E5M2)
LS_SMALL_PAIRS(8, __nv_fp8, __nv_fp8_interpretation_t, 8)
LS_SMALL_PAIR_CLASS(__nv_fp8x2_e4m3, __nv_fp8x2_storage_t, 8, LS_E4M3)
LS_SMALL_PAIR_CLASS(__nv_fp8x2_e5m2, __nv_fp8x2_storage_t, 8, LS_E5M2)
LS_SMALL_QUAD_CLASS(__nv_fp8x4_e4m3, __nv_fp8x4_storage_t, 8, LS_E4M3)
LS_SMALL_QUAD_CLASS(__nv_fp8x4_e5m2, __nv_fp8x4_storage_t, 8, LS_E5M2)

/* e8m0: a power of two, 2^(x - 127); 0xff is no number. The sign is lost. */
LS_BOTH __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float f, __nv_saturation_t saturate, enum cudaRoundMode mode) {
    unsigned bits = __builtin_bit_cast(unsigned, f) & 0x7fffffffu;
    if (bits > 0x7f800000u) return 0xff;
    if (bits == 0x7f800000u) return saturate == __NV_SATFINITE ? 0xfe : 0xff;
    unsigned e = bits >> 23, rest = bits & 0x7fffff;
    if (!e) return mode == cudaRoundPosInf && rest > 0x400000u ? 1 : 0;
    if (mode == cudaRoundPosInf && rest) e++;
    if (e >= 0xff) return saturate == __NV_SATFINITE ? 0xfe : 0xff;
    return (__nv_fp8_storage_t)e;
}
LS_BOTH float ls_of_e8m0(__nv_fp8_storage_t x) { return __builtin_bit_cast(float, x == 0xff ? 0x7fffffffu : x ? (unsigned)x << 23 : 0x400000u); }
LS_BOTH __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double d, __nv_saturation_t saturate, enum cudaRoundMode mode) { return __nv_cvt_float_to_e8m0((float)d, saturate, mode); }
LS_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw b, __nv_saturation_t saturate, enum cudaRoundMode mode) { return __nv_cvt_float_to_e8m0(ls_from_bf16(b.x), saturate, mode); }
LS_BOTH __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) { return __nv_bfloat16(ls_of_e8m0(x)); }
LS_BOTH __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) { return __nv_bfloat162(ls_of_e8m0((__nv_fp8_storage_t)x), ls_of_e8m0((__nv_fp8_storage_t)(x >> 8))); }
LS_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 f, __nv_saturation_t saturate, enum cudaRoundMode mode) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_e8m0(f.x, saturate, mode) | (__nv_cvt_float_to_e8m0(f.y, saturate, mode) << 8));
}
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit LS_MEMBER __nv_fp8_e8m0(float f) : __x(__nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit LS_MEMBER __nv_fp8_e8m0(double f) : __x(__nv_cvt_float_to_e8m0((float)f, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit LS_MEMBER operator float() const { return ls_of_e8m0(__x); }
    explicit LS_MEMBER operator double() const { return ls_of_e8m0(__x); }
    explicit LS_MEMBER operator __nv_bfloat16() const { return __nv_bfloat16(ls_of_e8m0(__x)); }
    explicit LS_MEMBER operator __half() const { return __half(ls_of_e8m0(__x)); }
};
struct __nv_fp8x2_e8m0 { __nv_fp8x2_storage_t __x; };
struct __nv_fp8x4_e8m0 { __nv_fp8x4_storage_t __x; };
#endif
