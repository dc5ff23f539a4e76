/* What the files that rewrite accesses share: operands of an access, the log of accesses (access_log.c) and
 * what may be done once only (once.c). Internal to src/detect. */
#ifndef LS_DETECT_REDIRECT_H
#define LS_DETECT_REDIRECT_H

#include "detect/instrument.h"

/* The operand with the access's address; NULL: it has none. */
ls_ptx_operand *dt_address_part(const ls_ir_instr *instr, const ls_ir_access *access);
/* Whether the address is a register of 64 bits. */
bool dt_is_wide(const ls_ptx_operand *part);
/* The address without its offset as text. */
const char *dt_part_text(const ls_ptx_operand *part, char *out, size_t size);
/* Goes to $LS_<label><number> in threads whose guard is off. */
void dt_skip_unless_guarded(emitter *e, const ls_ptx_instr *ast, const char *label, uint32_t number);

/* The value of element i of the store, as 32- or 64-bit bits in %ls_j or %ls_l; false: a constant, the same
 * for all lanes. */
bool dt_emit_stored_value(emitter *e, const ls_ir_instr *instr, uint32_t i, bool *wide);
/* Writes down the access, or one whose number is in a register, to the byte at %ls_off; goes to
 * $LS_NOLOG<skip> where the log is full. */
void dt_emit_log(emitter *e, const ls_ir_access *access, const char *number, uint32_t skip);
void dt_log_shared(emitter *e, const ls_ir_access *access, const ls_ptx_operand *part, bool generic);
/* Of an access to the byte at %ls_off of a copy; goes to $LS_NOLOG<skip> where it is not asked for. */
void dt_log_global(emitter *e, const ls_ir_access *access, uint32_t skip);
/* Of an access to shared memory that is not redirected. */
void dt_log_as_it_is(emitter *e, const ls_ir_access *access);

/* Conflicts of lanes within one store: whether they are looked for; the check by itself; %ls_same: the bits
 * in which what is there now differs from what the lane stored. */
bool dt_checks_lanes(const emitter *e, const ls_ir_access *access);
void dt_emit_lane_check(emitter *e, const ls_ir_access *access, const char *address, bool wide);
void dt_emit_changed_bits(emitter *e, const ls_ir_access *access, const char *address, int64_t offset);
/* %ls_d64: the distance for the address in %ls_off, by the table of ranges; 0 where it is in none. Behind the
 * other one, which is for the kernel's start. */
void dt_emit_range_search(emitter *e);
void dt_emit_ranges_prologue(emitter *e);

void dt_emit_once_only(emitter *e, ls_ptx_instr *ast, const ls_ir_instr *instr);

#endif
