/* Whether two overlapping writes write equal values. */
#ifndef LS_VERIFY_CHECK_VALUES_H
#define LS_VERIFY_CHECK_VALUES_H

#include "verify/query/query.h"

typedef enum { LS_VALUES_EQUAL, LS_VALUES_DIFFER, LS_VALUES_OPEN } ls_comparison;

/* Whether their values can be compared at all. */
bool ls_are_comparable(const ls_event *a, const ls_event *b);
/* Of what two overlapping writes write; where they do so is confirmed, or not. The query gets another claim.
 */
ls_comparison ls_compare_values(ls_query *q, const ls_event *a, const ls_event *b, bool confirmed);
/* Whether equal values excuse the race. */
bool ls_is_tolerated(ls_query *q, const ls_event *a, const ls_event *b);

#endif
