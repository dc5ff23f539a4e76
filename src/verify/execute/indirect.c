/* Calls through a register. The IR has made a question of each: is it this function, that one, …, and a call
 * is left for what else it may be. None is else where that call is never reached. */
#include "verify/execute/indirect.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

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

/* With `target`: where that is what is called. */
static ls_answered ask(ls_proof *p, const ls_node *n, const ls_ir_instr *call, const ls_term *target,
                       ls_query *q) {
    ls_query_begin(q, (ls_view){.p = p, .same_block = true, .a = n->block, .b = n->block});
    ls_query_add(q, 1, p->whole->reach[n->id], ls_guard_of(p->whole, call));
    ls_query_claim(q, ls_query_term(q, 1, ls_guard_of(p->whole, call)));
    ls_query_claim(q, p->launch);
    if (target) {
        ls_query_add(q, 1, ls_true(&p->terms), target);
        ls_query_claim(q, ls_query_term(q, 1, target));
    }
    return ls_query_solve(q);
}

/* It comes from outside of the kernel: a parameter, or memory that the host code may have filled. */
static bool is_given(ls_proof *p, const ls_term *leaf) {
    uint64_t key;
    if (leaf->width <= 32) return false;
    return leaf->op == LS_T_UF || ls_sym_of(&p->terms, leaf)->kind == LS_SYM_LOAD ||
           ls_intmap_get(&p->parameter_keys, leaf->value, &key);
}

/* A number is called, which is no function: null, mostly. What a parameter or a table of the host code's
 * holds is another matter, unless it may be null as well (--null, --externals any). */
static bool calls_nothing(ls_proof *p, const ls_node *n, const ls_ir_instr *call) {
    ls_terms *t = &p->terms;
    const ls_term *target = call->src_count ? ls_operand_of(p->whole, &call->src[0]) : NULL;
    ls_term_list leaves = {0};
    bool known = target != NULL, found = false, any = p->options->null || p->options->any_externals;
    if (target) ls_leaves(&target, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) known &= any || !is_given(p, leaves.items[i]);
    LS_VEC_FREE(&leaves);
    if (!known) return false;
    ls_query q;
    const ls_term *low = ls_ult(t, target, ls_const(t, target->width, 4096));
    if (ask(p, n, call, low, &q) == LS_SAT && ls_query_confirmed(&q)) {
        ls_finding *f = ls_find(p, LS_RULE_MEMORY_BOUNDS, LS_ERROR, call->pos,
                                "call through a pointer that is null or does not point to a function");
        ls_query_witness(&q, f, NULL);
        found = true;
    }
    ls_query_end(&q);
    return found;
}

void ls_check_indirect(ls_proof *p) {
    for (uint32_t n = 0; n < p->node_count; n++)
        for (uint32_t k = p->nodes[n]->first; k < p->nodes[n]->end && p->whole->reach[n]; k++) {
            const ls_ir_instr *i = p->nodes[n]->block->instrs[k];
            if (!i->call || i->call->name) continue;
            ls_query q;
            bool reached = ask(p, p->nodes[n], i, NULL, &q) != LS_UNSAT;
            ls_query_end(&q);
            if (!reached || calls_nothing(p, p->nodes[n], i)) continue;
            ls_unknown(p, i->pos, "state with __requires which functions it may be",
                       "call through a pointer to a function that is not known");
            p->unmodelled_sync |= LS_SYNC_ANYWHERE;
        }
}
