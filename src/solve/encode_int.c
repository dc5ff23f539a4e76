/* Terms as linear integers with product lemmas (notes on encodings: cLem, cLem2). A term of width w becomes
 * an integer expression that is congruent to its value modulo 2^w, with a range; only where the value itself
 * matters (comparison, division, extension) is it brought into the signed or unsigned range, by a multiple
 * of 2^w that is a variable of its own, and by nothing at all where its range shows that no wrap can occur.
 * So wrap-around is exact. Products of symbols are variables with lemmas; operations on bits that have no
 * linear form are variables with bounds: both make the encoding an over-approximation. */
#include "solve/encode.h"

#include "base/recover.h"

#include <assert.h>
#include <stdio.h>

typedef __int128 wide;

typedef struct {
    Z3_ast e;
    wide lo, hi;
} number;

typedef struct {
    number u, y, p;
} product;

typedef struct {
    ls_encoding *query;
    Z3_context z;
    Z3_sort sort;
    LS_VEC(number) numbers;
    ls_intmap by_term; /* term id to index in numbers */
    ls_intmap truths;  /* term id to Z3_ast */
    ls_intmap divided; /* (expression, divisor) to index of the quotient; the remainder follows */
    LS_VEC(product) products;
    ls_term_list leaves;
    uint32_t fresh;
    wide limit;
} encoder;

static number number_of(encoder *c, const ls_term *t);
static Z3_ast truth_of(encoder *c, const ls_term *t);

/* --- Small pieces ----------------------------------------------------------------------------------------
 */

static Z3_ast constant(encoder *c, wide v) {
    if (v >= INT64_MIN && v <= INT64_MAX) return Z3_mk_int64(c->z, (int64_t)v, c->sort);
    char text[64], *at = text + sizeof text - 1;
    bool negative = v < 0;
    unsigned __int128 n = negative ? -(unsigned __int128)v : (unsigned __int128)v;
    *at = 0;
    do *--at = (char)('0' + (int)(n % 10));
    while (n /= 10);
    if (negative) *--at = '-';
    return Z3_mk_numeral(c->z, at, c->sort);
}

static void claim(encoder *c, Z3_ast fact) {
    Z3_solver_assert(c->z, c->query->z3, fact);
}

static Z3_ast add2(encoder *c, Z3_ast a, Z3_ast b) {
    return Z3_mk_add(c->z, 2, (Z3_ast[]){a, b});
}

static Z3_ast sub2(encoder *c, Z3_ast a, Z3_ast b) {
    return Z3_mk_sub(c->z, 2, (Z3_ast[]){a, b});
}

static Z3_ast times(encoder *c, wide k, Z3_ast a) {
    if (k == 1) return a;
    return Z3_mk_mul(c->z, 2, (Z3_ast[]){constant(c, k), a});
}

/* Ranges are kept within ±FAR, which stands for "no bound": arithmetic on them saturates. */
#define FAR ((wide)1 << 120)

static wide saturated(wide v) {
    return v < -FAR ? -FAR : v > FAR ? FAR : v;
}

static wide plus(wide a, wide b) {
    return saturated(a + b); /* both are within ±FAR */
}

static wide scaled(wide a, wide b) {
    wide r;
    if (__builtin_mul_overflow(a, b, &r)) return (a < 0) == (b < 0) ? FAR : -FAR;
    return saturated(r);
}

static bool is_far(number n) {
    return n.lo <= -FAR || n.hi >= FAR;
}

static number fresh(encoder *c, wide lo, wide hi) {
    char name[32];
    snprintf(name, sizeof name, "v!%u", c->fresh++);
    number n = {Z3_mk_const(c->z, Z3_mk_string_symbol(c->z, name), c->sort), saturated(lo), saturated(hi)};
    if (n.lo > -FAR) claim(c, Z3_mk_ge(c->z, n.e, constant(c, n.lo)));
    if (n.hi < FAR) claim(c, Z3_mk_le(c->z, n.e, constant(c, n.hi)));
    return n;
}

static number exactly(encoder *c, wide v) {
    return (number){constant(c, v), v, v};
}

static wide floor_div(wide a, wide b) {
    wide q = a / b;
    return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

/* n modulo 2^width, in the range that starts at `from`. */
static number wrapped(encoder *c, number n, uint32_t width, wide from) {
    wide size = (wide)1 << width;
    if (n.lo >= from && n.hi < from + size) return n;
    if (is_far(n)) {
        number any = fresh(c, -FAR, FAR);
        number r = {sub2(c, n.e, times(c, size, any.e)), from, from + size - 1};
        claim(c, Z3_mk_ge(c->z, r.e, constant(c, r.lo)));
        claim(c, Z3_mk_le(c->z, r.e, constant(c, r.hi)));
        return r;
    }
    wide klo = floor_div(n.lo - from, size), khi = floor_div(n.hi - from, size);
    if (klo == khi)
        return (number){sub2(c, n.e, constant(c, klo * size)), n.lo - klo * size, n.hi - klo * size};
    number k = fresh(c, klo, khi);
    number r = {sub2(c, n.e, times(c, size, k.e)), from, from + size - 1};
    claim(c, Z3_mk_ge(c->z, r.e, constant(c, r.lo)));
    claim(c, Z3_mk_le(c->z, r.e, constant(c, r.hi)));
    return r;
}

static number as_unsigned(encoder *c, const ls_term *t) {
    number n = wrapped(c, number_of(c, t), t->width, 0);
    if (n.lo < (wide)t->ulo) n.lo = (wide)t->ulo; /* what the term's own range knows */
    if (n.hi > (wide)t->uhi) n.hi = (wide)t->uhi;
    return n;
}

static number as_signed(encoder *c, const ls_term *t) {
    number n = wrapped(c, number_of(c, t), t->width, -((wide)1 << (t->width - 1)));
    if (n.lo < t->slo) n.lo = t->slo;
    if (n.hi > t->shi) n.hi = t->shi;
    return n;
}

/* --- Products --------------------------------------------------------------------------------------------
 */

static Z3_ast implies(encoder *c, Z3_ast a, Z3_ast b) {
    return Z3_mk_implies(c->z, a, b);
}

/* Where y is not known to be non-negative the lemma has that as a premise. */
static void lemma(encoder *c, number y, Z3_ast premise, Z3_ast conclusion) {
    if (y.lo < 0) premise = Z3_mk_and(c->z, 2, (Z3_ast[]){premise, Z3_mk_ge(c->z, y.e, constant(c, 0))});
    claim(c, implies(c, premise, conclusion));
}

static void bound_product(encoder *c, const product *m) {
    number u = m->u, y = m->y;
    wide big = (wide)1 << 62;
    if (u.lo > -big && u.hi < big && y.lo > -big && y.hi < big) { /* McCormick's four */
        Z3_ast p = m->p.e;
        claim(c,
              Z3_mk_ge(c->z, p,
                       sub2(c, add2(c, times(c, u.lo, y.e), times(c, y.lo, u.e)), constant(c, u.lo * y.lo))));
        claim(c,
              Z3_mk_ge(c->z, p,
                       sub2(c, add2(c, times(c, u.hi, y.e), times(c, y.hi, u.e)), constant(c, u.hi * y.hi))));
        claim(c,
              Z3_mk_le(c->z, p,
                       sub2(c, add2(c, times(c, u.lo, y.e), times(c, y.hi, u.e)), constant(c, u.lo * y.hi))));
        claim(c,
              Z3_mk_le(c->z, p,
                       sub2(c, add2(c, times(c, u.hi, y.e), times(c, y.lo, u.e)), constant(c, u.hi * y.lo))));
    }
    number both[2][2] = {{u, y}, {y, u}};
    for (int i = 0; i < 2; i++) { /* lo·y <= u·y <= hi·y where y is not negative */
        number f = both[i][0], g = both[i][1];
        if (is_far(f)) continue;
        lemma(c, g, Z3_mk_true(c->z), Z3_mk_ge(c->z, m->p.e, times(c, f.lo, g.e)));
        lemma(c, g, Z3_mk_true(c->z), Z3_mk_le(c->z, m->p.e, times(c, f.hi, g.e)));
    }
    claim(c, implies(c, Z3_mk_eq(c->z, u.e, constant(c, 0)), Z3_mk_eq(c->z, m->p.e, constant(c, 0))));
    claim(c, implies(c, Z3_mk_eq(c->z, y.e, constant(c, 0)), Z3_mk_eq(c->z, m->p.e, constant(c, 0))));
    claim(c, implies(c, Z3_mk_eq(c->z, u.e, constant(c, 1)), Z3_mk_eq(c->z, m->p.e, y.e)));
    claim(c, implies(c, Z3_mk_eq(c->z, y.e, constant(c, 1)), Z3_mk_eq(c->z, m->p.e, u.e)));
}

/* p = u·y and q = v·y. */
static void relate(encoder *c, number u, Z3_ast p, number v, Z3_ast q, number y) {
    Z3_ast ye = y.e;
    claim(c, implies(c, Z3_mk_eq(c->z, u.e, v.e), Z3_mk_eq(c->z, p, q)));
    if (y.hi < 0) return;
    lemma(c, y, Z3_mk_lt(c->z, u.e, v.e), Z3_mk_le(c->z, add2(c, p, ye), q));
    lemma(c, y, Z3_mk_lt(c->z, v.e, u.e), Z3_mk_le(c->z, add2(c, q, ye), p));
    if (c->query->level == 0) return;
    Z3_ast one = constant(c, 1), two = times(c, 2, ye);
    claim(c, implies(c, Z3_mk_eq(c->z, add2(c, u.e, one), v.e), Z3_mk_eq(c->z, add2(c, p, ye), q)));
    claim(c, implies(c, Z3_mk_eq(c->z, add2(c, v.e, one), u.e), Z3_mk_eq(c->z, add2(c, q, ye), p)));
    lemma(c, y, Z3_mk_lt(c->z, add2(c, u.e, one), v.e), Z3_mk_le(c->z, add2(c, p, two), q));
    lemma(c, y, Z3_mk_lt(c->z, add2(c, v.e, one), u.e), Z3_mk_le(c->z, add2(c, q, two), p));
}

static number multiply(encoder *c, number u, number y) {
    if (u.lo == u.hi || y.lo == y.hi) {
        number k = u.lo == u.hi ? u : y, n = u.lo == u.hi ? y : u;
        wide a = scaled(k.lo, n.lo), b = scaled(k.lo, n.hi);
        return (number){times(c, k.lo, n.e), a < b ? a : b, a < b ? b : a};
    }
    for (uint32_t i = 0; i < c->products.length; i++) {
        const product *m = &c->products.items[i];
        if ((m->u.e == u.e && m->y.e == y.e) || (m->u.e == y.e && m->y.e == u.e)) return m->p;
    }
    wide corner[4] = {scaled(u.lo, y.lo), scaled(u.lo, y.hi), scaled(u.hi, y.lo), scaled(u.hi, y.hi)};
    wide lo = corner[0], hi = corner[0];
    for (int i = 1; i < 4; i++) {
        if (corner[i] < lo) lo = corner[i];
        if (corner[i] > hi) hi = corner[i];
    }
    if (u.e == y.e && lo < 0) lo = 0;
    number small = u.hi - u.lo <= y.hi - y.lo ? u : y, other = u.hi - u.lo <= y.hi - y.lo ? y : u;
    if (small.hi - small.lo < 16) { /* few values: exact */
        Z3_ast e = times(c, small.hi, other.e);
        for (wide v = small.hi - 1; v >= small.lo; v--)
            e = Z3_mk_ite(c->z, Z3_mk_eq(c->z, small.e, constant(c, v)), times(c, v, other.e), e);
        return (number){e, lo, hi};
    }
    c->query->exact = false;
    product m = {u, y, fresh(c, lo, hi)};
    bound_product(c, &m);
    for (uint32_t i = 0; i < c->products.length; i++) {
        const product *o = &c->products.items[i];
        if (o->y.e == y.e) relate(c, o->u, o->p.e, u, m.p.e, y);
        if (o->u.e == y.e) relate(c, o->y, o->p.e, u, m.p.e, y);
        if (o->y.e == u.e && u.e != y.e) relate(c, o->u, o->p.e, y, m.p.e, u);
        if (o->u.e == u.e && u.e != y.e) relate(c, o->y, o->p.e, y, m.p.e, u);
    }
    relate(c, exactly(c, 0), constant(c, 0), u, m.p.e, y);
    relate(c, exactly(c, 0), constant(c, 0), y, m.p.e, u);
    if (c->query->level) { /* against the other factor as such: u·y and 1·y */
        relate(c, exactly(c, 1), y.e, u, m.p.e, y);
        relate(c, exactly(c, 1), u.e, y, m.p.e, u);
    }
    LS_VEC_PUSH(&c->products, m);
    return m.p;
}

/* --- Division --------------------------------------------------------------------------------------------
 */

/* Quotient and remainder, rounded down, by d > 0. */
static void divide(encoder *c, number a, number d, number *q, number *r) {
    if (a.lo == a.hi && d.lo == d.hi) {
        *q = exactly(c, floor_div(a.lo, d.lo));
        *r = exactly(c, a.lo - floor_div(a.lo, d.lo) * d.lo);
        return;
    }
    bool is_new;
    uint64_t key = (uint64_t)Z3_get_ast_id(c->z, a.e) << 32 | Z3_get_ast_id(c->z, d.e);
    uint64_t *place = ls_intmap_at(&c->divided, key, &is_new);
    if (!is_new) {
        *q = c->numbers.items[*place];
        *r = c->numbers.items[*place + 1];
        return;
    }
    wide dlo = d.lo < 1 ? 1 : d.lo;
    wide qlo = a.lo < 0 ? floor_div(a.lo, dlo) : floor_div(a.lo, d.hi);
    wide qhi = a.hi < 0 ? floor_div(a.hi, d.hi) : floor_div(a.hi, dlo);
    *q = fresh(c, qlo, qhi);
    *r = fresh(c, 0, d.hi - 1);
    number p = multiply(c, d, *q);
    claim(c, Z3_mk_eq(c->z, a.e, add2(c, p.e, r->e)));
    if (d.lo != d.hi) claim(c, Z3_mk_lt(c->z, r->e, d.e));
    place = ls_intmap_at(&c->divided, key, &is_new);
    *place = c->numbers.length;
    LS_VEC_PUSH(&c->numbers, *q);
    LS_VEC_PUSH(&c->numbers, *r);
}

static number unknown_bits(encoder *c, wide lo, wide hi) {
    c->query->exact = false;
    return fresh(c, lo, hi);
}

static number encode_division(encoder *c, const ls_term *t) {
    bool is_signed = t->op == LS_T_SDIV || t->op == LS_T_SREM;
    bool wants_rest = t->op == LS_T_UREM || t->op == LS_T_SREM;
    number a = is_signed ? as_signed(c, t->args[0]) : as_unsigned(c, t->args[0]);
    number d = is_signed ? as_signed(c, t->args[1]) : as_unsigned(c, t->args[1]);
    if (d.lo < 1)
        return is_signed ? unknown_bits(c, t->slo, t->shi) : unknown_bits(c, (wide)t->ulo, (wide)t->uhi);
    number q, r;
    if (a.lo >= 0) {
        divide(c, a, d, &q, &r);
        return wants_rest ? r : q;
    }
    /* towards zero: of the absolute value, with the sign put back */
    Z3_ast minus = Z3_mk_lt(c->z, a.e, constant(c, 0));
    wide top = -a.lo > a.hi ? -a.lo : a.hi;
    number size = {Z3_mk_ite(c->z, minus, times(c, -1, a.e), a.e), 0, top};
    divide(c, size, d, &q, &r);
    number x = wants_rest ? r : q;
    return (number){Z3_mk_ite(c->z, minus, times(c, -1, x.e), x.e), -x.hi, x.hi};
}

/* --- Bits ------------------------------------------------------------------------------------------------
 */

/* Bits low…low+count-1 of a, as a number. */
static number bits_of(encoder *c, number a, uint32_t low, uint32_t count) {
    number q, r;
    divide(c, a, exactly(c, (wide)1 << low), &q, &r);
    divide(c, q, exactly(c, (wide)1 << count), &q, &r);
    return r;
}

static number and_constant(encoder *c, number a, uint64_t mask, uint32_t width) {
    number sum = exactly(c, 0);
    for (uint32_t i = 0; i < width;) { /* runs of ones */
        if (!(mask >> i & 1)) {
            i++;
            continue;
        }
        uint32_t from = i;
        while (i < width && mask >> i & 1) i++;
        number part = bits_of(c, a, from, i - from);
        wide scale = (wide)1 << from;
        sum = (number){add2(c, sum.e, times(c, scale, part.e)), sum.lo + scale * part.lo,
                       sum.hi + scale * part.hi};
    }
    return sum;
}

static uint32_t runs(uint64_t mask) {
    return (uint32_t)__builtin_popcountll(mask & ~(mask << 1));
}

static number encode_bits(encoder *c, const ls_term *t) {
    number a = as_unsigned(c, t->args[0]), b = as_unsigned(c, t->args[1]);
    if (b.lo == b.hi && runs((uint64_t)b.lo) <= 4) {
        number common = and_constant(c, a, (uint64_t)b.lo, t->width);
        if (t->op == LS_T_AND) return common;
        /* a|m = a + m - (a&m); a^m = a + m - 2(a&m) */
        wide k = t->op == LS_T_OR ? 1 : 2;
        return (number){sub2(c, add2(c, a.e, b.e), times(c, k, common.e)), (wide)t->ulo, (wide)t->uhi};
    }
    number r = unknown_bits(c, (wide)t->ulo, (wide)t->uhi);
    Z3_ast both = add2(c, a.e, b.e);
    if (t->op == LS_T_AND) {
        claim(c, Z3_mk_le(c->z, r.e, a.e));
        claim(c, Z3_mk_le(c->z, r.e, b.e));
    } else {
        claim(c, Z3_mk_le(c->z, r.e, both));
    }
    if (t->op == LS_T_OR) {
        claim(c, Z3_mk_ge(c->z, r.e, a.e));
        claim(c, Z3_mk_ge(c->z, r.e, b.e));
    }
    if (t->op == LS_T_XOR) /* zero exactly where the two are equal */
        claim(c, Z3_mk_iff(c->z, Z3_mk_eq(c->z, r.e, constant(c, 0)), Z3_mk_eq(c->z, a.e, b.e)));
    return r;
}

static number encode_shift(encoder *c, const ls_term *t) {
    number s = as_unsigned(c, t->args[1]);
    number a = t->op == LS_T_ASHR ? as_signed(c, t->args[0]) : as_unsigned(c, t->args[0]);
    wide top = s.hi < t->width ? s.hi : t->width;
    if (t->op == LS_T_ASHR && top >= t->width) top = t->width - 1;
    wide least = s.lo < top ? s.lo : top; /* what is shifted out is shifted out */
    if (top - least > 33) {
        return t->op == LS_T_ASHR ? unknown_bits(c, t->slo, t->shi)
                                  : unknown_bits(c, (wide)t->ulo, (wide)t->uhi);
    }
    if (t->op != LS_T_SHL && top - least > 12)
        return unknown_bits(c, t->op == LS_T_ASHR ? (wide)t->slo : (wide)t->ulo,
                            t->op == LS_T_ASHR ? (wide)t->shi : (wide)t->uhi);
    number out = {0};
    for (wide k = top; k >= least; k--) {
        number one, r;
        wide scale = (wide)1 << k;
        if (t->op == LS_T_SHL)
            one = k >= t->width ? exactly(c, 0)
                                : (number){times(c, scale, a.e), scaled(a.lo, scale), scaled(a.hi, scale)};
        else if (k >= t->width)
            one = exactly(c, 0);
        else
            divide(c, a, exactly(c, scale), &one, &r);
        if (!out.e) {
            out = one;
            continue;
        }
        out.e = Z3_mk_ite(c->z, Z3_mk_eq(c->z, s.e, constant(c, k)), one.e, out.e);
        if (one.lo < out.lo) out.lo = one.lo;
        if (one.hi > out.hi) out.hi = one.hi;
    }
    return out;
}

/* --- Terms -----------------------------------------------------------------------------------------------
 */

/* A factor of a product as the integer it is multiplied as. */
static number factor(encoder *c, const ls_term *a) {
    number n = number_of(c, a);
    wide top = (wide)1 << (a->width - 1);
    return n.lo < -top || n.hi >= 2 * top ? as_signed(c, a) : n;
}

/* (a·y + b·y + …) is (a + b + …)·y as well: a product that lemmas about others with the factor y apply to. */
static void factor_out(encoder *c, const ls_term *t, const ls_term *y) {
    Z3_ast sum = constant(c, 0), whole = constant(c, 0);
    wide lo = 0, hi = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const ls_term *m = t->args[i];
        if (m->op != LS_T_MUL || m->count != 2 || (m->args[0] != y && m->args[1] != y)) continue;
        wide k = ls_signed(t->coefs[i], t->width);
        number other = factor(c, m->args[m->args[0] == y]);
        wide a = scaled(k, other.lo), b = scaled(k, other.hi);
        lo = plus(lo, a < b ? a : b);
        hi = plus(hi, a < b ? b : a);
        sum = add2(c, sum, times(c, k, other.e));
        whole = add2(c, whole, times(c, k, number_of(c, m).e));
        found++;
    }
    if (found < 2) return;
    number u = fresh(c, lo, hi);
    claim(c, Z3_mk_eq(c->z, u.e, sum));
    claim(c, Z3_mk_eq(c->z, multiply(c, u, factor(c, y)).e, whole));
}

static void factor_sum(encoder *c, const ls_term *t) {
    const ls_term *tried[8];
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const ls_term *m = t->args[i];
        for (uint32_t k = 0; m->op == LS_T_MUL && m->count == 2 && k < 2 && count < 8; k++) {
            bool again = false;
            for (uint32_t j = 0; j < count; j++) again |= tried[j] == m->args[k];
            if (again) continue;
            tried[count++] = m->args[k];
            factor_out(c, t, m->args[k]);
        }
    }
}

static number encode_sum(encoder *c, const ls_term *t) {
    LS_SCRATCH(scratch);
    if (c->query->level) factor_sum(c, t);
    wide k0 = ls_signed(t->value, t->width), lo = k0, hi = k0;
    Z3_ast few[16], *parts = few;
    if (t->count + 1 > 16) parts = ls_arena_alloc(&scratch, sizeof *parts * (t->count + 1));
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        wide k = ls_signed(t->coefs[i], t->width);
        number n = number_of(c, t->args[i]);
        if (n.lo < -c->limit || n.hi > c->limit) n = as_signed(c, t->args[i]);
        parts[count++] = times(c, k, n.e);
        wide x = scaled(k, n.lo), y = scaled(k, n.hi);
        lo = plus(lo, x < y ? x : y);
        hi = plus(hi, x < y ? y : x);
    }
    if (k0) parts[count++] = constant(c, k0);
    number n = {count == 1 ? parts[0] : Z3_mk_add(c->z, count, parts), lo, hi};
    return n;
}

static number encode_product(encoder *c, const ls_term *t) {
    number p = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        number n = factor(c, t->args[i]);
        p = p.e ? multiply(c, p, n) : n;
    }
    return p;
}

static number leaf(encoder *c, const ls_term *t) {
    LS_VEC_PUSH(&c->leaves, t);
    if (t->op == LS_T_UF) c->query->exact = false;
    bool unsigned_range = t->uhi - t->ulo < (uint64_t)t->shi - (uint64_t)t->slo;
    char name[64];
    snprintf(name, sizeof name, "t!%u", t->id);
    number n = {Z3_mk_const(c->z, Z3_mk_string_symbol(c->z, name), c->sort),
                unsigned_range ? (wide)t->ulo : (wide)t->slo, unsigned_range ? (wide)t->uhi : (wide)t->shi};
    claim(c, Z3_mk_ge(c->z, n.e, constant(c, n.lo)));
    claim(c, Z3_mk_le(c->z, n.e, constant(c, n.hi)));
    return n;
}

static number encode(encoder *c, const ls_term *t) {
    if (t->width == 1) return (number){Z3_mk_ite(c->z, truth_of(c, t), constant(c, 1), constant(c, 0)), 0, 1};
    switch ((ls_term_op)t->op) {
    case LS_T_CONST: return exactly(c, ls_signed(t->value, t->width));
    case LS_T_SYM:
    case LS_T_UF: return leaf(c, t);
    case LS_T_LIN: return encode_sum(c, t);
    case LS_T_MUL: return encode_product(c, t);
    case LS_T_UDIV:
    case LS_T_UREM:
    case LS_T_SDIV:
    case LS_T_SREM: return encode_division(c, t);
    case LS_T_AND:
    case LS_T_OR:
    case LS_T_XOR: return encode_bits(c, t);
    case LS_T_SHL:
    case LS_T_LSHR:
    case LS_T_ASHR: return encode_shift(c, t);
    case LS_T_ITE: {
        number a = number_of(c, t->args[1]), b = number_of(c, t->args[2]);
        return (number){Z3_mk_ite(c->z, truth_of(c, t->args[0]), a.e, b.e), a.lo < b.lo ? a.lo : b.lo,
                        a.hi > b.hi ? a.hi : b.hi};
    }
    case LS_T_ZEXT: return as_unsigned(c, t->args[0]);
    case LS_T_SEXT: return as_signed(c, t->args[0]);
    case LS_T_EXTRACT: {
        if (t->value == 0) {
            number n = number_of(c, t->args[0]);
            return n.lo < -c->limit || n.hi > c->limit ? as_signed(c, t->args[0]) : n;
        }
        number q, r;
        divide(c, as_unsigned(c, t->args[0]), exactly(c, (wide)1 << t->value), &q, &r);
        return q;
    }
    default: return unknown_bits(c, (wide)t->ulo, (wide)t->uhi);
    }
}

static number number_of(encoder *c, const ls_term *t) {
    uint64_t index;
    if (ls_intmap_get(&c->by_term, t->id, &index)) return c->numbers.items[index];
    number n = encode(c, t);
    bool is_new;
    *ls_intmap_at(&c->by_term, t->id, &is_new) = c->numbers.length;
    LS_VEC_PUSH(&c->numbers, n);
    return n;
}

/* --- Predicates ------------------------------------------------------------------------------------------
 */

static Z3_ast equality(encoder *c, const ls_term *x, const ls_term *y) {
    if (x->width == 1) return Z3_mk_iff(c->z, truth_of(c, x), truth_of(c, y));
    number a = number_of(c, x), b = number_of(c, y);
    if (is_far(a) || is_far(b)) {
        a = as_unsigned(c, x);
        b = as_unsigned(c, y);
    }
    wide size = (wide)1 << x->width, lo = a.lo - b.hi, hi = a.hi - b.lo;
    wide klo = -floor_div(-lo, size), khi = floor_div(hi, size);
    if (klo > khi) return Z3_mk_false(c->z);
    if (khi - klo > 8) {
        a = as_unsigned(c, x);
        b = as_unsigned(c, y);
        klo = khi = 0;
    }
    Z3_ast parts[9];
    uint32_t count = 0;
    for (wide k = klo; k <= khi; k++)
        parts[count++] = Z3_mk_eq(c->z, a.e, k ? add2(c, b.e, constant(c, k * size)) : b.e);
    return count == 1 ? parts[0] : Z3_mk_or(c->z, count, parts);
}

static Z3_ast encode_truth(encoder *c, const ls_term *t) {
    switch ((ls_term_op)t->op) {
    case LS_T_CONST: return t->value ? Z3_mk_true(c->z) : Z3_mk_false(c->z);
    case LS_T_NOT: return Z3_mk_not(c->z, truth_of(c, t->args[0]));
    case LS_T_AND: return Z3_mk_and(c->z, 2, (Z3_ast[]){truth_of(c, t->args[0]), truth_of(c, t->args[1])});
    case LS_T_OR: return Z3_mk_or(c->z, 2, (Z3_ast[]){truth_of(c, t->args[0]), truth_of(c, t->args[1])});
    case LS_T_XOR: return Z3_mk_xor(c->z, truth_of(c, t->args[0]), truth_of(c, t->args[1]));
    case LS_T_EQ: return equality(c, t->args[0], t->args[1]);
    case LS_T_ULT: {
        number a = as_unsigned(c, t->args[0]), b = as_unsigned(c, t->args[1]);
        return Z3_mk_lt(c->z, a.e, b.e);
    }
    case LS_T_SLT: {
        number a = as_signed(c, t->args[0]), b = as_signed(c, t->args[1]);
        return Z3_mk_lt(c->z, a.e, b.e);
    }
    case LS_T_ITE:
        return Z3_mk_ite(c->z, truth_of(c, t->args[0]), truth_of(c, t->args[1]), truth_of(c, t->args[2]));
    case LS_T_EXTRACT: {
        number bit = bits_of(c, as_unsigned(c, t->args[0]), (uint32_t)t->value, 1);
        return Z3_mk_eq(c->z, bit.e, constant(c, 1));
    }
    default: { /* a symbol of one bit, or what has no linear form */
        if (t->op == LS_T_SYM || t->op == LS_T_UF) LS_VEC_PUSH(&c->leaves, t);
        if (t->op != LS_T_SYM) c->query->exact = false;
        char name[64];
        snprintf(name, sizeof name, "t!%u", t->id);
        return Z3_mk_const(c->z, Z3_mk_string_symbol(c->z, name), Z3_mk_bool_sort(c->z));
    }
    }
}

static Z3_ast truth_of(encoder *c, const ls_term *t) {
    Z3_ast e = ls_encoded(&c->truths, t);
    return e ? e : ls_keep_encoded(&c->truths, t, encode_truth(c, t));
}

/* --- The query -------------------------------------------------------------------------------------------
 */

static Z3_ast leaf_of(void *encoder_, const ls_term *leaf) {
    encoder *c = encoder_;
    return leaf->width == 1 ? truth_of(c, leaf) : number_of(c, leaf).e;
}

Z3_lbool ls_check_integers(ls_encoding *query) {
    Z3_context z = query->solver->z3;
    encoder c = {.query = query, .z = z, .sort = Z3_mk_int_sort(z), .limit = (wide)1 << 100};
    query->exact = true;
    for (uint32_t i = 0; i < query->count; i++) claim(&c, truth_of(&c, query->conjuncts[i]));
    Z3_lbool answer = ls_encoding_answer(query, &c.leaves, leaf_of, &c);
    LS_VEC_FREE(&c.numbers);
    LS_VEC_FREE(&c.products);
    LS_VEC_FREE(&c.leaves);
    ls_intmap_free(&c.by_term);
    ls_intmap_free(&c.truths);
    ls_intmap_free(&c.divided);
    return answer;
}
