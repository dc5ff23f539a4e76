/* From what was emitted to the code that is run: one stream of instructions, or two (decode/affine.c), each
 * with its own addresses of blocks. */
#include "emulate/decode/decode.h"

typedef struct {
    insn *insns;
    uint32_t count;
    uint32_t *block_at; /* by block id */
} stream;

static void link_branch(const decoder *d, const stream *s, const ls_ir_block *block, insn *i) {
    const ls_ir_block *reconverge = block->ipdom ? block->ipdom : d->ir->exit;
    const ls_ir_block *other = em_falls_to(block);
    const ls_ir_block *to = i->fn == em_exec_return ? d->ir->exit : i->aux == 1 ? other : block->succs[0];
    branch_info *info = LS_NEW(d->arena, branch_info);
    info->target = s->insns + s->block_at[to->id];
    info->reconverge = s->insns + s->block_at[reconverge->id];
    info->other = other ? s->insns + s->block_at[other->id] : i + 1;
    info->backward = info->target <= i;
    i->extra = info;
}

static void link_switch(const decoder *d, const stream *s, const ls_ir_block *block, insn *i) {
    const ls_ir_block *reconverge = block->ipdom ? block->ipdom : d->ir->exit;
    const ls_ir_instr *in = block->terminator;
    switch_info *info = LS_NEW(d->arena, switch_info);
    *info = *(const switch_info *)i->extra;
    info->targets = LS_NEW_N(d->arena, const insn *, info->count + 1);
    info->reconverge = s->insns + s->block_at[reconverge->id];
    for (uint32_t t = 0; t < info->count; t++)
        info->targets[t] = in->targets[t] ? s->insns + s->block_at[in->targets[t]->id] : NULL;
    i->extra = info;
}

/* Addresses of blocks are known once all are placed. */
static void link_blocks(const decoder *d, const stream *s) {
    for (uint32_t b = 0; b < d->ir->block_count; b++) {
        const ls_ir_block *block = d->ir->blocks[b];
        uint32_t end = b + 1 < d->ir->block_count ? s->block_at[d->ir->blocks[b + 1]->id] : s->count;
        for (uint32_t k = s->block_at[block->id]; k < end; k++) {
            insn *i = &s->insns[k];
            if (i->fn == em_exec_branch || i->fn == em_exec_return || i->fn == em_exec_jump)
                link_branch(d, s, block, i);
            else if (i->fn == em_exec_switch)
                link_switch(d, s, block, i);
        }
    }
}

/* All that was emitted but what is for the other stream. */
static stream without(const decoder *d, insn_stream other) {
    uint32_t length = d->out.length, *at = LS_NEW_N(d->arena, uint32_t, length + 1);
    stream s = {.insns = LS_NEW_N(d->arena, insn, length + 1),
                .block_at = LS_NEW_N(d->arena, uint32_t, d->ir->block_count + 1)};
    for (uint32_t k = 0; k < length; k++) {
        at[k] = s.count;
        if (d->out.items[k].stream != other) s.insns[s.count++] = d->out.items[k];
    }
    at[length] = s.count;
    for (uint32_t k = 0; k < length; k++) {
        const insn *i = &d->out.items[k];
        if (i->fn == em_exec_guard) s.insns[at[k]].imm = at[k + 1 + i->imm] - at[k] - 1;
    }
    for (uint32_t b = 0; b < d->ir->block_count; b++) {
        uint32_t id = d->ir->blocks[b]->id;
        s.block_at[id] = at[d->block_at[id]];
    }
    link_blocks(d, &s);
    return s;
}

/* Sums whose registers nobody reads are not computed at all. */
static bool drop_unused(decoder *d) {
    ls_intmap used = {0};
    bool any = false, is_new;
    uint64_t ignored;
    for (uint32_t k = 0; k < d->used.length; k++) ls_intmap_at(&used, d->used.items[k], &is_new);
    uint32_t n = 0, k = 0;
    for (uint32_t b = 0; b <= d->ir->block_count; b++) {
        uint32_t end = b < d->ir->block_count ? d->block_at[d->ir->blocks[b]->id] : d->out.length;
        for (; k < end; k++) {
            const insn i = d->out.items[k];
            any |= i.stream == STREAM_AFFINE;
            bool is_sum = i.op == LANE_SUM_32 || i.op == LANE_SUM_64;
            if (!is_sum || ls_intmap_get(&used, i.d, &ignored)) d->out.items[n++] = i;
        }
        if (b < d->ir->block_count) d->block_at[d->ir->blocks[b]->id] = n;
    }
    d->out.length = n;
    for (k = 0; k < d->c->block_sregs.length; k++)
        d->c->block_sregs.items[k].affine = ls_intmap_get(&used, d->c->block_sregs.items[k].slot, &ignored);
    ls_intmap_free(&used);
    return any;
}

void em_make_streams(decoder *d) {
    bool affine = drop_unused(d);
    stream s = without(d, STREAM_AFFINE);
    d->c->insns = s.insns;
    d->c->insn_count = s.count;
    d->c->entry = s.insns + s.block_at[d->ir->entry->id];
    d->c->exit = s.insns + s.block_at[d->ir->exit->id];
    if (!affine) return;
    s = without(d, STREAM_PLAIN);
    d->c->affine_insns = s.insns;
    d->c->affine_count = s.count;
    d->c->affine_entry = s.insns + s.block_at[d->ir->entry->id];
}
