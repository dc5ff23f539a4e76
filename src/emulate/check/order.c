/* What orders two accesses to memory (000, §3: barriers; PTX's memory model for the rest).
 *
 * Barriers for all threads end an interval of the block: accesses in different intervals are ordered. Named
 * barriers for some of the warps, and bar.arrive, order only who came: from the first of them on every warp
 * has a clock for each other one, the intervals of that warp which are ordered before its own accesses.
 * Barriers of a warp do the same for its lanes.
 *
 * Order across blocks, or within a block without a barrier, comes from releases and acquires:
 * check/release.c. */
#include "emulate/check/agent.h"
#include "emulate/check/release.h"

#include <stdlib.h>

enum { WARP_EPOCHS = 1 << 22 }; /* as many as a descriptor tells apart; with more, all are taken as ordered */

/* --- Barriers of the block --- */
static uint32_t *clock_of(const block_run *b, uint32_t warp_index) {
    return b->clocks + (size_t)warp_index * b->warps[0].machine->warps_per_block;
}

static uint32_t *barrier_clock(const block_run *b, uint32_t id) {
    return clock_of(b, b->warps[0].machine->warps_per_block + id);
}

uint32_t em_order_clock(const warp *w, uint32_t other) {
    return clock_of(w->block, w->index)[other];
}

static bool barrier_ordered(const warp *w, const desc *d, bool shared) {
    const block_run *b = w->block;
    const uint32_t full = shared ? b->full_epoch : b->full_global;
    return d->epoch < (b->clocks ? clock_of(b, w->index)[d->warp] : full);
}

static void raise(uint32_t *to, const uint32_t *from, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (from[k] > to[k]) to[k] = from[k];
}

/* The first barrier that is not for all threads: from here on warps have clocks. */
static bool open_clocks(block_run *b) {
    uint32_t n = b->warps[0].machine->warps_per_block;
    if (b->clocks) return true;
    b->clocks = calloc((size_t)(n + MAX_BARRIERS) * n, sizeof *b->clocks);
    for (uint32_t k = 0; b->clocks && k < n * n; k++) b->clocks[k] = b->full_epoch;
    return b->clocks != NULL;
}

/* Lanes of a warp reach a barrier; what they do from now on is not before it. */
void em_order_arrive(warp *w, uint32_t id, uint64_t lanes, bool partial) {
    block_run *b = w->block;
    if (b->agents) em_agent_arrive(w, id, lanes);
    if (!b->shadow.last || (!partial && !b->clocks) || !open_clocks(b)) return;
    em_release_arrive(w, id, lanes);
    raise(barrier_clock(b, id), clock_of(b, w->index), w->machine->warps_per_block);
    barrier_clock(b, id)[w->index] = ++b->epoch;
}

static bool waits_at(const warp *w, uint32_t id) {
    for (uint32_t p = 0; p < w->path_count; p++)
        if (w->paths[p].state == PATH_BARRIER && w->paths[p].barrier == id) return true;
    return false;
}

/* Descriptors below it are of earlier intervals, and of copies that have been waited for. */
static uint32_t first_pending(const block_run *b) {
    uint32_t first = b->desc_count;
    for (uint32_t k = 0; k < b->warps[0].machine->warps_per_block; k++)
        for (uint32_t n = 0; n < b->warps[k].copies.length; n++) {
            const async_copy *c = &b->warps[k].copies.items[n];
            if (c->shared && c->desc < first) first = c->desc;
        }
    return first;
}

/* The barrier is complete; the warps that wait at it have not gone on yet. */
void em_order_barrier(block_run *b, uint32_t id, bool full) {
    uint32_t n = b->warps[0].machine->warps_per_block;
    b->epoch++;
    if (b->agents) em_agent_barrier(b, id);
    em_release_barrier(b, id, full || !b->clocks);
    if (full || !b->clocks) {
        if (b->barriers[id].fences & FENCE_GLOBAL) b->full_global = b->epoch;
        if (b->barriers[id].fences & FENCE_SHARED) {
            b->full_epoch = b->epoch;
            b->epoch_desc = first_pending(b);
            em_race_recycle(b);
        }
        for (uint32_t k = 0; b->clocks && k < n * n; k++) b->clocks[k] = b->epoch;
    } else {
        for (uint32_t k = 0; k < n; k++)
            if (waits_at(&b->warps[k], id)) raise(clock_of(b, k), barrier_clock(b, id), n);
    }
    for (uint32_t k = 0; b->clocks && k < n; k++) barrier_clock(b, id)[k] = 0;
}

/* --- Barriers of a warp --- */
static bool open_lanes(warp *w) {
    if (w->lane_clocks) return true;
    w->lane_clocks = malloc(sizeof *w->lane_clocks * MAX_LANES * MAX_LANES);
    for (uint32_t k = 0; w->lane_clocks && k < MAX_LANES * MAX_LANES; k++) w->lane_clocks[k] = w->warp_full;
    return w->lane_clocks != NULL;
}

/* These lanes have met. */
void em_order_lanes(warp *w, uint64_t members) {
    uint32_t now = ++w->warp_epoch, met[MAX_LANES] = {0};
    w->sub_epoch++;
    if (w->block->agents) em_agent_lanes(w, members);
    em_release_lanes(w, members);
    if (!(w->live & ~members) || !open_lanes(w)) {
        w->warp_full = now;
        return;
    }
    FOR_LANES(l, members) raise(met, w->lane_clocks + (size_t)l * MAX_LANES, MAX_LANES);
    FOR_LANES(l, members) met[l] = now;
    FOR_LANES(l, members) memcpy(w->lane_clocks + (size_t)l * MAX_LANES, met, sizeof met);
}

bool em_lanes_ordered(const warp *w, uint32_t lane, uint32_t other, uint32_t epoch) {
    if (!w->lane_clocks) return false;
    const uint32_t *clock = w->lane_clocks + (size_t)lane * MAX_LANES;
    if (other != NO_SLOT) return epoch < clock[other];
    for (uint32_t k = 0; k < MAX_LANES; k++)
        if (k != lane && epoch < clock[k]) return true;
    return false;
}

/* --- The question itself --- */
bool em_interval_ordered(const warp *w, const desc *d, uint32_t lane, bool shared) {
    return !d->pending && (barrier_ordered(w, d, shared) || em_release_covers_interval(w, lane, d));
}

static bool is_in_cluster(const cluster_run *c, uint32_t block) {
    for (uint32_t r = 0; c && r < c->count; r++)
        if (c->members[r]->index == block) return true;
    return false;
}

bool em_order_strong(const warp *w, const mem_access *m, const desc *d, bool shared) {
    if (!d->strong || !m->order.strong) return false;
    const bool far = d->block != w->block->index;
    ls_reach between = far ? is_in_cluster(w->block->cluster, d->block) ? LS_REACH_CLUSTER : LS_REACH_GPU
                       : d->warp != w->index ? LS_REACH_BLOCK
                                             : LS_REACH_WARP;
    const ls_order *other = &w->machine->emulator->order_of_memory.items[d->site];
    return ls_morally_strong(&m->order, other, between, shared);
}

verdict em_order_of(const warp *w, const mem_access *m, const desc *d, bool same_instruction, bool shared) {
    if (d->pending) return UNORDERED;
    bool here = d->block == w->block->index, same_warp = here && d->warp == w->index;
    if (em_order_strong(w, m, d, shared)) return ORDERED;
    if (here && barrier_ordered(w, d, shared)) return ORDERED;
    if (!same_warp) return w->orders || w->block->acquired ? BY_RELEASE : UNORDERED;
    if (d->warp_epoch < w->warp_full || w->warp_epoch >= WARP_EPOCHS) return ORDERED;
    if (w->machine->options.warp_synchronous && !same_instruction) return ORDERED;
    return SAME_WARP;
}

/* --- Blocks --- */
void em_order_block_start(block_run *b) {
    b->full_epoch = b->full_global = 0;
    free(b->clocks);
    b->clocks = NULL;
    em_release_free(b, b->warps[0].machine->warps_per_block);
    em_agents_start(b);
    for (uint32_t k = 0; k < b->warps[0].machine->warps_per_block; k++) {
        warp *w = &b->warps[k];
        if (w->lane_clocks) free(w->lane_clocks);
        w->lane_clocks = NULL;
        if (!w->copied) continue;
        w->copied = false;
        w->copies.length = 0;
        memset(w->async_groups, 0, sizeof w->async_groups);
    }
}

void em_order_free(block_run *b, uint32_t warps) {
    free(b->clocks);
    em_agents_free(b->agents);
    if (b->warps) em_release_free(b, warps);
    for (uint32_t k = 0; b->warps && k < warps; k++) {
        free(b->warps[k].lane_clocks);
        LS_VEC_FREE(&b->warps[k].copies);
    }
}
