/* Scalar parameters that have one value. */
#ifndef LS_VERIFY_EXECUTE_PARAMETERS_H
#define LS_VERIFY_EXECUTE_PARAMETERS_H

#include "verify/proof.h"

/* Parameters that __requires or --kernel-args fix to one value become constants. */
void ls_bind_parameters(ls_proof *p);

#endif
