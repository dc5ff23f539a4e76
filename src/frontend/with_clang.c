/* Device code, launches and preprocessed text by way of clang (with_clang.h):
 *   device code to bitcode (child process) → PTX (lower.c)
 *   host code to bitcode (child process, at the same time) → launches, in this file and in others of a
 * project */
#include "frontend/with_clang.h"

#include "frontend/database.h"
#include "frontend/entries.h"
#include "frontend/fatbin.h"
#include "frontend/invoke.h"
#include "frontend/lower.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* OpenCL C 1.2 unless the file needs a later one. The first attempt's messages are those that count. */
static bool clang_device(ls_job *job, ls_diags *diags) {
    if (job->language != LS_LANGUAGE_OPENCL || job->standard)
        return ls_invoke_with_remedies(job, LS_FRONTEND_CLANG, ls_command_device, "device.bc", diags);
    static const char *const STANDARDS[] = {"CL1.2", "CL2.0", "CL3.0"};
    ls_diags *first = NULL;
    bool good = false;
    for (size_t i = 0; i < 3 && !good; i++) {
        ls_diags *attempt = ls_diags_new();
        job->standard = STANDARDS[i];
        good = ls_invoke(job, ls_command_device, "device.bc", "clang", attempt);
        if (first && !good) {
            ls_diags_free(attempt);
        } else {
            if (first) ls_diags_free(first);
            first = attempt;
        }
    }
    if (!good) job->standard = NULL;
    ls_diags_append(diags, first);
    ls_diags_free(first);
    return good;
}

#ifdef LS_HAVE_LLVM
/* Host code that did not compile is tried again as the device code was compiled, where it was, and then with
 * what else may help; what is told of that is for the device code alone. */
static void read_launches(ls_job *job, ls_process *host, bool again, ls_facts *facts) {
    ls_buf said = {0};
    bool good = !ls_process_finish(host, &said);
    ls_buf_free(&said);
    if (!good && again) {
        ls_diags *ignored = ls_diags_new();
        good = ls_invoke_with_remedies(job, LS_FRONTEND_CLANG, ls_command_host, "host.bc", ignored);
        ls_diags_free(ignored);
    }
    const char *bitcode = ls_job_file(job, "host.bc");
    const bool alone = !job->options->compile_commands;
    facts->host_failed =
        !good || !(alone ? ls_host_launches(bitcode, job->arena, false, &facts->launches)
                         : ls_host_launches_linked(&bitcode, 1, (ls_host_link){.whole = true}, job->arena,
                                                   &facts->launches));
}

static bool is_told(const ls_diags *diags, const ls_diag *d) {
    for (uint32_t i = 0; i < ls_diags_count(diags); i++) {
        const ls_diag *other = ls_diags_at(diags, i);
        if (other->line == d->line && other->column == d->column && !strcmp(other->message, d->message) &&
            !strcmp(other->file ? other->file : "", d->file ? d->file : ""))
            return true;
    }
    return false;
}

/* Both the device's and the host's compilation warn of what they have in common: once is enough. Notes belong
 * to what they follow. */
static void append_new(ls_diags *diags, const ls_diags *said) {
    bool is_new = true;
    for (uint32_t i = 0; i < ls_diags_count(said); i++) {
        const ls_diag *d = ls_diags_at(said, i);
        if (d->severity != LS_NOTE) is_new = !is_told(diags, d);
        if (is_new) ls_diags_add(diags, d->severity, d->file, d->line, d->column, "%s", d->message);
    }
}

/* Host code that is to run must be what it says: no loose declarations. */
static bool make_object(ls_job *job, const ls_buf *ptx, ls_diags *diags) {
    ls_buf binary = {0};
    const char *path = ls_job_file(job, "device.fatbin");
    ls_fatbin_of_ptx(ls_buf_text(ptx), ptx->length, job->arch, &binary);
    bool good = ls_write_file(path, binary.text, binary.length);
    if (!good) ls_diags_add(diags, LS_ERROR, path, 0, 0, "cannot be written: %s", strerror(errno));
    ls_buf_free(&binary);
    job->loose = false;
    ls_diags *said = ls_diags_new();
    good = good && ls_invoke(job, ls_command_object, "", "clang", said);
    append_new(diags, said);
    ls_diags_free(said);
    return good;
}

static bool wants_launches(const ls_job *job) {
    return job->language == LS_LANGUAGE_CUDA && !job->options->no_launches &&
           (job->traits.launches || job->traits.local_includes);
}

/* The same bitcode once more, optimised as the compiler would have. */
static bool lower_as_run(ls_job *job, ls_lower_options options, ls_diags *diags) {
    ls_facts again = {0};
    options.form = LS_FORM_AS_RUN;
    options.optimize = true;
    bool good = ls_lower(ls_job_file(job, "device.bc"), &options, job->arena, &job->as_run, &again.kernels,
                         &again.locals, diags);
    LS_VEC_FREE(&again.kernels);
    LS_VEC_FREE(&again.locals);
    return good;
}

/* OpenCL lets a division of floats be off by 2.5 units of the last place, and NVIDIA's compiler makes use of
 * it, unless the program asks for more. */
static bool has_rough_division(const ls_job *job) {
    const ls_frontend_options *o = job->options;
    if (job->language != LS_LANGUAGE_OPENCL || o->form != LS_FORM_AS_RUN) return false;
    for (uint32_t i = 0; i < o->extra_count; i++)
        if (!strcmp(o->extra[i], "-cl-fp32-correctly-rounded-divide-sqrt")) return false;
    return true;
}

bool ls_compile_with_clang(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_diags *diags) {
    const char *missing = ls_tools_missing(&job->tools, job->language == LS_LANGUAGE_OPENCL);
    if (missing) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "%s", missing);
        return false;
    }
    if (!job->features) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "clang 19 does not know the architecture %s",
                     job->arch);
        return false;
    }
    ls_process host;
    bool with_host = wants_launches(job) && ls_invoke_start(job, ls_command_host, "host.bc", &host);
    bool good = clang_device(job, diags);
    ls_lower_options options = {job->options->form,          job->arch, job->features,
                                job->options->keep_volatile, job->path, job->options->separate_locals,
                                job->options->relocatable};
    options.rough_division = has_rough_division(job);
    good = good && ls_lower(ls_job_file(job, "device.bc"), &options, job->arena, ptx, &facts->kernels,
                            &facts->locals, diags);
    if (good && job->options->both_forms) good = lower_as_run(job, options, diags);
    if (with_host) read_launches(job, &host, good, facts);
    return good && (!job->options->host_object || make_object(job, ptx, diags));
}

bool ls_preprocess(ls_job *job, ls_buf *text) {
    ls_diags *ignored = ls_diags_new();
    bool good = !ls_tools_missing(&job->tools, job->language == LS_LANGUAGE_OPENCL) &&
                ls_invoke(job, ls_command_preprocess, "text.ii", "clang", ignored) &&
                ls_read_file(ls_job_file(job, "text.ii"), text);
    ls_diags_free(ignored);
    return good;
}

void ls_launches_with_clang(ls_job *job, ls_facts *facts) {
    ls_process host;
    if (ls_tools_missing(&job->tools, false) || !wants_launches(job)) return;
    if (ls_invoke_start(job, ls_command_host, "host.bc", &host)) read_launches(job, &host, true, facts);
}
#else
bool ls_compile_with_clang(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_diags *diags) {
    (void)ptx, (void)facts, (void)clang_device;
    ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "%s", ls_tools_missing(&job->tools, false));
    return false;
}

bool ls_preprocess(ls_job *job, ls_buf *text) {
    (void)job, (void)text;
    return false;
}

void ls_launches_with_clang(ls_job *job, ls_facts *facts) {
    (void)job, (void)facts;
}
#endif
