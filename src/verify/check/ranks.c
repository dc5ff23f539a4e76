/* Ranks among the lanes of a warp, as coalesced groups and hand-written compaction take them:
 *
 *     unsigned mask = __activemask();               // or a vote, or a match
 *     unsigned rank = __popc(mask & lanemask_lt);
 *     if (rank == 0) base = atomicAdd(count, __popc(mask));
 *     base = __shfl_sync(mask, base, __ffs(mask) - 1);
 *     out[base + rank] = …
 *
 * What is claimed of the values in a query holds in every execution:
 *   - lanes that executed an operation which gives a mask together have the same mask; who is in a mask has
 *     executed the operation;
 *   - a shuffle gives what the lane that it names has: a thread of its own (3 or 4) in the query;
 *   - the ranks of lanes in a mask grow with the lanes, from 0 for the lowest, and are below the mask's size;
 *   - one thread has one result of an operation.
 * All of this is about operations that a thread executes once: outside of loops. That the lanes of a
 * shuffle's or vote's mask come is an obligation of its own (lanes.c). */
#include "verify/check/ranks.h"
#include "verify/check/told.h"
#include "verify/check/warps.h"
#include "verify/execute/counters.h"
#include "verify/execute/lower.h"

enum { MOST_RESULTS = 24, MOST_COUNTS = 12 }; /* that are compared with each other */

typedef struct {
    ls_intmap by; /* symbol to index in `all` */
    LS_VEC(ls_joint) all;
} joints;

static void free_joints(void *part) {
    joints *kept = part;
    ls_intmap_free(&kept->by);
    LS_VEC_FREE(&kept->all);
}

static const ls_part JOINTS = {sizeof(joints), free_joints};

static bool is_joint(const ls_ir_instr *i) {
    return i->form->opcode->lanes || i->form->opcode->class == LS_CLASS_ATOMIC;
}

void ls_keep_joint(ls_state *s, const ls_ir_instr *i, const ls_term *symbol) {
    ls_proof *p = s->proof;
    if (!is_joint(i) || i->unknown || i->guard.kind != LS_IR_ABSENT) return;
    ls_joint joint = {.instr = i, .path = s->path ? s->path : ls_true(&p->terms)};
    if (s->passed) joint.path = ls_and(&p->terms, joint.path, s->passed);
    for (uint32_t k = 0; k < i->src_count && k < 4; k++)
        if (i->src[k].value || i->src[k].kind == LS_IR_IMM) joint.operands[k] = ls_operand_of(s, &i->src[k]);
    if (i->access_count == 1) joint.address = ls_address_in(s, &i->accesses[0]);
    bool is_new;
    joints *kept = ls_part_of(p, &JOINTS);
    *ls_intmap_at(&kept->by, symbol->value, &is_new) = kept->all.length;
    LS_VEC_PUSH(&kept->all, joint);
}

const ls_joint *ls_joint_of(ls_proof *p, const ls_term *leaf) {
    uint64_t index;
    if (leaf->op != LS_T_SYM) return NULL;
    const joints *kept = ls_part_of(p, &JOINTS);
    bool known = ls_intmap_get(&kept->by, ls_sym_of(&p->terms, leaf)->origin, &index);
    return known ? &kept->all.items[index] : NULL;
}

/* --- Threads ---------------------------------------------------------------------------------------------
 */

typedef struct { /* of an operation, for a thread */
    ls_joint of;
    uint32_t thread;
    const ls_term *value;
} result;

typedef LS_VEC(result) results;

static const ls_term *number_of(ls_query *q, uint32_t thread) {
    return ls_query_term(q, thread, ls_thread_number(q->view.p));
}

static const ls_term *lane_of(ls_query *q, uint32_t thread) {
    return ls_query_term(q, thread, ls_lane(q->view.p));
}

/* 1 and 3 are of one block, and so are 2 and 4. */
static bool may_share_block(const ls_query *q, uint32_t j, uint32_t k) {
    return q->view.same_block || j % 2 == k % 2;
}

static const ls_term *same_warp(ls_query *q, uint32_t j, uint32_t k) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *lanes = ls_const(t, 32, LS_WARP);
    return ls_eq(t, ls_binary(t, LS_T_UDIV, number_of(q, j), lanes),
                 ls_binary(t, LS_T_UDIV, number_of(q, k), lanes));
}

static const ls_term *executed(ls_query *q, const result *r) {
    return ls_query_term(q, r->thread, r->of.path);
}

static bool is_once(const ls_joint *j) {
    return !j->instr->block->loop;
}

static void find_results(ls_query *q, results *out) {
    ls_proof *p = q->view.p;
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    for (uint32_t i = 0; i < leaves.length && out->length < MOST_RESULTS; i++) {
        const ls_joint *joint = ls_joint_of(p, leaves.items[i]);
        uint32_t thread = joint ? ls_sym_of(&p->terms, leaves.items[i])->thread : 0;
        if (!thread || !is_once(joint)) continue;
        LS_VEC_PUSH(out, ((result){*joint, thread, leaves.items[i]}));
    }
    LS_VEC_FREE(&leaves);
}

/* Whether the bit of the lane is in the mask: a function, as the solver is quicker without bits. */
static const ls_term *names(ls_terms *t, const ls_term *mask, const ls_term *lane) {
    const ls_term *args[2] = {mask, lane};
    if (ls_is_const(mask) && (mask->value == UINT32_MAX || ls_is_const(lane)))
        return ls_mask_names(t, mask, lane);
    return ls_uf(t, (ls_function){LS_UF_NAMES, NULL, mask->width}, 1, args, 2);
}

/* --- Shuffles --------------------------------------------------------------------------------------------
 */

/* Among all lanes of the warp, by number: the last lane of a segment is 31, and there is one segment. */
static bool reads_lane(const ls_joint *j) {
    return j->instr->form->opcode->lanes == LS_LANES_VALUE && ls_ptx_form_has(j->instr->form, LS_MOD_IDX) &&
           ls_ptx_form_has(j->instr->form, LS_MOD_SYNC) && j->operands[0] && j->operands[1] &&
           j->operands[2] && ls_is_const(j->operands[2]) && j->operands[2]->value == LS_WARP - 1 &&
           j->operands[3];
}

/* The thread that r's got its value from is one more thread of the query: where it is there, is named by the
 * mask and has reached the shuffle, it gave the value. */
static void add_source(ls_query *q, const result *r) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    uint32_t source = r->thread + 2;
    const ls_term *all = ls_mul(t, ls_mul(t, p->ntid[0], p->ntid[1]), p->ntid[2]);
    const ls_term *last = ls_const(t, 32, LS_WARP - 1);
    const ls_term *lane = ls_query_term(q, r->thread, r->of.operands[1]);
    lane = ls_binary(t, LS_T_AND, ls_resize(t, lane, 32, false), last);
    const ls_term *number = ls_add(t, ls_sub(t, number_of(q, r->thread), lane_of(q, r->thread)), lane);
    const ls_term *there = ls_ult(t, number, all);
    const ls_term *mask = ls_query_term(q, r->thread, r->of.operands[3]);
    const ls_term *named = names(t, mask, lane);
    for (int k = 0; k < 3; k++) ls_query_add(q, source, ls_true(t), p->tid[k]);
    ls_query_add(q, source, ls_true(t), r->of.operands[0]);
    ls_query_add(q, source, ls_true(t), r->of.path);
    ls_query_claim(q, ls_implies(t, there, ls_eq(t, number_of(q, source), number)));
    const ls_term *given = ls_and(t, ls_and(t, there, named), ls_query_term(q, source, r->of.path));
    const ls_term *value = ls_resize(t, ls_query_term(q, source, r->of.operands[0]), r->value->width, false);
    ls_query_claim(q, ls_implies(t, given, ls_eq(t, r->value, value)));
}

static void add_sources(ls_query *q, bool *done) {
    results all = {0};
    find_results(q, &all);
    for (uint32_t i = 0; i < all.length; i++) {
        const result *r = &all.items[i];
        if (r->thread > 2 || done[r->thread] || !reads_lane(&r->of)) continue;
        done[r->thread] = true; /* one for each of the two */
        add_source(q, r);
    }
    LS_VEC_FREE(&all);
}

/* --- Masks -----------------------------------------------------------------------------------------------
 */

typedef enum { NO_MASK, VOTE, GROUP } mask_kind; /* GROUP: of lanes that are in it themselves */

static mask_kind kind_of(const ls_joint *j) {
    const ls_ir_instr *i = j->instr;
    ls_ptx_lanes lanes = i->form->opcode->lanes;
    if (lanes == LS_LANES_GROUP) return ls_ptx_form_has(i->form, LS_MOD_ALL) ? NO_MASK : GROUP;
    bool ballot = lanes == LS_LANES_VOTE && ls_ptx_form_has(i->form, LS_MOD_BALLOT) &&
                  ls_ptx_form_has(i->form, LS_MOD_SYNC) && j->operands[0] && j->operands[1];
    return ballot && j->operands[0]->width == 1 ? VOTE : NO_MASK;
}

static const ls_term *holds(ls_query *q, const result *r) {
    return kind_of(&r->of) == VOTE ? ls_query_term(q, r->thread, r->of.operands[0])
                                   : ls_true(&q->view.p->terms);
}

/* The thread's own bit. */
static void claim_own(ls_query *q, const result *r) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *named = names(t, r->value, lane_of(q, r->thread));
    const ls_term *same = ls_not(t, ls_binary(t, LS_T_XOR, named, holds(q, r)));
    ls_query_claim(q, ls_implies(t, executed(q, r), same));
    ls_query_claim(q, ls_implies(t, named, ls_not(t, ls_eq(t, r->value, ls_const(t, r->value->width, 0)))));
}

/* A lane in the mask has executed the instruction; of a vote, its condition held there. */
static void claim_member(ls_query *q, const result *a, uint32_t thread) {
    ls_terms *t = &q->view.p->terms;
    const result b = {a->of, thread, NULL};
    const ls_term *named = names(t, a->value, lane_of(q, thread));
    const ls_term *in = ls_and(t, ls_and(t, executed(q, a), same_warp(q, a->thread, thread)), named);
    ls_query_claim(q, ls_implies(t, in, ls_and(t, executed(q, &b), holds(q, &b))));
}

/* Both got their masks from the same instruction, which each executes once: a vote with the lanes that its
 * own mask names, __activemask() and a match with the lanes in the result. */
static void claim_pair(ls_query *q, const result *a, const result *b) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *warp = same_warp(q, a->thread, b->thread);
    const ls_term *both = ls_and(t, warp, ls_and(t, executed(q, a), executed(q, b)));
    const ls_term *with = kind_of(&a->of) == VOTE ? ls_query_term(q, a->thread, a->of.operands[1]) : a->value;
    both = ls_and(t, both, names(t, with, lane_of(q, b->thread)));
    ls_query_claim(q, ls_implies(t, both, ls_eq(t, a->value, b->value)));
}

static bool is_in_query(const results *all, uint32_t thread) {
    bool found = thread < 3;
    for (uint32_t i = 0; i < all->length; i++) found |= all->items[i].thread == thread;
    return found;
}

static void claim_masks(ls_query *q, const results *all) {
    for (uint32_t i = 0; i < all->length; i++) {
        const result *a = &all->items[i];
        if (kind_of(&a->of) == NO_MASK) continue;
        claim_own(q, a);
        for (uint32_t thread = 1; thread <= LS_QUERY_THREADS; thread++)
            if (thread != a->thread && is_in_query(all, thread) && may_share_block(q, a->thread, thread))
                claim_member(q, a, thread);
        for (uint32_t k = 0; k < all->length; k++) {
            const result *b = &all->items[k];
            bool pair = b->of.instr == a->of.instr && b->thread != a->thread;
            if (pair && may_share_block(q, a->thread, b->thread)) claim_pair(q, a, b);
        }
    }
}

/* --- One thread ------------------------------------------------------------------------------------------
 */

/* The lane that both got their values from may be one, and has one result. */
static void claim_same_thread(ls_query *q, const results *all) {
    ls_terms *t = &q->view.p->terms;
    for (uint32_t i = 0; i < all->length; i++)
        for (uint32_t k = 0; k < all->length; k++) {
            const result *a = &all->items[i], *b = &all->items[k];
            if (a->of.instr != b->of.instr || a->thread >= b->thread || b->thread < 3) continue;
            if (!may_share_block(q, a->thread, b->thread)) continue;
            const ls_term *one = ls_eq(t, number_of(q, a->thread), number_of(q, b->thread));
            ls_query_claim(q, ls_implies(t, one, ls_eq(t, a->value, b->value)));
        }
}

/* --- Counted bits ----------------------------------------------------------------------------------------
 */

/* Of a mask: its lowest bit is one of its bits. */
static void claim_lowest(ls_query *q, const ls_term *lowest) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *mask = lowest->args[0], *none = ls_eq(t, mask, ls_const(t, mask->width, 0));
    ls_query_claim(q, ls_or(t, none, names(t, mask, ls_zext(t, lowest, 32))));
}

static void claim_size(ls_query *q, const ls_term *size) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *mask = size->args[0], *none = ls_eq(t, mask, ls_const(t, mask->width, 0));
    ls_query_claim(q, ls_not(t, ls_ult(t, ls_const(t, size->width, mask->width), size)));
    const ls_term *zero = ls_eq(t, size, ls_const(t, size->width, 0));
    ls_query_claim(q, ls_not(t, ls_binary(t, LS_T_XOR, none, zero)));
}

/* A rank is not above the lane, and below the ranks of higher lanes, and the size, of the same mask; it is 0
 * for the lowest lane, and for that one alone among the lanes of the mask. */
static void claim_rank(ls_query *q, const ls_term *rank, const ls_term *other) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *mask = rank->args[0], *lane = rank->args[1];
    const ls_term *named = names(t, mask, lane), *wide = ls_zext(t, rank, 32);
    const ls_term *same = ls_eq(t, mask, other->args[0]);
    const ls_term *theirs = ls_zext(t, other, 32), *in = ls_and(t, same, named);
    if (other == rank) {
        ls_query_claim(q, ls_not(t, ls_ult(t, lane, wide)));
    } else if (ls_is_uf(t, other, LS_UF_RANK)) {
        in = ls_and(t, in, ls_ult(t, lane, other->args[1]));
        ls_query_claim(q, ls_implies(t, in, ls_ult(t, wide, theirs)));
    } else if (ls_is_uf(t, other, LS_UF_BITS)) {
        ls_query_claim(q, ls_implies(t, in, ls_ult(t, wide, theirs)));
    } else if (ls_is_uf(t, other, LS_UF_LOWEST)) {
        const ls_term *first = ls_eq(t, wide, ls_const(t, 32, 0)), *lowest = ls_eq(t, lane, theirs);
        ls_query_claim(q, ls_implies(t, in, ls_not(t, ls_binary(t, LS_T_XOR, first, lowest))));
    }
}

static bool counts_bits(ls_terms *t, const ls_term *leaf) {
    return ls_is_uf(t, leaf, LS_UF_RANK) || ls_is_uf(t, leaf, LS_UF_BITS) || ls_is_uf(t, leaf, LS_UF_LOWEST);
}

static void claim_counts(ls_query *q) {
    ls_terms *t = &q->view.p->terms;
    ls_term_list leaves = {0}, counts = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    for (uint32_t i = 0; i < leaves.length && counts.length < MOST_COUNTS; i++)
        if (counts_bits(t, leaves.items[i])) LS_VEC_PUSH(&counts, leaves.items[i]);
    for (uint32_t i = 0; i < counts.length; i++) {
        const ls_term *a = counts.items[i];
        if (ls_is_uf(t, a, LS_UF_BITS)) claim_size(q, a);
        if (ls_is_uf(t, a, LS_UF_LOWEST)) claim_lowest(q, a);
        for (uint32_t k = 0; k < counts.length && ls_is_uf(t, a, LS_UF_RANK); k++)
            claim_rank(q, a, counts.items[k]);
    }
    LS_VEC_FREE(&leaves);
    LS_VEC_FREE(&counts);
}

void ls_query_ranks(ls_query *q) {
    bool pair = !q->view.self && !q->view.absent;
    const joints *kept = ls_part_of(q->view.p, &JOINTS);
    if (!kept->all.length) return;
    bool taken[3] = {false};
    if (pair) {
        add_sources(q, taken);
        ls_query_told(q, taken);
    }
    ls_query_counters(q);
    if (!pair) return;
    ls_query_settled(q);
    results all = {0};
    find_results(q, &all);
    claim_masks(q, &all);
    claim_same_thread(q, &all);
    claim_counts(q);
    LS_VEC_FREE(&all);
}
