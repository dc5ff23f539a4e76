/* mbarriers for the checker of asynchronous kernels (PTX manual, "Parallel Synchronization and Communication
 * Instructions: mbarrier"): who arrives releases, who sees that the phase is over acquires what was released
 * in it and in the ones before; operations of units whose bytes it counts end with it. An arrival or a wait
 * for the block orders threads of one block only. */
#include "emulate/check/agent_state.h"

static mbarrier_state *state_of(const block_run *target, uint64_t address, bool make) {
    agents *a = target->agents;
    for (uint32_t k = 0; k < a->mbarriers.length; k++)
        if (a->mbarriers.items[k].block == target->rank && a->mbarriers.items[k].address == address)
            return &a->mbarriers.items[k];
    if (!make) return NULL;
    mbarrier_state s = {.block = target->rank, .address = (uint32_t)address, .agent = a->elements++};
    LS_VEC_PUSH(&a->mbarriers, s);
    return &a->mbarriers.items[a->mbarriers.length - 1];
}

/* --- Initialisation --- */
/* Arrivals or bytes are on their way. */
static void check_again(warp *w, const insn *i, uint32_t lane, const mbarrier_state *s, bool ends,
                        mbarrier_counts now) {
    if (now.pending == now.expected && !now.tx) return;
    em_agent_say(w, lane, LS_RULE_ASYNC_MBARRIER, LS_ERROR, i->site, s->site, ends ? 1 : 2, s->address,
                 ends ? "an mbarrier is invalidated while a phase of it is incomplete"
                      : "an mbarrier is initialised again while a phase of it is incomplete",
                 "where it was initialised");
}

void em_agent_init(warp *w, const insn *i, uint32_t lane, block_run *target, uint64_t address, bool ends,
                   mbarrier_counts now) {
    mbarrier_state *s = state_of(target, address, true);
    if (s->live)
        check_again(w, i, lane, s, ends, now);
    else if (ends)
        em_agent_say(w, lane, LS_RULE_ASYNC_MBARRIER, LS_ERROR, i->site, i->site, 3, address,
                     "an mbarrier is invalidated that was not initialised", NULL);
    em_past_drop(&s->arriving);
    em_past_drop(&s->far_arriving);
    s->live = !ends;
    s->thread = thread_number(w, lane);
    s->clock = w->block->agents->clocks[agent_warp(w)];
    s->site = i->site;
    s->announced = s->opened = false;
    s->phases++; /* the phases of the new object are not those of the old one */
    s->begun = s->phases;
    em_agent_tick(w);
}

/* --- Use --- */
bool em_agent_use(warp *w, const insn *i, uint32_t lane, block_run *target, uint64_t address, bool async) {
    mbarrier_state *s = state_of(target, address, false);
    if (!s || !s->live) {
        em_agent_say(w, lane, LS_RULE_ASYNC_MBARRIER, LS_ERROR, i->site, i->site, 4, address,
                     s ? "an mbarrier is used after it was invalidated"
                       : "an mbarrier is used that was not initialised",
                     NULL);
        return false;
    }
    const past *now = &thread_of(w, lane)->now;
    if (async && !s->announced && em_moment_at(now->fenced, s->thread) < s->clock)
        em_agent_say(w, lane, LS_RULE_ASYNC_PROXY, LS_WARNING, i->site, s->site, 6, address,
                     "a copy counts its bytes at an mbarrier whose initialisation it may not see: "
                     "fence.mbarrier_init (or fence.proxy.async) is missing after mbarrier.init",
                     "where it is initialised");
    return true;
}

static bool is_far(const warp *w, const block_run *target) {
    return w->block != target;
}

void em_agent_release(warp *w, uint32_t lane, block_run *target, uint64_t address, const ls_order *order) {
    mbarrier_state *s = state_of(target, address, false);
    if (!s) return;
    const int reach = is_far(w, target) ? AGENT_FAR : AGENT_NEAR;
    past own = {0};
    if (order->releases)
        own = em_agent_own(w, lane, &thread_of(w, lane)->now);
    else /* what a fence in front of it has released */
        em_past_set(&own, &thread_of(w, lane)->released[reach]);
    if (reach == AGENT_NEAR)
        em_past_join(&s->arriving, &own);
    else if (order->scope >= LS_REACH_CLUSTER)
        em_past_join(&s->far_arriving, &own);
    em_past_drop(&own);
    em_agent_tick(w);
}

void em_agent_acquire(warp *w, uint32_t lane, block_run *target, uint64_t address, const ls_order *order) {
    const mbarrier_state *s = state_of(target, address, false);
    agent_thread *t = thread_of(w, lane);
    if (!s) return;
    past *near = order->acquires ? &t->now : &t->seen[AGENT_NEAR]; /* for a fence behind it */
    em_past_join(near, &s->completed);
    if (order->scope >= LS_REACH_CLUSTER)
        em_past_join(order->acquires ? &t->now : &t->seen[AGENT_FAR], &s->far_completed);
    em_moment_raise(&near->known, s->agent, s->phases);
    w->block->agents->changes++;
}

void em_agent_counted(warp *w, uint32_t record, block_run *target, uint64_t address) {
    const mbarrier_state *s = state_of(target, address, false);
    access_record *r = &w->block->agents->records.items[record];
    if (!s || !record) return;
    r->agent = s->agent;
    r->clock = s->phases + 1;
}

/* cp.async.mbarrier.arrive, tcgen05.commit: the arrival takes place when the thread's operations are done. */
void em_agent_copies(warp *w, uint32_t lane, block_run *target, uint64_t address, queue_kind kind) {
    mbarrier_state *s = state_of(target, address, false);
    if (!s) return;
    past own = em_agent_copied(w, lane, kind);
    em_past_join(&s->arriving, &own);
    em_past_drop(&own);
}

void em_agent_phase(block_run *target, uint64_t address) {
    mbarrier_state *s = state_of(target, address, false);
    if (!s) return;
    s->phases++;
    em_past_join(&s->completed, &s->arriving);
    em_past_join(&s->far_completed, &s->far_arriving);
    em_past_drop(&s->arriving);
    em_past_drop(&s->far_arriving);
    target->agents->changes++;
}

/* --- The end --- */
static bool anybody_knows(const agents *a, const access_record *r) {
    for (uint32_t k = 0; k < a->blocks * a->warps * a->lanes; k++)
        if (em_moment_at(a->threads[k].now.known, r->agent) >= r->clock) return true;
    return false;
}

/* Whether some thread of the block has the access behind it. */
static bool block_knows(const agents *a, uint32_t rank, const access_record *r, uint32_t lane) {
    const uint32_t element = r->agent ? r->agent : r->thread + lane, count = a->warps * a->lanes;
    for (uint32_t k = rank * count; k < (rank + 1) * count; k++)
        if (em_moment_at(a->threads[k].now.known, element) >= r->clock) return true;
    return false;
}

/* Threads of other blocks of the cluster that may still access the block's shared memory. */
static void check_visitors(block_run *b) {
    const agents *a = b->agents;
    const machine *m = a->machine;
    const uint32_t count = a->warps * a->lanes;
    uint32_t last = 0;
    for (uint32_t at = 0; at <= m->block_bytes >> 2; at++) {
        const uint32_t sets[2] = {b->shadow.last[at], b->shadow.since[at]};
        for (int k = 0; k < 2; k++) {
            uint32_t n;
            if (!sets[k] || sets[k] == last) continue;
            last = sets[k];
            const crowd_member *members = em_crowd_get(&a->crowds, sets[k], &n);
            for (uint32_t x = 0; x < n; x++) {
                const access_record *r = &a->records.items[members[x].access];
                const uint32_t lane = first_lane(members[x].lanes);
                if (r->thread / count == b->rank || r->object || block_knows(a, b->rank, r, lane)) continue;
                em_agent_visited(b, r, lane, (uint64_t)at * 4);
            }
        }
    }
}

void em_agent_end(block_run *b) {
    agents *a = b->agents;
    if (!a) return;
    const uint32_t first = b->rank * a->warps * a->lanes, end = first + a->warps * a->lanes;
    if (a->blocks > 1) check_visitors(b);
    for (uint32_t k = 1; k < a->records.length; k++) {
        const access_record *r = &a->records.items[k];
        if (r->kind <= AGENT_COPY || r->kind == AGENT_WGMMA || r->kind >= AGENT_TENSOR_LOAD ||
            r->thread < first || r->thread >= end)
            continue;
        if (r->clock != UINT32_MAX && anybody_knows(a, r)) continue;
        warp *w = &b->warps[(r->thread - first) / a->lanes];
        em_agent_unfinished(w, r);
    }
}
