/* Order by releases and acquires (handoff.c). */
#ifndef LS_VERIFY_CHECK_HANDOFF_H
#define LS_VERIFY_CHECK_HANDOFF_H

#include "verify/proof.h"

/* The two, which may overlap, are ordered or never both made, for threads of one block or of different ones:
 * by a flag that one sets and the other has seen, by a ticket that only the last block draws, by a lock. */
bool ls_is_handed_over(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

/* Fences by which alone the order of two accesses would be proved. */
typedef struct {
    const ls_ir_instr *before; /* one that releases, in front of this signal; NULL: it is there */
    const ls_ir_instr *behind; /* one that acquires, behind this read; NULL: it is there */
} ls_lacking;
/* They would be handed over by flags or tickets if the threads passed these fences, too. */
bool ls_is_handed_over_with(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block,
                            ls_lacking *lacking);

#endif
