/* Proofs that two accesses never overlap because they are to different cells of a matrix (cells.c). */
#ifndef LS_VERIFY_CHECK_CELLS_H
#define LS_VERIFY_CHECK_CELLS_H

#include "verify/query/query.h"

/* In a query about the two, in an interval that threads get to on the condition `when` (or NULL), that does
 * not say yet that they overlap: LS_UNSAT where they never do, as cells of one matrix; LS_SAT where they do,
 * as the query then says, without an overflow; LS_UNDECIDED else. */
ls_answered ls_ask_cells(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when);

#endif
