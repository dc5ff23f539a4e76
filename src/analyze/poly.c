/* Arithmetic of shapes (003 §3.4): polynomials of degree up to two in threadIdx.x, .y, .z and the lane, whose
 * coefficients are residues, that is, 003's constants and ⊥ with what is known of ⊥ modulo a number. The
 * paper has one identifier and calls a value divergent where its highest coefficient is ⊥; here divergence is
 * a state of its own, so that ⊥·T is an affine value of unknown slope also in degree one. */
#include "analyze/poly.h"

#include <stdio.h>
#include <string.h>

#define SECOND(id, first, second) {first, second},
static const int8_t factors[LS_MONO_COUNT][2] = {LS_MONOMIALS(SECOND)};
#undef SECOND

ls_shape ls_poly_divergent(void) {
    return (ls_shape){.kind = LS_SHAPE_DIVERGENT};
}

ls_shape ls_poly_constant(int64_t n) {
    return (ls_shape){.kind = LS_SHAPE_POLY, .constant = {n, 0}, .nonnegative = n >= 0};
}

ls_shape ls_poly_uniform(ls_residue constant) {
    return (ls_shape){.kind = LS_SHAPE_POLY, .constant = constant};
}

ls_shape ls_poly_identifier(ls_identifier identifier) {
    return (ls_shape){.kind = LS_SHAPE_POLY,
                      .term_count = 1,
                      .monomials = {(uint8_t)identifier},
                      .coefficients = {{1, 0}},
                      .nonnegative = true};
}

bool ls_poly_equal(const ls_shape *a, const ls_shape *b) {
    if (a->kind != b->kind || a->term_count != b->term_count || a->warp_only != b->warp_only ||
        a->nonnegative != b->nonnegative)
        return false;
    if (a->kind != LS_SHAPE_POLY) return true;
    if (!ls_residue_equal(a->constant, b->constant)) return false;
    for (uint32_t i = 0; i < a->term_count; i++)
        if (a->monomials[i] != b->monomials[i] || !ls_residue_equal(a->coefficients[i], b->coefficients[i]))
            return false;
    return true;
}

bool ls_poly_exact(const ls_shape *a) {
    if (a->kind != LS_SHAPE_POLY || a->constant.modulus) return false;
    for (uint32_t i = 0; i < a->term_count; i++)
        if (a->coefficients[i].modulus) return false;
    return true;
}

/* Adds a term, keeping them in order; false where there is no room. */
static bool put_term(ls_shape *sum, uint32_t monomial, ls_residue coefficient) {
    uint32_t at = 0;
    while (at < sum->term_count && sum->monomials[at] < monomial) at++;
    if (at < sum->term_count && sum->monomials[at] == monomial) {
        sum->coefficients[at] = ls_residue_add(sum->coefficients[at], coefficient);
        if (!ls_residue_is(sum->coefficients[at], 0)) return true;
        sum->term_count--;
        for (; at < sum->term_count; at++) {
            sum->monomials[at] = sum->monomials[at + 1];
            sum->coefficients[at] = sum->coefficients[at + 1];
        }
        return true;
    }
    if (ls_residue_is(coefficient, 0)) return true;
    if (sum->term_count == LS_SHAPE_TERMS) return false;
    for (uint32_t i = sum->term_count; i > at; i--) {
        sum->monomials[i] = sum->monomials[i - 1];
        sum->coefficients[i] = sum->coefficients[i - 1];
    }
    sum->monomials[at] = (uint8_t)monomial;
    sum->coefficients[at] = coefficient;
    sum->term_count++;
    return true;
}

static ls_residue coefficient_of(const ls_shape *a, uint32_t monomial) {
    for (uint32_t i = 0; i < a->term_count; i++)
        if (a->monomials[i] == monomial) return a->coefficients[i];
    return ls_residue_constant(0);
}

ls_shape ls_poly_join(const ls_shape *a, const ls_shape *b) {
    if (a->kind == LS_SHAPE_UNSEEN) return *b;
    if (b->kind == LS_SHAPE_UNSEEN) return *a;
    if (a->kind == LS_SHAPE_DIVERGENT || b->kind == LS_SHAPE_DIVERGENT) return ls_poly_divergent();
    ls_shape joined = {.kind = LS_SHAPE_POLY,
                       .warp_only = a->warp_only | b->warp_only,
                       .nonnegative = a->nonnegative & b->nonnegative,
                       .constant = ls_residue_join(a->constant, b->constant)};
    for (uint32_t i = 0; i < a->term_count; i++) {
        uint32_t monomial = a->monomials[i];
        ls_residue both = ls_residue_join(a->coefficients[i], coefficient_of(b, monomial));
        if (!put_term(&joined, monomial, both)) return ls_poly_divergent();
    }
    for (uint32_t i = 0; i < b->term_count; i++) {
        uint32_t monomial = b->monomials[i];
        if (!ls_residue_is(coefficient_of(a, monomial), 0)) continue;
        ls_residue both = ls_residue_join(b->coefficients[i], ls_residue_constant(0));
        if (!put_term(&joined, monomial, both)) return ls_poly_divergent();
    }
    return joined;
}

ls_shape ls_poly_add(const ls_shape *a, const ls_shape *b) {
    if (a->kind != LS_SHAPE_POLY || b->kind != LS_SHAPE_POLY) return ls_poly_divergent();
    ls_shape sum = *a;
    sum.warp_only |= b->warp_only;
    sum.nonnegative &= b->nonnegative;
    sum.constant = ls_residue_add(a->constant, b->constant);
    for (uint32_t i = 0; i < b->term_count; i++)
        if (!put_term(&sum, b->monomials[i], b->coefficients[i])) return ls_poly_divergent();
    return sum;
}

ls_shape ls_poly_negate(const ls_shape *a) {
    ls_shape result = *a;
    result.nonnegative = false;
    result.constant = ls_residue_negate(a->constant);
    for (uint32_t i = 0; i < a->term_count; i++)
        result.coefficients[i] = ls_residue_negate(a->coefficients[i]);
    return result;
}

/* The monomial of a product of two of degree one. */
static uint32_t product_of(uint32_t a, uint32_t b) {
    for (uint32_t m = LS_MONO_XX; m < LS_MONO_COUNT; m++)
        if ((factors[m][0] == (int)a && factors[m][1] == (int)b) ||
            (factors[m][0] == (int)b && factors[m][1] == (int)a))
            return m;
    return LS_MONO_COUNT;
}

static bool multiply_terms(ls_shape *product, const ls_shape *a, const ls_shape *b, uint32_t degree) {
    for (uint32_t i = 0; i < a->term_count; i++)
        for (uint32_t k = 0; k < b->term_count; k++) {
            if (degree < 2 || a->monomials[i] >= LS_MONO_XX || b->monomials[k] >= LS_MONO_XX) return false;
            ls_residue coefficient = ls_residue_multiply(a->coefficients[i], b->coefficients[k]);
            if (!put_term(product, product_of(a->monomials[i], b->monomials[k]), coefficient)) return false;
        }
    return true;
}

static bool multiply_by(ls_shape *product, const ls_shape *a, ls_residue factor) {
    for (uint32_t i = 0; i < a->term_count; i++)
        if (!put_term(product, a->monomials[i], ls_residue_multiply(a->coefficients[i], factor)))
            return false;
    return true;
}

ls_shape ls_poly_multiply(const ls_shape *a, const ls_shape *b, uint32_t degree) {
    if (ls_poly_is_constant(a) && !a->constant.rest) return *a;
    if (ls_poly_is_constant(b) && !b->constant.rest) return *b;
    if (a->kind != LS_SHAPE_POLY || b->kind != LS_SHAPE_POLY) return ls_poly_divergent();
    ls_shape product = {.kind = LS_SHAPE_POLY,
                        .warp_only = a->warp_only | b->warp_only,
                        .nonnegative = a->nonnegative & b->nonnegative,
                        .constant = ls_residue_multiply(a->constant, b->constant)};
    if (!multiply_by(&product, a, b->constant) || !multiply_by(&product, b, a->constant) ||
        !multiply_terms(&product, a, b, degree))
        return ls_poly_divergent();
    return product;
}

uint64_t ls_poly_power(const ls_shape *a) {
    if (a->kind != LS_SHAPE_POLY) return 1;
    uint64_t power = ls_residue_power(a->constant);
    for (uint32_t i = 0; i < a->term_count; i++) {
        uint64_t of_term = ls_residue_power(a->coefficients[i]);
        if (of_term < power) power = of_term;
    }
    return power;
}

/* --- Printing ----------------------------------------------------------------------------------------------
 */

static size_t put(char *out, size_t size, size_t at, const char *text) {
    int length = at < size ? snprintf(out + at, size - at, "%s", text) : 0;
    return at + (length > 0 ? (size_t)length : 0);
}

static size_t put_coefficient(char *out, size_t size, size_t at, ls_residue c, bool hide_one) {
    if (c.modulus) return put(out, size, at, "⊥");
    if (hide_one && c.rest == 1) return at;
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)c.rest);
    return put(out, size, at, number);
}

/* 003's notation: T is threadIdx.x; all coefficients are shown. */
static void print_paper(const ls_shape *shape, uint32_t degree, char *out, size_t size) {
    size_t at = 0;
    static const ls_residue bottom = {0, 1};
    bool divergent = shape->kind == LS_SHAPE_DIVERGENT;
    if (degree >= 2) {
        at = put_coefficient(out, size, at, divergent ? bottom : coefficient_of(shape, LS_MONO_XX), true);
        at = put(out, size, at, "T²+");
    }
    at = put_coefficient(out, size, at, divergent ? bottom : coefficient_of(shape, LS_MONO_X), true);
    at = put(out, size, at, "T+");
    put_coefficient(out, size, at, divergent ? bottom : shape->constant, false);
}

static bool one_dimensional(const ls_shape *shape) {
    for (uint32_t i = 0; i < shape->term_count; i++)
        if (shape->monomials[i] != LS_MONO_X && shape->monomials[i] != LS_MONO_XX) return false;
    return true;
}

void ls_shape_print(const ls_shape *shape, uint32_t degree, char *out, size_t size) {
    static const char *const names[LS_MONO_COUNT] = {"x",      "y",  "z",  "lane",   "x²", "xy",     "xz",
                                                     "x·lane", "y²", "yz", "y·lane", "z²", "z·lane", "lane²"};
    if (shape->kind == LS_SHAPE_UNSEEN) {
        snprintf(out, size, "⊤");
        return;
    }
    if (!degree || degree == LS_DEGREE_SIMPLE) {
        snprintf(out, size, "%s", ls_shape_uniform(shape) ? "U" : "D");
        return;
    }
    if (shape->kind == LS_SHAPE_DIVERGENT || one_dimensional(shape)) {
        print_paper(shape, degree, out, size);
        return;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < shape->term_count; i++) {
        at = put_coefficient(out, size, at, shape->coefficients[i], true);
        at = put(out, size, at, names[shape->monomials[i]]);
        at = put(out, size, at, "+");
    }
    put_coefficient(out, size, at, shape->constant, false);
}
