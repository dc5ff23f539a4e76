/* ls_compile: which compiler takes a file, what is run for it, and what is told of its kernels.
 *   read the text → find the tools → PTX and launches (with_clang.c, with_nvcc.c) → kernels
 * clang is asked first, as it takes a file without the CUDA toolkit and keeps the source's shape; where it
 * cannot and nvcc is installed, nvcc is asked. */
#include "lockstep/frontend.h"

#include "base/options.h"
#include "base/recover.h"
#include "base/scratch.h"
#include "frontend/database.h"
#include "frontend/depend.h"
#include "frontend/invoke.h"
#include "frontend/overlay.h"
#include "frontend/paths.h"
#include "frontend/precompiled.h"
#include "frontend/project.h"
#include "frontend/remedies.h"
#include "frontend/with_clang.h"
#include "frontend/with_nvcc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_arena arena; /* what `out` points to */
} memory;

static bool make_folder(ls_job *job, ls_diags *diags) {
    job->folder = ls_scratch_make();
    if (!job->folder)
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "cannot make a temporary folder: %s", strerror(errno));
    return job->folder != NULL;
}

/* --- Which compiler ------------------------------------------------------------------------------------ */

static bool compile_device(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_compiled *out, ls_diags *diags) {
    ls_frontend_kind kind = job->options->kind;
    ls_diags *clang = ls_diags_new();
    bool good = false, show_clang = kind != LS_FRONTEND_NVCC;
    if (kind != LS_FRONTEND_NVCC) {
        good = ls_compile_with_clang(job, ptx, facts, clang);
        if (good) out->used = LS_FRONTEND_CLANG;
    }
    bool may_nvcc = kind == LS_FRONTEND_NVCC ||
                    (kind == LS_FRONTEND_AUTO && job->tools.nvcc && job->language == LS_LANGUAGE_CUDA);
    if (!good && may_nvcc) {
        ls_diags *nvcc = ls_diags_new();
        facts->kernels.length = facts->locals.length = 0;
        ptx->length = 0;
        job->as_run.length = 0;
        good = ls_compile_with_nvcc(job, ptx, nvcc) &&
               (!job->options->both_forms || ls_compile_as_run_with_nvcc(job, nvcc));
        if (good) {
            out->used = LS_FRONTEND_NVCC;
            if (!facts->launches.length) ls_launches_with_clang(job, facts);
        }
        if (good || ls_only_nvcc_takes(clang)) show_clang = false;
        if (!show_clang) ls_diags_append(diags, nvcc);
        ls_diags_free(nvcc);
    }
    if (show_clang) ls_diags_append(diags, clang);
    ls_diags_free(clang);
    return good;
}

/* Standard input has been read: the compilers get a copy, under a name of its own in messages. */
static bool keep_input(ls_job *job, const char *text, ls_diags *diags) {
    ls_buf copy = {0};
    ls_buf_puts(&copy, "#line 1 \"<stdin>\"\n");
    ls_buf_puts(&copy, text);
    job->path = ls_job_file(job, "stdin");
    bool good = ls_write_file(job->path, copy.text, copy.length);
    if (!good) ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "cannot be written: %s", strerror(errno));
    ls_buf_free(&copy);
    return good;
}

/* The compiler sees another file's text in place of the path's. */
static bool lay_over(ls_job *job, ls_diags *diags) {
    job->overlay = ls_overlay(job, "overlay.yaml", job->options->text);
    if (!job->overlay)
        ls_diags_add(diags, LS_ERROR, job->path, 0, 0, "its text cannot be passed to clang: %s",
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
    job->leading = options->precompiled ? ls_leading_includes(text, job->arena) : "";
    if (options->compile_commands && !ls_database_read(job, options->compile_commands, diags)) return false;
    if (!make_folder(job, diags) || (options->text && !lay_over(job, diags))) return false;
    return strcmp(job->path, "-") || keep_input(job, text, diags);
}

static void list_searched(const ls_facts *facts, ls_arena *arena, ls_compiled *out) {
    if (!facts->searched.length) return;
    const char **copy = LS_NEW_N(arena, const char *, facts->searched.length);
    memcpy(copy, facts->searched.items, facts->searched.length * sizeof *copy);
    out->searched = copy;
    out->searched_count = facts->searched.length;
    out->sought = facts->sought;
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
        if (unclear && ls_preprocess(job, &preprocessed)) facts.text = ls_buf_text(&preprocessed);
        if (facts.host_failed) {
            ls_launch_text(job->text, job->path, job->arena, &facts.text_launches);
            ls_diags_add(
                diags, LS_NOTE, job->path, 0, 0,
                "the host code did not compile: launch sizes are read from its text, as far as they are "
                "constants there");
        }
        ls_project_launches(job, &facts);
        ls_kernels_list(&facts, job->arena, out);
        keep_locals(&facts, job->arena, out);
        out->compiler = out->used == LS_FRONTEND_NVCC ? "nvcc" : "clang 19 with bundled headers";
        out->uses_annotations = job->traits.annotations;
        out->length = ptx.length;
        out->ptx = ptx.text ? ptx.text : ls_xstrdup("");
        if (job->options->both_forms) ls_paths_as_given(&job->as_run, job->path);
        out->as_run_length = job->as_run.length;
        out->as_run = job->as_run.text;
        ls_depend_list(job, !facts.host_failed && !facts.elsewhere_failed, out);
        list_searched(&facts, job->arena, out);
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
    LS_VEC_FREE(&facts.searched);
    LS_VEC_FREE(&job->database);
    LS_VEC_FREE(&job->nearby);
    return good;
}

static void pass_through(ls_buf *text, ls_arena *arena, ls_compiled *out) {
    ls_facts facts = {.ptx = ls_buf_text(text)};
    ls_kernels_list(&facts, arena, out);
    out->length = text->length;
    out->ptx = text->text ? text->text : ls_xstrdup("");
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
