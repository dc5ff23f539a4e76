/* With which tickets sites synchronise. An mbarrier site takes the elements of an array in turn: which ones
 * is read off the first iterations, and then proved for all of them. Arrivals are for one phase after the
 * other; a wait is for the phase that its parity names, or for that of the arrival whose state it has. */
#include "verify/check/ticket_numbers.h"
#include "verify/check/bulk_groups.h"
#include "verify/check/flights.h"
#include "verify/check/ticket_order.h"
#include "verify/execute/lower.h"

/* --- Arrays of mbarriers ---------------------------------------------------------------------------------
 */

static const ls_term *word(const ls_protocol *x, const ls_term *address) {
    return ls_resize(&x->p->terms, address, 32, false);
}

/* Which mbarrier the address is; LS_NO_OBJECT: none. */
static uint32_t init_at(const ls_protocol *x, const ls_term *address) {
    for (uint32_t i = 0; i < x->inits.length; i++) {
        const ls_term *d = ls_sub(&x->p->terms, word(x, address), word(x, x->inits.items[i].address));
        if (ls_is_const(d) && !d->value) return i;
    }
    return LS_NO_OBJECT;
}

/* The mbarriers of the first iterations in which it is reached, up to where they come again. */
static uint32_t find_cycle(const ls_protocol *x, const ls_site *s, uint32_t *cycle) {
    uint32_t count = 0;
    const ls_term *k = ls_counter_of(x->p, s->loop, x->p->whole->tag);
    for (uint64_t it = (uint64_t)s->first; k && it <= k->uhi && it < LS_MOST_ITERATIONS; it++) {
        uint32_t at = init_at(x, ls_in_iteration(x, s, s->mbarrier, it));
        if (at == LS_NO_OBJECT && count && ls_is_false(ls_in_iteration(x, s, s->when, it))) break;
        if (at == LS_NO_OBJECT || count == LS_MOST_STAGES)
            return at == LS_NO_OBJECT && it == k->uhi ? count : 0;
        if (count && at == cycle[0]) return count;
        cycle[count++] = at;
    }
    return count;
}

static bool make_object(ls_protocol *x, const ls_site *s, const uint32_t *cycle, uint32_t count) {
    ls_ticket_object o = {.kind = LS_TICKETS_MBARRIER, .stages = count};
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (cycle[i] < cycle[first]) first = i;
    for (uint32_t i = 0; i < count; i++) {
        ls_mbarrier_init *init = &x->inits.items[cycle[(first + i) % count]];
        if (init->object != LS_NO_OBJECT || init->count != x->inits.items[cycle[0]].count)
            return ls_not_known(x, s->instr, "mbarriers that are used in different orders are not modelled");
        init->object = x->objects.length;
        init->element = i;
        o.elements[i] = init->address;
        o.count = init->count;
    }
    LS_VEC_PUSH(&x->objects, o);
    return true;
}

/* The object of a site in a loop, and its element in the first iteration, or what would be that. */
static bool find_array(ls_protocol *x, ls_site *s) {
    uint32_t cycle[LS_MOST_STAGES], count = find_cycle(x, s, cycle);
    if (!count) return ls_not_known(x, s->instr, "it is not known which mbarrier this is");
    if (x->inits.items[cycle[0]].object == LS_NO_OBJECT && !make_object(x, s, cycle, count)) return false;
    const ls_mbarrier_init *init = &x->inits.items[cycle[0]];
    uint32_t stages = x->objects.items[init->object].stages;
    bool same = stages == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = x->inits.items[cycle[i]].object == init->object &&
               x->inits.items[cycle[i]].element == (init->element + i) % stages;
    if (!same)
        return ls_not_known(x, s->instr, "mbarriers that are used in different orders are not modelled");
    s->ticket = (ls_ticket){init->object, 1, (init->element + (stages - s->first % stages)) % stages};
    return true;
}

static bool find_element(ls_protocol *x, ls_site *s) {
    uint32_t at = init_at(x, s->mbarrier);
    if (at == LS_NO_OBJECT) return ls_not_known(x, s->instr, "it is not known which mbarrier this is");
    if (x->inits.items[at].object == LS_NO_OBJECT && !make_object(x, s, &at, 1)) return false;
    s->ticket = (ls_ticket){x->inits.items[at].object, 0, x->inits.items[at].element};
    return true;
}

/* --- Tickets ---------------------------------------------------------------------------------------------
 */

/* The ticket's element is the site's in every iteration. */
static bool holds_always(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    const ls_ticket_object *o = &x->objects.items[s->ticket.object];
    if (!s->ticket.step || o->named) return true;
    const ls_term *stages = ls_const(t, 64, o->stages);
    const ls_term *number = ls_add(t, ls_ticket_term(x, s->ticket, ls_site_counter(x, s)),
                                   ls_const(t, 64, 2 * (uint64_t)o->stages));
    const ls_term *element = ls_binary(t, LS_T_UREM, number, stages),
                  *at = word(x, o->elements[o->stages - 1]);
    for (uint32_t i = o->stages - 1; i-- > 0;)
        at = ls_ite(t, ls_eq(t, element, ls_const(t, 64, i)), word(x, o->elements[i]), at);
    const ls_term *wrong = ls_not(t, ls_eq(t, at, word(x, s->mbarrier)));
    return ls_never(x, (const ls_term *[]){s->when, wrong}, 2);
}

/* The phase's parity is what the wait asks for, in every iteration. */
static bool parity_holds(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    uint64_t stages = x->objects.items[s->ticket.object].stages;
    const ls_term *number =
        ls_add(t, ls_ticket_term(x, s->ticket, ls_site_counter(x, s)), ls_const(t, 64, 2 * stages));
    const ls_term *phase = ls_binary(t, LS_T_UDIV, number, ls_const(t, 64, stages));
    const ls_term *asked = ls_resize(t, ls_operand_of(x->p->whole, &s->instr->src[1]), 64, false);
    const ls_term *one = ls_const(t, 64, 1);
    const ls_term *same = ls_eq(t, ls_binary(t, LS_T_AND, phase, one), ls_binary(t, LS_T_AND, asked, one));
    return ls_never(x, (const ls_term *[]){s->when, ls_not(t, same)}, 2);
}

static bool same_threads(const ls_site *a, const ls_site *b) {
    return ls_threads_within(a, b) && ls_threads_within(b, a);
}

/* The other is a site of the same kind in the same loop, where the same threads take another ticket of the
 * same object in every iteration. */
static bool is_sibling(const ls_site *s, const ls_site *other) {
    return s->loop && other->kind == s->kind && other->loop == s->loop &&
           other->ticket.object == s->ticket.object && same_threads(s, other);
}

/* An mbarrier that is reached several times in one iteration: its tickets grow by as many. */
static bool find_steps(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        int64_t step = 0;
        if (u->kind != LS_SITE_ARRIVE || !u->loop) continue;
        ls_ticket_object *o = &x->objects.items[u->ticket.object];
        for (uint32_t k = 0; k < x->sites.length; k++) step += is_sibling(u, &x->sites.items[k]);
        if ((o->step && o->step != step) || (step > 1 && (o->stages > 1 || u->first)))
            return ls_not_known(
                x, u->instr,
                "an array of mbarriers of which one is used several times in an iteration is not modelled");
        o->step = step;
    }
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site *s = &x->sites.items[i];
        if (ls_is_at_mbarrier(s) && s->loop && x->objects.items[s->ticket.object].step)
            s->ticket.step = x->objects.items[s->ticket.object].step;
    }
    return true;
}

/* How often threads of the site have been at such sites for its mbarrier before, in no loop. */
static uint32_t count_before(const ls_protocol *x, const ls_site *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *o = &x->sites.items[i];
        uint32_t stages = o->ticket.object == LS_NO_OBJECT ? 1 : x->objects.items[o->ticket.object].stages;
        count += o->kind == s->kind && !o->loop && o->position < s->position &&
                 o->ticket.object == s->ticket.object &&
                 (uint32_t)((o->ticket.offset + stages) % stages) == (uint32_t)s->ticket.offset &&
                 ls_threads_meet(o, s);
    }
    return count;
}

/* A wait for the phase that an arrival of the same thread was for. */
static bool find_token(ls_protocol *x, ls_site *s) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        if (s->named && u->named && u->kind == LS_SITE_ARRIVE && u->instr == s->instr &&
            u->ticket.object == s->ticket.object && u->node == s->node) {
            s->ticket = u->ticket;
            return true;
        }
        if (s->named || u->named) continue;
        const ls_term *d =
            ls_sub(&x->p->terms, word(x, u->mbarrier ? u->mbarrier : s->mbarrier), word(x, s->mbarrier));
        if (u->instr != s->token || u->kind != LS_SITE_ARRIVE || u->loop != s->loop) continue;
        if (!ls_is_const(d) || d->value) break;
        s->ticket = u->ticket;
        return true;
    }
    return ls_not_known(x, s->instr, "it is not known which arrival returned the state that is waited for");
}

/* Arrivals are for one phase after the other; waits for the one that their parity names, of those that may be
 * meant.
 */
static bool find_phase(ls_protocol *x, ls_site *s) {
    int64_t stages = x->objects.items[s->ticket.object].stages, element = s->ticket.offset;
    int64_t before = count_before(x, s);
    for (uint32_t i = 0; i < x->sites.length; i++) /* in the same iteration */
        before += is_sibling(s, &x->sites.items[i]) && x->sites.items[i].position < s->position;
    if (s->kind == LS_SITE_ARRIVE) { /* the element of its first iteration, and on from there */
        int64_t start = (element + s->first) % stages;
        s->ticket.offset = start + before * stages - s->ticket.step * s->first;
        return holds_always(x, s) || ls_not_known(x, s->instr, "it is not known which mbarrier this is");
    }
    if (s->token) return find_token(x, s);
    for (int64_t less = 0; less < 2; less++) {
        s->ticket.offset = element + (before - less) * stages;
        if (!less && !holds_always(x, s)) break;
        if (parity_holds(x, s)) return true;
    }
    return ls_not_known(x, s->instr,
                        "the parity that is waited for does not alternate from one phase to the next");
}

/* A copy counts its bytes at the phase that somebody expects them for. */
static bool find_partner(ls_protocol *x, ls_site *s) {
    const ls_site *best = NULL;
    ls_ticket at = s->ticket;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *o = &x->sites.items[i];
        int64_t stages = x->objects.items[at.object].stages;
        if (o->kind != LS_SITE_ARRIVE || !o->bytes || o->loop != s->loop || o->ticket.object != at.object)
            continue;
        if ((o->ticket.offset - at.offset) % stages || o->ticket.step != at.step) continue;
        uint64_t d = o->position < s->position ? s->position - o->position : o->position - s->position;
        uint64_t b = !best                          ? UINT64_MAX
                     : best->position < s->position ? s->position - best->position
                                                    : best->position - s->position;
        if (d < b) best = o;
    }
    if (!best) return ls_not_known(x, s->instr, "no thread announces the bytes of this copy (expect_tx)");
    s->ticket = best->ticket;
    return holds_always(x, s) || ls_not_known(x, s->instr, "it is not known which mbarrier this is");
}

/* Copies of cp.async count for the phase that their thread arrives for next. */
static bool find_joined(ls_protocol *x, ls_site *s) {
    const ls_site *next = NULL;
    ls_terms *t = &x->p->terms;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        if (u->instr == s->instr && u->silent) { /* its own */
            next = u;
            break;
        }
        bool may = u->kind == LS_SITE_ARRIVE && u->loop == s->loop && u->ticket.object == s->ticket.object &&
                   u->position > s->position && ls_threads_meet(u, s);
        if (may && (!next || u->position < next->position)) next = u;
    }
    if (!next || !ls_threads_within(s, next) ||
        !ls_never(x, (const ls_term *[]){s->when, ls_not(t, next->when)}, 2))
        return ls_not_known(x, s->instr, "no proof that the thread then arrives for the same phase");
    const ls_term *d = ls_sub(t, word(x, next->mbarrier), word(x, s->mbarrier));
    s->ticket = next->ticket;
    return (s->ticket.step ? holds_always(x, s) : ls_is_const(d) && !d->value) ||
           ls_not_known(x, s->instr, "it is not known which mbarrier this is");
}

static uint32_t new_object(ls_protocol *x, ls_tickets_kind kind, uint32_t barrier) {
    ls_ticket_object o = {.kind = (uint8_t)kind, .stages = 1, .barrier = barrier};
    LS_VEC_PUSH(&x->objects, o);
    return x->objects.length - 1;
}

/* Barriers: those in no loop in their order, one in a loop by its iterations. */
static void number_barriers(ls_protocol *x) {
    int64_t barriers = 0;
    x->outside = new_object(x, LS_TICKETS_OUTSIDE, 0);
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site *s = &x->sites.items[i];
        if (s->kind == LS_SITE_BARRIER && !s->loop) s->ticket = (ls_ticket){x->outside, 0, barriers++};
        if (s->kind == LS_SITE_BARRIER && s->loop)
            s->ticket = (ls_ticket){new_object(x, LS_TICKETS_LOOP, i), 1, 0};
        if (s->kind == LS_SITE_LANES)
            s->ticket = (ls_ticket){new_object(x, LS_TICKETS_LANES, i), s->loop != NULL, 0};
    }
}

/* --- Products --------------------------------------------------------------------------------------------
 */

static bool is_of_unit(const ls_site *s, ls_site_kind kind, uint32_t unit) {
    return s->kind == kind && s->unit == unit;
}

/* Groups of products: those in front of a loop in their order, and on from there in its iterations. */
static bool number_commits(ls_protocol *x, uint32_t unit, uint32_t object, const ls_ir_loop **loop) {
    int64_t outside = 0, within = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        if (!is_of_unit(c, LS_SITE_UNIT_COMMIT, unit)) continue;
        if ((*loop && c->loop != *loop) || c->first)
            return ls_not_known(
                x, c->instr, "groups of matrix products from two loops, or after a loop, are not modelled");
        *loop = c->loop;
        outside += !c->loop;
        within += c->loop != NULL;
    }
    int64_t number = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) /* in the order of the kernel */
        if (is_of_unit(&x->sites.items[i], LS_SITE_UNIT_COMMIT, unit))
            x->sites.items[i].ticket = (ls_ticket){object, x->sites.items[i].loop ? within : 0, number++};
    x->objects.items[object].step = within;
    return number == outside + within;
}

/* No commit that is in front of the wait is left out, so that those which may stay open can be counted. */
static bool all_committed(const ls_protocol *x, const ls_site *w) {
    ls_terms *t = &x->p->terms;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        if (!is_of_unit(c, LS_SITE_UNIT_COMMIT, w->unit)) continue;
        bool behind = c->position > w->position;
        if (behind ? c->loop && c->loop == w->loop && !ls_was_there(x, c, w, 1)
                   : !ls_never(x, (const ls_term *[]){w->when, ls_not(t, c->when)}, 2))
            return false;
    }
    return true;
}

/* The last group that is over behind a wait. */
static void number_wait(const ls_protocol *x, ls_site *w, uint32_t object, const ls_ir_loop *loop) {
    int64_t before = 0, within = 0, all = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        if (!is_of_unit(c, LS_SITE_UNIT_COMMIT, w->unit)) continue;
        before += !c->loop && c->position < w->position;
        within += c->loop && c->position < w->position;
        all += !c->loop;
    }
    const int64_t left = (int64_t)w->bytes;
    bool in_loop = loop && w->loop == loop;
    w->ticket.object = LS_NO_OBJECT;
    if (loop && within && !in_loop) { /* the loop was left */
        if (!left) w->ticket = (ls_ticket){object, 0, LS_LAST_TICKET};
    } else if (!left || all_committed(x, w)) {
        if (in_loop)
            w->ticket = (ls_ticket){object, x->objects.items[object].step, all + within - 1 - left};
        else if (before - 1 - left >= 0)
            w->ticket = (ls_ticket){object, 0, before - 1 - left};
    }
}

static bool number_products(ls_protocol *x) {
    for (uint32_t unit = 0; unit < LS_MOST_UNITS; unit++) {
        const ls_ir_loop *loop = NULL;
        x->units[unit] = new_object(x, LS_TICKETS_UNIT, 0);
        if (!number_commits(x, unit, x->units[unit], &loop)) return false;
        for (uint32_t i = 0; i < x->sites.length; i++)
            if (is_of_unit(&x->sites.items[i], LS_SITE_UNIT_WAIT, unit))
                number_wait(x, &x->sites.items[i], x->units[unit], loop);
    }
    return true;
}

bool ls_number_sites(ls_protocol *x) {
    for (int in_loop = 1; in_loop >= 0; in_loop--)
        for (uint32_t i = 0; i < x->sites.length; i++) {
            ls_site *s = &x->sites.items[i];
            if (!ls_is_at_mbarrier(s) || (s->loop != NULL) != in_loop) continue;
            if (s->named) {
                s->ticket = (ls_ticket){s->ticket.object, in_loop, 0};
                continue;
            }
            if (!(in_loop ? find_array(x, s) : find_element(x, s))) return false;
        }
    if (!find_steps(x)) return false;
    for (int waits = 0; waits < 2; waits++) /* in the order of the kernel */
        for (uint32_t i = 0; i < x->sites.length; i++) {
            ls_site *s = &x->sites.items[i];
            if (s->kind == (waits ? LS_SITE_WAIT : LS_SITE_ARRIVE) && !find_phase(x, s)) return false;
        }
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site *s = &x->sites.items[i];
        if (s->kind == LS_SITE_COPY_IN && !find_partner(x, s)) return false;
        if (s->kind == LS_SITE_JOIN && !find_joined(x, s)) return false;
    }
    if (!ls_number_peeks(x)) return false;
    number_barriers(x);
    return ls_number_groups(x) && number_products(x);
}
