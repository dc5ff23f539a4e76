/* Matrices in shared memory that a descriptor describes to a matrix unit (PTX ISA, "Matrix descriptor" of
 * wgmma, "Shared memory descriptor" of tcgen05, whose fields stand at the same places). */
#ifndef LS_ISA_DESCRIPTOR_H
#define LS_ISA_DESCRIPTOR_H

#include "lockstep/ptx.h"

/* Where the fields stand: start address, leading and stride offset (units of 16 bytes), base offset, swizzle.
 */
enum {
    LS_DESCRIPTOR_START = 0,
    LS_DESCRIPTOR_LEADING = 16,
    LS_DESCRIPTOR_STRIDE = 32,
    LS_DESCRIPTOR_OFFSET_BITS = 14,
    LS_DESCRIPTOR_BASE = 49,
    LS_DESCRIPTOR_BASE_BITS = 3,
    LS_DESCRIPTOR_SWIZZLE = 62,
};

/* A product of wgmma: 64 rows, n columns, and k, which is always 32 bytes; bits of an element of A and B. */
typedef struct {
    uint32_t n, k, bits[2];
} ls_product_shape;

enum { LS_PRODUCT_ROWS = 64 };

/* False for sparse products, and those of single bits, which are not modelled. */
bool ls_product_shape_of(const ls_ptx_form *form, ls_product_shape *shape);

typedef struct {
    uint32_t start, leading, stride, row; /* bytes; row: of one swizzled row, 16 where there is none */
} ls_matrix_layout;

/* False where the descriptor has a base offset, which is not modelled. */
bool ls_matrix_layout_of(uint64_t descriptor, ls_matrix_layout *l);
/* The address of a piece of 16 bytes: of row or column `outer`, the piece-th along k; or, where the matrix
 * does not run along k, the piece-th along the rows, at k = `outer`. */
uint32_t ls_matrix_piece(const ls_matrix_layout *l, bool along_k, uint32_t outer, uint32_t piece);

#endif
