/* Matrix instructions: the registers of fragments, and how a product is summed. */
#ifndef LS_EMULATE_MATRIX_FRAGMENT_H
#define LS_EMULATE_MATRIX_FRAGMENT_H

#include "emulate/code.h"
#include "isa/fragment.h"

enum {
    MATRIX_MAX = 1024,        /* elements of the largest operand */
    MATRIX_MAX_REGISTERS = 8, /* of one operand in one lane */
    MATRIX_MAX_TERMS = 64,    /* products along k */
};

/* One operand and the registers that it stands in. */
typedef struct {
    ls_fragment of;
    operand value[MATRIX_MAX_REGISTERS];
} fragment;

/* Reads or writes one element of a lane's registers; integers are not extended. */
uint64_t em_fragment_get(const warp *w, const fragment *f, uint32_t lane, uint32_t e);
void em_fragment_set(const warp *w, const fragment *f, uint32_t lane, uint32_t e, uint64_t bits);

/* A multiplication D = A × B + C. */
typedef struct product_info {
    fragment a, b, c, d;
    uint16_t m, n, k;
    uint16_t step;   /* floats: products that are summed at a time */
    uint16_t bit_op; /* b1: LS_MOD_XOR or LS_MOD_AND */
    bool saturate;
    bool wide;        /* wgmma */
    uint8_t fraction; /* floats: bits below the largest exponent that are kept; 0: 25 */
    bool sparse;      /* A has half the columns; the metadata say which rows of B they meet */
    uint8_t selector; /* sparse: which lanes hold the metadata */
    operand metadata;
    const uint16_t *words; /* floats that are multiplied many at a time: the places of A's and B's words … */
    const uint16_t *sums;  /* … and of C's and D's elements, by registers and lanes; else NULL */
    /* The same as moves from registers to the matrices and back; NULL where a move does not do it. */
    const struct matrix_pick *a_picks, *b_picks, *c_picks, *d_picks;
} product_info;

/* A product of small floats: rows × columns sums of `terms` products, `step` at a time (lanes/dots.c). */
enum {
    MATRIX_WIDE = 8,          /* elements of a row that are summed together … */
    MATRIX_ROWS = 4,          /* … with those of so many rows */
    MATRIX_FLOATS = 512,      /* elements of the largest operand of those */
    MATRIX_ZERO = -2000,      /* stands for the exponent of a zero … */
    MATRIX_NOT_FINITE = 8000, /* … and of infinities and NaNs */
};
typedef struct {
    uint32_t rows, columns, terms, step, per, fraction;
    ls_ptx_type type, sum;                                   /* of the factors, and of the accumulators */
    uint32_t x_words[MATRIX_FLOATS], y_words[MATRIX_FLOATS]; /* x by rows, y by terms: `per` of them a word */
    float c[MATRIX_FLOATS];                                  /* becomes the sums */
    int32_t c_exponent[MATRIX_FLOATS];                       /* of sums in f16 only */
    double *exact;                            /* where not NULL: sums that are not cut to f32 */
    bool odd[MATRIX_FLOATS / MATRIX_WIDE];    /* these were not summed: something is out of the ordinary */
    float x[MATRIX_FLOATS], y[MATRIX_FLOATS]; /* in no order within a step */
    int32_t x_exponent[MATRIX_FLOATS], y_exponent[MATRIX_FLOATS];
    int32_t x_most[MATRIX_FLOATS / 2], y_most[MATRIX_FLOATS / 2]; /* by rows or columns, and steps */
} matrix_floats;
/* A move of sixteen words, each from one of two places where sixteen stand side by side. */
enum { MATRIX_PICKED = 16 };
typedef struct matrix_pick {
    uint32_t from[2];             /* bytes */
    uint32_t word[MATRIX_PICKED]; /* of the first, or, from MATRIX_PICKED on, of the second */
} matrix_pick;
/* lanes/target.c: those for this processor. */
typedef struct {
    void (*dots)(matrix_floats *m);
    void (*pick)(const void *from, const matrix_pick *picks, uint32_t count, void *to);
} matrix_ops;
const matrix_ops *em_matrix_ops(void);
/* floats.c: an element of C as f32, and its exponent as sum.c counts it; an element of D. */
void em_matrix_accumulator(ls_ptx_type type, uint32_t bits, float *value, int32_t *exponent);
uint64_t em_matrix_result(ls_ptx_type to, const matrix_floats *f, uint32_t at);
/* Finds the places, where the product can be made many elements at a time; and makes it. `one` computes an
 * element that has to be summed by itself. */
void em_plan_floats(ls_arena *arena, product_info *m);
typedef uint64_t (*matrix_element)(void *context, uint32_t row, uint32_t column);
void em_multiply_floats(const warp *w, const product_info *m, matrix_element one, void *context);

/* Four-bit pieces of metadata for one row of A: 4, 8 or 16. */
uint32_t em_sparse_nibbles(const product_info *m);
/* Sparse: the elements of a column of B (k of them) that meet the elements of a row of A (k/2). */
void em_sparse_choose(const warp *w, const product_info *m, uint32_t row, const uint64_t *column,
                      uint64_t *chosen);

/* One element of D: `count` factors from x and y, elements of types a and b, and the bits of c. */
uint64_t em_matrix_dot(const product_info *m, const uint64_t *x, const uint64_t *y, uint32_t count,
                       uint64_t c);

/* A product takes about as long as the warp's instructions that would compute it, and counts as them where
 * their number is limited. */
void em_matrix_count(warp *w, uint32_t rows, uint32_t columns, uint32_t inner);
const insn *em_exec_product(warp *w, const insn *i);

/* ldmatrix, stmatrix, movmatrix: 8 × 8 matrices of 16-bit elements, a row of 16 bytes at each lane's address.
 */
typedef struct {
    mem_access *access; /* one row; NULL: movmatrix */
    uint32_t count;     /* matrices: 1, 2, 4 */
    bool transposed;
    operand value[4];
} matrix_move;

const insn *em_exec_matrix_load(warp *w, const insn *i);
const insn *em_exec_matrix_store(warp *w, const insn *i);
const insn *em_exec_matrix_move(warp *w, const insn *i);

/* wmma.load, wmma.store. */
typedef struct {
    fragment f;
    ls_wmma_move move;
    mem_access *access; /* one piece */
    operand base;
    int64_t offset;
    operand stride;              /* in elements; width 255: none given */
    const ls_ptx_instr *watched; /* NULL: nobody watches */
} wmma_move;

/* watch.c: shows the addresses of one piece, 64-bit values in that slot. */
void em_watch_piece(warp *w, const ls_ptx_instr *instr, uint32_t address);
const insn *em_exec_wmma_load(warp *w, const insn *i);
const insn *em_exec_wmma_store(warp *w, const insn *i);

/* Waits for all lanes of the warp. False: the path was put aside or the run stopped, and *next says how to go
 * on. */
bool em_matrix_gather(warp *w, const insn *i, const insn **next);

#endif
