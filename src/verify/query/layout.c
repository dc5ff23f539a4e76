/* How a kernel lays its threads out over the rows of a matrix.
 *
 * Tiles: kernels that are written for blocks of one size multiply the block's number by a constant, as in
 * `blockIdx.y * TILE + threadIdx.y`. Their blocks cover that many elements each, whatever their own size is,
 * so that conditions on rows speak of `TILE*gridDim.y` and not of threads.
 *
 * Splits: where rows and columns are made of one number, `t / width` and `t % width`, there is one row alone
 * as long as the width is not less than there are threads: nobody launches the kernel so. Blocks that are
 * numbered anew, `block / gridDim.y`, are no rows. */
#include "verify/query/layout.h"
#include "verify/check/ways.h"
#include "verify/query/met.h"

enum { LARGEST_TILE = 4096 };

static bool is_number(const ls_ir_operand *o, uint32_t sreg, int axis) {
    const ls_ir_value *v = o->value;
    while (v && v->kind == LS_VALUE_INSTR && v->instr->op == LS_OP_MOV && v->instr->src_count == 1)
        v = v->instr->src[0].value;
    return v && v->kind == LS_VALUE_SREG && v->sreg == sreg &&
           v->element == (axis ? LS_ELEMENT_Y : LS_ELEMENT_X);
}

/* By what the instruction multiplies the block's number: 1: it does not; 0: by the size of the block, or by
 * something that is no tile. */
static uint64_t factor_of(const ls_ir_instr *instr, int axis) {
    uint64_t factor;
    if (instr->src_count < 2) return 1;
    for (uint32_t k = 0; k < 2; k++) {
        if (!is_number(&instr->src[k], LS_SREG_CTAID, axis)) continue;
        if (is_number(&instr->src[1 - k], LS_SREG_NTID, axis)) return 0;
        if (!ls_constant_operand(&instr->src[1 - k], &factor)) continue;
        if (instr->op == LS_OP_SHL && k == 0) return factor < 32 ? UINT64_C(1) << factor : 0;
        if (instr->op == LS_OP_MUL || instr->op == LS_OP_MAD) return factor <= LARGEST_TILE ? factor : 0;
    }
    return 1;
}

uint32_t ls_tile_of(const ls_ir_function *kernel, int axis) {
    uint64_t tile = 1;
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const uint64_t factor = factor_of(kernel->instrs[i], axis);
        if (!factor || (factor != 1 && tile != 1 && factor != tile)) return 0;
        if (factor != 1) tile = factor;
    }
    return tile == 1 ? 0 : (uint32_t)tile;
}

enum { MOST_STEPS = 6 };

/* A thread's or a block's number in that dimension is in the value. */
static bool is_of_thread(const ls_ir_value *v, int axis, uint32_t depth) {
    if (!v || depth == MOST_STEPS) return false;
    if (v->kind == LS_VALUE_SREG)
        return (v->sreg == LS_SREG_TID || v->sreg == LS_SREG_CTAID) &&
               v->element == (axis ? LS_ELEMENT_Y : LS_ELEMENT_X);
    for (uint32_t i = 0; v->kind == LS_VALUE_INSTR && i < v->instr->src_count; i++)
        if (is_of_thread(v->instr->src[i].value, axis, depth + 1)) return true;
    return false;
}

/* Sizes of the launch alone are in the value. */
static bool is_of_launch(const ls_ir_value *v, uint32_t depth) {
    if (!v || depth == MOST_STEPS) return false;
    if (v->kind == LS_VALUE_SREG) return v->sreg == LS_SREG_NTID || v->sreg == LS_SREG_NCTAID;
    if (v->kind != LS_VALUE_INSTR || !v->instr->src_count) return false;
    for (uint32_t i = 0; i < v->instr->src_count; i++)
        if (!ls_is_fixed(&v->instr->src[i]) && !is_of_launch(v->instr->src[i].value, depth + 1)) return false;
    return true;
}

bool ls_splits_threads(const ls_ir_function *kernel, int axis) {
    for (uint32_t i = 0; i < kernel->instr_count; i++) {
        const ls_ir_instr *instr = kernel->instrs[i];
        if (instr->op != LS_OP_DIV || instr->src_count < 2 || ls_is_fixed(&instr->src[1])) continue;
        if (is_of_launch(instr->src[1].value, 0)) continue;
        const ls_ir_value *quotient = instr->dst_count ? instr->dst[0].value : NULL;
        if (!quotient || ls_ptx_type_kind_of((ls_ptx_type)quotient->type) == LS_KIND_FLOAT) continue;
        if (is_of_thread(instr->src[0].value, axis, 0) && !is_of_thread(instr->src[1].value, axis, 0))
            return true;
    }
    return false;
}
