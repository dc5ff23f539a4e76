/* Kernels of which nothing is known are run. */
#ifndef LS_REPLAY_TRIAL_H
#define LS_REPLAY_TRIAL_H

#include "base/clock.h"
#include "lockstep/emulate.h"
#include "lockstep/verify.h"

/* The checkers of what is an error; what is slow, or may be meant, confirms nothing. */
uint32_t ls_replay_checks(void);
/* What the program assumes does not hold in the run; an access left its buffer. */
bool ls_replay_breaks_assumptions(const ls_emu_result *run);
bool ls_replay_strays(const ls_emu_result *run);

/* An access at one of the finding's lines is where the contents of memory say, which are made up. */
bool ls_replay_hangs_on_data(const ls_ir_function *kernel, const ls_finding *f);

/* Runs the kernel with the sample of the result, for so many instructions at most, and adds what goes wrong
 * to its findings. A run proves nothing. */
void ls_replay_trial(ls_verify_result *result, const ls_ir_function *kernel, const ls_verify_options *options,
                     uint64_t instructions, const ls_deadline *deadline);

#endif
