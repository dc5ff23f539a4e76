/* Sobol's quasi-random sequences: the direction vectors of each dimension (libraries/sobol.c). */
#ifndef LS_LIBRARIES_SOBOL_H
#define LS_LIBRARIES_SOBOL_H

#include <stdint.h>

enum {
    SOBOL_BITS = 64,
    SOBOL_MOST = 20000, /* dimensions */
    SOBOL_KNOWN = 1111, /* of which the numbers are those of Joe and Kuo */
};

/* The vectors of as many dimensions: 64 bits of each of 64 vectors; of 32 bits are the upper halves of the
 * first 32. A new array; NULL where there is no memory. */
uint64_t (*ls_sobol_vectors(uint32_t dimensions))[SOBOL_BITS];
/* The number at a place of a sequence, by Gray's code. */
uint64_t ls_sobol_at(const uint64_t vectors[SOBOL_BITS], uint64_t index);
/* What the numbers of a scrambled sequence are combined with (exclusive or). */
uint64_t ls_sobol_scramble(uint32_t dimension);

#endif
