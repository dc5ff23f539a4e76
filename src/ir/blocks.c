/* Straight-line code becomes basic blocks. A block starts at a label that some branch names (not at others:
 * compilers write labels for debug information in the middle of blocks) and behind every instruction that may
 * not go on to the next. Blocks that cannot be reached are dropped; the rest is put into reverse post-order,
 * in which every edge that does not close a cycle goes forward. Two blocks are there always: an entry without
 * predecessors, and an exit, without instructions, to which every end of the function leads. */
#include "ir/private.h"

#include "base/recover.h"

#include <assert.h>

typedef struct {
    ls_ir_function *f;
    ls_ir_instr **code;
    uint32_t count;   /* of instructions */
    ls_ir_block **at; /* by code position: the block that starts there, or NULL; at[count] is the exit */
    LS_VEC(ls_ir_block *) raw; /* in code order */
} builder;

static bool ends_block(const ls_ir_instr *instr) {
    if (instr->call) return instr->call->no_return;
    return instr->form->opcode && instr->op != LS_OP_UNKNOWN &&
           (instr->form->opcode->effects & (LS_BRANCH | LS_EXITS));
}

static ls_ir_block *new_block(builder *b, uint32_t position) {
    if (!b->at[position]) b->at[position] = LS_NEW(&b->f->hidden->arena, ls_ir_block);
    return b->at[position];
}

/* Position that a label stands for; a label that is nowhere is the end of the code. */
static uint32_t target(const builder *b, uint32_t label) {
    if (label == LS_IR_NONE) return b->count;
    uint32_t position = b->f->hidden->labels.items[label].position;
    return position == LS_IR_NONE || position > b->count ? b->count : position;
}

static void mark_target(builder *b, uint32_t label) {
    ls_ir_block *block = new_block(b, target(b, label));
    if (label != LS_IR_NONE && !block->label) block->label = b->f->hidden->labels.items[label].name;
}

static void find_leaders(builder *b) {
    new_block(b, b->count);
    new_block(b, 0);
    for (uint32_t i = 0; i < b->count; i++) {
        const ls_ir_instr *instr = b->code[i];
        if (!ends_block(instr)) continue;
        new_block(b, i + 1);
        if (instr->op == LS_OP_BRA && instr->src_count && instr->src[0].kind == LS_IR_BLOCK)
            mark_target(b, instr->src[0].label);
        for (uint32_t t = 0; instr->op == LS_OP_BRX_IDX && t < instr->target_count; t++)
            mark_target(b, instr->target_labels[t]);
    }
}

static void cut_code(builder *b) {
    uint32_t start = 0;
    for (uint32_t i = 0; i < b->count; i = start) {
        ls_ir_block *block = b->at[i];
        for (start = i + 1; start < b->count && !b->at[start];) start++;
        block->instrs = &b->code[i];
        block->instr_count = start - i;
        if (ends_block(b->code[start - 1])) block->terminator = b->code[start - 1];
        LS_VEC_PUSH(&b->raw, block);
    }
}

static void add_succ(ls_ir_block *from, ls_ir_block *to) {
    for (uint32_t i = 0; i < from->succ_count; i++)
        if (from->succs[i] == to) return;
    from->succs[from->succ_count++] = to;
}

/* Many-way branches may name one block hundreds of times: a mark tells which are in already. */
static void add_targets(builder *b, ls_ir_block *block, ls_ir_instr *brx, uint32_t mark) {
    brx->targets = LS_NEW_N(&b->f->hidden->arena, ls_ir_block *, brx->target_count + 1);
    for (uint32_t i = 0; i < brx->target_count; i++) {
        ls_ir_block *to = b->at[target(b, brx->target_labels[i])];
        brx->targets[i] = to;
        if (to->dom_depth == mark) continue;
        to->dom_depth = mark;
        block->succs[block->succ_count++] = to;
    }
    if (!brx->target_count) add_succ(block, b->f->exit); /* no table: nothing is known of where it goes */
}

static void link_block(builder *b, ls_ir_block *block, ls_ir_block *next, uint32_t mark) {
    ls_ir_instr *last = block->terminator;
    uint32_t most = last && last->op == LS_OP_BRX_IDX ? last->target_count + 2 : 2;
    block->succs = LS_NEW_N(&b->f->hidden->arena, ls_ir_block *, most);
    if (last && last->op == LS_OP_BRX_IDX) {
        add_targets(b, block, last, mark);
    } else if (last && last->op == LS_OP_BRA && last->src_count && last->src[0].kind == LS_IR_BLOCK) {
        ls_ir_block *to = b->at[target(b, last->src[0].label)];
        last->src[0].block = to;
        add_succ(block, to);
    } else if (last) {
        add_succ(block, b->f->exit);
    }
    if (!last || ir_is_guarded(last)) add_succ(block, next);
}

static void link_blocks(builder *b) {
    for (uint32_t i = 0; i < b->raw.length; i++) {
        ls_ir_block *next = i + 1 < b->raw.length ? b->raw.items[i + 1] : b->f->exit;
        link_block(b, b->raw.items[i], next, i + 1);
    }
    for (uint32_t i = 0; i < b->raw.length; i++) b->raw.items[i]->dom_depth = 0;
    b->f->exit->dom_depth = 0;
}

/* Depth first; successors in their order, so that the way that falls through comes first in the result. */
static void order_blocks(ls_ir_function *f, uint32_t count) {
    LS_SCRATCH(scratch);
    uint32_t most = count + 2, depth = 0, done = 0;
    ls_ir_block **stack = ls_arena_alloc(&scratch, sizeof *stack * most),
                **post = ls_arena_alloc(&scratch, sizeof *post * most);
    uint32_t *next = ls_arena_alloc(&scratch, sizeof *next * most);
    f->exit->id = 1; /* while walking: id 1 means seen */
    f->entry->id = 1;
    next[0] = 0, stack[depth++] = f->entry;
    while (depth) {
        ls_ir_block *block = stack[depth - 1];
        if (next[depth - 1] == block->succ_count) {
            post[done++] = block;
            depth--;
            continue;
        }
        ls_ir_block *to = block->succs[next[depth - 1]++];
        if (to->id) continue;
        to->id = 1;
        next[depth] = 0, stack[depth++] = to;
    }
    f->blocks = LS_NEW_N(&f->hidden->arena, ls_ir_block *, done + 1);
    f->block_count = done + 1;
    for (uint32_t i = 0; i < done; i++) f->blocks[i] = post[done - 1 - i];
    f->blocks[done] = f->exit;
    for (uint32_t i = 0; i < f->block_count; i++) f->blocks[i]->id = i;
    f->stats.unreachable_blocks = count > done ? count - done : 0;
}

static void fill_preds(ls_ir_function *f) {
    for (uint32_t i = 0; i < f->block_count; i++)
        for (uint32_t s = 0; s < f->blocks[i]->succ_count; s++) f->blocks[i]->succs[s]->pred_count++;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i];
        block->preds = LS_NEW_N(&f->hidden->arena, ls_ir_block *, block->pred_count + 1);
        block->pred_count = 0;
    }
    for (uint32_t i = 0; i < f->block_count; i++)
        for (uint32_t s = 0; s < f->blocks[i]->succ_count; s++) {
            ls_ir_block *to = f->blocks[i]->succs[s];
            to->preds[to->pred_count++] = f->blocks[i];
        }
}

/* The entry: the first block, or an empty one before it where something branches to the first. */
static ls_ir_block *entry_block(builder *b) {
    ls_ir_block *first = b->at[0];
    bool is_target = first == b->f->exit;
    for (uint32_t i = 0; i < b->raw.length && !is_target; i++)
        for (uint32_t s = 0; s < b->raw.items[i]->succ_count; s++)
            is_target |= b->raw.items[i]->succs[s] == first;
    if (!is_target) return first;
    ls_ir_block *entry = LS_NEW(&b->f->hidden->arena, ls_ir_block);
    entry->succs = LS_NEW_N(&b->f->hidden->arena, ls_ir_block *, 1);
    entry->succs[entry->succ_count++] = first;
    LS_VEC_PUSH(&b->raw, entry);
    return entry;
}

/* Calls in blocks that were dropped are no obstacle to anything, but remain in the list. */
static void forget_unreachable(ls_ir_function *f) {
    for (uint32_t i = 0; i < f->unresolved_count; i++)
        if (!f->unresolved[i].instr->block) f->unresolved[i].instr = NULL;
}

void ir_number_instrs(ls_ir_function *f) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->block_count; i++) count += f->blocks[i]->instr_count;
    f->instrs = LS_NEW_N(&f->hidden->arena, ls_ir_instr *, count + 1);
    f->instr_count = 0;
    for (uint32_t r = 0; r < f->register_count; r++) f->registers[r].def_count = 0;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i];
        ls_ir_instr **slice = f->instrs + f->instr_count;
        for (uint32_t k = 0; k < block->instr_count; k++) {
            ls_ir_instr *instr = slice[k] = block->instrs[k];
            instr->id = f->instr_count++;
            instr->block = block;
            for (uint32_t d = 0; d < instr->dst_count; d++)
                if (instr->dst[d].kind == LS_IR_REG) f->registers[instr->dst[d].reg].def_count++;
        }
        block->instrs = slice;
    }
    f->stats.instrs = f->instr_count;
}

void ir_number_blocks(ls_ir_function *f, uint32_t count) {
    order_blocks(f, count);
    fill_preds(f);
    ir_number_instrs(f);
}

void ir_fill_blocks(ls_ir_function *f) {
    LS_SCRATCH(scratch);
    builder b = {.f = f, .code = f->hidden->code.items, .count = f->hidden->code.length};
    b.at = ls_arena_zalloc(&scratch, sizeof *b.at * (b.count + 1));
    find_leaders(&b);
    /* What follows the last instruction is the exit, unless it is a block of its own (there is none). */
    f->exit = b.at[b.count];
    cut_code(&b);
    link_blocks(&b);
    f->entry = entry_block(&b);
    ir_number_blocks(f, b.raw.length);
    forget_unreachable(f);
    assert(f->entry->pred_count == 0 && f->exit->succ_count == 0);
    LS_VEC_FREE(&b.raw);
    LS_VEC_FREE(&f->hidden->code);
    LS_VEC_FREE(&f->hidden->labels);
}
