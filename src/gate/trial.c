/* One run of a kernel (trial.h). */
#include "gate/trial.h"
#include "base/guard.h"
#include "frontend/choose.h"

#include "lockstep/launch.h"

#include <string.h>

/* --- Loading ------------------------------------------------------------------------------------------- */

static bool compile_form(const char *path, const ls_frontend_options *options, ls_form form, ls_compiled *out,
                         ls_diags *diags) {
    ls_frontend_options how = *options;
    how.form = form;
    how.checked = how.separate_locals = form == LS_FORM_AS_RUN;
    return ls_compile(path, &how, out, diags);
}

void ls_gate_compile(ls_gate_kernel *kernel, const char *path, const ls_frontend_options *options,
                     bool for_proofs) {
    *kernel = (ls_gate_kernel){.path = path, .said = ls_diags_new()};
    kernel->is_compiled = compile_form(path, options, LS_FORM_AS_RUN, &kernel->run, kernel->said);
    if (!kernel->is_compiled || !for_proofs) return;
    ls_diags *ignored = ls_diags_new(); /* what is wrong has been said */
    kernel->is_shaped = compile_form(path, options, LS_FORM_SOURCE, &kernel->shaped, ignored);
    ls_diags_free(ignored);
}

/* The form for proofs; without one there are none. */
static void load_shaped(ls_gate_kernel *kernel) {
    ls_diags *ignored = ls_diags_new();
    const ls_compiled *shaped = &kernel->shaped;
    kernel->shaped_module = ls_ptx_parse(shaped->ptx, shaped->length, kernel->path, ignored);
    const ls_ptx_function *f =
        kernel->shaped_module ? ls_ptx_find_function(kernel->shaped_module, kernel->kernel->name) : NULL;
    if (f && f->body)
        kernel->ir = ls_ir_build(kernel->shaped_module, f, &(ls_ir_options){.quiet = true}, ignored);
    ls_diags_free(ignored);
}

bool ls_gate_load(ls_gate_kernel *kernel, const char *name, ls_diags *diags) {
    ls_diags_append(diags, kernel->said);
    if (!kernel->is_compiled) return false;
    kernel->run_module = ls_ptx_parse(kernel->run.ptx, kernel->run.length, kernel->path, diags);
    if (!kernel->run_module) return false;
    kernel->kernel = ls_compiled_only(&kernel->run, kernel->path, name, diags);
    if (!kernel->kernel) return false;
    kernel->function = ls_ptx_find_function(kernel->run_module, kernel->kernel->name);
    if (!kernel->function || !kernel->function->body) return false;
    kernel->param_count = kernel->function->param_count;
    bool named = kernel->kernel->parameters && kernel->kernel->parameter_count == kernel->param_count;
    kernel->names = named ? kernel->kernel->parameters : NULL;
    if (kernel->is_shaped) load_shaped(kernel);
    return true;
}

void ls_gate_kernel_free(ls_gate_kernel *kernel) {
    if (kernel->ir) ls_ir_free(kernel->ir);
    if (kernel->run_module) ls_ptx_module_free(kernel->run_module);
    if (kernel->shaped_module) ls_ptx_module_free(kernel->shaped_module);
    if (kernel->said) ls_diags_free(kernel->said);
    if (kernel->is_compiled) ls_compiled_free(&kernel->run);
    if (kernel->is_shaped) ls_compiled_free(&kernel->shaped);
    *kernel = (ls_gate_kernel){0};
}

/* --- Running ------------------------------------------------------------------------------------------- */

ls_emulator *ls_gate_emulator(const ls_gate_kernel *kernel, ls_diags *diags) {
    ls_emulator *emulator = ls_emulator_new(kernel->run_module, diags);
    for (uint32_t k = 0; emulator && k < kernel->run.local_count; k++) {
        const ls_local_array *local = &kernel->run.locals[k];
        ls_emulator_local(emulator, local->function, local->offset, local->size);
    }
    return emulator;
}

static char *copy_of(ls_arena *arena, uint64_t address, uint64_t bytes) {
    char *copy = ls_arena_alloc(arena, bytes ? bytes : 1);
    memcpy(copy, (const void *)(uintptr_t)address, bytes);
    return copy;
}

/* Outputs are poisoned, and every buffer's bytes are kept. */
static void before_launch(const ls_gate_kernel *kernel, const ls_emu_args *args, const ls_gate_case *launch,
                          const ls_gate_how *how, ls_arena *arena, ls_gate_trial *out) {
    out->buffers = LS_NEW_N(arena, ls_gate_buffer, launch->spec->params.length + 1);
    for (uint32_t i = 0; i < args->count && i < kernel->param_count; i++) {
        const ls_emu_arg *arg = &args->args[i];
        if (!arg->is_buffer) continue;
        if (launch->spec->params.items[kernel->of[i]].role == LS_GATE_OUT)
            memset((void *)(uintptr_t)arg->address, how->poison, arg->bytes);
        out->buffers[kernel->of[i]] = (ls_gate_buffer){.before = copy_of(arena, arg->address, arg->bytes),
                                                       .bytes = arg->bytes,
                                                       .count = arg->count,
                                                       .type = arg->type};
    }
}

bool ls_gate_run(const ls_gate_kernel *kernel, ls_emulator *emulator, const ls_gate_case *launch,
                 const ls_gate_how *how, ls_arena *arena, ls_gate_trial *out, ls_diags *diags) {
    *out = (ls_gate_trial){0};
    const char **specs = LS_NEW_N(arena, const char *, kernel->param_count + 1);
    for (uint32_t i = 0; i < kernel->param_count; i++)
        specs[i] = ls_arena_printf(arena, "%u=%s", i, launch->arguments[kernel->of[i]]);
    ls_guard_begin(how->seconds, 0); /* large buffers take time, too */
    ls_emu_args *args = ls_launch_args(emulator, kernel->function, launch->grid, launch->block,
                                       launch->shared, specs, kernel->param_count, NULL, diags);
    if (args) before_launch(kernel, args, launch, how, arena, out);
    ls_guard_end();
    if (!args) return false;
    ls_emu_launch go = {.kernel = kernel->kernel->name,
                        .params = args->params,
                        .params_size = args->params_size,
                        .shared_bytes = args->shared_bytes};
    memcpy(go.grid, launch->grid, sizeof go.grid);
    memcpy(go.block, launch->block, sizeof go.block);
    ls_emu_options options = {.checks = LS_CHECK_ALL &
                                        ~(uint32_t)(LS_CHECK_BANK | LS_CHECK_COALESCE | LS_CHECK_DIVERGE),
                              .schedule = how->schedule,
                              .seed = how->seed,
                              .strict_exit = kernel->run.language == LS_LANGUAGE_OPENCL,
                              .timeout = how->seconds,
                              .threads = 1};
    out->result = ls_emulator_run(emulator, &go, &options);
    for (uint32_t i = 0; i < args->count && i < kernel->param_count; i++) {
        const ls_emu_arg *arg = &args->args[i];
        if (arg->is_buffer) out->buffers[kernel->of[i]].after = copy_of(arena, arg->address, arg->bytes);
    }
    ls_launch_args_free(args);
    return out->result != NULL;
}
