/* Floating-point instructions of one lane: f32 and f64 in all rounding modes (the processor's own, so this
 * file is compiled with -frounding-math), f16 and bf16 through double with one exact rounding, and the
 * approximate functions, which are computed to more than the documented accuracy. */
#include "isa/functions.h"
#include "isa/number.h"

#include <fenv.h>
#include <math.h>

static int host_round(uint16_t round) {
    switch (round) {
    case LS_MOD_RZ: return FE_TOWARDZERO;
    case LS_MOD_RM: return FE_DOWNWARD;
    case LS_MOD_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

static float flush(const ls_isa *x, float f) {
    return x->ftz && fabsf(f) < 0x1p-126f ? copysignf(0.0f, f) : f;
}

static uint64_t result32(const ls_isa *x, float f) {
    f = flush(x, f);
    if (x->sat) f = f > 0 ? (f < 1 ? f : 1.0f) : 0.0f; /* NaN is 0 */
    return f == f ? em_bits_f32(f) : em_nan(LS_TYPE_F32);
}

/* What follows from a result f, and from that of the same operation with its operands scaled up by SCALE: a
 * result is subnormal if it is after rounding to 24 bits, as if there were no smallest exponent (measured on
 * a GPU). Where scaling overflows the result is not small, and `scaled` says nothing. */
#define SCALE 0x1p32f
static uint64_t settled32(const ls_isa *x, float f, float scaled) {
    bool tiny = fabsf(f) <= 0x1p-126f && fabsf(scaled) < 0x1p-126f * SCALE;
    return result32(x, x->ftz && tiny ? copysignf(0.0f, f) : f);
}

static uint64_t result64(double f) {
    return em_bits_f64(f); /* NaNs as the processor has them */
}

/* --- add, sub, mul, div: x->op is the opcode --- */
static float binary32(uint16_t op, volatile float a, volatile float b) {
    switch (op) {
    case LS_OP_ADD: return a + b;
    case LS_OP_SUB: return a - b;
    case LS_OP_MUL: return a * b;
    default: return a / b;
    }
}

/* Sums are exact where they are small. */
static uint64_t binary_result(const ls_isa *x, float a, float b) {
    float f = binary32(x->op, a, b);
    bool is_sum = x->op == LS_OP_ADD || x->op == LS_OP_SUB;
    return is_sum ? result32(x, f) : settled32(x, f, binary32(x->op, a * SCALE, b));
}

static double binary64(uint16_t op, volatile double a, volatile double b) {
    switch (op) {
    case LS_OP_ADD: return a + b;
    case LS_OP_SUB: return a - b;
    case LS_OP_MUL: return a * b;
    default: return a / b;
    }
}

uint64_t isa_float_binary(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    int mode = host_round(x->round);
    if (mode != FE_TONEAREST) fesetround(mode);
    uint64_t r;
    if (x->type[0] == LS_TYPE_F64)
        r = result64(binary64(x->op, em_f64(s[0]), em_f64(s[1])));
    else
        r = binary_result(x, flush(x, em_f32(s[0])), flush(x, em_f32(s[1])));
    if (mode != FE_TONEAREST) fesetround(FE_TONEAREST);
    return r;
}

/* Approximate divisions are products with the reciprocal. div.full scales its operands so that it is in
 * range; div.approx gives 0 for 2^126 < |b| < 2^128 (and NaN for an infinite a). */
static float by_reciprocal(const ls_isa *x, volatile float a, volatile float b) {
    float size = fabsf(b), s = x->full && size > 0x1p126f ? 0.25f : size < 0x1p-126f ? 0x1p24f : 1.0f;
    volatile float reciprocal = 1.0f / (b * s);
    if (x->approx && fabsf(reciprocal) < 0x1p-126f) reciprocal = copysignf(0.0f, reciprocal);
    return a * s * reciprocal;
}

uint64_t isa_float_div(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    float a = flush(x, em_f32(s[0])), b = flush(x, em_f32(s[1]));
    return settled32(x, by_reciprocal(x, a, b), by_reciprocal(x, a * SCALE, b));
}

uint64_t isa_float_fma(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    int mode = host_round(x->round);
    if (mode != FE_TONEAREST) fesetround(mode);
    uint64_t r;
    if (x->type[0] == LS_TYPE_F64) {
        volatile double a = em_f64(s[0]), b = em_f64(s[1]), c = em_f64(s[2]);
        r = result64(fma(a, b, c));
    } else {
        volatile float a = flush(x, em_f32(s[0])), b = flush(x, em_f32(s[1])), c = flush(x, em_f32(s[2]));
        volatile float up = a * SCALE, c_up = c * SCALE;
        r = settled32(x, fmaf(a, b, c), fmaf(up, b, c_up));
    }
    if (mode != FE_TONEAREST) fesetround(FE_TONEAREST);
    return r;
}

uint64_t isa_f32x2(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    ls_isa one = *x;
    one.type[0] = LS_TYPE_F32;
    uint64_t low[3] = {(uint32_t)s[0], (uint32_t)s[1], (uint32_t)s[2]};
    uint64_t high[3] = {s[0] >> 32, s[1] >> 32, s[2] >> 32};
    ls_isa_fn fn = x->op == LS_OP_FMA ? isa_float_fma : isa_float_binary;
    return fn(&one, low, second) | fn(&one, high, second) << 32;
}

/* add.f32.f16 d, a, c and fma.f32.bf16 d, a, b, c: the operands of the second type are widened, exactly. */
uint64_t isa_mixed(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    ls_ptx_type half = (ls_ptx_type)x->type[1];
    bool fused = x->op == LS_OP_FMA;
    uint64_t wide[3] = {s[0], s[1], fused ? s[2] : 0};
    for (uint32_t k = 0; k < (fused ? 2u : 1u); k++)
        wide[k] = em_bits_f32((float)em_small_to_double(half, s[k] & 0xffff));
    return (fused ? isa_float_fma : isa_float_binary)(x, wide, second);
}

/* --- One operand --- */
static double tan_h(double v) {
    return tanh(v);
}

/* The function in double, for the approximate forms: rounding it gives less error than is documented. */
static double function(uint16_t op, double v) {
    switch (op) {
    case LS_OP_RCP: return 1.0 / v;
    case LS_OP_SQRT: return sqrt(v);
    case LS_OP_RSQRT: return 1.0 / sqrt(v);
    case LS_OP_SIN: return isinf(v) ? (double)NAN : sin(v);
    case LS_OP_COS: return isinf(v) ? (double)NAN : cos(v);
    case LS_OP_LG2: return log2(v);
    case LS_OP_EX2: return exp2(v);
    default: return tan_h(v);
    }
}

static uint64_t rounded32(const ls_isa *x, float a) {
    volatile float v = a;
    fesetround(host_round(x->round));
    uint64_t bits = x->op == LS_OP_SQRT ? result32(x, sqrtf(v)) : settled32(x, 1.0f / v, SCALE / v);
    fesetround(FE_TONEAREST);
    return bits;
}

uint64_t isa_float_unary(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    if (x->type[0] == LS_TYPE_F64) {
        volatile double v = em_f64(s[0]);
        if (x->approx && x->ftz) { /* rcp.approx.ftz.f64: the high word only */
            double r = function(x->op, em_f64(s[0] & UINT64_C(0xffffffff00000000)));
            return result64(r) & UINT64_C(0xffffffff00000000);
        }
        fesetround(host_round(x->round));
        double r = x->op == LS_OP_SQRT ? sqrt(v) : x->op == LS_OP_RCP ? 1.0 / v : 1.0 / sqrt(v);
        uint64_t bits = result64(r);
        fesetround(FE_TONEAREST);
        return bits;
    }
    float a = flush(x, em_f32(s[0]));
    if (!x->approx && (x->op == LS_OP_SQRT || x->op == LS_OP_RCP)) return rounded32(x, a);
    return result32(x, (float)function(x->op, (double)a));
}

/* --- min, max --- */
/* A NaN is no number unless .NaN is given; -0 < +0. */
static double min_max(const ls_isa *x, double a, double b) {
    bool max = x->op == LS_OP_MAX;
    bool nan_a = a != a, nan_b = b != b;
    if ((nan_a && nan_b) || (x->nan && (nan_a || nan_b))) return (double)NAN;
    if (nan_a) return b;
    if (nan_b) return a;
    double r;
    if (a == b)
        r = signbit(a) ? (max ? b : a) : (max ? a : b);
    else
        r = (a < b) != max ? a : b;
    return r;
}

static uint64_t min_max_bits(const ls_isa *x, ls_ptx_type type, const uint64_t *s, uint32_t shift) {
    double v[3];
    uint32_t bits = ls_ptx_type_bits(type), n = x->src_count < 3 ? 2 : 3;
    uint64_t sign = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t one = em_low_bits(s[k] >> shift, bits);
        v[k] = em_small_to_double(type, one);
        double tiny = type == LS_TYPE_F32 ? 0x1p-126 : 0x1p-14;
        if (x->ftz && type != LS_TYPE_F64 && fabs(v[k]) < tiny) v[k] = copysign(0.0, v[k]);
        sign ^= one >> (bits - 1) & 1;
    }
    if (x->xorsign)
        for (uint32_t k = 0; k < n; k++) v[k] = fabs(v[k]);
    double r = min_max(x, v[0], v[1]);
    if (n == 3) r = min_max(x, r, v[2]);
    if (x->relu && r < 0) r = 0.0;
    if (r != r) return em_nan(type);
    if (x->xorsign) r = sign ? -r : r;
    return em_double_to_small(type, r, LS_MOD_RN, false);
}

uint64_t isa_float_minmax(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    ls_ptx_type t = x->type[0];
    if (t == LS_TYPE_F16X2 || t == LS_TYPE_BF16X2) {
        ls_ptx_type half = t == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
        return min_max_bits(x, half, s, 0) | min_max_bits(x, half, s, 16) << 16;
    }
    return min_max_bits(x, t, s, 0);
}

/* abs, neg: bit operations, after flushing. */
uint64_t isa_float_sign(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    uint64_t v = x->type[0] == LS_TYPE_F32 ? em_bits_f32(flush(x, em_f32(s[0]))) : s[0];
    uint64_t sign = UINT64_C(1) << (ls_ptx_type_bits(x->type[0]) - 1);
    if (x->type[0] == LS_TYPE_F32 && em_f32(v) != em_f32(v)) return em_nan(LS_TYPE_F32);
    if (x->type[0] == LS_TYPE_F64 && em_f64(v) != em_f64(v) && x->op == LS_OP_NEG)
        return v | UINT64_C(1) << 51;
    return x->op == LS_OP_NEG ? v ^ sign : v & ~sign;
}

/* --- f16 and bf16 --- */
static double half_operation(const ls_isa *x, const double *v) {
    switch (x->op) {
    case LS_OP_ADD: return em_add_odd(v[0], v[1]);
    case LS_OP_SUB: return em_add_odd(v[0], -v[1]);
    case LS_OP_MUL: return v[0] * v[1];
    case LS_OP_FMA: return em_add_odd(v[0] * v[1], v[2]);
    case LS_OP_EX2: return exp2(v[0]);
    default: return tanh(v[0]);
    }
}

/* What tensor copies fill in for elements that are outside of the tensor. */
static bool is_out_of_bounds(uint64_t bits) {
    return (bits & 0x7fff) == 0x7ff7;
}

static uint64_t half_one(const ls_isa *x, ls_ptx_type type, const uint64_t *s, uint32_t shift) {
    double v[3];
    bool f16 = type == LS_TYPE_F16;
    if (x->op == LS_OP_NEG || x->op == LS_OP_ABS) {
        uint64_t one = s[0] >> shift & 0xffff;
        double a = em_small_to_double(type, one);
        if (x->ftz && f16 && fabs(a) < 0x1p-14) one &= 0x8000;
        if (a != a) return em_nan(type);
        return x->op == LS_OP_NEG ? one ^ 0x8000 : one & 0x7fff;
    }
    if (x->oob && (is_out_of_bounds(s[0] >> shift) || is_out_of_bounds(s[1] >> shift))) return 0;
    for (uint32_t k = 0; k < x->src_count && k < 3; k++) {
        v[k] = em_small_to_double(type, s[k] >> shift & 0xffff);
        if (x->ftz && f16 && fabs(v[k]) < 0x1p-14) v[k] = copysign(0.0, v[k]);
    }
    double r = half_operation(x, v);
    uint64_t bits = em_double_to_small(type, r, LS_MOD_RN, false);
    if (x->ftz && f16 && em_is_tiny(type, r, LS_MOD_RN)) bits &= 0x8000;
    double back = em_small_to_double(type, bits);
    if (x->sat) bits = !(back > 0) ? 0 : back >= 1 ? (f16 ? 0x3c00u : 0x3f80u) : bits;
    if (x->relu) bits = back != back ? em_nan(type) : bits & 0x8000 ? 0 : bits;
    return bits;
}

uint64_t isa_half(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    ls_ptx_type t = x->type[0];
    if (t == LS_TYPE_F16X2 || t == LS_TYPE_BF16X2) {
        ls_ptx_type half = t == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
        return half_one(x, half, s, 0) | half_one(x, half, s, 16) << 16;
    }
    return half_one(x, t, s, 0);
}

/* --- Tests --- */
uint64_t isa_testp(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    double v = em_small_to_double(x->type[0], s[0]);
    double tiny = x->type[0] == LS_TYPE_F64 ? 0x1p-1022 : 0x1p-126;
    switch (x->mode) {
    case LS_MOD_FINITE: return isfinite(v) != 0;
    case LS_MOD_INFINITE: return isinf(v) != 0;
    case LS_MOD_NUMBER: return v == v;
    case LS_MOD_NOTANUMBER: return v != v;
    case LS_MOD_NORMAL: return isfinite(v) && (fabs(v) >= tiny || v == 0);
    default: return v != 0 && fabs(v) < tiny;
    }
}

uint64_t isa_copysign(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    uint32_t bits = ls_ptx_type_bits(x->type[0]);
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (s[0] & sign) | em_low_bits(s[1] & ~sign, bits);
}
