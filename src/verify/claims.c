/* Assertions, preconditions and invariants stated in the kernel: obligations of every thread that reaches
 * them. A claim in a loop is proved by induction: the previous iteration (loops.c) has been executed with it.
 */
#include "verify/proof.h"

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (!strcmp(name, *names)) return true;
    return false;
}

static bool is_obligation(const ls_ir_instr *i) {
    static const char *const always[] = {"__assert", "__global_assert", "__invariant", "__global_invariant",
                                         NULL};
    static const char *const inside[] = {"__requires", "__global_requires", NULL};
    if (is_one_of(i->call->name, always)) return true;
    return i->pos->at && is_one_of(i->call->name, inside); /* of a function that was called */
}

static void check(ls_proof *p, const ls_claim *claim) {
    ls_terms *t = &p->terms;
    ls_query q;
    ls_query_begin(&q,
                   (ls_view){.p = p, .same_block = true, .a = claim->node->block, .b = claim->node->block});
    ls_query_add(&q, 1, claim->when, claim->holds);
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
        f->witness_count = f->witness_count > 4 ? f->witness_count : 4;
    } else if (answer != LS_UNSAT) {
        ls_unknown(p, pos, NULL, "no proof that the %s holds%s", what,
                   answer == LS_SAT ? ": it may fail for values that are not modelled exactly" : "");
    }
    ls_query_end(&q);
}

void ls_check_claims(ls_proof *p) {
    for (uint32_t i = 0; i < p->claims.length && !p->solver.timed_out; i++) {
        const ls_claim *claim = &p->claims.items[i];
        if (is_obligation(claim->instr))
            check(p, claim);
        else if (!strcmp(claim->instr->call->name, "__assume"))
            ls_scope_line(p, "assumes the __assume at line %u", claim->instr->pos->line);
        else
            ls_scope_line(p, "for inputs that satisfy the precondition at line %u", claim->instr->pos->line);
    }
}
