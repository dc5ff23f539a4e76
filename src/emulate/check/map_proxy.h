/* Tensor maps that are changed while a kernel runs, for the checker of asynchronous kernels (PTX manual,
 * "Async proxy", "tensormap.replace"): tensor copies read their map by a proxy of its own. What was changed
 * needs fence.proxy.tensormap::generic.release behind the change and .acquire for the map's address in front
 * of the copy. */
#ifndef LS_EMULATE_CHECK_MAP_PROXY_H
#define LS_EMULATE_CHECK_MAP_PROXY_H

#include "emulate/check/agent.h"

/* The lane changes the tensor map at this address; released: it has also released the change. Maps in shared
 * memory are not followed yet. */
void em_map_change(warp *w, const insn *i, const mem_access *map, uint32_t lane, bool released);
/* An acquire for the address, or, without one, a release of all maps that the lane has changed. */
void em_map_fence(warp *w, const mem_access *map, uint32_t lane);
/* A copy that reads the map, which has these words. */
void em_map_use(warp *w, const insn *i, const mem_access *map, uint32_t lane, const uint64_t *word);

#endif
