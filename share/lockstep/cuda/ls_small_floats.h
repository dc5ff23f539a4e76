/* Floats of 8, 6 and 4 bits: how a number is rounded to one and read back, in integer arithmetic, so that the
 * result is the same on every architecture and on the host. */
#ifndef LS_SMALL_FLOATS_H
#define LS_SMALL_FLOATS_H
#pragma GCC system_header
#include "cuda_bf16.h"

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
#ifndef LS_ROUND_MODE
#define LS_ROUND_MODE
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif

/* The sign, `exponent` bits with their bias, `mantissa` bits. `largest` is the code of the largest number;
 * `overflow` and `nan` are the codes that too large numbers get without saturation, and that no number gets. */
struct ls_format { int exponent, mantissa, bias; unsigned largest, overflow, nan; };
#define LS_E4M3 ls_format{4, 3, 7, 0x7e, 0x7f, 0x7f}
#define LS_E5M2 ls_format{5, 2, 15, 0x7b, 0x7c, 0x7f}
#define LS_E2M3 ls_format{2, 3, 1, 0x1f, 0x1f, 0x1f}
#define LS_E3M2 ls_format{3, 2, 3, 0x1f, 0x1f, 0x1f}
#define LS_E2M1 ls_format{2, 1, 1, 0x07, 0x07, 0x07}

/* To nearest, ties to even. */
LS_BOTH unsigned char ls_narrow(double x, ls_format f, bool saturate) {
    unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    unsigned sign = (unsigned)(bits >> 63) << (f.exponent + f.mantissa);
    int e = (int)((bits >> 52) & 0x7ff) - 1023, lowest = 1 - f.bias;
    if (x != x) return (unsigned char)(f.nan == f.largest ? f.largest : f.nan); /* without NaN: the largest number */
    if (e == 1024) return (unsigned char)(sign | (saturate ? f.largest : f.overflow));
    unsigned long long mantissa = (bits & 0xfffffffffffffull) | (e == -1023 ? 0 : 0x10000000000000ull);
    int shift = 52 - f.mantissa + (e < lowest ? lowest - e : 0);
    if (shift > 60) return (unsigned char)sign;
    unsigned long long kept = mantissa >> shift, rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    unsigned long long code = e < lowest ? kept : ((unsigned long long)(e - lowest) << f.mantissa) + kept;
    if (code > f.largest) code = saturate ? f.largest : f.overflow;
    return (unsigned char)(sign | code);
}
LS_BOTH float ls_widen(unsigned code, ls_format f) {
    unsigned sign = (code >> (f.exponent + f.mantissa)) & 1, rest = code & ((1u << (f.exponent + f.mantissa)) - 1);
    unsigned e = rest >> f.mantissa, m = rest & ((1u << f.mantissa) - 1), bits;
    if (rest > f.largest) {
        bits = rest == 0x7c && f.mantissa == 2 ? 0x7f800000u : 0x7fffffffu;
        return __builtin_bit_cast(float, bits | (bits == 0x7f800000u ? sign << 31 : 0));
    }
    if (e) {
        bits = ((e + 127 - (unsigned)f.bias) << 23) | (m << (23 - f.mantissa));
    } else { /* m units of the smallest number */
        float unit = __builtin_bit_cast(float, (unsigned)(127 + 1 - f.bias - f.mantissa) << 23);
        bits = __builtin_bit_cast(unsigned, (float)m * unit);
    }
    return __builtin_bit_cast(float, bits | (sign << 31));
}

LS_BOTH double ls_of_raw(__half_raw h) { return (double)(float)__half(h); }
LS_BOTH double ls_of_raw(__nv_bfloat16_raw b) { return (double)ls_from_bf16(b.x); }

/* The conversion functions of one width, under CUDA's names; `STEP` is how many bits two packed ones are apart,
 * the first lowest. Those of 8 bits take no rounding mode; the others do, and only the nearest is known. */
#define LS_SMALL_FROM(BITS, P, KIND, FROM, T, T2, STEP, READ)                                          \
    LS_BOTH P##_storage_t __nv_cvt_##FROM##_to_fp##BITS(T x, __nv_saturation_t s, KIND k) { return ls_narrow(READ(x), ls_format_of(k), s == __NV_SATFINITE); } \
    LS_BOTH P##x2_storage_t __nv_cvt_##FROM##2_to_fp##BITS##x2(T2 v, __nv_saturation_t s, KIND k) {     \
        return (P##x2_storage_t)(ls_narrow(READ(v.x), ls_format_of(k), s == __NV_SATFINITE) |               \
                                 (ls_narrow(READ(v.y), ls_format_of(k), s == __NV_SATFINITE) << STEP));      \
    }
LS_BOTH double ls_read(double x) { return x; }
LS_BOTH double ls_read_half(unsigned short x) { __half_raw r = {x}; return ls_of_raw(r); }
LS_BOTH double ls_read_bf16(unsigned short x) { __nv_bfloat16_raw r = {x}; return ls_of_raw(r); }
LS_BOTH double ls_read_half(__half_raw x) { return ls_of_raw(x); }
LS_BOTH double ls_read_bf16(__nv_bfloat16_raw x) { return ls_of_raw(x); }
#define LS_SMALL_PAIRS(BITS, P, KIND, STEP)                                                    \
    LS_SMALL_FROM(BITS, P, KIND, double, double, double2, STEP, ls_read)                               \
    LS_SMALL_FROM(BITS, P, KIND, float, float, float2, STEP, ls_read)                                  \
    LS_SMALL_FROM(BITS, P, KIND, halfraw, __half_raw, __half2_raw, STEP, ls_read_half)                 \
    LS_SMALL_FROM(BITS, P, KIND, bfloat16raw, __nv_bfloat16_raw, __nv_bfloat162_raw, STEP, ls_read_bf16) \
    LS_SMALL_BACK(BITS, P, KIND, STEP)
#define LS_SMALL_BACK(BITS, P, KIND, STEP)                                                                   \
    LS_BOTH __half_raw __nv_cvt_fp##BITS##_to_halfraw(P##_storage_t x, KIND k) { return __half(ls_widen(x, ls_format_of(k))); } \
    LS_BOTH __half2_raw __nv_cvt_fp##BITS##x2_to_halfraw2(P##x2_storage_t x, KIND k) {                       \
        return __half2(__half(ls_widen(x & ((1u << STEP) - 1), ls_format_of(k))), __half(ls_widen((unsigned)x >> STEP, ls_format_of(k)))); \
    }
/* Floats of 6 and 4 bits have no infinity: they saturate always. */
#define LS_SMALL_ROUNDED(BITS, P, KIND, FROM, T, T2, STEP, READ)                                             \
    LS_BOTH P##_storage_t __nv_cvt_##FROM##_to_fp##BITS(T x, KIND k, enum cudaRoundMode) { return ls_narrow(READ(x), ls_format_of(k), true); } \
    LS_BOTH P##x2_storage_t __nv_cvt_##FROM##2_to_fp##BITS##x2(T2 v, KIND k, enum cudaRoundMode) {           \
        return (P##x2_storage_t)(ls_narrow(READ(v.x), ls_format_of(k), true) | (ls_narrow(READ(v.y), ls_format_of(k), true) << STEP)); \
    }
#define LS_SMALL_PAIRS_ROUNDED(BITS, P, KIND, STEP)                                                          \
    LS_SMALL_ROUNDED(BITS, P, KIND, double, double, double2, STEP, ls_read)                                  \
    LS_SMALL_ROUNDED(BITS, P, KIND, float, float, float2, STEP, ls_read)                                     \
    LS_SMALL_ROUNDED(BITS, P, KIND, halfraw, __half_raw, __half2_raw, STEP, ls_read_half)                    \
    LS_SMALL_ROUNDED(BITS, P, KIND, bfloat16raw, __nv_bfloat16_raw, __nv_bfloat162_raw, STEP, ls_read_bf16)  \
    LS_SMALL_BACK(BITS, P, KIND, STEP)

/* A class of one small float: constructed from numbers, read as one. */
#define LS_SMALL_CLASS(NAME, STORAGE, FORMAT)                                                                \
    struct NAME {                                                                                            \
        STORAGE __x;                                                                                         \
        NAME() = default;                                                                                    \
        explicit LS_MEMBER NAME(float f) : __x(ls_narrow(f, FORMAT, true)) {}                                \
        explicit LS_MEMBER NAME(double f) : __x(ls_narrow(f, FORMAT, true)) {}                               \
        explicit LS_MEMBER NAME(__half f) : __x(ls_narrow((float)f, FORMAT, true)) {}                        \
        explicit LS_MEMBER NAME(__nv_bfloat16 f) : __x(ls_narrow((float)f, FORMAT, true)) {}                 \
        explicit LS_MEMBER NAME(int f) : __x(ls_narrow(f, FORMAT, true)) {}                                  \
        explicit LS_MEMBER NAME(unsigned f) : __x(ls_narrow(f, FORMAT, true)) {}                             \
        explicit LS_MEMBER NAME(short f) : __x(ls_narrow(f, FORMAT, true)) {}                                \
        explicit LS_MEMBER NAME(unsigned short f) : __x(ls_narrow(f, FORMAT, true)) {}                       \
        explicit LS_MEMBER NAME(long f) : __x(ls_narrow((double)f, FORMAT, true)) {}                         \
        explicit LS_MEMBER NAME(unsigned long f) : __x(ls_narrow((double)f, FORMAT, true)) {}                \
        explicit LS_MEMBER NAME(long long f) : __x(ls_narrow((double)f, FORMAT, true)) {}                    \
        explicit LS_MEMBER NAME(unsigned long long f) : __x(ls_narrow((double)f, FORMAT, true)) {}           \
        explicit LS_MEMBER operator float() const { return ls_widen(__x, FORMAT); }                          \
        explicit LS_MEMBER operator double() const { return (double)ls_widen(__x, FORMAT); }                 \
        explicit LS_MEMBER operator __half() const { return __half(ls_widen(__x, FORMAT)); }                 \
        explicit LS_MEMBER operator __nv_bfloat16() const { return __nv_bfloat16(ls_widen(__x, FORMAT)); }   \
        explicit LS_MEMBER operator int() const { return (int)ls_widen(__x, FORMAT); }                       \
        explicit LS_MEMBER operator unsigned() const { return (unsigned)ls_widen(__x, FORMAT); }             \
        explicit LS_MEMBER operator short() const { return (short)ls_widen(__x, FORMAT); }                   \
        explicit LS_MEMBER operator unsigned short() const { return (unsigned short)ls_widen(__x, FORMAT); } \
        explicit LS_MEMBER operator long long() const { return (long long)ls_widen(__x, FORMAT); }           \
        explicit LS_MEMBER operator unsigned long long() const { return (unsigned long long)ls_widen(__x, FORMAT); } \
        explicit LS_MEMBER operator signed char() const { return (signed char)ls_widen(__x, FORMAT); }       \
        explicit LS_MEMBER operator unsigned char() const { return (unsigned char)ls_widen(__x, FORMAT); }   \
        explicit LS_MEMBER operator bool() const { return ls_widen(__x, FORMAT) != 0.0f; }                   \
    };
/* Two and four of them in one word. */
#define LS_SMALL_PAIR_CLASS(NAME, STORAGE, STEP, FORMAT)                                                     \
    struct NAME {                                                                                            \
        STORAGE __x;                                                                                         \
        NAME() = default;                                                                                    \
        explicit LS_MEMBER NAME(double2 v) : __x((STORAGE)(ls_narrow(v.x, FORMAT, true) | (ls_narrow(v.y, FORMAT, true) << STEP))) {} \
        explicit LS_MEMBER NAME(float2 v) : NAME(make_double2(v.x, v.y)) {}                                  \
        explicit LS_MEMBER NAME(__half2 v) : NAME(make_double2((float)v.x, (float)v.y)) {}                   \
        explicit LS_MEMBER NAME(__nv_bfloat162 v) : NAME(make_double2((float)v.x, (float)v.y)) {}            \
        explicit LS_MEMBER operator float2() const { return make_float2(ls_widen(__x & ((1u << STEP) - 1), FORMAT), ls_widen(((unsigned)__x >> STEP) & ((1u << STEP) - 1), FORMAT)); } \
        explicit LS_MEMBER operator __half2() const { float2 v = (float2)*this; return __half2(__half(v.x), __half(v.y)); } \
        explicit LS_MEMBER operator __nv_bfloat162() const { float2 v = (float2)*this; return __nv_bfloat162(v.x, v.y); } \
    };
#define LS_SMALL_QUAD_CLASS(NAME, STORAGE, STEP, FORMAT)                                                     \
    struct NAME {                                                                                            \
        STORAGE __x;                                                                                         \
        NAME() = default;                                                                                    \
        explicit LS_MEMBER NAME(double4 v) : __x((STORAGE)((unsigned)ls_narrow(v.x, FORMAT, true) | ((unsigned)ls_narrow(v.y, FORMAT, true) << STEP) | \
                                                ((unsigned)ls_narrow(v.z, FORMAT, true) << 2 * STEP) | ((unsigned)ls_narrow(v.w, FORMAT, true) << 3 * STEP))) {} \
        explicit LS_MEMBER NAME(float4 v) : NAME(make_double4(v.x, v.y, v.z, v.w)) {}                        \
        explicit LS_MEMBER NAME(__half2 a, __half2 b) : NAME(make_double4((float)a.x, (float)a.y, (float)b.x, (float)b.y)) {} \
        explicit LS_MEMBER NAME(__nv_bfloat162 a, __nv_bfloat162 b) : NAME(make_double4((float)a.x, (float)a.y, (float)b.x, (float)b.y)) {} \
        LS_MEMBER float part(int i) const { return ls_widen(((unsigned)__x >> i * STEP) & ((1u << STEP) - 1), FORMAT); } \
        explicit LS_MEMBER operator float4() const { return make_float4(part(0), part(1), part(2), part(3)); } \
    };
#endif
