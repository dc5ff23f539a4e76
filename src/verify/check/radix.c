/* Accesses told apart without a solver: the address as a number in mixed radix. An address of the form
 *     uniform part + Σ stride·digit + constant
 * whose digits (thread and block indices, loop counters) have ranges such that each stride is at least the
 * next smaller one times its range is different for different digits, as numbers are in a positional system:
 * a + b·B + c·B·C with a < B and b < C. If the indices that tell the two threads apart are among the digits,
 * two accesses whose addresses differ in the constant alone, by less than the smallest stride, never meet.
 * Strides may be symbolic (blockDim.x, a parameter). Nothing wraps: that is checked, with the launch bound;
 * or, where it cannot be (a loop that goes on for as long as some n says), assumed, and the scope says so. */
#include "verify/check/radix.h"
#include "verify/check/contract.h"
#include "verify/check/flights.h"
#include "verify/query/query.h"

typedef __int128 wide;

enum { MOST_DIGITS = 6, MOST_PARTS = 1000 /* of a condition */, MOST_NESTED = 3 /* rows */ };

typedef struct { /* factor·monomial */
    wide factor;
    const ls_term *monomial; /* NULL: 1 */
} scale;

typedef struct {
    const ls_term *symbol, *limit; /* less than limit, where that is a symbol; or NULL */
    uint64_t most;                 /* the largest value */
    scale stride;
} digit;

typedef struct {
    ls_proof *p;
    bool same_block;
    bool assume; /* that nothing wraps */
    digit digits[MOST_DIGITS];
    uint32_t count;
    wide reach; /* largest distance of two values; not known where it is assumed that nothing wraps */
} number;

/* --- From terms to digits --------------------------------------------------------------------------------
 */

static bool is_uniform(const number *n, const ls_term *t) {
    return t->scope == LS_SCOPE_GRID || (n->same_block && t->scope == LS_SCOPE_BLOCK);
}

static const ls_term *unextended(const ls_term *t) {
    return t->op == LS_T_ZEXT ? t->args[0] : t;
}

/* The low bits of a loop counter. */
static bool is_low_counter(ls_proof *p, const ls_term *t) {
    return t->op == LS_T_EXTRACT && !t->value && t->args[0]->op == LS_T_SYM &&
           ls_sym_of(&p->terms, t->args[0])->kind == LS_SYM_COUNT;
}

/* The symbol as a digit: an index of the launch, or a loop counter. */
static bool as_digit(const number *n, const ls_term *t, digit *out) {
    ls_proof *p = n->p;
    t = unextended(t);
    if (n->assume && is_low_counter(p, t)) t = t->args[0]; /* these bits are all that it has */
    if (t->op != LS_T_SYM) return false;
    *out = (digit){.symbol = t, .most = t->uhi};
    for (int i = 0; i < 3; i++) {
        if (t == p->tid[i] && p->ntid[i]->op == LS_T_SYM) out->limit = p->ntid[i];
        if (t == p->ctaid[i] && p->nctaid[i]->op == LS_T_SYM) out->limit = p->nctaid[i];
        if (t == p->tid[i] || t == p->ctaid[i]) return true;
    }
    return ls_sym_of(&p->terms, t)->kind == LS_SYM_COUNT;
}

static bool add_digit(number *n, digit d, wide factor, const ls_term *monomial) {
    d.stride = (scale){factor < 0 ? -factor : factor, monomial}; /* downwards is as good as upwards */
    for (uint32_t i = 0; i < n->count; i++)
        if (n->digits[i].symbol == d.symbol) return false;
    if (n->count == MOST_DIGITS) return false;
    if (n->assume) {
        n->digits[n->count++] = d;
        return d.stride.factor <= (wide)1 << 32 && d.most <= UINT64_C(1) << 62;
    }
    wide high = monomial ? (wide)monomial->uhi : 1;
    if (high > (wide)1 << 62 || d.stride.factor > (wide)1 << 32 || d.most > UINT64_C(1) << 32) return false;
    wide span = d.stride.factor * (wide)d.most;
    if (span && high > ((wide)1 << 100) / span) return false;
    n->reach += span * high;
    n->digits[n->count++] = d;
    return true;
}

/* A part of a sum that does not wrap, none of which is negative. */
static const ls_term *widened(ls_terms *ctx, const ls_term *t) {
    if (t->op != LS_T_MUL) return ls_zext(ctx, t, 64);
    const ls_term *product = ls_zext(ctx, t->args[0], 64);
    for (uint32_t i = 1; i < t->count; i++) product = ls_mul(ctx, product, ls_zext(ctx, t->args[i], 64));
    return product;
}

static bool has_negative_factor(ls_proof *p, const ls_term *product) {
    for (uint32_t i = 0; i < product->count; i++)
        if (product->args[i]->slo < 0 && !is_low_counter(p, product->args[i])) return true;
    return false;
}

static bool is_extended(const ls_term *t) {
    return (t->op == LS_T_ZEXT || t->op == LS_T_SEXT) && t->width == 64 && t->args[0]->width == 32;
}

/* A product of sizes that was made with 32 bits, as one of 64. */
static const ls_term *factor_of(const number *n, const ls_term *t) {
    bool small =
        n->assume && is_extended(t) && t->args[0]->op == LS_T_MUL && !has_negative_factor(n->p, t->args[0]);
    return small ? widened(&n->p->terms, t->args[0]) : t;
}

/* factor·t, where t is one digit times uniform factors. */
static bool add_product(number *n, const ls_term *t, wide factor) {
    ls_terms *ctx = &n->p->terms;
    const ls_term *rest = NULL;
    digit d = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ls_term *f = t->args[i];
        digit here;
        if (is_uniform(n, f))
            rest = rest ? ls_mul(ctx, rest, factor_of(n, f)) : factor_of(n, f);
        else if (!d.symbol && as_digit(n, f, &here))
            d = here;
        else
            return false;
    }
    if (!d.symbol || !rest || rest->slo < 0) return false;
    return add_digit(n, d, factor, rest);
}

/* The axis in which t, times k, is *factor times the index of the block's first thread in the grid; or -1. */
static int block_start(const ls_proof *p, const ls_term *t, wide k, wide *factor) {
    *factor = k;
    for (int axis = 0; axis < 3; axis++) {
        const ls_term *block = p->ctaid[axis], *size = p->ntid[axis];
        if (t->op == LS_T_MUL && t->count == 2 &&
            ((t->args[0] == block && t->args[1] == size) || (t->args[1] == block && t->args[0] == size)))
            return axis;
        if (t != block || !ls_is_const(size) || k % (wide)size->value) continue;
        *factor = k / (wide)size->value;
        return axis;
    }
    return -1;
}

/* The largest index of a thread in the grid: blockIdx·blockDim + threadIdx is below gridDim·blockDim, which
 * is at most 2^31 - 1 where it is not known (the launch bound). */
static wide last_index(const ls_proof *p, int axis) {
    bool known = p->options->block[0] && p->options->grid[0];
    return known ? (wide)p->ntid[axis]->uhi * (wide)p->nctaid[axis]->uhi - 1 : INT32_MAX - 1;
}

/* A 32-bit sum that does not wrap, as numbers with a sign, whose products do not either. */
static bool stays_small(const ls_proof *p, const ls_term *sum) {
    wide most = ls_signed(sum->value, 32), of_thread[3] = {0}, of_block[3] = {0};
    if (most < 0) return false;
    for (uint32_t i = 0; i < sum->count; i++) {
        const ls_term *t = sum->args[i];
        wide k = ls_signed(sum->coefs[i], 32), factor;
        if (k < 0) return false;
        int axis = block_start(p, t, k, &factor), thread = -1;
        for (int x = 0; x < 3; x++)
            if (t == p->tid[x]) thread = x;
        if (axis >= 0)
            of_block[axis] = factor;
        else if (thread >= 0)
            of_thread[thread] = k;
        else if (t->slo < 0)
            return false;
        else
            most += k * (wide)t->shi;
    }
    for (int axis = 0; axis < 3; axis++) {
        wide both = of_block[axis] < of_thread[axis] ? of_block[axis] : of_thread[axis];
        wide rest = of_thread[axis] - both;
        most += of_block[axis] * last_index(p, axis) + rest * (wide)p->tid[axis]->uhi;
    }
    return most <= INT32_MAX;
}

/* The same by assumption; what makes the two threads differ has no negative factors. */
static bool is_taken_small(const number *n, const ls_term *sum) {
    for (uint32_t i = 0; i < sum->count && n->assume; i++) {
        const ls_term *t = sum->args[i];
        if (!is_uniform(n, t) && t->op == LS_T_MUL && has_negative_factor(n->p, t)) return false;
    }
    return n->assume;
}

static bool add_term(number *n, const ls_term *t, wide factor);

static bool add_sum(number *n, const ls_term *t, wide factor, bool widen) {
    for (uint32_t i = 0; i < t->count; i++) {
        const ls_term *part = widen ? widened(&n->p->terms, t->args[i]) : t->args[i];
        if (!add_term(n, part, factor * (wide)ls_signed(t->coefs[i], t->width))) return false;
    }
    return true;
}

static bool add_term(number *n, const ls_term *t, wide factor) {
    digit d;
    if (is_uniform(n, t)) return true; /* the same for both */
    if (as_digit(n, t, &d)) return add_digit(n, d, factor, NULL);
    if (t->op == LS_T_MUL) return add_product(n, t, factor);
    if (t->op == LS_T_LIN) return add_sum(n, t, factor, false);
    if (!is_extended(t)) return false;
    const ls_term *inner = t->args[0];
    if (inner->op == LS_T_LIN && (stays_small(n->p, inner) || is_taken_small(n, inner)))
        return add_sum(n, inner, factor, true);
    if (inner->op == LS_T_MUL && n->assume && !has_negative_factor(n->p, inner))
        return add_product(n, widened(&n->p->terms, inner), factor);
    return false;
}

/* --- Positional systems ----------------------------------------------------------------------------------
 */

/* a / b as a product of whole factors, or NULL; either may be NULL for 1. */
static const ls_term *divided(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    if (!b) return a ? a : ls_const(ctx, 64, 1);
    if (!a) return NULL;
    const ls_term *rest = ls_const(ctx, a->width, 1);
    uint32_t na = a->op == LS_T_MUL ? a->count : 1, nb = b->op == LS_T_MUL ? b->count : 1, used = 0;
    if (nb > 32) return NULL;
    for (uint32_t i = 0; i < na; i++) {
        const ls_term *f = a->op == LS_T_MUL ? a->args[i] : a;
        bool matched = false;
        for (uint32_t j = 0; j < nb && !matched; j++) {
            const ls_term *g = b->op == LS_T_MUL ? b->args[j] : b;
            matched = !(used >> j & 1) && unextended(f) == unextended(g);
            if (matched) used |= 1u << j;
        }
        if (!matched) rest = ls_mul(ctx, rest, f);
    }
    return used == (nb == 32 ? UINT32_MAX : (1u << nb) - 1) ? rest : NULL;
}

/* a >= b, whatever the symbols are. */
static bool covers(ls_terms *ctx, scale a, scale b) {
    const ls_term *rest = divided(ctx, a.monomial, b.monomial);
    return rest && a.factor * (wide)rest->ulo >= b.factor;
}

static scale times(ls_terms *ctx, scale s, const digit *d, bool symbolic) {
    if (!symbolic) return (scale){s.factor * ((wide)d->most + 1), s.monomial};
    const ls_term *limit = ls_zext(ctx, d->limit, 64);
    const ls_term *m = s.monomial ? ls_mul(ctx, ls_resize(ctx, s.monomial, 64, false), limit) : limit;
    return (scale){s.factor, m};
}

/* The digits that are left can be put above `below`, one after the other. */
static bool stack_up(const number *n, uint32_t left, scale below) {
    if (!left) return true;
    if (below.factor > (wide)1 << 64) return false;
    ls_terms *ctx = &n->p->terms;
    for (uint32_t i = 0; i < n->count; i++) {
        const digit *d = &n->digits[i];
        if (!(left >> i & 1) || !covers(ctx, d->stride, below)) continue;
        for (int symbolic = d->limit != NULL; symbolic >= 0; symbolic--)
            if (stack_up(n, left & ~(1u << i), times(ctx, d->stride, d, symbolic))) return true;
    }
    return false;
}

/* The widest window of constants within which addresses with different digits are apart; 0: none. */
static uint64_t window_of(const number *n) {
    ls_terms *ctx = &n->p->terms;
    uint32_t all = (1u << n->count) - 1;
    wide best = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        const digit *d = &n->digits[i];
        wide stride = d->stride.factor * (wide)(d->stride.monomial ? d->stride.monomial->ulo : 1);
        if (stride <= best) continue;
        bool fits = false;
        for (int symbolic = d->limit != NULL; symbolic >= 0 && !fits; symbolic--)
            fits = stack_up(n, all & ~(1u << i), times(ctx, d->stride, d, symbolic));
        if (fits) best = stride;
    }
    return best > (wide)1 << 62 ? UINT64_C(1) << 62 : (uint64_t)best;
}

/* The digits name the thread of a block, or the block. */
static bool tells_apart(const number *n) {
    const ls_term *const *ids = n->same_block ? n->p->tid : n->p->ctaid;
    for (int i = 0; i < 3; i++) {
        bool there = ls_is_const(ids[i]);
        for (uint32_t k = 0; k < n->count; k++) there |= n->digits[k].symbol == ids[i];
        if (!there) return false;
    }
    return n->count > 0;
}

/* --- Pairs -----------------------------------------------------------------------------------------------
 */

static uint64_t assumed_window(ls_proof *p, const ls_term *part, bool same_block) {
    number n = {.p = p, .same_block = same_block, .assume = true};
    if (p->options->exact_overflow || part->width != 64 || !add_term(&n, part, 1)) return 0;
    return tells_apart(&n) ? window_of(&n) : 0;
}

/* Of the values that a part of an address has for two threads. */
typedef struct {
    uint64_t window; /* they are at least so far apart where the threads differ; 0: nothing is known */
    uint64_t reach;  /* and at most so far; UINT64_MAX: nothing is known */
    uint64_t assumed_window; /* a window where nothing wraps */
} spacing;

typedef struct {  /* what was found out already */
    ls_intmap by; /* part of an address and view to index in `all` */
    LS_VEC(spacing) all;
} spacings;

static void free_spacings(void *part) {
    spacings *known = part;
    ls_intmap_free(&known->by);
    LS_VEC_FREE(&known->all);
}

static const ls_part SPACINGS = {sizeof(spacings), free_spacings};

static spacing find_spacing(ls_proof *p, const ls_term *part, bool same_block) {
    number n = {.p = p, .same_block = same_block};
    spacing none = {.reach = UINT64_MAX};
    wide half = (wide)1 << (part->width - 1);
    if (!add_term(&n, part, 1) || n.reach >= half) return none;
    uint64_t window = tells_apart(&n) ? window_of(&n) : 0;
    return (spacing){.window = n.reach + (wide)window < half ? window : 0, .reach = (uint64_t)n.reach};
}

static spacing spacing_of(ls_proof *p, const ls_term *part, bool same_block) {
    bool is_new;
    uint64_t key = (uint64_t)part->id * 2 + same_block;
    spacings *known = ls_part_of(p, &SPACINGS);
    uint64_t *place = ls_intmap_at(&known->by, key, &is_new);
    if (!is_new) return known->all.items[*place];
    *place = known->all.length;
    spacing s = find_spacing(p, part, same_block);
    if (!s.window) s.assumed_window = assumed_window(p, part, same_block);
    LS_VEC_PUSH(&known->all, s);
    return s;
}

/* Of two accesses whose places are at least `window` apart, before the constants: b from a on is far enough
 * up, and a from b on. */
static bool are_apart(uint64_t window, uint64_t distance, uint64_t upper, uint64_t lower) {
    return distance + upper <= window && lower <= window + distance;
}

bool ls_may_not_overflow(ls_proof *p, const ls_event *a, const ls_event *b) {
    ls_standing one = ls_overflow_standing(p, a), two = ls_overflow_standing(p, b);
    if (one == LS_BROKEN || two == LS_BROKEN) return false;
    if (one == LS_CONTRACT || two == LS_CONTRACT) p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    return true;
}

bool ls_apart_by_radix(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    if (a->part != b->part) return false;
    spacing s = spacing_of(p, a->part, same_block);
    uint32_t width = a->part->width;
    int64_t difference = ls_signed(a->constant - b->constant, width);
    uint64_t distance = difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
    uint64_t size = a->size > b->size ? a->size : b->size, half = UINT64_C(1) << (width - 2);
    if (distance >= half || size >= half) return false;
    uint64_t upper = difference < 0 ? b->size : a->size, lower = difference < 0 ? a->size : b->size;
    if (are_apart(s.window, distance, upper, lower)) return true;
    if (s.reach < half && distance >= s.reach + size) return true; /* further than the digits go */
    if (!are_apart(s.assumed_window, distance, upper, lower)) return false;
    return ls_may_not_overflow(p, a, b);
}

/* --- Rows ------------------------------------------------------------------------------------------------
 * scale·(row·width + column), where the guards of both accesses say that column < width, or the launch does,
 * as where the grid has width / 16 blocks of 16 threads: neither row nor column are the same for two threads
 * that differ in their digits. That nothing wraps is assumed. */

/* The condition is a conjunction with the comparison column < width in it. Conditions share their parts: only
 * so many are looked at. */
static bool says_less(const ls_term *when, const ls_term *column, const ls_term *width, bool is_signed,
                      uint32_t *left) {
    if (!*left) return false;
    --*left;
    if (when->op == LS_T_AND && when->width == 1)
        return says_less(when->args[0], column, width, is_signed, left) ||
               says_less(when->args[1], column, width, is_signed, left);
    bool compares = when->op == LS_T_SLT || (when->op == LS_T_ULT && !is_signed);
    return compares && when->args[0] == column && when->args[1] == width;
}

static bool find_always(ls_proof *p, const ls_event *e, const ls_term *claim) {
    ls_terms *t = &p->terms;
    const ls_ir_block *block = e->node->block;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = block, .b = block});
    ls_query_add(&q, 1, e->when, claim);
    for (int i = 0; i < 3; i++) {
        ls_query_add(&q, 1, ls_true(t), p->tid[i]);
        ls_query_add(&q, 1, ls_true(t), p->ctaid[i]);
    }
    ls_query_claim(&q, p->launch);
    ls_query_claim(&q, ls_not(t, ls_query_term(&q, 1, claim)));
    ls_answered answer = ls_query_ask(&q, (ls_question){.quick = true});
    ls_query_end(&q);
    return answer == LS_UNSAT;
}

typedef struct {
    const ls_ir_block *block;
    const ls_term *when, *claim;
    bool always;
} asked;
typedef LS_VEC(asked) claims; /* that were asked for already */

static void free_claims(void *part) {
    LS_VEC_FREE((claims *)part);
}

static const ls_part CLAIMS = {sizeof(claims), free_claims};

bool ls_holds_always(ls_proof *p, const ls_event *e, const ls_term *claim) {
    claims *known = ls_part_of(p, &CLAIMS);
    for (uint32_t i = 0; i < known->length; i++) {
        const asked *k = &known->items[i];
        if (k->block == e->node->block && k->when == e->when && k->claim == claim) return k->always;
    }
    asked found = {e->node->block, e->when, claim, find_always(p, e, claim)};
    LS_VEC_PUSH(known, found);
    return found.always;
}

/* No thread that gets there has a column that is not less than the width. */
static bool is_always_less(ls_proof *p, const ls_event *e, const ls_term *column, const ls_term *width,
                           bool is_signed) {
    ls_terms *t = &p->terms;
    return ls_holds_always(p, e, is_signed ? ls_slt(t, column, width) : ls_ult(t, column, width));
}

const ls_term *ls_without_factor(ls_terms *ctx, const ls_term *t, const ls_term *factor) {
    if (t == factor) return ls_const(ctx, t->width, 1);
    if (t->op != LS_T_MUL) return NULL;
    const ls_term *rest = ls_const(ctx, t->width, 1);
    uint32_t found = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->args[i] == factor)
            found++;
        else
            rest = ls_mul(ctx, rest, t->args[i]);
    }
    return found == 1 ? rest : NULL;
}

/* None of the sum is negative, and all that is not the same for both threads are digits in positions. */
static bool add_positions(number *n, const ls_term *sum) {
    if (sum->op != LS_T_LIN) return is_uniform(n, sum) || add_term(n, ls_zext(&n->p->terms, sum, 64), 1);
    if (ls_signed(sum->value, 32) < 0) return false;
    for (uint32_t i = 0; i < sum->count; i++) {
        const ls_term *t = sum->args[i];
        bool negative = t->op == LS_T_MUL ? has_negative_factor(n->p, t) : t->slo < 0;
        if (negative || ls_signed(sum->coefs[i], 32) < 0) return false;
    }
    return add_sum(n, sum, 1, true);
}

/* row·width + column; of the row nothing, or all that is known. */
static void split_rows(ls_terms *ctx, const ls_term *index, const ls_term *width, const ls_term **row,
                       const ls_term **column) {
    *row = ls_const(ctx, 32, 0);
    *column = ls_const(ctx, 32, index->value);
    for (uint32_t i = 0; i < index->count; i++) {
        const ls_term *rest = ls_without_factor(ctx, index->args[i], width);
        const ls_term **to = rest ? row : column;
        *to = ls_add(ctx, *to, ls_scale(ctx, rest ? rest : index->args[i], index->coefs[i]));
    }
}

/* Two accesses whose indices are equal, and what follows from that. */
typedef struct {
    ls_proof *p;
    const ls_event *a, *b;
    bool same_block, is_signed;
    number same; /* digits that the two threads then have in common */
    bool never;  /* it is found that they are not equal: they are of different rows */
} equal_indices;

static void add_digits(equal_indices *e, const number *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        bool there = false;
        for (uint32_t k = 0; k < e->same.count; k++)
            there |= e->same.digits[k].symbol == from->digits[i].symbol;
        if (!there && e->same.count < MOST_DIGITS) e->same.digits[e->same.count++] = from->digits[i];
    }
}

/* The sum, which both have, has a place for each of its digits. */
static bool has_places(const equal_indices *e, const ls_term *sum, number *digits) {
    *digits = (number){.p = e->p, .same_block = e->same_block, .assume = true};
    return add_positions(digits, sum) && (!digits->count || window_of(digits));
}

/* For either access: by its guards, or by what the host code says of the launch. */
static bool is_column(const equal_indices *e, const ls_term *column, const ls_term *width) {
    uint32_t parts[2] = {MOST_PARTS, MOST_PARTS};
    if (says_less(e->a->when, column, width, e->is_signed, &parts[0]) &&
        says_less(e->b->when, column, width, e->is_signed, &parts[1]))
        return true;
    if (!e->p->options->fact_count || !is_always_less(e->p, e->a, column, width, e->is_signed)) return false;
    return e->a->when == e->b->when || is_always_less(e->p, e->b, column, width, e->is_signed);
}

static bool compare_rows(equal_indices *e, const ls_term *x, const ls_term *y, uint32_t depth);

/* Columns that are less than the width are equal, and so are the rows. */
static bool compare_columns(equal_indices *e, const ls_term *x, const ls_term *y, const ls_term *width,
                            uint32_t depth) {
    const ls_term *row[2], *column[2];
    number digits;
    split_rows(&e->p->terms, x, width, &row[0], &column[0]);
    split_rows(&e->p->terms, y, width, &row[1], &column[1]);
    if (column[0] != column[1] || !has_places(e, column[0], &digits)) return false;
    if (!is_column(e, column[0], width)) return false;
    add_digits(e, &digits);
    compare_rows(e, row[0], row[1], depth + 1);
    return true;
}

/* The widths that a sum may be split by are those that something in it is multiplied by, if only a number. */
static bool compare_by_widths(equal_indices *e, const ls_term *x, const ls_term *y, const ls_term *of,
                              uint32_t depth) {
    for (uint32_t i = 0; i < of->count; i++) {
        const ls_term *t = of->args[i];
        bool product = t->op == LS_T_MUL;
        for (uint32_t k = 0; k < (product ? t->count : 1); k++) {
            const ls_term *width = product ? t->args[k] : t;
            if (width->op != LS_T_SYM || width->scope != LS_SCOPE_GRID) continue;
            if (compare_columns(e, x, y, width, depth)) return true;
        }
    }
    return false;
}

/* What is the same for both where x of the one equals y of the other; rows of rows have widths, too. */
static bool compare_rows(equal_indices *e, const ls_term *x, const ls_term *y, uint32_t depth) {
    number digits;
    e->never |= ls_is_const(x) && ls_is_const(y) && x != y;
    if (x == y && has_places(e, x, &digits)) {
        add_digits(e, &digits);
        return true;
    }
    if (x->op != LS_T_LIN || y->op != LS_T_LIN || depth >= MOST_NESTED) return false;
    return compare_by_widths(e, x, y, x, depth) || compare_by_widths(e, x, y, y, depth);
}

/* The only part of the address that is not the same for both threads: scale·index. */
static const ls_term *only_index(const ls_term *part, const number *n, uint64_t *scale_out) {
    const ls_term *index = NULL;
    if (part->op != LS_T_LIN) return NULL;
    for (uint32_t i = 0; i < part->count; i++) {
        if (is_uniform(n, part->args[i])) continue;
        int64_t coefficient = ls_signed(part->coefs[i], part->width);
        if (index || coefficient <= 0 || !is_extended(part->args[i])) return NULL;
        index = part->args[i];
        *scale_out = (uint64_t)coefficient;
    }
    return index;
}

/* Beside the index the two addresses have the same parts. */
static bool has_same_start(const ls_term *one, const ls_term *two, const ls_term *x, const ls_term *y) {
    if (one == two) return true;
    if (one->count != two->count) return false;
    for (uint32_t i = 0; i < one->count; i++) {
        bool there = one->args[i] == x;
        for (uint32_t k = 0; k < two->count && !there; k++)
            there = two->args[k] != y && two->args[k] == one->args[i] && two->coefs[k] == one->coefs[i];
        if (!there) return false;
    }
    return true;
}

bool ls_find_indices(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block, ls_indices *out) {
    number n = {.p = p, .same_block = same_block};
    uint64_t stride[2] = {0};
    if (p->options->exact_overflow || a->constant != b->constant) return false;
    const ls_term *x = only_index(a->part, &n, &stride[0]), *y = only_index(b->part, &n, &stride[1]);
    if (!x || !y || stride[0] != stride[1] || a->size > stride[0] || b->size > stride[0]) return false;
    if (!has_same_start(a->part, b->part, x, y)) return false;
    *out = (ls_indices){x->args[0], y->args[0], {x->op == LS_T_SEXT, y->op == LS_T_SEXT}};
    return out->x->op == LS_T_LIN && out->y->op == LS_T_LIN;
}

bool ls_apart_by_rows(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    ls_indices of;
    if (!ls_find_indices(p, a, b, same_block, &of) || of.is_signed[0] != of.is_signed[1]) return false;
    equal_indices e = {.p = p,
                       .a = a,
                       .b = b,
                       .same_block = same_block,
                       .is_signed = of.is_signed[0],
                       .same = {.p = p, .same_block = same_block}};
    bool known = compare_rows(&e, of.x, of.y, 0);
    return known && (e.never || tells_apart(&e.same)) && ls_may_not_overflow(p, a, b);
}

/* A copy in the background may read less than it writes: at most as much. */
static uint32_t bytes_of(const ls_ir_access *a) {
    uint32_t bytes = a->bytes;
    for (uint32_t k = 0; k < a->instr->access_count && !bytes && ls_is_flight(a->instr); k++)
        bytes = a->instr->accesses[k].bytes;
    return bytes;
}

void ls_split_address(ls_proof *p, ls_event *e) {
    ls_terms *t = &p->terms;
    e->constant = e->address->op == LS_T_LIN ? e->address->value : 0;
    e->part = ls_sub(t, e->address, ls_const(t, e->address->width, e->constant));
    e->size = (uint64_t)bytes_of(e->access) * (e->access->count ? e->access->count : 1);
}
