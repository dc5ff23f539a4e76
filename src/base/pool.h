/* Data-parallel loops: ls_parallel_for calls body(context, 0 … count-1), each index once, on up to
 * `threads` threads (0: one per core), and returns when all are done. Indices are taken in order. */
#ifndef LS_BASE_POOL_H
#define LS_BASE_POOL_H

#include <stdint.h>

typedef void (*ls_parallel_body)(void *context, uint32_t index);

uint32_t ls_core_count(void);
void ls_parallel_for(uint32_t threads, uint32_t count, ls_parallel_body body, void *context);

#endif
