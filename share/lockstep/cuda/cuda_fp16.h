/* Half precision: __half and __half2 over clang's _Float16, whose arithmetic PTX has from sm_53 on. */
#ifndef LS_CUDA_FP16_H
#define LS_CUDA_FP16_H
#pragma GCC system_header
#include "lockstep_cuda.h"
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__
#define CUDA_NO_HALF 0

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
LS_BOTH unsigned short ls_to_half(_Float16 f) { return __builtin_bit_cast(unsigned short, f); }
struct __half {
    unsigned short __x;
    __half() = default;
    constexpr LS_MEMBER __half(__half_raw r) : __x(r.x) {}
    constexpr LS_MEMBER __half(_Float16 f) : __x(__builtin_bit_cast(unsigned short, f)) {}
#define LS_FROM(T)                                                                                           \
    LS_MEMBER __half(T f) : __x(ls_to_half((_Float16)f)) {}                                                  \
    LS_MEMBER __half &operator=(T f) { __x = ls_to_half((_Float16)f); return *this; }
    LS_FROM(float)
    LS_FROM(double)
    LS_FROM(int)
    LS_FROM(unsigned)
    LS_FROM(short)
    LS_FROM(unsigned short)
    LS_FROM(long)
    LS_FROM(unsigned long)
    LS_FROM(long long)
    LS_FROM(unsigned long long)
#undef LS_FROM
    LS_MEMBER _Float16 value() const { return __builtin_bit_cast(_Float16, __x); }
    LS_MEMBER operator float() const { return (float)value(); }
    LS_MEMBER operator __half_raw() const { __half_raw r = {__x}; return r; }
    LS_MEMBER operator __half_raw() const volatile { __half_raw r = {__x}; return r; }
    LS_MEMBER __half &operator=(__half_raw r) { __x = r.x; return *this; }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    constexpr LS_MEMBER __half2(__half a, __half b) : x(a), y(b) {}
    LS_MEMBER __half2(__half2_raw r) { __half_raw a = {r.x}, b = {r.y}; x = a; y = b; }
    LS_MEMBER operator __half2_raw() const { return __builtin_bit_cast(__half2_raw, *this); }
};
#ifndef CUDA_NO_HALF_ALIASES
typedef __half half;
typedef __half2 half2;
#endif
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define LS_HALF_OPERATOR(OP)                                                                                 \
    LS_BOTH __half operator OP(const __half &a, const __half &b) { return __half((_Float16)(a.value() OP b.value())); }  \
    LS_BOTH __half2 operator OP(const __half2 &a, const __half2 &b) { return __half2(a.x OP b.x, a.y OP b.y); } \
    LS_BOTH __half &operator OP##=(__half &a, const __half &b) { return a = a OP b; }                        \
    LS_BOTH __half2 &operator OP##=(__half2 &a, const __half2 &b) { return a = a OP b; }
LS_HALF_OPERATOR(+)
LS_HALF_OPERATOR(-)
LS_HALF_OPERATOR(*)
LS_HALF_OPERATOR(/)
#undef LS_HALF_OPERATOR
LS_BOTH __half operator-(const __half &a) { return __half((_Float16)-a.value()); }

LS_BOTH __half __float2half(float f) { return __half(f); }
LS_BOTH __half __float2half_rn(float f) { return __half(f); }
LS_BOTH __half __double2half(double f) { return __half(f); }
LS_BOTH float __half2float(__half h) { return (float)h.value(); }
LS_BOTH __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
LS_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
LS_BOTH __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
LS_BOTH float2 __half22float2(__half2 h) { return make_float2((float)h.x.value(), (float)h.y.value()); }
LS_BOTH float __low2float(__half2 h) { return (float)h.x.value(); }
LS_BOTH float __high2float(__half2 h) { return (float)h.y.value(); }
LS_BOTH __half __low2half(__half2 h) { return h.x; }
LS_BOTH __half __high2half(__half2 h) { return h.y; }
LS_BOTH __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
LS_BOTH __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
LS_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
LS_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
LS_BOTH __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
LS_BOTH __half2 __half2half2(__half h) { return __half2(h, h); }
LS_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
LS_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
LS_BOTH __half __int2half_rn(int i) { return __half(i); }
LS_BOTH __half __uint2half_rn(unsigned i) { return __half(i); }
LS_BOTH __half __short2half_rn(short i) { return __half(i); }
LS_BOTH __half __ushort2half_rn(unsigned short i) { return __half(i); }
LS_BOTH __half __ll2half_rn(long long i) { return __half(i); }
LS_BOTH __half __ull2half_rn(unsigned long long i) { return __half(i); }
LS_BOTH int __half2int_rz(__half h) { return (int)h.value(); }
LS_BOTH unsigned __half2uint_rz(__half h) { return (unsigned)h.value(); }
LS_BOTH short __half2short_rz(__half h) { return (short)h.value(); }
LS_BOTH unsigned short __half2ushort_rz(__half h) { return (unsigned short)h.value(); }
LS_BOTH long long __half2ll_rz(__half h) { return (long long)h.value(); }
LS_BOTH unsigned long long __half2ull_rz(__half h) { return (unsigned long long)h.value(); }
LS_BOTH signed char __half2char_rz(__half h) { return (signed char)h.value(); }
LS_BOTH unsigned char __half2uchar_rz(__half h) { return (unsigned char)h.value(); }
LS_BOTH unsigned short __half_as_ushort(__half h) { return h.__x; }
LS_BOTH short __half_as_short(__half h) { return (short)h.__x; }
LS_BOTH __half __ushort_as_half(unsigned short u) { return __half(__builtin_bit_cast(_Float16, u)); }
LS_BOTH __half __short_as_half(short u) { return __half(__builtin_bit_cast(_Float16, u)); }
#ifdef __CUDA__
LS_DEVICE int __half2int_rn(__half h) { return __float2int_rn((float)h.value()); }
LS_DEVICE int __half2int_rd(__half h) { return __float2int_rd((float)h.value()); }
LS_DEVICE int __half2int_ru(__half h) { return __float2int_ru((float)h.value()); }
LS_DEVICE unsigned __half2uint_rn(__half h) { return __float2uint_rn((float)h.value()); }
LS_DEVICE __half __hfma(__half a, __half b, __half c) {
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)), "h"(__half_as_ushort(c)));
    return __ushort_as_half(r);
}
LS_DEVICE __half2 atomicAdd(__half2 *p, __half2 v) {
    unsigned r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(__builtin_bit_cast(unsigned, v)) : "memory");
    return __builtin_bit_cast(__half2, r);
}
LS_DEVICE __half atomicAdd(__half *p, __half v) {
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(__half_as_ushort(v)) : "memory");
    return __ushort_as_half(r);
}
LS_DEVICE __half htanh_approx(__half a) { return __half(tanhf((float)a.value())); }
LS_DEVICE __half2 h2tanh_approx(__half2 a) { return __half2(htanh_approx(a.x), htanh_approx(a.y)); }
/* a * b + c with complex halves: real part first. */
LS_DEVICE __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
#else
LS_BOTH __half __hfma(__half a, __half b, __half c) { return __half((float)((double)(float)a.value() * (double)(float)b.value() + (double)(float)c.value())); }
#endif
#define LS_T __half
#define LS_T2 __half2
#define LS_BITS __half_as_ushort
#define LS_FROM_BITS __ushort_as_half
#include "ls_half_functions.h"
#undef LS_T
#undef LS_T2
#undef LS_BITS
#undef LS_FROM_BITS

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif
