/* Look-ups in the tables of PTX: types, spaces, modifiers, opcodes, special registers, tuning directives. */
#ifndef LS_PTX_TABLES_H
#define LS_PTX_TABLES_H

#include "base/arena.h"
#include "lockstep/ptx.h"

/* LS_TYPE_NONE if there is no type of this name. */
ls_ptx_type ls_ptx_find_type(const char *text, size_t length);
/* Twice as wide, of .wide instructions' results. */
ls_ptx_type ls_ptx_wide_type(ls_ptx_type type);
/* LS_SPACE_GENERIC if there is no state space of this name. */
ls_ptx_space ls_ptx_find_space(const char *text, size_t length);
/* LS_SREG_NONE where there is none; *number is N of %envregN. */
ls_ptx_sreg ls_ptx_find_sreg(const char *text, size_t length, uint32_t *number);
/* -1 where there is none. */
int ls_ptx_find_tune(const char *text, size_t length);
void ls_ptx_tune_limits(int kind, uint32_t *least, uint32_t *most);
const char *ls_ptx_tune_text(ls_ptx_tune_kind kind);

/* Decodes a dotted opcode spelling, which must outlive the form. Never fails: what is not in the tables is
 * LS_OP_UNKNOWN or counted in unknown_modifiers. */
ls_ptx_form *ls_ptx_decode_form(ls_arena *arena, const char *text, uint32_t length);
/* How many of an instruction's types its operands refer to. */
uint32_t ls_ptx_types_named(ls_ptx_op op);
/* Whether the registers of an instruction of this form have the widths that its types say, where the table
 * names any: it has no more types, so that they were compared when it was parsed. */
bool ls_ptx_types_checked(const ls_ptx_form *form);

#endif
