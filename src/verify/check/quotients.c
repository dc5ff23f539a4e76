/* Accesses to tensors told apart without a solver. Kernels split an index into digits, w = x % W,
 * h = x / W % H, c = x / (W·H), and put these together again in the order that the other tensor has.
 * Compilers make x - W·(x / W) of a remainder, and multiply out: so an address is taken as a sum of
 * quotients, A0·x + A1·(x / P1) + A2·(x / P2) + … where each place P is a multiple of the one before. With
 * the digits d = x / P % (P' / P), of which the last has no radix, this is S0·d0 + S1·d1 + …, with S0 = A0
 * and S' = A' + P' / P·S. An index that is not negative is given by its digits, so threads with different
 * indices differ in one, and where the address is a number in mixed radix of these (digits.c) they never
 * meet. The last digit is less than what a guard of both accesses leaves of it. Sizes must be known to be
 * positive; that nothing wraps is assumed, where it may be. */
#include "verify/check/quotients.h"
#include "verify/check/contract.h"
#include "verify/check/digits.h"
#include "verify/check/overflow.h"
#include "verify/check/radix.h"

enum { MOST_DEPTH = 16 /* of divisions */, MOST_GUARDS = 500 };
#define MOST_VALUE (UINT64_C(1) << 62) /* of a digit; above that, no stride leaves room for it */

typedef struct { /* a summand of the address: factor·(x / place) */
    ls_stride place;
    const ls_term *factor;
} summand;

typedef struct {
    ls_proof *p;
    const ls_event *a, *b;
    ls_digits n;
    const ls_term *x;    /* the index */
    const ls_term *rest; /* of the address: without quotients */
    summand of[LS_MOST_DIGITS];
    uint32_t count;
    bool nonzero; /* it was taken for granted that a size is not zero */
} numbering;

static bool is_division(const ls_term *t) {
    return t->op == LS_T_SDIV || t->op == LS_T_UDIV || t->op == LS_T_SREM || t->op == LS_T_UREM;
}

/* A division as lowering writes it, by one where the divisor is zero: the divisor. */
static const ls_term *divisor_of(const ls_term *division) {
    const ls_term *by = division->args[1];
    bool guarded = by->op == LS_T_ITE && ls_is_const(by->args[1]) && by->args[1]->value == 1;
    return guarded ? by->args[2] : by;
}

static bool is_zero_test(const ls_term *condition, const ls_term *of) {
    if (condition->op != LS_T_EQ) return false;
    const ls_term *x = condition->args[0], *y = condition->args[1];
    return (x == of && ls_is_const(y) && !y->value) || (y == of && ls_is_const(x) && !x->value);
}

/* The division itself, without the case of a divisor that is zero; NULL if the term is not a division. */
static const ls_term *as_division(const ls_term *t) {
    if (is_division(t)) return t;
    bool guarded = t->op == LS_T_ITE && is_division(t->args[2]);
    return guarded && is_zero_test(t->args[0], divisor_of(t->args[2])) ? t->args[2] : NULL;
}

static bool has_division(const ls_term *t) {
    ls_term_walk walk = {0};
    bool found = false;
    ls_walk_add(&walk, &t, 1);
    for (const ls_term *at = ls_walk_down(&walk); at && !found; at = ls_walk_down(&walk))
        found = is_division(at);
    ls_walk_free(&walk);
    return found;
}

/* --- Sizes -----------------------------------------------------------------------------------------------
 */

static bool holds_of_both(const numbering *k, const ls_term *claim) {
    return ls_holds_always(k->p, k->a, claim) && ls_holds_always(k->p, k->b, claim);
}

/* For threads that reach the division; its divisor can be assumed not to be zero. */
static bool is_positive(numbering *k, const ls_term *size) {
    ls_terms *t = &k->p->terms;
    if (size->slo > 0 || holds_of_both(k, ls_slt(t, ls_const(t, size->width, 0), size))) return true;
    k->nonzero |= size->slo == 0;
    return size->slo == 0;
}

/* A product of positive sizes that are the same for both threads; no factors if the term is not such a
 * product. */
static ls_stride as_size(numbering *k, const ls_term *t) {
    static const ls_stride none = {0};
    ls_stride size = {1, NULL};
    if (ls_is_const(t)) return t->slo > 0 ? (ls_stride){t->slo, NULL} : none;
    if (t->width != 64 || !ls_digits_agree(&k->n, t)) return none;
    if (t->op == LS_T_LIN) {
        int64_t times = ls_signed(t->coefs[0], 64);
        if (t->count != 1 || t->value || times <= 0) return none;
        size.factor = times;
        t = t->args[0];
    }
    const ls_term *const *factors = t->op == LS_T_MUL ? t->args : &t;
    for (uint32_t i = 0; i < (t->op == LS_T_MUL ? t->count : 1); i++)
        if (!is_positive(k, factors[i])) return none;
    size.monomial = t;
    return size;
}

/* --- Guards ----------------------------------------------------------------------------------------------
 */

/* The integer that a number with a sign is meant to be. */
static const ls_term *integer(ls_proof *p, const ls_term *t) {
    ls_term_list claims = {0};
    const ls_term *e = ls_without_overflow(&p->terms, ls_sext(&p->terms, t, 64), &claims);
    LS_VEC_FREE(&claims);
    return e;
}

/* What the condition says that x is less than; NULL where nothing. */
static const ls_term *bound_in(ls_proof *p, const ls_term *when, const ls_term *x, uint32_t *left) {
    if (!*left) return NULL;
    --*left;
    if (when->op == LS_T_AND && when->width == 1) {
        const ls_term *found = bound_in(p, when->args[0], x, left);
        return found ? found : bound_in(p, when->args[1], x, left);
    }
    if (when->op != LS_T_SLT || integer(p, when->args[0]) != x) return NULL;
    return integer(p, when->args[1]);
}

/* What x is less than for both accesses; no factor where that is not known. */
static ls_stride bound_of(numbering *k, const ls_term *x) {
    uint32_t left[2] = {MOST_GUARDS, MOST_GUARDS};
    const ls_term *one = bound_in(k->p, k->a->when, x, &left[0]);
    const ls_term *two = one ? bound_in(k->p, k->b->when, x, &left[1]) : NULL;
    return one && one == two ? as_size(k, one) : (ls_stride){0};
}

/* --- Quotients -------------------------------------------------------------------------------------------
 */

static const ls_term *quotient(ls_terms *t, const ls_term *x, const ls_term *by) {
    return ls_is_const(by) && by->value == 1 ? x : ls_binary(t, LS_T_SDIV, x, by);
}

/* As `quotient` makes them: of numbers that are not negative it may be one without a sign. */
static bool is_quotient(const ls_term *t) {
    return t->op == LS_T_SDIV || t->op == LS_T_UDIV;
}

/* y is x - r·(x / r), the rest of a division: that quotient, or NULL. */
static const ls_term *as_rest(ls_terms *t, const ls_term *y) {
    for (uint32_t i = 0; y->op == LS_T_LIN && i < y->count; i++) {
        const ls_term *part = y->args[i];
        for (uint32_t f = 0; f < (part->op == LS_T_MUL ? part->count : 1); f++) {
            const ls_term *q = part->op == LS_T_MUL ? part->args[f] : part;
            if (is_quotient(q) && ls_add(t, y, ls_mul(t, q->args[1], q)) == q->args[0]) return q;
        }
    }
    return NULL;
}

/* y / by, of an index y that is not negative, or of a quotient of one. What it is divided by may have any
 * sign, but where it is said that x % r / by = x / by - r / by·(x / r). */
static const ls_term *divided(numbering *k, const ls_term *y, const ls_term *by) {
    ls_terms *t = &k->p->terms;
    if (!ls_digits_agree(&k->n, by)) return NULL;
    k->nonzero |= by->slo <= 0 && by->shi >= 0;
    if (is_quotient(y)) return quotient(t, y->args[0], ls_mul(t, y->args[1], by));
    const ls_term *q = as_rest(t, y);
    if (!q) return y->slo >= 0 ? quotient(t, y, by) : NULL;
    ls_stride size = as_size(k, by), whole = size.factor ? as_size(k, q->args[1]) : size;
    ls_stride left = ls_stride_over(t, whole, size);
    if (!left.factor) return NULL;
    const ls_term *times = ls_const(t, 64, (uint64_t)left.factor);
    if (left.monomial) times = ls_mul(t, times, ls_resize(t, left.monomial, 64, false));
    return ls_sub(t, quotient(t, q->args[0], by), ls_mul(t, times, q));
}

/* The term as a sum of quotients of the index; NULL if it is not such a sum. */
static const ls_term *multiplied_out(numbering *k, const ls_term *a, uint32_t depth) {
    ls_terms *t = &k->p->terms;
    const ls_term *division = as_division(a);
    if (ls_digits_agree(&k->n, a)) return a;
    if (depth == MOST_DEPTH) return NULL;
    if (division) {
        const ls_term *by = divisor_of(division), *y = multiplied_out(k, division->args[0], depth + 1);
        const ls_term *q = y ? divided(k, y, by) : NULL;
        bool rest = division->op == LS_T_SREM || division->op == LS_T_UREM;
        return q && rest ? ls_sub(t, y, ls_mul(t, by, q)) : q;
    }
    if (a->op != LS_T_LIN && a->op != LS_T_MUL) return a;
    const bool sum = a->op == LS_T_LIN;
    const ls_term *e = ls_const(t, 64, sum ? a->value : 1);
    for (uint32_t i = 0; i < a->count; i++) {
        const ls_term *part = multiplied_out(k, a->args[i], depth + 1);
        if (!part) return NULL;
        e = sum ? ls_add(t, e, ls_scale(t, part, a->coefs[i])) : ls_mul(t, e, part);
    }
    return e;
}

/* --- Summands --------------------------------------------------------------------------------------------
 */

static bool put_summand(numbering *k, const ls_term *q, const ls_term *factor) {
    ls_terms *t = &k->p->terms;
    if (k->x && k->x != q->args[0]) return false;
    k->x = q->args[0];
    ls_stride place = as_size(k, q->args[1]);
    for (uint32_t i = 0; i < k->count; i++) {
        ls_stride over = ls_stride_over(t, place, k->of[i].place);
        if (over.factor != 1 || over.monomial) continue;
        k->of[i].factor = ls_add(t, k->of[i].factor, factor);
        return true;
    }
    if (!place.factor || k->count == LS_MOST_DIGITS - 1) return false;
    k->of[k->count++] = (summand){place, factor};
    return true;
}

/* factor·t: a quotient times what the threads agree on, or a part of the rest. */
static bool add_summand(numbering *k, const ls_term *t, uint64_t factor) {
    ls_terms *ctx = &k->p->terms;
    const ls_term *q = is_quotient(t) && !ls_digits_agree(&k->n, t) ? t : NULL;
    const ls_term *others = ls_const(ctx, 64, factor);
    for (uint32_t i = 0; t->op == LS_T_MUL && i < t->count; i++) {
        const ls_term *f = t->args[i];
        bool agree = ls_digits_agree(&k->n, f);
        if (agree)
            others = ls_mul(ctx, others, f);
        else if (is_quotient(f) && !q)
            q = f;
        else if (is_quotient(f) || q)
            return false;
    }
    if (q) return put_summand(k, q, others);
    k->rest = ls_add(ctx, k->rest, ls_scale(ctx, t, factor));
    return true;
}

/* What the index is multiplied with in the rest of the address, by a symbol that it has; NULL: not known. */
static const ls_term *factor_of_index(numbering *k) {
    ls_terms *t = &k->p->terms;
    const ls_term *symbol = NULL, *factor = ls_const(t, 64, 0), *rest = k->rest;
    uint64_t times = 0;
    for (uint32_t i = 0; k->x->op == LS_T_LIN && i < k->x->count && !symbol; i++)
        if (!ls_digits_agree(&k->n, k->x->args[i]) && k->x->args[i]->op != LS_T_MUL && k->x->coefs[i] == 1)
            symbol = k->x->args[i], times = k->x->coefs[i];
    if (k->x->op != LS_T_LIN) symbol = k->x, times = 1;
    if (!symbol || !times) return NULL;
    const uint32_t count = rest->op == LS_T_LIN ? rest->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const ls_term *others = ls_without_factor(t, rest->op == LS_T_LIN ? rest->args[i] : rest, symbol);
        if (others)
            factor = ls_add(t, factor, ls_scale(t, others, rest->op == LS_T_LIN ? rest->coefs[i] : 1));
    }
    return factor;
}

static bool split_address(numbering *k, const ls_term *address) {
    ls_terms *t = &k->p->terms;
    const ls_term *sum = multiplied_out(k, address, 0);
    k->rest = ls_const(t, 64, 0);
    if (!sum) return false;
    if (sum->op != LS_T_LIN && !add_summand(k, sum, 1)) return false;
    for (uint32_t i = 0; sum->op == LS_T_LIN && i < sum->count; i++)
        if (!add_summand(k, sum->args[i], sum->coefs[i])) return false;
    if (!k->x) return true; /* they were put together as they had been */
    const ls_term *factor = factor_of_index(k);
    if (!factor || !ls_digits_agree(&k->n, factor)) return false;
    k->rest = ls_sub(t, k->rest, ls_mul(t, factor, k->x));
    k->of[k->count++] = (summand){{1, NULL}, factor};
    return true;
}

/* --- Digits ----------------------------------------------------------------------------------------------
 */

/* The summand with the smallest place above the given one; NULL where they do not go on from each other. */
static const summand *next_place(numbering *k, ls_stride above, uint32_t *left) {
    ls_terms *t = &k->p->terms;
    for (uint32_t i = 0; i < k->count; i++) {
        bool first = (*left >> i & 1) && ls_stride_over(t, k->of[i].place, above).factor;
        for (uint32_t j = 0; j < k->count && first; j++)
            first = !(*left >> j & 1) || ls_stride_over(t, k->of[j].place, k->of[i].place).factor;
        if (!first) continue;
        *left &= ~(1u << i);
        return &k->of[i];
    }
    return NULL;
}

static const ls_term *as_term(ls_terms *t, ls_stride s) {
    const ls_term *factor = ls_const(t, 64, (uint64_t)s.factor);
    return s.monomial ? ls_mul(t, factor, ls_resize(t, s.monomial, 64, false)) : factor;
}

/* What x / place is less than: what a guard leaves of x. */
static ls_stride limit_of_last(numbering *k, ls_stride place) {
    ls_stride bound = bound_of(k, k->x);
    return bound.factor ? ls_stride_over(&k->p->terms, bound, place) : bound;
}

static bool put_digits(numbering *k) {
    ls_terms *t = &k->p->terms;
    uint32_t left = (1u << k->count) - 1;
    const ls_term *stride = ls_const(t, 64, 0);
    ls_stride place = {1, NULL};
    for (const summand *s = next_place(k, place, &left); s;) {
        const summand *above = left ? next_place(k, s->place, &left) : NULL;
        if (left && !above) return false;
        ls_stride from = ls_stride_over(t, s->place, place);
        stride = ls_add(t, s->factor, ls_mul(t, as_term(t, from), stride));
        ls_stride limit = above ? ls_stride_over(t, above->place, s->place) : limit_of_last(k, s->place);
        bool none = limit.factor == 1 && !limit.monomial; /* it is always zero */
        ls_stride size = none ? limit : as_size(k, stride);
        const ls_term *symbol = quotient(t, k->x, as_term(t, s->place));
        const uint64_t most = symbol->uhi < MOST_VALUE ? symbol->uhi : MOST_VALUE;
        if (!size.factor || (!none && !ls_digits_put(&k->n, (ls_digit){symbol, limit, most, size})))
            return false;
        place = s->place, s = above;
    }
    return !left;
}

/* Threads that differ have other digits: of the index, or beside it. */
static bool tell_apart(const numbering *k, const ls_digits *beside) {
    ls_digits all = {.p = k->p, .same_block = k->n.same_block, .assume = true};
    if (k->x && (!ls_digits_add(&all, k->x, 1) || !ls_digits_window(&all))) return false;
    for (uint32_t i = 0; i < beside->count && all.count < LS_MOST_DIGITS; i++)
        all.digits[all.count++] = beside->digits[i];
    return ls_digits_tell_apart(&all);
}

bool ls_apart_by_quotients(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    uint64_t size = a->size > b->size ? a->size : b->size;
    if (a->part != b->part || a->constant != b->constant || a->part->width != 64 ||
        p->options->exact_overflow || !has_division(a->part))
        return false;
    numbering k = {.p = p, .a = a, .b = b, .n = {.p = p, .same_block = same_block, .assume = true}};
    ls_term_list claims = {0};
    const ls_term *address = ls_without_overflow(&p->terms, a->part, &claims);
    LS_VEC_FREE(&claims);
    if (!split_address(&k, address) || !ls_digits_add(&k.n, k.rest, 1)) return false;
    ls_digits beside = k.n;
    if (!put_digits(&k) || ls_digits_window(&k.n) < size || !tell_apart(&k, &beside)) return false;
    if (!ls_may_not_overflow(p, a, b)) return false;
    if (k.nonzero && !p->options->div0) p->assumed |= LS_ASSUMED_DIVISORS;
    return true;
}
