/* Whether two accesses can overlap, as a query (races.c asks it of pairs): what objects and memory they may
 * meet in, what is claimed of their addresses, and in which turn proofs and models are looked for. */
#include "verify/check/overlap.h"
#include "isa/order.h"
#include "verify/check/exchange.h"
#include "verify/check/overflow.h"
#include "verify/check/races.h"
#include "verify/check/ranks.h"
#include "verify/check/warps.h"
#include "verify/execute/arrays.h"
#include "verify/execute/floats.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"

/* The memory that an object is in. */
uint8_t ls_memory_of(const ls_event *e, const ls_ir_base *base) {
    bool shared = base->space == LS_SPACE_SHARED || base->space == LS_SPACE_SHARED_CLUSTER ||
                  e->access->space == LS_SPACE_SHARED || e->access->space == LS_SPACE_SHARED_CLUSTER;
    return shared ? LS_ORDERS_SHARED : LS_ORDERS_GLOBAL;
}

/* An object in one of these memories that both may access. */
const ls_ir_base *ls_common_base_in(const ls_proof *p, const ls_event *a, const ls_event *b, uint8_t memory) {
    for (uint32_t i = 0; i < a->access->base_count; i++)
        for (uint32_t j = 0; j < b->access->base_count; j++) {
            const ls_ir_base *x = a->access->bases[i], *y = b->access->bases[j];
            if (ls_same_object(p, x, y) && (ls_memory_of(a, x) & memory) && !ls_is_left_out(p, x)) return x;
        }
    return NULL;
}

const ls_ir_base *ls_common_base(const ls_proof *p, const ls_event *a, const ls_event *b) {
    return ls_common_base_in(p, a, b, LS_ORDERS_SHARED | LS_ORDERS_GLOBAL);
}

/* What order the access has by itself. OpenCL C knows nothing of volatile that would make it one that may
 * meet others. */
static ls_order order_of(const ls_proof *p, const ls_event *e) {
    ls_order o = ls_order_of(e->access->instr->form);
    if (o.is_volatile && p->options->opencl) return (ls_order){.bytes = o.bytes};
    return o;
}

ls_meeting ls_meet(const ls_proof *p, const ls_event *a, const ls_event *b, bool same_block, bool shared) {
    if (a->access->kind == LS_ACCESS_READ && b->access->kind == LS_ACCESS_READ) return LS_MEET_NEVER;
    if (!ls_is_strong(a->access->instr->form) || !ls_is_strong(b->access->instr->form))
        return LS_MEET_ALWAYS; /* most accesses are weak: this is asked of every pair */
    const ls_order x = order_of(p, a), y = order_of(p, b);
    if (!ls_morally_strong(&x, &y, same_block ? LS_REACH_BLOCK : LS_REACH_GPU, shared)) return LS_MEET_ALWAYS;
    return same_block && !ls_morally_strong(&x, &y, LS_REACH_WARP, shared) ? LS_MEET_WITHIN_WARP
                                                                           : LS_MEET_NEVER;
}

static uint32_t trailing_zeros(const ls_term *t) {
    if (t->op == LS_T_CONST) return t->value ? (uint32_t)__builtin_ctzll(t->value) : 64;
    if (t->op == LS_T_ZEXT) return trailing_zeros(t->args[0]);
    if (t->op != LS_T_LIN) return 0;
    uint32_t least = t->value ? (uint32_t)__builtin_ctzll(t->value) : 64;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t z = (uint32_t)__builtin_ctzll(t->coefs[i]);
        if (z < least) least = z;
    }
    return least;
}

const ls_term *ls_overlap(ls_terms *t, const ls_term *d, uint64_t size1, uint64_t size2) {
    uint32_t zeros = trailing_zeros(d);
    bool power = size1 && !(size1 & (size1 - 1));
    bool aligned = size1 == size2 && power && (zeros >= 63 || UINT64_C(1) << zeros >= size1);
    if (zeros >= 64 || aligned) return ls_eq(t, d, ls_const(t, d->width, 0));
    return ls_ult(t, ls_add(t, d, ls_const(t, d->width, size1 - 1)),
                  ls_const(t, d->width, size1 + size2 - 1));
}

/* Where a pointer may be one of several, objects lie far apart from each other. */
typedef struct {
    ls_proof *p;
    const ls_event *a, *b;
} layout;

static const ls_term *place_base(ls_subst *subst, const ls_term *symbol) {
    const layout *l = subst->data;
    const ls_event *both[2] = {l->a, l->b};
    for (int e = 0; e < 2; e++)
        for (uint32_t i = 0; i < both[e]->access->base_count; i++) {
            const ls_ir_base *base = both[e]->access->bases[i];
            if (ls_base_address(l->p, base) != symbol) continue;
            uint32_t shift = symbol->width == 64 ? 44 : 26;
            return ls_const(subst->ctx, symbol->width, (uint64_t)(base->id + 1) << shift);
        }
    return symbol;
}

void ls_spread_objects(ls_query *q, const ls_event *a, const ls_event *b) {
    if (a->access->base_count < 2 && b->access->base_count < 2) return;
    layout l = {q->view.p, a, b};
    ls_subst subst = {.ctx = &q->view.p->terms, .replace = place_base, .data = &l};
    for (uint32_t i = 0; i < q->conjuncts.length; i++)
        q->conjuncts.items[i] = ls_substitute(&subst, q->conjuncts.items[i]);
    ls_subst_free(&subst);
}

/* Warps in lock-step: two instructions of one warp are never at the same time. */
static void add_warps(ls_query *q, const ls_event *a, const ls_event *b) {
    uint32_t size = q->view.p->options->warp_sync;
    ls_query_warps(q);
    if (q->view.one_warp) ls_query_claim(q, ls_same_warp(q, LS_WARP));
    if (!size || !q->view.same_block || a->access->instr == b->access->instr) return;
    ls_query_claim(q, ls_not(&q->view.p->terms, ls_same_warp(q, size)));
}

const ls_term *ls_distance(ls_terms *t, const ls_term *x, const ls_term *y) {
    uint32_t width = x->width < y->width ? x->width : y->width;
    return ls_sub(t, ls_resize(t, x, width, false), ls_resize(t, y, width, false));
}

const ls_term *ls_distance_of(ls_query *q, const ls_event *a, const ls_event *b) {
    return ls_distance(&q->view.p->terms, ls_query_term(q, 1, a->address), ls_query_term(q, 2, b->address));
}

/* Both write the same bytes, and the same into them. */
const ls_term *ls_same_values(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *d = ls_distance_of(q, a, b), *same = ls_eq(t, d, ls_const(t, d->width, 0));
    for (uint32_t i = 0; i < a->value_count; i++) {
        ls_query_add(q, 1, ls_true(t), a->values[i]);
        ls_query_add(q, 2, ls_true(t), b->values[i]);
        const ls_term *one = ls_query_term(q, 1, a->values[i]), *two = ls_query_term(q, 2, b->values[i]);
        same = ls_and(t, same, ls_equal_values(q->view.p, one, two));
    }
    return same;
}

void ls_build_pair(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when) {
    ls_query_add(q, 1, a->when, a->address);
    ls_query_add(q, 2, b->when, b->address);
    ls_query_places(q, a, b);
    if (when) {
        ls_query_add(q, 1, when, NULL);
        ls_query_add(q, 2, when, NULL);
    }
    ls_query_distinct(q);
    add_warps(q, a, b);
    ls_query_exchanges(q, a, b);
}

/* With the overlap of the two, whose distance is given. */
ls_answered ls_solve_overlap(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *d,
                             ls_question question) {
    ls_query_claim(q, ls_overlap(&q->view.p->terms, d, a->size, b->size));
    ls_query_ranks(q);
    ls_spread_objects(q, a, b);
    return ls_query_ask(q, question);
}

/* The same where index arithmetic does not overflow. */
static ls_answered solve_without_overflow(ls_query *q, const ls_event *a, const ls_event *b,
                                          ls_question question) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *x = ls_without_overflow(t, ls_query_term(q, 1, a->address), &q->conjuncts);
    const ls_term *y = ls_without_overflow(t, ls_query_term(q, 2, b->address), &q->conjuncts);
    return ls_solve_overlap(q, a, b, ls_distance(t, x, y), question);
}

/* A race that needs an overflow is not reported where it may be assumed that there is none; the scope says
 * so. Where something wraps around by design, arithmetic is exact. */
static ls_answered solve_with_contract(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_proof *p = q->view.p;
    ls_standing one = ls_overflow_standing(p, a), two = ls_overflow_standing(p, b);
    if (one == LS_BROKEN || two == LS_BROKEN)
        return ls_solve_overlap(q, a, b, ls_distance_of(q, a, b), (ls_question){LS_AIM_ANY});
    ls_answered answer = solve_without_overflow(q, a, b, (ls_question){LS_AIM_SEARCHED});
    if (answer == LS_UNSAT && (one == LS_CONTRACT || two == LS_CONTRACT))
        p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    return answer;
}

bool ls_both_write(const ls_event *a, const ls_event *b) {
    return a->access->kind == LS_ACCESS_WRITE && b->access->kind == LS_ACCESS_WRITE;
}

/* Of either of them. */
bool ls_stands(ls_proof *p, const ls_event *a, const ls_event *b, ls_standing how) {
    return ls_overflow_standing(p, a) == how || ls_overflow_standing(p, b) == how;
}

/* First a race where nothing overflows, by search alone; then a proof that needs no assumption; then both
 * with the solver. */
ls_answered ls_solve_in_turn(ls_query *q, const ls_event *a, const ls_event *b, bool search_only) {
    uint32_t given = q->conjuncts.length;
    if (ls_both_write(a, b) &&
        ls_stands(q->view.p, a, b, LS_BROKEN)) /* what is found is asked of values, too */
        return ls_solve_overlap(q, a, b, ls_distance_of(q, a, b),
                                (ls_question){search_only ? LS_AIM_MODEL : LS_AIM_ANY});
    ls_answered answer = solve_without_overflow(q, a, b, (ls_question){LS_AIM_MODEL});
    if (answer == LS_SAT || search_only) return answer;
    q->conjuncts.length = given;
    answer = ls_solve_overlap(q, a, b, ls_distance_of(q, a, b), (ls_question){LS_AIM_PROOF, .quick = true});
    if (answer == LS_UNSAT) return answer;
    q->conjuncts.length = given;
    return solve_with_contract(q, a, b);
}
