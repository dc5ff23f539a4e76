/* Results of the verifier in a report, for `lockstep verify` and `lockstep check` (cmd_verify.c). */
#ifndef LS_CLI_VERIFICATION_H
#define LS_CLI_VERIFICATION_H

#include "cli/input.h"
#include "lockstep/verify.h"

/* Adds verdict, scope, reasons and findings to the kernel's entry; with stats how the queries were answered.
 */
void ls_verification_show(ls_report_kernel *kernel, const ls_verify_result *result, bool stats);

#endif
