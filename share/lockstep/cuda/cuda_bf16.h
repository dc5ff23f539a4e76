/* bfloat16: 16 stored bits; arithmetic is float's, rounded to nearest even. */
#ifndef LS_CUDA_BF16_H
#define LS_CUDA_BF16_H
#pragma GCC system_header
#include "cuda_fp16.h"
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

LS_BOTH unsigned short ls_to_bf16(float f) {
    unsigned bits = __builtin_bit_cast(unsigned, f);
    if (f != f) return 0x7fff;
    return (unsigned short)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
/* To a nearer float first, rounding to odd: the second rounding is then the only one that counts. */
LS_BOTH unsigned short ls_to_bf16(double d) {
    float f = (float)d;
    unsigned bits = __builtin_bit_cast(unsigned, f);
    double back = (double)f;
    if (back != d && d == d && !(bits & 1)) {
        bool over = (back > d) == (d > 0);
        bits = over ? bits - 1 : bits + 1;
        f = __builtin_bit_cast(float, bits);
    }
    return ls_to_bf16(f);
}
LS_BOTH float ls_from_bf16(unsigned short b) { return __builtin_bit_cast(float, (unsigned)b << 16); }
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    LS_MEMBER __nv_bfloat16(float f) : __x(ls_to_bf16(f)) {}
    LS_MEMBER __nv_bfloat16(double f) : __x(ls_to_bf16(f)) {}
    LS_MEMBER __nv_bfloat16(int f) : __x(ls_to_bf16((double)f)) {}
    LS_MEMBER __nv_bfloat16(unsigned f) : __x(ls_to_bf16((double)f)) {}
    LS_MEMBER __nv_bfloat16(short f) : __x(ls_to_bf16((float)f)) {}
    LS_MEMBER __nv_bfloat16(unsigned short f) : __x(ls_to_bf16((float)f)) {}
    LS_MEMBER __nv_bfloat16(long f) : __x(ls_to_bf16((double)f)) {}
    LS_MEMBER __nv_bfloat16(unsigned long f) : __x(ls_to_bf16((double)f)) {}
    LS_MEMBER __nv_bfloat16(long long f) : __x(ls_to_bf16((double)f)) {}
    LS_MEMBER __nv_bfloat16(unsigned long long f) : __x(ls_to_bf16((double)f)) {}
    LS_MEMBER __nv_bfloat16(__half f) : __x(ls_to_bf16((float)f)) {}
    constexpr LS_MEMBER __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
    LS_MEMBER operator float() const { return ls_from_bf16(__x); }
    LS_MEMBER operator __nv_bfloat16_raw() const { __nv_bfloat16_raw r = {__x}; return r; }
    LS_MEMBER operator __nv_bfloat16_raw() const volatile { __nv_bfloat16_raw r = {__x}; return r; }
    LS_MEMBER __nv_bfloat16 &operator=(float f) { __x = ls_to_bf16(f); return *this; }
    LS_MEMBER __nv_bfloat16 &operator=(double f) { __x = ls_to_bf16(f); return *this; }
    LS_MEMBER __nv_bfloat16 &operator=(int f) { __x = ls_to_bf16((double)f); return *this; }
    LS_MEMBER __nv_bfloat16 &operator=(__nv_bfloat16_raw r) { __x = r.x; return *this; }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    constexpr LS_MEMBER __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    LS_MEMBER __nv_bfloat162(__nv_bfloat162_raw r) { x.__x = r.x; y.__x = r.y; }
    LS_MEMBER operator __nv_bfloat162_raw() const { __nv_bfloat162_raw r = {x.__x, y.__x}; return r; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define LS_BF16_OPERATOR(OP)                                                                                 \
    LS_BOTH __nv_bfloat16 operator OP(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __nv_bfloat16((float)a OP(float) b); } \
    LS_BOTH __nv_bfloat162 operator OP(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __nv_bfloat162(a.x OP b.x, a.y OP b.y); } \
    LS_BOTH __nv_bfloat16 &operator OP##=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = a OP b; }   \
    LS_BOTH __nv_bfloat162 &operator OP##=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = a OP b; }
LS_BF16_OPERATOR(+)
LS_BF16_OPERATOR(-)
LS_BF16_OPERATOR(*)
LS_BF16_OPERATOR(/)
#undef LS_BF16_OPERATOR
LS_BOTH __nv_bfloat16 operator-(const __nv_bfloat16 &a) { __nv_bfloat16_raw r = {(unsigned short)(a.__x ^ 0x8000)}; return __nv_bfloat16(r); }
LS_BOTH __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
LS_BOTH __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
LS_BOTH __nv_bfloat16 __float2bfloat16_rz(float f) { __nv_bfloat16_raw r = {(unsigned short)(f != f ? 0x7fff : __builtin_bit_cast(unsigned, f) >> 16)}; return __nv_bfloat16(r); }
LS_BOTH __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
LS_BOTH __nv_bfloat16 __int2bfloat16_rn(int i) { return __nv_bfloat16(i); }
LS_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned i) { return __nv_bfloat16(i); }
LS_BOTH __nv_bfloat16 __short2bfloat16_rn(short i) { return __nv_bfloat16(i); }
LS_BOTH __nv_bfloat16 __ushort2bfloat16_rn(unsigned short i) { return __nv_bfloat16(i); }
LS_BOTH __nv_bfloat16 __ll2bfloat16_rn(long long i) { return __nv_bfloat16(i); }
LS_BOTH __nv_bfloat16 __ull2bfloat16_rn(unsigned long long i) { return __nv_bfloat16(i); }
LS_BOTH float __bfloat162float(__nv_bfloat16 b) { return (float)b; }
LS_BOTH int __bfloat162int_rz(__nv_bfloat16 b) { return (int)(float)b; }
LS_BOTH unsigned __bfloat162uint_rz(__nv_bfloat16 b) { return (unsigned)(float)b; }
LS_BOTH short __bfloat162short_rz(__nv_bfloat16 b) { return (short)(float)b; }
LS_BOTH unsigned short __bfloat162ushort_rz(__nv_bfloat16 b) { return (unsigned short)(float)b; }
LS_BOTH long long __bfloat162ll_rz(__nv_bfloat16 b) { return (long long)(float)b; }
LS_BOTH unsigned long long __bfloat162ull_rz(__nv_bfloat16 b) { return (unsigned long long)(float)b; }
LS_BOTH __nv_bfloat162 __float2bfloat162_rn(float f) { return __nv_bfloat162(f, f); }
LS_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
LS_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __nv_bfloat162(f.x, f.y); }
LS_BOTH float2 __bfloat1622float2(__nv_bfloat162 b) { return make_float2((float)b.x, (float)b.y); }
LS_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
LS_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
LS_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 b) { return __nv_bfloat162(b, b); }
LS_BOTH float __low2float(__nv_bfloat162 b) { return (float)b.x; }
LS_BOTH float __high2float(__nv_bfloat162 b) { return (float)b.y; }
LS_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 b) { return b.x; }
LS_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 b) { return b.y; }
LS_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 b) { return __nv_bfloat162(b.x, b.x); }
LS_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 b) { return __nv_bfloat162(b.y, b.y); }
LS_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
LS_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
LS_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 b) { return __nv_bfloat162(b.y, b.x); }
LS_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.__x; }
LS_BOTH short __bfloat16_as_short(__nv_bfloat16 b) { return (short)b.__x; }
LS_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { __nv_bfloat16_raw r = {u}; return __nv_bfloat16(r); }
LS_BOTH __nv_bfloat16 __short_as_bfloat16(short u) { return __ushort_as_bfloat16((unsigned short)u); }
LS_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __nv_bfloat16((double)(float)a * (double)(float)b + (double)(float)c);
}
#ifdef __CUDA__
LS_DEVICE int __bfloat162int_rn(__nv_bfloat16 b) { return __float2int_rn((float)b); }
LS_DEVICE unsigned __bfloat162uint_rn(__nv_bfloat16 b) { return __float2uint_rn((float)b); }
/* A pair is added at once from sm_90 on; before, by comparing and swapping the word. */
LS_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
    unsigned *word = (unsigned *)p, old = *word, seen;
    do {
        seen = old;
        __nv_bfloat162 sum = __builtin_bit_cast(__nv_bfloat162, seen) + v;
        old = atomicCAS(word, seen, __builtin_bit_cast(unsigned, sum));
    } while (old != seen);
    return __builtin_bit_cast(__nv_bfloat162, old);
}
LS_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
    unsigned long long address = (unsigned long long)p;
    unsigned *word = (unsigned *)(address & ~3ull), shift = (unsigned)(address & 2) * 8, old = *word, seen;
    do {
        seen = old;
        unsigned short sum = ls_to_bf16(ls_from_bf16((unsigned short)(seen >> shift)) + (float)v);
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | ((unsigned)sum << shift));
    } while (old != seen);
    return __ushort_as_bfloat16((unsigned short)(old >> shift));
}
#endif
#define LS_T __nv_bfloat16
#define LS_T2 __nv_bfloat162
#define LS_BITS __bfloat16_as_ushort
#define LS_FROM_BITS __ushort_as_bfloat16
#include "ls_half_functions.h"
#undef LS_T
#undef LS_T2
#undef LS_BITS
#undef LS_FROM_BITS

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif
