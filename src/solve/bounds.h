/* How far a symbol can be from zero where an equation holds. */
#ifndef LS_SOLVE_BOUNDS_H
#define LS_SOLVE_BOUNDS_H

#include "solve/solve.h"

typedef struct {
    int64_t lo, hi; /* as a signed number of the symbol's width; none: lo > hi */
} ls_bounds;

/* What the equations among the conjuncts leave of a symbol that has any value by itself, where all else in
 * them has a range: of d in `t + d / 2 == u`, for t and u from 0 to 15, the numbers from -31 to 31. */
ls_bounds ls_bounds_of(ls_terms *terms, const ls_term *symbol, const ls_term *const *conjuncts,
                       uint32_t count);

#endif
