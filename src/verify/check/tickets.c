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
 *  - a phase expects as many arrivals as threads reach its sites, each of which arrives once for each
 * ticket, in order; so it does not end before all of them have;
 *  - who arrives for a ticket, or starts a copy for it, knows that the phase before it is over;
 *  - who waits for a ticket knows that of the phase before it, and the phase after it does not end before the
 * wait has ended: somebody who arrives for that one knows so;
 *  - the bytes that are expected for a ticket are those of the copies that count for it.
 * That every wait ends, and every copy before the block does, is in ticket_ends.c. What is not of this shape
 * is unknown. */
#include "verify/check/tickets.h"
#include "verify/check/flights.h"
#include "verify/check/product_results.h"
#include "verify/check/races.h"
#include "verify/check/ticket_accesses.h"
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

/* The mbarrier is none any more, which is an ordinary write for whoever uses its memory then. */
static bool is_behind_invalid(ls_protocol *x, const ls_mbarrier_init *init, const ls_site *s) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site v = x->sites.items[i];
        const ls_term *d =
            v.kind == LS_SITE_INVALIDATE ? ls_distance(&x->p->terms, v.mbarrier, init->address) : NULL;
        if (!d || !ls_is_const(d) || d->value || v.loop || v.position > s->position) continue;
        v.kind = LS_SITE_ACCESS;
        v.address = v.mbarrier;
        v.size = 8;
        v.base = init->base;
        v.writes = true;
        if (ls_are_ordered(x, &v, s)) return true;
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
            bool user = ls_uses_mbarrier(s) && s->ticket.object == a->object;
            if (user && !is_behind_init(x, a, s))
                return ls_not_known(x, s->instr, "no proof that the mbarrier is initialised before this");
            if ((s->kind != LS_SITE_ACCESS && !ls_is_copy(s)) || !ls_same_object(x->p, s->base, a->base))
                continue;
            const ls_term *d = ls_distance(t, s->address, a->address);
            if (!ls_never(x, (const ls_term *[]){s->when, ls_overlap(t, d, s->size, 8)}, 2) &&
                !is_behind_invalid(x, a, s))
                return ls_not_known(x, s->instr, "no proof that this does not overwrite an mbarrier");
        }
    }
    return true;
}

/* Asked last: libraries leave it out, and where it is all that is missing, that is worth to be known. */
static bool check_init_fences(ls_protocol *x) {
    for (uint32_t i = 0; i < x->inits.length; i++)
        for (uint32_t k = 0; k < x->sites.length; k++) {
            const ls_mbarrier_init *a = &x->inits.items[i];
            const ls_site *s = &x->sites.items[k];
            const bool user = s->kind == LS_SITE_COPY_IN && s->ticket.object == a->object;
            if (!user || has_init_fence(x, a, s)) continue;
            x->help = "put fence.mbarrier_init.release.cluster after mbarrier.init";
            return ls_not_known(
                x, s->instr,
                "everything is proved except that no fence makes the mbarrier's initialisation "
                "visible to the copy");
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

/* The condition on which the site's one thread comes there, as its waits before are over. */
static const ls_term *when_of_one(const ls_protocol *x, const ls_site *s) {
    return ls_past_waits(x, ls_for_thread(x, s->when, ls_first_thread(s)));
}

/* One thread reaches the first, another one the second, in the same iterations. */
static bool go_side_by_side(const ls_protocol *x, const ls_site *a, const ls_site *b) {
    ls_terms *t = &x->p->terms;
    if (a->loop != b->loop || a->thread_count != 1 || b->thread_count != 1) return false;
    const ls_term *one = when_of_one(x, a), *other = when_of_one(x, b);
    return ls_is_common(x, a, one) && ls_is_common(x, b, other) &&
           ls_never(x, (const ls_term *[]){one, ls_not(t, other)}, 2) &&
           ls_never(x, (const ls_term *[]){other, ls_not(t, one)}, 2);
}

/* Both are reached by the same threads in the same iterations. */
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
            if (u->thread_count != 1 || (!go_together(x, u, c) && !go_side_by_side(x, u, c)))
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
    ls_site_parts parts;
    ls_divide(x, w, &parts);
    bool awaited = parts.count > 1;
    for (uint32_t i = 0; i < parts.count && awaited; i++) awaited = is_awaited(x, &parts.parts[i]);
    return awaited;
}

/* The wait that a look at its phase stands in front of; another site itself. */
static const ls_site *wait_of(const ls_protocol *x, const ls_site *s) {
    for (uint32_t i = 0; i < x->sites.length && s->kind == LS_SITE_PEEK; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind == LS_SITE_WAIT && w->loop == s->loop && same_ticket(w->ticket, s->ticket)) return w;
    }
    return s;
}

static bool check_phases(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        int64_t stages = ls_uses_mbarrier(s) ? x->objects.items[s->ticket.object].stages : 1;
        if ((s->kind == LS_SITE_ARRIVE && !is_alone(x, s)) || s->kind == LS_SITE_COPY_IN ||
            s->kind == LS_SITE_JOIN)
            if (!knows_last_phase(x, s))
                return ls_not_known(x, s->instr, "no proof that the phase before this one has completed");
        const bool asks = s->kind == LS_SITE_WAIT || s->kind == LS_SITE_PEEK;
        if (!asks || s->named || (!s->ticket.step && s->ticket.offset < 0)) continue; /* it cannot miss one */
        const ls_site *wait = wait_of(x, s);
        if (!knows_last_phase(x, s) && !(s->ticket.step == 1 && ls_was_there(x, wait, s, (uint64_t)stages) &&
                                         ls_holds_from_start(x, wait, s, (uint64_t)stages, LS_NO_OBJECT)))
            return ls_not_known(x, s->instr, "no proof that the phase before the awaited one has completed");
        if (!is_awaited(x, s) && !is_awaited_in_parts(x, s))
            return ls_not_known(
                x, s->instr, "no proof that the next phase does not complete as well before this wait ends");
    }
    return true;
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

bool ls_has_tickets(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++)
        if (ls_is_ticketed(p->f->instrs[i])) return true;
    return false;
}

/* Where the last use of the mbarrier that is made invalid stands: of any, where it is not known which. */
static uint64_t last_use(const ls_protocol *x, const ls_site *v) {
    uint64_t end = 0;
    uint32_t object = LS_NO_OBJECT;
    for (uint32_t i = 0; i < x->inits.length; i++) {
        const ls_term *d = ls_distance(&x->p->terms, v->mbarrier, x->inits.items[i].address);
        if (ls_is_const(d) && !d->value) object = x->inits.items[i].object;
    }
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        const bool use = ls_uses_mbarrier(s) && (object == LS_NO_OBJECT || s->ticket.object == object);
        if (use && s->position > end) end = s->position;
    }
    return end;
}

/* An mbarrier is made invalid behind a barrier of the block that lies behind all use of it. */
static bool check_invalid(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        bool behind = s->kind != LS_SITE_INVALIDATE;
        const uint64_t end = behind ? 0 : last_use(x, s);
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

/* Groups of its thread are only waited for all together: then the ticket of an iteration that commits none is
 * over with the others. */
static bool is_awaited_with_all(const ls_protocol *x, const ls_site *commit) {
    bool all = commit->kind == LS_SITE_COMMIT;
    for (uint32_t i = 0; i < x->sites.length && all; i++) {
        const ls_site *w = &x->sites.items[i];
        all = w->kind != LS_SITE_GROUP_WAIT || w->unit != commit->unit || !w->bytes;
    }
    return all;
}

static bool check_commits(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        bool commits = c->kind == LS_SITE_COMMIT || c->kind == LS_SITE_UNIT_COMMIT;
        if (commits && c->loop && !is_awaited_with_all(x, c) && !ls_was_there(x, c, c, 1))
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

void ls_check_tickets(ls_proof *p, ls_proof *nested) {
    if (!ls_has_tickets(p)) return;
    ls_protocol x = {.p = p, .nested = nested};
    bool known = ls_read_protocol(&x) && check_inits(&x) && check_barriers(&x) && check_counts(&x) &&
                 check_bytes(&x) && check_commits(&x) && check_invalid(&x) && check_phases(&x) &&
                 ls_check_accesses(&x) && ls_check_ends(&x) && ls_check_global(&x) && ls_check_results(&x) &&
                 check_init_fences(&x);
    if (known) {
        p->ticketed = true;
        p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    } else {
        ls_unknown(p, x.where ? x.where->pos : NULL, x.help, "asynchronous operations: %s", x.trouble);
    }
    ls_protocol_free(&x);
}
