/* That waits and copies end. A wait ends where all who are to arrive for its ticket do: they come that far in
 * their loop whenever somebody waits for it, and what they wait for before ends, too. The last is so where no
 * wait depends on itself: from a wait to those that come before the arrivals for its ticket, the iteration
 * changes by a constant, and round every circle the sum of these is negative. (That loops end is not looked
 * at, here as elsewhere.) */
#include "verify/check/ticket_ends.h"
#include "base/recover.h"
#include "verify/check/flights.h"
#include "verify/check/ticket_order.h"
#include "verify/check/ticket_rounds.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"

/* --- Coming to a block -----------------------------------------------------------------------------------
 */

static const ls_term *as_thread(ls_subst *subst, const ls_term *symbol) {
    const struct {
        const ls_protocol *x;
        const ls_term *index[3];
    } *d = subst->data;
    for (int i = 0; i < 3; i++)
        if (symbol == d->x->p->tid[i]) return d->index[i];
    return symbol;
}

/* Nothing is in it but what the launch says, for all threads alike; own: symbols from that number on are
 * one's own. */
static bool is_by_inputs(ls_terms *t, const ls_term *term, uint64_t own) {
    ls_term_list leaves = {0};
    ls_leaves(&term, 1, &leaves);
    bool inputs = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_sym *sym = leaves.items[i]->op == LS_T_SYM ? ls_sym_of(t, leaves.items[i]) : NULL;
        inputs &= sym && sym->kind == LS_SYM_INPUT &&
                  (sym->scope != LS_SCOPE_THREAD || leaves.items[i]->value >= own);
    }
    LS_VEC_FREE(&leaves);
    return inputs;
}

static bool comes_to(const ls_protocol *x, const ls_ir_block *block, uint32_t thread, const ls_term *given,
                     uint32_t depth) {
    ls_proof *p = x->p;
    ls_terms *t = &p->terms;
    struct {
        const ls_protocol *x;
        const ls_term *index[3];
    } d = {.x = x};
    ls_index_of(x, thread, d.index);
    for (uint32_t i = 0; i < block->control_count; i++) {
        const ls_ir_block *from = block->control[i].block;
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
        if (block->is_loop_header && ls_ir_loop_contains(block->loop, from)) continue; /* once more */
        if (!predicate || from->succ_count != 2 || depth > 20) return false;
        ls_subst subst = {.ctx = t, .replace = as_thread, .data = &d};
        const ls_term *c = ls_substitute(&subst, ls_value_of(p->whole, predicate));
        ls_subst_free(&subst);
        if ((block->control[i].succ == 0) == negated) c = ls_not(t, c);
        bool goes = ls_is_true(c) || (is_by_inputs(t, c, UINT64_MAX) &&
                                      ls_never(x, (const ls_term *[]){given, ls_not(t, c)}, 2));
        if (!goes || !comes_to(x, from, thread, given, depth + 1)) return false;
    }
    return true;
}

bool ls_comes_to(const ls_protocol *x, const ls_ir_block *block, uint32_t thread, const ls_term *given) {
    return comes_to(x, block, thread, given, 0);
}

bool ls_comes_there(const ls_protocol *x, const ls_site *s, uint32_t thread) {
    const ls_term *missed = ls_not(&x->p->terms, ls_guard_of(x->p->whole, s->instr));
    return ls_comes_to(x, s->node->block, thread, ls_true(&x->p->terms)) &&
           ls_never(x, (const ls_term *[]){ls_is_thread(x, thread), missed}, 2);
}

/* The same where a condition is given, of others: that of the thread's own guard follows from it. */
static bool comes_there_given(const ls_protocol *x, const ls_site *s, uint32_t thread, const ls_term *given) {
    ls_terms *t = &x->p->terms;
    const ls_term *guard = ls_for_thread(x, ls_guard_of(x->p->whole, s->instr), thread);
    const bool goes = ls_is_true(guard) || (is_by_inputs(t, guard, UINT64_MAX) &&
                                            ls_never(x, (const ls_term *[]){given, ls_not(t, guard)}, 2));
    return goes && ls_comes_to(x, s->node->block, thread, given);
}

/* --- Copies ----------------------------------------------------------------------------------------------
 */

/* The thread that made a copy out of shared memory has waited for its reads before it ends. */
static bool is_read_before_end(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    const uint32_t thread = ls_first_thread(s);
    const ls_site *commit = ls_commit_of(x, s);
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind != LS_SITE_GROUP_WAIT || w->unit != s->unit || w->bytes || !commit ||
            w->position < commit->position)
            continue;
        if (w->loop == s->loop && ls_never(x, (const ls_term *[]){s->when, ls_not(t, w->when)}, 2))
            return true;
        if (!w->loop && s->thread_count == 1 && comes_there_given(x, w, thread, s->when)) return true;
    }
    return false;
}

/* The warps that started a product, which reach the same waits, have waited for it before they end. */
static bool is_over_before_end(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    const ls_site *commit = ls_commit_of(x, s);
    for (uint32_t i = 0; i < x->sites.length && commit; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind != LS_SITE_UNIT_WAIT || w->unit != s->unit || w->bytes || w->position < commit->position)
            continue;
        if (w->loop == s->loop && ls_never(x, (const ls_term *[]){s->when, ls_not(t, w->when)}, 2))
            return true;
        if (!w->loop && comes_there_given(x, w, ls_first_thread(s), s->when)) return true;
    }
    return false;
}

typedef struct {
    const ls_protocol *x;
    const ls_ir_loop *loop;
    const ls_term *counter, *other;
    const ls_term *index[3];
} stand_in;

/* A wait by one thread in any iteration: its waits before are over. */
static const ls_term *as_waiter(ls_subst *subst, const ls_term *symbol) {
    stand_in *d = subst->data;
    if (symbol == d->counter) return d->other;
    for (int i = 0; i < 3; i++)
        if (symbol == d->x->p->tid[i]) return d->index[i];
    if (ls_is_wait_over(subst->ctx, symbol)) return ls_true(subst->ctx);
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    bool left =
        sym->kind == LS_SYM_COUNT && !ls_ir_loop_contains(d->loop, ((const ls_ir_loop *)sym->key)->header);
    return left ? ls_symbol(subst->ctx, "left", symbol->width, LS_SCOPE_THREAD, LS_SYM_INPUT, symbol->ulo,
                            symbol->uhi)
                : symbol; /* how often it went round a loop before is its own affair */
}

/* For the ticket of `s`, whenever that is reached, every thread from the first to the last reaches `w` in
 * the iteration that has it; from_start: also where that would be before its first iteration. */
static bool come_as_far(const ls_protocol *x, const ls_site *s, const ls_site *w, uint32_t first,
                        uint32_t last, bool from_start) {
    ls_proof *p = x->p;
    ls_terms *t = &p->terms;
    const uint32_t *size = p->options->block;
    int64_t rounds;
    const uint64_t own = t->syms.length;
    if (!s->ticket.step && !w->ticket.step) return s->ticket.offset == w->ticket.offset;
    if (ls_was_nested(x, w)) /* who has come to an iteration has been in those before it */
        return ls_has_ticket(w, s->ticket, &rounds) && (from_start ? !rounds : rounds <= 0) &&
               ls_go_round_alike(x, s, w, first, last);
    const ls_term *k = w->ticket.step ? ls_counter_of(p, w->loop, p->whole->tag) : NULL;
    if (!k || !ls_has_ticket(w, s->ticket, &rounds) || (first != last && size[1] * size[2] != 1))
        return false;
    const ls_term *other = ls_fresh(p->whole, "round", 64, LS_SYM_INPUT), *zero = ls_const(t, 64, 0);
    stand_in d = {.x = x, .loop = w->loop, .counter = k, .other = ls_resize(t, other, k->width, false)};
    ls_index_of(x, first, d.index);
    if (first != last)
        d.index[0] = ls_symbol(t, "someone", p->tid[0]->width, LS_SCOPE_THREAD, LS_SYM_INPUT, first, last);
    const ls_term *ticket = ls_ticket_term(x, s->ticket, ls_site_counter(x, s));
    const ls_term *wanted = ls_const(t, 64, (uint64_t)rounds);
    if (s->ticket.step) wanted = ls_add(t, ls_site_counter(x, s), wanted);
    ls_subst subst = {.ctx = t, .replace = as_waiter, .data = &d};
    const ls_term *here = ls_substitute(&subst, w->when), *stays = ls_stays_in(x, w->loop);
    const ls_term *enters = ls_substitute(&subst, p->whole->reach[p->first_node[w->loop->header->id]]);
    ls_subst_free(&subst);
    if (!stays) return false;
    d.other = ls_sub(t, d.other, ls_const(t, k->width, 1)); /* the iteration before went on to this one */
    ls_subst before = {.ctx = t, .replace = as_waiter, .data = &d};
    const ls_term *round = ls_or(t, ls_eq(t, other, zero), ls_substitute(&before, stays));
    ls_subst_free(&before);
    const ls_term *there = ls_and(t, round, ls_or(t, here, ls_not(t, ls_eq(t, other, wanted))));
    const ls_term *far = ls_ult(t, ls_const(t, 64, k->uhi), wanted);
    const ls_term *upto = ls_not(t, ls_ult(t, wanted, other));
    const ls_term *needed = ls_not(t, ls_slt(t, ticket, zero));
    if (!from_start)
        needed = ls_and(t, needed, ls_not(t, ls_slt(t, wanted, ls_const(t, 64, (uint64_t)w->first))));
    upto = ls_and(t, upto, enters); /* as it does reach the loop */
    upto = ls_and(t, upto, ls_few_rounds(x, (const ls_term *[]){round, here}, 2, other));
    return is_by_inputs(t, round, own) && is_by_inputs(t, here, own) && is_by_inputs(t, enters, own) &&
           ls_never(x, (const ls_term *[]){s->when, needed, far}, 3) &&
           ls_never(x, (const ls_term *[]){s->when, needed, upto, ls_not(t, there)}, 4);
}

/* The site is reached for a ticket that the other one has in its first iteration, or a later one. */
static const ls_term *from_first(const ls_protocol *x, const ls_site *s, const ls_site *u) {
    ls_terms *t = &x->p->terms;
    const int64_t first = u->ticket.offset + u->ticket.step * u->first;
    const ls_term *ticket = ls_ticket_term(x, s->ticket, ls_site_counter(x, s));
    if (first <= 0) return s->when;
    return ls_and(t, s->when, ls_not(t, ls_slt(t, ticket, ls_const(t, 64, (uint64_t)first))));
}

/* The loop that the wait is in, or the wait itself. */
static const ls_ir_block *header_of(const ls_site *w) {
    return w->loop ? w->loop->header : w->node->block->loop->header;
}

bool ls_is_awaited_by(const ls_protocol *x, const ls_site *s, const ls_site *w, uint32_t thread) {
    if (w->kind != LS_SITE_WAIT || w->ticket.object != s->ticket.object || thread == LS_NO_OBJECT)
        return false;
    const bool comes = ls_was_nested(x, w) || ls_comes_to(x, header_of(w), thread, s->when);
    return comes && come_as_far(x, s, w, thread, thread, true);
}

/* One of the tickets of `s` is waited for in no loop whenever it is taken. */
static bool is_awaited_outside(const ls_protocol *x, const ls_site *s, int64_t ticket) {
    ls_terms *t = &x->p->terms;
    const ls_term *taken =
        ls_eq(t, ls_ticket_term(x, s->ticket, ls_site_counter(x, s)), ls_const(t, 64, (uint64_t)ticket));
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind == LS_SITE_WAIT && w->ticket.object == s->ticket.object && !w->ticket.step &&
            w->ticket.offset == ticket &&
            ls_comes_to(x, header_of(w), ls_first_thread(w), ls_and(t, s->when, taken)))
            return true;
    }
    return false;
}

/* The same where the first steps of the loop stand in front of it. */
static bool is_awaited_with_first(const ls_protocol *x, const ls_site *s, const ls_site *w) {
    const uint32_t thread = ls_first_thread(w);
    if (w->kind != LS_SITE_WAIT || w->ticket.object != s->ticket.object || !w->ticket.step ||
        !s->ticket.step || ls_was_nested(x, w))
        return false;
    const int64_t first = w->ticket.offset + w->ticket.step * w->first;
    bool awaited = first <= LS_MOST_STAGES && ls_comes_to(x, header_of(w), thread, from_first(x, s, w)) &&
                   come_as_far(x, s, w, thread, thread, false);
    for (int64_t q = 0; q < first && awaited; q++) awaited = is_awaited_outside(x, s, q);
    return awaited;
}

static bool is_waited_before_end(const ls_protocol *x, const ls_site *s) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *w = &x->sites.items[i];
        if (ls_is_awaited_by(x, s, w, ls_first_thread(w)) || is_awaited_with_first(x, s, w)) return true;
    }
    return false;
}

static bool check_copies(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        if (s->kind == LS_SITE_COPY_OUT && !is_read_before_end(x, s))
            return ls_not_known(x, s->instr,
                                "no proof that the copy has read its source before the block ends");
        if (s->kind == LS_SITE_PRODUCT && !is_over_before_end(x, s))
            return ls_not_known(x, s->instr,
                                "no proof that the matrix product has completed before the block ends");
        if ((s->kind == LS_SITE_COPY_IN || s->kind == LS_SITE_JOIN) && !is_waited_before_end(x, s))
            return ls_not_known(x, s->instr, "no proof that the copy has completed before the block ends");
    }
    return true;
}

/* --- Waits -----------------------------------------------------------------------------------------------
 */

/* All threads that are to arrive for the ticket of a wait do. */
static bool all_arrive(const ls_protocol *x, const ls_site *w, const ls_site *u) {
    ls_terms *t = &x->p->terms;
    uint32_t first = 0, last = 0;
    bool any = false, row = true;
    const ls_term *meant = from_first(x, w, u);
    if (!u->ticket.step)
        meant = ls_and(t, meant,
                       ls_eq(t, ls_ticket_term(x, w->ticket, ls_site_counter(x, w)),
                             ls_ticket_term(x, u->ticket, NULL)));
    for (uint32_t n = 0; n < LS_MOST_THREADS; n++) {
        if (!ls_is_named(u, n)) continue;
        if (!any) first = n;
        row &= !any || n == last + 1;
        last = n;
        any = true;
        if (ls_was_nested(x, u) && u->ticket.step) continue; /* below */
        if (!(u->loop ? ls_comes_to(x, u->loop->header, n, meant) : comes_there_given(x, u, n, meant)))
            return false;
    }
    if (!u->ticket.step) return any;
    if (!row) { /* one after the other */
        for (uint32_t n = first; n <= last; n++)
            if (ls_is_named(u, n) && !come_as_far(x, w, u, n, n, false)) return false;
        return any;
    }
    return any && come_as_far(x, w, u, first, last, false);
}

enum { MOST_NODES = 256 };
static const int64_t NEVER = INT64_MIN / 4, FAR = 1 << 20;

/* Sites at which threads wait. */
static bool blocks(const ls_site *s) {
    return s->kind == LS_SITE_WAIT || s->kind == LS_SITE_BARRIER || s->kind == LS_SITE_UNIT_WAIT ||
           s->kind == LS_SITE_LANES;
}

/* The same where threads arrive in no loop, as if that were an iteration 0: the wait is in the one iteration
 * that has their ticket. */
static int64_t distance_outside(const ls_site *w, const ls_site *u) {
    if (!w->loop) return 0;
    if (w->kind == LS_SITE_UNIT_WAIT) return -w->first; /* at most: for products of all iterations before */
    if (w->kind != LS_SITE_WAIT || !w->ticket.step) return FAR;
    const int64_t d = u->ticket.offset - w->ticket.offset, k = d / w->ticket.step;
    return d % w->ticket.step || k < w->first ? NEVER : -k;
}

/* How many iterations later `before` may be that a thread passes before it arrives at `u` for the ticket of
 * `w`; what is in no loop is in iteration 0. */
static int64_t distance(const ls_site *w, const ls_site *u, const ls_site *before) {
    if (!ls_threads_meet(before, u)) return NEVER;
    bool ahead = before->position < u->position;
    if (u->loop != before->loop && (before->loop || !ahead)) return ahead ? FAR : NEVER;
    if (!u->loop) return ahead ? distance_outside(w, u) : NEVER;
    int64_t rounds;
    const bool fixed = w->kind == LS_SITE_WAIT && !w->ticket.step;
    bool known = w->kind != LS_SITE_UNIT_WAIT || (w->ticket.object != LS_NO_OBJECT && w->loop == u->loop);
    if ((!w->loop && !fixed) || !known) return FAR;
    if (!ls_has_ticket(u, w->ticket, &rounds)) return NEVER;
    if (before->loop) return rounds - !ahead;
    return fixed ? 0 : rounds - u->first; /* at most, as the arrival is not before its first iteration */
}

static bool arrives(const ls_site *u, const ls_site *w) {
    if (w->kind == LS_SITE_BARRIER || w->kind == LS_SITE_LANES) return u == w;
    if (w->kind == LS_SITE_UNIT_WAIT) /* until all four warps have come as far */
        return u->kind == LS_SITE_UNIT_COMMIT && u->unit == w->unit;
    bool other = !u->ticket.step && !w->ticket.step && u->ticket.offset != w->ticket.offset;
    const bool counts = u->kind == LS_SITE_ARRIVE || u->kind == LS_SITE_COPY_IN; /* the bytes of a copy */
    return counts && u->ticket.object == w->ticket.object && !other;
}

/* Lanes that meet where no wait is before them, or nobody arrives behind them for others: no circle goes by
 * way of them. */
static bool is_free(const ls_protocol *x, const ls_site *s) {
    bool waits = false, arrival = false;
    for (uint32_t i = 0; i < x->sites.length && s->kind == LS_SITE_LANES; i++) {
        const ls_site *o = &x->sites.items[i];
        const bool around = o->loop && o->loop == s->loop;
        if ((o->kind == LS_SITE_LANES && !o->warps) || !ls_threads_meet(o, s)) continue;
        waits |= blocks(o) && (around || o->position < s->position);
        arrival |= (o->kind == LS_SITE_ARRIVE || o->kind == LS_SITE_COPY_IN ||
                    o->kind == LS_SITE_UNIT_COMMIT || o->kind == LS_SITE_BARRIER || o->warps) &&
                   (around || o->position > s->position);
    }
    return s->kind == LS_SITE_LANES && !s->warps && !(waits && arrival);
}

/* No wait depends on itself. */
static bool check_circles(ls_protocol *x) {
    LS_SCRATCH(scratch);
    const ls_site *nodes[MOST_NODES];
    int64_t(*longest)[MOST_NODES] = ls_arena_alloc(&scratch, sizeof(int64_t[MOST_NODES][MOST_NODES]));
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        if (!blocks(&x->sites.items[i]) || is_free(x, &x->sites.items[i])) continue;
        if (count == MOST_NODES)
            return ls_not_known(x, x->sites.items[i].instr, "too many waits to be modelled");
        nodes[count++] = &x->sites.items[i];
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            longest[i][k] = NEVER;
            for (uint32_t n = 0; n < x->sites.length; n++) {
                const ls_site *u = &x->sites.items[n];
                int64_t d = arrives(u, nodes[i]) && u != nodes[k] ? distance(nodes[i], u, nodes[k]) : NEVER;
                if (d > longest[i][k]) longest[i][k] = d;
            }
        }
    for (uint32_t m = 0; m < count; m++)
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < count; k++) {
                int64_t d = longest[i][m] + longest[m][k];
                if (longest[i][m] != NEVER && longest[m][k] != NEVER && d > longest[i][k])
                    longest[i][k] = d < FAR * 8 ? d : FAR * 8;
            }
    for (uint32_t i = 0; i < count; i++)
        if (longest[i][i] >= 0 && longest[i][i] != NEVER)
            return ls_not_known(
                x, nodes[i]->instr,
                "no proof that this wait ends: it may be waiting for something that comes after it");
    return true;
}

static bool check_waits(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind != LS_SITE_WAIT || (!w->ticket.step && w->ticket.offset < 0)) continue;
        bool sure = false;
        for (uint32_t k = 0; k < x->sites.length; k++) {
            const ls_site *u = &x->sites.items[k];
            bool meant = u->kind == LS_SITE_ARRIVE && u->ticket.object == w->ticket.object;
            int64_t rounds;
            if (meant && !u->ticket.step) meant = w->ticket.step || w->ticket.offset == u->ticket.offset;
            if (meant && u->ticket.step) meant = ls_has_ticket(u, w->ticket, &rounds);
            if (!meant) continue;
            if (!all_arrive(x, w, u))
                return ls_not_known(x, w->instr, "no proof that this wait ends: perhaps no thread arrives");
            sure = true;
        }
        if (!sure) return ls_not_known(x, w->instr, "no proof that this wait ends: no thread arrives");
    }
    return check_circles(x);
}

bool ls_check_ends(ls_protocol *x) {
    return check_copies(x) && check_waits(x);
}
