/* Whether two accesses can overlap, as a query: what is claimed, and in which turn it is asked. */
#ifndef LS_VERIFY_CHECK_OVERLAP_H
#define LS_VERIFY_CHECK_OVERLAP_H

#include "verify/check/contract.h"
#include "verify/query/query.h"

/* The memory that an object is in: LS_ORDERS_SHARED or LS_ORDERS_GLOBAL. */
uint8_t ls_memory_of(const ls_event *e, const ls_ir_base *base);
/* An object in one of these memories that both may access. */
const ls_ir_base *ls_common_base_in(const ls_proof *p, const ls_event *a, const ls_event *b, uint8_t memory);
/* Two accesses that race where they overlap: never, only if by lanes of one warp, or always. */
typedef enum { LS_MEET_NEVER, LS_MEET_WITHIN_WARP, LS_MEET_ALWAYS } ls_meeting;
ls_meeting ls_meet(const ls_proof *p, const ls_event *a, const ls_event *b, bool same_block, bool shared);
/* The distance of their addresses; both write the same bytes, and the same into them. */
const ls_term *ls_distance_of(ls_query *q, const ls_event *a, const ls_event *b);
const ls_term *ls_same_values(ls_query *q, const ls_event *a, const ls_event *b);
bool ls_both_write(const ls_event *a, const ls_event *b);
/* … and how arithmetic of one of them stands. */
bool ls_stands(ls_proof *p, const ls_event *a, const ls_event *b, ls_standing how);
/* Adds both accesses to the query, without a condition on their overlap. */
void ls_build_pair(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when);
/* Objects apart from each other, where there are several. */
void ls_spread_objects(ls_query *q, const ls_event *a, const ls_event *b);
/* With the overlap of the two, whose distance is given. */
ls_answered ls_solve_overlap(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *d,
                             ls_question question);
/* First a race where nothing overflows, by search alone; then a proof that needs no assumption; then both
 * with the solver. */
ls_answered ls_solve_in_turn(ls_query *q, const ls_event *a, const ls_event *b, bool search_only);

#endif
