/* Control flow: dominators, natural loops, reducibility (000, §3.1) and the sort order of blocks (§4). Works
 * on any graph with a Start block (block 0): programs of the kernel language, and the blocks of a real
 * kernel, which the verifier executes in this order (nodes.c). */
#ifndef LS_GRAPH_CFG_H
#define LS_GRAPH_CFG_H

#include "base/arena.h"
#include "base/vec.h"
#include "graph/dominators.h"

#include <stdbool.h>

#define LS_GRAPH_END UINT32_MAX /* a target that leaves the graph */

typedef struct {
    uint32_t header;
    uint32_t parent;     /* the innermost loop around it, or LS_GRAPH_NONE */
    uint32_t depth;      /* 1: outermost */
    uint32_t last;       /* the block that the sort order puts last */
    uint32_t back_edges; /* their number */
} ls_cfg_loop;

/* Block b goes to targets[start[b]] … targets[start[b + 1] - 1]: blocks, or LS_GRAPH_END. */
typedef struct {
    uint32_t block_count;
    uint32_t *start, *targets;
} ls_graph;

typedef struct {
    ls_arena arena;
    ls_graph graph;
    uint32_t block_count;
    bool *reachable;
    uint32_t *rpo; /* reachable blocks in reverse postorder */
    uint32_t rpo_count;
    uint32_t *rpo_index;       /* by block; LS_GRAPH_NONE where unreachable */
    uint32_t *idom;            /* by block; Start: itself */
    uint32_t *innermost;       /* by block: the innermost loop that holds it, or LS_GRAPH_NONE */
    uint32_t *header_of;       /* by block: the loop it is the header of, or LS_GRAPH_NONE */
    LS_VEC(ls_cfg_loop) loops; /* outer loops before the loops in them */
    /* Irreducible: an edge that goes back to a block that does not dominate its source. */
    bool reducible;
    uint32_t bad_from, bad_to;
    /* The sort order, where the graph is reducible: reachable blocks only. */
    uint32_t *order;
    uint32_t *position; /* by block; LS_GRAPH_NONE where unreachable */
} ls_cfg;

/* The graph's arrays must outlive it, and are not changed. */
ls_cfg *ls_cfg_new(const ls_graph *graph);
void ls_cfg_free(ls_cfg *cfg);

bool ls_cfg_dominates(const ls_cfg *cfg, uint32_t a, uint32_t b);
/* Whether the loop holds the block. */
bool ls_cfg_in_loop(const ls_cfg *cfg, uint32_t loop, uint32_t block);
/* Checks the two conditions of the sort order (§4) directly from their definition: for tests and asserts.
 * The order is given as positions by block. */
bool ls_cfg_is_sort_order(const ls_cfg *cfg, const uint32_t *position);

#endif
