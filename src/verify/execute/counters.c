/* Atomic counters: a place that is only ever incremented gives every thread a number of its own, by which
 * accesses are apart (compaction, queues, tickets). */
#include "verify/execute/counters.h"
#include "isa/order.h"
#include "verify/proof.h"
#include "verify/query/query.h"

/* An atomic addition of a positive constant to a fixed place. */
static bool is_increment(const ls_ir_instr *i) {
    bool adds = i->op == LS_OP_ATOM && ls_ptx_form_has(i->form, LS_MOD_ADD) && i->access_count == 1 &&
                i->src_count == 2;
    uint64_t step = 0;
    if (!adds || i->guard.kind != LS_IR_ABSENT || !i->src[1].value || !ls_ir_constant(i->src[1].value, &step))
        return false;
    const ls_ir_access *a = &i->accesses[0];
    bool one = a->base_count == 1 && !a->other_bases && a->bases[0]->kind != LS_BASE_LOADED;
    return step > 0 && step <= 16 && a->bytes >= 4 && one && !a->term_count && a->has_offset;
}

/* Two executions of increments of a place that nothing else accesses never get the same result, as long as
 * the counter does not overflow. */
static bool counts_up(const ls_proof *p, const ls_ir_instr *i) {
    if (!is_increment(i)) return false;
    const ls_ir_access *a = &i->accesses[0];
    for (uint32_t k = 0; k < p->f->access_count; k++) {
        const ls_ir_access *o = p->f->accesses[k];
        bool may = o->other_bases || !o->base_count;
        for (uint32_t b = 0; b < o->base_count; b++) may |= o->bases[b] == a->bases[0];
        bool same_place = is_increment(o->instr) && o->bases[0] == a->bases[0] &&
                          o->constant == a->constant && o->bytes == a->bytes;
        if (may && !same_place) return false;
    }
    return true;
}

static bool same_counter(const ls_proof *p, const ls_ir_instr *x, const ls_ir_instr *y) {
    if (!counts_up(p, x) || !counts_up(p, y)) return false;
    return x->accesses[0].bases[0] == y->accesses[0].bases[0];
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
            const ls_ir_instr *instr = a->key;
            if (a->thread != 1 || b->thread != 2 || !same_counter(p, instr, b->key)) continue;
            if (instr->accesses[0].space == LS_SPACE_SHARED && !q->view.same_block) continue;
            if (ls_order_of(instr->form).scope < (q->view.same_block ? LS_REACH_BLOCK : LS_REACH_GPU))
                continue;
            ls_query_claim(q, ls_not(t, ls_eq(t, x, y)));
            p->assumed_counters = true;
        }
    LS_VEC_FREE(&leaves);
}
