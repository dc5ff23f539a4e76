/* Flags and counters of a kernel that the host code launches again: what the launch before has left there. */
#ifndef LS_VERIFY_CHECK_AGAIN_H
#define LS_VERIFY_CHECK_AGAIN_H

#include "verify/proof.h"

/* The memory may hold what an earlier launch of the same kernel has left. */
bool ls_is_left_over(const ls_proof *p, const ls_ir_base *base);
/* Nothing is proved of such a launch where the kernel does not leave its flag as it has found it. */
void ls_doubt_left_over(ls_proof *p, const ls_event *flag);

#endif
