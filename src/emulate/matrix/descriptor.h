/* Matrices in shared memory that a descriptor describes to a matrix unit (PTX ISA, "Matrix descriptor" of
 * wgmma, "Shared memory descriptor" of tcgen05, whose fields stand at the same places). */
#ifndef LS_EMULATE_MATRIX_DESCRIPTOR_H
#define LS_EMULATE_MATRIX_DESCRIPTOR_H

#include "emulate/code.h"

enum { MATRIX_TILE_ROWS = 256, MATRIX_TILE_K = 64 };

/* A matrix in shared memory: a descriptor, and whether k runs along memory. */
typedef struct {
    operand descriptor;
    bool along_k, negated;
} matrix_source;

typedef struct {
    uint32_t start, leading, stride, row; /* bytes; row: of one swizzled row, 16 where there is none */
} matrix_layout;

typedef struct {
    uint64_t row[MATRIX_TILE_ROWS][MATRIX_TILE_K]; /* along k */
} matrix_tile;

/* False where the descriptor has a base offset, which is not modelled. */
bool em_matrix_layout(uint64_t descriptor, matrix_layout *l);
/* The address of a piece of 16 bytes: of row or column `outer`, the piece-th along k; or, where the matrix
 * does not run along k, the piece-th along the rows, at k = `outer`. */
uint32_t em_matrix_piece(const matrix_layout *l, bool along_k, uint32_t outer, uint32_t piece);
/* The elements of a piece become part of the tile. */
void em_matrix_spread(const matrix_source *s, uint32_t bits, uint32_t outer, uint32_t piece,
                      const char *bytes, matrix_tile *to);

#endif
