/* The symbols of a proof: sizes of the launch, indices of the thread and its block, parameters, addresses of
 * objects, special registers, and whatever is not known. */
#include "verify/execute/symbols.h"
#include "lockstep/limits.h"
#include "verify/check/warps.h"
#include "verify/execute/allocations.h"
#include "verify/execute/assume.h"
#include "verify/execute/clusters.h"
#include "verify/execute/exec.h"
#include "verify/execute/indirect.h"
#include "verify/execute/roots.h"

#include <stdio.h>

static const ls_term *sized(ls_proof *p, const char *name, int axis, uint32_t given, ls_scope scope,
                            uint64_t lo, uint64_t hi) {
    if (given || lo == hi) return ls_const(&p->terms, 32, given ? given : lo);
    char text[64];
    snprintf(text, sizeof text, "%s.%c", name, "xyz"[axis]);
    return ls_symbol(&p->terms, text, 32, scope, LS_SYM_INPUT, lo, hi);
}

/* Dimensions that the kernel does not look at, where the launch is not known, are taken to be 1, but for the
 * first ones. */
static void find_axes(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->value_count; i++) {
        const ls_ir_value *v = p->f->values[i];
        if (v->kind != LS_VALUE_SREG || v->element < LS_ELEMENT_X || v->element > LS_ELEMENT_Z) continue;
        uint32_t axis = (uint32_t)(v->element - LS_ELEMENT_X);
        if (v->sreg == LS_SREG_TID || v->sreg == LS_SREG_NTID) p->used_axis[0][axis] = true;
        if (v->sreg == LS_SREG_CTAID || v->sreg == LS_SREG_NCTAID) p->used_axis[1][axis] = true;
    }
    p->used_axis[0][0] = p->used_axis[1][0] = true;
    ls_cluster_axes(p);
}

static uint64_t most(uint32_t given, bool known, bool used, uint32_t limit) {
    return known ? given : used ? limit : 1;
}

/* The least size that an assumption leaves, and the most in *hi; what cannot be is left to the predicates. */
static uint64_t narrowed(ls_limits l, uint64_t *hi) {
    uint64_t most = l.hi > 0 && (uint64_t)l.hi < *hi ? (uint64_t)l.hi : *hi;
    uint64_t least = l.lo > 1 ? (uint64_t)l.lo : 1;
    if (least > most) return 1;
    *hi = most;
    return least;
}

/* Threads of a block: what GPUs have, or what the kernel says (__launch_bounds__). */
static uint32_t most_threads(const ls_ptx_function *kernel) {
    const ls_ptx_tune *bounds = ls_ptx_tune_of(kernel, LS_TUNE_MAXNTID);
    uint64_t threads = 1;
    for (uint32_t i = 0; bounds && i < bounds->count && i < 3; i++) threads *= bounds->values[i];
    return bounds && threads && threads < LS_MOST_BLOCK_THREADS ? (uint32_t)threads : LS_MOST_BLOCK_THREADS;
}

/* Sizes are constants where they are given; otherwise symbols within CUDA's limits and assumptions. */
void ls_make_symbols(ls_proof *p) {
    static const uint32_t block_limit[3] = {LS_MOST_BLOCK_X, LS_MOST_BLOCK_Y, LS_MOST_BLOCK_Z},
                          grid_limit[3] = {LS_MOST_GRID_X, LS_MOST_GRID_YZ, LS_MOST_GRID_YZ};
    const uint32_t *block = p->options->block, *grid = p->options->grid;
    ls_terms *t = &p->terms;
    p->launch = ls_true(t);
    uint32_t threads_limit = most_threads(p->f->ptx);
    find_axes(p);
    for (int i = 0; i < 3; i++) {
        uint32_t limit = block_limit[i] < threads_limit ? block_limit[i] : threads_limit;
        uint64_t threads = most(block[i], block[0] != 0, p->used_axis[0][i], limit), least[2];
        uint64_t blocks = most(grid[i], grid[0] != 0, p->used_axis[1][i], grid_limit[i]);
        least[0] = block[0] ? threads : narrowed(ls_assumed_limits(p, false, i), &threads);
        least[1] = grid[0] ? blocks : narrowed(ls_assumed_limits(p, true, i), &blocks);
        p->ntid[i] = sized(p, "blockDim", i, least[0] == threads ? (uint32_t)threads : 0, LS_SCOPE_GRID,
                           least[0], threads);
        p->nctaid[i] = sized(p, "gridDim", i, least[1] == blocks ? (uint32_t)blocks : 0, LS_SCOPE_GRID,
                             least[1], blocks);
        p->tid[i] = sized(p, "threadIdx", i, 0, LS_SCOPE_THREAD, 0, threads - 1);
        p->ctaid[i] = sized(p, "blockIdx", i, 0, LS_SCOPE_BLOCK, 0, blocks - 1);
        ls_add_fact(p, p->tid[i], ls_ult(t, p->tid[i], p->ntid[i]));
        ls_add_fact(p, p->ctaid[i], ls_ult(t, p->ctaid[i], p->nctaid[i]));
    }
    ls_cluster_launch(p);
    if (!block[0]) {
        const ls_term *all = ls_mul(t, ls_mul(t, p->ntid[0], p->ntid[1]), p->ntid[2]);
        p->launch = ls_and(t, p->launch, ls_ult(t, all, ls_const(t, 32, threads_limit + 1)));
    } else if ((uint64_t)block[0] * block[1] * block[2] > threads_limit &&
               ls_ptx_tune_of(p->f->ptx, LS_TUNE_MAXNTID)) {
        ls_mistake(p, p->f->instr_count ? p->f->instrs[0]->pos : NULL,
                   "the kernel allows at most %u threads per block (__launch_bounds__)", threads_limit);
    }
    for (int i = 0; i < 3 && (!block[0] || !grid[0]); i++) { /* the launch bound that the scope names */
        const ls_term *all = ls_mul(t, ls_zext(t, p->ntid[i], 64), ls_zext(t, p->nctaid[i], 64));
        p->launch = ls_and(t, p->launch, ls_not(t, ls_ult(t, ls_const(t, 64, INT32_MAX), all)));
    }
    p->object_address = LS_NEW_N(&p->arena, const ls_term *, p->f->object_count + 1);
    p->launch = ls_and(t, p->launch, ls_function_addresses(p));
}

/* The name must stay: it is in the arena. */
static const ls_term *named_symbol(ls_proof *p, const char *name, uint32_t width, ls_scope scope) {
    void **place = ls_map_at(&p->named, name, strlen(name));
    if (!*place) *place = (void *)(uintptr_t)ls_symbol(&p->terms, name, width, scope, LS_SYM_INPUT, 1, 0);
    return *place;
}

/* What the type leaves of a parameter, or a member of one, that is read as a whole. */
static const ls_parameter_range *range_of(const ls_proof *p, uint32_t object, uint64_t offset,
                                          uint32_t width) {
    const ls_ir_object *o = p->f->objects[object];
    const ls_parameter_range *all = ls_proof_range(p, object);
    const ls_parameter_range *r = all && !offset && width == 8 * o->size ? all : NULL;
    for (uint32_t i = 0; all && all->bytes == o->size && i < all->member_count; i++)
        if (all->members[i].offset == offset && width == 8 * all->members[i].bytes) r = &all->members[i];
    const int64_t half = width < 64 ? INT64_C(1) << (width - 1) : INT64_MAX;
    return r && r->type && r->least >= -half && r->most / 2 < half && r->least <= r->most ? r : NULL;
}

static const ls_term *ranged_symbol(ls_proof *p, const char *name, uint32_t width,
                                    const ls_parameter_range *r) {
    void **place = ls_map_at(&p->named, name, strlen(name));
    if (*place) return *place;
    const int64_t top = (int64_t)(ls_mask(width) >> 1);
    const bool natural = r->least >= 0, small = r->most <= top;
    const ls_term *t =
        ls_symbol_within(&p->terms, name, width, small ? r->least : -top - 1, small ? r->most : top,
                         natural ? (uint64_t)r->least : 0, natural ? (uint64_t)r->most : ls_mask(width));
    if (r->is_assumed) p->assumed |= LS_ASSUMED_ENUMS;
    *place = (void *)(uintptr_t)t;
    return t;
}

/* The place of what is read inside of a parameter, by its key: writing its name takes longer. No name has the
 * bytes of a key, as parameters have fewer than 2^24 bytes and functions fewer than 2^24 objects. */
static void **read_before(ls_proof *p, uint64_t key) {
    const char *bytes = (const char *)&key;
    if (!ls_map_get(&p->named, bytes, sizeof key))
        bytes = memcpy(ls_arena_alloc(&p->arena, sizeof key), &key, sizeof key);
    return ls_map_at(&p->named, bytes, sizeof key);
}

/* Names of parameters end in their number, and begin with the name of the kernel, which can be long. */
static const char *name_of_parameter(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width) {
    enum { LONGEST = 200 };
    const char *name = p->f->objects[object]->name;
    const size_t length = strlen(name);
    const unsigned long long at = offset;
    if (length <= LONGEST) return ls_arena_printf(&p->arena, "%s+%llu:%u", name, at, width);
    return ls_arena_printf(&p->arena, "%u %s+%llu:%u", object, name + length - LONGEST, at, width);
}

/* A pointer into the memory of another one is that one and a distance; NULL: it is on its own. */
static const ls_term *parameter_inside(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width) {
    const ls_term *distance;
    const ls_argument_inside *in = ls_find_inside(p, object, offset, &distance);
    if (!in || width != (p->f->module->address_size == 32 ? 32 : 64)) return NULL;
    for (uint32_t i = 0; i < p->f->object_count; i++)
        if (p->f->objects[i]->kind == LS_OBJECT_PARAM && p->f->objects[i]->index == in->of)
            return ls_add(&p->terms, ls_parameter(p, i, in->of_at, width),
                          ls_resize(&p->terms, distance, width, true));
    return NULL;
}

/* What is read behind a parameter's end is any value, and no part of a witness. */
const ls_term *ls_parameter(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width) {
    uint64_t value, key = (uint64_t)object << 32 | offset << 8 | width;
    const bool inside = offset < p->f->objects[object]->size;
    if (inside && ls_intmap_get(&p->bound, key, &value)) return ls_const(&p->terms, width, value);
    void **place = inside ? read_before(p, key) : NULL;
    if (inside && *place) return *place;
    const ls_term *related = inside ? parameter_inside(p, object, offset, width) : NULL;
    if (related) {
        *read_before(p, key) = (void *)(uintptr_t)related;
        return related;
    }
    const char *kept = name_of_parameter(p, object, offset, width);
    const ls_parameter_range *range = inside ? range_of(p, object, offset, width) : NULL;
    const ls_term *t =
        range ? ranged_symbol(p, kept, width, range)
              : named_symbol(p, kept, width, p->f->ptx->is_entry ? LS_SCOPE_GRID : LS_SCOPE_THREAD);
    if (!inside) return t;
    bool is_new;
    *read_before(p, key) = (void *)(uintptr_t)t; /* its place has moved, if the name is new */
    *ls_intmap_at(&p->parameter_keys, t->value, &is_new) = key;
    return t;
}

void ls_replace_parameter(ls_proof *p, uint64_t key, const ls_term *old, int64_t slo, int64_t shi,
                          uint64_t ulo, uint64_t uhi) {
    const char *name = ls_sym_of(&p->terms, old)->name;
    void **place = ls_map_at(&p->named, name, strlen(name));
    const ls_term *now = ls_symbol_within(&p->terms, name, old->width, slo, shi, ulo, uhi);
    *place = (void *)(uintptr_t)now;
    *read_before(p, key) = (void *)(uintptr_t)now;
    bool is_new;
    *ls_intmap_at(&p->parameter_keys, now->value, &is_new) = key;
}

static bool is_dynamic(const ls_ir_object *object) {
    return object->kind == LS_OBJECT_SHARED && object->is_extern;
}

const char *ls_input_name(ls_proof *p, const ls_term *symbol) {
    uint64_t key;
    if (!ls_intmap_get(&p->parameter_keys, symbol->value, &key)) return ls_sym_of(&p->terms, symbol)->name;
    return ls_proof_member(p, (uint32_t)(key >> 32), key >> 8 & 0xffffff);
}

bool ls_is_dynamic_shared(const ls_proof *p, const ls_ir_base *base) {
    return base->kind == LS_BASE_OBJECT && is_dynamic(p->f->objects[base->object]);
}

const ls_term *ls_object_address(ls_proof *p, uint32_t object) {
    for (uint32_t i = 0; i < object && is_dynamic(p->f->objects[object]); i++)
        if (is_dynamic(p->f->objects[i])) object = i;
    if (!p->object_address[object])
        p->object_address[object] =
            ls_symbol(&p->terms, p->f->objects[object]->name, 64,
                      p->f->objects[object]->kind == LS_OBJECT_LOCAL ? LS_SCOPE_THREAD : LS_SCOPE_GRID,
                      LS_SYM_INPUT, 1, 0);
    return p->object_address[object];
}

bool ls_is_object_address(ls_proof *p, const ls_term *symbol) {
    if (symbol->op != LS_T_SYM) return false;
    const ls_term *origin = p->terms.syms.items[ls_sym_of(&p->terms, symbol)->origin].term;
    for (uint32_t i = 0; i < p->f->object_count; i++)
        if (p->object_address[i] == origin) return true;
    return false;
}

const ls_term *ls_base_address(ls_proof *p, const ls_ir_base *base) {
    if (base->kind == LS_BASE_OBJECT) return ls_object_address(p, base->object);
    if (base->kind == LS_BASE_PARAM)
        return ls_parameter(p, base->object, base->offset, p->f->module->address_size == 32 ? 32 : 64);
    return ls_root_address(p, base);
}

const ls_term *ls_fresh(const ls_state *s, const char *what, uint32_t width, ls_sym_kind kind) {
    char name[200];
    snprintf(name, sizeof name, "%.150s%s#%u", what, s->suffix, s->proof->terms.syms.length);
    return ls_symbol(&s->proof->terms, name, width, LS_SCOPE_THREAD, kind, 1, 0);
}

/* The bits of a warp's lanes that are equal to, below or above the thread's own. */
static const ls_term *lane_mask(ls_proof *p, uint32_t sreg, const ls_term *lane) {
    ls_terms *t = &p->terms;
    const ls_term *one = ls_const(t, 32, 1), *ones = ls_const(t, 32, UINT32_MAX);
    const ls_term *own = ls_binary(t, LS_T_SHL, one, lane);
    const ls_term *below = ls_sub(t, own, one), *upto = ls_add(t, below, own);
    switch (sreg) {
    case LS_SREG_LANEMASK_EQ: return own;
    case LS_SREG_LANEMASK_LT: return below;
    case LS_SREG_LANEMASK_LE: return upto;
    case LS_SREG_LANEMASK_GT: return ls_sub(t, ones, upto);
    default: return ls_sub(t, ones, below);
    }
}

/* Lane, warp and lane masks follow from the thread's number; NULL: another register. PTX does not promise the
 * warp's number, but in blocks of one dimension everybody counts on it. */
static const ls_term *in_warp(ls_proof *p, uint32_t sreg) {
    ls_terms *t = &p->terms;
    bool mask = sreg >= LS_SREG_LANEMASK_EQ && sreg <= LS_SREG_LANEMASK_GT;
    bool row = ls_is_const(p->ntid[1]) && p->ntid[1]->value == 1 && ls_is_const(p->ntid[2]) &&
               p->ntid[2]->value == 1;
    if (sreg != LS_SREG_LANEID && sreg != LS_SREG_WARPID && !mask) return NULL;
    if (sreg == LS_SREG_WARPID && !row) return NULL;
    if (sreg == LS_SREG_WARPID) return ls_binary(t, LS_T_UDIV, ls_thread_number(p), ls_const(t, 32, LS_WARP));
    return mask ? lane_mask(p, sreg, ls_lane(p)) : ls_lane(p);
}

const ls_term *ls_special_register(ls_proof *p, uint32_t sreg, uint8_t element, uint32_t width) {
    const ls_ptx_sreg_info *info = ls_ptx_sreg_of((ls_ptx_sreg)sreg);
    int axis = element >= LS_ELEMENT_X && element <= LS_ELEMENT_Z ? element - LS_ELEMENT_X : -1;
    const ls_term *const *vector = sreg == LS_SREG_TID      ? p->tid
                                   : sreg == LS_SREG_NTID   ? p->ntid
                                   : sreg == LS_SREG_CTAID  ? p->ctaid
                                   : sreg == LS_SREG_NCTAID ? p->nctaid
                                                            : NULL;
    if (vector && axis >= 0) return ls_resize(&p->terms, vector[axis], width, false);
    if (vector) return ls_const(&p->terms, width, 0); /* .w */
    const ls_term *place = in_warp(p, sreg);
    if (!place) place = ls_cluster_register(p, sreg, axis);
    if (place) return ls_resize(&p->terms, place, width, false);
    static const ls_scope scopes[] = {[LS_PER_THREAD] = LS_SCOPE_THREAD,
                                      [LS_PER_WARP] = LS_SCOPE_THREAD,
                                      [LS_PER_BLOCK] = LS_SCOPE_BLOCK,
                                      [LS_PER_GRID] = LS_SCOPE_GRID};
    if (info->varies == LS_PER_READ) return NULL;
    char name[64];
    snprintf(name, sizeof name, "%s.%u:%u", info->name, element, width);
    return named_symbol(p, ls_arena_strdup(&p->arena, name), width, scopes[info->varies]);
}
