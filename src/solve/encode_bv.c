/* Terms as bit-vectors, exactly: what the integers abstract (symbolic shifts, masks, exclusive or) is decided
 * here. The vectors are narrow: a term has as many bits as its range needs, not as its type has, and sums and
 * products of which the range is known are computed with so many bits alone. Wide symbolic products are
 * hopeless here and are left to the integers. */
#include "solve/encode.h"

#include <assert.h>
#include <stdio.h>

typedef struct {
    ls_encoding *query;
    Z3_context z;
    ls_intmap memo;
    ls_term_list leaves;
} encoder;

static Z3_ast bits_of(encoder *c, const ls_term *t);

static Z3_ast constant(encoder *c, uint32_t width, uint64_t value) {
    return Z3_mk_unsigned_int64(c->z, value, Z3_mk_bv_sort(c->z, width));
}

/* The bits that the values of a term need, which are numbers without a sign. */
static uint32_t need(const ls_term *t) {
    return t->uhi ? 64 - (uint32_t)__builtin_clzll(t->uhi) : 1;
}

static Z3_ast resized(encoder *c, Z3_ast e, uint32_t from, uint32_t to) {
    if (from == to) return e;
    return from < to ? Z3_mk_zero_ext(c->z, to - from, e) : Z3_mk_extract(c->z, to - 1, 0, e);
}

/* The lowest bits of a term, or all with zeros above them. */
static Z3_ast at_width(encoder *c, const ls_term *t, uint32_t bits) {
    Z3_ast e = bits_of(c, t);
    if (t->width > 1) return resized(c, e, need(t), bits);
    return Z3_mk_ite(c->z, e, constant(c, bits, 1), constant(c, bits, 0));
}

/* A term of width 1 is Bool in Z3, everything else a bit-vector of the bits that it needs. */
static Z3_ast encode_leaf(encoder *c, const ls_term *t) {
    LS_VEC_PUSH(&c->leaves, t);
    char name[64];
    snprintf(name, sizeof name, "t!%u", t->id);
    Z3_symbol symbol = Z3_mk_string_symbol(c->z, name);
    if (t->width == 1) return Z3_mk_const(c->z, symbol, Z3_mk_bool_sort(c->z));
    uint32_t n = need(t);
    Z3_ast e = Z3_mk_const(c->z, symbol, Z3_mk_bv_sort(c->z, n));
    if (t->op != LS_T_SYM) return e;
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvuge(c->z, e, constant(c, n, t->ulo)));
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvule(c->z, e, constant(c, n, t->uhi)));
    if (n < t->width) return e;
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvsge(c->z, e, constant(c, n, (uint64_t)t->slo)));
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvsle(c->z, e, constant(c, n, (uint64_t)t->shi)));
    return e;
}

typedef Z3_ast (*binary_maker)(Z3_context, Z3_ast, Z3_ast);

/* X(op, exact, narrow): how an operator is made of all bits; and of as many as its operands need, where these
 * have no sign and a divisor is not zero (NULL: only of all). */
#define BINARY_OPS(X)                                                                                        \
    X(UDIV, Z3_mk_bvudiv, Z3_mk_bvudiv)                                                                      \
    X(UREM, Z3_mk_bvurem, Z3_mk_bvurem)                                                                      \
    X(SDIV, Z3_mk_bvsdiv, Z3_mk_bvudiv)                                                                      \
    X(SREM, Z3_mk_bvsrem, Z3_mk_bvurem)                                                                      \
    X(AND, Z3_mk_bvand, Z3_mk_bvand)                                                                         \
    X(OR, Z3_mk_bvor, Z3_mk_bvor)                                                                            \
    X(XOR, Z3_mk_bvxor, Z3_mk_bvxor)                                                                         \
    X(SHL, Z3_mk_bvshl, NULL)                                                                                \
    X(LSHR, Z3_mk_bvlshr, Z3_mk_bvlshr)                                                                      \
    X(ASHR, Z3_mk_bvashr, Z3_mk_bvlshr)                                                                      \
    X(EQ, Z3_mk_eq, Z3_mk_eq)                                                                                \
    X(ULT, Z3_mk_bvult, Z3_mk_bvult)                                                                         \
    X(SLT, Z3_mk_bvslt, Z3_mk_bvult)

static Z3_ast encode_predicates(encoder *c, const ls_term *t) {
    Z3_ast a = bits_of(c, t->args[0]), b = bits_of(c, t->args[1]), both[2] = {a, b};
    switch ((ls_term_op)t->op) {
    case LS_T_AND: return Z3_mk_and(c->z, 2, both);
    case LS_T_OR: return Z3_mk_or(c->z, 2, both);
    case LS_T_XOR: return Z3_mk_xor(c->z, a, b);
    case LS_T_EQ: return Z3_mk_iff(c->z, a, b);
    case LS_T_ULT: return Z3_mk_and(c->z, 2, (Z3_ast[]){Z3_mk_not(c->z, a), b});
    case LS_T_SLT: return Z3_mk_and(c->z, 2, (Z3_ast[]){a, Z3_mk_not(c->z, b)});
    default: return encode_leaf(c, t); /* arithmetic on predicates: anything */
    }
}

static Z3_ast encode_binary(encoder *c, const ls_term *t) {
    static const struct {
        binary_maker exact, narrow;
    } makers[LS_T_COUNT] = {
#define BINARY_ROW(op, exact, narrow) [LS_T_##op] = {exact, narrow},
        BINARY_OPS(BINARY_ROW)
#undef BINARY_ROW
    };
    const ls_term *a = t->args[0], *b = t->args[1];
    if (a->width == 1) return encode_predicates(c, t);
    assert(makers[t->op].exact);
    bool divides = t->op == LS_T_UDIV || t->op == LS_T_UREM || t->op == LS_T_SDIV || t->op == LS_T_SREM;
    bool has_sign = t->op == LS_T_SDIV || t->op == LS_T_SREM || t->op == LS_T_ASHR || t->op == LS_T_SLT;
    bool plain = !(has_sign && (a->slo < 0 || b->slo < 0)) && !(divides && !b->ulo);
    uint32_t bits = need(a) > need(b) ? need(a) : need(b);
    binary_maker maker = plain ? makers[t->op].narrow : NULL;
    if (!maker) maker = makers[t->op].exact, bits = a->width;
    Z3_ast e = maker(c->z, at_width(c, a, bits), at_width(c, b, bits));
    return t->width == 1 ? e : resized(c, e, bits, need(t));
}

static Z3_ast encode_sum(encoder *c, const ls_term *t) {
    uint32_t n = need(t);
    Z3_ast sum = constant(c, n, t->value & ls_mask(n));
    for (uint32_t i = 0; i < t->count; i++) {
        Z3_ast part = at_width(c, t->args[i], n);
        if (t->coefs[i] == ls_mask(t->width)) {
            sum = Z3_mk_bvsub(c->z, sum, part);
            continue;
        }
        if (t->coefs[i] != 1) part = Z3_mk_bvmul(c->z, constant(c, n, t->coefs[i] & ls_mask(n)), part);
        sum = Z3_mk_bvadd(c->z, sum, part);
    }
    return t->width == 1 ? Z3_mk_eq(c->z, sum, constant(c, 1, 1)) : sum;
}

static Z3_ast encode(encoder *c, const ls_term *t) {
    uint32_t n = need(t);
    switch ((ls_term_op)t->op) {
    case LS_T_CONST:
        if (t->width == 1) return t->value ? Z3_mk_true(c->z) : Z3_mk_false(c->z);
        return constant(c, n, t->value);
    case LS_T_SYM:
    case LS_T_UF: return encode_leaf(c, t);
    case LS_T_LIN: return encode_sum(c, t);
    case LS_T_MUL: {
        if (t->width == 1) return encode_leaf(c, t);
        Z3_ast p = at_width(c, t->args[0], n);
        for (uint32_t i = 1; i < t->count; i++) p = Z3_mk_bvmul(c->z, p, at_width(c, t->args[i], n));
        return p;
    }
    case LS_T_NOT: return Z3_mk_not(c->z, bits_of(c, t->args[0]));
    case LS_T_ITE: {
        bool truth = t->width == 1;
        Z3_ast a = truth ? bits_of(c, t->args[1]) : at_width(c, t->args[1], n);
        Z3_ast b = truth ? bits_of(c, t->args[2]) : at_width(c, t->args[2], n);
        return Z3_mk_ite(c->z, bits_of(c, t->args[0]), a, b);
    }
    case LS_T_ZEXT: return at_width(c, t->args[0], n);
    case LS_T_SEXT: {
        const ls_term *a = t->args[0];
        if (a->slo >= 0 && a->width > 1) return at_width(c, a, n);
        Z3_ast e = Z3_mk_sign_ext(c->z, (uint32_t)t->width - a->width, at_width(c, a, a->width));
        return resized(c, e, t->width, n);
    }
    case LS_T_EXTRACT: {
        uint32_t low = (uint32_t)t->value, top = low + n, from = need(t->args[0]);
        Z3_ast e = at_width(c, t->args[0], from > top ? from : top);
        e = Z3_mk_extract(c->z, top - 1, low, e);
        return t->width == 1 ? Z3_mk_eq(c->z, e, constant(c, 1, 1)) : e;
    }
    default: return encode_binary(c, t);
    }
}

static Z3_ast bits_of(encoder *c, const ls_term *t) {
    Z3_ast e = ls_encoded(&c->memo, t);
    return e ? e : ls_keep_encoded(&c->memo, t, encode(c, t));
}

static Z3_ast bits_of_leaf(void *encoder_, const ls_term *leaf) {
    return bits_of(encoder_, leaf);
}

Z3_lbool ls_check_bits(ls_encoding *query) {
    encoder c = {.query = query, .z = query->solver->z3};
    for (uint32_t i = 0; i < query->count; i++)
        Z3_solver_assert(c.z, query->z3, bits_of(&c, query->conjuncts[i]));
    Z3_lbool answer = ls_encoding_answer(query, &c.leaves, bits_of_leaf, &c);
    LS_VEC_FREE(&c.leaves);
    ls_intmap_free(&c.memo);
    return answer;
}
