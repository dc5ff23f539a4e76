/* Threads and asynchronous units in shared memory: who is ordered before whom.
 *
 * Every thread has a past (check/past.h). What hands it on: barriers of the block and of the warp, releases
 * and acquires by fences, atomics and mbarriers, the barrier of the cluster (check/agent_sync.c). A unit's
 * operation is an access at an element of the clocks that no thread has of itself: the number of its group in
 * the queue of the thread that committed it, or the phase of its mbarrier. Who waits for the group or the
 * phase gets the number.
 *
 * Proxies (PTX manual, "Proxies"; "Causality order"): ordinary accesses and those of the units go different
 * ways to memory. A unit's access is ordered behind an ordinary one only where a proxy fence is on the way
 * between them; the end of a unit's operation is one by itself. */
#include "emulate/check/agent_state.h"
#include "emulate/check/race.h"

#include <stdlib.h>
#include <string.h>

/* --- State --- */
static void forget_all(agents *a) {
    for (uint32_t k = 0; k < a->blocks * a->warps * a->lanes; k++) {
        agent_thread *t = &a->threads[k];
        em_past_drop(&t->now);
        for (int reach = 0; reach < AGENT_REACHES; reach++)
            em_past_drop(&t->seen[reach]), em_past_drop(&t->released[reach]);
    }
    for (uint32_t k = 0; k < a->blocks * MAX_BARRIERS; k++) em_meeting_drop(&a->meeting[k]);
    for (int k = 0; k < 2; k++) em_handover_free(a, &a->cluster[k]);
    for (uint32_t k = 0; k < a->blocks * a->warps * QUEUE_COUNT; k++) {
        LS_VEC_FREE(&a->queues[k].groups);
        LS_VEC_FREE(&a->queues[k].writes);
    }
    for (uint32_t k = 0; k < a->mbarriers.length; k++) {
        mbarrier_state *b = &a->mbarriers.items[k];
        em_past_drop(&b->arriving), em_past_drop(&b->completed);
        em_past_drop(&b->far_arriving), em_past_drop(&b->far_completed);
    }
    for (uint32_t k = 0; k < a->released.length; k++) em_handover_free(a, &a->released.items[k]);
    ls_intmap_free(&a->places);
    em_crowds_free(&a->crowds);
}

void em_agents_free(agents *a) {
    if (!a || --a->users) return;
    forget_all(a);
    LS_VEC_FREE(&a->mbarriers);
    LS_VEC_FREE(&a->released);
    LS_VEC_FREE(&a->maps);
    LS_VEC_FREE(&a->records);
    free(a->threads);
    free(a->clocks);
    free(a->meeting);
    free(a->cache);
    free(a->queues);
    free(a->members);
    free(a);
}

static agents *new_agents(machine *m, uint32_t blocks) {
    agents *a = ls_xcalloc(1, sizeof *a);
    a->machine = m;
    a->users = 1;
    a->blocks = blocks;
    a->warps = m->warps_per_block;
    a->lanes = m->warp_size;
    const uint32_t warps = blocks * a->warps, threads = warps * a->lanes;
    a->members = ls_xcalloc(blocks, sizeof(block_run *));
    a->threads = ls_xcalloc(threads, sizeof *a->threads);
    a->clocks = ls_xcalloc(warps, sizeof *a->clocks);
    a->meeting = ls_xcalloc((size_t)blocks * MAX_BARRIERS, sizeof *a->meeting);
    a->cache = ls_xcalloc((size_t)warps * (m->emulator->memory_sites + 1), sizeof *a->cache);
    a->queues = ls_xcalloc((size_t)warps * QUEUE_COUNT, sizeof *a->queues);
    for (uint32_t k = 0; k < warps; k++) a->clocks[k] = 1;
    a->elements = threads;
    a->changes = 1;
    LS_VEC_PUSH(&a->records, (access_record){0});
    return a;
}

bool em_agents_start(block_run *b) {
    machine *m = b->warps[0].machine;
    if (!m->agents) return true;
    em_agents_free(b->agents);
    if (b->rank) {
        b->agents = b->cluster->members[0]->agents;
        b->agents->users++;
    } else {
        b->agents = new_agents(m, b->cluster ? b->cluster->count : 1);
    }
    b->agents->members[b->rank] = b;
    return true;
}

/* --- Who has accessed --- */
enum { MOST_RECORDS = 1 << 23 }; /* of a block or cluster; then checking ends, and a note says so */

static uint32_t new_record(agents *a, access_record r) {
    if (a->records.length >= MOST_RECORDS) {
        a->machine->desc_overflow = true;
        return 0;
    }
    LS_VEC_PUSH(&a->records, r);
    return a->records.length - 1;
}

static uint32_t record_of(warp *w, const mem_access *m) {
    agents *a = w->block->agents;
    const uint32_t clock = a->clocks[agent_warp(w)];
    desc_cache *c =
        &a->cache[(size_t)agent_warp(w) * (a->machine->emulator->memory_sites + 1) + m->memory_site];
    if (c->stamp == clock) return c->index;
    access_record r = {.thread = thread_number(w, 0),
                       .site = m->memory_site,
                       .clock = clock,
                       .write = m->write,
                       .atomic = m->atomic,
                       .strong = m->order.strong,
                       .object = m->atomic && m->opaque,
                       .ends = m->atomic && m->opaque && !m->order.strong && m->order.atomic};
    c->stamp = clock;
    return c->index = new_record(a, r);
}

uint32_t em_agent_issue(warp *w, const mem_access *m, uint32_t lane, agent_kind kind) {
    agents *a = w->block->agents;
    access_record r = {.thread = thread_number(w, 0),
                       .site = m->memory_site,
                       .clock = UINT32_MAX,
                       .kind = (uint8_t)kind,
                       .lane = (uint8_t)lane,
                       .write = m->write,
                       .atomic = m->atomic};
    return new_record(a, r);
}

/* --- Cells --- */
/* One access to one word. */
typedef struct {
    warp *w;
    const mem_access *m;
    uint32_t record, lane, bytes;
    const past *before;
    uint64_t address;
    /* an ordinary access: */
    const block_run *target;
    const uint64_t *addresses; /* of the lanes in mask */
    uint64_t mask;
    bool by_value; /* something depended on what was written */
} touch;

typedef enum { IS_BEFORE, NEEDS_FENCE, IS_UNORDERED } standing;

/* An mbarrier may be invalidated when a lane of the warp that has used it says so: libcu++'s pipelines take
 * theirs down when one lane of every warp, which the others have met at a match.sync, has counted itself out.
 * That such an instruction orders memory is written nowhere; an mbarrier holds nothing that could come late.
 */
static bool warp_says(const touch *t, const access_record *mine, const access_record *other) {
    bool says = mine->thread == other->thread;
    for (uint32_t l = 0; l < t->w->block->agents->lanes && !says; l++)
        says = em_moment_at(t->before->known, other->thread + l) >= other->clock;
    return says;
}

/* The other one is the initialisation of the mbarrier, of which is known that it is over. */
static bool knows_of_init(const touch *t, const access_record *other, uint32_t thread) {
    const agents *a = t->w->block->agents;
    if (!other->object || other->strong || other->ends) return false;
    for (uint32_t k = 0; k < a->mbarriers.length; k++) {
        const mbarrier_state *s = &a->mbarriers.items[k];
        if (s->thread == thread && s->opened && (s->address ^ t->address) < 8)
            return em_moment_at(t->before->known, s->agent) >= s->begun;
    }
    return false;
}

static standing stands(const touch *t, const access_record *mine, const access_record *other, uint32_t lane) {
    if (other->kind == AGENT_TENSOR_UNIT && other->agent == mine->agent) return IS_BEFORE;
    if (other->agent || other->clock == UINT32_MAX)
        return other->clock != UINT32_MAX &&
                       em_moment_at(t->before->known,
                                    other->agent + (other->kind == AGENT_COPY ? lane : 0)) >= other->clock
                   ? IS_BEFORE
                   : IS_UNORDERED;
    const uint32_t thread = other->thread + lane;
    const bool own = thread == mine->thread + t->lane;
    if (mine->ends && other->object && warp_says(t, mine, other)) return IS_BEFORE;
    if (!own && em_moment_at(t->before->known, thread) < other->clock)
        return mine->object && knows_of_init(t, other, thread) ? IS_BEFORE : IS_UNORDERED;
    if (mine->kind <= AGENT_COPY || em_moment_at(t->before->fenced, thread) >= other->clock) return IS_BEFORE;
    return NEEDS_FENCE;
}

static bool both_strong(const touch *t, const access_record *mine, const access_record *other) {
    if (!mine->strong || !other->strong) return false;
    const ls_order *order = t->w->machine->emulator->order_of_memory.items;
    const agents *a = t->w->block->agents;
    const uint32_t per_block = a->warps * a->lanes;
    const ls_reach between = mine->thread == other->thread                           ? LS_REACH_WARP
                             : mine->thread / per_block == other->thread / per_block ? LS_REACH_BLOCK
                                                                                     : LS_REACH_CLUSTER;
    return ls_morally_strong(&order[mine->site], &order[other->site], between, true);
}

/* Two ordinary writes of the same value. */
static bool writes_the_same(touch *t, const access_record *mine, const access_record *other,
                            uint32_t other_lane) {
    const machine *mc = t->w->machine;
    const ls_order *order = mc->emulator->order_of_memory.items;
    if (!t->addresses || other->kind || !other->write || other->atomic || !mine->write || mine->atomic ||
        mc->options.benign_error || order[mine->site].bytes != order[other->site].bytes)
        return false;
    const bool now = mine == other && other_lane < t->lane && t->mask >> other_lane & 1 &&
                     t->addresses[other_lane] == t->addresses[t->lane];
    t->by_value = true;
    return em_same_value(t->w, t->m, t->lane, now ? other_lane : NO_LANE,
                         t->target->shared + t->addresses[t->lane]);
}

/* Looks at one member; true where all of its lanes are before this access. */
static bool look(touch *t, const crowd_member *member, hazard kind) {
    const access_record *records = t->w->block->agents->records.items;
    const access_record *mine = &records[t->record], *other = &records[member->access];
    /* nothing is told of two reads, and of two strong ones */
    const bool silent = (kind == HAZARD_READ && !other->write) || both_strong(t, mine, other);
    bool all = true, told = false, told_same = false;
    FOR_LANES(l, member->lanes) {
        if (!all && (told || silent)) break;
        if (member->access == t->record && (l == t->lane || mine->kind)) continue;
        standing s = stands(t, mine, other, l);
        all &= s == IS_BEFORE;
        if (s == IS_BEFORE || silent) continue;
        const bool same = kind == HAZARD_WRITE && s == IS_UNORDERED && writes_the_same(t, mine, other, l);
        if (same && told_same) continue;
        told |= !same;
        told_same |= same;
        em_agent_race(t->w, t->m, mine, t->lane, other, l, same ? HAZARD_SAME_WRITE : kind, s == NEEDS_FENCE,
                      t->address);
    }
    return all;
}

static uint32_t add(crowd_member *list, uint32_t n, crowd_member m) {
    for (uint32_t k = 0; k < n; k++)
        if (list[k].access == m.access && list[k].bytes == m.bytes) {
            list[k].lanes |= m.lanes;
            return n;
        }
    if (n == CROWD_MOST) return n;
    list[n] = m;
    return n + 1;
}

/* Who is in the set once this access is made: those that are before it need not be kept (`keeps` false), nor,
 * where it is a plain write, anybody whose bytes it has written. */
static uint32_t after(touch *t, uint32_t number, hazard kind, bool joins, bool replaces) {
    agents *a = t->w->block->agents;
    uint32_t count, n = 0;
    crowd_member list[CROWD_MOST];
    const crowd_member *members = em_crowd_get(&a->crowds, number, &count);
    for (uint32_t k = 0; k < count; k++) {
        crowd_member m = members[k];
        bool before = true;
        if (m.bytes & t->bytes) before = look(t, &m, kind);
        /* one that is strong does not stand for one that is not */
        const bool stands_for = !a->records.items[t->record].strong || a->records.items[m.access].strong;
        if (m.bytes & t->bytes && (replaces || (joins && before && stands_for))) m.bytes &= ~t->bytes;
        if (m.bytes) n = add(list, n, m);
    }
    const crowd_member me = {t->record, t->bytes, UINT64_C(1) << t->lane};
    if (joins) n = add(list, n, me);
    return em_crowd_of(&a->crowds, list, n);
}

static void touch_word(touch *t, shadow_planes p, uint64_t word) {
    agents *a = t->w->block->agents;
    agent_memo *m = &a->memo[2 * t->lane + (t->address >> 2 & 1)];
    const cell from = {p.last[word], p.since[word]};
    cell to = from;
    if (m->changes == a->changes && m->record == t->record && m->lane == t->lane && m->bytes == t->bytes &&
        m->from.write == from.write && m->from.read == from.read) {
        to = m->to;
    } else {
        const access_record *mine = &a->records.items[t->record];
        if (mine->write) {
            const bool plain = !mine->atomic;
            to.write = after(t, from.write, HAZARD_WRITE, true, plain);
            to.read = after(t, from.read, HAZARD_WRITE_AFTER_READ, false, plain);
        } else {
            after(t, from.write, HAZARD_READ, false, false);
            to.read = after(t, from.read, HAZARD_READ, true, false);
        }
        *m = (agent_memo){t->by_value ? 0 : a->changes, t->record, t->lane, t->bytes, from, to};
        t->by_value = false;
    }
    p.last[word] = to.write;
    p.since[word] = to.read;
}

/* The bytes from `address` on, word by word. */
static void touch_bytes(touch *t, block_run *target, uint64_t address, uint64_t bytes) {
    if (!t->record) return; /* there are too many */
    for (uint64_t at = address & ~UINT64_C(3); at < address + bytes; at += 4) {
        uint32_t mask = 15;
        if (at < address) mask &= 15u << (address - at);
        if (at + 4 > address + bytes) mask &= 15u >> (at + 4 - address - bytes);
        t->bytes = mask;
        t->address = at < address ? address : at;
        touch_word(t, target->shadow, at >> 2);
    }
}

/* --- Accesses --- */
static bool was_written(const block_run *target, uint64_t address, uint64_t bytes) {
    for (uint64_t at = address & ~UINT64_C(3); at < address + bytes; at += 4)
        if (target->shadow.last[at >> 2]) return true;
    return false;
}

static void check_written(warp *w, const mem_access *m, const block_run *target, const uint64_t *address,
                          uint64_t mask) {
    if (m->write || m->copied || !(w->machine->options.checks & LS_CHECK_UNINIT)) return;
    FOR_LANES(l, mask)
    if (!was_written(target, address[l], (uint64_t)m->bytes * m->count))
        em_race_uninitialized_at(w, m, address, l);
}

void em_agent_access(warp *w, const mem_access *m, block_run *target, const uint64_t *address,
                     uint64_t mask) {
    check_written(w, m, target, address, mask);
    touch t = {
        .w = w, .m = m, .record = record_of(w, m), .target = target, .addresses = address, .mask = mask};
    FOR_LANES(l, mask) {
        t.lane = l;
        if (target->over) em_agent_visited(target, &w->block->agents->records.items[t.record], l, address[l]);
        t.before = &thread_of(w, l)->now;
        touch_bytes(&t, target, address[l], (uint64_t)m->bytes * m->count);
    }
}

void em_agent_range(warp *w, uint32_t record, const mem_access *m, uint64_t lanes, block_run *target,
                    uint64_t address, uint64_t bytes) {
    past before = {0};
    if (address > w->machine->block_bytes || bytes > w->machine->block_bytes - address) return;
    FOR_LANES(l, lanes) em_past_join(&before, &thread_of(w, l)->now);
    touch t = {.w = w, .m = m, .record = record, .lane = first_lane(lanes), .before = &before};
    if (target->over)
        em_agent_visited(target, &w->block->agents->records.items[record], first_lane(lanes), address);
    touch_bytes(&t, target, address, bytes);
    em_past_drop(&before);
}

/* --- Groups --- */
static agent_queue *queue_of(const warp *w, queue_kind kind) {
    const uint32_t first = kind == QUEUE_WGMMA ? w->index & ~3u : w->index; /* of a warpgroup */
    const agents *a = w->block->agents;
    return &a->queues[(w->block->rank * a->warps + first) * QUEUE_COUNT + kind];
}

static agent_queue *own_queue(const warp *w, queue_kind kind) {
    const agents *a = w->block->agents;
    return &a->queues[agent_warp(w) * QUEUE_COUNT + kind];
}

/* The elements of the clocks: of warps one, else one for each lane. */
static agent_queue *elements_of(const warp *w, queue_kind kind) {
    agents *a = w->block->agents;
    agent_queue *q = queue_of(w, kind);
    if (!q->full) {
        q->read = a->elements;
        q->full = a->elements + a->lanes;
        a->elements += 2 * a->lanes;
    }
    return q;
}

void em_agent_enqueue(warp *w, uint32_t record, uint32_t lane, queue_kind kind, bool reads) {
    const agent_queue *e = elements_of(w, kind);
    access_record *r = &w->block->agents->records.items[record];
    const uint32_t at = kind >= QUEUE_WGMMA ? 0 : lane;
    r->agent = (reads ? e->read : e->full) + at;
    r->clock = own_queue(w, kind)->number + 1;
}

void em_agent_global(warp *w, const mem_access *m, uint32_t lane, queue_kind kind) {
    agent_queue *q = own_queue(w, kind);
    if (m->atomic) return; /* reductions do not race with each other */
    const agent_write one = {em_race_pending(w, m, false), q->number + 1, lane};
    if (one.desc) LS_VEC_PUSH(&q->writes, one);
}

/* From now on they count as accesses at this time. */
static void settle_writes(warp *w, agent_queue *q, uint32_t lane, uint32_t number) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < q->writes.length; k++) {
        const agent_write one = q->writes.items[k];
        if (one.lane == lane && one.number <= number)
            em_race_settled(w, one.desc, false);
        else
            q->writes.items[kept++] = one;
    }
    if (kept != q->writes.length) w->sub_epoch++;
    q->writes.length = kept;
}

void em_agent_commit(warp *w, queue_kind kind, uint64_t lanes) {
    agent_queue *q = own_queue(w, kind);
    w->sub_epoch++; /* the next group has descriptors of its own */
    const agent_group g = {lanes, ++q->number};
    LS_VEC_PUSH(&q->groups, g);
}

/* The last operation that the lane has waited for. */
static uint32_t waited(const agent_queue *q, uint32_t lane, int64_t rest) {
    if (rest < 0) return q->number + 1;
    for (uint32_t k = q->groups.length; k-- > 0;)
        if (q->groups.items[k].lanes >> lane & 1 && rest-- <= 0) return q->groups.items[k].number;
    return 0;
}

past em_agent_copied(warp *w, uint32_t lane, queue_kind kind) {
    past p = em_agent_own(w, lane, &thread_of(w, lane)->now);
    agent_queue *own = own_queue(w, kind);
    em_moment_raise(&p.known, elements_of(w, kind)->full + lane, ++own->number);
    em_agent_tick(w);
    return p;
}

void em_agent_wait(warp *w, queue_kind kind, uint64_t lanes, int64_t rest, bool reads) {
    agent_queue *own = own_queue(w, kind);
    const agent_queue *e = elements_of(w, kind);
    FOR_LANES(l, lanes) {
        const uint32_t number = waited(own, l, rest), at = kind >= QUEUE_WGMMA ? 0 : l;
        if (!number) continue;
        em_moment_raise(&thread_of(w, l)->now.known, e->read + at, number);
        if (reads) continue;
        em_moment_raise(&thread_of(w, l)->now.known, e->full + at, number);
        settle_writes(w, own, l, number);
    }
    if (rest < 0) own->number++; /* what follows is another one */
    w->block->agents->changes++;
}
