/* Instructions on constants. */
#ifndef LS_VERIFY_EXECUTE_FOLD_H
#define LS_VERIFY_EXECUTE_FOLD_H

#include "verify/proof.h"

/* Result `result` of an instruction on constants; NULL where they are not, or it is not exact. */
const ls_term *ls_fold_instr(ls_terms *t, const ls_ir_instr *instr, const ls_term *const *src, uint32_t count,
                             uint32_t result);

#endif
