/* The blocks and gotos of a program of the kernel language as a graph (000, §3.1). */
#include "model/graph.h"

ls_cfg *ls_kprog_cfg(const ls_kprog *prog) {
    uint32_t n = prog->blocks.length, edges = 0;
    for (uint32_t b = 0; b < n; b++) edges += prog->blocks.items[b].targets.length;
    uint32_t *start = LS_NEW_N(&prog->ctx->arena, uint32_t, n + 1);
    uint32_t *targets = LS_NEW_N(&prog->ctx->arena, uint32_t, edges + 1);
    for (uint32_t b = 0; b < n; b++) {
        const ls_kblock *block = &prog->blocks.items[b];
        start[b + 1] = start[b] + block->targets.length;
        for (uint32_t k = 0; k < block->targets.length; k++) targets[start[b] + k] = block->targets.items[k];
    }
    return ls_cfg_new(&(ls_graph){n, start, targets});
}
