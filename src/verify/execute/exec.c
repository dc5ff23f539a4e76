/* Execution of a thread as terms: every path from a starting point at once, each block under its path
 * condition. The steps are those of predication (000 §4.1, predication.c), evaluated: v_active has, for every
 * node, the condition under which it is that node (as the ways there, for in SSA form a phi chooses by them).
 * Loops are entered in an arbitrary iteration (loops.c). Barrier
 * intervals are executions that start behind a barrier and end at the next one; where they go round a loop
 * that contains the barrier, its next iteration is executed with the exact values of the one before. */
#include "verify/execute/exec.h"
#include "graph/predication.h"
#include "verify/check/async.h"
#include "verify/check/barrier_facts.h"
#include "verify/check/claims.h"
#include "verify/check/division.h"
#include "verify/check/flights.h"
#include "verify/check/images.h"
#include "verify/check/logs.h"
#include "verify/check/radix.h"
#include "verify/check/tickets.h"
#include "verify/execute/assume.h"
#include "verify/execute/calls.h"
#include "verify/execute/contents.h"
#include "verify/execute/contracts.h"
#include "verify/execute/loops.h"
#include "verify/execute/lower.h"
#include "verify/execute/matrices.h"
#include "verify/execute/memory.h"
#include "verify/execute/nodes.h"
#include "verify/execute/roots.h"

#include <assert.h>
#include <stdio.h>

typedef struct {
    uint32_t states;              /* that were made */
    LS_VEC(ls_ways *) spare_ways; /* of tables that nobody uses */
    ls_intmap facts;              /* symbol to index in fact_lists */
    LS_VEC(ls_term_list) fact_lists;
    const ls_term **barrier_facts; /* by node that ends with a barrier: what holds behind it */
} executions;

static void free_executions(void *part) {
    executions *all = part;
    for (uint32_t i = 0; i < all->fact_lists.length; i++) LS_VEC_FREE(&all->fact_lists.items[i]);
    LS_VEC_FREE(&all->fact_lists);
    ls_intmap_free(&all->facts);
    for (uint32_t i = 0; i < all->spare_ways.length; i++) free(all->spare_ways.items[i]);
    LS_VEC_FREE(&all->spare_ways);
}

static const ls_part EXECUTIONS = {sizeof(executions), free_executions};

static executions *executions_of(const ls_proof *p) {
    return ls_part_of(p, &EXECUTIONS);
}

ls_state *ls_state_new(ls_proof *p, const ls_state *before, const char *suffix) {
    ls_state *s = LS_NEW(&p->arena, ls_state);
    *s = (ls_state){.proof = p, .before = before, .tag = executions_of(p)->states++, .suffix = suffix};
    return s;
}

void ls_set_value(const ls_state *s, const ls_ir_value *value, const ls_term *term) {
    ls_state *state = (ls_state *)(uintptr_t)s; /* a value that is asked for first is found out then */
    ls_sparse_put(&state->values, &s->proof->arena, s->proof->f->value_count + 1, value->id, term);
}

/* --- Tables of ways --------------------------------------------------------------------------------------
 */

ls_way_table ls_ways_take(ls_proof *p) {
    uint32_t count = p->node_count > p->f->loop_count ? p->node_count : p->f->loop_count;
    ls_way_table table = {0};
    executions *all = executions_of(p);
    table.by = all->spare_ways.length ? all->spare_ways.items[--all->spare_ways.length]
                                      : ls_xcalloc(count + 1, sizeof *table.by);
    return table;
}

void ls_ways_give(ls_proof *p, ls_way_table *table) {
    for (uint32_t i = 0; i < table->used.length; i++) LS_VEC_FREE(&table->by[table->used.items[i]]);
    LS_VEC_FREE(&table->used);
    executions *all = executions_of(p);
    LS_VEC_PUSH(&all->spare_ways, table->by);
}

static void add_way(ls_way_table *table, uint32_t at, ls_way way) {
    if (!table->by[at].length) LS_VEC_PUSH(&table->used, at);
    LS_VEC_PUSH(&table->by[at], way);
}

/* --- Facts -----------------------------------------------------------------------------------------------
 */

ls_term_list *ls_facts_of(const ls_proof *p, uint64_t symbol) {
    uint64_t index;
    const executions *all = executions_of(p);
    return ls_intmap_get(&all->facts, symbol, &index) ? &all->fact_lists.items[index] : NULL;
}

void ls_add_fact(ls_proof *p, const ls_term *symbol, const ls_term *fact) {
    if (ls_is_true(fact) || symbol->op != LS_T_SYM) return;
    bool is_new;
    executions *all = executions_of(p);
    uint64_t *place = ls_intmap_at(&all->facts, symbol->value, &is_new);
    if (is_new) {
        *place = all->fact_lists.length;
        ls_term_list none = {0};
        LS_VEC_PUSH(&all->fact_lists, none);
    }
    ls_term_list *list = &all->fact_lists.items[*place];
    LS_VEC_PUSH(list, fact);
}

void ls_collect_facts(ls_proof *p, ls_term_list *terms) {
    ls_intmap seen = {0};
    for (uint32_t done = 0; done < terms->length;) {
        ls_term_list leaves = {0};
        ls_leaves(terms->items + done, terms->length - done, &leaves);
        done = terms->length;
        for (uint32_t i = 0; i < leaves.length; i++) {
            bool is_new;
            if (leaves.items[i]->op != LS_T_SYM) continue;
            ls_intmap_at(&seen, leaves.items[i]->value, &is_new);
            const ls_term_list *list = is_new ? ls_facts_of(p, leaves.items[i]->value) : NULL;
            for (uint32_t k = 0; list && k < list->length; k++) LS_VEC_PUSH(terms, list->items[k]);
        }
        LS_VEC_FREE(&leaves);
    }
    ls_intmap_free(&seen);
}

/* --- Branches --------------------------------------------------------------------------------------------
 */

const ls_term *ls_edge_condition(const ls_state *s, const ls_ir_block *b, uint32_t k) {
    ls_terms *t = &s->proof->terms;
    if (b->succ_count < 2) return ls_true(t);
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(b, &negated);
    const ls_term *c = predicate ? ls_value_of(s, predicate) : NULL;
    if (b->terminator && b->terminator->targets) { /* brx.idx */
        const ls_term *any = ls_false(t);
        for (uint32_t i = 0; c && i < b->terminator->target_count; i++)
            if (b->terminator->targets[i] == b->succs[k])
                any = ls_or(t, any, ls_eq(t, c, ls_const(t, c->width, i)));
        return c ? any : ls_fresh(s, "branch", 1, LS_SYM_CHOICE);
    }
    if (!c || c->width != 1 || b->succ_count > 2) return ls_fresh(s, "branch", 1, LS_SYM_CHOICE);
    return (k == 0) != negated ? c : ls_not(t, c);
}

/* --- Annotations that act on the path ---------------------------------------------------------------------
 */

/* What an annotation says. */
static const ls_term *claimed(const ls_state *s, const ls_ir_instr *i) {
    ls_proof *p = s->proof;
    ls_call_kind kind = ls_call_of(i);
    bool acts = kind == LS_CALL_ASSUME || kind == LS_CALL_REQUIRE || kind == LS_CALL_ASSERT ||
                kind == LS_CALL_ENSURE || kind == LS_CALL_AT_BARRIER;
    if (!acts || p->options->no_annotations) return NULL;
    ls_ir_value *argument = ls_ir_argument_value(i, 0, 0);
    if (!argument) return NULL;
    const ls_term *v = ls_value_of(s, argument);
    if (v->width > 8) v = ls_extract(&p->terms, v, 0, 8); /* a bool is one byte */
    return ls_not(&p->terms, ls_eq(&p->terms, v, ls_const(&p->terms, v->width, 0)));
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

enum { MOST_OF_A_VALUE = 200 };

/* What a store writes, element by element; none where it is not known. */
static void find_stored(const ls_state *s, ls_event *e) {
    const ls_ir_access *a = e->access;
    const ls_ir_instr *i = a->instr;
    if (i->op != LS_OP_ST || a->count > 4 || !a->bytes || a->bytes > 8) return;
    for (uint32_t k = 0; k < i->src_count; k++) {
        if (i->src[k].role != LS_ROLE_DATA || k == a->src) continue;
        if (e->value_count == 4) return;
        const ls_term *v = ls_operand_of(s, &i->src[k]);
        if (ls_is_large(v, MOST_OF_A_VALUE)) { /* no solver could decide whether two are equal */
            e->value_count = 0;
            return;
        }
        e->values[e->value_count++] = ls_resize(&s->proof->terms, v, a->bytes * 8, false);
    }
    if (e->value_count != a->count) e->value_count = 0;
}

static void add_events(ls_state *s, const ls_node *n, const ls_ir_instr *i, const ls_term *path) {
    ls_terms *t = &s->proof->terms;
    if (!s->events || s->proof->annotation[i->id]) return;
    if (ls_call_of(i) == LS_CALL_COPY) ls_copy_accesses(s, n, i, path);
    if (ls_call_of(i) == LS_CALL_IMAGE) ls_image_access(s, n, i, path);
    if (ls_call_of(i) == LS_CALL_TOUCH && !s->proof->options->no_annotations) ls_stated_access(s, n, i, path);
    for (uint32_t k = 0; k < i->access_count; k++) {
        const ls_ir_access *a = &i->accesses[k];
        bool private = a->space == LS_SPACE_LOCAL || a->space == LS_SPACE_PARAM || a->space == LS_SPACE_CONST;
        if (private && s != s->proof->whole) continue;
        const ls_term *when = ls_and(t, path, ls_guard_of(s, i));
        if (ls_is_false(when)) continue;
        const ls_term *address = ls_address_in(s, a);
        const ls_term *theirs = ls_address_of_other(s->proof, i, address);
        ls_event e = {.access = a, .state = s, .node = n, .when = when, .address = theirs ? theirs : address};
        if (ls_matrix_events(s, &e)) continue;
        if (a->kind == LS_ACCESS_WRITE) find_stored(s, &e);
        ls_trace_pointer(s, &e);
        ls_split_address(s->proof, &e);
        if (ls_bulk_bytes(i) && a->src < 2) e.size = ls_bulk_bytes(i);
        if (private)
            ls_keep_private(s->proof, e);
        else
            LS_VEC_PUSH(s->events, e);
    }
}

/* What only the whole kernel's execution keeps: divisions, where they are asked for, and stated sizes. */
static void keep(ls_state *s, const ls_node *n, const ls_ir_instr *i, const ls_term *path) {
    ls_proof *p = s->proof;
    bool divides = i->form->opcode->divides && i->src_count == 2 && !i->unknown &&
                   ls_ptx_type_kind_of(ls_ptx_form_type(i->form, 0)) != LS_KIND_FLOAT;
    if (p->options->div0 && divides) {
        ls_division d = {i, n, ls_and(&p->terms, path, ls_guard_of(s, i)), ls_operand_of(s, &i->src[1])};
        ls_keep_division(p, d);
    }
    if (ls_call_of(i) == LS_CALL_SIZE && !p->options->no_annotations) ls_require_size(s, i, path);
}

static const ls_term *is_there(ls_subst *subst, const ls_term *symbol) {
    bool enabled = ls_sym_of(subst->ctx, symbol)->kind == LS_SYM_ENABLED;
    return enabled ? ls_const(subst->ctx, symbol->width, 1) : symbol;
}

/* An assertion holds behind it, as it is an obligation where it stands. What it says of another thread holds
 * where that one is at the same place in the same iteration: behind it, that is so outside of loops only. */
static const ls_term *assumed(const ls_state *s, const ls_node *n, const ls_term *holds) {
    ls_terms *t = &s->proof->terms;
    ls_subst subst = {.ctx = t, .replace = is_there};
    const ls_term *own = ls_substitute(&subst, holds);
    ls_subst_free(&subst);
    bool elsewhere =
        ls_speaks_of_other(t, own) && (n->block->loop || !ls_reached_together(s->proof, n->block));
    return ls_speaks_of_log(t, own) || elsewhere ? ls_true(t) : own;
}

const ls_term *ls_claim_here(ls_state *s, const ls_node *n, ls_claim claim) {
    claim.node = n;
    if (s == s->proof->whole) ls_keep_claim(s->proof, claim);
    /* that of two threads of a block says nothing of those of others */
    return ls_is_of_pairs(claim.instr) ? ls_true(&s->proof->terms) : assumed(s, n, claim.holds);
}

/* No thread may reach it; after it are only threads that do not execute it. */
static const ls_term *without_failure(ls_state *s, const ls_node *n, const ls_ir_instr *i,
                                      const ls_term *path) {
    ls_terms *t = &s->proof->terms;
    const ls_term *when = ls_and(t, path, ls_guard_of(s, i));
    if (!ls_is_false(when))
        ls_claim_here(s, n, (ls_claim){.instr = i, .where = i, .when = when, .holds = ls_false(t)});
    return ls_and(t, path, ls_not(t, ls_guard_of(s, i)));
}

/* The condition at the node's end. */
static const ls_term *run_node(ls_state *s, const ls_node *n, const ls_term *path) {
    ls_terms *t = &s->proof->terms;
    for (uint32_t k = n->first; k < n->end; k++) {
        const ls_ir_instr *i = n->block->instrs[k];
        s->path = path;
        if (s == s->proof->whole) keep(s, n, i, path);
        add_events(s, n, i, path);
        ls_lower_instr(s, i);
        ls_memory_store(s, i);
        const ls_term *holds = claimed(s, i);
        ls_call_kind kind = ls_call_of(i);
        if (kind == LS_CALL_WAIT) ls_note_wait(s, i);
        if (ls_is_failure(i)) path = without_failure(s, n, i, path);
        if (kind == LS_CALL_RETURN)
            path = ls_and(t, path, ls_promises_kept(s, n, i));
        else if (holds && kind == LS_CALL_ENSURE)
            ls_promise_made(s, i, holds);
        else if (holds)
            path = ls_and(t, path,
                          ls_claim_here(s, n,
                                        (ls_claim){.instr = i,
                                                   .where = i,
                                                   .when = ls_and(t, path, ls_guard_of(s, i)),
                                                   .holds = holds}));
    }
    return path;
}

/* --- Ways ------------------------------------------------------------------------------------------------
 */

static uint32_t pred_index(const ls_ir_block *to, const ls_ir_block *from) {
    uint32_t k = 0;
    while (k < to->pred_count && to->preds[k] != from) k++;
    assert(k < to->pred_count);
    return k;
}

static ls_way way_of(const ls_state *s, const ls_ir_block *from, const ls_ir_block *to,
                     const ls_term *condition) {
    ls_way way = {condition, LS_NEW_N(&s->proof->arena, const ls_term *, to->phi_count + 1)};
    uint32_t k = pred_index(to, from);
    for (uint32_t i = 0; i < to->phi_count; i++) way.args[i] = ls_value_of(s, to->phis[i]->args[k]);
    return way;
}

static void join_phis(ls_state *s, const ls_ir_block *b, const ls_ways *ways) {
    for (uint32_t i = 0; i < b->phi_count; i++) {
        const ls_term *v = ways->items[ways->length - 1].args[i];
        for (uint32_t w = ways->length - 1; w-- > 0;)
            v = ls_ite(&s->proof->terms, ways->items[w].condition, ways->items[w].args[i], v);
        ls_set_value(s, b->phis[i]->value, v);
    }
}

/* Whether a loop's header is entered in an arbitrary iteration. */
static bool is_cut(const ls_state *s, const ls_ir_loop *loop) {
    return !s->stops || ls_is_free_cycle(s->proof, s->stops, loop);
}

static const ls_term *either(ls_terms *t, const ls_ways *ways) {
    const ls_term *c = ls_false(t);
    for (uint32_t w = 0; w < ways->length; w++) c = ls_or(t, c, ways->items[w].condition);
    return c;
}

/* --- The steps of predication as terms -------------------------------------------------------------------
 */

typedef struct {
    ls_state *s;
    const ls_term *condition; /* of the start, and the ways to it, or NULL */
    const ls_ways *start_ways;
    ls_way_table active;   /* by node: the ways by which v_active is this node … */
    uint32_t waiting;      /* … so many in all */
    ls_way_table *latches; /* by loop, or NULL */
    const ls_term *path; /* the condition at the end of the current node; NULL if the node is not executed */
    ls_ways ways;        /* to the current node */
    bool expired;
} execution;

static const ls_node *node_of(const execution *x, uint32_t block) {
    return x->s->proof->nodes[x->s->proof->cfg->position[block]];
}

static void activate_by(execution *x, const ls_node *n, ls_way way) {
    add_way(&x->active, n->id, way);
    x->waiting++;
}

/* v_active = n from here on is only what comes round a loop. */
static void begin_node(void *data, uint32_t block) {
    execution *x = data;
    const ls_node *n = node_of(x, block);
    LS_VEC_FREE(&x->ways);
    x->ways = x->active.by[n->id];
    x->active.by[n->id] = (ls_ways){0};
    x->waiting -= x->ways.length;
    x->path = x->ways.length && !x->expired ? either(&x->s->proof->terms, &x->ways) : NULL;
}

static void enter(execution *x, const ls_node *n, const ls_ways *ways) {
    const ls_ir_block *b = n->block;
    if (n->first != 0 || !ways->length || !ways->items[0].args) return;
    if (b->is_loop_header && x->s->body != b->loop && is_cut(x->s, b->loop))
        ls_enter_loop(x->s, b->loop, ways);
    else
        join_phis(x->s, b, ways);
}

/* v_active := the node at which the execution starts. */
static void activate_node(void *data, uint32_t block) {
    execution *x = data;
    (void)block;
    x->path = x->condition;
}

/* Table 1: under v_active = n. */
static void execute_node(void *data, uint32_t block) {
    execution *x = data;
    if (!x->path) return;
    const ls_node *n = node_of(x, block);
    if (x->ways.length)
        enter(x, n, &x->ways);
    else if (x->start_ways)
        enter(x, n, x->start_ways);
    if (ls_is_false(x->path)) {
        x->path = NULL;
        return;
    }
    if (x->s->reach) x->s->reach[n->id] = x->path;
    x->path = run_node(x->s, n, x->path);
    x->expired = ls_solver_expired(&x->s->proof->solver);
}

/* Behind a barrier, unless it ends the execution. */
static void go_on(execution *x, const ls_node *n) {
    ls_state *s = x->s;
    if (n->orders & s->stops) return;
    ls_memory_barrier(s, n, x->path);
    const ls_term *facts = ls_barrier_facts(s, n);
    if (s == s->proof->whole) executions_of(s->proof)->barrier_facts[n->id] = facts;
    assert(s->proof->nodes[n->id + 1]->block == n->block);
    ls_way way = {ls_and(&s->proof->terms, x->path, facts), NULL};
    activate_by(x, x->s->proof->nodes[n->id + 1], way);
}

/* Table 2: v_active becomes each target under the condition of the branch, in which SSA keeps the guards. */
static void choose_node(void *data, uint32_t block, const uint32_t *targets, uint32_t count) {
    execution *x = data;
    ls_state *s = x->s;
    const ls_node *n = node_of(x, block);
    if (!x->path) return;
    if (n->barrier) {
        go_on(x, n);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        const ls_node *to = node_of(x, targets[k]);
        const ls_term *c = ls_and(&s->proof->terms, x->path, ls_edge_condition(s, n->block, k));
        if (ls_is_false(c) || (s->body && !ls_ir_loop_contains(s->body, to->block))) continue;
        ls_way way = way_of(s, n->block, to->block, c);
        activate_by(x, to, way);
    }
}

/* Table 2: back to the head where v_active is it (an iteration of its own, which whoever asked for `latches`
 * executes), on where it is not. */
static void close_loop(void *data, const ls_cfg_loop *loop) {
    execution *x = data;
    const ls_node *head = node_of(x, loop->header);
    ls_ways *back = &x->active.by[head->id];
    for (uint32_t w = 0; w < back->length && x->latches; w++)
        add_way(x->latches, head->block->loop->id, back->items[w]);
    x->waiting -= back->length;
    LS_VEC_FREE(back);
}

/* No path goes on. */
static bool is_over(void *data) {
    const execution *x = data;
    return !x->waiting;
}

static const ls_predication_sink as_terms = {
    .begin = begin_node,
    .activate = activate_node,
    .execute = execute_node,
    .choose = choose_node,
    .close = close_loop,
    .over = is_over,
};

/* The node that the sort order puts last in a loop, as the graph has it. */
static uint32_t last_of(const ls_proof *p, const ls_ir_loop *loop) {
    uint32_t head = p->cfg->order[p->first_node[loop->header->id]];
    return p->cfg->loops.items[p->cfg->header_of[head]].last;
}

void ls_execute(ls_state *s, const ls_node *start, const ls_term *condition, const ls_ways *start_ways,
                ls_way_table *latches) {
    ls_proof *p = s->proof;
    execution x = {.s = s, .condition = condition, .start_ways = start_ways, .latches = latches};
    x.active = ls_ways_take(p);
    uint32_t end = s->body ? last_of(p, s->body) : LS_GRAPH_NONE;
    ls_predicate(p->cfg, p->cfg->order[start->id], end, &as_terms, &x);
    ls_ways_give(p, &x.active);
    LS_VEC_FREE(&x.ways);
}

/* --- Intervals -------------------------------------------------------------------------------------------
 */

/* From just behind a barrier: the rest of its iterations, then, from the innermost loop around it outwards,
 * the next iteration of each. */
static void run_interval(ls_proof *p, ls_interval *interval, uint8_t memory) {
    ls_way_table latches = ls_ways_take(p);
    const ls_node *anchor = interval->anchor;
    const ls_node *start = anchor ? p->nodes[anchor->id + 1] : p->nodes[0];
    ls_state *s = ls_state_new(p, anchor ? p->whole : NULL, "'");
    s->stops = memory;
    s->passed = anchor ? p->whole->reach[anchor->id] : NULL;
    s->events = &interval->events;
    ls_memory_start(s, anchor);
    const ls_state *last = s;
    ls_execute(s, start, ls_true(&p->terms), NULL, &latches);
    for (const ls_ir_loop *loop = anchor ? anchor->block->loop : NULL; loop; loop = loop->parent) {
        const ls_ways *ways = &latches.by[loop->id];
        if (!ways->length) continue;
        ls_state *next = ls_state_new(p, p->whole, "''");
        next->stops = memory;
        next->passed = s->passed;
        next->events = &interval->events;
        next->memory = last->memory;
        last = next;
        ls_execute(next, p->nodes[p->first_node[loop->header->id]], either(&p->terms, ways), ways, &latches);
    }
    ls_ways_give(p, &latches);
}

/* No barrier orders that memory: the one interval there is is the whole execution. */
static bool make_only_interval(ls_proof *p, uint8_t memory) {
    for (uint32_t n = 0; n < p->node_count; n++)
        if (p->nodes[n]->barrier && (p->nodes[n]->orders & memory) && p->whole->reach[n]) return false;
    ls_interval only = {.when = ls_true(&p->terms)};
    for (uint32_t i = 0; i < p->whole_events.length; i++) LS_VEC_PUSH(&only.events, p->whole_events.items[i]);
    LS_VEC_PUSH(&p->intervals[memory], only);
    return true;
}

static void make_intervals(ls_proof *p, uint8_t memory) {
    const ls_term *const *facts = executions_of(p)->barrier_facts;
    if (make_only_interval(p, memory)) return;
    for (uint32_t n = 0; n <= p->node_count; n++) {
        const ls_node *anchor = n ? p->nodes[n - 1] : NULL;
        if (anchor && (!anchor->barrier || !(anchor->orders & memory) || !p->whole->reach[anchor->id]))
            continue;
        ls_interval interval = {.anchor = anchor};
        interval.when =
            anchor ? ls_and(&p->terms, p->whole->reach[anchor->id], facts[anchor->id]) : ls_true(&p->terms);
        run_interval(p, &interval, memory);
        if (anchor) ls_add_flights(p, anchor, &interval.events);
        LS_VEC_PUSH(&p->intervals[memory], interval);
    }
}

/* Needs nodes and uniformity; leaves `whole`, `whole_events` and the intervals. */
void ls_make_intervals(ls_proof *p) {
    executions_of(p)->barrier_facts = LS_NEW_N(&p->arena, const ls_term *, p->node_count + 1);
    p->whole = ls_state_new(p, NULL, "");
    p->whole->reach = LS_NEW_N(&p->arena, const ls_term *, p->node_count + 1);
    p->whole->events = &p->whole_events;
    ls_execute(p->whole, p->nodes[0], ls_true(&p->terms), NULL, NULL);
    ls_find_flights(p);
    bool differ = false, grid = false, cluster = false;
    for (uint32_t n = 0; n < p->node_count; n++) {
        const ls_node *node = p->nodes[n];
        uint8_t all = LS_ORDERS_SHARED | LS_ORDERS_GLOBAL;
        differ |= node->barrier && !node->warp && (node->orders & all) != all;
        grid |= node->orders & LS_ORDERS_GRID;
        cluster |= p->remote && (node->orders & LS_ORDERS_CLUSTER);
    }
    for (uint8_t memory = 1; memory < 4; memory++)
        if (differ != (memory == 3)) make_intervals(p, memory);
    if (grid) {
        ls_find_cycles(p, LS_ORDERS_GRID);
        make_intervals(p, LS_ORDERS_GRID);
    }
    if (cluster) {
        ls_find_cycles(p, LS_ORDERS_CLUSTER);
        make_intervals(p, LS_ORDERS_CLUSTER);
    }
}

void ls_make_warp_intervals(ls_proof *p) {
    for (uint8_t memory = 1; memory < 4; memory++) {
        if (!p->intervals[memory].length) continue;
        ls_find_cycles(p, memory | LS_ORDERS_WARP);
        make_intervals(p, memory | LS_ORDERS_WARP);
    }
}
