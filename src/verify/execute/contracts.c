/* What functions promise: __ensures stands at the start of a function and mentions its end, with
 * __return_val_… for what it returns and __old_… for values at its start. Calls are expanded, so a promise is
 * an obligation where the expanded body ends (LS_IR_RETURN); behind that it may be assumed, as any claim that
 * was checked. What it says of memory would have to be read at the end and is not modelled. */
#include "verify/execute/contracts.h"
#include "verify/check/async.h"
#include "verify/check/logs.h"
#include "verify/execute/calls.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

typedef struct ls_promise ls_promise;
struct ls_promise {
    ls_promise *next;
    const ls_ir_instr *instr;
    const ls_term *when, *holds;
};

void ls_promise_made(ls_state *s, const ls_ir_instr *instr, const ls_term *holds) {
    ls_terms *t = &s->proof->terms;
    ls_promise *promise = LS_NEW(&s->proof->arena, ls_promise);
    *promise = (ls_promise){s->promises, instr, ls_and(t, s->path, ls_guard_of(s, instr)), holds};
    s->promises = promise;
}

typedef struct {
    const ls_state *s;
    const ls_ir_instr *instr; /* where the function returns */
    bool open;                /* a result was not found */
} returned;

/* The bytes of the results from `tag` on. */
static const ls_term *result_value(ls_subst *subst, const ls_term *symbol) {
    returned *r = subst->data;
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    if (sym->kind == LS_SYM_OTHER) { /* of what the other thread returns */
        const ls_term *value = ls_substitute(subst, sym->key);
        if (value == ls_sym_of(subst->ctx, symbol)->key) return symbol;
        const ls_term *other = ls_fresh(r->s, "other", symbol->width, LS_SYM_OTHER);
        ls_sym_of(subst->ctx, other)->key = value;
        return other;
    }
    if (sym->kind != LS_SYM_RESULT) return symbol;
    const ls_ir_instr *call = sym->key;
    ls_ir_value *v = call->pos->at == r->instr->pos->at ? ls_ir_argument_value(r->instr, 0, sym->tag) : NULL;
    if (!v) {
        r->open = true;
        return symbol;
    }
    return ls_resize(subst->ctx, ls_value_of(r->s, v), symbol->width, false);
}

static bool reads_memory(ls_terms *t, const ls_term *holds) {
    ls_term_list leaves = {0};
    ls_leaves(&holds, 1, &leaves);
    bool reads = false;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        reads |=
            leaf->op == LS_T_UF ? ls_is_uf(t, leaf, LS_UF_CONTENTS) : ls_sym_of(t, leaf)->kind == LS_SYM_LOAD;
    }
    LS_VEC_FREE(&leaves);
    return reads;
}

/* The call stands in the function that was called there, or in one of its own. */
static bool stands_within(const ls_ir_instr *call, const ls_place *called) {
    const ls_place *at = call->pos->at;
    while (at && at != called) at = at->at;
    return at != NULL;
}

/* The function states that it writes memory. */
static bool states_writes(const ls_proof *p, const ls_ir_instr *instr) {
    bool writes = false;
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_instr *other = p->f->instrs[i];
        writes |= ls_call_of(other) == LS_CALL_TOUCH && stands_within(other, instr->pos->at) &&
                  ls_ptx_builtin_traits(ls_ir_builtin(other)) & LS_TRAIT_WRITES;
    }
    return writes;
}

/* What a specification ensures, behind it: of the accesses that it states, it is a fact; of memory, it was
 * computed before, so it is none where the function writes. */
static const ls_term *ensured(ls_state *s, const ls_promise *promise, const ls_term *holds) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    ls_scope_line(p, "assumes the postconditions of specifications", "assumes the postcondition at line %u",
                  promise->instr->pos->line);
    if (ls_speaks_of_log(t, holds)) {
        for (uint32_t i = 0; s->events && i < s->events->length; i++) {
            const ls_event *e = &s->events->items[i];
            bool stated = e->state == s && ls_call_of(e->access->instr) == LS_CALL_TOUCH &&
                          stands_within(e->access->instr, promise->instr->pos->at);
            const ls_term *fact = stated ? ls_log_of_one(p, holds, e) : NULL;
            if (fact) ls_stated_fact(p, e, ls_implies(t, promise->when, fact));
        }
        return ls_true(t);
    }
    bool changed = reads_memory(t, holds) && states_writes(p, promise->instr);
    return changed ? ls_true(t) : ls_implies(t, promise->when, holds);
}

const ls_term *ls_promises_kept(ls_state *s, const ls_node *node, const ls_ir_instr *instr) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    const ls_term *all = ls_true(t);
    for (const ls_promise *promise = s->promises; promise; promise = promise->next) {
        if (promise->instr->pos->at != instr->pos->at) continue;
        returned r = {s, instr, false};
        ls_subst subst = {.ctx = t, .replace = result_value, .data = &r};
        const ls_term *holds = ls_substitute(&subst, promise->holds);
        ls_subst_free(&subst);
        if (!r.open && ls_is_specification(instr->call->callee)) {
            all = ls_and(t, all, ensured(s, promise, holds));
            continue;
        }
        if (r.open || reads_memory(t, holds)) {
            ls_unknown(p, promise->instr->pos, NULL,
                       "%s speaks of memory, or of a result that cannot be found: this is not modelled",
                       promise->instr->call->name);
            continue;
        }
        ls_claim claim = {.instr = promise->instr,
                          .where = instr,
                          .when = ls_and(t, s->path, promise->when),
                          .holds = holds};
        all = ls_and(t, all, ls_claim_here(s, node, claim));
    }
    return all;
}

/* A promise that no return was found for: of a kernel, or of a function that was not expanded. */
void ls_check_promises(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count && !p->options->no_annotations; i++) {
        const ls_ir_instr *instr = p->f->instrs[i];
        bool kept = ls_call_of(instr) != LS_CALL_ENSURE;
        for (uint32_t k = 0; k < p->f->instr_count && !kept; k++) {
            const ls_ir_instr *other = p->f->instrs[k];
            kept = ls_call_of(other) == LS_CALL_RETURN && other->pos->at == instr->pos->at;
        }
        if (!kept) ls_unknown(p, instr->pos, NULL, "%s of a kernel is not modelled", instr->call->name);
    }
}
