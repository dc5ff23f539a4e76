/* The ranges that every term carries: which numbers it can be, with and without a sign. */
#ifndef LS_SOLVE_RANGES_H
#define LS_SOLVE_RANGES_H

#include "solve/terms.h"

typedef __int128 ls_wide;

/* Any number of its width. */
void ls_range_any(ls_term *t);

/* What the operands leave of that. */
void ls_range_find(ls_term *t);

/* Nothing outside of lo … hi. */
void ls_range_signed(ls_term *t, ls_wide lo, ls_wide hi);
void ls_range_unsigned(ls_term *t, ls_wide lo, ls_wide hi);

/* What one range says for the other. */
void ls_range_tighten(ls_term *t);

bool ls_fits_signed(ls_wide lo, ls_wide hi, uint32_t width);
bool ls_fits_unsigned(ls_wide lo, ls_wide hi, uint32_t width);

/* The range of a sum as a mathematical integer, its arguments taken as signed or unsigned numbers. */
void ls_sum_range(const ls_term *t, bool args_signed, ls_wide *lo, ls_wide *hi);

/* The same of a product; false where it is too large to say. */
bool ls_product_range(const ls_term *t, bool args_signed, ls_wide *lo, ls_wide *hi);

#endif
