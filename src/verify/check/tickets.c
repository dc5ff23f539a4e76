/* Order by tickets: warps that hand buffers to each other by mbarriers, and bulk copies between them.
 *
 * Everything that is completed in order has tickets 0, 1, 2, …: the phases of an array of S mbarriers taken
 * in turn (ticket q is phase q / S of element q % S), the passages of a barrier in a loop, the groups of
 * copies that a thread commits. In an arbitrary iteration k of its loop, each site takes ticket k + c, with a
 * constant c (ticket_sites.c). Who has waited for a ticket knows that it is over, and with it all that each
 * of those who arrived for it knew (ticket_order.c). An access is before another one where a ticket that its
 * thread arrives for later, or that it counts its bytes for, is known to be over at the other one: that is
 * asked of every two accesses to the same bytes, for all iterations and threads, as one question to the
 * solver.
 *
 * A wait names a phase by its parity alone, and an arrival counts for whatever phase is the current one. That
 * the tickets are what they are taken for follows by induction over the tickets, from what is checked here:
 *  - a phase expects as many arrivals as threads come to its sites, each of which arrives once for each
 * ticket, in order; so it does not end before all of them have;
 *  - who arrives for a ticket, or starts a copy for it, knows that the phase before it is over;
 *  - who waits for a ticket knows that of the phase before it, and the phase after it does not end before the
 * wait has ended: somebody who arrives for that one knows so;
 *  - the bytes that are expected for a ticket are those of the copies that count for it.
 * That every wait ends, and every copy before the block does, is in ticket_ends.c. What is not of this shape
 * is unknown. */
#include "verify/check/tickets.h"
#include "verify/check/flights.h"
#include "verify/check/races.h"
#include "verify/check/ticket_ends.h"
#include "verify/check/ticket_order.h"
#include "verify/check/ticket_threads.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/query/query.h"

/* --- Initialisation --------------------------------------------------------------------------------------
 */

/* Behind the initialisation: by the same thread, or behind a barrier of the block. */
static bool is_behind_init(const ls_protocol *x, const ls_mbarrier_init *init, const ls_site *s) {
    if (s->position < init->position) return false;
    bool same = s->thread_count == 1 && ls_is_there(s, init->thread);
    for (uint32_t i = 0; i < x->sites.length && !same; i++) {
        const ls_site *b = &x->sites.items[i];
        same = b->kind == LS_SITE_BARRIER && !b->loop && b->position > init->position &&
               b->position < s->position && ls_ir_dominates(b->node->block, s->node->block);
    }
    return same;
}

/* By an asynchronous unit of another proxy. */
static bool is_bulk(const ls_site *s) {
    return s->kind == LS_SITE_COPY_IN || s->kind == LS_SITE_COPY_OUT || s->kind == LS_SITE_PRODUCT;
}

static bool is_copy(const ls_site *s) {
    return is_bulk(s) || s->kind == LS_SITE_FLIGHT;
}

/* The thread that initialises makes it known to the units that count bytes. */
static bool has_init_fence(const ls_protocol *x, const ls_mbarrier_init *init, const ls_site *copy) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *f = &x->sites.items[i];
        if (f->kind != LS_SITE_INIT_FENCE && f->kind != LS_SITE_FENCE) continue;
        bool theirs = ls_is_there(f, init->thread);
        if (theirs && !f->loop && f->position > init->position && f->position < copy->position &&
            ls_comes_there(x, f, init->thread))
            return true;
    }
    return false;
}

static bool check_inits(ls_protocol *x) {
    ls_terms *t = &x->p->terms;
    for (uint32_t i = 0; i < x->inits.length; i++) {
        const ls_mbarrier_init *a = &x->inits.items[i];
        for (uint32_t j = 0; j < i; j++) {
            const ls_term *d = ls_distance(t, a->address, x->inits.items[j].address);
            if (a->base == x->inits.items[j].base && (!ls_is_const(d) || d->value + 7 < 15))
                return ls_not_known(x, a->instr, "an mbarrier that is initialised twice is not modelled");
        }
        for (uint32_t k = 0; k < x->sites.length; k++) {
            const ls_site *s = &x->sites.items[k];
            bool user = ls_is_at_mbarrier(s) && s->ticket.object == a->object;
            if (user && !is_behind_init(x, a, s))
                return ls_not_known(x, s->instr, "no proof that the mbarrier is initialised before this");
            if (user && s->kind == LS_SITE_COPY_IN && !has_init_fence(x, a, s))
                return ls_not_known(
                    x, s->instr,
                    "no fence makes the mbarrier's initialisation visible to the copy (fence.mbarrier_init)");
            if ((s->kind != LS_SITE_ACCESS && !is_copy(s)) || !ls_same_object(x->p, s->base, a->base))
                continue;
            const ls_term *d = ls_distance(t, s->address, a->address);
            if (!ls_never(x, (const ls_term *[]){s->when, ls_overlap(t, d, s->size, 8)}, 2))
                return ls_not_known(x, s->instr, "no proof that this does not overwrite an mbarrier");
        }
    }
    return true;
}

/* --- Arrivals --------------------------------------------------------------------------------------------
 */

/* Threads that may arrive for a ticket. */
static uint64_t arrivals_for(const ls_protocol *x, uint32_t object, int64_t ticket) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        if (u->kind != LS_SITE_ARRIVE || u->ticket.object != object) continue;
        int64_t rounds = 0;
        bool has = u->ticket.step
                       ? ls_has_ticket(u, (ls_ticket){object, 0, ticket}, &rounds) && rounds >= u->first
                       : u->ticket.offset == ticket;
        if (has) count += u->thread_count * u->arrivals;
    }
    return count;
}

/* Arrivals that a ticket's phase expects: those that have dropped out in an earlier one are gone. As a phase
 * is not over before all have arrived, they have then. */
static uint64_t expected_for(const ls_protocol *x, uint32_t object, int64_t ticket) {
    const ls_ticket_object *o = &x->objects.items[object];
    uint64_t count = o->count;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        bool gone = u->kind == LS_SITE_ARRIVE && u->drops && u->ticket.object == object &&
                    u->ticket.offset < ticket && (ticket - u->ticket.offset) % o->stages == 0;
        if (gone) count -= u->thread_count * u->arrivals;
    }
    return count;
}

/* Each ticket has as many arrivals as its phase expects, up to where there are none at all any more. */
static bool check_counts(ls_protocol *x) {
    for (uint32_t o = 0; o < x->objects.length; o++) {
        int64_t last = 0, step = 1;
        const ls_ir_instr *where = NULL;
        if (x->objects.items[o].kind != LS_TICKETS_MBARRIER) continue;
        for (uint32_t i = 0; i < x->sites.length; i++) {
            const ls_site *u = &x->sites.items[i];
            if (u->kind != LS_SITE_ARRIVE || u->ticket.object != o) continue;
            int64_t at = u->ticket.offset + u->ticket.step * u->first;
            if (at > last) last = at;
            if (u->ticket.step) step = u->ticket.step;
            where = u->instr;
            if (u->ticket.step && !ls_was_there(x, u, u, 1))
                return ls_not_known(x, u->instr, "no proof that this arrives in every iteration");
        }
        if (last > 4 * LS_MOST_STAGES) return ls_not_known(x, where, "too many phases to be modelled");
        for (int64_t q = 0; q < last + step && where; q++) {
            uint64_t count = arrivals_for(x, o, q);
            uint64_t expected = expected_for(x, o, q);
            if (count != expected)
                return ls_not_known(x, where,
                                    ls_arena_printf(&x->p->arena,
                                                    "%llu arrivals may come for a phase that expects %llu",
                                                    (unsigned long long)count, (unsigned long long)expected));
        }
    }
    return true;
}

/* Both are come to by the same threads in the same iterations. */
static bool go_together(const ls_protocol *x, const ls_site *a, const ls_site *b) {
    ls_terms *t = &x->p->terms;
    return a->loop == b->loop && ls_never(x, (const ls_term *[]){a->when, ls_not(t, b->when)}, 2) &&
           ls_never(x, (const ls_term *[]){b->when, ls_not(t, a->when)}, 2);
}

static bool same_ticket(ls_ticket a, ls_ticket b) {
    return a.object == b.object && a.step == b.step && a.offset == b.offset;
}

/* The bytes that are expected for a ticket are those of its copies. */
static bool check_bytes(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        uint64_t bytes = 0;
        if (u->kind != LS_SITE_ARRIVE) continue;
        for (uint32_t k = 0; k < x->sites.length; k++) {
            const ls_site *c = &x->sites.items[k];
            if (c->kind == LS_SITE_ARRIVE && c != u && c->bytes && u->bytes &&
                same_ticket(c->ticket, u->ticket))
                return ls_not_known(x, c->instr,
                                    "bytes that are announced (expect_tx) in two places are not modelled");
            if (c->kind != LS_SITE_COPY_IN || !u->bytes || !same_ticket(c->ticket, u->ticket)) continue;
            if (u->thread_count != 1 || !go_together(x, u, c))
                return ls_not_known(x, c->instr,
                                    "no proof that the bytes of this copy are announced (expect_tx) whenever "
                                    "the copy is made");
            bytes += c->bytes;
        }
        if (bytes != u->bytes)
            return ls_not_known(
                x, u->instr,
                ls_arena_printf(&x->p->arena,
                                "%llu bytes are announced here (expect_tx), but %llu are copied",
                                (unsigned long long)u->bytes, (unsigned long long)bytes));
    }
    return true;
}

/* --- Parts -----------------------------------------------------------------------------------------------
 */

/* Sites of which only some threads are meant: those that arrive at one place, multiply or meet there, and the
 * others. */
enum { MOST_PARTS = 8 };

typedef struct {
    ls_site parts[MOST_PARTS];
    uint32_t count;
} divided;

static ls_site part_of(const ls_protocol *x, const ls_site *s, const ls_site *u, bool in) {
    ls_site part = *s;
    ls_keep_threads(&part, u, in);
    part.when = ls_and(&x->p->terms, s->when, ls_is_among(x, &part));
    return part;
}

static void divide(const ls_protocol *x, const ls_site *s, divided *d) {
    const uint32_t *block = x->p->options->block;
    d->parts[0] = *s;
    d->count = 1;
    for (uint32_t i = 0; i < x->sites.length && block[1] * block[2] == 1; i++) {
        const ls_site *u = &x->sites.items[i];
        const bool meets = u->kind == LS_SITE_LANES && !u->silent;
        if (u->kind != LS_SITE_ARRIVE && u->kind != LS_SITE_PRODUCT && !meets) continue;
        for (uint32_t k = d->count; k-- > 0 && d->count < MOST_PARTS;) {
            if (!ls_threads_meet(&d->parts[k], u) || ls_threads_within(&d->parts[k], u)) continue;
            d->parts[d->count++] = part_of(x, &d->parts[k], u, false);
            d->parts[k] = part_of(x, &d->parts[k], u, true);
        }
    }
}

/* --- Phases ----------------------------------------------------------------------------------------------
 */

static bool knows(const ls_protocol *x, const ls_ticket_set *set, ls_ticket asked) {
    int64_t stages = x->objects.items[asked.object].stages;
    for (uint32_t i = 0; i < set->count; i++) {
        ls_ticket k = set->items[i];
        int64_t d = k.offset - asked.offset;
        if (k.object == asked.object && k.step == asked.step && k.offset != LS_LAST_TICKET && d >= 0 &&
            !(d % stages))
            return true;
    }
    return false;
}

/* The phase before that of the site's ticket is over when a thread comes there. */
static bool knows_last_phase(const ls_protocol *x, const ls_site *s) {
    ls_ticket before = s->ticket;
    before.offset -= x->objects.items[before.object].stages;
    if (s->last != INT64_MAX && before.offset + before.step * s->last < 0) return true;
    ls_ticket_set known;
    ls_over_at(x, s, &known);
    return knows(x, &known, before);
}

/* One thread alone arrives, and nothing else is counted: its arrivals are in order. */
static bool is_alone(const ls_protocol *x, const ls_site *s) {
    const ls_site *other = s;
    bool bytes = false;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        if (u->kind != LS_SITE_ARRIVE || u->ticket.object != s->ticket.object) continue;
        bytes |= u->bytes != 0;
        if (!ls_threads_within(u, s)) other = u;
    }
    return other == s && s->thread_count == 1 && !bytes;
}

/* The condition on which threads that arrive at `u` do so for a ticket of another site, which is in the
 * iteration `mine`; *theirs: in which iteration. */
static const ls_term *comes_for(const ls_protocol *x, const ls_site *u, ls_ticket ticket, const ls_term *mine,
                                const ls_term **theirs) {
    ls_terms *t = &x->p->terms;
    int64_t rounds = 0;
    const ls_term *number = ls_ticket_term(x, ticket, mine);
    *theirs = ls_const(t, 64, 0);
    if (!u->ticket.step) return ls_eq(t, number, ls_const(t, 64, (uint64_t)u->ticket.offset));
    if (!ls_has_ticket(u, ticket, &rounds)) return ls_false(t);
    *theirs = ls_const(t, 64, (uint64_t)rounds);
    if (ticket.step) *theirs = ls_add(t, mine, *theirs);
    const ls_term *early = ls_slt(t, *theirs, ls_const(t, 64, (uint64_t)u->first));
    return ls_not(t, ls_or(t, early, ls_slt(t, ls_const(t, 64, (uint64_t)u->last), *theirs)));
}

/* The phase behind that of a wait does not end before the wait has: one of those who arrive for it knows so.
 */
static bool is_awaited(const ls_protocol *x, const ls_site *w) {
    ls_terms *t = &x->p->terms;
    ls_ticket next = w->ticket;
    next.offset += x->objects.items[next.object].stages;
    ls_ticket_set covers, known;
    ls_followed_by(x, w, &covers);
    for (uint32_t c = 0; c < covers.count; c++) /* the waiting thread's own arrival */
        if (covers.items[c].object == next.object && covers.items[c].step == next.step &&
            covers.items[c].offset <= next.offset)
            return true;
    const ls_term *k = ls_site_counter(x, w), *mine = k ? k : ls_const(t, 64, 0);
    const ls_term *any = ls_false(t), *shown = ls_false(t);
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        const ls_term *theirs;
        if (u->kind != LS_SITE_ARRIVE || u->ticket.object != next.object) continue;
        const ls_term *comes = comes_for(x, u, next, mine, &theirs), *over = ls_false(t);
        ls_over_at(x, u, &known);
        for (uint32_t c = 0; c < covers.count; c++)
            for (uint32_t n = 0; n < known.count; n++)
                over = ls_or(t, over, ls_ticket_over(x, w, covers.items[c], mine, known.items[n], theirs));
        any = ls_or(t, any, comes);
        shown = ls_or(t, shown, ls_and(t, comes, over));
    }
    return ls_never(x, (const ls_term *[]){w->when, any, ls_not(t, shown)}, 3);
}

/* Part by part, as the threads of one group of warps are not followed by the products of another. */
static bool is_awaited_in_parts(const ls_protocol *x, const ls_site *w) {
    divided parts;
    divide(x, w, &parts);
    bool awaited = parts.count > 1;
    for (uint32_t i = 0; i < parts.count && awaited; i++) awaited = is_awaited(x, &parts.parts[i]);
    return awaited;
}

static bool check_phases(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        int64_t stages = ls_is_at_mbarrier(s) ? x->objects.items[s->ticket.object].stages : 1;
        if ((s->kind == LS_SITE_ARRIVE && !is_alone(x, s)) || s->kind == LS_SITE_COPY_IN ||
            s->kind == LS_SITE_JOIN)
            if (!knows_last_phase(x, s))
                return ls_not_known(x, s->instr, "no proof that the phase before this one has completed");
        if (s->kind != LS_SITE_WAIT || (!s->ticket.step && s->ticket.offset < 0)) continue;
        if (!knows_last_phase(x, s) &&
            !(s->ticket.step == 1 && s->ticket.offset <= 0 && ls_was_there(x, s, s, (uint64_t)stages)))
            return ls_not_known(x, s->instr, "no proof that the phase before the awaited one has completed");
        if (!is_awaited(x, s) && !is_awaited_in_parts(x, s))
            return ls_not_known(
                x, s->instr, "no proof that the next phase does not complete as well before this wait ends");
    }
    return true;
}

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
    covers->items[1].object = x->read;
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

/* A fence that the threads of a site have always come to before: what was known there. */
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
    bool crosses = a->kind == LS_SITE_ACCESS && is_bulk(b); /* to the other proxy */
    ls_ticket_set covers, known;
    if (a->kind == LS_SITE_FLIGHT && is_bulk(b))
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

static bool are_ordered(ls_protocol *x, const ls_site *a, const ls_site *b) {
    ls_proof *p = x->p;
    ls_terms *t = &p->terms;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = a->node->block, .b = b->node->block});
    ls_query_add(&q, 1, a->when, a->address);
    ls_query_add(&q, 2, b->when, b->address);
    bool plain = !is_copy(a) && !is_copy(b);
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
    divided of_a, of_b;
    divide(x, a, &of_a);
    divide(x, b, &of_b);
    bool ordered = of_a.count * of_b.count > 1;
    for (uint32_t i = 0; i < of_a.count && ordered; i++)
        for (uint32_t k = 0; k < (a == b ? i + 1 : of_b.count) && ordered; k++)
            ordered = are_ordered(x, &of_a.parts[i], a == b ? &of_a.parts[k] : &of_b.parts[k]);
    return ordered;
}

static bool check_accesses(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const ls_site *a = &x->sites.items[i], *b = &x->sites.items[k];
            if ((a->kind != LS_SITE_ACCESS && !is_copy(a)) || (b->kind != LS_SITE_ACCESS && !is_copy(b)))
                continue;
            if ((!a->writes && !b->writes) || !ls_same_object(x->p, a->base, b->base)) continue;
            if (are_ordered(x, a, b) || are_ordered_in_parts(x, a, b)) continue;
            return ls_not_known(x, a->instr,
                                ls_arena_printf(&x->p->arena,
                                                "no proof that this is ordered with the access at line %u",
                                                b->instr->pos->line));
        }
    return true;
}

/* --- Global memory ---------------------------------------------------------------------------------------
 */

/* Two copies of one thread to global memory are apart, or the first is over; sums may meet. */
static bool writes_apart(ls_protocol *x, const ls_site *s) {
    if (s->kind != LS_SITE_COPY_OUT || s->instr->form->opcode->copy != LS_COPY_BULK) return true;
    ls_site there = *s;
    const ls_term *to = ls_operand_of(x->p->whole, &s->instr->src[0]);
    there.address =
        ls_add(&x->p->terms, to, ls_const(&x->p->terms, to->width, (uint64_t)s->instr->src[0].offset));
    there.writes = there.global = true;
    return are_ordered(x, &there, &there);
}

/* Nothing else in the kernel touches what a copy writes there, nor writes what one reads. */
static bool check_global(ls_protocol *x) {
    ls_proof *p = x->p;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        if (!is_copy(s) || s->kind == LS_SITE_PRODUCT) continue;
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

/* --- All of it -------------------------------------------------------------------------------------------
 */

static bool has_tickets(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++)
        if (ls_is_ticketed(p->f->instrs[i])) return true;
    return false;
}

/* An mbarrier is made invalid behind a barrier of the block that lies behind all use of any of them. */
static bool check_invalid(ls_protocol *x) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < x->sites.length; i++)
        if (ls_is_at_mbarrier(&x->sites.items[i]) && x->sites.items[i].position > end)
            end = x->sites.items[i].position;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        bool behind = s->kind != LS_SITE_INVALIDATE;
        for (uint32_t k = 0; k <= i && !behind; k++) { /* once each */
            const ls_site *o = &x->sites.items[k];
            if (o->kind != LS_SITE_INVALIDATE) continue;
            const ls_term *d = ls_distance(&x->p->terms, s->mbarrier, o->mbarrier);
            if (s->thread_count != 1 || (o != s && ls_is_const(d) && !d->value))
                return ls_not_known(x, s->instr, "no proof that the mbarrier is made invalid once");
        }
        for (uint32_t k = 0; k < x->sites.length && !behind; k++) {
            const ls_site *b = &x->sites.items[k];
            behind = b->kind == LS_SITE_BARRIER && !b->loop && !s->loop && b->position > end &&
                     b->position < s->position && ls_ir_dominates(b->node->block, s->node->block);
        }
        if (!behind) return ls_not_known(x, s->instr, "no proof that the mbarrier is no longer used");
    }
    return true;
}

static bool check_commits(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        bool commits = c->kind == LS_SITE_COMMIT || c->kind == LS_SITE_UNIT_COMMIT;
        if (commits && c->loop && !ls_was_there(x, c, c, 1))
            return ls_not_known(x, c->instr, "no proof that a group is committed in every iteration");
    }
    return true;
}

/* Every iteration crosses it. */
static bool check_barriers(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *b = &x->sites.items[i];
        if (b->kind == LS_SITE_BARRIER && b->loop && !x->p->uniform_loop[b->loop->id])
            return ls_not_known(x, b->instr,
                                "no proof that all threads leave the loop around this barrier together");
        for (uint32_t k = 0; b->kind == LS_SITE_BARRIER && b->loop && k < b->loop->latch_count; k++)
            if (!ls_ir_dominates(b->node->block, b->loop->latches[k]))
                return ls_not_known(x, b->instr,
                                    "a barrier that not every iteration reaches is not modelled");
    }
    return true;
}

void ls_check_tickets(ls_proof *p) {
    if (!has_tickets(p)) return;
    ls_protocol x = {.p = p};
    bool known = ls_read_protocol(&x) && check_inits(&x) && check_barriers(&x) && check_counts(&x) &&
                 check_bytes(&x) && check_commits(&x) && check_invalid(&x) && check_phases(&x) &&
                 check_global(&x) && check_accesses(&x) && ls_check_ends(&x);
    if (known) {
        p->ticketed = true;
        p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    } else {
        ls_unknown(p, x.where ? x.where->pos : NULL, NULL, "asynchronous operations: %s", x.trouble);
    }
    ls_protocol_free(&x);
}
