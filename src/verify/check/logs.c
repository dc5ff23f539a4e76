/* __read, __write, __read_offset_bytes and __write_offset_bytes: claims about the accesses that a thread has
 * made since the last barrier. GPUVerify keeps a log of one access, any one; so a claim must hold when
 * nothing is in the log, and for every access that can come before it with no barrier between. The access is
 * made by the same thread earlier: a second instance of its symbols stands for the iterations it was in then.
 */
#include "verify/check/logs.h"
#include "base/recover.h"
#include "verify/check/claims.h"
#include "verify/execute/lower.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

#include <stdio.h>

/* --- Symbols ---------------------------------------------------------------------------------------------
 */

/* The object whose address is a part of the pointer. */
static const ls_ir_base *base_in(ls_proof *p, const ls_term *pointer) {
    const ls_ir_base *found = NULL;
    for (uint32_t i = 0; i < p->f->base_count; i++) {
        const ls_term *start = ls_base_address(p, p->f->bases[i]);
        if (!start) continue;
        const ls_term *rest = ls_sub(&p->terms, ls_resize(&p->terms, pointer, 64, false),
                                     ls_resize(&p->terms, start, 64, false));
        ls_term_list leaves = {0};
        ls_leaves(&rest, 1, &leaves);
        bool gone = true;
        for (uint32_t k = 0; k < leaves.length; k++) gone &= leaves.items[k] != start;
        LS_VEC_FREE(&leaves);
        if (!gone) continue;
        if (found) return NULL;
        found = p->f->bases[i];
    }
    return found;
}

static bool names_base(ls_proof *p, const ls_term *pointer, const ls_ir_base *base) {
    ls_term_list leaves = {0};
    ls_leaves(&pointer, 1, &leaves);
    const ls_term *start = ls_base_address(p, base);
    bool found = false;
    for (uint32_t k = 0; k < leaves.length; k++) found |= leaves.items[k] == start;
    LS_VEC_FREE(&leaves);
    return found;
}

/* The pointer is to one parameter or variable that no access goes to. */
static bool is_never_accessed(ls_proof *p, const ls_term *pointer) {
    for (uint32_t i = 0; i < p->f->access_count; i++) {
        const ls_ir_access *a = p->f->accesses[i];
        if (!a->base_count || a->other_bases) return false;
        for (uint32_t b = 0; b < a->base_count; b++)
            if (!ls_base_address(p, a->bases[b]) || names_base(p, pointer, a->bases[b])) return false;
    }
    ls_term_list leaves = {0};
    ls_leaves(&pointer, 1, &leaves);
    bool input = leaves.length == 1 && leaves.items[0]->op == LS_T_SYM && leaves.items[0]->width == 64 &&
                 ls_sym_of(&p->terms, leaves.items[0])->kind == LS_SYM_INPUT;
    LS_VEC_FREE(&leaves);
    return input;
}

const ls_term *ls_log_value(ls_state *s, const ls_ir_instr *call, uint32_t width) {
    ls_proof *p = s->proof;
    ls_ir_value *argument = ls_ir_argument_value(call, 0, 0);
    if (!argument) return NULL;
    uint32_t traits = ls_ptx_builtin_traits(ls_ir_builtin(call));
    bool writes = traits & LS_TRAIT_WRITES, offset = traits & LS_TRAIT_OFFSET;
    const ls_term *pointer = ls_value_of(s, argument);
    const ls_ir_base *base = base_in(p, pointer);
    if (!base || !names_base(p, pointer, base)) {
        if (!is_never_accessed(p, pointer)) return NULL;
        return offset ? ls_fresh(s, "nothing logged", width, LS_SYM_UNSET) : ls_const(&p->terms, width, 0);
    }
    char name[100];
    snprintf(name, sizeof name, "__%s%s %u", writes ? "write" : "read", offset ? "_offset_bytes" : "",
             base->id);
    void **place = ls_map_at(&p->named, ls_arena_strdup(&p->arena, name), strlen(name));
    if (!*place) {
        ls_log *log = LS_NEW(&p->arena, ls_log);
        *log = (ls_log){base, writes, offset};
        const ls_term *t = ls_symbol(&p->terms, name, offset ? 64 : 1, LS_SCOPE_THREAD, LS_SYM_LOG, 1, 0);
        ls_sym_of(&p->terms, t)->key = log;
        *place = (void *)(uintptr_t)t;
    }
    return ls_resize(&p->terms, *place, width, false);
}

static const ls_log *log_of(ls_terms *t, const ls_term *leaf) {
    bool is_log = leaf->op == LS_T_SYM && ls_sym_of(t, leaf)->kind == LS_SYM_LOG;
    return is_log ? ls_sym_of(t, leaf)->key : NULL;
}

/* --- Which accesses come before --------------------------------------------------------------------------
 */

typedef struct {
    bool same_iteration, earlier_iteration;
} precedence;

static bool walk(const ls_proof *p, const ls_node *from, const ls_node *to, uint8_t memory, bool round,
                 bool *seen) {
    memset(seen, 0, p->node_count);
    LS_VEC(uint32_t) work = {0};
    bool found = false;
#define GO(node)                                                                                             \
    do {                                                                                                     \
        uint32_t next = (node);                                                                              \
        found |= next == to->id;                                                                             \
        if (!seen[next]) {                                                                                   \
            seen[next] = true;                                                                               \
            LS_VEC_PUSH(&work, next);                                                                        \
        }                                                                                                    \
    } while (0)
    LS_VEC_PUSH(&work, from->id);
    while (work.length && !found) {
        const ls_node *n = p->nodes[work.items[--work.length]];
        if (n->barrier) {
            if (!(n->orders & memory)) GO(n->id + 1);
            continue;
        }
        for (uint32_t k = 0; k < n->block->succ_count; k++) {
            const ls_ir_block *succ = n->block->succs[k];
            bool back = succ->is_loop_header && ls_ir_dominates(succ, n->block);
            if (!back || round) GO(p->first_node[succ->id]);
        }
    }
#undef GO
    LS_VEC_FREE(&work);
    return found;
}

static bool stands_before(const ls_event *e, const ls_claim *claim) {
    return e->node == claim->node && e->access->instr->id < claim->where->id;
}

static precedence comes_before(const ls_proof *p, const ls_event *e, const ls_claim *claim, uint8_t memory) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_alloc(&scratch, p->node_count + 1);
    precedence r;
    r.same_iteration = stands_before(e, claim) ||
                       (e->node != claim->node && walk(p, e->node, claim->node, memory, false, seen));
    r.earlier_iteration = walk(p, e->node, claim->node, memory, true, seen);
    return r;
}

/* --- Checking --------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_log *logs[2];
    uint32_t count;
    bool too_many;
} log_list;

static log_list find_logs(ls_terms *t, const ls_term *holds) {
    log_list list = {0};
    ls_term_list leaves = {0};
    ls_leaves(&holds, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_log *log = log_of(t, leaves.items[i]);
        bool there = !log;
        for (uint32_t k = 0; k < list.count && !there; k++)
            there = list.logs[k]->base == log->base && list.logs[k]->writes == log->writes;
        if (there) continue;
        if (list.count == 2)
            list.too_many = true;
        else
            list.logs[list.count++] = log;
    }
    LS_VEC_FREE(&leaves);
    return list;
}

bool ls_speaks_of_log(ls_terms *t, const ls_term *holds) {
    return find_logs(t, holds).count > 0;
}

typedef struct {
    const ls_log *log;
    const ls_term *occurred, *offset;
} entry;

typedef struct {
    ls_terms *t;
    entry entries[2];
    uint32_t count;
} filling;

static const ls_term *fill(ls_subst *subst, const ls_term *symbol) {
    const filling *f = subst->data;
    const ls_log *log = log_of(f->t, symbol);
    for (uint32_t i = 0; log && i < f->count; i++) {
        const entry *e = &f->entries[i];
        if (e->log->base == log->base && e->log->writes == log->writes)
            return log->offset ? e->offset : e->occurred;
    }
    return symbol;
}

/* The accesses are surely in the log where the claim stands, if they were made: nothing can have cleared it.
 */
static bool stay_logged(const ls_proof *p, const ls_claim *claim, const log_list *logs,
                        const ls_event *const *events) {
    bool barriers = false, stay = true;
    for (uint32_t n = 0; n < p->node_count; n++) barriers |= p->nodes[n]->barrier != NULL;
    for (uint32_t i = 0; i < logs->count; i++)
        stay &= !events[i] || !barriers || stands_before(events[i], claim);
    return stay;
}

/* What the claim says with these accesses in the log; `event` NULL: nothing. Only one log is filled by an
 * event of another iteration at a time: of two, both are, each by its own instance, through the same view.
 * `found` becomes true where an execution breaks the claim, which is reported. */
static ls_answered ask(ls_proof *p, const ls_claim *claim, const log_list *logs,
                       const ls_event *const *events, bool earlier, bool *found) {
    ls_terms *t = &p->terms;
    ls_query q;
    ls_view view = {.p = p, .same_block = true, .self = true, .earlier = earlier, .a = claim->node->block};
    for (uint32_t i = 0; i < logs->count; i++)
        if (events[i]) view.b = events[i]->node->block;
    ls_query_begin(&q, view);
    ls_query_add(&q, 1, claim->when, claim->holds);
    ls_query_claim(&q, p->launch);
    filling f = {.t = t, .count = logs->count};
    for (uint32_t i = 0; i < logs->count; i++) {
        const ls_event *e = events[i];
        f.entries[i] = (entry){logs->logs[i], ls_const(t, 1, e != NULL), NULL};
        f.entries[i].offset =
            ls_instance(t, ls_symbol(t, "nothing logged", 64, LS_SCOPE_THREAD, LS_SYM_UNSET, 1, 0), 1);
        if (!e) continue;
        ls_query_add(&q, 2, e->when, e->address);
        const ls_term *start = ls_resize(t, ls_base_address(p, logs->logs[i]->base), 64, false);
        f.entries[i].offset = ls_query_term(&q, 2, ls_sub(t, ls_resize(t, e->address, 64, false), start));
    }
    ls_subst subst = {.ctx = t, .replace = fill, .data = &f};
    const ls_term *filled = ls_substitute(&subst, claim->holds); /* the rest is still thread 1's */
    ls_subst_free(&subst);
    ls_query_claim(&q, ls_not(t, ls_query_term(&q, 1, filled)));
    ls_answered answer = ls_query_solve(&q);
    if (answer == LS_SAT && !earlier && stay_logged(p, claim, logs, events) && ls_query_confirmed(&q)) {
        *found = true;
        ls_query_witness(&q,
                         ls_find(p, LS_RULE_ASSERT, LS_ERROR, claim->instr->pos,
                                 "%s about the accesses made so far can fail", ls_claim_name(claim)),
                         NULL);
    }
    ls_query_end(&q);
    return answer;
}

static bool fits(const ls_log *log, const ls_event *e) {
    const ls_ir_access *a = e->access;
    if (a->base_count != 1 || a->other_bases || a->bases[0] != log->base) return false;
    return log->writes ? a->kind == LS_ACCESS_WRITE : a->kind == LS_ACCESS_READ;
}

const ls_term *ls_log_of_one(ls_proof *p, const ls_term *holds, const ls_event *e) {
    ls_terms *t = &p->terms;
    log_list logs = find_logs(t, holds);
    if (logs.too_many || logs.count != 1 || !fits(logs.logs[0], e)) return NULL;
    const ls_term *start = ls_resize(t, ls_base_address(p, logs.logs[0]->base), 64, false);
    filling f = {.t = t, .count = 1};
    f.entries[0] =
        (entry){logs.logs[0], ls_const(t, 1, 1), ls_sub(t, ls_resize(t, e->address, 64, false), start)};
    ls_subst subst = {.ctx = t, .replace = fill, .data = &f};
    const ls_term *filled = ls_substitute(&subst, holds);
    ls_subst_free(&subst);
    return filled;
}

static bool check_with(ls_proof *p, const ls_claim *claim, const log_list *logs, const ls_event **events,
                       uint32_t at, bool earlier, uint32_t *budget, bool *found) {
    if (at == logs->count) {
        if (!(*budget)--) return false;
        return ask(p, claim, logs, events, earlier, found) == LS_UNSAT;
    }
    events[at] = NULL;
    if (!check_with(p, claim, logs, events, at + 1, earlier, budget, found)) return false;
    const ls_log *log = logs->logs[at];
    uint8_t memory = log->base->space == LS_SPACE_SHARED ? LS_ORDERS_SHARED : LS_ORDERS_GLOBAL;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *e = &p->whole_events.items[i];
        if (!fits(log, e)) continue;
        precedence before = comes_before(p, e, claim, memory);
        events[at] = e;
        if (earlier ? !before.earlier_iteration : !before.same_iteration) continue;
        if (!check_with(p, claim, logs, events, at + 1, earlier, budget, found)) return false;
    }
    return true;
}

void ls_check_log_claim(ls_proof *p, const ls_claim *claim) {
    log_list logs = find_logs(&p->terms, claim->holds);
    const ls_event *events[2] = {0};
    uint32_t budget = 200;
    bool atomic = false, holds = !logs.too_many, found = false;
    for (uint32_t i = 0; i < p->whole_events.length; i++)
        atomic |= p->whole_events.items[i].access->kind == LS_ACCESS_ATOMIC;
    if (logs.count == 2)
        holds &= !p->f->loop_count; /* the two accesses would be in iterations of their own */
    holds = holds && !atomic && check_with(p, claim, &logs, events, 0, false, &budget, &found) &&
            check_with(p, claim, &logs, events, 0, true, &budget, &found);
    if (!holds && !found)
        ls_unknown(p, claim->instr->pos, NULL,
                   "no proof that what is claimed about the accesses made so far holds");
}
