/* The symbols of a proof. */
#ifndef LS_VERIFY_EXECUTE_SYMBOLS_H
#define LS_VERIFY_EXECUTE_SYMBOLS_H

#include "verify/proof.h"

/* Needs the IR and ls_assume_sizes; leaves the indices and sizes of the launch, and `launch`. */
void ls_make_symbols(ls_proof *p);
/* Something that is not known. */
const ls_term *ls_fresh(const ls_state *s, const char *what, uint32_t width, ls_sym_kind kind);
/* The symbol for the pointer or value in a parameter. */
const ls_term *ls_parameter(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width);
/* The parameter's symbol becomes one with this range. */
void ls_replace_parameter(ls_proof *p, uint64_t key, const ls_term *old, int64_t slo, int64_t shi,
                          uint64_t ulo, uint64_t uhi);
/* What people call a parameter, or a size or an index of the launch. */
const char *ls_input_name(ls_proof *p, const ls_term *symbol);
/* One of the .extern .shared arrays, which all start at the same address. */
bool ls_is_dynamic_shared(const ls_proof *p, const ls_ir_base *base);
const ls_term *ls_base_address(ls_proof *p, const ls_ir_base *base);
const ls_term *ls_object_address(ls_proof *p, uint32_t object);
/* The symbol stands for where a variable or a function is. */
bool ls_is_object_address(ls_proof *p, const ls_term *symbol);
/* NULL: it differs from one read to the next. */
const ls_term *ls_special_register(ls_proof *p, uint32_t sreg, uint8_t element, uint32_t width);

#endif
