/* Control flow (000, §3.1 and §4). Natural loops by walking backwards from back edges; the sort order as §4
 * describes it: every loop body is sorted topologically by itself with inner loops as single abstract nodes,
 * then abstract nodes are replaced by what they stand for. All traversals are iterative: a program of a
 * hundred thousand blocks or of deeply nested loops needs no deep stack. */
#include "graph/cfg.h"

#include "base/recover.h"

#include <assert.h>

static uint32_t degree(const ls_graph *graph, uint32_t block) {
    return graph->start[block + 1] - graph->start[block];
}

static uint32_t target_of(const ls_graph *graph, uint32_t block, uint32_t k) {
    return graph->targets[graph->start[block] + k];
}

/* ---- Reverse postorder and dominators ---------------------------------------------------------------- */

static void find_order(ls_cfg *cfg) {
    uint32_t n = cfg->block_count, count = 0, depth = 0;
    LS_SCRATCH(scratch);
    uint32_t *stack = LS_NEW_N(&scratch, uint32_t, n), *next = LS_NEW_N(&scratch, uint32_t, n);
    uint32_t *post = LS_NEW_N(&scratch, uint32_t, n);
    stack[depth++] = 0;
    next[0] = 0;
    cfg->reachable[0] = true;
    while (depth) {
        uint32_t block = stack[depth - 1];
        if (next[block] < degree(&cfg->graph, block)) {
            uint32_t target = target_of(&cfg->graph, block, next[block]++);
            if (target == LS_GRAPH_END || cfg->reachable[target]) continue;
            cfg->reachable[target] = true;
            next[target] = 0;
            stack[depth++] = target;
        } else {
            post[count++] = block;
            depth--;
        }
    }
    cfg->rpo_count = count;
    for (uint32_t i = 0; i < count; i++) {
        cfg->rpo[i] = post[count - 1 - i];
        cfg->rpo_index[cfg->rpo[i]] = i;
    }
}

static void find_predecessors(const ls_cfg *cfg, ls_arena *arena, ls_adjacency *preds) {
    uint32_t n = cfg->block_count, total = 0;
    uint32_t *start = preds->start = LS_NEW_N(arena, uint32_t, n + 2);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        for (uint32_t k = 0; k < degree(&cfg->graph, cfg->rpo[i]); k++) {
            uint32_t to = target_of(&cfg->graph, cfg->rpo[i], k);
            if (to != LS_GRAPH_END) start[to + 2]++, total++;
        }
    }
    for (uint32_t i = 2; i < n + 2; i++) start[i] += start[i - 1];
    preds->to = LS_NEW_N(arena, uint32_t, total + 1);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        for (uint32_t k = 0; k < degree(&cfg->graph, cfg->rpo[i]); k++) {
            uint32_t to = target_of(&cfg->graph, cfg->rpo[i], k);
            if (to != LS_GRAPH_END) preds->to[start[to + 1]++] = cfg->rpo[i];
        }
    }
}

static void find_dominators(ls_cfg *cfg, const ls_adjacency *preds) {
    ls_dominators(cfg->block_count, &(ls_adjacency){cfg->graph.start, cfg->graph.targets}, preds, 0,
                  cfg->idom);
    cfg->idom[0] = 0;
}

bool ls_cfg_dominates(const ls_cfg *cfg, uint32_t a, uint32_t b) {
    while (cfg->rpo_index[b] > cfg->rpo_index[a]) b = cfg->idom[b];
    return a == b;
}

/* ---- Loops ------------------------------------------------------------------------------------------- */

static bool is_back_edge(const ls_cfg *cfg, uint32_t from, uint32_t to) {
    return to != LS_GRAPH_END && cfg->rpo_index[to] <= cfg->rpo_index[from];
}

/* The loop of a header, given that the loops of all later headers (in reverse postorder) are known: walks
 * backwards from its back edges, over known inner loops as one step, making them its children. */
static void grow_loop(ls_cfg *cfg, uint32_t loop, const ls_adjacency *preds) {
    uint32_t header = cfg->loops.items[loop].header;
    LS_VEC(uint32_t) todo = {0};
    for (uint32_t i = preds->start[header]; i < preds->start[header + 1]; i++)
        if (is_back_edge(cfg, preds->to[i], header)) {
            cfg->loops.items[loop].back_edges++;
            LS_VEC_PUSH(&todo, preds->to[i]);
        }
    while (todo.length) {
        uint32_t block = todo.items[--todo.length], outer = cfg->innermost[block];
        while (outer != LS_GRAPH_NONE && outer != loop && cfg->loops.items[outer].parent != LS_GRAPH_NONE)
            outer = cfg->loops.items[outer].parent;
        if (outer == loop) continue;
        if (outer == LS_GRAPH_NONE) {
            cfg->innermost[block] = loop;
        } else { /* the outermost known loop around the block becomes a child; go on before its header */
            cfg->loops.items[outer].parent = loop;
            block = cfg->loops.items[outer].header;
        }
        if (block == header) continue;
        for (uint32_t i = preds->start[block]; i < preds->start[block + 1]; i++)
            if (!(outer != LS_GRAPH_NONE && is_back_edge(cfg, preds->to[i], block)))
                LS_VEC_PUSH(&todo, preds->to[i]);
    }
    LS_VEC_FREE(&todo);
    if (cfg->innermost[header] == LS_GRAPH_NONE) cfg->innermost[header] = loop;
}

static void find_loops(ls_cfg *cfg, const ls_adjacency *preds) {
    cfg->reducible = true;
    for (uint32_t i = 0; i < cfg->rpo_count && cfg->reducible; i++) {
        for (uint32_t k = 0; k < degree(&cfg->graph, cfg->rpo[i]); k++) {
            uint32_t target = target_of(&cfg->graph, cfg->rpo[i], k);
            if (!is_back_edge(cfg, cfg->rpo[i], target)) continue;
            if (!ls_cfg_dominates(cfg, target, cfg->rpo[i])) {
                cfg->reducible = false;
                cfg->bad_from = cfg->rpo[i], cfg->bad_to = target;
                break;
            }
            if (cfg->header_of[target] == LS_GRAPH_NONE) cfg->header_of[target] = 0; /* numbered below */
        }
    }
    if (cfg->reducible) {
        for (uint32_t i = 0; i < cfg->rpo_count; i++)
            if (cfg->header_of[cfg->rpo[i]] != LS_GRAPH_NONE) {
                ls_cfg_loop loop = {.header = cfg->rpo[i], .parent = LS_GRAPH_NONE};
                cfg->header_of[cfg->rpo[i]] = cfg->loops.length;
                LS_VEC_PUSH_IN(&cfg->arena, &cfg->loops, loop);
            }
        for (uint32_t i = cfg->loops.length; i-- > 0;) grow_loop(cfg, i, preds);
        for (uint32_t i = 0; i < cfg->loops.length; i++) {
            uint32_t parent = cfg->loops.items[i].parent;
            cfg->loops.items[i].depth = parent == LS_GRAPH_NONE ? 1 : cfg->loops.items[parent].depth + 1;
        }
    }
}

bool ls_cfg_in_loop(const ls_cfg *cfg, uint32_t loop, uint32_t block) {
    uint32_t at = cfg->innermost[block];
    while (at != LS_GRAPH_NONE && cfg->loops.items[at].depth > cfg->loops.items[loop].depth)
        at = cfg->loops.items[at].parent;
    return at == loop;
}

/* ---- Sort order -------------------------------------------------------------------------------------- */

/* A node of a region: the region is a loop's body (or the whole program), the node a block that is directly
 * in it (block b is node b) or a loop that is directly in it (loop l is node block_count + l). */
typedef LS_VEC(uint32_t) node_list;

typedef struct {
    ls_cfg *cfg;
    uint32_t *waiting; /* by node: edges into it from nodes not yet sorted */
    uint32_t **next;   /* by node: successors in its region */
    uint32_t *next_count, *next_room;
    node_list *nodes; /* by region (0: the program, l + 1: loop l) */
} sorter;

static uint32_t depth_of(const ls_cfg *cfg, uint32_t loop) {
    return loop == LS_GRAPH_NONE ? 0 : cfg->loops.items[loop].depth;
}

/* The node of the loop in the region around it. */
static uint32_t lift(const ls_cfg *cfg, uint32_t *loop) {
    uint32_t lifted = cfg->block_count + *loop;
    *loop = cfg->loops.items[*loop].parent;
    return lifted;
}

/* Enters the edge between two blocks as an edge between the nodes of the innermost region with both. */
static void add_edge(sorter *s, uint32_t from, uint32_t to) {
    uint32_t a = from, b = to, la = s->cfg->innermost[from], lb = s->cfg->innermost[to];
    while (depth_of(s->cfg, la) > depth_of(s->cfg, lb)) a = lift(s->cfg, &la);
    while (depth_of(s->cfg, lb) > depth_of(s->cfg, la)) b = lift(s->cfg, &lb);
    while (la != lb) a = lift(s->cfg, &la), b = lift(s->cfg, &lb);
    if (a == b) return;
    if (s->next_count[a] == s->next_room[a])
        s->next[a] = ls_vec_grown_in(&s->cfg->arena, s->next[a], &s->next_room[a], sizeof **s->next);
    s->next[a][s->next_count[a]++] = b;
    s->waiting[b]++;
}

static uint32_t key(const ls_cfg *cfg, uint32_t node) {
    return node < cfg->block_count ? node : cfg->loops.items[node - cfg->block_count].header;
}

static void heap_push(const ls_cfg *cfg, uint32_t *heap, uint32_t *length, uint32_t node) {
    uint32_t at = (*length)++;
    for (; at && key(cfg, heap[(at - 1) / 2]) > key(cfg, node); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = node;
}

static uint32_t heap_pop(const ls_cfg *cfg, uint32_t *heap, uint32_t *length) {
    uint32_t top = heap[0], node = heap[--*length], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= *length) break;
        if (child + 1 < *length && key(cfg, heap[child + 1]) < key(cfg, heap[child])) child++;
        if (key(cfg, heap[child]) >= key(cfg, node)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = node;
    return top;
}

/* Topological sort of one region, in place; among the possible orders the one nearest to the text. */
static void sort_region(sorter *s, uint32_t region, uint32_t *heap) {
    uint32_t length = 0, done = 0, total = s->nodes[region].length;
    uint32_t *nodes = s->nodes[region].items;
    for (uint32_t i = 0; i < total; i++)
        if (s->waiting[nodes[i]] == 0) heap_push(s->cfg, heap, &length, nodes[i]);
    while (length) {
        uint32_t node = heap_pop(s->cfg, heap, &length);
        nodes[done++] = node;
        for (uint32_t i = 0; i < s->next_count[node]; i++)
            if (--s->waiting[s->next[node][i]] == 0) heap_push(s->cfg, heap, &length, s->next[node][i]);
    }
    assert(done == total); /* a region of a reducible graph has no cycle but through its header */
}

/* Replaces abstract nodes by the blocks they stand for, from the program's region down. */
static void flatten(sorter *s) {
    ls_cfg *cfg = s->cfg;
    LS_SCRATCH(scratch);
    uint32_t *region = LS_NEW_N(&scratch, uint32_t, cfg->loops.length + 1);
    uint32_t *at = LS_NEW_N(&scratch, uint32_t, cfg->loops.length + 1);
    uint32_t depth = 1, count = 0;
    region[0] = 0, at[0] = 0;
    while (depth) {
        uint32_t r = region[depth - 1];
        if (at[depth - 1] == s->nodes[r].length) {
            if (r) cfg->loops.items[r - 1].last = cfg->order[count - 1];
            depth--;
            continue;
        }
        uint32_t node = s->nodes[r].items[at[depth - 1]++];
        if (node < cfg->block_count) {
            cfg->position[node] = count;
            cfg->order[count++] = node;
        } else {
            region[depth] = node - cfg->block_count + 1;
            at[depth++] = 0;
        }
    }
    assert(count == cfg->rpo_count);
}

static void find_sort_order(ls_cfg *cfg) {
    uint32_t nodes = cfg->block_count + cfg->loops.length, loops = cfg->loops.length;
    node_list *lists = LS_NEW_N(&cfg->arena, node_list, loops + 1);
    sorter s = {.cfg = cfg};
    s.waiting = LS_NEW_N(&cfg->arena, uint32_t, nodes);
    s.next = LS_NEW_N(&cfg->arena, uint32_t *, nodes);
    s.next_count = LS_NEW_N(&cfg->arena, uint32_t, nodes);
    s.next_room = LS_NEW_N(&cfg->arena, uint32_t, nodes);
    s.nodes = lists;
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t block = cfg->rpo[i];
        LS_VEC_PUSH_IN(&cfg->arena, &lists[cfg->innermost[block] + 1], block); /* LS_GRAPH_NONE + 1 is 0 */
        for (uint32_t k = 0; k < degree(&cfg->graph, block); k++) {
            uint32_t to = target_of(&cfg->graph, block, k);
            if (to != LS_GRAPH_END && !is_back_edge(cfg, block, to)) add_edge(&s, block, to);
        }
    }
    for (uint32_t l = 0; l < loops; l++)
        LS_VEC_PUSH_IN(&cfg->arena, &lists[cfg->loops.items[l].parent + 1], cfg->block_count + l);
    LS_SCRATCH(scratch);
    uint32_t *heap = LS_NEW_N(&scratch, uint32_t, nodes + 1);
    for (uint32_t r = 0; r <= loops; r++) sort_region(&s, r, heap);
    flatten(&s);
}

bool ls_cfg_is_sort_order(const ls_cfg *cfg, const uint32_t *position) {
    /* B ≤ C along every edge that is no back edge gives it along every path of such edges */
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        for (uint32_t k = 0; k < degree(&cfg->graph, cfg->rpo[i]); k++) {
            uint32_t to = target_of(&cfg->graph, cfg->rpo[i], k);
            if (to == LS_GRAPH_END || ls_cfg_dominates(cfg, to, cfg->rpo[i])) continue;
            if (position[cfg->rpo[i]] >= position[to]) return false;
        }
    }
    for (uint32_t loop = 0; loop < cfg->loops.length; loop++) { /* contiguous */
        uint32_t first = UINT32_MAX, last = 0, members = 0;
        for (uint32_t i = 0; i < cfg->rpo_count; i++) {
            if (!ls_cfg_in_loop(cfg, loop, cfg->rpo[i])) continue;
            uint32_t at = position[cfg->rpo[i]];
            if (at < first) first = at;
            if (at > last) last = at;
            members++;
        }
        if (last - first + 1 != members) return false;
    }
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------------- */

static uint32_t *filled(ls_cfg *cfg, uint32_t value) {
    uint32_t *array = LS_NEW_N(&cfg->arena, uint32_t, cfg->block_count);
    for (uint32_t i = 0; i < cfg->block_count; i++) array[i] = value;
    return array;
}

ls_cfg *ls_cfg_new(const ls_graph *graph) {
    assert(graph->block_count > 0);
    ls_cfg *cfg = ls_xmalloc(sizeof *cfg);
    memset(cfg, 0, sizeof *cfg);
    cfg->graph = *graph;
    cfg->block_count = graph->block_count;
    cfg->reachable = LS_NEW_N(&cfg->arena, bool, cfg->block_count);
    cfg->rpo = filled(cfg, LS_GRAPH_NONE);
    cfg->rpo_index = filled(cfg, LS_GRAPH_NONE);
    cfg->idom = filled(cfg, LS_GRAPH_NONE);
    cfg->innermost = filled(cfg, LS_GRAPH_NONE);
    cfg->header_of = filled(cfg, LS_GRAPH_NONE);
    cfg->order = filled(cfg, LS_GRAPH_NONE);
    cfg->position = filled(cfg, LS_GRAPH_NONE);
    find_order(cfg);
    LS_SCRATCH(scratch);
    ls_adjacency preds;
    find_predecessors(cfg, &scratch, &preds);
    find_dominators(cfg, &preds);
    find_loops(cfg, &preds);
    if (cfg->reducible) find_sort_order(cfg);
    return cfg;
}

void ls_cfg_free(ls_cfg *cfg) {
    if (!cfg) return;
    ls_arena_free(&cfg->arena);
    free(cfg);
}
