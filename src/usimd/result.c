/* Results of a run, on either machine, and their comparison. */
#include "usimd/program.h"

#include "base/options.h"
#include "base/recover.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A result and the memory that all of it stands in. */
typedef struct {
    ls_usimd_result result; /* first: a pointer to it is one to the whole */
    ls_arena arena;
} whole;

ls_arena *usimd_result_arena(ls_usimd_result *r) {
    return &((whole *)(void *)r)->arena;
}

ls_usimd_result *usimd_result_new(const ls_usimd *p, uint32_t threads) {
    whole *w = ls_xcalloc(1, sizeof *w);
    ls_usimd_result *r = &w->result;
    r->threads = threads;
    r->variables = LS_NEW_N(&w->arena, int32_t, (size_t)p->variable_count *threads);
    r->defined = LS_NEW_N(&w->arena, uint32_t, p->variable_count);
    r->memory_size = p->memory_size;
    r->memory = LS_NEW_N(&w->arena, int32_t, p->memory_size);
    memcpy(r->memory, p->initial, p->memory_size * sizeof *r->memory);
    return r;
}

/* The first reason stays. */
void usimd_result_stop(ls_usimd_result *r, const ls_usimd *p, uint32_t at, ls_usimd_status status,
                       const char *rule, const char *format, ...) {
    if (r->message) return;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    r->message = ls_arena_strdup(usimd_result_arena(r), message);
    r->status = status;
    r->rule = rule;
    if (at >= p->instr_count) return;
    r->line = p->instrs[at].line;
    r->column = p->instrs[at].column;
}

void ls_usimd_result_free(ls_usimd_result *r) {
    if (!r) return;
    ls_arena_free(usimd_result_arena(r));
    free(r);
}

static ls_usimd_result *run_program(const ls_usimd *p, ls_usimd_machine machine,
                                    const ls_usimd_options *options) {
    ls_usimd_options o;
    ls_options_copy(&o, sizeof o, options);
    if (!o.threads) o.threads = ls_usimd_threads(p);
    if (!o.max_cycles) o.max_cycles = DEFAULT_CYCLES;
    if (o.threads > LS_USIMD_THREADS) {
        ls_usimd_result *r = usimd_result_new(p, LS_USIMD_THREADS);
        usimd_result_stop(r, p, UINT32_MAX, LS_USIMD_FAILED, NULL, "%u threads: expected 1 to %d", o.threads,
                          LS_USIMD_THREADS);
        return r;
    }
    return machine == LS_USIMD_REFERENCE ? usimd_run_reference(p, &o) : usimd_run_emulator(p, &o);
}

ls_usimd_result *ls_usimd_run(const ls_usimd *p, ls_usimd_machine machine, const ls_usimd_options *options) {
    LS_GUARDED((ls_escape_further(), NULL), run_program(p, machine, options));
}

/* --- Comparison --------------------------------------------------------------------------------------------
 */
static void compare_memory(ls_buf *out, const ls_usimd_result *a, const ls_usimd_result *b) {
    for (uint32_t i = 0; i < a->memory_size && !out->length; i++)
        if (a->memory[i] != b->memory[i])
            ls_buf_printf(out, "cell %u is %d by the rules, %d in the emulator", i, a->memory[i],
                          b->memory[i]);
}

static void compare_variables(ls_buf *out, const ls_usimd *p, const ls_usimd_result *a,
                              const ls_usimd_result *b) {
    for (uint32_t v = 0; v < p->variable_count; v++) {
        for (uint32_t t = 0; t < a->threads && !out->length; t++) {
            int32_t x = a->variables[v * a->threads + t], y = b->variables[v * a->threads + t];
            if ((a->defined[v] >> t & 1) && x != y)
                ls_buf_printf(out, "'%s' of PE %u is %d by the rules, %d in the emulator",
                              p->variables[v].name, t, x, y);
        }
    }
}

/* The next cycle that is not of sync. */
static uint32_t skip_sync(const ls_usimd *p, const ls_usimd_result *r, uint32_t at) {
    while (at < r->trace_length && p->instrs[r->trace[at].instruction].kind == INSTR_SYNC) at++;
    return at;
}

static void compare_traces(ls_buf *out, const ls_usimd *p, const ls_usimd_result *a,
                           const ls_usimd_result *b) {
    uint32_t i = skip_sync(p, a, 0), k = skip_sync(p, b, 0);
    for (; i < a->trace_length && k < b->trace_length;
         i = skip_sync(p, a, i + 1), k = skip_sync(p, b, k + 1)) {
        const ls_usimd_cycle *x = &a->trace[i], *y = &b->trace[k];
        if (x->instruction == y->instruction && x->active == y->active) continue;
        ls_buf_printf(
            out, "in cycle %u PEs 0x%x execute line %u by the rules, PEs 0x%x line %u in the emulator", i + 1,
            x->active, p->instrs[x->instruction].line, y->active, p->instrs[y->instruction].line);
        return;
    }
    if (i < a->trace_length || k < b->trace_length)
        ls_buf_printf(out, "the %s stops before the %s", i < a->trace_length ? "emulator" : "reference",
                      i < a->trace_length ? "reference" : "emulator");
}

typedef struct {
    const ls_usimd *program;
    const ls_usimd_result *a, *b;
} comparison;

static char *find_difference(const void *between) {
    const comparison *c = between;
    const ls_usimd_result *a = c->a, *b = c->b;
    ls_buf out = {0};
    if (a->status != LS_USIMD_DONE)
        ls_buf_printf(&out, "by the rules: %s", a->message);
    else if (b->status != LS_USIMD_DONE)
        ls_buf_printf(&out, "in the emulator: %s", b->message);
    if (!out.length) compare_memory(&out, a, b);
    if (!out.length) compare_variables(&out, c->program, a, b);
    if (!out.length && a->trace && b->trace) compare_traces(&out, c->program, a, b);
    return out.text;
}

char *ls_usimd_difference(const ls_usimd *p, const ls_usimd_result *a, const ls_usimd_result *b) {
    return ls_guarded_text(find_difference, &(comparison){p, a, b});
}
