/* The race checker's short way (004, §4; check/race.c is the whole of it): an access whose pattern is known,
 * to words of whose shadow one sees at a glance that nothing races. Either nobody has touched them in this
 * interval, or one other instruction has, of the same threads or, where both read, of any. Rows of
 * neighbouring words are looked at all at once, others by groups of eight, and groups on which several
 * instructions have left their marks word by word; each word once however many lanes touch it. Where anything
 * else is found, the whole access goes to the general checker, for which it makes no difference that some of
 * the words have been passed already. */
#ifndef LS_EMULATE_LANES_RACE_H
#define LS_EMULATE_LANES_RACE_H

#include "emulate/check/race.h"
#include "emulate/lanes/lanes.h"

#define CELL_WHO (((1u << CELL_DESC_BITS) - 1) << CELL_LANE_BITS)

typedef struct {
    warp *w;
    const mem_access *m;
    u32 *last, *since; /* of the first lane's word (shadow_planes) … */
    shadow_planes planes;
    u64 word;         /* … which is this one */
    allocation *rows; /* whose readers may be kept by rows; NULL: of shared memory, or of bytes */
    u32 mine;         /* my descriptor, in its place */
    u32 limit;        /* what is below is ordered; of global memory nobody's is */
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
        if (k->alloc) planes = em_planes_of(k->alloc);
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
    g->rows = shared || g->narrow ? NULL : k->alloc;
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
    const u32 last = g->last[at];
    if (is_writer(g, last)) {
        if (g->rows && g->rows->has_rows) em_planes_spread(&g->planes, g->word + (u64)(s64)at);
        return (seen_word){last, g->since[at], g->since + at};
    }
    return (seen_word){0, last, g->last + at};
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
        *now.readers = g->mine | lane;
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

/* --- Rows --- */
/* Eight words at a time: worth it where one register holds them. */
#if defined(__AVX2__)
enum { BY_GROUPS = true };
#else
enum { BY_GROUPS = false };
#endif

/* Of 8 words, the halves of one plane. */
typedef u32 half_group __attribute__((vector_size(4 * GROUP), aligned(4), may_alias));
#define LANES_OF_GROUP ((half_group){0, 1, 2, 3, 4, 5, 6, 7})

static inline half_group *group_at(u32 *plane, const pattern *p, u32 q) {
    return (half_group *)(void *)(plane + p->cells[q]);
}

static inline bool is_any(const half_group *x) {
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)*x, (__m256i)*x);
#else
    u32 r = 0;
    for (u32 l = 0; l < GROUP; l++) r |= (*x)[l];
    return r != 0;
#endif
}
static inline bool is_any_negative(const half_group *x) {
#if defined(__AVX2__)
    return _mm256_movemask_ps((__m256)*x);
#else
    u32 r = 0;
    for (u32 l = 0; l < GROUP; l++) r |= (*x)[l];
    return r >> 31;
#endif
}

/* Some are kept so from now on: other workers look, too. */
static inline void note_rows(const gate *g) {
    if (g->rows && !g->rows->has_rows) g->rows->has_rows = true;
}

/* Where the readers of 8 words are kept as a row; NULL where they are not neighbours from a multiple of 8 on.
 */
static inline u32 *row_of(const gate *g, const pattern *p, u32 q) {
    const u64 word = g->word + (u64)(s64)p->cells[q];
    if (!g->rows) return NULL;
    if (!(word % ROW_WORDS)) return g->planes.rows + word / ROW_WORDS;
    if (g->rows->has_rows) em_planes_spread(&g->planes, word);
    if (g->rows->has_rows) em_planes_spread(&g->planes, word + GROUP - 1);
    return NULL;
}

/* Who has read 8 words since they were written. */
static inline void readers_at(const gate *g, const pattern *p, u32 q, half_group *readers) {
    const u32 *row = row_of(g, p, q);
    if (!row || !*row)
        *readers = *group_at(g->since, p, q);
    else
        *readers = (*row & ((1u << ROW_SHAPE_AT) - 1)) + (LANES_OF_GROUP >> (*row >> ROW_SHAPE_AT));
}

/* One half for them, if they are lanes in a row. */
static inline u32 row_half(const half_group *readers) {
    const u32 first = (*readers)[0];
    if (!first || first & CELL_MANY_BLOCKS) return 0;
    for (u32 shape = 0; shape < 4; shape++) {
        const half_group other = *readers ^ (first + (LANES_OF_GROUP >> shape));
        if (!is_any(&other)) return first | shape << ROW_SHAPE_AT;
    }
    return 0;
}

static inline void put_readers(const gate *g, const pattern *p, u32 q, const half_group *readers) {
    u32 *row = row_of(g, p, q);
    const u32 half = row ? row_half(readers) : 0;
    if (half && (*row || !is_any(group_at(g->since, p, q)))) {
        *row = half;
        note_rows(g);
        return;
    }
    if (row && *row) {
        *row = 0;
        if (!is_any(readers)) return;
    }
    *group_at(g->since, p, q) = *readers;
}

/* The four rows of 32 neighbouring words. */
typedef u32 row_group __attribute__((vector_size(16), aligned(4), may_alias));
#define LANES_OF_ROWS ((row_group){0, GROUP, 2 * GROUP, 3 * GROUP})

typedef struct {
    row_group *rows;          /* where the readers of such words can be kept; NULL: these are others */
    u32 reader;               /* of the first word */
    bool by_rows;             /* readers are kept there now */
    bool apart;               /* readers are in `since`, or rows; else there is no writer */
    bool empty;               /* some were never written */
    bool old_write, old_read; /* all writers are, all readers are */
    bool own_write, own_read; /* word k's is lane k, of one instruction */
    bool settled;
} row_state;

/* Whether the readers are kept as rows of one instruction; all others are put into `since`. */
static inline void look_at_rows(const gate *g, const pattern *p, row_state *s) {
    if (!g->rows) return;
    if (p->word_row && !(g->word % ROW_WORDS))
        s->rows = (row_group *)(void *)(g->planes.rows + g->word / ROW_WORDS);
    if (!g->rows->has_rows) return;
    if (s->rows) {
        const u32 first = (*s->rows)[0];
        const row_group other = *s->rows ^ (first + LANES_OF_ROWS);
        s->by_rows = first && !(first >> ROW_SHAPE_AT) && !(other[0] | other[1] | other[2] | other[3]);
        s->reader = first;
    }
    for (u32 q = 0; q < CHUNK && !s->by_rows; q += GROUP) {
        em_planes_spread(&g->planes, g->word + (u64)(s64)p->cells[q]);
        em_planes_spread(&g->planes, g->word + (u64)(s64)p->cells[q] + GROUP - 1);
    }
}

/* Where nobody has written the first word, all are taken for such: what differs is then no row. */
static inline row_state look_at_row(const gate *g, const pattern *p) {
    row_state s = {.apart = is_writer(g, *g->last)};
    if (s.apart) look_at_rows(g, p, &s);
    u32 *const readers = s.apart ? g->since : g->last;
    const u32 last = g->limit - 1, w0 = s.apart ? *g->last : 0, r0 = *readers, written = 0 - (u32)s.apart;
    half_group write = {0}, read = {0}, empty = {0}, other_write = {0}, other_read = {0}, young = {0},
               missing = {0};
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        const half_group wr = *group_at(g->last, p, q) & written, lane = LANES_OF_GROUP + q;
        write |= last - (wr & CELL_WHO); /* negative where it is greater */
        empty |= wr - 1;
        other_write |= wr ^ (w0 + lane);
        if (s.by_rows) continue;
        const half_group rd = *group_at(readers, p, q), who = rd & CELL_WHO;
        read |= last - who;
        young |= who - g->limit;
        other_read |= rd ^ (r0 + lane);
        missing |= ~rd & g->settled;
    }
    s.old_write = !is_any_negative(&write);
    s.empty = is_any_negative(&empty);
    s.own_write = !is_any(&other_write);
    s.own_read = true;
    if (s.by_rows) return s;
    s.reader = r0;
    s.old_read = !is_any_negative(&read);
    s.own_read = !is_any(&other_read) && !(r0 & CELL_MANY_BLOCKS);
    s.settled = g->settled && !is_any(&missing) && !is_any_negative(&young);
    return s;
}

static inline bool row_passes(gate *g, const row_state *s) {
    if (!s->old_write) {
        if (!s->own_write || !writer_passes(g, *g->last, 0)) return false;
    } else if (g->uninit && !g->m->write && s->empty) {
        return false;
    }
    if (s->old_read || (!g->m->write && s->settled)) return true;
    if (!s->own_read) return false;
    const stand r = stand_of_reader(g, s->reader);
    return r == STAND_THREAD || r == STAND_ORDERED;
}

/* Nobody has touched any of the words since the last barrier; the common case. */
static inline bool is_old_row(const gate *g, const pattern *p) {
    const u32 last = g->limit - 1, least = g->uninit && !g->m->write;
    half_group late = {0}; /* negative where one is */
    if (!g->shared && least) return false;
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        const half_group wr = *group_at(g->last, p, q);
        if (g->shared)
            late |= (last - wr) | (last - (*group_at(g->since, p, q) & CELL_WHO)) | (wr - least);
        else
            late |= wr;
    }
    return g->shared ? !is_any_negative(&late) : !is_any(&late);
}

static inline bool check_row(gate *g, const pattern *p) {
    row_state s = {.apart = g->shared, .old_read = true};
    if (!is_old_row(g, p)) {
        s = look_at_row(g, p);
        if (!row_passes(g, &s)) return false;
        if (!g->m->write && !s.old_read && s.settled) return true;
    }
    if (!g->m->write && s.rows && (s.by_rows || s.old_read)) {
        *s.rows = g->mine + LANES_OF_ROWS;
        note_rows(g);
        return true;
    }
    u32 *const plane = g->m->write || !s.apart ? g->last : g->since;
    const bool forgets = g->m->write && s.apart && !s.old_read;
    if (forgets && s.by_rows) *s.rows = (row_group){0};
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        *group_at(plane, p, q) = LANES_OF_GROUP + g->mine + q;
        if (forgets && !s.by_rows) *group_at(g->since, p, q) = (half_group){0};
    }
    return true;
}

/* A row that nobody has read, and that atomic operations of one instruction have written, if any. */
static inline bool check_atomic_row(const gate *g, const pattern *p) {
    const row_state s = look_at_row(g, p);
    if (!s.old_read || !(s.old_write || (s.own_write && is_strong(g, *g->last)))) return false;
    for (u32 q = 0; q < CHUNK; q += GROUP) *group_at(g->last, p, q) = LANES_OF_GROUP + g->mine + q;
    return true;
}

/* --- Groups of eight neighbouring words --- */
static const u32 FLAG_LANES = CELL_MANY_LANES, FLAG_WARPS = CELL_MANY, FLAG_BLOCKS = CELL_MANY_BLOCKS;

typedef struct {
    half_group write, read; /* the halves of the words */
    half_group lanes;       /* who touches them now: a lane, and whether there are more */
    half_group since;       /* what is there */
} word_group;

/* Those of `some` are of one descriptor; it is *who. */
static inline bool is_one(const half_group *halves, const half_group *some, u32 *who) {
    u32 l = 0;
    while (!(*some)[l]) l++;
    *who = (*halves)[l];
    const half_group apart = (*halves ^ *who) & CELL_WHO & *some;
    return !is_any(&apart);
}

/* False where some have been written and others read by several instructions, and nobody can tell at a glance
 * which are which. */
static inline bool load_words(word_group *x, const gate *g, const pattern *p, u32 q) {
    const half_group last = *group_at(g->last, p, q);
    x->lanes = *(const half_group *)(const void *)(p->cell_lanes + q);
    x->write = x->since = (half_group){0};
    x->read = last;
    if (g->shared) {
        x->write = last;
        x->read = x->since = *group_at(g->since, p, q);
        return true;
    }
    const half_group unsure = (half_group)(last != 0) & (half_group)((last & FLAG_BLOCKS) == 0);
    u32 who;
    if (!is_any(&unsure)) return true;
    if (!is_one(&last, &unsure, &who)) return false;
    if (!is_writer(g, who)) return true;
    readers_at(g, p, q, &x->since);
    x->write = last & unsure;
    x->read = (unsure & x->since) | (~unsure & last);
    return true;
}
static inline void save_words(const word_group *x, const gate *g, const pattern *p, u32 q) {
    const half_group apart = g->shared ? ~(half_group){0} : (half_group)(x->write != 0);
    const half_group since = apart & x->read, change = since ^ x->since;
    *group_at(g->last, p, q) = x->write | (~apart & x->read);
    if (is_any(&change)) put_readers(g, p, q, &since);
}

/* The last writers are no danger. */
static inline bool writers_pass(gate *g, const word_group *x) {
    const half_group late = (half_group)(x->write >= g->limit);
    u32 who;
    if (!is_any(&late)) return true;
    if (!is_one(&x->write, &late, &who)) return false;
    const stand s = stand_of_writer(g, who);
    const half_group others = (x->write ^ x->lanes) & (63 | FLAG_LANES) & late;
    return s == STAND_ORDERED || (s == STAND_THREAD && !is_any(&others));
}

/* The lanes of `rest` join readers of one descriptor, as in read_word. */
static inline bool join_words(gate *g, word_group *x, const half_group *rest) {
    u32 who;
    const half_group several = (half_group)((x->read & FLAG_WARPS) != 0);
    const half_group most = (half_group)((x->read & FLAG_BLOCKS) == FLAG_BLOCKS) & *rest;
    const half_group unsure = several & *rest;
    if (!is_one(&x->read, rest, &who) || is_any(&most) || is_mixed(g, who)) return false;
    half_group flags = {0};
    const stand s = stand_of_reader(g, who);
    switch (s) {
    case STAND_ORDERED:
        if (is_any(&unsure)) return false;
        flags = x->lanes & FLAG_LANES;
        break;
    case STAND_THREAD:
        if (g->w->lane_clocks || g->w->orders) return false;
        flags = (half_group)(((x->read ^ x->lanes) & 63) != 0) & FLAG_LANES;
        flags |= (x->read | x->lanes) & FLAG_LANES;
        flags = (several & FLAG_WARPS) | (~several & flags);
        break;
    case STAND_WARP: flags += FLAG_WARPS; break;
    case STAND_BLOCK: flags += FLAG_BLOCKS; break;
    default: return false;
    }
    half_group keeps = (half_group)(x->write != 0) & (half_group)(flags != 0) &
                       (half_group)(((x->write ^ x->lanes) & 63) == 0) & *rest;
    if (is_any(&keeps)) {
        u32 writer;
        if (!is_one(&x->write, &keeps, &writer)) return false;
        if (!keeps_reader(g, writer, who)) keeps = (half_group){0};
    }
    const half_group next = (keeps & x->read & ~FLAG_BLOCKS) | (~keeps & ((x->lanes & 63) | g->mine)) | flags;
    x->read = (*rest & next) | (~*rest & x->read);
    return true;
}

static inline bool read_group(gate *g, const pattern *p, u32 q) {
    word_group x;
    if (!load_words(&x, g, p, q)) return false;
    const half_group empty = (half_group)(x.write == 0), mine = x.lanes | g->mine;
    if (!writers_pass(g, &x) || (g->uninit && is_any(&empty))) return false;
    const half_group old = (half_group)((x.read & CELL_WHO) < g->limit);
    half_group rest = ~old & (half_group)(x.read != mine);
    if (g->settled) rest &= (half_group)((x.read & g->settled) != g->settled);
    if (is_any(&rest) && !join_words(g, &x, &rest)) return false;
    x.read = (old & mine) | (~old & x.read);
    save_words(&x, g, p, q);
    return true;
}

static inline bool write_group(gate *g, const pattern *p, u32 q) {
    word_group x;
    if (!load_words(&x, g, p, q)) return false;
    if (!writers_pass(g, &x)) return false;
    const half_group late = (half_group)((x.read & CELL_WHO) >= g->limit);
    if (is_any(&late)) {
        u32 who;
        const half_group several = x.read & FLAG_BLOCKS & late, others = (x.read ^ x.lanes) & 63 & late;
        if (is_any(&several) || !is_one(&x.read, &late, &who)) return false;
        const stand s = stand_of_reader(g, who);
        if (s != STAND_ORDERED && (s != STAND_THREAD || is_any(&others))) return false;
    }
    x.write = x.lanes | g->mine;
    x.read &= ~late; /* what is old counts as nothing */
    save_words(&x, g, p, q);
    return true;
}

static inline bool check_words(gate *g, const pattern *p) {
    if (g->m->atomic) {
        for (u32 k = 0; k < p->cell_count; k++)
            if (!atomic_word(g, p->cells[k], p->cell_lanes[k])) return false;
        return true;
    }
    if (g->m->write)
        for (u32 k = 0; k < p->cell_count; k++)
            if (p->cell_lanes[k] & CELL_MANY_LANES) return false;
    for (u32 k = 0; k < p->cell_count;) {
        if (BY_GROUPS && p->cell_rows && k + GROUP <= p->cell_count &&
            (g->m->write ? write_group(g, p, k) : read_group(g, p, k))) {
            k += GROUP;
            continue;
        }
        for (u32 end = k + GROUP < p->cell_count ? k + GROUP : p->cell_count; k < end; k++) {
            const s32 at = p->cells[k];
            if (g->m->write ? !write_word(g, at, p->cell_lanes[k]) : !read_word(g, at, p->cell_lanes[k]))
                return false;
        }
    }
    return true;
}

/* Atomic operations on words that only such have written, if any, and nobody has read: without a branch,
 * which could not be predicted. */
static inline bool check_atomics(const gate *g, const pattern *p) {
    u32 bad = 0;
    if (g->atomics)
        SOME_LANES(p->mask, bad |= (u32)((g->since[p->offsets[l] / 4] & CELL_WHO) >= g->limit));
    else
        SOME_LANES(p->mask, const seen_word now = look(g, p->offsets[l] / 4);
                   bad |= ((u32)(now.write >= g->limit) && !is_strong(g, now.write)) |
                          (u32)((now.read & CELL_WHO) >= g->limit));
    if (bad) return false;
    SOME_LANES(p->mask, g->last[p->offsets[l] / 4] = g->mine | l);
    return true;
}

/* Lane by lane, where the words were not told apart. */
static inline bool check_lanes(gate *g, const pattern *p) {
    if (g->m->atomic && check_atomics(g, p)) return true;
    FOR_LANES(l, p->mask) {
        const s32 at = p->offsets[l] / 4;
        if (g->m->atomic  ? !atomic_word(g, at, l)
            : g->m->write ? !write_word(g, at, l)
                          : !read_word(g, at, l))
            return false;
    }
    return true;
}

/* Cells that know their bytes (check/narrow.c): nobody has touched the word, or whoever wrote it wrote no
 * more than these bytes, and is ordered. */
static inline bool narrow_word(gate *g, s32 at, u32 lane, u32 bytes) {
    const seen_word now = look(g, at);
    if (now.read || now.write >> NARROW_KIND_AT) return false;
    if (now.write) {
        if (em_narrow_bytes(now.write) & ~bytes) return false;
        if (stand_of_writer(g, em_narrow_desc(now.write) << CELL_LANE_BITS) != STAND_ORDERED) return false;
    } else if (g->uninit && !g->m->write) {
        return false;
    }
    *(g->m->write ? g->last + at : now.readers) = em_narrow_half(g->mine >> CELL_LANE_BITS, lane, bytes);
    return true;
}

/* A row of words that nobody has touched, or that one instruction has written as a row. */
static inline bool narrow_row(gate *g, const pattern *p, u32 bytes) {
    half_group touched = {0}, other = {0};
    const u32 w0 = g->last[p->cells[0]];
    const bool written = is_writer(g, w0);
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        const half_group last = *group_at(g->last, p, q);
        touched |= last;
        other |= last ^ (LANES_OF_GROUP + w0 + q);
        if (written) touched |= *group_at(g->since, p, q);
        if (written) other |= *group_at(g->since, p, q);
    }
    if (is_any(&touched)) { /* by lane 0 the first word, and so on */
        if (!written || is_any(&other) || w0 & 63 || w0 >> NARROW_KIND_AT || em_narrow_bytes(w0) & ~bytes)
            return false;
        if (stand_of_writer(g, em_narrow_desc(w0) << CELL_LANE_BITS) != STAND_ORDERED) return false;
    } else if (g->uninit && !g->m->write) {
        return false;
    }
    u32 *const plane = g->m->write || !(g->shared || w0) ? g->last : g->since;
    const u32 mine = em_narrow_half(g->mine >> CELL_LANE_BITS, 0, bytes);
    for (u32 q = 0; q < CHUNK; q += GROUP) *group_at(plane, p, q) = LANES_OF_GROUP + mine + q;
    return true;
}

static inline bool check_narrow(gate *g, const pattern *p, u64 first, u32 size) {
    const u32 at = first & 3, bytes = size < 4 ? (1u << size) - 1 : 15;
    if (size < 4 ? at + size > 4 : at) return false;
    if (p->word_row && narrow_row(g, p, bytes << at)) return true;
    for (u32 k = 0; k < p->cell_count; k++)
        if (p->cell_lanes[k] & CELL_MANY_LANES || !narrow_word(g, p->cells[k], p->cell_lanes[k], bytes << at))
            return false;
    return true;
}

static inline void order_access(warp *w, const mem_access *m, bool shared, const pattern *p, u64 first) {
    if (!m->order.strong || !w->machine->emulator->orders) return;
    u64 address[MAX_LANES];
    FOR_LANES(l, p->mask) address[l] = first + (u64)(s64)p->offsets[l];
    em_order_access(w, m, shared, address, p->mask);
}

/* One more read of words that several blocks have read already, and nobody has written, leaves nothing
 * behind: it need not have a descriptor. */
static inline bool is_one_of_many(const warp *w, const mem_access *m, const memory_stats *k, const pattern *p,
                                  u64 first) {
    const machine *mc = w->machine;
    u32 *last = k->alloc ? em_planes_of(k->alloc).last : NULL;
    if (m->write || !last || w->descs[2 * m->memory_site].stamp == em_race_stamp(w)) return false;
    if (mc->emulator->strong_accesses || mc->global_narrow || (first - k->lo) & 3) return false;
    if (k->alloc->undefined && mc->options.checks & LS_CHECK_UNINIT) return false;
    last += (first - k->lo) >> 2;
    half_group missing = {0};
    u32 n = 0;
    for (; p->cell_rows && n + GROUP <= p->cell_count; n += GROUP) missing |= ~*group_at(last, p, n);
    for (; n < p->cell_count; n++) missing[0] |= ~last[p->cells[n]];
    missing &= FLAG_BLOCKS;
    return !is_any(&missing);
}

/* Whether the access was checked; else it is left to the general checker. */
static inline __attribute__((always_inline)) bool
check_known(warp *w, const mem_access *m, bool shared, const memory_stats *k, const pattern *p, u64 first) {
    gate g;
    if (!p->cell_count || !w->machine->short_race) return false;
    if (!shared && k->alloc && k->alloc->kind == ALLOC_CONST) return true;
    if (!shared && is_one_of_many(w, m, k, p, first)) return true;
    if (!open_gate(&g, w, m, shared, k, first)) return false;
    if (g.narrow) {
        if (!check_narrow(&g, p, first, (u32)m->bytes * m->count)) return false;
    } else if (!(p->rows && (m->atomic ? check_atomic_row(&g, p) : BY_GROUPS && check_row(&g, p))) &&
               !check_words(&g, p)) {
        return false;
    }
    order_access(w, m, shared, p, first);
    return true;
}

static __attribute__((noinline)) bool check_short_shared(warp *w, const mem_access *m, const memory_stats *k,
                                                         const pattern *p, u64 first) {
    return check_known(w, m, true, k, p, first);
}
static __attribute__((noinline)) bool check_short_global(warp *w, const mem_access *m, const memory_stats *k,
                                                         const pattern *p, u64 first) {
    return check_known(w, m, false, k, p, first);
}
static inline bool check_short(warp *w, const mem_access *m, bool shared, const memory_stats *k,
                               const pattern *p, u64 first) {
    return shared ? check_short_shared(w, m, k, p, first) : check_short_global(w, m, k, p, first);
}

/* The same for a pattern of which nothing more is known. */
static inline bool check_scattered(warp *w, const mem_access *m, bool shared, const memory_stats *k,
                                   const pattern *p, u64 first, u32 bytes) {
    gate g;
    if (bytes != 4 || !w->machine->short_race) return false;
    if (!shared && k->alloc && k->alloc->kind == ALLOC_CONST) return true;
    if (!open_gate(&g, w, m, shared, k, first) || g.narrow || !check_lanes(&g, p)) return false;
    order_access(w, m, shared, p, first);
    return true;
}

#endif
