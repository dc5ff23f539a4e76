/* A query by trying all values: where a part of its conjuncts mentions symbols with few values only, as of
 * the threads of a block of known size and the rounds of short loops, all of them can be computed. That
 * decides what no normal form helps with: t ^ j, t / 2 + (t & 1) * 34, tables of bits. */
#ifndef LS_SOLVE_ENUMERATE_H
#define LS_SOLVE_ENUMERATE_H

#include "solve/solve.h"

enum { LS_FEW_VALUES = 1024 };

typedef struct { /* a symbol with the values that its type and single conjuncts leave; none: lo > hi */
    const ls_term *term;
    uint64_t lo, hi;
} ls_extent;

ls_extent ls_extent_of(const ls_term *symbol, const ls_term *const *conjuncts, uint32_t count);

/* LS_UNSAT: some of the conjuncts never hold together. LS_SAT: all of them do, under `model`. few: so many
 * values a symbol may have, LS_FEW_VALUES at most. Computes not many more than `work` terms, which becomes
 * what is left of them. */
ls_answered ls_enumerate(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count, uint32_t few,
                         uint64_t *work, ls_intmap *model);

#endif
