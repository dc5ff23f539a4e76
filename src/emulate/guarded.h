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

/* What a launch has given back and the next one is likely to ask for again: asking the system for it, and
 * touching it first, takes longer than many a launch. For one thread at a time; NULL keeps nothing. */
enum { LS_EM_KEPT = 3 };
typedef struct {
    struct {
        void *at; /* NULL: nothing */
        size_t bytes;
    } kept[LS_EM_KEPT];
} em_guarded_pool;
void *em_guarded_from(em_guarded_pool *p, size_t bytes, bool guarded);
void em_guarded_keep(em_guarded_pool *p, void *at, size_t bytes, bool guarded);
void em_guarded_forget(em_guarded_pool *p);

#endif
