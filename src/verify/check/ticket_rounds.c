/* Loops within loops that go round equally often. Tickets are proved of a kernel in which an inner loop and
 * the one around it are one loop (src/ir/unnest.c), whose n-th iteration is the n-th of the inner loop's,
 * whichever tile it belongs to. How often two such loops, of the threads that fill a ring and of those that
 * empty it, go round is asked of the kernel as it is. There an iteration has two numbers, that of the outer
 * loop and that of the inner one, and both loops have the same iterations if for every two numbers they are
 * entered, gone on with and left on the same conditions. Then the n-th of one has the same two numbers as the
 * n-th of the other. Conditions may depend on the launch and on the two numbers only. */
#include "verify/check/ticket_rounds.h"
#include "verify/check/flights.h"
#include "verify/check/ticket_ends.h"
#include "verify/check/ticket_reach.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"

typedef struct {
    const ls_ir_loop *inner, *outer; /* of the kernel as it is */
    const ls_ir_block *entry;        /* where an iteration begins to synchronise */
} nest;

/* The loops that the site's loop stands for; false: it is a loop as any other. */
static bool find_nest(const ls_protocol *x, const ls_site *s, nest *n) {
    if (!x->nested || !s->loop) return false;
    n->entry = x->nested->f->blocks[s->loop->header->origin];
    n->inner = n->entry->loop;
    while (n->inner && ls_spins_on(n->inner)) n->inner = n->inner->parent;
    n->outer = n->inner ? n->inner->parent : NULL;
    return n->outer != NULL;
}

bool ls_was_nested(const ls_protocol *x, const ls_site *s) {
    nest n;
    return find_nest(x, s, &n);
}

const ls_ir_instr *ls_original_of(const ls_protocol *x, const ls_site *s) {
    const ls_ir_block *block = x->nested->f->blocks[s->node->block->origin];
    const ls_ir_instr *found = NULL;
    for (uint32_t i = 0; i < block->instr_count; i++) {
        if (!s->instr->ast || block->instrs[i]->ast != s->instr->ast) continue;
        if (found) return NULL;
        found = block->instrs[i];
    }
    return found;
}

/* Conditions on which a nest is gone through. */
enum { REACHED, ENTERED, OUTER_STAYS, INNER_STAYS, AT_ENTRY, CONDITIONS };

/* What one side's conditions are: those who have an iteration, or those who are to have it, too. */
typedef struct {
    nest n;
    const ls_term *all[CONDITIONS], *there; /* and on which condition an instruction is reached */
} side;

/* How often other loops of one thread went round: those before the nest, and those within it that every
 * iteration has behind it. */
typedef struct {
    ls_term_list counters, numbers; /* and what stands for them */
    const ls_term *ended;           /* these numbers are such that the loops within are over */
} left_loops;

typedef struct {
    const ls_protocol *of;     /* the kernel as it is */
    const ls_term *numbers[2]; /* of the outer loop's iteration, and of the inner one's */
    side sides[2];
    const ls_term *theirs[CONDITIONS]; /* of a thread of the first side */
    left_loops left;                   /* by it */
} rounds;

typedef struct {
    rounds *r;
    const side *of;
    left_loops *left;
    uint32_t thread;
    const ls_term *counters[2], *index[3];
    bool known;
} numbered;

static const ls_term *in_numbers(rounds *r, const side *of, left_loops *left, uint32_t thread,
                                 const ls_term *condition);

/* How often a loop that was left before went round is the thread's own affair; false: nothing can be said. */
static bool is_left(numbered *d, const ls_term *counter, const ls_ir_loop *loop, const ls_term **number) {
    const ls_protocol *of = d->r->of;
    left_loops *left = d->left;
    for (uint32_t i = 0; i < left->counters.length; i++)
        if (left->counters.items[i] == counter) return *number = left->numbers.items[i], true;
    *number = ls_symbol(&of->p->terms, "left", counter->width, LS_SCOPE_THREAD, LS_SYM_INPUT, counter->ulo,
                        counter->uhi);
    LS_VEC_PUSH(&left->counters, counter);
    LS_VEC_PUSH(&left->numbers, *number);
    if (!ls_ir_loop_contains(d->of->n.outer, loop->header)) return true;
    const ls_term *stays = ls_stays_in(of, loop);
    stays = stays ? in_numbers(d->r, d->of, left, d->thread, stays) : NULL;
    if (stays) left->ended = ls_and(&of->p->terms, left->ended, ls_not(&of->p->terms, stays));
    return stays != NULL;
}

static const ls_term *as_numbered(ls_subst *subst, const ls_term *symbol) {
    numbered *d = subst->data;
    const ls_proof *p = d->r->of->p;
    for (int i = 0; i < 2; i++)
        if (symbol == d->counters[i]) return ls_resize(subst->ctx, d->r->numbers[i], symbol->width, false);
    for (int i = 0; i < 3; i++)
        if (symbol == p->tid[i]) return d->index[i];
    if (ls_is_wait_over(subst->ctx, symbol)) return ls_true(subst->ctx); /* all waits end */
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    const ls_ir_loop *loop = sym->kind == LS_SYM_COUNT ? sym->key : NULL;
    const ls_term *number = symbol;
    if (loop && !ls_ir_loop_contains(loop, d->of->n.entry))
        d->known &= is_left(d, symbol, loop, &number);
    else
        d->known &= sym->kind == LS_SYM_INPUT && sym->scope != LS_SCOPE_THREAD;
    return number;
}

/* The condition, for one thread and two numbers; NULL: it depends on something else. */
static const ls_term *in_numbers(rounds *r, const side *of, left_loops *left, uint32_t thread,
                                 const ls_term *condition) {
    ls_proof *p = r->of->p;
    numbered d = {.r = r, .of = of, .left = left, .thread = thread, .known = true};
    d.counters[0] = ls_counter_of(p, of->n.outer, p->whole->tag);
    d.counters[1] = ls_counter_of(p, of->n.inner, p->whole->tag);
    ls_index_of(r->of, thread, d.index);
    ls_subst subst = {.ctx = &p->terms, .replace = as_numbered, .data = &d};
    const ls_term *result = ls_substitute(&subst, condition);
    ls_subst_free(&subst);
    return d.known ? result : NULL;
}

static left_loops nothing_left(const rounds *r) {
    return (left_loops){.ended = ls_true(&r->of->p->terms)};
}

static void forget_left(left_loops *left) {
    LS_VEC_FREE(&left->counters);
    LS_VEC_FREE(&left->numbers);
}

static const ls_term *reach_of(const ls_proof *p, const ls_ir_block *block) {
    return p->whole->reach[p->first_node[block->id]];
}

/* False: they are not known. */
static bool find_conditions(const ls_protocol *of, side *a) {
    a->all[REACHED] = reach_of(of->p, a->n.outer->header);
    a->all[ENTERED] = reach_of(of->p, a->n.inner->header);
    a->all[OUTER_STAYS] = ls_stays_in(of, a->n.outer);
    a->all[INNER_STAYS] = ls_stays_in(of, a->n.inner);
    a->all[AT_ENTRY] = reach_of(of->p, a->n.entry);
    for (int i = 0; i < CONDITIONS; i++)
        if (!a->all[i]) return false;
    return true;
}

/* The one way out of the loop is decided on before the block, in every iteration; else behind it. */
static bool is_decided_before(const ls_ir_loop *loop, const ls_ir_block *block) {
    return loop->exits[0].from != block && ls_ir_dominates(loop->exits[0].from, block);
}

/* One way out of each loop, at its own level, at the same place of both nests. */
static bool have_same_shape(const nest *a, const nest *b) {
    const nest *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const ls_ir_loop *inner = both[i]->inner, *outer = both[i]->outer;
        const bool single = inner->exit_count == 1 && outer->exit_count == 1 && !outer->parent;
        if (!single || inner->exits[0].from->loop != inner || outer->exits[0].from->loop != outer)
            return false;
    }
    return is_decided_before(a->inner, a->entry) == is_decided_before(b->inner, b->entry) &&
           is_decided_before(a->outer, a->inner->header) == is_decided_before(b->outer, b->inner->header);
}

/* Where both threads have come to their nests, and are past the loops before. */
static bool follows(const rounds *r, const ls_term *reached, const left_loops *left, const ls_term *a,
                    const ls_term *b) {
    ls_terms *t = &r->of->p->terms;
    const ls_term *all[] = {r->theirs[REACHED], reached, r->left.ended, left->ended, a, ls_not(t, b)};
    return ls_never(r->of, all, sizeof all / sizeof *all);
}

/* One thread's iterations are those of the other side, and in each of them it comes to the instruction. */
static bool goes_alike(rounds *r, const side *of, uint32_t thread) {
    left_loops left = nothing_left(r);
    const ls_term *reached = in_numbers(r, of, &left, thread, of->all[REACHED]);
    bool alike = reached && ls_comes_to(r->of, of->n.outer->header, thread, ls_true(&r->of->p->terms));
    for (int i = ENTERED; i < CONDITIONS && alike; i++) {
        const ls_term *own = in_numbers(r, of, &left, thread, of->all[i]), *other = r->theirs[i];
        alike = own && (own == other ||
                        (follows(r, reached, &left, own, other) && follows(r, reached, &left, other, own)));
    }
    const ls_term *there = alike ? in_numbers(r, of, &left, thread, of->there) : NULL;
    alike = there && follows(r, reached, &left, r->theirs[AT_ENTRY], there);
    forget_left(&left);
    return alike;
}

static bool find_theirs(rounds *r, uint32_t thread) {
    bool known = true;
    r->left = nothing_left(r);
    for (int i = 0; i < 2; i++) r->numbers[i] = ls_fresh(r->of->p->whole, "round", 64, LS_SYM_INPUT);
    for (int i = 0; i < CONDITIONS && known; i++)
        known = (r->theirs[i] = in_numbers(r, &r->sides[0], &r->left, thread, r->sides[0].all[i])) != NULL;
    return known;
}

static bool go_alike(const ls_protocol *x, rounds *r, const ls_site *s, const ls_site *w, uint32_t first,
                     uint32_t last) {
    ls_proof *p = r->of->p;
    side *mine = &r->sides[0], *other = &r->sides[1];
    const ls_ir_instr *to = ls_original_of(x, w);
    if (!to || !have_same_shape(&mine->n, &other->n) || !find_conditions(r->of, mine) ||
        !find_conditions(r->of, other) || !find_theirs(r, ls_first_thread(s)))
        return false;
    mine->there = ls_true(&p->terms);
    other->there = ls_and(&p->terms, reach_of(p, to->block), ls_guard_of(p->whole, to));
    bool alike = true;
    for (uint32_t n = 0; n < LS_MOST_THREADS && alike; n++) {
        if (ls_is_named(s, n)) alike = goes_alike(r, mine, n);
        if (alike && n >= first && n <= last && ls_is_named(w, n)) alike = goes_alike(r, other, n);
    }
    return alike;
}

bool ls_go_round_alike(const ls_protocol *x, const ls_site *s, const ls_site *w, uint32_t first,
                       uint32_t last) {
    const ls_protocol of = {.p = x->nested, .threads = x->threads};
    rounds r = {.of = &of};
    if (!find_nest(x, s, &r.sides[0].n) || !find_nest(x, w, &r.sides[1].n)) return false;
    const bool alike = go_alike(x, &r, s, w, first, last);
    forget_left(&r.left);
    return alike;
}

/* --- First tests --- */

typedef struct {
    const ls_term *counter;
    bool known;
} entering;

static const ls_term *as_entering(ls_subst *subst, const ls_term *symbol) {
    entering *e = subst->data;
    if (symbol == e->counter) return ls_const(subst->ctx, symbol->width, 0);
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    e->known &= sym->kind == LS_SYM_INPUT && sym->scope == LS_SCOPE_GRID;
    return symbol;
}

/* The condition on which the loop has a first iteration whenever it is entered; NULL: it depends on more than
 * the launch. */
static const ls_term *has_first(ls_proof *p, const ls_ir_block *header) {
    ls_terms *t = &p->terms;
    const ls_ir_loop *loop = header->loop;
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(header, &negated);
    if (!loop || loop->header != header || !predicate || header->succ_count != 2) return NULL;
    entering e = {.counter = ls_counter_of(p, loop, p->whole->tag), .known = true};
    ls_subst subst = {.ctx = t, .replace = as_entering, .data = &e};
    const ls_term *c = ls_substitute(&subst, ls_value_of(p->whole, predicate));
    ls_subst_free(&subst);
    if (!e.known || c->width != 1) return NULL;
    const bool first = ls_ir_loop_contains(loop, header->succs[0]);
    return first == negated ? ls_not(t, c) : c;
}

bool ls_enter_alike(ls_proof *p, const ls_ir_function *single, bool *always) {
    ls_terms *t = &p->terms;
    const ls_protocol of = {.p = p};
    const ls_term *all = NULL;
    for (uint32_t i = 0; i < single->tested_count; i++) {
        const ls_term *one = has_first(p, p->f->blocks[single->tested[i]]);
        if (!all) all = one;
        if (!one) return false;
        if (one != all && (!ls_never(&of, (const ls_term *[]){one, ls_not(t, all)}, 2) ||
                           !ls_never(&of, (const ls_term *[]){all, ls_not(t, one)}, 2)))
            return false;
    }
    *always = !all || ls_never(&of, (const ls_term *[]){ls_not(t, all)}, 1);
    return true;
}
