/* Memory: the table of allocations (buffers, module variables, the heap of malloc), the placing of module
 * variables with their initialisers, and the layout of kernel parameters and shared memory. */
#include "base/recover.h"
#include "emulate/compiled.h"
#include "emulate/proved.h"
#include "isa/number.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Between allocations, so that overruns hit nothing: as far as the buffer is long, but not less than the
 * first nor more than the second, while there are not many and most of the addresses are free. */
enum { RED_ZONE = 256, LEAST_APART = 64 << 10, MOST_APART = 64 << 20, MANY = 512 };
static const uint64_t POOL_BYTES = UINT64_C(1) << 40;

/* --- Allocations --- */
allocation *em_find(ls_emulator *e, uint64_t address) {
    return em_space_find(e->space, address);
}

static allocation *add_allocation(ls_emulator *e, uint64_t lo, uint64_t size, const char *name,
                                  allocation_kind kind) {
    return em_space_add(e->space, lo, size, name, kind);
}

/* The pool is a large reserved range: addresses do not change from run to run, memory is taken as touched.
 * Where addresses have 32 bits it is in the lowest 4 GB. */
static bool open_low_pool(ls_emulator *e) {
    for (uint64_t size = UINT64_C(2) << 30; size >= UINT64_C(64) << 20; size /= 2) {
        void *at = mmap((void *)(uintptr_t)0x10000000, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) continue;
        e->space->pool = at;
        e->space->pool_size = size;
        if ((uintptr_t)at + size <= UINT64_C(1) << 32) return true;
        munmap(at, size);
        e->space->pool = NULL;
    }
    return false;
}

static bool open_pool(ls_emulator *e) {
    if (e->module->address_size != 64) return open_low_pool(e);
    for (uint64_t size = POOL_BYTES; size >= UINT64_C(1) << 30; size /= 4) {
        void *at = mmap((void *)(uintptr_t)UINT64_C(0x200000000000), size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) continue;
        madvise(at, size, MADV_HUGEPAGE); /* fewer page faults; only a hint */
        e->space->pool = at;
        e->space->pool_size = size;
        return true;
    }
    return false;
}

static uint64_t distance(const ls_emulator *e, uint64_t size) {
    const ls_emu_space *s = e->space;
    uint64_t apart = size < LEAST_APART ? LEAST_APART : size > MOST_APART ? MOST_APART : size;
    return s->allocations.length < MANY && s->pool_used < s->pool_size / 4 && apart < s->pool_size / 64
               ? apart
               : RED_ZONE;
}

static uint64_t take_for(ls_emulator *e, uint64_t size, uint64_t align, bool managed) {
    if (e->space->take) return e->space->take(e->space->take_context, size, align, managed);
    uint64_t at = (e->space->pool_used + distance(e, size) + align - 1) / align * align;
    if (size > e->space->pool_size || at > e->space->pool_size - size) return 0;
    e->space->pool_used = at + size + (distance(e, size) - RED_ZONE);
    return (uint64_t)(uintptr_t)e->space->pool + at;
}

static uint64_t take(ls_emulator *e, uint64_t size, uint64_t align) {
    return take_for(e, size, align, false);
}

uint64_t ls_emulator_alloc(ls_emulator *e, uint64_t size, const char *name) {
    uint64_t at = take(e, size, 256);
    if (at) add_allocation(e, at, size, name, ALLOC_BUFFER);
    return at;
}

/* A buffer of which the size is a guess: there is room behind it, and em_grow makes it larger. */
uint64_t em_alloc_growing(ls_emulator *e, uint64_t size, const char *name) {
    uint64_t room = e->space->pool_size / 512 > size ? e->space->pool_size / 512 : size;
    uint64_t at = take(e, room, 256);
    if (!at) return ls_emulator_alloc(e, size, name);
    add_allocation(e, at, size, name, ALLOC_BUFFER)->limit = at + room;
    return at;
}

/* The growing buffer that the address is behind, grown so that it is in it; or NULL. */
allocation *em_grow(machine *m, uint64_t address, uint64_t bytes) {
    ls_emulator *e = m->emulator;
    allocation *grown = NULL;
    ls_lock(&m->lock);
    for (uint32_t k = 0; k < e->space->allocations.length && !grown; k++) {
        allocation *a = e->space->allocations.items[k];
        if (a->limit > a->hi && address >= a->lo && address < a->limit && a->limit - address >= bytes)
            grown = a;
    }
    if (grown && address + bytes > grown->hi) { /* by half of it at least, so that this is done seldom */
        uint64_t more = grown->hi + (grown->hi - grown->lo) / 2;
        if (more > grown->limit) more = grown->limit;
        grown->hi = more > address + bytes ? more : address + bytes;
    }
    ls_unlock(&m->lock);
    return grown;
}

void ls_emulator_map(ls_emulator *e, void *memory, uint64_t size, const char *name) {
    add_allocation(e, (uint64_t)(uintptr_t)memory, size, name, ALLOC_BUFFER);
}

uint64_t em_heap_alloc(machine *m, uint64_t size) {
    ls_lock(&m->lock);
    uint64_t at = take(m->emulator, size ? size : 1, 16);
    if (at) add_allocation(m->emulator, at, size, "malloc", ALLOC_HEAP)->undefined = true;
    ls_unlock(&m->lock);
    return at;
}

bool em_heap_free(machine *m, uint64_t address) {
    ls_lock(&m->lock);
    allocation *a = em_find(m->emulator, address);
    bool good = a && a->lo == address && a->kind == ALLOC_HEAP && !a->freed;
    if (good) a->freed = true;
    ls_unlock(&m->lock);
    return good;
}

uint64_t ls_emulator_symbol(const ls_emulator *e, const char *name, uint64_t *size) {
    const allocation *a = ls_map_get(&e->symbols, name, strlen(name));
    if (a && size) *size = a->hi - a->lo;
    return a ? a->lo : 0;
}

/* --- Initialisers --- */
typedef struct {
    char *at, *end;
    uint32_t bytes;
    ls_ptx_type type;
} writer;

uint64_t em_function_address(const ls_emulator *e, const ls_ptx_function *function) {
    const ls_ptx_function *f = function->definition ? function->definition : function;
    uint32_t number = 0;
    while (number < e->module->function_count && e->module->functions[number] != f) number++;
    return WINDOW_CODE + 16 * (uint64_t)number;
}

static uint64_t constant_of(const ls_emulator *e, const ls_ptx_operand *o, ls_ptx_type type, bool *known) {
    *known = true;
    switch (o->kind) {
    case LS_OPERAND_F64:
        if (type == LS_TYPE_F32) return em_bits_f32((float)em_f64(o->value));
        return o->value;
    case LS_OPERAND_F32:
        if (type == LS_TYPE_F64) return em_bits_f64((double)em_f32(o->value));
        return o->value;
    case LS_OPERAND_INT:
        if (type == LS_TYPE_F32) return em_bits_f32((float)(int64_t)o->value);
        if (type == LS_TYPE_F64) return em_bits_f64((double)(int64_t)o->value);
        return o->value;
    case LS_OPERAND_SYMBOL: {
        const allocation *a = o->symbol ? ls_map_get(&e->symbols, o->symbol->name, o->symbol->length) : NULL;
        bool is_function = o->symbol && o->symbol->kind == LS_SYMBOL_FUNCTION && o->symbol->function;
        *known = a || is_function;
        uint64_t address = a             ? a->lo + (uint64_t)o->offset
                           : is_function ? em_function_address(e, o->symbol->function)
                                         : 0;
        return o->flags & LS_OPERAND_MASKED ? address >> (8 * o->element) & 0xff : address;
    }
    default: *known = false; return 0;
    }
}

static bool write_initializer(const ls_emulator *e, writer *w, const ls_ptx_operand *o) {
    bool good = true;
    if (o->kind == LS_OPERAND_VECTOR) {
        for (uint32_t k = 0; k < o->count; k++) good &= write_initializer(e, w, &o->parts[k]);
        return good;
    }
    if (o->kind == LS_OPERAND_STRING) {
        for (uint32_t k = 1; k + 1 < o->count && w->at < w->end; k++) *w->at++ = o->text[k];
        if (w->at < w->end) *w->at++ = 0;
        return true;
    }
    uint64_t bits = constant_of(e, o, w->type, &good);
    if ((size_t)(w->end - w->at) < w->bytes) return good;
    memcpy(w->at, &bits, w->bytes < 8 ? w->bytes : 8);
    w->at += w->bytes;
    return good;
}

/* Nested braces leave the rest of an inner dimension zero. */
static bool write_dimensions(const ls_emulator *e, const ls_ptx_variable *v, writer *w,
                             const ls_ptx_operand *o, uint32_t dimension) {
    bool nested = o->kind == LS_OPERAND_VECTOR && o->count && o->parts[0].kind == LS_OPERAND_VECTOR &&
                  dimension + 1 < v->dimension_count;
    if (!nested) return write_initializer(e, w, o);
    uint64_t stride = w->bytes;
    for (uint32_t k = dimension + 1; k < v->dimension_count; k++) stride *= v->dimensions[k];
    char *base = w->at;
    bool good = true;
    for (uint32_t k = 0; k < o->count; k++) {
        if ((uint64_t)(w->end - base) < stride * k) break;
        w->at = base + stride * k;
        good &= write_dimensions(e, v, w, &o->parts[k], dimension + 1);
    }
    return good;
}

static void initialize(ls_emulator *e, const ls_ptx_variable *v, const allocation *a) {
    if (!v->initializer) return;
    ls_ptx_type type = (ls_ptx_type)v->type;
    uint32_t bits = ls_ptx_type_bits(type);
    writer w = {(char *)em_host(a->lo), (char *)em_host(a->lo) + (a->hi - a->lo), bits < 8 ? 1 : bits / 8,
                type};
    if (!write_dimensions(e, v, &w, v->initializer, 0))
        ls_diags_add(e->diags, LS_WARNING, e->module->filename, v->pos.line, v->pos.column,
                     "the initialiser of '%s' is not fully modelled: parts of it are zero", v->symbol->name);
}

/* --- Module variables --- */
static bool place_global(ls_emulator *e, const ls_ptx_variable *v) {
    bool is_const = v->space == LS_SPACE_CONST;
    if (v->space != LS_SPACE_GLOBAL && !is_const) return true;
    if (v->linkage & LS_LINK_EXTERN) return true;
    uint64_t size = ls_ptx_variable_size(v);
    bool managed = v->attribute && strstr(v->attribute, ".managed");
    uint64_t align = ls_ptx_variable_align(v) > 16 ? ls_ptx_variable_align(v) : 16, at = 0;
    if (e->space->place) at = e->space->place(e->space->take_context, v->symbol->name, size);
    if (!at) at = take_for(e, size ? size : 1, align, managed);
    if (!at) {
        ls_diags_add(e->diags, LS_ERROR, e->module->filename, v->pos.line, v->pos.column,
                     "there is no room for the variable '%s'", v->symbol->name);
        return false;
    }
    allocation *a = add_allocation(e, at, size, v->symbol->name, is_const ? ALLOC_CONST : ALLOC_GLOBAL);
    *ls_map_at(&e->symbols, v->symbol->name, v->symbol->length) = a;
    return true;
}

bool em_load_module(ls_emulator *e) {
    if (!e->space->take && !open_pool(e)) {
        ls_diags_add(e->diags, LS_ERROR, e->module->filename, 0, 0, "no address space for global memory");
        return false;
    }
    for (uint32_t k = 0; k < e->module->variable_count; k++)
        if (!place_global(e, e->module->variables[k])) return false;
    for (uint32_t k = 0; k < e->module->variable_count; k++) {
        const ls_ptx_variable *v = e->module->variables[k];
        const allocation *a = ls_map_get(&e->symbols, v->symbol->name, v->symbol->length);
        if (a) initialize(e, v, a);
    }
    return true;
}

/* --- Parameters --- */
size_t ls_emu_param_offsets(const ls_ptx_function *kernel, uint32_t *offsets) {
    uint64_t at = 0;
    for (uint32_t k = 0; k < kernel->param_count; k++) {
        const ls_ptx_variable *v = kernel->params[k];
        uint32_t align = ls_ptx_variable_align(v);
        uint64_t size = ls_ptx_variable_size(v);
        if (ls_ptx_type_kind_of((ls_ptx_type)v->type) == LS_KIND_OPAQUE) size = align = 8;
        if (!align) align = 1;
        at = (at + align - 1) / align * align;
        if (offsets) offsets[k] = (uint32_t)at;
        at += size;
    }
    return (size_t)at;
}

/* --- The emulator --- */
typedef struct {
    ls_emulator *e;
    bool good;
} loading;

static void load(void *context) {
    loading *all = context;
    all->good = all->e->space && em_load_module(all->e);
}

ls_emulator *ls_emulator_new_in(ls_emu_space *space, const ls_ptx_module *module, ls_diags *diags) {
    ls_emulator *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->module = module;
    e->diags = diags;
    e->borrows_space = space;
    e->space = space ? space : ls_emu_space_new(NULL, NULL);
    ls_arena_init(&e->arena);
    loading all = {e, false};
    if (!ls_try(load, &all)) ls_diags_no_memory(diags);
    if (all.good) return e;
    ls_emulator_free(e);
    return NULL;
}

ls_emulator *ls_emulator_new(const ls_ptx_module *module, ls_diags *diags) {
    return ls_emulator_new_in(NULL, module, diags);
}

ls_emulator *ls_emulator_twin(const ls_emulator *of) {
    ls_emulator *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->module = of->module;
    e->diags = of->diags;
    e->space = of->space;
    e->symbols = of->symbols;
    e->bindings = of->bindings;
    e->borrows_space = e->is_twin = true;
    ls_arena_init(&e->arena);
    return e;
}

void em_forget_code(ls_emulator *e) {
    for (uint32_t k = 0; k < e->codes.length; k++) {
        code *c = e->codes.items[k];
        if (c->ir) ls_ir_free(c->ir);
        em_forget_compiled(c);
        LS_VEC_FREE(&c->constants);
        LS_VEC_FREE(&c->sregs);
        LS_VEC_FREE(&c->block_sregs);
        LS_VEC_FREE(&c->block_ops);
        LS_VEC_FREE(&c->conditions);
        LS_VEC_FREE(&c->frames);
        LS_VEC_FREE(&c->param_slots);
        LS_VEC_FREE(&c->locals);
        LS_VEC_FREE(&c->gaps);
        LS_VEC_FREE(&c->written);
    }
    e->codes.length = e->sites.length = e->site_of_memory.length = e->decoded = 0;
    e->order_of_memory.length = 0;
    ls_intmap_free(&e->code_of);
    ls_intmap_free(&e->unequal);
    e->memory_sites = e->spared_sites = 0;
    e->shared_narrow = e->global_narrow = false;
    e->has_calls = e->has_locals = e->has_gaps = e->strong_accesses = e->strong_loads = false;
    e->orders = e->communicates = e->strong_global = e->mixed_sizes = e->agents = e->tensor_memory = false;
    e->atomic_sizes = 0;
}

void ls_emulator_free(ls_emulator *e) {
    if (!e) return;
    em_forget_code(e);
    em_guarded_forget(&e->memory);
    LS_VEC_FREE(&e->codes);
    LS_VEC_FREE(&e->shared);
    LS_VEC_FREE(&e->sites);
    LS_VEC_FREE(&e->site_of_memory);
    LS_VEC_FREE(&e->order_of_memory);
    LS_VEC_FREE(&e->spared);
    em_forget_proofs(e);
    LS_VEC_FREE(&e->frame_variables);
    if (!e->is_twin) {
        ls_map_free(&e->symbols);
        ls_map_free(&e->bindings);
    }
    if (!e->borrows_space) ls_emu_space_free(e->space);
    ls_arena_free(&e->arena);
    free(e);
}

void ls_emulator_local(ls_emulator *e, const char *function, uint32_t offset, uint32_t size) {
    frame_variable v = {ls_arena_strdup(&e->arena, function), {offset, size}};
    LS_VEC_PUSH(&e->frame_variables, v);
}

/* --- Textures --- */
uint64_t ls_emulator_texture(ls_emulator *e, const ls_texture *texture) {
    return ls_emu_space_texture(e->space, 0, texture);
}

bool ls_emulator_bind_texture(ls_emulator *e, const char *variable, uint64_t handle) {
    for (uint32_t k = 0; k < e->module->variable_count; k++) {
        const ls_ptx_symbol *s = e->module->variables[k]->symbol;
        if (strcmp(s->name, variable)) continue;
        *ls_map_at(&e->bindings, s->name, s->length) = (void *)(uintptr_t)handle;
        return true;
    }
    return false;
}
