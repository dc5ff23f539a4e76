/* Division by constants as compilers write it: the upper half of a product with a reciprocal (magic.c). */
#ifndef LS_SOLVE_MAGIC_H
#define LS_SOLVE_MAGIC_H

#include "solve/terms.h"

/* The upper 32 of a product's 64 bits; NULL where it is no such quotient. */
const ls_term *ls_quotient_of_high(ls_terms *ctx, const ls_term *product);
/* A term shifted to the right, with or without its sign; NULL where it is no part of such a division. */
const ls_term *ls_quotient_of_shift(ls_terms *ctx, const ls_term *a, uint64_t shift, bool arithmetic);

#endif
