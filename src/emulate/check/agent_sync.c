/* What threads of an asynchronous kernel hand on to each other: by barriers of the block, of the warp and of
 * the cluster, and by releases and acquires (fences, strong accesses; those of mbarriers are in
 * check/phase.c).
 *
 * A release and an acquire order two threads only where the scope of each has the other thread in it, and so
 * have the write and the read that connect them (PTX manual, "Release and Acquire Patterns", "Morally Strong
 * Operations"). Between threads of one block all scopes do; between blocks of a cluster a fence or an access
 * for the block (.cta) hands nothing on. */
#include "emulate/check/agent_state.h"

#include <stdlib.h>

static bool is_for_cluster(const ls_order *order) {
    return order->scope >= LS_REACH_CLUSTER;
}

void em_agent_tick(warp *w) {
    agents *a = w->block->agents;
    a->clocks[agent_warp(w)]++;
    a->changes++;
}

past em_agent_own(warp *w, uint32_t lane, const past *from) {
    past p = {0};
    em_past_set(&p, from);
    em_moment_raise(&p.known, thread_number(w, lane), w->block->agents->clocks[agent_warp(w)]);
    return p;
}

/* --- Barriers of the block and of the warp --- */
void em_meeting_drop(agent_meeting *m) {
    em_past_drop(&m->now);
    for (int reach = 0; reach < AGENT_REACHES; reach++) em_past_drop(&m->released[reach]);
}

/* Adds what each of the lanes knows, and has done. */
static void gather(warp *w, uint64_t lanes, agent_meeting *m) {
    const uint32_t clock = w->block->agents->clocks[agent_warp(w)];
    FOR_LANES(l, lanes) {
        agent_thread *t = thread_of(w, l);
        em_past_join(&m->now, &t->now);
        for (int reach = 0; reach < AGENT_REACHES; reach++) {
            em_past_join(&m->now, &t->seen[reach]);
            em_past_join(&m->released[reach], &t->released[reach]);
        }
    }
    FOR_LANES(l, lanes) em_moment_raise(&m->now.known, thread_number(w, l), clock);
    em_agent_tick(w);
}

static void hand_over(warp *w, uint64_t lanes, const agent_meeting *m) {
    FOR_LANES(l, lanes) {
        agent_thread *t = thread_of(w, l);
        em_past_join(&t->now, &m->now);
        for (int reach = 0; reach < AGENT_REACHES; reach++) {
            em_past_join(&t->released[reach], &m->released[reach]);
            em_past_drop(&t->seen[reach]);
        }
    }
    w->block->agents->changes++;
}

void em_agent_arrive(warp *w, uint32_t id, uint64_t lanes) {
    gather(w, lanes, &w->block->agents->meeting[w->block->rank * MAX_BARRIERS + id]);
}

void em_agent_barrier(block_run *b, uint32_t id) {
    agent_meeting *meeting = &b->agents->meeting[b->rank * MAX_BARRIERS + id];
    for (uint32_t k = 0; k < b->agents->warps; k++) {
        warp *w = &b->warps[k];
        for (uint32_t p = 0; p < w->path_count; p++)
            if (w->paths[p].state == PATH_BARRIER && w->paths[p].barrier == id)
                hand_over(w, w->paths[p].mask, meeting);
    }
    em_meeting_drop(meeting);
}

void em_agent_lanes(warp *w, uint64_t members) {
    agent_meeting meeting = {0};
    members &= w->full;
    gather(w, members, &meeting);
    hand_over(w, members, &meeting);
    em_meeting_drop(&meeting);
}

/* --- Handing on at a place --- */
void em_handover_free(const agents *a, agent_handover *h) {
    em_past_drop(&h->far);
    for (uint32_t rank = 0; h->near && rank < a->blocks; rank++) em_past_drop(&h->near[rank]);
    free(h->near);
    h->near = NULL;
}

/* A thread of that block releases p. */
static void leave(const agents *a, agent_handover *h, uint32_t rank, int reach, const past *p) {
    if (reach == AGENT_FAR) {
        em_past_join(&h->far, p);
        return;
    }
    if (!h->near) h->near = ls_xcalloc(a->blocks, sizeof *h->near);
    em_past_join(&h->near[rank], p);
}

/* What threads of that block have released, to those of it. */
static void take_near(const agent_handover *h, uint32_t rank, past *to) {
    if (h->near) em_past_join(to, &h->near[rank]);
}

/* --- The barrier of the cluster --- */
/* Behind fence.mbarrier_init a relaxed arrival hands on that the thread's mbarriers are initialised, and
 * nothing else (PTX manual, "membar/fence": with barrier.cluster.arrive.relaxed as its example); behind a
 * fence of another kind, what that has released. */
static void arrive_relaxed(warp *w, uint64_t lanes, agent_handover *to) {
    const agents *a = w->block->agents;
    FOR_LANES(l, lanes) {
        const uint32_t thread = thread_number(w, l);
        for (int reach = 0; reach < AGENT_REACHES; reach++)
            leave(a, to, w->block->rank, reach, &a->threads[thread].released[reach]);
        for (uint32_t k = 0; k < a->mbarriers.length; k++) {
            const mbarrier_state *s = &a->mbarriers.items[k];
            if (s->thread == thread && s->opened) em_moment_raise(&to->far.known, s->agent, s->begun);
        }
    }
}

void em_agent_cluster_arrive(warp *w, uint64_t lanes, bool releases) {
    agents *a = w->block->agents;
    if (!releases) {
        arrive_relaxed(w, lanes, &a->cluster[0]);
        return;
    }
    agent_meeting mine = {0};
    gather(w, lanes, &mine);
    leave(a, &a->cluster[0], w->block->rank, AGENT_FAR, &mine.now);
    em_meeting_drop(&mine);
}

void em_agent_cluster_met(agents *a) {
    agent_handover *come = &a->cluster[0], *over = &a->cluster[1];
    leave(a, over, 0, AGENT_FAR, &come->far);
    for (uint32_t rank = 0; come->near && rank < a->blocks; rank++)
        leave(a, over, rank, AGENT_NEAR, &come->near[rank]);
    em_handover_free(a, come);
}

void em_agent_cluster_wait(warp *w, uint64_t lanes) {
    const agent_handover *over = &w->block->agents->cluster[1];
    agent_meeting met = {0};
    em_past_join(&met.now, &over->far);
    take_near(over, w->block->rank, &met.now);
    hand_over(w, lanes, &met);
    em_meeting_drop(&met);
}

/* --- Fences --- */
static void announce(agents *a, uint32_t thread, bool opens) {
    for (uint32_t k = 0; k < a->mbarriers.length; k++) {
        mbarrier_state *s = &a->mbarriers.items[k];
        s->announced |= s->thread == thread;
        s->opened |= opens && s->thread == thread;
    }
}

static void fence_acquires(agent_thread *t, bool far) {
    for (int reach = AGENT_NEAR; reach <= (far ? AGENT_FAR : AGENT_NEAR); reach++) {
        em_past_join(&t->now, &t->seen[reach]);
        em_past_drop(&t->seen[reach]);
    }
}

static void fence_releases(warp *w, uint32_t lane, bool far) {
    agent_thread *t = thread_of(w, lane);
    for (int reach = AGENT_NEAR; reach <= (far ? AGENT_FAR : AGENT_NEAR); reach++) {
        em_past_drop(&t->released[reach]);
        t->released[reach] = em_agent_own(w, lane, &t->now);
    }
}

void em_agent_fence(warp *w, const ls_order *order, proxy_kind proxy, uint64_t lanes) {
    agents *a = w->block->agents;
    const bool far = is_for_cluster(order), init = proxy == PROXY_MBARRIER_INIT;
    FOR_LANES(l, lanes) {
        agent_thread *t = thread_of(w, l);
        if (order->strong && order->acquires) fence_acquires(t, far);
        if (proxy == PROXY_ASYNC) {
            past own = em_agent_own(w, l, &t->now);
            em_moment_join(&t->now.fenced, own.known);
            em_past_drop(&own);
        }
        if (proxy == PROXY_ASYNC || init) announce(a, thread_number(w, l), init);
        if (order->strong && order->releases && !init) fence_releases(w, l, far);
    }
    em_agent_tick(w);
}

/* --- Strong accesses --- */
static agent_handover *place_of(agents *a, bool shared, uint32_t rank, uint64_t address, bool make) {
    bool is_new = false;
    uint64_t key = shared ? WINDOW_SHARED | (uint64_t)rank << 32 | address : address, number;
    if (!make) return ls_intmap_get(&a->places, key, &number) ? &a->released.items[number] : NULL;
    uint64_t *at = ls_intmap_at(&a->places, key, &is_new);
    if (is_new) {
        *at = a->released.length;
        LS_VEC_PUSH(&a->released, (agent_handover){0});
    }
    return &a->released.items[*at];
}

static void read_strong(warp *w, uint32_t l, const ls_order *order, const agent_handover *there) {
    agent_thread *t = thread_of(w, l);
    take_near(there, w->block->rank, order->acquires ? &t->now : &t->seen[AGENT_NEAR]);
    if (is_for_cluster(order)) em_past_join(order->acquires ? &t->now : &t->seen[AGENT_FAR], &there->far);
    w->block->agents->changes++;
}

static void write_strong(warp *w, uint32_t l, const ls_order *order, agent_handover *there) {
    const agent_thread *t = thread_of(w, l);
    past own = {0};
    if (order->releases) own = em_agent_own(w, l, &t->now);
    for (int reach = AGENT_NEAR; reach <= (is_for_cluster(order) ? AGENT_FAR : AGENT_NEAR); reach++)
        leave(w->block->agents, there, w->block->rank, reach, order->releases ? &own : &t->released[reach]);
    em_past_drop(&own);
}

static void strong_lane(warp *w, const mem_access *m, bool shared, uint64_t address, uint32_t l) {
    agents *a = w->block->agents;
    const uint32_t rank = (w->touched ? w->touched : w->block)->rank;
    const agent_handover *there = place_of(a, shared, rank, address, false);
    if (there && (m->atomic || !m->write)) read_strong(w, l, &m->order, there);
    if (!m->write) return;
    agent_handover *place = place_of(a, shared, rank, address, true);
    if (!m->atomic) em_handover_free(a, place);
    write_strong(w, l, &m->order, place);
}

void em_agent_strong(warp *w, const mem_access *m, bool shared, const uint64_t *address, uint64_t lanes) {
    FOR_LANES(l, lanes)
    for (uint32_t k = 0; k < m->count; k++) strong_lane(w, m, shared, address[l] + (uint64_t)k * m->bytes, l);
    if (m->write) em_agent_tick(w);
}
