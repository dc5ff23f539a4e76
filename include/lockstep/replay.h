/* Replay: what the verifier found is run in the emulator, with the launch, the parameters and the memory of
 * its witness, and the emulator's checkers say whether it happens.
 *
 *     ls_verify_result *r = ls_verify(ir, &options);
 *     ls_replay_findings(r, ir, &options, 1.0);
 *     … r->findings->replay == LS_REPLAY_CONFIRMED …
 *
 * A finding that runs to its end and does not happen becomes a reason for "unknown"; a suspicion that does
 * happen becomes a finding. A replay never makes a kernel proved. */
#ifndef LOCKSTEP_REPLAY_H
#define LOCKSTEP_REPLAY_H

#include "lockstep/verify.h"

LS_BEGIN_DECLS

/* The kernel and the options are those that the result is of. `seconds`: time for all runs together,
 * counted in instructions, so that it is the same on every machine. */
void ls_replay_findings(ls_verify_result *result, const ls_ir_function *kernel,
                        const ls_verify_options *options, double seconds);

LS_END_DECLS

#endif
