/* The race checker's short way (race.h) for rows of neighbouring words, which are looked at all at once. */
#ifndef LS_EMULATE_LANES_RACE_ROWS_H
#define LS_EMULATE_LANES_RACE_ROWS_H

#include "emulate/lanes/race_words.h"

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

/* Whether some of 8 words belong to a row whose writers are in its entry. */
static inline bool is_turned(const gate *g, const pattern *p, u32 q) {
    const u64 word = g->word + (u64)(s64)p->cells[q];
    return (em_planes_row(&g->planes, word) | em_planes_row(&g->planes, word + GROUP - 1)) & ROW_WRITERS;
}

/* Where the readers of 8 words are kept as a row; NULL where they are not neighbours from a multiple of 8 on.
 */
static inline u64 *row_of(const gate *g, const pattern *p, u32 q) {
    const u64 word = g->word + (u64)(s64)p->cells[q];
    if (!g->rows) return NULL;
    if (!(word % ROW_WORDS)) return g->planes.rows + word / ROW_WORDS;
    if (g->rows->has_rows) em_planes_spread(&g->planes, word);
    if (g->rows->has_rows) em_planes_spread(&g->planes, word + GROUP - 1);
    return NULL;
}

/* Where the lanes of four words are, in one half of those of a row. */
enum { HALF_ROW_BITS = 4 * ROW_LANE_BITS };
#define LANES_AT ((half_group){0, 5, 10, 15, 0, 5, 10, 15})

/* Who has read 8 words since they were written. */
static inline void readers_at(const gate *g, const pattern *p, u32 q, half_group *readers) {
    const u64 *row = row_of(g, p, q), entry = row ? *row : 0;
    if (!entry) {
        *readers = *group_at(g->since, p, q);
        return;
    }
    const u32 low = (u32)(entry >> CELL_DESC_BITS), high = (u32)(entry >> (CELL_DESC_BITS + HALF_ROW_BITS));
    *readers = (((half_group){low, low, low, low, high, high, high, high} >> LANES_AT) & (ROW_LANES - 1)) |
               ((u32)entry << CELL_LANE_BITS & CELL_WHO);
}

/* One entry for them, if they are lanes of one instruction. */
static inline u64 row_entry(const half_group *readers) {
    const u32 first = (*readers)[0];
    const half_group other = (*readers ^ first) & ~(u32)(ROW_LANES - 1);
    const u32 not_kept = CELL_MANY_BLOCKS | ROW_LANES | ROW_WRITERS << CELL_LANE_BITS;
    if (!first || first & not_kept || is_any(&other)) return 0;
    const half_group l = (*readers & (ROW_LANES - 1)) << LANES_AT;
    const u64 low = l[0] | l[1] | l[2] | l[3], high = l[4] | l[5] | l[6] | l[7];
    return first >> CELL_LANE_BITS | (low | high << HALF_ROW_BITS) << CELL_DESC_BITS;
}

/* Puts the writers of 8 words into the entry of their row, and the readers into `last`. */
static inline bool turn_row(const gate *g, half_group *last, u64 *row, const half_group *readers) {
    const u64 writers = row_entry(last);
    if (!writers) return false;
    note_rows(g);
    if (!g->rows->has_writers) g->rows->has_writers = true;
    *row = writers | ROW_WRITERS;
    const half_group read = (half_group)(*readers != 0);
    *last = (read & *readers) | (~read & *last);
    return true;
}

static inline void put_readers(const gate *g, const pattern *p, u32 q, const half_group *readers) {
    u64 *row = row_of(g, p, q);
    const u64 entry = row ? row_entry(readers) : 0;
    const bool in_row = row && *row, free = row && (in_row || !is_any(group_at(g->since, p, q)));
    if (free && entry) {
        *row = entry;
        note_rows(g);
        return;
    }
    if (free && is_any(readers) && turn_row(g, group_at(g->last, p, q), row, readers)) return;
    if (in_row) {
        *row = 0;
        if (!is_any(readers)) return;
    }
    *group_at(g->since, p, q) = *readers;
}

/* The four rows of 32 neighbouring words. */
typedef u64 row_group __attribute__((vector_size(32), aligned(8), may_alias));
/* The lanes 0 to 7 in the places of a row; what is added to each of them for the next row; all four rows. */
#define FIRST_LANES ((u64)0x398a418820 << CELL_DESC_BITS)
#define NEXT_LANES  ((u64)GROUP * 0x842108421 << CELL_DESC_BITS)
#define LANES_OF_ROWS                                                                                        \
    ((row_group){FIRST_LANES, FIRST_LANES + NEXT_LANES, FIRST_LANES + 2 * NEXT_LANES,                        \
                 FIRST_LANES + 3 * NEXT_LANES})

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
        const u32 who = (u32)(*s->rows)[0] & ((1u << ROW_DESC_BITS) - 1);
        const row_group other = *s->rows ^ (who + LANES_OF_ROWS);
        s->by_rows = who && !(other[0] | other[1] | other[2] | other[3]);
        s->reader = who << CELL_LANE_BITS;
    }
    for (u32 q = 0; q < CHUNK && !s->by_rows; q += GROUP) {
        em_planes_spread(&g->planes, g->word + (u64)(s64)p->cells[q]);
        em_planes_spread(&g->planes, g->word + (u64)(s64)p->cells[q] + GROUP - 1);
    }
}

/* Where nobody has written the first word, all are taken for such: what differs is then no row. */
static inline row_state look_at_row(const gate *g, const pattern *p) {
    row_state s = {.apart = is_writer(g, *g->last)};
    for (u32 q = 0; g->rows && g->rows->has_writers && q < CHUNK; q += GROUP)
        if (is_turned(g, p, q)) return (row_state){0}; /* word by word */
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
        *s.rows = (g->mine >> CELL_LANE_BITS) + LANES_OF_ROWS;
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

#endif
