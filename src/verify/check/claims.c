/* Assertions, preconditions and invariants stated in the kernel: obligations of every thread that reaches
 * them. A claim in a loop is proved by induction: the previous iteration (loops.c) has been executed with it.
 */
#include "verify/check/claims.h"
#include "base/recover.h"
#include "verify/check/absent.h"
#include "verify/check/barrier_facts.h"
#include "verify/check/logs.h"
#include "verify/execute/calls.h"
#include "verify/execute/uniform.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

/* --- What a claim is like --------------------------------------------------------------------------------
 */

static bool is_obligation(const ls_ir_instr *i) {
    ls_call_kind kind = ls_call_of(i);
    return ls_is_failure(i) || kind == LS_CALL_ASSERT || kind == LS_CALL_ENSURE ||
           kind == LS_CALL_AT_BARRIER ||
           (kind == LS_CALL_REQUIRE && i->pos->at); /* of a function that was called */
}

/* The claim mentions the other thread of a pair. */
bool ls_speaks_of_other(ls_terms *t, const ls_term *holds) {
    ls_term_list leaves = {0};
    ls_leaves(&holds, 1, &leaves);
    bool found = false;
    for (uint32_t i = 0; i < leaves.length; i++)
        found |= leaves.items[i]->op == LS_T_SYM && ls_sym_of(t, leaves.items[i])->kind == LS_SYM_OTHER;
    LS_VEC_FREE(&leaves);
    return found;
}

bool ls_reached_together(const ls_proof *p, const ls_ir_block *block) {
    LS_SCRATCH(scratch);
    bool *closure = ls_arena_zalloc(&scratch, p->f->block_count + 1), together = true;
    ls_control_closure(p, block, closure);
    for (uint32_t b = 0; b < p->f->block_count; b++) together &= !closure[b] || !p->divergent_branch[b];
    return together;
}

/* --- Obligations -----------------------------------------------------------------------------------------
 */

const char *ls_claim_name(const ls_claim *claim) {
    static const struct {
        uint32_t trait;
        const char *name;
    } names[] = {{LS_TRAIT_INVARIANT, "invariant"},
                 {LS_TRAIT_REQUIRES, "precondition"},
                 {LS_TRAIT_ENSURES, "postcondition"}};
    if (!claim->instr->call) return "trap";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ls_ptx_builtin_traits(ls_ir_builtin(claim->instr)) & names[i].trait) return names[i].name;
    return "assertion";
}

static void check(ls_proof *p, const ls_claim *claim, ls_view view) {
    ls_terms *t = &p->terms;
    ls_query q;
    view.p = p;
    view.a = view.b = claim->node->block;
    ls_query_begin(&q, view);
    ls_query_add(&q, 1, claim->when, claim->holds);
    if (view.together) ls_query_add(&q, 2, claim->when, claim->holds);
    if (view.together || view.absent) ls_query_distinct(&q);
    ls_query_claim(&q, p->launch);
    ls_query_claim(&q, ls_not(t, ls_query_term(&q, 1, claim->holds)));
    ls_answered answer = ls_query_solve(&q);
    const ls_place *pos = claim->instr->pos;
    ls_finding *f = NULL;
    if (answer == LS_SAT) {
        f = ls_suspect(p, LS_RULE_ASSERT, LS_ERROR, pos, claim->instr->call ? "%s can fail" : "%s is reached",
                       ls_claim_name(claim));
        ls_query_witness(&q, f, NULL);
    }
    if (answer == LS_SAT && !view.absent && ls_query_confirmed(&q)) {
        ls_query_witness(&q, f, NULL); /* of a smaller model */
        ls_accuse(p, f);
    } else if (answer != LS_UNSAT) {
        ls_verify_note *note =
            ls_unknown(p, pos, NULL, "no proof that the %s %s%s", ls_claim_name(claim),
                       claim->instr->call ? "holds" : "is not reached",
                       answer == LS_SAT ? ": it may fail for values that are not modelled exactly" : "");
        if (!note->candidate && !view.absent) note->candidate = f;
    }
    ls_query_end(&q);
}

/* The other thread may be in the same block or in another one; and, where not all get there, elsewhere. */
static void check_obligation(ls_proof *p, const ls_claim *claim, bool other, bool together) {
    if (!other) check(p, claim, (ls_view){.same_block = true});
    for (int same = ls_is_of_pairs(claim->instr); other && same < 2; same++) {
        check(p, claim, (ls_view){.same_block = same, .together = true});
        if (!together) check(p, claim, (ls_view){.same_block = same, .absent = true});
    }
}

/* … of the threads that are not there (absent.c). */
static void check_absent(ls_proof *p, const ls_claim *claim) {
    ls_claims absent = {0};
    bool known = is_obligation(claim->instr) && !ls_speaks_of_other(&p->terms, claim->holds) &&
                 ls_absent_claims(p, claim, &absent);
    if (!known)
        ls_unknown(p, claim->instr->pos, NULL,
                   "%s in code that not all threads of a block reach: this is not modelled",
                   claim->instr->call->name);
    for (uint32_t i = 0; i < absent.length && known; i++) {
        if (ls_speaks_of_log(&p->terms, absent.items[i].holds))
            ls_check_log_claim(p, &absent.items[i]);
        else
            check(p, &absent.items[i], (ls_view){.same_block = true});
    }
    LS_VEC_FREE(&absent);
}

static void check_claim(ls_proof *p, const ls_claim *claim) {
    const ls_ir_instr *instr = claim->instr;
    bool left_out = p->options->promises_only && is_obligation(instr) && ls_call_of(instr) != LS_CALL_ENSURE;
    if (left_out) return;
    bool other = ls_speaks_of_other(&p->terms, claim->holds);
    bool together = ls_reached_together(p, claim->node->block);
    if (ls_call_is_global(instr) && !together) check_absent(p, claim);
    if (ls_speaks_of_log(&p->terms, claim->holds)) {
        if (is_obligation(instr) && !other)
            ls_check_log_claim(p, claim);
        else
            ls_unknown(p, instr->pos, NULL, "%s about the accesses made so far is not modelled here",
                       instr->call->name);
    } else if (is_obligation(instr)) {
        check_obligation(p, claim, other, together);
    } else if (ls_call_of(instr) == LS_CALL_ASSUME) {
        ls_scope_line(p, "assumes that __assume holds", "assumes the __assume at line %u", instr->pos->line);
    } else {
        ls_scope_line(p, "for inputs that satisfy the preconditions",
                      "for inputs that satisfy the precondition at line %u", instr->pos->line);
    }
}

typedef LS_VEC(ls_claim) claims;
LS_LIST_PART(claims_of, claims)

void ls_keep_claim(ls_proof *p, ls_claim claim) {
    claims *kept = claims_of(p);
    LS_VEC_PUSH(kept, claim);
}

void ls_check_claims(ls_proof *p) {
    const claims *kept = claims_of(p);
    for (uint32_t i = 0; i < kept->length && !p->solver.timed_out; i++) check_claim(p, &kept->items[i]);
}
