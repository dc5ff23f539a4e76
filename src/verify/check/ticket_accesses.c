/* That accesses are ordered by tickets: of every two accesses to the same bytes, one is over before the other
 * begins, with a proxy fence on the way where one is needed (tickets.c has the idea). */
#include "verify/check/ticket_accesses.h"
#include "verify/check/flights.h"
#include "verify/check/races.h"
#include "verify/check/ticket_ends.h"
#include "verify/check/ticket_order.h"
#include "verify/check/ticket_rounds.h"
#include "verify/check/ticket_threads.h"
#include "verify/check/tile_numbers.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/query/query.h"

/* --- Accesses --------------------------------------------------------------------------------------------
 */

/* Tickets that are not over before the site's access is. */
static bool covers_of(ls_protocol *x, const ls_site *s, bool fenced, ls_ticket_set *covers) {
    if (s->kind == LS_SITE_ACCESS) {
        ls_covered_by(x, s, fenced, covers);
        return true;
    }
    if (s->kind == LS_SITE_FLIGHT) {
        ls_joined_by(x, s, covers);
        return true;
    }
    covers->count = 1;
    covers->items[0] = s->ticket;
    if (s->kind == LS_SITE_COPY_IN) return true;
    const ls_site *commit = ls_commit_of(x, s);
    if (!commit) return ls_not_known(x, s->instr, "no proof that this is committed to a group");
    covers->items[0] = commit->ticket;
    if (s->global || s->kind == LS_SITE_PRODUCT) return true;
    covers->items[1] = commit->ticket;
    covers->items[1].object = x->read[s->unit];
    covers->count = 2;
    return true;
}

typedef struct {
    ls_protocol *x;
    ls_query *q;
    const ls_site *sites[2];
    const ls_term *counters[2]; /* instantiated */
} meeting;

static const ls_term *any_over(const meeting *m, uint32_t first, const ls_ticket_set *covers,
                               const ls_ticket_set *known) {
    ls_terms *t = &m->x->p->terms;
    const ls_term *over = ls_false(t);
    for (uint32_t c = 0; c < covers->count; c++)
        for (uint32_t k = 0; k < known->count; k++)
            over = ls_or(t, over,
                         ls_ticket_over(m->x, m->sites[first], covers->items[c], m->counters[first],
                                        known->items[k], m->counters[1 - first]));
    return over;
}

static bool share_inner_loop(const ls_site *a, const ls_site *b) {
    const ls_ir_loop *loop = a->node->block->loop;
    while (loop && loop != a->loop && !ls_ir_loop_contains(loop, b->node->block)) loop = loop->parent;
    return loop && loop != a->loop;
}

/* One thread does the first before the second. */
static const ls_term *in_program_order(const meeting *m, uint32_t first) {
    ls_terms *t = &m->x->p->terms;
    const ls_site *a = m->sites[first], *b = m->sites[1 - first];
    const ls_term *same = ls_true(t);
    for (int i = 0; i < 3; i++)
        same = ls_and(
            t, same,
            ls_eq(t, ls_query_term(m->q, 1, m->x->p->tid[i]), ls_query_term(m->q, 2, m->x->p->tid[i])));
    bool ahead = a->position < b->position;
    if (share_inner_loop(a, b)) return ls_false(t); /* of which the iterations are not counted */
    if (!a->loop || a->loop != b->loop) return ahead ? same : ls_false(t);
    const ls_term *i = m->counters[first], *j = m->counters[1 - first];
    return ls_and(t, same, ahead ? ls_not(t, ls_ult(t, j, i)) : ls_ult(t, i, j));
}

/* A fence that the threads of a site have always reached before: what was known there. */
static void known_at_fence(const ls_protocol *x, const ls_site *s, ls_ticket_set *known) {
    known->count = 0;
    const ls_site *last = NULL;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *f = &x->sites.items[i];
        if (f->kind == LS_SITE_FENCE && f->loop == s->loop && ls_always_before(x, f, s)) last = f;
    }
    if (last) ls_known_at(x, last, known);
}

/* Where a fence of the thread lies between the two, in the same iteration or around it. */
static bool has_fence_between(const ls_protocol *x, const ls_site *a, const ls_site *b) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *f = &x->sites.items[i];
        if (f->kind != LS_SITE_FENCE || f->loop != a->loop) continue;
        bool between = a->position < b->position ? f->position > a->position && f->position < b->position
                                                 : f->position > a->position;
        ls_terms *t = &x->p->terms;
        if (between && ls_never(x, (const ls_term *[]){a->when, ls_not(t, f->when)}, 2)) return true;
    }
    return false;
}

/* The first is over before the second begins. */
static const ls_term *is_before(const meeting *m, uint32_t first) {
    ls_terms *t = &m->x->p->terms;
    const ls_site *a = m->sites[first], *b = m->sites[1 - first];
    bool crosses = a->kind == LS_SITE_ACCESS && ls_is_bulk(b); /* to the other proxy */
    ls_ticket_set covers, known;
    if (a->kind == LS_SITE_FLIGHT && ls_is_bulk(b))
        return ls_false(t); /* fences between them are not modelled */
    if (!covers_of(m->x, a, crosses, &covers)) return ls_false(t);
    ls_known_at(m->x, b, &known);
    const ls_term *before = any_over(m, first, &covers, &known);
    if (a->kind == LS_SITE_ACCESS && (!crosses || has_fence_between(m->x, a, b)))
        before = ls_or(t, before, in_program_order(m, first));
    if (!crosses) return before;
    ls_covered_by(m->x, a, false, &covers);
    known_at_fence(m->x, b, &known);
    return ls_or(t, before, any_over(m, first, &covers, &known));
}

static void add_thread(ls_query *q) {
    ls_proof *p = q->view.p;
    for (uint32_t thread = 1; thread < 3; thread++)
        for (int i = 0; i < 3; i++) {
            ls_query_add(q, thread, ls_true(&p->terms), p->tid[i]);
            ls_query_add(q, thread, ls_true(&p->terms), p->ctaid[i]);
        }
    ls_query_claim(q, p->launch);
}

/* Not one and the same execution of one copy. */
static const ls_term *is_other(const meeting *m) {
    ls_terms *t = &m->x->p->terms;
    const ls_term *same = ls_true(t);
    for (int i = 0; i < 3; i++)
        same = ls_and(
            t, same,
            ls_eq(t, ls_query_term(m->q, 1, m->x->p->tid[i]), ls_query_term(m->q, 2, m->x->p->tid[i])));
    for (const ls_ir_loop *loop = m->sites[0]->node->block->loop; loop; loop = loop->parent) {
        const ls_term *k = ls_counter_of(m->x->p, loop, m->x->p->whole->tag);
        if (k) same = ls_and(t, same, ls_eq(t, ls_query_term(m->q, 1, k), ls_query_term(m->q, 2, k)));
    }
    return ls_not(t, same);
}

bool ls_are_ordered(ls_protocol *x, const ls_site *a, const ls_site *b) {
    ls_proof *p = x->p;
    ls_terms *t = &p->terms;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = a->node->block, .b = b->node->block});
    ls_query_add(&q, 1, a->when, a->address);
    ls_query_add(&q, 2, b->when, b->address);
    bool plain = !ls_is_copy(a) && !ls_is_copy(b);
    if (plain)
        ls_query_distinct(&q);
    else
        add_thread(&q);
    meeting m = {x, &q, {a, b}, {NULL, NULL}};
    for (uint32_t i = 0; i < 2; i++) {
        const ls_term *k = ls_site_counter(x, m.sites[i]);
        m.counters[i] = k ? ls_query_term(&q, i + 1, k) : NULL;
        if (k) ls_query_add(&q, i + 1, ls_ult(t, k, ls_const(t, 64, UINT64_C(1) << 31)), NULL);
    }
    if (a == b && !plain) ls_query_claim(&q, is_other(&m));
    const ls_term *d = ls_distance(t, ls_query_term(&q, 1, a->address), ls_query_term(&q, 2, b->address));
    ls_query_claim(&q, ls_overlap(t, d, a->size, b->size));
    ls_query_claim(&q, ls_not(t, is_before(&m, 0)));
    ls_query_claim(&q, ls_not(t, is_before(&m, 1)));
    bool ordered = ls_query_solve(&q) == LS_UNSAT;
    ls_query_end(&q);
    return ordered;
}

/* Part by part, as threads that arrive at different places are known of by different tickets. */
static bool are_ordered_in_parts(ls_protocol *x, const ls_site *a, const ls_site *b) {
    ls_site_parts of_a, of_b;
    ls_divide(x, a, &of_a);
    ls_divide(x, b, &of_b);
    bool ordered = of_a.count * of_b.count > 1;
    for (uint32_t i = 0; i < of_a.count && ordered; i++)
        for (uint32_t k = 0; k < (a == b ? i + 1 : of_b.count) && ordered; k++)
            ordered = ls_are_ordered(x, &of_a.parts[i], a == b ? &of_a.parts[k] : &of_b.parts[k]);
    return ordered;
}

/* A barrier of the block that everybody passes between the two. */
static bool has_barrier_between(const ls_protocol *x, const ls_site *w, const ls_site *b) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *m = &x->sites.items[i];
        if (m->kind == LS_SITE_BARRIER && !m->loop && m->position > w->position &&
            m->position < b->position && ls_ir_dominates(m->node->block, b->node->block))
            return true;
    }
    return false;
}

/* The second is behind a loop in which a copy's phase was waited for, whichever iteration that was in: by its
 * one thread, or by one that it met behind the loop. */
static bool is_over_behind_loop(const ls_protocol *x, const ls_site *a, const ls_site *b) {
    for (uint32_t i = 0; i < x->sites.length && a->kind == LS_SITE_COPY_IN; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind != LS_SITE_WAIT || !w->loop || w->loop == b->loop || w->position > b->position) continue;
        const uint32_t thread = b->thread_count == 1 ? ls_first_thread(b) : ls_first_thread(w);
        const bool own = b->thread_count == 1 && ls_is_there(w, thread);
        if (!own && !has_barrier_between(x, w, b)) continue;
        if (ls_is_awaited_by(x, a, w, own ? thread : ls_first_thread(w))) return true;
    }
    return false;
}

bool ls_check_accesses(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const ls_site *a = &x->sites.items[i], *b = &x->sites.items[k];
            if ((a->kind != LS_SITE_ACCESS && !ls_is_copy(a)) ||
                (b->kind != LS_SITE_ACCESS && !ls_is_copy(b)))
                continue;
            if ((!a->writes && !b->writes) || !ls_same_object(x->p, a->base, b->base)) continue;
            if (ls_are_ordered(x, a, b) || are_ordered_in_parts(x, a, b)) continue;
            if (is_over_behind_loop(x, a, b) || is_over_behind_loop(x, b, a)) continue;
            return ls_not_known(x, a->instr,
                                ls_arena_printf(&x->p->arena,
                                                "no proof that this is ordered with the access at line %u",
                                                b->instr->pos->line));
        }
    return true;
}

/* --- Global memory ---------------------------------------------------------------------------------------
 */

/* The parts of a sum that are multiples of 2^shift, and the rest. */
static void split_sum(ls_terms *t, const ls_term *sum, uint32_t shift, const ls_term *parts[2]) {
    const uint64_t low = (UINT64_C(1) << shift) - 1;
    parts[0] = ls_const(t, sum->width, sum->value & ~low);
    parts[1] = ls_const(t, sum->width, sum->value & low);
    for (uint32_t i = 0; i < sum->count; i++) {
        const ls_term **part = &parts[(sum->coefs[i] & low) != 0];
        *part = ls_add(t, *part, ls_scale(t, sum->args[i], sum->coefs[i]));
    }
}

/* A sum of even numbers, and the half of it. */
static bool is_even(const ls_term *sum) {
    bool even = sum->op == LS_T_LIN && !(sum->value & 1);
    for (uint32_t i = 0; i < sum->count && even; i++) even = !(sum->coefs[i] & 1);
    return even;
}

static const ls_term *half_of(ls_terms *t, const ls_term *sum) {
    const ls_term *half = ls_const(t, sum->width, (uint64_t)(ls_signed(sum->value, sum->width) / 2));
    for (uint32_t i = 0; i < sum->count; i++)
        half =
            ls_add(t, half, ls_scale(t, sum->args[i], (uint64_t)(ls_signed(sum->coefs[i], sum->width) / 2)));
    return half;
}

/* Two coordinates are equal: where each is a tile's number times a power of two and a place within the tile,
 * both of them are, which is easier to see than that of their sum. */
static const ls_term *same_coordinate(ls_terms *t, const ls_term *a, const ls_term *b, bool exact) {
    if (!exact) /* multiples of a number that do not overflow */
        while (is_even(a) && is_even(b)) a = half_of(t, a), b = half_of(t, b);
    for (uint32_t i = 0; i < a->count && a->op == LS_T_LIN && b->op == LS_T_LIN && a->width == b->width;
         i++) {
        const uint32_t shift = (uint32_t)__builtin_ctzll(a->coefs[i]);
        const ls_term *one[2], *other[2];
        split_sum(t, a, shift, one);
        split_sum(t, b, shift, other);
        const bool is_whole = ls_is_const(one[1]) && ls_is_const(other[1]);
        if (!is_whole && one[1]->uhi >> shift == 0 && other[1]->uhi >> shift == 0)
            return ls_and(t, ls_eq(t, one[0], other[0]), ls_eq(t, one[1], other[1]));
    }
    return ls_eq(t, a, b);
}

static const ls_term *same_symbol(ls_subst *subst, const ls_term *symbol) {
    (void)subst;
    return symbol;
}

/* What must hold where the condition does. */
static void split_condition(const ls_term *when, ls_term_list *parts) {
    LS_VEC_PUSH(parts, when);
    for (uint32_t i = 0; i < parts->length; i++) {
        const ls_term *part = parts->items[i];
        for (uint32_t k = 0; k < part->count && part->op == LS_T_AND; k++) LS_VEC_PUSH(parts, part->args[k]);
    }
}

/* The term where the condition holds: choices that its parts decide are made. */
static const ls_term *under(ls_terms *t, const ls_term *when, const ls_term *term) {
    ls_term_list parts = {0};
    ls_subst subst = {.ctx = t, .replace = same_symbol};
    split_condition(when, &parts);
    for (uint32_t i = 0; i < parts.length; i++) {
        const bool negated = parts.items[i]->op == LS_T_NOT;
        const ls_term *known = negated ? parts.items[i]->args[0] : parts.items[i];
        if ((negated || known->op != LS_T_AND) && !ls_is_const(known))
            *ls_intmap_at(&subst.memo, known->id, NULL) =
                (uint64_t)(uintptr_t)(negated ? ls_false(t) : ls_true(t));
    }
    const ls_term *there = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    LS_VEC_FREE(&parts);
    return there;
}

static bool mentions(const ls_term *term, const ls_term *part) {
    ls_term_walk walk = {0};
    bool found = false;
    ls_walk_add(&walk, &term, 1);
    for (const ls_term *a = ls_walk_down(&walk); a && !found; a = ls_walk_down(&walk)) found = a == part;
    ls_walk_free(&walk);
    return found;
}

/* It compares the thread's index. */
static bool is_of_index(const ls_proof *p, const ls_term *part) {
    const ls_term *compared = part->op == LS_T_NOT ? part->args[0] : part;
    const bool compares = compared->op == LS_T_EQ || compared->op == LS_T_ULT || compared->op == LS_T_SLT;
    bool found = false;
    for (int i = 0; i < 3 && compares; i++)
        found |= compared->args[0] == p->tid[i] || compared->args[1] == p->tid[i];
    return found;
}

/* What the condition says of a number, as `!(a && b)` where a holds, and of the thread. */
static void add_what_is_said(const meeting *m, uint32_t thread, const ls_term *number) {
    ls_terms *t = &m->x->p->terms;
    const ls_term *when = m->sites[thread - 1]->when;
    ls_term_list parts = {0};
    split_condition(when, &parts);
    for (uint32_t i = 0; i < parts.length; i++) {
        const ls_term *part = parts.items[i], *both = part->op == LS_T_NOT ? part->args[0] : part;
        if (part->op == LS_T_AND || (!mentions(part, number) && !is_of_index(m->x->p, part))) continue;
        if (part != both && both->op == LS_T_AND)
            part = ls_not(t, ls_and(t, under(t, when, both->args[0]), under(t, when, both->args[1])));
        ls_query_claim(m->q, ls_query_term(m->q, thread, part));
    }
    LS_VEC_FREE(&parts);
}

/* What a copy by tensor map writes is named by its coordinates. */
static const ls_term *same_place(const meeting *m) {
    ls_terms *t = &m->x->p->terms;
    const ls_ir_instr *a = m->sites[0]->instr, *b = m->sites[1]->instr;
    const ls_term *same = ls_true(t);
    for (uint32_t i = 0; i < a->src_count; i++)
        for (uint32_t k = 0; k < b->src_count; k++) {
            const ls_ir_operand *one = &a->src[i], *other = &b->src[k];
            if (one->operand || other->operand || !one->part || one->part != other->part) continue;
            const ls_term *mine = under(t, m->sites[0]->when, ls_operand_of(m->x->p->whole, one)),
                          *theirs = under(t, m->sites[1]->when, ls_operand_of(m->x->p->whole, other));
            ls_query_add(m->q, 1, ls_true(t), mine);
            ls_query_add(m->q, 2, ls_true(t), theirs);
            same = ls_and(t, same,
                          same_coordinate(t, ls_query_term(m->q, 1, mine), ls_query_term(m->q, 2, theirs),
                                          m->x->p->options->exact_overflow));
        }
    return same;
}

/* Loops go round so often at most that 32-bit sums in the term do not overflow. */
static void bound_rounds(const meeting *m, uint32_t thread, const ls_term *term) {
    ls_terms *t = &m->x->p->terms;
    ls_term_list leaves = {0}, compared = {0};
    ls_term_walk walk = {0};
    ls_walk_add(&walk, &term, 1);
    for (const ls_term *a = ls_walk_down(&walk); a; a = ls_walk_down(&walk)) {
        if (a->op != LS_T_LIN || a->width != 32) continue;
        const ls_term *below = ls_ult(t, a, ls_const(t, 32, INT32_MAX));
        LS_VEC_PUSH(&compared, below);
    }
    ls_walk_free(&walk);
    ls_leaves(&term, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length && compared.length; i++) {
        const ls_term *k = leaves.items[i];
        if (k->op != LS_T_SYM || ls_sym_of(t, k)->kind != LS_SYM_COUNT) continue;
        const ls_term *few = ls_few_rounds(m->x, compared.items, compared.length, k);
        ls_query_claim(m->q, ls_query_term(m->q, thread, few));
    }
    LS_VEC_FREE(&leaves);
    LS_VEC_FREE(&compared);
}

/* Each in whatever iteration of the loops around it. */
static ls_view two_of(const ls_protocol *x, const ls_site *a, const ls_site *b, bool same_block) {
    return (ls_view){.p = x->p, .same_block = same_block, .a = a->node->block, .b = b->node->block};
}

/* Two copies of whatever threads: not one and the same. */
static void begin_two(ls_query *q, meeting *m, bool same_block) {
    const ls_site *a = m->sites[0], *b = m->sites[1];
    ls_query_begin(q, two_of(m->x, a, b, same_block));
    ls_query_add(q, 1, a->when, NULL);
    ls_query_add(q, 2, b->when, NULL);
    if (!same_block) ls_query_distinct(q);
    if (same_block) add_thread(q);
    if (same_block && a->instr == b->instr) ls_query_claim(q, is_other(m));
}

/* The number of the tile that coordinates are made of. */
static const ls_term *number_of(const ls_protocol *x, const ls_site *s) {
    const ls_term *number = NULL;
    for (uint32_t i = 0; i < s->instr->src_count && !number; i++) {
        const ls_ir_operand *o = &s->instr->src[i];
        if (!o->operand && o->part)
            number = ls_tile_number(under(&x->p->terms, s->when, ls_operand_of(x->p->whole, o)));
    }
    return number;
}

/* Different tiles have different coordinates, and different copies are of different tiles. */
static bool tiles_apart(ls_protocol *x, const ls_site *a, const ls_site *b, bool same_block) {
    ls_terms *t = &x->p->terms;
    const ls_term *number = number_of(x, a);
    bool apart = number != NULL && number == number_of(x, b);
    for (int step = 0; step < 2 && apart; step++) {
        ls_query q;
        meeting m = {x, &q, {a, b}, {NULL, NULL}};
        if (step) begin_two(&q, &m, same_block);
        if (!step) ls_query_begin(&q, two_of(x, a, b, same_block));
        for (uint32_t thread = 1; thread < 3; thread++) {
            if (step) ls_query_add(&q, thread, ls_true(t), number);
            if (step) bound_rounds(&m, thread, number);
            if (!step) add_what_is_said(&m, thread, number);
        }
        const ls_term *tiles[] = {ls_query_term(&q, 1, number), ls_query_term(&q, 2, number)};
        const ls_term *same = ls_eq(t, tiles[0], tiles[1]);
        ls_query_claim(&q, step ? same : ls_and(t, ls_not(t, same), same_place(&m)));
        if (!step) ls_name_quotients(&q, tiles);
        apart = ls_query_solve(&q) == LS_UNSAT;
        ls_query_end(&q);
    }
    return apart;
}

/* No two copies by one tensor map, of whatever threads and blocks, are to the same coordinates; sums may
 * meet. */
static bool store_apart(ls_protocol *x, const ls_site *a, const ls_site *b) {
    const uint32_t *grid = x->p->options->grid;
    const bool one_block = grid[0] && (uint64_t)grid[0] * grid[1] * grid[2] == 1;
    const bool sums = a->instr->op != LS_OP_CP_ASYNC_BULK_TENSOR && a->instr->form == b->instr->form;
    bool apart = true;
    if (a->map != b->map || sums) return true;
    for (int same_block = one_block; same_block < 2 && apart; same_block++) {
        if (tiles_apart(x, a, b, same_block)) continue;
        ls_query q;
        meeting m = {x, &q, {a, b}, {NULL, NULL}};
        begin_two(&q, &m, same_block);
        ls_query_claim(&q, same_place(&m));
        apart = ls_query_solve(&q) == LS_UNSAT;
        ls_query_end(&q);
    }
    return apart;
}

static ls_site as_written(const ls_protocol *x, const ls_site *s) {
    ls_site there = *s;
    const ls_term *to = ls_operand_of(x->p->whole, &s->instr->src[0]);
    there.address =
        ls_add(&x->p->terms, to, ls_const(&x->p->terms, to->width, (uint64_t)s->instr->src[0].offset));
    there.writes = there.global = true;
    return there;
}

/* The two are never to the same bytes, whoever makes them in whatever iterations. */
static bool are_apart(ls_protocol *x, const ls_site *a, const ls_site *b) {
    ls_query q;
    ls_query_begin(&q, two_of(x, a, b, true));
    meeting m = {x, &q, {a, b}, {NULL, NULL}};
    ls_query_add(&q, 1, a->when, a->address);
    ls_query_add(&q, 2, b->when, b->address);
    add_thread(&q);
    if (a->instr == b->instr) ls_query_claim(&q, is_other(&m));
    bound_rounds(&m, 1, a->address);
    bound_rounds(&m, 2, b->address);
    const ls_term *one = ls_query_term(&q, 1, a->address), *other = ls_query_term(&q, 2, b->address);
    ls_query_claim(&q, ls_overlap(&x->p->terms, ls_distance(&x->p->terms, one, other), a->size, b->size));
    const bool apart = ls_query_solve(&q) == LS_UNSAT;
    ls_query_end(&q);
    return apart;
}

/* The site in the kernel as it is, where a tile's number is a function of the outer loop's counter. */
static bool find_original(const ls_protocol *x, const ls_protocol *of, const ls_site *s, ls_site *there) {
    ls_proof *p = of->p;
    const ls_ir_instr *i = p ? ls_original_of(x, s) : NULL;
    if (!i) return false;
    *there = *s;
    there->instr = i;
    there->node = p->nodes[p->first_node[i->block->id]];
    there->when = ls_and(&p->terms, p->whole->reach[there->node->id], ls_guard_of(p->whole, i));
    there->when = ls_and(&p->terms, there->when, ls_is_among(of, s));
    return p->whole->reach[there->node->id] != NULL;
}

/* Two copies of a block to global memory are apart, or the first is over; sums may meet. */
static bool writes_apart(ls_protocol *x, const ls_site *s) {
    const bool bulk = s->instr->form->opcode->copy == LS_COPY_BULK;
    ls_protocol nested = {.p = x->nested, .threads = x->threads}, *of = &nested;
    for (uint32_t i = 0; i < x->sites.length && s->kind == LS_SITE_COPY_OUT; i++) {
        const ls_site *o = &x->sites.items[i];
        if (o->kind != LS_SITE_COPY_OUT || o->position > s->position) continue;
        ls_site a, b;
        const bool was = find_original(x, of, s, &a) && find_original(x, of, o, &b);
        if (s->map && o->map && !(was && store_apart(of, &a, &b)) && !store_apart(x, s, o)) return false;
        if (!bulk || o->instr != s->instr) continue;
        const ls_site one = as_written(x, s), other = as_written(x, o);
        if (was) a = as_written(of, &a), b = as_written(of, &b);
        if (!(was && are_apart(of, &a, &b)) && !ls_are_ordered(x, &one, o == s ? &one : &other)) return false;
    }
    return true;
}

/* Nothing else in the kernel touches what a copy writes there, nor writes what one reads. */
bool ls_check_global(ls_protocol *x) {
    ls_proof *p = x->p;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        if (!ls_is_copy(s) || s->kind == LS_SITE_PRODUCT) continue;
        bool in = s->kind != LS_SITE_COPY_OUT;
        if (!writes_apart(x, s))
            return ls_not_known(x, s->instr,
                                "no proof that two of these copies do not write the same memory");
        for (uint32_t e = 0; e < p->whole_events.length; e++) {
            const ls_event *o = &p->whole_events.items[e];
            if (o->access->instr == s->instr || (in && o->access->kind == LS_ACCESS_READ)) continue;
            for (uint32_t b = 0; b < o->access->base_count; b++)
                for (uint32_t g = 0; g < s->instr->access_count; g++) {
                    const ls_ir_access *own = &s->instr->accesses[g];
                    if (own->src == (in ? 1u : 0u) && own->base_count &&
                        ls_same_object(p, own->bases[0], o->access->bases[b]))
                        return ls_not_known(
                            x, s->instr,
                            "memory that is both copied and accessed in other ways is not modelled");
                }
        }
    }
    return true;
}
