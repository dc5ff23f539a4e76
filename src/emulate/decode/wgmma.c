/* Decoding of wgmma. Its products are done where they are started. */
#include "emulate/matrix/wgmma.h"
#include "emulate/check/unit_registers.h"
#include "emulate/decode/decode.h"

#include <stdio.h>

static const struct {
    uint8_t factor, sum;
    uint16_t k;
} forms[] = {{LS_TYPE_F16, LS_TYPE_F32, 16},  {LS_TYPE_F16, LS_TYPE_F16, 16},
             {LS_TYPE_BF16, LS_TYPE_F32, 16}, {LS_TYPE_TF32, LS_TYPE_F32, 8},
             {LS_TYPE_E4M3, LS_TYPE_F32, 32}, {LS_TYPE_E4M3, LS_TYPE_F16, 32},
             {LS_TYPE_E5M2, LS_TYPE_F32, 32}, {LS_TYPE_E5M2, LS_TYPE_F16, 32},
             {LS_TYPE_S8, LS_TYPE_S32, 32},   {LS_TYPE_U8, LS_TYPE_S32, 32}};

static bool has_form(ls_ptx_type factor, ls_ptx_type sum, uint32_t k) {
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
        if (forms[n].factor == factor && forms[n].sum == sum && forms[n].k == k) return true;
    return false;
}

static bool shape_of(const ls_ptx_form *form, uint32_t *n, uint32_t *k) {
    for (uint32_t i = 0; i < form->modifier_count; i++)
        if (form->modifiers[i] == LS_MOD_SHAPE && sscanf(form->modifier_texts[i], "m64n%uk%u", n, k) == 2)
            return *n >= 8 && *n <= WGMMA_MAX_N && *n % 8 == 0;
    return false;
}

static fragment element(ls_ptx_type type) {
    fragment f = {.of.type = (uint8_t)type, .of.bits = (uint8_t)ls_ptx_type_bits(type)};
    if (type == LS_TYPE_TF32) f.of.bits = 32;
    f.of.per = (uint8_t)(32 / f.of.bits);
    return f;
}

/* A constant operand; `otherwise` where there is none. */
static int64_t constant_at(const ls_ir_instr *in, uint32_t n, int64_t otherwise) {
    uint32_t count;
    const ls_ir_operand *o = em_operand_group(in, n, &count);
    return o && o->kind == LS_IR_IMM ? (int64_t)(int32_t)o->bits : otherwise;
}

static bool decode_a(decoder *d, wgmma_info *x) {
    uint32_t count;
    const ls_ir_operand *o = em_operand_group(d->instr, 1, &count);
    if (!o) return false;
    x->a_in_registers = count > 1;
    if (count == 1) {
        x->a.descriptor = em_source(d, o, 8);
        return true;
    }
    fragment *f = &x->product.a;
    f->of.role = LS_MATRIX_A;
    f->of.rows = WGMMA_ROWS, f->of.columns = (uint16_t)x->inner_a;
    f->of.registers = (uint8_t)(f->of.rows * f->of.columns / 32 / f->of.per);
    if (count != f->of.registers || count > MATRIX_MAX_REGISTERS) return false;
    for (uint32_t k = 0; k < count; k++) f->value[k] = em_source(d, &o[k], 4);
    return true;
}

/* scale-d, the signs of A and B (floats), and which of them do not run along k (16 bits). */
static bool decode_scales(decoder *d, wgmma_info *x) {
    const ls_ir_instr *in = d->instr;
    uint32_t first = x->product.sparse ? 5 : 3, count, next = first + (x->a_in_registers ? 4 : 5);
    const ls_ir_operand *scale = em_operand_group(in, first, &count);
    if (!scale) return false;
    x->accumulate = em_source(d, scale, WIDTH_PRED);
    x->a.negated = constant_at(in, first + 1, 1) < 0;
    x->b.negated = constant_at(in, first + 2, 1) < 0;
    x->b.along_k = !constant_at(in, next - 1, 0);
    x->a.along_k = x->a_in_registers || !constant_at(in, next - 2, 0);
    return true;
}

static bool decode_product(decoder *d) {
    const ls_ir_instr *in = d->instr;
    uint32_t n, k, count;
    if (in->unknown || !shape_of(in->form, &n, &k)) return false;
    wgmma_info *x = LS_NEW(d->arena, wgmma_info);
    product_info *m = &x->product;
    ls_ptx_type sum = ls_ptx_form_type(in->form, 0);
    m->d = m->c = element(sum);
    m->a = element(ls_ptx_form_type(in->form, 1));
    m->b = element(ls_ptx_form_type(in->form, 2));
    m->m = 64, m->n = (uint16_t)n, m->k = m->step = (uint16_t)k;
    m->wide = true;
    if (m->a.of.bits == 8) m->fraction = 13;
    m->saturate = ls_ptx_form_has(in->form, LS_MOD_SATFINITE);
    m->sparse = ls_ptx_form_has(in->form, LS_MOD_SP);
    x->inner_a = m->sparse ? k / 2 : k;
    if (!has_form((ls_ptx_type)m->a.of.type, sum, x->inner_a) ||
        !has_form((ls_ptx_type)m->b.of.type, sum, x->inner_a))
        return false;
    if (m->sparse && !em_take_metadata(d, m, 3)) return false;
    const ls_ir_operand *b = em_operand_group(in, 2, &count);
    x->registers = n / 2 / m->d.of.per;
    if (!b || count != 1 || in->dst_count != x->registers || !decode_a(d, x) || !decode_scales(d, x))
        return false;
    x->b.descriptor = em_source(d, b, 8);
    x->d = LS_NEW_N(d->arena, operand, x->registers);
    for (uint32_t r = 0; r < x->registers; r++) {
        if (in->dst[r].kind != LS_IR_REG) return false;
        x->d[r] = em_register(d, in->dst[r].reg);
    }
    x->access = em_new_access(d, b, 8, 2);
    x->access->space = LS_SPACE_SHARED;
    x->access->opaque = x->access->async = true;
    d->e->agents = true;
    x->access->value[0] = x->access->value[1] = em_constant(d, 0, 8);
    x->units = d->touch;
    em_emit(d, em_exec_wgmma)->extra = x;
    return true;
}

bool em_decode_wgmma(decoder *d) {
    switch (d->instr->op) {
    case LS_OP_WGMMA_MMA_ASYNC: return decode_product(d);
    case LS_OP_WGMMA_FENCE: em_emit(d, em_exec_unit_fence); return true;
    case LS_OP_WGMMA_COMMIT_GROUP: em_emit(d, em_exec_wgmma_commit); return true;
    case LS_OP_WGMMA_WAIT_GROUP:
        em_emit(d, em_exec_wgmma_wait)->imm = constant_at(d->instr, 0, 0);
        return true;
    default: return false;
    }
}
