/* A launch to try a kernel with. */
#ifndef LS_VERIFY_QUERY_SAMPLE_H
#define LS_VERIFY_QUERY_SAMPLE_H

#include "verify/proof.h"

/* Where the kernel is not proved, an execution with a launch and parameters that satisfy all that is assumed
 * of them is left in the result. */
void ls_find_sample(ls_proof *p);

#endif
