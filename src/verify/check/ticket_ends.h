/* That waits and copies end (ticket_ends.c). */
#ifndef LS_VERIFY_CHECK_TICKET_ENDS_H
#define LS_VERIFY_CHECK_TICKET_ENDS_H

#include "verify/check/ticket_sites.h"

/* The thread reaches the block where `given` holds, whatever the data, as far as no loop keeps it. */
bool ls_comes_to(const ls_protocol *x, const ls_ir_block *block, uint32_t thread, const ls_term *given);
/* … and always executes the instruction of the site, which is in no loop. */
bool ls_comes_there(const ls_protocol *x, const ls_site *s, uint32_t thread);
/* Every copy is over before the block ends, and every wait ends; false with trouble where that is not known.
 */
bool ls_check_ends(ls_protocol *x);
/* Whenever the copy `s` is made, the thread reaches the wait for its phase at `w`. */
bool ls_is_awaited_by(const ls_protocol *x, const ls_site *s, const ls_site *w, uint32_t thread);

#endif
