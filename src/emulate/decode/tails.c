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

/* Nothing is done there but to end. */
static bool is_end(const ls_ir_block *b) {
    for (uint32_t i = 0; i < b->instr_count; i++)
        if (b->instrs[i]->op != LS_OP_RET && b->instrs[i]->op != LS_OP_EXIT) return false;
    return true;
}

typedef LS_VEC(const ls_ir_block *) block_list;

/* Marks what is reached from the block, it not included unless by a way round. */
static void reach(const ls_ir_block *from, bool forward, bool *reached, block_list *work) {
    LS_VEC_PUSH(work, from);
    while (work->length) {
        const ls_ir_block *at = work->items[--work->length];
        const uint32_t count = forward ? at->succ_count : at->pred_count;
        for (uint32_t k = 0; k < count; k++) {
            const ls_ir_block *next = forward ? at->succs[k] : at->preds[k];
            if (reached[next->id]) continue;
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

/* The blocks through which the tail of a barrier in the block is entered. */
static void find_entries(decoder *d, const ls_ir_block *at, uint32_t bit) {
    const uint32_t n = d->ir->block_count;
    bool *behind = LS_NEW_N(d->arena, bool, n + 1), *before = LS_NEW_N(d->arena, bool, n + 1);
    block_list work = {0};
    reach(at, true, behind, &work);
    reach(at, false, before, &work);
    LS_VEC_FREE(&work);
    before[at->id] = true;
    for (uint32_t b = 0; b < n; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        if (!behind[b] || before[b] || (is_end(block) && !ls_ir_joins_exits(block, at))) continue;
        for (uint32_t k = 0; k < block->pred_count; k++) {
            const uint32_t from = block->preds[k]->id;
            if (!behind[from] || before[from]) d->tails[b] |= bit;
        }
    }
}

static bool waits_for_lanes(const ls_ir_instr *in) {
    return ls_ptx_waits_for_named(in->form);
}

static void find_tails_of(decoder *d, bool (*is_meant)(const ls_ir_instr *)) {
    for (uint32_t b = 0; b < d->ir->block_count; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        bool any = false;
        for (uint32_t i = 0; i < block->instr_count; i++) any |= is_meant(block->instrs[i]);
        if (!any || d->c->tail_count == MAX_TAILS || (d->tail_of && d->tail_of[b])) continue;
        d->tail_of = d->tail_of ? d->tail_of : LS_NEW_N(d->arena, uint32_t, d->ir->block_count + 1);
        d->tail_of[b] = ++d->c->tail_count;
        find_entries(d, block, UINT32_C(1) << (d->tail_of[b] - 1));
    }
}

void em_find_tails(decoder *d) {
    if (!d->c->is_kernel || !(d->e->checks & LS_CHECK_BARRIER)) return;
    d->tails = LS_NEW_N(d->arena, uint32_t, d->ir->block_count + 1);
    find_tails_of(d, em_is_full_barrier);
    find_tails_of(d, waits_for_lanes);
}

void em_enter_tail(decoder *d, uint32_t bits) {
    if (bits) em_emit(d, em_exec_tail)->imm = bits;
}
