/* What the first thread of a block tells the others through shared memory. */
#ifndef LS_VERIFY_CHECK_TOLD_H
#define LS_VERIFY_CHECK_TOLD_H

#include "verify/query/query.h"

/* The term as it is for the first thread of the block. */
const ls_term *ls_for_first(ls_proof *p, const ls_term *term);
/* By at most one thread of each block, once. */
bool ls_is_once_a_block(ls_proof *p, const ls_event *e);

typedef struct {
    const ls_event *store;      /* by the first thread of the block, in every block */
    const ls_ir_instr *barrier; /* between the store and the load */
} ls_told;

/* The load finds what the first thread of its block has stored before a barrier, and nobody else. */
bool ls_is_told(ls_proof *p, const ls_event *load, ls_told *out);
/* Claims that threads have read what was told them, by the thread 3 (4) of the query for its thread 1 (2);
 * `taken`, by thread: another one than the first of its block is meant by that. */
void ls_query_told(ls_query *q, const bool *taken);
/* Claims that variables which nobody writes any more are the same for all threads of a block. */
void ls_query_settled(ls_query *q);

#endif
