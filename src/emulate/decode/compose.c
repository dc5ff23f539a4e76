/* Instructions that are several vector loops, one after another, or one with a constant in it: bit fields
 * that are inserted, logic of three operands, comparisons with .ftz. What is not found here or in lane.c runs
 * lane by lane. */
#include "emulate/decode/decode.h"

static operand temporary(decoder *d, uint8_t width) {
    return (operand){em_new_slot(d, width), width};
}

/* The bits that are replaced: what the insertion of ones into zeros gives. */
static operand field_mask(decoder *d, uint8_t width, operand position, operand length) {
    const ls_ir_operand *src = d->instr->src;
    ls_isa x;
    if (src[2].kind == LS_IR_IMM && src[3].kind == LS_IR_IMM && em_find_meaning(d, &x))
        return em_constant(d, ls_isa_compute(&x, (const uint64_t[]){UINT64_MAX, 0, src[2].bits, src[3].bits}),
                           width);
    operand mask = temporary(d, width);
    em_emit_lane(d, width == 8 ? LANE_FIELD_64 : LANE_FIELD_32, mask.slot, position.slot, length.slot, 0);
    return mask;
}

/* Shifted to its place, and taken where the mask has ones. */
static bool decode_insert(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 4 || in->dst_count != 1) return false;
    bool wide = ls_ptx_type_bits(ls_ptx_form_type(in->form, 0)) == 64;
    uint8_t width = wide ? 8 : 4;
    operand a = em_source(d, &in->src[0], width), b = em_source(d, &in->src[1], width);
    operand position = em_source(d, &in->src[2], 4), length = em_source(d, &in->src[3], 4);
    operand mask = field_mask(d, width, position, length), shifted = temporary(d, width);
    em_emit_lane(d, wide ? LANE_SHL_64 : LANE_SHL_BYTE_32, shifted.slot, a.slot, position.slot, 0);
    operand r = em_dst(d, &in->dst[0], width);
    em_emit_lane(d, wide ? LANE_CHOOSE_64 : LANE_CHOOSE_32, r.slot, shifted.slot, b.slot, mask.slot);
    em_finish_dst(d, &in->dst[0], r);
    return true;
}

static bool decode_lop3(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 4 || in->dst_count != 1 || in->src[3].kind != LS_IR_IMM) return false;
    uint32_t s[3];
    for (uint32_t k = 0; k < 3; k++) s[k] = em_source(d, &in->src[k], 4).slot;
    operand r = em_dst(d, &in->dst[0], 4);
    em_emit_lane(d, LANE_LOP3_32, r.slot, s[0], s[1], s[2])->aux = (uint8_t)in->src[3].bits;
    em_finish_dst(d, &in->dst[0], r);
    return true;
}

/* Subnormal numbers are made zero first. */
static bool decode_compare(decoder *d) {
    const ls_ir_instr *in = d->instr;
    bool swap;
    uint16_t lane = ls_ptx_form_has(in->form, LS_MOD_FTZ) ? em_find_compare(in, &swap) : LANE_NONE;
    if (!lane || ls_ptx_form_type(in->form, 0) != LS_TYPE_F32) return false;
    operand flushed[2];
    for (uint32_t k = 0; k < 2; k++) {
        operand s = em_source(d, &in->src[k], 4);
        flushed[k] = temporary(d, 4);
        em_emit_lane(d, LANE_FTZ_F32, flushed[k].slot, s.slot, s.slot, 0);
    }
    operand r = em_dst(d, &in->dst[0], WIDTH_PRED);
    em_emit_lane(d, lane, r.slot, flushed[swap].slot, flushed[!swap].slot, 0);
    em_finish_dst(d, &in->dst[0], r);
    return true;
}

bool em_decode_composed(decoder *d) {
    if (d->instr->unknown) return false;
    switch (d->instr->op) {
    case LS_OP_BFI: return decode_insert(d);
    case LS_OP_LOP3: return decode_lop3(d);
    case LS_OP_SETP: return decode_compare(d);
    default: return false;
    }
}
