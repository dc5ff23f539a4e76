/* From IR instructions to terms. */
#ifndef LS_VERIFY_EXECUTE_LOWER_H
#define LS_VERIFY_EXECUTE_LOWER_H

#include "verify/proof.h"

void ls_make_symbols(ls_proof *p);
const ls_term *ls_value_of(const ls_state *s, const ls_ir_value *value);
const ls_term *ls_operand_of(const ls_state *s, const ls_ir_operand *operand);
/* The guard of an instruction, true where it has none. */
const ls_term *ls_guard_of(const ls_state *s, const ls_ir_instr *instr);
/* Computes the results of an instruction that is executed. */
void ls_lower_instr(ls_state *s, const ls_ir_instr *instr);
const ls_term *ls_fresh(const ls_state *s, const char *what, uint32_t width, ls_sym_kind kind);
/* The symbol for the pointer or value in a parameter. */
const ls_term *ls_parameter(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width);
/* The parameter's symbol becomes one with this range. */
void ls_replace_parameter(ls_proof *p, uint64_t key, const ls_term *old, int64_t slo, int64_t shi,
                          uint64_t ulo, uint64_t uhi);
/* One of the .extern .shared arrays, which all start at the same address. */
bool ls_is_dynamic_shared(const ls_proof *p, const ls_ir_base *base);
const ls_term *ls_base_address(ls_proof *p, const ls_ir_base *base);
const ls_term *ls_object_address(ls_proof *p, uint32_t object);
uint32_t ls_width_of(uint8_t type);

#endif
