/* Programmatic dependent launches (PTX ISA, "griddepcontrol"; CUDA guide, "Programmatic dependent launch"): a
 * launch may begin before the one in front of it has ended, and what its threads access before they wait for
 * that one is not ordered with it. Who waits speaks for its warp, and for those who meet it at a barrier. */
#ifndef LS_EMULATE_CHECK_EARLY_H
#define LS_EMULATE_CHECK_EARLY_H

#include "emulate/machine.h"

/* An access to global memory: kept where it is too early. */
void em_early_access(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);
/* At the end of the launch: tells of all. */
void em_early_tell(machine *m);

#endif
