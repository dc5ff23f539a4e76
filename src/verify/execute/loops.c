/* Loops in an arbitrary iteration. A loop's body is executed once from an arbitrary state (the previous
 * iteration); from what it does to the loop-carried values follow, in this order:
 *  - linear ones: φ = init + k·step with k the number of iterations gone through, exactly;
 *  - a bound on k from a guard that every way round the loop passes (turns.c);
 *  - a trace: values that start constant and develop by themselves (doubling, halving) are listed, and φ is a
 *    function of k;
 *  - a period: such values without an end that come again (periods.c);
 *  - moves: values that go on by one length now and then, or several times in an iteration (moves.c);
 *  - for all: either k = 0 and the values are the initial ones, or the previous iteration went round;
 *  - and where a first attempt at the proof depended on a value that is neither linear nor traced: what holds
 * of it in every iteration, by guessing and proving (houdini.c). Threads that are in the same iteration share
 * k.
 */
#include "verify/execute/loops.h"
#include "verify/execute/contents.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"

#include <assert.h>
#include <stdio.h>

enum { MOST_STEPS = 300 /* of a trace */ };

/* --- Values behind loops ---------------------------------------------------------------------------------
 */

typedef struct {
    const ls_term *symbol, *value;
} choice;

static const ls_term *chosen(ls_subst *subst, const ls_term *symbol) {
    const choice *c = subst->data;
    return symbol == c->symbol ? c->value : symbol;
}

/* A counter of few values in the term, or NULL. */
static const ls_term *small_counter(ls_terms *t, const ls_term *term) {
    ls_term_list leaves = {0};
    ls_leaves(&term, 1, &leaves);
    const ls_term *found = NULL;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *k = leaves.items[i];
        if (k->op == LS_T_SYM && ls_sym_of(t, k)->kind == LS_SYM_COUNT && k->uhi <= MOST_STEPS) found = k;
    }
    LS_VEC_FREE(&leaves);
    return found;
}

/* The value, on the condition `when`: a counter in it that has few values, of which that leaves one, is that
 * one. So it is with what a loop has left behind whose exit fixes its counter. */
static const ls_term *resolved(ls_terms *t, const ls_term *value, const ls_term *when) {
    const ls_term *k = ls_is_const(value) ? NULL : small_counter(t, value), *only = NULL;
    bool one = k != NULL;
    for (uint64_t j = 0; one && j <= k->uhi; j++) {
        choice c = {k, ls_const(t, k->width, j)};
        ls_subst subst = {.ctx = t, .replace = chosen, .data = &c};
        if (!ls_is_false(ls_substitute(&subst, when))) {
            const ls_term *v = ls_substitute(&subst, value);
            one = !only || only == v;
            only = v;
        }
        ls_subst_free(&subst);
    }
    return one && only ? only : value;
}

/* --- The previous iteration ------------------------------------------------------------------------------
 */

static const ls_term *bounded_symbol(const ls_state *s, const ls_ir_phi *phi, const char *suffix,
                                     uint64_t least, uint64_t most) {
    ls_proof *p = s->proof;
    char name[128], text[200];
    ls_ir_source_name(p->f, phi->value, name, sizeof name);
    snprintf(text, sizeof text, "%s%s%s#%u", name, s->suffix, suffix, p->terms.syms.length);
    const ls_term *t =
        ls_symbol(&p->terms, text, ls_width_of(phi->value->type), LS_SCOPE_THREAD, LS_SYM_STATE, least, most);
    ls_sym *sym = ls_sym_of(&p->terms, t);
    sym->key = phi;
    sym->tag = s->tag;
    return t;
}

static const ls_term *state_symbol(const ls_state *s, const ls_ir_phi *phi, const char *suffix) {
    return bounded_symbol(s, phi, suffix, 1, 0);
}

/* A number of moves (moves.c). */
static const ls_term *moves_symbol(const ls_loop_entry *e, uint32_t i, const char *suffix) {
    const ls_ir_phi *phi = e->loop->header->phis[i];
    uint64_t all = ls_mask(ls_width_of(phi->value->type)), most;
    bool known = e->most >= 0 && !__builtin_mul_overflow((uint64_t)e->most, e->phis[i].most_added, &most) &&
                 most <= all;
    return known ? bounded_symbol(e->s, phi, suffix, 0, most) : state_symbol(e->s, phi, suffix);
}

static void run_previous(ls_loop_entry *e) {
    ls_proof *p = e->s->proof;
    const ls_ir_block *header = e->loop->header;
    e->first_symbol = p->terms.syms.length;
    e->previous = ls_state_new(p, e->s, "`");
    e->previous->body = e->loop;
    e->previous->stops = e->s->stops; /* within an interval, the iterations since it began cross no barrier */
    e->previous->no_previous = true;
    e->previous->memory = e->s->memory;
    ls_memory_loop(e->previous, e->loop, ls_true(&p->terms));
    for (uint32_t i = 0; i < header->phi_count; i++) {
        e->phis[i].before = state_symbol(e->s, header->phis[i], "`");
        ls_set_value(e->previous, header->phis[i]->value, e->phis[i].before);
    }
    ls_way_table latches = ls_ways_take(p);
    ls_execute(e->previous, p->nodes[p->first_node[header->id]], ls_true(&p->terms), NULL, &latches);
    e->latches = latches.by[e->loop->id];
    latches.by[e->loop->id] = (ls_ways){0};
    ls_ways_give(p, &latches);
}

bool ls_is_loop_invariant(const ls_loop_entry *e, const ls_term *t) {
    ls_term_list leaves = {0};
    ls_leaves(&t, 1, &leaves);
    bool invariant = true;
    for (uint32_t i = 0; i < leaves.length; i++)
        invariant &= leaves.items[i]->op != LS_T_SYM || leaves.items[i]->value < e->first_symbol;
    LS_VEC_FREE(&leaves);
    return invariant;
}

/* What the ways round leave is what loops inside have left. */
static void resolve_latches(ls_loop_entry *e) {
    ls_terms *t = &e->s->proof->terms;
    for (uint32_t w = 0; w < e->latches.length; w++)
        for (uint32_t i = 0; i < e->count; i++) {
            const ls_way *way = &e->latches.items[w];
            if (!ls_is_loop_invariant(e, ls_sub(t, way->args[i], e->phis[i].before)))
                way->args[i] = resolved(t, way->args[i], way->condition);
        }
}

static void find_steps(ls_loop_entry *e) {
    ls_terms *t = &e->s->proof->terms;
    for (uint32_t i = 0; i < e->count; i++) {
        ls_loop_phi *phi = &e->phis[i];
        if (phi->before->width == 1) continue;
        const ls_term *step = NULL;
        bool same = true;
        for (uint32_t w = 0; w < e->latches.length && same; w++) {
            const ls_term *d = ls_sub(t, e->latches.items[w].args[i], phi->before);
            same = !step || d == step;
            step = d;
        }
        if (step && same && ls_is_loop_invariant(e, step)) phi->step = step;
    }
}

/* --- Traces ----------------------------------------------------------------------------------------------
 */

static const ls_term *at_step(ls_subst *subst, const ls_term *symbol) {
    const ls_loop_entry *e = subst->data;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->phis[i].before == symbol && e->phis[i].traced)
            return e->phis[i].trace.items[e->phis[i].trace.length - 1];
    return symbol;
}

/* One step further; false if no path starts another iteration any more. */
static bool step_trace(ls_loop_entry *e, bool *lost) {
    ls_terms *t = &e->s->proof->terms;
    ls_subst subst = {.ctx = t, .replace = at_step, .data = e};
    const ls_term **next = LS_NEW_N(&e->s->proof->arena, const ls_term *, e->count + 1);
    bool goes_on = false;
    for (uint32_t w = 0; w < e->latches.length; w++) {
        if (ls_is_false(ls_substitute(&subst, e->latches.items[w].condition))) continue;
        for (uint32_t i = 0; i < e->count; i++) {
            if (!e->phis[i].traced) continue;
            const ls_term *v = ls_substitute(&subst, e->latches.items[w].args[i]);
            if (!ls_is_const(v) || (goes_on && next[i] != v)) {
                e->phis[i].traced = false;
                *lost = true;
            }
            next[i] = v;
        }
        goes_on = true;
    }
    ls_subst_free(&subst);
    for (uint32_t i = 0; i < e->count && goes_on && !*lost; i++)
        if (e->phis[i].traced) LS_VEC_PUSH(&e->phis[i].trace, next[i]);
    return goes_on;
}

static void find_traces(ls_loop_entry *e) {
    bool wanted = false;
    for (uint32_t i = 0; i < e->count; i++) {
        e->phis[i].traced = ls_is_const(e->phis[i].init);
        wanted |= e->phis[i].traced && !e->phis[i].step;
    }
    for (bool again = wanted; again;) {
        again = false;
        wanted = false;
        for (uint32_t i = 0; i < e->count; i++) {
            e->phis[i].trace.length = 0;
            if (e->phis[i].traced) LS_VEC_PUSH(&e->phis[i].trace, e->phis[i].init);
            wanted |= e->phis[i].traced && !e->phis[i].step;
        }
        if (!wanted) break;
        uint32_t steps = 0;
        while (steps <= MOST_STEPS && !again && step_trace(e, &again)) steps++;
        if (again) continue;
        if (steps > MOST_STEPS) wanted = false;
        if (wanted && (e->most < 0 || (int64_t)steps < e->most)) e->most = steps;
    }
    for (uint32_t i = 0; i < e->count; i++)
        if (!wanted || e->phis[i].step) e->phis[i].traced = false;
}

/* The traced value after k - shift iterations. */
static const ls_term *traced_value(ls_loop_entry *e, const ls_loop_phi *phi, uint64_t shift) {
    ls_terms *t = &e->s->proof->terms;
    const ls_term *v = phi->trace.items[phi->trace.length - 1];
    for (uint32_t j = phi->trace.length - 1; j-- > 0;)
        v = ls_ite(t, ls_eq(t, e->k, ls_const(t, e->k->width, j + shift)), phi->trace.items[j], v);
    return v;
}

/* --- The arbitrary iteration -----------------------------------------------------------------------------
 */

static void make_counter(ls_loop_entry *e) {
    ls_proof *p = e->s->proof;
    char name[64];
    const ls_ir_instr *first = e->loop->header->instr_count ? e->loop->header->instrs[0] : NULL;
    snprintf(name, sizeof name, "iterations@%u%s#%u", first ? first->pos->line : 0, e->s->suffix,
             p->terms.syms.length);
    uint32_t width = e->most >= 0 && e->most <= INT32_MAX ? 32 : 64;
    uint64_t most = e->most >= 0 ? (uint64_t)e->most : UINT64_C(1) << 62;
    e->k = ls_symbol(&p->terms, name, width, LS_SCOPE_THREAD, LS_SYM_COUNT, 0, most);
    ls_sym *sym = ls_sym_of(&p->terms, e->k);
    sym->key = e->loop;
    sym->tag = e->s->tag;
}

static void make_values(ls_loop_entry *e) {
    ls_terms *t = &e->s->proof->terms;
    for (uint32_t i = 0; i < e->count; i++) {
        ls_loop_phi *phi = &e->phis[i];
        if (!e->latches.length) { /* it is never gone round: `do … while (0)` */
            phi->now = phi->was = phi->init;
        } else if (phi->step) {
            const ls_term *k = ls_resize(t, e->k, phi->step->width, false);
            phi->now = ls_add(t, phi->init, ls_mul(t, k, phi->step));
            phi->was = ls_sub(t, phi->now, phi->step);
        } else if (phi->traced) {
            phi->now = traced_value(e, phi, 0);
            phi->was = traced_value(e, phi, 1);
        } else if (phi->period) {
            phi->now = ls_periodic_value(e, phi, false);
            phi->was = ls_periodic_value(e, phi, true);
        } else if (phi->shift) {
            phi->now = ls_geometric_value(e, phi, e->k);
            phi->was = ls_geometric_value(e, phi, ls_sub(t, e->k, ls_const(t, e->k->width, 1)));
        } else if (phi->length) {
            ls_make_moves(e, phi, moves_symbol(e, i, "~"), moves_symbol(e, i, "~`"));
        } else {
            phi->now = state_symbol(e->s, e->loop->header->phis[i], "");
            phi->was = phi->before;
        }
        ls_set_value(e->s, e->loop->header->phis[i]->value, phi->now);
    }
}

static const ls_term *as_was(ls_subst *subst, const ls_term *symbol) {
    const ls_loop_entry *e = subst->data;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->phis[i].before == symbol) return e->phis[i].was;
    return symbol;
}

/* What is known about the symbols of the previous iteration, in terms of the current iteration's. */
static void rewrite_facts(ls_loop_entry *e, ls_subst *subst) {
    ls_proof *p = e->s->proof;
    for (uint64_t symbol = e->first_symbol; symbol < e->k->value; symbol++) {
        const ls_term_list *list = ls_facts_of(p, symbol);
        for (uint32_t i = 0; list && i < list->length; i++) {
            const ls_term *fact = ls_substitute(subst, list->items[i]);
            list = ls_facts_of(p, symbol); /* others may have been added, and it may stand elsewhere now */
            list->items[i] = fact;
        }
    }
}

/* The ways round the loop, from the iteration before this one. */
static void rewrite_latches(ls_loop_entry *e, ls_subst *subst) {
    for (uint32_t w = 0; w < e->latches.length; w++) {
        ls_way *way = &e->latches.items[w];
        way->condition = ls_substitute(subst, way->condition);
        for (uint32_t i = 0; i < e->count; i++) way->args[i] = ls_substitute(subst, way->args[i]);
    }
}

static void add_facts(ls_loop_entry *e) {
    ls_proof *p = e->s->proof;
    ls_terms *t = &p->terms;
    ls_subst subst = {.ctx = t, .replace = as_was, .data = e};
    rewrite_facts(e, &subst);
    rewrite_latches(e, &subst);
    for (uint32_t i = 0; i < e->count; i++)
        if (e->phis[i].moves) ls_add_moves(e, &e->phis[i], &subst);
    ls_subst_free(&subst);
    const ls_term *first = ls_eq(t, e->k, ls_const(t, e->k->width, 0)), *round = ls_false(t);
    for (uint32_t w = 0; w < e->latches.length; w++) round = ls_or(t, round, e->latches.items[w].condition);
    ls_add_fact(p, e->k, ls_or(t, first, round));
    ls_add_fact(p, e->k, ls_turns_fact(e));
    for (uint32_t i = 0; i < e->count; i++) {
        ls_loop_phi *phi = &e->phis[i];
        if (phi->step || phi->traced || phi->shift || phi->period || phi->length) continue;
        const ls_term *v = NULL;
        for (uint32_t w = e->latches.length; w-- > 0;) {
            const ls_way *way = &e->latches.items[w];
            v = v ? ls_ite(t, way->condition, way->args[i], v) : way->args[i];
        }
        v = v ? ls_ite(t, first, phi->init, v) : phi->init;
        ls_add_fact(p, phi->now,
                    phi->now->width == 1 ? ls_not(t, ls_binary(t, LS_T_XOR, phi->now, v))
                                         : ls_eq(t, phi->now, v));
        ls_add_fact(p, phi->now, ls_or(t, first, round));
    }
}

/* Inside the previous iteration of another loop: anything. */
static void enter_plainly(ls_state *s, const ls_ir_loop *loop) {
    for (uint32_t i = 0; i < loop->header->phi_count; i++)
        ls_set_value(s, loop->header->phis[i]->value, state_symbol(s, loop->header->phis[i], ""));
}

void ls_enter_loop(ls_state *s, const ls_ir_loop *loop, const ls_ways *entries) {
    ls_proof *p = s->proof;
    uint32_t depth = 0;
    for (const ls_state *up = s; up && up->no_previous; up = up->before) depth++;
    const ls_term *enters = ls_false(&p->terms);
    for (uint32_t w = 0; w < entries->length; w++)
        enters = ls_or(&p->terms, enters, entries->items[w].condition);
    ls_memory_loop(s, loop, enters);
    if (depth > 2) {
        enter_plainly(s, loop);
        return;
    }
    ls_loop_entry e = {.s = s, .loop = loop, .count = loop->header->phi_count, .most = -1, .enters = enters};
    e.phis = LS_NEW_N(&p->arena, ls_loop_phi, e.count + 1);
    for (uint32_t i = 0; i < e.count; i++) {
        const ls_term *v = entries->items[entries->length - 1].args[i];
        for (uint32_t w = entries->length - 1; w-- > 0;)
            v = ls_ite(&p->terms, entries->items[w].condition, entries->items[w].args[i], v);
        e.phis[i].init = v;
    }
    for (uint32_t i = 0; i < e.count; i++) e.phis[i].init = resolved(&p->terms, e.phis[i].init, enters);
    run_previous(&e);
    resolve_latches(&e);
    find_steps(&e);
    ls_bound_iterations(&e);
    find_traces(&e);
    ls_find_periods(&e);
    ls_find_moves(&e);
    if (p->effort.invariants) ls_find_geometric(&e);
    make_counter(&e);
    make_values(&e);
    add_facts(&e);
    if (p->effort.invariants) ls_find_invariants(&e);
    for (uint32_t i = 0; i < e.count; i++) LS_VEC_FREE(&e.phis[i].trace);
    LS_VEC_FREE(&e.latches);
}
