/* Decoding of copies by tensor map. The map is loaded like any other memory, wherever it stands, in front of
 * the copy, and stored again behind tensormap.replace. im2col, gather and scatter modes are not modelled. */
#include "emulate/async/tensor.h"
#include "emulate/decode/decode.h"
#include "isa/atomic.h"

/* Half of a map, which is accessed as any other memory. */
static mem_access *half_of(decoder *d, const ls_ir_operand *address, ls_ptx_space space, uint32_t half) {
    mem_access *m = em_new_access(d, address, 8, LS_TENSOR_WORDS / 2);
    m->space = (uint8_t)space;
    m->order = (ls_order){.bytes = 8};
    d->e->order_of_memory.items[m->memory_site] = m->order;
    m->offset += 64 * (int64_t)half;
    return m;
}

/* Loads the words of the map to slots of their own; the access to its first half. */
static mem_access *load_map(decoder *d, const ls_ir_operand *address, ls_ptx_space space, operand *word) {
    mem_access *halves[2];
    for (uint32_t h = 0; h < 2; h++) {
        mem_access *m = halves[h] = half_of(d, address, space, h);
        m->opaque = true;
        for (uint32_t k = 0; k < LS_TENSOR_WORDS / 2; k++) {
            *word++ = m->value[k] = (operand){em_new_slot(d, 8), 8};
            m->dst_bits[k] = 64;
        }
        em_emit(d, em_exec_load)->extra = m;
    }
    return halves[0];
}

static mem_access *store_map(decoder *d, const ls_ir_operand *address, ls_ptx_space space,
                             const operand *word) {
    mem_access *halves[2];
    for (uint32_t h = 0; h < 2; h++) {
        mem_access *m = halves[h] = half_of(d, address, space, h);
        m->write = true;
        for (uint32_t k = 0; k < LS_TENSOR_WORDS / 2; k++) m->value[k] = *word++;
        em_emit(d, em_exec_store)->extra = m;
    }
    return halves[0];
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
    if (!is_tiled(in->form) || count < 2 || count > LS_TENSOR_RANK + 1 || n != 1) return false;
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
    x->map = load_map(d, map, LS_SPACE_GENERIC, x->word);
    x->shared = em_bulk_access(d, shared, true, !store);
    x->global = em_bulk_access(d, map, false, store);
    x->global->atomic = reduction;
    em_emit(d, em_exec_tensor)->extra = x;
    return true;
}

/* --- Changes of a map --- */
static const uint16_t fields[] = {LS_MOD_GLOBAL_ADDRESS, LS_MOD_RANK,
                                  LS_MOD_BOX_DIM,        LS_MOD_GLOBAL_DIM,
                                  LS_MOD_GLOBAL_STRIDE,  LS_MOD_ELEMENT_STRIDE,
                                  LS_MOD_ELEMTYPE,       LS_MOD_INTERLEAVE_LAYOUT,
                                  LS_MOD_SWIZZLE_MODE,   LS_MOD_SWIZZLE_ATOMICITY,
                                  LS_MOD_FILL_MODE};

/* [map], value; or [map], dimension, value. */
static bool decode_replace(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count < 2 || in->src_count > 3) return false;
    replace_info *x = LS_NEW(d->arena, replace_info);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (ls_ptx_form_has(in->form, (ls_ptx_modifier)fields[k])) x->field = fields[k];
    if (!x->field) return false;
    x->dimension = in->src_count == 3 ? em_source(d, &in->src[1], 4) : em_constant(d, 0, 4);
    x->value = em_source(d, &in->src[in->src_count - 1], 8);
    ls_ptx_space space = ls_ptx_form_space(in->form);
    if (space == LS_SPACE_SHARED_CLUSTER) space = LS_SPACE_SHARED;
    x->map = load_map(d, &in->src[0], space, x->word);
    em_emit(d, em_exec_tensor_replace)->extra = x;
    store_map(d, &in->src[0], space, x->word);
    return true;
}

/* [global], [shared], 128: the warp copies the map once, and a release for its proxy follows. */
static bool decode_copied_map(decoder *d) {
    const ls_ir_instr *in = d->instr;
    operand word[LS_TENSOR_WORDS];
    if (in->src_count != 3 || in->src[2].kind != LS_IR_IMM || in->src[2].bits != LS_TENSOR_WORDS * 8)
        return false;
    const uint32_t lanes = em_new_slot(d, WIDTH_PRED);
    em_emit(d, em_exec_tensor_one)->d = lanes;
    load_map(d, &in->src[1], LS_SPACE_SHARED, word);
    mem_access *to = store_map(d, &in->src[0], LS_SPACE_GLOBAL, word);
    insn *i = em_emit(d, em_exec_tensor_copied);
    i->extra = to;
    i->d = lanes;
    ls_order *order = LS_NEW(d->arena, ls_order);
    *order = ls_order_of(in->form);
    em_emit(d, em_exec_fence)->extra = order;
    return true;
}

void em_decode_map_fence(decoder *d) {
    const ls_ir_instr *in = d->instr;
    mem_access *map = in->src_count ? half_of(d, &in->src[0], LS_SPACE_GENERIC, 0) : NULL;
    insn *i = em_emit(d, em_exec_tensor_fence);
    i->extra = map;
    em_set_guard(d, i);
}

bool em_decode_tensor(decoder *d) {
    switch (d->instr->op) {
    case LS_OP_TENSORMAP_REPLACE: return decode_replace(d);
    case LS_OP_TENSORMAP_CP_FENCEPROXY: return decode_copied_map(d);
    case LS_OP_CP_ASYNC_BULK_TENSOR: return decode_copy(d, false);
    case LS_OP_CP_REDUCE_ASYNC_BULK_TENSOR: return decode_copy(d, true);
    case LS_OP_CP_ASYNC_BULK_PREFETCH_TENSOR: em_emit(d, em_exec_nop); return true;
    default: return false;
    }
}
