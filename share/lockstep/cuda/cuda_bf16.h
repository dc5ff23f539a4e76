/* bfloat16: 16 stored bits; arithmetic is float's, rounded to nearest even. */
#ifndef LS_CUDA_BF16_H
#define LS_CUDA_BF16_H
#pragma clang system_header
#include "lockstep_cuda.h"

LS_BOTH unsigned short ls_to_bf16(float f) {
    unsigned bits = __builtin_bit_cast(unsigned, f);
    if (f != f) return 0x7fff;
    return (unsigned short)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
LS_BOTH float ls_from_bf16(unsigned short b) { return __builtin_bit_cast(float, (unsigned)b << 16); }
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    LS_MEMBER __nv_bfloat16(float f) : bits(ls_to_bf16(f)) {}
    LS_MEMBER __nv_bfloat16(double f) : bits(ls_to_bf16((float)f)) {}
    LS_MEMBER __nv_bfloat16(int f) : bits(ls_to_bf16((float)f)) {}
    LS_MEMBER __nv_bfloat16(__nv_bfloat16_raw r) : bits(r.x) {}
    LS_MEMBER operator float() const { return ls_from_bf16(bits); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    LS_MEMBER __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define LS_BF16_OPERATOR(OP)                                                                                 \
    LS_BOTH __nv_bfloat16 operator OP(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __nv_bfloat16((float)a OP(float) b); } \
    LS_BOTH __nv_bfloat162 operator OP(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __nv_bfloat162(a.x OP b.x, a.y OP b.y); } \
    LS_BOTH __nv_bfloat16 &operator OP##=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = a OP b; }
LS_BF16_OPERATOR(+)
LS_BF16_OPERATOR(-)
LS_BF16_OPERATOR(*)
LS_BF16_OPERATOR(/)
#undef LS_BF16_OPERATOR
LS_BOTH __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __nv_bfloat16(-(float)a); }
#define LS_BF16_COMPARE(OP) LS_BOTH bool operator OP(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a OP(float) b; }
LS_BF16_COMPARE(==)
LS_BF16_COMPARE(!=)
LS_BF16_COMPARE(<)
LS_BF16_COMPARE(<=)
LS_BF16_COMPARE(>)
LS_BF16_COMPARE(>=)
#undef LS_BF16_COMPARE
LS_BOTH __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
LS_BOTH __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
LS_BOTH __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
LS_BOTH float __bfloat162float(__nv_bfloat16 b) { return (float)b; }
LS_BOTH __nv_bfloat162 __float2bfloat162_rn(float f) { return __nv_bfloat162(f, f); }
LS_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
LS_BOTH float2 __bfloat1622float2(__nv_bfloat162 b) { return make_float2((float)b.x, (float)b.y); }
LS_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
LS_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.bits; }
LS_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { __nv_bfloat16_raw r = {u}; return __nv_bfloat16(r); }
LS_DEVICE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
LS_DEVICE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
LS_DEVICE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
LS_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(__builtin_fmaf((float)a, (float)b, (float)c)); }
LS_DEVICE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b ? a : b; }
LS_DEVICE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b ? a : b; }
LS_DEVICE __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
LS_DEVICE __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
LS_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#endif
