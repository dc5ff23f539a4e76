/* Costs of all accesses to global and shared memory (001 §4.3, 004 §5.2), each by the warp that it costs
 * most. One warp stands for all as long as what is known of all of them decides the cost; where it does not,
 * the block's warps are looked at one by one. */
#include "analyze/access.h"
#include "analyze/pieces.h"
#include "base/recover.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WARPS = 32, MOST_FIXED = 64, MOST_FIXED_WARPS = 256, MOST_FIXED_MADE = 1024 };

/* Whether the result would get better by knowing which warp it is. */
static bool undecided(const ls_lanes *address, const ls_access_result *result, bool shared) {
    if (address->cause & (LS_CAUSE_DATA | LS_CAUSE_UNKNOWN)) return false;
    if (address->group_count > 1 || address->has_slack) return true;
    return shared ? result->cost.degree != result->cost.degree_best
                  : result->cost.sectors != result->cost.sectors_best;
}

/* --- What an access is to
 * ----------------------------------------------------------------------------------- */

static const char *base_name(analysis *a, const ls_ir_access *access) {
    if (access->base_count != 1 || access->other_bases || !access->bases[0]->name) return NULL;
    const ls_ir_base *base = access->bases[0];
    if (base->kind == LS_BASE_PARAM) return ls_parameter_name(a, base->object, base->offset);
    const char *name = *base->name == '*' ? base->name + 1 : base->name;
    return *name == '%' ? NULL : ls_arena_strdup(&a->arena, name);
}

/* Kinds of accesses that cost is defined for. */
static bool costs(const ls_ir_access *access) {
    if (ls_is_counter(access)) return false;
    return access->space == LS_SPACE_GLOBAL || access->space == LS_SPACE_SHARED ||
           access->space == LS_SPACE_SHARED_CLUSTER ||
           (access->space == LS_SPACE_GENERIC && access->space_certainty == LS_UNCERTAIN);
}

/* A generic access through pointers that were read from memory: those are taken to be global ones. */
static bool through_loaded_pointer(const ls_ir_access *access) {
    if (access->space != LS_SPACE_GENERIC || !access->base_count || access->other_bases) return false;
    for (uint32_t i = 0; i < access->base_count; i++)
        if (access->bases[i]->kind != LS_BASE_LOADED && access->bases[i]->kind != LS_BASE_PARAM) return false;
    return true;
}

static bool is_shared(const ls_ir_access *access) {
    return access->space == LS_SPACE_SHARED || access->space == LS_SPACE_SHARED_CLUSTER;
}

static const ls_ir_operand *address_operand(const ls_ir_access *access) {
    return &access->instr->src[access->src];
}

/* --- One warp
 * ------------------------------------------------------------------------------------------------- */

/* Lanes of the address, offset and all. */
static ls_lanes address_lanes(ls_warp *warp, const ls_ir_access *access) {
    const ls_ir_operand *operand = address_operand(access);
    ls_lanes lanes =
        operand->value ? *ls_warp_lanes(warp, operand->value) : ls_lanes_uniform(ls_residue_any());
    if (operand->kind == LS_IR_OBJECT) return lanes; /* its value has the offset in it */
    for (uint32_t l = 0; l < LANES; l++) lanes.offset[l] += operand->offset;
    return lanes;
}

/* Costs of patterns seen before: unrolled loops have the same one over and over. */
typedef struct {
    ls_lanes address;
    ls_active active;
    uint32_t bytes;
    bool shared;
    ls_access_cost cost;
} remembered;

static bool same_pattern(const remembered *r, const ls_lanes *address, ls_active active, uint32_t bytes,
                         bool shared) {
    if (r->bytes != bytes || r->shared != shared || r->active.may != active.may ||
        r->active.most != active.most)
        return false;
    if (r->address.modulus != address->modulus || r->address.has_slack != address->has_slack) return false;
    if (memcmp(r->address.group, address->group, sizeof address->group)) return false;
    int64_t shift = address->offset[0] - r->address.offset[0];
    if (shift % 128) return false;
    for (uint32_t l = 1; l < LANES; l++)
        if (address->offset[l] - r->address.offset[l] != shift) return false;
    return !address->has_slack || !memcmp(r->address.slack, address->slack, sizeof address->slack);
}

enum { REMEMBERED = 8 };

typedef struct {
    remembered of[REMEMBERED];
    uint32_t next;
} memory;

static void find_cost(memory *m, ls_view *view, uint32_t bytes, bool shared) {
    for (uint32_t i = 0; i < REMEMBERED; i++)
        if (same_pattern(&m->of[i], &view->address, view->active, bytes, shared)) {
            view->cost = m->of[i].cost;
            return;
        }
    (shared ? ls_cost_shared : ls_cost_global)(&view->address, view->active, bytes, &view->cost);
    m->of[m->next++ % REMEMBERED] = (remembered){view->address, view->active, bytes, shared, view->cost};
}

static uint32_t badness(const ls_access_cost *cost, bool shared) {
    return shared ? cost->degree * 64 + cost->wavefronts : cost->sectors * 64 + cost->lines;
}

/* Of several pieces the costs add up; the address is that of the one that costs most. */
static ls_view look(memory *m, ls_warp *warp, const ls_ir_access *access) {
    const ls_pieces pieces = ls_pieces_of(access);
    ls_view view = {.address = address_lanes(warp, access),
                    .active = ls_pieces_active(warp, access, &pieces)};
    if (!view.address.seen) return view;
    const ls_lanes base = view.address;
    uint32_t worst = 0;
    if (pieces.count == 1 && !pieces.wmma) {
        find_cost(m, &view, pieces.bytes, is_shared(access));
        return view;
    }
    for (uint32_t k = 0; k < pieces.count; k++) {
        ls_view piece = {.address = ls_piece_lanes(warp, access, &pieces, k, &base), .active = view.active};
        find_cost(m, &piece, pieces.bytes, is_shared(access));
        ls_add_piece(&view.cost, &piece.cost);
        if (k && badness(&piece.cost, is_shared(access)) <= worst) continue;
        worst = badness(&piece.cost, is_shared(access));
        view.address = piece.address;
    }
    return view;
}

/* --- All warps
 * -------------------------------------------------------------------------------------------------- */

typedef struct {
    ls_view worst;
    double sectors, degrees, wavefronts, least_wavefronts;
    uint32_t most_lanes, most_lines, most_wavefronts; /* maybe of other warps than the worst */
    uint32_t least_sectors, least_lines;
    uint32_t count;
} summary;

static void take(summary *s, const ls_view *view, bool shared) {
    if (!view->active.may || !view->address.seen) return;
    s->sectors += view->cost.sectors;
    s->degrees += view->cost.degree;
    s->wavefronts += view->cost.wavefronts;
    s->least_wavefronts += view->cost.minimum_wavefronts;
    if (view->cost.active_lanes > s->most_lanes) s->most_lanes = view->cost.active_lanes;
    if (view->cost.lines > s->most_lines) s->most_lines = view->cost.lines;
    if (view->cost.wavefronts > s->most_wavefronts) s->most_wavefronts = view->cost.wavefronts;
    if (!s->count || view->cost.sectors_least < s->least_sectors) s->least_sectors = view->cost.sectors_least;
    if (!s->count || view->cost.lines_least < s->least_lines) s->least_lines = view->cost.lines_least;
    if (!s->count++ || badness(&view->cost, shared) > badness(&s->worst.cost, shared)) s->worst = *view;
}

/* The warps that are looked at, made when first needed. */
typedef struct {
    analysis *a;
    ls_arena arena;
    ls_warp generic, numbered[MOST_WARPS];
    bool has_generic, made[MOST_WARPS];
    uint32_t count;
    memory memory;
    const ls_ir_value *fixed; /* the loop variable that fixed_warps are of */
    ls_arena fixed_arena;
    ls_warp *fixed_warps[MOST_FIXED_WARPS];
    uint32_t fixed_stride, fixed_made;
} warps;

static ls_warp *numbered(warps *w, uint32_t i) {
    if (!w->made[i]) ls_warp_numbered(&w->numbered[i], w->a, &w->arena, i);
    w->made[i] = true;
    return &w->numbered[i];
}

static void look_at_all(warps *w, const ls_ir_access *access, ls_access_result *result, summary *s) {
    summary all = {0};
    bool shared = is_shared(access);
    for (uint32_t i = 0; i < w->count; i++) {
        ls_view view = look(&w->memory, numbered(w, i), access);
        take(&all, &view, shared);
    }
    if (!all.count || (s->count && badness(&all.worst.cost, shared) > badness(&s->worst.cost, shared)))
        return;
    *s = all;
    result->warps = all.count;
}

/* Warps in which a loop variable has one of its numbers: kept as long as accesses ask for the same variable.
 */
static ls_warp *fixed_warp(warps *w, const ls_ir_value *variable, int64_t number, uint32_t n, uint32_t i) {
    if (w->fixed != variable) {
        ls_arena_free(&w->fixed_arena);
        ls_arena_init(&w->fixed_arena);
        memset(w->fixed_warps, 0, sizeof w->fixed_warps);
        w->fixed = variable;
    }
    ls_warp **place = &w->fixed_warps[n * w->fixed_stride + i];
    if (*place) return *place;
    if (++w->fixed_made > MOST_FIXED_MADE) return NULL;
    *place = LS_NEW(&w->fixed_arena, ls_warp);
    if (w->count && w->fixed_stride == w->count)
        ls_warp_numbered(*place, w->a, &w->fixed_arena, i);
    else
        ls_warp_generic(*place, w->a, &w->fixed_arena);
    (*place)->fixed = variable;
    (*place)->fixed_to = number;
    return *place;
}

/* A loop variable that runs through known numbers, with something of the address hanging on it: the cost is
 * the worst of its iterations. */
static void look_at_iterations(warps *w, const ls_ir_access *access, ls_access_result *result, summary *s) {
    int64_t numbers[MOST_FIXED];
    const ls_ir_value *variable;
    uint32_t count = ls_loop_numbers(w->a, access, &variable, numbers, MOST_FIXED);
    if (!count || (!w->count && !w->has_generic)) return;
    summary all = {0};
    uint32_t warp_count = w->count ? w->count : 1;
    if (warp_count * count > MOST_FIXED_WARPS) { /* one that stands for all */
        if (!w->has_generic) return;
        warp_count = 1;
    }
    w->fixed_stride = warp_count;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = 0; i < warp_count; i++) {
            ls_warp *warp = fixed_warp(w, variable, numbers[n], n, i);
            if (!warp) return;
            ls_view view = look(&w->memory, warp, access);
            if (view.cost.active_lanes) take(&all, &view, is_shared(access));
        }
    bool worse = badness(&all.worst.cost, is_shared(access)) > badness(&s->worst.cost, is_shared(access));
    if (!all.count || worse) return;
    *s = all;
    result->iterations = count;
    result->warps = warp_count;
}

/* The lanes of the worst warp, for pictures. */
static void fill_lanes(const ls_view *view, ls_access_result *result) {
    const ls_lanes *address = &view->address;
    if (address->has_slack || !view->active.may) return;
    int64_t least[LANES];
    for (uint32_t g = 0; g < address->group_count; g++) least[g] = INT64_MAX;
    for (uint32_t left = view->active.may; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left), g = address->group[l];
        if (address->offset[l] < least[g]) least[g] = address->offset[l];
    }
    for (uint32_t g = 0; g < address->group_count; g++) {
        result->lane_groups += least[g] < INT64_MAX;
        least[g] &= ~INT64_C(127); /* the line in which the group begins */
    }
    memcpy(result->lane_group, address->group, sizeof result->lane_group);
    memset(result->lane_offset, -1, sizeof result->lane_offset);
    for (uint32_t left = view->active.may; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        result->lane_offset[l] = address->offset[l] - least[address->group[l]];
    }
    result->lanes_known = true;
}

/* What asynchronous units do, by the warp that costs most. */
static bool fill_unit(warps *w, ls_access_result *result) {
    const ls_access_result empty = *result;
    if (w->has_generic) return ls_fill_unit(w->a, &w->generic, result);
    for (uint32_t i = 0; i < w->count; i++) {
        ls_access_result one = empty;
        if (!ls_fill_unit(w->a, numbered(w, i), &one)) return false;
        if (!i || one.unknown || badness(&one.cost, false) > badness(&result->cost, false)) *result = one;
        if (one.unknown) return true;
    }
    return w->count;
}

static void fill_one(warps *w, const ls_ir_access *access, ls_access_result *result) {
    analysis *a = w->a;
    bool shared = is_shared(access);
    const ls_pieces pieces = ls_pieces_of(access);
    *result = (ls_access_result){
        .access = access, .bytes = pieces.count ? pieces.bytes : 0, .requests = pieces.count};
    result->base = base_name(a, access);
    if (access->space_certainty == LS_ASSUMED) a->assumptions |= LS_ASSUME_SPACE;
    if (fill_unit(w, result)) return;
    bool loaded = through_loaded_pointer(access);
    if (loaded) a->assumptions |= LS_ASSUME_LOADED;
    if ((access->space == LS_SPACE_GENERIC && !loaded) || !result->bytes || result->bytes > 64) {
        result->pattern = LS_PATTERN_UNKNOWN;
        result->unknown = access->space == LS_SPACE_GENERIC ? "the pointer's state space is not known"
                                                            : "the instruction's accesses are not modelled";
        return;
    }
    summary s = {0};
    if (w->has_generic) {
        ls_view view = look(&w->memory, &w->generic, access);
        take(&s, &view, shared);
    }
    result->cost = s.worst.cost;
    bool every = a->out->options.every_warp;
    if (!s.count || (w->count && (every || undecided(&s.worst.address, result, shared))))
        look_at_all(w, access, result, &s);
    result->cost = s.worst.cost;
    if (s.count && (every || undecided(&s.worst.address, result, shared)))
        look_at_iterations(w, access, result, &s);
    if (!s.count) { /* no lane ever gets here */
        result->pattern = LS_PATTERN_COALESCED;
        result->known = true;
        return;
    }
    result->cost = s.worst.cost;
    result->cost.sectors_mean = s.sectors / s.count;
    result->cost.degree_mean = s.degrees / s.count;
    result->cost.wavefronts_mean = s.wavefronts / s.count;
    result->cost.minimum_wavefronts_mean = s.least_wavefronts / s.count;
    if (result->warps) result->executions = s.count;
    ls_classify(a, &s.worst, result);
    fill_lanes(&s.worst, result);
    result->cost.active_lanes = s.most_lanes;
    result->cost.lines = s.most_lines;
    result->cost.wavefronts = s.most_wavefronts;
    result->cost.sectors_least = s.least_sectors;
    result->cost.lines_least = s.least_lines;
    result->single = s.most_lanes <= 1;
}

/* Addresses and conditions of all accesses in one go, so that each sweep serves all. */
static void need_all(analysis *a, ls_warp *warp) {
    LS_VEC(const ls_ir_value *) wanted = {0};
    for (uint32_t i = 0; i < a->f->access_count; i++)
        if (costs(a->f->accesses[i])) LS_VEC_PUSH(&wanted, address_operand(a->f->accesses[i])->value);
    for (uint32_t b = 0; b < a->f->block_count; b++) {
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(a->f->blocks[b], &negated);
        if (predicate) LS_VEC_PUSH(&wanted, predicate);
    }
    ls_warp_need(warp, wanted.items, wanted.length);
    LS_VEC_FREE(&wanted);
}

static void suggest(warps *w) {
    ls_warp *list[MOST_WARPS] = {&w->generic};
    uint32_t count = w->has_generic ? 1 : w->count;
    for (uint32_t i = 0; !w->has_generic && i < count; i++) list[i] = numbered(w, i);
    ls_suggest_shared(w->a, list, count);
}

void ls_fill_accesses(analysis *a) {
    const ls_ir_function *f = a->f;
    ls_analysis *out = a->out;
    out->accesses = ls_arena_alloc(&a->arena, (f->access_count + 1) * sizeof *out->accesses);
    warps *w = ls_xcalloc(1, sizeof *w);
    ls_hold(free, w);
    w->a = a;
    ls_arena_open(&w->arena);
    ls_arena_open(&w->fixed_arena);
    w->has_generic = ls_warp_generic(&w->generic, a, &w->arena);
    if (w->has_generic) need_all(a, &w->generic);
    if (out->options.block[0] && ls_warp_count(a) <= MOST_WARPS) w->count = ls_warp_count(a);
    for (uint32_t i = 0; i < f->access_count; i++)
        if (costs(f->accesses[i])) fill_one(w, f->accesses[i], &out->accesses[out->access_count++]);
    suggest(w);
    ls_fill_products(a);
    ls_fill_branch_lanes(a, w->has_generic ? &w->generic : NULL);
    ls_arena_close(&w->fixed_arena);
    ls_arena_close(&w->arena);
    ls_let_go(w);
    free(w);
}
