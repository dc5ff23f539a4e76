/* Sums and products as terms: they are brought into polynomial normal form modulo 2^width, which is what
 * decides most race queries without a solver. */
#include "solve/sums.h"
#include "solve/ranges.h"

#include <assert.h>
#include <stdlib.h>

void ls_sum_init(ls_sum *s, uint32_t width) {
    s->constant = 0;
    s->count = 0;
    s->capacity = LS_SUM_PARTS;
    s->width = width;
    s->args = s->small_args;
    s->coefs = s->small_coefs;
}

static void sum_grow(ls_terms *ctx, ls_sum *s) {
    const ls_term **args = LS_NEW_N(&ctx->arena, const ls_term *, s->capacity * 2);
    uint64_t *coefs = LS_NEW_N(&ctx->arena, uint64_t, s->capacity * 2);
    memcpy(args, s->args, sizeof *args * s->count);
    memcpy(coefs, s->coefs, sizeof *coefs * s->count);
    s->args = args;
    s->coefs = coefs;
    s->capacity *= 2;
}

void ls_sum_part(ls_terms *ctx, ls_sum *s, const ls_term *a, uint64_t c) {
    c &= ls_mask(s->width);
    if (!c) return;
    uint32_t i = 0;
    while (i < s->count && s->args[i]->id < a->id) i++;
    if (i < s->count && s->args[i] == a) {
        s->coefs[i] = (s->coefs[i] + c) & ls_mask(s->width);
        if (s->coefs[i]) return;
        s->count--;
        memmove(s->args + i, s->args + i + 1, sizeof *s->args * (s->count - i));
        memmove(s->coefs + i, s->coefs + i + 1, sizeof *s->coefs * (s->count - i));
        return;
    }
    if (s->count == s->capacity) sum_grow(ctx, s);
    memmove(s->args + i + 1, s->args + i, sizeof *s->args * (s->count - i));
    memmove(s->coefs + i + 1, s->coefs + i, sizeof *s->coefs * (s->count - i));
    s->args[i] = a;
    s->coefs[i] = c;
    s->count++;
}

void ls_sum_add(ls_terms *ctx, ls_sum *s, const ls_term *a, uint64_t c) {
    if (a->op == LS_T_CONST) {
        s->constant += a->value * c;
    } else if (a->op == LS_T_LIN) {
        s->constant += a->value * c;
        for (uint32_t i = 0; i < a->count; i++) ls_sum_part(ctx, s, a->args[i], a->coefs[i] * c);
    } else {
        ls_sum_part(ctx, s, a, c);
    }
}

static int by_id(const void *x, const void *y) {
    uint32_t a = (*(const ls_term *const *)x)->id, b = (*(const ls_term *const *)y)->id;
    return a < b ? -1 : a > b;
}

/* A remainder x % d as it stands in a sum. Where d may be zero, it is d == 0 ? x : x % (d == 0 ? 1 : d), for
 * lower.c assumes that no remainder is taken with a divisor of zero. */
typedef struct {
    const ls_term *x, *d;
    const ls_term *division; /* x % d itself, or what it is where d is not zero */
    const ls_term *zero;     /* d == 0, or NULL where that cannot be */
} modulo;

static bool is_remainder(const ls_term *t, modulo *r) {
    *r = (modulo){.division = t};
    if (t->op == LS_T_ITE) *r = (modulo){.division = t->args[2], .zero = t->args[0]};
    if (r->division->op != LS_T_UREM && r->division->op != LS_T_SREM) return false;
    r->x = r->division->args[0], r->d = r->division->args[1];
    if (!r->zero) return true;
    if (t->args[1] != r->x || r->zero->op != LS_T_EQ || r->d->op != LS_T_ITE || r->d->args[0] != r->zero)
        return false;
    r->d = r->d->args[2];
    const ls_term *a = r->zero->args[0], *b = r->zero->args[1];
    return (a == r->d && b->op == LS_T_CONST && !b->value) || (b == r->d && a->op == LS_T_CONST && !a->value);
}

/* q = x / d, whatever that is where d is zero. */
static bool is_quotient(const ls_term *q, const modulo *r) {
    if (r->zero) {
        if (q->op != LS_T_ITE || q->args[0] != r->zero) return false;
        q = q->args[2];
    }
    return q->op == (r->division->op == LS_T_UREM ? LS_T_UDIV : LS_T_SDIV) &&
           q->args[0] == r->division->args[0] && q->args[1] == r->division->args[1];
}

enum { MAX_FACTORS = 16 };

typedef struct {
    const ls_term *items[MAX_FACTORS];
    uint32_t count;
} factors;

/* The factors of a product but the one at `skip`, and those of `more` (NULL: none), by their ids. */
static bool factors_of(factors *f, const ls_term *product, uint32_t skip, const ls_term *more) {
    const ls_term *const from[2] = {product, more};
    f->count = 0;
    for (int k = 0; k < 2 && from[k]; k++) {
        uint32_t n = from[k]->op == LS_T_MUL ? from[k]->count : 1;
        for (uint32_t i = 0; i < n; i++) {
            if (k == 0 && i == skip) continue;
            if (f->count == MAX_FACTORS) return false;
            f->items[f->count++] = from[k]->op == LS_T_MUL ? from[k]->args[i] : from[k];
        }
    }
    qsort(f->items, f->count, sizeof *f->items, by_id);
    return true;
}

/* Whether `part` is (x / d)·rest, for the factors `rest`. */
static bool is_whole_part(const ls_term *part, const factors *rest, const modulo *r) {
    uint32_t n = part->op == LS_T_MUL ? part->count : 1;
    for (uint32_t i = 0; i < n && n == rest->count + 1; i++) {
        factors others;
        if (is_quotient(part->op == LS_T_MUL ? part->args[i] : part, r) &&
            factors_of(&others, part, i, NULL) &&
            memcmp(others.items, rest->items, sizeof *others.items * others.count) == 0)
            return true;
    }
    return false;
}

/* Takes k·f·(x % d), the part i with its factor at `at`, and k·f·d·(x / d) out of the sum and puts k·f·x
 * in. */
static bool join_remainder(ls_terms *ctx, ls_sum *s, uint32_t i, uint32_t at) {
    const ls_term *rest = s->args[i];
    modulo r;
    factors whole, f;
    if (!is_remainder(rest->op == LS_T_MUL ? rest->args[at] : rest, &r)) return false;
    bool constant = r.d->op == LS_T_CONST;
    if (!factors_of(&whole, rest, at, constant ? NULL : r.d) || !factors_of(&f, rest, at, NULL)) return false;
    uint64_t k = s->coefs[i], scaled = k * (constant ? r.d->value : 1);
    for (uint32_t j = 0; j < s->count; j++) {
        const ls_term *part = s->args[j];
        if (((scaled - s->coefs[j]) & ls_mask(s->width)) != 0 || !is_whole_part(part, &whole, &r)) continue;
        ls_sum_part(ctx, s, part, 0 - scaled);
        ls_sum_part(ctx, s, rest, 0 - k);
        const ls_term *joined = r.x;
        for (uint32_t n = 0; n < f.count; n++) joined = ls_mul(ctx, joined, f.items[n]);
        ls_sum_add(ctx, s, joined, k);
        return true;
    }
    return false;
}

/* k·d·(x / d) + k·(x % d) is k·x: exactly so, also modulo 2^width, and with further factors. */
static void join_division(ls_terms *ctx, ls_sum *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t n = s->args[i]->op == LS_T_MUL ? s->args[i]->count : 1;
        for (uint32_t at = 0; at < n; at++) {
            if (!join_remainder(ctx, s, i, at)) continue;
            i = (uint32_t)-1; /* from the start: the sum is another one */
            break;
        }
    }
}

/* 2^n·(x >> n), the shift being of the sign, is x - x % 2^n: what clearing the low bits comes out as. */
static void join_shifts(ls_terms *ctx, ls_sum *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const ls_term *a = s->args[i];
        if (a->op != LS_T_ASHR || a->args[1]->op != LS_T_CONST || a->args[1]->value >= s->width) continue;
        uint64_t power = UINT64_C(1) << a->args[1]->value, k = s->coefs[i];
        if (k % power) continue;
        const ls_term *rest = ls_binary(ctx, LS_T_UREM, a->args[0], ls_const(ctx, s->width, power));
        ls_sum_part(ctx, s, a, 0 - k);
        ls_sum_add(ctx, s, a->args[0], k / power);
        ls_sum_add(ctx, s, rest, 0 - k / power);
        i = (uint32_t)-1; /* from the start: the sum is another one */
    }
}

const ls_term *ls_sum_end(ls_terms *ctx, ls_sum *s) {
    join_shifts(ctx, s);
    join_division(ctx, s);
    s->constant &= ls_mask(s->width);
    if (!s->count) return ls_const(ctx, s->width, s->constant);
    if (s->count == 1 && s->coefs[0] == 1 && !s->constant) return s->args[0];
    return ls_intern(ctx, (ls_term){.op = LS_T_LIN,
                                    .width = (uint8_t)s->width,
                                    .value = s->constant,
                                    .count = s->count,
                                    .args = s->args,
                                    .coefs = s->coefs});
}

static const ls_term *combine(ls_terms *ctx, const ls_term *a, uint64_t ca, const ls_term *b, uint64_t cb) {
    assert(a->width == b->width);
    ls_sum s;
    ls_sum_init(&s, a->width);
    ls_sum_add(ctx, &s, a, ca);
    ls_sum_add(ctx, &s, b, cb);
    return ls_sum_end(ctx, &s);
}

const ls_term *ls_add(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return combine(ctx, a, 1, b, 1);
}

const ls_term *ls_sub(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    return combine(ctx, a, 1, b, UINT64_MAX);
}

const ls_term *ls_scale(ls_terms *ctx, const ls_term *a, uint64_t factor) {
    ls_sum s;
    ls_sum_init(&s, a->width);
    ls_sum_add(ctx, &s, a, factor);
    return ls_sum_end(ctx, &s);
}

/* --- Products --------------------------------------------------------------------------------------------
 */

/* Of two terms that are neither constants nor sums. */
static const ls_term *monomial(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    const ls_term *args[16];
    uint32_t count = 0;
    const ls_term *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        uint32_t n = both[k]->op == LS_T_MUL ? both[k]->count : 1;
        if (count + n > 16) return NULL;
        for (uint32_t i = 0; i < n; i++) args[count++] = n > 1 ? both[k]->args[i] : both[k];
    }
    qsort(args, count, sizeof *args, by_id);
    return ls_intern(ctx, (ls_term){.op = LS_T_MUL, .width = a->width, .count = count, .args = args});
}

static const ls_term *product(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    const ls_term *m = a->op == LS_T_LIN || b->op == LS_T_LIN ? NULL : monomial(ctx, a, b);
    if (m) return m;
    const ls_term *args[2] = {a->id < b->id ? a : b, a->id < b->id ? b : a};
    return ls_intern(ctx, (ls_term){.op = LS_T_MUL, .width = a->width, .count = 2, .args = args});
}

const ls_term *ls_mul(ls_terms *ctx, const ls_term *a, const ls_term *b) {
    assert(a->width == b->width);
    if (a->op == LS_T_CONST) return ls_scale(ctx, b, a->value);
    if (b->op == LS_T_CONST) return ls_scale(ctx, a, b->value);
    uint32_t na = a->op == LS_T_LIN ? a->count + (a->value != 0) : 1;
    uint32_t nb = b->op == LS_T_LIN ? b->count + (b->value != 0) : 1;
    if (na * nb == 1 && a->op != LS_T_LIN && b->op != LS_T_LIN) return product(ctx, a, b);
    if (na * nb > LS_SUM_PARTS) return product(ctx, a, b);
    ls_sum s;
    ls_sum_init(&s, a->width);
    for (uint32_t i = 0; i < na; i++) {
        bool ca = a->op == LS_T_LIN && i == a->count;
        const ls_term *x = ca ? NULL : a->op == LS_T_LIN ? a->args[i] : a;
        uint64_t cx = ca ? a->value : a->op == LS_T_LIN ? a->coefs[i] : 1;
        for (uint32_t j = 0; j < nb; j++) {
            bool cb = b->op == LS_T_LIN && j == b->count;
            const ls_term *y = cb ? NULL : b->op == LS_T_LIN ? b->args[j] : b;
            uint64_t cy = cb ? b->value : b->op == LS_T_LIN ? b->coefs[j] : 1;
            if (!x && !y)
                s.constant += cx * cy;
            else
                ls_sum_add(ctx, &s, !x ? y : !y ? x : product(ctx, x, y), cx * cy);
        }
    }
    return ls_sum_end(ctx, &s);
}

/* --- Common divisors -------------------------------------------------------------------------------------
 */

uint64_t ls_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t magnitude(uint64_t number, uint32_t width) {
    int64_t n = ls_signed(number, width);
    return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

uint64_t ls_content(const ls_term *sum) {
    uint64_t content = magnitude(sum->value, sum->width);
    for (uint32_t i = 0; i < sum->count; i++)
        content = ls_common_divisor(content, magnitude(sum->coefs[i], sum->width));
    return content;
}

const ls_term *ls_divided(ls_terms *ctx, const ls_term *sum, uint64_t by) {
    int64_t n = (int64_t)by;
    ls_sum s;
    ls_sum_init(&s, sum->width);
    s.constant = (uint64_t)(ls_signed(sum->value, sum->width) / n) & ls_mask(sum->width);
    for (uint32_t i = 0; i < sum->count; i++) {
        uint64_t coef = (uint64_t)(ls_signed(sum->coefs[i], sum->width) / n);
        ls_sum_add(ctx, &s, sum->args[i], coef & ls_mask(sum->width));
    }
    return ls_sum_end(ctx, &s);
}
