/* Spin locks: a word that is taken by an atomic operation which finds it free and leaves it taken
 * (compare-and-swap, exchange), and given back by one that writes what free is. It keeps two accesses apart
 * where each is reached only by who has taken the lock and has not given it back since, where nobody gives it
 * back who has not taken it, and fences stand on all ways in between: behind taking it, before giving it
 * back. What the word holds before the launch does not matter: where it is not free, nobody gets in. */
#include "verify/check/locks.h"
#include "verify/check/races.h"
#include "verify/check/signals.h"
#include "verify/check/ways.h"
#include "verify/execute/roots.h"
#include "verify/query/query.h"

enum { MOST_OPERATIONS = 16 };

/* The operations on one lock. */
typedef struct {
    ls_proof *p;
    ls_reach between;
    uint64_t free;
    const ls_event *takes[MOST_OPERATIONS], *gives[MOST_OPERATIONS];
    uint32_t take_count, give_count;
} lock;

/* What an operation that takes the lock finds where it does. */
static bool found_by(const ls_event *e, uint64_t *value) {
    const ls_ir_instr *i = e->access->instr;
    return ls_ptx_form_has(i->form, LS_MOD_CAS) && ls_constant_operand(&i->src[1], value);
}

/* Sorts all writes of the lock's memory; false where there are others. */
static bool find_operations(lock *l, const ls_event *take) {
    const ls_proof *p = l->p;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *w = &p->whole_events.items[i];
        uint64_t value, found;
        const ls_flag_use use = ls_flag_access(p, w, take, &value);
        if (use == LS_FLAG_APART || use == LS_FLAG_KEPT) continue;
        if (use == LS_FLAG_OTHER || !ls_is_signal(w, l->between)) return false;
        if (l->take_count == MOST_OPERATIONS || l->give_count == MOST_OPERATIONS) return false;
        if (value == l->free && !found_by(w, &found))
            l->gives[l->give_count++] = w;
        else if (value != l->free && (!found_by(w, &found) || found == l->free))
            l->takes[l->take_count++] = w;
        else
            return false;
    }
    return true;
}

static bool is_it(const void *data, const ls_ir_instr *i) {
    return i == data;
}

/* Who gets there has taken the lock by this operation, and not given it back since. */
static bool is_held(const lock *l, const ls_event *take, const ls_ir_instr *there) {
    ls_proof *p = l->p;
    const ls_ir_instr *t = take->access->instr;
    const ls_term *read = ls_value_read(p, take);
    if (!read || t->guard.kind != LS_IR_ABSENT || !ls_instr_dominates(t, there)) return false;
    const ls_term *is_free = ls_eq(&p->terms, read, ls_const(&p->terms, read->width, l->free));
    if (!ls_is_implied(p, take, ls_way_condition(p, t, there), is_free)) return false;
    const ls_obstacle again = {is_it, t};
    for (uint32_t i = 0; i < l->give_count; i++)
        if (ls_way_exists(p, l->gives[i]->access->instr, there, &again)) return false;
    return true;
}

/* By whom it was taken, at the same address. */
static bool are_given_by_holders(const lock *l) {
    for (uint32_t i = 0; i < l->give_count; i++) {
        bool held = false;
        for (uint32_t k = 0; k < l->take_count && !held; k++)
            held = l->takes[k]->address == l->gives[i]->address &&
                   is_held(l, l->takes[k], l->gives[i]->access->instr);
        if (!held) return false;
    }
    return true;
}

/* The operation under which the access stands, with the fences; NULL: none. */
static const ls_event *guard_of(const lock *l, const ls_event *e) {
    const ls_ir_instr *i = e->access->instr;
    for (uint32_t n = 0; n < l->give_count; n++)
        if (!ls_is_released(l->p, i, l->gives[n]->access->instr, l->between)) return NULL;
    for (uint32_t k = 0; k < l->take_count; k++)
        if (is_held(l, l->takes[k], i) && ls_is_acquired(l->p, l->takes[k]->access->instr, i, l->between))
            return l->takes[k];
    return NULL;
}

/* Where the two meet, it is one lock. */
static bool is_same_lock(ls_proof *p, const ls_event *a, const ls_event *b, const ls_event *of_a,
                         const ls_event *of_b, bool same_block) {
    ls_terms *t = &p->terms;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = same_block, .a = a->node->block, .b = b->node->block});
    ls_query_add(&q, 1, a->when, a->address);
    ls_query_add(&q, 2, b->when, b->address);
    ls_query_add(&q, 1, ls_true(t), of_a->address);
    ls_query_add(&q, 2, ls_true(t), of_b->address);
    ls_query_places(&q, a, b);
    ls_query_distinct(&q);
    const ls_term *d = ls_distance(t, ls_query_term(&q, 1, a->address), ls_query_term(&q, 2, b->address));
    ls_query_claim(&q, ls_overlap(t, d, a->size, b->size));
    d = ls_distance(t, ls_query_term(&q, 1, of_a->address), ls_query_term(&q, 2, of_b->address));
    ls_query_claim(&q, ls_not(t, ls_eq(t, d, ls_const(t, d->width, 0))));
    bool same = ls_query_ask(&q, (ls_question){LS_AIM_PROOF}) == LS_UNSAT;
    ls_query_end(&q);
    return same;
}

bool ls_is_locked(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *take = &p->whole_events.items[i];
        uint64_t free = 0;
        lock l = {.p = p, .between = same_block ? LS_REACH_BLOCK : LS_REACH_GPU};
        if (take->access->kind != LS_ACCESS_ATOMIC || !ls_is_lockable(take)) continue;
        if (!ls_instr_dominates(take->access->instr, a->access->instr) &&
            !ls_instr_dominates(take->access->instr, b->access->instr))
            continue;
        if (found_by(take, &free)) l.free = free;
        if (!find_operations(&l, take) || !l.take_count || !are_given_by_holders(&l)) continue;
        const ls_event *of_a = guard_of(&l, a), *of_b = guard_of(&l, b);
        if (of_a && of_b && is_same_lock(p, a, b, of_a, of_b, same_block)) return true;
    }
    return false;
}
