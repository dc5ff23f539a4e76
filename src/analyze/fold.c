/* Exact evaluation of integer instructions on known numbers (PTX ISA 9.7.1, 9.7.6–9.7.9), as the machine
 * computes them: one small function an opcode, in a table. Constants in the polynomial domain and exact lane
 * vectors go through here. */
#include "analyze/fold.h"

#include <string.h>

typedef struct {
    const ls_ir_instr *instr;
    const ls_ptx_form *form;
    uint32_t bits;  /* width of the first type */
    bool is_signed; /* … and whether it is a signed one */
    uint64_t u[6];  /* sources, cut to their width */
    int64_t s[6];   /* sources, sign-extended from it */
} operands;

typedef bool (*folder)(const operands *o, uint64_t *out);

static uint64_t mask_of(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool has(const operands *o, ls_ptx_modifier modifier) {
    return ls_ptx_form_has(o->form, modifier);
}

static bool fold_add(const operands *o, uint64_t *out) {
    *out = o->u[0] + o->u[1];
    return true;
}
static bool fold_sub(const operands *o, uint64_t *out) {
    *out = o->u[0] - o->u[1];
    return true;
}
static bool product(const operands *o, uint64_t *out) {
    if (has(o, LS_MOD_WIDE)) {
        *out = o->is_signed ? (uint64_t)(o->s[0] * o->s[1]) : o->u[0] * o->u[1];
        return true;
    }
    if (!has(o, LS_MOD_HI)) {
        *out = o->u[0] * o->u[1];
        return true;
    }
    if (o->is_signed)
        *out = (uint64_t)((__int128)o->s[0] * o->s[1] >> o->bits);
    else
        *out = (uint64_t)((unsigned __int128)o->u[0] * o->u[1] >> o->bits);
    return true;
}
static bool fold_mul(const operands *o, uint64_t *out) {
    return product(o, out);
}
static bool fold_mad(const operands *o, uint64_t *out) {
    if (!product(o, out)) return false;
    *out += (uint64_t)o->s[2];
    return true;
}
static bool fold_mul24(const operands *o, uint64_t *out) {
    int64_t a = (int64_t)(o->u[0] << 40) >> 40, b = (int64_t)(o->u[1] << 40) >> 40;
    uint64_t whole = o->is_signed ? (uint64_t)(a * b) : (o->u[0] & 0xffffff) * (o->u[1] & 0xffffff);
    *out = has(o, LS_MOD_HI) ? whole >> 16 : whole;
    return true;
}
static bool fold_mad24(const operands *o, uint64_t *out) {
    fold_mul24(o, out);
    *out += o->u[2];
    return true;
}
static bool fold_div(const operands *o, uint64_t *out) {
    if (!o->u[1] || (o->is_signed && o->s[1] == -1)) return *out = 0 - o->u[0], o->u[1] != 0;
    *out = o->is_signed ? (uint64_t)(o->s[0] / o->s[1]) : o->u[0] / o->u[1];
    return true;
}
static bool fold_rem(const operands *o, uint64_t *out) {
    if (!o->u[1]) return false;
    if (o->is_signed && o->s[1] == -1) return *out = 0, true;
    *out = o->is_signed ? (uint64_t)(o->s[0] % o->s[1]) : o->u[0] % o->u[1];
    return true;
}
static bool fold_abs(const operands *o, uint64_t *out) {
    *out = o->s[0] < 0 ? 0 - (uint64_t)o->s[0] : (uint64_t)o->s[0];
    return true;
}
static bool fold_neg(const operands *o, uint64_t *out) {
    *out = 0 - o->u[0];
    return true;
}
static bool less(const operands *o, uint32_t a, uint32_t b) {
    return o->is_signed ? o->s[a] < o->s[b] : o->u[a] < o->u[b];
}
static bool fold_min(const operands *o, uint64_t *out) {
    *out = less(o, 0, 1) ? o->u[0] : o->u[1];
    return true;
}
static bool fold_max(const operands *o, uint64_t *out) {
    *out = less(o, 0, 1) ? o->u[1] : o->u[0];
    return true;
}
static bool fold_sad(const operands *o, uint64_t *out) {
    *out = o->u[2] + (less(o, 0, 1) ? o->u[1] - o->u[0] : o->u[0] - o->u[1]);
    return true;
}
static bool fold_popc(const operands *o, uint64_t *out) {
    *out = (uint64_t)__builtin_popcountll(o->u[0]);
    return true;
}
static bool fold_clz(const operands *o, uint64_t *out) {
    *out = o->u[0] ? (uint64_t)__builtin_clzll(o->u[0]) - (64 - o->bits) : o->bits;
    return true;
}
static bool fold_brev(const operands *o, uint64_t *out) {
    *out = 0;
    for (uint32_t i = 0; i < o->bits; i++) *out |= (o->u[0] >> i & 1) << (o->bits - 1 - i);
    return true;
}
static bool fold_bfe(const operands *o, uint64_t *out) {
    uint64_t position = o->u[1] & 255, length = o->u[2] & 255;
    if (!length) return *out = 0, true;
    uint64_t sign_at = position + length - 1 < o->bits - 1 ? position + length - 1 : o->bits - 1;
    uint64_t sign = o->is_signed ? o->u[0] >> sign_at & 1 : 0;
    *out = 0;
    for (uint32_t i = 0; i < o->bits; i++) {
        bool inside = i < length && position + i < o->bits;
        *out |= (inside ? o->u[0] >> (position + i) & 1 : sign) << i;
    }
    return true;
}
static bool fold_bfi(const operands *o, uint64_t *out) {
    uint64_t position = o->u[2] & 255, length = o->u[3] & 255;
    *out = o->u[1];
    for (uint32_t i = 0; i < length && position + i < o->bits; i++) {
        uint64_t bit = (uint64_t)1 << (position + i);
        *out = (o->u[0] >> i & 1) ? *out | bit : *out & ~bit;
    }
    return true;
}
static bool fold_and(const operands *o, uint64_t *out) {
    *out = o->u[0] & o->u[1];
    return true;
}
static bool fold_or(const operands *o, uint64_t *out) {
    *out = o->u[0] | o->u[1];
    return true;
}
static bool fold_xor(const operands *o, uint64_t *out) {
    *out = o->u[0] ^ o->u[1];
    return true;
}
static bool fold_not(const operands *o, uint64_t *out) {
    *out = ~o->u[0];
    return true;
}
static bool fold_cnot(const operands *o, uint64_t *out) {
    *out = !o->u[0];
    return true;
}
static bool fold_lop3(const operands *o, uint64_t *out) {
    if (o->instr->src_count != 4 || o->instr->dst_count != 1) return false;
    *out = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t index = (o->u[0] >> i & 1) << 2 | (o->u[1] >> i & 1) << 1 | (o->u[2] >> i & 1);
        *out |= (o->u[3] >> index & 1) << i;
    }
    return true;
}
static bool fold_shl(const operands *o, uint64_t *out) {
    *out = o->u[1] >= o->bits ? 0 : o->u[0] << o->u[1];
    return true;
}
static bool fold_shr(const operands *o, uint64_t *out) {
    uint64_t by = o->u[1] >= o->bits ? o->bits - 1 : o->u[1];
    if (o->is_signed)
        *out = (uint64_t)(o->s[0] >> by);
    else
        *out = o->u[1] >= o->bits ? 0 : o->u[0] >> by;
    return true;
}
static bool fold_shf(const operands *o, uint64_t *out) {
    uint64_t pair = o->u[1] << 32 | o->u[0];
    uint64_t by = has(o, LS_MOD_WRAP) ? (o->u[2] & 31) : (o->u[2] < 32 ? o->u[2] : 32);
    *out = has(o, LS_MOD_L) ? (pair << by) >> 32 : pair >> by;
    return true;
}
static bool fold_move(const operands *o, uint64_t *out) {
    if (o->instr->src_count != 1 || o->instr->dst_count != 1) return false;
    *out = (uint64_t)o->s[0];
    return true;
}
static bool fold_cvt(const operands *o, uint64_t *out) {
    ls_ptx_type from = ls_ptx_form_type(o->form, 1);
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(from);
    if (o->instr->src_count != 1 || has(o, LS_MOD_SAT)) return false;
    if (kind != LS_KIND_SIGNED && kind != LS_KIND_UNSIGNED && kind != LS_KIND_BITS) return false;
    *out = kind == LS_KIND_SIGNED ? (uint64_t)o->s[0] : o->u[0];
    return true;
}
static bool fold_selp(const operands *o, uint64_t *out) {
    *out = o->u[2] & 1 ? o->u[0] : o->u[1];
    return true;
}
static bool compare(const operands *o, bool *out) {
    bool lt = less(o, 0, 1), eq = o->u[0] == o->u[1];
    switch (o->form->compare) {
    case LS_MOD_EQ: *out = eq; return true;
    case LS_MOD_NE: *out = !eq; return true;
    case LS_MOD_LT: *out = lt; return true;
    case LS_MOD_LE: *out = lt || eq; return true;
    case LS_MOD_GT: *out = !lt && !eq; return true;
    case LS_MOD_GE: *out = !lt; return true;
    case LS_MOD_LO: *out = o->u[0] < o->u[1]; return true;
    case LS_MOD_LS: *out = o->u[0] <= o->u[1]; return true;
    case LS_MOD_HI: *out = o->u[0] > o->u[1]; return true;
    case LS_MOD_HS: *out = o->u[0] >= o->u[1]; return true;
    default: return false;
    }
}
static bool fold_setp(const operands *o, uint64_t *out) {
    bool truth;
    if (o->instr->src_count != 2 || o->instr->dst_count != 1 || !compare(o, &truth)) return false;
    *out = truth;
    return true;
}

static const folder folders[LS_OP_COUNT] = {
    [LS_OP_ADD] = fold_add,   [LS_OP_SUB] = fold_sub,     [LS_OP_MUL] = fold_mul,
    [LS_OP_MAD] = fold_mad,   [LS_OP_MUL24] = fold_mul24, [LS_OP_MAD24] = fold_mad24,
    [LS_OP_DIV] = fold_div,   [LS_OP_REM] = fold_rem,     [LS_OP_ABS] = fold_abs,
    [LS_OP_NEG] = fold_neg,   [LS_OP_MIN] = fold_min,     [LS_OP_MAX] = fold_max,
    [LS_OP_SAD] = fold_sad,   [LS_OP_POPC] = fold_popc,   [LS_OP_CLZ] = fold_clz,
    [LS_OP_BREV] = fold_brev, [LS_OP_BFE] = fold_bfe,     [LS_OP_BFI] = fold_bfi,
    [LS_OP_AND] = fold_and,   [LS_OP_OR] = fold_or,       [LS_OP_XOR] = fold_xor,
    [LS_OP_NOT] = fold_not,   [LS_OP_CNOT] = fold_cnot,   [LS_OP_LOP3] = fold_lop3,
    [LS_OP_SHL] = fold_shl,   [LS_OP_SHR] = fold_shr,     [LS_OP_SHF] = fold_shf,
    [LS_OP_MOV] = fold_move,  [LS_OP_CVTA] = fold_move,   [LS_OP_CVT] = fold_cvt,
    [LS_OP_SELP] = fold_selp, [LS_OP_SETP] = fold_setp,
};

static bool integer_kind(ls_ptx_type type) {
    ls_ptx_type_kind kind = ls_ptx_type_kind_of(type);
    return kind == LS_KIND_SIGNED || kind == LS_KIND_UNSIGNED || kind == LS_KIND_BITS ||
           kind == LS_KIND_PREDICATE;
}

/* Packed types have several numbers in one. */
static bool scalar_width(uint32_t bits) {
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool ls_fold_knows(const ls_ir_instr *instr) {
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    if (instr->unknown || !folders[instr->op] || instr->src_count > 6 || !instr->dst_count) return false;
    if (type == LS_TYPE_U16X2 || type == LS_TYPE_S16X2 || type == LS_TYPE_U8X4 || type == LS_TYPE_S8X4)
        return false;
    bool moves = instr->op == LS_OP_MOV || instr->op == LS_OP_SELP;
    if (!moves && !integer_kind(type)) return false;
    if (ls_ptx_form_has(instr->form, LS_MOD_SAT) || ls_ptx_form_has(instr->form, LS_MOD_CC) ||
        ls_ptx_form_has(instr->form, LS_MOD_RELU))
        return false;
    if (!scalar_width(ls_ptx_type_bits(type))) return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (instr->src[i].role != LS_ROLE_DATA || (instr->src[i].flags & LS_OPERAND_MINUS)) return false;
    return true;
}

bool ls_fold(const ls_ir_instr *instr, const int64_t *sources, int64_t *result) {
    if (!ls_fold_knows(instr)) return false;
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    operands o = {.instr = instr,
                  .form = instr->form,
                  .bits = ls_ptx_type_bits(type),
                  .is_signed = ls_ptx_type_kind_of(type) == LS_KIND_SIGNED};
    for (uint32_t i = 0; i < instr->src_count; i++) {
        uint32_t width = ls_ptx_type_bits(instr->src[i].type);
        if (!width) width = 64;
        o.u[i] = (uint64_t)sources[i] & mask_of(width);
        if (instr->src[i].flags & LS_OPERAND_NOT) o.u[i] ^= 1;
        o.s[i] = ls_canonical(o.u[i], width);
    }
    uint64_t bits;
    if (!folders[instr->op](&o, &bits)) return false;
    *result = ls_canonical(bits, ls_ptx_type_bits(instr->dst[0].type));
    return true;
}
