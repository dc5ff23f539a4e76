/* Named barriers at which some threads arrive without waiting (ticket_named.c). */
#ifndef LS_VERIFY_CHECK_TICKET_NAMED_H
#define LS_VERIFY_CHECK_TICKET_NAMED_H

#include "verify/check/ticket_sites.h"

/* An arrival, or a barrier that counts its threads and may have the number of one at which others arrive. */
bool ls_is_handed(const ls_proof *p, const ls_ir_instr *i);
/* Adds the sites of one, given what is common to them; false with trouble where that is not modelled. */
bool ls_add_named(ls_protocol *x, const ls_site *s);
/* No other barrier has the number of such a barrier. */
bool ls_check_named(ls_protocol *x);

#endif
