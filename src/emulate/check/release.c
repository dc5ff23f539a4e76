/* Order by releases and acquires (PTX's memory model: "Release and Acquire Patterns", "Causality Order").
 *
 * A release is a fence and then a strong write by the same thread, or a write that releases by itself. It
 * covers what its thread has done before the fence, and what was ordered before that: by barriers, and by
 * what the thread has acquired. The location keeps what was released with the value (a view); atomic
 * operations hand on what they find there, other strong writes replace it. A thread that reads the location
 * by a strong read has seen the release, and acquires it by a fence behind the read or by a read that
 * acquires. A fence or an access for the block counts between threads of that block only.
 *
 * Two things are more lenient than the letter of the model, because programs rely on them and devices keep
 * them: a barrier counts as a fence behind what was seen before it ("last block" reductions have none), and
 * a thread that comes from a barrier releases what the others had fenced before it. */
#include "emulate/check/release.h"
#include "emulate/check/agent.h"
#include "isa/atomic.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    view *far; /* what all may acquire; of shared memory: all that was released */
    /* what threads of each block have released in whatever scope, and those of each cluster at least for the
     * cluster: view *, by the number of the block, and of the cluster's first one */
    ls_intmap some[ORDER_FAR];
    uint32_t life; /* of `far` since it was last written by other than an atomic operation; 0: not counted */
} order_place;

/* Mostly there is nothing to be dropped or added, of any lane of a warp that meets. */
static inline void drop(view *v) {
    if (v) em_view_drop(v);
}
static inline void add(view **to, view *v) {
    if (v && v != *to) em_view_add(to, v);
}

/* --- Locations --- */
/* NULL where nothing was released there, unless it is to be. */
static order_place *place_at(order_places *t, uint64_t address, bool make) {
    uint64_t *at, value;
    if (!make) return ls_intmap_get(&t->at, address, &value) ? (order_place *)(uintptr_t)value : NULL;
    at = ls_intmap_at(&t->at, address, NULL);
    if (!*at) *at = (uintptr_t)ls_xcalloc(1, sizeof(order_place));
    return (order_place *)(uintptr_t)*at;
}

/* The threads that a reach less than all means, of those that are in the lane's. */
static uint32_t group_of(const warp *w, int reach) {
    const block_run *b = w->block;
    return (reach == ORDER_MIDDLE && b->cluster ? b->cluster->members[0] : b)->index;
}

static view *some_of(const order_place *p, const warp *w, int reach) {
    uint64_t value;
    return ls_intmap_get(&p->some[reach], group_of(w, reach), &value) ? (view *)(uintptr_t)value : NULL;
}

static void forget(order_place *p) {
    em_view_set(&p->far, NULL);
    for (int reach = 0; reach < ORDER_FAR; reach++) {
        const ls_intmap_slot *slot;
        for (uint32_t at = 0; (slot = ls_intmap_next(&p->some[reach], &at));)
            drop((view *)(uintptr_t)slot->value);
        ls_intmap_free(&p->some[reach]);
    }
    p->life = 0;
}

static void free_places(order_places *t) {
    const ls_intmap_slot *slot;
    for (uint32_t at = 0; (slot = ls_intmap_next(&t->at, &at));) {
        order_place *p = (order_place *)(uintptr_t)slot->value;
        if (p) forget(p);
        free(p);
    }
    ls_intmap_free(&t->at);
}

/* Of shared memory: that of `target`, NULL: the lane's own block. */
static order_places *table_of(const warp *w, block_run *target, bool shared, uint64_t address) {
    const bool meets = address >= ORDER_CLUSTER(1) && address <= ORDER_CLUSTER(0);
    block_run *b = meets ? w->block->cluster->members[0] : !shared ? NULL : target ? target : w->block;
    if (b) b->ordered = true;
    return b ? &b->places : &w->machine->places;
}

/* --- What a thread knows --- */
static lane_order *orders_of(warp *w) {
    if (!w->orders) {
        w->orders = ls_xrealloc(NULL, MAX_LANES * sizeof *w->orders);
        memset(w->orders, 0, MAX_LANES * sizeof *w->orders);
        w->block->ordered = true;
    }
    return w->orders;
}

/* Without clusters, a cluster is one block. */
static int reach_of(const warp *w, const ls_order *o) {
    if (o->scope > LS_REACH_CLUSTER) return ORDER_FAR;
    return o->scope == LS_REACH_CLUSTER && w->block->cluster ? ORDER_MIDDLE : ORDER_NEAR;
}

/* Only threads of the lane's own block reach the place: all scopes have them. */
static bool is_of_block(const warp *w, bool shared) {
    return shared && !w->block->cluster;
}

uint32_t em_order_tick(warp *w) {
    if (w->ticks) {
        w->ticks = false;
        w->tick += 2;
        w->sub_epoch++;
    }
    return w->tick;
}

/* Barriers that have ordered all memory. */
static uint32_t full_epoch(const block_run *b) {
    return b->full_global < b->full_epoch ? b->full_global : b->full_epoch;
}

/* What barriers for less than the block, or than the warp, order before the lane. */
static view *partly_met(const warp *w, uint32_t lane) {
    const block_run *b = w->block;
    const uint32_t warps = w->machine->warps_per_block;
    view_entry entries[MAX_THREADS + MAX_LANES];
    uint32_t n = 0;
    for (uint32_t k = 0; b->clocks && k < warps; k++)
        entries[n++] = (view_entry){VIEW_EPOCHS, (uint16_t)k, 0, em_order_clock(w, k), b->epoch, UINT64_MAX};
    for (uint32_t k = 0; w->lane_clocks && k < MAX_LANES; k++)
        entries[n++] =
            (view_entry){VIEW_MEETINGS, (uint16_t)w->index, 0, w->lane_clocks[(size_t)lane * MAX_LANES + k],
                         b->epoch,      UINT64_C(1) << k};
    return n ? em_view_new(b->index, full_epoch(b), entries, n) : NULL;
}

static void drop_fence(order_fence *f) {
    drop(f->known);
    drop(f->carried);
    *f = (order_fence){0};
}

/* A fence of the lane at this place: *f is one. */
static void put_fence(order_fence *f, const warp *w, uint32_t lane, uint32_t to) {
    const block_run *b = w->block;
    drop_fence(f);
    *f = (order_fence){.known = em_view_join(b->acquired, w->orders ? w->orders[lane].acquired : NULL),
                       .carried = b->clocks || w->lane_clocks ? partly_met(w, lane) : NULL,
                       .to = to,
                       .epoch = b->epoch,
                       .full = full_epoch(b),
                       .meets = w->warp_full,
                       .done = true};
}

static bool same_fence(const order_fence *a, const order_fence *b) {
    return a->done == b->done && a->known == b->known && a->carried == b->carried && a->to == b->to &&
           a->epoch == b->epoch && a->full == b->full && a->meets == b->meets;
}

/* Adds what the fence that the lanes have in common covers of each of them. */
static void add_fenced(view **to, const warp *w, uint64_t lanes, const order_fence *f) {
    add(to, f->carried);
    if (!f->done) return;
    const uint16_t index = (uint16_t)w->index;
    const view_entry entries[] = {{VIEW_TICKS, index, 0, f->to, f->epoch, lanes},
                                  {VIEW_MEETINGS, index, 0, f->meets, f->epoch, UINT64_MAX}};
    view *own = em_view_new(w->block->index, f->full, entries, 2);
    add(to, own);
    drop(own);
    add(to, f->known);
}

/* --- Fences --- */
static void acquire(lane_order *o, int most) {
    for (int reach = ORDER_NEAR; reach <= most; reach++) {
        add(&o->acquired, o->seen[reach]);
        em_view_set(&o->seen[reach], NULL);
    }
}

const insn *em_exec_fence(warp *w, const insn *i) {
    const ls_order *order = i->extra;
    uint64_t lanes = guard_mask(w, i);
    if (w->block->agents) em_agent_fence(w, order, (proxy_kind)i->aux, lanes);
    if (!w->descs || !order->strong || i->aux == PROXY_MBARRIER_INIT) return i + 1;
    orders_of(w);
    const int most = reach_of(w, order);
    if (order->acquires) FOR_LANES(l, lanes) acquire(&w->orders[l], most);
    if (!order->releases) return i + 1;
    uint32_t to = em_order_tick(w);
    FOR_LANES(l, lanes)
    for (int reach = ORDER_NEAR; reach <= most; reach++)
        if (reach != ORDER_MIDDLE || w->block->cluster) put_fence(&w->orders[l].fence[reach], w, l, to);
    return i + 1;
}

/* --- Strong accesses --- */
static void see(warp *w, uint32_t lane, order_place *p, const ls_order *order, bool shared) {
    lane_order *o = &orders_of(w)[lane];
    const bool whole = is_of_block(w, shared);
    const int most = reach_of(w, order);
    view *all = whole ? NULL : p->far;
    for (int reach = ORDER_NEAR; reach < ORDER_FAR; reach++) {
        if (reach == ORDER_MIDDLE && !w->block->cluster) continue;
        view *mine = whole ? p->far : some_of(p, w, reach);
        add(&o->seen[reach], mine);
        if (order->acquires && reach <= most) add(&o->acquired, mine);
    }
    add(&o->seen[ORDER_FAR], all);
    if (!order->acquires || most < ORDER_FAR || !all || all == o->latest) return;
    add(&o->acquired, all);
    em_view_set(&o->latest, em_view_hold(all));
}

/* What the lane's write releases to those of that reach; the reference is the caller's. */
static view *released(warp *w, uint32_t lane, const ls_order *order, int reach) {
    view *v = em_view_hold(w->block->fenced[reach]);
    if (w->orders) add_fenced(&v, w, UINT64_C(1) << lane, &w->orders[lane].fence[reach]);
    if (order->releases && reach <= reach_of(w, order)) {
        order_fence now = {0};
        put_fence(&now, w, lane, em_order_tick(w));
        add_fenced(&v, w, UINT64_C(1) << lane, &now);
        drop_fence(&now);
    }
    return v;
}

static void leave(view **to, view *v, bool hands_on) {
    if (hands_on)
        add(to, v);
    else
        em_view_set(to, em_view_hold(v));
}

static void leave_some(order_place *p, int reach, uint32_t group, view *v, bool hands_on) {
    uint64_t *at = ls_intmap_at(&p->some[reach], group, NULL);
    view *now = (view *)(uintptr_t)*at;
    leave(&now, v, hands_on);
    *at = (uintptr_t)now;
}

/* The write itself is before what those do who have seen it; `tick`: its descriptor's. */
static void add_write(view **to, const warp *w, uint32_t lane, uint32_t tick) {
    if (!*to || !tick) return;
    const view_entry entry = {VIEW_WRITES, (uint16_t)w->index, tick,
                              tick + 1,    w->block->epoch,    UINT64_C(1) << lane};
    view *own = em_view_new(w->block->index, 0, &entry, 1);
    add(to, own);
    drop(own);
}

/* Locations of global memory stay until the launch ends, and so do their numbers. */
static void mark_far(order_places *t, order_place *p) {
    if (t->stamps == UINT32_MAX) return;
    if (!p->life) p->life = ++t->lives;
    em_view_mark(p->far, p->life, ++t->stamps);
}

/* Whether anything was released. `tick` is that of the write, or 0 if nothing is written to memory. */
static bool publish(warp *w, uint32_t lane, const ls_order *order, order_places *table, bool shared,
                    uint64_t address, uint32_t tick) {
    const bool whole = is_of_block(w, shared);
    view *to[ORDER_REACHES] = {0};
    bool any = false;
    for (int reach = 0; reach < ORDER_REACHES; reach++) {
        if (reach == ORDER_MIDDLE && !w->block->cluster) continue;
        to[reach] =
            whole && reach == ORDER_FAR ? em_view_hold(to[ORDER_NEAR]) : released(w, lane, order, reach);
        any |= to[reach] != NULL;
    }
    order_place *p = place_at(table, address, any);
    for (int reach = 0; reach < ORDER_REACHES; reach++) add_write(&to[reach], w, lane, tick);
    if (p && !order->atomic) forget(p);
    if (any) {
        leave(&p->far, to[ORDER_FAR], order->atomic);
        if (!shared) mark_far(table, p);
        for (int reach = 0; reach < ORDER_FAR && !whole; reach++)
            if (to[reach]) leave_some(p, reach, group_of(w, reach), to[reach], order->atomic);
    }
    for (int reach = 0; reach < ORDER_REACHES; reach++) drop(to[reach]);
    return any;
}

/* Whether a compare-and-swap writes. */
static bool swaps(const warp *w, const mem_access *m, bool shared, uint64_t address, uint32_t lane) {
    if (m->op != ATOMIC_CAS || m->count != 1 || m->bytes > 8) return true;
    uint64_t is = 0, cut = m->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * m->bytes)) - 1;
    memcpy(&is,
           shared ? (w->touched ? w->touched : w->block)->shared + address : (const char *)em_host(address),
           m->bytes);
    return is == (read_lane(w, m->value[0], lane) & cut);
}

void em_order_access(warp *w, const mem_access *m, bool shared, const uint64_t *address, uint64_t lanes) {
    if (!m->order.strong || m->opaque || !w->machine->emulator->orders) return;
    order_places *table = table_of(w, w->touched, shared, 0);
    const uint32_t tick = em_strong_tick(w->tick, true);
    bool any = false;
    if (w->block->agents) em_agent_strong(w, m, shared, address, lanes);
    FOR_LANES(l, lanes) {
        for (uint32_t k = 0; k < m->count; k++) {
            uint64_t at = address[l] + (uint64_t)k * m->bytes;
            order_place *p = place_at(table, at, false);
            if (p && (m->atomic || !m->write)) see(w, l, p, &m->order, shared);
            if (m->write && (!m->atomic || swaps(w, m, shared, at, l)))
                any |= publish(w, l, &m->order, table, shared, at, tick);
        }
    }
    if (any) em_order_tick(w); /* what it writes next is not part of this release */
}

void em_order_release(warp *w, uint32_t lane, const ls_order *order, block_run *target, uint64_t address) {
    const bool shared = address != ORDER_GRID;
    if (w->descs) publish(w, lane, order, table_of(w, target, shared, address), shared, address, 0);
}

void em_order_acquire(warp *w, uint32_t lane, const ls_order *order, uint64_t address) {
    bool shared = address != ORDER_GRID;
    order_place *p = w->descs ? place_at(table_of(w, NULL, shared, address), address, false) : NULL;
    if (p) see(w, lane, p, order, shared);
}

void em_order_copied(warp *w, uint32_t lane, uint32_t since, block_run *target, uint64_t address) {
    if (!w->descs) return;
    const block_run *b = w->block;
    const view_entry entry = {VIEW_TICKS,       (uint16_t)w->index, since,
                              em_order_tick(w), b->epoch,           UINT64_C(1) << lane};
    view *v = em_view_new(b->index, 0, &entry, 1);
    order_place *p = place_at(table_of(w, target, true, address), address, true);
    if (is_of_block(w, true))
        add(&p->far, v);
    else /* for those who wait there */
        leave_some(p, ORDER_NEAR, (target ? target : w->block)->index, v, true);
    drop(v);
}

/* --- Barriers --- */
static void reset(lane_order *o) {
    drop(o->acquired);
    drop(o->latest);
    for (int reach = 0; reach < ORDER_REACHES; reach++) {
        drop(o->seen[reach]);
        drop_fence(&o->fence[reach]);
    }
    memset(o, 0, sizeof *o);
}

/* Adds what the lanes have acquired, or seen, and what they have fenced. */
static void gather(const warp *w, uint64_t lanes, view **acquired, view **fenced) {
    FOR_LANES(l, lanes) {
        const lane_order *o = &w->orders[l];
        add(acquired, o->acquired);
        for (int reach = 0; reach < ORDER_REACHES; reach++) add(acquired, o->seen[reach]);
    }
    for (int reach = 0; reach < ORDER_REACHES; reach++) {
        for (uint64_t left = lanes; left;) {
            const order_fence *f = &w->orders[first_lane(left)].fence[reach];
            uint64_t alike = 0;
            FOR_LANES(l, left) alike |= (uint64_t)same_fence(&w->orders[l].fence[reach], f) << l;
            add_fenced(&fenced[reach], w, alike, f);
            left &= ~alike;
        }
    }
}

static void hand_over(warp *w, uint64_t lanes, view *acquired, view *const *fenced) {
    if (!acquired && !fenced[ORDER_NEAR] && !fenced[ORDER_FAR]) return;
    orders_of(w);
    FOR_LANES(l, lanes) {
        lane_order *o = &w->orders[l];
        add(&o->acquired, acquired);
        for (int reach = 0; reach < ORDER_REACHES; reach++) add(&o->fence[reach].carried, fenced[reach]);
    }
}

void em_release_arrive(warp *w, uint32_t id, uint64_t lanes) {
    view **meeting = w->block->meeting[id];
    if (w->orders) gather(w, lanes, &meeting[0], meeting + 1);
}

static void barrier_of_all(block_run *b) {
    const uint32_t warps = b->warps[0].machine->warps_per_block;
    for (uint32_t k = 0; k < warps; k++) {
        const warp *w = &b->warps[k];
        if (w->orders) gather(w, w->full, &b->acquired, b->fenced);
    }
    for (uint32_t k = 0; k < warps; k++)
        for (uint32_t l = 0; b->warps[k].orders && l < MAX_LANES; l++) reset(&b->warps[k].orders[l]);
}

void em_release_barrier(block_run *b, uint32_t id, bool full) {
    if (!b->warps[0].machine->emulator->orders) return;
    const uint32_t warps = b->warps[0].machine->warps_per_block;
    if (full) barrier_of_all(b);
    for (uint32_t k = 0; k < warps && !full; k++) {
        warp *w = &b->warps[k];
        for (uint32_t p = 0; p < w->path_count; p++)
            if (w->paths[p].state == PATH_BARRIER && w->paths[p].barrier == id)
                hand_over(w, w->paths[p].mask, b->meeting[id][0], b->meeting[id] + 1);
    }
    for (int k = 0; k < 1 + ORDER_REACHES; k++) em_view_set(&b->meeting[id][k], NULL);
}

void em_release_lanes(warp *w, uint64_t members) {
    view *acquired = NULL, *fenced[ORDER_REACHES] = {0};
    if (!w->orders) return;
    members &= w->full;
    gather(w, members, &acquired, fenced);
    FOR_LANES(l, members) reset(&w->orders[l]);
    hand_over(w, members, acquired, fenced);
    drop(acquired);
    for (int reach = 0; reach < ORDER_REACHES; reach++) drop(fenced[reach]);
}

/* --- Questions --- */
bool em_order_synchronized(const warp *w, uint32_t lane, const desc *d, uint32_t other) {
    if (!w->orders && !w->block->acquired) return false;
    const view_access a = {
        d->block, d->warp, other, {d->tick, d->epoch, d->warp_epoch, d->tick & 1 ? d->tick : UINT32_MAX}};
    return em_view_covers(w->block->acquired, &a) ||
           (w->orders && em_view_covers(w->orders[lane].acquired, &a));
}

bool em_release_covers_interval(const warp *w, uint32_t lane, const desc *d) {
    return em_view_covers_interval(w->block->acquired, d->block, d->epoch) ||
           (w->orders && em_view_covers_interval(w->orders[lane].acquired, d->block, d->epoch));
}

/* --- The end --- */
/* Mostly there are none. */
static void drop_views(view **at, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (at[k]) em_view_set(&at[k], NULL);
}

void em_release_free(block_run *b, uint32_t warps) {
    if (!b->ordered) return;
    b->ordered = false;
    drop_views(&b->acquired, 1);
    drop_views(b->fenced, ORDER_REACHES);
    for (uint32_t id = 0; id < MAX_BARRIERS; id++) drop_views(b->meeting[id], 1 + ORDER_REACHES);
    free_places(&b->places);
    for (uint32_t k = 0; k < warps; k++) {
        warp *w = &b->warps[k];
        for (uint32_t l = 0; w->orders && l < MAX_LANES; l++) reset(&w->orders[l]);
        free(w->orders);
        w->orders = NULL;
    }
}

void em_order_machine_free(machine *m) {
    free_places(&m->places);
    ls_intmap_free(&m->buried);
}
