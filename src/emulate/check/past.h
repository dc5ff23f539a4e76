/* The past of a thread: which accesses of others are before its own. Two vector clocks with an element for
 * each thread of the block (or cluster) and for each asynchronous unit: what is ordered before it at all, and
 * what is ordered before it by a way that has a proxy fence on it, so that asynchronous units see it. */
#ifndef LS_EMULATE_CHECK_PAST_H
#define LS_EMULATE_CHECK_PAST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct moment moment; /* a vector clock; NULL: all zero. Shared, counted */

typedef struct {
    moment *known;
    moment *fenced;
} past;

uint32_t em_moment_at(const moment *m, uint32_t element);
void em_moment_raise(moment **to, uint32_t element, uint32_t value);
void em_moment_join(moment **to, moment *from);
void em_moment_set(moment **to, moment *from);

void em_past_join(past *to, const past *from);
void em_past_set(past *to, const past *from);
void em_past_drop(past *p);

#endif
