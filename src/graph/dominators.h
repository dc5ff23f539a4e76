/* Immediate dominators of any graph given by its edges, in both directions. */
#ifndef LS_GRAPH_DOMINATORS_H
#define LS_GRAPH_DOMINATORS_H

#include <stdint.h>

#define LS_GRAPH_NONE UINT32_MAX

typedef struct { /* successors, or predecessors, of v: to[start[v]] … to[start[v + 1] - 1]; LS_GRAPH_NONE: out
                    of the graph */
    uint32_t *start, *to;
} ls_adjacency;

/* Immediate dominators of what root reaches, LS_GRAPH_NONE for root and for the rest. */
void ls_dominators(uint32_t count, const ls_adjacency *succs, const ls_adjacency *preds, uint32_t root,
                   uint32_t *idom);

#endif
