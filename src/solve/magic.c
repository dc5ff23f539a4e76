/* Division by constants as compilers write it (Granlund and Montgomery, "Division by invariant integers using
 * multiplication", PLDI 1994): x / d is the upper half of x · M for a reciprocal M of d, shifted further,
 * with one added where x is negative. A solver does not see the division in that; here it is put back. With
 * e = M·d - 2^n, and -2^n ≤ x·e < 2^n for all x, floor(x·M / 2^n) is x / d for x ≥ 0, and x / d - 1 for x < 0
 * where the division truncates. That is checked against the range of x, so that nothing is taken on trust. */
#include "solve/magic.h"

typedef __int128 wide;

static wide magnitude(const ls_term *x) {
    wide lo = -(wide)x->slo, hi = x->shi;
    return lo > hi ? lo : hi;
}

static uint64_t absolute(uint64_t coefficient) {
    return (int64_t)coefficient < 0 ? 0 - coefficient : coefficient;
}

/* What all parts of the product are multiples of. */
static uint64_t common_factor(const ls_term *product) {
    uint64_t g = absolute(product->value);
    for (uint32_t i = 0; i < product->count; i++) g = ls_common_divisor(g, absolute(product->coefs[i]));
    return g;
}

static uint64_t divided(uint64_t coefficient, uint64_t by) {
    return (uint64_t)((int64_t)coefficient / (int64_t)by);
}

static const ls_term *divide_sum(ls_terms *ctx, const ls_term *product, uint64_t by) {
    const ls_term *x = ls_const(ctx, product->width, divided(product->value, by));
    for (uint32_t i = 0; i < product->count; i++)
        x = ls_add(ctx, x, ls_scale(ctx, product->args[i], divided(product->coefs[i], by)));
    return x;
}

typedef struct {
    const ls_term *x; /* 64 bits; the product is x · factor, and does not wrap */
    uint64_t factor, divisor;
} division;

static bool is_product(const ls_term *t) {
    return t->op == LS_T_LIN && t->width == 64 && t->count && t->count <= 4;
}

/* x · factor for some factor that is a reciprocal, where the product is shifted by n in all; n 0: any. */
static bool find_division(ls_terms *ctx, const ls_term *product, uint32_t n, division *out) {
    if (!is_product(product) || n > 62) return false;
    for (uint64_t m = common_factor(product); m > 2; m /= 2) {
        const ls_term *x = divide_sum(ctx, product, m);
        wide most = magnitude(x), one = (wide)1 << n, d = (one + m - 1) / m, e = d * m - one;
        bool fits = m <= UINT64_C(1) << 32 && most < (wide)1 << 32 && most * m < (wide)1 << 63;
        if (fits && x->slo < 0) fits = most <= (wide)1 << 31;
        bool reciprocal =
            !n || (d > 1 && d < (wide)1 << 31 && e > 0 && x->shi * e < one && x->slo * e >= -one);
        *out = (division){x, m, (uint64_t)d};
        if (fits && reciprocal) return true;
        if (m & 1) break;
    }
    return false;
}

static const ls_term *sign_of(ls_terms *ctx, const ls_term *x) {
    return ls_binary(ctx, LS_T_UDIV, x, ls_const(ctx, x->width, UINT64_C(1) << (x->width - 1)));
}

/* The quotient, less one where x is negative, in 32 bits. */
static const ls_term *quotient(ls_terms *ctx, const division *by) {
    const ls_term *x = ls_extract(ctx, by->x, 0, 32), *d = ls_const(ctx, 32, by->divisor);
    if (by->x->slo >= 0) return ls_binary(ctx, LS_T_UDIV, x, d);
    return ls_sub(ctx, ls_binary(ctx, LS_T_SDIV, x, d), sign_of(ctx, x));
}

const ls_term *ls_quotient_of_high(ls_terms *ctx, const ls_term *product) {
    division by;
    return find_division(ctx, product, 32, &by) ? quotient(ctx, &by) : NULL;
}

static bool is_high(const ls_term *t) {
    return t->op == LS_T_EXTRACT && t->width == 32 && t->value == 32 && is_product(t->args[0]);
}

/* The product of which the term is the upper half: as such, or with x added where its factor has 33 bits. */
static const ls_term *product_of(ls_terms *ctx, const ls_term *a) {
    if (is_high(a)) return a->args[0];
    if (a->op != LS_T_LIN || a->width != 32) return NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!is_high(a->args[i]) || a->coefs[i] != 1) continue;
        const ls_term *x = ls_resize(ctx, ls_sub(ctx, a, a->args[i]), 64, true);
        return ls_add(ctx, a->args[i]->args[0], ls_scale(ctx, x, UINT64_C(1) << 32));
    }
    return NULL;
}

/* The sign of a quotient that is less by one where x is negative: x's. */
static const ls_term *sign_of_quotient(ls_terms *ctx, const ls_term *a) {
    if (a->op != LS_T_LIN || a->count != 2 || a->value) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const ls_term *q = a->args[i];
        bool fits = q->op == LS_T_SDIV && a->coefs[i] == 1 && ls_is_const(q->args[1]) &&
                    ls_signed(q->args[1]->value, q->width) > 1 && a->coefs[1 - i] == ls_mask(a->width);
        if (fits && a->args[1 - i] == sign_of(ctx, q->args[0])) return a->args[1 - i];
    }
    return NULL;
}

const ls_term *ls_quotient_of_shift(ls_terms *ctx, const ls_term *a, uint64_t shift, bool arithmetic) {
    division by;
    if (a->width == 64 && !arithmetic && shift >= 32 && find_division(ctx, a, (uint32_t)shift, &by) &&
        by.x->slo >= 0)
        return ls_zext(ctx, quotient(ctx, &by), 64);
    if (a->width != 32 || shift > 31) return NULL;
    if (shift == 31 && !arithmetic) {
        const ls_term *sign = sign_of_quotient(ctx, a), *product = sign ? NULL : product_of(ctx, a);
        if (product && find_division(ctx, product, 0, &by) && by.x->slo < 0)
            sign = sign_of(ctx, ls_extract(ctx, by.x, 0, 32));
        return sign;
    }
    const ls_term *product = product_of(ctx, a);
    if (!product || !find_division(ctx, product, 32 + (uint32_t)shift, &by)) return NULL;
    return arithmetic || by.x->slo >= 0 ? quotient(ctx, &by) : NULL;
}
