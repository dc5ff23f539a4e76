/* Logic, funnel shifts, permutations of bytes, comparison and selection, of one lane. */
#include "isa/functions.h"
#include "isa/number.h"

/* --- Logic and shifts --- */
static uint32_t bits_of(const ls_isa *x) {
    return ls_ptx_type_bits((ls_ptx_type)x->type[0]);
}
static uint64_t cut(const ls_isa *x, uint64_t v) {
    return em_low_bits(v, bits_of(x));
}

/* and, or, xor, not: of predicates, too. */
uint64_t isa_bits(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)more;
    switch (x->op) {
    case LS_OP_AND: return cut(x, s[0] & s[1]);
    case LS_OP_OR: return cut(x, s[0] | s[1]);
    case LS_OP_XOR: return cut(x, s[0] ^ s[1]);
    default: return cut(x, ~s[0]);
    }
}

/* The amount is 32 bits wide; more than the width shifts everything out. */
uint64_t isa_shl(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)more;
    uint32_t n = (uint32_t)s[1];
    return n >= bits_of(x) ? 0 : cut(x, s[0] << n);
}

uint64_t isa_shr(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)more;
    uint32_t n = (uint32_t)s[1], bits = bits_of(x);
    if (!em_is_signed((ls_ptx_type)x->type[0])) return n >= bits ? 0 : cut(x, s[0]) >> n;
    return cut(x, (uint64_t)(em_sign_extend(s[0], bits) >> (n >= bits ? bits - 1 : n)));
}

uint64_t isa_cnot(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return cut(x, s[0]) == 0;
}

uint64_t isa_lop3(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    uint32_t r = 0, a = (uint32_t)s[0], b = (uint32_t)s[1], c = (uint32_t)s[2], table = (uint32_t)s[3];
    for (uint32_t k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    bool q = s[4] & 1, any = r != 0;
    *second = x->mode == LS_MOD_AND ? any && q : any || q;
    return r;
}

uint64_t isa_shf(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t both = (s[1] & 0xffffffff) << 32 | (s[0] & 0xffffffff);
    uint32_t n = (uint32_t)s[2];
    n = x->mode == LS_MOD_WRAP ? n & 31 : n > 32 ? 32 : n;
    return (uint32_t)(x->left ? (both << n) >> 32 : both >> n);
}

uint64_t isa_prmt(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t both = (s[1] & 0xffffffff) << 32 | (s[0] & 0xffffffff);
    uint32_t c = (uint32_t)s[2], n = c & 3, r = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t pick = c >> (4 * k) & 0xf;
        switch (x->mode) {
        case LS_MOD_F4E: pick = (n + k) & 7; break;
        case LS_MOD_B4E: pick = (n - k) & 7; break;
        case LS_MOD_RC8: pick = n; break;
        case LS_MOD_ECL: pick = k > n ? k : n; break;
        case LS_MOD_ECR: pick = k < n ? k : n; break;
        case LS_MOD_RC16: pick = (n & 1) * 2 + (k & 1); break;
        default: break;
        }
        uint32_t byte = (uint32_t)(both >> (8 * (pick & 7))) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * k);
    }
    return r;
}

/* --- Comparison and selection --- */
static bool compare_float(uint16_t how, double a, double b) {
    bool unordered = a != a || b != b;
    switch (how) {
    case LS_MOD_EQ: return a == b;
    case LS_MOD_NE: return !unordered && a != b;
    case LS_MOD_LT: return a < b;
    case LS_MOD_LE: return a <= b;
    case LS_MOD_GT: return a > b;
    case LS_MOD_GE: return a >= b;
    case LS_MOD_EQU: return unordered || a == b;
    case LS_MOD_NEU: return unordered || a != b;
    case LS_MOD_LTU: return unordered || a < b;
    case LS_MOD_LEU: return unordered || a <= b;
    case LS_MOD_GTU: return unordered || a > b;
    case LS_MOD_GEU: return unordered || a >= b;
    case LS_MOD_NUM: return !unordered;
    default: return unordered; /* nan */
    }
}

static bool compare_int(uint16_t how, uint64_t a, uint64_t b, bool signed_type) {
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (how) {
    case LS_MOD_EQ: return a == b;
    case LS_MOD_NE: return a != b;
    case LS_MOD_LT: return signed_type ? x < y : a < b;
    case LS_MOD_LE: return signed_type ? x <= y : a <= b;
    case LS_MOD_GT: return signed_type ? x > y : a > b;
    case LS_MOD_GE: return signed_type ? x >= y : a >= b;
    case LS_MOD_LO: return a < b;
    case LS_MOD_LS: return a <= b;
    case LS_MOD_HI: return a > b;
    default: return a >= b; /* hs */
    }
}

static double flushed(const ls_isa *x, ls_ptx_type type, uint64_t bits) {
    double v = em_small_to_double(type, bits);
    bool tiny = type == LS_TYPE_F32 ? v > -0x1p-126 && v < 0x1p-126 : v > -0x1p-14 && v < 0x1p-14;
    return x->ftz && tiny && type != LS_TYPE_F64 ? 0.0 : v;
}

static bool compared(const ls_isa *x, ls_ptx_type type, uint64_t a, uint64_t b) {
    uint32_t bits = ls_ptx_type_bits(type);
    if (em_is_float(type)) return compare_float(x->compare, flushed(x, type, a), flushed(x, type, b));
    if (em_is_signed(type))
        return compare_int(x->compare, (uint64_t)em_sign_extend(a, bits), (uint64_t)em_sign_extend(b, bits),
                           true);
    return compare_int(x->compare, em_low_bits(a, bits), em_low_bits(b, bits), false);
}

static bool combined(const ls_isa *x, bool r, uint64_t c) {
    switch (x->mode) {
    case LS_MOD_AND: return r && c & 1;
    case LS_MOD_OR: return r || c & 1;
    case LS_MOD_XOR: return r != (c & 1);
    default: return r;
    }
}

uint64_t isa_setp(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    bool r = compared(x, x->type[0], s[0], s[1]);
    *second = combined(x, !r, s[2]);
    return combined(x, r, s[2]);
}

/* Two comparisons of packed halves. */
uint64_t isa_setp_packed(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    ls_ptx_type half = x->type[0] == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
    *second = combined(x, compared(x, half, s[0] >> 16, s[1] >> 16), s[2]);
    return combined(x, compared(x, half, s[0] & 0xffff, s[1] & 0xffff), s[2]);
}

static uint64_t truth(ls_ptx_type type, bool r) {
    if (!r) return 0;
    if (type == LS_TYPE_F32) return 0x3f800000;
    if (type == LS_TYPE_F16) return 0x3c00;
    if (type == LS_TYPE_BF16) return 0x3f80;
    return em_low_bits(UINT64_MAX, ls_ptx_type_bits(type));
}

uint64_t isa_set(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    ls_ptx_type to = x->type[0], of = x->type[1];
    if (of == LS_TYPE_F16X2 || of == LS_TYPE_BF16X2) {
        ls_ptx_type half = of == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
        ls_ptx_type as = to == of ? half : LS_TYPE_U16;
        bool low = combined(x, compared(x, half, s[0] & 0xffff, s[1] & 0xffff), s[2]);
        bool high = combined(x, compared(x, half, s[0] >> 16, s[1] >> 16), s[2]);
        return truth(as, low) | truth(as, high) << 16;
    }
    return truth(to, combined(x, compared(x, of, s[0], s[1]), s[2]));
}

uint64_t isa_slct(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    bool first = x->type[1] == LS_TYPE_F32 ? flushed(x, LS_TYPE_F32, s[2]) >= 0 : (int32_t)s[2] >= 0;
    return cut(x, first ? s[0] : s[1]);
}

uint64_t isa_select(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    return cut(x, s[2] & 1 ? s[0] : s[1]);
}

uint64_t isa_move(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    return em_low_bits(s[0], x->dst_bits);
}

/* Parts into one register, and out of one, lowest first. */
uint64_t isa_pack(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)more;
    uint32_t bits = bits_of(x) / x->src_count;
    uint64_t whole = 0;
    for (uint32_t k = 0; k < x->src_count; k++) whole |= em_low_bits(s[k], bits) << (k * bits);
    return whole;
}

uint64_t isa_unpack(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    uint32_t bits = bits_of(x) / x->dst_count;
    for (uint32_t k = 1; k < x->dst_count; k++) more[k - 1] = em_low_bits(s[0] >> (k * bits), bits);
    return em_low_bits(s[0], bits);
}
