/* Which scalar function an instruction is, and the modifiers it looks at. */
#include "emulate/decode/decode.h"
#include "emulate/scalar.h"

typedef struct {
    uint16_t op;
    scalar_fn integer, real, half, packed; /* f32 and f64; f16 and bf16 (also x2); u16x2 and s16x2 */
} row;

static const row rows[] = {
    {LS_OP_ADD, em_add, em_float_binary, em_half, em_add_packed},
    {LS_OP_ADDC, em_add, NULL, NULL, NULL},
    {LS_OP_SUB, em_sub, em_float_binary, em_half, NULL},
    {LS_OP_SUBC, em_sub, NULL, NULL, NULL},
    {LS_OP_MUL, em_mul, em_float_binary, em_half, NULL},
    {LS_OP_MAD, em_mad, em_float_fma, em_half, NULL},
    {LS_OP_MADC, em_mad, NULL, NULL, NULL},
    {LS_OP_FMA, NULL, em_float_fma, em_half, NULL},
    {LS_OP_MUL24, em_mul24, NULL, NULL, NULL},
    {LS_OP_MAD24, em_mad24, NULL, NULL, NULL},
    {LS_OP_SAD, em_sad, NULL, NULL, NULL},
    {LS_OP_DIV, em_div, em_float_div, NULL, NULL},
    {LS_OP_REM, em_rem, NULL, NULL, NULL},
    {LS_OP_ABS, em_abs, em_float_minmax, em_half, NULL},
    {LS_OP_NEG, em_neg, em_float_minmax, em_half, NULL},
    {LS_OP_MIN, em_minmax, em_float_minmax, em_float_minmax, em_minmax},
    {LS_OP_MAX, em_minmax, em_float_minmax, em_float_minmax, em_minmax},
    {LS_OP_POPC, em_popc, NULL, NULL, NULL},
    {LS_OP_CLZ, em_clz, NULL, NULL, NULL},
    {LS_OP_BFIND, em_bfind, NULL, NULL, NULL},
    {LS_OP_FNS, em_fns, NULL, NULL, NULL},
    {LS_OP_BREV, em_brev, NULL, NULL, NULL},
    {LS_OP_BFE, em_bfe, NULL, NULL, NULL},
    {LS_OP_BFI, em_bfi, NULL, NULL, NULL},
    {LS_OP_SZEXT, em_szext, NULL, NULL, NULL},
    {LS_OP_BMSK, em_bmsk, NULL, NULL, NULL},
    {LS_OP_DP4A, em_dp4a, NULL, NULL, NULL},
    {LS_OP_DP2A, em_dp2a, NULL, NULL, NULL},
    {LS_OP_CNOT, em_cnot, NULL, NULL, NULL},
    {LS_OP_LOP3, em_lop3, NULL, NULL, NULL},
    {LS_OP_SHF, em_shf, NULL, NULL, NULL},
    {LS_OP_PRMT, em_prmt, NULL, NULL, NULL},
    {LS_OP_SETP, em_setp, em_setp, em_setp, NULL},
    {LS_OP_SET, em_set, em_set, em_set, NULL},
    {LS_OP_SLCT, em_slct, em_slct, em_slct, NULL},
    {LS_OP_SELP, em_select, em_select, em_select, NULL},
    {LS_OP_TESTP, NULL, em_testp, NULL, NULL},
    {LS_OP_COPYSIGN, NULL, em_copysign, NULL, NULL},
    {LS_OP_RCP, NULL, em_float_unary, NULL, NULL},
    {LS_OP_SQRT, NULL, em_float_unary, NULL, NULL},
    {LS_OP_RSQRT, NULL, em_float_unary, NULL, NULL},
    {LS_OP_SIN, NULL, em_float_unary, NULL, NULL},
    {LS_OP_COS, NULL, em_float_unary, NULL, NULL},
    {LS_OP_LG2, NULL, em_float_unary, NULL, NULL},
    {LS_OP_EX2, NULL, em_float_unary, em_half, NULL},
    {LS_OP_TANH, NULL, em_float_unary, em_half, NULL},
    {LS_OP_ISSPACEP, em_isspacep, em_isspacep, NULL, NULL},
    {LS_OP_VADD2, em_video, NULL, NULL, NULL},
    {LS_OP_VSUB2, em_video, NULL, NULL, NULL},
    {LS_OP_VAVRG2, em_video, NULL, NULL, NULL},
    {LS_OP_VABSDIFF2, em_video, NULL, NULL, NULL},
    {LS_OP_VMIN2, em_video, NULL, NULL, NULL},
    {LS_OP_VMAX2, em_video, NULL, NULL, NULL},
    {LS_OP_VADD4, em_video, NULL, NULL, NULL},
    {LS_OP_VSUB4, em_video, NULL, NULL, NULL},
    {LS_OP_VAVRG4, em_video, NULL, NULL, NULL},
    {LS_OP_VABSDIFF4, em_video, NULL, NULL, NULL},
    {LS_OP_VMIN4, em_video, NULL, NULL, NULL},
    {LS_OP_VMAX4, em_video, NULL, NULL, NULL},
};

static uint16_t mode_of(const ls_ptx_form *form) {
    static const uint16_t modes[] = {
        LS_MOD_AND,    LS_MOD_OR,         LS_MOD_XOR,    LS_MOD_WRAP,      LS_MOD_CLAMP, LS_MOD_F4E,
        LS_MOD_B4E,    LS_MOD_RC8,        LS_MOD_RC16,   LS_MOD_ECL,       LS_MOD_ECR,   LS_MOD_FINITE,
        LS_MOD_NUMBER, LS_MOD_NOTANUMBER, LS_MOD_NORMAL, LS_MOD_SUBNORMAL, LS_MOD_ADD,   LS_MOD_INFINITE};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)modes[i])) return modes[i];
    return LS_MOD_UNKNOWN;
}

static void fill(const ls_ptx_form *form, alu *x) {
    for (uint32_t i = 0; i < 4; i++) x->type[i] = (uint8_t)ls_ptx_form_type(form, i);
    x->round = form->round;
    x->compare = form->compare;
    x->mode = mode_of(form);
    x->ftz = ls_ptx_form_has(form, LS_MOD_FTZ);
    x->sat = ls_ptx_form_has(form, LS_MOD_SAT);
    x->satfinite = ls_ptx_form_has(form, LS_MOD_SATFINITE);
    x->approx = ls_ptx_form_has(form, LS_MOD_APPROX);
    x->full = ls_ptx_form_has(form, LS_MOD_FULL);
    x->hi = ls_ptx_form_has(form, LS_MOD_HI);
    x->wide = ls_ptx_form_has(form, LS_MOD_WIDE);
    x->relu = ls_ptx_form_has(form, LS_MOD_RELU);
    x->nan = ls_ptx_form_has(form, LS_MOD_NAN_RESULT);
    x->xorsign = ls_ptx_form_has(form, LS_MOD_XORSIGN);
    x->shiftamt = ls_ptx_form_has(form, LS_MOD_SHIFTAMT);
}

static bool is_half(ls_ptx_type t) {
    return t == LS_TYPE_F16 || t == LS_TYPE_F16X2 || t == LS_TYPE_BF16 || t == LS_TYPE_BF16X2;
}

static scalar_fn pick(const row *r, ls_ptx_type t) {
    if (is_half(t)) return r->half;
    if (t == LS_TYPE_F32 || t == LS_TYPE_F64) return r->real;
    if (t == LS_TYPE_U16X2 || t == LS_TYPE_S16X2) return r->packed;
    if (em_is_plain_integer(t)) return r->integer;
    return NULL;
}

bool em_is_plain_integer(ls_ptx_type t) {
    uint32_t bits = ls_ptx_type_bits(t);
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(t);
    return (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
           (kind == LS_KIND_UNSIGNED || kind == LS_KIND_SIGNED || kind == LS_KIND_BITS);
}

static void by_opcode(const ls_ir_instr *in, alu *x, scalar_fn fn) {
    switch (in->op) {
    case LS_OP_MAX: x->hi = true; break;
    case LS_OP_SHF: x->hi = ls_ptx_form_has(in->form, LS_MOD_L); break;
    case LS_OP_ISSPACEP: x->mode = (uint16_t)ls_ptx_form_space(in->form); break;
    default: break;
    }
    if (fn == em_float_binary || fn == em_half || fn == em_float_unary || fn == em_video ||
        fn == em_float_fma || fn == em_f32x2)
        x->compare = in->op;
    if (fn == em_video)
        x->table = in->op == LS_OP_VADD4 || in->op == LS_OP_VSUB4 || in->op == LS_OP_VAVRG4 ||
                           in->op == LS_OP_VABSDIFF4 || in->op == LS_OP_VMIN4 || in->op == LS_OP_VMAX4
                       ? 8
                       : 16;
}

/* abs and neg with .ftz, and f16 in general, are no bit operation: they are left to em_half; f32: */
static scalar_fn sign_function(const ls_ir_instr *in, alu *x) {
    x->compare = in->op;
    return em_float_sign;
}

scalar_fn em_find_scalar(const ls_ir_instr *in, alu *x) {
    if (in->unknown) return NULL;
    fill(in->form, x);
    ls_ptx_type t = ls_ptx_form_type(in->form, in->op == LS_OP_SET ? 1 : 0);
    if (in->op == LS_OP_ISSPACEP) t = LS_TYPE_B64;
    if (t == LS_TYPE_F32X2 &&
        (in->op == LS_OP_ADD || in->op == LS_OP_SUB || in->op == LS_OP_MUL || in->op == LS_OP_FMA)) {
        by_opcode(in, x, em_f32x2);
        return em_f32x2;
    }
    if ((in->op == LS_OP_ABS || in->op == LS_OP_NEG) && (t == LS_TYPE_F32 || t == LS_TYPE_F64))
        return sign_function(in, x);
    if (in->op == LS_OP_SETP && (t == LS_TYPE_F16X2 || t == LS_TYPE_BF16X2)) return em_setp_packed;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op != in->op) continue;
        scalar_fn fn = pick(&rows[i], t);
        if (in->op == LS_OP_DIV && fn == em_float_div && !x->approx && !x->full) fn = em_float_binary;
        if (fn) by_opcode(in, x, fn);
        return fn;
    }
    return NULL;
}
