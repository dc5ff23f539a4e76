/* Invariants of loops by guessing and proving: Houdini (Flanagan and Leino, FME 2001), in the way of
 * GPUVerify. Candidates are relations between the loop-carried values at the loop's header and terms that do
 * not change in the loop. A candidate says that the relation holds if it held on entry. As long as there is
 * one that a way round the loop does not preserve where all of them held before, it is dropped; what is left
 * holds in every iteration. Each check is a query of exact modular meaning about one thread, in which the
 * symbols of loops inside are as open as they are elsewhere; a query that is not answered drops the
 * candidate. */
#include "verify/execute/exec.h"
#include "verify/execute/loops.h"

enum { MOST_CANDIDATES = 60, MOST_BOUNDS = 5, MOST_ATOMS = 300 };
static const double SHARE = 0.05, SHARE_OF_LOOP = 0.03; /* of the time that the attempt has */

typedef struct { /* the values that a candidate relates, and those with which the loop was entered */
    const ls_term *v, *w, *v0, *w0;
    uint64_t factor;
} related;

typedef const ls_term *(*relation)(ls_terms *t, related r);

typedef struct {
    relation holds;
    uint32_t v, w;       /* φs of the header */
    const ls_term *with; /* a term instead of w; or NULL */
    uint64_t factor;
    bool dropped;
} candidate;

typedef struct {
    ls_loop_entry *e;
    LS_VEC(candidate) all;
    const ls_term **init, **was; /* values by φ */
} houdini;

/* --- Relations -------------------------------------------------------------------------------------------
 */

static const ls_term *at_least(ls_terms *t, related r) {
    return ls_not(t, ls_slt(t, r.v, r.w));
}

static const ls_term *at_most(ls_terms *t, related r) {
    return ls_not(t, ls_slt(t, r.w, r.v));
}

static const ls_term *below(ls_terms *t, related r) {
    return ls_slt(t, r.v, r.w);
}

static const ls_term *unsigned_at_least(ls_terms *t, related r) {
    return ls_not(t, ls_ult(t, r.v, r.w));
}

static const ls_term *unsigned_at_most(ls_terms *t, related r) {
    return ls_not(t, ls_ult(t, r.w, r.v));
}

static const ls_term *not_equal(ls_terms *t, related r) {
    return ls_not(t, ls_eq(t, r.v, r.w));
}

/* The distance from the initial value is a multiple of w. */
static const ls_term *multiple(ls_terms *t, related r) {
    const ls_term *rest = ls_binary(t, LS_T_UREM, ls_sub(t, r.v, r.v0), r.w);
    return ls_eq(t, rest, ls_const(t, rest->width, 0));
}

static const ls_term *same_difference(ls_terms *t, related r) {
    return ls_eq(t, ls_sub(t, r.v, r.w), ls_sub(t, r.v0, r.w0));
}

static const ls_term *same_sum(ls_terms *t, related r) {
    return ls_eq(t, ls_add(t, r.v, r.w), ls_add(t, r.v0, r.w0));
}

/* v has come at most `factor` times as far as w, upwards. */
static const ls_term *follows(ls_terms *t, related r) {
    const ls_term *far = ls_resize(t, ls_sub(t, r.w, r.w0), r.v->width, false);
    return ls_not(t, ls_ult(t, ls_scale(t, far, r.factor), ls_sub(t, r.v, r.v0)));
}

/* Where one is doubled and the other one halved, up to the end. */
static const ls_term *same_product(ls_terms *t, related r) {
    const ls_term *over = ls_eq(t, r.w, ls_const(t, r.w->width, 0));
    return ls_or(t, over, ls_eq(t, ls_mul(t, r.v, r.w), ls_mul(t, r.v0, r.w0)));
}

static const ls_term *power_of_two(ls_terms *t, related r) {
    const ls_term *less = ls_sub(t, r.v, ls_const(t, r.v->width, 1));
    return ls_eq(t, ls_binary(t, LS_T_AND, r.v, less), ls_const(t, r.v->width, 0));
}

static const ls_term *relate(const houdini *h, const candidate *c, const ls_term *const *values) {
    related r = {values[c->v], c->with ? c->with : values[c->w], h->init[c->v],
                 c->with ? c->with : h->init[c->w], c->factor};
    return c->holds(&h->e->s->proof->terms, r);
}

/* The candidate for these values of the φs: if the relation held on entry, it holds. So it can be found
 * where that is not known yet: in the previous iteration of a loop around this one, or behind a barrier. */
static const ls_term *instance(const houdini *h, const candidate *c, const ls_term *const *values) {
    return ls_implies(&h->e->s->proof->terms, relate(h, c, h->init), relate(h, c, values));
}

/* --- Candidates ------------------------------------------------------------------------------------------
 */

/* An integer that is neither linear nor traced. */
static bool is_open(const ls_loop_entry *e, uint32_t i) {
    const ls_loop_phi *phi = &e->phis[i];
    const ls_ir_value *value = e->loop->header->phis[i]->value;
    return !phi->step && !phi->traced && !phi->shift && !phi->period && !phi->length &&
           phi->now->width >= 8 && ls_ptx_type_kind_of(value->type) != LS_KIND_FLOAT;
}

/* Each once, and none that says nothing. */
static void propose_one(houdini *h, candidate c) {
    const ls_term *says = instance(h, &c, h->was);
    bool useful = h->all.length < MOST_CANDIDATES && !ls_is_true(says);
    for (uint32_t i = 0; i < h->all.length && useful; i++)
        useful = instance(h, &h->all.items[i], h->was) != says;
    if (useful) LS_VEC_PUSH(&h->all, c);
}

static void propose(houdini *h, relation holds, uint32_t v, uint32_t w, const ls_term *with) {
    propose_one(h, (candidate){.holds = holds, .v = v, .w = w, .with = with});
}

/* The term with another width, where it is the same number in it. */
static const ls_term *fitted(ls_terms *t, const ls_term *term, uint32_t width) {
    if (term->width == width) return term;
    bool extended = term->op == LS_T_SEXT || term->op == LS_T_ZEXT;
    if (extended && term->args[0]->width == width) return term->args[0];
    bool fits = ls_is_const(term) && term->width > width &&
                ls_signed(term->value & ls_mask(width), width) == ls_signed(term->value, term->width);
    return fits ? ls_const(t, width, term->value & ls_mask(width)) : NULL;
}

static void add_bound(const houdini *h, ls_term_list *bounds, const ls_term *term, uint32_t width) {
    const ls_term *b = ls_is_loop_invariant(h->e, term) ? fitted(&h->e->s->proof->terms, term, width) : NULL;
    for (uint32_t i = 0; i < bounds->length && b; i++)
        if (bounds->items[i] == b) b = NULL;
    if (b && bounds->length < MOST_BOUNDS) LS_VEC_PUSH(bounds, b);
}

/* What the comparisons in a condition hold values of the iteration against. */
static void bounds_in(const houdini *h, const ls_term *c, uint32_t width, ls_term_list *bounds,
                      uint32_t *budget) {
    if (!*budget) return;
    --*budget;
    bool compares = c->op == LS_T_ULT || c->op == LS_T_SLT || c->op == LS_T_EQ;
    for (uint32_t i = 0; i < c->count && !compares && c->width == 1; i++)
        bounds_in(h, c->args[i], width, bounds, budget);
    for (uint32_t i = 0; i < 2 && compares; i++)
        if (!ls_is_loop_invariant(h->e, c->args[!i])) add_bound(h, bounds, c->args[i], width);
}

/* … and what a value becomes where that has nothing to do with the iteration. */
static void bounds_of_value(const houdini *h, const ls_term *v, ls_term_list *bounds, uint32_t *budget) {
    if (!*budget) return;
    --*budget;
    if (v->op == LS_T_ITE) {
        bounds_in(h, v->args[0], v->width, bounds, budget);
        bounds_of_value(h, v->args[1], bounds, budget);
        bounds_of_value(h, v->args[2], bounds, budget);
    } else {
        add_bound(h, bounds, v, v->width);
    }
}

/* The largest number that divides every change of the value, with `before` what it changed from. */
static uint64_t stride_of(ls_terms *t, const ls_term *next, const ls_term *before, uint64_t so_far,
                          uint32_t *budget) {
    if (!*budget) return 1;
    --*budget;
    if (next->op == LS_T_ITE) {
        so_far = stride_of(t, next->args[1], before, so_far, budget);
        return stride_of(t, next->args[2], before, so_far, budget);
    }
    const ls_term *d = ls_sub(t, next, before);
    return d->op == LS_T_LIN || ls_is_const(d) ? ls_common_divisor(so_far, ls_content(d)) : 1;
}

static void propose_multiples(houdini *h, uint32_t v) {
    ls_terms *t = &h->e->s->proof->terms;
    uint32_t budget = MOST_ATOMS, width = h->was[v]->width;
    uint64_t stride = 0;
    for (uint32_t w = 0; w < h->e->latches.length; w++)
        stride = stride_of(t, h->e->latches.items[w].args[v], h->was[v], stride, &budget);
    if (stride > 1 && stride <= ls_mask(width - 1)) {
        propose(h, multiple, v, v, ls_const(t, width, stride));
        uint64_t power = stride & (0 - stride);
        if (power > 1 && power != stride) propose(h, multiple, v, v, ls_const(t, width, power));
    }
}

/* The most that any way round gives by its form alone. */
static void propose_range(houdini *h, uint32_t v) {
    uint64_t most = h->init[v]->uhi;
    for (uint32_t w = 0; w < h->e->latches.length; w++) {
        uint64_t high = h->e->latches.items[w].args[v]->uhi;
        if (high > most) most = high;
    }
    uint32_t width = h->was[v]->width;
    if (most < ls_mask(width))
        propose(h, unsigned_at_most, v, v, ls_const(&h->e->s->proof->terms, width, most));
}

/* The most that is added to `before`, where that is always a constant; 0 otherwise. */
static uint64_t largest_step(ls_terms *t, const ls_term *next, const ls_term *before, uint32_t *budget) {
    if (!*budget) return 0;
    --*budget;
    if (next->op == LS_T_ITE) {
        uint64_t x = largest_step(t, next->args[1], before, budget);
        uint64_t y = largest_step(t, next->args[2], before, budget);
        return x > y ? x : y;
    }
    const ls_term *d = ls_sub(t, next, before);
    return ls_is_const(d) && ls_signed(d->value, d->width) > 0 ? d->value : 0;
}

static uint64_t largest_step_of(const houdini *h, uint32_t v) {
    uint64_t most = 0;
    uint32_t budget = MOST_ATOMS;
    for (uint32_t w = 0; w < h->e->latches.length; w++) {
        uint64_t step =
            largest_step(&h->e->s->proof->terms, h->e->latches.items[w].args[v], h->was[v], &budget);
        if (step > most) most = step;
    }
    return most;
}

/* Within a bound; or one step further, where the value is compared before it is changed. */
static void propose_bound(houdini *h, uint32_t v, const ls_term *bound) {
    static const relation relations[] = {at_least, at_most, below, unsigned_at_least, unsigned_at_most};
    ls_terms *t = &h->e->s->proof->terms;
    uint64_t step = largest_step_of(h, v);
    const ls_term *more = ls_const(t, bound->width, step ? step : 1);
    for (uint32_t r = 0; r < sizeof relations / sizeof *relations; r++) propose(h, relations[r], v, v, bound);
    propose(h, at_most, v, v, ls_add(t, bound, more));
    propose(h, at_least, v, v, ls_sub(t, bound, more));
}

static void propose_bounds(houdini *h, uint32_t v) {
    const ls_term *zero = ls_const(&h->e->s->proof->terms, h->was[v]->width, 0);
    ls_term_list bounds = {0}, facts = {0};
    uint32_t budget = MOST_ATOMS;
    propose(h, at_least, v, v, zero);
    add_bound(h, &bounds, h->init[v], h->was[v]->width);
    for (uint32_t w = 0; w < h->e->latches.length; w++) {
        bounds_in(h, h->e->latches.items[w].condition, h->was[v]->width, &bounds, &budget);
        bounds_of_value(h, h->e->latches.items[w].args[v], &bounds, &budget);
        LS_VEC_PUSH(&facts, h->e->latches.items[w].args[v]);
    }
    uint32_t given = facts.length;
    ls_collect_facts(h->e->s->proof, &facts); /* of loops inside, which have their own */
    for (uint32_t i = given; i < facts.length; i++)
        bounds_in(h, facts.items[i], h->was[v]->width, &bounds, &budget);
    for (uint32_t b = 0; b < bounds.length; b++) propose_bound(h, v, bounds.items[b]);
    LS_VEC_FREE(&facts);
    LS_VEC_FREE(&bounds);
}

/* Upwards with a counter, at most a fixed number of times as fast. */
static void propose_following(houdini *h, uint32_t v) {
    uint64_t most = largest_step_of(h, v);
    for (uint32_t w = 0; w < h->e->count && most; w++) {
        const ls_term *step = h->e->phis[w].step;
        bool counts = step && ls_is_const(step) && ls_signed(step->value, step->width) > 0;
        if (!counts || step->width > h->was[v]->width) continue;
        uint64_t factor = (most + step->value - 1) / step->value;
        propose_one(h, (candidate){.holds = follows, .v = v, .w = w, .factor = factor});
    }
}

/* A shift or a multiplication by two is among the ways. */
static bool is_scaled(const houdini *h, uint32_t v) {
    bool scaled = false;
    for (uint32_t w = 0; w < h->e->latches.length; w++) {
        const ls_term *a = h->e->latches.items[w].args[v];
        bool shifts = a->op >= LS_T_SHL && a->op <= LS_T_ASHR;
        bool divides = a->op == LS_T_UDIV || a->op == LS_T_SDIV;
        bool doubles = a->op == LS_T_LIN && a->count == 1 && !a->value && a->args[0] == h->was[v];
        scaled |= shifts || divides || doubles;
    }
    return scaled;
}

static void propose_pairs(houdini *h, uint32_t v) {
    for (uint32_t w = 0; w < h->e->count; w++) {
        if (w == v || h->was[w]->width != h->was[v]->width) continue;
        if (is_open(h->e, w) && w < v) continue; /* once for both */
        propose(h, same_difference, v, w, NULL);
        propose(h, same_sum, v, w, NULL);
        propose(h, at_least, v, w, NULL);
        propose(h, at_most, v, w, NULL);
        if (is_scaled(h, v) && is_scaled(h, w)) {
            propose(h, same_product, v, w, NULL);
            propose(h, same_product, w, v, NULL);
        }
    }
}

static void propose_all(houdini *h) {
    for (uint32_t v = 0; v < h->e->count; v++) {
        if (!is_open(h->e, v)) continue;
        propose_multiples(h, v);
        propose_range(h, v);
        propose_following(h, v);
        if (is_scaled(h, v)) {
            const ls_term *zero = ls_const(&h->e->s->proof->terms, h->was[v]->width, 0);
            propose(h, power_of_two, v, v, zero);
            propose(h, not_equal, v, v, zero);
        }
        propose_pairs(h, v);
        propose_bounds(h, v);
    }
}

/* --- Checks ----------------------------------------------------------------------------------------------
 */

/* Whether these, with what is known of the symbols in them, plainly exclude each other. */
static bool excludes(ls_proof *p, ls_term_list *conjuncts) {
    ls_collect_facts(p, conjuncts);
    LS_VEC_PUSH(conjuncts, p->launch);
    ls_question question = {.quick = true};
    bool unsat = ls_solve(&p->solver, conjuncts->items, conjuncts->length, question) == LS_UNSAT;
    LS_VEC_FREE(conjuncts);
    return unsat;
}

/* Where all candidates that are left held in the iteration before, which went this way round. */
static bool is_preserved(houdini *h, const candidate *c, const ls_way *way) {
    ls_proof *p = h->e->s->proof;
    ls_terms *t = &p->terms;
    const ls_term *after = instance(h, c, way->args);
    if (ls_is_true(after)) return true;
    ls_term_list query = {0};
    LS_VEC_PUSH(&query, h->e->enters);
    LS_VEC_PUSH(&query, way->condition);
    LS_VEC_PUSH(&query, ls_not(t, ls_eq(t, h->e->k, ls_const(t, h->e->k->width, 0))));
    LS_VEC_PUSH(&query, ls_not(t, after));
    for (uint32_t i = 0; i < h->all.length; i++)
        if (!h->all.items[i].dropped) LS_VEC_PUSH(&query, instance(h, &h->all.items[i], h->was));
    return excludes(p, &query);
}

static bool is_preserved_by_all(houdini *h, const candidate *c) {
    bool preserved = true;
    for (uint32_t w = 0; w < h->e->latches.length && preserved; w++)
        preserved = is_preserved(h, c, &h->e->latches.items[w]);
    return preserved;
}

/* Drops what is not preserved until all of the rest is. */
static void reduce(houdini *h) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < h->all.length; i++) {
            candidate *c = &h->all.items[i];
            if (c->dropped || is_preserved_by_all(h, c)) continue;
            c->dropped = again = true;
        }
    }
}

static const ls_part INVARIANTS = {sizeof(ls_invariants), NULL};

ls_invariants *ls_invariants_of(const ls_proof *p) {
    return ls_part_of(p, &INVARIANTS);
}

/* `reduce` with little time; in vain where that is over. */
static void reduce_quickly(houdini *h) {
    ls_proof *p = h->e->s->proof;
    ls_solver *s = &p->solver;
    double start = ls_solver_now(s), deadline = s->deadline, own = start + SHARE_OF_LOOP * p->effort.seconds;
    double in_vain = s->in_vain, lost = s->lost;
    if (own < deadline) s->deadline = own;
    reduce(h);
    for (uint32_t i = 0; s->timed_out && i < h->all.length; i++) h->all.items[i].dropped = true;
    s->deadline = deadline;
    s->timed_out = false;
    s->in_vain = in_vain;
    s->lost = lost;
    ls_invariants_of(p)->seconds += ls_solver_now(s) - start;
}

/* --- The loop --------------------------------------------------------------------------------------------
 */

/* A loop that is not entered has no iteration of which anything is to hold. */
static void add_invariant(houdini *h, const candidate *c, const ls_term *const *now) {
    ls_proof *p = h->e->s->proof;
    const ls_term *fact = ls_implies(&p->terms, h->e->enters, instance(h, c, now));
    ls_invariants_of(p)->found++;
    if (is_open(h->e, c->v)) ls_add_fact(p, now[c->v], fact);
    if (!c->with && is_open(h->e, c->w)) ls_add_fact(p, now[c->w], fact);
}

void ls_find_invariants(ls_loop_entry *e) {
    ls_proof *p = e->s->proof;
    houdini h = {.e = e};
    bool any = false;
    for (uint32_t i = 0; i < e->count; i++) any |= is_open(e, i);
    if (!any || !e->latches.length || ls_invariants_of(p)->seconds > SHARE * p->effort.seconds ||
        ls_solver_expired(&p->solver))
        return;
    const ls_term **now = LS_NEW_N(&p->arena, const ls_term *, e->count + 1);
    h.init = LS_NEW_N(&p->arena, const ls_term *, e->count + 1);
    h.was = LS_NEW_N(&p->arena, const ls_term *, e->count + 1);
    for (uint32_t i = 0; i < e->count; i++) {
        h.init[i] = e->phis[i].init;
        h.was[i] = e->phis[i].was;
        now[i] = e->phis[i].now;
    }
    propose_all(&h);
    reduce_quickly(&h);
    ls_invariants_of(p)->tried += h.all.length;
    for (uint32_t i = 0; i < h.all.length; i++)
        if (!h.all.items[i].dropped) add_invariant(&h, &h.all.items[i], now);
    LS_VEC_FREE(&h.all);
}
