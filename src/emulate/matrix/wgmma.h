/* wgmma: products of matrices in shared memory by four warps together. */
#ifndef LS_EMULATE_MATRIX_WGMMA_H
#define LS_EMULATE_MATRIX_WGMMA_H

#include "emulate/matrix/descriptor.h"
#include "emulate/matrix/fragment.h"

enum { WGMMA_ROWS = 16, WGMMA_MAX_N = MATRIX_TILE_ROWS }; /* rows: of one warp */

typedef struct {
    product_info product; /* types, k, and A's registers where it stands in them */
    bool a_in_registers;
    uint32_t inner_a; /* columns of A: k, half of it in a sparse product */
    matrix_source a, b;
    operand accumulate; /* predicate: D is added to */
    mem_access *access; /* 16 bytes of shared memory */
    uint32_t registers;
    operand *d;
    const struct unit_touch *units; /* its registers: check/unit_registers.h */
} wgmma_info;

const insn *em_exec_wgmma(warp *w, const insn *i);
/* Groups: i->imm is the number that may be left. */
const insn *em_exec_wgmma_commit(warp *w, const insn *i);
const insn *em_exec_wgmma_wait(warp *w, const insn *i);

#endif
