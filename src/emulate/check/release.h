/* Releases and acquires, for check/order.c. */
#ifndef LS_EMULATE_CHECK_RELEASE_H
#define LS_EMULATE_CHECK_RELEASE_H

#include "emulate/machine.h"

/* The epoch of which the lanes of a block's warps are sure, each of each other one: what a fence covers. */
uint32_t em_order_clock(const warp *w, uint32_t other);

/* Some lanes reach a barrier that is not for all. */
void em_release_arrive(warp *w, uint32_t id, uint64_t lanes);
/* The barrier is complete: all that came know what each of them has acquired. */
void em_release_barrier(block_run *b, uint32_t id, bool full);
/* These lanes have met at a barrier of the warp. */
void em_release_lanes(warp *w, uint64_t members);
bool em_release_covers_interval(const warp *w, uint32_t lane, const desc *d);
void em_release_free(block_run *b, uint32_t warps);

#endif
