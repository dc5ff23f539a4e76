/* How often a loop can be gone through, by guards that every way round it passes:
 *  - an order (`i < n`): a number, where nothing wraps up to there;
 *  - an inequality (`i != n`), as optimised code has it: the way from the first value to the last one, in
 * steps of one size. With steps of 1 this is exact, whatever wraps; with others it holds where the way is a
 * multiple of them. */
#include "verify/execute/loops.h"

typedef __int128 wide;

static const wide MOST_TURNS = (wide)1 << 33;

enum { MOST_CONDITIONS = 500 }; /* of a way round that are looked at */

/* --- Orders ----------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_term *low, *high; /* low < high, or low <= high */
    bool strict, is_signed;
} order;

static bool read_order(const ls_term *c, order *o) {
    bool negated = c->op == LS_T_NOT;
    if (negated) c = c->args[0];
    if (c->op != LS_T_ULT && c->op != LS_T_SLT) return false;
    *o = (order){c->args[negated], c->args[!negated], !negated, c->op == LS_T_SLT};
    return true;
}

/* t = phi + constant. */
static bool offset_of(ls_terms *ctx, const ls_term *t, const ls_term *phi, wide *offset) {
    if (t->width != phi->width) return false;
    const ls_term *d = ls_sub(ctx, t, phi);
    if (!ls_is_const(d)) return false;
    *offset = ls_signed(d->value, d->width);
    return true;
}

/* The most iterations that a guard lets through; -1: it says nothing. Nothing may wrap up to there. */
static wide bound_by(ls_loop_entry *e, const ls_loop_phi *phi, order o) {
    ls_terms *ctx = &e->s->proof->terms;
    const ls_term *step = phi->step, *init = phi->init;
    wide offset, w = step->width;
    wide top = o.is_signed ? ((wide)1 << (w - 1)) - 1 : ((wide)1 << w) - 1;
    wide bottom = o.is_signed ? -((wide)1 << (w - 1)) : 0;
    wide ilo = o.is_signed ? (wide)init->slo : (wide)init->ulo,
         ihi = o.is_signed ? (wide)init->shi : (wide)init->uhi;
    if (step->slo > 0 && offset_of(ctx, o.low, phi->before, &offset) && ls_is_loop_invariant(e, o.high)) {
        wide limit =
            (o.is_signed ? (wide)o.high->shi : (wide)o.high->uhi) - o.strict; /* phi + offset <= limit */
        if (limit + step->shi > top || ihi + offset > top || ilo + offset < bottom) return -1;
        if (limit - offset + step->shi > top) return -1;
        wide room = limit - offset - ilo;
        return room < 0 ? 0 : room / step->slo + 1;
    }
    if (step->shi < 0 && offset_of(ctx, o.high, phi->before, &offset) && ls_is_loop_invariant(e, o.low)) {
        wide limit =
            (o.is_signed ? (wide)o.low->slo : (wide)o.low->ulo) + o.strict; /* phi + offset >= limit */
        if (limit + step->slo < bottom || ilo + offset < bottom || ihi + offset > top) return -1;
        if (limit - offset + step->slo < bottom) return -1;
        wide room = ihi + offset - limit;
        return room < 0 ? 0 : room / -(wide)step->shi + 1;
    }
    return -1;
}

/* The bound that the condition of a way round gives: the better one of two conjuncts, the worse one of two
 * alternatives. `budget` is for conditions that are joined again and again. */
static wide bound_of_way(ls_loop_entry *e, const ls_term *c, bool negated, uint32_t *budget) {
    if (!*budget || c->width != 1) return -1;
    --*budget;
    if (c->op == LS_T_NOT) return bound_of_way(e, c->args[0], !negated, budget);
    if (c->op == LS_T_AND || c->op == LS_T_OR) {
        bool both = (c->op == LS_T_AND) != negated;
        wide x = bound_of_way(e, c->args[0], negated, budget);
        if (!both && x < 0) return -1;
        wide y = bound_of_way(e, c->args[1], negated, budget);
        if (x < 0 || y < 0) return !both ? -1 : x < 0 ? y : x;
        return (x < y) == both ? x : y;
    }
    order o;
    wide best = -1;
    if (!read_order(negated ? ls_not(&e->s->proof->terms, c) : c, &o)) return -1;
    for (uint32_t i = 0; i < e->count; i++) {
        if (!e->phis[i].step) continue;
        wide k = bound_by(e, &e->phis[i], o);
        if (k >= 0 && (best < 0 || k < best)) best = k;
    }
    return best;
}

/* --- Inequalities ----------------------------------------------------------------------------------------
 */

/* How far a value goes until it is the one that the guard ends the loop with. */
static const ls_term *way_to(const ls_loop_entry *e, const ls_loop_phi *phi, const ls_term *here,
                             const ls_term *end) {
    ls_terms *t = &e->s->proof->terms;
    wide offset;
    if (!phi->step || !ls_is_const(phi->step) || !phi->step->value) return NULL;
    if (!offset_of(t, here, phi->before, &offset) || !ls_is_loop_invariant(e, end)) return NULL;
    const ls_term *start = ls_add(t, phi->init, ls_sub(t, here, phi->before));
    return ls_signed(phi->step->value, phi->step->width) > 0 ? ls_sub(t, end, start) : ls_sub(t, start, end);
}

static bool turns_by(ls_loop_entry *e, const ls_term *equation) {
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t k = 0; k < 2; k++) {
            const ls_loop_phi *phi = &e->phis[i];
            const ls_term *way = way_to(e, phi, equation->args[k], equation->args[!k]);
            if (!way) continue;
            int64_t step = ls_signed(phi->step->value, phi->step->width);
            e->turns = way;
            e->stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
            return true;
        }
    return false;
}

/* A conjunct of the condition is such a guard. */
static bool turns_of_way(ls_loop_entry *e, const ls_term *c, bool negated, uint32_t *budget) {
    if (!*budget || c->width != 1) return false;
    --*budget;
    if (c->op == LS_T_NOT) return turns_of_way(e, c->args[0], !negated, budget);
    if (c->op == LS_T_EQ) return negated && turns_by(e, c);
    if (c->op != (negated ? LS_T_OR : LS_T_AND)) return false;
    return turns_of_way(e, c->args[0], negated, budget) || turns_of_way(e, c->args[1], negated, budget);
}

/* All ways round must pass the same one. */
static void find_turns(ls_loop_entry *e) {
    const ls_term *turns = NULL;
    uint64_t stride = 0;
    for (uint32_t w = 0; w < e->latches.length; w++) {
        uint32_t budget = MOST_CONDITIONS;
        e->turns = NULL;
        bool found = turns_of_way(e, e->latches.items[w].condition, false, &budget);
        if (!found || (w && (e->turns != turns || e->stride != stride))) {
            e->turns = NULL;
            return;
        }
        turns = e->turns;
        stride = e->stride;
    }
}

const ls_term *ls_turns_fact(const ls_loop_entry *e) {
    ls_terms *t = &e->s->proof->terms;
    if (!e->turns) return ls_true(t);
    const ls_term *size = ls_const(t, e->turns->width, e->stride), *zero = ls_const(t, e->turns->width, 0);
    const ls_term *most = e->stride == 1 ? e->turns : ls_binary(t, LS_T_UDIV, e->turns, size);
    const uint32_t width = most->width > e->k->width ? most->width : e->k->width;
    const ls_term *within =
        ls_not(t, ls_ult(t, ls_resize(t, most, width, false), ls_resize(t, e->k, width, false)));
    if (e->stride == 1) return within;
    return ls_implies(t, ls_eq(t, ls_binary(t, LS_T_UREM, e->turns, size), zero), within);
}

/* --- Bounds ----------------------------------------------------------------------------------------------
 */

void ls_bound_iterations(ls_loop_entry *e) {
    wide most = e->latches.length ? 0 : -1;
    for (uint32_t w = 0; w < e->latches.length && most >= 0; w++) {
        uint32_t budget = MOST_CONDITIONS;
        wide k = bound_of_way(e, e->latches.items[w].condition, false, &budget);
        most = k < 0 ? -1 : k > most ? k : most;
    }
    if (!e->latches.length) most = 0;
    find_turns(e);
    if (e->turns && e->stride == 1 && (most < 0 || (wide)e->turns->uhi < most)) most = (wide)e->turns->uhi;
    if (most >= 0 && most <= MOST_TURNS) e->most = (int64_t)most;
}
