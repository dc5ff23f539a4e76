/* Matrices in shared memory that a descriptor describes to a matrix unit (isa/descriptor.h). */
#ifndef LS_EMULATE_MATRIX_DESCRIPTOR_H
#define LS_EMULATE_MATRIX_DESCRIPTOR_H

#include "emulate/code.h"
#include "isa/descriptor.h"

enum { MATRIX_TILE_ROWS = 256, MATRIX_TILE_K = 64 };

/* A matrix in shared memory: a descriptor, and whether k runs along memory. */
typedef struct {
    operand descriptor;
    bool along_k, negated;
} matrix_source;

typedef struct {
    uint64_t row[MATRIX_TILE_ROWS][MATRIX_TILE_K]; /* along k */
} matrix_tile;

/* The elements of a piece become part of the tile. */
void em_matrix_spread(const matrix_source *s, uint32_t bits, uint32_t outer, uint32_t piece,
                      const char *bytes, matrix_tile *to);

#endif
