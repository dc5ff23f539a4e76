/* The layout of shared memory for one kernel: the static variables that it and the functions it calls refer
 * to, in the module's order, then the dynamic part. With checks on there is a gap of a multiple of 128 bytes
 * behind each, so that overruns hit no other variable while banks stay as they are. */
#include "emulate/machine.h"
#include "lockstep/limits.h"

typedef struct {
    ls_intmap functions, variables;
    LS_VEC(const ls_ptx_function *) todo;
    LS_VEC(const ls_ptx_variable *) found;
} walker;

static void see_symbol(walker *w, const ls_ptx_symbol *s) {
    bool is_new;
    while (s && s->kind == LS_SYMBOL_ALIAS && s->alias != s) s = s->alias;
    if (!s) return;
    if (s->kind == LS_SYMBOL_FUNCTION && s->function) {
        const ls_ptx_function *f = s->function->definition ? s->function->definition : s->function;
        ls_intmap_at(&w->functions, (uintptr_t)f, &is_new);
        if (is_new) LS_VEC_PUSH(&w->todo, f);
    } else if (s->kind == LS_SYMBOL_VARIABLE && s->variable && s->variable->space == LS_SPACE_SHARED) {
        ls_intmap_at(&w->variables, (uintptr_t)s->variable, &is_new);
        if (is_new) LS_VEC_PUSH(&w->found, s->variable);
    }
}

static void see_operand(walker *w, const ls_ptx_operand *o, int depth) {
    switch (o->kind) {
    case LS_OPERAND_REGISTER:
    case LS_OPERAND_SYMBOL: see_symbol(w, o->symbol); break;
    case LS_OPERAND_VECTOR:
    case LS_OPERAND_ADDRESS:
    case LS_OPERAND_PAIR:
    case LS_OPERAND_LIST:
        for (uint32_t k = 0; k < o->count && depth < 8; k++) see_operand(w, &o->parts[k], depth + 1);
        break;
    default: break;
    }
}

static void see_block(walker *w, const ls_ptx_block *block, int depth) {
    for (uint32_t k = 0; k < block->count && depth < 256; k++) {
        const ls_ptx_stmt *s = &block->stmts[k];
        if (s->kind == LS_STMT_BLOCK) see_block(w, s->block, depth + 1);
        if (s->kind != LS_STMT_INSTR) continue;
        for (uint32_t n = 0; n < s->instr->operand_count; n++) see_operand(w, &s->instr->operands[n], 0);
    }
}

/* In the order of their declaration. */
static int declared_first(const void *a, const void *b) {
    const ls_ptx_pos x = (*(const ls_ptx_variable *const *)a)->pos,
                     y = (*(const ls_ptx_variable *const *)b)->pos;
    if (x.line != y.line) return x.line < y.line ? -1 : 1;
    return x.column < y.column ? -1 : x.column > y.column;
}

/* The least multiple of `align` that is not below `at`; both are far from their types' ends. */
static uint32_t aligned(uint32_t at, uint32_t align) {
    return (at + align - 1) / align * align;
}

/* *real: where a GPU would have it, without gaps. Within the limits of one, with gaps everything stays within
 * a few MB; false where it is not. */
static bool place(ls_emulator *e, const ls_ptx_variable *v, uint32_t red_zone, uint32_t *at, uint32_t *real) {
    uint32_t align = ls_ptx_variable_align(v), most = ls_most_shared(e->module);
    uint64_t size = ls_ptx_variable_size(v);
    bool dynamic = v->linkage & LS_LINK_EXTERN || !size;
    if (align > LS_MOST_ALIGNMENT) return false;
    if (dynamic && align > e->dynamic_align) e->dynamic_align = align;
    if (!dynamic) *at = aligned(*at, align), *real = aligned(*real, align);
    shared_variable s = {v->symbol->name, dynamic ? NO_SLOT : *at, size, v};
    LS_VEC_PUSH(&e->shared, s);
    if (dynamic) return true;
    if (size > most || *real > most - size) return false;
    *at += (uint32_t)size + red_zone;
    *real += (uint32_t)size;
    return true;
}

/* The variables that a kernel and what it calls refer to. */
static void find_variables(walker *w, const ls_ptx_function *kernel) {
    bool is_new;
    ls_intmap_at(&w->functions, (uintptr_t)kernel, &is_new);
    LS_VEC_PUSH(&w->todo, kernel);
    while (w->todo.length) {
        const ls_ptx_function *f = w->todo.items[--w->todo.length];
        if (f->body) see_block(w, f->body, 0);
    }
    if (w->found.length) qsort(w->found.items, w->found.length, sizeof *w->found.items, declared_first);
}

static void free_walker(walker *w) {
    LS_VEC_FREE(&w->todo);
    LS_VEC_FREE(&w->found);
    ls_intmap_free(&w->functions);
    ls_intmap_free(&w->variables);
}

uint64_t ls_emu_static_shared(const ls_ptx_function *kernel) {
    walker w = {0};
    uint64_t bytes = 0;
    find_variables(&w, kernel);
    for (uint32_t k = 0; k < w.found.length; k++) {
        const ls_ptx_variable *v = w.found.items[k];
        const uint64_t align = ls_ptx_variable_align(v);
        if (v->linkage & LS_LINK_EXTERN || !align) continue;
        bytes = (bytes + align - 1) / align * align + ls_ptx_variable_size(v);
    }
    free_walker(&w);
    return bytes;
}

bool em_place_shared(ls_emulator *e, const ls_ptx_function *kernel, uint32_t red_zone) {
    walker w = {0};
    find_variables(&w, kernel);
    uint32_t at = 0, real = 0;
    bool good = true;
    e->shared.length = 0;
    e->dynamic_align = 16;
    for (uint32_t k = 0; k < w.found.length && good; k++)
        good = place(e, w.found.items[k], red_zone, &at, &real);
    at = aligned(at, e->dynamic_align);
    e->shared_static = at;
    e->shared_real = real;
    for (uint32_t k = 0; k < e->shared.length; k++)
        if (e->shared.items[k].offset == NO_SLOT) e->shared.items[k].offset = at;
    free_walker(&w);
    return good;
}
