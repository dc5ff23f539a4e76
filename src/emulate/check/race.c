/* Data races (004, §4, beyond it: global memory, write-write, atomics, ordering by fences).
 *
 * Of every word of memory that is touched it is known who wrote it last, and who has read it since. "Who"
 * is a descriptor (block, warp, instruction, barrier interval) and a lane. Nothing is cleared at a barrier:
 * accesses of one block in different intervals are ordered because their descriptors' epochs differ. Readers
 * beyond one are kept as a state ("several lanes", "several warps", "several blocks"). What orders two
 * accesses is in check/order.c. Where a kernel has accesses of less than a word, check/narrow.c does the
 * same by bytes. */
#include "emulate/check/race.h"
#include "base/recover.h"

#include "emulate/check/agent.h"
#include "emulate/check/buried.h"
#include "emulate/check/checkers.h"
#include "emulate/check/early.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { VARIANT_MANY = 6 }; /* of a finding: behind those of the kinds */
enum { MOST_ACCESS = 64 }; /* bytes of a lane */
enum { MOST_LOOKS = 500 }; /* for a value that is on its way, 0.1 ms apart */

/* --- Descriptors --- */
uint32_t em_race_capacity(bool narrow) {
    return 1u << (narrow ? NARROW_DESC_BITS : CELL_DESC_BITS);
}

static uint32_t next_global(worker *k) {
    machine *m = k->machine;
    enum { SHARE = 4096 };
    if (k->desc_next == k->desc_end) {
        uint32_t from = atomic_fetch_add(&m->desc_count, SHARE);
        if (from > m->desc_capacity - SHARE) {
            m->desc_overflow = true;
            return 0;
        }
        k->desc_next = from;
        k->desc_end = from + SHARE;
    }
    return k->desc_next++;
}

static uint32_t next_shared(block_run *b) {
    if (b->desc_count == b->desc_capacity) {
        if (b->desc_capacity >= em_race_capacity(b->warps[0].machine->shared_narrow)) {
            b->warps[0].machine->desc_overflow = true;
            return 0;
        }
        b->desc_capacity *= 2;
        b->descs = ls_xrealloc(b->descs, b->desc_capacity * sizeof *b->descs);
    }
    return b->desc_count++;
}

uint32_t em_race_descriptor(warp *w, const mem_access *m, bool shared) {
    desc_cache *c = &w->descs[2 * m->memory_site + shared];
    uint64_t stamp = em_race_stamp(w);
    if (c->stamp == stamp) return c->index;
    uint32_t index = shared ? next_shared(w->block) : next_global(w->worker);
    if (!index) return 0;
    desc *d = shared ? &w->block->descs[index] : &w->machine->descs[index];
    *d = (desc){.block = w->block->index,
                .site = m->memory_site,
                .atomic = m->atomic,
                .write = m->write,
                .strong = m->order.strong,
                .epoch = w->block->epoch,
                .warp = w->index & 1023,
                .warp_epoch = w->warp_epoch & ((1u << 22) - 1),
                .tick = em_strong_tick(w->tick, m->write && m->order.strong)};
    w->ticks = true;
    if (shared && !m->atomic) w->block->plain_desc = index;
    c->stamp = stamp;
    c->index = index;
    return index;
}

/* The descriptor with another mark; one that was made already where it is still there, and `index`, without
 * the mark, where there are no more. */
static uint32_t marked_as(race_state *s, uint32_t index, desc marked) {
    worker *k = s->w->worker;
    uint32_t *last = &k->marked[index % MARKED_DESCS], n = s->shared ? s->w->block->desc_count : k->desc_next;
    if (*last < n && *last && !memcmp(&s->table[*last], &marked, sizeof marked)) return *last;
    uint32_t made = s->shared ? next_shared(s->w->block) : next_global(k);
    if (!made) return index;
    if (s->shared) s->table = s->w->block->descs;
    s->table[made] = marked;
    return *last = made;
}

/* The same descriptor with the mark that all other readers are strong. */
static uint32_t lone_of(race_state *s, uint32_t index) {
    desc marked = s->table[index];
    if (marked.lone || marked.pending) return index;
    marked.lone = 1;
    return marked_as(s, index, marked);
}

uint32_t em_race_buried(race_state *s, uint64_t word, uint32_t index) {
    desc marked = s->table[index];
    if (marked.buried || marked.pending) return index;
    marked.buried = 1;
    const uint32_t made = marked_as(s, index, marked);
    if (made != index) em_buried_keep(s, word);
    return made;
}

/* Who wrote last is likely to write next: of several readers another one is kept, as the one to name; and one
 * that is not strong rather than one that is, with which fewer writes race. */
kept_reader em_race_keep(race_state *s, old_reader old) {
    const desc *d = &s->table[old.desc];
    const bool strong = s->m->order.strong, was_strong = d->strong;
    if (strong && was_strong) return (kept_reader){false, s->me};
    if (was_strong) return (kept_reader){false, lone_of(s, s->me)};
    const bool lone = old.many ? d->lone : true;
    if (strong) return (kept_reader){true, lone ? lone_of(s, old.desc) : old.desc};
    if (lone && old.mine) return (kept_reader){false, lone_of(s, s->me)};
    if (!old.wrote) return (kept_reader){false, s->me};
    return (kept_reader){true, old.desc};
}

/* --- Order --- */
static inline uint32_t desc_of(uint32_t half) {
    return em_race_desc(half, false);
}
static inline uint32_t lane_of(uint32_t half) {
    return half & ((1u << CELL_LANE_BITS) - 1);
}

stand em_race_stand(const warp *w, const mem_access *m, uint32_t half, bool shared) {
    const desc *d = &(shared ? w->block->descs : w->machine->descs)[desc_of(half)];
    switch (em_order_of(w, m, d, false, shared)) {
    case ORDERED: return STAND_ORDERED;
    case SAME_WARP: return STAND_THREAD;
    default: return d->pending ? STAND_OTHER : d->block == w->block->index ? STAND_WARP : STAND_BLOCK;
    }
}

/* Whether it was this very thread. */
static bool is_thread(const race_state *s, uint32_t half, uint32_t lane) {
    const desc *d = &s->table[desc_of(half)];
    return d->block == s->w->block->index && d->warp == s->w->index && lane_of(half) == lane;
}

/* --- Reporting --- */
bool em_same_value(const warp *w, const mem_access *m, uint32_t lane, uint32_t other_lane, const char *at) {
    for (uint32_t k = 0; k < m->count; k++) {
        uint64_t mine = read_lane(w, m->value[k], lane), theirs = 0;
        if (other_lane != NO_LANE)
            theirs = read_lane(w, m->value[k], other_lane);
        else
            memcpy(&theirs, at + k * m->bytes, m->bytes);
        uint64_t cut = m->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * m->bytes)) - 1;
        if ((mine & cut) != (theirs & cut)) return false;
    }
    return true;
}

/* Lanes are looked at in their order: a later one that was here before was so in an earlier execution of the
 * instruction. */
static bool same_value(const race_state *s, const ls_order *order, uint32_t lane, uint32_t other_lane,
                       bool same_desc) {
    const mem_access *m = s->m;
    if (m->async) return false; /* a copy has its values elsewhere */
    if (m->atomic || m->order.bytes != order->bytes)
        return false; /* of different sizes: not the same place */
    bool now = same_desc && other_lane < lane && s->mask >> other_lane & 1 &&
               s->address[other_lane] == s->address[lane];
    char there[MOST_ACCESS];
    assert((size_t)m->bytes * m->count <= sizeof there);
    if (!now) em_buried_read(s, s->address[lane], there, (uint32_t)m->bytes * m->count);
    return em_same_value(s->w, m, lane, now ? other_lane : NO_LANE, there);
}

static const char *const verbs[][2] = {[RACE_WRITE_READ] = {"read", "write"},
                                       [RACE_READ_WRITE] = {"write", "read"},
                                       [RACE_WRITE_WRITE] = {"write", "write"}};
static const char *const acts[][2] = {[RACE_WRITE_READ] = {"reads", "writes"},
                                      [RACE_READ_WRITE] = {"writes", "reads"},
                                      [RACE_WRITE_WRITE] = {"writes", "writes"}};
static const char *const kinds[] = {
    [RACE_WRITE_READ] = "write-read", [RACE_READ_WRITE] = "read-write", [RACE_WRITE_WRITE] = "write-write"};

static void describe(race_state *s, race_kind kind, const desc *d, uint32_t other_lane, uint32_t lane,
                     bool same, ls_finding *f) {
    machine *m = s->w->machine;
    f->level = same ? LS_NOTE : LS_ERROR;
    em_name_address(m, s->shared ? LS_SPACE_SHARED : LS_SPACE_GLOBAL, s->address[lane], f);
    const char *name = f->story->object ? f->story->object : s->shared ? "shared memory" : "global memory";
    f->message = ls_arena_printf(&m->arena, "%s race%s on '%s' between threads of %s%s", kinds[kind],
                                 same ? " of equal values" : "", name,
                                 d->block == s->w->block->index ? "one block" : "different blocks",
                                 s->m->atomic != d->atomic ? "; only one of the accesses is atomic" : "");
    em_say_other(f,
                 ls_arena_printf(&m->arena, "the other %s", d->atomic ? "atomic operation" : verbs[kind][1]));
    em_tell_other(f, em_actor(m, d->block, d->warp, other_lane), d->pending ? "accesses" : acts[kind][1]);
    em_tell_thread(f, em_actor(m, s->w->block->index, s->w->index, lane),
                   d->pending ? "accesses" : acts[kind][0]);
}

/* Several have read it, and the one that is kept is the thread that writes: which other ones is not known. */
static void describe_many(race_state *s, uint32_t lane, ls_finding *f) {
    machine *m = s->w->machine;
    f->level = LS_ERROR;
    em_name_address(m, s->shared ? LS_SPACE_SHARED : LS_SPACE_GLOBAL, s->address[lane], f);
    const char *name = f->story->object ? f->story->object : s->shared ? "shared memory" : "global memory";
    f->message =
        ls_arena_printf(&m->arena, "%s race on '%s' between several threads that read and one that writes",
                        kinds[RACE_READ_WRITE], name);
    em_tell_thread(f, em_actor(m, s->w->block->index, s->w->index, lane), acts[RACE_READ_WRITE][0]);
}

/* The other access is a copy in the background, perhaps of this very thread. */
static void describe_copy(race_state *s, race_kind kind, const desc *d, uint32_t other_lane, uint32_t lane,
                          ls_finding *f) {
    static const char *const texts[][2] = {[RACE_WRITE_READ] = {"read of", "writing"},
                                           [RACE_READ_WRITE] = {"write to", "reading"},
                                           [RACE_WRITE_WRITE] = {"write to", "writing"}};
    machine *m = s->w->machine;
    describe(s, kind, d, other_lane, lane, false, f);
    f->message = ls_arena_printf(
        &m->arena, "%s '%s' while an asynchronous copy may still be %s it: no wait for the copy comes first",
        texts[kind][0], f->story->object ? f->story->object : "memory", texts[kind][1]);
    em_say_other(f, "the asynchronous copy");
}

/* Lanes of a warp that start one copy together write what its one source has. */
static bool is_copied_alike(const race_state *s, const desc *d, uint32_t other_lane) {
    const warp *w = s->w;
    return w->alike >> other_lane & 1 && d->block == w->block->index && d->warp == w->index &&
           d->site == s->m->memory_site;
}

/* Two plain writes, of blocks that may run at the same time. */
static bool is_of_other_worker(const race_state *s, const desc *d) {
    const machine *m = s->w->machine;
    return m->parallel && d->block != s->w->block->index && !d->atomic && !s->m->atomic && !s->m->async &&
           !m->options.benign_error;
}

/* Whether an earlier launch has told of these two sites that they write other values. */
static bool is_known_unequal(machine *m, uint32_t at, uint32_t other) {
    ls_lock(&m->lock);
    const bool known = ls_intmap_get(&m->emulator->unequal, (uint64_t)at << 32 | other, &(uint64_t){0});
    ls_unlock(&m->lock);
    return known;
}

/* Another worker notes a write before it stores it, so that equal values may not be there yet. Before an
 * error is told for the first time, they are given the time to come: to the first change of what is there. */
static bool is_on_its_way(const race_state *s, const ls_order *order, uint32_t lane, uint32_t other_lane) {
    const uint32_t size = (uint32_t)s->m->bytes * s->m->count;
    char before[MOST_ACCESS], now[MOST_ACCESS];
    em_buried_read(s, s->address[lane], before, size);
    bool same = same_value(s, order, lane, other_lane, false);
    for (uint32_t k = 0; k < MOST_LOOKS && !same; k++) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
        em_buried_read(s, s->address[lane], now, size);
        same = same_value(s, order, lane, other_lane, false);
        if (memcmp(before, now, size)) break;
    }
    return same;
}

__attribute__((noinline)) void em_race_report(race_state *s, race_kind kind, uint32_t half, uint32_t lane) {
    machine *m = s->w->machine;
    const desc *d = &s->table[desc_of(half)];
    uint32_t other_lane = lane_of(half);
    bool alike = kind == RACE_WRITE_WRITE && is_copied_alike(s, d, other_lane);
    bool same = kind == RACE_WRITE_WRITE && !d->atomic && !m->options.benign_error &&
                (alike || same_value(s, &m->emulator->order_of_memory.items[d->site], lane, other_lane,
                                     desc_of(half) == s->me));
    const ls_emulator *e = m->emulator;
    uint32_t at = e->site_of_memory.items[s->m->memory_site], other = e->site_of_memory.items[d->site];
    bool many = is_thread(s, half, lane) && !d->pending;
    const ls_rule rule = s->shared ? LS_RULE_RACE_SHARED : LS_RULE_RACE_GLOBAL;
    if (kind == RACE_WRITE_WRITE && !same && is_of_other_worker(s, d) &&
        !em_seen_again(s->w->worker, rule, at, other, (uint32_t)kind * 2, 0) &&
        !is_known_unequal(m, at, other))
        same = is_on_its_way(s, &e->order_of_memory.items[d->site], lane, other_lane);
    const uint32_t variant = many ? VARIANT_MANY : (uint32_t)kind * 2 + same;
    if (many) other = at;
    if (em_seen_again(s->w->worker, rule, at, other, variant, 1)) return;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, rule, at, other, variant);
    em_remember(s->w->worker, f);
    const bool is_new = !f->finding.count++, told = em_is_example(m, f, s->w->block);
    if (is_new && kind == RACE_WRITE_WRITE && !same && !many)
        ls_intmap_at(&m->emulator->unequal, (uint64_t)at << 32 | other, &(bool){0});
    if (told && many)
        describe_many(s, lane, &f->finding);
    else if (told && d->pending && !same)
        describe_copy(s, kind, d, other_lane, lane, &f->finding);
    else if (told)
        describe(s, kind, d, other_lane, lane, same, &f->finding);
    ls_unlock(&m->lock);
}

__attribute__((noinline)) void em_race_uninitialized(const race_state *s, uint32_t lane) {
    machine *m = s->w->machine;
    ls_lock(&m->lock);
    const allocation *a = s->shared ? NULL : em_find(m->emulator, s->address[lane]);
    if (a && em_was_defined(a, s->address[lane] - a->lo, (uint32_t)s->m->bytes * s->m->count)) {
        ls_unlock(&m->lock);
        return;
    }
    uint32_t at = m->emulator->site_of_memory.items[s->m->memory_site];
    found *f = em_find_finding(m, LS_RULE_MEMORY_UNINITIALIZED, at, at, 0);
    f->finding.count++;
    if (em_is_example(m, f, s->w->block)) {
        f->finding.level = LS_WARNING;
        em_tell_thread(&f->finding, em_actor(m, s->w->block->index, s->w->index, lane), NULL);
        em_name_address(m, s->shared ? LS_SPACE_SHARED : LS_SPACE_GLOBAL, s->address[lane], &f->finding);
        f->finding.message = s->shared ? "read of shared memory that no thread of the block has written"
                                       : "read of global memory that was never written";
    }
    ls_unlock(&m->lock);
}

void em_race_uninitialized_at(warp *w, const mem_access *m, const uint64_t *address, uint32_t lane) {
    const race_state s = {.w = w, .m = m, .shared = true, .address = address};
    em_race_uninitialized(&s, lane);
}

/* --- Words --- */
/* Two lanes of the block, or of others, between which no barrier for all of them is. */
bool em_race_between(const race_state *s, verdict v, uint32_t index, uint32_t other, uint32_t lane) {
    const desc *d = &s->table[index];
    if (v == SAME_WARP && (other == lane || em_lanes_ordered(s->w, lane, other, d->warp_epoch))) return false;
    return !em_order_synchronized(s->w, lane, d, other);
}

static inline bool races(race_state *s, int which, uint32_t half, uint32_t lane) {
    verdict v = em_race_look(s, which, desc_of(half));
    if (v == ORDERED || v == UNORDERED) return v == UNORDERED;
    return em_race_between(s, v, desc_of(half), lane_of(half), lane);
}

/* Whether a write races with one of several readers, of which one is kept. Where order comes from less than a
 * barrier for all, that one stands for the others. */
static bool many_race(race_state *s, uint32_t half, uint32_t lane) {
    const desc *d = &s->table[desc_of(half)];
    if (em_order_strong(s->w, s->m, d, s->shared)) return false;
    if (d->lone && s->m->order.strong) /* the others are strong, too */
        return !is_thread(s, half, lane) && races(s, 1, half & ~(uint32_t)CELL_MANY_BLOCKS, lane);
    switch (half & CELL_MANY_BLOCKS) {
    case CELL_MANY_BLOCKS: return !(s->w->orders || s->w->block->acquired) || races(s, 1, half, lane);
    case CELL_MANY:
        return d->block != s->w->block->index ? races(s, 1, half, lane)
                                              : !em_interval_ordered(s->w, d, lane, s->shared);
    default: break;
    }
    verdict v = em_race_look(s, 1, desc_of(half));
    if (v != SAME_WARP) return races(s, 1, half, lane);
    if (lane_of(half) != lane) return em_race_between(s, v, desc_of(half), lane_of(half), lane);
    return !em_lanes_ordered(s->w, lane, NO_SLOT, d->warp_epoch) &&
           !em_interval_ordered(s->w, d, lane, s->shared);
}

/* The readers of a cell once this lane has read it too: those that are ordered before it need not be kept. */
static uint32_t join(race_state *s, uint32_t old, uint32_t mine, uint32_t lane) {
    const desc *d = &s->table[desc_of(old)];
    uint32_t many = old & CELL_MANY_BLOCKS;
    if (many == CELL_MANY_BLOCKS) return mine | many;
    bool here = d->block == s->w->block->index;
    if (many == CELL_MANY && here) return em_interval_ordered(s->w, d, lane, s->shared) ? mine : mine | many;
    if (em_race_look(s, 1, desc_of(old)) == ORDERED) return mine;
    if (!here) return mine | CELL_MANY_BLOCKS;
    if (d->warp != s->w->index) return mine | CELL_MANY;
    if (!many && lane_of(old) == lane) return mine;
    return !many && !races(s, 1, old, lane) ? mine : mine | CELL_MANY_LANES;
}

static inline void read_word(race_state *s, uint64_t word, cell now, uint32_t lane) {
    uint32_t mine = s->me << CELL_LANE_BITS | lane;
    if (now.read == mine) return;
    if (now.write && races(s, 0, now.write, lane)) em_race_report(s, RACE_WRITE_READ, now.write, lane);
    if (!now.read || (s->shared && desc_of(now.read) < s->fresh)) {
        em_race_put(s, word, now, (cell){now.write, mine});
        return;
    }
    const uint32_t joint = join(s, now.read, mine, lane), many = joint & CELL_MANY_BLOCKS;
    if (many) {
        const kept_reader kept = em_race_keep(s, (old_reader){desc_of(now.read), is_thread(s, now.read, lane),
                                                              now.read & CELL_MANY_BLOCKS,
                                                              now.write && is_thread(s, now.write, lane)});
        mine = kept.desc << CELL_LANE_BITS | (kept.old ? lane_of(now.read) : lane);
    }
    em_race_put(s, word, now, (cell){now.write, mine | many});
}

/* Atomic operations do not race with each other, so that one must not hide the same thread's plain accesses
 * before it, with which those of others do. */
static void put_atomic(race_state *s, uint64_t word, cell before, uint32_t mine, uint32_t lane) {
    bool stays = before.write && is_thread(s, before.write, lane) &&
                 !s->table[desc_of(before.write)].atomic &&
                 em_race_look(s, 0, desc_of(before.write)) != ORDERED;
    if (stays) mine = em_race_buried(s, word, desc_of(before.write)) << CELL_LANE_BITS | lane;
    em_race_put(s, word, before, (cell){mine, before.read});
}

static inline void write_word(race_state *s, uint64_t word, uint32_t lane) {
    uint32_t mine = s->me << CELL_LANE_BITS | lane;
    const cell now = em_race_cell(s, word);
    if (now.write && now.write != mine && races(s, 0, now.write, lane))
        em_race_report(s, RACE_WRITE_WRITE, now.write, lane);
    if (now.read) {
        bool many = now.read & CELL_MANY_BLOCKS;
        if (many ? many_race(s, now.read, lane) : races(s, 1, now.read, lane))
            em_race_report(s, RACE_READ_WRITE, now.read, lane);
    }
    if (s->m->atomic)
        put_atomic(s, word, now, mine, lane);
    else
        em_race_put(s, word, now, (cell){mine, 0});
}

/* Nothing of it was written; of a vector some elements may be missing. */
static bool is_empty(const race_state *s, uint64_t word, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (em_race_cell(s, word + k).write) return false;
    return true;
}

static void read_lanes(race_state *s, uint32_t n) {
    const uint32_t all = (1u << CELL_DESC_BITS) - 1;
    uint32_t current = s->me; /* a descriptor known to be of this interval */
    bool whole = s->shared && !s->w->block->clocks && !s->w->machine->emulator->strong_loads;
    FOR_LANES(l, s->mask) {
        uint64_t word = (s->address[l] - s->base) >> 2;
        if (s->uninit && is_empty(s, word, n)) em_race_uninitialized(s, l);
        for (uint32_t k = 0; k < n; k++, word++) {
            const cell now = em_race_cell(s, word);
            uint32_t writer = now.write >> CELL_LANE_BITS & all, reader = now.read >> CELL_LANE_BITS & all;
            bool write_ordered = writer < s->fresh || (writer == s->memo[0] && s->answer[0] == ORDERED);
            if (write_ordered && ((now.read & CELL_MANY_BLOCKS && reader == current) ||
                                  (now.read & CELL_MANY && whole && reader >= s->fresh)))
                continue;
            read_word(s, word, now, l);
        }
    }
}

static void write_lanes(race_state *s, uint32_t n) {
    FOR_LANES(l, s->mask) {
        const uint64_t word = (s->address[l] - s->base) >> 2;
        for (uint32_t k = 0; k < n; k++) write_word(s, word + k, l);
    }
}

static void each_lane(race_state *s) {
    uint32_t bytes = (uint32_t)s->m->bytes * s->m->count, n = bytes >> 2;
    if (!n) n = 1;
    s->uninit = s->tracked && !s->m->write && !s->m->copied;
    if (s->narrow) {
        em_race_narrow(s);
    } else if (!(s->w->machine->options.checks & LS_CHECK_RACE)) { /* uninitialised reads only */
        FOR_LANES(l, s->mask) {
            const uint64_t word = (s->address[l] - s->base) >> 2;
            if (s->uninit && is_empty(s, word, n)) em_race_uninitialized(s, l);
            for (uint32_t k = 0; k < n && s->m->write; k++)
                s->shadow.last[word + k] = s->me << CELL_LANE_BITS | l;
        }
    } else if (s->m->write) {
        write_lanes(s, n);
    } else {
        read_lanes(s, n);
    }
}

void em_race_shared(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask) {
    race_state s = {.w = w, .m = m, .shared = true, .mask = mask, .address = address};
    if (w->machine->agents) {
        if (!m->async) em_agent_access(w, m, w->touched ? w->touched : w->block, address, mask);
        em_order_access(w, m, true, address, mask);
        return;
    }
    s.tracked = w->machine->options.checks & LS_CHECK_UNINIT;
    if (w->machine->options.warp_synchronous) w->sub_epoch++;
    s.me = em_race_descriptor(w, m, true);
    if (!s.me) return;
    s.table = w->block->descs;
    s.shadow = w->block->shadow;
    s.narrow = w->machine->shared_narrow;
    s.fresh = w->block->epoch_desc;
    each_lane(&s);
    em_order_access(w, m, true, address, mask);
}

/* --- Global memory --- */
/* Two planes of so many bytes or more, and how far they are apart; behind them that of rows. Large pages are
 * asked for where a plane fills them, and nowhere else: they would be there for words that nobody touches. */
static uint32_t *reserve_planes(size_t bytes, size_t *apart) {
    enum { PAGE = 4096, LARGE = 2 << 20 };
    const size_t unit = bytes < LARGE ? PAGE : LARGE, filled = bytes / LARGE * LARGE;
    *apart = (bytes / unit + 1) * unit;
    char *at = em_reserve_large(em_planes_reserved(*apart / sizeof(uint32_t)));
    for (int plane = 0; at && plane < 2; plane++)
        madvise(at + (size_t)plane * *apart + filled, *apart - filled, MADV_NOHUGEPAGE);
    const size_t rows = em_planes_reserved(*apart / sizeof(uint32_t)) - 2 * *apart,
                 filled_rows = rows / LARGE * LARGE;
    if (at) madvise(at + 2 * *apart + filled_rows, rows - filled_rows, MADV_NOHUGEPAGE);
    return (uint32_t *)(void *)at;
}

static shadow_planes shadow_of(machine *m, allocation *a) {
    shadow_planes planes = em_planes_of(a, m->global_narrow);
    if (planes.last) return planes;
    ls_lock(&m->lock);
    if (!atomic_load(&a->shadow)) {
        size_t apart;
        uint32_t *last = reserve_planes(((a->limit - a->lo) >> 2) * sizeof *last, &apart);
        if (!last) m->shadow_failed = true;
        a->shadow_words = apart / sizeof *last;
        atomic_store_explicit(&a->shadow, last, memory_order_release);
    }
    ls_unlock(&m->lock);
    return em_planes_of(a, m->global_narrow);
}

void em_race_global(warp *w, const mem_access *m, allocation *a, const uint64_t *address, uint64_t mask) {
    race_state s = {.w = w, .m = m, .mask = mask, .address = address};
    em_early_access(w, m, address, mask);
    s.tracked = a->undefined && w->machine->options.checks & LS_CHECK_UNINIT;
    if (w->machine->options.warp_synchronous) w->sub_epoch++;
    s.shadow = shadow_of(w->machine, a);
    s.me = s.shadow.last ? em_race_descriptor(w, m, false) : 0;
    if (s.me) {
        s.table = w->machine->descs;
        s.base = a->lo;
        s.narrow = w->machine->global_narrow;
        s.rows = a;
        s.fresh = 1;
        each_lane(&s);
    }
    em_order_access(w, m, false, address, mask);
}

/* --- Copies in the background --- */
static desc *desc_at(const warp *w, uint32_t index, bool shared) {
    return shared ? &w->block->descs[index] : &w->machine->descs[index];
}

uint32_t em_race_pending(warp *w, const mem_access *m, bool shared) {
    if (!(w->machine->options.checks & LS_CHECK_RACE) || !w->descs) return 0;
    const desc_cache *c = &w->descs[2 * m->memory_site + shared];
    if (c->stamp != em_race_stamp(w)) return 0;
    desc_at(w, c->index, shared)->pending = 1;
    return c->index;
}

/* From now on it counts as an access at this time. */
void em_race_settled(warp *w, uint32_t index, bool shared) {
    desc *d = desc_at(w, index, shared);
    d->pending = 0;
    d->epoch = w->block->epoch;
    d->warp_epoch = w->warp_epoch & ((1u << 22) - 1);
    d->tick = w->tick;
    w->ticks = true;
}

/* Behind a barrier for all, when half of the descriptors are used up: what was written stays written, by
 * nobody in particular. */
void em_race_recycle(block_run *b) {
    const machine *m = b->warps[0].machine;
    enum { NOBODY = 1 };
    if (!b->shadow.last || m->agents || b->epoch_desc != b->desc_count ||
        b->desc_count < em_race_capacity(m->shared_narrow) / 2)
        return;
    const uint32_t written = m->shared_narrow ? em_race_nobody(NOBODY) : NOBODY << CELL_LANE_BITS;
    for (uint32_t k = 0; k <= m->block_bytes >> 2; k++) {
        if (b->shadow.last[k]) b->shadow.last[k] = written;
        b->shadow.since[k] = 0;
    }
    b->descs[NOBODY] = (desc){.block = b->index};
    b->desc_count = b->epoch_desc = NOBODY + 1;
    b->plain_desc = NOBODY;
    for (uint32_t k = 0; k < m->warps_per_block; k++) b->warps[k].sub_epoch++;
}

void em_race_block_start(block_run *b, worker *k) {
    machine *m = k->machine;
    b->serial += UINT64_C(1) << 48;
    if (!b->shadow.last) return;
    memset(b->shadow.last, 0, ((m->block_bytes >> 2) + 1) * sizeof(uint32_t));
    memset(b->shadow.since, 0, ((m->block_bytes >> 2) + 1) * sizeof(uint32_t));
    b->desc_count = b->epoch_desc = 1;
    b->plain_desc = 0;
}

/* --- State of a launch, a block, a warp --- */
bool em_race_launch(machine *m) {
    if (m->descs) return true;
    m->desc_capacity = em_race_capacity(m->global_narrow);
    m->desc_count = 1;
    m->descs = em_take_descs(m->emulator->space, m->desc_capacity * sizeof(desc));
    return m->descs != NULL;
}

bool em_race_block(machine *m, block_run *b) {
    if (b->shadow.last) return true;
    const size_t words = (m->block_bytes >> 2) + 16, bytes = em_planes_bytes(words);
    b->shadow.last = calloc(1, bytes);
    b->desc_capacity = 256;
    b->descs = calloc(b->desc_capacity, sizeof *b->descs);
    if (!b->shadow.last || !b->descs) return false;
    b->shadow.since = b->shadow.last + words;
    b->desc_count = b->epoch_desc = 1;
    m->shadow_bytes += bytes;
    return true;
}

void em_race_warp(const machine *m, warp *w) {
    if (!w->descs) w->descs = ls_xcalloc(2 * (size_t)m->emulator->memory_sites + 2, sizeof *w->descs);
}

void em_race_release(const machine *m, block_run *b) {
    for (uint32_t n = 0; b->warps && n < m->warps_per_block; n++) {
        free(b->warps[n].descs);
        b->warps[n].descs = NULL;
    }
    free(b->shadow.last);
    free(b->descs);
    ls_intmap_free(&b->buried);
    b->shadow = (shadow_planes){0};
    b->descs = NULL;
}
