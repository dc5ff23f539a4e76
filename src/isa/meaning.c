/* Which function an instruction is, and the modifiers it looks at. */
#include "isa/functions.h"
#include "isa/number.h"

typedef struct {
    ls_isa_fn integer, real, half, packed; /* f32 and f64; f16 and bf16 (also x2); u16x2 and s16x2 */
} row;

static const row rows[LS_OP_COUNT] = {
    [LS_OP_ADD] = {isa_add, isa_float_binary, isa_half, isa_add_packed},
    [LS_OP_ADDC] = {isa_add, NULL, NULL, NULL},
    [LS_OP_SUB] = {isa_sub, isa_float_binary, isa_half, NULL},
    [LS_OP_SUBC] = {isa_sub, NULL, NULL, NULL},
    [LS_OP_MUL] = {isa_mul, isa_float_binary, isa_half, NULL},
    [LS_OP_MAD] = {isa_mad, isa_float_fma, NULL, NULL},
    [LS_OP_MADC] = {isa_mad, NULL, NULL, NULL},
    [LS_OP_FMA] = {NULL, isa_float_fma, isa_half, NULL},
    [LS_OP_MUL24] = {isa_mul24, NULL, NULL, NULL},
    [LS_OP_MAD24] = {isa_mad24, NULL, NULL, NULL},
    [LS_OP_SAD] = {isa_sad, NULL, NULL, NULL},
    [LS_OP_DIV] = {isa_div, isa_float_div, NULL, NULL},
    [LS_OP_REM] = {isa_rem, NULL, NULL, NULL},
    [LS_OP_ABS] = {isa_abs, isa_float_minmax, isa_half, NULL},
    [LS_OP_NEG] = {isa_neg, isa_float_minmax, isa_half, NULL},
    [LS_OP_MIN] = {isa_minmax, isa_float_minmax, isa_float_minmax, isa_minmax},
    [LS_OP_MAX] = {isa_minmax, isa_float_minmax, isa_float_minmax, isa_minmax},
    [LS_OP_POPC] = {isa_popc, NULL, NULL, NULL},
    [LS_OP_CLZ] = {isa_clz, NULL, NULL, NULL},
    [LS_OP_BFIND] = {isa_bfind, NULL, NULL, NULL},
    [LS_OP_FNS] = {isa_fns, NULL, NULL, NULL},
    [LS_OP_BREV] = {isa_brev, NULL, NULL, NULL},
    [LS_OP_BFE] = {isa_bfe, NULL, NULL, NULL},
    [LS_OP_BFI] = {isa_bfi, NULL, NULL, NULL},
    [LS_OP_SZEXT] = {isa_szext, NULL, NULL, NULL},
    [LS_OP_BMSK] = {isa_bmsk, NULL, NULL, NULL},
    [LS_OP_DP4A] = {isa_dp4a, NULL, NULL, NULL},
    [LS_OP_DP2A] = {isa_dp2a, NULL, NULL, NULL},
    [LS_OP_AND] = {isa_bits, NULL, NULL, NULL},
    [LS_OP_OR] = {isa_bits, NULL, NULL, NULL},
    [LS_OP_XOR] = {isa_bits, NULL, NULL, NULL},
    [LS_OP_NOT] = {isa_bits, NULL, NULL, NULL},
    [LS_OP_SHL] = {isa_shl, NULL, NULL, NULL},
    [LS_OP_SHR] = {isa_shr, NULL, NULL, NULL},
    [LS_OP_CNOT] = {isa_cnot, NULL, NULL, NULL},
    [LS_OP_LOP3] = {isa_lop3, NULL, NULL, NULL},
    [LS_OP_SHF] = {isa_shf, NULL, NULL, NULL},
    [LS_OP_PRMT] = {isa_prmt, NULL, NULL, NULL},
    [LS_OP_SETP] = {isa_setp, isa_setp, isa_setp, NULL},
    [LS_OP_SET] = {isa_set, isa_set, isa_set, NULL},
    [LS_OP_SLCT] = {isa_slct, isa_slct, isa_slct, NULL},
    [LS_OP_SELP] = {isa_select, isa_select, isa_select, NULL},
    [LS_OP_TESTP] = {NULL, isa_testp, NULL, NULL},
    [LS_OP_COPYSIGN] = {NULL, isa_copysign, NULL, NULL},
    [LS_OP_RCP] = {NULL, isa_float_unary, NULL, NULL},
    [LS_OP_SQRT] = {NULL, isa_float_unary, NULL, NULL},
    [LS_OP_RSQRT] = {NULL, isa_float_unary, NULL, NULL},
    [LS_OP_SIN] = {NULL, isa_float_unary, NULL, NULL},
    [LS_OP_COS] = {NULL, isa_float_unary, NULL, NULL},
    [LS_OP_LG2] = {NULL, isa_float_unary, NULL, NULL},
    [LS_OP_EX2] = {NULL, isa_float_unary, isa_half, NULL},
    [LS_OP_TANH] = {NULL, isa_float_unary, isa_half, NULL},
};

/* Modifiers that say which of several functions an opcode computes; of two the one that comes first here. */
static const uint16_t modes[] = {
    LS_MOD_AND,    LS_MOD_OR,         LS_MOD_XOR,    LS_MOD_WRAP,      LS_MOD_CLAMP, LS_MOD_F4E,
    LS_MOD_B4E,    LS_MOD_RC8,        LS_MOD_RC16,   LS_MOD_ECL,       LS_MOD_ECR,   LS_MOD_FINITE,
    LS_MOD_NUMBER, LS_MOD_NOTANUMBER, LS_MOD_NORMAL, LS_MOD_SUBNORMAL, LS_MOD_ADD,   LS_MOD_INFINITE};

enum { MODES = sizeof modes / sizeof *modes };

static void take_modifier(ls_isa *x, uint16_t modifier, size_t *mode) {
    switch (modifier) {
    case LS_MOD_FTZ: x->ftz = true; return;
    case LS_MOD_SAT: x->sat = true; return;
    case LS_MOD_SATFINITE: x->satfinite = true; return;
    case LS_MOD_APPROX: x->approx = true; return;
    case LS_MOD_FULL: x->full = true; return;
    case LS_MOD_HI: x->hi = true; return;
    case LS_MOD_WIDE: x->wide = true; return;
    case LS_MOD_RELU: x->relu = true; return;
    case LS_MOD_NAN_RESULT: x->nan = true; return;
    case LS_MOD_XORSIGN: x->xorsign = true; return;
    case LS_MOD_SHIFTAMT: x->shiftamt = true; return;
    case LS_MOD_OOB: x->oob = true; return;
    case LS_MOD_L: x->left = true; return;
    default: break;
    }
    for (size_t i = 0; i < *mode; i++)
        if (modes[i] == modifier) *mode = i;
}

static void fill(const ls_isa_ask *ask, ls_isa *x) {
    const ls_ptx_form *form = ask->form;
    *x = (ls_isa){.op = (uint16_t)form->op,
                  .src_count = ask->src_count,
                  .dst_count = ask->dst_count,
                  .dst_bits = ask->dst_bits,
                  .round = form->round,
                  .compare = form->compare,
                  .mode = LS_MOD_UNKNOWN};
    for (uint32_t i = 0; i < 4; i++) x->type[i] = (uint8_t)ls_ptx_form_type(form, i);
    size_t mode = MODES;
    for (uint32_t i = 0; i < form->modifier_count; i++) take_modifier(x, (uint16_t)form->modifiers[i], &mode);
    if (mode < MODES) x->mode = modes[mode];
}

/* Modifiers that change what is computed in a way that no meaning here knows: .rs rounds by bits of another
 * operand, .scaled multiplies. */
static bool is_beyond(const ls_ptx_form *form) {
    static const uint16_t unknown[] = {LS_MOD_RS, LS_MOD_SCALED};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (ls_ptx_form_has(form, unknown[i])) return true;
    return false;
}

static bool is_half(ls_ptx_type t) {
    return t == LS_TYPE_F16 || t == LS_TYPE_F16X2 || t == LS_TYPE_BF16 || t == LS_TYPE_BF16X2;
}

static ls_isa_fn pick(const row *r, ls_ptx_type t) {
    if (is_half(t)) return r->half;
    if (t == LS_TYPE_F32 || t == LS_TYPE_F64) return r->real;
    if (t == LS_TYPE_U16X2 || t == LS_TYPE_S16X2) return r->packed;
    if (ls_isa_is_plain_integer(t)) return r->integer;
    return NULL;
}

bool ls_isa_is_plain_integer(ls_ptx_type t) {
    uint32_t bits = ls_ptx_type_bits(t);
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(t);
    return (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
           (kind == LS_KIND_UNSIGNED || kind == LS_KIND_SIGNED || kind == LS_KIND_BITS);
}

/* --- Instructions that types alone do not tell apart --- */
static bool is_pair(ls_ptx_type t) {
    return t == LS_TYPE_F16X2 || t == LS_TYPE_BF16X2 || t == LS_TYPE_E4M3X2 || t == LS_TYPE_E5M2X2 ||
           t == LS_TYPE_E2M1X2 || t == LS_TYPE_E2M3X2 || t == LS_TYPE_E3M2X2;
}

/* Scales, which are exponents, to and from the formats that have as many. */
static bool converts_scale(const ls_isa *x) {
    bool rounds = x->round == LS_MOD_RZ || x->round == LS_MOD_RP;
    if (x->type[1] == LS_TYPE_UE8M0X2) return x->type[0] == LS_TYPE_BF16X2 && x->src_count == 1;
    if (x->type[0] != LS_TYPE_UE8M0X2 || !rounds) return false;
    return x->type[1] == LS_TYPE_F32 ? x->src_count == 2 : x->type[1] == LS_TYPE_BF16X2 && x->src_count == 1;
}

static bool can_convert(ls_ptx_type t) {
    return ls_isa_is_plain_integer(t) || t == LS_TYPE_F64 || em_format_of(t) != NULL;
}

static ls_isa_fn find_cvt(const ls_isa *x) {
    ls_ptx_type to = (ls_ptx_type)x->type[0], from = (ls_ptx_type)x->type[1];
    if (x->dst_count != 1 || !x->src_count || x->src_count > 3 || x->round == LS_MOD_RS) return NULL;
    if (converts_scale(x)) return isa_cvt_pair;
    if (x->op == LS_OP_CVT_PACK) {
        const uint32_t bits = ls_ptx_type_bits(to);
        return bits <= 16 && (bits < 8 || can_convert(to)) && ls_isa_is_plain_integer(from) ? isa_cvt_pack
                                                                                            : NULL;
    }
    if (!can_convert(to) || !can_convert(from)) return NULL;
    if (is_pair(to)) return em_format_of(from) ? isa_cvt_pair : NULL;
    return x->src_count == 1 && !is_pair(from) ? isa_cvt : NULL;
}

static ls_isa_fn find_mov(const ls_isa *x) {
    bool parts = ls_ptx_type_bits((ls_ptx_type)x->type[0]) <= 64;
    if (x->src_count == 1 && x->dst_count == 1) return isa_move;
    if (x->src_count > 1 && x->dst_count == 1 && parts) return isa_pack;
    return x->src_count == 1 && x->dst_count > 1 && x->dst_count <= 4 && parts ? isa_unpack : NULL;
}

/* Of the second type are one or two operands of half precision. */
static bool is_mixed(const ls_isa *x) {
    bool half = x->type[1] == LS_TYPE_F16 || x->type[1] == LS_TYPE_BF16;
    return x->type[0] == LS_TYPE_F32 && half && x->op != LS_OP_MUL;
}

/* Sums of integers saturate as s32 alone, and products of 64 bits are not doubled in width. */
static bool is_no_integer_form(const ls_isa *x, ls_ptx_type t) {
    const ls_isa_fn f = rows[x->op].integer;
    const bool sum = f == isa_add || f == isa_sub || f == isa_mad;
    return ls_isa_is_plain_integer(t) &&
           ((x->sat && sum && t != LS_TYPE_S32) || (x->wide && ls_ptx_type_bits(t) > 32));
}

static ls_isa_fn find(const ls_isa *x) {
    ls_ptx_type t = (ls_ptx_type)x->type[x->op == LS_OP_SET ? 1 : 0];
    bool real = t == LS_TYPE_F32 || t == LS_TYPE_F64;
    switch (x->op) {
    case LS_OP_CVT:
    case LS_OP_CVT_PACK: return find_cvt(x);
    case LS_OP_MOV: return find_mov(x);
    case LS_OP_ADD:
    case LS_OP_SUB:
    case LS_OP_MUL:
    case LS_OP_FMA:
        if (x->oob && (x->op != LS_OP_FMA || !is_half(t))) return NULL;
        if (t == LS_TYPE_F32X2) return isa_f32x2;
        if (x->type[1] != LS_TYPE_NONE) return is_mixed(x) ? isa_mixed : NULL;
        break;
    case LS_OP_ABS:
    case LS_OP_NEG:
        if (real) return isa_float_sign;
        break;
    case LS_OP_SETP:
        if (t == LS_TYPE_F16X2 || t == LS_TYPE_BF16X2) return isa_setp_packed;
        break;
    case LS_OP_DIV:
        if (real && !x->approx && !x->full) return isa_float_binary;
        break;
    default: break;
    }
    const row *r = &rows[x->op];
    if (is_no_integer_form(x, t)) return NULL;
    return t == LS_TYPE_PRED && r->integer == isa_bits ? isa_bits : pick(r, t);
}

bool ls_isa_find(const ls_isa_ask *ask, ls_isa *out) {
    const ls_ptx_opcode *opcode = ask->form->opcode;
    fill(ask, out);
    if (!opcode || ask->form->unknown_modifiers || ask->src_count > LS_ISA_SOURCES || is_beyond(ask->form))
        return false;
    if (opcode->class == LS_CLASS_VIDEO) {
        out->fn = isa_find_video(ask, out) ? isa_video : NULL;
        return out->fn != NULL;
    }
    out->fn = find(out);
    return out->fn != NULL;
}

bool ls_isa_is_exact(const ls_isa *x) {
    bool function = x->fn == isa_float_unary && x->op != LS_OP_SQRT && x->op != LS_OP_RCP;
    bool half_function = x->fn == isa_half && (x->op == LS_OP_EX2 || x->op == LS_OP_TANH);
    return !x->approx && !x->full && !function && !half_function;
}
