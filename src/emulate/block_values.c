/* Values that are the same for all threads of a block: computed once when it starts, from its place in the
 * grid (003, §3.4: what is affine in the thread is a vector that never changes and a scalar). The sums of
 * them and fixed vectors that decode/affine.c makes hold as long as no 32-bit one overflows where it is
 * extended: where that is not so for this block, it runs the code without sums. */
#include "emulate/machine.h"

#include <stdlib.h>

bool em_new_values(block_run *b, const code *c) {
    b->values = calloc(c->block_ops.length + 1, sizeof *b->values);
    b->ranges = calloc(c->conditions.length + 1, sizeof *b->ranges);
    return b->values && b->ranges;
}

void em_free_values(block_run *b) {
    free(b->values);
    free(b->ranges);
}

static lane_range range_of(const block_run *b, const sum_condition *s, uint32_t warps) {
    lane_range r = {INT64_MAX, INT64_MIN, 0};
    for (uint32_t n = 0; n < warps; n++) {
        const char *at = b->warps[n].frame + s->slot;
        FOR_LANES(l, b->warps[n].full) {
            uint64_t bits = s->width == 8 ? ((const uint64_t *)(const void *)at)[l]
                                          : ((const uint32_t *)(const void *)at)[l];
            int64_t lane = s->kind == SUM_SIGNED ? (int32_t)bits : (int64_t)bits;
            if (lane < r.low) r.low = lane;
            if (lane > r.high) r.high = lane;
            r.bits |= bits;
        }
    }
    return r;
}

static bool holds(const sum_condition *s, const lane_range *r, uint64_t value) {
    switch (s->kind) {
    case SUM_SIGNED: return r->low + (int32_t)value >= INT32_MIN && r->high + (int32_t)value <= INT32_MAX;
    case SUM_UNSIGNED: return (uint64_t)r->high + (uint32_t)value <= UINT32_MAX;
    default: return !(r->bits & value);
    }
}

static uint64_t value_of(const block_run *b, const block_op *o) {
    if (o->kind == BLOCK_PLACE) return b->id[o->a];
    if (o->kind == BLOCK_FIXED) {
        const void *at = b->warps[0].frame + o->a;
        return o->width == 8 ? *(const uint64_t *)at : *(const uint32_t *)at;
    }
    uint64_t x = b->values[o->a], y = b->values[o->b];
    switch (o->kind) {
    case BLOCK_ADD: return x + y;
    case BLOCK_SUB: return x - y;
    case BLOCK_MUL: return x * y;
    case BLOCK_SHL: return y < 8u * o->width ? x << y : 0;
    case BLOCK_SHR: return y < 8u * o->width ? x >> y : 0;
    case BLOCK_AND: return x & y;
    case BLOCK_OR: return x | y;
    case BLOCK_SIGNED: return (uint64_t)(int32_t)x;
    default: return (uint32_t)x;
    }
}

void em_start_values(block_run *b, const code *c, uint32_t warps) {
    b->affine = c->affine_entry;
    if (!b->affine) return;
    for (uint32_t k = 0; k < c->conditions.length && !b->prepared; k++)
        b->ranges[k] = range_of(b, &c->conditions.items[k], warps);
    for (uint32_t k = 0; k < c->block_ops.length; k++) {
        const block_op *o = &c->block_ops.items[k];
        uint64_t value = value_of(b, o);
        b->values[k + 1] = o->width == 8 ? value : (uint32_t)value;
    }
    for (uint32_t k = 0; k < c->conditions.length && b->affine; k++) {
        const sum_condition *s = &c->conditions.items[k];
        b->affine = holds(s, &b->ranges[k], b->values[s->value]);
    }
}
