/* __global_assert, __global_invariant, __global_requires and __global_ensures where not all threads are: they
 * are stated for the others, too. A thread is not there because it went another way at a branch before, or
 * has left the loop; its values are then those that it had at that branch, the claim is computed from them as
 * it would have been, and __enabled() is 0. What would have been loaded or joined behind the branch is not
 * known. The accesses that it has made are those before the branch, and those on the other way that come
 * before the claim in the sort order (000, §4), in which threads go through the kernel together. */
#include "verify/check/absent.h"
#include "base/recover.h"
#include "verify/check/barriers.h"
#include "verify/check/logs.h"
#include "verify/execute/calls.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/uniform.h"

typedef LS_VEC(const ls_ir_block *) blocks;

/* Marks the blocks that can be reached from a block in the same iteration of the loops around it, except
 * `loop`. */
static void mark_ways(const ls_ir_block *from, const ls_ir_loop *loop, bool *seen) {
    blocks work = {0};
    LS_VEC_PUSH(&work, from);
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        if (seen[b->id]) continue;
        seen[b->id] = true;
        for (uint32_t k = 0; k < b->succ_count; k++)
            if (!ls_ir_dominates(b->succs[k], b) || (loop && b->succs[k] == loop->header))
                LS_VEC_PUSH(&work, b->succs[k]);
    }
    LS_VEC_FREE(&work);
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

static bool is_known(const ls_ir_function *f, const ls_ir_value *v, const ls_ir_block *branch, bool *seen);

static bool operands_known(const ls_ir_function *f, const ls_ir_instr *i, const ls_ir_block *branch,
                           bool *seen) {
    bool known = true;
    for (uint32_t k = i->call ? 1 : 0; k < i->src_count && known; k++)
        known = !i->src[k].value || is_known(f, i->src[k].value, branch, seen);
    return known;
}

/* A part of a variable in memory, which a thread that is not there may have left as it was. */
static bool is_variable(const ls_ir_function *f, const ls_ir_value *v) {
    const ls_ir_register *r = v->reg == LS_IR_NONE ? NULL : &f->registers[v->reg];
    return r && r->kind == LS_REGISTER_SLOT && f->objects[r->object]->kind == LS_OBJECT_LOCAL;
}

/* The value is one that the thread had at the branch, or that is computed from such. */
static bool is_known(const ls_ir_function *f, const ls_ir_value *v, const ls_ir_block *branch, bool *seen) {
    if (seen[v->id] || ls_ir_dominates(v->block, branch)) return true;
    seen[v->id] = true;
    if (is_variable(f, v)) return false;
    if (v->kind == LS_VALUE_PHI) return v->block->is_loop_header; /* its count may be anything: `unbind` */
    if (v->kind != LS_VALUE_INSTR) return v->kind != LS_VALUE_UNDEF && v->kind != LS_VALUE_ETA;
    const ls_ir_instr *i = v->instr;
    ls_call_kind kind = ls_call_of(i);
    bool annotates = kind == LS_CALL_ENABLED || kind == LS_CALL_LOG || kind == LS_CALL_OFFSET;
    bool computes = i->call ? annotates : !i->unknown && !i->access_count && !i->form->opcode->effects;
    return computes && i->guard.kind == LS_IR_ABSENT && operands_known(f, i, branch, seen);
}

static bool values_known(const ls_proof *p, const ls_claim *claim, const ls_ir_block *branch) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, sizeof *seen * (p->f->value_count + 1));
    const ls_ir_value *argument = ls_ir_argument_value(claim->instr, 0, 0);
    bool known = argument && is_known(p->f, argument, branch, seen);
    return known;
}

typedef struct {
    ls_proof *p;
    const ls_claim *claim;
    const ls_ir_block *branch;
} parting;

/* The loop that a symbol counts or is carried round; NULL: none. */
static const ls_ir_loop *loop_of(const ls_sym *sym) {
    if (sym->kind == LS_SYM_COUNT) return sym->key;
    return sym->kind == LS_SYM_STATE && sym->key ? ((const ls_ir_phi *)sym->key)->block->loop : NULL;
}

/* A loop that the thread is not in may have been gone round any number of times, or never. */
static const ls_term *unbind(ls_subst *subst, const ls_term *symbol) {
    parting *x = subst->data;
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    const ls_ir_loop *loop = loop_of(sym), *around = x->claim->node->block->loop;
    if (sym->kind == LS_SYM_ENABLED) {
        bool before = sym->tag == LS_BUILTIN_DOMINATOR_ENABLED;
        bool inside = around && ls_ir_loop_contains(around, x->branch);
        return ls_const(subst->ctx, symbol->width, before && inside);
    }
    if (!loop || ls_ir_loop_contains(loop, x->branch)) return symbol;
    return ls_fresh(x->p->whole, "not there", symbol->width, LS_SYM_UNSET);
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

/* On the other way there are accesses before the claim, of which a log may speak. */
static bool accesses_meanwhile(const ls_proof *p, const parting *x, const bool *aside) {
    bool found = false;
    for (uint32_t i = 0; i < p->whole_events.length && !found; i++) {
        const ls_node *n = p->whole_events.items[i].node;
        found = aside[n->block->id] && n->id < x->claim->node->id;
    }
    return found;
}

/* --- Claims ----------------------------------------------------------------------------------------------
 */

/* The condition under which a thread parts from those that reach the claim; marks where it goes. */
static const ls_term *parts(parting *x, bool *aside) {
    LS_SCRATCH(scratch);
    ls_proof *p = x->p;
    ls_terms *t = &p->terms;
    const ls_term *reach = p->whole->reach[ls_last_node(p, x->branch)->id], *any = ls_false(t);
    const ls_ir_block *there = x->claim->node->block;
    const ls_ir_loop *again =
        ls_ir_dominates(there, x->branch) ? there->loop : NULL; /* it was there before */
    bool *seen = ls_arena_zalloc(&scratch, sizeof *seen * (p->f->block_count + 1));
    for (uint32_t k = 0; k < x->branch->succ_count && reach; k++) {
        memset(seen, 0, p->f->block_count);
        mark_ways(x->branch->succs[k], again, seen);
        if (seen[there->id]) continue;
        any = ls_or(t, any, ls_edge_condition(p->whole, x->branch, k));
        for (uint32_t b = 0; b < p->f->block_count; b++) aside[b] |= seen[b];
    }
    return reach ? ls_and(t, reach, any) : ls_false(t);
}

static bool claim_of(parting *x, ls_claims *out) {
    LS_SCRATCH(scratch);
    ls_proof *p = x->p;
    bool *aside = ls_arena_zalloc(&scratch, sizeof *aside * (p->f->block_count + 1));
    ls_claim claim = *x->claim;
    claim.when = parts(x, aside);
    bool log = ls_speaks_of_log(&p->terms, claim.holds);
    bool known = values_known(p, x->claim, x->branch) && !(log && accesses_meanwhile(p, x, aside));
    if (!known) return false;
    ls_subst subst = {.ctx = &p->terms, .replace = unbind, .data = x};
    claim.holds = ls_substitute(&subst, claim.holds);
    ls_subst_free(&subst);
    claim.node = ls_last_node(p, x->branch);
    claim.where = x->branch->terminator;
    if (!ls_is_false(claim.when)) LS_VEC_PUSH(out, claim);
    return true;
}

bool ls_absent_claims(ls_proof *p, const ls_claim *claim, ls_claims *out) {
    LS_SCRATCH(scratch);
    bool *branches = ls_arena_zalloc(&scratch, sizeof *branches * (p->f->block_count + 1)), known = true;
    ls_control_closure(p, claim->node->block, branches);
    for (uint32_t b = 0; b < p->f->block_count && known; b++) {
        parting x = {p, claim, p->f->blocks[b]};
        if (branches[b] && p->divergent_branch[b]) known = x.branch->terminator && claim_of(&x, out);
    }
    return known;
}
