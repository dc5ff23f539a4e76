/* Findings of the performance analyses, for `lockstep analyze` and `lockstep check`. */
#ifndef LS_CLI_PERFORMANCE_H
#define LS_CLI_PERFORMANCE_H

#include "cli/input.h"
#include "lockstep/analyze.h"

typedef struct {
    uint32_t degree; /* as ls_analyze_options */
    ls_analyze_domain domain;
    bool all;            /* every access and branch, also the good ones */
    bool verdict_stays;  /* costs that are not known are notes and do not make the kernel's verdict unknown */
    const ls_list *maps; /* NULL, or tensor maps of parameters: "NAME=tensor:f16[128,64]box[64,8]" */
} ls_performance_options;

/* Analyses the kernel that `entry` was made for and adds what it finds. ir: the kernel, where it is built
 * already; NULL: of the input's module as it runs. Errors go to diags. */
void ls_performance(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                    const ls_ir_function *ir, ls_report_kernel *entry, const ls_performance_options *options,
                    ls_diags *diags);

#endif
