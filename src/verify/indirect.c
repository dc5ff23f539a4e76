/* Calls through a register. The IR has made a question of each: is it this function, that one, …, and a call
 * is left for what else it may be. None is else where that call is never reached. */
#include "verify/proof.h"

const ls_term *ls_function_addresses(ls_proof *p) {
    ls_terms *t = &p->terms;
    const ls_term *all = ls_true(t);
    for (uint32_t i = 0; i < p->f->object_count; i++) {
        if (p->f->objects[i]->kind != LS_OBJECT_FUNCTION) continue;
        const ls_term *one = ls_object_address(p, i);
        all = ls_and(t, all, ls_not(t, ls_eq(t, one, ls_const(t, one->width, 0))));
        for (uint32_t k = 0; k < i; k++)
            if (p->f->objects[k]->kind == LS_OBJECT_FUNCTION)
                all = ls_and(t, all, ls_not(t, ls_eq(t, one, ls_object_address(p, k))));
    }
    return all;
}

static bool is_reached(ls_proof *p, const ls_node *n, const ls_ir_instr *call) {
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = n->block, .b = n->block});
    ls_query_add(&q, 1, p->whole->reach[n->id], ls_guard_of(p->whole, call));
    ls_query_claim(&q, ls_query_term(&q, 1, ls_guard_of(p->whole, call)));
    ls_query_claim(&q, p->launch);
    bool reached = ls_query_solve(&q) != LS_UNSAT;
    ls_query_end(&q);
    return reached;
}

void ls_check_indirect(ls_proof *p) {
    for (uint32_t n = 0; n < p->node_count && p->has_indirect_calls; n++)
        for (uint32_t k = p->nodes[n]->first; k < p->nodes[n]->end && p->whole->reach[n]; k++) {
            const ls_ir_instr *i = p->nodes[n]->block->instrs[k];
            if (!i->call || i->call->name || !is_reached(p, p->nodes[n], i)) continue;
            ls_unknown(p, i->pos, "state with __requires which functions it may be",
                       "call through a pointer to a function that is not known");
            p->unmodelled_sync = true;
        }
}
