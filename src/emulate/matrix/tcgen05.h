/* Blackwell's matrix unit and tensor memory (PTX ISA, "TensorCore 5th Generation Family Instructions"), by
 * the manual: nothing of it was compared with hardware. Tensor memory has 128 lanes of 512 columns of 32
 * bits; an address has the lane in its upper and the column in its lower half. It stands behind the block's
 * shared memory, so that one checker looks at both. Two blocks of a pair (cta_group::2) may allocate;
 * products of a pair are not modelled. */
#ifndef LS_EMULATE_MATRIX_TCGEN05_H
#define LS_EMULATE_MATRIX_TCGEN05_H

#include "emulate/matrix/descriptor.h"
#include "emulate/matrix/fragment.h"

enum { TENSOR_LANES = 128, TENSOR_COLUMNS = 512, TENSOR_MEMORY = TENSOR_LANES * TENSOR_COLUMNS * 4 };

/* tcgen05.alloc, .dealloc. */
typedef struct {
    mem_access *access; /* where the address is written, or all that is given back */
    operand address, columns;
    bool pair;
} tensor_space;

/* tcgen05.ld, .st: registers of a warp and 32 or 16 lanes. */
typedef struct {
    mem_access *access;
    uint8_t rows, words; /* words: columns of one repetition */
    uint32_t count;
    operand *value;
    const struct unit_touch *units; /* of a load: check/unit_registers.h */
} tensor_move;

/* tcgen05.mma: D in tensor memory, A there or in shared memory, B in shared memory. */
typedef struct {
    mem_access *d, *a, *shared; /* a: in tensor memory, or NULL; shared: what is read there */
    operand first, second;      /* descriptors; first: of A where it is in shared memory */
    operand what, adds;         /* instruction descriptor; whether D is added to */
    uint16_t kind;              /* ls_ptx_modifier */
} tensor_product;

/* tcgen05.cp: rows of one or two pieces from shared memory; lane n gets row n % rows. */
typedef struct {
    mem_access *to, *shared;
    operand descriptor;
    uint8_t rows, pieces, lanes;
    uint8_t of[4]; /* by 32 lanes: which 32 rows they get */
} tensor_copy;

const insn *em_exec_tensor_alloc(warp *w, const insn *i);
const insn *em_exec_tensor_free(warp *w, const insn *i);
const insn *em_exec_tensor_close(warp *w, const insn *i);
const insn *em_exec_tensor_get(warp *w, const insn *i);
const insn *em_exec_tensor_put(warp *w, const insn *i);
/* aux: queue_kind */
const insn *em_exec_tensor_wait(warp *w, const insn *i);
const insn *em_exec_tensor_product(warp *w, const insn *i);
const insn *em_exec_tensor_fill(warp *w, const insn *i);
/* tcgen05.fence: extra is an ls_order. */
const insn *em_exec_tensor_order(warp *w, const insn *i);
/* The block ends. */
void em_tensor_end(block_run *b);

#endif
