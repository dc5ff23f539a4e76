/* Barriers of only some of the block's threads (bar.sync ID, COUNT with fewer than all). */
#ifndef LS_VERIFY_CHECK_GROUPS_H
#define LS_VERIFY_CHECK_GROUPS_H

#include "verify/query/query.h"

enum { LS_MOST_NUMBERS = 16 }; /* of barriers */

/* a barrier of fewer threads than the block has; whether all of them are barriers of known parts,
 * of which some are there; the two threads are of one part. */
bool ls_is_partial(const ls_proof *p, const ls_ir_instr *i);
bool ls_check_parts(ls_proof *p);
const ls_term *ls_same_part(ls_query *q);
/* The threads of each part that meets at such a barrier, by their numbers in the block; returns how many
 * parts there are. */
uint32_t ls_parts_at(ls_proof *p, const ls_node *n, const bool *in[LS_MOST_NUMBERS]);

#endif
