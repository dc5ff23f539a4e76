/* lockstep check: everything static in one report. Each part takes the file in the form it needs and adds its
 * findings to the kernels' entries: proofs first, then what accesses and branches cost. */
#include "cli/performance.h"
#include "cli/verification.h"
#include "lockstep/ir.h"

#include <string.h>

typedef struct {
    ls_common common;
} check_options;

static const ls_option options[] = {
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "SECONDS", "10", "time for the proof of each kernel"},
    LS_KERNEL_OPTIONS,
    LS_COMPILE_OPTIONS,
    LS_RUN_OPTIONS,
    LS_OUTPUT_OPTIONS(LS_FORMATS),
    {LS_OPT_END}};

typedef struct {
    ls_form form;
    void (*run)(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                ls_report_kernel *entry);
} part;

static void verification(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                         ls_report_kernel *entry) {
    ls_arena arena;
    ls_arena_init(&arena);
    uint32_t count;
    const ls_launch_case *cases = ls_input_cases(job->common, kernel, &arena, &count);
    for (uint32_t i = 0; i < count; i++) {
        ls_verify_options how = {.opencl = input->compiled.language == LS_LANGUAGE_OPENCL,
                                 .parameters = kernel->parameters,
                                 .parameter_count = kernel->parameter_count,
                                 .facts = cases[i].facts,
                                 .fact_count = cases[i].fact_count,
                                 .timeout = job->common->timeout};
        memcpy(how.block, cases[i].block, sizeof how.block);
        memcpy(how.grid, cases[i].grid, sizeof how.grid);
        if (i) entry = ls_input_report_case(job, kernel, &cases[i]);
        ls_report_launch(entry, cases[i].block, cases[i].grid, cases[i].from);
        ls_verification(input, entry, &how, (ls_verification_extras){.launch = cases[i].launch},
                        job->file->diags);
    }
    ls_arena_free(&arena);
}

static void performance(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                        ls_report_kernel *entry) {
    ls_performance(job, input, kernel, entry, &(ls_performance_options){.degree = 2, .verdict_stays = true});
}

static const part parts[] = {{LS_FORM_SOURCE, verification}, {LS_FORM_AS_RUN, performance}};

/* The kernel's entry: made by the first part that has the kernel. */
static ls_report_kernel *entry_of(const ls_cli_job *job, const ls_compiled_kernel *kernel) {
    for (ls_report_kernel *entry = job->file->kernels; entry; entry = entry->next)
        if (!strcmp(entry->name, kernel->name)) return entry;
    return ls_input_report(job, kernel);
}

static void one_file(const ls_cli_job *job) {
    for (uint32_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        ls_input input;
        if (!ls_input_load(job->common, job->path, parts[p].form, &input, job->file->diags)) return;
        for (uint32_t i = 0; i < input.compiled.kernel_count; i++) {
            const ls_compiled_kernel *kernel = &input.compiled.kernels[i];
            if (kernel->status != LS_KERNEL_DEFINED) continue;
            if (!ls_cli_wants_kernel(job->common, kernel->name, kernel->demangled)) continue;
            parts[p].run(job, &input, kernel, entry_of(job, kernel));
        }
        ls_input_free(&input);
    }
}

static int run(ls_cli *cli, const void *parsed) {
    return ls_cli_report(cli, parsed, one_file);
}

const ls_command ls_cmd_check = {
    .name = "check",
    .operands = "FILE…",
    .summary = "everything that can be told without running the kernels, in one report",
    .about = "Proves each kernel free of races, barrier divergence and failing assertions or shows how it "
             "fails, and "
             "finds uncoalesced accesses, bank conflicts and divergent branches. Exit status: 0 all clean, 1 "
             "something found, 2 wrong "
             "usage or unreadable input, 3 nothing found but something is unknown.",
    .options = options,
    .options_size = sizeof(check_options),
    .run = run};
