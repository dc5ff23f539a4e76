/* What the two forms of the race checker share: cells of words (check/race.c) and, where a kernel accesses
 * less than a word, cells that know their bytes (check/narrow.c). */
#ifndef LS_EMULATE_CHECK_RACE_H
#define LS_EMULATE_CHECK_RACE_H

#include "emulate/machine.h"

/* The descriptor that a half of a cell names. */
static inline uint32_t em_race_desc(uint32_t half, bool narrow) {
    return narrow ? em_narrow_desc(half) : half >> CELL_LANE_BITS & ((1u << CELL_DESC_BITS) - 1);
}

typedef enum { RACE_WRITE_READ, RACE_READ_WRITE, RACE_WRITE_WRITE } race_kind;

enum { NO_LANE = UINT32_MAX };
/* Whether a lane's write changes nothing: the value is that which another lane writes now or, where
 * other_lane is NO_LANE, which is there. */
bool em_same_value(const warp *w, const mem_access *m, uint32_t lane, uint32_t other_lane, const char *at);

/* One access of a warp. */
typedef struct {
    warp *w;
    const mem_access *m;
    desc *table;
    shadow_planes shadow;
    allocation *rows; /* which has rows; NULL: shared memory */
    uint32_t me;      /* my descriptor */
    bool shared, narrow;
    uint64_t base; /* address of word 0 */
    uint64_t mask;
    const uint64_t *address;
    bool uninit, tracked; /* tracked: memory that was not written has no contents */
    uint32_t fresh;       /* shared: descriptors below it are of earlier intervals; global: 1 */
    uint32_t memo[2];     /* descriptors looked at last (write, read) … */
    verdict answer[2];
} race_state;

static inline verdict em_race_look(race_state *s, int which, uint32_t index) {
    if (index < s->fresh) return ORDERED;
    if (s->memo[which] != index) {
        s->memo[which] = index;
        s->answer[which] = em_order_of(s->w, s->m, &s->table[index], index == s->me, s->shared);
    }
    return s->answer[which];
}

/* What is known of a word. */
static inline cell em_race_cell(const race_state *s, uint64_t word) {
    const uint32_t last = s->shadow.last[word];
    const bool written = s->shared || (last && s->table[em_race_desc(last, s->narrow)].write);
    return written ? (cell){last, em_planes_reader(&s->shadow, word)}
                   : (cell){em_planes_writer(&s->shadow, word), last};
}
/* The same, once it has changed. */
static inline void em_race_put(const race_state *s, uint64_t word, cell was, cell now) {
    uint32_t *const last = &s->shadow.last[word], *const since = &s->shadow.since[word];
    const bool changed = now.read != (s->shared || was.write ? was.read : 0);
    bool turned = !s->shared && was.write && *last != was.write; /* the reader is in `last` */
    if (changed && !turned && was.write && s->rows) turned = em_planes_turn(&s->shadow, word, s->rows);
    if (!s->shared && (!now.write || (turned && now.write == was.write))) {
        *last = now.read;
        return;
    }
    if (!turned && changed) em_planes_spread(&s->shadow, word);
    if (turned ? now.read : changed) *since = now.read;
    *last = now.write;
}

/* Of several readers one is kept: the one that was, or this one, and its descriptor. */
typedef struct {
    bool old;
    uint32_t desc;
} kept_reader;
/* The descriptor that was kept; whether of this very thread, for several readers, and whether this thread has
 * written the cell last. */
typedef struct {
    uint32_t desc;
    bool mine, many, wrote;
} old_reader;
kept_reader em_race_keep(race_state *s, old_reader old);
/* The descriptor of the word's plain write, with the mark that the same thread's atomic operations are on top
 * of it: what it wrote is kept (check/buried.c). */
uint32_t em_race_buried(race_state *s, uint64_t word, uint32_t index);

/* Whether the other lane's access races with this lane's, where the verdict is for each of them. */
bool em_race_between(const race_state *s, verdict v, uint32_t index, uint32_t other, uint32_t lane);
/* half: descriptor and lane of the other one, as in a cell of a word. */
void em_race_report(race_state *s, race_kind kind, uint32_t half, uint32_t lane);
void em_race_uninitialized(const race_state *s, uint32_t lane);
/* How many descriptors a cell can tell apart. */
uint32_t em_race_capacity(bool narrow);
/* check/narrow.c: the whole access; and a word that was written before, by that descriptor. */
void em_race_narrow(race_state *s);
uint32_t em_race_nobody(uint32_t index);

#endif
