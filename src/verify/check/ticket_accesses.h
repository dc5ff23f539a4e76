/* That accesses are ordered by tickets (ticket_accesses.c). */
#ifndef LS_VERIFY_CHECK_TICKET_ACCESSES_H
#define LS_VERIFY_CHECK_TICKET_ACCESSES_H

#include "verify/check/ticket_sites.h"

/* Whenever two threads of a block access the same bytes there, one is over before the other begins. */
bool ls_are_ordered(ls_protocol *x, const ls_site *a, const ls_site *b);
/* In shared memory, within a block. False with trouble where it is not proved. */
bool ls_check_accesses(ls_protocol *x);
/* In global memory, what copies do there. */
bool ls_check_global(ls_protocol *x);

#endif
