/* Verification of one kernel into a report, for `lockstep verify` and `lockstep check` (cmd_verify.c). */
#ifndef LS_CLI_VERIFICATION_H
#define LS_CLI_VERIFICATION_H

#include "cli/input.h"
#include "lockstep/verify.h"

typedef struct {
    bool no_replay; /* what was found is not run in the emulator */
    bool stats;     /* how the queries were answered is shown */
    _Atomic bool *assumed, *sized,
        *named; /* by assumption, size and array of the options: set where it concerns the kernel */
    const ls_kernel_launch *launch; /* which one it is about; NULL: any */
} ls_verification_extras;

/* Verifies the kernel of the entry and adds verdict, scope, reasons and findings to it. */
void ls_verification(const ls_input *input, ls_report_kernel *entry, const ls_verify_options *how,
                     ls_verification_extras extras, ls_diags *diags);

#endif
