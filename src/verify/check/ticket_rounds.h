/* Loops within loops that go round equally often (ticket_rounds.c). */
#ifndef LS_VERIFY_CHECK_TICKET_ROUNDS_H
#define LS_VERIFY_CHECK_TICKET_ROUNDS_H

#include "verify/check/ticket_sites.h"

/* The site's loop is one in place of two. */
bool ls_was_nested(const ls_protocol *x, const ls_site *s);
/* The same instruction in the kernel as it is; NULL: it is not known which one. */
const ls_ir_instr *ls_original_of(const ls_protocol *x, const ls_site *s);
/* Both loops are in place of two. In whichever iteration a thread of `s` is, every thread from the first to
 * the last comes to `w` in as many iterations as that: the n-th of them goes with the n-th. */
bool ls_go_round_alike(const ls_protocol *x, const ls_site *s, const ls_site *w, uint32_t first,
                       uint32_t last);

/* Of the kernel as it is: inner loops whose first test is answered in the kernel with one loop (`tested`)
 * have an iteration on the same launches, whenever they are entered. *always: on all launches. */
bool ls_enter_alike(ls_proof *p, const ls_ir_function *single, bool *always);

#endif
