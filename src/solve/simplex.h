/* Small systems of linear inequalities over integers, exactly: the bounded simplex of Dutertre and de Moura
 * (CAV 2006) with Bland's rule, and branching on what is no integer. Numbers that grow too large, and systems
 * that are too large, stay undecided. */
#ifndef LS_SOLVE_SIMPLEX_H
#define LS_SOLVE_SIMPLEX_H

#include "solve/known.h"

typedef __int128 ls_wide;

/* The quotient by a number above zero, rounded down. */
static inline ls_wide ls_divided_down(ls_wide a, ls_wide by) {
    ls_wide q = a / by;
    return a % by < 0 ? q - 1 : q;
}

enum { LS_LP_COLUMNS = 40, LS_LP_ROWS = 64, LS_LP_VARS = LS_LP_COLUMNS + LS_LP_ROWS };
enum { LS_LP_FULL = UINT8_MAX }; /* no number of a variable: there is no room for one more */

/* Each variable is basic, with a row that says what it is by those that are not (row · others / divisor), or
 * not, with a column and a value that is in its bounds. Only what is counted is filled in. */
typedef struct {
    uint32_t var_count, row_count, column_count;
    ls_wide lo[LS_LP_VARS], hi[LS_LP_VARS];
    ls_wide at[LS_LP_COLUMNS];
    uint8_t var_of_row[LS_LP_ROWS], var_of_column[LS_LP_COLUMNS];
    ls_wide value[LS_LP_ROWS]; /* of the basic variable, times the divisor */
    int64_t divisor[LS_LP_ROWS];
    int64_t row[LS_LP_ROWS][LS_LP_COLUMNS];
} ls_lp;

enum { LS_FORM_MOST = 24 };
typedef struct { /* constant + Σ coef · variable */
    ls_wide constant;
    uint32_t count;
    uint8_t vars[LS_FORM_MOST];
    int64_t coefs[LS_FORM_MOST];
} ls_form;

/* Adds `scale` times the variable; false: the numbers are too large, or there are too many. */
bool ls_form_add(ls_form *form, uint8_t var, ls_wide scale);
/* Adds `scale` times the other form. */
bool ls_form_add_form(ls_form *form, const ls_form *other, ls_wide scale);
/* What it can be within the bounds of its variables. */
void ls_form_range(const ls_lp *lp, const ls_form *form, ls_wide *lo, ls_wide *hi);

/* A copy of what is filled in, which is seldom much. */
void ls_lp_copy(ls_lp *to, const ls_lp *from);

/* A new variable; LS_LP_FULL: there is no room. */
uint8_t ls_lp_variable(ls_lp *lp, ls_wide lo, ls_wide hi);

typedef enum { LS_LP_NEVER, LS_LP_TOLD, LS_LP_NO_ROOM } ls_lp_told;
/* lo <= form <= hi. Where there is no room, it is left out. */
ls_lp_told ls_lp_say(ls_lp *lp, const ls_form *form, ls_wide lo, ls_wide hi);

/* LS_UNSAT: not even fractions satisfy it. LS_SAT: fractions do. `work` is what may be done, and becomes what
 * is left of it. */
ls_answered ls_lp_solve(ls_lp *lp, int64_t *work);
/* The same for integers; with LS_SAT, `values` has one for each variable. */
ls_answered ls_lp_integers(const ls_lp *lp, int64_t *work, ls_wide *values);

#endif
