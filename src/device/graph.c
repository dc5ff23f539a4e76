/* Graphs, by hand and by capture: nodes with an operation each and the nodes that they come after. A launched
 * graph runs its nodes in an order that the edges allow; each branch has the clock of a stream of its own, so
 * that nodes that nothing orders are seen to race. */
#include "device/private.h"

#include <stdlib.h>

struct ls_graph_node {
    ls_graph *graph;
    ls_op op;
    bool enabled;
    const ls_graph_node *original; /* of a copy: the node it stands for */
    LS_VEC(ls_graph_node *) before;
    /* While it is launched: */
    clock_vector clock;
    bool done;
};

/* A word that nodes with conditions read. */
typedef struct {
    uint64_t word;
    uint32_t value;
    bool assign;
} condition_word;

struct ls_graph {
    ls_dev *dev;
    LS_VEC(condition_word) words;
    LS_VEC(ls_graph_node *) nodes;
    const ls_graph *original;
};

/* --- Operations that are kept --- */
static void *copied(const void *from, size_t size) {
    return size ? memcpy(ls_xmalloc(size), from, size) : NULL;
}

static void copy_bodies(ls_condition *to, const ls_condition *from) {
    to->bodies = ls_xcalloc(from->count + 1, sizeof *to->bodies);
    for (uint32_t k = 0; k < to->count; k++) to->bodies[k] = ls_graph_copy(from->bodies[k]);
}

static void free_bodies(const ls_condition *c) {
    for (uint32_t k = 0; k < c->count; k++) ls_graph_free(c->bodies[k]);
    free(c->bodies);
}

void dv_op_copy(ls_op *to, const ls_op *from) {
    *to = *from;
    if (from->kind == LS_OP_CONDITION) copy_bodies(&to->condition, &from->condition);
    if (from->kind == LS_OP_KERNEL) to->launch.params = copied(from->launch.params, from->launch.params_size);
    if (from->kind == LS_OP_WORK) to->work.data = copied(from->work.data, from->work.size);
    if (from->kind == LS_OP_GRAPH) to->graph = ls_graph_copy(from->graph);
}

void dv_op_free(ls_op *op) {
    if (op->kind == LS_OP_CONDITION) free_bodies(&op->condition);
    if (op->kind == LS_OP_KERNEL && op->launch.params_size) free(op->launch.params);
    if (op->kind == LS_OP_WORK) free(op->work.data);
    if (op->kind == LS_OP_GRAPH) ls_graph_free(op->graph);
    op->kind = LS_OP_EMPTY;
}

/* --- Making --- */
ls_graph *ls_graph_new(ls_dev *dev) {
    ls_graph *g = calloc(1, sizeof *g);
    if (g) g->dev = dev;
    return g;
}

static void free_node(ls_graph_node *n) {
    dv_op_free(&n->op);
    LS_VEC_FREE(&n->before);
    LS_VEC_FREE(&n->clock);
    free(n);
}

void ls_graph_free(ls_graph *g) {
    if (!g) return;
    for (uint32_t k = 0; k < g->nodes.length; k++) free_node(g->nodes.items[k]);
    LS_VEC_FREE(&g->nodes);
    LS_VEC_FREE(&g->words);
    free(g);
}

ls_graph_node *ls_graph_add(ls_graph *g, const ls_op *op, ls_graph_node *const *before, size_t count) {
    ls_graph_node *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->graph = g;
    n->enabled = true;
    dv_op_copy(&n->op, op);
    for (size_t k = 0; k < count; k++) LS_VEC_PUSH(&n->before, before[k]);
    LS_VEC_PUSH(&g->nodes, n);
    return n;
}

static void cut(ls_graph_node *n, const ls_graph_node *before) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n->before.length; k++)
        if (n->before.items[k] != before) n->before.items[kept++] = n->before.items[k];
    n->before.length = kept;
}

void ls_graph_remove(ls_graph_node *n) {
    ls_graph *g = n->graph;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < g->nodes.length; k++) {
        if (g->nodes.items[k] == n) continue;
        cut(g->nodes.items[k], n);
        g->nodes.items[kept++] = g->nodes.items[k];
    }
    g->nodes.length = kept;
    free_node(n);
}

ls_dev_status ls_graph_depend(ls_graph_node *from, ls_graph_node *to, bool add) {
    if (from->graph != to->graph || from == to) return LS_DEV_INVALID;
    if (add)
        LS_VEC_PUSH(&to->before, from);
    else
        cut(to, from);
    return LS_DEV_OK;
}

ls_graph *ls_graph_copy(const ls_graph *g) {
    ls_graph *copy = ls_graph_new(g->dev);
    if (!copy) return NULL;
    copy->original = g;
    for (uint32_t k = 0; k < g->words.length; k++) LS_VEC_PUSH(&copy->words, g->words.items[k]);
    for (uint32_t k = 0; k < g->nodes.length; k++) {
        const ls_graph_node *n = g->nodes.items[k];
        ls_graph_node *twin = ls_graph_add(copy, &n->op, NULL, 0);
        if (!twin) return copy;
        twin->enabled = n->enabled;
        twin->original = n;
    }
    for (uint32_t k = 0; k < g->nodes.length; k++)
        for (uint32_t b = 0; b < g->nodes.items[k]->before.length; b++) {
            ls_graph_node *other = ls_graph_twin(copy, g->nodes.items[k]->before.items[b]);
            if (other) LS_VEC_PUSH(&copy->nodes.items[k]->before, other);
        }
    return copy;
}

ls_graph_node *ls_graph_twin(const ls_graph *copy, const ls_graph_node *node) {
    for (uint32_t k = 0; k < copy->nodes.length; k++)
        if (copy->nodes.items[k]->original == node || copy->nodes.items[k] == node)
            return copy->nodes.items[k];
    return NULL;
}

/* --- Looking --- */
static void give(ls_graph_node **out, size_t capacity, size_t *count, ls_graph_node *n) {
    if (out && *count < capacity) out[*count] = n;
    ++*count;
}

size_t ls_graph_nodes(const ls_graph *g, ls_graph_node **out, size_t capacity) {
    size_t count = 0;
    for (uint32_t k = 0; k < g->nodes.length; k++) give(out, capacity, &count, g->nodes.items[k]);
    return count;
}

size_t ls_graph_roots(const ls_graph *g, ls_graph_node **out, size_t capacity) {
    size_t count = 0;
    for (uint32_t k = 0; k < g->nodes.length; k++)
        if (!g->nodes.items[k]->before.length) give(out, capacity, &count, g->nodes.items[k]);
    return count;
}

size_t ls_graph_edges(const ls_graph *g, ls_graph_node **from, ls_graph_node **to, size_t capacity) {
    size_t count = 0, same = 0;
    for (uint32_t k = 0; k < g->nodes.length; k++)
        for (uint32_t b = 0; b < g->nodes.items[k]->before.length; b++) {
            give(from, capacity, &same, g->nodes.items[k]->before.items[b]);
            give(to, capacity, &count, g->nodes.items[k]);
        }
    return count;
}

static bool is_before(const ls_graph_node *n, const ls_graph_node *of) {
    for (uint32_t k = 0; k < of->before.length; k++)
        if (of->before.items[k] == n) return true;
    return false;
}

size_t ls_graph_near(const ls_graph_node *n, bool behind, ls_graph_node **out, size_t capacity) {
    size_t count = 0;
    const ls_graph *g = n->graph;
    for (uint32_t k = 0; behind && k < g->nodes.length; k++)
        if (is_before(n, g->nodes.items[k])) give(out, capacity, &count, g->nodes.items[k]);
    for (uint32_t k = 0; !behind && k < n->before.length; k++)
        give(out, capacity, &count, n->before.items[k]);
    return count;
}

ls_op *ls_graph_op(ls_graph_node *n) {
    return &n->op;
}
void ls_graph_set_op(ls_graph_node *n, const ls_op *op) {
    ls_op copy;
    dv_op_copy(&copy, op);
    dv_op_free(&n->op);
    n->op = copy;
}
void ls_graph_enable(ls_graph_node *n, bool enabled) {
    n->enabled = enabled;
}
bool ls_graph_enabled(const ls_graph_node *n) {
    return n->enabled;
}

/* --- Launching --- */
static bool is_ready(const ls_graph_node *n) {
    for (uint32_t k = 0; k < n->before.length; k++)
        if (!n->before.items[k]->done) return false;
    return true;
}

/* Calls run for every node, those before it first; false where there is a cycle. */
static bool each_node(const ls_graph *g, ls_dev_status (*run)(ls_graph_node *n, void *context), void *context,
                      ls_dev_status *status) {
    uint32_t left = g->nodes.length;
    for (uint32_t k = 0; k < g->nodes.length; k++) g->nodes.items[k]->done = false;
    for (bool more = true; left && more;) {
        more = false;
        for (uint32_t k = 0; k < g->nodes.length; k++) {
            ls_graph_node *n = g->nodes.items[k];
            if (n->done || !is_ready(n)) continue;
            if (run && *status == LS_DEV_OK) *status = run(n, context);
            n->done = more = true;
            left--;
        }
    }
    return !left;
}

bool ls_graph_cyclic(const ls_graph *g) {
    ls_dev_status status = LS_DEV_OK;
    return !each_node(g, NULL, NULL, &status);
}

typedef struct {
    ls_stream *stream; /* that the graph is launched in */
    clock_vector start, end;
    uint32_t index; /* of the node */
} launch_state;

/* The node runs in the stream, as if it were one of its own: with the clock of the graph's start and of the
 * nodes before it. */
static ls_dev_status run_node(ls_graph_node *n, void *context) {
    launch_state *l = context;
    ls_stream *s = l->stream, *lane = s->dev->racing ? dv_lane(s->dev, &s->dev->lanes, l->index++) : NULL;
    ls_dev_status status = LS_DEV_OK;
    if (!lane) return n->enabled ? dv_carry_out(s, &n->op) : status;
    const lane_state kept = dv_enter_lane(s, lane, &l->start);
    for (uint32_t k = 0; k < n->before.length; k++) dv_clock_join(&s->clock, &n->before.items[k]->clock);
    if (n->enabled) status = dv_carry_out(s, &n->op);
    n->clock.length = 0;
    dv_clock_join(&n->clock, &s->clock);
    dv_clock_join(&l->end, &s->clock);
    dv_leave_lane(s, lane, &kept);
    return status;
}

/* --- Conditions --- */
static uint32_t *word_at(uint64_t address) {
    return (uint32_t *)(uintptr_t)ls_emu_host(address);
}

uint64_t ls_graph_condition(ls_graph *g, uint32_t value, bool assign) {
    condition_word w = {dv_alloc_word(g->dev, "a graph's condition"), value, assign};
    if (!w.word) return 0;
    *word_at(w.word) = value;
    LS_VEC_PUSH(&g->words, w);
    return w.word;
}

/* Of the graph, and of those in its nodes. */
static void assign_words(const ls_graph *g) {
    for (uint32_t k = 0; k < g->words.length; k++)
        if (g->words.items[k].assign) *word_at(g->words.items[k].word) = g->words.items[k].value;
    for (uint32_t k = 0; k < g->nodes.length; k++) {
        const ls_op *op = &g->nodes.items[k]->op;
        if (op->kind == LS_OP_GRAPH) assign_words(op->graph);
        for (uint32_t b = 0; op->kind == LS_OP_CONDITION && b < op->condition.count; b++)
            assign_words(op->condition.bodies[b]);
    }
}

/* The graph that runs next, or NULL. */
static ls_graph *chosen(const ls_condition *c) {
    uint32_t value = *word_at(c->word), which = value;
    if (c->kind == LS_CONDITION_IF) which = !value;
    if (c->kind == LS_CONDITION_WHILE) which = value ? 0 : c->count;
    return which < c->count ? c->bodies[which] : NULL;
}

ls_dev_status dv_run_condition(ls_stream *s, const ls_condition *c) {
    ls_dev_status status = LS_DEV_OK;
    bool again = true;
    for (ls_graph *body; again && status == LS_DEV_OK && !s->dev->sticky && (body = chosen(c));) {
        status = ls_graph_launch(body, s);
        again = c->kind == LS_CONDITION_WHILE && !s->dev->cancel;
    }
    return status;
}

ls_dev_status ls_graph_launch(ls_graph *g, ls_stream *s) {
    ls_dev *dev = s->dev;
    dv_lock(dev);
    if (!dev->graph_depth++) assign_words(g);
    ls_dev_status status = LS_DEV_OK;
    launch_state l = {.stream = s};
    dv_begin(s);
    dv_clock_join(&l.start, &s->clock);
    if (!each_node(g, run_node, &l, &status)) status = LS_DEV_INVALID;
    dv_clock_join(&s->clock, &l.end);
    LS_VEC_FREE(&l.start);
    LS_VEC_FREE(&l.end);
    dev->graph_depth--;
    dv_unlock(dev);
    return status;
}
