/* Copies in the background (PTX's cp.async). */
#ifndef LS_VERIFY_CHECK_FLIGHTS_H
#define LS_VERIFY_CHECK_FLIGHTS_H

#include "verify/proof.h"

bool ls_is_flight(const ls_ir_instr *i);
/* The counter of a loop in the arbitrary iteration of a state; NULL: the loop is never entered. */
const ls_term *ls_counter_of(const ls_proof *p, const ls_ir_loop *loop, uint32_t tag);
/* Needs `whole`; leaves `landings`. */
void ls_find_flights(ls_proof *p);
/* The copies that may be under way behind the barrier at the end of a node. */
void ls_add_flights(ls_proof *p, const ls_node *anchor, ls_events *events);
/* What a thread itself accesses meanwhile. */
void ls_check_flights(ls_proof *p);

#endif
