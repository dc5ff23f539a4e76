/* Half precision: __half and __half2 over clang's _Float16, whose arithmetic PTX has from sm_53 on. */
#ifndef LS_CUDA_FP16_H
#define LS_CUDA_FP16_H
#pragma clang system_header
#include "lockstep_cuda.h"

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __half {
    _Float16 v;
    __half() = default;
    LS_MEMBER __half(__half_raw r) : v(__builtin_bit_cast(_Float16, r.x)) {}
    LS_MEMBER __half(_Float16 f) : v(f) {}
    LS_MEMBER __half(float f) : v((_Float16)f) {}
    LS_MEMBER __half(double f) : v((_Float16)f) {}
    LS_MEMBER __half(int i) : v((_Float16)i) {}
    LS_MEMBER __half(unsigned i) : v((_Float16)i) {}
    LS_MEMBER __half(short i) : v((_Float16)i) {}
    LS_MEMBER __half(unsigned short i) : v((_Float16)i) {}
    LS_MEMBER __half(long long i) : v((_Float16)i) {}
    LS_MEMBER __half(unsigned long long i) : v((_Float16)i) {}
    LS_MEMBER operator float() const { return (float)v; }
    LS_MEMBER operator __half_raw() const { __half_raw r = {__builtin_bit_cast(unsigned short, v)}; return r; }
    LS_MEMBER __half &operator=(float f) { v = (_Float16)f; return *this; }
    LS_MEMBER __half &operator=(double f) { v = (_Float16)f; return *this; }
    LS_MEMBER __half &operator=(int f) { v = (_Float16)f; return *this; }
    LS_MEMBER __half &operator=(__half_raw r) { v = __builtin_bit_cast(_Float16, r.x); return *this; }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    LS_MEMBER __half2(__half a, __half b) : x(a), y(b) {}
    LS_MEMBER __half2(__half2_raw r) { __half_raw a = {r.x}, b = {r.y}; x = a; y = b; }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define LS_HALF_OPERATOR(OP)                                                                                 \
    LS_BOTH __half operator OP(const __half &a, const __half &b) { return __half((_Float16)(a.v OP b.v)); }  \
    LS_BOTH __half2 operator OP(const __half2 &a, const __half2 &b) { return __half2(a.x OP b.x, a.y OP b.y); } \
    LS_BOTH __half &operator OP##=(__half &a, const __half &b) { return a = a OP b; }                        \
    LS_BOTH __half2 &operator OP##=(__half2 &a, const __half2 &b) { return a = a OP b; }
LS_HALF_OPERATOR(+)
LS_HALF_OPERATOR(-)
LS_HALF_OPERATOR(*)
LS_HALF_OPERATOR(/)
#undef LS_HALF_OPERATOR
LS_BOTH __half operator-(const __half &a) { return __half((_Float16)-a.v); }
LS_BOTH __half2 operator-(const __half2 &a) { return __half2(-a.x, -a.y); }
#define LS_HALF_COMPARE(NAME, OP)                                                                            \
    LS_BOTH bool operator OP(const __half &a, const __half &b) { return a.v OP b.v; }                        \
    LS_DEVICE bool __h##NAME(__half a, __half b) { return a.v OP b.v; }                                      \
    LS_DEVICE __half2 __h##NAME##2(__half2 a, __half2 b) { return __half2(a.x.v OP b.x.v ? 1.0f : 0.0f, a.y.v OP b.y.v ? 1.0f : 0.0f); } \
    LS_DEVICE bool __hb##NAME##2(__half2 a, __half2 b) { return a.x.v OP b.x.v && a.y.v OP b.y.v; }
LS_HALF_COMPARE(eq, ==)
LS_HALF_COMPARE(ne, !=)
LS_HALF_COMPARE(lt, <)
LS_HALF_COMPARE(le, <=)
LS_HALF_COMPARE(gt, >)
LS_HALF_COMPARE(ge, >=)
#undef LS_HALF_COMPARE

LS_BOTH __half __float2half(float f) { return __half(f); }
LS_BOTH __half __float2half_rn(float f) { return __half(f); }
LS_BOTH __half __double2half(double f) { return __half(f); }
LS_BOTH float __half2float(__half h) { return (float)h.v; }
LS_BOTH __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
LS_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
LS_BOTH __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
LS_BOTH float2 __half22float2(__half2 h) { return make_float2((float)h.x.v, (float)h.y.v); }
LS_BOTH float __low2float(__half2 h) { return (float)h.x.v; }
LS_BOTH float __high2float(__half2 h) { return (float)h.y.v; }
LS_BOTH __half __low2half(__half2 h) { return h.x; }
LS_BOTH __half __high2half(__half2 h) { return h.y; }
LS_BOTH __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
LS_BOTH __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
LS_BOTH __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
LS_BOTH __half2 __half2half2(__half h) { return __half2(h, h); }
LS_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
LS_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
LS_BOTH __half __int2half_rn(int i) { return __half(i); }
LS_BOTH __half __uint2half_rn(unsigned i) { return __half(i); }
LS_BOTH __half __short2half_rn(short i) { return __half(i); }
LS_BOTH __half __ushort2half_rn(unsigned short i) { return __half(i); }
LS_DEVICE int __half2int_rn(__half h) { return __float2int_rn((float)h.v); }
LS_DEVICE int __half2int_rz(__half h) { return (int)h.v; }
LS_DEVICE unsigned __half2uint_rn(__half h) { return __float2uint_rn((float)h.v); }
LS_BOTH unsigned short __half_as_ushort(__half h) { return __builtin_bit_cast(unsigned short, h.v); }
LS_BOTH short __half_as_short(__half h) { return __builtin_bit_cast(short, h.v); }
LS_BOTH __half __ushort_as_half(unsigned short u) { return __half(__builtin_bit_cast(_Float16, u)); }
LS_BOTH __half __short_as_half(short u) { return __half(__builtin_bit_cast(_Float16, u)); }

#define LS_HALF_2(NAME, OP)                                                                                  \
    LS_DEVICE __half NAME(__half a, __half b) { return a OP b; }                                             \
    LS_DEVICE __half2 NAME##2(__half2 a, __half2 b) { return a OP b; }                                       \
    LS_DEVICE __half NAME##_rn(__half a, __half b) { return a OP b; }
LS_HALF_2(__hadd, +)
LS_HALF_2(__hsub, -)
LS_HALF_2(__hmul, *)
#undef LS_HALF_2
LS_DEVICE __half __hdiv(__half a, __half b) { return a / b; }
LS_DEVICE __half2 __h2div(__half2 a, __half2 b) { return a / b; }
LS_DEVICE __half __hneg(__half a) { return -a; }
LS_DEVICE __half2 __hneg2(__half2 a) { return -a; }
LS_DEVICE __half __habs(__half a) { return __half(__builtin_fabsf((float)a.v)); }
LS_DEVICE __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
LS_DEVICE __half __hmax(__half a, __half b) { return a.v > b.v ? a : b; }
LS_DEVICE __half __hmin(__half a, __half b) { return a.v < b.v ? a : b; }
LS_DEVICE __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
LS_DEVICE __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
LS_DEVICE bool __hisnan(__half a) { return a.v != a.v; }
LS_DEVICE __half __hfma(__half a, __half b, __half c) {
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)), "h"(__half_as_ushort(c)));
    return __ushort_as_half(r);
}
LS_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#define LS_HALF_1(NAME)                                                                                      \
    LS_DEVICE __half h##NAME(__half a) { return __half(NAME##f((float)a.v)); }                               \
    LS_DEVICE __half2 h2##NAME(__half2 a) { return __half2(h##NAME(a.x), h##NAME(a.y)); }
LS_HALF_1(exp)
LS_HALF_1(exp2)
LS_HALF_1(exp10)
LS_HALF_1(log)
LS_HALF_1(log2)
LS_HALF_1(log10)
LS_HALF_1(sin)
LS_HALF_1(cos)
LS_HALF_1(sqrt)
LS_HALF_1(rsqrt)
LS_HALF_1(floor)
LS_HALF_1(ceil)
LS_HALF_1(trunc)
LS_HALF_1(rint)
#undef LS_HALF_1
LS_DEVICE __half hrcp(__half a) { return __half(1.0f / (float)a.v); }
LS_DEVICE __half2 h2rcp(__half2 a) { return __half2(hrcp(a.x), hrcp(a.y)); }
#define LS_HALF_SHUFFLE(NAME)                                                                                \
    LS_DEVICE __half NAME(unsigned mask, __half v, int lane, int width = 32) {                               \
        return __ushort_as_half((unsigned short)NAME(mask, (unsigned)__half_as_ushort(v), lane, width));     \
    }                                                                                                        \
    LS_DEVICE __half2 NAME(unsigned mask, __half2 v, int lane, int width = 32) {                             \
        return __builtin_bit_cast(__half2, NAME(mask, __builtin_bit_cast(unsigned, v), lane, width));        \
    }
LS_HALF_SHUFFLE(__shfl_sync)
LS_HALF_SHUFFLE(__shfl_up_sync)
LS_HALF_SHUFFLE(__shfl_down_sync)
LS_HALF_SHUFFLE(__shfl_xor_sync)
#undef LS_HALF_SHUFFLE
LS_DEVICE __half2 __ldg(const __half2 *p) { return __builtin_bit_cast(__half2, __ldg((const unsigned *)p)); }
LS_DEVICE __half __ldg(const __half *p) { return __ushort_as_half(__ldg((const unsigned short *)p)); }
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
#endif
