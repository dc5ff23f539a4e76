/* Copies in the background (PTX's cp.async): a thread asks for one, and it reads and writes at any time until
 * the thread has waited for the group that it belongs to. The barriers in between do not order it.
 *
 * Where a copy may be under way is found on the control-flow graph: from the copy on, with the least number
 * of groups that were closed behind its own (cp.async.commit_group), up to a wait that leaves fewer of them
 * open (cp.async.wait_group, wait_all). What is under way when a barrier is passed is an access in the
 * interval behind it, too, by which other threads are met; and what the thread itself accesses meanwhile is
 * checked against it.
 *
 * Which iteration a copy is from counts: pipelines have copies of the next iterations under way. The rounds
 * that were gone since the copy, of the innermost loop around it that has a barrier, are kept apart, and the
 * copy is executed once more for each number of them, with the values that the loop had then: those that are
 * known by the number of iterations. */
#include "verify/check/flights.h"
#include "base/recover.h"
#include "verify/check/races.h"
#include "verify/check/tickets.h"
#include "verify/execute/contents.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

enum { MOST_ROUNDS = 4, MOST_GROUPS = 16, ROUNDS = MOST_ROUNDS + 1 };

typedef struct {         /* a place where a copy may be under way */
    const ls_node *node; /* at its start */
    uint32_t rounds;     /* of the loop around the copy since it was asked for … */
    uint32_t later;      /* … and of loops that came after it */
} place;

typedef struct {
    ls_proof *p;
    const ls_ir_instr *copy;
    const ls_node *from;
    const ls_ir_loop *loop; /* the innermost one around the copy that has a barrier, or NULL */
    ls_arena arena;
    int8_t *groups; /* by place: the least number of groups closed behind its own, + 2; 0: not there */
    LS_VEC(place) work;
    ls_intmap met; /* instructions of the thread that were checked, by number and place */
    bool lost;     /* under way for too long */
} flight;

typedef struct { /* a copy that may be under way when a barrier is passed */
    const ls_ir_instr *copy;
    const ls_node *barrier;
    const ls_ir_loop *loop; /* around both; NULL: none */
    uint32_t rounds, later; /* of the loop since the copy; of the loop around the barrier alone */
} landing;

typedef struct { /* what the copies in a loop access, so many rounds ago */
    const ls_ir_loop *loop;
    uint32_t rounds;
    bool ahead; /* … or all accesses, so many rounds later */
    ls_events events;
    ls_ways back; /* to the header */
} launched;

typedef struct {
    LS_VEC(landing) landings;
    LS_VEC(launched *) launched;
} flights;

static void free_flights(void *part) {
    flights *all = part;
    for (uint32_t i = 0; i < all->launched.length; i++) {
        LS_VEC_FREE(&all->launched.items[i]->events);
        LS_VEC_FREE(&all->launched.items[i]->back);
    }
    LS_VEC_FREE(&all->launched);
    LS_VEC_FREE(&all->landings);
}

static const ls_part FLIGHTS = {sizeof(flights), free_flights};

bool ls_is_flight(const ls_ir_instr *i) {
    return i->form->opcode->copy == LS_COPY_START;
}

/* --- Loops -----------------------------------------------------------------------------------------------
 */

static bool has_barrier(const ls_proof *p, const ls_ir_loop *loop) {
    for (uint32_t n = 0; n < p->node_count; n++)
        if (p->nodes[n]->barrier && ls_ir_loop_contains(loop, p->nodes[n]->block)) return true;
    return false;
}

static const ls_ir_loop *loop_of(const ls_proof *p, const ls_ir_instr *copy) {
    const ls_ir_loop *loop = copy->block->loop;
    while (loop && !has_barrier(p, loop)) loop = loop->parent;
    return loop;
}

/* The counter of a loop in the arbitrary iteration; NULL: the loop is never entered. */
const ls_term *ls_counter_of(const ls_proof *p, const ls_ir_loop *loop, uint32_t tag) {
    for (uint32_t i = 0; i < p->terms.syms.length; i++) {
        const ls_sym *sym = &p->terms.syms.items[i];
        if (sym->kind == LS_SYM_COUNT && sym->key == loop && sym->tag == tag && sym->origin == i)
            return sym->term;
    }
    return NULL;
}

/* --- Where it is under way -------------------------------------------------------------------------------
 */

static uint32_t index_of(const place *at) {
    return (at->node->id * ROUNDS + at->rounds) * ROUNDS + at->later;
}

static void reach(flight *f, place at, int8_t groups) {
    if (at.rounds > MOST_ROUNDS || at.later > MOST_ROUNDS) {
        f->lost = true;
        return;
    }
    int8_t *least = &f->groups[index_of(&at)], known = (int8_t)(groups + 2);
    if (*least && *least <= known) return;
    *least = known;
    LS_VEC_PUSH(&f->work, at);
}

/* A constant operand of an instruction that is executed for certain. */
static bool waits_for(const ls_ir_instr *i, uint64_t *left) {
    *left = 0;
    if (i->guard.kind != LS_IR_ABSENT) return false;
    ls_ptx_copy copy = i->form->opcode->copy;
    if (copy == LS_COPY_WAIT_ALL) return true;
    bool group = copy == LS_COPY_WAIT && i->src_count == 1;
    if (group && i->src[0].kind == LS_IR_IMM) return *left = i->src[0].bits, true;
    return group && i->src[0].value && ls_ir_constant(i->src[0].value, left);
}

/* One instruction while the copy is under way; false where it is not any more. */
static bool pass(const ls_ir_instr *i, int8_t *groups) {
    uint64_t left;
    ls_ptx_copy copy = i->form->opcode->copy;
    if (copy == LS_COPY_COMMIT && i->guard.kind == LS_IR_ABSENT && *groups < MOST_GROUPS) ++*groups;
    if (!waits_for(i, &left)) return true;
    return copy != LS_COPY_WAIT_ALL && (*groups < 0 || (uint64_t)*groups < left);
}

static void follow(flight *f, place at, const ls_ir_block *to, int8_t groups) {
    place next = {f->p->nodes[f->p->first_node[to->id]], at.rounds, at.later};
    if (to->is_loop_header && has_barrier(f->p, to->loop)) {
        bool around = ls_ir_loop_contains(to->loop, f->copy->block);
        bool back = ls_ir_dominates(to, at.node->block);
        f->lost |= back && around && to->loop != f->loop;
        next.rounds += back && around;
        if (!around) next.later = back ? at.later + 1 : 0;
    }
    reach(f, next, groups);
}

typedef void (*visitor)(flight *f, const place *at, const ls_ir_instr *i); /* i NULL: the node's barrier */

/* Through a node, or from the copy on to the node's end; false where the copy has been waited for. */
static bool cross(flight *f, const place *at, bool departs, int8_t *groups, visitor visit) {
    const ls_node *n = at->node;
    for (uint32_t k = n->first; k < n->end; k++) {
        const ls_ir_instr *i = n->block->instrs[k];
        if (departs && i->id <= f->copy->id) continue;
        if (visit) visit(f, at, i);
        if (!pass(i, groups)) return false;
    }
    if (visit && n->barrier) visit(f, at, NULL);
    return true;
}

static void go_on(flight *f, const place *at, int8_t groups) {
    const ls_node *n = at->node;
    if (n->barrier)
        reach(f, (place){f->p->nodes[n->id + 1], at->rounds, at->later}, groups);
    else
        for (uint32_t k = 0; k < n->block->succ_count; k++) follow(f, *at, n->block->succs[k], groups);
}

/* Finds all places. */
static void fly(flight *f) {
    place at = {f->from, 0, 0};
    int8_t groups = -1;
    if (cross(f, &at, true, &groups, NULL)) go_on(f, &at, groups);
    while (f->work.length && !f->lost) {
        at = f->work.items[--f->work.length];
        groups = (int8_t)(f->groups[index_of(&at)] - 2);
        if (cross(f, &at, false, &groups, NULL)) go_on(f, &at, groups);
    }
}

/* Every instruction that is executed while the copy is under way, and every barrier that it passes. */
static void visit_all(flight *f, visitor visit) {
    place at = {f->from, 0, 0};
    int8_t groups = -1;
    cross(f, &at, true, &groups, visit);
    for (uint32_t n = 0; n < f->p->node_count; n++)
        for (at.node = f->p->nodes[n], at.rounds = 0; at.rounds < ROUNDS; at.rounds++)
            for (at.later = 0; at.later < ROUNDS; at.later++) {
                if (!f->groups[index_of(&at)]) continue;
                groups = (int8_t)(f->groups[index_of(&at)] - 2);
                cross(f, &at, false, &groups, visit);
            }
}

static void start_flight(flight *f, ls_proof *p, const ls_node *node, const ls_ir_instr *copy) {
    *f = (flight){.p = p, .copy = copy, .from = node, .loop = loop_of(p, copy)};
    ls_arena_open(&f->arena);
    f->groups = ls_arena_zalloc(&f->arena, (size_t)p->node_count * ROUNDS * ROUNDS + 1);
}

static void end_flight(flight *f) {
    ls_arena_close(&f->arena);
    LS_VEC_FREE(&f->work);
    ls_intmap_free(&f->met);
}

/* --- The copy, once more ---------------------------------------------------------------------------------
 */

typedef struct {
    ls_proof *p;
    const ls_ir_loop *loop;
    const ls_term *counter, *then; /* of the loop: in the arbitrary iteration; when the copy was asked for */
    bool known;
} past;

static const ls_ir_loop *loop_of_symbol(const ls_sym *sym) {
    if (sym->kind == LS_SYM_COUNT) return sym->key;
    if (sym->kind == LS_SYM_STATE) return ((const ls_ir_phi *)sym->key)->block->loop;
    return ((const ls_ir_access *)sym->key)->instr->block->loop;
}

static bool is_within(const ls_ir_loop *inner, const ls_ir_loop *outer) {
    while (inner && inner != outer) inner = inner->parent;
    return inner == outer;
}

static const ls_term *as_then(ls_subst *subst, const ls_term *symbol) {
    past *t = subst->data;
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    if (symbol == t->counter) return t->then;
    bool of_loop =
        (sym->kind == LS_SYM_COUNT || sym->kind == LS_SYM_STATE || sym->kind == LS_SYM_LOAD) && sym->key;
    if (sym->kind != LS_SYM_INPUT && !of_loop) t->known = false;
    if (of_loop && is_within(loop_of_symbol(sym), t->loop)) t->known = false;
    return symbol;
}

/* What a term of the loop's header was so many rounds ago; NULL: that is not known. */
static const ls_term *then(past *t, const ls_term *term) {
    ls_subst subst = {.ctx = &t->p->terms, .replace = as_then, .data = t};
    t->known = true;
    const ls_term *was = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    return t->known ? was : NULL;
}

/* The values of the loop's header so many rounds ago, and the condition that it was reached then. */
static const ls_term *go_back(ls_state *s, const ls_ir_loop *loop, uint32_t rounds) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    const ls_term *here = p->whole->reach[p->first_node[loop->header->id]];
    if (!here || !rounds) return here ? here : ls_false(t);
    past before = {.p = p, .loop = loop, .counter = ls_counter_of(p, loop, p->whole->tag)};
    if (!before.counter) return ls_true(t);
    const ls_term *ago = ls_const(t, before.counter->width, rounds);
    before.then = ls_sub(t, before.counter, ago);
    for (uint32_t i = 0; i < loop->header->phi_count; i++) {
        const ls_ir_value *v = loop->header->phis[i]->value;
        const ls_term *now = ls_value_of(p->whole, v), *was = then(&before, now);
        ls_set_value(s, v, was ? was : ls_fresh(s, "then", now->width, LS_SYM_CHOICE));
    }
    const ls_term *was = then(&before, here);
    return ls_and(t, was ? was : ls_true(t), ls_not(t, ls_ult(t, before.counter, ago)));
}

static launched *find_launched(ls_proof *p, const ls_ir_loop *loop, uint32_t rounds, bool ahead) {
    const flights *all = ls_part_of(p, &FLIGHTS);
    for (uint32_t i = 0; i < all->launched.length; i++) {
        launched *l = all->launched.items[i];
        if (l->loop == loop && l->rounds == rounds && l->ahead == ahead) return l;
    }
    return NULL;
}

static launched *new_launched(ls_proof *p, const ls_ir_loop *loop, uint32_t rounds, bool ahead) {
    launched *made = LS_NEW(&p->arena, launched);
    *made = (launched){.loop = loop, .rounds = rounds, .ahead = ahead};
    flights *all = ls_part_of(p, &FLIGHTS);
    LS_VEC_PUSH(&all->launched, made);
    return made;
}

/* One iteration of the loop, or the whole kernel if there is no loop; back edges are kept. */
static void execute(ls_state *s, launched *l, const ls_term *condition, const ls_ways *ways) {
    ls_proof *p = s->proof;
    s->body = l->loop;
    s->events = &l->events;
    const ls_node *start = p->nodes[l->loop ? p->first_node[l->loop->header->id] : 0];
    ls_way_table latches = ls_ways_take(p);
    ls_execute(s, start, condition, ways, &latches);
    if (l->loop) {
        l->back = latches.by[l->loop->id];
        latches.by[l->loop->id] = (ls_ways){0};
    }
    ls_ways_give(p, &latches);
}

/* The accesses of the copies in a loop (NULL: in none), so many rounds ago. Loops within are in any
 * iteration, which has nothing to do with that which they are left in. */
static launched *copies_of(ls_proof *p, const ls_ir_loop *loop, uint32_t rounds) {
    launched *made = find_launched(p, loop, rounds, false);
    if (made) return made;
    made = new_launched(p, loop, rounds, false);
    ls_state *s = ls_state_new(p, loop ? p->whole : NULL, "~");
    if (loop) ls_memory_forget(s, loop->header);
    execute(s, made, loop ? go_back(s, loop, rounds) : ls_true(&p->terms), NULL);
    return made;
}

/* All accesses in the loop so many rounds after those copies, with the values that come of it. */
static const launched *ahead_of(ls_proof *p, const ls_ir_loop *loop, uint32_t rounds) {
    if (!rounds) return copies_of(p, loop, 0);
    launched *made = find_launched(p, loop, rounds, true);
    if (made) return made;
    const launched *before = ahead_of(p, loop, rounds - 1);
    made = new_launched(p, loop, rounds, true);
    const ls_term *any = ls_false(&p->terms);
    for (uint32_t w = 0; w < before->back.length; w++)
        any = ls_or(&p->terms, any, before->back.items[w].condition);
    if (ls_is_false(any)) return made;
    ls_state *s = ls_state_new(p, p->whole, "~~");
    ls_memory_forget(s, loop->header);
    execute(s, made, any, &before->back);
    return made;
}

/* --- Other threads ---------------------------------------------------------------------------------------
 */

static void note_landing(flight *f, const place *at, const ls_ir_instr *i) {
    if (i) return;
    flights *all = ls_part_of(f->p, &FLIGHTS);
    landing here = {f->copy, at->node, f->loop, at->rounds, at->later};
    for (uint32_t k = 0; k < all->landings.length; k++)
        if (!memcmp(&all->landings.items[k], &here, sizeof here)) return;
    LS_VEC_PUSH(&all->landings, here);
}

static void lose(flight *f) {
    if (f->lost)
        ls_unknown(f->p, f->copy->pos, "wait for it (cp.async.wait_group) after fewer iterations of the loop",
                   "this copy may still be in flight after more than %u iterations of a loop", MOST_ROUNDS);
}

static void each_copy(ls_proof *p, visitor visit, void (*done)(flight *f)) {
    for (uint32_t n = 0; n < p->node_count; n++)
        for (uint32_t k = p->nodes[n]->first; k < p->nodes[n]->end && p->whole->reach[n]; k++) {
            const ls_ir_instr *i = p->nodes[n]->block->instrs[k];
            if (!ls_is_flight(i)) continue;
            flight f;
            start_flight(&f, p, p->nodes[n], i);
            fly(&f);
            visit_all(&f, visit);
            if (done) done(&f);
            end_flight(&f);
        }
}

void ls_find_flights(ls_proof *p) {
    if (!ls_joins_flights(p)) each_copy(p, note_landing, lose);
}

static bool has_inner(const ls_proof *p, const ls_ir_loop *loop) {
    for (uint32_t l = 0; l < p->f->loop_count; l++) {
        const ls_ir_loop *inner = p->f->loops[l];
        if (inner != loop && is_within(inner, loop) && has_barrier(p, inner)) return true;
    }
    return false;
}

/* A loop with a barrier around a place that is not around the copy was entered behind the copy, and is in the
 * round `later`, where it is the only one: rounds are counted for one. */
static const ls_term *is_in_round(ls_proof *p, const ls_ir_instr *copy, const ls_node *node, uint32_t later) {
    const ls_ir_loop *only = NULL;
    for (const ls_ir_loop *loop = node->block->loop; loop; loop = loop->parent) {
        if (ls_ir_loop_contains(loop, copy->block)) break;
        if (!has_barrier(p, loop)) continue;
        if (only || has_inner(p, loop)) return ls_true(&p->terms);
        only = loop;
    }
    const ls_term *counter = only ? ls_counter_of(p, only, p->whole->tag) : NULL;
    if (!counter) return ls_true(&p->terms);
    return ls_eq(&p->terms, counter, ls_const(&p->terms, counter->width, later));
}

void ls_add_flights(ls_proof *p, const ls_node *anchor, ls_events *events) {
    const flights *all = ls_part_of(p, &FLIGHTS);
    for (uint32_t k = 0; k < all->landings.length; k++) {
        const landing *l = &all->landings.items[k];
        if (l->barrier != anchor) continue;
        const ls_events *copies = &copies_of(p, l->loop, l->rounds)->events;
        for (uint32_t i = 0; i < copies->length; i++) {
            ls_event e = copies->items[i];
            if (e.access->instr != l->copy) continue;
            e.in_flight = true;
            e.when = ls_and(&p->terms, e.when, is_in_round(p, l->copy, anchor, l->later));
            if (!ls_is_false(e.when)) LS_VEC_PUSH(events, e);
        }
    }
}

/* --- The thread itself -----------------------------------------------------------------------------------
 */

/* The same instruction in another iteration of a loop in between: the counters differ. */
static const ls_term *in_other_iteration(const flight *f, const ls_event *one, const ls_event *two) {
    ls_proof *p = f->p;
    ls_terms *t = &p->terms;
    const ls_term *differ = ls_false(t);
    for (const ls_ir_loop *loop = f->copy->block->loop; loop && loop != f->loop; loop = loop->parent) {
        const ls_term *a = ls_counter_of(p, loop, one->state->tag),
                      *b = ls_counter_of(p, loop, two->state->tag);
        if (a && b && a->width == b->width) differ = ls_or(t, differ, ls_not(t, ls_eq(t, a, b)));
    }
    return differ;
}

/* Whether the copy is still under way depends on the path: where a run shows it, it is. */
static void report_meeting(ls_query *q, const ls_event *copy, const ls_event *other, const ls_ir_base *base,
                           ls_answered answer) {
    ls_proof *p = q->view.p;
    const ls_place *pos = copy->access->instr->pos, *second = other->access->instr->pos;
    ls_verify_note *note =
        ls_unknown(p, pos, "wait for the copy first (cp.async.wait_group, cp.async.wait_all)",
                   "no proof that this copy has ended before the same thread accesses '%s' in line %u",
                   ls_base_name(p, base), second->line);
    if (answer != LS_SAT || note->candidate) return;
    ls_query_confirmed(q); /* for a small model */
    bool shared = base->space == LS_SPACE_SHARED;
    ls_finding *f =
        ls_suspect(p, shared ? LS_RULE_RACE_SHARED : LS_RULE_RACE_GLOBAL, LS_ERROR, pos,
                   "the thread accesses '%s' while this copy may still be in flight", ls_base_name(p, base));
    ls_finding_relate(f, *second, "without having waited for the copy");
    ls_query_witness(q, f, NULL);
    ls_witness_object(f, ls_base_name(p, base));
    note->candidate = f;
}

static void check_meeting(flight *f, const place *at, const ls_event *copy, const ls_event *other) {
    ls_proof *p = f->p;
    ls_terms *t = &p->terms;
    const ls_ir_base *base = ls_common_base(p, copy, other);
    bool reads = copy->access->kind == LS_ACCESS_READ && other->access->kind == LS_ACCESS_READ;
    if (!base || reads) return;
    ls_query q;
    ls_query_begin(&q,
                   (ls_view){.p = p, .same_block = true, .a = copy->node->block, .b = other->node->block});
    ls_query_add(&q, 1, copy->when, copy->address);
    ls_query_add(&q, 1, other->when, other->address);
    ls_query_claim(&q, ls_query_term(&q, 1, is_in_round(p, f->copy, at->node, at->later)));
    ls_query_claim(&q, p->launch);
    if (copy->access->instr == other->access->instr && !at->rounds)
        ls_query_claim(&q, ls_query_term(&q, 1, in_other_iteration(f, copy, other)));
    const ls_term *d =
        ls_distance(t, ls_query_term(&q, 1, copy->address), ls_query_term(&q, 1, other->address));
    ls_query_claim(&q, ls_overlap(t, d, copy->size, other->size));
    ls_answered answer = ls_query_solve(&q);
    if (answer != LS_UNSAT) report_meeting(&q, copy, other, base, answer);
    ls_query_end(&q);
}

static void meet(flight *f, const place *at, const ls_ir_instr *i) {
    ls_proof *p = f->p;
    bool is_new = i && i->access_count && !p->solver.timed_out;
    if (is_new) ls_intmap_at(&f->met, ((uint64_t)i->id * ROUNDS + at->rounds) * ROUNDS + at->later, &is_new);
    if (!is_new) return;
    bool forward = at->rounds && ls_ir_loop_contains(f->loop, i->block);
    const ls_events *copies = &copies_of(p, f->loop, forward ? 0 : at->rounds)->events;
    const ls_events *others = forward ? &ahead_of(p, f->loop, at->rounds)->events : &p->whole_events;
    for (uint32_t c = 0; c < copies->length; c++)
        for (uint32_t k = 0; k < others->length && copies->items[c].access->instr == f->copy; k++)
            if (others->items[k].access->instr == i)
                check_meeting(f, at, &copies->items[c], &others->items[k]);
}

/* Needs `whole`; what is under way in other intervals is with the races. */
void ls_check_flights(ls_proof *p) {
    if (!ls_joins_flights(p)) each_copy(p, meet, NULL);
}
