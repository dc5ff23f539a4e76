/* Values that come again: the stage and the phase of a ring (`if (++stage == 3) stage = 0, phase ^= 1`), a
 * buffer of two that is the other one in every iteration. They start as constants and develop by themselves
 * alone, whatever else the loop does; so they are listed until all of them are what they were in the
 * beginning, and after k iterations they are what the list says for k modulo its length. The two usual shapes
 * are written as arithmetic, by which solvers get further: (k + c) % n for a stage, (k + c) / n % 2 for a
 * phase. */
#include "verify/execute/loops.h"

enum { MOST_PERIOD = 64 };

typedef struct {
    const ls_loop_entry *e;
    bool *member; /* by phi */
} circle;

static const ls_term *last_of(const ls_loop_phi *phi) {
    return phi->trace.items[phi->trace.length - 1];
}

static const ls_term *as_last(ls_subst *subst, const ls_term *symbol) {
    const circle *c = subst->data;
    for (uint32_t i = 0; i < c->e->count; i++)
        if (c->member[i] && c->e->phis[i].before == symbol) return last_of(&c->e->phis[i]);
    return symbol;
}

/* What every way round makes of the value that comes last; NULL: that is no constant, or hangs on the way. */
static const ls_term *next_value(const ls_loop_entry *e, ls_subst *subst, uint32_t phi) {
    const ls_term *next = NULL;
    for (uint32_t w = 0; w < e->latches.length; w++) {
        if (ls_is_false(ls_substitute(subst, e->latches.items[w].condition))) continue;
        const ls_term *v = ls_substitute(subst, e->latches.items[w].args[phi]);
        if (!ls_is_const(v) || (next && next != v)) return NULL;
        next = v;
    }
    return next;
}

/* One iteration further; false where a value does not develop by itself, which is no member any more. */
static bool go_round(circle *c) {
    const ls_loop_entry *e = c->e;
    const ls_term **next = LS_NEW_N(&e->s->proof->arena, const ls_term *, e->count + 1);
    ls_subst subst = {.ctx = &e->s->proof->terms, .replace = as_last, .data = c};
    bool all = true;
    for (uint32_t i = 0; i < e->count; i++) {
        if (!c->member[i]) continue;
        next[i] = next_value(e, &subst, i);
        if (!next[i]) c->member[i] = all = false;
    }
    ls_subst_free(&subst);
    for (uint32_t i = 0; i < e->count && all; i++)
        if (c->member[i]) LS_VEC_PUSH(&e->phis[i].trace, next[i]);
    return all;
}

static bool is_back(const circle *c) {
    bool back = true, any = false;
    for (uint32_t i = 0; i < c->e->count; i++) {
        any |= c->member[i];
        back &= !c->member[i] || last_of(&c->e->phis[i]) == c->e->phis[i].trace.items[0];
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

/* The shortest part of the list that comes again and again in it. */
static uint32_t own_period(const ls_loop_phi *phi, uint32_t whole) {
    for (uint32_t p = 1; p < whole; p++) {
        bool again = !(whole % p);
        for (uint32_t j = p; j < whole && again; j++) again = phi->trace.items[j] == phi->trace.items[j - p];
        if (again) return p;
    }
    return whole;
}

void ls_find_periods(ls_loop_entry *e) {
    circle c = {e, LS_NEW_N(&e->s->proof->arena, bool, e->count + 1)};
    bool any = false;
    for (uint32_t i = 0; i < e->count; i++)
        any |= c.member[i] = ls_is_const(e->phis[i].init) && !e->phis[i].step && !e->phis[i].traced;
    if (!any || !e->latches.length) return;
    start_over(&c);
    uint32_t length = 0;
    while (length < MOST_PERIOD) {
        if (go_round(&c))
            length++;
        else
            start_over(&c), length = 0;
        if (length && is_back(&c)) break;
        bool left = false;
        for (uint32_t i = 0; i < e->count; i++) left |= c.member[i];
        if (!left) return;
    }
    if (length == MOST_PERIOD) return;
    for (uint32_t i = 0; i < e->count; i++)
        if (c.member[i]) e->phis[i].period = own_period(&e->phis[i], length);
}

/* Its values are those of (j + c) / n % 2 for some n. */
static bool is_phase(const ls_loop_phi *phi, uint32_t *n, uint32_t *c) {
    *n = phi->period / 2;
    if (phi->period % 2) return false;
    for (*c = 0; *c < phi->period; ++*c) {
        bool same = true;
        for (uint32_t j = 0; j < phi->period && same; j++)
            same = phi->trace.items[j]->value == ((j + *c) / *n & 1);
        if (same) return true;
    }
    return false;
}

static bool is_stage(const ls_loop_phi *phi) {
    bool same = true;
    for (uint32_t j = 0; j < phi->period && same; j++)
        same = phi->trace.items[j]->value == (phi->trace.items[0]->value + j) % phi->period;
    return same;
}

/* Of a number as large as the counter, as wide as the value. */
static const ls_term *as_value(ls_terms *t, const ls_loop_phi *phi, const ls_term *number) {
    uint32_t width = phi->before->width;
    return width == 1 ? ls_eq(t, number, ls_const(t, number->width, 1)) : ls_resize(t, number, width, false);
}

const ls_term *ls_periodic_value(const ls_loop_entry *e, const ls_loop_phi *phi, bool previous) {
    ls_terms *t = &e->s->proof->terms;
    const ls_term *k = e->k;
    uint32_t n, c, width = k->width, back = previous ? phi->period - 1 : 0; /* one before k, all round */
    if (phi->period == 1) return phi->trace.items[0];
    if (is_stage(phi)) {
        const ls_term *at = ls_add(t, k, ls_const(t, width, phi->trace.items[0]->value + back));
        return as_value(t, phi, ls_binary(t, LS_T_UREM, at, ls_const(t, width, phi->period)));
    }
    if (is_phase(phi, &n, &c)) {
        const ls_term *at = ls_add(t, k, ls_const(t, width, c + back));
        const ls_term *phase = ls_binary(t, LS_T_UDIV, at, ls_const(t, width, n));
        return as_value(t, phi, ls_binary(t, LS_T_AND, phase, ls_const(t, width, 1)));
    }
    const ls_term *at =
        ls_binary(t, LS_T_UREM, ls_add(t, k, ls_const(t, width, back)), ls_const(t, width, phi->period));
    const ls_term *v = phi->trace.items[phi->period - 1];
    for (uint32_t j = phi->period - 1; j-- > 0;)
        v = ls_ite(t, ls_eq(t, at, ls_const(t, width, j)), phi->trace.items[j], v);
    return v;
}
