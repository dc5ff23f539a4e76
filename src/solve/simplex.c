/* Small systems of linear inequalities over integers (simplex.h). */
#include "solve/simplex.h"

#include <string.h>

/* Entries of a row are below LARGEST and values below HIGHEST, so that no sum of products overflows. */
#define LARGEST ((ls_wide)1 << 50)
#define HIGHEST ((ls_wide)1 << 70)

enum { DEEPEST = 12 };

static bool is_small(ls_wide v, ls_wide limit) {
    return v > -limit && v < limit;
}

/* --- Forms -----------------------------------------------------------------------------------------------
 */

bool ls_form_add(ls_form *form, uint8_t var, ls_wide scale) {
    uint32_t i = 0;
    while (i < form->count && form->vars[i] != var) i++;
    if (i == LS_FORM_MOST) return false;
    if (i == form->count) form->vars[i] = var, form->coefs[i] = 0, form->count++;
    ls_wide sum = form->coefs[i] + scale;
    if (!is_small(scale, LARGEST) || !is_small(sum, LARGEST)) return false;
    form->coefs[i] = (int64_t)sum;
    return true;
}

bool ls_form_add_form(ls_form *form, const ls_form *other, ls_wide scale) {
    ls_wide by;
    if (!is_small(scale, LARGEST) || __builtin_mul_overflow(other->constant, scale, &by)) return false;
    form->constant += by;
    bool good = is_small(by, HIGHEST) && is_small(form->constant, HIGHEST);
    for (uint32_t i = 0; i < other->count && good; i++)
        good = ls_form_add(form, other->vars[i], scale * other->coefs[i]);
    return good;
}

void ls_form_range(const ls_lp *lp, const ls_form *form, ls_wide *lo, ls_wide *hi) {
    *lo = *hi = form->constant;
    for (uint32_t i = 0; i < form->count; i++) {
        ls_wide a = form->coefs[i] * lp->lo[form->vars[i]], b = form->coefs[i] * lp->hi[form->vars[i]];
        *lo += a < b ? a : b;
        *hi += a < b ? b : a;
    }
}

/* --- The system ------------------------------------------------------------------------------------------
 */

static uint32_t find(const uint8_t *vars, uint32_t count, uint8_t var) {
    uint32_t i = 0;
    while (i < count && vars[i] != var) i++;
    return i;
}

void ls_lp_copy(ls_lp *to, const ls_lp *from) {
    to->var_count = from->var_count;
    to->row_count = from->row_count;
    to->column_count = from->column_count;
    memcpy(to->lo, from->lo, from->var_count * sizeof *from->lo);
    memcpy(to->hi, from->hi, from->var_count * sizeof *from->hi);
    memcpy(to->at, from->at, from->column_count * sizeof *from->at);
    memcpy(to->var_of_row, from->var_of_row, from->row_count);
    memcpy(to->var_of_column, from->var_of_column, from->column_count);
    memcpy(to->value, from->value, from->row_count * sizeof *from->value);
    memcpy(to->divisor, from->divisor, from->row_count * sizeof *from->divisor);
    for (uint32_t r = 0; r < from->row_count; r++)
        memcpy(to->row[r], from->row[r], from->column_count * sizeof *from->row[r]);
}

uint8_t ls_lp_variable(ls_lp *lp, ls_wide lo, ls_wide hi) {
    if (lp->column_count == LS_LP_COLUMNS || !is_small(lo, HIGHEST) || !is_small(hi, HIGHEST))
        return LS_LP_FULL;
    uint8_t var = (uint8_t)lp->var_count++;
    uint32_t column = lp->column_count++;
    lp->lo[var] = lo;
    lp->hi[var] = hi;
    lp->var_of_column[column] = var;
    lp->at[column] = lo > 0 ? lo : hi < 0 ? hi : 0;
    for (uint32_t r = 0; r < lp->row_count; r++) lp->row[r][column] = 0;
    return var;
}

static ls_wide divisor_of(ls_wide a, ls_wide b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b) {
        bool narrow = a <= UINT64_MAX && b <= UINT64_MAX;
        ls_wide rest = narrow ? (ls_wide)((uint64_t)a % (uint64_t)b) : a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Takes over a row that has become of others, in its lowest terms; false: its numbers are too large. */
static bool set_row(ls_lp *lp, uint32_t r, const ls_wide *entries, ls_wide divisor) {
    ls_wide common = divisor;
    for (uint32_t c = 0; c < lp->column_count && common != 1; c++) common = divisor_of(common, entries[c]);
    if (!is_small(divisor / common, LARGEST)) return false;
    lp->divisor[r] = (int64_t)(divisor / common);
    for (uint32_t c = 0; c < lp->column_count; c++) {
        ls_wide v = common == 1 || !entries[c] ? entries[c] : entries[c] / common;
        if (!is_small(v, LARGEST)) return false;
        lp->row[r][c] = (int64_t)v;
    }
    return true;
}

/* The row's value, where that has changed. */
static void set_value(ls_lp *lp, uint32_t r) {
    ls_wide sum = 0;
    for (uint32_t c = 0; c < lp->column_count; c++) {
        int64_t few = (int64_t)lp->at[c];
        if (lp->row[r][c]) sum += few == lp->at[c] ? (ls_wide)lp->row[r][c] * few : lp->row[r][c] * lp->at[c];
    }
    lp->value[r] = sum;
}

/* A variable that is not basic gets another value. */
static void set_column(ls_lp *lp, uint32_t c, ls_wide value) {
    if (lp->at[c] == value) return;
    lp->at[c] = value;
    for (uint32_t r = 0; r < lp->row_count; r++)
        if (lp->row[r][c]) set_value(lp, r);
}

/* One variable alone: these are its bounds. */
static ls_lp_told bound(ls_lp *lp, uint8_t var, ls_wide lo, ls_wide hi) {
    if (lo > lp->lo[var]) lp->lo[var] = lo;
    if (hi < lp->hi[var]) lp->hi[var] = hi;
    if (lp->lo[var] > lp->hi[var]) return LS_LP_NEVER;
    uint32_t c = find(lp->var_of_column, lp->column_count, var);
    if (c == lp->column_count) return LS_LP_TOLD;
    if (lp->at[c] < lp->lo[var]) set_column(lp, c, lp->lo[var]);
    if (lp->at[c] > lp->hi[var]) set_column(lp, c, lp->hi[var]);
    return LS_LP_TOLD;
}

/* The form, by the variables that are not basic. */
static bool add_row(ls_lp *lp, const ls_form *form) {
    ls_wide entries[LS_LP_COLUMNS] = {0}, divisor = 1;
    for (uint32_t i = 0; i < form->count; i++) {
        uint32_t r = find(lp->var_of_row, lp->row_count, form->vars[i]);
        if (r < lp->row_count) divisor *= lp->divisor[r] / divisor_of(divisor, lp->divisor[r]);
        if (!is_small(divisor, LARGEST)) return false;
    }
    for (uint32_t i = 0; i < form->count; i++) {
        uint32_t r = find(lp->var_of_row, lp->row_count, form->vars[i]);
        ls_wide scale = form->coefs[i] * (r < lp->row_count ? divisor / lp->divisor[r] : divisor);
        if (!is_small(scale, LARGEST)) return false;
        if (r == lp->row_count)
            entries[find(lp->var_of_column, lp->column_count, form->vars[i])] += scale;
        else
            for (uint32_t c = 0; c < lp->column_count; c++) entries[c] += scale * lp->row[r][c];
    }
    return set_row(lp, lp->row_count, entries, divisor);
}

ls_lp_told ls_lp_say(ls_lp *lp, const ls_form *form, ls_wide lo, ls_wide hi) {
    ls_form plain = {.constant = 0};
    ls_wide common = 0, least, most;
    for (uint32_t i = 0; i < form->count; i++) common = divisor_of(common, form->coefs[i]);
    lo -= form->constant;
    hi -= form->constant;
    if (!common) return lo <= 0 && hi >= 0 ? LS_LP_TOLD : LS_LP_NEVER;
    lo = -ls_divided_down(-lo, common); /* all are integers */
    hi = ls_divided_down(hi, common);
    for (uint32_t i = 0; i < form->count; i++)
        if (form->coefs[i]) ls_form_add(&plain, form->vars[i], form->coefs[i] / common);
    ls_form_range(lp, &plain, &least, &most);
    if (lo > hi || least > hi || most < lo) return LS_LP_NEVER;
    if (least >= lo && most <= hi) return LS_LP_TOLD; /* always so */
    if (plain.count == 1 && plain.coefs[0] == 1) return bound(lp, plain.vars[0], lo, hi);
    if (plain.count == 1 && plain.coefs[0] == -1) return bound(lp, plain.vars[0], -hi, -lo);
    if (least > lo) lo = least;
    if (most < hi) hi = most;
    if (lp->row_count == LS_LP_ROWS || !is_small(lo, HIGHEST) || !is_small(hi, HIGHEST)) return LS_LP_NO_ROOM;
    if (!add_row(lp, &plain)) return LS_LP_NO_ROOM;
    uint8_t var = (uint8_t)lp->var_count++;
    lp->lo[var] = lo;
    lp->hi[var] = hi;
    set_value(lp, lp->row_count);
    lp->var_of_row[lp->row_count++] = var;
    return LS_LP_TOLD;
}

/* --- Fractions -------------------------------------------------------------------------------------------
 */

/* The basic variable of the lowest number that is out of its bounds; row_count: none is. */
static uint32_t find_wrong(const ls_lp *lp, bool *is_low) {
    uint32_t found = lp->row_count;
    for (uint32_t r = 0; r < lp->row_count; r++) {
        if (found < lp->row_count && lp->var_of_row[r] > lp->var_of_row[found]) continue;
        uint8_t var = lp->var_of_row[r];
        bool low = lp->value[r] < lp->lo[var] * lp->divisor[r];
        bool high = lp->value[r] > lp->hi[var] * lp->divisor[r];
        if (!low && !high) continue;
        found = r;
        *is_low = low;
    }
    return found;
}

/* The variable of the lowest number that can move the row's the right way; column_count: none can. */
static uint32_t find_mover(const ls_lp *lp, uint32_t r, bool up) {
    uint32_t found = lp->column_count;
    for (uint32_t c = 0; c < lp->column_count; c++) {
        int64_t by = lp->row[r][c];
        uint8_t var = lp->var_of_column[c];
        if (!by || (found < lp->column_count && var > lp->var_of_column[found])) continue;
        if ((by > 0) == up ? lp->at[c] < lp->hi[var] : lp->at[c] > lp->lo[var]) found = c;
    }
    return found;
}

/* Makes the row's variable one that is not basic, with that value, and the column's one that is. */
static bool pivot(ls_lp *lp, uint32_t r, uint32_t c, ls_wide value) {
    ls_wide entries[LS_LP_COLUMNS] = {0}, sign = lp->row[r][c] < 0 ? -1 : 1, by = sign * lp->row[r][c];
    for (uint32_t k = 0; k < lp->column_count; k++)
        entries[k] = -sign * (k == c ? -lp->divisor[r] : lp->row[r][k]);
    if (!set_row(lp, r, entries, by)) return false;
    lp->at[c] = value;
    set_value(lp, r);
    for (uint32_t i = 0; i < lp->row_count; i++) {
        ls_wide times = lp->row[i][c];
        if (i == r || !times) continue;
        for (uint32_t k = 0; k < lp->column_count; k++)
            entries[k] = (k == c ? 0 : (ls_wide)lp->row[i][k] * lp->divisor[r]) + times * lp->row[r][k];
        if (!set_row(lp, i, entries, (ls_wide)lp->divisor[i] * lp->divisor[r])) return false;
        set_value(lp, i);
    }
    uint8_t leaves = lp->var_of_row[r];
    lp->var_of_row[r] = lp->var_of_column[c];
    lp->var_of_column[c] = leaves;
    return true;
}

ls_answered ls_lp_solve(ls_lp *lp, int64_t *work) {
    for (;;) {
        bool is_low = false;
        uint32_t r = find_wrong(lp, &is_low);
        if (r == lp->row_count) return LS_SAT;
        uint32_t c = find_mover(lp, r, is_low);
        if (c == lp->column_count) return LS_UNSAT;
        uint8_t var = lp->var_of_row[r];
        *work -= 1 + (int64_t)lp->row_count * lp->column_count / 64;
        if (*work < 0 || !pivot(lp, r, c, is_low ? lp->lo[var] : lp->hi[var])) return LS_UNDECIDED;
    }
}

/* --- Integers --------------------------------------------------------------------------------------------
 */

/* Whether integers can make both sides of a row equal: what divides all that is free divides the rest. */
static bool can_be_equal(const ls_lp *lp, uint32_t r) {
    uint8_t var = lp->var_of_row[r];
    bool fixed = lp->lo[var] == lp->hi[var];
    ls_wide common = fixed ? 0 : lp->divisor[r], rest = fixed ? -lp->divisor[r] * lp->lo[var] : 0;
    for (uint32_t c = 0; c < lp->column_count; c++) {
        uint8_t other = lp->var_of_column[c];
        if (lp->lo[other] == lp->hi[other])
            rest += lp->row[r][c] * lp->lo[other];
        else
            common = divisor_of(common, lp->row[r][c]);
    }
    return common ? rest % common == 0 : rest == 0;
}

/* Of the rows whose values are no integers the one with the fewest values, as branching ends soonest there;
 * row_count: all are integers. */
static uint32_t find_fraction(const ls_lp *lp) {
    uint32_t found = lp->row_count;
    ls_wide few = 0;
    for (uint32_t r = 0; r < lp->row_count; r++) {
        if (lp->divisor[r] == 1 || lp->value[r] % lp->divisor[r] == 0) continue;
        ls_wide values = lp->hi[lp->var_of_row[r]] - lp->lo[lp->var_of_row[r]];
        if (found < lp->row_count && values >= few) continue;
        found = r;
        few = values;
    }
    return found;
}

static void take_values(const ls_lp *lp, ls_wide *values) {
    for (uint32_t c = 0; c < lp->column_count; c++) values[lp->var_of_column[c]] = lp->at[c];
    for (uint32_t r = 0; r < lp->row_count; r++) values[lp->var_of_row[r]] = lp->value[r] / lp->divisor[r];
}

static ls_answered integers(ls_lp *lp, int64_t *work, ls_wide *values, uint32_t depth) {
    ls_answered answer = ls_lp_solve(lp, work);
    if (answer != LS_SAT) return answer;
    uint32_t r = find_fraction(lp);
    if (r == lp->row_count) return take_values(lp, values), LS_SAT;
    for (uint32_t i = 0; i < lp->row_count; i++)
        if (!can_be_equal(lp, i)) return LS_UNSAT;
    if (depth == DEEPEST) return LS_UNDECIDED;
    uint8_t var = lp->var_of_row[r];
    ls_wide below = ls_divided_down(lp->value[r], lp->divisor[r]);
    ls_answered low = LS_UNSAT;
    if (below >= lp->lo[var]) {
        ls_lp part;
        ls_lp_copy(&part, lp);
        part.hi[var] = below;
        low = integers(&part, work, values, depth + 1);
        if (low == LS_SAT) return LS_SAT;
    }
    lp->lo[var] = below + 1;
    ls_answered high = below + 1 > lp->hi[var] ? LS_UNSAT : integers(lp, work, values, depth + 1);
    return high == LS_SAT ? LS_SAT : low == LS_UNSAT && high == LS_UNSAT ? LS_UNSAT : LS_UNDECIDED;
}

ls_answered ls_lp_integers(const ls_lp *lp, int64_t *work, ls_wide *values) {
    ls_lp own;
    ls_lp_copy(&own, lp);
    return integers(&own, work, values, 0);
}
