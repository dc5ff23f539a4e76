/* What a plain write has left in memory before the same thread's atomic operations changed it: the race
 * checker asks whether another thread writes the same. */
#ifndef LS_EMULATE_CHECK_BURIED_H
#define LS_EMULATE_CHECK_BURIED_H

#include "emulate/check/race.h"

/* Before the first atomic operation on the word. */
void em_buried_keep(const race_state *s, uint64_t word);
/* What plain writes have left at the address of a lane that writes now. */
void em_buried_read(const race_state *s, uint64_t address, char *bytes, uint32_t size);

#endif
