/* Which memory a kernel accesses, and which of it has to be watched (002, §5.1 "target variable analysis").
 *
 * Objects are shared variables, global variables and what pointer parameters point to. Objects that one
 * access may go to become one group, and a group has one state: read only, target, touched by atomics, or
 * race-free. Race-free without running it is what the paper skips as "affine array indices that can be easily
 * analyzed statically": here, where every access is at c·i + k with i the thread's number in a grid of one
 * dimension, the same i for all, and the bytes of different i apart. */
#include "base/vec.h"
#include "detect/kernel.h"

#include <stdio.h>

static uint32_t find_group(const kernel *k, uint32_t of) {
    while (k->objects[of].group != of) of = k->objects[of].group;
    return of;
}

static void join(kernel *k, uint32_t a, uint32_t b) {
    a = find_group(k, a), b = find_group(k, b);
    if (a < b)
        k->objects[b].group = a;
    else
        k->objects[a].group = b;
}

/* --- The list of objects ---------------------------------------------------------------------------------
 */

static uint32_t object_of_base(const kernel *k, const ls_ir_base *base) {
    for (uint32_t i = 0; i < k->object_count; i++) {
        const object *o = &k->objects[i];
        if (o->is_unknown) continue;
        if (base->kind == LS_BASE_OBJECT && o->symbol && o->symbol == k->ir->objects[base->object]->symbol)
            return i;
        if (base->kind == LS_BASE_PARAM && !o->symbol &&
            o->param_index == k->ir->objects[base->object]->index && o->param_offset == base->offset)
            return i;
    }
    return LS_IR_NONE;
}

static const char *param_name(kernel *k, const ls_ir_base *base) {
    const char *name = base->name;
    while (*name == '*') name++;
    return ls_arena_strdup(&k->arena, name);
}

static void list_objects(kernel *k) {
    LS_VEC(object) list = {0};
    const ls_ir_function *f = k->ir;
    for (uint32_t i = 0; i < f->object_count; i++) {
        const ls_ir_object *o = f->objects[i];
        if (o->kind != LS_OBJECT_SHARED && o->kind != LS_OBJECT_GLOBAL) continue;
        object made = {.name = o->name, .symbol = o->symbol, .size = o->size};
        made.is_shared = o->kind == LS_OBJECT_SHARED;
        made.is_dynamic = made.is_shared && (o->is_extern || o->size == 0);
        LS_VEC_PUSH(&list, made);
    }
    for (uint32_t i = 0; i < f->base_count; i++) {
        const ls_ir_base *base = f->bases[i];
        if (base->kind != LS_BASE_PARAM) continue;
        object made = {.name = param_name(k, base),
                       .param_index = f->objects[base->object]->index,
                       .param_offset = base->offset};
        LS_VEC_PUSH(&list, made);
    }
    LS_VEC_PUSH(&list, ((object){.name = "memory behind pointers of unknown origin", .is_unknown = true}));
    k->object_count = list.length;
    k->objects = LS_NEW_N(&k->arena, object, list.length);
    memcpy(k->objects, list.items, sizeof *list.items * list.length);
    for (uint32_t i = 0; i < list.length; i++) k->objects[i].group = i;
    LS_VEC_FREE(&list);
}

/* Shared variables one after the other, dynamic shared memory last. Those that are not targets come first, so
 * that the ranges that regions compare have none of them in between. */
static uint64_t lay_out_static(kernel *k, uint64_t at, bool targets) {
    for (uint32_t i = 0; i < k->object_count; i++) {
        object *o = &k->objects[i];
        if (!o->is_shared) continue;
        uint32_t align = ls_ptx_variable_align(o->symbol->variable);
        if (align > k->shared_align) k->shared_align = align;
        if (o->is_dynamic || targets != (o->state == OBJECT_TARGET)) continue;
        at = (at + align - 1) / align * align;
        o->layout = at;
        at += o->size;
    }
    return (at + 15) / 16 * 16;
}

static void lay_out_shared(kernel *k, const ls_detect_launch *launch) {
    k->shared_align = 16;
    uint64_t at = lay_out_static(k, lay_out_static(k, 0, false), true);
    uint64_t unit = k->shared_align;
    k->static_shared = (at + unit - 1) / unit * unit;
    for (uint32_t i = 0; i < k->object_count; i++)
        if (k->objects[i].is_dynamic) {
            k->objects[i].layout = k->static_shared;
            k->objects[i].size = launch->shared_bytes;
        }
    bool any = launch->shared_bytes || at;
    k->segment = any ? (k->static_shared + launch->shared_bytes + unit - 1) / unit * unit : 0;
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

/* Textures and the like have no address that could be redirected. */
static bool has_plain_address(const ls_ir_access *access) {
    ls_ptx_class class = access->instr->form->opcode->class;
    return class != LS_CLASS_TEXTURE && class != LS_CLASS_SURFACE;
}

static void classify_access(kernel *k, const ls_ir_access *access) {
    access_info *info = &k->accesses[access->id];
    info->object = LS_IR_NONE;
    if (!has_plain_address(access)) return;
    switch (access->space) {
    case LS_SPACE_SHARED:
    case LS_SPACE_SHARED_CLUSTER: info->in_shared = true; break;
    case LS_SPACE_GLOBAL: info->in_global = true; break;
    case LS_SPACE_GENERIC: info->in_shared = info->in_global = true; break;
    default: return;
    }
    if (access->other_bases || access->base_count == 0) return;
    info->certain = true;
    for (uint32_t i = 0; i < access->base_count; i++) {
        uint32_t o = object_of_base(k, access->bases[i]);
        if (o == LS_IR_NONE) {
            info->certain = false;
            info->object = LS_IR_NONE;
            return;
        }
        if (info->object == LS_IR_NONE)
            info->object = o;
        else
            join(k, info->object, o);
    }
    if (access->base_count > 1) info->certain = false; /* a group, not one object */
}

static void note_use(object *o, const ls_ir_access *access) {
    o->read |= access->kind != LS_ACCESS_WRITE;
    o->written |= access->kind != LS_ACCESS_READ;
    o->atomic |= access->kind == LS_ACCESS_ATOMIC;
}

/* An access of unknown origin may go to every object of its space: they become one group. */
static void join_space(kernel *k, const access_info *info) {
    uint32_t first = LS_IR_NONE;
    for (uint32_t i = 0; i < k->object_count; i++) {
        if (k->objects[i].is_shared ? !info->in_shared : !info->in_global) continue;
        if (first == LS_IR_NONE) first = i;
        join(k, first, i);
    }
}

static void note_uses(kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *access = k->ir->accesses[i];
        access_info *info = &k->accesses[i];
        if (!info->in_shared && !info->in_global) continue;
        if (info->object == LS_IR_NONE) {
            join_space(k, info);
            for (uint32_t o = 0; o < k->object_count; o++)
                if (k->objects[o].is_shared ? info->in_shared : info->in_global)
                    note_use(&k->objects[o], access);
        } else {
            note_use(&k->objects[info->object], access);
        }
    }
}

/* --- Parameters that point into the same buffer ----------------------------------------------------------
 */

static uint32_t param_position(const ls_ptx_function *function, uint32_t index) {
    uint64_t at = 0;
    for (uint32_t i = 0; i <= index && i < function->param_count; i++) {
        uint32_t align = ls_ptx_variable_align(function->params[i]);
        at = (at + align - 1) / align * align;
        if (i == index) break;
        at += ls_ptx_variable_size(function->params[i]);
    }
    return (uint32_t)at;
}

static bool pointer_value(const kernel *k, const object *o, const ls_detect_launch *launch, uint64_t *out) {
    if (o->is_shared || o->symbol || o->is_unknown) return false;
    size_t at = (size_t)param_position(k->function, o->param_index) + o->param_offset;
    if (!launch->params || at + 8 > launch->params_size) return false;
    memcpy(out, (const char *)launch->params + at, 8);
    return true;
}

static uint32_t buffer_at(const ls_detect_launch *launch, uint64_t address) {
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        if (address >= launch->buffers[i].address &&
            address - launch->buffers[i].address < launch->buffers[i].size)
            return i;
    return UINT32_MAX;
}

static void join_aliases(kernel *k, const ls_detect_launch *launch) {
    uint64_t a, b;
    for (uint32_t i = 0; i < k->object_count; i++) {
        if (!pointer_value(k, &k->objects[i], launch, &a)) continue;
        uint32_t at = buffer_at(launch, a);
        if (at != UINT32_MAX) k->objects[i].size = launch->buffers[at].address + launch->buffers[at].size - a;
        for (uint32_t j = 0; j < i; j++)
            if (pointer_value(k, &k->objects[j], launch, &b) &&
                (a == b || (at != UINT32_MAX && at == buffer_at(launch, b))))
                join(k, i, j);
    }
}

/* --- States ----------------------------------------------------------------------------------------------
 */

/* block·%ctaid.x + thread·%tid.x + constant, as a number that does not wrap. */
typedef struct {
    int64_t block, thread, constant;
} linear;

typedef struct {
    const ls_detect_launch *launch;
    uint32_t depth;
} decomposer;

static bool in_range(const decomposer *d, const linear *v) {
    int64_t blocks = (int64_t)d->launch->grid[0] - 1, threads = (int64_t)d->launch->block[0] - 1, top;
    if (v->block < 0 || v->thread < 0 || v->constant < 0) return false;
    return !__builtin_mul_overflow(v->block, blocks, &top) &&
           !__builtin_add_overflow(top, v->constant, &top) && v->thread <= INT32_MAX && top < INT32_MAX &&
           top + v->thread * threads < INT32_MAX;
}

static int64_t highest(const decomposer *d, const linear *v) {
    return v->block * ((int64_t)d->launch->grid[0] - 1) + v->thread * ((int64_t)d->launch->block[0] - 1) +
           v->constant;
}

static linear scaled(linear v, int64_t by) {
    return (linear){v.block * by, v.thread * by, v.constant * by};
}

static linear sum(linear a, linear b) {
    return (linear){a.block + b.block, a.thread + b.thread, a.constant + b.constant};
}

static bool is_constant(const linear *v) {
    return !v->block && !v->thread;
}

static bool decompose(decomposer d, ls_ir_value *value, linear *out);

static bool decompose_sreg(const decomposer *d, const ls_ir_value *value, linear *out) {
    if (value->element != LS_ELEMENT_X) return false;
    switch (value->sreg) {
    case LS_SREG_CTAID: *out = (linear){.block = 1}; return true;
    case LS_SREG_TID: *out = (linear){.thread = 1}; return true;
    case LS_SREG_NTID: *out = (linear){.constant = d->launch->block[0]}; return true;
    case LS_SREG_NCTAID: *out = (linear){.constant = d->launch->grid[0]}; return true;
    default: return false;
    }
}

/* a | b where no bit is in both: one is a multiple of 2^n and the other below it. */
static bool join_bits(const decomposer *d, linear a, linear b, linear *out) {
    for (int turn = 0; turn < 2; turn++) {
        int64_t low = highest(d, &b), step = 1;
        while (step <= low) step *= 2;
        if (a.block % step == 0 && a.thread % step == 0 && a.constant % step == 0) {
            *out = sum(a, b);
            return true;
        }
        linear swap = a;
        a = b, b = swap;
    }
    return false;
}

static bool decompose_instr(decomposer d, const ls_ir_instr *instr, linear *out) {
    linear v[3] = {0};
    bool wide = ls_ptx_form_has(instr->form, LS_MOD_WIDE), low = ls_ptx_form_has(instr->form, LS_MOD_LO);
    if (instr->guard.kind != LS_IR_ABSENT || instr->src_count > 3) return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!instr->src[i].value || !decompose(d, instr->src[i].value, &v[i])) return false;
    switch (instr->op) {
    case LS_OP_ADD: *out = sum(v[0], v[1]); return instr->src_count == 2;
    case LS_OP_OR: return instr->src_count == 2 && join_bits(&d, v[0], v[1], out);
    case LS_OP_SHL:
        if (!is_constant(&v[1]) || v[1].constant > 30) return false;
        *out = scaled(v[0], INT64_C(1) << v[1].constant);
        return true;
    case LS_OP_MUL:
    case LS_OP_MAD: {
        if (!wide && !low) return false;
        bool first = is_constant(&v[0]);
        if (!first && !is_constant(&v[1])) return false;
        *out = sum(first ? scaled(v[1], v[0].constant) : scaled(v[0], v[1].constant), v[2]);
        return true;
    }
    case LS_OP_CVT: *out = v[0]; return instr->src_count == 1;
    default: return false;
    }
}

static bool decompose(decomposer d, ls_ir_value *value, linear *out) {
    value = ls_ir_origin(value);
    if (d.depth++ > 16) return false;
    bool known = false;
    if (value->kind == LS_VALUE_IMM && value->bits < INT32_MAX) {
        *out = (linear){.constant = (int64_t)value->bits};
        return true;
    }
    if (ls_ptx_type_kind_of((ls_ptx_type)value->type) == LS_KIND_FLOAT) return false;
    if (value->kind == LS_VALUE_SREG) known = decompose_sreg(&d, value, out);
    if (value->kind == LS_VALUE_INSTR) known = decompose_instr(d, value->instr, out);
    return known && in_range(&d, out);
}

static bool one_dimension(const ls_detect_launch *launch, bool grid) {
    bool block = launch->block[1] == 1 && launch->block[2] == 1;
    return block && (!grid || (launch->grid[1] == 1 && launch->grid[2] == 1));
}

/* The byte offset of an access as a linear form of the thread's numbers. */
static bool access_offset(const ls_detect_launch *launch, const ls_ir_access *access, linear *out) {
    *out = (linear){0};
    if (access->opaque || !access->has_offset) return false;
    for (uint32_t i = 0; i < access->term_count; i++) {
        linear v;
        const ls_ir_term *term = &access->terms[i];
        if (term->relative || term->coefficient <= 0 || term->coefficient > 1 << 20) return false;
        if (!decompose((decomposer){launch, 0}, term->value, &v)) return false;
        *out = sum(*out, scaled(v, term->coefficient));
    }
    out->constant += access->constant;
    return true;
}

/* Whether different threads never touch the same byte: every access is at B·block + T·thread + k, with the
 * same B and T, the k of all within T bytes, and the threads of a block within B bytes. */
static bool every_thread_its_own(const kernel *k, uint32_t which, const ls_detect_launch *launch) {
    linear first = {0};
    int64_t from = INT64_MAX, to = INT64_MIN;
    bool any = false, shared = k->objects[which].is_shared;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *access = k->ir->accesses[i];
        if (k->accesses[i].object != which) continue;
        linear at;
        int64_t bytes = (int64_t)access->bytes * access->count;
        if (!k->accesses[i].certain || !bytes || !access_offset(launch, access, &at)) return false;
        if (any && (at.block != first.block || at.thread != first.thread)) return false;
        first = at, any = true;
        if (at.constant < from) from = at.constant;
        if (at.constant + bytes > to) to = at.constant + bytes;
    }
    if (!any || to - from > first.thread) return false;
    return shared || launch->grid[0] == 1 || first.block >= first.thread * (int64_t)launch->block[0];
}

static bool is_named(const char *name, const ls_detect_options *options) {
    for (uint32_t i = 0; i < options->race_free_count; i++)
        if (strcmp(options->race_free[i], name) == 0) return true;
    return false;
}

static void set_state(kernel *k, uint32_t group, const ls_detect_launch *launch,
                      const ls_detect_options *options) {
    bool written = false, atomic = false, trusted = true;
    uint32_t members = 0, only = group;
    for (uint32_t i = 0; i < k->object_count; i++) {
        const object *o = &k->objects[i];
        if (find_group(k, i) != group || (!o->read && !o->written)) continue;
        written |= o->written, atomic |= o->atomic, trusted &= is_named(o->name, options);
        members++, only = i;
    }
    object_state state = atomic ? OBJECT_ATOMIC : written ? OBJECT_TARGET : OBJECT_READ_ONLY;
    bool shared = k->objects[only].is_shared;
    if (state == OBJECT_TARGET && trusted && members) state = OBJECT_RACE_FREE;
    if (state == OBJECT_TARGET && members == 1 && !options->all && one_dimension(launch, !shared) &&
        every_thread_its_own(k, only, launch))
        state = OBJECT_RACE_FREE;
    for (uint32_t i = 0; i < k->object_count; i++)
        if (find_group(k, i) == group) k->objects[i].state = (uint8_t)state;
}

/* Where some shared object is a target, regions are run twice, and those objects that are race-free but read
 * and written have to be as before as well: they are treated alike. */
static void keep_shared_repeatable(kernel *k) {
    bool any = false;
    for (uint32_t i = 0; i < k->object_count; i++)
        any |= k->objects[i].is_shared && k->objects[i].state == OBJECT_TARGET;
    for (uint32_t i = 0; i < k->object_count && any; i++)
        if (k->objects[i].is_shared && k->objects[i].state == OBJECT_RACE_FREE)
            k->objects[i].state = OBJECT_TARGET;
}

void find_objects(kernel *k, const ls_detect_launch *launch, const ls_detect_options *options) {
    list_objects(k);
    k->accesses = LS_NEW_N(&k->arena, access_info, k->ir->access_count + 1);
    for (uint32_t i = 0; i < k->ir->access_count; i++) classify_access(k, k->ir->accesses[i]);
    note_uses(k);
    join_aliases(k, launch);
    for (uint32_t i = 0; i < k->object_count; i++)
        if (find_group(k, i) == i) set_state(k, i, launch, options);
    for (uint32_t i = 0; i < k->object_count; i++) k->objects[i].group = find_group(k, i);
    keep_shared_repeatable(k);
    lay_out_shared(k, launch);
}

bool access_may_target(const kernel *k, const ls_ir_access *access, bool shared) {
    const access_info *info = &k->accesses[access->id];
    if (shared ? !info->in_shared : !info->in_global) return false;
    if (info->object != LS_IR_NONE)
        return k->objects[info->object].is_shared == shared &&
               k->objects[info->object].state == OBJECT_TARGET;
    for (uint32_t i = 0; i < k->object_count; i++)
        if (k->objects[i].is_shared == shared && k->objects[i].state == OBJECT_TARGET) return true;
    return false;
}
