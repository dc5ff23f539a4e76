/* Barriers of OpenCL whose fence flags are no constant (flags.c). */
#ifndef LS_VERIFY_CHECK_FLAGS_H
#define LS_VERIFY_CHECK_FLAGS_H

#include "verify/query/query.h"

/* After a model in which two accesses overlap: whether they can do so although such barriers are between
 * them. Asks for a model in which they do; if there is none, the current model stays, and is doubtful. */
void ls_query_past_flags(ls_query *q, const ls_event *a, const ls_event *b, uint8_t memory);

#endif
