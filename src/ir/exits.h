/* Where the ways out of a loop meet. */
#ifndef LS_IR_EXITS_H
#define LS_IR_EXITS_H

#include "lockstep/ir.h"

/* Whether two or more ways out of a loop around `inside` come straight to this block. Threads that have left
 * the loop wait there for the others, as a GPU has it, also where the block does nothing but end. */
bool ls_ir_joins_exits(const ls_ir_block *block, const ls_ir_block *inside);

#endif
