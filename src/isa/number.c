/* Small floating-point formats (f16, bf16, tf32, the 8-bit ones) through double, with exact rounding. */
#include "isa/number.h"

#include <math.h>

/* By type; bits 0: none of these. */
static const em_float_format formats[LS_TYPE_COUNT] = {
    [LS_TYPE_F16] = {16, 10, 15, true, true},   [LS_TYPE_F16X2] = {16, 10, 15, true, true},
    [LS_TYPE_BF16] = {16, 7, 127, true, true},  [LS_TYPE_BF16X2] = {16, 7, 127, true, true},
    [LS_TYPE_TF32] = {19, 10, 127, true, true}, [LS_TYPE_F32] = {32, 23, 127, true, true},
    [LS_TYPE_E4M3] = {8, 3, 7, false, true},    [LS_TYPE_E4M3X2] = {8, 3, 7, false, true},
    [LS_TYPE_E5M2] = {8, 2, 15, true, true},    [LS_TYPE_E5M2X2] = {8, 2, 15, true, true},
    [LS_TYPE_E4M3X4] = {8, 3, 7, false, true},  [LS_TYPE_E5M2X4] = {8, 2, 15, true, true},
    [LS_TYPE_E2M1] = {4, 1, 1, false, false},   [LS_TYPE_E2M1X2] = {4, 1, 1, false, false},
    [LS_TYPE_E2M3] = {6, 3, 1, false, false},   [LS_TYPE_E2M3X2] = {6, 3, 1, false, false},
    [LS_TYPE_E3M2] = {6, 2, 3, false, false},   [LS_TYPE_E3M2X2] = {6, 2, 3, false, false},
};

const em_float_format *em_format_of(ls_ptx_type type) {
    return (uint32_t)type < LS_TYPE_COUNT && formats[type].bits ? &formats[type] : NULL;
}

/* 2^exponent, which must be a normal number. */
static double power(int exponent) {
    return em_f64((uint64_t)(exponent + 1023) << 52);
}

double em_small_to_double(ls_ptx_type type, uint64_t bits) {
    const em_float_format *f = em_format_of(type);
    if (!f) return em_f64(bits);
    if (type == LS_TYPE_F32) return (double)em_f32(bits);
    if (type == LS_TYPE_TF32) return (double)em_f32(bits & 0xffffe000u);
    uint32_t exponent_bits = (uint32_t)f->bits - 1 - f->mantissa;
    uint64_t mantissa = em_low_bits(bits, f->mantissa);
    uint32_t top = (1u << exponent_bits) - 1, exponent = (uint32_t)(bits >> f->mantissa) & top;
    double sign = bits >> (f->bits - 1) & 1 ? -1.0 : 1.0;
    if (exponent == top && f->has_inf) return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == top && f->has_nan && mantissa == (UINT64_C(1) << f->mantissa) - 1) return (double)NAN;
    if (!exponent) return sign * ((double)mantissa * power(1 - f->bias - f->mantissa));
    return sign *
           ((double)(mantissa | UINT64_C(1) << f->mantissa) * power((int)exponent - f->bias - f->mantissa));
}

uint64_t em_nan(ls_ptx_type type) {
    switch (type) {
    case LS_TYPE_F64: return UINT64_C(0x7ff8000000000000);
    case LS_TYPE_F32: return 0x7fffffff;
    case LS_TYPE_E4M3:
    case LS_TYPE_E4M3X2:
    case LS_TYPE_E5M2:
    case LS_TYPE_E5M2X2: return 0x7f;
    case LS_TYPE_TF32: return 0x7fffffff;
    default: return 0x7fff; /* f16, bf16 */
    }
}

/* Whether to add one unit to the truncated magnitude. */
static bool rounds_up(uint16_t round, bool negative, bool odd, double rest) { /* 0 ≤ rest < 1 */
    switch (round) {
    case LS_MOD_RZ: return false;
    case LS_MOD_RM: return negative && rest > 0;
    case LS_MOD_RP: return !negative && rest > 0;
    case LS_MOD_RNA: return rest >= 0.5;
    default: return rest > 0.5 || (rest == 0.5 && odd);
    }
}

static uint64_t largest(const em_float_format *f) {
    uint64_t all = (UINT64_C(1) << (f->bits - 1)) - 1; /* exponent and mantissa all ones */
    if (f->has_inf) return all - (UINT64_C(1) << f->mantissa);
    return f->has_nan ? all - 1 : all;
}

uint64_t em_double_to_small(ls_ptx_type type, double x, uint16_t round, bool saturate) {
    const em_float_format *f = em_format_of(type);
    if (!f) return em_bits_f64(x == x ? x : em_f64(em_nan(LS_TYPE_F64)));
    uint32_t shift = type == LS_TYPE_TF32 ? 13 : 0;
    bool negative = signbit(x) != 0;
    uint64_t sign = (uint64_t)negative << (f->bits - 1);
    if (x != x) return f->has_nan ? em_nan(type) : largest(f); /* no NaN: the largest, positive */
    uint64_t infinity = f->has_inf ? largest(f) + 1 : (f->has_nan ? largest(f) + 1 : largest(f));
    if (isinf(x)) return (sign | (saturate ? largest(f) : infinity)) << shift;
    double magnitude = fabs(x);
    int exponent = (int)(em_bits_f64(magnitude) >> 52) - 1023;            /* of the first bit, or less */
    int least = 1 - f->bias - f->mantissa, unit = exponent - f->mantissa; /* exponents of one unit */
    if (unit < least) unit = least;
    double scaled = magnitude * power(-unit);
    uint64_t n = (uint64_t)scaled;
    if (rounds_up(round, negative, n & 1, scaled - (double)n)) n++;
    /* n counts units: subnormal numbers and the carry into the exponent come out by themselves */
    uint64_t result = ((uint64_t)(unit - least) << f->mantissa) + n;
    if (result > largest(f)) {
        bool towards_zero =
            round == LS_MOD_RZ || (round == LS_MOD_RM && !negative) || (round == LS_MOD_RP && negative);
        result = saturate || towards_zero ? largest(f) : infinity;
    }
    return (sign | result) << shift;
}

bool em_is_tiny(ls_ptx_type type, double x, uint16_t round) {
    const em_float_format *f = em_format_of(type);
    double least = power(1 - f->bias);
    if (!(fabs(x) < least)) return false;
    uint64_t scaled = em_double_to_small(type, x * 256, round, false);
    return fabs(em_small_to_double(type, scaled)) < least * 256;
}

double em_add_odd(double a, double b) {
    double s = a + b, t = s - a, error = (a - (s - t)) + (b - t);
    if (!isfinite(s) || error == 0 || error != error) return s;
    uint64_t bits = em_bits_f64(s);
    if (bits & 1) return s;
    return em_f64((error > 0) == (s > 0) ? bits + 1 : bits - 1);
}
