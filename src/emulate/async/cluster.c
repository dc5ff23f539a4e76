/* Clusters: blocks that run together and see each other's shared memory. An address of shared memory has the
 * rank of its block plus one in the bits from 24 on; 0 there means the block's own. */
#include "emulate/check/agent.h"

enum { RANK_SHIFT = 24 };

block_run *em_cluster_owner(const warp *w, uint64_t *address) {
    const uint64_t rank = *address >> RANK_SHIFT;
    const cluster_run *c = w->block->cluster;
    if (!rank) return w->block;
    *address &= (UINT64_C(1) << RANK_SHIFT) - 1;
    if (!c) return rank == 1 ? w->block : NULL;
    return rank <= c->count ? c->members[rank - 1] : NULL;
}

uint64_t em_cluster_address(uint32_t rank) {
    return (uint64_t)(rank + 1) << RANK_SHIFT;
}

bool em_cluster_is_open(const warp *w) {
    const machine *m = w->machine;
    return !m->explicit_cluster && !m->emulator->borrows_space; /* a program's launches say it */
}

const insn *em_exec_mapa(warp *w, const insn *i) {
    const uint32_t count = w->block->cluster ? w->block->cluster->count : 1;
    const uint64_t low = (UINT64_C(1) << RANK_SHIFT) - 1;
    FOR_LANES(l, w->mask) {
        uint32_t rank = slot32(w, i->b)[l];
        uint64_t a = i->aux == 8 ? slot64(w, i->a)[l] : slot32(w, i->a)[l];
        if (rank >= count && em_cluster_is_open(w))
            return em_stop(
                w, i, LS_EMU_UNSUPPORTED,
                "mapa: block %u of a cluster, and the size of the clusters is not known (--cluster)", rank);
        if (rank >= count)
            return em_stop(w, i, LS_EMU_TRAPPED, "mapa: there is no block %u in a cluster of %u (--cluster)",
                           rank, count);
        if (w->block->cluster) a = (a & WINDOW_MASK) | (a & low) | (uint64_t)(rank + 1) << RANK_SHIFT;
        if (i->aux == 8)
            slot64(w, i->d)[l] = a;
        else
            slot32(w, i->d)[l] = (uint32_t)a;
    }
    return i + 1;
}

/* The rank of the block that an address belongs to. */
const insn *em_exec_getctarank(warp *w, const insn *i) {
    FOR_LANES(l, w->mask) {
        uint64_t a = (i->aux == 8 ? slot64(w, i->a)[l] : slot32(w, i->a)[l]) & ~WINDOW_MASK;
        const block_run *owner = em_cluster_owner(w, &a);
        slot32(w, i->d)[l] = owner ? owner->rank : w->block->rank;
    }
    return i + 1;
}

uint64_t em_cluster_same(const warp *w, const uint64_t *address, uint64_t mask) {
    const uint64_t rank = (address[first_lane(mask)] & ~WINDOW_MASK) >> RANK_SHIFT;
    uint64_t same = 0;
    if (!w->block->cluster) return mask;
    FOR_LANES(l, mask) same |= (uint64_t)((address[l] & ~WINDOW_MASK) >> RANK_SHIFT == rank) << l;
    return same;
}

void em_cluster_place(const machine *m, uint64_t number, uint32_t rank, uint32_t *id) {
    const uint32_t *c = m->cluster;
    const uint32_t within[3] = {rank % c[0], rank / c[0] % c[1], rank / c[0] / c[1]};
    for (int k = 0; k < 3; k++) {
        const uint32_t clusters = m->launch->grid[k] / c[k];
        id[k] = (uint32_t)(number % clusters) * c[k] + within[k];
        number /= clusters;
    }
}

/* --- Its barrier --- */
static uint32_t live_threads(const cluster_run *c) {
    uint32_t live = 0;
    for (uint32_t k = 0; k < c->count; k++) live += c->members[k]->live_threads;
    return live;
}

/* Where all threads that have not ended have come, the next phase begins. */
static void settle(block_run *b) {
    cluster_run *c = b->cluster;
    if (!c->arrived || c->arrived < live_threads(c)) return;
    c->arrived = 0;
    c->phase++;
    if (b->agents) em_agent_cluster_met(b->agents);
}

bool em_cluster_over(const block_run *b, uint32_t phase) {
    const cluster_run *c = b->cluster;
    return c->phase != phase || (c->arrived && c->arrived >= live_threads(c));
}

static const ls_order cluster_order = {
    .strong = true, .atomic = true, .acquires = true, .releases = true, .scope = LS_REACH_CLUSTER};
static const ls_order relaxed_order = {.strong = true, .atomic = true, .scope = LS_REACH_CLUSTER};

const insn *em_exec_cluster_arrive(warp *w, const insn *i) {
    const uint64_t lanes = guard_mask(w, i);
    cluster_run *c = w->block->cluster;
    if (!lanes || !c) return i + 1;
    if (w->block->agents) em_agent_cluster_arrive(w, lanes, !i->aux);
    FOR_LANES(l, lanes) {
        w->cluster_phase[l] = c->phase;
        em_order_release(w, l, i->aux ? &relaxed_order : &cluster_order, NULL, ORDER_CLUSTER(c->phase));
    }
    c->arrived += lane_count(lanes);
    w->changed = true;
    settle(w->block);
    return i + 1;
}

/* A block that is alone waits for itself, at a barrier of its own: what is done between arrive and wait
 * counts as done before. */
const insn *em_exec_cluster_wait(warp *w, const insn *i) {
    const uint64_t lanes = guard_mask(w, i);
    if (!lanes) return i + 1;
    if (!w->block->cluster) return em_exec_barrier(w, i);
    settle(w->block);
    FOR_LANES(l, lanes) {
        if (w->block->cluster->phase != w->cluster_phase[l]) continue;
        em_wait_missed(w, (missed_wait){i, NULL, 0, w->cluster_phase[l], l});
        return em_exec_yield(w, i - 1);
    }
    FOR_LANES(l, lanes) em_order_acquire(w, l, &cluster_order, ORDER_CLUSTER(w->cluster_phase[l]));
    if (w->block->agents) em_agent_cluster_wait(w, lanes);
    return i + 1;
}
