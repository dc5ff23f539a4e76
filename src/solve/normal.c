/* A query as a conjunction, before any solver is asked: its parts, what they say is constant, what is
 * exchanged between lanes, what holds in all arms of a disjunction; and whether a model satisfies it. */
#include "solve/normal.h"

/* --- Normal forms ----------------------------------------------------------------------------------------
 */

/* Not (not a or not b): both hold. */
static bool says_both(const ls_term *t) {
    const ls_term *either = t->op == LS_T_NOT ? t->args[0] : NULL;
    return either && either->op == LS_T_OR && either->width == 1 && either->args[0]->op == LS_T_NOT &&
           either->args[1]->op == LS_T_NOT;
}

/* Adds the conjuncts of `t`; false where it is false. */
bool ls_add_conjunct(ls_term_list *out, const ls_term *t) {
    LS_VEC(const ls_term *) stack = {0};
    LS_VEC_PUSH(&stack, t);
    bool possible = true;
    while (stack.length && possible) {
        t = stack.items[--stack.length];
        if (t->op == LS_T_AND && t->width == 1) {
            LS_VEC_PUSH(&stack, t->args[0]);
            LS_VEC_PUSH(&stack, t->args[1]);
        } else if (says_both(t)) {
            LS_VEC_PUSH(&stack, t->args[0]->args[0]->args[0]);
            LS_VEC_PUSH(&stack, t->args[0]->args[1]->args[0]);
        } else if (ls_is_false(t)) {
            possible = false;
        } else if (!ls_is_true(t)) {
            bool there = false;
            for (uint32_t i = 0; i < out->length && !there; i++) there = out->items[i] == t;
            if (!there) LS_VEC_PUSH(out, t);
        }
    }
    LS_VEC_FREE(&stack);
    return possible;
}

typedef struct {
    const ls_term *symbol, *value;
} binding;
typedef LS_VEC(binding) bindings;

static const ls_term *bound(ls_subst *subst, const ls_term *symbol) {
    const bindings *all = subst->data;
    for (uint32_t i = 0; i < all->length; i++)
        if (all->items[i].symbol == symbol) return all->items[i].value;
    return symbol;
}

/* symbol = constant, or a predicate symbol itself or its negation. */
static bool is_binding(ls_terms *ctx, const ls_term *t, binding *out) {
    if (t->op == LS_T_SYM && t->width == 1) {
        *out = (binding){t, ls_true(ctx)};
        return true;
    }
    if (t->op == LS_T_NOT && t->args[0]->op == LS_T_SYM) {
        *out = (binding){t->args[0], ls_false(ctx)};
        return true;
    }
    if (t->op != LS_T_EQ) return false;
    const ls_term *a = t->args[0], *b = t->args[1];
    if (a->op == LS_T_CONST) {
        const ls_term *swap = a;
        a = b;
        b = swap;
    }
    if (a->op != LS_T_SYM || b->op != LS_T_CONST) return false;
    *out = (binding){a, b};
    return true;
}

/* Substitutes what is known to be constant until nothing more is; false where the query became false. The
 * bindings stay in the query, so that a model has them. */
bool ls_propagate(ls_solver *s, ls_term_list *query) {
    bindings all = {0};
    bool possible = true;
    for (int round = 0; round < 8 && possible; round++) {
        uint32_t before = all.length;
        for (uint32_t i = 0; i < query->length; i++) {
            binding b;
            if (!is_binding(s->terms, query->items[i], &b)) continue;
            bool there = false;
            for (uint32_t k = 0; k < all.length && !there; k++) there = all.items[k].symbol == b.symbol;
            if (!there) LS_VEC_PUSH(&all, b);
        }
        if (all.length == before) break;
        ls_subst subst = {.ctx = s->terms, .replace = bound, .data = &all};
        ls_term_list next = {0};
        for (uint32_t k = 0; k < all.length; k++) {
            const ls_term *keep =
                all.items[k].symbol->width == 1
                    ? (ls_is_true(all.items[k].value) ? all.items[k].symbol
                                                      : ls_not(s->terms, all.items[k].symbol))
                    : ls_eq(s->terms, all.items[k].symbol, all.items[k].value);
            possible &= ls_add_conjunct(&next, keep);
        }
        for (uint32_t i = 0; i < query->length && possible; i++)
            possible = ls_add_conjunct(&next, ls_substitute(&subst, query->items[i]));
        ls_subst_free(&subst);
        LS_VEC_FREE(query);
        *query = next;
    }
    LS_VEC_FREE(&all);
    return possible;
}

/* --- Exchanges -------------------------------------------------------------------------------------------
 */

/* What is extended to the width of a sum. */
static const ls_term *inner(const ls_term *t) {
    return t->op == LS_T_ZEXT || t->op == LS_T_SEXT ? t->args[0] : t;
}

static bool is_small(const ls_term *t) {
    return t->slo >= -(INT64_C(1) << 32) && t->shi <= INT64_C(1) << 32;
}

/* The sum is c·a - c·b where nothing wraps around: it is 0 only where the two are equal. */
static bool is_difference(const ls_term *sum, const ls_term **a, const ls_term **b) {
    bool two = sum->op == LS_T_LIN && !sum->value && sum->count == 2 && sum->coefs[0] + sum->coefs[1] == 0 &&
               sum->width == 64;
    if (!two || !is_small(sum->args[0]) || !is_small(sum->args[1])) return false;
    int64_t factor = (int64_t)sum->coefs[0];
    if (factor < -(1 << 24) || factor > 1 << 24) return false;
    *a = sum->args[0];
    *b = sum->args[1];
    return true;
}

/* c·a - c·b = 0 where nothing wraps around, or a = b: the two, which are then equal. */
static bool equal_terms(const ls_term *t, const ls_term **a, const ls_term **b) {
    if (t->op != LS_T_EQ) return false;
    *a = t->args[0];
    *b = t->args[1];
    const ls_term *sum = ls_is_const(*a) ? *b : *a, *zero = ls_is_const(*a) ? *a : *b;
    if (ls_is_const(zero) && (zero->value || !is_difference(sum, a, b))) return false;
    *a = inner(*a);
    *b = inner(*b);
    return (*a)->width == (*b)->width;
}

/* x ^ symbol = y, as where threads exchange values with the one at t ^ j: the symbol is x ^ y. */
static bool is_exchange(ls_terms *ctx, const ls_term *t, binding *out) {
    const ls_term *sides[2];
    if (!equal_terms(t, &sides[0], &sides[1])) return false;
    for (int i = 0; i < 4; i++) {
        const ls_term *x = sides[i / 2], *y = sides[1 - i / 2];
        if (x->op != LS_T_XOR || x->args[i % 2]->op != LS_T_SYM) continue;
        *out = (binding){x->args[i % 2], ls_binary(ctx, LS_T_XOR, x->args[1 - i % 2], y)};
        ls_term_list leaves = {0};
        bool inside = false;
        ls_leaves(&out->value, 1, &leaves);
        for (uint32_t k = 0; k < leaves.length; k++) inside |= leaves.items[k] == out->symbol;
        LS_VEC_FREE(&leaves);
        if (!inside) return true;
    }
    return false;
}

/* x ^ z = y ^ z: x and y are equal. */
static const ls_term *same_exchange(ls_terms *ctx, const ls_term *t) {
    const ls_term *x, *y;
    if (!equal_terms(t, &x, &y) || x->op != LS_T_XOR || y->op != LS_T_XOR) return NULL;
    for (int i = 0; i < 4; i++)
        if (x->args[i / 2] == y->args[i % 2]) return ls_eq(ctx, x->args[1 - i / 2], y->args[1 - i % 2]);
    return NULL;
}

/* Puts what is exchanged with in terms of who exchanges; false where the query became false. The equation
 * stays, so that a model has the symbol, and its range. */
bool ls_solve_exchange(ls_solver *s, ls_term_list *query) {
    bindings one = {0};
    binding found;
    uint32_t at = 0, count = query->length;
    for (uint32_t i = 0; i < count; i++) {
        const ls_term *same = same_exchange(s->terms, query->items[i]);
        if (same && !ls_add_conjunct(query, same)) return false;
    }
    while (at < query->length && !is_exchange(s->terms, query->items[at], &found)) at++;
    if (at == query->length) return true;
    LS_VEC_PUSH(&one, found);
    ls_subst subst = {.ctx = s->terms, .replace = bound, .data = &one};
    ls_term_list next = {0};
    bool possible = ls_add_conjunct(&next, query->items[at]);
    for (uint32_t i = 0; i < query->length && possible; i++)
        if (i != at) possible = ls_add_conjunct(&next, ls_substitute(&subst, query->items[i]));
    ls_subst_free(&subst);
    LS_VEC_FREE(&one);
    LS_VEC_FREE(query);
    *query = next;
    return possible;
}

/* --- What both sides of an equation have -------------------------------------------------------------------
 */

/* The same equation without what both sides have, where two numbers are left of it: base + 4·a = base + 4·b
 * is a = b. */
static const ls_term *shortened(ls_terms *ctx, const ls_term *t) {
    const ls_term *a, *b, *equation = t->op == LS_T_NOT ? t->args[0] : t;
    if (equation->op != LS_T_EQ || (equation->args[0]->op != LS_T_LIN && equation->args[1]->op != LS_T_LIN))
        return t;
    if (!is_difference(ls_sub(ctx, equation->args[0], equation->args[1]), &a, &b)) return t;
    bool extended = a->op == b->op && (a->op == LS_T_ZEXT || a->op == LS_T_SEXT);
    if (extended && a->args[0]->width == b->args[0]->width) {
        a = a->args[0];
        b = b->args[0];
    }
    const ls_term *same = ls_eq(ctx, a, b);
    return t->op == LS_T_NOT ? ls_not(ctx, same) : same;
}

/* How far the parts of a sum that `unit` divides, or the others with the constant, can be from 0; or farther
 * than any sum of 64 bits is. */
static __int128 farthest(const ls_term *sum, int64_t unit, bool divided) {
    const __int128 beyond = (__int128)1 << 100;
    int64_t constant = divided ? 0 : ls_signed(sum->value, sum->width);
    __int128 lo = constant, hi = constant;
    for (uint32_t i = 0; i < sum->count; i++) {
        int64_t factor = ls_signed(sum->coefs[i], sum->width);
        if ((factor % unit == 0) != divided) continue;
        __int128 a = (__int128)factor * sum->args[i]->slo, b = (__int128)factor * sum->args[i]->shi;
        lo += a < b ? a : b;
        hi += a < b ? b : a;
        if (hi - lo > beyond) return beyond;
    }
    return -lo > hi ? -lo : hi;
}

/* The parts of a sum that `unit` divides, or the others. */
static const ls_term *parts_of(ls_terms *ctx, const ls_term *sum, int64_t unit, bool divided) {
    const ls_term *out = ls_const(ctx, sum->width, divided ? 0 : sum->value);
    for (uint32_t i = 0; i < sum->count; i++)
        if ((ls_signed(sum->coefs[i], sum->width) % unit == 0) == divided)
            out = ls_add(ctx, out, ls_scale(ctx, sum->args[i], sum->coefs[i]));
    return out;
}

/* 64·x + y = 0 where y is less than 64 away from 0, and nothing wraps: both are 0. An equation of rows and
 * columns becomes two. NULL: it is none of that kind. */
static const ls_term *split_equation(ls_terms *ctx, const ls_term *t) {
    const __int128 most = (__int128)1 << 62;
    const ls_term *sum =
        t->op == LS_T_EQ && t->args[0]->width == 64 ? ls_sub(ctx, t->args[0], t->args[1]) : t;
    for (uint32_t i = 0; sum->op == LS_T_LIN && i < sum->count; i++) {
        int64_t unit = ls_signed(sum->coefs[i], sum->width);
        if (unit < 0) unit = unit == INT64_MIN ? 0 : -unit;
        if (unit < 2 || farthest(sum, unit, false) >= unit || farthest(sum, unit, true) >= most) continue;
        const ls_term *zero = ls_const(ctx, sum->width, 0), *rest = parts_of(ctx, sum, unit, false);
        if (rest == zero) continue; /* all of it is divided */
        return ls_and(ctx, ls_eq(ctx, parts_of(ctx, sum, unit, true), zero), ls_eq(ctx, rest, zero));
    }
    return NULL;
}

enum { MOST_SPLITS = 8 };

static bool add_shortened(ls_terms *ctx, ls_term_list *out, const ls_term *t, uint32_t depth) {
    const ls_term *two = depth < MOST_SPLITS ? split_equation(ctx, t) : NULL;
    if (!two || two->op != LS_T_AND) return ls_add_conjunct(out, two ? two : shortened(ctx, t));
    return add_shortened(ctx, out, two->args[0], depth + 1) &&
           add_shortened(ctx, out, two->args[1], depth + 1);
}

/* Shortens all equations; false where the query became false. */
bool ls_shorten_equations(ls_solver *s, ls_term_list *query) {
    ls_term_list next = {0};
    bool possible = true;
    for (uint32_t i = 0; i < query->length && possible; i++)
        possible = add_shortened(s->terms, &next, query->items[i], 0);
    LS_VEC_FREE(query);
    *query = next;
    return possible;
}

/* --- What holds whichever way -----------------------------------------------------------------------------
 */

enum { MOST_PARTS = 400 }; /* of a condition that are looked at */

/* The predicates without which `t` does not hold: all parts of a ls_term_list, what the arms of a disjunction
 * have in common. */
static void find_necessary(const ls_term *t, uint32_t *left, ls_term_list *out) {
    if (!*left) return;
    --*left;
    if (t->op == LS_T_AND && t->width == 1) {
        find_necessary(t->args[0], left, out);
        find_necessary(t->args[1], left, out);
    } else if (t->op == LS_T_OR && t->width == 1) {
        ls_term_list one = {0}, two = {0};
        find_necessary(t->args[0], left, &one);
        find_necessary(t->args[1], left, &two);
        for (uint32_t i = 0; i < one.length; i++)
            for (uint32_t k = 0; k < two.length; k++)
                if (one.items[i] == two.items[k]) ls_add_conjunct(out, one.items[i]);
        LS_VEC_FREE(&one);
        LS_VEC_FREE(&two);
    } else {
        LS_VEC_PUSH(out, t);
    }
}

/* Adds what all arms of a disjunction say: that one thread is in the branch that the block has taken, and the
 * other in the one that it has not, is then seen at once. */
void ls_add_necessary(ls_term_list *query) {
    ls_term_list found = {0};
    uint32_t left = MOST_PARTS;
    for (uint32_t i = 0; i < query->length; i++)
        if (query->items[i]->op == LS_T_OR) find_necessary(query->items[i], &left, &found);
    for (uint32_t i = 0; i < found.length; i++) ls_add_conjunct(query, found.items[i]);
    LS_VEC_FREE(&found);
}

/* --- Contradictions --------------------------------------------------------------------------------------
 */

/* One number is at least another one, or by `apart` more. */
typedef struct {
    const ls_term *more, *less;
    uint32_t apart;
} order;

static const ls_term *unextended(const ls_term *t) {
    return t->op == LS_T_ZEXT ? t->args[0] : t;
}

static bool is_order(const ls_term *t, order *out) {
    bool negated = t->op == LS_T_NOT;
    const ls_term *c = negated ? t->args[0] : t;
    if (c->op != LS_T_ULT) return false;
    const ls_term *a = unextended(c->args[0]), *b = unextended(c->args[1]);
    *out = negated ? (order){a, b, 0} : (order){b, a, 1};
    return true;
}

enum { MOST_FACTOR = 1 << 20 };

/* The range of factor·more - factor·less + constant, in which nothing wraps. */
static bool find_difference(const ls_term *sum, const order *o, uint64_t *lo, uint64_t *hi) {
    uint32_t first = unextended(sum->args[0]) == o->more ? 0 : 1;
    if (unextended(sum->args[first]) != o->more || unextended(sum->args[1 - first]) != o->less) return false;
    int64_t factor = ls_signed(sum->coefs[first], sum->width);
    bool opposite = !((sum->coefs[0] + sum->coefs[1]) & ls_mask(sum->width));
    if (!opposite || factor <= 0 || factor > MOST_FACTOR || o->more->uhi < o->less->ulo) return false;
    __int128 base = ls_signed(sum->value, sum->width), least = base + (__int128)factor * o->apart,
             most = base + (__int128)factor * (o->more->uhi - o->less->ulo);
    if (least < 0 || most > ls_mask(sum->width)) return false;
    *lo = (uint64_t)least;
    *hi = (uint64_t)most;
    return true;
}

/* The range of a difference of two numbers that a conjunct compares: an index that is moved back by no more
 * than what it is. */
static bool find_range(const ls_term *sum, const ls_term_list *query, uint64_t *lo, uint64_t *hi) {
    if (sum->op != LS_T_LIN || sum->count != 2) return false;
    for (uint32_t i = 0; i < query->length; i++) {
        order o;
        if (is_order(query->items[i], &o) && find_difference(sum, &o, lo, hi)) return true;
    }
    return false;
}

/* A comparison with a constant that the range of the difference excludes. */
static bool is_out_of_range(const ls_term *t, const ls_term_list *query) {
    bool negated = t->op == LS_T_NOT;
    const ls_term *c = negated ? t->args[0] : t;
    uint64_t lo, hi;
    if (c->op != LS_T_ULT) return false;
    const ls_term *a = c->args[0], *b = c->args[1];
    if (ls_is_const(a) && find_range(b, query, &lo, &hi)) return negated ? lo > a->value : hi <= a->value;
    if (ls_is_const(b) && find_range(a, query, &lo, &hi)) return negated ? hi < b->value : lo >= b->value;
    return false;
}

/* t and not t, or what differences cannot be. */
bool ls_contradicts(const ls_term_list *query) {
    ls_intmap there = {0};
    bool found = false;
    for (uint32_t i = 0; i < query->length; i++) {
        bool is_new;
        ls_intmap_at(&there, query->items[i]->id, &is_new);
    }
    for (uint32_t i = 0; i < query->length && !found; i++) {
        const ls_term *t = query->items[i];
        uint64_t ignored;
        found = (t->op == LS_T_NOT && ls_intmap_get(&there, t->args[0]->id, &ignored)) ||
                is_out_of_range(t, query);
    }
    ls_intmap_free(&there);
    return found;
}

/* --- Exact replay of a model -----------------------------------------------------------------------------
 */

static uint64_t look_up(void *data, const ls_term *leaf) {
    return ls_model_value(data, leaf);
}

bool ls_model_holds(ls_solver *s, const ls_term_list *query) {
    ls_eval eval = {.lookup = look_up, .data = s};
    bool all = true;
    for (uint32_t i = 0; i < query->length && all; i++) all = ls_evaluate(&eval, query->items[i]) == 1;
    ls_term_list leaves = {0};
    if (all) ls_leaves(query->items, query->length, &leaves);
    for (uint32_t i = 0; i < leaves.length && all; i++) { /* ranges are part of what symbols mean */
        const ls_term *t = leaves.items[i];
        uint64_t v = ls_model_value(s, t);
        int64_t sv = ls_signed(v, t->width);
        if (t->op == LS_T_SYM) all = v >= t->ulo && v <= t->uhi && sv >= t->slo && sv <= t->shi;
    }
    LS_VEC_FREE(&leaves);
    ls_intmap_free(&eval.memo);
    return all;
}
