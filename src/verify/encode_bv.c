/* Terms as bit-vectors, exactly: what the integers abstract (symbolic shifts, masks, exclusive or) is decided
 * here. Wide symbolic products are hopeless here and are left to the integers. */
#include "verify/solve.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    ls_encoding *query;
    Z3_context z;
    ls_intmap memo;
    LS_VEC(const ls_term *) leaves;
} encoder;

static Z3_ast bits_of(encoder *c, const ls_term *t);

static Z3_ast constant(encoder *c, uint32_t width, uint64_t value) {
    return Z3_mk_unsigned_int64(c->z, value, Z3_mk_bv_sort(c->z, width));
}

/* Width 1 is Bool in Z3, everything else a bit-vector. */
static Z3_ast encode_leaf(encoder *c, const ls_term *t) {
    LS_VEC_PUSH(&c->leaves, t);
    char name[64];
    snprintf(name, sizeof name, "t!%u", t->id);
    Z3_symbol symbol = Z3_mk_string_symbol(c->z, name);
    if (t->width == 1) return Z3_mk_const(c->z, symbol, Z3_mk_bool_sort(c->z));
    Z3_ast e = Z3_mk_const(c->z, symbol, Z3_mk_bv_sort(c->z, t->width));
    if (t->op != LS_T_SYM) return e;
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvuge(c->z, e, constant(c, t->width, t->ulo)));
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvule(c->z, e, constant(c, t->width, t->uhi)));
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvsge(c->z, e, constant(c, t->width, (uint64_t)t->slo)));
    Z3_solver_assert(c->z, c->query->z3, Z3_mk_bvsle(c->z, e, constant(c, t->width, (uint64_t)t->shi)));
    return e;
}

typedef Z3_ast (*binary_maker)(Z3_context, Z3_ast, Z3_ast);

static Z3_ast encode_binary(encoder *c, const ls_term *t) {
    static const binary_maker makers[LS_T_COUNT] = {
        [LS_T_UDIV] = Z3_mk_bvudiv, [LS_T_UREM] = Z3_mk_bvurem, [LS_T_SDIV] = Z3_mk_bvsdiv,
        [LS_T_SREM] = Z3_mk_bvsrem, [LS_T_AND] = Z3_mk_bvand,   [LS_T_OR] = Z3_mk_bvor,
        [LS_T_XOR] = Z3_mk_bvxor,   [LS_T_SHL] = Z3_mk_bvshl,   [LS_T_LSHR] = Z3_mk_bvlshr,
        [LS_T_ASHR] = Z3_mk_bvashr, [LS_T_EQ] = Z3_mk_eq,       [LS_T_ULT] = Z3_mk_bvult,
        [LS_T_SLT] = Z3_mk_bvslt};
    Z3_ast a = bits_of(c, t->args[0]), b = bits_of(c, t->args[1]);
    if (t->args[0]->width == 1) {
        Z3_ast both[2] = {a, b};
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
    assert(makers[t->op]);
    return makers[t->op](c->z, a, b);
}

/* A predicate as a bit-vector. */
static Z3_ast widened(encoder *c, const ls_term *t, Z3_ast e) {
    return t->width == 1 ? Z3_mk_ite(c->z, e, constant(c, 1, 1), constant(c, 1, 0)) : e;
}

static Z3_ast encode(encoder *c, const ls_term *t) {
    switch ((ls_term_op)t->op) {
    case LS_T_CONST:
        if (t->width == 1) return t->value ? Z3_mk_true(c->z) : Z3_mk_false(c->z);
        return constant(c, t->width, t->value);
    case LS_T_SYM:
    case LS_T_UF: return encode_leaf(c, t);
    case LS_T_LIN: {
        Z3_ast sum = constant(c, t->width, t->value);
        for (uint32_t i = 0; i < t->count; i++) {
            Z3_ast part = widened(c, t->args[i], bits_of(c, t->args[i]));
            if (t->coefs[i] == ls_mask(t->width)) {
                sum = Z3_mk_bvsub(c->z, sum, part);
                continue;
            }
            if (t->coefs[i] != 1) part = Z3_mk_bvmul(c->z, constant(c, t->width, t->coefs[i]), part);
            sum = Z3_mk_bvadd(c->z, sum, part);
        }
        return t->width == 1 ? Z3_mk_eq(c->z, sum, constant(c, 1, 1)) : sum;
    }
    case LS_T_MUL: {
        if (t->width == 1) return encode_leaf(c, t);
        Z3_ast p = bits_of(c, t->args[0]);
        for (uint32_t i = 1; i < t->count; i++) p = Z3_mk_bvmul(c->z, p, bits_of(c, t->args[i]));
        return p;
    }
    case LS_T_NOT: return Z3_mk_not(c->z, bits_of(c, t->args[0]));
    case LS_T_ITE:
        return Z3_mk_ite(c->z, bits_of(c, t->args[0]), bits_of(c, t->args[1]), bits_of(c, t->args[2]));
    case LS_T_ZEXT:
    case LS_T_SEXT: {
        Z3_ast a = widened(c, t->args[0], bits_of(c, t->args[0]));
        uint32_t more = (uint32_t)t->width - t->args[0]->width;
        return t->op == LS_T_ZEXT ? Z3_mk_zero_ext(c->z, more, a) : Z3_mk_sign_ext(c->z, more, a);
    }
    case LS_T_EXTRACT: {
        uint32_t low = (uint32_t)t->value;
        Z3_ast e = Z3_mk_extract(c->z, low + t->width - 1, low, bits_of(c, t->args[0]));
        return t->width == 1 ? Z3_mk_eq(c->z, e, constant(c, 1, 1)) : e;
    }
    default: return encode_binary(c, t);
    }
}

static Z3_ast bits_of(encoder *c, const ls_term *t) {
    uint64_t found;
    if (ls_intmap_get(&c->memo, t->id, &found)) return (Z3_ast)(uintptr_t)found;
    Z3_ast e = encode(c, t);
    bool is_new;
    *ls_intmap_at(&c->memo, t->id, &is_new) = (uint64_t)(uintptr_t)e;
    return e;
}

static void read_model(encoder *c) {
    Z3_model model = Z3_solver_get_model(c->z, c->query->z3);
    if (!model) return;
    Z3_model_inc_ref(c->z, model);
    for (uint32_t i = 0; i < c->leaves.length; i++) {
        const ls_term *t = c->leaves.items[i];
        Z3_ast value;
        if (!Z3_model_eval(c->z, model, bits_of(c, t), true, &value)) continue;
        uint64_t bits = 0;
        if (t->width == 1)
            bits = Z3_get_bool_value(c->z, value) == Z3_L_TRUE;
        else if (Z3_is_numeral_ast(c->z, value))
            bits = strtoull(Z3_get_numeral_string(c->z, value), NULL, 10);
        bool is_new;
        *ls_intmap_at(c->query->model, t->id, &is_new) = bits;
    }
    Z3_model_dec_ref(c->z, model);
}

Z3_lbool ls_check_bits(ls_encoding *query) {
    encoder c = {.query = query, .z = query->solver->z3};
    for (uint32_t i = 0; i < query->count; i++)
        Z3_solver_assert(c.z, query->z3, bits_of(&c, query->conjuncts[i]));
    Z3_lbool answer = Z3_solver_check(c.z, query->z3);
    if (Z3_get_error_code(c.z) != Z3_OK) answer = Z3_L_UNDEF;
    if (answer == Z3_L_TRUE) read_model(&c);
    LS_VEC_FREE(&c.leaves);
    ls_intmap_free(&c.memo);
    return answer;
}
