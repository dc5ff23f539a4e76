/* Assertions, preconditions and invariants stated in the kernel: obligations of every thread that reaches
 * them. A claim in a loop is proved by induction: the previous iteration (loops.c) has been executed with it.
 */
#include "verify/calls.h"
#include "verify/logs.h"
#include "verify/proof.h"

static bool is_obligation(const ls_ir_instr *i) {
    ls_call_kind kind = ls_call_of(i);
    return kind == LS_CALL_ASSERT ||
           (kind == LS_CALL_REQUIRE && i->pos->at); /* of a function that was called */
}

/* The claim speaks of the other thread of a pair. */
static bool speaks_of_other(ls_terms *t, const ls_term *holds) {
    ls_term_list leaves = {0};
    ls_leaves(&holds, 1, &leaves);
    bool found = false;
    for (uint32_t i = 0; i < leaves.length; i++)
        found |= leaves.items[i]->op == LS_T_SYM && ls_sym_of(t, leaves.items[i])->kind == LS_SYM_OTHER;
    LS_VEC_FREE(&leaves);
    return found;
}

/* All threads of a block reach the block together. */
static bool reached_together(const ls_proof *p, const ls_ir_block *block) {
    bool *closure = ls_xmalloc(p->f->block_count + 1), together = true;
    memset(closure, 0, p->f->block_count);
    ls_control_closure(p, block, closure);
    for (uint32_t b = 0; b < p->f->block_count; b++) together &= !closure[b] || !p->divergent_branch[b];
    free(closure);
    return together;
}

static void check(ls_proof *p, const ls_claim *claim, bool other, bool same_block) {
    ls_terms *t = &p->terms;
    ls_query q;
    const ls_ir_block *block = claim->node->block;
    ls_query_begin(&q,
                   (ls_view){.p = p, .same_block = same_block, .together = other, .a = block, .b = block});
    ls_query_add(&q, 1, claim->when, claim->holds);
    if (other) {
        ls_query_add(&q, 2, claim->when, claim->holds);
        ls_query_distinct(&q);
    }
    ls_query_claim(&q, p->launch);
    ls_query_claim(&q, ls_not(t, ls_query_term(&q, 1, claim->holds)));
    ls_answered answer = ls_query_solve(&q);
    const ls_ir_pos *pos = claim->instr->pos;
    const char *what = strstr(claim->instr->call->name, "invariant")  ? "invariant"
                       : strstr(claim->instr->call->name, "requires") ? "precondition"
                                                                      : "assertion";
    if (answer == LS_SAT && ls_query_confirmed(&q)) {
        ls_verify_finding *f = ls_find(p, LS_RULE_ASSERT, LS_ERROR, pos, "%s can fail", what);
        ls_query_witness(&q, f, NULL);
    } else if (answer != LS_UNSAT) {
        ls_unknown(p, pos, NULL, "no proof that the %s holds%s", what,
                   answer == LS_SAT ? ": it may fail for values that are not modelled exactly" : "");
    }
    ls_query_end(&q);
}

void ls_check_claims(ls_proof *p) {
    for (uint32_t i = 0; i < p->claims.length && !p->solver.timed_out; i++) {
        const ls_claim *claim = &p->claims.items[i];
        const ls_ir_instr *instr = claim->instr;
        bool other = speaks_of_other(&p->terms, claim->holds), everyone = ls_call_is_global(instr);
        if ((other || everyone) && !reached_together(p, claim->node->block)) {
            ls_unknown(p, instr->pos, NULL, "%s where not all threads of a block are", instr->call->name);
        } else if (ls_speaks_of_log(&p->terms, claim->holds)) {
            if (is_obligation(instr) && !other)
                ls_check_log_claim(p, claim);
            else
                ls_unknown(p, instr->pos, NULL, "%s about accesses made so far is not modelled",
                           instr->call->name);
        } else if (is_obligation(instr)) {
            check(p, claim, other, true);
            if (other) check(p, claim, other, false);
        } else if (ls_call_of(instr) == LS_CALL_ASSUME) {
            ls_scope_line(p, "assumes the __assume at line %u", instr->pos->line);
        } else {
            ls_scope_line(p, "for inputs that satisfy the precondition at line %u", instr->pos->line);
        }
    }
}
