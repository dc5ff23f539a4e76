/* What the expressions of ops.def are made of: arithmetic of one lane. Used by the vector loops (lanes.c),
 * and by what compiled code is made of (jit/rows.inc), so that both compute the same bits. */
#ifndef LS_EMULATE_LANES_ARITHMETIC_H
#define LS_EMULATE_LANES_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* --- Arithmetic that C has no operator for --- */
static inline u64 mulhi_u64(u64 a, u64 b) {
    return (u64)((unsigned __int128)a * b >> 64);
}
static inline u64 mulhi_s64(u64 a, u64 b) {
    return (u64)((__int128)(s64)a * (s64)b >> 64);
}
static inline u32 div_s32(u32 a, u32 b) {
    if (!b) return 0xffffffffu;
    return b == 0xffffffffu ? 0 - a : (u32)((s32)a / (s32)b);
}
static inline u32 rem_s32(u32 a, u32 b) {
    if (!b) return 0xffffffffu;
    return b == 0xffffffffu ? 0 : (u32)((s32)a % (s32)b);
}
static inline u64 div_s64(u64 a, u64 b) {
    if (!b) return ~UINT64_C(0);
    return b == ~UINT64_C(0) ? 0 - a : (u64)((s64)a / (s64)b);
}
static inline u64 rem_s64(u64 a, u64 b) {
    if (!b) return ~UINT64_C(0);
    return b == ~UINT64_C(0) ? 0 : (u64)((s64)a % (s64)b);
}
/* --- Bits --- */
static inline u32 reversed(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
static inline u32 extract_u32(u32 a, u32 from, u32 length) {
    u32 r = from > 31 ? 0 : a >> (from & 31);
    return length > 31 ? r : r & ((1u << (length & 31)) - 1);
}
/* Bits beyond the field, or beyond the last one, are the field's sign. */
static inline u32 extract_s32(u32 a, u32 from, u32 length) {
    s32 rest = (s32)a >> (from > 31 ? 31 : from);
    u32 unused = 32 - (length & 31);
    s32 field = (s32)((u32)rest << (unused & 31)) >> (unused & 31);
    s32 r = from + length >= 32 ? rest : field;
    return length ? (u32)r : 0;
}
static inline u32 field_32(u32 from, u32 length) {
    u32 ones = length > 31 ? ~0u : (1u << (length & 31)) - 1;
    return from > 31 ? 0 : ones << (from & 31);
}
static inline u64 field_64(u32 from, u32 length) {
    u64 ones = length > 63 ? ~UINT64_C(0) : (UINT64_C(1) << (length & 63)) - 1;
    return from > 63 ? 0 : ones << (from & 63);
}
#define PART(A, B, a, b, k) ((u32)((s32)(A)((a) >> (k)) * (s32)(B)((b) >> (k))))
#define dot(A, B, a, b)                                                                                      \
    (PART(A, B, a, b, 0) + PART(A, B, a, b, 8) + PART(A, B, a, b, 16) + PART(A, B, a, b, 24))
/* As a signed number of 24 bits. */
static inline u32 low_24(u32 a) {
    return (u32)((s32)(a << 8) >> 8);
}
static inline u32 permuted(u32 a, u32 b, u32 picks) {
    const u64 both = (u64)b << 32 | a;
    u32 r = 0;
    for (u32 k = 0; k < 4; k++) {
        u32 pick = picks >> (4 * k), byte = (u32)(both >> (8 * (pick & 7))) & 0xff;
        byte = pick & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
        r |= byte << (8 * k);
    }
    return r;
}

/* --- Floating point --- */
static inline f32 as_f32(u32 x) {
    f32 f;
    memcpy(&f, &x, 4);
    return f;
}
static inline u32 bits32(f32 x) {
    u32 b;
    memcpy(&b, &x, 4);
    return b;
}
static inline f32 canon32(f32 x) {
    return x == x ? x : as_f32(0x7fffffff);
}
static inline bool is_nan64(u64 x) {
    return (x & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
}
static inline f32 ftz(f32 x) {
    return (bits32(x) & 0x7f800000u) ? x : as_f32(bits32(x) & 0x80000000u);
}
/* A result is subnormal if it is after rounding to 24 bits, as if there were no smallest exponent: that is
 * seen on the same operation with its operands scaled up. (Where scaling overflows the result is not small.)
 */
static inline f32 ftz_scaled(f32 x, f32 scaled) {
    return __builtin_fabsf(scaled) < 0x1p-94f ? __builtin_copysignf(0.0f, x) : x;
}
static inline f32 mul_ftz(f32 a, f32 b) {
    return ftz_scaled(a * b, a * 0x1p32f * b);
}
static inline f32 fma_ftz(f32 a, f32 b, f32 c) {
    return ftz_scaled(__builtin_fmaf(a, b, c), __builtin_fmaf(a * 0x1p32f, b, c * 0x1p32f));
}
static inline f32 div_ftz(f32 a, f32 b) {
    return ftz_scaled(a / b, a * 0x1p32f / b);
}
/* Approximate divisions are products with the reciprocal, as on a GPU: div.full scales its operands so that
 * it is in range, div.approx has 0 where it is too small. */
static inline f32 div_full(f32 a, f32 b) {
    const f32 size = __builtin_fabsf(b), s = size > 0x1p126f ? 0.25f : size < 0x1p-126f ? 0x1p24f : 1.0f;
    return a * s * (1.0f / (b * s));
}
static inline f32 div_approx(f32 a, f32 b) {
    const f32 s = __builtin_fabsf(b) < 0x1p-126f ? 0x1p24f : 1.0f;
    return a * s * ftz(1.0f / (b * s));
}
static inline f32 div_full_ftz(f32 a, f32 b) {
    return ftz_scaled(div_full(a, b), div_full(a * 0x1p32f, b));
}
static inline f32 div_approx_ftz(f32 a, f32 b) {
    return ftz_scaled(div_approx(a, b), div_approx(a * 0x1p32f, b));
}
static inline f32 rsqrt_f32(f32 a) {
    return 1.0f / __builtin_sqrtf(a);
}
static inline u64 bits64(f64 x) {
    u64 b;
    memcpy(&b, &x, 8);
    return b;
}
/* One NaN is no number: the other operand. -0 is less than +0. */
#define EXTREME(name, F, U, bits, relation, joint, nan)                                                      \
    static inline U name(F a, F b) {                                                                         \
        U x = bits(a), y = bits(b), which = a relation b ? x : y;                                            \
        U equal = a == b ? (x joint y) : which;                                                              \
        U number = a != a ? y : equal;                                                                       \
        number = b != b ? x : number;                                                                        \
        return ((a != a) & (b != b)) ? (nan) : number;                                                       \
    }
EXTREME(min_f32, f32, u32, bits32, <, |, 0x7fffffffu)
EXTREME(max_f32, f32, u32, bits32, >, &, 0x7fffffffu)
EXTREME(min_f64, f64, u64, bits64, <, |, UINT64_C(0x7ff8000000000000))
EXTREME(max_f64, f64, u64, bits64, >, &, UINT64_C(0x7ff8000000000000))

/* --- Half precision --- */
static inline f32 from_f16(u32 h) {
    u32 magnitude = (h & 0x7fff) << 13, top = (h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
    return as_f32(bits32(as_f32(magnitude) * 0x1p112f) | top | (h & 0x8000) << 16);
}
/* To nearest even: in units of the last place, or of 2^-24 where it is subnormal. */
static inline u32 to_f16(f32 a) {
    u32 x = bits32(a) & 0x7fffffffu, sign = bits32(a) >> 16 & 0x8000;
    u32 normal = (x + 0xfff + (x >> 13 & 1) - 0x38000000u) >> 13;
    u32 small = bits32(as_f32(x) + 0.5f) - 0x3f000000u;
    u32 r = x < 0x38800000u ? small : normal;
    r = x >= 0x477ff000u ? 0x7c00 : r;
    return x > 0x7f800000u ? 0x7fff : r | sign;
}
static inline u32 to_bf16(f32 a) {
    u32 x = bits32(a);
    return a != a ? 0x7fff : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}
/* Twice as many bits and two: what is rounded to 24 bits first is rounded to 11 as the exact result is. */
static inline u32 add_f16(u32 a, u32 b) {
    return to_f16(from_f16(a) + from_f16(b));
}
static inline u32 sub_f16(u32 a, u32 b) {
    return to_f16(from_f16(a) - from_f16(b));
}
static inline u32 mul_f16(u32 a, u32 b) {
    return to_f16(from_f16(a) * from_f16(b));
}
/* The product is exact; the sum is rounded to odd, by its error. */
static inline u32 fma_f16(u32 a, u32 b, u32 c) {
    f32 p = from_f16(a) * from_f16(b), q = from_f16(c), s = p + q, t = s - p;
    f32 error = (p - (s - t)) + (q - t);
    u32 x = bits32(s), inexact = (error > 0) | (error < 0);
    u32 odd = (error > 0) == (s > 0) ? x + 1 : x - 1;
    return to_f16(as_f32(inexact & ~x & 1 ? odd : x));
}
static inline u32 min_f16(u32 a, u32 b) {
    return to_f16(as_f32(min_f32(from_f16(a), from_f16(b))));
}
static inline u32 max_f16(u32 a, u32 b) {
    return to_f16(as_f32(max_f32(from_f16(a), from_f16(b))));
}

/* --- Floating point to integers --- */
static inline u32 f32_to_u32(f32 a) {
    f32 low = a > 0 ? a : 0.0f; /* NaN too */
    u32 in_range = (u32)(low < 4294967040.0f ? low : 4294967040.0f);
    return low >= 4294967296.0f ? UINT32_MAX : in_range;
}
/* NaN is the lowest. */
static inline s32 f64_to_s32(f64 a) {
    f64 low = a > -2147483648.0 ? a : -2147483648.0;
    return (s32)(low < 2147483647.0 ? low : 2147483647.0);
}
/* Towards zero, saturating; NaN is 0. */
static inline s32 f32_to_s32(f32 a) {
    f32 low = a < -2147483648.0f ? -2147483648.0f : a;
    s32 in_range = (s32)(low < 2147483520.0f ? low : 2147483520.0f);
    s32 high = a >= 2147483648.0f ? INT32_MAX : in_range;
    return a == a ? high : 0;
}

#endif
