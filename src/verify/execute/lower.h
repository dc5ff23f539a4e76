/* From IR instructions to terms. */
#ifndef LS_VERIFY_EXECUTE_LOWER_H
#define LS_VERIFY_EXECUTE_LOWER_H

#include "verify/execute/symbols.h"

const ls_term *ls_value_of(const ls_state *s, const ls_ir_value *value);
const ls_term *ls_operand_of(const ls_state *s, const ls_ir_operand *operand);
/* Where an access begins. */
const ls_term *ls_address_in(const ls_state *s, const ls_ir_access *access);
/* The guard of an instruction, true where it has none. */
const ls_term *ls_guard_of(const ls_state *s, const ls_ir_instr *instr);
/* Computes the results of an instruction that is executed. */
void ls_lower_instr(ls_state *s, const ls_ir_instr *instr);
uint32_t ls_width_of(uint8_t type);

#endif
