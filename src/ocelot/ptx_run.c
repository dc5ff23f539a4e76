/* libgpuocelot: a drop-in for GPU Ocelot's ptx_run, on this project's emulator. The interface has no way to
 * give an error back other than standard error, and none to name the sizes of buffers: global addresses are
 * used as they come.
 *
 * LOCKSTEP_CHECK=all or a list of checkers (lockstep/checkers.def) turns them on, and their findings are
 * printed; LOCKSTEP_THREADS=N sets how many host threads run blocks. */
#include "ocelot/ocelot.h"

#include "lockstep/emulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = 1024 };

/* --- What the environment asks for ------------------------------------------------------------------------
 */
static uint32_t checks_of(const char *text) {
    uint32_t bits = 0;
    const char *wrong;
    size_t length = text ? ls_emu_checks_parse(text, &bits, &wrong) : 0;
    if (length)
        fprintf(stderr, "libgpuocelot: LOCKSTEP_CHECK: there is no checker '%.*s'\n", (int)length, wrong);
    return bits;
}

static void print_text(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, context);
}

/* --- What is said ------------------------------------------------------------------------------------------
 */
static void show_diags(const ls_diags *diags) {
    for (uint32_t k = 0; k < ls_diags_count(diags); k++) {
        const ls_diag *d = ls_diags_at(diags, k);
        if (d->severity == LS_ERROR)
            fprintf(stderr, "libgpuocelot: %s:%u:%u: error: %s\n", d->file ? d->file : "ptx", d->line,
                    d->column, d->message);
    }
}

static void show_pos(const ls_place *p) {
    fprintf(stderr, "libgpuocelot: %s:%u:%u: ", p->file ? p->file : "ptx", p->file ? p->line : p->ptx_line,
            p->column);
}

static void show_result(const ls_emu_result *r) {
    for (uint32_t k = 0; k < r->finding_count; k++) {
        const ls_finding *f = &r->findings[k];
        show_pos(&f->place);
        fprintf(stderr, "%s: %s (%" PRIu64 " times)\n", ls_severity_name(f->level), f->message, f->count);
    }
    if (r->status == LS_EMU_DONE) return;
    show_pos(&r->pos);
    fprintf(stderr, "error: the kernel did not run to its end: %s\n", r->message ? r->message : "unknown");
}

/* --- Running
 * ------------------------------------------------------------------------------------------------ */
static const ls_ptx_function *first_kernel(const ls_ptx_module *module) {
    for (uint32_t k = 0; k < module->function_count; k++)
        if (module->functions[k]->is_entry && module->functions[k]->body) return module->functions[k];
    return NULL;
}

/* The parameter block: each parameter is as wide as the kernel declares it. */
static char *layout(const ls_ptx_function *kernel, int n_args, void *args[], size_t *size) {
    uint32_t offsets[MAX_PARAMS];
    if (kernel->param_count > MAX_PARAMS || n_args < 0 || (uint32_t)n_args != kernel->param_count) {
        fprintf(stderr, "libgpuocelot: '%s' takes %u arguments, %d were given\n", kernel->symbol->name,
                kernel->param_count, n_args);
        return NULL;
    }
    *size = ls_emu_param_offsets(kernel, offsets);
    char *block = calloc(1, *size + 8);
    for (uint32_t k = 0; block && k < kernel->param_count; k++) {
        uint64_t bytes = (k + 1 < kernel->param_count ? offsets[k + 1] : *size) - offsets[k];
        if (ls_ptx_variable_size(kernel->params[k]) > sizeof args[k]) {
            fprintf(stderr, "libgpuocelot: parameter %u of '%s' has more than 8 bytes\n", k,
                    kernel->symbol->name);
            free(block);
            return NULL;
        }
        memcpy(block + offsets[k], &args[k], bytes < sizeof args[k] ? bytes : sizeof args[k]);
    }
    return block;
}

static int run_module(const ls_ptx_module *module, ls_diags *diags, ls_emu_launch *launch, int n_args,
                      void *args[]) {
    const ls_ptx_function *kernel = first_kernel(module);
    if (!kernel) {
        fprintf(stderr, "libgpuocelot: there is no kernel in the module\n");
        return 1;
    }
    char *params = layout(kernel, n_args, args, &launch->params_size);
    if (!params) return 1;
    const char *threads = getenv("LOCKSTEP_THREADS");
    ls_emu_options options = {.checks = checks_of(getenv("LOCKSTEP_CHECK")),
                              .threads = threads ? (uint32_t)strtoul(threads, NULL, 10) : 0,
                              .unchecked_memory = true,
                              .print = print_text,
                              .print_context = stdout};
    launch->kernel = kernel->symbol->name;
    launch->params = params;
    ls_emulator *emulator = ls_emulator_new(module, diags);
    ls_emu_result *r = emulator ? ls_emulator_run(emulator, launch, &options) : NULL;
    if (r) show_result(r);
    int status = !r || r->status != LS_EMU_DONE;
    ls_emu_result_free(r);
    ls_emulator_free(emulator);
    free(params);
    return status;
}

int ptx_run(const char *source, int n_args, void *args[], int block_x, int block_y, int block_z, int grid_x,
            int grid_y, int grid_z, int shared_bytes) {
    int sizes[7] = {block_x, block_y, block_z, grid_x, grid_y, grid_z, shared_bytes};
    for (int k = 0; k < 7; k++) {
        if (sizes[k] >= (k < 6)) continue;
        fprintf(stderr, "libgpuocelot: a size is %d\n", sizes[k]);
        return 1;
    }
    ls_emu_launch launch = {.grid = {(uint32_t)grid_x, (uint32_t)grid_y, (uint32_t)grid_z},
                            .block = {(uint32_t)block_x, (uint32_t)block_y, (uint32_t)block_z},
                            .shared_bytes = (uint32_t)shared_bytes};
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = source ? ls_ptx_parse(source, strlen(source), "ptx", diags) : NULL;
    int status = module && !ls_diags_errors(diags) ? run_module(module, diags, &launch, n_args, args) : 1;
    show_diags(diags);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return status;
}
