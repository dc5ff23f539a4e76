/* ls_compile: which compiler takes a file, what is run for it, and what is told of its kernels.
 *   read the text → find the tools → device code to bitcode (child process) → PTX (lower.c)
 *                                  → host code to bitcode (child process, at the same time) → launches
 * clang is asked first, as it takes a file without the CUDA toolkit and keeps the source's shape; where it
 * cannot and nvcc is installed, nvcc is asked. */
#include "lockstep/frontend.h"

#include "base/options.h"
#include "base/recover.h"
#include "base/scratch.h"
#include "frontend/command.h"
#include "frontend/database.h"
#include "frontend/depend.h"
#include "frontend/entries.h"
#include "frontend/fatbin.h"
#include "frontend/kernels.h"
#include "frontend/lower.h"
#include "frontend/messages.h"
#include "frontend/overlay.h"
#include "frontend/paths.h"
#include "frontend/precompiled.h"
#include "frontend/remedies.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ls_arena arena; /* what `out` points to */
} memory;

/* The temporary files of a compilation are in a folder of their own. */
static const char *temporary(const ls_job *job, const char *name) {
    return ls_arena_printf(job->arena, "%s/%s", job->folder, name);
}

static bool make_folder(ls_job *job, ls_diags *diags) {
    job->folder = ls_scratch_make();
    if (!job->folder)
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "cannot make a temporary folder: %s", strerror(errno));
    return job->folder != NULL;
}

/* --- clang --------------------------------------------------------------------------------------------- */

typedef void command_maker(const ls_job *job, const char *output, ls_args *argv);

static bool start(ls_job *job, command_maker *make, const char *output, ls_process *process) {
    ls_args argv = {0};
    make(job, temporary(job, output), &argv);
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
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "%s was ended: it took longer than %.0f seconds",
                     compiler, job->options->compile_seconds);
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
static const char *unsafe_for_nvcc(const ls_job *job, command_maker *make, const char *output) {
    ls_args argv = {0};
    const char *found = NULL;
    if (make == ls_command_nvcc) make(job, temporary(job, output), &argv);
    for (uint32_t i = 0; i < argv.length && !found; i++) {
        bool is_path = argv.items[i] == job->plain_path;
        if (strpbrk(argv.items[i], is_path ? SPECIAL : "$`\n")) found = is_path ? job->path : argv.items[i];
    }
    LS_VEC_FREE(&argv);
    return found;
}

/* The path for nvcc: by way of a link to the file's folder where that has special characters. */
static const char *plain_path(const ls_job *job) {
    const char *slash = strrchr(job->path, '/');
    if (!slash || !strpbrk(job->path, SPECIAL) || strpbrk(slash, SPECIAL)) return job->path;
    const char *folder = ls_arena_strndup(job->arena, job->path, (size_t)(slash - job->path) + 1);
    const char *link = temporary(job, "source");
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

static bool run(ls_job *job, command_maker *make, const char *output, const char *compiler, ls_diags *diags) {
    const char *unsafe = unsafe_for_nvcc(job, make, output);
    if (unsafe) {
        ls_diags_add(
            diags, LS_ERROR, job->path, 0, 0,
            "nvcc would hand '%s' to a shell, which takes some of its characters for more than a name: "
            "use another name, or --frontend clang",
            unsafe);
        return false;
    }
    ls_process process;
    ls_buf said = {0};
    bool started = start(job, make, output, &process);
    int status = started ? ls_process_finish(&process, &said) : 127;
    if (status > 0 && ls_precompiled_is_old(job, ls_buf_text(&said))) {
        ls_buf_free(&said);
        return run(job, make, output, compiler, diags);
    }
    if (make == ls_command_nvcc) name_as_given(job, &said);
    bool good = verdict(job, compiler, status, started ? ls_buf_text(&said) : strerror(errno), diags);
    ls_buf_free(&said);
    return good;
}

/* Runs the compiler, changing the job while that may help. What counts of its words are those of the last
 * attempt; but where that one only guessed, those of the one before. */
static bool run_with_remedies(ls_job *job, ls_frontend_kind kind, command_maker *make, const char *output,
                              ls_diags *diags) {
    ls_diags *notes = ls_diags_new(), *told = ls_diags_new();
    bool good = false, more = true;
    while (!good && more) {
        ls_diags *said = ls_diags_new();
        bool guess = job->loose || job->older;
        good = run(job, make, output, kind == LS_FRONTEND_CLANG ? "clang" : "nvcc", said);
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

/* OpenCL C 1.2 unless the file needs a later one. The first attempt's messages are those that count. */
static bool clang_device(ls_job *job, ls_diags *diags) {
    if (job->language != LS_LANGUAGE_OPENCL || job->standard)
        return run_with_remedies(job, LS_FRONTEND_CLANG, ls_command_device, "device.bc", diags);
    static const char *const STANDARDS[] = {"CL1.2", "CL2.0", "CL3.0"};
    ls_diags *first = NULL;
    bool good = false;
    for (size_t i = 0; i < 3 && !good; i++) {
        ls_diags *attempt = ls_diags_new();
        job->standard = STANDARDS[i];
        good = run(job, ls_command_device, "device.bc", "clang", attempt);
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
/* Host code that did not compile is tried again as the device code was compiled, and then with what else may
 * help; what is told of that is for the device code alone. */
static void read_launches(ls_job *job, ls_process *host, ls_facts *facts) {
    ls_buf said = {0};
    bool good = !ls_process_finish(host, &said);
    ls_buf_free(&said);
    if (!good) {
        ls_diags *ignored = ls_diags_new();
        good = run_with_remedies(job, LS_FRONTEND_CLANG, ls_command_host, "host.bc", ignored);
        ls_diags_free(ignored);
    }
    facts->host_failed =
        !good || !ls_host_launches(temporary(job, "host.bc"), job->arena, false, &facts->launches);
}

typedef struct {
    ls_job *job;
    ls_facts *facts;
    ls_entries kernels;
    uint32_t files;
} project_search;

/* The text launches something, and one of the kernels is named in it. */
static bool may_launch(const project_search *s, const char *text) {
    if (!ls_source_launches(text)) return false;
    for (uint32_t i = 0; i < s->kernels.length; i++)
        if (strstr(text, ls_kernel_plain_name(s->job->arena, s->kernels.items[i].name))) return true;
    return false;
}

static bool same_path(const char *a, const char *b) {
    char one[PATH_MAX], two[PATH_MAX];
    return realpath(a, one) && realpath(b, two) && !strcmp(one, two);
}

/* What follows from this file follows from the other one, too. */
static void depend_on(project_search *s, const char *path) {
    if (!s->job->options->dependencies) return;
    ls_buf rule = {0};
    ls_buf_puts(&rule, "launches:");
    for (ls_buf_putc(&rule, ' '); *path; path++) {
        if (strchr(" #\\", *path)) ls_buf_putc(&rule, '\\');
        if (*path == '$') ls_buf_putc(&rule, '$');
        ls_buf_putc(&rule, *path);
    }
    ls_buf_putc(&rule, '\n');
    const char *to = temporary(s->job, ls_arena_printf(s->job->arena, "project-%u.depends", s->files));
    s->facts->elsewhere_failed |= !ls_write_file(to, rule.text, rule.length);
    ls_buf_free(&rule);
}

/* The host code of another file of the project, compiled as the project does. */
static void look_elsewhere(void *context, const char *path) {
    project_search *s = context;
    ls_buf text = {0};
    if (same_path(path, s->job->path)) return;
    s->files++;
    depend_on(s, path);
    if (ls_read_file(path, &text) && may_launch(s, ls_buf_text(&text))) {
        ls_job other = {.path = ls_arena_strdup(s->job->arena, path),
                        .options = s->job->options,
                        .language = LS_LANGUAGE_CUDA,
                        .tools = s->job->tools,
                        .traits = ls_source_look(ls_buf_text(&text)),
                        .arch = s->job->arch,
                        .features = s->job->features,
                        .standard = s->job->options->standard,
                        .folder = s->job->folder,
                        .text = ls_buf_text(&text),
                        .arena = s->job->arena};
        ls_diags *ignored = ls_diags_new();
        const char *output = ls_arena_printf(s->job->arena, "other-%u.bc", s->files);
        s->facts->elsewhere_failed |=
            !ls_database_read(&other, s->job->options->compile_commands, ignored) ||
            !run_with_remedies(&other, LS_FRONTEND_CLANG, ls_command_host, output, ignored) ||
            !ls_host_launches(temporary(s->job, output), s->job->arena, true, &s->facts->launches);
        ls_diags_free(ignored);
        LS_VEC_FREE(&other.database);
        LS_VEC_FREE(&other.nearby);
    }
    ls_buf_free(&text);
}

/* Launches in the project's other files, where they are known (-p), of kernels that are defined here. */
static void project_launches(ls_job *job, ls_facts *facts) {
    if (!job->options->compile_commands || job->language != LS_LANGUAGE_CUDA || job->options->no_launches)
        return;
    project_search s = {.job = job, .facts = facts};
    ls_diags *ignored = ls_diags_new();
    ls_entries_scan(facts->ptx, job->arena, &s.kernels);
    if (s.kernels.length && !ls_tools_missing(&job->tools, false))
        ls_compile_commands_files(job->options->compile_commands, look_elsewhere, &s, ignored);
    ls_diags_free(ignored);
    LS_VEC_FREE(&s.kernels);
}

/* Host code that is to run must be what it says: no loose declarations. */
static bool make_object(ls_job *job, const ls_buf *ptx, ls_diags *diags) {
    ls_buf binary = {0};
    const char *path = temporary(job, "device.fatbin");
    ls_fatbin_of_ptx(ls_buf_text(ptx), ptx->length, job->arch, &binary);
    bool good = ls_write_file(path, binary.text, binary.length);
    if (!good) ls_diags_add(diags, LS_ERROR, path, 0, 0, "cannot be written: %s", strerror(errno));
    ls_buf_free(&binary);
    job->loose = false;
    return good && run(job, ls_command_object, "", "clang", diags);
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
    bool good = ls_lower(temporary(job, "device.bc"), &options, job->arena, &job->as_run, &again.kernels,
                         &again.locals, diags);
    LS_VEC_FREE(&again.kernels);
    LS_VEC_FREE(&again.locals);
    return good;
}

static bool compile_clang(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_diags *diags) {
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
    bool with_host = wants_launches(job) && start(job, ls_command_host, "host.bc", &host);
    bool good = clang_device(job, diags);
    ls_lower_options options = {job->options->form,          job->arch, job->features,
                                job->options->keep_volatile, job->path, job->options->separate_locals};
    good = good && ls_lower(temporary(job, "device.bc"), &options, job->arena, ptx, &facts->kernels,
                            &facts->locals, diags);
    if (good && job->options->both_forms) good = lower_as_run(job, options, diags);
    if (with_host) read_launches(job, &host, facts);
    return good && (!job->options->host_object || make_object(job, ptx, diags));
}

static bool preprocess(ls_job *job, ls_buf *text) {
    ls_diags *ignored = ls_diags_new();
    bool good = !ls_tools_missing(&job->tools, job->language == LS_LANGUAGE_OPENCL) &&
                run(job, ls_command_preprocess, "text.ii", "clang", ignored) &&
                ls_read_file(temporary(job, "text.ii"), text);
    ls_diags_free(ignored);
    return good;
}

/* The launches alone, for a file whose device code nvcc compiles. */
static void clang_launches(ls_job *job, ls_facts *facts) {
    ls_process host;
    if (ls_tools_missing(&job->tools, false) || !wants_launches(job)) return;
    if (start(job, ls_command_host, "host.bc", &host)) read_launches(job, &host, facts);
}
#else
static bool compile_clang(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_diags *diags) {
    (void)ptx, (void)facts, (void)clang_device;
    ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "%s", ls_tools_missing(&job->tools, false));
    return false;
}

static bool preprocess(ls_job *job, ls_buf *text) {
    (void)job, (void)text;
    return false;
}

static void clang_launches(ls_job *job, ls_facts *facts) {
    (void)job, (void)facts;
}

static void project_launches(ls_job *job, ls_facts *facts) {
    (void)job, (void)facts;
}
#endif

/* --- nvcc ---------------------------------------------------------------------------------------------- */

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
    if (!run_with_remedies(job, LS_FRONTEND_NVCC, ls_command_nvcc, "out.ptx", diags)) return false;
    ptx->length = 0;
    if (ls_read_file(temporary(job, "out.ptx"), ptx)) return true;
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
    ls_diags_add(
        diags, LS_NOTE, job->path, 0, 0,
        "what is looked at is the code as nvcc optimises it: without, variables of the kernels or of "
        "a library's objects stay in memory");
    return good;
}

static bool compile_nvcc(ls_job *job, ls_buf *ptx, ls_diags *diags) {
    if (!job->tools.nvcc) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "nvcc is not installed");
        return false;
    }
    if (job->language != LS_LANGUAGE_CUDA) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "nvcc takes CUDA only");
        return false;
    }
    if (job->options->text) {
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "nvcc cannot compile a text that is not saved");
        return false;
    }
    job->plain_path = plain_path(job);
    if (!ask_nvcc(job, ptx, diags)) return false;
    if (keeps_variables_in_memory(job, ptx) && !ask_nvcc_again(job, ptx, diags)) return false;
    rename_assert(ptx);
    rename_static(ptx);
    return true;
}

/* nvcc has to be asked twice. */
static bool nvcc_as_run(ls_job *job, ls_diags *diags) {
    const ls_frontend_options *given = job->options;
    ls_frontend_options options = *given;
    options.form = LS_FORM_AS_RUN;
    job->options = &options;
    bool good = compile_nvcc(job, &job->as_run, diags);
    job->options = given;
    return good;
}

/* --- Which compiler ------------------------------------------------------------------------------------ */

static bool compile_device(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_compiled *out, ls_diags *diags) {
    ls_frontend_kind kind = job->options->kind;
    ls_diags *clang = ls_diags_new();
    bool good = false;
    if (kind != LS_FRONTEND_NVCC) {
        good = compile_clang(job, ptx, facts, clang);
        if (good) out->used = LS_FRONTEND_CLANG;
    }
    bool may_nvcc = kind == LS_FRONTEND_NVCC ||
                    (kind == LS_FRONTEND_AUTO && job->tools.nvcc && job->language == LS_LANGUAGE_CUDA);
    if (!good && may_nvcc) {
        ls_diags *nvcc = ls_diags_new();
        facts->kernels.length = facts->locals.length = 0;
        ptx->length = 0;
        job->as_run.length = 0;
        good = compile_nvcc(job, ptx, nvcc) && (!job->options->both_forms || nvcc_as_run(job, nvcc));
        if (good) {
            out->used = LS_FRONTEND_NVCC;
            if (!facts->launches.length) clang_launches(job, facts);
        }
        if (good || kind == LS_FRONTEND_NVCC) ls_diags_append(diags, nvcc);
        ls_diags_free(nvcc);
    }
    if (out->used != LS_FRONTEND_NVCC && kind != LS_FRONTEND_NVCC) ls_diags_append(diags, clang);
    ls_diags_free(clang);
    return good;
}

/* Standard input has been read: the compilers get a copy, under a name of its own in messages. */
static bool keep_input(ls_job *job, const char *text, ls_diags *diags) {
    ls_buf copy = {0};
    ls_buf_puts(&copy, "#line 1 \"<stdin>\"\n");
    ls_buf_puts(&copy, text);
    job->path = temporary(job, "stdin");
    bool good = ls_write_file(job->path, copy.text, copy.length);
    if (!good) ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "cannot be written: %s", strerror(errno));
    ls_buf_free(&copy);
    return good;
}

/* The compiler sees another file's text in place of the path's. */
static bool lay_over(ls_job *job, ls_diags *diags) {
    job->overlay = ls_overlay(job, "overlay.yaml", job->options->text);
    if (!job->overlay)
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "its text cannot be put before clang: %s",
                     strerror(errno));
    return job->overlay != NULL;
}

static bool prepare(ls_job *job, const char *text, ls_diags *diags) {
    const ls_frontend_options *options = job->options;
    job->arch = options->arch ? options->arch : "sm_75";
    if (strncmp(job->arch, "sm_", 3)) {
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "the architecture %s is not of the form sm_75", job->arch);
        return false;
    }
    const char *word = NULL;
    if (!options->arch && job->language == LS_LANGUAGE_CUDA) job->arch = ls_arch_for(text, job->arch, &word);
    if (word)
        ls_diags_add(diags, LS_NOTE, job->path, 0, 0, "compiled for %s: the source has %s", job->arch, word);
    job->features = ls_arch_features(job->arch);
    job->standard = options->standard;
    job->tools = ls_tools_find(job->arena, options->cccl);
    job->traits = ls_source_look(text);
    job->text = text;
    job->leading = options->precompiled ? ls_leading_includes(text, job->arena) : NULL;
    if (options->compile_commands && !ls_database_read(job, options->compile_commands, diags)) return false;
    if (!make_folder(job, diags) || (options->text && !lay_over(job, diags))) return false;
    return strcmp(job->path, "-") || keep_input(job, text, diags);
}

static void keep_locals(const ls_facts *facts, ls_arena *arena, ls_compiled *out) {
    ls_local_array *locals = LS_NEW_N(arena, ls_local_array, facts->locals.length + 1);
    for (uint32_t k = 0; k < facts->locals.length; k++) locals[k] = facts->locals.items[k];
    out->locals = locals;
    out->local_count = facts->locals.length;
}

static bool compile_source(ls_job *job, const char *text, ls_compiled *out, ls_diags *diags) {
    ls_facts facts = {0};
    ls_buf ptx = {0}, preprocessed = {0};
    bool good = prepare(job, text, diags) && compile_device(job, &ptx, &facts, out, diags);
    if (good) {
        ls_paths_as_given(&ptx, job->path);
        facts.path = job->path;
        facts.text = text;
        facts.ptx = ls_buf_text(&ptx);
        bool unclear = ls_kernels_unclear(&facts, job->arena) || job->traits.local_includes;
        if (unclear && preprocess(job, &preprocessed)) facts.text = ls_buf_text(&preprocessed);
        if (facts.host_failed) {
            ls_launch_text(text, job->path, job->arena, &facts.text_launches);
            ls_diags_add(
                diags, LS_NOTE, job->path, 0, 0,
                "the host code did not compile: launch sizes are read from its text, as far as they are "
                "constants there");
        }
        project_launches(job, &facts);
        ls_kernels_list(&facts, job->arena, out);
        keep_locals(&facts, job->arena, out);
        out->compiler = out->used == LS_FRONTEND_NVCC ? "nvcc" : "clang 19 with bundled headers";
        out->uses_annotations = job->traits.annotations;
        out->length = ptx.length;
        out->ptx = ptx.text ? ptx.text : strdup("");
        if (job->options->both_forms) ls_paths_as_given(&job->as_run, job->path);
        out->as_run_length = job->as_run.length;
        out->as_run = job->as_run.text;
        ls_depend_list(job, !facts.host_failed && !facts.elsewhere_failed, out);
    } else {
        ls_buf_free(&ptx);
        ls_buf_free(&job->as_run);
    }
    ls_buf_free(&preprocessed);
    ls_scratch_remove(job->folder);
    job->folder = NULL;
    LS_VEC_FREE(&facts.kernels);
    LS_VEC_FREE(&facts.launches);
    LS_VEC_FREE(&facts.locals);
    LS_VEC_FREE(&job->database);
    LS_VEC_FREE(&job->nearby);
    return good;
}

static void pass_through(ls_buf *text, ls_arena *arena, ls_compiled *out) {
    ls_facts facts = {.ptx = ls_buf_text(text)};
    ls_kernels_list(&facts, arena, out);
    out->length = text->length;
    out->ptx = text->text ? text->text : strdup("");
    out->compiler = "none";
    *text = (ls_buf){0};
}

typedef struct {
    ls_job job;
    const char *path;
    const ls_frontend_options *options;
    ls_compiled *out;
    ls_diags *diags;
    ls_buf text;
    bool good;
} compilation;

static void compile(void *context) {
    compilation *c = context;
    const ls_frontend_options *options = c->options;
    const char *from = options->text ? options->text : c->path;
    if (!ls_read_file(from, &c->text)) {
        ls_diags_add(c->diags, LS_ERROR, from, 0, 0, "cannot be read: %s", strerror(errno));
        return;
    }
    ls_language language = options->language;
    if (!language) language = ls_language_of(c->path, ls_buf_text(&c->text), c->text.length);
    memory *held = ls_xcalloc(1, sizeof *held);
    c->out->memory = held;
    c->out->language = language;
    c->out->form = options->form;
    c->job = (ls_job){.path = c->path, .options = options, .language = language, .arena = &held->arena};
    if (language == LS_LANGUAGE_PTX) {
        pass_through(&c->text, &held->arena, c->out);
        c->good = true;
    } else if (language == LS_LANGUAGE_AUTO) {
        ls_diags_add(c->diags, LS_ERROR, c->path, 0, 0,
                     "neither its name nor its text says whether it is CUDA, OpenCL C or PTX");
    } else {
        c->good = compile_source(&c->job, ls_buf_text(&c->text), c->out, c->diags);
    }
}

bool ls_compile(const char *path, const ls_frontend_options *options, ls_compiled *out, ls_diags *diags) {
    LS_OWN_OPTIONS(ls_frontend_options, options);
    memset(out, 0, sizeof *out);
    compilation c = {.path = path, .options = options, .out = out, .diags = diags};
    if (!ls_try(compile, &c)) {
        c.good = false;
        ls_scratch_remove(c.job.folder);
        ls_diags_no_memory(diags);
    }
    ls_buf_free(&c.text);
    if (!c.good) ls_compiled_free(out);
    return c.good;
}

void ls_compiled_free(ls_compiled *compiled) {
    free(compiled->ptx);
    free(compiled->as_run);
    if (compiled->memory) {
        memory *held = compiled->memory;
        ls_arena_free(&held->arena);
        free(held);
    }
    memset(compiled, 0, sizeof *compiled);
}
