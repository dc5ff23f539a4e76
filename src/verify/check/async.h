/* Copies in flight (OpenCL's async_work_group_copy). */
#ifndef LS_VERIFY_CHECK_ASYNC_H
#define LS_VERIFY_CHECK_ASYNC_H

#include "verify/proof.h"

bool ls_has_copies(const ls_proof *p);
const ls_term *ls_copy_event(ls_state *s, const ls_ir_instr *call, uint32_t width);
void ls_copy_accesses(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path);
void ls_stated_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path);
/* What a specification says of the byte that a stated access goes to. */
void ls_stated_fact(ls_proof *p, const ls_event *e, const ls_term *fact);
/* The object whose address the symbol is. It is made if no access of an instruction has made it; NULL if the
 * symbol is not an address. */
const ls_ir_base *ls_base_at(ls_proof *p, const ls_term *symbol, uint8_t space);
/* An access that a call makes, of one byte, so far behind what its first argument points to; false: it is not
 * known where that is. */
bool ls_made_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path,
                    uint8_t space, const ls_term *offset);
void ls_note_wait(ls_state *s, const ls_ir_instr *wait);
void ls_check_copies(ls_proof *p);

#endif
