/* Order by tickets (tickets.c): mbarriers, bulk copies and their groups, and block barriers among them. */
#ifndef LS_VERIFY_CHECK_TICKETS_H
#define LS_VERIFY_CHECK_TICKETS_H

#include "verify/proof.h"

/* The instruction is one of those that this pass has a model of, and is judged by it alone. */
bool ls_is_ticketed(const ls_ir_instr *instr);
/* There are such instructions in the kernel. */
bool ls_has_tickets(const ls_proof *p);
/* The bytes that a bulk copy moves; 0: it is none, or they are not a constant. */
uint64_t ls_bulk_bytes(const ls_ir_instr *instr);
/* Copies of cp.async are waited for by mbarriers: they are judged by this pass, too. */
bool ls_joins_flights(const ls_proof *p);
/* Needs `whole`; nested: of the kernel as it is, where loops within loops are one loop in this one, or NULL.
 * Leaves `ticketed`: all accesses to shared memory within a block are ordered, or apart. What is not of a
 * known shape is a reason for "unknown". */
void ls_check_tickets(ls_proof *p, ls_proof *nested);

#endif
