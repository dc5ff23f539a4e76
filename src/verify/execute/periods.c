/* Values that come again: the stage and the phase of a ring (`if (++stage == 3) stage = 0, phase ^= 1`), a
 * buffer of two that is the other one in every iteration. They start as constants and develop by themselves
 * alone, whatever else the loop does; so they are listed until all of them are what they were in the
 * beginning, or soon behind it (Triton's stages start at -1), and from there on they are what the list says
 * for k modulo its length. The two usual shapes are written as arithmetic, by which solvers get further:
 * (k + c) % n for a stage, (k + c) / n % 2 for a phase. */
#include "verify/execute/loops.h"

#include <string.h>

enum { MOST_PERIOD = 64, MOST_TAIL = 4, MOST_CONDITIONS = 64, MOST_LOST = 8 };

typedef struct {
    const ls_loop_entry *e;
    bool *member;         /* by phi */
    const ls_term *taken; /* the condition of the way round that is looked at */
} circle;

static const ls_term *last_of(const ls_loop_phi *phi) {
    return phi->trace.items[phi->trace.length - 1];
}

/* The symbol is true wherever the condition holds. */
static bool follows_from(const ls_term *condition, const ls_term *symbol, uint32_t *budget) {
    if (condition == symbol) return true;
    if ((condition->op != LS_T_AND && condition->op != LS_T_OR) || !*budget) return false;
    --*budget;
    const bool one = follows_from(condition->args[0], symbol, budget);
    if (one == (condition->op == LS_T_AND)) return one;
    return follows_from(condition->args[1], symbol, budget);
}

static const ls_term *as_last(ls_subst *subst, const ls_term *symbol) {
    const circle *c = subst->data;
    uint32_t budget = MOST_CONDITIONS;
    if (symbol->width == 1 && c->taken && follows_from(c->taken, symbol, &budget)) return ls_true(subst->ctx);
    for (uint32_t i = 0; i < c->e->count; i++)
        if (c->member[i] && c->e->phis[i].before == symbol) return last_of(&c->e->phis[i]);
    return symbol;
}

/* Values that come last, and on one way round what must hold there. */
static ls_subst with_last(circle *c, const ls_term *taken) {
    c->taken = taken;
    return (ls_subst){.ctx = &c->e->s->proof->terms, .replace = as_last, .data = c};
}

static bool is_never_taken(circle *c, const ls_way *way) {
    ls_subst subst = with_last(c, NULL);
    const bool never = ls_is_false(ls_substitute(&subst, way->condition));
    ls_subst_free(&subst);
    return never;
}

/* What one way round makes of the values that come last. One that is no constant then, or depends on the way,
 * does not develop by itself: it is no member any more. */
static void go_one_way(circle *c, const ls_way *way, const ls_term **next) {
    ls_subst subst = with_last(c, way->condition);
    for (uint32_t i = 0; i < c->e->count; i++) {
        if (!c->member[i]) continue;
        const ls_term *v = ls_substitute(&subst, way->args[i]);
        c->member[i] = ls_is_const(v) && (!next[i] || next[i] == v);
        next[i] = v;
    }
    ls_subst_free(&subst);
}

/* One iteration further; false where a member was lost. */
static bool go_round(circle *c) {
    const ls_loop_entry *e = c->e;
    const ls_term **next = LS_NEW_N(&e->s->proof->arena, const ls_term *, e->count + 1);
    bool *were = LS_NEW_N(&e->s->proof->arena, bool, e->count + 1), all = true;
    memcpy(were, c->member, sizeof *were * e->count);
    for (uint32_t w = 0; w < e->latches.length; w++)
        if (!is_never_taken(c, &e->latches.items[w])) go_one_way(c, &e->latches.items[w], next);
    for (uint32_t i = 0; i < e->count; i++) {
        c->member[i] &= next[i] != NULL;
        all &= c->member[i] == were[i];
    }
    for (uint32_t i = 0; i < e->count && all; i++)
        if (c->member[i]) LS_VEC_PUSH(&e->phis[i].trace, next[i]);
    return all;
}

/* All are what they were `tail` iterations behind the beginning. */
static bool is_back(const circle *c, uint32_t tail) {
    bool back = true, any = false;
    for (uint32_t i = 0; i < c->e->count; i++) {
        any |= c->member[i];
        back &= !c->member[i] || last_of(&c->e->phis[i]) == c->e->phis[i].trace.items[tail];
    }
    return back && any;
}

static void start_over(circle *c) {
    for (uint32_t i = 0; i < c->e->count; i++) {
        if (c->e->phis[i].traced) continue; /* listed already */
        c->e->phis[i].trace.length = 0;
        if (c->member[i]) LS_VEC_PUSH(&c->e->phis[i].trace, c->e->phis[i].init);
    }
}

static const ls_term *in_period(const ls_loop_phi *phi, uint32_t j) {
    return phi->trace.items[phi->tail + j];
}

/* The shortest part of the list that comes again and again in it, behind a beginning as short as can be. */
static void set_period(ls_loop_phi *phi, uint32_t tail, uint32_t whole) {
    while (tail && phi->trace.items[tail - 1] == phi->trace.items[tail - 1 + whole]) tail--;
    phi->tail = tail;
    phi->period = whole;
    for (uint32_t p = 1; p < whole; p++) {
        bool again = !(whole % p);
        for (uint32_t j = p; j < whole && again; j++) again = in_period(phi, j) == in_period(phi, j - p);
        if (!again) continue;
        phi->period = p;
        return;
    }
}

static bool is_any_left(const circle *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->e->count; i++) any |= c->member[i];
    return any;
}

static uint32_t count_values(const ls_loop_phi *phi) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < phi->trace.length; j++) {
        uint32_t first = 0;
        while (phi->trace.items[first] != phi->trace.items[j]) first++;
        count += first == j;
    }
    return count;
}

/* Together they take too long to come again: without the one that has the most values, as the number of the
 * step in a tile, the others may do so sooner. */
static void lose_longest(circle *c) {
    uint32_t longest = 0, most = 0;
    for (uint32_t i = 0; i < c->e->count; i++) {
        const uint32_t values = c->member[i] ? count_values(&c->e->phis[i]) : 0;
        if (values > most) longest = i;
        if (values > most) most = values;
    }
    c->member[longest] = false;
}

/* Lists the members until they come again, `*tail` iterations behind the beginning; 0: they do not soon. */
static uint32_t list_values(circle *c, uint32_t *tail) {
    start_over(c);
    for (uint32_t length = 0; length < MOST_PERIOD && is_any_left(c);) {
        if (go_round(c))
            length++;
        else
            start_over(c), length = 0;
        for (*tail = 0; *tail < MOST_TAIL; ++*tail)
            if (*tail < length && is_back(c, *tail)) return length;
    }
    return 0;
}

void ls_find_periods(ls_loop_entry *e) {
    circle c = {e, LS_NEW_N(&e->s->proof->arena, bool, e->count + 1)};
    uint32_t tail = 0, length = 0;
    for (uint32_t i = 0; i < e->count; i++)
        c.member[i] = ls_is_const(e->phis[i].init) && !e->phis[i].step && !e->phis[i].traced;
    if (!is_any_left(&c) || !e->latches.length) return;
    for (uint32_t lost = 0; !length && lost < MOST_LOST && is_any_left(&c); lost++) {
        if (lost) lose_longest(&c);
        length = list_values(&c, &tail);
    }
    for (uint32_t i = 0; i < e->count && length; i++)
        if (c.member[i]) set_period(&e->phis[i], tail, length - tail);
}

/* Its values are those of (j + c) / n % 2 for some n. */
static bool is_phase(const ls_loop_phi *phi, uint32_t *n, uint32_t *c) {
    *n = phi->period / 2;
    if (phi->period % 2) return false;
    for (*c = 0; *c < phi->period; ++*c) {
        bool same = true;
        for (uint32_t j = 0; j < phi->period && same; j++)
            same = in_period(phi, j)->value == ((j + *c) / *n & 1);
        if (same) return true;
    }
    return false;
}

static bool is_stage(const ls_loop_phi *phi) {
    bool same = true;
    for (uint32_t j = 0; j < phi->period && same; j++)
        same = in_period(phi, j)->value == (in_period(phi, 0)->value + j) % phi->period;
    return same;
}

/* Of a number as large as the counter, as wide as the value. */
static const ls_term *as_value(ls_terms *t, const ls_loop_phi *phi, const ls_term *number) {
    uint32_t width = phi->before->width;
    return width == 1 ? ls_eq(t, number, ls_const(t, number->width, 1)) : ls_resize(t, number, width, false);
}

/* Where it comes again and again: the value `shift` iterations, all round, behind the k-th of these. */
static const ls_term *round_value(const ls_loop_entry *e, const ls_loop_phi *phi, uint32_t shift) {
    ls_terms *t = &e->s->proof->terms;
    const ls_term *k = e->k;
    uint32_t n, c, width = k->width;
    if (phi->period == 1) return in_period(phi, 0);
    if (is_stage(phi)) {
        const ls_term *at = ls_add(t, k, ls_const(t, width, in_period(phi, 0)->value + shift));
        return as_value(t, phi, ls_binary(t, LS_T_UREM, at, ls_const(t, width, phi->period)));
    }
    if (is_phase(phi, &n, &c)) {
        const ls_term *at = ls_add(t, k, ls_const(t, width, c + shift));
        const ls_term *phase = ls_binary(t, LS_T_UDIV, at, ls_const(t, width, n));
        return as_value(t, phi, ls_binary(t, LS_T_AND, phase, ls_const(t, width, 1)));
    }
    const ls_term *at =
        ls_binary(t, LS_T_UREM, ls_add(t, k, ls_const(t, width, shift)), ls_const(t, width, phi->period));
    const ls_term *v = in_period(phi, phi->period - 1);
    for (uint32_t j = phi->period - 1; j-- > 0;)
        v = ls_ite(t, ls_eq(t, at, ls_const(t, width, j)), in_period(phi, j), v);
    return v;
}

const ls_term *ls_periodic_value(const ls_loop_entry *e, const ls_loop_phi *phi, bool previous) {
    ls_terms *t = &e->s->proof->terms;
    const uint32_t back = (phi->tail + previous) % phi->period;
    const ls_term *v = round_value(e, phi, (phi->period - back) % phi->period);
    for (uint32_t j = 0; j < phi->tail; j++)
        v = ls_ite(t, ls_eq(t, e->k, ls_const(t, e->k->width, j + previous)), phi->trace.items[j], v);
    return v;
}
