/* Which arrays are looked at (--arrays). */
#ifndef LS_VERIFY_EXECUTE_ARRAYS_H
#define LS_VERIFY_EXECUTE_ARRAYS_H

#include "verify/proof.h"

/* Which of the arrays that are asked for the kernel has; whether races on this one are left out. */
void ls_find_arrays(ls_proof *p);
bool ls_is_left_out(const ls_proof *p, const ls_ir_base *base);

#endif
