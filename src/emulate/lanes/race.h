/* The race checker's short way (004, §4; check/race.c is the whole of it): an access whose pattern is known,
 * to words of whose shadow one sees at a glance that nothing races. Either nobody has touched them in this
 * interval, or one other instruction has, of the same threads or, where both read, of any. Rows of
 * neighbouring words are looked at all at once, others by groups of eight, and groups on which several
 * instructions have left their marks word by word; each word once however many lanes touch it. Where anything
 * else is found, the whole access goes to the general checker, for which it makes no difference that some of
 * the words have been passed already. */
#ifndef LS_EMULATE_LANES_RACE_H
#define LS_EMULATE_LANES_RACE_H

#include "emulate/lanes/race_rows.h"

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

/* Whether all words of a row whose writers were in its entry have been written again, by one instruction: the
 * entry stands for nothing then, and goes. */
static inline bool is_left(const gate *g, const pattern *p, u32 q, const half_group *last) {
    const u64 word = g->word + (u64)(s64)p->cells[q];
    if (word % ROW_WORDS || !row_entry(last) || !is_writer(g, (*last)[0])) return false;
    g->planes.rows[word / ROW_WORDS] = 0;
    return true;
}

/* False where some have been written and others read by several instructions. */
static inline bool load_words(word_group *x, const gate *g, const pattern *p, u32 q) {
    const half_group last = *group_at(g->last, p, q);
    if (g->rows && g->rows->has_writers && is_turned(g, p, q) && !is_left(g, p, q, &last)) return false;
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
    if (!is_one(&last, &unsure, &who)) {
        for (u32 l = 0; l < GROUP; l++)
            if (!is_writer(g, last[l])) return false;
    } else if (!is_writer(g, who)) {
        return true;
    }
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
    if (!is_one(&x->write, &late, &who)) {
        for (u32 l = 0; l < GROUP; l++)
            if (late[l] && !writer_passes(g, x->write[l], x->lanes[l])) return false;
        return true;
    }
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

/* Lane by lane, for patterns whose words were not distinguished. */
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

/* Cells that record their bytes (check/narrow.c): the word was not accessed before, or its writer wrote only
 * these bytes and is ordered before this access. */
static inline bool narrow_word(gate *g, s32 at, u32 lane, u32 bytes) {
    const seen_word now = look(g, at);
    if (now.read || now.write >> NARROW_KIND_AT) return false;
    if (now.write) {
        if (em_narrow_bytes(now.write) & ~bytes) return false;
        if (stand_of_writer(g, em_narrow_desc(now.write) << CELL_LANE_BITS) != STAND_ORDERED) return false;
    } else if (g->uninit && !g->m->write) {
        return false;
    }
    *(g->m->write ? g->last + at : reader_place(g, at, &now)) =
        em_narrow_half(g->mine >> CELL_LANE_BITS, lane, bytes);
    return true;
}

/* A row of words that nobody has touched, or that one instruction has written as a row. */
static inline bool narrow_row(gate *g, const pattern *p, u32 bytes) {
    half_group touched = {0}, other = {0};
    const u32 w0 = g->last[p->cells[0]];
    const bool written = is_writer(g, w0);
    if (g->rows && !g->m->write && (written || g->rows->has_writers)) return false; /* word by word */
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
    u32 *last = k->alloc ? em_planes_of(k->alloc, mc->global_narrow).last : NULL;
    if (m->write || !last || w->descs[2 * m->memory_site].stamp == em_race_stamp(w)) return false;
    if (mc->emulator->strong_accesses || mc->global_narrow || (first - k->lo) & 3) return false;
    if (k->alloc->has_writers) return false;
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
