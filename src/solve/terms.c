/* Terms: construction with normalisation (terms.h), but for sums and products, which are in sums.c. */
#include "solve/magic.h"
#include "solve/ranges.h"
#include "solve/sums.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void ls_terms_init(ls_terms *ctx) {
    memset(ctx, 0, sizeof *ctx);
    ls_arena_init(&ctx->arena);
    ctx->mask = 1023;
    ctx->table = ls_xcalloc(ctx->mask + 1, sizeof *ctx->table);
}

void ls_terms_free(ls_terms *ctx) {
    free(ctx->table);
    LS_VEC_FREE(&ctx->syms);
    LS_VEC_FREE(&ctx->functions);
    ls_map_free(&ctx->function_numbers);
    ls_map_free(&ctx->names);
    ls_intmap_free(&ctx->instances);
    ls_arena_free(&ctx->arena);
}

/* --- Hash-consing ----------------------------------------------------------------------------------------
 */

static uint32_t mix(uint32_t h, uint64_t v) {
    uint64_t x = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(x ^ (x >> 32));
}

static uint32_t hash_of(const ls_term *t) {
    uint32_t h = mix(mix(t->op, t->width), t->value);
    for (uint32_t i = 0; i < t->count; i++) {
        h = mix(h, t->args[i]->id);
        if (t->coefs) h = mix(h, t->coefs[i]);
    }
    return h;
}

static bool same(const ls_term *a, const ls_term *b) {
    if (a->op != b->op || a->width != b->width || a->value != b->value || a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->args[i] != b->args[i] || (a->coefs && a->coefs[i] != b->coefs[i])) return false;
    return true;
}

static void grow(ls_terms *ctx) {
    uint32_t mask = ctx->mask * 2 + 1;
    ls_term_slot *table = ls_xcalloc((size_t)mask + 1, sizeof *table);
    for (uint32_t i = 0; i <= ctx->mask; i++) {
        if (!ctx->table[i].term) continue;
        uint32_t slot = ctx->table[i].hash & mask;
        while (table[slot].term) slot = (slot + 1) & mask;
        table[slot] = ctx->table[i];
    }
    free(ctx->table);
    ctx->table = table;
    ctx->mask = mask;
}

/* The node equal to `t`, whose argument arrays may be temporary. */
const ls_term *ls_intern(ls_terms *ctx, ls_term t) {
    t.hash = hash_of(&t);
    uint32_t slot = t.hash & ctx->mask;
    for (; ctx->table[slot].term; slot = (slot + 1) & ctx->mask)
        if (ctx->table[slot].hash == t.hash && same(ctx->table[slot].term, &t)) return ctx->table[slot].term;
    ls_term *made = ls_arena_alloc(&ctx->arena, sizeof *made);
    *made = t;
    if (t.count) {
        const ls_term **args = ls_arena_alloc(&ctx->arena, sizeof *args * t.count);
        memcpy(args, t.args, sizeof *args * t.count);
        made->args = args;
    }
    if (t.coefs) {
        uint64_t *coefs = ls_arena_alloc(&ctx->arena, sizeof *coefs * t.count);
        memcpy(coefs, t.coefs, sizeof *coefs * t.count);
        made->coefs = coefs;
    }
    made->id = ctx->count++;
    for (uint32_t i = 0; i < t.count; i++)
        if (t.args[i]->scope > made->scope) made->scope = t.args[i]->scope;
    if (t.op != LS_T_SYM) ls_range_find(made);
    ctx->table[slot] = (ls_term_slot){made, made->hash};
    if (ctx->count > ctx->mask / 2) grow(ctx);
    return made;
}

static const ls_term *make(ls_terms *ctx, ls_term_op op, uint32_t width, uint64_t value, uint32_t count,
                           const ls_term *a, const ls_term *b, const ls_term *c) {
    const ls_term *args[3] = {a, b, c};
    return ls_intern(
        ctx,
        (ls_term){.op = (uint8_t)op, .width = (uint8_t)width, .value = value, .count = count, .args = args});
}

/* --- Leaves ----------------------------------------------------------------------------------------------
 */

const ls_term *ls_const(ls_terms *ctx, uint32_t width, uint64_t value) {
    return ls_intern(ctx,
                     (ls_term){.op = LS_T_CONST, .width = (uint8_t)width, .value = value & ls_mask(width)});
}

const ls_term *ls_true(ls_terms *ctx) {
    return ls_const(ctx, 1, 1);
}

const ls_term *ls_false(ls_terms *ctx) {
    return ls_const(ctx, 1, 0);
}

static const ls_term *new_symbol(ls_terms *ctx, const char *name, uint32_t width, ls_scope scope,
                                 ls_sym_kind kind, ls_term **made) {
    ls_term *t = LS_NEW(&ctx->arena, ls_term);
    *t = (ls_term){
        .op = LS_T_SYM, .width = (uint8_t)width, .scope = (uint8_t)scope, .value = ctx->syms.length};
    t->hash = hash_of(t);
    t->id = ctx->count++;
    ls_range_any(t);
    ls_sym sym = {.name = ls_arena_strdup(&ctx->arena, name),
                  .term = t,
                  .kind = (uint8_t)kind,
                  .scope = (uint8_t)scope,
                  .origin = ctx->syms.length};
    LS_VEC_PUSH(&ctx->syms, sym);
    *made = t;
    return t;
}

const ls_term *ls_symbol(ls_terms *ctx, const char *name, uint32_t width, ls_scope scope, ls_sym_kind kind,
                         uint64_t lo, uint64_t hi) {
    ls_term *t;
    new_symbol(ctx, name, width, scope, kind, &t);
    if (lo <= hi) ls_range_unsigned(t, (ls_wide)lo, (ls_wide)hi);
    ls_range_tighten(t);
    return t;
}

const ls_term *ls_symbol_signed(ls_terms *ctx, const char *name, uint32_t width, ls_scope scope,
                                ls_sym_kind kind, int64_t lo, int64_t hi) {
    ls_term *t;
    new_symbol(ctx, name, width, scope, kind, &t);
    ls_range_signed(t, lo, hi);
    ls_range_tighten(t);
    return t;
}

const ls_term *ls_symbol_within(ls_terms *ctx, const char *name, uint32_t width, int64_t slo, int64_t shi,
                                uint64_t ulo, uint64_t uhi) {
    ls_term *t;
    new_symbol(ctx, name, width, LS_SCOPE_GRID, LS_SYM_INPUT, &t);
    ls_range_signed(t, slo, shi);
    ls_range_unsigned(t, (ls_wide)ulo, (ls_wide)uhi);
    ls_range_tighten(t);
    return t;
}

const ls_term *ls_instance(ls_terms *ctx, const ls_term *symbol, uint32_t thread) {
    const ls_sym sym = *ls_sym_of(ctx, symbol);
    if (sym.scope == LS_SCOPE_GRID) return symbol;
    bool is_new;
    uint64_t *place = ls_intmap_at(&ctx->instances, symbol->value * 8 + thread, &is_new);
    if (!is_new) return ctx->syms.items[*place].term;
    *place = ctx->syms.length;
    char name[256];
    if (thread)
        snprintf(name, sizeof name, "%s$%u", sym.name, thread);
    else
        snprintf(name, sizeof name, "%s", sym.name);
    ls_term *t;
    new_symbol(ctx, name, symbol->width, LS_SCOPE_GRID, (ls_sym_kind)sym.kind, &t);
    t->slo = symbol->slo, t->shi = symbol->shi, t->ulo = symbol->ulo, t->uhi = symbol->uhi;
    ls_sym *made = ls_sym_of(ctx, t);
    made->origin = sym.origin;
    made->thread = thread;
    made->key = sym.key;
    made->tag = sym.tag;
    made->memory_written = sym.memory_written;
    made->scope = LS_SCOPE_GRID;
    return t;
}

/* --- Constants of the other operators --------------------------------------------------------------------
 */

static uint64_t apply(ls_term_op op, uint64_t a, uint64_t b, uint32_t w) {
    int64_t sa = ls_signed(a, w), sb = ls_signed(b, w);
    switch (op) {
    case LS_T_UDIV: return b ? a / b : UINT64_MAX;
    case LS_T_UREM: return b ? a % b : a;
    case LS_T_SDIV:
        return !sb ? (sa < 0 ? 1 : UINT64_MAX) : sb == -1 ? 0 - (uint64_t)sa : (uint64_t)(sa / sb);
    case LS_T_SREM: return !sb ? a : sb == -1 ? 0 : (uint64_t)(sa % sb);
    case LS_T_AND: return a & b;
    case LS_T_OR: return a | b;
    case LS_T_XOR: return a ^ b;
    case LS_T_SHL: return b >= w ? 0 : a << b;
    case LS_T_LSHR: return b >= w ? 0 : a >> b;
    case LS_T_ASHR: return (uint64_t)(b >= w ? (sa < 0 ? -1 : 0) : sa >> b);
    case LS_T_EQ: return a == b;
    case LS_T_ULT: return a < b;
    case LS_T_SLT: return sa < sb;
    default: assert(false); return 0;
    }
}

static bool is_power(uint64_t v) {
    return v && !(v & (v - 1));
}

static uint32_t trailing_zeros(const ls_term *t) {
    if (t->op == LS_T_CONST) return t->value ? (uint32_t)__builtin_ctzll(t->value) : t->width;
    if (t->op == LS_T_ZEXT) {
        uint32_t z = trailing_zeros(t->args[0]);
        return z == t->args[0]->width ? t->width : z;
    }
    if (t->op == LS_T_MUL) {
        uint32_t z = 0;
        for (uint32_t i = 0; i < t->count; i++) z += trailing_zeros(t->args[i]);
        return z < t->width ? z : t->width;
    }
    if (t->op != LS_T_LIN) return 0;
    uint32_t least = t->value ? (uint32_t)__builtin_ctzll(t->value) : t->width;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t z = (uint32_t)__builtin_ctzll(t->coefs[i]) + trailing_zeros(t->args[i]);
        if (z < least) least = z;
    }
    return least < t->width ? least : t->width;
}

/* No bit is set in both. */
static bool disjoint(const ls_term *a, const ls_term *b) {
    uint32_t za = trailing_zeros(a), zb = trailing_zeros(b);
    return (za < 64 && b->uhi < UINT64_C(1) << za) || (zb < 64 && a->uhi < UINT64_C(1) << zb) ||
           za >= a->width || zb >= b->width;
}

/* x >> 31: all bits where x is negative, else none. Compilers make x & (y >> 31) of choices such as a maximum
 * with zero. */
static bool is_sign_mask(const ls_term *t) {
    return t->op == LS_T_ASHR && t->args[1]->op == LS_T_CONST && t->args[1]->value == t->width - 1U;
}

static const ls_term *where_negative(ls_terms *ctx, const ls_term *sign, const ls_term *value) {
    const ls_term *zero = ls_const(ctx, sign->width, 0);
    return ls_ite(ctx, ls_binary(ctx, LS_T_SLT, sign, zero), value, zero);
}

static const ls_term *simplify_bits(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b) {
    uint32_t w = a->width;
    uint64_t all = ls_mask(w);
    if (b->op == LS_T_CONST) {
        if (b->value == 0) return op == LS_T_AND ? b : a;
        if (b->value == all && op == LS_T_AND) return a;
        if (b->value == all && op == LS_T_OR) return b;
        if (b->value == all && op == LS_T_XOR)
            return w == 1 ? ls_not(ctx, a) : ls_sub(ctx, b, a); /* ~a = -1 - a */
        if (op == LS_T_AND && is_power(b->value + 1) && a->uhi <= b->value) return a;
        if (op == LS_T_AND && is_power(b->value + 1))
            return ls_binary(ctx, LS_T_UREM, a, ls_const(ctx, w, b->value + 1));
        uint64_t low = ~b->value & all;
        if (op == LS_T_AND && is_power(low + 1)) /* clears the low bits */
            return ls_sub(ctx, a, ls_binary(ctx, LS_T_UREM, a, ls_const(ctx, w, low + 1)));
    }
    if (a == b) return op == LS_T_XOR ? ls_const(ctx, w, 0) : a;
    if (op != LS_T_AND && disjoint(a, b)) return w == 1 ? NULL : ls_add(ctx, a, b);
    if (op == LS_T_AND && disjoint(a, b)) return ls_const(ctx, w, 0);
    if (op == LS_T_AND && is_sign_mask(a)) return where_negative(ctx, a->args[0], b);
    if (op == LS_T_AND && is_sign_mask(b)) return where_negative(ctx, b->args[0], a);
    return NULL;
}

/* a / c and a % c of a sum whose parts, but a small rest, are multiples of c: (8·x + r) / 8 = x + r/8. */
static bool split_multiple(ls_terms *ctx, const ls_term *a, uint64_t c, const ls_term **quotient,
                           const ls_term **rest) {
    if (a->op != LS_T_LIN || a->shi < 0 || a->slo < 0 || c == 0) return false;
    ls_sum q, r;
    ls_sum_init(&q, a->width);
    ls_sum_init(&r, a->width);
    uint64_t constant = a->value;
    if (ls_signed(constant, a->width) < 0) return false;
    ls_wide lo, hi;
    ls_sum_range(a, false, &lo, &hi);
    if (!ls_fits_signed(lo, hi, a->width)) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        int64_t k = ls_signed(a->coefs[i], a->width);
        if (k < 0 || a->args[i]->slo < 0) return false;
        if ((uint64_t)k % c == 0)
            ls_sum_part(ctx, &q, a->args[i], (uint64_t)k / c);
        else
            ls_sum_part(ctx, &r, a->args[i], (uint64_t)k);
    }
    q.constant = constant / c;
    r.constant = constant % c;
    if (!q.count && !q.constant) return false;
    *quotient = ls_sum_end(ctx, &q);
    *rest = ls_sum_end(ctx, &r);
    return true;
}

static const ls_term *simplify_division(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b) {
    bool is_signed = op == LS_T_SDIV || op == LS_T_SREM;
    if (is_signed && a->slo >= 0 && b->slo > 0)
        return ls_binary(ctx, op == LS_T_SDIV ? LS_T_UDIV : LS_T_UREM, a, b);
    if (is_signed || b->op != LS_T_CONST || !b->value) return NULL;
    bool remainder = op == LS_T_UREM;
    if (b->value == 1) return remainder ? ls_const(ctx, a->width, 0) : a;
    if (a->uhi < b->value) return remainder ? a : ls_const(ctx, a->width, 0);
    const ls_term *quotient, *rest;
    if (!split_multiple(ctx, a, b->value, &quotient, &rest)) return NULL;
    if (remainder) return ls_binary(ctx, op, rest, b);
    return ls_add(ctx, quotient, ls_binary(ctx, op, rest, b));
}

static const ls_term *simplify_shift(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b) {
    if (b->op != LS_T_CONST) return NULL;
    if (b->value == 0) return a;
    if (op == LS_T_ASHR && a->slo >= 0) return ls_binary(ctx, LS_T_LSHR, a, b);
    if (b->value >= a->width) return op == LS_T_ASHR ? NULL : ls_const(ctx, a->width, 0);
    const ls_term *quotient = op == LS_T_SHL ? NULL : ls_quotient_of_shift(ctx, a, b->value, op == LS_T_ASHR);
    if (quotient) return quotient;
    if (op == LS_T_SHL) return ls_scale(ctx, a, UINT64_C(1) << b->value);
    if (op == LS_T_LSHR)
        return ls_binary(ctx, LS_T_UDIV, a, ls_const(ctx, a->width, UINT64_C(1) << b->value));
    return NULL;
}

static const ls_term *simplify_compare(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b) {
    if (op == LS_T_ULT) {
        if (a->uhi < b->ulo) return ls_true(ctx);
        if (a->ulo >= b->uhi) return ls_false(ctx);
        return a == b ? ls_false(ctx) : NULL;
    }
    if (op == LS_T_SLT) {
        if (a->shi < b->slo) return ls_true(ctx);
        if (a->slo >= b->shi || a == b) return ls_false(ctx);
        return a->slo >= 0 && b->slo >= 0 ? ls_binary(ctx, LS_T_ULT, a, b) : NULL;
    }
    if (a == b) return ls_true(ctx);
    if (a->uhi < b->ulo || b->uhi < a->ulo || a->shi < b->slo || b->shi < a->slo) return ls_false(ctx);
    if (a->width == 1) {
        if (b->op == LS_T_CONST) return b->value ? a : ls_not(ctx, a);
        if (a->op == LS_T_CONST) return a->value ? b : ls_not(ctx, b);
        return NULL;
    }
    const ls_term *d = ls_sub(ctx, a, b);
    if (d->op == LS_T_CONST) return ls_const(ctx, 1, d->value == 0);
    if (d->ulo > 0) return ls_false(ctx);
    /* (c ? x : y) = k for constants */
    const ls_term *ite = a->op == LS_T_ITE ? a : b, *k = ite == a ? b : a;
    if (ite->op == LS_T_ITE && k->op == LS_T_CONST && ite->args[1]->op == LS_T_CONST &&
        ite->args[2]->op == LS_T_CONST) {
        bool x = ite->args[1] == k, y = ite->args[2] == k;
        return x && y ? ls_true(ctx) : x ? ite->args[0] : y ? ls_not(ctx, ite->args[0]) : ls_false(ctx);
    }
    if (ite->op == LS_T_ZEXT && k->op == LS_T_CONST) ite = NULL;
    return NULL;
}

static bool commutes(ls_term_op op) {
    return op == LS_T_AND || op == LS_T_OR || op == LS_T_XOR || op == LS_T_EQ;
}

const ls_term *ls_binary(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b) {
    assert(a->width == b->width);
    bool compares = op == LS_T_EQ || op == LS_T_ULT || op == LS_T_SLT;
    uint32_t width = compares ? 1 : a->width;
    if (a->op == LS_T_CONST && b->op == LS_T_CONST)
        return ls_const(ctx, width, apply(op, a->value, b->value, a->width));
    if (a->width == 1 && op == LS_T_AND) return ls_and(ctx, a, b);
    if (a->width == 1 && op == LS_T_OR) return ls_or(ctx, a, b);
    if (commutes(op) && (a->op == LS_T_CONST || (b->op != LS_T_CONST && a->id > b->id))) {
        const ls_term *t = a;
        a = b;
        b = t;
    }
    const ls_term *simple = NULL;
    if (op == LS_T_AND || op == LS_T_OR || op == LS_T_XOR) simple = simplify_bits(ctx, op, a, b);
    if (op >= LS_T_UDIV && op <= LS_T_SREM) simple = simplify_division(ctx, op, a, b);
    if (op == LS_T_SHL || op == LS_T_LSHR || op == LS_T_ASHR) simple = simplify_shift(ctx, op, a, b);
    if (compares) simple = simplify_compare(ctx, op, a, b);
    if (simple) return simple;
    const ls_term *t = make(ctx, op, width, 0, 2, a, b, NULL);
    return t->ulo == t->uhi ? ls_const(ctx, width, t->ulo) : t;
}

/* --- Predicates ------------------------------------------------------------------------------------------
 */

const ls_term *ls_not(ls_terms *ctx, const ls_term *a) {
    assert(a->width == 1);
    if (a->op == LS_T_CONST) return ls_const(ctx, 1, !a->value);
    if (a->op == LS_T_NOT) return a->args[0];
    return make(ctx, LS_T_NOT, 1, 0, 1, a, NULL, NULL);
}

static bool opposite(const ls_term *a, const ls_term *b) {
    return (a->op == LS_T_NOT && a->args[0] == b) || (b->op == LS_T_NOT && b->args[0] == a);
}

/* x is one of the operands of a chain of `op`. */
static bool occurs(const ls_term *chain, ls_term_op op, const ls_term *x, int depth) {
    if (chain == x) return true;
    if (chain->op != op || depth > 6) return false;
    return occurs(chain->args[0], op, x, depth + 1) || occurs(chain->args[1], op, x, depth + 1);
}

static const ls_term *connect(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b) {
    assert(a->width == 1 && b->width == 1);
    uint64_t neutral = op == LS_T_AND;
    if (a->op == LS_T_CONST) return a->value == neutral ? b : a;
    if (b->op == LS_T_CONST) return b->value == neutral ? a : b;
    if (a == b) return a;
    if (opposite(a, b)) return ls_const(ctx, 1, !neutral);
    if (occurs(a, op, b, 0)) return a;
    if (occurs(b, op, a, 0)) return b;
    /* (p and q) or (p and not q) = p, which is how a branch that joins again comes out */
    ls_term_op other = op == LS_T_AND ? LS_T_OR : LS_T_AND;
    if (a->op == other && b->op == other)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                if (a->args[i] == b->args[j] && opposite(a->args[1 - i], b->args[1 - j])) return a->args[i];
    if (a->op == other && (a->args[0] == b || a->args[1] == b)) return b; /* absorption */
    if (b->op == other && (b->args[0] == a || b->args[1] == a)) return a;
    if (a->id > b->id) {
        const ls_term *t = a;
        a = b;
        b = t;
    }
    return make(ctx, op, 1, 0, 2, a, b, NULL);
}

const ls_term *ls_and(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return connect(ctx, LS_T_AND, a, b);
}

const ls_term *ls_or(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return connect(ctx, LS_T_OR, a, b);
}

const ls_term *ls_implies(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return ls_or(ctx, ls_not(ctx, a), b);
}

const ls_term *ls_eq(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return ls_binary(ctx, LS_T_EQ, a, b);
}

const ls_term *ls_ult(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return ls_binary(ctx, LS_T_ULT, a, b);
}

const ls_term *ls_slt(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return ls_binary(ctx, LS_T_SLT, a, b);
}

const ls_term *ls_ite(ls_terms *ctx, const ls_term *c, const ls_term *a, const ls_term *b) {
    assert(c->width == 1 && a->width == b->width);
    if (c->op == LS_T_CONST) return c->value ? a : b;
    if (a == b) return a;
    if (c->op == LS_T_NOT) return ls_ite(ctx, c->args[0], b, a);
    if (a->width == 1) return ls_or(ctx, ls_and(ctx, c, a), ls_and(ctx, ls_not(ctx, c), b));
    return make(ctx, LS_T_ITE, a->width, 0, 3, c, a, b);
}

/* --- Widths ----------------------------------------------------------------------------------------------
 */

/* The extension of a sum or product as a sum or product of extensions, where nothing wraps; or NULL. */
static const ls_term *push_extension(ls_terms *ctx, const ls_term *a, uint32_t width, bool is_signed) {
    for (int args_signed = 1; args_signed >= 0; args_signed--) {
        ls_wide lo, hi;
        if (a->op == LS_T_LIN)
            ls_sum_range(a, args_signed, &lo, &hi);
        else if (!ls_product_range(a, args_signed, &lo, &hi))
            continue;
        if (!(is_signed ? ls_fits_signed(lo, hi, a->width) : ls_fits_unsigned(lo, hi, a->width))) continue;
        if (a->op == LS_T_MUL) {
            const ls_term *p = ls_resize(ctx, a->args[0], width, args_signed);
            for (uint32_t i = 1; i < a->count; i++)
                p = ls_mul(ctx, p, ls_resize(ctx, a->args[i], width, args_signed));
            return p;
        }
        ls_sum s;
        ls_sum_init(&s, width);
        s.constant = (uint64_t)ls_signed(a->value, a->width);
        for (uint32_t i = 0; i < a->count; i++)
            ls_sum_add(ctx, &s, ls_resize(ctx, a->args[i], width, args_signed),
                       (uint64_t)ls_signed(a->coefs[i], a->width));
        return ls_sum_end(ctx, &s);
    }
    return NULL;
}

static const ls_term *extend(ls_terms *ctx, const ls_term *a, uint32_t width, bool is_signed) {
    assert(width >= a->width && width <= 64);
    if (width == a->width) return a;
    if (a->op == LS_T_CONST)
        return ls_const(ctx, width, is_signed ? (uint64_t)ls_signed(a->value, a->width) : a->value);
    if (is_signed && a->slo >= 0 && a->width > 1) is_signed = false;
    if (a->op == LS_T_LIN || a->op == LS_T_MUL) {
        const ls_term *pushed = push_extension(ctx, a, width, is_signed);
        if (pushed) return pushed;
        if (!is_signed && a->slo >= 0) {
            pushed = push_extension(ctx, a, width, true);
            if (pushed) return pushed;
        }
    }
    if (a->op == LS_T_ITE && a->args[1]->op == LS_T_CONST && a->args[2]->op == LS_T_CONST)
        return ls_ite(ctx, a->args[0], extend(ctx, a->args[1], width, is_signed),
                      extend(ctx, a->args[2], width, is_signed));
    if (a->op == LS_T_ZEXT) return extend(ctx, a->args[0], width, false);
    if (a->op == LS_T_SEXT && is_signed) return extend(ctx, a->args[0], width, true);
    if (a->op == LS_T_EXTRACT && a->value == 0) { /* nothing was lost by the extraction */
        const ls_term *x = a->args[0];
        bool kept = is_signed ? ls_fits_signed(x->slo, x->shi, a->width) : x->uhi <= ls_mask(a->width);
        if (kept) return ls_resize(ctx, x, width, is_signed);
    }
    if (a->op == LS_T_UDIV && a->args[1]->op == LS_T_CONST && !is_signed && a->args[1]->value)
        return ls_binary(ctx, LS_T_UDIV, extend(ctx, a->args[0], width, false),
                         extend(ctx, a->args[1], width, false));
    if (a->op == LS_T_UREM && a->args[1]->op == LS_T_CONST && !is_signed && a->args[1]->value)
        return ls_binary(ctx, LS_T_UREM, extend(ctx, a->args[0], width, false),
                         extend(ctx, a->args[1], width, false));
    return make(ctx, is_signed ? LS_T_SEXT : LS_T_ZEXT, width, 0, 1, a, NULL, NULL);
}

const ls_term *ls_zext(ls_terms *ctx, const ls_term *a, uint32_t width) {
    return extend(ctx, a, width, false);
}

const ls_term *ls_sext(ls_terms *ctx, const ls_term *a, uint32_t width) {
    return extend(ctx, a, width, true);
}

const ls_term *ls_extract(ls_terms *ctx, const ls_term *a, uint32_t low, uint32_t width) {
    assert(low + width <= a->width);
    if (low == 0 && width == a->width) return a;
    if (a->op == LS_T_CONST) return ls_const(ctx, width, a->value >> low);
    if (a->op == LS_T_ZEXT || a->op == LS_T_SEXT) {
        const ls_term *x = a->args[0];
        if (low + width <= x->width) return ls_extract(ctx, x, low, width);
        if (low == 0) return extend(ctx, x, width, a->op == LS_T_SEXT);
    }
    if (a->op == LS_T_EXTRACT) return ls_extract(ctx, a->args[0], low + (uint32_t)a->value, width);
    const ls_term *quotient = low == 32 && width == 32 ? ls_quotient_of_high(ctx, a) : NULL;
    if (quotient) return quotient;
    if (low == 0 && width > 1 && a->op == LS_T_LIN) { /* modulo 2^width */
        ls_sum s;
        ls_sum_init(&s, width);
        s.constant = a->value;
        for (uint32_t i = 0; i < a->count; i++)
            ls_sum_add(ctx, &s, ls_extract(ctx, a->args[i], 0, width), a->coefs[i]);
        return ls_sum_end(ctx, &s);
    }
    if (low == 0 && width > 1 && a->op == LS_T_MUL) {
        const ls_term *p = ls_extract(ctx, a->args[0], 0, width);
        for (uint32_t i = 1; i < a->count; i++) p = ls_mul(ctx, p, ls_extract(ctx, a->args[i], 0, width));
        return p;
    }
    bool divides = a->op == LS_T_UDIV || a->op == LS_T_UREM;
    if (low == 0 && divides && a->args[1]->ulo && a->args[0]->uhi <= ls_mask(width) &&
        a->args[1]->uhi <= ls_mask(width))
        return ls_binary(ctx, a->op, ls_extract(ctx, a->args[0], 0, width),
                         ls_extract(ctx, a->args[1], 0, width));
    if (a->op == LS_T_ITE && (a->args[1]->op == LS_T_CONST || a->args[2]->op == LS_T_CONST))
        return ls_ite(ctx, a->args[0], ls_extract(ctx, a->args[1], low, width),
                      ls_extract(ctx, a->args[2], low, width));
    return make(ctx, LS_T_EXTRACT, width, low, 1, a, NULL, NULL);
}

const ls_term *ls_resize(ls_terms *ctx, const ls_term *a, uint32_t width, bool is_signed) {
    return width < a->width ? ls_extract(ctx, a, 0, width) : extend(ctx, a, width, is_signed);
}

static uint32_t number_of(ls_terms *ctx, ls_function f) {
    char key[sizeof f.kind + sizeof f.of + sizeof f.part]; /* the struct may have gaps */
    memcpy(key, &f.kind, sizeof f.kind);
    memcpy(key + sizeof f.kind, &f.of, sizeof f.of);
    memcpy(key + sizeof f.kind + sizeof f.of, &f.part, sizeof f.part);
    uintptr_t known = (uintptr_t)ls_map_get(&ctx->function_numbers, key, sizeof key);
    if (known) return (uint32_t)known - 1;
    LS_VEC_PUSH(&ctx->functions, f);
    const char *kept = ls_arena_strndup(&ctx->arena, key, sizeof key);
    *ls_map_at(&ctx->function_numbers, kept, sizeof key) = (void *)(uintptr_t)ctx->functions.length;
    return ctx->functions.length - 1;
}

const ls_term *ls_uf_again(ls_terms *ctx, const ls_term *term, const ls_term *const *args) {
    return ls_intern(
        ctx,
        (ls_term){
            .op = LS_T_UF, .width = term->width, .value = term->value, .count = term->count, .args = args});
}

const ls_term *ls_uf(ls_terms *ctx, ls_function function, uint32_t width, const ls_term *const *args,
                     uint32_t count) {
    ls_term like = {.width = (uint8_t)width, .value = number_of(ctx, function), .count = count};
    return ls_uf_again(ctx, &like, args);
}
