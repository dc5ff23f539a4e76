/* What one access by one warp costs: sectors and lines of global memory, turns of shared-memory banks. */
#ifndef LS_ANALYZE_COST_H
#define LS_ANALYZE_COST_H

#include "analyze/warp.h"

/* 001 §3.2: N(σ, π, AS, W) for sectors (η = 32) and lines (η = 128). `bytes` is what one lane accesses. */
void ls_cost_global(const ls_lanes *address, ls_active active, uint32_t bytes, ls_access_cost *cost);
/* 004 §5: different words in one bank are one turn each; 8- and 16-byte accesses go in halves and quarters.
 */
void ls_cost_shared(const ls_lanes *address, ls_active active, uint32_t bytes, ls_access_cost *cost);

#endif
