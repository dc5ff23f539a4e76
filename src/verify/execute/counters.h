/* Atomic counters. */
#ifndef LS_VERIFY_EXECUTE_COUNTERS_H
#define LS_VERIFY_EXECUTE_COUNTERS_H

#include "verify/query/query.h"

/* claims that results of atomic increments of one counter differ. */
void ls_query_counters(ls_query *q);

#endif
