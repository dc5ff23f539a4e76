/* What the instructions that move matrices between memory and registers say in their text: shapes, layouts,
 * and which lines of memory they access. */
#ifndef LS_ISA_MATRIX_H
#define LS_ISA_MATRIX_H

#include "lockstep/ptx.h"

typedef struct {
    uint16_t m, n, k;
} ls_matrix_shape;

typedef enum { LS_MATRIX_A, LS_MATRIX_B, LS_MATRIX_C } ls_matrix_role;

/* The shape in .m16n16k16; false where there is none. */
bool ls_matrix_shape_of(const ls_ptx_form *form, ls_matrix_shape *shape);
/* ldmatrix and stmatrix: a lane's address is that of a row; each matrix takes the addresses of eight lanes.
 */
enum { LS_MATRIX_ROW_BYTES = 16, LS_MATRIX_ROWS = 8 };

/* The number in .x4; 0 where there is none. */
uint32_t ls_matrix_count_of(const ls_ptx_form *form);
/* Of the n-th .row or .col. */
bool ls_matrix_is_column_major(const ls_ptx_form *form, uint32_t n);
/* Of the operand that wmma.load or wmma.store moves. */
ls_matrix_role ls_wmma_role_of(const ls_ptx_form *form);
uint16_t ls_matrix_rows(ls_matrix_shape shape, ls_matrix_role role);
uint16_t ls_matrix_columns(ls_matrix_shape shape, ls_matrix_role role);

/* The memory that wmma.load or wmma.store accesses: lines (rows, or columns of a column-major matrix) that
 * are a stride apart, each without gaps. */
typedef struct {
    uint32_t lines, line_bits;
    uint32_t element_bits;
    uint32_t elements; /* of a line: the stride where none is given */
} ls_wmma_tile;

bool ls_wmma_tile_of(const ls_ptx_form *form, ls_wmma_tile *tile);

#endif
