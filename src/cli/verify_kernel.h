/* One kernel of `lockstep verify` (verify_kernel.c). */
#ifndef LS_CLI_VERIFY_KERNEL_H
#define LS_CLI_VERIFY_KERNEL_H

#include "cli/verification.h"

/* What a verification is for besides its result. */
typedef struct {
    bool no_replay; /* what was found is not run in the emulator */
    bool stats;     /* how the queries were answered is shown */
    _Atomic bool *assumed, *sized,
        *named; /* by assumption, size and array of the options: set where it concerns the kernel */
    const ls_kernel_launch *launch; /* which one it is about; NULL: any */
    bool accept_contracts, as_written;
    ls_contracts *contracts; /* NULL, or those of a file */
    const ls_cli_job *costs; /* NULL, or what accesses and branches cost is looked at, too */
} ls_verification_extras;

/* Verifies the kernel of that entry of a report, and tells there what came of it. */
void ls_verify_kernel(const ls_input *input, const ls_compiled_kernel *kernel, ls_report_kernel *entry,
                      const ls_verify_options *how, ls_verification_extras extras, ls_diags *diags);

#endif
