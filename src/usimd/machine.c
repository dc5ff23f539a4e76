/* µ-SIMD on the SIMT machine: the translated program as a kernel of one block of one warp. */
#include "base/recover.h"
#include "lockstep/emulate.h"
#include "lockstep/ptx.h"
#include "usimd/program.h"

#include <stdlib.h>

enum { SECONDS = 10 }; /* a program that ends by the rules takes less */

typedef struct {
    const ls_usimd *p;
    const ls_usimd_options *options;
    ls_usimd_result *r;
    ls_emulator *emulator;
    uint64_t variables, trace, capacity; /* device addresses; records that fit in the trace */
} run;

static void fail(run *s, const ls_diags *diags, const char *what) {
    const char *why = "";
    for (uint32_t i = 0; i < ls_diags_count(diags); i++)
        if (ls_diags_at(diags, i)->severity == LS_ERROR && !*why) why = ls_diags_at(diags, i)->message;
    usimd_result_stop(s->r, s->p, UINT32_MAX, LS_USIMD_FAILED, NULL, "%s: %s", what, why);
}

static bool allocate(run *s) {
    uint64_t bytes = (uint64_t)s->p->variable_count * LS_USIMD_THREADS * 4;
    s->capacity = s->options->trace ? s->options->max_cycles : 0;
    s->variables = ls_emulator_alloc(s->emulator, bytes + 4, "variables");
    s->trace = ls_emulator_alloc(s->emulator, 8 + s->capacity * sizeof(ls_usimd_cycle), "trace");
    if (s->variables && s->trace) return true;
    usimd_result_stop(s->r, s->p, UINT32_MAX, LS_USIMD_FAILED, NULL,
                      "there is not enough memory for the trace");
    return false;
}

/* The parameters in the order of translate.c's put_parameters. */
static size_t fill_parameters(const run *s, const ls_ptx_function *kernel, ls_arena *arena, char **params) {
    uint32_t *offsets = LS_NEW_N(arena, uint32_t, kernel->param_count + 1);
    size_t size = ls_emu_param_offsets(kernel, offsets);
    *params = ls_arena_zalloc(arena, size + 1);
    uint32_t k = 0;
    for (uint32_t v = 0; v < s->p->variable_count; v++)
        if (s->p->variables[v].is_input) memcpy(*params + offsets[k++], &s->p->variables[v].value, 4);
    const uint64_t rest[] = {s->variables, s->trace, s->capacity};
    for (uint32_t i = 0; i < 3; i++) memcpy(*params + offsets[k++], &rest[i], 8);
    return size;
}

static void take_state(run *s) {
    const ls_usimd *p = s->p;
    uint64_t size;
    uint64_t memory = ls_emulator_symbol(s->emulator, USIMD_MEMORY, &size);
    memcpy(s->r->memory, (const void *)(uintptr_t)memory, p->memory_size * sizeof *s->r->memory);
    const int32_t *kept = (const int32_t *)(uintptr_t)s->variables;
    for (uint32_t v = 0; v < p->variable_count; v++) {
        s->r->defined[v] = UINT32_MAX >> (32 - s->r->threads);
        memcpy(&s->r->variables[v * s->r->threads], &kept[v * LS_USIMD_THREADS], s->r->threads * 4);
    }
    const char *trace = (const char *)(uintptr_t)s->trace;
    if (!s->options->trace) return;
    memcpy(&s->r->cycles, trace, 8);
    s->r->trace_length = (uint32_t)(s->r->cycles < s->capacity ? s->r->cycles : s->capacity);
    s->r->trace = LS_NEW_N(usimd_result_arena(s->r), ls_usimd_cycle, s->r->trace_length);
    memcpy(s->r->trace, trace + 8, s->r->trace_length * sizeof *s->r->trace);
}

static void launch(run *s, const ls_ptx_function *kernel) {
    LS_SCRATCH(scratch);
    char *params;
    size_t size = fill_parameters(s, kernel, &scratch, &params);
    ls_emu_launch how = {.kernel = USIMD_KERNEL, .grid = {1, 1, 1}, .params = params, .params_size = size};
    how.block[0] = s->r->threads;
    how.block[1] = how.block[2] = 1;
    ls_emu_options options = {.checks = LS_CHECK_BOUNDS,
                              .threads = 1,
                              .timeout = s->options->timeout > 0 ? s->options->timeout : SECONDS,
                              .warp_synchronous = true,
                              .stack_order = true};
    ls_emu_result *result = ls_emulator_run(s->emulator, &how, &options);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const ls_finding *f = &result->findings[i];
        usimd_result_stop(s->r, s->p, UINT32_MAX, LS_USIMD_STUCK, "memory.bounds", "%s", f->message);
        if (!s->r->line) s->r->line = f->place.line;
    }
    if (result->status == LS_EMU_DONE)
        take_state(s);
    else
        usimd_result_stop(s->r, s->p, UINT32_MAX,
                          result->status == LS_EMU_CANCELLED ? LS_USIMD_ENDLESS : LS_USIMD_FAILED, NULL, "%s",
                          result->message ? result->message : "the emulator stopped");
    ls_emu_result_free(result);
}

ls_usimd_result *usimd_run_emulator(const ls_usimd *p, const ls_usimd_options *options) {
    run s = {.p = p, .options = options, .r = usimd_result_new(p, options->threads)};
    usimd_ptx ptx = usimd_translate(p, TRANSLATE_OBSERVE | (options->trace ? TRANSLATE_TRACE : 0));
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx.text, ptx.length, "usimd.ptx", diags);
    const ls_ptx_function *kernel = module ? ls_ptx_find_function(module, USIMD_KERNEL) : NULL;
    if (kernel) s.emulator = ls_emulator_new(module, diags);
    if (!s.emulator)
        fail(&s, diags, "the PTX of the program cannot be run");
    else if (allocate(&s))
        launch(&s, kernel);
    ls_emulator_free(s.emulator);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    usimd_ptx_free(&ptx);
    return s.r;
}
