/* What lanes of a warp get from each other, where that is known (across.c). */
#ifndef LS_VERIFY_EXECUTE_ACROSS_H
#define LS_VERIFY_EXECUTE_ACROSS_H

#include "verify/proof.h"

/* The result of an operation of the whole warp as a term of the thread's own indices; NULL: it can be
 * anything. It holds where all lanes of the warp reach the instruction (lanes.c). */
const ls_term *ls_across_lanes(const ls_state *s, const ls_ir_instr *i, uint32_t result, uint32_t width);
/* The symbol of the lane that elect.sync elects of a warp of the block; NULL: none is elected. */
const ls_term *ls_elected_lane(const ls_proof *p, uint32_t warp);
/* There is such a term for it. Needs `whole`. */
bool ls_is_told_across(ls_proof *p, const ls_ir_instr *i);

#endif
