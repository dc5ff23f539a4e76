/* Lanes of a warp that wait for each other (ticket_lanes.c). */
#ifndef LS_VERIFY_CHECK_TICKET_LANES_H
#define LS_VERIFY_CHECK_TICKET_LANES_H

#include "verify/check/ticket_sites.h"

/* An instruction that lanes of a warp do not pass before the others have come. */
bool ls_meets_lanes(const ls_ir_instr *i);
/* Adds a site for each warp of which threads may reach that instruction. */
void ls_add_lanes(ls_protocol *x, const ls_node *n, const ls_site *s);

#endif
