/* Invariants at barriers: __barrier_invariant_N(claim, t1, …, tN) just before a barrier. Each thread must
 * show the claim of what it sees before the barrier, as any other; the loads in it are accesses of the
 * thread, so that nobody changes there what it mentions. Behind the barrier the claim of each thread of the
 * block holds of the contents that all see then; those of threads t1 … tN are made use of: the claim is
 * computed once more on the new contents, with t for the thread's own index.
 *
 * __barrier_invariant_binary_N(claim, t1, u1, …) is a claim of two threads of the block: each two must show
 * it, where what the claim loads at an address of the other thread is what that one sees there, and is an
 * access of that one. Behind the barrier it holds of t1 and u1, …, where these are different threads that
 * exist. */
#include "verify/check/barrier_facts.h"
#include "verify/check/claims.h"
#include "verify/execute/calls.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

/* --- Claims of two threads -------------------------------------------------------------------------------
 */

bool ls_is_of_pairs(const ls_ir_instr *i) {
    return ls_ir_builtin(i) == LS_BUILTIN_BARRIER_INVARIANT_BINARY;
}

/* The instruction stands in the brackets of a claim of two threads. */
static bool is_in_pair_claim(const ls_ir_instr *i) {
    bool behind = false;
    for (uint32_t k = 0; k < i->block->instr_count; k++) {
        const ls_ir_instr *other = i->block->instrs[k];
        if (behind && ls_is_of_pairs(other)) return true;
        if (behind && ls_ir_builtin(other) == LS_BUILTIN_NON_TEMPORAL_LOADS_END) return false;
        behind |= other == i;
    }
    return false;
}

static const ls_term *as_own(ls_subst *subst, const ls_term *symbol) {
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    return sym->kind == LS_SYM_OTHER ? sym->key : symbol;
}

typedef struct {
    bool looked, claims; /* whether there are claims of two threads at all */
} pair_claims;

static bool has_pair_claims(const ls_proof *p) {
    static const ls_part PAIR_CLAIMS = {sizeof(pair_claims), NULL};
    pair_claims *known = ls_part_of(p, &PAIR_CLAIMS);
    for (uint32_t i = 0; i < p->f->instr_count && !known->looked; i++)
        known->claims |= ls_is_of_pairs(p->f->instrs[i]);
    known->looked = true;
    return known->claims;
}

/* The address is made of what the other thread has, and of what both have. */
static bool is_of_other(ls_terms *t, const ls_term *address) {
    ls_term_list leaves = {0};
    ls_leaves(&address, 1, &leaves);
    bool other = false, mine = false;
    for (uint32_t k = 0; k < leaves.length; k++) {
        const ls_term *leaf = leaves.items[k];
        bool is_other = leaf->op == LS_T_SYM && ls_sym_of(t, leaf)->kind == LS_SYM_OTHER;
        other |= is_other;
        mine |= !is_other && leaf->scope != LS_SCOPE_GRID && leaf->scope != LS_SCOPE_BLOCK;
    }
    LS_VEC_FREE(&leaves);
    return other && !mine;
}

const ls_term *ls_address_of_other(ls_proof *p, const ls_ir_instr *i, const ls_term *address) {
    ls_terms *t = &p->terms;
    if (!has_pair_claims(p) || !is_of_other(t, address) || !is_in_pair_claim(i)) return NULL;
    ls_subst subst = {.ctx = t, .replace = as_own};
    const ls_term *own = ls_substitute(&subst, address);
    ls_subst_free(&subst);
    return own;
}

/* --- Behind the barrier ----------------------------------------------------------------------------------
 */

typedef struct {
    const ls_term *own, *other, *second; /* second: for what the claim says of the other thread */
} exchange;

static const ls_term *for_other(ls_subst *subst, const ls_term *symbol) {
    const exchange *x = subst->data;
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    if (sym->kind != LS_SYM_OTHER || !x->second) return symbol == x->own ? x->other : symbol;
    exchange second = {x->own, x->second, NULL};
    ls_subst inner = {.ctx = subst->ctx, .replace = for_other, .data = &second};
    const ls_term *theirs = ls_resize(subst->ctx, ls_substitute(&inner, sym->key), symbol->width, false);
    ls_subst_free(&inner);
    return theirs;
}

/* What it mentions is known of any thread: indices, sizes, parameters and the contents of memory. */
static bool speaks_for_all(ls_terms *t, const ls_term *claim) {
    ls_term_list leaves = {0};
    ls_leaves(&claim, 1, &leaves);
    bool all = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        uint8_t kind = leaf->op == LS_T_SYM ? ls_sym_of(t, leaf)->kind : LS_SYM_INPUT;
        all &= kind == LS_SYM_INPUT || kind == LS_SYM_EPOCH ||
               (kind == LS_SYM_OTHER && speaks_for_all(t, ls_sym_of(t, leaf)->key));
    }
    LS_VEC_FREE(&leaves);
    return all;
}

/* The instruction after the bracket that opens before the call; `end` if there is no bracket in the block. */
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

/* The claim of the threads that the arguments from `a` on name. */
static const ls_term *fact_of(ls_state *s, const ls_ir_instr *i, uint32_t a, const ls_term *claim) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    bool pairs = ls_is_of_pairs(i);
    ls_ir_value *v = ls_ir_argument_value(i, a, 0), *u = pairs ? ls_ir_argument_value(i, a + 1, 0) : NULL;
    if (!v || (pairs && !u)) return ls_true(t);
    exchange x = {p->tid[0], ls_resize(t, ls_value_of(s, v), 32, false), NULL};
    const ls_term *exists = ls_ult(t, x.other, p->ntid[0]);
    if (pairs) {
        x.second = ls_resize(t, ls_value_of(s, u), 32, false);
        exists = ls_and(t, exists, ls_ult(t, x.second, p->ntid[0]));
        exists = ls_and(t, exists, ls_not(t, ls_eq(t, x.other, x.second)));
    }
    ls_subst subst = {.ctx = t, .replace = for_other, .data = &x};
    const ls_term *fact = ls_implies(t, exists, ls_substitute(&subst, claim));
    ls_subst_free(&subst);
    return fact;
}

const ls_term *ls_barrier_facts(ls_state *s, const ls_node *n) {
    ls_proof *p = s->proof;
    const ls_term *facts = ls_true(&p->terms);
    if (!ls_reached_together(p, n->block)) return facts; /* who has left has shown nothing */
    for (uint32_t k = n->first; k < n->end && !p->options->no_annotations; k++) {
        const ls_ir_instr *i = n->block->instrs[k];
        if (ls_call_of(i) != LS_CALL_AT_BARRIER || i->guard.kind != LS_IR_ABSENT) continue;
        const ls_term *claim = claim_now(s, n, k);
        for (uint32_t a = 1; claim && a < i->call->arg_count; a += ls_is_of_pairs(i) ? 2 : 1)
            facts = ls_and(&p->terms, facts, fact_of(s, i, a, claim));
    }
    return facts;
}
