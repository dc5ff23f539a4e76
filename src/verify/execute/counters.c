/* Atomic counters: a place that is only ever incremented gives every thread a number of its own, by which
 * accesses are apart (compaction, queues, tickets); and as many numbers as it was incremented by. */
#include "verify/execute/counters.h"
#include "isa/order.h"
#include "verify/check/fences.h"
#include "verify/check/ranks.h"
#include "verify/check/warps.h"
#include "verify/proof.h"
#include "verify/query/query.h"

/* A small number that is not negative: a constant, or one of bits. */
static bool is_small(ls_ir_value *v) {
    uint64_t step;
    if (ls_ir_constant(v, &step)) return step > 0 && step <= 16;
    return v->kind == LS_VALUE_INSTR && v->instr->op == LS_OP_POPC && v->instr->guard.kind == LS_IR_ABSENT;
}

/* An atomic addition of a small number to a fixed place. */
static bool is_increment(const ls_ir_instr *i) {
    bool adds = i->op == LS_OP_ATOM && ls_ptx_form_has(i->form, LS_MOD_ADD) && i->access_count == 1 &&
                i->src_count == 2;
    if (!adds || i->guard.kind != LS_IR_ABSENT || !i->src[1].value || !is_small(i->src[1].value))
        return false;
    const ls_ir_access *a = &i->accesses[0];
    bool one = a->base_count == 1 && !a->other_bases && a->bases[0]->kind != LS_BASE_LOADED;
    return a->bytes >= 4 && one && !a->term_count && a->has_offset;
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
static bool counts_up(ls_proof *p, const ls_ir_instr *i) {
    if (!is_increment(i)) return false;
    const ls_ir_access *a = &i->accesses[0];
    for (uint32_t k = 0; k < p->f->access_count; k++) {
        const ls_ir_access *o = p->f->accesses[k];
        bool may = o->other_bases || !o->base_count;
        for (uint32_t b = 0; b < o->base_count; b++) may |= o->bases[b] == a->bases[0];
        bool same_place = is_increment(o->instr) && o->bases[0] == a->bases[0] &&
                          o->constant == a->constant && o->bytes == a->bytes;
        if (may && !same_place && !leaves_apart(p, o, i)) return false;
    }
    return true;
}

static bool same_counter(ls_proof *p, const ls_ir_instr *x, const ls_ir_instr *y) {
    if (!counts_up(p, x) || !counts_up(p, y)) return false;
    return x->accesses[0].bases[0] == y->accesses[0].bases[0];
}

/* By how much the thread has incremented it; NULL: not known. */
static const ls_term *step_of(ls_query *q, const ls_term *x) {
    const ls_joint *joint = ls_joint_of(q->view.p, x);
    if (!joint || !joint->operands[1]) return NULL;
    const ls_term *step = ls_query_term(q, ls_sym_of(&q->view.p->terms, x)->thread, joint->operands[1]);
    return ls_resize(&q->view.p->terms, step, x->width, false);
}

/* The numbers from x on and those from y on, as many as were added each time, have none in common. */
static const ls_term *are_apart(ls_query *q, const ls_term *x, const ls_term *y) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *of_x = step_of(q, x), *of_y = step_of(q, y);
    const ls_term *differ = ls_not(t, ls_eq(t, x, y));
    if (!of_x || !of_y || x->width != y->width) return differ;
    bool ones = ls_is_const(of_x) && ls_is_const(of_y) && of_x->value == 1 && of_y->value == 1;
    if (ones) return differ;
    const ls_term *zero = ls_const(t, x->width, 0);
    const ls_term *none = ls_or(t, ls_eq(t, of_x, zero), ls_eq(t, of_y, zero));
    const ls_term *up = ls_not(t, ls_ult(t, ls_sub(t, y, x), of_x));
    return ls_or(t, none, ls_and(t, up, ls_not(t, ls_ult(t, ls_sub(t, x, y), of_y))));
}

/* Of threads 1 and 2, which are different ones, and of the lanes that they got values from (ranks.c), which
 * may be one. */
static void claim_apart(ls_query *q, const ls_term *x, const ls_term *y) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_sym *a = ls_sym_of(t, x), *b = ls_sym_of(t, y);
    const ls_ir_instr *instr = a->key;
    bool same_block = q->view.same_block || a->thread % 2 == b->thread % 2;
    if (instr->accesses[0].space == LS_SPACE_SHARED && !same_block) return;
    if (ls_order_of(instr->form).scope < (same_block ? LS_REACH_BLOCK : LS_REACH_GPU)) return;
    const ls_term *apart = are_apart(q, x, y);
    if (same_block && b->thread > 2) {
        const ls_term *one = ls_query_term(q, a->thread, ls_thread_number(p));
        apart = ls_or(t, apart, ls_eq(t, one, ls_query_term(q, b->thread, ls_thread_number(p))));
    }
    ls_query_claim(q, apart);
    p->assumed |= LS_ASSUMED_COUNTERS;
}

void ls_query_counters(ls_query *q) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++)
        for (uint32_t j = 0; j < leaves.length; j++) {
            const ls_term *x = leaves.items[i], *y = leaves.items[j];
            if (x->op != LS_T_SYM || y->op != LS_T_SYM) continue;
            const ls_sym *a = ls_sym_of(t, x), *b = ls_sym_of(t, y);
            if (a->kind != LS_SYM_CHOICE || b->kind != LS_SYM_CHOICE || !a->key || !b->key) continue;
            if (!a->thread || a->thread >= b->thread || !same_counter(p, a->key, b->key)) continue;
            claim_apart(q, x, y);
        }
    LS_VEC_FREE(&leaves);
}
