/* Barriers of only some of the block's threads (bar.sync ID, COUNT with fewer than all): a barrier of those
 * threads alone, where it is known which they are. The conditions on the way to it that mention the thread's
 * index alone say so for a block of known size, thread by thread; they must be COUNT threads in whole warps,
 * as PTX has it, agree on everything else that decides whether they get there, and share the barrier's number
 * with no others. Parts are the same at all such barriers or have no thread in common. Pairs of threads of
 * one part have intervals of their own then, as lanes of a warp have (warps.c); between others these barriers
 * order nothing. */
#include "verify/check/groups.h"
#include "verify/check/barriers.h"
#include "verify/check/ticket_named.h"
#include "verify/check/warps.h"
#include "verify/check/ways.h"
#include "verify/execute/lower.h"
#include "verify/execute/uniform.h"
#include "verify/proof.h"
#include "verify/query/query.h"

enum { WARP = 32, MOST_THREADS = 1024 };

typedef struct {
    uint64_t number; /* of the barrier */
    bool in[MOST_THREADS];
} part;

typedef LS_VEC(part *) parts;

static uint32_t threads_of(const ls_proof *p) {
    const uint32_t *b = p->options->block;
    uint64_t threads = b[0] ? (uint64_t)b[0] * b[1] * b[2] : 0;
    return threads <= MOST_THREADS ? (uint32_t)threads : 0;
}

bool ls_is_partial(const ls_proof *p, const ls_ir_instr *i) {
    bool waits = i->form->opcode->barrier == LS_BARRIER_BLOCK;
    uint64_t count;
    return waits && !ls_is_handed(p, i) && i->guard.kind == LS_IR_ABSENT && i->src_count == 2 &&
           ls_constant_operand(&i->src[1], &count) && threads_of(p) && count < threads_of(p);
}

/* It ends with such a barrier, and threads may come there. */
static bool is_here(const ls_proof *p, const ls_node *n) {
    return n->warp && p->whole->reach[n->id] && ls_is_partial(p, n->barrier);
}

/* --- Which threads ---------------------------------------------------------------------------------------
 */

static bool is_of_thread(const ls_proof *p, const ls_term *term) {
    ls_term_list leaves = {0};
    ls_leaves(&term, 1, &leaves);
    bool known = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        known &= leaf == p->tid[0] || leaf == p->tid[1] || leaf == p->tid[2];
    }
    LS_VEC_FREE(&leaves);
    return known;
}

typedef struct {
    const ls_proof *p;
    uint32_t thread;
} reading;

static uint64_t index_of(void *data, const ls_term *leaf) {
    const reading *r = data;
    const uint32_t *b = r->p->options->block;
    if (leaf == r->p->tid[0]) return r->thread % b[0];
    return leaf == r->p->tid[1] ? r->thread / b[0] % b[1] : r->thread / b[0] / b[1];
}

static uint64_t value_for(const ls_proof *p, const ls_term *term, uint32_t thread) {
    reading r = {p, thread};
    ls_eval eval = {.lookup = index_of, .data = &r};
    uint64_t v = ls_evaluate(&eval, term);
    ls_intmap_free(&eval.memo);
    return v;
}

/* What the thread's index alone says about a condition: it may hold, it holds in any case. */
typedef struct {
    bool may, must;
} truth;

typedef struct {
    const ls_proof *p;
    uint32_t thread;
    ls_intmap seen; /* by term: its truth, as two bits */
} judging;

enum { MOST_DEPTH = 256 };

static truth judge(judging *j, const ls_term *when, uint32_t depth);

/* An and, or, or not of conditions. */
static truth judge_parts(judging *j, const ls_term *when, uint32_t depth) {
    const truth a = judge(j, when->args[0], depth);
    if (when->op == LS_T_NOT) return (truth){!a.must, !a.may};
    const bool all = when->op == LS_T_AND;
    if (all ? !a.may : a.must) return a;
    const truth b = judge(j, when->args[1], depth);
    return all ? (truth){a.may && b.may, a.must && b.must} : (truth){a.may || b.may, a.must || b.must};
}

static truth judge(judging *j, const ls_term *when, uint32_t depth) {
    const bool joins = when->op == LS_T_AND || when->op == LS_T_OR || when->op == LS_T_NOT;
    uint64_t known;
    if (when->width != 1 || depth > MOST_DEPTH) return (truth){true, false};
    if (ls_intmap_get(&j->seen, (uintptr_t)when, &known)) return (truth){known & 1, known >> 1 & 1};
    truth found = {true, false};
    if (joins)
        found = judge_parts(j, when, depth + 1);
    else if (is_of_thread(j->p, when))
        found.may = found.must = value_for(j->p, when, j->thread);
    *ls_intmap_at(&j->seen, (uintptr_t)when, NULL) = (uint64_t)found.may | (uint64_t)found.must << 1;
    return found;
}

/* The thread may come there: its index does not say otherwise. */
static bool may_come(const ls_proof *p, const ls_term *when, uint32_t thread) {
    judging j = {p, thread, {0}};
    const bool may = judge(&j, when, 0).may;
    ls_intmap_free(&j.seen);
    return may;
}

static part *part_of(ls_proof *p, parts *here, uint64_t number) {
    for (uint32_t i = 0; i < here->length; i++)
        if (here->items[i]->number == number) return here->items[i];
    part *made = LS_NEW(&p->arena, part);
    made->number = number;
    LS_VEC_PUSH(here, made);
    return made;
}

/* The parts that meet at a barrier, by its number. */
static bool find_parts(ls_proof *p, const ls_node *n, parts *here) {
    const ls_ir_instr *i = n->barrier;
    uint64_t number = 0;
    bool fixed = ls_constant_operand(&i->src[0], &number);
    const ls_term *id = fixed ? NULL : ls_operand_of(p->whole, &i->src[0]);
    if (id && !is_of_thread(p, id)) return false;
    for (uint32_t t = 0; t < threads_of(p); t++) {
        if (!may_come(p, p->whole->reach[n->id], t)) continue;
        if (id) number = value_for(p, id, t);
        if (number >= LS_MOST_NUMBERS) return false;
        part_of(p, here, number)->in[t] = true;
    }
    return true;
}

static bool is_whole(const ls_proof *p, const part *s, uint64_t count) {
    uint32_t members = 0, threads = threads_of(p);
    for (uint32_t t = 0; t < threads; t++) {
        members += s->in[t];
        if (s->in[t] != s->in[t / WARP * WARP]) return false;
    }
    return members == count && threads % WARP == 0;
}

/* The same threads with the same number, or other threads with another. */
static bool fit_together(const ls_proof *p, const part *a, const part *b) {
    bool same = true, common = false;
    for (uint32_t t = 0; t < threads_of(p); t++) {
        same &= a->in[t] == b->in[t];
        common |= a->in[t] && b->in[t];
    }
    return same || (!common && a->number != b->number);
}

/* Barriers of all threads have other numbers. */
static bool is_free(const ls_proof *p, uint64_t number) {
    for (uint32_t n = 0; n < p->node_count; n++) {
        const ls_node *node = p->nodes[n];
        uint64_t taken;
        if (!node->barrier || node->warp || node->barrier->call) continue;
        bool known = node->barrier->src_count && ls_constant_operand(&node->barrier->src[0], &taken);
        if (!known || taken == number) return false;
    }
    return true;
}

/* --- The condition that two threads are in one part ------------------------------------------------------
 */

/* The thread is in the part, as ranges of warps. */
static const ls_term *is_member(ls_proof *p, const part *s) {
    ls_terms *t = &p->terms;
    const ls_term *yz = ls_add(t, p->tid[1], ls_mul(t, p->ntid[1], p->tid[2]));
    const ls_term *thread = ls_add(t, p->tid[0], ls_mul(t, p->ntid[0], yz)), *member = ls_false(t);
    for (uint32_t from = 0, to; from < threads_of(p); from = to) {
        to = from + 1;
        while (to < threads_of(p) && s->in[to] == s->in[from]) to++;
        const ls_term *below = ls_ult(t, thread, ls_const(t, 32, to));
        const ls_term *here = ls_and(t, below, ls_not(t, ls_ult(t, thread, ls_const(t, 32, from))));
        if (s->in[from]) member = ls_or(t, member, here);
    }
    return member;
}

const ls_term *ls_same_part(ls_query *q) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_term *same = ls_false(t);
    const ls_term_list *members = &ls_warp_sync_of(p)->members;
    for (uint32_t i = 0; i < members->length; i++) {
        const ls_term *member = members->items[i];
        same = ls_or(t, same, ls_and(t, ls_query_term(q, 1, member), ls_query_term(q, 2, member)));
    }
    return same;
}

/* --- All of them -----------------------------------------------------------------------------------------
 */

/* Threads of one part agree on every branch on which the barrier depends: none may have left. */
static bool members_agree(ls_proof *p, const ls_ir_block *block) {
    bool *closure = LS_NEW_N(&p->arena, bool, p->f->block_count + 1), agree = true;
    ls_control_closure(p, block, closure);
    for (uint32_t b = 0; b < p->f->block_count && agree; b++) {
        if (!closure[b] || !p->divergent_branch[b]) continue;
        ls_query q;
        agree = ls_ask_agreement(p, p->f->blocks[b], LS_WARPS_ONE, &q) == LS_UNSAT;
        ls_query_end(&q);
    }
    return agree;
}

static bool add_parts(ls_proof *p, const ls_node *n, parts *all) {
    parts here = {0};
    uint64_t count = 0;
    ls_constant_operand(&n->barrier->src[1], &count);
    bool good = find_parts(p, n, &here);
    for (uint32_t i = 0; i < here.length && good; i++) {
        good = is_whole(p, here.items[i], count) && is_free(p, here.items[i]->number);
        for (uint32_t k = 0; k < all->length && good; k++)
            good = fit_together(p, here.items[i], all->items[k]);
        LS_VEC_PUSH(all, here.items[i]);
    }
    LS_VEC_FREE(&here);
    return good;
}

static bool are_modelled(ls_proof *p) {
    parts all = {0};
    bool good = !p->racy_barriers;
    for (uint32_t n = 0; n < p->node_count && good; n++) {
        const ls_node *node = p->nodes[n];
        if (is_here(p, node)) good = add_parts(p, node, &all);
    }
    ls_term_list *members = &ls_warp_sync_of(p)->members;
    for (uint32_t i = 0; i < all.length && good; i++) LS_VEC_PUSH(members, is_member(p, all.items[i]));
    LS_VEC_FREE(&all);
    for (uint32_t n = 0; n < p->node_count && good; n++)
        if (is_here(p, p->nodes[n])) good = members_agree(p, p->nodes[n]->block);
    return good;
}

uint32_t ls_parts_at(ls_proof *p, const ls_node *n, const bool *in[LS_MOST_NUMBERS]) {
    parts here = {0};
    uint32_t count = 0;
    if (find_parts(p, n, &here))
        for (; count < here.length; count++) in[count] = here.items[count]->in;
    LS_VEC_FREE(&here);
    return count;
}

bool ls_check_parts(ls_proof *p) {
    const ls_node *first = NULL;
    for (uint32_t n = 0; n < p->node_count && !first; n++)
        if (is_here(p, p->nodes[n])) first = p->nodes[n];
    if (!first || are_modelled(p)) return first != NULL;
    ls_warp_sync_of(p)->members.length = 0;
    p->unmodelled_sync |= LS_SYNC_ANYWHERE;
    ls_unknown(p, first->barrier->pos, NULL,
               "no proof that this barrier, which only some threads of the block use, is always reached by "
               "the same threads (%s)",
               first->barrier->form->text);
    return false;
}
