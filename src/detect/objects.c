/* Which memory a kernel accesses, and which of it has to be watched (002, §5.1 "target variable analysis").
 *
 * Objects are shared variables, global variables and what pointer parameters point to. Objects that one
 * access may go to become one group, and a group has one state: read only, target, touched by atomics, or
 * race-free: by name, or since every thread has its own part (own.c). */
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

/* "t" for _ZZ4scanPfE1t: variables of a function are named in it, as people know them. */
static const char *short_name(kernel *k, const char *name) {
    if (strncmp(name, "_ZZ", 3) != 0) return name;
    for (const char *at = name + strlen(name); at-- > name + 3;) {
        char *digits;
        if (*at != 'E' || at[1] < '1' || at[1] > '9') continue;
        unsigned long length = strtoul(at + 1, &digits, 10);
        if (strlen(digits) >= length) return ls_arena_strndup(&k->arena, digits, length);
    }
    return name;
}

static void list_objects(kernel *k) {
    LS_VEC(object) list = {0};
    const ls_ir_function *f = k->ir;
    for (uint32_t i = 0; i < f->object_count; i++) {
        const ls_ir_object *o = f->objects[i];
        if (o->kind != LS_OBJECT_SHARED && o->kind != LS_OBJECT_GLOBAL) continue;
        object made = {.name = short_name(k, o->name), .symbol = o->symbol, .size = o->size};
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

uint32_t dt_param_position(const ls_ptx_function *function, uint32_t index) {
    uint64_t at = 0;
    for (uint32_t i = 0; i <= index && i < function->param_count; i++) {
        uint32_t align = ls_ptx_variable_align(function->params[i]);
        at = (at + align - 1) / align * align;
        if (i == index) break;
        at += ls_ptx_variable_size(function->params[i]);
    }
    return (uint32_t)at;
}

bool dt_pointer_value(const kernel *k, const object *o, const ls_detect_launch *launch, uint64_t *out) {
    if (o->is_shared || o->symbol || o->is_unknown) return false;
    size_t at = (size_t)dt_param_position(k->function, o->param_index) + o->param_offset;
    if (!launch->params || at + 8 > launch->params_size) return false;
    memcpy(out, (const char *)launch->params + at, 8);
    return true;
}

enum { ANY_BUFFER = UINT32_MAX }; /* in lists of pointers */

static uint32_t buffer_at(const ls_detect_launch *launch, uint64_t address) {
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        if (address >= launch->buffers[i].address &&
            address - launch->buffers[i].address < launch->buffers[i].size)
            return i;
    return UINT32_MAX;
}

void dt_list_pointers(const kernel *k, ls_buf *out) {
    for (uint32_t i = 0; i < k->object_count; i++) {
        const object *o = &k->objects[i];
        uint32_t at = ANY_BUFFER;
        if (o->is_shared || o->symbol || (o->is_unknown && !o->read && !o->written)) continue;
        if (!o->is_unknown) at = dt_param_position(k->function, o->param_index) + o->param_offset;
        ls_buf_add(out, (const char *)&at, sizeof at);
    }
}

void dt_describe_pointers(const ls_buf *list, const ls_detect_launch *launch, ls_buf *out) {
    LS_VEC(uint64_t) seen = {0}; /* buffers by the order in which they are met */
    for (size_t i = 0; i + sizeof(uint32_t) <= list->length; i += sizeof(uint32_t)) {
        uint64_t pointer, said[3] = {0};
        uint32_t place;
        memcpy(&place, list->text + i, sizeof place);
        for (uint32_t b = 0; b < launch->buffer_count && place == ANY_BUFFER; b++)
            ls_buf_add(out, (const char *)&launch->buffers[b], 2 * sizeof(uint64_t));
        if (place == ANY_BUFFER || !launch->params || launch->params_size < 8 ||
            place > launch->params_size - 8)
            continue;
        memcpy(&pointer, (const char *)launch->params + place, 8);
        uint32_t at = buffer_at(launch, pointer);
        uint64_t start = at == UINT32_MAX ? pointer : launch->buffers[at].address, met = 0;
        while (met < seen.length && seen.items[met] != start) met++;
        if (met == seen.length) LS_VEC_PUSH(&seen, start);
        said[0] = met, said[1] = pointer - start, said[2] = at == UINT32_MAX ? 0 : launch->buffers[at].size;
        ls_buf_add(out, (const char *)said, sizeof said);
    }
    LS_VEC_FREE(&seen);
}

static void join_aliases(kernel *k, const ls_detect_launch *launch) {
    uint64_t a, b;
    for (uint32_t i = 0; i < k->object_count; i++) {
        if (!dt_pointer_value(k, &k->objects[i], launch, &a)) continue;
        uint32_t at = buffer_at(launch, a);
        if (at != UINT32_MAX) k->objects[i].size = launch->buffers[at].address + launch->buffers[at].size - a;
        for (uint32_t j = 0; j < i; j++)
            if (dt_pointer_value(k, &k->objects[j], launch, &b) &&
                (a == b || (at != UINT32_MAX && at == buffer_at(launch, b))))
                join(k, i, j);
    }
}

/* --- States ----------------------------------------------------------------------------------------------
 */

static bool is_named(const char *name, const ls_detect_options *options) {
    for (uint32_t i = 0; i < options->race_free_count; i++)
        if (strcmp(options->race_free[i], name) == 0) return true;
    return false;
}

bool dt_same_group(const kernel *k, uint32_t a, uint32_t b) {
    return find_group(k, a) == find_group(k, b);
}

bool dt_distance(const kernel *k, uint32_t first, uint32_t other, const ls_detect_launch *launch,
                 int64_t *out) {
    uint64_t a, b;
    *out = 0;
    if (first == other) return true;
    if (!dt_pointer_value(k, &k->objects[first], launch, &a) ||
        !dt_pointer_value(k, &k->objects[other], launch, &b))
        return false;
    *out = (int64_t)(b - a);
    return true;
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
    if (state == OBJECT_TARGET && trusted && members) state = OBJECT_RACE_FREE;
    if (state == OBJECT_TARGET && !options->all && !(k->objects[only].is_shared && k->asynchronous) &&
        dt_every_thread_its_own(k, only, members == 1, launch))
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

void dt_find_objects(kernel *k, const ls_detect_launch *launch, const ls_detect_options *options) {
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

bool dt_access_may_target(const kernel *k, const ls_ir_access *access, bool shared) {
    const access_info *info = &k->accesses[access->id];
    if (shared ? !info->in_shared : !info->in_global) return false;
    if (info->object != LS_IR_NONE)
        return k->objects[info->object].is_shared == shared &&
               k->objects[info->object].state == OBJECT_TARGET;
    for (uint32_t i = 0; i < k->object_count; i++)
        if (k->objects[i].is_shared == shared && k->objects[i].state == OBJECT_TARGET) return true;
    return false;
}
