/* Which threads of a block may reach a site: each by its number, where the condition on which the site is
 * reach may hold for it; but of a warp in which only the lane that elect.sync elects may come, that one,
 * which is any of the warp's lanes. For order it counts as a thread of its own, unless all lanes of the warp
 * are meant; where threads may depend on each other, as any of the lanes. */
#include "verify/check/ticket_threads.h"
#include "verify/check/flights.h"
#include "verify/check/warps.h"
#include "verify/execute/across.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"

/* --- Terms of one thread or iteration --- */

typedef struct {
    const ls_proof *p;
    const ls_term *counter;
    uint64_t iteration;
    bool has_thread;
    const ls_term *thread[3];
} choice;

static const ls_term *chosen(ls_subst *subst, const ls_term *symbol) {
    const choice *c = subst->data;
    if (symbol == c->counter) return ls_const(subst->ctx, symbol->width, c->iteration);
    for (int i = 0; i < 3 && c->has_thread; i++)
        if (symbol == c->p->tid[i]) return c->thread[i];
    return symbol;
}

static const ls_term *choose(choice *c, const ls_term *term) {
    ls_subst subst = {.ctx = (ls_terms *)(uintptr_t)&c->p->terms, .replace = chosen, .data = c};
    const ls_term *result = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    return result;
}

const ls_term *ls_in_iteration(const ls_protocol *x, const ls_site *s, const ls_term *term, uint64_t k) {
    choice c = {.p = x->p,
                .counter = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL,
                .iteration = k};
    return choose(&c, term);
}

void ls_index_of(const ls_protocol *x, uint32_t thread, const ls_term *index[3]) {
    ls_terms *t = &x->p->terms;
    const uint32_t *block = x->p->options->block, warp = thread - LS_MOST_BLOCK;
    const bool elected = thread >= LS_MOST_BLOCK;
    const uint32_t n = elected ? warp * LS_WARP : thread; /* rows are whole warps */
    const uint32_t at[3] = {n % block[0], n / block[0] % block[1], n / block[0] / block[1]};
    for (int i = 0; i < 3; i++) index[i] = ls_const(t, x->p->tid[i]->width, at[i]);
    if (elected)
        index[0] = ls_add(t, index[0], ls_resize(t, ls_elected_lane(x->p, warp), x->p->tid[0]->width, false));
}

const ls_term *ls_is_thread(const ls_protocol *x, uint32_t thread) {
    ls_terms *t = &x->p->terms;
    const ls_term *is = ls_true(t), *index[3];
    if (thread == LS_NO_OBJECT) return is;
    ls_index_of(x, thread, index);
    for (int i = 0; i < 3; i++) is = ls_and(t, is, ls_eq(t, x->p->tid[i], index[i]));
    return is;
}

const ls_term *ls_for_thread(const ls_protocol *x, const ls_term *term, uint32_t thread) {
    choice c = {.p = x->p, .has_thread = true};
    ls_index_of(x, thread, c.thread);
    return choose(&c, term);
}

const ls_term *ls_in_case(const ls_protocol *x, const ls_site *s, const ls_term *term, uint32_t thread,
                          int64_t k) {
    return ls_for_thread(x, ls_in_iteration(x, s, term, (uint64_t)k), thread == LS_NO_OBJECT ? 0 : thread);
}

/* --- Sets --- */

static const uint32_t ELECTED_WORD = LS_MOST_BLOCK / 64;

/* The lanes of a warp that are named. */
static uint32_t lanes_of(const ls_site *s, uint32_t warp) {
    return (uint32_t)(s->threads[warp / 2] >> warp % 2 * LS_WARP);
}

bool ls_is_named(const ls_site *s, uint32_t thread) {
    return s->threads[thread / 64] >> thread % 64 & 1;
}

bool ls_is_there(const ls_site *s, uint32_t thread) {
    if (ls_is_named(s, thread)) return true;
    return thread >= LS_MOST_BLOCK && lanes_of(s, thread - LS_MOST_BLOCK) == UINT32_MAX;
}

uint32_t ls_first_thread(const ls_site *s) {
    for (uint32_t n = 0; n < LS_MOST_THREADS; n++)
        if (s->threads[n / 64] >> n % 64 & 1) return n;
    return LS_NO_OBJECT;
}

uint32_t ls_common_thread(const ls_site *a, const ls_site *b) {
    for (uint32_t n = 0; n < LS_MOST_THREADS; n++) {
        const bool named = (a->threads[n / 64] | b->threads[n / 64]) >> n % 64 & 1;
        if (named && ls_is_there(a, n) && ls_is_there(b, n)) return n;
    }
    return LS_NO_OBJECT;
}

const ls_term *ls_is_among(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    const ls_term *index = x->p->tid[0], *among = ls_false(t);
    for (uint32_t n = 0; n < x->threads; n++) {
        uint32_t first = n;
        while (n < x->threads && s->threads[n / 64] >> n % 64 & 1) n++;
        if (n == first) continue;
        const ls_term *from = ls_const(t, index->width, first), *last = ls_const(t, index->width, n - 1);
        among = ls_or(t, among, ls_not(t, ls_or(t, ls_ult(t, index, from), ls_ult(t, last, index))));
    }
    for (uint32_t w = 0; w * LS_WARP < x->threads; w++)
        if (s->threads[ELECTED_WORD] >> w & 1) among = ls_or(t, among, ls_is_thread(x, LS_MOST_BLOCK + w));
    return among;
}

bool ls_threads_within(const ls_site *a, const ls_site *b) {
    bool within = true;
    for (uint32_t i = 0; i < ELECTED_WORD; i++) within &= !(a->threads[i] & ~b->threads[i]);
    for (uint32_t w = 0; w < LS_MOST_BLOCK / LS_WARP; w++)
        if (a->threads[ELECTED_WORD] >> w & 1) within &= ls_is_there(b, LS_MOST_BLOCK + w);
    return within;
}

bool ls_threads_meet(const ls_site *a, const ls_site *b) {
    bool meet = false;
    for (uint32_t i = 0; i < LS_THREAD_WORDS; i++) meet |= (a->threads[i] & b->threads[i]) != 0;
    for (uint32_t w = 0; w < LS_MOST_BLOCK / LS_WARP; w++) {
        meet |= a->threads[ELECTED_WORD] >> w & 1 && lanes_of(b, w);
        meet |= b->threads[ELECTED_WORD] >> w & 1 && lanes_of(a, w);
    }
    return meet;
}

void ls_keep_threads(ls_site *part, const ls_site *u, bool in) {
    part->thread_count = 0;
    for (uint32_t i = 0; i < LS_THREAD_WORDS; i++) {
        uint64_t theirs = u->threads[i];
        for (uint32_t w = 0; w < LS_MOST_BLOCK / LS_WARP && i == ELECTED_WORD; w++)
            if (ls_is_there(u, LS_MOST_BLOCK + w)) theirs |= UINT64_C(1) << w;
        part->threads[i] &= in ? theirs : ~theirs;
        part->thread_count += (uint32_t)__builtin_popcountll(part->threads[i]);
    }
}

/* --- Who may come --- */

typedef struct {
    const ls_term *symbol;
    uint64_t lane;
} election;

static const ls_term *as_elected(ls_subst *subst, const ls_term *symbol) {
    const election *e = subst->data;
    return symbol == e->symbol ? ls_const(subst->ctx, symbol->width, e->lane) : symbol;
}

/* The condition, of a thread of that lane, does not hold where another lane is elected. */
static bool needs_election(const ls_protocol *x, const ls_term *when, uint32_t warp, uint32_t lane) {
    election e = {ls_elected_lane(x->p, warp), 0};
    ls_term_list leaves = {0};
    bool needs = false;
    ls_leaves(&when, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) needs |= leaves.items[i] == e.symbol;
    LS_VEC_FREE(&leaves);
    for (; e.lane < LS_WARP && needs; e.lane++) {
        ls_subst subst = {.ctx = &x->p->terms, .replace = as_elected, .data = &e};
        if (e.lane != lane) needs = ls_is_false(ls_substitute(&subst, when));
        ls_subst_free(&subst);
    }
    return needs;
}

/* Threads of one warp: those of which it may be so, or the elected one. */
static void find_in_warp(const ls_protocol *x, ls_site *s, uint32_t warp) {
    uint32_t lanes = 0, elected = 0;
    for (uint32_t l = 0; l < LS_WARP && warp * LS_WARP + l < x->threads; l++) {
        const ls_term *when = ls_for_thread(x, s->when, warp * LS_WARP + l);
        if (ls_is_false(when)) continue;
        lanes |= UINT32_C(1) << l;
        if (ls_elected_lane(x->p, warp) && needs_election(x, when, warp, l)) elected |= UINT32_C(1) << l;
    }
    if (!lanes) return;
    if (elected == lanes) {
        s->threads[ELECTED_WORD] |= UINT64_C(1) << warp;
        s->thread_count++;
        return;
    }
    s->threads[warp / 2] |= (uint64_t)lanes << warp % 2 * LS_WARP;
    s->thread_count += (uint32_t)__builtin_popcount(lanes);
}

void ls_find_threads(const ls_protocol *x, ls_site *s) {
    for (uint32_t warp = 0; warp * LS_WARP < x->threads; warp++) find_in_warp(x, s, warp);
}

/* --- Parts -----------------------------------------------------------------------------------------------
 */

static ls_site part_of(const ls_protocol *x, const ls_site *s, const ls_site *u, bool in) {
    ls_site part = *s;
    ls_keep_threads(&part, u, in);
    part.when = ls_and(&x->p->terms, s->when, ls_is_among(x, &part));
    return part;
}

void ls_divide(const ls_protocol *x, const ls_site *s, ls_site_parts *d) {
    const uint32_t *block = x->p->options->block;
    d->parts[0] = *s;
    d->count = 1;
    for (uint32_t i = 0; i < x->sites.length && block[1] * block[2] == 1; i++) {
        const ls_site *u = &x->sites.items[i];
        const bool meets = u->kind == LS_SITE_LANES && !u->silent;
        if (u->kind != LS_SITE_ARRIVE && u->kind != LS_SITE_PRODUCT && !meets) continue;
        for (uint32_t k = d->count; k-- > 0 && d->count < LS_MOST_PARTS;) {
            if (!ls_threads_meet(&d->parts[k], u) || ls_threads_within(&d->parts[k], u)) continue;
            d->parts[d->count++] = part_of(x, &d->parts[k], u, false);
            d->parts[k] = part_of(x, &d->parts[k], u, true);
        }
    }
}
