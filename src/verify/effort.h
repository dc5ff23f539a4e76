/* What went into a verification. */
#ifndef LS_VERIFY_EFFORT_H
#define LS_VERIFY_EFFORT_H

#include "lockstep/verify.h"

/* In the solver's own time (ls_solver_now), which is the same in every run. */
double ls_verify_effort(const ls_verify_result *result);

#endif
