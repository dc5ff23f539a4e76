/* What atomic operations on one place tell two threads of each other. */
#ifndef LS_VERIFY_CHECK_WINNERS_H
#define LS_VERIFY_CHECK_WINNERS_H

#include "verify/query/query.h"

/* What holds of the results that two threads got from atomic operations on one object, if it was the same
 * place of it; NULL: nothing is known. */
const ls_term *ls_one_winner(ls_query *q, const ls_term *x, const ls_term *y);

#endif
