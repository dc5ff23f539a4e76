/* What a model of a query says about an execution. */
#ifndef LS_VERIFY_QUERY_WITNESS_H
#define LS_VERIFY_QUERY_WITNESS_H

#include "verify/query/query.h"

/* after LS_SAT, the model in words and as an execution. `offset`: byte in the object, or NULL. */
void ls_query_witness(ls_query *q, ls_finding *finding, const ls_term *offset);
/* … and what it happens to: at the offset that the witness has. */
void ls_witness_object(ls_finding *finding, const char *object);

#endif
