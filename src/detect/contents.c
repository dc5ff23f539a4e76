/* Whether what a rehearsed block reads of shared memory was written before: by the pieces that stores have
 * filled for certain. Who reads what another thread writes in the same barrier interval is found to meet it
 * (touches.c); in all other cases the rehearsal's order is the threads'. */
#include "detect/redirect.h"
#include "detect/rehearsal.h"

void dt_begin_contents(rehearsal *r) {
    if (r->k->contents) r->filled = ls_bitset_new(r->arena, (uint32_t)(r->k->segment >> r->granule) + 1);
}

/* Any object that the access may go to. */
static void lacks(rehearsal *r, const ls_ir_access *a) {
    const access_info *info = &r->k->accesses[a->id];
    for (uint32_t o = 0; o < r->k->object_count; o++)
        if (dt_may_be(r->k, info, o)) r->lacking[o] = true;
}

/* One thread's bytes of the segment. */
typedef struct {
    uint32_t first, last; /* pieces */
    bool there;
} pieces;

static pieces pieces_at(const rehearsal *r, int64_t at, uint32_t bytes) {
    if (at < 0 || (uint64_t)at + bytes > r->k->segment) return (pieces){1, 0, false};
    return (pieces){(uint32_t)((uint64_t)at >> r->granule),
                    (uint32_t)(((uint64_t)at + bytes - 1) >> r->granule), true};
}

static bool is_filled(const rehearsal *r, pieces p) {
    bool filled = p.there;
    for (uint32_t i = p.first; i <= p.last && filled; i++) filled = ls_bitset_has(&r->filled, i);
    return filled;
}

/* who: threads that may do it; sure: those that do. */
static void run_access(rehearsal *r, const ls_ir_access *a, const crowd *who, const crowd *sure) {
    const ls_ir_instr *instr = a->instr;
    const ls_ir_value *pointer = instr->src[a->src].value;
    const number *address = pointer ? dt_number_of(r, pointer) : NULL;
    const bool writes = a->kind == LS_ACCESS_WRITE;
    const uint32_t bytes = a->bytes * a->count;
    if (a->opaque || !bytes || !address || address->kind == UNKNOWN || !is_plain_number(address) ||
        a->kind == LS_ACCESS_ATOMIC) {
        if (a->kind != LS_ACCESS_WRITE) lacks(r, a);
        return;
    }
    spend(r, r->threads);
    for (uint32_t t = 0; t < r->threads; t++) {
        int64_t at;
        if (!crowd_has(writes ? sure : who, t)) continue;
        const bool known = dt_place_in(address, instr->src[a->src].offset, t, &at);
        const pieces p = known ? pieces_at(r, at, bytes) : (pieces){1, 0, false};
        for (uint32_t i = p.first; i <= p.last && writes; i++) ls_bitset_add(&r->filled, i);
        if (writes || is_filled(r, p)) continue;
        lacks(r, a);
        return;
    }
}

void dt_run_contents(rehearsal *r, const ls_ir_instr *instr, const crowd *who, const crowd *sure) {
    for (uint32_t i = 0; i < instr->access_count && r->k->contents; i++)
        if (r->k->accesses[instr->accesses[i].id].in_shared) run_access(r, &instr->accesses[i], who, sure);
}
