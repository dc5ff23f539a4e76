/* Tensor copies among the sites of tickets. */
#ifndef LS_VERIFY_CHECK_BOXES_H
#define LS_VERIFY_CHECK_BOXES_H

#include "verify/check/ticket_sites.h"

/* A copy by a tensor map to shared memory, which counts its bytes at an mbarrier. */
bool ls_is_tensor_load(const ls_ir_instr *i);
/* Its operands; how large it is stays open (size 0). */
bool ls_read_tensor_load(ls_protocol *x, ls_site *s);
/* A copy (or a reduction) by a tensor map out of shared memory, in a group. */
bool ls_is_tensor_store(const ls_ir_instr *i);
bool ls_read_tensor_store(ls_protocol *x, ls_site *s);
/* How large tensor copies are, once it is known which phases they count at. */
bool ls_find_boxes(ls_protocol *x);
/* What was found out so is for an execution to be made up, if there is one. */
void ls_use_boxes(ls_proof *p, ls_verify_execution *e);
/* It was found out for another form of the same kernel. */
void ls_take_boxes(ls_proof *p, const ls_proof *from);

#endif
