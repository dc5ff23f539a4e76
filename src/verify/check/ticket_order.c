/* What is known to be over at a site, and by which ticket what happens at a site is over. Who waits for a
 * ticket knows it to be over, and with it all that each of those who arrived for it knew then, and so on. */
#include "verify/check/ticket_order.h"
#include "verify/check/bulk_groups.h"
#include "verify/check/flights.h"
#include "verify/check/ticket_reach.h"
#include "verify/execute/lower.h"

/* --- Before ----------------------------------------------------------------------------------------------
 */

/* Both in the same loop or in none, or the later one in a loop that comes behind. */
static bool is_ahead(const ls_site *earlier, const ls_site *later) {
    return earlier->position < later->position && (earlier->loop == later->loop || !earlier->loop);
}

/* `thread`: of this thread only; LS_NO_OBJECT: of all. */
static bool always_before(const ls_protocol *x, const ls_site *earlier, const ls_site *later,
                          uint32_t thread) {
    ls_terms *t = &x->p->terms;
    if (!is_ahead(earlier, later)) return false;
    const ls_term *missed = ls_not(t, earlier->when), *needed = ls_true(t);
    ls_ticket at = earlier->ticket;
    bool groups = earlier->kind == LS_SITE_GROUP_WAIT || earlier->kind == LS_SITE_UNIT_WAIT;
    if (earlier->kind == LS_SITE_GROUP_WAIT && !ls_last_group(x, earlier, &at)) return false;
    if (groups && at.object == LS_NO_OBJECT) return false;
    if (earlier->kind == LS_SITE_WAIT || (groups && at.step)) { /* one for what is before the first is none */
        const ls_term *ticket = ls_ticket_term(x, at, ls_site_counter(x, earlier));
        needed = ls_not(t, ls_slt(t, ticket, ls_const(t, 64, 0)));
    }
    return ls_never(x, (const ls_term *[]){later->when, missed, needed, ls_is_thread(x, thread)}, 4);
}

bool ls_always_before(const ls_protocol *x, const ls_site *earlier, const ls_site *later) {
    return always_before(x, earlier, later, LS_NO_OBJECT);
}

typedef struct {
    const ls_protocol *x;
    const ls_ir_loop *loop;
    const ls_term *counter, *then;
    bool known;
} past;

/* An iteration that was gone through: its waits were over. */
static const ls_term *as_then(ls_subst *subst, const ls_term *symbol) {
    past *t = subst->data;
    if (symbol == t->counter) return t->then;
    if (ls_is_wait_over(subst->ctx, symbol)) return ls_true(subst->ctx);
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    bool before =
        sym->kind == LS_SYM_COUNT && !ls_ir_loop_contains(t->loop, ((const ls_ir_loop *)sym->key)->header);
    t->known &= sym->kind == LS_SYM_INPUT || before; /* a loop that was left before this one */
    return symbol;
}

bool ls_was_there(const ls_protocol *x, const ls_site *s, const ls_site *later, uint64_t rounds) {
    ls_terms *t = &x->p->terms;
    const ls_term *k = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL;
    if (!k) return false;
    const ls_term *ago = ls_const(t, k->width, rounds);
    past then = {x, s->loop, k, ls_sub(t, k, ago), true};
    ls_subst subst = {.ctx = t, .replace = as_then, .data = &then};
    const ls_term *was = ls_substitute(&subst, s->when), *needed = ls_not(t, ls_ult(t, k, ago));
    ls_subst_free(&subst);
    /* the first iteration that matters */
    bool waits = s->kind == LS_SITE_WAIT || (s->kind == LS_SITE_UNIT_WAIT && s->ticket.step);
    int64_t first = waits ? (s->ticket.step - 1 - s->ticket.offset) / s->ticket.step : s->first;
    if (first > 0)
        needed = ls_and(t, needed, ls_not(t, ls_ult(t, then.then, ls_const(t, k->width, (uint64_t)first))));
    return then.known && ls_never(x, (const ls_term *[]){later->when, needed, ls_not(t, was)}, 3);
}

/* --- Knowing ---------------------------------------------------------------------------------------------
 */

static bool is_over(const ls_protocol *x, ls_ticket known, ls_ticket asked) {
    if (known.offset == LS_LAST_TICKET || asked.offset == LS_LAST_TICKET)
        return known.object == asked.object && known.offset == asked.offset;
    int64_t d = known.offset - asked.offset, stages = x->objects.items[known.object].stages;
    return known.object == asked.object && known.step == asked.step && d >= 0 && d % stages == 0;
}

static void learn(const ls_protocol *x, ls_ticket_set *set, ls_ticket ticket) {
    for (uint32_t i = 0; i < set->count; i++)
        if (is_over(x, set->items[i], ticket)) return;
    if (set->count < LS_MOST_KNOWN) set->items[set->count++] = ticket;
}

static void learn_groups(const ls_protocol *x, const ls_site *wait, ls_ticket_set *set) {
    ls_ticket at;
    if (!ls_last_group(x, wait, &at)) return;
    if (!wait->reads_only) learn(x, set, at);
    at.object = x->read[wait->unit];
    learn(x, set, at);
}

static bool dominates(const ls_site *a, const ls_site *b) {
    return a->node->block == b->node->block ? a->position < b->position
                                            : ls_ir_dominates(a->node->block, b->node->block);
}

static void learn_barrier(const ls_protocol *x, const ls_site *b, const ls_site *s, ls_ticket_set *set) {
    bool passed = b->position < s->position && dominates(b, s);
    ls_ticket at = b->ticket;
    if (!b->loop && !passed) return;
    if (b->loop && b->loop != s->loop && (b->position > s->position)) return;
    if (b->loop && b->loop == s->loop)
        at.offset = passed ? 0 : -1;
    else if (b->loop)
        at = (ls_ticket){at.object, false, LS_LAST_TICKET};
    learn(x, set, at);
}

/* Behind such a wait in front of the loop, the thread knows that the ticket is over. */
static bool was_waited_for(const ls_protocol *x, ls_ticket ticket, const ls_site *s, uint32_t thread) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w->kind == LS_SITE_WAIT && !w->loop && is_over(x, w->ticket, ticket) &&
            always_before(x, w, s, thread))
            return true;
    }
    return false;
}

bool ls_holds_from_start(const ls_protocol *x, const ls_site *w, const ls_site *s, uint64_t ago,
                         uint32_t thread) {
    for (int64_t j = -1; j >= -(int64_t)ago; j--) {
        const ls_ticket at = {w->ticket.object, 0, w->ticket.offset + w->ticket.step * j};
        if (at.offset < 0) return true;
        if (w->kind != LS_SITE_WAIT || !was_waited_for(x, at, s, thread)) return false;
    }
    return true;
}

/* Waits in the iterations before, as far as those of this one say nothing of them. */
static void learn_earlier(const ls_protocol *x, const ls_site *w, const ls_site *s, uint32_t thread,
                          ls_ticket_set *set) {
    const bool behind = w->position > s->position;
    if (!w->loop || w->loop != s->loop || w->ticket.object == LS_NO_OBJECT || !w->ticket.step) return;
    const uint64_t stages = x->objects.items[w->ticket.object].stages;
    for (uint64_t ago = 1; ago < stages + behind; ago++)
        if (ls_was_there(x, w, s, ago) && ls_holds_from_start(x, w, s, ago, thread))
            learn(x, set,
                  (ls_ticket){w->ticket.object, w->ticket.step,
                              w->ticket.offset - (int64_t)ago * w->ticket.step});
}

/* Who comes from there knows that a ticket is over. */
static bool tells(const ls_site *w) {
    return w->kind == LS_SITE_WAIT || w->kind == LS_SITE_GROUP_WAIT || w->kind == LS_SITE_UNIT_WAIT ||
           (w->kind == LS_SITE_LANES && !w->silent);
}

/* Without what others knew. any: what one of the threads knows that come there, as all of them do. */
static void know_directly(const ls_protocol *x, const ls_site *s, bool any, ls_ticket_set *set) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *w = &x->sites.items[i];
        if (w == s) continue;
        if (w->kind == LS_SITE_BARRIER) learn_barrier(x, w, s, set);
        if (!tells(w) || (w->kind == LS_SITE_LANES && !any && !ls_threads_within(s, w))) continue;
        uint32_t one = any ? ls_common_thread(w, s) : LS_NO_OBJECT;
        if (any && one == LS_NO_OBJECT) continue;
        if (w->kind != LS_SITE_GROUP_WAIT) learn_earlier(x, w, s, one, set);
        if (!always_before(x, w, s, one)) continue;
        if (w->kind == LS_SITE_GROUP_WAIT)
            learn_groups(x, w, set);
        else
            learn(x, set, w->ticket);
    }
}

static bool is_arrival(const ls_site *u, uint32_t object, bool silent) {
    bool arrives = ((u->kind == LS_SITE_ARRIVE || u->kind == LS_SITE_LANES) && (silent || !u->silent)) ||
                   u->kind == LS_SITE_BARRIER;
    return arrives && u->ticket.object == object;
}

/* Those who arrive for the ticket in no loop know that the other one is over; neither moves. */
static bool is_known_outside(const ls_protocol *x, ls_ticket ticket, ls_ticket asked, bool silent) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        if (!is_arrival(u, ticket.object, silent) || u->ticket.step || u->ticket.offset != ticket.offset)
            continue;
        ls_ticket_set theirs = {.count = 0};
        know_directly(x, u, true, &theirs);
        for (uint32_t k = 0; k < theirs.count; k++)
            if (is_over(x, theirs.items[k], asked)) return true;
    }
    return false;
}

/* What is known at `u` is so before its first iteration, too: there is nothing that was to be waited for, or
 * those know it who arrive for the tickets below u's first one, in front of the loop (a first step of the
 * loop that stands in front of it). */
static bool is_known_before_first(const ls_protocol *x, const ls_site *u, ls_ticket known, bool silent) {
    if (!known.step) return false;
    for (int64_t j = u->first - 1; known.offset + known.step * j >= 0; j--) {
        const ls_ticket at = {u->ticket.object, 0, u->ticket.offset + u->ticket.step * j};
        const ls_ticket asked = {known.object, 0, known.offset + known.step * j};
        if (at.offset < 0 || !is_known_outside(x, at, asked, silent)) return false;
    }
    return true;
}

/* What those who arrive at `u` for the ticket know, in terms of the counter that the ticket is in. */
static void ask_arriver(const ls_protocol *x, ls_ticket ticket, const ls_site *u, bool silent,
                        ls_ticket_set *set) {
    int64_t ahead = 0; /* u's iteration is the counter's + ahead, or `ahead` itself */
    if (ticket.offset == LS_LAST_TICKET) return;
    if (!u->ticket.step && (ticket.step || ticket.offset != u->ticket.offset)) return;
    if (u->ticket.step && !ls_has_ticket(u, ticket, &ahead)) return;
    if (!ticket.step && u->ticket.step && ahead < u->first) return;
    ls_ticket_set theirs = {.count = 0};
    know_directly(x, u, true, &theirs);
    for (uint32_t i = 0; i < theirs.count; i++) {
        ls_ticket k = theirs.items[i];
        if (k.offset == LS_LAST_TICKET && x->objects.items[k.object].kind != LS_TICKETS_UNIT) continue;
        bool always = !ticket.step || ahead >= u->first;
        if (!always && !is_known_before_first(x, u, k, silent)) continue;
        if (k.offset != LS_LAST_TICKET) k.offset += k.step * ahead;
        if (!ticket.step) k.step = 0;
        learn(x, set, k);
    }
}

/* silent: also by arrivals that say nothing of their thread, where it is only asked what comes first. */
static void know(const ls_protocol *x, const ls_site *s, bool silent, ls_ticket_set *known) {
    known->count = 0;
    know_directly(x, s, false, known);
    for (uint32_t i = 0; i < known->count; i++)
        for (uint32_t u = 0; u < x->sites.length; u++)
            if (is_arrival(&x->sites.items[u], known->items[i].object, silent))
                ask_arriver(x, known->items[i], &x->sites.items[u], silent, known);
}

void ls_known_at(const ls_protocol *x, const ls_site *s, ls_ticket_set *known) {
    know(x, s, false, known);
}

void ls_over_at(const ls_protocol *x, const ls_site *s, ls_ticket_set *over) {
    know(x, s, true, over);
}

/* --- Covering --------------------------------------------------------------------------------------------
 */

/* A fence of the same threads lies behind the site, in front of the arrival, which is in the next iteration
 * where it does not come behind. */
static bool is_fenced(const ls_protocol *x, const ls_site *s, const ls_site *u) {
    const uint64_t end = u->position > s->position ? u->position : UINT64_MAX;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *f = &x->sites.items[i];
        ls_terms *t = &x->p->terms;
        if (f->kind != LS_SITE_FENCE || f->position < s->position || f->position > end) continue;
        bool comes = !f->loop && end != UINT64_MAX &&
                     f->instr->guard.kind == LS_IR_ABSENT; /* whatever loops lie between */
        if (comes && ls_ir_postdominates(f->node->block, s->node->block)) return true;
        if (f->loop == s->loop && ls_never(x, (const ls_term *[]){s->when, ls_not(t, f->when)}, 2))
            return true;
        /* each time before the threads arrive, in a loop behind the site */
        if (f->loop && f->loop != s->loop && f->loop == u->loop && ls_always_before(x, f, u)) return true;
    }
    return false;
}

/* The next arrival at `u` behind the site, in the same loop, is that of the iteration or of the next one; or
 * it is the first of all, and no ticket is below its own. */
static bool has_come_to_first(const ls_protocol *x, const ls_site *s, const ls_site *u, bool behind) {
    ls_terms *t = &x->p->terms;
    if (!u->first || u->ticket.offset + u->ticket.step * u->first <= 0) return true;
    const ls_term *early = ls_const(t, 64, (uint64_t)(u->first - !behind));
    return ls_never(x, (const ls_term *[]){s->when, ls_ult(t, ls_site_counter(x, s), early)}, 2);
}

/* The ticket that a site arrives for; the group of a product is not over before all four warps have started
 * it. */
static bool arrives_for(const ls_protocol *x, const ls_site *u, bool silent, ls_ticket *at) {
    *at = u->ticket;
    if (u->kind == LS_SITE_BARRIER) return true;
    if (u->kind == LS_SITE_ARRIVE || u->kind == LS_SITE_LANES) return silent || !u->silent;
    const ls_site *commit = silent && u->kind == LS_SITE_PRODUCT && !u->first ? ls_commit_of(x, u) : NULL;
    if (commit) *at = commit->ticket;
    return commit != NULL;
}

/* silent: as above. */
static void cover(const ls_protocol *x, const ls_site *s, bool fenced, bool silent, ls_ticket_set *covers) {
    covers->count = 0;
    for (uint32_t i = 0; i < x->sites.length && covers->count < LS_MOST_KNOWN; i++) {
        const ls_site *u = &x->sites.items[i];
        ls_ticket at = {0};
        if (u == s || !arrives_for(x, u, silent, &at)) continue;
        if (u->kind != LS_SITE_BARRIER && !ls_threads_within(s, u)) continue;
        bool same = u->loop && u->loop == s->loop, behind = u->position > s->position;
        if (!same && !behind) continue;
        if (fenced && !is_fenced(x, s, u)) continue;
        if (same && !has_come_to_first(x, s, u, behind)) continue;
        if (same)
            at.offset += behind ? 0 : at.step; /* in the next iteration */
        else
            at = (ls_ticket){at.object, 0, at.offset + at.step * u->first};
        covers->items[covers->count++] = at;
        if (!same || !u->first || covers->count == LS_MOST_KNOWN) continue;
        at.offset += at.step * u->first; /* in its first iterations a thread does not arrive, but later */
        covers->items[covers->count++] = at;
    }
}

void ls_covered_by(const ls_protocol *x, const ls_site *s, bool fenced, ls_ticket_set *covers) {
    cover(x, s, fenced, false, covers);
}

void ls_followed_by(const ls_protocol *x, const ls_site *s, ls_ticket_set *covers) {
    cover(x, s, false, true, covers);
}

/* Who reaches the site reaches the other one behind it, in the same iteration of the loop around both. */
static bool goes_on_to(const ls_protocol *x, const ls_site *s, const ls_site *then) {
    const ls_ir_block *to = then->node->block;
    if (then->position < s->position || (then->loop && then->loop != s->loop)) return false;
    if (ls_never(x, (const ls_term *[]){s->when, ls_not(&x->p->terms, then->when)}, 2) &&
        then->loop == s->loop)
        return true;
    if (then->instr->guard.kind != LS_IR_ABSENT) return false;
    return ls_always_goes_to(x->p->f, s->node->block, to, then->loop); /* whatever loops lie between */
}

void ls_joined_by(const ls_protocol *x, const ls_site *s, ls_ticket_set *covers) {
    covers->count = 0;
    for (uint32_t i = 0; i < x->sites.length && covers->count < LS_MOST_KNOWN; i++) {
        const ls_site *j = &x->sites.items[i];
        if (j->kind == LS_SITE_JOIN && ls_threads_within(s, j) && goes_on_to(x, s, j))
            covers->items[covers->count++] = j->ticket;
    }
}

/* --- Groups ----------------------------------------------------------------------------------------------
 */

const ls_site *ls_commit_of(const ls_protocol *x, const ls_site *s) {
    const ls_site *commit = NULL;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        const bool product = s->kind == LS_SITE_PRODUCT;
        bool meant = c->kind == (product ? LS_SITE_UNIT_COMMIT : LS_SITE_COMMIT) && c->unit == s->unit;
        if (meant && c->loop == s->loop && c->position > s->position && !commit) commit = c;
    }
    ls_terms *t = &x->p->terms;
    return commit && ls_never(x, (const ls_term *[]){s->when, ls_not(t, commit->when)}, 2) ? commit : NULL;
}

/* --- Both ------------------------------------------------------------------------------------------------
 */

/* A loop that was left: barriers that every iteration crosses behind the site, and all groups. */
static bool is_last(const ls_protocol *x, const ls_site *covered, ls_ticket cover) {
    const ls_ticket_object *o = &x->objects.items[cover.object];
    if (o->kind == LS_TICKETS_READ || o->kind == LS_TICKETS_GROUP || o->kind == LS_TICKETS_UNIT) return true;
    if (o->kind != LS_TICKETS_LOOP || !cover.step || cover.offset) return false;
    const ls_site *b = &x->sites.items[o->barrier];
    return b->node->block == covered->node->block ||
           ls_ir_postdominates(b->node->block, covered->node->block);
}

const ls_term *ls_ticket_over(const ls_protocol *x, const ls_site *covered, ls_ticket cover,
                              const ls_term *counter, ls_ticket known, const ls_term *known_counter) {
    ls_terms *t = &x->p->terms;
    if (cover.object != known.object) return ls_false(t);
    if (known.offset == LS_LAST_TICKET) return is_last(x, covered, cover) ? ls_true(t) : ls_false(t);
    const ls_term *a = ls_ticket_term(x, cover, counter), *b = ls_ticket_term(x, known, known_counter);
    /* One before the first is not waited for, and says nothing. */
    const ls_term *over = ls_not(t, ls_or(t, ls_slt(t, b, a), ls_slt(t, b, ls_const(t, 64, 0))));
    uint64_t stages = x->objects.items[cover.object].stages;
    if (stages == 1) return over;
    const ls_term *rest = ls_binary(t, LS_T_UREM, ls_sub(t, b, a), ls_const(t, 64, stages));
    return ls_and(t, over, ls_eq(t, rest, ls_const(t, 64, 0)));
}
