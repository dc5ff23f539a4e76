/* Where fences and atomics may order accesses. */
#ifndef LS_VERIFY_CHECK_FENCES_H
#define LS_VERIFY_CHECK_FENCES_H

#include "verify/proof.h"

/* One instruction can be executed after another, by the same thread. */
bool ls_follows(ls_proof *p, const ls_ir_instr *first, const ls_ir_instr *then);
/* Fences and atomics may order the two. */
bool ls_may_be_ordered(ls_proof *p, const ls_ir_instr *a, const ls_ir_instr *b, bool same_block);

#endif
