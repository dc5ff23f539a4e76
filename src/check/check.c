/* A whole file in one call (lockstep/check.h): compiled and parsed once, its kernels verified in parallel,
 * what was found tried in the emulator, all of it in the report. */
#include "lockstep/check.h"

#include "base/options.h"
#include "base/pool.h"
#include "base/recover.h"
#include "check/tell.h"
#include "lockstep/replay.h"

#include <stdlib.h>
#include <string.h>

static const double REPLAY_SECONDS = 2; /* as for verify: one answer */

typedef struct {
    const ls_compiled_kernel *kernel;
    ls_report_kernel *entry;
    ls_diags *diags; /* a list is filled by one thread */
} kernel_job;

typedef struct {
    const char *path;
    const ls_check_options *options;
    ls_report *report;
    ls_report_file *file;
    ls_compiled compiled;
    ls_ptx_module *module;
    kernel_job *kernels;
    uint32_t count;
} file_job;

static void put_size(uint32_t to[3], const uint32_t given[3], const ls_launch_size *known) {
    if (given[0])
        memcpy(to, given, 3 * sizeof *to);
    else if (known->known)
        to[0] = known->x, to[1] = known->y, to[2] = known->z;
}

static void check_kernel(void *context, uint32_t index) {
    const file_job *job = context;
    kernel_job *k = &job->kernels[index];
    const ls_ptx_function *function = ls_ptx_find_function(job->module, k->kernel->name);
    if (!function || !function->body) return;
    ls_ir_function *ir =
        ls_ir_build(job->module, function, &LS_OPTIONS(ls_ir_options, .quiet = true), k->diags);
    if (!ir) return;
    ls_verify_options how;
    ls_options_copy(&how, sizeof how, job->options->verify);
    how.opencl = job->compiled.language == LS_LANGUAGE_OPENCL;
    how.parameters = k->kernel->parameters;
    how.parameter_count = k->kernel->parameter_count;
    how.ranges = k->kernel->ranges;
    memcpy(how.block, k->entry->block, sizeof how.block);
    memcpy(how.grid, k->entry->grid, sizeof how.grid);
    ls_verify_result *result = ls_verify(ir, &how);
    if (!job->options->no_replay) ls_replay_findings(result, ir, &how, REPLAY_SECONDS);
    for (const ls_verify_note *n = result->mistakes; n; n = n->next)
        ls_diags_add(k->diags, LS_ERROR, n->place.file, n->place.line, n->place.column, "%s", n->text);
    ls_tell_verification(k->entry, result, false);
    ls_verify_free(result);
    ls_ir_free(ir);
}

static void add_kernels(file_job *job, ls_report_file *file) {
    static const uint32_t none[3] = {0};
    const ls_verify_options *given = job->options->verify;
    job->kernels = ls_xmalloc((job->compiled.kernel_count + 1) * sizeof *job->kernels);
    for (uint32_t i = 0; i < job->compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &job->compiled.kernels[i];
        const char *wanted = job->options->kernel;
        if (kernel->status != LS_KERNEL_DEFINED) continue;
        if (wanted && !ls_kernel_is_named(kernel->name, kernel->demangled, wanted)) continue;
        ls_report_kernel *entry = ls_report_add_kernel(file, kernel->name, kernel->demangled);
        uint32_t block[3] = {0}, grid[3] = {0};
        put_size(block, given ? given->block : none, &kernel->block);
        put_size(grid, given ? given->grid : none, &kernel->grid);
        ls_report_place(entry, (ls_place){kernel->file, kernel->line, 0});
        ls_report_launch(entry, block, grid, kernel->block_origin);
        ls_diags *diags = ls_diags_new(); /* before the kernel counts: memory may run out here */
        job->kernels[job->count++] = (kernel_job){kernel, entry, diags};
    }
}

static void collect_diags(file_job *job, ls_diags *to) {
    for (uint32_t i = 0; i < job->count; i++) ls_diags_append(to, job->kernels[i].diags);
}

static void check_file(void *context) {
    file_job *job = context;
    ls_report_file *file = job->file = ls_report_add_file(job->report, job->path);
    if (!ls_compile(job->path, job->options->frontend, &job->compiled, file->diags)) return;
    job->module = ls_ptx_parse(job->compiled.ptx, job->compiled.length, job->path, file->diags);
    if (!job->module) return;
    add_kernels(job, file);
    ls_parallel_for(job->options->threads, job->count, check_kernel, job);
}

static void finish(void *context) {
    file_job *job = context;
    collect_diags(job, job->file->diags);
    ls_report_finish(job->report);
}

ls_status ls_check_file(const char *path, const ls_check_options *options, ls_report *report) {
    LS_OWN_OPTIONS(ls_check_options, options);
    file_job job = {.options = options, .path = path, .report = report};
    bool good = ls_try(check_file, &job);
    if (!good && job.file) ls_diags_no_memory(job.file->diags);
    good &= job.file && ls_try(finish, &job);
    for (uint32_t i = 0; i < job.count; i++) ls_diags_free(job.kernels[i].diags);
    free(job.kernels);
    bool usable = job.module != NULL;
    ls_ptx_module_free(job.module);
    ls_compiled_free(&job.compiled);
    return good && usable ? (ls_status)ls_report_status(report, LS_FAIL_UNKNOWN) : LS_STATUS_UNUSABLE;
}
