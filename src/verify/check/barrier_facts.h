/* Invariants at barriers. */
#ifndef LS_VERIFY_CHECK_BARRIER_FACTS_H
#define LS_VERIFY_CHECK_BARRIER_FACTS_H

#include "verify/proof.h"

/* What the invariants that stand before a barrier say behind it. */
const ls_term *ls_barrier_facts(ls_state *s, const ls_node *n);
/* A claim of two threads. */
bool ls_is_of_pairs(const ls_ir_instr *i);
/* If the address of a load in such a claim depends only on the index of the other thread: that address, with
 * the thread's own index instead; otherwise NULL. */
const ls_term *ls_address_of_other(ls_proof *p, const ls_ir_instr *i, const ls_term *address);

#endif
