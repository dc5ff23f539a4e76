/* Who leaves the kernel at a branch, and where the ways out of a loop meet. It is the shape of the code that
 * tells: lanes that have parted wait for each other where their ways meet again, so one that goes round a
 * barrier has not left, though it ends later. */
#ifndef LS_IR_EXITS_H
#define LS_IR_EXITS_H

#include "lockstep/ir.h"

/* Nothing is left to do from this block on but to end: it and what follows it are jumps and returns. The
 * sides of a branch may meet there without having met. */
bool ls_ir_only_ends(const ls_ir_block *block);

/* Whether two or more ways out of a loop around `inside` come straight to this block, or by jumps alone, or
 * the only one there is. Threads that have left the loop wait there for the others, as a GPU has it, also
 * where the block does nothing but end. */
bool ls_ir_joins_exits(const ls_ir_block *block, const ls_ir_block *inside);

/* Whoever takes this side of the branch goes to the end without joining the way of those that take another:
 * none of these comes by before it has reached the branch again, and not all of them have to. */
bool ls_ir_side_leaves(const ls_ir_function *function, const ls_ir_block *branch, uint32_t side);

#endif
