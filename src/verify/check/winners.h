/* What atomic operations on one place tell two threads of each other. */
#ifndef LS_VERIFY_CHECK_WINNERS_H
#define LS_VERIFY_CHECK_WINNERS_H

#include "verify/query/query.h"

/* The access is at a multiple of its size from the start of its object: two such accesses of one size are of
 * the same place, or have no byte in common. */
bool ls_is_in_slots(const ls_proof *p, const ls_ir_access *a);
/* What holds of the results that two threads got from atomic operations on one object, if it was the same
 * place of it; NULL: nothing is known. */
const ls_term *ls_one_winner(ls_query *q, const ls_term *x, const ls_term *y);

#endif
