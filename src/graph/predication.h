/* Predication (000, §4.1): control flow of any reducible graph flattened into steps that come in sort order.
 * What a step of Tables 1 and 2 is made into is the business of a sink: statements of a predicated program
 * (model/predicate.c), or conditions under which a thread of a real kernel gets somewhere (exec.c). */
#ifndef LS_GRAPH_PREDICATION_H
#define LS_GRAPH_PREDICATION_H

#include "graph/cfg.h"

typedef struct {
    /* π(B) begins. */
    void (*begin)(void *data, uint32_t block);
    /* v_active := B, before anything else. */
    void (*activate)(void *data, uint32_t block);
    /* Table 1: the statements of B, each under v_active = B. */
    void (*execute)(void *data, uint32_t block);
    /* Table 2, under v_active = B: v_next :∈ {targets}; assume ∧ (v_next = B_i ⇒ guard(B_i));
     * v_active := v_next. */
    void (*choose)(void *data, uint32_t block, const uint32_t *targets, uint32_t count);
    /* Table 2: B was the last block of the loop. Back to its head where v_active = B_head, on where not. */
    void (*close)(void *data, const ls_cfg_loop *loop);
    /* Whether nothing comes of the steps that are left; NULL: something does. */
    bool (*over)(void *data);
} ls_predication_sink;

/* The steps from block `from` to the last one in sort order (after `end`, where a sink has no use for what
 * lies behind it; LS_GRAPH_NONE: to the end). The graph is reducible. */
void ls_predicate(const ls_cfg *cfg, uint32_t from, uint32_t end, const ls_predication_sink *sink,
                  void *data);

#endif
