/* What the two forms of the race checker share: cells of words (check_race.c) and, where a kernel accesses
 * less than a word, cells that know their bytes (check_narrow.c). */
#ifndef LS_EMULATE_CHECK_RACE_H
#define LS_EMULATE_CHECK_RACE_H

#include "emulate/machine.h"

enum { NARROW_DESC_BITS = 20 };

typedef enum { RACE_WRITE_READ, RACE_READ_WRITE, RACE_WRITE_WRITE } race_kind;

/* One access of a warp. */
typedef struct {
    warp *w;
    const mem_access *m;
    desc *table;
    cell *cells;
    uint32_t me; /* my descriptor */
    bool shared, narrow;
    uint64_t base; /* address of cell 0 */
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

/* half: descriptor and lane of the other one, as in a cell of a word. */
void em_race_report(race_state *s, race_kind kind, uint32_t half, uint32_t lane);
void em_race_uninitialized(const race_state *s, uint32_t lane);
/* How many descriptors a cell can tell apart. */
uint32_t em_race_capacity(bool narrow);
/* check_narrow.c: the whole access; and a word that was written before, by that descriptor. */
void em_race_narrow(race_state *s);
uint32_t em_race_nobody(uint32_t index);

#endif
