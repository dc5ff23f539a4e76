/* A job's compilers as child processes (invoke.h): started, waited for, and their words read. nvcc hands what
 * it is given to a shell, which must find nothing in it that is more than a name. */
#include "frontend/invoke.h"

#include "frontend/depend.h"
#include "frontend/messages.h"
#include "frontend/precompiled.h"
#include "frontend/remedies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The ls_job_file files of a compilation are in a folder of their own. */
const char *ls_job_file(const ls_job *job, const char *name) {
    return ls_arena_printf(job->arena, "%s/%s", job->folder, name);
}

bool ls_invoke_start(ls_job *job, ls_command_maker *make, const char *output, ls_process *process) {
    ls_args argv = {0};
    make(job, ls_job_file(job, output), &argv);
    if (make == ls_command_device || make == ls_command_host) ls_precompiled_use(job, &argv);
    if (make != ls_command_preprocess) ls_depend_ask(job, output, &argv);
    ls_process_limits limits = {
        .seconds = job->options->compile_seconds, .bytes = job->options->compile_bytes, .output = 64 << 20};
    bool good = ls_process_start(process, &argv, &limits);
    LS_VEC_FREE(&argv);
    return good;
}

/* The exit status as a verdict; a compiler that fails without a word gets one. */
static bool verdict(const ls_job *job, const char *compiler, int status, const char *said, ls_diags *diags) {
    uint32_t errors = ls_compiler_messages(said, diags);
    if (!status) return true;
    if (status == LS_PROCESS_LATE)
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0,
                     "%s was ended: it took longer than %g s (--compile-timeout)", compiler,
                     job->options->compile_seconds);
    else if (status > 128)
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "%s crashed (signal %d)", compiler, status - 128);
    else if (!errors)
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "%s failed with status %d: %.500s", compiler, status,
                     said);
    return false;
}

/* What a shell takes for more than a part of a name. */
static const char SPECIAL[] = "$`\"'\\\n;&|<>()*?[]{}!# \t";

/* nvcc hands its arguments to a shell, in double quotes at best: what would be more than a text there. */
static const char *unsafe_for_nvcc(const ls_job *job, ls_command_maker *make, const char *output) {
    ls_args argv = {0};
    const char *found = NULL;
    if (make == ls_command_nvcc) make(job, ls_job_file(job, output), &argv);
    for (uint32_t i = 0; i < argv.length && !found; i++) {
        bool is_path = argv.items[i] == job->plain_path;
        if (strpbrk(argv.items[i], is_path ? SPECIAL : "$`\n")) found = is_path ? job->path : argv.items[i];
    }
    LS_VEC_FREE(&argv);
    return found;
}

const char *ls_nvcc_path(const ls_job *job) {
    const char *slash = strrchr(job->path, '/');
    if (!slash || !strpbrk(job->path, SPECIAL) || strpbrk(slash, SPECIAL)) return job->path;
    const char *folder = ls_arena_strndup(job->arena, job->path, (size_t)(slash - job->path) + 1);
    const char *link = ls_job_file(job, "source");
    char *whole = realpath(folder, NULL);
    bool linked = whole && (symlink(whole, link) == 0 || errno == EEXIST);
    free(whole);
    return linked ? ls_arena_printf(job->arena, "%s%s", link, slash) : job->path;
}

/* What nvcc says, with the path that was given. */
static void name_as_given(const ls_job *job, ls_buf *said) {
    size_t length = strlen(job->plain_path);
    if (job->plain_path == job->path || !said->text) return;
    ls_buf out = {0};
    for (const char *at = said->text; *at;) {
        const char *next = strstr(at, job->plain_path);
        ls_buf_add(&out, at, next ? (size_t)(next - at) : strlen(at));
        if (!next) break;
        ls_buf_puts(&out, job->path);
        at = next + length;
    }
    ls_buf_free(said);
    *said = out;
}

bool ls_invoke(ls_job *job, ls_command_maker *make, const char *output, const char *compiler,
               ls_diags *diags) {
    const char *unsafe = unsafe_for_nvcc(job, make, output);
    if (unsafe) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0,
                     "nvcc passes '%s' to a shell, which would interpret some of its characters: use another "
                     "name, or --frontend clang",
                     unsafe);
        return false;
    }
    ls_process process;
    ls_buf said = {0};
    bool started = ls_invoke_start(job, make, output, &process);
    int status = started ? ls_process_finish(&process, &said) : 127;
    if (status > 0 && ls_precompiled_is_old(job, ls_buf_text(&said))) {
        ls_buf_free(&said);
        return ls_invoke(job, make, output, compiler, diags);
    }
    if (make == ls_command_nvcc) name_as_given(job, &said);
    bool good = verdict(job, compiler, status, started ? ls_buf_text(&said) : strerror(errno), diags);
    ls_buf_free(&said);
    return good;
}

bool ls_invoke_with_remedies(ls_job *job, ls_frontend_kind kind, ls_command_maker *make, const char *output,
                             ls_diags *diags) {
    ls_diags *notes = ls_diags_new(), *told = ls_diags_new();
    bool good = false, more = true;
    while (!good && more) {
        ls_diags *said = ls_diags_new();
        bool guess = kind == LS_FRONTEND_CLANG ? job->loose || job->as_nvcc : job->older;
        good = ls_invoke(job, make, output, kind == LS_FRONTEND_CLANG ? "clang" : "nvcc", said);
        more = !good && ls_remedy(job, kind, said, notes);
        if (good || !guess) {
            ls_diags_free(told);
            told = said;
        } else {
            ls_diags_free(said);
        }
    }
    if (good)
        ls_diags_append(diags, notes);
    else
        ls_advise(job, told);
    ls_diags_append(diags, told);
    ls_diags_free(notes);
    ls_diags_free(told);
    return good;
}
