/* Products that are added at once: PTX leaves it to the compiler of machine code whether mul and add, or sub,
 * without a rounding mode are rounded once or twice. ptxas rounds once, as fma does, where nothing else reads
 * the product; so that results are a GPU's, the same is done here. */
#include "emulate/decode/decode.h"

/* Whether the instruction is a plain one of that type, which may be contracted. */
static bool is_free(const ls_ir_instr *in, ls_ptx_type type, bool ftz) {
    return !in->unknown && in->form->round == LS_MOD_UNKNOWN && ls_ptx_form_type(in->form, 0) == type &&
           ls_ptx_form_has(in->form, LS_MOD_FTZ) == ftz && !ls_ptx_form_has(in->form, LS_MOD_SAT) &&
           in->dst_count == 1 && in->src_count == 2;
}

void em_note_writer(decoder *d) {
    d->order++;
    for (uint32_t k = 0; k < d->instr->dst_count; k++)
        if (d->instr->dst[k].kind == LS_IR_REG)
            d->writers[d->instr->dst[k].reg] = (last_writer){d->instr, d->order};
}

/* Whether a factor still has, at the addition, the value that the product was made of: nothing between the
 * two in their block writes it; or else one instruction alone does, which comes before the product on every
 * way. Ways from there to the addition then lead through the product again. */
static bool is_unchanged(const decoder *d, const ls_ir_operand *o, last_writer product) {
    if (o->kind != LS_IR_REG) return true;
    const last_writer w = d->writers[o->reg];
    if (product.by->block == d->instr->block) return w.at < product.at;
    return d->assignments[o->reg] == 1 && w.by && w.at < product.at &&
           ls_ir_dominates(w.by->block, product.by->block);
}

/* The product in this operand, where it is one that is read here alone, and its factors are still there; or
 * NULL. */
static const ls_ir_instr *product_in(const decoder *d, const ls_ir_operand *o) {
    const ls_ir_instr *in = d->instr;
    if (o->kind != LS_IR_REG || d->assignments[o->reg] != 1 || d->reads[o->reg] != 1) return NULL;
    const last_writer w = d->writers[o->reg];
    return w.by && w.by->op == LS_OP_MUL && w.by->guard.kind != LS_IR_REG &&
                   is_free(w.by, (ls_ptx_type)ls_ptx_form_type(in->form, 0),
                           ls_ptx_form_has(in->form, LS_MOD_FTZ)) &&
                   ls_ir_dominates(w.by->block, in->block) && is_unchanged(d, &w.by->src[0], w) &&
                   is_unchanged(d, &w.by->src[1], w)
               ? w.by
               : NULL;
}

static operand negated(decoder *d, operand of, bool wide) {
    const operand to = {em_new_slot(d, of.width), of.width};
    em_emit_lane(d, wide ? LANE_NEG_F64 : LANE_NEG_F32, to.slot, of.slot, of.slot, 0);
    return to;
}

bool em_decode_contracted(decoder *d) {
    const ls_ir_instr *in = d->instr;
    const ls_ptx_type type = (ls_ptx_type)ls_ptx_form_type(in->form, 0);
    const bool ftz = ls_ptx_form_has(in->form, LS_MOD_FTZ), wide = type == LS_TYPE_F64;
    if ((in->op != LS_OP_ADD && in->op != LS_OP_SUB) || (type != LS_TYPE_F32 && !wide)) return false;
    if (!is_free(in, type, ftz)) return false;
    uint32_t k = 0;
    const ls_ir_instr *product = product_in(d, &in->src[k]);
    if (!product) product = product_in(d, &in->src[k = 1]);
    if (!product) return false;
    const uint8_t width = wide ? 8 : 4;
    operand a = em_source(d, &product->src[0], width), b = em_source(d, &product->src[1], width);
    operand c = em_source(d, &in->src[!k], width);
    if (in->op == LS_OP_SUB && k) a = negated(d, a, wide);
    if (in->op == LS_OP_SUB && !k) c = negated(d, c, wide);
    operand r = em_dst(d, &in->dst[0], width);
    em_emit_lane(d,
                 wide  ? LANE_FMA_F64
                 : ftz ? LANE_FMA_FTZ_F32
                       : LANE_FMA_F32,
                 r.slot, a.slot, b.slot, c.slot);
    em_finish_dst(d, &in->dst[0], r);
    return true;
}
