/* What orders two accesses to memory (000, §3: barriers; PTX's memory model for the rest).
 *
 * Barriers for all threads end an interval of the block: accesses in different intervals are ordered. Named
 * barriers for some of the warps, and bar.arrive, order only who came: from the first of them on every warp
 * has a clock for each other one, the intervals of that warp which are ordered before its own accesses.
 * Barriers of a warp do the same for its lanes.
 *
 * Order across blocks, or within a block without a barrier, comes from a release (fence, then an atomic or
 * volatile store) that an acquire (atomic or volatile load) follows. Which location carried it is not looked
 * at, so this errs towards order: no false alarm on "last block" reductions, locks and flags. */
#include "emulate/machine.h"

#include <stdlib.h>

enum { WARP_EPOCHS = 1 << 22 }; /* as many as a descriptor tells apart; with more, all are taken as ordered */

/* --- Barriers of the block --- */
static uint32_t *clock_of(const block_run *b, uint32_t warp_index) {
    return b->clocks + (size_t)warp_index * b->warps[0].machine->warps_per_block;
}

static uint32_t *barrier_clock(const block_run *b, uint32_t id) {
    return clock_of(b, b->warps[0].machine->warps_per_block + id);
}

static bool barrier_ordered(const warp *w, const desc *d) {
    const block_run *b = w->block;
    return d->epoch < (b->clocks ? clock_of(b, w->index)[d->warp] : b->full_epoch);
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

/* A warp comes to a barrier; what it does from now on is not before it. */
void em_order_arrive(warp *w, uint32_t id, bool partial) {
    block_run *b = w->block;
    if (!b->shadow || (!partial && !b->clocks) || !open_clocks(b)) return;
    raise(barrier_clock(b, id), clock_of(b, w->index), w->machine->warps_per_block);
    barrier_clock(b, id)[w->index] = ++b->epoch;
}

static bool waits_at(const warp *w, uint32_t id) {
    for (uint32_t p = 0; p < w->path_count; p++)
        if (w->paths[p].state == PATH_BARRIER && w->paths[p].barrier == id) return true;
    return false;
}

/* What one warp has acquired, all that waited know behind the barrier. */
static void share_acquired(block_run *b, uint32_t id, bool full) {
    uint64_t latest = 0;
    uint32_t n = b->warps[0].machine->warps_per_block;
    for (uint32_t k = 0; k < n; k++)
        if (em_acquired(&b->warps[k]) > latest && (full || waits_at(&b->warps[k], id)))
            latest = b->warps[k].acquired_at;
    for (uint32_t k = 0; latest && k < n; k++)
        if (full || waits_at(&b->warps[k], id)) b->warps[k].acquired_at = latest;
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
    share_acquired(b, id, full);
    if (full || !b->clocks) {
        b->full_epoch = b->epoch;
        b->epoch_desc = first_pending(b);
        em_race_recycle(b);
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

/* --- Fences, atomics and flags --- */
static void take_time(warp *w);

uint64_t em_acquired(const warp *w) {
    if (w->acquires) take_time(&w->block->warps[w->index]); /* the same warp */
    return w->acquired_at;
}

/* Whether a release of d's block covers d, and this warp has acquired since. */
static bool synchronized(const warp *w, const desc *d) {
    machine *m = w->machine;
    const uint64_t acquired = em_acquired(w);
    if (!acquired || !m->releases) return false;
    bool covered = false, here = d->block == w->block->index;
    pthread_mutex_lock(&m->lock);
    const release_list *list = &m->releases[d->block];
    for (uint32_t k = list->length; k-- && !covered;) {
        const release_point *r = &list->items[k];
        if (r->time < d->time) break;
        covered =
            r->time <= acquired && (r->warp == d->warp || r->epoch > d->epoch) && (here || !r->block_only);
    }
    pthread_mutex_unlock(&m->lock);
    return covered;
}

void em_order_release(warp *w, uint64_t lanes) {
    machine *m = w->machine;
    uint64_t now = atomic_fetch_add(&m->clock, 1) + 1;
    release_point r = {now, w->index, w->block->epoch, !(w->fenced & lanes) && w->block_fenced & lanes};
    pthread_mutex_lock(&m->lock);
    if (!m->releases) m->releases = calloc(m->blocks, sizeof *m->releases);
    if (m->releases) {
        LS_VEC_PUSH(&m->releases[w->block->index], r);
        atomic_store(&m->released, true);
    }
    pthread_mutex_unlock(&m->lock);
    w->fenced &= ~lanes;
    w->block_fenced &= ~lanes;
    w->sub_epoch++;
}

static void take_time(warp *w) {
    w->acquires = false;
    if (!atomic_load_explicit(&w->machine->released, memory_order_acquire)) return;
    w->acquired_at = atomic_fetch_add(&w->machine->clock, 1) + 1;
}

/* Checks come before the access itself. With several workers another one may release in between, and be seen:
 * so the time is taken when it is asked for, which is behind the access. */
void em_order_acquire(warp *w) {
    if (w->machine->parallel)
        w->acquires = true;
    else
        take_time(w);
}

/* An atomic or volatile access, behind its own check. */
void em_order_access(warp *w, const mem_access *m, uint64_t lanes) {
    if (!m->atomic && !m->is_volatile) return;
    if (m->write && (m->release || (w->fenced | w->block_fenced) & lanes)) em_order_release(w, lanes);
    if (m->atomic || !m->write) em_order_acquire(w);
}

const insn *em_exec_fence(warp *w, const insn *i) {
    uint64_t lanes = guard_mask(w, i);
    if (i->aux)
        w->block_fenced |= lanes;
    else
        w->fenced |= lanes;
    return i + 1;
}

/* --- The question itself --- */
bool em_interval_ordered(const warp *w, const desc *d) {
    return !d->pending && (barrier_ordered(w, d) || synchronized(w, d));
}

verdict em_order_of(const warp *w, const mem_access *m, const desc *d, bool same_instruction, bool shared) {
    if (d->pending) return UNORDERED;
    bool here = d->block == w->block->index, same_warp = here && d->warp == w->index;
    bool strong = d->is_volatile && (m->is_volatile || m->atomic);
    /* volatile accesses to shared memory by lanes of a warp are how lock-step was taken for granted */
    bool lock_step = shared && same_warp && !d->atomic && !m->atomic;
    if (strong && !lock_step) return ORDERED;
    if (here && barrier_ordered(w, d)) return ORDERED;
    if (!same_warp) return synchronized(w, d) ? ORDERED : UNORDERED;
    if (d->warp_epoch < w->warp_full || w->warp_epoch >= WARP_EPOCHS) return ORDERED;
    if (w->machine->options.warp_synchronous && !same_instruction) return ORDERED;
    return synchronized(w, d) ? ORDERED : SAME_WARP;
}

/* --- Blocks --- */
void em_order_block_start(block_run *b) {
    b->full_epoch = 0;
    free(b->clocks);
    b->clocks = NULL;
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
    for (uint32_t k = 0; b->warps && k < warps; k++) {
        free(b->warps[k].lane_clocks);
        LS_VEC_FREE(&b->warps[k].copies);
    }
}
