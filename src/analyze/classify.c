/* Classes of accesses: coalesced, broadcast, strided, misaligned, scattered, unknown; which of them cost
 * something; and the usual remedy. */
#include "analyze/access.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    uint32_t lanes[LANES]; /* that are active, ascending */
    uint32_t count;
    bool one_group;   /* all of them, without slack */
    bool steady;      /* neighbouring lanes are `stride` apart, all of them */
    int64_t stride;   /* the most frequent distance between neighbours in a group */
    bool dense;       /* in each group the bytes follow on each other without gaps */
    bool same;        /* all lanes access one element */
    uint32_t groups;  /* that have active lanes */
    uint32_t largest; /* lanes of the largest one */
} layout;

static void find_strides(const ls_lanes *address, layout *shape) {
    uint32_t votes = 0;
    shape->steady = shape->one_group;
    for (uint32_t i = 0; i + 1 < shape->count; i++) {
        uint32_t l = shape->lanes[i], next = shape->lanes[i + 1];
        if (address->group[l] != address->group[next]) continue;
        int64_t distance = address->offset[next] - address->offset[l];
        if (distance % (int64_t)(next - l)) {
            shape->steady = false;
            continue;
        }
        distance /= (int64_t)(next - l);
        if (i && distance != shape->stride) shape->steady = false;
        if (!votes) shape->stride = distance;
        votes = distance == shape->stride ? votes + 1 : votes - 1;
    }
}

/* Whether the bytes of every group, put in order, have no gaps. */
static bool is_dense(const ls_lanes *address, const layout *shape, uint32_t bytes) {
    for (uint32_t i = 0; i < shape->count; i++) {
        uint32_t l = shape->lanes[i];
        bool lowest = true, touches = false;
        if (address->slack[l]) continue;
        for (uint32_t k = 0; k < shape->count; k++) {
            uint32_t other = shape->lanes[k];
            if (other == l || address->group[other] != address->group[l]) continue;
            int64_t low = address->offset[other], high = low + (int64_t)address->slack[other];
            if (low < address->offset[l]) lowest = false;
            touches |= low < address->offset[l] && high + (int64_t)bytes >= address->offset[l];
        }
        if (!lowest && !touches) return false;
    }
    return true;
}

static layout layout_of(const ls_view *view, uint32_t bytes) {
    const ls_lanes *address = &view->address;
    layout shape = {.one_group = true, .same = true};
    uint8_t lanes_of[LANES] = {0};
    for (uint32_t l = 0; l < LANES; l++)
        if (view->active.may >> l & 1) shape.lanes[shape.count++] = l;
    for (uint32_t i = 0; i < shape.count; i++) {
        uint32_t l = shape.lanes[i], first = shape.lanes[0];
        shape.one_group &= address->group[l] == address->group[first] && !address->slack[l];
        shape.same &= address->offset[l] == address->offset[first];
        uint32_t size = ++lanes_of[address->group[l]];
        shape.groups += size == 1;
        if (size > shape.largest) shape.largest = size;
    }
    shape.same &= shape.one_group;
    find_strides(address, &shape);
    if (shape.steady)
        shape.dense = ls_magnitude(shape.stride) <= bytes;
    else
        shape.dense = shape.groups < shape.count && is_dense(address, &shape, bytes);
    return shape;
}

/* --- Global memory
 * ------------------------------------------------------------------------------------------------ */

static ls_pattern pattern_of(const ls_view *view, const layout *shape, ls_access_result *result) {
    const ls_access_cost *cost = &view->cost;
    uint8_t cause = view->address.cause;
    bool apart = shape->groups > 1 && shape->largest < 8; /* no rows to speak of */
    if (view->active.most <= 1) return LS_PATTERN_COALESCED;
    if (shape->same) return LS_PATTERN_BROADCAST;
    if (cost->sectors <= cost->minimum_sectors) return LS_PATTERN_COALESCED;
    if (apart && (cause & LS_CAUSE_UNKNOWN)) return LS_PATTERN_UNKNOWN;
    if (apart && (cause & LS_CAUSE_DATA)) return LS_PATTERN_SCATTERED;
    if (apart && cause != LS_CAUSE_STRIDE) return LS_PATTERN_UNKNOWN;
    bool slivers = cost->minimum_sectors < shape->groups; /* rows too short for a sector */
    if (shape->dense && !apart && cost->sectors_best <= cost->minimum_sectors) return LS_PATTERN_COALESCED;
    if (shape->dense && !apart && !slivers) return LS_PATTERN_MISALIGNED;
    if (view->address.has_slack && cost->sectors <= cost->minimum_sectors + 2) return LS_PATTERN_COALESCED;
    result->stride_known = shape->one_group || (!apart && shape->stride);
    if (result->stride_known) result->stride_bytes = shape->stride;
    return LS_PATTERN_STRIDED;
}

/* Rows of a two-dimensional block that are dense, but of which each starts anywhere. */
static bool ragged_rows(const layout *shape) {
    return shape->groups > 1 && shape->dense && shape->largest >= 8;
}

static const ls_shape *address_shape(const analysis *a, const ls_ir_access *access) {
    const ls_ir_value *value = access->instr->src[access->src].value;
    return value ? &a->shapes[value->id] : NULL;
}

static const ls_residue *coefficient(const ls_shape *shape, ls_monomial monomial) {
    for (uint32_t i = 0; shape && shape->kind == LS_SHAPE_POLY && i < shape->term_count; i++)
        if (shape->monomials[i] == monomial) return &shape->coefficients[i];
    return NULL;
}

static const char *remedy(analysis *a, const ls_access_result *r, const layout *shape) {
    const ls_shape *address = address_shape(a, r->access);
    const ls_residue *x = coefficient(address, LS_MONO_X), *y = coefficient(address, LS_MONO_Y);
    int64_t bytes = r->bytes;
    if (r->pattern == LS_PATTERN_MISALIGNED)
        return ragged_rows(shape)
                   ? "pad the pitch so that every row starts at a multiple of 32 bytes"
                   : "align the base: let the first lane's element start at a multiple of 32 bytes";
    if (r->pattern != LS_PATTERN_STRIDED) return NULL;
    if (x && y && ls_residue_is(*y, bytes))
        return "swap the roles of threadIdx.x and threadIdx.y: neighbouring threads differ in threadIdx.x";
    if (ragged_rows(shape))
        return "pad the pitch to a multiple of 32 bytes, or make the block 32 threads wide";
    if (r->access->opaque)
        return "stage the matrix through shared memory, and read whole lines of it from global memory";
    if (r->stride_known && r->stride_bytes > bytes && r->stride_bytes <= 256 &&
        r->stride_bytes % r->access->bytes == 0)
        return ls_arena_printf(
            &a->arena,
            "if these are structures of %lld bytes, make the array of structures a structure "
            "of arrays; else let neighbouring threads take neighbouring elements",
            (long long)r->stride_bytes);
    return "let neighbouring threads take neighbouring elements: make threadIdx.x the index that is not "
           "multiplied (columns, not rows), or stage the data through shared memory";
}

static void classify_global(analysis *a, const ls_view *view, ls_access_result *r) {
    layout shape = layout_of(view, r->bytes);
    r->pattern = (uint8_t)pattern_of(view, &shape, r);
    r->known = r->pattern != LS_PATTERN_UNKNOWN;
    r->single = view->active.most <= 1;
    if (r->pattern == LS_PATTERN_COALESCED && shape.steady && shape.count > 1) {
        r->stride_known = true;
        r->stride_bytes = shape.stride;
    }
    r->flagged =
        r->pattern == LS_PATTERN_STRIDED || r->pattern == LS_PATTERN_SCATTERED ||
        (r->pattern == LS_PATTERN_MISALIGNED && view->cost.sectors_best > view->cost.minimum_sectors);
    a->assumptions |= view->address.modulus ? LS_ASSUME_POINTERS : 0;
    if (r->flagged || !r->known || a->out->options.explain) r->reason = ls_access_reason(a, r, view);
    if (r->flagged) r->suggestion = remedy(a, r, &shape);
    if (!r->known) r->unknown = r->reason;
}

/* --- Shared memory
 * -------------------------------------------------------------------------------------------------- */

static void classify_shared(analysis *a, const ls_view *view, ls_access_result *r) {
    layout shape = layout_of(view, r->bytes);
    const ls_access_cost *cost = &view->cost;
    r->single = view->active.most <= 1;
    r->stride_known = shape.steady && shape.count > 1;
    r->stride_bytes = shape.stride;
    r->known = cost->degree == cost->degree_best || cost->degree_best > 1;
    r->flagged = cost->degree_best > 1;
    if (shape.same)
        r->pattern = LS_PATTERN_BROADCAST;
    else if (cost->degree <= 1)
        r->pattern = LS_PATTERN_COALESCED;
    else if (!r->known)
        r->pattern = view->address.cause & LS_CAUSE_DATA ? LS_PATTERN_SCATTERED : LS_PATTERN_UNKNOWN;
    else
        r->pattern = LS_PATTERN_STRIDED;
    if (r->flagged || !r->known || a->out->options.explain) r->reason = ls_access_reason(a, r, view);
    if (!r->known) r->unknown = r->reason;
}

void ls_classify(analysis *a, const ls_view *view, ls_access_result *result) {
    bool shared =
        result->access->space == LS_SPACE_SHARED || result->access->space == LS_SPACE_SHARED_CLUSTER;
    (shared ? classify_shared : classify_global)(a, view, result);
}
