/* How a matrix instruction sums. Integers are exact (wrapped, or clamped by .satfinite). PTX leaves the order
 * and rounding of floating-point sums open; here they are those of sm_90, fitted to and then held bit for bit
 * against an H200. The tensor core takes 16 products at a time (they are exact) and the accumulator, aligns
 * them at the largest exponent among them, or at -133 if they are all smaller, cuts them towards zero below
 * 25 fraction bits, and adds them as integers; the sum is cut towards zero to f32, or rounded to nearest to
 * f16; a sum that becomes zero is +0. An exponent here is that of the factors added up, so a product is
 * counted from 1 to below 4. wmma with tf32 takes 4 products at a time. f64 is a chain of fused multiply-adds
 * along k. NaNs are canonical. wgmma takes all products of its k at a time; with 8-bit floats it keeps 13
 * fraction bits, also of an f32 result. */
#include "emulate/matrix/fragment.h"
#include "isa/number.h"

#include <math.h>

enum { FRACTION_BITS = 25, LOWEST_EXPONENT = -133 };

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
static double special_sum(const product_info *m, ls_ptx_type from, const uint64_t *x, const uint64_t *y,
                          uint32_t count, uint64_t c) {
    double sum = em_small_to_double(from, c);
    for (uint32_t k = 0; k < count; k++) {
        double p = em_small_to_double((ls_ptx_type)m->a.of.type, x[k]) *
                   em_small_to_double((ls_ptx_type)m->b.of.type, y[k]);
        if (!isfinite(p) || !isfinite(sum)) sum += isfinite(p) ? 0 : p;
    }
    return sum;
}

static int64_t cut(int64_t mantissa, int32_t shift) { /* towards zero, · 2^−shift */
    if (shift <= 0) return (int64_t)((uint64_t)mantissa << (-shift < 63 ? -shift : 63));
    if (shift > 62) return 0;
    return mantissa < 0 ? -(-mantissa >> shift) : mantissa >> shift;
}

/* One step: the products of x and y, and c. */
static uint64_t step(const product_info *m, ls_ptx_type from, ls_ptx_type to, const uint64_t *x,
                     const uint64_t *y, uint32_t count, uint64_t c) {
    uint16_t round = to == LS_TYPE_F16 ? LS_MOD_RN : LS_MOD_RZ;
    number terms[MATRIX_MAX_TERMS + 1];
    terms[count] = unpack(from, c);
    bool finite = terms[count].finite;
    int32_t largest = terms[count].mantissa ? terms[count].exponent : INT32_MIN;
    for (uint32_t k = 0; k < count; k++) {
        number a = unpack((ls_ptx_type)m->a.of.type, x[k]), b = unpack((ls_ptx_type)m->b.of.type, y[k]);
        terms[k] = (number){a.mantissa * b.mantissa, a.exponent + b.exponent, a.fraction + b.fraction,
                            a.finite && b.finite};
        finite &= terms[k].finite;
        if (terms[k].mantissa && terms[k].exponent > largest) largest = terms[k].exponent;
    }
    if (!finite) return em_double_to_small(to, special_sum(m, from, x, y, count, c), round, false);
    if (largest == INT32_MIN) return 0;
    if (largest < LOWEST_EXPONENT) largest = LOWEST_EXPONENT;
    int64_t sum = 0;
    int32_t unit = largest - (m->fraction ? m->fraction : FRACTION_BITS);
    for (uint32_t k = 0; k <= count; k++)
        sum += terms[k].mantissa ? cut(terms[k].mantissa, unit - (terms[k].exponent - terms[k].fraction)) : 0;
    double exact = ldexp((double)sum, unit);
    if (to == LS_TYPE_F32 && fabs(exact) >= 0x1p128)
        exact = copysign((double)INFINITY, exact); /* is not cut */
    uint64_t rounded = em_double_to_small(to, exact, round, false);
    if (m->fraction && to == LS_TYPE_F32) rounded &= ~((UINT64_C(1) << (23 - m->fraction)) - 1);
    return em_small_to_double(to, rounded) == 0 ? 0 : rounded;
}

static uint64_t dot_float(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                          uint64_t c) {
    ls_ptx_type to = (ls_ptx_type)m->d.of.type, sum = (ls_ptx_type)m->c.of.type;
    uint32_t at = 0;
    if (m->c.of.type != m->d.of.type ||
        count > m->step) { /* steps before the last give f32, and f32 is rounded again */
        for (; at < count; at += m->step) {
            c = step(m, sum, LS_TYPE_F32, x + at, y + at, count - at < m->step ? count - at : m->step, c);
            sum = LS_TYPE_F32;
        }
        return to == LS_TYPE_F32 ? c : em_double_to_small(to, (double)em_f32(c), LS_MOD_RN, false);
    }
    return step(m, sum, to, x, y, count, c);
}

/* sm_90 has no unit for these two. Fused multiply-adds of f32 for m8n8k4 of f16, the other way round where
 * the result is f16 … */
static uint64_t dot_quads(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                          uint64_t c) {
    float sum = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t k = m->d.of.type == LS_TYPE_F16 ? count - 1 - n : n;
        float a = (float)em_small_to_double(LS_TYPE_F16, x[k]),
              b = (float)em_small_to_double(LS_TYPE_F16, y[k]);
        sum = n ? fmaf(a, b, sum) : a * b;
    }
    sum += (float)em_small_to_double((ls_ptx_type)m->c.of.type, c);
    return em_double_to_small((ls_ptx_type)m->d.of.type, (double)sum, LS_MOD_RN, false);
}

/* … and for 8-bit floats the unit of f16: first the lower halves of all registers, then the upper ones, then
 * the accumulator is added and rounded to nearest. */
static uint64_t dot_small(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                          uint64_t c) {
    uint64_t half[2][2][MATRIX_MAX_TERMS], sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        half[k / 2 % 2][0][k / 4 * 2 + k % 2] = x[k];
        half[k / 2 % 2][1][k / 4 * 2 + k % 2] = y[k];
    }
    for (uint32_t h = 0; h < 2; h++)
        sum = step(m, LS_TYPE_F32, LS_TYPE_F32, half[h][0], half[h][1], count / 2, sum);
    float all = em_f32(sum) + (float)em_small_to_double((ls_ptx_type)m->c.of.type, c);
    return em_double_to_small((ls_ptx_type)m->d.of.type, (double)all, LS_MOD_RN, false);
}

static uint64_t dot_double(const uint64_t *x, const uint64_t *y, uint32_t count, uint64_t c) {
    double sum = em_f64(c);
    for (uint32_t k = 0; k < count; k++) sum = fma(em_f64(x[k]), em_f64(y[k]), sum);
    return sum == sum ? em_bits_f64(sum) : em_nan(LS_TYPE_F64);
}

static int64_t integer(const fragment *f, uint64_t bits) {
    return em_is_signed((ls_ptx_type)f->of.type) ? em_sign_extend(bits, f->of.bits) : (int64_t)bits;
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
    switch (m->a.of.type) {
    case LS_TYPE_F64: return dot_double(x, y, count, c);
    case LS_TYPE_B1: return dot_bits(m, x, y, count, c);
    case LS_TYPE_F16: return m->a.of.quads ? dot_quads(m, x, y, count, c) : dot_float(m, x, y, count, c);
    case LS_TYPE_E4M3:
    case LS_TYPE_E5M2: return m->wide ? dot_float(m, x, y, count, c) : dot_small(m, x, y, count, c);
    default:
        return em_is_float((ls_ptx_type)m->a.of.type) ? dot_float(m, x, y, count, c)
                                                      : dot_integer(m, x, y, count, c);
    }
}
