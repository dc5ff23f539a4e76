/* Fragments of matrices: which element of a matrix stands where in the registers of a warp's lanes, and which
 * memory wmma.load and wmma.store access for it. */
#ifndef LS_ISA_FRAGMENT_H
#define LS_ISA_FRAGMENT_H

#include "isa/matrix.h"

/* One operand of a matrix instruction: `rows` × `columns` elements of a type in the registers of 32 lanes. */
typedef struct {
    uint8_t role; /* ls_matrix_role */
    uint8_t type; /* ls_ptx_type of an element */
    uint16_t rows, columns;
    uint8_t bits;      /* of an element */
    uint8_t per;       /* elements in one register */
    uint8_t registers; /* of one lane */
    bool transposed;   /* m8n32: as in the product of the transposed matrices */
    bool quads;        /* m8n8k4 of f16: four products by eight lanes each */
    bool column_major; /* quads: the layout that the instruction names */
} ls_fragment;

typedef struct {
    uint16_t row, column, product; /* product: which of the four of m8n8k4 */
} ls_matrix_place;

/* Of that shape and type; the registers are not filled in. */
ls_fragment ls_fragment_of(ls_matrix_role role, ls_ptx_type type, ls_matrix_shape shape);
/* Which element of the matrix is element e of a lane's fragment. */
ls_matrix_place ls_fragment_place(const ls_fragment *f, uint32_t lane, uint32_t e);
/* Elements of a lane that are not there twice. */
static inline uint32_t ls_fragment_elements(const ls_fragment *f) {
    return (uint32_t)f->rows * f->columns / 32;
}

/* wmma.load and wmma.store: accesses of the lanes after each other, each of one piece. They are those that a
 * compiler makes for sm_90: what stands side by side in memory is accessed as one word, also where the lanes
 * hold elements of 16 bits the other way round; then the lanes exchange them (docs/analyze.md). */
typedef struct {
    ls_fragment fragment; /* as the registers hold it */
    bool column_major;
    bool turned;          /* the lanes exchange elements: */
    ls_fragment accessed; /* how they access memory then, with lines as rows */
    uint32_t piece;       /* elements of one access, neighbours in a line */
    uint32_t pieces;      /* accesses */
} ls_wmma_move;

/* False where there is no such move: no shape, or elements of less than a byte that are not neighbours. */
bool ls_wmma_move_of(const ls_ptx_form *form, ls_wmma_move *move);

/* A place in memory: a line, and an element of it. */
typedef struct {
    uint32_t line, element;
} ls_line_place;

/* Of the first element of a lane's piece. */
ls_line_place ls_wmma_piece(const ls_wmma_move *move, uint32_t lane, uint32_t piece);
/* Of element e of a lane's fragment. */
ls_line_place ls_wmma_element(const ls_wmma_move *move, uint32_t lane, uint32_t e);

#endif
