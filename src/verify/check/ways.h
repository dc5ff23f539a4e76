/* Ways through the kernel's control flow, instruction by instruction (ways.c). */
#ifndef LS_VERIFY_CHECK_WAYS_H
#define LS_VERIFY_CHECK_WAYS_H

#include "verify/proof.h"

/* Instructions that a way must not pass. */
typedef struct {
    bool (*stops)(const void *data, const ls_ir_instr *instr);
    const void *data;
} ls_obstacle;

/* Every way to the second passes the first. */
bool ls_instr_dominates(const ls_ir_instr *first, const ls_ir_instr *then);
/* There is a way from behind the first to the second (NULL: to the end of the kernel) past no obstacle (NULL:
 * whatever it passes). */
bool ls_way_exists(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to,
                   const ls_obstacle *obstacle);
/* What holds of every thread that gets from behind the first to the second (which the first dominates, or
 * must reach) without executing the first again: the conditions of branches that leave no choice. */
const ls_term *ls_way_condition(ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to);
/* The condition under which a thread executes the instruction, and else does not, of thread, block and
 * parameters alone; NULL: it is not as simple as that. */
const ls_term *ls_needed(ls_proof *p, const ls_ir_instr *instr);
/* The same, of whatever values. */
const ls_term *ls_exactly_when(ls_proof *p, const ls_ir_instr *instr);
/* The term mentions thread, block, sizes and parameters alone. */
bool ls_is_of_inputs(ls_proof *p, const ls_term *term);
bool ls_constant_operand(const ls_ir_operand *operand, uint64_t *value);

#endif
