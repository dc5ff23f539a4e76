/* Atomic counters: a place that is only ever incremented (or only ever decremented) gives every thread a
 * number of its own, by which accesses are apart (compaction, queues, tickets); and as many numbers as it was
 * incremented by. What other atomic operations tell two threads of each other is in winners.c. */
#include "verify/execute/counters.h"
#include "isa/order.h"
#include "verify/check/fences.h"
#include "verify/check/ranks.h"
#include "verify/check/signals.h"
#include "verify/check/told.h"
#include "verify/check/warps.h"
#include "verify/check/ways.h"
#include "verify/check/winners.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"
#include "verify/query/query.h"

typedef enum { NOWHERE, UP, DOWN } direction;

enum { MOST_STEP = 65536 };

/* Where an atomic addition to one object leads, by the range of the number that is added; that of atomicInc,
 * where it never starts again. */
static direction small_increment(ls_proof *p, const ls_ir_instr *i) {
    const bool atomic = (i->op == LS_OP_ATOM || i->op == LS_OP_RED) && i->access_count == 1;
    if (!atomic || i->src_count != 2 || i->guard.kind != LS_IR_ABSENT) return NOWHERE;
    const ls_ir_access *a = &i->accesses[0];
    bool one = ls_is_in_slots(p, a) && a->bases[0]->kind != LS_BASE_LOADED;
    if (!one || a->bytes < 4 || !ls_whole_event(p, &(ls_event){.access = a})) return NOWHERE;
    const ls_term *step = ls_operand_of(p->whole, &i->src[1]);
    if (step->width != 8 * a->bytes) return NOWHERE;
    if (ls_ptx_form_has(i->form, LS_MOD_INC))
        return ls_is_const(step) && step->value == ls_mask(step->width) ? UP : NOWHERE;
    if (!ls_ptx_form_has(i->form, LS_MOD_ADD)) return NOWHERE;
    if (step->slo >= 0 && step->shi > 0 && step->shi <= MOST_STEP) return UP;
    return step->shi < 0 && step->slo >= -MOST_STEP ? DOWN : NOWHERE;
}

/* The first thread of each block stores a small constant there before a barrier, behind which it is loaded.
 */
static bool is_start(ls_proof *p, const ls_ir_access *o, const ls_ir_access *load) {
    const ls_term *needed = ls_needed(p, o->instr);
    return !o->term_count && o->has_offset && o->constant == load->constant && needed &&
           ls_is_true(ls_for_first(p, needed)) && ls_barrier_between(p, o->instr, load->instr);
}

/* A number that was counted in shared memory, from a small constant: nothing else is stored there, and only
 * small numbers are added. */
static bool is_counted(ls_proof *p, const ls_ir_value *v) {
    const ls_ir_instr *load = v->kind == LS_VALUE_INSTR && v->instr->op == LS_OP_LD ? v->instr : NULL;
    if (!load || load->access_count != 1 || load->dst_count != 1 || load->guard.kind != LS_IR_ABSENT)
        return false;
    const ls_ir_access *a = &load->accesses[0];
    if (!ls_is_in_slots(p, a) || a->space != LS_SPACE_SHARED || a->bytes < 4) return false;
    if (a->term_count || p->racy_barriers) return false;
    bool starts = false;
    for (uint32_t k = 0; k < p->f->access_count; k++) {
        const ls_ir_access *o = p->f->accesses[k];
        uint64_t stored;
        bool may = o->other_bases || !o->base_count;
        for (uint32_t b = 0; b < o->base_count; b++) may |= o->bases[b] == a->bases[0];
        if (!may || o->kind == LS_ACCESS_READ) continue;
        bool sets = o->instr->op == LS_OP_ST && o->count == 1 && o->instr->src_count == 2 &&
                    ls_constant_operand(&o->instr->src[1], &stored) && stored <= MOST_STEP;
        if (o->bytes != a->bytes || (!sets && small_increment(p, o->instr) != UP)) return false;
        starts |= sets && is_start(p, o, a);
    }
    return starts;
}

/* The same, or of a number that was counted. */
static direction increment(ls_proof *p, const ls_ir_instr *i) {
    const direction small = small_increment(p, i);
    const bool adds = (i->op == LS_OP_ATOM || i->op == LS_OP_RED) && ls_ptx_form_has(i->form, LS_MOD_ADD);
    if (small != NOWHERE || !adds || i->access_count != 1 || i->src_count != 2) return small;
    if (i->guard.kind != LS_IR_ABSENT || !i->src[1].value || !is_counted(p, i->src[1].value)) return NOWHERE;
    const ls_ir_access *a = &i->accesses[0];
    bool one = ls_is_in_slots(p, a) && a->bases[0]->kind != LS_BASE_LOADED;
    return one && a->bytes == i->src[1].value->instr->accesses[0].bytes ? UP : NOWHERE;
}

/* The access leaves the numbers that increments give apart: it reads the counter, or sets it before all of
 * them (and a plain store that is not ordered before an increment of another thread is a race of its own: a
 * way from an increment to the barrier between them and on to the store would be one from the increment to
 * the store). */
static bool leaves_apart(ls_proof *p, const ls_ir_access *o, const ls_ir_instr *increment) {
    bool plain = !ls_order_of(o->instr->form).strong && o->base_count == 1 && !o->other_bases;
    if (plain && o->kind == LS_ACCESS_READ) return true;
    return plain && o->instr->op == LS_OP_ST && !ls_follows(p, increment, o->instr);
}

/* Two executions of increments of a place that nothing else changes meanwhile never get the same result, as
 * long as the counter does not overflow. */
static direction counts(ls_proof *p, const ls_ir_instr *i) {
    const direction to = increment(p, i);
    const ls_ir_access *a = &i->accesses[0];
    for (uint32_t k = 0; to != NOWHERE && k < p->f->access_count; k++) {
        const ls_ir_access *o = p->f->accesses[k];
        bool may = o->other_bases || !o->base_count;
        for (uint32_t b = 0; b < o->base_count; b++) may |= o->bases[b] == a->bases[0];
        bool alike = increment(p, o->instr) == to && o->bytes == a->bytes;
        if (may && !alike && !leaves_apart(p, o, i)) return NOWHERE;
    }
    return to;
}

/* By how much the thread has changed it; NULL: not known. */
static const ls_term *step_of(ls_query *q, const ls_term *x, direction to) {
    ls_terms *t = &q->view.p->terms;
    const ls_joint *joint = ls_joint_of(q->view.p, x);
    if (!joint || !joint->operands[1]) return NULL;
    if (ls_ptx_form_has(joint->instr->form, LS_MOD_INC)) return ls_const(t, x->width, 1);
    const ls_term *step = ls_query_term(q, ls_sym_of(t, x)->thread, joint->operands[1]);
    step = ls_resize(t, step, x->width, false);
    return to == UP ? step : ls_sub(t, ls_const(t, x->width, 0), step);
}

/* The numbers from x on (upwards or downwards) and those from y on, as many as were added each time, have
 * none in common. */
static const ls_term *are_apart(ls_query *q, const ls_term *x, const ls_term *y, direction to) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *of_x = step_of(q, x, to), *of_y = step_of(q, y, to);
    if (!of_x || !of_y || x->width != y->width) return ls_true(t);
    bool ones = ls_is_const(of_x) && ls_is_const(of_y) && of_x->value == 1 && of_y->value == 1;
    if (ones) return ls_not(t, ls_eq(t, x, y));
    const ls_term *zero = ls_const(t, x->width, 0);
    const ls_term *none = ls_or(t, ls_eq(t, of_x, zero), ls_eq(t, of_y, zero));
    const ls_term *from_x = to == UP ? ls_sub(t, y, x) : ls_sub(t, x, y);
    const ls_term *from_y = to == UP ? ls_sub(t, x, y) : ls_sub(t, y, x);
    return ls_or(t, none, ls_and(t, ls_not(t, ls_ult(t, from_x, of_x)), ls_not(t, ls_ult(t, from_y, of_y))));
}

/* --- Overflow --------------------------------------------------------------------------------------------
 */

/* As many threads as the launch has that may execute the operation once; 0: its sizes are not known. */
static uint64_t executions(ls_proof *p, const ls_ir_instr *i) {
    uint64_t blocks = 1, threads = 1;
    for (int k = 0; k < 3; k++) {
        if (!ls_is_const(p->nctaid[k]) || !ls_is_const(p->ntid[k])) return 0;
        blocks *= p->nctaid[k]->value;
        threads *= p->ntid[k]->value;
    }
    const ls_event *e = ls_whole_event(p, &(ls_event){.access = &i->accesses[0]});
    if (e && ls_is_once_a_block(p, e)) threads = 1;
    return i->accesses[0].space == LS_SPACE_SHARED ? threads : blocks * threads;
}

/* The most that one execution adds; what was counted in shared memory is at least one for each. */
static uint64_t most_added(ls_proof *p, const ls_ir_instr *i) {
    if (small_increment(p, i) == NOWHERE || ls_ptx_form_has(i->form, LS_MOD_INC)) return 1;
    const ls_term *step = ls_operand_of(p->whole, &i->src[1]);
    return (uint64_t)(step->slo < 0 ? -step->slo : step->shi);
}

/* The launch has so many threads that the counter comes around: it is known then that numbers are given
 * again, and nothing may be assumed. */
static bool comes_around(ls_proof *p, const ls_ir_instr *counter) {
    const ls_ir_access *a = &counter->accesses[0];
    double all = 0;
    for (uint32_t k = 0; k < p->f->access_count; k++) {
        const ls_ir_access *o = p->f->accesses[k];
        if (o->base_count != 1 || o->bases[0] != a->bases[0] || increment(p, o->instr) == NOWHERE) continue;
        all += (double)executions(p, o->instr) * (double)most_added(p, o->instr);
    }
    return a->bytes == 4 && all > 0x1p32;
}

/* What is known of the results of two threads on one object, at one place; NULL: nothing. */
static const ls_term *known_of(ls_query *q, const ls_term *x, const ls_term *y) {
    ls_proof *p = q->view.p;
    const ls_ir_instr *one = ls_sym_of(&p->terms, x)->key, *two = ls_sym_of(&p->terms, y)->key;
    const direction to = counts(p, one);
    if (to == NOWHERE || counts(p, two) != to) return ls_one_winner(q, x, y);
    if (comes_around(p, one)) return NULL;
    p->assumed |= LS_ASSUMED_COUNTERS;
    return are_apart(q, x, y, to);
}

/* Where the two operations are of the same place; NULL: it is not known. */
static const ls_term *same_place(ls_query *q, const ls_term *x, const ls_term *y) {
    ls_terms *t = &q->view.p->terms;
    const ls_joint *one = ls_joint_of(q->view.p, x), *two = ls_joint_of(q->view.p, y);
    if (!one || !two || !one->address || !two->address) return NULL;
    return ls_eq(t, ls_query_term(q, ls_sym_of(t, x)->thread, one->address),
                 ls_query_term(q, ls_sym_of(t, y)->thread, two->address));
}

static bool reaches_other(const ls_ir_instr *i, bool same_block) {
    if (i->accesses[0].space == LS_SPACE_SHARED && !same_block) return false;
    return ls_order_of(i->form).scope >= (same_block ? LS_REACH_BLOCK : LS_REACH_GPU);
}

/* Of threads 1 and 2, which are different ones, and of the lanes that they got values from (ranks.c), which
 * may be one. */
static void claim_apart(ls_query *q, const ls_term *x, const ls_term *y) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_sym *a = ls_sym_of(t, x), *b = ls_sym_of(t, y);
    bool same_block = q->view.same_block || a->thread % 2 == b->thread % 2;
    if (!reaches_other(a->key, same_block) || !reaches_other(b->key, same_block)) return;
    const ls_term *same = same_place(q, x, y), *known = same ? known_of(q, x, y) : NULL;
    if (!known) return;
    if (same_block && b->thread > 2) {
        const ls_term *one = ls_query_term(q, a->thread, ls_thread_number(p));
        known = ls_or(t, known, ls_eq(t, one, ls_query_term(q, b->thread, ls_thread_number(p))));
    }
    ls_query_claim(q, ls_implies(t, same, known));
}

/* Both are operations on one object. */
static bool share_object(const ls_ir_instr *x, const ls_ir_instr *y) {
    if (x->access_count != 1 || y->access_count != 1) return false;
    const ls_ir_access *a = &x->accesses[0], *b = &y->accesses[0];
    return a->base_count == 1 && b->base_count == 1 && a->bases[0] == b->bases[0];
}

void ls_query_counters(ls_query *q) {
    ls_terms *t = &q->view.p->terms;
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++)
        for (uint32_t j = 0; j < leaves.length; j++) {
            const ls_term *x = leaves.items[i], *y = leaves.items[j];
            if (x->op != LS_T_SYM || y->op != LS_T_SYM) continue;
            const ls_sym *a = ls_sym_of(t, x), *b = ls_sym_of(t, y);
            if (a->kind != LS_SYM_CHOICE || b->kind != LS_SYM_CHOICE || !a->key || !b->key) continue;
            if (a->thread && a->thread < b->thread && share_object(a->key, b->key)) claim_apart(q, x, y);
        }
    LS_VEC_FREE(&leaves);
}
