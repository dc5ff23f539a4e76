/* Memory with guard pages around it: for what kernels index, as a second line behind the checks of every
 * access. */
#ifndef LS_EMULATE_GUARDED_H
#define LS_EMULATE_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, on a boundary of 128 bytes. Where it is guarded, what lies within LS_EM_GUARD bytes before it or
 * behind its end (rounded up to 128) faults; pages more than that before it are not. NULL where there is no
 * memory. */
enum { LS_EM_GUARD = 1 << 20 };
void *em_guarded(size_t bytes, bool guarded);
void em_guarded_free(void *at, size_t bytes, bool guarded);

#endif
