/* Crowds: sets of accesses to one word, each kept once. The cells of the checker of asynchronous kernels have
 * two of them, who has written the word and who has read it since. */
#ifndef LS_EMULATE_CHECK_CROWD_H
#define LS_EMULATE_CHECK_CROWD_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t access; /* who: check/agent.c */
    uint32_t bytes;  /* of the word, a bit each */
    uint64_t lanes;
} crowd_member;

enum { CROWD_MOST = 256 }; /* members; more are forgotten */

typedef struct crowd crowd;
typedef struct {
    LS_VEC(crowd *) items; /* by number; 0: nobody */
    uint32_t *slots;       /* hash table of numbers */
    uint32_t capacity;
} crowds;

/* The number of the set with these members. */
uint32_t em_crowd_of(crowds *c, const crowd_member *members, uint32_t count);
const crowd_member *em_crowd_get(const crowds *c, uint32_t number, uint32_t *count);
void em_crowds_free(crowds *c);

#endif
