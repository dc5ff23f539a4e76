/* The steps of predication (000, §4.1, Tables 1 and 2) over an abstract graph: as they are listed for a graph
 * in which two loops have the same last block, and as a walker of random graphs takes them, who decides on
 * his own where to go next: he must go along the graph's edges, and every way must be open to him. */
#include "kernel_test.h"

#include "graph/predication.h"
#include "model/graph.h"
#include "model/normal.h"
#include "model/random.h"

/* ---- The list ------------------------------------------------------------------------------------------ */

static void list_begin(void *data, uint32_t block) {
    ls_buf_printf(data, "%u:", block);
}

static void list_activate(void *data, uint32_t block) {
    ls_buf_printf(data, " active=%u", block);
}

static void list_execute(void *data, uint32_t block) {
    ls_buf_printf(data, " do%u", block);
}

static void list_choose(void *data, uint32_t block, const uint32_t *targets, uint32_t count) {
    (void)block;
    ls_buf_puts(data, " {");
    for (uint32_t i = 0; i < count; i++) ls_buf_printf(data, i ? " %d" : "%d", (int)targets[i]);
    ls_buf_puts(data, "}");
}

static void list_close(void *data, const ls_cfg_loop *loop) {
    ls_buf_printf(data, " close%u", loop->header);
}

static const ls_predication_sink lister = {list_begin, list_activate, list_execute, list_choose, list_close};

/* 0 → 1 (outer) → 2 (inner) → 3 → {2, 1, 4}; 4 → end */
static void loops_with_one_last_block(void **state) {
    (void)state;
    uint32_t start[] = {0, 1, 2, 3, 6, 7}, targets[] = {1, 2, 3, 2, 1, 4, LS_KEND};
    ls_cfg *cfg = ls_cfg_new(&(ls_graph){5, start, targets});
    ls_buf text = {0};
    ls_predicate(cfg, 0, LS_GRAPH_NONE, &lister, &text);
    assert_string_equal(ls_buf_text(&text),
                        "0: active=0 do0 {1}1: do1 {2}2: do2 {3}3: do3 {2 1 4} close2 close14: do4");
    text.length = 0;
    ls_predicate(cfg, 2, 3, &lister, &text);
    assert_string_equal(ls_buf_text(&text), "2: active=2 do2 {3}3: do3 {2 1 4} close2 close1");
    ls_buf_free(&text);
    ls_cfg_free(cfg);
}

/* ---- The walker ---------------------------------------------------------------------------------------- */

typedef struct {
    const ls_cfg *cfg;
    uint64_t random;
    uint32_t active, last; /* where he is to go; where he was */
    uint32_t steps, backs;
    bool *seen; /* by edge */
} walker;

static uint32_t edge_to(const ls_cfg *cfg, uint32_t from, uint32_t to) {
    uint32_t e = cfg->graph.start[from];
    while (e < cfg->graph.start[from + 1] && cfg->graph.targets[e] != to) e++;
    assert_true(e < cfg->graph.start[from + 1]);
    return e;
}

static void walk_begin(void *data, uint32_t block) {
    (void)data;
    (void)block;
}

static void walk_activate(void *data, uint32_t block) {
    ((walker *)data)->active = block;
}

static void walk_execute(void *data, uint32_t block) {
    walker *w = data;
    if (w->active != block) return;
    if (w->last != LS_GRAPH_NONE) w->seen[edge_to(w->cfg, w->last, block)] = true;
    w->last = block;
    w->steps++;
}

static void walk_choose(void *data, uint32_t block, const uint32_t *targets, uint32_t count) {
    walker *w = data;
    if (w->active != block) return;
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    w->active = targets[(w->random >> 33) % count];
}

static void walk_close(void *data, const ls_cfg_loop *loop) {
    walker *w = data;
    w->backs += w->active == loop->header;
}

static const ls_predication_sink walking = {walk_begin, walk_activate, walk_execute, walk_choose, walk_close};

/* The last block of all may have no choice of its own. */
static bool is_end(const ls_cfg *cfg, uint32_t at) {
    return at == LS_KEND || cfg->graph.targets[cfg->graph.start[at]] == LS_KEND;
}

static void any_path_can_be_walked(void **state) {
    (void)state;
    uint32_t unseen = 0, edges = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ls_kprog *prog = ls_kernel_random(seed, 2);
        assert_true(ls_kernel_normalise(prog, NULL));
        ls_cfg *cfg = ls_kprog_cfg(prog);
        uint32_t count = cfg->graph.start[cfg->block_count];
        walker w = {.cfg = cfg, .random = seed, .seen = calloc(count + 1, sizeof *w.seen)};
        for (uint32_t walk = 0; walk < 400; walk++) {
            w.last = LS_GRAPH_NONE;
            /* a step is lost where v_active is neither the end nor the head of a loop that was closed */
            for (uint32_t from = 0, round = 0; from != LS_KEND && round < 50; round++) {
                uint32_t backs = w.backs;
                ls_predicate(cfg, from, LS_GRAPH_NONE, &walking, &w);
                from = is_end(cfg, w.active) ? LS_KEND : w.active;
                assert_true(from == LS_KEND || w.backs == backs + 1);
            }
        }
        for (uint32_t b = 0; b < cfg->block_count; b++)
            for (uint32_t e = cfg->graph.start[b]; e < cfg->graph.start[b + 1]; e++) {
                bool open = cfg->reachable[b] && cfg->graph.targets[e] != LS_KEND;
                edges += open;
                unseen += open && !w.seen[edge_to(cfg, b, cfg->graph.targets[e])];
            }
        free(w.seen);
        ls_cfg_free(cfg);
        ls_kctx_free(prog->ctx);
    }
    print_message("%u edges, %u of them never taken\n", edges, unseen);
    assert_true(edges > 3000 && unseen == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_with_one_last_block),
        cmocka_unit_test(any_path_can_be_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
