/* The race checker's short way (race.h), one word at a time: the gate, which is what an access needs to know
 * to pass, and whether a word lets it through. */
#ifndef LS_EMULATE_LANES_RACE_WORDS_H
#define LS_EMULATE_LANES_RACE_WORDS_H

#include "emulate/check/race.h"
#include "emulate/lanes/lanes.h"

#define CELL_WHO (((1u << CELL_DESC_BITS) - 1) << CELL_LANE_BITS)

typedef struct {
    warp *w;
    const mem_access *m;
    u32 *last, *since; /* of the first lane's word (shadow_planes) … */
    shadow_planes planes;
    u64 word;         /* … which is this one */
    allocation *rows; /* which has rows; NULL: shared memory */
    u32 mine;         /* my descriptor, in its place */
    u32 limit;        /* accesses below this are ordered; for global memory none are */
    bool shared, uninit, narrow;
    bool atomics;       /* only atomic operations have been done since the last barrier */
    u32 settled;        /* flags of readers to which one more need not be added; 0: none */
    u32 writer, reader; /* descriptors looked at last, in their place … */
    stand writer_stands, reader_stands;
} gate;

static inline u32 my_descriptor(warp *w, const mem_access *m, bool shared) {
    const desc_cache *c = &w->descs[2 * m->memory_site + shared];
    const u64 stamp = em_race_stamp(w);
    return c->stamp == stamp ? c->index : em_race_descriptor(w, m, shared);
}

static inline bool open_gate(gate *g, warp *w, const mem_access *m, bool shared, const memory_stats *k,
                             u64 first) {
    const machine *mc = w->machine;
    shadow_planes planes = {0};
    u32 fresh = 1;
    g->settled = 0;
    if (shared) {
        planes = w->block->shadow;
        fresh = w->block->epoch_desc;
        if (!w->block->clocks && !mc->emulator->strong_loads) g->settled = CELL_MANY;
    } else {
        if (k->alloc) planes = em_planes_of(k->alloc, mc->global_narrow);
        first -= k->lo;
        if (!mc->emulator->strong_accesses) g->settled = CELL_MANY_BLOCKS;
    }
    g->narrow = shared ? mc->shared_narrow : mc->global_narrow;
    if (!planes.last || (!g->narrow && first & 3)) return false;
    const u32 me = my_descriptor(w, m, shared);
    if (!me) return false;
    g->w = w;
    g->m = m;
    g->shared = shared;
    g->planes = planes;
    g->word = first >> 2;
    g->rows = shared ? NULL : k->alloc;
    g->last = planes.last + (first >> 2);
    g->since = planes.since + (first >> 2);
    g->mine = me << CELL_LANE_BITS;
    g->limit = fresh << CELL_LANE_BITS;
    g->atomics = shared && w->block->plain_desc < fresh && !mc->emulator->mixed_sizes;
    g->uninit = (shared || k->alloc->undefined) && mc->options.checks & LS_CHECK_UNINIT && !m->copied;
    g->writer = g->reader = 0;
    g->writer_stands = g->reader_stands = STAND_OTHER;
    return true;
}

/* How the descriptor of a writer, or of one reader, stands to this access. */
static inline stand stand_of_writer(gate *g, u32 half) {
    if ((half & ~63u) != g->writer) {
        g->writer = half & ~63u;
        g->writer_stands = em_race_stand(g->w, g->m, half, g->shared);
    }
    return g->writer_stands;
}
static inline stand stand_of_reader(gate *g, u32 half) {
    if ((half & CELL_WHO) != g->reader) {
        g->reader = half & CELL_WHO;
        g->reader_stands = em_race_stand(g->w, g->m, half & CELL_WHO, g->shared);
    }
    return g->reader_stands;
}

/* The last writer is no danger to this lane (or, with CELL_MANY_LANES, to several). */
static inline bool writer_passes(gate *g, u32 write, u32 lane) {
    const stand s = stand_of_writer(g, write);
    return s == STAND_ORDERED || (s == STAND_THREAD && (write & 63) == lane);
}

static inline const desc *desc_at(const gate *g, u32 half) {
    const desc *descs = g->shared ? g->w->block->descs : g->w->machine->descs;
    return &descs[(half & CELL_WHO) >> CELL_LANE_BITS];
}

/* The flags of a word's readers when this lane joins one, or several (`old`), that stand like that to it, as
 * in check/race.c; UINT32_MAX: that is for the general checker. */
static inline u32 joined(const gate *g, stand s, u32 old, u32 lane) {
    const u32 many = old & CELL_MANY_BLOCKS;
    if (many == CELL_MANY_BLOCKS) return UINT32_MAX;
    switch (s) {
    case STAND_ORDERED: return many == CELL_MANY ? UINT32_MAX : lane & CELL_MANY_LANES;
    case STAND_THREAD:
        if (many == CELL_MANY) return CELL_MANY;
        if (!many && lane == (old & 63)) return 0;
        return g->w->lane_clocks || g->w->orders ? UINT32_MAX : CELL_MANY_LANES;
    case STAND_WARP: return CELL_MANY;
    case STAND_BLOCK: return CELL_MANY_BLOCKS;
    default: return UINT32_MAX;
    }
}

/* The thread that wrote it is likely to write it again: of several readers the other one is the one to name
 * then, unless that was a volatile access. */
static inline bool keeps_reader(const gate *g, u32 write, u32 read) {
    const desc *d = desc_at(g, write);
    return write && d->block == g->w->block->index && d->warp == g->w->index && !desc_at(g, read)->strong;
}

/* Strong and other readers together are for the general checker. */
static inline bool is_mixed(const gate *g, u32 read) {
    const desc *d = desc_at(g, read);
    return d->strong != g->m->order.strong || d->lone;
}

/* Whether a half of `last` is a writer's. */
static inline bool is_writer(const gate *g, u32 half) {
    if (g->shared) return true;
    if (!half || (!g->narrow && half & CELL_MANY_BLOCKS)) return false;
    if (g->narrow) return g->w->machine->descs[em_narrow_desc(half)].write;
    return (half & CELL_WHO) == g->writer || ((half & CELL_WHO) != g->reader && desc_at(g, half)->write);
}

/* What is known of a word, and where its readers are kept. */
typedef struct {
    u32 write, read, *readers;
} seen_word;
static inline seen_word look(const gate *g, s32 at) {
    const u64 word = g->word + (u64)(s64)at;
    const bool rows = g->rows && g->rows->has_rows;
    u32 last = g->last[at];
    if (is_writer(g, last)) {
        const u64 row = rows ? em_planes_row(&g->planes, word) : 0;
        if (!row || row & ROW_WRITERS) return (seen_word){last, g->since[at], g->since + at};
        if (!em_planes_turn(&g->planes, word, g->rows)) {
            em_planes_spread(&g->planes, word);
            return (seen_word){last, g->since[at], g->since + at};
        }
        last = g->last[at];
    }
    return (seen_word){rows && last ? em_planes_writer(&g->planes, word) : 0, last, g->last + at};
}
/* Where the first reader of a word is put. */
static inline u32 *reader_place(const gate *g, s32 at, const seen_word *now) {
    const bool free = g->rows && now->write && !now->read;
    return free && em_planes_turn(&g->planes, g->word + (u64)(s64)at, g->rows) ? g->last + at : now->readers;
}
/* This lane has written it, and nobody has read it since; old readers count as none. */
static inline void put_write(const gate *g, s32 at, const seen_word *was, u32 half) {
    g->last[at] = half;
    if ((was->read & CELL_WHO) >= g->limit && was->readers != g->last + at) *was->readers = 0;
}

static inline bool read_word(gate *g, s32 at, u32 lane) {
    const seen_word now = look(g, at);
    if (now.write >= g->limit ? !writer_passes(g, now.write, lane) : g->uninit && !now.write) return false;
    if ((now.read & CELL_WHO) < g->limit) {
        *reader_place(g, at, &now) = g->mine | lane;
        return true;
    }
    if (g->settled && (now.read & g->settled) == g->settled) return true;
    if (now.read == (g->mine | lane)) return true;
    const u32 many = joined(g, stand_of_reader(g, now.read), now.read, lane);
    if (many == UINT32_MAX || (many && is_mixed(g, now.read))) return false;
    const bool keeps = many && (now.write & 63) == (lane & 63) && keeps_reader(g, now.write, now.read);
    *now.readers = many | (keeps ? now.read & ~CELL_MANY_BLOCKS : g->mine | (lane & 63));
    return true;
}

static inline bool write_word(gate *g, s32 at, u32 lane) {
    const seen_word now = look(g, at);
    if (now.write >= g->limit && !writer_passes(g, now.write, lane)) return false;
    if ((now.read & CELL_WHO) >= g->limit) {
        if (now.read & CELL_MANY_BLOCKS) return false;
        const stand s = stand_of_reader(g, now.read);
        if (s != STAND_ORDERED && !(s == STAND_THREAD && (now.read & 63) == lane)) return false;
    }
    put_write(g, at, &now, g->mine | lane);
    return true;
}

static inline bool is_strong(const gate *g, u32 half) {
    const desc *d = desc_at(g, half);
    return d->strong && em_order_strong(g->w, g->m, d, g->shared);
}

/* Atomic operations are ordered among each other, however many lanes touch the word; who has read it since
 * the last plain write stays. */
static inline bool atomic_word(gate *g, s32 at, u32 lane) {
    const seen_word now = look(g, at);
    if (now.write >= g->limit && stand_of_writer(g, now.write) != STAND_ORDERED) return false;
    if ((now.read & CELL_WHO) >= g->limit) {
        if (now.read & CELL_MANY_BLOCKS || stand_of_reader(g, now.read) != STAND_ORDERED) return false;
        g->since[at] = now.read;
    }
    g->last[at] = g->mine | (lane & 63);
    return true;
}

#endif
