/* Loops within loops that go round equally often (ticket_rounds.c). */
#ifndef LS_VERIFY_CHECK_TICKET_ROUNDS_H
#define LS_VERIFY_CHECK_TICKET_ROUNDS_H

#include "verify/check/ticket_sites.h"

/* The site's loop is one in place of two. */
bool ls_was_nested(const ls_protocol *x, const ls_site *s);
/* Both loops are in place of two. In whichever iteration a thread of `s` is, every thread from the first to
 * the last comes to `w` in as many iterations as that: the n-th of them goes with the n-th. */
bool ls_go_round_alike(const ls_protocol *x, const ls_site *s, const ls_site *w, uint32_t first,
                       uint32_t last);

#endif
