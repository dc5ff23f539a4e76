/* The race checker's short way (004, §4; check/race.c is the whole of it): an access whose pattern is known,
 * to words whose cells show at a glance that nothing races. Either nobody has touched them in this interval,
 * or one other instruction has, of the same threads or, where both read, of any. Rows of neighbouring words
 * are looked at all at once, others by groups of eight, and groups on which several instructions have left
 * their marks word by word; each word once however many lanes touch it. Where anything else is found, the
 * whole access goes to the general checker, for which it makes no difference that some of the cells have been
 * changed already. */
#ifndef LS_EMULATE_LANES_RACE_H
#define LS_EMULATE_LANES_RACE_H

#include "emulate/check/race.h"
#include "emulate/lanes/lanes.h"

#define CELL_WHO (((1u << CELL_DESC_BITS) - 1) << CELL_LANE_BITS)

typedef struct {
    warp *w;
    const mem_access *m;
    cell *cells; /* of the first lane's word */
    u32 mine;    /* my descriptor, in its place */
    u32 limit;   /* what is below is ordered */
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
    cell *cells;
    u32 fresh = 1;
    g->settled = 0;
    if (shared) {
        cells = w->block->shadow;
        fresh = w->block->epoch_desc;
        if (!w->block->clocks && !mc->emulator->strong_loads) g->settled = CELL_MANY;
    } else {
        cells = k->alloc ? atomic_load_explicit(&k->alloc->shadow, memory_order_acquire) : NULL;
        first -= k->lo;
        if (!mc->emulator->strong_accesses) g->settled = CELL_MANY_BLOCKS;
    }
    g->narrow = shared ? mc->shared_narrow : mc->global_narrow;
    if (!cells || (!g->narrow && first & 3)) return false;
    const u32 me = my_descriptor(w, m, shared);
    if (!me) return false;
    g->w = w;
    g->m = m;
    g->shared = shared;
    g->cells = cells + (first >> 2);
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

static inline bool read_word(gate *g, cell *c, u32 lane) {
    const cell now = *c;
    if (now.write >= g->limit ? !writer_passes(g, now.write, lane) : g->uninit && !now.write) return false;
    if ((now.read & CELL_WHO) < g->limit) {
        c->read = g->mine | lane;
        return true;
    }
    if (g->settled && (now.read & g->settled) == g->settled) return true;
    if (now.read == (g->mine | lane)) return true;
    const u32 many = joined(g, stand_of_reader(g, now.read), now.read, lane);
    if (many == UINT32_MAX || (many && is_mixed(g, now.read))) return false;
    const bool keeps = many && (now.write & 63) == (lane & 63) && keeps_reader(g, now.write, now.read);
    c->read = many | (keeps ? now.read & ~CELL_MANY_BLOCKS : g->mine | (lane & 63));
    return true;
}

static inline bool write_word(gate *g, cell *c, u32 lane) {
    const cell now = *c;
    if (now.write >= g->limit && !writer_passes(g, now.write, lane)) return false;
    if ((now.read & CELL_WHO) >= g->limit) {
        if (now.read & CELL_MANY_BLOCKS) return false;
        const stand s = stand_of_reader(g, now.read);
        if (s != STAND_ORDERED && !(s == STAND_THREAD && (now.read & 63) == lane)) return false;
    }
    *c = (cell){g->mine | lane, 0};
    return true;
}

static inline bool is_strong(const gate *g, u32 half) {
    const desc *d = desc_at(g, half);
    return d->strong && em_order_strong(g->w, g->m, d, g->shared);
}

/* Atomic operations are ordered among each other, however many lanes touch the word; who has read it since
 * the last plain write stays. */
static inline bool atomic_word(gate *g, cell *c, u32 lane) {
    const cell now = *c;
    if (now.write >= g->limit && stand_of_writer(g, now.write) != STAND_ORDERED) return false;
    if ((now.read & CELL_WHO) >= g->limit &&
        (now.read & CELL_MANY_BLOCKS || stand_of_reader(g, now.read) != STAND_ORDERED))
        return false;
    c->write = g->mine | (lane & 63);
    return true;
}

/* --- Rows --- */
/* Eight cells at a time: worth it where one register holds them. */
#if defined(__AVX512F__)
enum { BY_GROUPS = true };
#else
enum { BY_GROUPS = false };
#endif

typedef struct {
    bool empty;               /* some were never written */
    bool old_write, old_read; /* all writers are, all readers are */
    bool own_write, own_read; /* word k's is lane k, of one instruction */
    bool settled;
} row_state;

/* The cells of 8 words: write in the low halves, read in the high ones. */
typedef u64 cell_group __attribute__((vector_size(8 * GROUP), aligned(8), may_alias));
#define LANES_OF_GROUP ((cell_group){0, 1, 2, 3, 4, 5, 6, 7})

static inline u64 any(const cell_group *x) {
    u64 r = 0;
    for (u32 l = 0; l < GROUP; l++) r |= (*x)[l];
    return r;
}
static inline bool is_any(const cell_group *x) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)*x, (__m512i)*x);
#else
    return any(x) != 0;
#endif
}

static inline row_state look_at_row(const gate *g, const pattern *p) {
    const u64 last = g->limit - 1, w0 = g->cells->write, r0 = g->cells->read;
    cell_group write = {0}, read = {0}, empty = {0}, other_write = {0}, other_read = {0}, young = {0},
               missing = {0};
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        const cell_group x = *(const cell_group *)(const void *)(g->cells + p->cells[q]);
        const cell_group wr = x & UINT32_MAX, rd = x >> 32, who = rd & CELL_WHO, lane = LANES_OF_GROUP + q;
        write |= last - wr; /* negative where it is greater */
        read |= last - who;
        young |= who - g->limit;
        empty |= wr - 1;
        other_write |= wr ^ (w0 + lane);
        other_read |= rd ^ (r0 + lane);
        missing |= ~rd & g->settled;
    }
    row_state s = {.old_write = (s64)any(&write) >= 0,
                   .old_read = (s64)any(&read) >= 0,
                   .empty = (s64)any(&empty) < 0,
                   .own_write = !any(&other_write),
                   .own_read = !any(&other_read) && !(r0 & CELL_MANY_BLOCKS),
                   .settled = g->settled && !any(&missing) && (s64)any(&young) >= 0};
    return s;
}

static inline bool row_passes(gate *g, const row_state *s) {
    const cell *c = g->cells;
    if (!s->old_write) {
        if (!s->own_write || !writer_passes(g, c->write, 0)) return false;
    } else if (g->uninit && !g->m->write && s->empty) {
        return false;
    }
    if (s->old_read || (!g->m->write && s->settled)) return true;
    if (!s->own_read) return false;
    const stand r = stand_of_reader(g, c->read);
    return r == STAND_THREAD || (r == STAND_ORDERED && g->m->write);
}

/* Nobody has touched any of the words since the last barrier; the common case. */
static inline bool is_old_row(const gate *g, const pattern *p) {
    const u64 last = g->limit - 1, least = g->uninit && !g->m->write;
    cell_group late = {0}; /* negative where one is */
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        const cell_group x = *(const cell_group *)(const void *)(g->cells + p->cells[q]);
        const cell_group wr = x & UINT32_MAX;
        late |= (last - wr) | (last - (x >> 32 & CELL_WHO)) | (wr - least);
    }
#if defined(__AVX512DQ__)
    return !_mm512_movepi64_mask((__m512i)late);
#else
    return (s64)any(&late) >= 0;
#endif
}

static inline bool check_row(gate *g, const pattern *p) {
    if (!is_old_row(g, p)) {
        const row_state s = look_at_row(g, p);
        if (!row_passes(g, &s)) return false;
        if (!g->m->write && !s.old_read && s.settled) return true;
    }
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        cell_group *c = (cell_group *)(void *)(g->cells + p->cells[q]);
        const cell_group mine = LANES_OF_GROUP + (u64)g->mine + q;
        if (g->m->write)
            *c = mine;
        else
            *c = (*c & UINT32_MAX) | mine << 32;
    }
    return true;
}

/* A row that nobody has read, and that atomic operations of one instruction have written, if any. */
static inline bool check_atomic_row(const gate *g, const pattern *p) {
    const row_state s = look_at_row(g, p);
    if (!s.old_read || !(s.old_write || (s.own_write && is_strong(g, g->cells->write)))) return false;
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        cell_group *c = (cell_group *)(void *)(g->cells + p->cells[q]);
        *c = (*c & ~(u64)UINT32_MAX) | (LANES_OF_GROUP + (u64)g->mine + q);
    }
    return true;
}

/* --- Groups of eight neighbouring words --- */
static const u64 FLAG_LANES = CELL_MANY_LANES, FLAG_WARPS = CELL_MANY, FLAG_BLOCKS = CELL_MANY_BLOCKS;

typedef struct {
    cell_group write, read; /* the halves of the cells */
    cell_group lanes;       /* who touches them now: a lane, and whether there are more */
} word_group;

static inline void load_words(word_group *x, const gate *g, const pattern *p, u32 q) {
    typedef u32 lanes __attribute__((vector_size(4 * GROUP), aligned(4), may_alias));
    const cell_group cells = *(const cell_group *)(const void *)(g->cells + p->cells[q]);
    x->write = cells & UINT32_MAX;
    x->read = cells >> 32;
    x->lanes = __builtin_convertvector(*(const lanes *)(const void *)(p->cell_lanes + q), cell_group);
}
static inline void save_words(const word_group *x, const gate *g, const pattern *p, u32 q) {
    *(cell_group *)(void *)(g->cells + p->cells[q]) = x->write | x->read << 32;
}

/* Those of `some` are of one descriptor; it is *who. */
static inline bool is_one(const cell_group *halves, const cell_group *some, u32 *who) {
    u32 l = 0;
    while (!(*some)[l]) l++;
    *who = (u32)(*halves)[l];
    const cell_group apart = (*halves ^ *who) & CELL_WHO & *some;
    return !is_any(&apart);
}

/* The last writers are no danger. */
static inline bool writers_pass(gate *g, const word_group *x) {
    const cell_group late = (cell_group)(x->write >= g->limit);
    u32 who;
    if (!is_any(&late)) return true;
    if (!is_one(&x->write, &late, &who)) return false;
    const stand s = stand_of_writer(g, who);
    const cell_group others = (x->write ^ x->lanes) & (63 | FLAG_LANES) & late;
    return s == STAND_ORDERED || (s == STAND_THREAD && !is_any(&others));
}

/* The lanes of `rest` join readers of one descriptor, as in read_word. */
static inline bool join_words(gate *g, word_group *x, const cell_group *rest) {
    u32 who;
    const cell_group several = (cell_group)((x->read & FLAG_WARPS) != 0);
    const cell_group most = (cell_group)((x->read & FLAG_BLOCKS) == FLAG_BLOCKS) & *rest;
    const cell_group unsure = several & *rest;
    if (!is_one(&x->read, rest, &who) || is_any(&most) || is_mixed(g, who)) return false;
    cell_group flags = {0};
    const stand s = stand_of_reader(g, who);
    switch (s) {
    case STAND_ORDERED:
        if (is_any(&unsure)) return false;
        flags = x->lanes & FLAG_LANES;
        break;
    case STAND_THREAD:
        if (g->w->lane_clocks || g->w->orders) return false;
        flags = (cell_group)(((x->read ^ x->lanes) & 63) != 0) & FLAG_LANES;
        flags |= (x->read | x->lanes) & FLAG_LANES;
        flags = (several & FLAG_WARPS) | (~several & flags);
        break;
    case STAND_WARP: flags += FLAG_WARPS; break;
    case STAND_BLOCK: flags += FLAG_BLOCKS; break;
    default: return false;
    }
    cell_group keeps = (cell_group)(x->write != 0) & (cell_group)(flags != 0) &
                       (cell_group)(((x->write ^ x->lanes) & 63) == 0) & *rest;
    if (is_any(&keeps)) {
        u32 writer;
        if (!is_one(&x->write, &keeps, &writer)) return false;
        if (!keeps_reader(g, writer, who)) keeps = (cell_group){0};
    }
    const cell_group next = (keeps & x->read & ~FLAG_BLOCKS) | (~keeps & ((x->lanes & 63) | g->mine)) | flags;
    x->read = (*rest & next) | (~*rest & x->read);
    return true;
}

static inline bool read_group(gate *g, const pattern *p, u32 q) {
    word_group x;
    load_words(&x, g, p, q);
    const cell_group empty = (cell_group)(x.write == 0), mine = x.lanes | g->mine;
    if (!writers_pass(g, &x) || (g->uninit && is_any(&empty))) return false;
    const cell_group old = (cell_group)((x.read & CELL_WHO) < g->limit);
    cell_group rest = ~old & (cell_group)(x.read != mine);
    if (g->settled) rest &= (cell_group)((x.read & g->settled) != g->settled);
    if (is_any(&rest) && !join_words(g, &x, &rest)) return false;
    x.read = (old & mine) | (~old & x.read);
    save_words(&x, g, p, q);
    return true;
}

static inline bool write_group(gate *g, const pattern *p, u32 q) {
    word_group x;
    load_words(&x, g, p, q);
    if (!writers_pass(g, &x)) return false;
    const cell_group late = (cell_group)((x.read & CELL_WHO) >= g->limit);
    if (is_any(&late)) {
        u32 who;
        const cell_group several = x.read & FLAG_BLOCKS & late, others = (x.read ^ x.lanes) & 63 & late;
        if (is_any(&several) || !is_one(&x.read, &late, &who)) return false;
        const stand s = stand_of_reader(g, who);
        if (s != STAND_ORDERED && (s != STAND_THREAD || is_any(&others))) return false;
    }
    x.write = x.lanes | g->mine;
    x.read = (cell_group){0};
    save_words(&x, g, p, q);
    return true;
}

static inline bool check_words(gate *g, const pattern *p) {
    if (g->m->atomic) {
        for (u32 k = 0; k < p->cell_count; k++)
            if (!atomic_word(g, g->cells + p->cells[k], p->cell_lanes[k])) return false;
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
            cell *c = g->cells + p->cells[k];
            if (g->m->write ? !write_word(g, c, p->cell_lanes[k]) : !read_word(g, c, p->cell_lanes[k]))
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
        SOME_LANES(p->mask, bad |= (u32)((g->cells[p->offsets[l] / 4].read & CELL_WHO) >= g->limit));
    else
        SOME_LANES(p->mask, const cell now = g->cells[p->offsets[l] / 4];
                   bad |= ((u32)(now.write >= g->limit) && !is_strong(g, now.write)) |
                          (u32)((now.read & CELL_WHO) >= g->limit));
    if (bad) return false;
    SOME_LANES(p->mask, g->cells[p->offsets[l] / 4].write = g->mine | l);
    return true;
}

/* Lane by lane, where the words were not told apart. */
static inline bool check_lanes(gate *g, const pattern *p) {
    if (g->m->atomic && check_atomics(g, p)) return true;
    FOR_LANES(l, p->mask) {
        cell *c = g->cells + p->offsets[l] / 4;
        if (g->m->atomic ? !atomic_word(g, c, l) : g->m->write ? !write_word(g, c, l) : !read_word(g, c, l))
            return false;
    }
    return true;
}

/* Cells that know their bytes (check/narrow.c): nobody has touched the word, or whoever wrote it wrote no
 * more than these bytes, and is ordered. */
static inline bool narrow_word(gate *g, cell *c, u32 lane, u32 bytes) {
    const cell now = *c;
    if (now.read || now.write >> NARROW_KIND_AT) return false;
    if (now.write) {
        if (em_narrow_bytes(now.write) & ~bytes) return false;
        if (stand_of_writer(g, em_narrow_desc(now.write) << CELL_LANE_BITS) != STAND_ORDERED) return false;
    } else if (g->uninit && !g->m->write) {
        return false;
    }
    const u32 mine = em_narrow_half(g->mine >> CELL_LANE_BITS, lane, bytes);
    if (g->m->write)
        c->write = mine;
    else
        c->read = mine;
    return true;
}

/* A row of words that nobody has touched, or that one instruction has written as a row. */
static inline bool narrow_row(gate *g, const pattern *p, u32 bytes) {
    cell_group touched = {0}, other = {0};
    const u64 w0 = g->cells[p->cells[0]].write;
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        const cell_group x = *(const cell_group *)(const void *)(g->cells + p->cells[q]);
        touched |= x;
        other |= x ^ (LANES_OF_GROUP + w0 + q);
    }
    if (any(&touched)) { /* by lane 0 the first word, and so on */
        if (any(&other) || w0 & 63 || w0 >> NARROW_KIND_AT || em_narrow_bytes((u32)w0) & ~bytes) return false;
        if (stand_of_writer(g, em_narrow_desc((u32)w0) << CELL_LANE_BITS) != STAND_ORDERED) return false;
    } else if (g->uninit && !g->m->write) {
        return false;
    }
    const u64 mine = em_narrow_half(g->mine >> CELL_LANE_BITS, 0, bytes);
    for (u32 q = 0; q < CHUNK; q += GROUP) {
        cell_group *c = (cell_group *)(void *)(g->cells + p->cells[q]);
        *c = g->m->write ? LANES_OF_GROUP + mine + q : *c | (LANES_OF_GROUP + mine + q) << 32;
    }
    return true;
}

static inline bool check_narrow(gate *g, const pattern *p, u64 first, u32 size) {
    const u32 at = first & 3, bytes = size < 4 ? (1u << size) - 1 : 15;
    if (size < 4 ? at + size > 4 : at) return false;
    if (p->word_row && narrow_row(g, p, bytes << at)) return true;
    for (u32 k = 0; k < p->cell_count; k++)
        if (p->cell_lanes[k] & CELL_MANY_LANES ||
            !narrow_word(g, g->cells + p->cells[k], p->cell_lanes[k], bytes << at))
            return false;
    return true;
}

static inline void order_access(warp *w, const mem_access *m, bool shared, const pattern *p, u64 first) {
    if (!m->order.strong || !w->machine->emulator->orders) return;
    u64 address[MAX_LANES];
    FOR_LANES(l, p->mask) address[l] = first + (u64)(s64)p->offsets[l];
    em_order_access(w, m, shared, address, p->mask);
}

/* Whether the access was checked; else it is left to the general checker. */
static inline bool check_short(warp *w, const mem_access *m, bool shared, const memory_stats *k,
                               const pattern *p, u64 first) {
    gate g;
    if (!p->cell_count || !w->machine->short_race) return false;
    if (!shared && k->alloc && k->alloc->kind == ALLOC_CONST) return true;
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
