/* Quotients of the number of a tile. Kernels that go from tile to tile get a tile's row and column from its
 * number, by quotients that depend on the launch and on each other, so that tiles which share a part of the
 * input run at the same time (CUTLASS's and DeepGEMM's rasters):
 *
 *     group = tile / (8 * columns); rows = min(8, all_rows - 8 * group); in = tile - group * 8 * columns;
 *     column = in / rows; row = 8 * group + (in - column * rows);
 *
 * That different tiles have different rows or columns follows from few facts, which a solver does not find
 * among products of unknowns. For x / w they are: with r = x - x / w * w, r is below w; x / w is at most x
 * over the least that w can be; where x is below a * n, and w is c * n, c * (x / w) is below a; and two
 * numbers with the same quotient and r, by the same w, are the same. By zero, all bits of the quotient are
 * set. So quotient, r and product become numbers of their own, of which only that is known. */
#include "verify/check/tile_numbers.h"

#include <stdlib.h>

enum { MOST_QUOTIENTS = 16 };

typedef struct {
    const ls_term *term, *number, *by; /* x / w, both as they are in the new query */
    const ls_term *quotient, *rest;
    const ls_term *divisor, *factor; /* as it was; it is `times` of the factor */
    uint64_t times;
    bool guarded;
} quotient;

typedef struct {
    ls_query *q;
    ls_subst subst;
    ls_term_list terms; /* all of the query's, operands first */
    ls_term_list facts;
    quotient all[MOST_QUOTIENTS];
    uint32_t count;
} naming;

static const ls_term *same_symbol(ls_subst *subst, const ls_term *symbol) {
    (void)subst;
    return symbol;
}

static const ls_term *name(naming *n, const char *what, uint32_t width) {
    const uint64_t most = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    return ls_symbol(n->subst.ctx, what, width, LS_SCOPE_GRID, LS_SYM_INPUT, 0, most);
}

static void replace(naming *n, const ls_term *term, const ls_term *by) {
    *ls_intmap_at(&n->subst.memo, term->id, NULL) = (uint64_t)(uintptr_t)by;
}

static void claim(naming *n, const ls_term *fact) {
    LS_VEC_PUSH(&n->facts, fact);
}

static bool is_quotient(const ls_term *term) {
    return term->op == LS_T_UDIV && !ls_is_const(term->args[1]);
}

static int by_age(const void *a, const void *b) {
    const ls_term *const *one = a, *const *other = b;
    return ((*one)->id > (*other)->id) - ((*one)->id < (*other)->id);
}

/* A divisor as a number times a factor. By zero PTX says nothing of a quotient, and it is divided by 1. */
static void split_divisor(quotient *d, const ls_term *w) {
    const bool guarded = w->op == LS_T_ITE && w->args[0]->op == LS_T_EQ && ls_is_const(w->args[1]) &&
                         w->args[1]->value == 1 && w->args[0]->args[0] == w->args[2] &&
                         ls_is_const(w->args[0]->args[1]) && !w->args[0]->args[1]->value;
    if (guarded) w = w->args[2];
    d->guarded = guarded;
    d->divisor = w;
    const bool scaled = w->op == LS_T_LIN && w->count == 1 && !w->value;
    d->factor = scaled ? w->args[0] : w;
    d->times = scaled ? w->coefs[0] : 1;
}

/* What is known of the quotient by itself. */
static void name_quotient(naming *n, const ls_term *term) {
    ls_terms *t = n->subst.ctx;
    quotient *d = &n->all[n->count++];
    const uint32_t width = term->width;
    *d = (quotient){.term = term, .quotient = name(n, "quotient", width), .rest = name(n, "rest", width)};
    d->number = ls_substitute(&n->subst, term->args[0]);
    split_divisor(d, term->args[1]);
    d->by = ls_substitute(&n->subst, d->divisor);
    replace(n, term, d->quotient);
    const ls_term *none = ls_eq(t, d->by, ls_const(t, width, 0));
    const uint64_t least = d->times & (0 - d->times); /* of multiples of it, but for 0 */
    const ls_term *most = ls_binary(t, LS_T_UDIV, d->number, ls_const(t, width, least));
    claim(n, ls_or(t, none, ls_ult(t, d->rest, d->by)));
    claim(n, ls_or(t, none, ls_not(t, ls_ult(t, most, d->quotient))));
    const ls_term *by_none = d->guarded ? d->number : ls_const(t, width, UINT64_MAX);
    claim(n, ls_or(t, ls_not(t, none), ls_eq(t, d->quotient, by_none)));
    claim(n, ls_or(t, ls_not(t, none), ls_eq(t, d->rest, d->number)));
}

/* The quotient, or what stands for it where it is by zero; of a product with zero that makes no difference.
 */
static bool is_it(const quotient *d, const ls_term *term) {
    return term == d->term || (term->op == LS_T_ITE && term->args[2] == d->term &&
                               term->args[0]->op == LS_T_EQ && term->args[0]->args[0] == d->divisor &&
                               ls_is_const(term->args[0]->args[1]) && !term->args[0]->args[1]->value);
}

/* Without the lowest bits: a difference. */
static void name_multiple(naming *n, const ls_term *term) {
    ls_terms *t = n->subst.ctx;
    const ls_term *mask = term->args[1], *x = term->args[0];
    if (!ls_is_const(mask) || !mask->value || x->uhi >= UINT64_C(1) << 63) return;
    const uint64_t low = mask->value & (0 - mask->value);
    if ((mask->value + low) & mask->value || x->uhi >= mask->value + low) return; /* of bits in a row */
    const ls_term *rest = ls_binary(t, LS_T_UREM, x, ls_const(t, x->width, low));
    replace(n, term, ls_substitute(&n->subst, ls_sub(t, x, rest)));
}

/* A product of two: of a quotient and its divisor's factor it is what the rest says. */
static void name_product(naming *n, const ls_term *term) {
    ls_terms *t = n->subst.ctx;
    const ls_term *product = name(n, "product", term->width);
    replace(n, term, product);
    for (uint32_t i = 0; i < n->count && term->count == 2; i++) {
        const quotient *d = &n->all[i];
        for (uint32_t k = 0; k < 2; k++)
            if (is_it(d, term->args[k]) && term->args[1 - k] == d->factor)
                claim(n, ls_eq(t, ls_scale(t, product, d->times), ls_sub(t, d->number, d->rest)));
    }
}

/* x < a * n, for a quotient of x by c * n. */
static void bound_quotient(naming *n, const ls_term *below) {
    ls_terms *t = n->subst.ctx;
    const ls_term *product = below->args[1];
    if (below->op != LS_T_ULT || product->op != LS_T_MUL || product->count != 2) return;
    for (uint32_t i = 0; i < n->count; i++) {
        const quotient *d = &n->all[i];
        for (uint32_t k = 0; k < 2; k++) {
            if (d->term->args[0] != below->args[0] || product->args[k] != d->factor) continue;
            const ls_term *a = ls_substitute(&n->subst, product->args[1 - k]);
            const ls_term *holds = ls_substitute(&n->subst, below);
            const ls_term *none = ls_eq(t, d->by, ls_const(t, d->by->width, 0));
            const ls_term *less = ls_ult(t, ls_scale(t, d->quotient, d->times), a);
            claim(n, ls_or(t, ls_not(t, holds), ls_or(t, none, less)));
        }
    }
}

static void compare_quotients(naming *n) {
    ls_terms *t = n->subst.ctx;
    for (uint32_t i = 0; i < n->count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const quotient *a = &n->all[i], *b = &n->all[k];
            if (a->quotient->width != b->quotient->width) continue;
            const ls_term *same = ls_and(t, ls_eq(t, a->quotient, b->quotient), ls_eq(t, a->rest, b->rest));
            same = ls_and(t, same, ls_eq(t, a->by, b->by));
            claim(n, ls_or(t, ls_not(t, same), ls_eq(t, a->number, b->number)));
        }
}

/* Names all of them; false: there is nothing to be named, or too much. */
static bool name_all(naming *n) {
    uint32_t quotients = 0;
    ls_term_walk walk = {0};
    ls_walk_add(&walk, n->q->conjuncts.items, n->q->conjuncts.length);
    for (const ls_term *a = ls_walk_down(&walk); a; a = ls_walk_down(&walk)) {
        LS_VEC_PUSH(&n->terms, a);
        quotients += is_quotient(a);
    }
    ls_walk_free(&walk);
    if (quotients > MOST_QUOTIENTS) return false;
    qsort(n->terms.items, n->terms.length, sizeof *n->terms.items, by_age); /* operands are older */
    for (uint32_t i = 0; i < n->terms.length; i++) {
        if (is_quotient(n->terms.items[i])) name_quotient(n, n->terms.items[i]);
        if (n->terms.items[i]->op == LS_T_MUL) name_product(n, n->terms.items[i]);
        if (n->terms.items[i]->op == LS_T_AND && n->terms.items[i]->width > 1)
            name_multiple(n, n->terms.items[i]);
    }
    for (uint32_t i = 0; i < n->terms.length; i++) bound_quotient(n, n->terms.items[i]);
    compare_quotients(n);
    return true;
}

const ls_term *ls_tile_number(const ls_term *term) {
    const ls_term *number = NULL;
    ls_term_walk walk = {0};
    ls_walk_add(&walk, &term, 1);
    for (const ls_term *a = ls_walk_down(&walk); a; a = ls_walk_down(&walk)) {
        const bool divides = a->op == LS_T_UDIV || a->op == LS_T_UREM;
        if (divides && a->args[0]->op == LS_T_LIN && (!number || a->args[0]->id < number->id))
            number = a->args[0]; /* the oldest: it is made of no other one */
    }
    ls_walk_free(&walk);
    return number;
}

void ls_name_quotients(ls_query *q, const ls_term *const tiles[2]) {
    naming n = {.q = q, .subst = {.ctx = &q->view.p->terms, .replace = same_symbol}};
    for (int i = 0; i < 2; i++)
        replace(&n, tiles[i],
                ls_symbol(n.subst.ctx, "tile", tiles[i]->width, LS_SCOPE_GRID, LS_SYM_INPUT, tiles[i]->ulo,
                          tiles[i]->uhi));
    if (name_all(&n)) {
        for (uint32_t i = 0; i < q->conjuncts.length; i++)
            q->conjuncts.items[i] = ls_substitute(&n.subst, q->conjuncts.items[i]);
        for (uint32_t i = 0; i < n.facts.length; i++) ls_query_claim(q, n.facts.items[i]);
    }
    ls_subst_free(&n.subst);
    LS_VEC_FREE(&n.terms);
    LS_VEC_FREE(&n.facts);
}
