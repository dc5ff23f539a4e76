/* Integer division by zero, where it is asked for (--div0): PTX leaves the result open, the source language
 * leaves everything open. */
#include "verify/check/division.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

typedef LS_VEC(ls_division) divisions;
LS_LIST_PART(divisions_of, divisions)

void ls_keep_division(ls_proof *p, ls_division division) {
    divisions *kept = divisions_of(p);
    LS_VEC_PUSH(kept, division);
}

static void check(ls_proof *p, const ls_division *d) {
    const ls_ir_block *block = d->node->block;
    const ls_term *zero = ls_eq(&p->terms, d->divisor, ls_const(&p->terms, d->divisor->width, 0));
    if (ls_is_false(zero)) return;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = block, .b = block});
    ls_query_add(&q, 1, d->when, d->divisor);
    ls_query_claim(&q, p->launch);
    ls_query_claim(&q, ls_query_term(&q, 1, zero));
    ls_answered answer = ls_query_solve(&q);
    if (answer == LS_SAT && ls_query_confirmed(&q))
        ls_query_witness(&q, ls_find(p, LS_RULE_DIVISION, LS_ERROR, d->instr->pos, "division by zero"), NULL);
    else if (answer != LS_UNSAT)
        ls_unknown(p, d->instr->pos, "state that it is not zero (--assume), or guard the division",
                   "no proof that the divisor is not zero");
    ls_query_end(&q);
}

void ls_check_divisions(ls_proof *p) {
    const divisions *kept = divisions_of(p);
    for (uint32_t i = 0; i < kept->length && !p->solver.timed_out; i++) check(p, &kept->items[i]);
}
