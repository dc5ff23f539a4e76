/* Whether two accesses meet only as those lay a tensor out who call the host code (strides.c). */
#ifndef LS_VERIFY_CHECK_STRIDES_H
#define LS_VERIFY_CHECK_STRIDES_H

#include "verify/query/query.h"

/* After a model: the name of a parameter that decides whether the two accesses overlap and is given by
 * callers outside of the file; NULL if there is none. */
const char *ls_meet_by_strides(ls_query *q, const ls_event *a, const ls_event *b);
/* The same of a number that says where a part of the array begins. */
const char *ls_meet_by_offset(ls_query *q, const ls_event *a, const ls_event *b);

#endif
