/* Comparisons that cannot all hold (orders.h), without a solver: each is made an inequality of integers,
 * linear in terms that are taken for numbers of which only the range is known, and these numbers are
 * eliminated one after the other (Fourier and Motzkin), as long as there are few. A sum is followed only
 * where its range shows that it does not wrap. Most of what is asked about an index that is compared with a
 * size is of this kind. */
#include "solve/orders.h"

#include <string.h>

typedef __int128 wide;

enum { MOST_ATOMS = 14, MOST_ROWS = 120, MOST_DEPTH = 8 };
#define LARGEST ((wide)1 << 60)

typedef struct { /* Σ coefs·atom + constant <= 0 */
    int64_t coefs[MOST_ATOMS];
    int64_t constant;
} row;

typedef struct {
    const ls_term *term;
    bool is_signed;
} atom;

typedef struct {
    atom atoms[MOST_ATOMS];
    row rows[MOST_ROWS];
    uint32_t atom_count, row_count;
} inequalities;

typedef struct { /* while it is put together */
    wide coefs[MOST_ATOMS], constant;
} sum;

/* --- Terms as linear sums --------------------------------------------------------------------------------
 */

/* What the term is as an integer; false where that is not known to be small enough. */
static bool range_of(const ls_term *t, bool is_signed, wide *lo, wide *hi) {
    *lo = is_signed ? (wide)t->slo : (wide)t->ulo;
    *hi = is_signed ? (wide)t->shi : (wide)t->uhi;
    return *lo > -LARGEST && *hi < LARGEST;
}

static bool add_atom(inequalities *s, const ls_term *t, bool is_signed, wide scale, sum *out) {
    wide lo, hi;
    if (t->slo >= 0) is_signed = true; /* the same number */
    if (!range_of(t, is_signed, &lo, &hi)) return false;
    uint32_t i = 0;
    while (i < s->atom_count && (s->atoms[i].term != t || s->atoms[i].is_signed != is_signed)) i++;
    if (i == MOST_ATOMS) return false;
    if (i == s->atom_count) s->atoms[s->atom_count++] = (atom){t, is_signed};
    out->coefs[i] += scale;
    return out->coefs[i] > -LARGEST && out->coefs[i] < LARGEST;
}

/* The sum of the integers is what the term is: it is in the range of its width. */
static bool is_exact(const ls_term *t, bool is_signed) {
    wide lo = ls_signed(t->value, t->width), hi = lo, size = (wide)1 << (t->width - is_signed);
    for (uint32_t i = 0; i < t->count; i++) {
        wide from, to, c = ls_signed(t->coefs[i], t->width);
        if (!range_of(t->args[i], is_signed, &from, &to)) return false;
        wide a, b;
        if (__builtin_mul_overflow(c, from, &a) || __builtin_mul_overflow(c, to, &b)) return false;
        lo += a < b ? a : b;
        hi += a < b ? b : a;
        if (lo < -2 * LARGEST * 8 || hi > 2 * LARGEST * 8) return false;
    }
    return lo >= (is_signed ? -size : 0) && hi < size;
}

static bool add_term(inequalities *s, const ls_term *t, bool is_signed, wide scale, uint32_t depth,
                     sum *out) {
    if (scale <= -LARGEST || scale >= LARGEST) return false;
    if (ls_is_const(t)) {
        wide v = is_signed ? (wide)ls_signed(t->value, t->width) : (wide)t->value, by;
        if (v <= -LARGEST || v >= LARGEST || __builtin_mul_overflow(v, scale, &by)) return false;
        out->constant += by;
        return true;
    }
    if (t->op == LS_T_ZEXT) return add_term(s, t->args[0], false, scale, depth, out);
    if (t->op == LS_T_SEXT && (is_signed || t->args[0]->slo >= 0))
        return add_term(s, t->args[0], true, scale, depth, out);
    if (t->op != LS_T_LIN || depth == MOST_DEPTH || !is_exact(t, is_signed))
        return add_atom(s, t, is_signed, scale, out);
    out->constant += scale * ls_signed(t->value, t->width);
    bool good = true;
    for (uint32_t i = 0; i < t->count && good; i++) {
        wide by;
        good = !__builtin_mul_overflow(scale, (wide)ls_signed(t->coefs[i], t->width), &by) &&
               add_term(s, t->args[i], is_signed, by, depth + 1, out);
    }
    return good;
}

/* --- Rows ------------------------------------------------------------------------------------------------
 */

static wide divided_up(wide a, wide by) {
    wide q = a / by;
    return a % by > 0 ? q + 1 : q;
}

/* Adds the inequality, divided by what its coefficients have in common; the constant is rounded, as all are
 * integers. One whose numbers are too large is left out. False: it never holds. */
static bool add_row(inequalities *s, const sum *of) {
    row r = {.constant = 0};
    wide common = 0;
    for (uint32_t i = 0; i < MOST_ATOMS; i++)
        for (wide a = of->coefs[i] < 0 ? -of->coefs[i] : of->coefs[i], b; a; a = b) {
            b = common % a;
            common = a;
        }
    if (!common) return of->constant <= 0;
    wide constant = divided_up(of->constant, common);
    if (constant <= -LARGEST || constant >= LARGEST || s->row_count == MOST_ROWS) return true;
    r.constant = (int64_t)constant;
    for (uint32_t i = 0; i < MOST_ATOMS; i++) {
        wide c = of->coefs[i] / common;
        if (c <= -LARGEST || c >= LARGEST) return true;
        r.coefs[i] = (int64_t)c;
    }
    for (uint32_t i = 0; i < s->row_count; i++) {
        if (memcmp(s->rows[i].coefs, r.coefs, sizeof r.coefs) != 0) continue;
        if (s->rows[i].constant < r.constant) s->rows[i].constant = r.constant;
        return true;
    }
    s->rows[s->row_count++] = r;
    return true;
}

/* a + more <= b, where both are numbers of that kind. */
static bool add_order(inequalities *s, const ls_term *a, const ls_term *b, bool is_signed, int more) {
    sum of = {.constant = more};
    uint32_t atoms = s->atom_count;
    if (add_term(s, a, is_signed, 1, 0, &of) && add_term(s, b, is_signed, -1, 0, &of)) return add_row(s, &of);
    s->atom_count = atoms;
    return true;
}

static bool add_conjunct(inequalities *s, const ls_term *t) {
    bool negated = t->op == LS_T_NOT;
    const ls_term *c = negated ? t->args[0] : t;
    bool compares = c->op == LS_T_ULT || c->op == LS_T_SLT || (c->op == LS_T_EQ && !negated);
    if (!compares || c->args[0]->width == 1) return true;
    const ls_term *a = c->args[0], *b = c->args[1];
    if (c->op == LS_T_EQ) {
        bool is_signed = a->slo < 0 || b->slo < 0;
        return add_order(s, a, b, is_signed, 0) && add_order(s, b, a, is_signed, 0);
    }
    return negated ? add_order(s, b, a, c->op == LS_T_SLT, 0) : add_order(s, a, b, c->op == LS_T_SLT, 1);
}

/* --- Elimination -----------------------------------------------------------------------------------------
 */

static bool add_ranges(inequalities *s) {
    bool possible = true;
    for (uint32_t i = 0; i < s->atom_count && possible; i++) {
        wide lo, hi;
        sum above = {.constant = 0}, below = {.constant = 0};
        range_of(s->atoms[i].term, s->atoms[i].is_signed, &lo, &hi);
        above.coefs[i] = 1;
        above.constant = -hi;
        below.coefs[i] = -1;
        below.constant = lo;
        possible = add_row(s, &above) && add_row(s, &below);
    }
    return possible;
}

/* The number of rows that come of it; atoms that are in none any more come last. */
static uint32_t cost_of(const inequalities *s, uint32_t a) {
    uint32_t above = 0, below = 0;
    for (uint32_t i = 0; i < s->row_count; i++) {
        above += s->rows[i].coefs[a] > 0;
        below += s->rows[i].coefs[a] < 0;
    }
    return above + below ? 1 + above * below : UINT32_MAX;
}

/* Each row that bounds the atom from above with each that does from below. */
static bool eliminate(inequalities *s, uint32_t a) {
    inequalities old = *s;
    bool possible = true;
    s->row_count = 0;
    for (uint32_t i = 0; i < old.row_count; i++)
        if (!old.rows[i].coefs[a]) s->rows[s->row_count++] = old.rows[i];
    for (uint32_t i = 0; i < old.row_count && possible; i++)
        for (uint32_t k = 0; k < old.row_count && possible; k++) {
            const row *up = &old.rows[i], *low = &old.rows[k];
            if (up->coefs[a] <= 0 || low->coefs[a] >= 0) continue;
            sum of = {.constant = (wide)up->constant * -low->coefs[a] + (wide)low->constant * up->coefs[a]};
            bool small = true;
            for (uint32_t n = 0; n < MOST_ATOMS && small; n++) {
                of.coefs[n] = (wide)up->coefs[n] * -low->coefs[a] + (wide)low->coefs[n] * up->coefs[a];
                small = of.coefs[n] > -LARGEST * LARGEST / 8 && of.coefs[n] < LARGEST * LARGEST / 8;
            }
            if (small) possible = add_row(s, &of);
        }
    return possible;
}

bool ls_orders_contradict(const ls_term_list *query) {
    inequalities s;
    s.atom_count = s.row_count = 0;
    bool possible = true;
    for (uint32_t i = 0; i < query->length && possible; i++) possible = add_conjunct(&s, query->items[i]);
    if (possible && s.row_count < 2) return false;
    possible = possible && add_ranges(&s);
    for (uint32_t n = 0; n < s.atom_count && possible; n++) {
        uint32_t best = 0;
        for (uint32_t a = 1; a < s.atom_count; a++)
            if (cost_of(&s, a) < cost_of(&s, best)) best = a;
        if (cost_of(&s, best) > MOST_ROWS) return false;
        possible = eliminate(&s, best);
    }
    return !possible;
}
