/* Groups of bulk copies out of shared memory. They belong to the thread that commits them: commits and waits
 * of a thread that copies nothing say nothing, as where all threads of a block reach them and one elected
 * lane has copied (Triton's epilogues). So every copy, commit and wait is taken apart into those of the
 * single threads that copy, and each of these has its own groups 0, 1, 2, … */
#include "verify/check/bulk_groups.h"
#include "verify/check/ticket_order.h"
#include "verify/execute/lower.h"

#include <string.h>

/* --- Threads ---------------------------------------------------------------------------------------------
 */

static bool is_of_groups(const ls_site *s) {
    return s->kind == LS_SITE_COPY_OUT || s->kind == LS_SITE_COMMIT || s->kind == LS_SITE_GROUP_WAIT;
}

static bool find_copiers(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        for (uint32_t n = 0; n < LS_MOST_THREADS && s->kind == LS_SITE_COPY_OUT; n++) {
            bool known = !(s->threads[n / 64] >> n % 64 & 1);
            for (uint32_t c = 0; c < x->copier_count; c++) known |= x->copiers[c] == n;
            if (known) continue;
            if (x->copier_count == LS_MOST_UNITS)
                return ls_not_known(
                    x, s->instr, "copies out of shared memory by more than eight threads are not modelled");
            x->copiers[x->copier_count++] = n;
        }
    }
    return true;
}

static ls_site of_copier(const ls_protocol *x, const ls_site *s, uint32_t unit) {
    const uint32_t thread = x->copiers[unit];
    ls_site part = *s;
    part.unit = unit;
    if (s->thread_count == 1) return part;
    memset(part.threads, 0, sizeof part.threads);
    part.threads[thread / 64] = UINT64_C(1) << thread % 64;
    part.thread_count = 1;
    part.when = ls_and(&x->p->terms, s->when, ls_is_thread(x, thread));
    return part;
}

bool ls_split_groups(ls_protocol *x) {
    if (!find_copiers(x)) return false;
    ls_protocol old = {.sites = x->sites};
    memset(&x->sites, 0, sizeof x->sites);
    for (uint32_t i = 0; i < old.sites.length; i++) {
        const ls_site *s = &old.sites.items[i];
        if (!is_of_groups(s)) LS_VEC_PUSH(&x->sites, *s);
        for (uint32_t c = 0; c < x->copier_count && is_of_groups(s); c++) {
            const ls_site part = of_copier(x, s, c);
            if (ls_is_there(s, x->copiers[c])) LS_VEC_PUSH(&x->sites, part);
        }
    }
    LS_VEC_FREE(&old.sites);
    return true;
}

/* --- Numbers ---------------------------------------------------------------------------------------------
 */

static uint32_t new_object(ls_protocol *x, ls_tickets_kind kind) {
    ls_ticket_object o = {.kind = (uint8_t)kind, .stages = 1};
    LS_VEC_PUSH(&x->objects, o);
    return x->objects.length - 1;
}

/* Those in no loop in their order, one in a loop by its iterations. */
bool ls_number_groups(ls_protocol *x) {
    for (uint32_t unit = 0; unit < x->copier_count; unit++) {
        int64_t commits = 0;
        bool in_loop = false;
        x->read[unit] = new_object(x, LS_TICKETS_READ);
        x->group[unit] = new_object(x, LS_TICKETS_GROUP);
        for (uint32_t i = 0; i < x->sites.length; i++) {
            ls_site *s = &x->sites.items[i];
            if (s->kind != LS_SITE_COMMIT || s->unit != unit) continue;
            if (in_loop || (s->loop && commits))
                return ls_not_known(x, s->instr, "groups of several places and a loop are not modelled");
            in_loop |= s->loop != NULL;
            s->ticket = (ls_ticket){x->group[unit], s->loop != NULL, s->loop ? -s->first : commits};
            commits++;
        }
    }
    return true;
}

/* No commit in front of the wait is left out, so that those which may stay open can be counted. */
static bool always_commits(const ls_protocol *x, const ls_site *commit, const ls_site *wait) {
    ls_terms *t = &x->p->terms;
    if (commit->loop != wait->loop) return false;
    if (commit->position > wait->position) return !commit->loop || ls_was_there(x, commit, wait, 1);
    const ls_term *k = ls_site_counter(x, commit), *from = ls_true(t);
    if (k) from = ls_not(t, ls_ult(t, k, ls_const(t, 64, (uint64_t)commit->first)));
    return ls_never(x, (const ls_term *[]){wait->when, from, ls_not(t, commit->when)}, 3);
}

bool ls_last_group(const ls_protocol *x, const ls_site *wait, ls_ticket *at) {
    const ls_site *commit = NULL;
    int64_t left = (int64_t)wait->bytes, before = 0;
    const uint32_t object = x->group[wait->unit];
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *c = &x->sites.items[i];
        if (c->kind != LS_SITE_COMMIT || c->unit != wait->unit) continue;
        commit = c;
        before += c->position < wait->position;
        if (left && !always_commits(x, c, wait)) return false;
    }
    *at = (ls_ticket){object, false, before - 1 - left};
    if (!commit) return false;
    if (commit->loop && commit->loop == wait->loop)
        *at = (ls_ticket){object, true, commit->ticket.offset - (commit->position > wait->position) - left};
    else if (commit->loop && before && !left && !wait->loop)
        at->offset = LS_LAST_TICKET;
    else if (commit->loop || wait->loop)
        return false;
    return true;
}
