/* A sum while it is put together: what constructors of terms share. */
#ifndef LS_SOLVE_SUMS_H
#define LS_SOLVE_SUMS_H

#include "solve/terms.h"

enum { LS_SUM_PARTS = 24 }; /* of a linear combination that a product is distributed over */

typedef struct {
    uint64_t constant;
    uint32_t count, capacity, width;
    const ls_term **args;
    uint64_t *coefs;
    const ls_term *small_args[LS_SUM_PARTS];
    uint64_t small_coefs[LS_SUM_PARTS];
} ls_sum;

void ls_sum_init(ls_sum *s, uint32_t width);
/* Adds c times a, which is neither a constant nor a sum; or whatever it is. */
void ls_sum_part(ls_terms *ctx, ls_sum *s, const ls_term *a, uint64_t c);
void ls_sum_add(ls_terms *ctx, ls_sum *s, const ls_term *a, uint64_t c);
const ls_term *ls_sum_end(ls_terms *ctx, ls_sum *s);

/* terms.c: the one term that is equal to this, whose argument arrays may be temporary. */
const ls_term *ls_intern(ls_terms *ctx, ls_term t);

#endif
