/* Decoding of copies by tensor map. The map is loaded like any other memory, wherever it stands, in front of
 * the copy. im2col, gather and scatter modes and changes of a map (tensormap.replace) are not modelled. */
#include "emulate/async/tensor.h"
#include "emulate/decode/decode.h"
#include "isa/atomic.h"

/* Eight words of the map. */
static void load_half(decoder *d, const ls_ir_operand *address, uint32_t half, operand *word) {
    mem_access *m = em_new_access(d, address, 8, TENSOR_WORDS / 2);
    m->space = LS_SPACE_GENERIC;
    m->opaque = true;
    m->offset += 64 * (int64_t)half;
    for (uint32_t k = 0; k < TENSOR_WORDS / 2; k++) {
        word[k] = m->value[k] = (operand){em_new_slot(d, 8), 8};
        m->dst_bits[k] = 64;
    }
    em_emit(d, em_exec_load)->extra = m;
}

static bool is_tiled(const ls_ptx_form *form) {
    static const uint16_t others[] = {LS_MOD_IM2COL,         LS_MOD_IM2COL_W,     LS_MOD_IM2COL_W_128,
                                      LS_MOD_IM2COL_NO_OFFS, LS_MOD_TILE_GATHER4, LS_MOD_TILE_SCATTER4};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)others[k])) return false;
    return true;
}

/* Loads: [shared], [map, {coordinates}], [mbarrier] and the blocks of a multicast; else [map, {…}], [shared].
 */
static bool decode_copy(decoder *d, bool reduction) {
    const ls_ir_instr *in = d->instr;
    bool store = ls_ptx_form_has(in->form, LS_MOD_BULK_GROUP);
    uint32_t count, n, one;
    const ls_ir_operand *map = em_operand_group(in, store ? 0 : 1, &count);
    const ls_ir_operand *shared = em_operand_group(in, store ? 1 : 0, &n);
    if (!is_tiled(in->form) || count < 2 || count > TENSOR_RANK + 1 || n != 1) return false;
    tensor_info *x = LS_NEW(d->arena, tensor_info);
    x->store = store;
    x->rank = count - 1;
    for (uint32_t k = 0; k < x->rank; k++) x->coordinate[k] = em_source(d, &map[k + 1], 4);
    x->op = (uint8_t)(reduction ? em_atomic_op_of(in->form) : ATOMIC_NONE);
    if (reduction && (!store || !x->op)) return false;
    x->blocks.width = NO_WIDTH;
    if (!store) {
        const ls_ir_operand *object = em_operand_group(in, 2, &n), *blocks = em_operand_group(in, 3, &one);
        if (n != 1) return false;
        x->object = em_mbarrier_access(d, object);
        if (ls_ptx_form_has(in->form, LS_MOD_MULTICAST)) {
            if (one != 1) return false;
            x->blocks = em_source(d, blocks, 4);
        }
    }
    load_half(d, map, 0, x->word);
    load_half(d, map, 1, x->word + TENSOR_WORDS / 2);
    x->shared = em_bulk_access(d, shared, true, !store);
    x->global = em_bulk_access(d, map, false, store);
    x->global->atomic = reduction;
    em_emit(d, em_exec_tensor)->extra = x;
    return true;
}

bool em_decode_tensor(decoder *d) {
    switch (d->instr->op) {
    case LS_OP_CP_ASYNC_BULK_TENSOR: return decode_copy(d, false);
    case LS_OP_CP_REDUCE_ASYNC_BULK_TENSOR: return decode_copy(d, true);
    case LS_OP_CP_ASYNC_BULK_PREFETCH_TENSOR: em_emit(d, em_exec_nop); return true;
    default: return false;
    }
}
