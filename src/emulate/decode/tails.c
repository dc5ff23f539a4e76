/* Who leaves a kernel without coming to a barrier, and who only passes it by. A thread counts as gone at a
 * barrier where its way to the end does not join the way of those that wait there: `if (i >= n) return;`. One
 * that goes on with them behind the barrier, `if (t < 10) __syncthreads(); more();`, has missed it, although
 * it ends later. So each barrier for all threads has a tail: the blocks that come behind it, from which it
 * cannot be reached any more; the end itself does not count, unless all ways out of a loop around the barrier
 * meet there. Where a tail is entered, the lanes are noted
 * (em_exec_tail), and a barrier that is complete without them asks for that (barrier.c). The same for
 * operations of lanes, where there are tails left for them. */
#include "emulate/decode/decode.h"
#include "ir/exits.h"

enum { MOST_BLOCKS = 500 }; /* of a kernel in which it is asked of each branch whether threads leave there */

typedef LS_VEC(const ls_ir_block *) block_list;

/* Marks what is reached from the block, it not included unless by a way round; forward not by the edges on
 * which threads leave (bits of sides, by block). */
static void reach(const ls_ir_block *from, bool forward, const uint8_t *leaving, bool *reached,
                  block_list *work) {
    LS_VEC_PUSH(work, from);
    while (work->length) {
        const ls_ir_block *at = work->items[--work->length];
        const uint32_t count = forward ? at->succ_count : at->pred_count;
        for (uint32_t k = 0; k < count; k++) {
            const ls_ir_block *next = forward ? at->succs[k] : at->preds[k];
            if (reached[next->id] || (forward && leaving[at->id] >> k & 1)) continue;
            reached[next->id] = true;
            LS_VEC_PUSH(work, next);
        }
    }
}

bool em_is_full_barrier(const ls_ir_instr *in) {
    switch (in->op) {
    case LS_OP_BAR_SYNC:
    case LS_OP_BAR_CTA_SYNC: return in->src_count == 1;
    case LS_OP_BAR_RED:
    case LS_OP_BAR_CTA_RED: return in->src_count == 2;
    case LS_OP_BARRIER_SYNC:
    case LS_OP_BARRIER_CTA_SYNC: return in->src_count == 1 && ls_ptx_form_has(in->form, LS_MOD_ALIGNED);
    case LS_OP_BARRIER_RED:
    case LS_OP_BARRIER_CTA_RED: return in->src_count == 2 && ls_ptx_form_has(in->form, LS_MOD_ALIGNED);
    default: return false;
    }
}

bool em_is_counted_barrier(const ls_ir_instr *in) {
    return (in->op == LS_OP_BAR_SYNC || in->op == LS_OP_BAR_CTA_SYNC) && in->src_count > 1;
}

/* The blocks through which the tail of a barrier in the block is entered. */
static void find_entries(decoder *d, const ls_ir_block *at, const uint8_t *leaving, uint32_t bit) {
    const uint32_t n = d->ir->block_count;
    bool *behind = LS_NEW_N(d->arena, bool, n + 1), *before = LS_NEW_N(d->arena, bool, n + 1);
    block_list work = {0};
    reach(at, true, leaving, behind, &work);
    reach(at, false, leaving, before, &work);
    LS_VEC_FREE(&work);
    before[at->id] = true;
    for (uint32_t b = 0; b < n; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        behind[b] &= !before[b] && !(ls_ir_only_ends(block) && !ls_ir_joins_exits(block, at));
    }
    for (uint32_t b = 0; b < n; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        for (uint32_t k = 0; k < block->pred_count && behind[b]; k++)
            if (!behind[block->preds[k]->id]) d->tails[b] |= bit;
    }
}

static bool waits_for_lanes(const ls_ir_instr *in) {
    return ls_ptx_waits_for_named(in->form);
}

/* By block, the sides of its branch that lead out of a loop and leave the kernel. */
static const uint8_t *find_leaving(decoder *d) {
    uint8_t *leaving = LS_NEW_N(d->arena, uint8_t, d->ir->block_count + 1);
    for (uint32_t b = 0; b < d->ir->block_count && d->ir->block_count <= MOST_BLOCKS; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        for (uint32_t k = 0; k < 2 && block->loop && block->succ_count == 2; k++)
            if (!ls_ir_loop_contains(block->loop, block->succs[k]) && ls_ir_side_leaves(d->ir, block, k))
                leaving[b] |= (uint8_t)(1u << k);
    }
    return leaving;
}

static void find_tails_of(decoder *d, const uint8_t *leaving, bool (*is_meant)(const ls_ir_instr *)) {
    for (uint32_t b = 0; b < d->ir->block_count; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        bool any = false;
        for (uint32_t i = 0; i < block->instr_count; i++) any |= is_meant(block->instrs[i]);
        if (!any || d->c->tail_count == MAX_TAILS || (d->tail_of && d->tail_of[b])) continue;
        d->tail_of = d->tail_of ? d->tail_of : LS_NEW_N(d->arena, uint32_t, d->ir->block_count + 1);
        d->tail_of[b] = ++d->c->tail_count;
        find_entries(d, block, leaving, UINT32_C(1) << (d->tail_of[b] - 1));
    }
}

void em_find_tails(decoder *d) {
    if (!d->c->is_kernel || !(d->e->checks & LS_CHECK_BARRIER)) return;
    d->tails = LS_NEW_N(d->arena, uint32_t, d->ir->block_count + 1);
    const uint8_t *leaving = find_leaving(d);
    find_tails_of(d, leaving, em_is_full_barrier);
    find_tails_of(d, leaving, em_is_counted_barrier);
    find_tails_of(d, leaving, waits_for_lanes);
}

void em_enter_tail(decoder *d, uint32_t bits) {
    if (bits) em_emit(d, em_exec_tail)->imm = bits;
}
