/* The gate (lockstep/limits.h): declared sizes, alignments and their sums, against what GPUs have. One row
 * for each kind of memory says how much there is of it; sums are taken with checked arithmetic. */
#include "lockstep/limits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { BANKS = 256, MOST_ERRORS = 20 };

typedef struct {
    const ls_ptx_module *module;
    ls_diags *diags;
    bool any_size; /* shared memory of devices that are not CUDA's */
    uint32_t errors;
    uint64_t global, constant[BANKS];
} gate;

__attribute__((format(printf, 3, 4))) static void refuse(gate *g, ls_ptx_pos pos, const char *format, ...) {
    char text[512];
    va_list args;
    if (++g->errors > MOST_ERRORS) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ls_diags_add(g->diags, LS_ERROR, g->module->filename, pos.line, pos.column, "%s", text);
}

/* Adds a variable to a memory of which `most` bytes are there; says so once where that is too much. */
static void add(gate *g, const ls_ptx_variable *v, uint64_t *sum, uint64_t most, const char *memory) {
    uint64_t size = ls_ptx_variable_size(v), align = ls_ptx_variable_align(v), at = 0, end = 0;
    bool was_over = *sum > most;
    bool over = __builtin_add_overflow(*sum, align - 1, &at) ||
                __builtin_add_overflow(at / align * align, size, &end) || end > most;
    *sum = over ? UINT64_MAX : end;
    if (over && !was_over && size > most)
        refuse(g, v->pos, "'%s' has %" PRIu64 " bytes: there are at most %" PRIu64 " of %s", v->symbol->name,
               size, most, memory);
    else if (over && !was_over)
        refuse(g, v->pos, "with '%s' there are more than %" PRIu64 " bytes of %s", v->symbol->name, most,
               memory);
}

/* What a function declares itself. */
typedef struct {
    uint64_t shared, local;
} frame;

static bool well_formed(gate *g, const ls_ptx_variable *v) {
    bool aligned = ls_ptx_variable_align(v) <= LS_MOST_ALIGNMENT && v->pointer_align <= LS_MOST_ALIGNMENT;
    bool counted = !v->is_range || v->range_count <= LS_MOST_REGISTERS;
    if (!aligned)
        refuse(g, v->pos, "the alignment of '%s' is more than %d bytes", v->symbol->name, LS_MOST_ALIGNMENT);
    if (!counted) refuse(g, v->pos, "'%s<…>' has more than %d registers", v->symbol->name, LS_MOST_REGISTERS);
    return aligned && counted;
}

static void check(gate *g, const ls_ptx_variable *v, frame *f) {
    if (!well_formed(g, v)) return;
    uint64_t alone = 0, *shared = f ? &f->shared : &alone;
    switch (v->space) {
    case LS_SPACE_CONST:
        add(g, v, &g->constant[v->const_bank], LS_MOST_CONST_BYTES, "constant memory");
        break;
    case LS_SPACE_GLOBAL: add(g, v, &g->global, LS_MOST_GLOBAL_BYTES, "global memory"); break;
    case LS_SPACE_SHARED: /* of the module: not all kernels use it; the sum is taken at the launch */
        add(g, v, shared, g->any_size ? LS_MOST_GLOBAL_BYTES : ls_most_shared(g->module),
            "shared memory for a block");
        break;
    case LS_SPACE_LOCAL:
    case LS_SPACE_PARAM:
        add(g, v, f ? &f->local : &alone, LS_MOST_LOCAL_BYTES, "local memory for a thread");
        break;
    default: break;
    }
}

/* Scopes one behind the other have their local variables (arguments of calls, mostly) in the same place. The
 * parser limits how deep they nest. */
static void check_block(gate *g, const ls_ptx_block *block, frame *f) {
    for (uint32_t k = 0; k < block->count; k++) {
        const ls_ptx_stmt *s = &block->stmts[k];
        if (s->kind == LS_STMT_BLOCK) {
            uint64_t local = f->local;
            check_block(g, s->block, f);
            f->local = local;
        }
        for (uint32_t n = 0; s->kind == LS_STMT_DECLARE && n < s->declared_count; n++)
            check(g, s->declared[n], f);
    }
}

/* Threads of a block, as the kernel itself demands them. */
static void check_tunes(gate *g, const ls_ptx_function *function) {
    for (uint32_t k = 0; k < function->tune_count; k++) {
        const ls_ptx_tune *t = &function->tunes[k];
        if (t->kind != LS_TUNE_REQNTID && t->kind != LS_TUNE_MAXNTID) continue;
        uint32_t block[3] = {1, 1, 1};
        const uint32_t grid[3] = {1, 1, 1};
        char text[128];
        for (uint32_t n = 0; n < t->count && n < 3; n++) block[n] = t->values[n];
        const char *wrong = ls_launch_limits(grid, block, text, sizeof text);
        if (wrong) refuse(g, function->pos, "'%s' asks for more: %s", function->symbol->name, wrong);
    }
}

static void check_function(gate *g, const ls_ptx_function *function) {
    frame f = {0};
    uint64_t params = 0;
    for (uint32_t k = 0; k < function->param_count; k++) {
        if (!function->is_entry)
            check(g, function->params[k], &f);
        else if (well_formed(g, function->params[k]))
            add(g, function->params[k], &params, LS_MOST_PARAM_BYTES, "parameters for a kernel");
    }
    for (uint32_t k = 0; k < function->return_count; k++) check(g, function->returns[k], &f);
    check_tunes(g, function);
    if (function->body) check_block(g, function->body, &f);
}

bool ls_ptx_within_limits(const ls_ptx_module *module, bool any_size, ls_diags *diags) {
    gate g = {.module = module, .diags = diags, .any_size = any_size};
    for (uint32_t k = 0; k < module->variable_count; k++) check(&g, module->variables[k], NULL);
    for (uint32_t k = 0; k < module->function_count; k++) check_function(&g, module->functions[k]);
    return !g.errors;
}
