/* The pipeline: one PTX function becomes one ls_ir_function, a pass a line. Each pass says in private.h what
 * it requires and what it leaves; in debug builds the invariants are checked after each. */
#include "ir/private.h"

#include "base/options.h"
#include "base/recover.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void checked(const ls_ir_function *f, const char *pass) {
#ifndef NDEBUG
    char *wrong = ls_ir_check(f);
    if (wrong) fprintf(stderr, "lockstep: internal error after %s of '%s': %s\n", pass, f->name, wrong);
    assert(!wrong);
#else
    (void)f, (void)pass;
#endif
}

#define PASS(function, pass) (pass(function), checked(function, #pass))

static bool run_passes(ls_ir_function *f, const ls_ir_options *options) {
    ir_decode(f);
    PASS(f, ir_fill_blocks);
    if (!ir_fill_dominance(f)) return false;
    checked(f, "ir_fill_dominance");
    PASS(f, ir_fill_loops);
    if (f->hidden->unnest && !ir_unnest(f)) return false;
    checked(f, "ir_unnest");
    if (!options->no_promote) PASS(f, ir_promote);
    f->stage = LS_IR_CFG;
    if (options->stage == LS_IR_CFG) return true;
    PASS(f, ir_fill_ssa);
    f->stage = LS_IR_SSA;
    if (options->stage == LS_IR_SSA) return true;
    PASS(f, ir_fill_gates);
    PASS(f, ir_fill_accesses);
    f->stage = LS_IR_FULL;
    return true;
}

static void report_unresolved(const ls_ir_function *f, const ls_ir_unresolved *call) {
    static const struct {
        ls_severity severity;
        const char *text;
    } reports[] = {
        [LS_UNRESOLVED_INDIRECT] = {LS_WARNING, "indirect call in '%s' is not resolved%s%s%s"},
        [LS_UNRESOLVED_RECURSIVE] = {LS_WARNING, "in '%s': recursive call%s%s%s is left as a call"},
        [LS_UNRESOLVED_EXTERNAL] = {LS_NOTE, "in '%s': call%s%s%s has no body in this module"},
        [LS_UNRESOLVED_TOO_LARGE] = {LS_WARNING,
                                     "in '%s': call%s%s%s is not expanded: too many instructions"},
        [LS_UNRESOLVED_MISMATCH] = {LS_WARNING, "in '%s': call%s%s%s does not fit the callee's parameters"},
    };
    const char *name = call->name ? call->name : "";
    const char *before = *name ? " of '" : "", *after = *name ? "'" : "";
    char text[1024];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, reports[call->kind].text, f->name, before, name, after);
#pragma GCC diagnostic pop
    ls_diags_add(f->hidden->diags, reports[call->kind].severity, call->pos->file, call->pos->line,
                 call->pos->column, "%s", text);
}

typedef struct {
    ls_ir_function *f;
    const ls_ir_options *options;
    bool good;
} building;

static void build(void *context) {
    building *all = context;
    ls_ir_function *f = all->f;
    f->hidden->options = *all->options;
    all->good = run_passes(f, all->options);
    for (uint32_t i = 0; f->hidden->diags && !all->options->quiet && i < f->unresolved_count && all->good;
         i++)
        report_unresolved(f, &f->unresolved[i]);
}

static ls_ir_function *build_form(const ls_ptx_module *module, const ls_ptx_function *function,
                                  const ls_ir_options *options, bool unnest, bool without, ls_diags *diags) {
    const char *name = function->symbol ? function->symbol->name : "?";
    if (!function->body && function->definition) function = function->definition;
    if (!function->body) {
        if (diags)
            ls_diags_add(diags, LS_ERROR, module->filename, function->pos.line, function->pos.column,
                         "function '%s' has no body", name);
        return NULL;
    }
    building all = {.options = options};
    all.f = calloc(1, sizeof *all.f);
    if (all.f) *all.f = (ls_ir_function){.module = module, .ptx = function, .name = name};
    if (all.f) all.f->hidden = calloc(1, sizeof *all.f->hidden);
    if (all.f && all.f->hidden) {
        all.f->hidden->diags = diags;
        all.f->hidden->unnest = unnest;
        all.f->hidden->without = without;
    }
    if (!all.f || !all.f->hidden || !ls_try(build, &all)) {
        ls_diags_no_memory(diags);
        ls_ir_free(all.f);
        return NULL;
    }
    if (!all.good) {
        if (diags)
            ls_diags_add(diags, LS_ERROR, module->filename, function->pos.line, function->pos.column,
                         "control flow of '%s' is nested too deeply", name);
        ls_ir_free(all.f);
        return NULL;
    }
    all.f->hidden->diags = NULL;
    return all.f;
}

ls_ir_function *ls_ir_build(const ls_ptx_module *module, const ls_ptx_function *function,
                            const ls_ir_options *options, ls_diags *diags) {
    LS_OWN_OPTIONS(ls_ir_options, options);
    return build_form(module, function, options, false, false, diags);
}

ls_ir_function *ls_ir_unnested(const ls_ir_function *f, bool without) {
    ls_ir_options options = f->hidden->options;
    options.quiet = true;
    return ir_is_nested(f) ? build_form(f->module, f->ptx, &options, true, without, NULL) : NULL;
}

void ls_ir_free(ls_ir_function *function) {
    if (!function) return;
    if (function->hidden) {
        ls_map_free(&function->hidden->names);
        ls_map_free(&function->hidden->forms);
        LS_VEC_FREE(&function->hidden->code);
        LS_VEC_FREE(&function->hidden->labels);
        ls_arena_free(&function->hidden->arena);
        free(function->hidden);
    }
    free(function);
}
