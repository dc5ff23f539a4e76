/* Invariants at barriers. */
#ifndef LS_VERIFY_CHECK_BARRIER_FACTS_H
#define LS_VERIFY_CHECK_BARRIER_FACTS_H

#include "verify/proof.h"

/* What the invariants that stand before a barrier say behind it. */
const ls_term *ls_barrier_facts(ls_state *s, const ls_node *n);

#endif
