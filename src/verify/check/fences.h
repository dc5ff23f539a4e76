/* Order by fences and atomics (a flag that one thread sets behind a fence and another sees, the last block of
 * a reduction) is not modelled. */
#ifndef LS_VERIFY_CHECK_FENCES_H
#define LS_VERIFY_CHECK_FENCES_H

#include "verify/proof.h"

/* Fences and atomics may order the two. */
bool ls_may_be_ordered(ls_proof *p, const ls_ir_instr *a, const ls_ir_instr *b, bool same_block);

#endif
