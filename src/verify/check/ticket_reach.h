/* On what condition a site is reached (ticket_reach.c). */
#ifndef LS_VERIFY_CHECK_TICKET_REACH_H
#define LS_VERIFY_CHECK_TICKET_REACH_H

#include "verify/proof.h"

/* It asks an mbarrier whether a phase is over. */
bool ls_is_wait(const ls_ir_instr *i);
/* A loop that does nothing but ask until one wait is over: that wait; NULL: it is another loop. */
const ls_ir_instr *ls_spins_on(const ls_ir_loop *loop);
/* The outermost loop around a block that does more than wait; *nested: there is another one in it. */
const ls_ir_loop *ls_loop_around(const ls_ir_block *block, bool *nested);
/* Every way from the first block, in the loop or in none, reaches the second before the iteration ends. */
bool ls_always_goes_to(const ls_ir_function *f, const ls_ir_block *from, const ls_ir_block *to,
                       const ls_ir_loop *loop);
/* The condition under which a thread reaches the block in an iteration of the loop around it, as far as the
 * loops in between end: that of the first block from which on all ways go there. NULL: it is never reach.
 */
const ls_term *ls_reach_of(const ls_proof *p, const ls_ir_block *block);

#endif
