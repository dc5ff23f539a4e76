/* Invariants at barriers: __barrier_invariant_N(claim, t1, …, tN) just before a barrier. Each thread must
 * show the claim of what it sees before the barrier, as any other; the loads in it are accesses of the
 * thread, so that nobody changes there what it speaks of. Behind the barrier the claim of each thread of the
 * block holds of the contents that all see then; those of threads t1 … tN are made use of: the claim is
 * computed once more on the new contents, with t for the thread's own index. */
#include "verify/check/barrier_facts.h"
#include "verify/execute/calls.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

typedef struct {
    const ls_term *own, *other;
} exchange;

static const ls_term *for_other(ls_subst *subst, const ls_term *symbol) {
    const exchange *x = subst->data;
    return symbol == x->own ? x->other : symbol;
}

/* What it speaks of is known of any thread: indices, sizes, parameters and the contents of memory. */
static bool speaks_for_all(ls_terms *t, const ls_term *claim) {
    ls_term_list leaves = {0};
    ls_leaves(&claim, 1, &leaves);
    bool all = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        uint8_t kind = leaf->op == LS_T_SYM ? ls_sym_of(t, leaf)->kind : LS_SYM_INPUT;
        all &= kind == LS_SYM_INPUT || kind == LS_SYM_EPOCH;
    }
    LS_VEC_FREE(&leaves);
    return all;
}

/* The instruction behind the bracket that opens before the call; `end` where there is none in the block. */
static uint32_t bracket_of(const ls_node *n, uint32_t call) {
    for (uint32_t k = call; k-- > n->first;) {
        const ls_ir_call *c = n->block->instrs[k]->call;
        if (c && c->builtin == LS_BUILTIN_NON_TEMPORAL_LOADS_END) return n->end;
        if (c && c->builtin == LS_BUILTIN_NON_TEMPORAL_LOADS_BEGIN) return k + 1;
    }
    return n->end;
}

/* The claim of the instruction at `call`, on what memory holds now. */
static const ls_term *claim_now(ls_state *s, const ls_node *n, uint32_t call) {
    ls_terms *t = &s->proof->terms;
    uint32_t first = bracket_of(n, call);
    ls_ir_value *argument = ls_ir_argument_value(n->block->instrs[call], 0, 0);
    if (first == n->end || !argument) return NULL;
    ls_state *again = ls_state_new(s->proof, s, "!");
    again->memory = s->memory;
    again->path = s->path;
    for (uint32_t k = first; k < call; k++) ls_lower_instr(again, n->block->instrs[k]);
    const ls_term *v = ls_value_of(again, argument);
    if (v->width > 8) v = ls_extract(t, v, 0, 8);
    const ls_term *claim = ls_not(t, ls_eq(t, v, ls_const(t, v->width, 0)));
    return speaks_for_all(t, claim) ? claim : NULL;
}

const ls_term *ls_barrier_facts(ls_state *s, const ls_node *n) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    const ls_term *facts = ls_true(t);
    for (uint32_t k = n->first; k < n->end && !p->options->no_annotations; k++) {
        const ls_ir_instr *i = n->block->instrs[k];
        if (ls_call_of(i) != LS_CALL_AT_BARRIER || i->guard.kind != LS_IR_ABSENT) continue;
        const ls_term *claim = claim_now(s, n, k);
        for (uint32_t a = 1; claim && a < i->call->arg_count; a++) {
            ls_ir_value *v = ls_ir_argument_value(i, a, 0);
            if (!v) continue;
            exchange x = {p->tid[0], ls_resize(t, ls_value_of(s, v), 32, false)};
            ls_subst subst = {.ctx = t, .replace = for_other, .data = &x};
            const ls_term *exists = ls_ult(t, x.other, p->ntid[0]);
            facts = ls_and(t, facts, ls_implies(t, exists, ls_substitute(&subst, claim)));
            ls_subst_free(&subst);
        }
    }
    return facts;
}
