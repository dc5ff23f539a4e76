/* Order by releases and acquires (PTX manual, "Release and Acquire Patterns"), where it can be proved.
 *
 * A signal is a strong write of a constant to a flag. It hands over an access that the thread made before: no
 * way leads from the signal back to the access, and each from the access to the signal passes a fence, or the
 * signal releases by itself. A wait is a strong read of the flag, from which the second access is reached
 * only where the value read is one that such signals write, past a fence. Where the two accesses meet, the
 * first thread sends the signal to the place that the second one reads; nobody else sends one there; and the
 * flag has another value before the launch, which the scope says: then the value was this thread's, and the
 * first access comes before the second.
 *
 * The thread that signals, or waits, may be the block's first one for all its threads, with a barrier between
 * it and the accesses. Its fence is its own, on its side of the barrier: by the letter of the model barriers
 * are none, though the emulator takes them for such (emulate/check/release.c).
 *
 * A ticket is an increment by one thread of each block. Whoever draws the last number of the grid comes
 * behind all others; that it did may be told to its block through a shared variable. So does whoever reads
 * that all have drawn one: a barrier of the grid. Locks are in locks.c. */
#include "verify/check/handoff.h"
#include "isa/order.h"
#include "verify/check/again.h"
#include "verify/check/locks.h"
#include "verify/check/races.h"
#include "verify/check/signals.h"
#include "verify/check/told.h"
#include "verify/check/ways.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/query/query.h"

typedef struct {
    ls_proof *p;
    const ls_event *a, *b; /* the first is to come before the second */
    bool same_block;
    ls_reach between;
    ls_lacking *lacking; /* fences that are taken to be there; NULL: only those that are */
} handoff;

/* A side of it: done by the thread itself, or by the first of its block, behind or before a barrier. */
typedef struct {
    const ls_event *e;          /* the signal or the wait */
    const ls_ir_instr *barrier; /* NULL: the thread itself */
} side;

/* --- The block's first thread ----------------------------------------------------------------------------
 */

/* What the term is for the thread that does it. */
static const ls_term *for_side(ls_proof *p, const side *s, const ls_term *term) {
    return s->barrier ? ls_for_first(p, term) : term;
}

/* --- Signals and waits -----------------------------------------------------------------------------------
 */

static bool is_released(const handoff *h, const ls_ir_instr *from, const ls_ir_instr *signal) {
    if (ls_is_released(h->p, from, signal, h->between)) return true;
    if (h->lacking) h->lacking->before = signal;
    return h->lacking;
}

static bool is_acquired(const handoff *h, const ls_ir_instr *wait, const ls_ir_instr *to) {
    if (ls_is_acquired(h->p, wait, to, h->between)) return true;
    if (h->lacking) h->lacking->behind = wait;
    return h->lacking;
}

/* The signal comes behind the access of its thread, or block, and releases it. */
static bool sends(const handoff *h, const side *signal) {
    const ls_ir_instr *a = h->a->access->instr, *f = signal->e->access->instr;
    if (!ls_is_signal(signal->e, h->between)) return false;
    if (a == f) return !signal->barrier; /* a thread that has seen it is ordered after it */
    if (!signal->barrier) return !ls_way_exists(h->p, f, a, NULL) && is_released(h, a, f);
    const ls_ir_instr *bar = signal->barrier;
    return ls_instr_dominates(bar, f) && !ls_way_exists(h->p, bar, a, NULL) && is_released(h, bar, f);
}

/* Everyone who gets to the second access has waited before, or the first of its block has. */
static bool receives(const handoff *h, const side *wait) {
    const ls_ir_instr *b = h->b->access->instr, *r = wait->e->access->instr;
    if (!ls_is_signal(wait->e, h->between) || r->guard.kind != LS_IR_ABSENT) return false;
    if (!wait->barrier) return ls_instr_dominates(r, b) && is_acquired(h, r, b);
    return ls_instr_dominates(wait->barrier, b) && !ls_way_exists(h->p, wait->barrier, r, NULL) &&
           ls_must_pass(h->p, r, wait->barrier) && is_acquired(h, r, wait->barrier);
}

/* What holds of the value that was read, where the second access is made. */
static const ls_term *known_of(const handoff *h, const side *wait) {
    const ls_ir_instr *to = wait->barrier ? wait->barrier : h->b->access->instr;
    return for_side(h->p, wait, ls_way_condition(h->p, wait->e->access->instr, to));
}

/* Where the accesses meet, the signal is sent by the first thread (or its block) to where the second (or its
 * block) waits. */
static bool meets(const handoff *h, const side *signals, uint32_t count, const side *wait) {
    ls_proof *p = h->p;
    ls_terms *t = &p->terms;
    ls_query q;
    ls_query_begin(
        &q, (ls_view){.p = p, .same_block = h->same_block, .a = h->a->node->block, .b = h->b->node->block});
    ls_query_add(&q, 1, h->a->when, h->a->address);
    ls_query_add(&q, 2, h->b->when, h->b->address);
    ls_query_places(&q, h->a, h->b);
    ls_query_distinct(&q);
    const ls_term *d =
        ls_distance(t, ls_query_term(&q, 1, h->a->address), ls_query_term(&q, 2, h->b->address));
    ls_query_claim(&q, ls_overlap(t, d, h->a->size, h->b->size));
    const ls_term *there = ls_query_term(&q, 2, for_side(p, wait, wait->e->address));
    const ls_term *waits = wait->barrier ? ls_needed(p, wait->e->access->instr) : ls_true(t);
    for (uint32_t i = 0; i < count && waits; i++) {
        const ls_term *needed = ls_needed(p, signals[i].e->access->instr);
        const ls_term *address = for_side(p, &signals[i], signals[i].e->address);
        if (!needed || !ls_is_of_inputs(p, address)) continue;
        const ls_term *apart = ls_distance(t, ls_query_term(&q, 1, address), there);
        const ls_term *same = ls_eq(t, apart, ls_const(t, apart->width, 0));
        needed = ls_query_term(&q, 1, for_side(p, &signals[i], needed));
        ls_query_claim(&q, ls_not(t, ls_and(t, ls_query_term(&q, 2, for_side(p, wait, waits)),
                                            ls_and(t, needed, same))));
    }
    bool good = waits && ls_query_ask(&q, (ls_question){LS_AIM_PROOF}) == LS_UNSAT;
    ls_query_end(&q);
    return good;
}

/* Two threads (of different blocks, where one signals for its block) never send to the same place. */
static bool are_exclusive(ls_proof *p, const side *x, const side *y) {
    const ls_term *one = ls_needed(p, x->e->access->instr), *two = ls_needed(p, y->e->access->instr);
    bool apart = one && two;
    for (int same = 0; same < 2 && apart; same++) {
        if (same && x->barrier) continue;
        ls_query q;
        ls_query_begin(&q,
                       (ls_view){.p = p, .same_block = same, .a = x->e->node->block, .b = y->e->node->block});
        ls_query_add(&q, 1, one, x->e->address);
        ls_query_add(&q, 2, two, y->e->address);
        ls_query_distinct(&q);
        const ls_term *d =
            ls_distance(&p->terms, ls_query_term(&q, 1, x->e->address), ls_query_term(&q, 2, y->e->address));
        ls_query_claim(&q, ls_eq(&p->terms, d, ls_const(&p->terms, d->width, 0)));
        apart = ls_query_ask(&q, (ls_question){LS_AIM_PROOF}) == LS_UNSAT;
        ls_query_end(&q);
    }
    return apart;
}

/* Another way in which the two may be ordered is tried. */
static void begin(const handoff *h) {
    if (h->lacking) *h->lacking = (ls_lacking){0};
}

/* They are ordered, if the flag is 0 before the launch; `restored`: it is so again behind it. */
static bool conclude(const handoff *h, const ls_event *flag,
                     bool (*restored)(ls_proof *p, const ls_event *flag)) {
    const ls_ir_base *base = flag->access->bases[0];
    if (h->lacking) return true;
    ls_assume_zero(h->p, base);
    if (ls_is_left_over(h->p, base) && !(restored && restored(h->p, flag))) ls_doubt_left_over(h->p, flag);
    return true;
}

/* --- Flags -----------------------------------------------------------------------------------------------
 */

enum { MOST_SIGNALS = 8 };

/* The writes whose value the wait can have read; false where something else is written, or nothing that it
 * would have waited for. */
static bool find_signals(const handoff *h, const side *wait, const ls_ir_instr *barrier, side *signals,
                         uint32_t *count) {
    ls_proof *p = h->p;
    const ls_term *known = known_of(h, wait), *read = ls_value_read(p, wait->e);
    *count = 0;
    if (!read || ls_may_equal(p, wait->e, known, read, 0)) return false;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *w = &p->whole_events.items[i];
        uint64_t value;
        switch (ls_flag_access(p, w, wait->e, &value)) {
        case LS_FLAG_APART:
        case LS_FLAG_KEPT: continue;
        case LS_FLAG_OTHER: return false;
        case LS_FLAG_SET: break;
        }
        if (!ls_may_equal(p, wait->e, known, read, value)) continue;
        if (*count == MOST_SIGNALS) return false;
        signals[*count] = (side){w, barrier};
        if (!sends(h, &signals[(*count)++])) return false;
    }
    return *count != 0;
}

static bool by_flag(const handoff *h, const side *wait, const ls_ir_instr *barrier) {
    side signals[MOST_SIGNALS];
    uint32_t count;
    begin(h);
    if (!receives(h, wait) || !find_signals(h, wait, barrier, signals, &count)) return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            if (!are_exclusive(h->p, &signals[i], &signals[k])) return false;
    return meets(h, signals, count, wait) && conclude(h, wait->e, NULL);
}

/* --- Tickets ---------------------------------------------------------------------------------------------
 */

/* The last number of the grid. */
static const ls_term *last_number(ls_proof *p, uint32_t width) {
    ls_terms *t = &p->terms;
    const ls_term *blocks = ls_mul(t, ls_mul(t, p->nctaid[0], p->nctaid[1]), p->nctaid[2]);
    return ls_resize(t, ls_sub(t, blocks, ls_const(t, 32, 1)), width, false);
}

typedef struct {
    const ls_term *from, *to;
} exchange;

static const ls_term *exchanged(ls_subst *subst, const ls_term *symbol) {
    const exchange *x = subst->data;
    return symbol == x->from ? x->to : symbol;
}

/* Who gets there has drawn the last number, or the first thread of its block has and has told it so: a load
 * of a shared variable that this thread alone has set before a barrier, on which the way there hangs. */
static bool is_told(ls_proof *p, const ls_ir_instr *there, const ls_event *ticket, const ls_event *load,
                    const ls_ir_instr **barrier) {
    ls_told told;
    const ls_term *seen = ls_value_read(p, load);
    while (seen && seen->op == LS_T_ZEXT) seen = seen->args[0];
    if (!seen || seen->op != LS_T_SYM || !ls_is_told(p, load, &told)) return false;
    *barrier = told.barrier;
    if (!ls_instr_dominates(load->access->instr, there) ||
        !ls_instr_dominates(ticket->access->instr, told.store->access->instr))
        return false;
    const ls_term *value = ls_resize(&p->terms, told.store->values[0], seen->width, false);
    exchange x = {seen, ls_for_first(p, value)};
    ls_subst subst = {.ctx = &p->terms, .replace = exchanged, .data = &x};
    const ls_term *known = ls_substitute(&subst, ls_way_condition(p, load->access->instr, there));
    ls_subst_free(&subst);
    const ls_term *drawn = ls_value_read(p, ticket);
    return ls_is_implied(p, ticket, known, ls_eq(&p->terms, drawn, last_number(p, drawn->width)));
}

/* The same, told by a vote at a barrier (__syncthreads_or, __syncthreads_count): who gets there has seen that
 * somebody said yes, and only a thread that has drawn the last number does. */
static bool is_voted(ls_proof *p, const ls_ir_instr *there, const ls_event *ticket, const ls_ir_instr *bar) {
    const ls_ptx_form *form = bar->form;
    bool counts = ls_ptx_form_has(form, LS_MOD_OR) || ls_ptx_form_has(form, LS_MOD_POPC);
    if (form->opcode->barrier != LS_BARRIER_BLOCK_RED || !counts || bar->src_count != 2) return false;
    if (bar->dst_count != 1 || !bar->dst[0].value || !ls_instr_dominates(bar, there)) return false;
    ls_terms *t = &p->terms;
    const ls_term *result = ls_value_of(p->whole, bar->dst[0].value), *needed;
    const ls_term *some = ls_not(t, ls_eq(t, result, ls_const(t, result->width, 0)));
    if (!ls_is_implied(p, ticket, ls_way_condition(p, bar, there), some)) return false;
    const ls_term *yes = ls_operand_of(p->whole, &bar->src[1]), *drawn = ls_value_read(p, ticket);
    if (!ls_is_implied(p, ticket, yes, ls_eq(t, drawn, last_number(p, drawn->width)))) return false;
    needed = ls_needed(p, ticket->access->instr); /* the first thread does it in every block */
    return needed && ls_is_true(ls_for_first(p, needed));
}

/* Only the block that has drawn the last number gets there; *told: its first thread has drawn it, and has
 * told the others before this barrier; NULL: who gets there has. */
static bool is_of_last(ls_proof *p, const ls_ir_instr *there, const ls_event *ticket,
                       const ls_ir_instr **told) {
    const ls_term *drawn = ls_value_read(p, ticket);
    const ls_ir_instr *f = ticket->access->instr;
    *told = NULL;
    if (!drawn) return false;
    if (ls_instr_dominates(f, there) && ls_is_implied(p, ticket, ls_way_condition(p, f, there),
                                                      ls_eq(&p->terms, drawn, last_number(p, drawn->width))))
        return true;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *load = &p->whole_events.items[i];
        bool shared = load->access->kind == LS_ACCESS_READ && load->access->base_count == 1 &&
                      load->access->bases[0]->space == LS_SPACE_SHARED;
        if (shared && is_told(p, there, ticket, load, told)) return true;
    }
    for (uint32_t n = 0; n < p->node_count; n++) {
        *told = ls_block_barrier(p, p->nodes[n]);
        if (*told && is_voted(p, there, ticket, *told)) return true;
    }
    return false;
}

/* An increment of a counter, by one thread of each block, on which nothing else has an effect before the last
 * block's. */
static bool is_ticket(ls_proof *p, const ls_event *e) {
    const ls_ir_instr *told;
    if (!ls_is_increment(p, e, last_number(p, 32)) || !ls_is_once_a_block(p, e)) return false;
    if (!ls_is_of_inputs(p, e->address)) return false;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *w = &p->whole_events.items[i];
        uint64_t ignored;
        if (w == e || w->access->kind == LS_ACCESS_READ) continue;
        if (ls_flag_access(p, w, e, &ignored) == LS_FLAG_APART) continue;
        if (!is_of_last(p, w->access->instr, e, &told)) return false;
    }
    return true;
}

/* The first thread of the block that has drawn the last number executes it, whether it has drawn the number
 * itself or reads what was told to all. */
static bool is_done_by_last(ls_proof *p, const ls_ir_instr *there, const ls_event *ticket) {
    ls_terms *t = &p->terms;
    const ls_term *when = ls_exactly_when(p, there), *drawn = ls_value_read(p, ticket);
    if (!when || !drawn) return false;
    const ls_term *last = ls_and(t, ticket->when, ls_eq(t, drawn, last_number(p, drawn->width)));
    if (ls_is_implied(p, ticket, last, when)) return true;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *load = &p->whole_events.items[i];
        const ls_term *seen = load->access->kind == LS_ACCESS_READ ? ls_value_read(p, load) : NULL;
        ls_told told;
        while (seen && seen->op == LS_T_ZEXT) seen = seen->args[0];
        if (!seen || seen->op != LS_T_SYM || !ls_occurs(when, seen) || !ls_is_told(p, load, &told)) continue;
        exchange x = {seen, ls_resize(t, told.store->values[0], seen->width, false)};
        ls_subst subst = {.ctx = t, .replace = exchanged, .data = &x};
        const ls_term *known = ls_substitute(&subst, when);
        ls_subst_free(&subst);
        if (ls_is_implied(p, ticket, ls_for_first(p, last), ls_for_first(p, known))) return true;
    }
    return false;
}

/* Behind the launch the counter is 0 again: it comes around, or the last block sets it so, and nobody sets it
 * to anything else. */
static bool is_restored(ls_proof *p, const ls_event *ticket) {
    ls_terms *t = &p->terms;
    const ls_ir_instr *f = ticket->access->instr;
    const ls_term *needed = ls_needed(p, f);
    bool set = false, others = false;
    if (!needed || !ls_is_true(ls_for_first(p, needed))) return false; /* in every block */
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *w = &p->whole_events.items[i];
        uint64_t value = 1;
        if (w == ticket || w->access->kind == LS_ACCESS_READ) continue;
        ls_flag_use use = ls_flag_access(p, w, ticket, &value);
        if (use == LS_FLAG_APART || use == LS_FLAG_KEPT) continue;
        others = true;
        bool zero = use == LS_FLAG_SET && !value && w->address == ticket->address &&
                    !ls_ptx_form_has(w->access->instr->form, LS_MOD_CAS);
        if (!zero) return false;
        set |= is_done_by_last(p, w->access->instr, ticket);
    }
    if (set || others || !ls_ptx_form_has(f->form, LS_MOD_INC)) return set;
    const ls_term *bound = ls_operand_of(p->whole, &f->src[1]);
    return ls_is_implied(p, ticket, ticket->when, ls_eq(t, bound, last_number(p, bound->width)));
}

static bool by_ticket(const handoff *h, const ls_event *ticket) {
    ls_proof *p = h->p;
    const ls_ir_instr *told, *other;
    begin(h);
    if (h->same_block || !is_ticket(p, ticket)) return false;
    const ls_ir_instr *b = h->b->access->instr, *f = ticket->access->instr;
    if (!is_of_last(p, b, ticket, &told)) return false;
    if (is_of_last(p, h->a->access->instr, ticket, &other))
        return conclude(h, ticket, is_restored); /* two blocks are not both the last */
    const side wait = {ticket, told ? f : NULL};
    if (!is_acquired(h, f, told ? told : b)) return false;
    for (uint32_t n = 0; n <= p->node_count; n++) {
        const side signal = {ticket, n ? ls_block_barrier(p, p->nodes[n - 1]) : NULL};
        if (n && !signal.barrier) continue;
        if (h->lacking) h->lacking->before = NULL;
        if (sends(h, &signal) && meets(h, &signal, 1, &wait)) return conclude(h, ticket, is_restored);
    }
    return false;
}

/* --- Counts ----------------------------------------------------------------------------------------------
 */

static const ls_term *block_count(ls_proof *p, uint32_t width) {
    return ls_add(&p->terms, last_number(p, width), ls_const(&p->terms, width, 1));
}

/* The increment by one thread of each block that alone changes what is waited for; NULL: it is none. */
static const ls_event *arrival_at(ls_proof *p, const ls_event *flag) {
    const ls_event *found = NULL;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *w = &p->whole_events.items[i];
        uint64_t ignored;
        const ls_flag_use use = ls_flag_access(p, w, flag, &ignored);
        if (use == LS_FLAG_APART || use == LS_FLAG_KEPT) continue;
        if (found || w->access->bytes != flag->access->bytes) return NULL;
        if (!ls_is_increment(p, w, block_count(p, 32)) || !ls_is_once_a_block(p, w)) return NULL;
        found = w;
    }
    return found;
}

/* A barrier of the grid: each block counts itself once, and who has read the number of blocks comes behind
 * all of them. */
static bool by_count(const handoff *h, const side *wait, const ls_ir_instr *barrier) {
    ls_proof *p = h->p;
    ls_terms *t = &p->terms;
    begin(h);
    const ls_term *read = ls_value_read(p, wait->e);
    if (h->same_block || !read || read->width < 32 || !receives(h, wait)) return false;
    const ls_event *arrival = arrival_at(p, wait->e);
    if (!arrival) return false;
    const ls_term *all = ls_not(t, ls_ult(t, read, block_count(p, read->width)));
    const side signal = {arrival, barrier};
    return ls_is_implied(p, wait->e, known_of(h, wait), all) && sends(h, &signal) &&
           meets(h, &signal, 1, wait) && conclude(h, wait->e, NULL);
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

/* The barriers that may be between the two sides; the first entry is no barrier. */
static bool with_barriers(const handoff *h, side wait) {
    const uint32_t count = h->same_block || h->p->racy_barriers ? 0 : h->p->node_count;
    for (uint32_t n = 0; n <= count; n++) {
        const ls_ir_instr *bar = n ? ls_block_barrier(h->p, h->p->nodes[n - 1]) : NULL;
        if (n && !bar) continue;
        if (by_flag(h, &wait, bar) || by_count(h, &wait, bar)) return true;
    }
    return false;
}

static bool is_handed(const handoff *h) {
    const ls_proof *p = h->p;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *e = &p->whole_events.items[i];
        if (!ls_is_flag(p, e) || !ls_is_signal(e, h->between)) continue;
        if (by_ticket(h, e)) return true;
        if (with_barriers(h, (side){e, NULL})) return true;
        for (uint32_t n = 0; n < p->node_count && !h->same_block && !p->racy_barriers; n++) {
            const ls_ir_instr *bar = ls_block_barrier(p, p->nodes[n]);
            if (bar && receives(h, &(side){e, bar}) && with_barriers(h, (side){e, bar})) return true;
        }
    }
    return false;
}

/* One of the two is handed over to the thread that makes the other. */
static bool is_either_handed(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block,
                             ls_lacking *lacking) {
    if (p->racy_barriers || p->options->opencl || !ls_has_fences(p)) return false;
    const ls_event *x = ls_whole_event(p, a), *y = ls_whole_event(p, b);
    if (!x || !y || x->access->base_count != 1 || y->access->base_count != 1) return false;
    const ls_reach between = same_block ? LS_REACH_BLOCK : LS_REACH_GPU;
    if (!lacking && ls_is_locked(p, x, y, same_block)) return true;
    return is_handed(&(handoff){p, x, y, same_block, between, lacking}) ||
           is_handed(&(handoff){p, y, x, same_block, between, lacking});
}

bool ls_is_handed_over(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    return is_either_handed(p, a, b, same_block, NULL);
}

bool ls_is_handed_over_with(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block,
                            ls_lacking *lacking) {
    return is_either_handed(p, a, b, same_block, lacking);
}
