/* What lanes of a warp, or threads that count with an atomic, know of each other's values. */
#ifndef LS_VERIFY_CHECK_RANKS_H
#define LS_VERIFY_CHECK_RANKS_H

#include "verify/query/query.h"

/* Where a value came from that lanes or threads made together: an operation of a warp, or an atomic one. */
typedef struct {
    const ls_ir_instr *instr;
    const ls_term *path; /* the condition under which it is executed */
    const ls_term *operands[4];
    const ls_term *address; /* of an atomic operation */
} ls_joint;

/* Remembers where the first result of an operation that lanes or threads make together came from. */
void ls_keep_joint(ls_state *s, const ls_ir_instr *i, const ls_term *symbol);
/* What an instance of a symbol is a result of; NULL: of no such operation. */
const ls_joint *ls_joint_of(ls_proof *p, const ls_term *leaf);
/* Claims what masks of lanes, shuffles, atomic counters and counted bits in the query have to do with each
 * other. */
void ls_query_ranks(ls_query *q);

#endif
