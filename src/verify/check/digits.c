/* The address as a number in mixed radix. An address of the form
 *     uniform part + Σ stride·digit + constant
 * whose digits (thread and block indices, loop counters) have ranges such that each stride is at least the
 * next smaller one times its range is different for different digits, as numbers are in a positional system:
 * a + b·B + c·B·C with a < B and b < C. Strides may be symbolic (blockDim.x, a parameter). Nothing wraps:
 * that is checked, with the launch bound; or, where it cannot be (a loop that goes on for as long as some n
 * says), assumed; or it does not matter. */
#include "verify/check/digits.h"

typedef ls_wide wide;

/* --- From terms to digits --------------------------------------------------------------------------------
 */

bool ls_digits_agree(const ls_digits *n, const ls_term *t) {
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
static bool as_digit(const ls_digits *n, const ls_term *t, ls_digit *out) {
    ls_proof *p = n->p;
    t = unextended(t);
    if (n->assume && is_low_counter(p, t)) t = t->args[0]; /* these bits are all that it has */
    if (t->op != LS_T_SYM) return false;
    *out = (ls_digit){.symbol = t, .most = t->uhi};
    for (int i = 0; i < 3; i++) {
        if (t == p->tid[i] && p->ntid[i]->op == LS_T_SYM) out->limit = (ls_stride){1, p->ntid[i]};
        if (t == p->ctaid[i] && p->nctaid[i]->op == LS_T_SYM) out->limit = (ls_stride){1, p->nctaid[i]};
        if (t == p->tid[i] || t == p->ctaid[i]) return true;
    }
    return ls_sym_of(&p->terms, t)->kind == LS_SYM_COUNT;
}

bool ls_digits_put(ls_digits *n, ls_digit d) {
    const ls_term *monomial = d.stride.monomial;
    if (d.stride.factor < 0) d.stride.factor = -d.stride.factor; /* downwards is as good as upwards */
    for (uint32_t i = 0; i < n->count; i++)
        if (n->digits[i].symbol == d.symbol) return false;
    if (n->count == LS_MOST_DIGITS) return false;
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

static bool add_digit(ls_digits *n, ls_digit d, wide factor, const ls_term *monomial) {
    d.stride = (ls_stride){factor, monomial};
    return ls_digits_put(n, d);
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
static const ls_term *factor_of(const ls_digits *n, const ls_term *t) {
    bool small =
        n->assume && is_extended(t) && t->args[0]->op == LS_T_MUL && !has_negative_factor(n->p, t->args[0]);
    return small ? widened(&n->p->terms, t->args[0]) : t;
}

/* factor·t, where t is one digit times uniform factors. */
static bool add_product(ls_digits *n, const ls_term *t, wide factor) {
    ls_terms *ctx = &n->p->terms;
    const ls_term *rest = NULL;
    ls_digit d = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const ls_term *f = t->args[i];
        ls_digit here;
        if (ls_digits_agree(n, f))
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
static bool is_taken_small(const ls_digits *n, const ls_term *sum) {
    for (uint32_t i = 0; i < sum->count && n->assume; i++) {
        const ls_term *t = sum->args[i];
        if (!ls_digits_agree(n, t) && t->op == LS_T_MUL && has_negative_factor(n->p, t)) return false;
    }
    return n->assume;
}

static bool add_sum(ls_digits *n, const ls_term *t, wide factor, bool widen) {
    for (uint32_t i = 0; i < t->count; i++) {
        const ls_term *part = widen ? widened(&n->p->terms, t->args[i]) : t->args[i];
        if (!ls_digits_add(n, part, factor * (wide)ls_signed(t->coefs[i], t->width))) return false;
    }
    return true;
}

bool ls_digits_add(ls_digits *n, const ls_term *t, wide factor) {
    ls_digit d;
    if (ls_digits_agree(n, t)) return true; /* the same for both */
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
static bool covers(ls_terms *ctx, ls_stride a, ls_stride b) {
    const ls_term *rest = divided(ctx, a.monomial, b.monomial);
    return rest && a.factor * (wide)rest->ulo >= b.factor;
}

ls_stride ls_stride_times(ls_terms *ctx, ls_stride a, ls_stride b) {
    const ls_term *x = a.monomial ? ls_resize(ctx, a.monomial, 64, false) : NULL;
    const ls_term *y = b.monomial ? ls_resize(ctx, b.monomial, 64, false) : NULL;
    return (ls_stride){a.factor * b.factor, x && y ? ls_mul(ctx, x, y) : x ? x : y};
}

ls_stride ls_stride_over(ls_terms *ctx, ls_stride a, ls_stride b) {
    const ls_term *rest = b.factor && a.factor % b.factor == 0 ? divided(ctx, a.monomial, b.monomial) : NULL;
    if (!rest) return (ls_stride){0};
    return (ls_stride){a.factor / b.factor, ls_is_const(rest) ? NULL : rest};
}

static ls_stride times(ls_terms *ctx, ls_stride s, const ls_digit *d, bool symbolic) {
    if (!symbolic) return (ls_stride){s.factor * ((wide)d->most + 1), s.monomial};
    return ls_stride_times(ctx, s, d->limit);
}

/* The digits that are left can be put above `below`, one after the other. */
static bool stack_up(const ls_digits *n, uint32_t left, ls_stride below) {
    if (!left) return true;
    if (below.factor > (wide)1 << 64) return false;
    ls_terms *ctx = &n->p->terms;
    for (uint32_t i = 0; i < n->count; i++) {
        const ls_digit *d = &n->digits[i];
        if (!(left >> i & 1) || !covers(ctx, d->stride, below)) continue;
        for (int symbolic = d->limit.factor != 0; symbolic >= 0; symbolic--)
            if (stack_up(n, left & ~(1u << i), times(ctx, d->stride, d, symbolic))) return true;
    }
    return false;
}

/* The widest window of constants within which addresses with different digits are apart; 0: none. */
uint64_t ls_digits_window(const ls_digits *n) {
    ls_terms *ctx = &n->p->terms;
    uint32_t all = (1u << n->count) - 1;
    wide best = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        const ls_digit *d = &n->digits[i];
        wide stride = d->stride.factor * (wide)(d->stride.monomial ? d->stride.monomial->ulo : 1);
        if (stride <= best) continue;
        bool fits = false;
        for (int symbolic = d->limit.factor != 0; symbolic >= 0 && !fits; symbolic--)
            fits = stack_up(n, all & ~(1u << i), times(ctx, d->stride, d, symbolic));
        if (fits) best = stride;
    }
    return best > (wide)1 << 62 ? UINT64_C(1) << 62 : (uint64_t)best;
}

/* The digits name the thread of a block, or the block. */
bool ls_digits_tell_apart(const ls_digits *n) {
    const ls_term *const *ids = n->same_block ? n->p->tid : n->p->ctaid;
    for (int i = 0; i < 3; i++) {
        bool there = ls_is_const(ids[i]);
        for (uint32_t k = 0; k < n->count; k++) there |= n->digits[k].symbol == ids[i];
        if (!there) return false;
    }
    return n->count > 0;
}
/* None of the sum is negative, and all that is not the same for both threads are digits in positions. */
bool ls_digits_add_positions(ls_digits *n, const ls_term *sum) {
    if (sum->op != LS_T_LIN)
        return ls_digits_agree(n, sum) || ls_digits_add(n, ls_zext(&n->p->terms, sum, 64), 1);
    if (ls_signed(sum->value, 32) < 0) return false;
    for (uint32_t i = 0; i < sum->count; i++) {
        const ls_term *t = sum->args[i];
        bool negative = t->op == LS_T_MUL ? has_negative_factor(n->p, t) : t->slo < 0;
        if (negative || ls_signed(sum->coefs[i], 32) < 0) return false;
    }
    return add_sum(n, sum, 1, true);
}

/* The only part of the address that is not the same for both threads: scale·index. NULL, and no scale, where
 * there are several. */
const ls_term *ls_digits_index(const ls_term *part, const ls_digits *n, uint64_t *scale_out) {
    const ls_term *index = NULL;
    int64_t scale = 0;
    if (part->op != LS_T_LIN) return NULL;
    for (uint32_t i = 0; i < part->count; i++) {
        if (ls_digits_agree(n, part->args[i])) continue;
        int64_t coefficient = ls_signed(part->coefs[i], part->width);
        if (index || coefficient <= 0 || !is_extended(part->args[i])) return NULL;
        index = part->args[i];
        scale = coefficient;
    }
    if (index) *scale_out = (uint64_t)scale;
    return index;
}

/* --- Sums that wrap around -------------------------------------------------------------------------------
 * Modulo a power of two S, a sum is what its digits below S say, whatever wraps: what comes in multiples of S
 * (the count of iterations times the threads of the grid) does not matter. Two values whose digits are at
 * least `window` and at most `reach` apart are then at least min(window, S - reach) apart. */

static bool is_index(const ls_proof *p, const ls_term *t) {
    bool is = false;
    for (int i = 0; i < 3; i++) is |= t == p->tid[i] || t == p->ctaid[i];
    return is;
}

/* The digits of the sum that are indices of the launch; the power of two that all the rest is a multiple of.
 */
static bool split_by_power(ls_digits *n, const ls_term *sum, wide *power) {
    *power = (wide)1 << sum->width;
    for (uint32_t i = 0; i < sum->count; i++) {
        const ls_term *t = unextended(sum->args[i]);
        uint64_t k = sum->coefs[i];
        ls_digit d;
        if (ls_digits_agree(n, t)) continue;
        wide lowest = (wide)(k & (0 - k));
        if (!is_index(n->p, t))
            *power = lowest < *power ? lowest : *power;
        else if (!as_digit(n, t, &d) || !add_digit(n, d, (wide)ls_signed(k, sum->width), NULL))
            return false;
    }
    return n->reach < *power && ls_digits_tell_apart(n);
}

uint64_t ls_digits_wrapped_window(ls_proof *p, const ls_term *part, bool same_block) {
    ls_digits n = {.p = p, .same_block = same_block};
    uint64_t times = 1;
    wide power;
    const ls_term *index = ls_digits_index(part, &n, &times), *sum = index ? index->args[0] : part;
    if (sum->op != LS_T_LIN || times > 1u << 29 || !split_by_power(&n, sum, &power)) return 0;
    wide window = (wide)ls_digits_window(&n), around = power - n.reach;
    return (uint64_t)(window < around ? window : around) * times;
}
