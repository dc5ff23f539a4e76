/* Immediate dominators of any graph, by the semi-NCA algorithm (Georgiadis, Tarjan, Werneck: "Finding
 * dominators in practice", 2006): semidominators as Lengauer and Tarjan compute them, with path compression,
 * and then for each vertex, in depth-first order, the nearest ancestor in the tree so far that is not deeper
 * than its semidominator. No recursion: depth of the graph costs memory, not stack. */
#include "graph/dominators.h"

#include "base/recover.h"

typedef struct {
    uint32_t *vertex; /* by depth-first number */
    uint32_t *number; /* by vertex; LS_GRAPH_NONE: not reached */
    uint32_t *parent; /* the rest by depth-first number, of depth-first numbers */
    uint32_t *semi;
    uint32_t *label;    /* the vertex of least semi on the compressed path */
    uint32_t *ancestor; /* link to the forest; LS_GRAPH_NONE: a root */
    uint32_t *stack;
    uint32_t count;
} search;

static void number_vertices(search *s, uint32_t count, const ls_adjacency *succs, uint32_t root,
                            uint32_t *next) {
    uint32_t depth = 0;
    for (uint32_t v = 0; v < count; v++) s->number[v] = LS_GRAPH_NONE, next[v] = succs->start[v];
    s->number[root] = 0, s->vertex[0] = root, s->parent[0] = 0, s->count = 1;
    s->stack[depth++] = root;
    while (depth) {
        uint32_t v = s->stack[depth - 1];
        if (next[v] == succs->start[v + 1]) {
            depth--;
            continue;
        }
        uint32_t w = succs->to[next[v]++];
        if (w == LS_GRAPH_NONE || s->number[w] != LS_GRAPH_NONE) continue;
        s->number[w] = s->count;
        s->vertex[s->count] = w;
        s->parent[s->count++] = s->number[v];
        s->stack[depth++] = w;
    }
}

/* The label of v after compressing its path to the root of its tree. */
static uint32_t evaluate(search *s, uint32_t v) {
    if (s->ancestor[v] == LS_GRAPH_NONE) return s->label[v];
    uint32_t depth = 0;
    for (uint32_t u = v; s->ancestor[s->ancestor[u]] != LS_GRAPH_NONE; u = s->ancestor[u])
        s->stack[depth++] = u;
    while (depth) {
        uint32_t u = s->stack[--depth], a = s->ancestor[u];
        if (s->semi[s->label[a]] < s->semi[s->label[u]]) s->label[u] = s->label[a];
        s->ancestor[u] = s->ancestor[a];
    }
    return s->label[v];
}

static void find_semidominators(search *s, const ls_adjacency *preds) {
    for (uint32_t n = 0; n < s->count; n++) s->semi[n] = s->label[n] = n, s->ancestor[n] = LS_GRAPH_NONE;
    for (uint32_t n = s->count; n-- > 1;) {
        uint32_t v = s->vertex[n];
        for (uint32_t i = preds->start[v]; i < preds->start[v + 1]; i++) {
            uint32_t u = s->number[preds->to[i]];
            if (u == LS_GRAPH_NONE) continue;
            uint32_t best = s->semi[evaluate(s, u)];
            if (best < s->semi[n]) s->semi[n] = best;
        }
        s->ancestor[n] = s->parent[n];
    }
}

void ls_dominators(uint32_t count, const ls_adjacency *succs, const ls_adjacency *preds, uint32_t root,
                   uint32_t *idom) {
    LS_SCRATCH(scratch);
    uint32_t *memory = ls_arena_alloc(&scratch, sizeof *memory * 8 * (count + 1));
    search s = {.vertex = memory};
    uint32_t **arrays[] = {&s.number, &s.parent, &s.semi, &s.label, &s.ancestor, &s.stack};
    for (uint32_t i = 0; i < 6; i++) *arrays[i] = memory + (i + 1) * (count + 1);
    uint32_t *tree = memory + 7 * (count + 1); /* idom as depth-first numbers; before that, next edges */

    number_vertices(&s, count, succs, root, tree);
    find_semidominators(&s, preds);
    for (uint32_t v = 0; v < count; v++) idom[v] = LS_GRAPH_NONE;
    tree[0] = 0;
    for (uint32_t n = 1; n < s.count; n++) {
        uint32_t d = s.parent[n];
        while (d > s.semi[n]) d = tree[d];
        tree[n] = d;
        idom[s.vertex[n]] = s.vertex[d];
    }
}
