/* What instructions do to shapes. */
#ifndef LS_ANALYZE_TRANSFER_H
#define LS_ANALYZE_TRANSFER_H

#include "analyze/fold.h"
#include "analyze/private.h"

/* Shape of result k, without the guard. Unseen while a source is unseen. */
ls_shape ls_transfer(analysis *a, const ls_ir_instr *instr, uint32_t k);

/* The results of warp-level instructions: whether all lanes that execute it together get the same. */
bool ls_warp_result_uniform(const analysis *a, const ls_ir_instr *instr, uint32_t k);

static inline bool ls_is_integer(ls_ptx_type type) {
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(type);
    uint32_t bits = ls_ptx_type_bits(type);
    return (kind == LS_KIND_SIGNED || kind == LS_KIND_UNSIGNED || kind == LS_KIND_BITS) &&
           (bits == 8 || bits == 16 || bits == 32 || bits == 64) && type < LS_TYPE_U16X2;
}

#endif
