/* Synchronisation within a warp. */
#ifndef LS_VERIFY_CHECK_WARPS_H
#define LS_VERIFY_CHECK_WARPS_H

#include "verify/query/query.h"

enum { LS_WARP = 32 }; /* threads */

typedef struct {
    uint32_t mask;        /* the lanes that synchronise within a warp … */
    uint32_t tile;        /* … or within each tile of so many lanes of it */
    ls_term_list members; /* instead: the parts of the block that do (groups.c) */
    bool barriers;        /* some synchronisation of them is a barrier … */
    bool doubt;           /* … and some is there that is not modelled */
} ls_warp_sync;

/* Needs `whole`, and barriers to be checked; leaves ls_warp_sync_of and the intervals of the lanes of a warp.
 */
void ls_check_warps(ls_proof *p);
ls_warp_sync *ls_warp_sync_of(const ls_proof *p);
/* The thread's lane in its warp; whether a mask names the lane. */
const ls_term *ls_lane(ls_proof *p);
/* Its number in the block, along the rows. */
const ls_term *ls_thread_number(ls_proof *p);
const ls_term *ls_mask_names(ls_terms *t, const ls_term *mask, const ls_term *lane);
/* The two threads are in one warp of so many threads. */
const ls_term *ls_same_warp(ls_query *q, uint32_t size);
/* Claims what the view says of warps. */
void ls_query_warps(ls_query *q);

#endif
