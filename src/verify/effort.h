/* What went into a verification. */
#ifndef LS_VERIFY_EFFORT_H
#define LS_VERIFY_EFFORT_H

#include "lockstep/verify.h"

/* In the solver's own time (ls_solver_now), which is the same in every run. */
double ls_verify_effort(const ls_verify_result *result);

/* There was a second attempt, with more patience or with invariants of loops, and it took long and gave no
 * proof: another one is not worth its time for other launches of the kernel. */
bool ls_verify_in_vain(const ls_verify_result *result);

/* In that time, too: what a search for conditions may take in all, which is no more than the proof itself was
 * given, and what one attempt of it may take of what is left. */
double ls_contract_time(const ls_verify_options *options);
double ls_contract_attempt(double left);

/* As ls_verify, with one proof for all sizes. */
ls_verify_result *ls_verify_at_once(const ls_ir_function *kernel, const ls_verify_options *options);

/* What solvers say is kept for further proofs of the same kernel, one after the other
 * (ls_verify_options.recall). */
struct ls_recall *ls_verify_recall(void);
void ls_verify_forget(struct ls_recall *recall);

#endif
