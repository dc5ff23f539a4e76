/* Device code by way of nvcc (with_nvcc.h): what cicc does to names is undone, and where it leaves variables
 * in memory it is asked again. */
#include "frontend/with_nvcc.h"

#include "frontend/invoke.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool in_identifier(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* lockstep.h cannot declare __assert where nvcc reads it: __lockstep_assert stands for it. */
static void rename_assert(ls_buf *ptx) {
    static const char FROM[] = "__lockstep_assert", TO[] = "__assert";
    if (!ptx->text || !strstr(ptx->text, FROM)) return;
    ls_buf out = {0};
    const char *text = ptx->text;
    for (const char *at; (at = strstr(text, FROM)); text = at + sizeof FROM - 1) {
        ls_buf_add(&out, text, (size_t)(at - text));
        ls_buf_add(&out, TO, sizeof TO - 1);
    }
    ls_buf_puts(&out, text);
    ls_buf_free(ptx);
    *ptx = out;
}

/* nvcc gives a static function a name of its own: "__nv_static_38_" with 38 characters, then "_" and the name
 * that it would have. That one is unique in a file, and known to its user. */
static void rename_static(ls_buf *ptx) {
    static const char PREFIX[] = "__nv_static_";
    if (!ptx->text || !strstr(ptx->text, PREFIX)) return;
    ls_buf out = {0};
    const char *text = ptx->text, *end = ptx->text + ptx->length;
    for (const char *at; (at = strstr(text, PREFIX));) {
        char *after;
        unsigned long skipped = strtoul(at + sizeof PREFIX - 1, &after, 10);
        const char *name = skipped < (unsigned long)(end - after) ? after + 1 + skipped : at;
        bool is_one = name < end && name > at && name[0] == '_' && in_identifier(name[1]);
        ls_buf_add(&out, text, (size_t)(at - text));
        if (!is_one) ls_buf_add(&out, at, sizeof PREFIX - 1);
        text = is_one ? name + 1 : at + sizeof PREFIX - 1;
    }
    ls_buf_puts(&out, text);
    ls_buf_free(ptx);
    *ptx = out;
}

static bool ask_nvcc(ls_job *job, ls_buf *ptx, ls_diags *diags) {
    if (!ls_invoke_with_remedies(job, LS_FRONTEND_NVCC, ls_command_nvcc, "out.ptx", diags)) return false;
    ptx->length = 0;
    if (ls_read_file(ls_job_file(job, "out.ptx"), ptx)) return true;
    ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "nvcc wrote no PTX: %s", strerror(errno));
    return false;
}

/* Variables that cicc left in memory, one beside the other: what is kept there (a pointer to shared memory, a
 * mask of lanes) cannot be followed. Objects of libraries end there. */
static bool keeps_variables_in_memory(const ls_job *job, const ls_buf *ptx) {
    return job->options->form == LS_FORM_SOURCE && !job->traits.annotations && ptx->text &&
           strstr(ptx->text, "__local_depot");
}

static bool ask_nvcc_again(ls_job *job, ls_buf *ptx, ls_diags *diags) {
    job->optimised = true;
    bool good = ask_nvcc(job, ptx, diags);
    job->optimised = false;
    ls_diags_add(diags, LS_NOTE, job->path, 0, 0,
                 "this is the code as nvcc optimises it: without optimisation, variables of the kernels or "
                 "of a library's objects stay in memory");
    return good;
}

bool ls_compile_with_nvcc(ls_job *job, ls_buf *ptx, ls_diags *diags) {
    if (!job->tools.nvcc) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "nvcc is not installed");
        return false;
    }
    if (job->language != LS_LANGUAGE_CUDA) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "nvcc compiles CUDA only");
        return false;
    }
    if (job->options->text) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0,
                     "nvcc cannot compile text that is not saved to a file");
        return false;
    }
    job->plain_path = ls_nvcc_path(job);
    if (!ask_nvcc(job, ptx, diags)) return false;
    if (keeps_variables_in_memory(job, ptx) && !ask_nvcc_again(job, ptx, diags)) return false;
    rename_assert(ptx);
    rename_static(ptx);
    return true;
}

bool ls_compile_as_run_with_nvcc(ls_job *job, ls_diags *diags) {
    const ls_frontend_options *given = job->options;
    ls_frontend_options options = *given;
    options.form = LS_FORM_AS_RUN;
    job->options = &options;
    bool good = ls_compile_with_nvcc(job, &job->as_run, diags);
    job->options = given;
    return good;
}
