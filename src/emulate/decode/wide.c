/* Decoding of asynchronous copies from global to shared memory. */
#include "emulate/decode/decode.h"

/* src-size, or ignore-src: a predicate that makes it zero. */
static operand copied_size(decoder *d, const ls_ir_operand *o, uint32_t bytes) {
    bool is_register = o->kind == LS_IR_REG && em_register(d, o->reg).width == WIDTH_PRED;
    if (!is_register) return em_source(d, o, 4);
    operand p = em_source(d, o, WIDTH_PRED), size = {em_new_slot(d, 4), 4};
    em_emit_lane(d, LANE_SELP_32, size.slot, em_constant(d, 0, 4).slot, em_constant(d, bytes, 4).slot,
                 p.slot);
    return size;
}

static bool decode_copy(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count < 3 || in->src[2].kind != LS_IR_IMM) return false;
    uint32_t bytes = (uint32_t)in->src[2].bits;
    if (bytes != 4 && bytes != 8 && bytes != 16) return false;
    uint32_t more = in->src_count - 3 - (ls_ptx_form_has(in->form, LS_MOD_L2_CACHE_HINT) ? 1 : 0);
    if (more > 1) return false;
    copy_info *x = LS_NEW(d->arena, copy_info);
    x->bytes = bytes;
    if (more) {
        x->has_size = true;
        x->size = copied_size(d, &in->src[3], bytes);
    }
    x->to = em_new_access(d, &in->src[0], 4, (uint8_t)(bytes / 4));
    x->to->space = LS_SPACE_SHARED;
    x->to->write = x->to->async = true;
    x->from = em_new_access(d, &in->src[1], 4, (uint8_t)(bytes / 4));
    x->from->space = LS_SPACE_GLOBAL;
    for (int k = 0; k < 4; k++) x->to->value[k] = x->from->value[k] = em_constant(d, 0, 8);
    em_emit(d, em_exec_copy)->extra = x;
    return true;
}

bool em_decode_async(decoder *d) {
    if (d->instr->unknown) return false;
    switch (d->instr->op) {
    case LS_OP_CP_ASYNC: return decode_copy(d);
    case LS_OP_CP_ASYNC_COMMIT_GROUP: em_emit(d, em_exec_copy_commit); return true;
    case LS_OP_CP_ASYNC_WAIT_GROUP:
        if (d->instr->src_count != 1 || d->instr->src[0].kind != LS_IR_IMM) return false;
        em_emit(d, em_exec_copy_wait)->imm = (int64_t)d->instr->src[0].bits;
        return true;
    case LS_OP_CP_ASYNC_WAIT_ALL: em_emit(d, em_exec_copy_wait)->imm = -1; return true;
    default: return false;
    }
}
