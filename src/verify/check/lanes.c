/* Operations that several lanes of a warp make together: __syncwarp, shuffles, votes, matches, products of
 * matrices. All lanes that the mask names and that have not left the kernel must reach it, with the same
 * mask, and whoever comes must be named by it; else the operation waits for ever, or its result is undefined.
 *
 * Lanes come together where they agree on every branch between the operation and a point at which they were
 * together: the kernel's entry, or, where the mask is the result of a vote, a match or __activemask(), that
 * instruction, which all lanes in its result have executed. A vote's result names the lanes for which its
 * condition held. */
#include "verify/check/lanes.h"
#include "verify/check/barriers.h"
#include "verify/check/warps.h"
#include "verify/execute/across.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"
#include "verify/execute/uniform.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

typedef enum {
    NO_MASK, /* not known which lanes it names */
    LANES,   /* a number that is computed from the thread's index and the like alone */
    RESULT   /* of an operation of lanes */
} mask_kind;

typedef struct {
    ls_proof *p;
    const ls_ir_instr *i;
    const ls_node *node;
    mask_kind kind;
    const ls_term *mask;       /* LANES: the term */
    const ls_ir_instr *source; /* RESULT: what gives it */
    const ls_term *member;     /* RESULT: what holds for the lanes in it */
    bool told;                 /* its result is taken for one of all lanes (across.c) */
} operation;

static const char *name_of(const ls_ir_instr *i) {
    const ls_ptx_opcode *opcode = i->form->opcode;
    if (opcode->noun) return opcode->noun;
    return opcode->class == LS_CLASS_MATRIX ? "matrix operation" : "warp operation";
}

/* --- Masks -----------------------------------------------------------------------------------------------
 */

static bool has_mask(const ls_ir_instr *i) {
    const ls_ptx_opcode *opcode = i->form->opcode;
    return (opcode->effects & LS_WARP_BARRIER) && opcode->class != LS_CLASS_MATRIX;
}

/* Forms without .sync, of old architectures, take the lanes that are there. */
static bool is_obligation(const ls_ir_instr *i) {
    if (!ls_waits_for_lanes(i)) return false;
    return !has_mask(i) || ls_ptx_waits_for_named(i->form);
}

/* The value without copies of it. */
static const ls_ir_value *origin_of(const ls_ir_value *v) {
    for (uint32_t steps = 0; v && steps < 16; steps++) {
        bool copied = v->kind == LS_VALUE_INSTR && v->instr->op == LS_OP_MOV && v->instr->src_count == 1 &&
                      v->instr->dst_count == 1 && v->instr->guard.kind == LS_IR_ABSENT;
        if (v->kind == LS_VALUE_ETA)
            v = v->eta.value;
        else if (copied && v->instr->src[0].value)
            v = v->instr->src[0].value;
        else
            break;
    }
    return v;
}

/* Every lane in the result has executed it, and got the same result. */
static bool gives_mask(const ls_ir_instr *i) {
    if (i->guard.kind != LS_IR_ABSENT) return false;
    ls_ptx_lanes lanes = i->form->opcode->lanes;
    return lanes == LS_LANES_GROUP || (lanes == LS_LANES_VOTE && ls_ptx_form_has(i->form, LS_MOD_BALLOT));
}

/* What leaves the mask open is nothing but the launch, parameters and indices. */
static bool is_of_lane(ls_proof *p, const ls_term *mask) {
    ls_term_list leaves = {0};
    ls_leaves(&mask, 1, &leaves);
    bool known = true;
    for (uint32_t k = 0; k < leaves.length; k++)
        known &=
            leaves.items[k]->op == LS_T_SYM && ls_sym_of(&p->terms, leaves.items[k])->kind == LS_SYM_INPUT;
    LS_VEC_FREE(&leaves);
    return known;
}

static bool is_in_all_loops_of(const ls_ir_block *inner, const ls_ir_block *of) {
    return !of->loop || ls_ir_loop_contains(of->loop, inner);
}

static void find_mask(operation *o) {
    ls_proof *p = o->p;
    ls_terms *t = &p->terms;
    if (!has_mask(o->i)) { /* the whole warp */
        o->kind = LANES;
        o->mask = ls_const(t, 32, UINT32_MAX);
        return;
    }
    const ls_ir_operand *operand = &o->i->src[o->i->src_count - 1];
    const ls_ir_value *value = operand->value ? origin_of(operand->value) : NULL;
    o->mask = ls_operand_of(p->whole, operand);
    if (o->mask->width == 32 && is_of_lane(p, o->mask)) {
        o->kind = LANES;
    } else if (value && value->kind == LS_VALUE_INSTR && value->result == 0 && gives_mask(value->instr)) {
        const ls_ir_instr *from = value->instr;
        bool before =
            ls_ir_dominates(from->block, o->node->block) && is_in_all_loops_of(o->node->block, from->block);
        if (!before) return;
        o->kind = RESULT;
        o->source = from;
        bool votes = from->form->opcode->lanes == LS_LANES_VOTE;
        o->member = votes ? ls_operand_of(p->whole, &from->src[0]) : ls_true(t);
    }
}

/* --- Questions -------------------------------------------------------------------------------------------
 */

static const ls_term *lane_of(ls_query *q, uint32_t thread) {
    return ls_query_term(q, thread, ls_lane(q->view.p));
}

/* The mask of the first names the second, which is in the same warp. Where the mask is the result of an
 * operation, both have got the same one from it (gives_mask), which matters where the condition uses it. */
static void claim_named(const operation *o, const ls_term *condition, ls_query *q) {
    ls_terms *t = &o->p->terms;
    ls_query_claim(q, ls_same_warp(q, LS_WARP));
    if (o->kind == RESULT) {
        ls_query_add(q, 1, o->member, NULL);
        ls_query_add(q, 2, o->member, NULL);
        if (ls_occurs(condition, o->mask))
            ls_query_claim(q, ls_eq(t, ls_query_term(q, 1, o->mask), ls_query_term(q, 2, o->mask)));
    } else {
        const ls_term *one = ls_query_term(q, 1, o->mask);
        ls_query_claim(q, ls_mask_names(t, one, lane_of(q, 1)));
        ls_query_claim(q, ls_mask_names(t, one, lane_of(q, 2)));
    }
}

/* Whether two lanes that were together at the end of the block, or where they would execute the instruction,
 * can disagree on the condition. */
static ls_answered ask(const operation *o, const ls_ir_block *block, const ls_term *reach,
                       const ls_term *condition, ls_query *q) {
    ls_terms *t = &o->p->terms;
    ls_query_begin(q, (ls_view){.p = o->p, .same_block = true, .together = true, .a = block, .b = block});
    if (!reach) return LS_UNSAT;
    ls_query_add(q, 1, reach, condition);
    ls_query_add(q, 2, reach, condition);
    ls_query_distinct(q);
    claim_named(o, condition, q);
    const ls_term *one = ls_query_term(q, 1, condition), *two = ls_query_term(q, 2, condition);
    ls_query_claim(
        q, ls_not(t, one->width == 1 ? ls_not(t, ls_binary(t, LS_T_XOR, one, two)) : ls_eq(t, one, two)));
    return ls_query_solve(q);
}

/* --- Answers ---------------------------------------------------------------------------------------------
 */

/* With `parts`: what was asked for is a disagreement before, which need not matter. */
static void settle(const operation *o, ls_query *q, ls_answered answer, const ls_ir_instr *branch, bool parts,
                   const char *what) {
    ls_proof *p = o->p;
    const ls_place *pos = o->i->pos;
    p->result->apart |= answer != LS_UNSAT;
    if (answer == LS_SAT && ls_query_confirmed(q)) {
        if (parts) ls_query_only_one(q, o->node, ls_guard_of(p->whole, o->i));
        ls_finding *f =
            ls_find(p, LS_RULE_BARRIER_DIVERGENCE, LS_ERROR, pos, "%s this %s", what, name_of(o->i));
        if (branch) ls_finding_relate(f, *branch->pos, "they disagree on this branch");
        ls_query_witness(q, f, NULL);
    } else if (answer != LS_UNSAT) {
        ls_unknown(
            p, pos,
            "make the condition the same for all lanes of a warp, or pass a mask of the lanes that arrive",
            "no proof that all lanes that the mask names reach this %s (%s)", name_of(o->i),
            o->i->form->text);
    }
    ls_query_end(q);
}

/* Another operation of the same kind stands on a side of the branch that the first is not on: lanes may meet
 * from both. */
static bool stands_on_both_sides(const operation *o, const ls_ir_block *branch) {
    const ls_ir_function *f = o->p->f;
    uint32_t sides = 0;
    for (uint32_t k = 0; k < branch->succ_count; k++) {
        bool found = false;
        for (uint32_t n = 0; n < f->instr_count && !found; n++) {
            const ls_ir_instr *i = f->instrs[n];
            found = i->op == o->i->op && i->block != branch->ipdom &&
                    (i->block == branch->succs[k] || ls_ir_dominates(branch->succs[k], i->block));
        }
        sides += found;
    }
    return sides > 1;
}

static void check_branch(const operation *o, const ls_ir_block *b) {
    ls_proof *p = o->p;
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(b, &negated);
    if (!predicate || stands_on_both_sides(o, b)) {
        ls_query q;
        ls_answered answer = LS_UNDECIDED;
        ls_query_begin(&q, (ls_view){.p = p, .same_block = true});
        if (predicate) {
            ls_query_end(&q);
            answer = ask(o, b, p->whole->reach[ls_last_node(p, b)->id], ls_value_of(p->whole, predicate), &q);
        }
        if (answer != LS_UNSAT)
            ls_unknown(p, o->i->pos, NULL,
                       "lanes of a warp can reach this %s in different places, which is not modelled (%s)",
                       name_of(o->i), o->i->form->text);
        ls_query_end(&q);
        return;
    }
    ls_query q;
    ls_answered answer =
        ask(o, b, p->whole->reach[ls_last_node(p, b)->id], ls_value_of(p->whole, predicate), &q);
    settle(o, &q, answer, b->terminator, true,
           has_mask(o->i) ? "lanes that the mask names can disagree on reaching"
                          : "lanes of a warp can disagree on reaching");
}

/* No lane of a warp leaves the kernel on this branch while others go on to what is told of all of them. */
static void check_left(const operation *o, const ls_ir_block *b) {
    ls_proof *p = o->p;
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(b, &negated);
    const ls_term *reach = p->whole->reach[ls_last_node(p, b)->id];
    ls_query q;
    ls_answered answer = LS_UNDECIDED;
    if (predicate) {
        answer = ask(o, b, reach, ls_value_of(p->whole, predicate), &q);
        ls_query_end(&q);
    }
    if (answer != LS_UNSAT)
        ls_unknown(p, o->i->pos, NULL,
                   "the result of this %s is not known: lanes of the warp may have left the kernel (%s)",
                   name_of(o->i), o->i->form->text);
}

/* Marks the blocks on ways from the source of the mask to the operation, with its own. */
static void mark_between(const operation *o, bool *between) {
    const ls_ir_block *from = o->source->block;
    LS_VEC(const ls_ir_block *) work = {0};
    if (from != o->node->block) LS_VEC_PUSH(&work, o->node->block);
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        for (uint32_t k = 0; k < b->pred_count; k++) {
            const ls_ir_block *before = b->preds[k];
            if (between[before->id]) continue;
            between[before->id] = true;
            if (before != from) LS_VEC_PUSH(&work, before);
        }
    }
    LS_VEC_FREE(&work);
}

static void check_ways(const operation *o) {
    ls_proof *p = o->p;
    bool *closure = LS_NEW_N(&p->arena, bool, p->f->block_count + 1);
    bool *between = LS_NEW_N(&p->arena, bool, p->f->block_count + 1);
    ls_control_closure(p, o->node->block, closure);
    if (o->kind == RESULT) mark_between(o, between);
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        bool matters = closure[b] && (o->kind != RESULT || between[b]);
        if (!matters || !p->divergent_branch[b]) continue;
        /* Matrices need the whole warp: a lane that has left is missed, too. */
        bool excused = has_mask(o->i) && ls_only_leaves(p, p->f->blocks[b], true);
        if (!excused)
            check_branch(o, p->f->blocks[b]);
        else if (o->told)
            check_left(o, p->f->blocks[b]);
    }
}

/* Lanes that are there, but of which one does not execute it. */
static void check_guard(const operation *o) {
    if (o->i->guard.kind == LS_IR_ABSENT) return;
    ls_query q;
    ls_answered answer =
        ask(o, o->node->block, o->p->whole->reach[o->node->id], ls_guard_of(o->p->whole, o->i), &q);
    settle(o, &q, answer, NULL, true,
           has_mask(o->i) ? "lanes that the mask names can disagree on executing"
                          : "lanes of a warp can disagree on executing");
}

/* Whoever comes is named by its own mask. */
static void check_self(const operation *o) {
    ls_proof *p = o->p;
    ls_terms *t = &p->terms;
    const ls_term *when = ls_and(t, p->whole->reach[o->node->id], ls_guard_of(p->whole, o->i));
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = o->node->block, .b = o->node->block});
    ls_query_add(&q, 1, when, o->kind == RESULT ? o->member : o->mask);
    for (int k = 0; k < 3; k++) ls_query_add(&q, 1, ls_true(t), p->tid[k]);
    ls_query_claim(&q, p->launch);
    const ls_term *named = o->kind == RESULT
                               ? ls_query_term(&q, 1, o->member)
                               : ls_mask_names(t, ls_query_term(&q, 1, o->mask), lane_of(&q, 1));
    ls_query_claim(&q, ls_not(t, named));
    settle(o, &q, ls_is_true(named) ? LS_UNSAT : ls_query_solve(&q), NULL, false,
           "a lane that its own mask does not name can reach");
}

/* All come with the same mask. */
static void check_same(const operation *o) {
    if (o->kind != LANES || ls_is_const(o->mask)) return;
    ls_query q;
    ls_answered answer = ask(o, o->node->block, o->p->whole->reach[o->node->id], o->mask, &q);
    settle(o, &q, answer, NULL, false, "lanes with different masks can reach");
}

static bool is_one_thread(const ls_proof *p) {
    const uint32_t *b = p->options->block;
    return b[0] && (uint64_t)b[0] * b[1] * b[2] == 1;
}

static void check(ls_proof *p, const ls_node *node, const ls_ir_instr *i, ls_intmap *done) {
    operation o = {.p = p, .i = i, .node = node, .told = ls_is_told_across(p, i)};
    find_mask(&o);
    if (o.kind == NO_MASK) {
        ls_unknown(p, i->pos, NULL, "it is not known which lanes the mask of this %s names (%s)", name_of(i),
                   i->form->text);
        return;
    }
    bool is_new = true; /* many stand together, with one mask */
    uint64_t key = (uint64_t)node->block->id << 33 | (uint64_t)o.told << 32 | o.mask->id;
    if (i->guard.kind == LS_IR_ABSENT) ls_intmap_at(done, key, &is_new);
    if (!is_new) return;
    check_self(&o);
    if (is_one_thread(p)) return;
    check_ways(&o);
    check_guard(&o);
    check_same(&o);
}

/* Needs `whole`, and barriers to be checked. */
void ls_check_lanes(ls_proof *p) {
    ls_intmap done = {0};
    for (uint32_t n = 0; n < p->node_count && !p->solver.timed_out; n++) {
        const ls_node *node = p->nodes[n];
        for (uint32_t k = node->first; k < node->end && p->whole->reach[n]; k++)
            if (is_obligation(node->block->instrs[k])) check(p, node, node->block->instrs[k], &done);
    }
    ls_intmap_free(&done);
}
