/* Barrier divergence (000, §3.2 and Figure 4d): all threads of a block must reach the same barrier in the
 * same iteration of every enclosing loop. That is so where every branch on which the barrier depends,
 * directly or not, is agreed on. Branches that the uniformity analysis leaves open are put to the solver: two
 * threads that have agreed so far (and so are in the same iterations) take the same way. By induction over
 * the execution no branch is the first on which they disagree. */
#include "verify/check/barriers.h"
#include "base/recover.h"
#include "ir/exits.h"
#include "verify/check/warps.h"
#include "verify/execute/calls.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"
#include "verify/execute/uniform.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

#include <stdio.h>

enum { MOST_BLOCKS = 500 }; /* of a kernel in which ways are followed one by one */

/* --- Which branches matter -------------------------------------------------------------------------------
 */

/* Marks the blocks that are reached from here; false where a barrier is among them, and with `warps` one of
 * lanes. */
static bool meets_no_barrier(const ls_ir_block *from, bool warps, bool *seen) {
    LS_VEC(const ls_ir_block *) work = {0};
    LS_VEC_PUSH(&work, from);
    bool none = true;
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        if (seen[b->id]) continue;
        seen[b->id] = true;
        for (uint32_t k = 0; k < b->instr_count; k++)
            none &= !ls_is_barrier(b->instrs[k]) && !(warps && ls_waits_for_lanes(b->instrs[k]));
        for (uint32_t k = 0; k < b->succ_count; k++) LS_VEC_PUSH(&work, b->succs[k]);
    }
    LS_VEC_FREE(&work);
    return none;
}

/* Whoever takes this side leaves the kernel. */
static bool side_leaves(const ls_proof *p, const ls_ir_block *branch, uint32_t side, bool warps, bool *seen) {
    memset(seen, 0, p->f->block_count);
    return meets_no_barrier(branch->succs[side], warps, seen) && ls_ir_side_leaves(p->f, branch, side);
}

/* All that part at the branch reach this block, or leave before, with no barrier on the way and without
 * coming to the branch again. Edges on which threads leave are those of `leaving` (block and side). */
static bool meet_at(const ls_proof *p, const ls_ir_block *branch, const ls_ir_block *there, bool warps,
                    const uint64_t *leaving) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, sizeof *seen * (p->f->block_count + 1)), all = true;
    LS_VEC(const ls_ir_block *) work = {0};
    LS_VEC_PUSH(&work, branch);
    while (work.length && all) {
        const ls_ir_block *b = work.items[--work.length];
        for (uint32_t k = 0; b != branch && k < b->instr_count; k++)
            all &= !ls_is_barrier(b->instrs[k]) && !(warps && ls_waits_for_lanes(b->instrs[k]));
        all &= b->succ_count != 0; /* the end is no place to meet */
        for (uint32_t k = 0; k < b->succ_count; k++) {
            const ls_ir_block *next = b->succs[k];
            if (next == there || leaving[b->id] >> k & 1) continue;
            all &= next != branch;
            if (!seen[next->id]) LS_VEC_PUSH(&work, next);
            seen[next->id] = true;
        }
    }
    LS_VEC_FREE(&work);
    return all;
}

/* `if (a) { if (b) return; }`: the first branch parts threads for no longer than the second one takes to let
 * some of them go. */
static bool parts_for_a_while(const ls_proof *p, const ls_ir_block *branch, bool warps, bool *seen) {
    LS_SCRATCH(scratch);
    uint64_t *leaving = ls_arena_zalloc(&scratch, sizeof *leaving * (p->f->block_count + 1));
    bool any = false, meet = false;
    for (uint32_t n = 0; n < p->f->block_count && p->f->block_count <= MOST_BLOCKS; n++) {
        const ls_ir_block *b = p->f->blocks[n];
        for (uint32_t k = 0; k < b->succ_count && b->succ_count == 2; k++)
            if (side_leaves(p, b, k, warps, seen)) leaving[n] |= UINT64_C(1) << k;
        /* where all leave, nobody goes on whom those that leave do not meet */
        if (leaving[n] == (UINT64_C(1) << b->succ_count) - 1) leaving[n] = 0;
        any |= leaving[n] != 0;
    }
    memset(seen, 0, p->f->block_count);
    meets_no_barrier(branch, warps, seen); /* marks what comes behind it */
    for (uint32_t n = 0; n < p->f->block_count && any && !meet; n++)
        meet = seen[n] && p->f->blocks[n] != branch && meet_at(p, branch, p->f->blocks[n], warps, leaving);
    return meet;
}

bool ls_only_leaves(const ls_proof *p, const ls_ir_block *branch, bool warps) {
    LS_SCRATCH(scratch);
    if (p->options->opencl || p->options->strict_exit) return false;
    bool *seen = ls_arena_alloc(&scratch, p->f->block_count + 1), leaves = false;
    for (uint32_t k = 0; k < branch->succ_count && !leaves; k++)
        leaves = side_leaves(p, branch, k, warps, seen);
    leaves = leaves || parts_for_a_while(p, branch, warps, seen);
    return leaves;
}

/* A barrier that is reached, of all threads of a block. */
static bool is_of_block(const ls_proof *p, uint32_t n) {
    return p->nodes[n]->barrier && !p->nodes[n]->warp && p->whole->reach[n];
}

/* The barrier states its number of threads, so it waits for that many even if other threads have left the
 * kernel. */
static bool has_number(const ls_ir_instr *i) {
    const uint8_t kind = i->form->opcode->barrier;
    return (kind == LS_BARRIER_BLOCK && i->src_count > 1) ||
           (kind == LS_BARRIER_BLOCK_RED && i->src_count > 2);
}

/* A barrier of a cooperative group, or one that counts: no thread may have left before it. */
static bool is_for_all(const ls_node *n) {
    bool all = n->orders & LS_ORDERS_GRID || has_number(n->barrier);
    for (uint32_t k = n->first; k < n->end; k++) all |= ls_call_of(n->block->instrs[k]) == LS_CALL_WHOLE;
    return all;
}

/* Divergent branches on which some barrier depends, by block; false where there are none. */
static bool find_culprits(ls_proof *p, bool *culprits) {
    LS_SCRATCH(scratch);
    memset(culprits, 0, p->f->block_count);
    bool any = false, *strict = ls_arena_zalloc(&scratch, p->f->block_count + 1);
    for (uint32_t n = 0; n < p->node_count; n++) {
        if (!is_of_block(p, n)) continue;
        ls_control_closure(p, p->nodes[n]->block, culprits);
        if (is_for_all(p->nodes[n])) ls_control_closure(p, p->nodes[n]->block, strict);
    }
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        if (!culprits[b]) continue;
        bool may_leave = p->divergent_branch[b] && !strict[b] && !ls_solver_expired(&p->solver);
        culprits[b] = p->divergent_branch[b] && !(may_leave && ls_only_leaves(p, p->f->blocks[b], false));
        any |= culprits[b];
    }
    return any;
}

/* --- Agreement -------------------------------------------------------------------------------------------
 */

const ls_node *ls_last_node(const ls_proof *p, const ls_ir_block *b) {
    uint32_t n = p->first_node[b->id];
    while (p->nodes[n]->barrier) n++;
    return p->nodes[n];
}

static ls_answered ask(ls_proof *p, const ls_ir_block *b, ls_view view, ls_query *q) {
    ls_terms *t = &p->terms;
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(b, &negated);
    const ls_term *reach = p->whole->reach[ls_last_node(p, b)->id];
    view.p = p;
    view.together = true;
    view.a = view.b = b;
    ls_query_begin(q, view);
    if (!reach) return LS_UNSAT;
    if (!predicate) return LS_UNDECIDED;
    const ls_term *c = ls_value_of(p->whole, predicate);
    ls_query_add(q, 1, reach, c);
    ls_query_add(q, 2, reach, c);
    ls_query_distinct(q);
    ls_query_warps(q);
    const ls_term *one = ls_query_term(q, 1, c), *two = ls_query_term(q, 2, c);
    ls_query_claim(
        q, ls_not(t, c->width == 1 ? ls_not(t, ls_binary(t, LS_T_XOR, one, two)) : ls_eq(t, one, two)));
    return ls_query_solve(q);
}

ls_answered ls_ask_agreement(ls_proof *p, const ls_ir_block *b, ls_warps warps, ls_query *q) {
    return ask(p, b, (ls_view){.same_block = true, .warps = (uint8_t)warps}, q);
}

/* A barrier that threads may reach at different places of the program (PTX: without .aligned). */
static bool is_unaligned(const ls_ir_instr *i) {
    const ls_ptx_opcode *opcode = i->form->opcode;
    bool waits = opcode->barrier == LS_BARRIER_BLOCK || opcode->barrier == LS_BARRIER_BLOCK_RED;
    return waits && !opcode->aligned && !ls_ptx_form_has(i->form, LS_MOD_ALIGNED);
}

/* A barrier that depends on the branch, the first that is the same for all threads, if there is one. */
static const ls_node *barrier_of(const ls_proof *p, const ls_ir_block *branch) {
    LS_SCRATCH(scratch);
    bool *closure = ls_arena_alloc(&scratch, p->f->block_count + 1);
    const ls_node *found = NULL;
    for (uint32_t n = 0; n < p->node_count && (!found || is_unaligned(found->barrier)); n++) {
        if (!is_of_block(p, n) || (found && is_unaligned(p->nodes[n]->barrier))) continue;
        memset(closure, 0, p->f->block_count);
        ls_control_closure(p, p->nodes[n]->block, closure);
        if (closure[branch->id]) found = p->nodes[n];
    }
    return found;
}

bool ls_query_only_one(ls_query *q, const ls_node *n, const ls_term *guard) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_term *there = ls_and(t, p->whole->reach[n->id], guard);
    uint32_t given = q->conjuncts.length;
    ls_query_add(q, 1, ls_true(t), there);
    ls_query_add(q, 2, ls_true(t), there);
    ls_query_claim(q, ls_binary(t, LS_T_XOR, ls_query_term(q, 1, there), ls_query_term(q, 2, there)));
    if (ls_query_solve(q) == LS_SAT && ls_query_confirmed(q)) return true;
    q->conjuncts.length = given; /* the model is one of fewer claims then */
    if (ls_query_solve(q) == LS_SAT) ls_query_confirmed(q);
    return false;
}

static void report(ls_proof *p, const ls_ir_block *b, ls_query *q, ls_answered answer) {
    const ls_node *n = barrier_of(p, b);
    const ls_place *pos = n->barrier->pos;
    const ls_ir_instr *branch = b->terminator;
    uint32_t line = branch ? branch->pos->line : 0;
    if (is_unaligned(n->barrier)) {
        ls_unknown(p, pos, NULL,
                   "threads of a block can take different sides of the branch at line %u and then meet at "
                   "barriers in different places, which is not modelled (%s)",
                   line, n->barrier->form->text);
        return;
    }
    if (answer != LS_SAT || !ls_query_confirmed(q)) {
        ls_unknown(
            p, pos,
            "make the condition depend on uniform values only, or state what makes it so with __requires",
            "%s that threads of a block agree on the branch at line %u, on which this barrier depends",
            answer == LS_SAT ? "threads may disagree, which was not confirmed: no proof" : "no proof", line);
        return;
    }
    ls_query_only_one(q, n, ls_true(&p->terms));
    ls_finding *f = ls_find(p, LS_RULE_BARRIER_DIVERGENCE, LS_ERROR, pos,
                            "threads of a block can disagree on reaching this barrier");
    if (branch) ls_finding_relate(f, *branch->pos, "they disagree on this branch");
    ls_query_witness(q, f, NULL);
}

/* Needs `whole`; refines uniformity by what is proved; leaves racy_barriers. */
void ls_check_barriers(ls_proof *p) {
    bool *culprits = LS_NEW_N(&p->arena, bool, p->f->block_count + 1);
    const uint32_t *block = p->options->block;
    if (block[0] && (uint64_t)block[0] * block[1] * block[2] == 1) return;
    for (bool progress = true; progress && find_culprits(p, culprits);) {
        progress = false;
        for (uint32_t b = 0; b < p->f->block_count; b++) {
            if (!culprits[b] || p->agreed[b] || !p->divergent_branch[b]) continue;
            ls_query q;
            if (ls_ask_agreement(p, p->f->blocks[b], LS_WARPS_ANY, &q) == LS_UNSAT) {
                p->agreed[b] = progress = true;
                ls_find_uniform(p);
            }
            ls_query_end(&q);
        }
    }
    if (!find_culprits(p, culprits)) return;
    p->racy_barriers = p->result->apart = true;
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        if (!culprits[b]) continue;
        ls_query q;
        report(p, p->f->blocks[b], &q, ls_ask_agreement(p, p->f->blocks[b], LS_WARPS_ANY, &q));
        ls_query_end(&q);
    }
}

/* --- Barriers of the grid --------------------------------------------------------------------------------
 */

static void check_grid_branch(ls_proof *p, const ls_node *barrier, const ls_ir_block *b) {
    ls_query q;
    uint32_t line = b->terminator ? b->terminator->pos->line : 0;
    ls_answered answer = ask(p, b, (ls_view){0}, &q);
    if (answer == LS_SAT && ls_query_confirmed(&q)) {
        ls_finding *f = ls_find(p, LS_RULE_BARRIER_DIVERGENCE, LS_ERROR, barrier->barrier->pos,
                                "threads of different blocks can disagree on reaching this barrier");
        ls_query_witness(&q, f, NULL);
    } else if (answer != LS_UNSAT) {
        ls_unknown(p, barrier->barrier->pos, NULL,
                   "no proof that all threads of the grid agree on the branch at line %u, on which this "
                   "barrier depends",
                   line);
    }
    ls_query_end(&q);
}

/* Blocks of one cluster agree on its barriers. */
static void check_cluster_branch(ls_proof *p, const ls_node *barrier, const ls_ir_block *b) {
    ls_query q;
    if (ask(p, b, (ls_view){.cluster = true}, &q) != LS_UNSAT)
        ls_unknown(p, barrier->barrier->pos, NULL,
                   "no proof that all blocks of a cluster agree on the branch at line %u, on which this "
                   "barrier depends",
                   b->terminator ? b->terminator->pos->line : 0);
    ls_query_end(&q);
}

void ls_check_cluster_barriers(ls_proof *p) {
    uint32_t size[3];
    bool known = ls_ptx_cluster_of(p->f->ptx, size);
    bool *closure = LS_NEW_N(&p->arena, bool, p->f->block_count + 1);
    for (uint32_t n = 0; n < p->node_count; n++) {
        const ls_node *node = p->nodes[n];
        if (!(node->orders & LS_ORDERS_CLUSTER) || !p->whole->reach[n]) continue;
        memset(closure, 0, p->f->block_count);
        ls_control_closure(p, node->block, closure);
        for (uint32_t b = 0; b < p->f->block_count; b++) {
            if (closure[b] && known) check_cluster_branch(p, node, p->f->blocks[b]);
            if (closure[b] && !known)
                ls_unknown(p, node->barrier->pos, NULL,
                           "the size of the clusters, whose blocks must agree on reaching this barrier, is "
                           "not known");
        }
    }
}

void ls_check_grid_barriers(ls_proof *p) {
    const uint32_t *grid = p->options->grid;
    bool one = grid[0] && (uint64_t)grid[0] * grid[1] * grid[2] == 1;
    bool *closure = LS_NEW_N(&p->arena, bool, p->f->block_count + 1);
    for (uint32_t n = 0; n < p->node_count && !one; n++) {
        if (!(p->nodes[n]->orders & LS_ORDERS_GRID) || !p->whole->reach[n]) continue;
        memset(closure, 0, p->f->block_count);
        ls_control_closure(p, p->nodes[n]->block, closure);
        for (uint32_t b = 0; b < p->f->block_count; b++)
            if (closure[b]) check_grid_branch(p, p->nodes[n], p->f->blocks[b]);
    }
}
