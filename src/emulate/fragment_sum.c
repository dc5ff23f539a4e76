/* How a matrix instruction sums. Integers are exact (wrapped, or clamped by .satfinite). PTX leaves the
 * rounding of floating-point sums open; here it is the tensor core's of sm_90, found by fitting and then held
 * bit for bit against an H200: all products of the instruction (they are exact) and the accumulator are
 * aligned at the largest exponent among them, cut towards zero below 25 fraction bits, and added as integers;
 * the sum is cut towards zero to f32, or rounded to nearest to f16. An exponent here is that of the factors
 * added up, so a product is counted from 1 to below 4. f64 is a chain of fused multiply-adds along k. */
#include "emulate/fragment.h"
#include "emulate/number.h"

#include <math.h>

enum { FRACTION_BITS = 25 };

/* A finite number: mantissa · 2^(exponent − fraction). */
typedef struct {
    int64_t mantissa;
    int32_t exponent, fraction;
    bool finite;
} number;

static number unpack(ls_ptx_type type, uint64_t bits) {
    const em_float_format *f = em_format_of(type);
    uint32_t stored = type == LS_TYPE_TF32 ? 23 : f->mantissa, width = type == LS_TYPE_TF32 ? 32 : f->bits;
    if (type == LS_TYPE_TF32) bits &= 0xffffe000u;
    uint32_t top = (1u << (width - 1 - stored)) - 1, exponent = (uint32_t)(bits >> stored) & top;
    int64_t mantissa = (int64_t)em_low_bits(bits, stored);
    bool all = exponent == top;
    number x = {mantissa, 0, (int32_t)stored, true};
    if (all && (f->has_inf || (f->has_nan && mantissa == (INT64_C(1) << stored) - 1))) x.finite = false;
    if (exponent) x.mantissa |= INT64_C(1) << stored;
    x.exponent = (int32_t)(exponent ? exponent : 1) - f->bias;
    if (bits >> (width - 1) & 1) x.mantissa = -x.mantissa;
    return x;
}

/* With an infinity or a NaN among the terms, only which of them it is matters. */
static double special_sum(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                          uint64_t c) {
    double sum = em_small_to_double((ls_ptx_type)m->c.type, c);
    for (uint32_t k = 0; k < count; k++) {
        double p = em_small_to_double((ls_ptx_type)m->a.type, x[k]) *
                   em_small_to_double((ls_ptx_type)m->b.type, y[k]);
        if (!isfinite(p) || !isfinite(sum)) sum += isfinite(p) ? 0 : p;
    }
    return sum;
}

static int64_t cut(int64_t mantissa, int32_t shift) { /* towards zero, · 2^−shift */
    if (shift <= 0) return (int64_t)((uint64_t)mantissa << (-shift < 63 ? -shift : 63));
    if (shift > 62) return 0;
    return mantissa < 0 ? -(-mantissa >> shift) : mantissa >> shift;
}

static uint64_t dot_float(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                          uint64_t c) {
    ls_ptx_type result = (ls_ptx_type)m->d.type;
    uint16_t round = result == LS_TYPE_F16 ? LS_MOD_RN : LS_MOD_RZ;
    number terms[MATRIX_MAX_TERMS + 1];
    terms[count] = unpack((ls_ptx_type)m->c.type, c);
    bool finite = terms[count].finite;
    int32_t largest = terms[count].mantissa ? terms[count].exponent : INT32_MIN;
    for (uint32_t k = 0; k < count; k++) {
        number a = unpack((ls_ptx_type)m->a.type, x[k]), b = unpack((ls_ptx_type)m->b.type, y[k]);
        terms[k] = (number){a.mantissa * b.mantissa, a.exponent + b.exponent, a.fraction + b.fraction,
                            a.finite && b.finite};
        finite &= terms[k].finite;
        if (terms[k].mantissa && terms[k].exponent > largest) largest = terms[k].exponent;
    }
    if (!finite) return em_double_to_small(result, special_sum(m, x, y, count, c), round, false);
    if (largest == INT32_MIN) return 0;
    int64_t sum = 0;
    int32_t unit = largest - FRACTION_BITS;
    for (uint32_t k = 0; k <= count; k++)
        sum += terms[k].mantissa ? cut(terms[k].mantissa, unit - (terms[k].exponent - terms[k].fraction)) : 0;
    uint64_t bits = em_double_to_small(result, ldexp((double)sum, unit), round, false);
    uint64_t most = result == LS_TYPE_F16 ? 0x7c00 : 0x7f800000; /* what is too large is infinite, not cut */
    if (result == LS_TYPE_F32 && fabs(ldexp((double)sum, unit)) >= 0x1p128)
        return most | (sum < 0 ? 1u << 31 : 0);
    return bits;
}

static uint64_t dot_double(const uint64_t *x, const uint64_t *y, uint32_t count, uint64_t c) {
    double sum = em_f64(c);
    for (uint32_t k = 0; k < count; k++) sum = fma(em_f64(x[k]), em_f64(y[k]), sum);
    return sum == sum ? em_bits_f64(sum) : em_nan(LS_TYPE_F64);
}

static int64_t integer(const fragment *f, uint64_t bits) {
    return em_is_signed((ls_ptx_type)f->type) ? em_sign_extend(bits, f->bits) : (int64_t)bits;
}

static uint64_t dot_integer(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                            uint64_t c) {
    int64_t sum = (int32_t)c;
    for (uint32_t k = 0; k < count; k++) sum += integer(&m->a, x[k]) * integer(&m->b, y[k]);
    if (m->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* b1: 32 elements of a row or column come as one word. */
static uint64_t dot_bits(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                         uint64_t c) {
    uint32_t sum = (uint32_t)c;
    for (uint32_t k = 0; k < count; k++)
        sum += (uint32_t)__builtin_popcountll(m->bit_op == LS_MOD_AND ? x[k] & y[k] : x[k] ^ y[k]);
    return sum;
}

uint64_t em_matrix_dot(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                       uint64_t c) {
    switch (m->a.type) {
    case LS_TYPE_F64: return dot_double(x, y, count, c);
    case LS_TYPE_B1: return dot_bits(m, x, y, count, c);
    default:
        return em_is_float((ls_ptx_type)m->a.type) ? dot_float(m, x, y, count, c)
                                                   : dot_integer(m, x, y, count, c);
    }
}
