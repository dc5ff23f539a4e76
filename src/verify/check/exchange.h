/* Threads that exchange values with the one at t ^ mask. */
#ifndef LS_VERIFY_CHECK_EXCHANGE_H
#define LS_VERIFY_CHECK_EXCHANGE_H

#include "verify/query/query.h"

/* Adds what is always true of two threads' partners, t ^ mask and u ^ mask: t is u's partner exactly where u
 * is t's, and their partners are the same exactly where they are. Then it follows from comparisons alone that
 * threads which have the lower number of their pair do not meet, whatever the mask is. */
void ls_query_exchanges(ls_query *q, const ls_event *a, const ls_event *b);

#endif
