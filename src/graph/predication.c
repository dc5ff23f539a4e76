/* Predication (000, §4.1, Tables 1 and 2) over an abstract graph (predication.h). The table says what to do
 * with the last block of a loop; a block can be the last of several (when an inner loop ends where the outer
 * one does, as with `continue outer`), and then each is closed, from the inner one outwards. */
#include "graph/predication.h"

#include <assert.h>

static void predicate_block(const ls_cfg *cfg, uint32_t block, const ls_predication_sink *sink, void *data) {
    const uint32_t *targets = cfg->graph.targets + cfg->graph.start[block];
    uint32_t count = cfg->graph.start[block + 1] - cfg->graph.start[block];
    sink->execute(data, block);
    /* the last block of all, if it only ends the kernel, needs no choice (Figure 5) */
    bool ends = count == 1 && targets[0] == LS_GRAPH_END;
    if (!ends || cfg->position[block] + 1 != cfg->rpo_count) sink->choose(data, block, targets, count);
    for (uint32_t l = cfg->innermost[block]; l != LS_GRAPH_NONE; l = cfg->loops.items[l].parent)
        if (cfg->loops.items[l].last == block) sink->close(data, &cfg->loops.items[l]);
}

void ls_predicate(const ls_cfg *cfg, uint32_t from, uint32_t end, const ls_predication_sink *sink,
                  void *data) {
    assert(cfg->reducible && cfg->reachable[from]);
    uint32_t last = end == LS_GRAPH_NONE ? cfg->rpo_count - 1 : cfg->position[end];
    for (uint32_t i = cfg->position[from]; i <= last; i++) {
        sink->begin(data, cfg->order[i]);
        if (cfg->order[i] == from) sink->activate(data, from);
        predicate_block(cfg, cfg->order[i], sink, data);
        if (sink->over && sink->over(data)) break;
    }
}
