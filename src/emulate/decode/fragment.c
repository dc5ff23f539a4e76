/* Decoding of matrix instructions: shape, types and registers of each fragment. A table says which shapes
 * there are for which element type; block-scaled forms are not modelled. */
#include "emulate/matrix/fragment.h"
#include "emulate/decode/decode.h"
#include "isa/matrix.h"
#include "isa/number.h"

/* --- Shapes --- */
enum { MMA = 1, WMMA = 2, SPARSE = 4 };

static const struct {
    uint8_t type;
    ls_matrix_shape of;
    uint8_t where;
} shapes[] = {
    {LS_TYPE_F16, {8, 8, 4}, MMA},        {LS_TYPE_F16, {16, 8, 8}, MMA},
    {LS_TYPE_F16, {16, 8, 16}, MMA},      {LS_TYPE_BF16, {16, 8, 8}, MMA},
    {LS_TYPE_BF16, {16, 8, 16}, MMA},     {LS_TYPE_TF32, {16, 8, 4}, MMA},
    {LS_TYPE_TF32, {16, 8, 8}, MMA},      {LS_TYPE_F64, {16, 8, 4}, MMA},
    {LS_TYPE_F64, {16, 8, 8}, MMA},       {LS_TYPE_F64, {16, 8, 16}, MMA},
    {LS_TYPE_E4M3, {16, 8, 16}, MMA},     {LS_TYPE_E5M2, {16, 8, 16}, MMA},
    {LS_TYPE_E4M3, {16, 8, 32}, MMA},     {LS_TYPE_E5M2, {16, 8, 32}, MMA},
    {LS_TYPE_S8, {8, 8, 16}, MMA},        {LS_TYPE_S8, {16, 8, 16}, MMA},
    {LS_TYPE_S8, {16, 8, 32}, MMA},       {LS_TYPE_S4, {16, 8, 32}, MMA},
    {LS_TYPE_S4, {16, 8, 64}, MMA},       {LS_TYPE_B1, {16, 8, 128}, MMA},
    {LS_TYPE_B1, {16, 8, 256}, MMA},      {LS_TYPE_F64, {8, 8, 4}, MMA | WMMA},
    {LS_TYPE_S4, {8, 8, 32}, MMA | WMMA}, {LS_TYPE_B1, {8, 8, 128}, MMA | WMMA},
    {LS_TYPE_F16, {16, 16, 16}, WMMA},    {LS_TYPE_F16, {32, 8, 16}, WMMA},
    {LS_TYPE_F16, {8, 32, 16}, WMMA},     {LS_TYPE_BF16, {16, 16, 16}, WMMA},
    {LS_TYPE_BF16, {32, 8, 16}, WMMA},    {LS_TYPE_BF16, {8, 32, 16}, WMMA},
    {LS_TYPE_TF32, {16, 16, 8}, WMMA},    {LS_TYPE_S8, {16, 16, 16}, WMMA},
    {LS_TYPE_S8, {32, 8, 16}, WMMA},      {LS_TYPE_S8, {8, 32, 16}, WMMA},
    {LS_TYPE_F16, {16, 8, 16}, SPARSE},   {LS_TYPE_F16, {16, 8, 32}, SPARSE},
    {LS_TYPE_BF16, {16, 8, 16}, SPARSE},  {LS_TYPE_BF16, {16, 8, 32}, SPARSE},
    {LS_TYPE_TF32, {16, 8, 8}, SPARSE},   {LS_TYPE_TF32, {16, 8, 16}, SPARSE},
    {LS_TYPE_S8, {16, 8, 32}, SPARSE},    {LS_TYPE_S8, {16, 8, 64}, SPARSE},
    {LS_TYPE_S4, {16, 8, 64}, SPARSE},    {LS_TYPE_S4, {16, 8, 128}, SPARSE},
    {LS_TYPE_E4M3, {16, 8, 64}, SPARSE},  {LS_TYPE_E5M2, {16, 8, 64}, SPARSE},
};

static ls_ptx_type as_signed(ls_ptx_type t) {
    return t == LS_TYPE_U8 ? LS_TYPE_S8 : t == LS_TYPE_U4 ? LS_TYPE_S4 : t;
}

/* NONE: any element type, as wmma's C and D do not say it. */
static bool has_shape(ls_ptx_type type, const ls_matrix_shape *s, uint8_t where) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if ((type == LS_TYPE_NONE || shapes[k].type == as_signed(type)) && shapes[k].where & where &&
            shapes[k].of.m == s->m && shapes[k].of.n == s->n && shapes[k].of.k == s->k)
            return true;
    return false;
}

static bool has_text(const ls_ptx_form *form, const char *text) {
    size_t n = strlen(text);
    for (uint32_t k = 0; k < form->modifier_count; k++) {
        const char *t = form->modifier_texts[k];
        if (!strncmp(t, text, n) && (!t[n] || t[n] == '.')) return true;
    }
    return false;
}

/* --- Fragments --- */
static fragment new_fragment(ls_matrix_role role, ls_ptx_type type, const ls_matrix_shape *s) {
    return (fragment){.of = ls_fragment_of(role, type, *s)};
}

/* Takes the registers of one operand of the instruction; false where there are not as many as there must be.
 */
static bool take_registers(decoder *d, fragment *f, const ls_ir_operand *ops, uint32_t count, bool is_dst,
                           uint32_t want) {
    if (count != want || count > MATRIX_MAX_REGISTERS) return false;
    for (uint32_t k = 0; k < count; k++) {
        uint8_t width = f->of.bits > 32 ? 8 : 4;
        if (!is_dst)
            f->value[k] = em_source(d, &ops[k], width);
        else if (ops[k].kind == LS_IR_REG)
            f->value[k] = em_register(d, ops[k].reg);
        else
            f->value[k] = (operand){em_new_slot(d, width), width};
        if (f->value[k].width != width) return false;
    }
    f->of.registers = (uint8_t)count;
    return true;
}

static uint32_t registers_of(const fragment *f, bool wmma) {
    if (wmma && f->of.type == LS_TYPE_F16 && f->of.role != LS_MATRIX_C) return 8;
    if (f->of.quads) return f->of.role == LS_MATRIX_C ? 8u / f->of.per : 2;
    return (uint32_t)f->of.rows * f->of.columns / 32 / f->of.per;
}

const ls_ir_operand *em_operand_group(const ls_ir_instr *in, uint32_t n, uint32_t *count) {
    const ls_ir_operand *first = NULL;
    *count = 0;
    for (uint32_t k = 0; k < in->src_count; k++) {
        if (in->src[k].operand != n) continue;
        if (!first) first = &in->src[k];
        ++*count;
    }
    return first;
}

/* --- mma, wmma.mma --- */
static bool plain_form(const ls_ptx_form *form) {
    static const uint16_t others[] = {LS_MOD_BLOCK_SCALE, LS_MOD_KIND_F8F6F4, LS_MOD_KIND_MXF8F6F4,
                                      LS_MOD_KIND_MXF4, LS_MOD_KIND_MXF4NVF4};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)others[k])) return false;
    return true;
}

static bool good_types(const product_info *x) {
    ls_ptx_type a = as_signed((ls_ptx_type)x->a.of.type), b = as_signed((ls_ptx_type)x->b.of.type);
    bool eight = (a == LS_TYPE_E4M3 || a == LS_TYPE_E5M2) && (b == LS_TYPE_E4M3 || b == LS_TYPE_E5M2);
    if (a != b && !eight) return false;
    static const struct {
        uint8_t factor, sum;
    } sums[] = {{LS_TYPE_F16, LS_TYPE_F16},  {LS_TYPE_F16, LS_TYPE_F32},  {LS_TYPE_BF16, LS_TYPE_F32},
                {LS_TYPE_TF32, LS_TYPE_F32}, {LS_TYPE_F64, LS_TYPE_F64},  {LS_TYPE_E4M3, LS_TYPE_F32},
                {LS_TYPE_E4M3, LS_TYPE_F16}, {LS_TYPE_E5M2, LS_TYPE_F32}, {LS_TYPE_E5M2, LS_TYPE_F16},
                {LS_TYPE_S8, LS_TYPE_S32},   {LS_TYPE_S4, LS_TYPE_S32},   {LS_TYPE_B1, LS_TYPE_S32}};
    bool c = false, d = false;
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        c |= sums[k].factor == a && sums[k].sum == x->c.of.type;
        d |= sums[k].factor == a && sums[k].sum == x->d.of.type;
    }
    return c && d;
}

bool em_take_metadata(decoder *d, product_info *m, uint32_t n) {
    uint32_t count, one;
    const ls_ir_operand *metadata = em_operand_group(d->instr, n, &count);
    const ls_ir_operand *selector = em_operand_group(d->instr, n + 1, &one);
    if (count != 1 || one != 1 || selector->kind != LS_IR_IMM) return false;
    /* A constant has the type of the result where the form does not say another. */
    uint64_t number = selector->type == LS_TYPE_F32 ? (uint64_t)em_f32(selector->bits) : selector->bits;
    m->metadata = em_source(d, metadata, 4);
    m->selector = (uint8_t)number;
    return number < 16 / em_sparse_nibbles(m);
}

static bool decode_mma(decoder *d, bool wmma) {
    const ls_ir_instr *in = d->instr;
    const ls_ptx_form *form = in->form;
    ls_matrix_shape s;
    if (!plain_form(form) || !ls_matrix_shape_of(form, &s)) return false;
    bool short_form = form->type_count == 2; /* wmma.mma of f16: D and C */
    ls_ptx_type t[4];
    for (uint32_t k = 0; k < 4; k++)
        t[k] = !short_form        ? ls_ptx_form_type(form, k)
               : k == 0 || k == 3 ? ls_ptx_form_type(form, k == 3)
                                  : LS_TYPE_F16;
    product_info *x = LS_NEW(d->arena, product_info);
    x->sparse = ls_ptx_form_has(form, LS_MOD_SP) || ls_ptx_form_has(form, LS_MOD_SP_ORDERED);
    if (!has_shape(t[1], &s, wmma ? WMMA : x->sparse ? SPARSE : MMA)) return false;
    x->m = s.m, x->n = s.n, x->k = s.k;
    x->step = wmma && t[1] == LS_TYPE_TF32 ? 4 : 16;
    x->d = new_fragment(LS_MATRIX_C, t[0], &s);
    x->a =
        new_fragment(LS_MATRIX_A, t[1], &(ls_matrix_shape){s.m, s.n, (uint16_t)(x->sparse ? s.k / 2 : s.k)});
    x->b = new_fragment(LS_MATRIX_B, t[2], &s);
    x->c = new_fragment(LS_MATRIX_C, t[3], &s);
    if (!good_types(x)) return false;
    x->saturate = ls_ptx_form_has(form, LS_MOD_SATFINITE);
    x->bit_op = ls_ptx_form_has(form, LS_MOD_AND) ? LS_MOD_AND : LS_MOD_XOR;
    if (x->sparse && !em_take_metadata(d, x, 4)) return false;
    if (t[1] == LS_TYPE_F16 && s.k == 4) x->a.of.quads = x->b.of.quads = x->c.of.quads = x->d.of.quads = true;
    x->a.of.column_major = ls_matrix_is_column_major(form, 0);
    x->b.of.column_major = ls_matrix_is_column_major(form, 1);
    fragment *f[] = {&x->a, &x->b, &x->c};
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t count;
        const ls_ir_operand *ops = em_operand_group(in, k + 1, &count);
        if (!take_registers(d, f[k], ops, count, false, registers_of(f[k], wmma))) return false;
    }
    if (!take_registers(d, &x->d, in->dst, in->dst_count, true, registers_of(&x->d, wmma))) return false;
    em_plan_floats(d->arena, x);
    em_emit(d, em_exec_product)->extra = x;
    return true;
}

/* --- ldmatrix, stmatrix, movmatrix --- */
static bool decode_move(decoder *d) {
    const ls_ir_instr *in = d->instr;
    bool load = in->op == LS_OP_LDMATRIX;
    uint32_t count = ls_matrix_count_of(in->form);
    uint32_t values = load ? in->dst_count : in->src_count - 1u;
    if (!has_text(in->form, "m8n8") || ls_ptx_form_type(in->form, 0) != LS_TYPE_B16) return false;
    if ((count != 1 && count != 2 && count != 4) || !in->src_count || values != count) return false;
    matrix_move *x = LS_NEW(d->arena, matrix_move);
    x->count = count;
    x->transposed = ls_ptx_form_has(in->form, LS_MOD_TRANS);
    fragment f = {.of.bits = 32};
    if (!take_registers(d, &f, load ? in->dst : in->src + 1, count, load, count)) return false;
    memcpy(x->value, f.value, sizeof x->value);
    x->access = em_new_access(d, &in->src[0], 4, 4);
    x->access->write = !load;
    for (uint32_t k = 0; k < 4; k++) {
        x->access->value[k] = (operand){em_new_slot(d, 4), 4};
        x->access->dst_bits[k] = 32;
    }
    em_emit(d, load ? em_exec_matrix_load : em_exec_matrix_store)->extra = x;
    return true;
}

static bool decode_movmatrix(decoder *d) {
    const ls_ir_instr *in = d->instr;
    fragment to = {.of.bits = 32}, from = {.of.bits = 32};
    if (!has_text(in->form, "m8n8") || !ls_ptx_form_has(in->form, LS_MOD_TRANS)) return false;
    if (!take_registers(d, &from, in->src, in->src_count, false, 1)) return false;
    if (!take_registers(d, &to, in->dst, in->dst_count, true, 1)) return false;
    matrix_move *x = LS_NEW(d->arena, matrix_move);
    x->count = 1;
    x->value[0] = to.value[0];
    x->value[1] = from.value[0];
    em_emit(d, em_exec_matrix_move)->extra = x;
    return true;
}

/* --- wmma.load, wmma.store --- */
static bool decode_wmma_move(decoder *d) {
    const ls_ir_instr *in = d->instr;
    const ls_ptx_form *form = in->form;
    bool load = in->op == LS_OP_WMMA_LOAD;
    ls_ptx_type type = ls_ptx_form_type(form, 0);
    ls_matrix_shape s;
    ls_matrix_role role = ls_wmma_role_of(form);
    if (!ls_matrix_shape_of(form, &s) || !has_shape(role == LS_MATRIX_C ? LS_TYPE_NONE : type, &s, WMMA))
        return false;
    ls_wmma_move move;
    if (!in->src_count || !ls_wmma_move_of(form, &move)) return false;
    wmma_move *x = LS_NEW(d->arena, wmma_move);
    x->f.of = move.fragment;
    x->move = move;
    x->watched = d->e->watched ? in->ast : NULL;
    uint32_t count = in->dst_count, stride = 1;
    const ls_ir_operand *ops = in->dst;
    if (!load) {
        ops = em_operand_group(in, 1, &count);
        stride = 1 + count;
    }
    if (!take_registers(d, &x->f, ops, count, load, registers_of(&x->f, true))) return false;
    x->stride.width = 255;
    if (in->src_count > stride) x->stride = em_source(d, &in->src[stride], 4);
    uint8_t width = x->f.of.bits > 32 ? 8 : 4, words = x->move.piece > x->f.of.per ? 2 : 1;
    x->access = em_new_access(d, &in->src[0], (uint8_t)(x->move.piece * x->f.of.bits / 8 / words), words);
    x->access->write = !load;
    x->base = (operand){x->access->address, x->access->address_width};
    x->offset = x->access->offset;
    x->access->address = em_new_slot(d, 8);
    x->access->address_width = 8;
    x->access->offset = 0;
    for (uint32_t k = 0; k < words; k++) {
        x->access->value[k] = (operand){em_new_slot(d, width), width};
        x->access->dst_bits[k] = (uint8_t)(8 * width);
    }
    em_emit(d, load ? em_exec_wmma_load : em_exec_wmma_store)->extra = x;
    return true;
}

bool em_decode_fragment(decoder *d) {
    if (d->instr->unknown) return false;
    switch (d->instr->op) {
    case LS_OP_MMA: return decode_mma(d, false);
    case LS_OP_WMMA_MMA: return decode_mma(d, true);
    case LS_OP_LDMATRIX:
    case LS_OP_STMATRIX: return decode_move(d);
    case LS_OP_MOVMATRIX: return decode_movmatrix(d);
    case LS_OP_WMMA_LOAD:
    case LS_OP_WMMA_STORE: return decode_wmma_move(d);
    default: return false;
    }
}
