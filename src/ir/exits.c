/* Who leaves the kernel at a branch, and where the ways out of a loop meet (exits.h). */
#include "ir/exits.h"
#include "base/recover.h"
#include "base/vec.h"

enum { MOST_JUMPS = 64 }; /* one behind the other that are followed */

/* It does nothing but to go on to the next block, or to end. */
static bool only_goes_on(const ls_ir_block *b) {
    for (uint32_t k = 0; k < b->instr_count; k++)
        if (b->instrs[k] != b->terminator && !b->instrs[k]->made) return false;
    return !b->phi_count && b->succ_count <= 1;
}

bool ls_ir_only_ends(const ls_ir_block *block) {
    for (uint32_t jumps = 0; jumps < MOST_JUMPS; block = block->succs[0], jumps++) {
        if (!only_goes_on(block)) return false;
        if (!block->succ_count) return true;
    }
    return false;
}

/* Its branch goes that way in no run, as its predicate is a constant: `for (;;)` without optimisation. */
static bool never_goes(const ls_ir_block *from, const ls_ir_block *to) {
    bool negated;
    uint64_t bits;
    ls_ir_value *predicate = from->succ_count == 2 && from->succs[0] != from->succs[1]
                                 ? ls_ir_branch_predicate(from, &negated)
                                 : NULL;
    if (!predicate || !ls_ir_constant(predicate, &bits)) return false;
    return from->succs[(bits != 0) == negated] != to;
}

/* The ways out of the loop that reach the block straight or by `jumps` jumps. */
static uint32_t ways_out(const ls_ir_loop *loop, const ls_ir_block *block, uint32_t jumps) {
    uint32_t ways = 0;
    for (uint32_t k = 0; k < block->pred_count && ways < 2; k++) {
        const ls_ir_block *from = block->preds[k];
        if (ls_ir_loop_contains(loop, from))
            ways += !never_goes(from, block);
        else if (jumps && only_goes_on(from))
            ways += ways_out(loop, from, jumps - 1);
    }
    return ways;
}

bool ls_ir_joins_exits(const ls_ir_block *block, const ls_ir_block *inside) {
    for (const ls_ir_loop *loop = inside->loop; loop; loop = loop->parent) {
        uint32_t all = 0;
        for (uint32_t k = 0; k < loop->exit_count && all < 2; k++)
            all += !never_goes(loop->exits[k].from, loop->exits[k].to);
        uint32_t ways = ls_ir_loop_contains(loop, block) ? 0 : ways_out(loop, block, MOST_JUMPS);
        if (ways > 1 || (ways && ways == all)) return true;
    }
    return false;
}

/* Marks what is reached from the block, it included, but for what lies behind `last`. */
static void reach(const ls_ir_block *from, const ls_ir_block *last, bool *reached) {
    LS_VEC(const ls_ir_block *) work = {0};
    LS_VEC_PUSH(&work, from);
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        if (reached[b->id]) continue;
        reached[b->id] = true;
        for (uint32_t k = 0; b != last && k < b->succ_count; k++)
            if (!never_goes(b, b->succs[k])) LS_VEC_PUSH(&work, b->succs[k]);
    }
    LS_VEC_FREE(&work);
}

bool ls_ir_side_leaves(const ls_ir_function *function, const ls_ir_block *branch, uint32_t side) {
    LS_SCRATCH(scratch);
    const uint32_t count = function->block_count;
    bool *own = ls_arena_zalloc(&scratch, sizeof *own * (2 * (size_t)count + 2)), *others = own + count + 1;
    reach(branch->succs[side], NULL, own);
    for (uint32_t k = 0; k < branch->succ_count; k++)
        if (k != side) reach(branch->succs[k], branch, others);
    bool apart = !own[branch->id], ends = false;
    for (uint32_t b = 0; b < count && apart; b++) {
        const ls_ir_block *block = function->blocks[b];
        ends |= others[b] && !block->succ_count;
        apart = !own[b] || !others[b] || (ls_ir_only_ends(block) && !ls_ir_joins_exits(block, branch));
    }
    return apart && ends;
}
