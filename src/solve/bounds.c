/* Bounds by equations (bounds.h): what is known of the value of a term is passed down to its operands, whose
 * other parts have the ranges that hold always. A sum of bits of a fixed width is one of integers only where
 * the two differ by less than 2^width, whatever its parts are; that is looked at first, and nothing is passed
 * down where it is not so. */
#include "solve/bounds.h"

typedef __int128 wide;

enum { DEEPEST = 12 };
static const wide BEYOND = (wide)1 << 100; /* farther than any sum of 64 bits */

typedef struct {
    const ls_term *symbol;
    ls_bounds found;
} pushing;

typedef struct {
    wide lo, hi;
} range;

static bool has_symbol(const ls_term *t, const ls_term *symbol) {
    ls_term_list leaves = {0};
    bool found = false;
    ls_leaves(&t, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) found |= leaves.items[i] == symbol;
    LS_VEC_FREE(&leaves);
    return found;
}

static wide floor_of(wide a, wide b) {
    wide q = a / b;
    return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* coefficient · operand, as integers. */
static range scaled(const ls_term *operand, int64_t coefficient) {
    wide a = (wide)operand->slo * coefficient, b = (wide)operand->shi * coefficient;
    return a < b ? (range){a, b} : (range){b, a};
}

static void push(pushing *p, const ls_term *t, range in, uint32_t depth);

/* One operand of a sum: what is left for it when all others are what they may be. */
static void push_part(pushing *p, const ls_term *sum, uint32_t at, range in, uint32_t depth) {
    int64_t coefficient = ls_signed(sum->coefs[at], sum->width);
    range rest = {in.lo - ls_signed(sum->value, sum->width), in.hi - ls_signed(sum->value, sum->width)};
    for (uint32_t i = 0; i < sum->count; i++) {
        if (i == at) continue;
        range other = scaled(sum->args[i], ls_signed(sum->coefs[i], sum->width));
        rest.lo -= other.hi;
        rest.hi -= other.lo;
        if (rest.hi - rest.lo > BEYOND) return;
    }
    range own = scaled(sum->args[at], coefficient);
    const wide ring = (wide)1 << sum->width;
    if (!coefficient || own.hi - rest.lo >= ring || rest.hi - own.lo >= ring) return;
    range down = coefficient > 0 ? (range){-floor_of(-rest.lo, coefficient), floor_of(rest.hi, coefficient)}
                                 : (range){-floor_of(-rest.hi, coefficient), floor_of(rest.lo, coefficient)};
    push(p, sum->args[at], down, depth + 1);
}

static void push(pushing *p, const ls_term *t, range in, uint32_t depth) {
    if (in.lo < t->slo) in.lo = t->slo;
    if (in.hi > t->shi) in.hi = t->shi;
    const ls_term *a = t->count ? t->args[0] : NULL, *b = t->count > 1 ? t->args[1] : NULL;
    bool by_constant = b && b->op == LS_T_CONST;
    if (t == p->symbol) {
        if (in.lo > p->found.lo) p->found.lo = (int64_t)in.lo;
        if (in.hi < p->found.hi) p->found.hi = (int64_t)in.hi;
    } else if (depth == DEEPEST || in.lo > in.hi) {
        return; /* where nothing is left, the equation itself is false, which others see */
    } else if (t->op == LS_T_LIN) {
        for (uint32_t i = 0; i < t->count; i++)
            if (has_symbol(t->args[i], p->symbol)) push_part(p, t, i, in, depth);
    } else if (t->op == LS_T_SEXT) {
        push(p, a, in, depth + 1);
    } else if (t->op == LS_T_ZEXT && in.hi <= (wide)(ls_mask(a->width) >> 1)) {
        push(p, a, in, depth + 1);
    } else if (t->op == LS_T_ASHR && by_constant && b->value < t->width) {
        const wide unit = (wide)1 << b->value;
        push(p, a, (range){in.lo * unit, in.hi * unit + unit - 1}, depth + 1);
    } else if (t->op == LS_T_SDIV && by_constant && ls_signed(b->value, b->width) > 0) {
        const wide unit = ls_signed(b->value, b->width);
        push(p, a, (range){in.lo * unit - (unit - 1), in.hi * unit + (unit - 1)}, depth + 1);
    }
}

ls_bounds ls_bounds_of(ls_terms *terms, const ls_term *symbol, const ls_term *const *conjuncts,
                       uint32_t count) {
    pushing p = {.symbol = symbol, .found = {symbol->slo, symbol->shi}};
    for (uint32_t i = 0; i < count; i++) {
        const ls_term *c = conjuncts[i];
        if (c->op != LS_T_EQ || c->args[0]->width == 1 || !has_symbol(c, symbol)) continue;
        push(&p, ls_sub(terms, c->args[0], c->args[1]), (range){0, 0}, 0);
    }
    return p.found;
}
