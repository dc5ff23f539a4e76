/* Order by releases and acquires (handoff.c). */
#ifndef LS_VERIFY_CHECK_HANDOFF_H
#define LS_VERIFY_CHECK_HANDOFF_H

#include "verify/proof.h"

/* The two, which may overlap, are ordered or never both made, for threads of one block or of different ones:
 * by a flag that one sets and the other has seen, by a ticket that only the last block draws, by a lock. */
bool ls_is_handed_over(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

#endif
