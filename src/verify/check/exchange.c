/* Exchanges, as in a bitonic sort or a butterfly (exchange.h). For a solver with numbers a ^ b is a number
 * that has little to do with a and b; for one with bits, the comparisons are hard. */
#include "verify/check/exchange.h"

enum { MOST = 4, MOST_TERMS = 500 };

typedef struct {
    const ls_term *terms[MOST]; /* own ^ mask */
    const ls_term *own[MOST], *mask[MOST];
    uint32_t count;
} exchanges;

static void add(exchanges *e, const ls_term *t) {
    for (uint32_t k = 0; k < 2; k++) {
        const ls_term *mask = t->args[k], *own = t->args[1 - k];
        if (mask->scope != LS_SCOPE_GRID || ls_is_const(mask) || own->scope == LS_SCOPE_GRID) continue;
        for (uint32_t i = 0; i < e->count; i++)
            if (e->terms[i] == t) return;
        if (e->count == MOST) return;
        e->terms[e->count] = t, e->own[e->count] = own, e->mask[e->count++] = mask;
        return;
    }
}

static void find(exchanges *e, const ls_event *in) {
    ls_term_walk walk = {0};
    const ls_term *roots[] = {in->address, in->when}, *t;
    ls_walk_add(&walk, roots, 2);
    while (walk.count < MOST_TERMS && (t = ls_walk_next(&walk))) {
        if (t->op == LS_T_XOR && t->width > 1) add(e, t);
        ls_walk_add(&walk, t->args, t->count);
    }
    ls_walk_free(&walk);
}

static const ls_term *either_both(ls_terms *t, const ls_term *a, const ls_term *b) {
    return ls_or(t, ls_and(t, a, b), ls_and(t, ls_not(t, a), ls_not(t, b)));
}

void ls_query_exchanges(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_terms *t = &q->view.p->terms;
    exchanges one = {.count = 0}, two = {.count = 0};
    find(&one, a);
    find(&two, b);
    for (uint32_t i = 0; i < one.count; i++)
        for (uint32_t k = 0; k < two.count; k++) {
            if (one.mask[i] != two.mask[k]) continue;
            const ls_term *u = ls_query_term(q, 1, one.own[i]), *v = ls_query_term(q, 2, two.own[k]);
            const ls_term *x = ls_query_term(q, 1, one.terms[i]), *y = ls_query_term(q, 2, two.terms[k]);
            ls_query_claim(q, either_both(t, ls_eq(t, u, y), ls_eq(t, v, x)));
            ls_query_claim(q, either_both(t, ls_eq(t, u, v), ls_eq(t, x, y)));
        }
}
