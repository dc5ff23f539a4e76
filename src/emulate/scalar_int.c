/* Integer, logic, shift, comparison and selection instructions that have no vector form: one function takes
 * the operands of one lane. Types are in the alu record, so one function serves all widths. */
#include "emulate/scalar.h"
#include "isa/number.h"

static uint32_t bits_of(const alu *x) {
    return ls_ptx_type_bits(x->type[0]);
}
static int64_t sx(const alu *x, uint64_t v) {
    return em_sign_extend(v, bits_of(x));
}
static uint64_t cut(const alu *x, uint64_t v) {
    return em_low_bits(v, bits_of(x));
}
static bool is_signed(const alu *x) {
    return em_is_signed(x->type[0]);
}

/* Saturation to the range of s32. */
static uint64_t saturate32(int64_t v) {
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

uint64_t em_add(const alu *x, const uint64_t *s, uint64_t *carry) {
    if (x->sat) return saturate32(sx(x, s[0]) + sx(x, s[1]));
    unsigned __int128 sum =
        (unsigned __int128)cut(x, s[0]) + cut(x, s[1]) + (x->src_count > 2 ? s[2] & 1 : 0);
    *carry = (uint64_t)(sum >> bits_of(x)) & 1;
    return cut(x, (uint64_t)sum);
}

/* The carry of a subtraction is set where nothing was borrowed, as the hardware has it. */
uint64_t em_sub(const alu *x, const uint64_t *s, uint64_t *carry) {
    if (x->sat) return saturate32(sx(x, s[0]) - sx(x, s[1]));
    uint64_t in = x->src_count > 2 ? s[2] & 1 : 1;
    unsigned __int128 sum = (unsigned __int128)cut(x, s[0]) + cut(x, ~s[1]) + in;
    *carry = (uint64_t)(sum >> bits_of(x)) & 1;
    return cut(x, (uint64_t)sum);
}

static unsigned __int128 product(const alu *x, const uint64_t *s) {
    if (is_signed(x)) return (unsigned __int128)((__int128)sx(x, s[0]) * sx(x, s[1]));
    return (unsigned __int128)cut(x, s[0]) * cut(x, s[1]);
}

uint64_t em_mul(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    unsigned __int128 p = product(x, s);
    if (x->wide) return em_low_bits((uint64_t)p, 2 * bits_of(x));
    return cut(x, (uint64_t)(x->hi ? p >> bits_of(x) : p));
}

uint64_t em_mad(const alu *x, const uint64_t *s, uint64_t *carry) {
    unsigned __int128 p = product(x, s);
    uint32_t bits = x->wide ? 2 * bits_of(x) : bits_of(x);
    uint64_t part = em_low_bits((uint64_t)(x->hi ? p >> bits_of(x) : p), bits);
    if (x->sat) return saturate32((int64_t)em_sign_extend(part, 32) + em_sign_extend(s[2], 32));
    unsigned __int128 sum =
        (unsigned __int128)part + em_low_bits(s[2], bits) + (x->src_count > 3 ? s[3] & 1 : 0);
    *carry = (uint64_t)(sum >> bits) & 1;
    return em_low_bits((uint64_t)sum, bits);
}

static unsigned __int128 product24(const alu *x, const uint64_t *s) {
    if (is_signed(x))
        return (unsigned __int128)((__int128)em_sign_extend(s[0], 24) * em_sign_extend(s[1], 24));
    return (unsigned __int128)(s[0] & 0xffffff) * (s[1] & 0xffffff);
}

uint64_t em_mul24(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    unsigned __int128 p = product24(x, s);
    return (uint32_t)(x->hi ? p >> 16 : p);
}

uint64_t em_mad24(const alu *x, const uint64_t *s, uint64_t *carry) {
    uint64_t part = em_mul24(x, s, carry);
    if (x->sat) return saturate32(em_sign_extend(part, 32) + em_sign_extend(s[2], 32));
    return (uint32_t)(part + s[2]);
}

uint64_t em_sad(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]), b = cut(x, s[1]);
    bool less = is_signed(x) ? sx(x, a) < sx(x, b) : a < b;
    return cut(x, s[2] + (less ? b - a : a - b));
}

uint64_t em_div(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]), b = cut(x, s[1]);
    if (!b) return cut(x, UINT64_MAX);
    if (!is_signed(x)) return a / b;
    return cut(x, sx(x, b) == -1 ? 0 - a : (uint64_t)(sx(x, a) / sx(x, b)));
}

uint64_t em_rem(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]), b = cut(x, s[1]);
    if (!b) return cut(x, UINT64_MAX);
    if (!is_signed(x)) return a % b;
    return cut(x, sx(x, b) == -1 ? 0 : (uint64_t)(sx(x, a) % sx(x, b)));
}

uint64_t em_abs(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return cut(x, sx(x, s[0]) < 0 ? 0 - s[0] : s[0]);
}

uint64_t em_neg(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return cut(x, 0 - s[0]);
}

/* min, max, with .relu; x->hi: max. Packed halves are done one after the other. */
static uint64_t choose(const alu *x, uint64_t a, uint64_t b, uint32_t bits, bool is_signed_type) {
    bool less = is_signed_type ? em_sign_extend(a, bits) < em_sign_extend(b, bits)
                               : em_low_bits(a, bits) < em_low_bits(b, bits);
    uint64_t r = em_low_bits(less != x->hi ? a : b, bits);
    return x->relu && em_sign_extend(r, bits) < 0 ? 0 : r;
}

uint64_t em_minmax(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    ls_ptx_type t = x->type[0];
    if (t == LS_TYPE_U16X2 || t == LS_TYPE_S16X2) {
        bool is_signed_half = t == LS_TYPE_S16X2;
        return choose(x, s[0], s[1], 16, is_signed_half) |
               choose(x, s[0] >> 16, s[1] >> 16, 16, is_signed_half) << 16;
    }
    return choose(x, s[0], s[1], bits_of(x), is_signed(x));
}

uint64_t em_add_packed(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry, (void)x;
    return ((s[0] + s[1]) & 0xffff) | ((((s[0] >> 16) + (s[1] >> 16)) & 0xffff) << 16);
}

uint64_t em_popc(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return (uint64_t)__builtin_popcountll(cut(x, s[0]));
}

uint64_t em_clz(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]);
    return a ? (uint64_t)__builtin_clzll(a) - (64 - bits_of(x)) : bits_of(x);
}

uint64_t em_bfind(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, is_signed(x) && sx(x, s[0]) < 0 ? ~s[0] : s[0]);
    if (!a) return 0xffffffff;
    uint32_t position = 63 - (uint32_t)__builtin_clzll(a);
    return x->shiftamt ? bits_of(x) - 1 - position : position;
}

uint64_t em_fns(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry, (void)x;
    uint32_t mask = (uint32_t)s[0], base = (uint32_t)s[1];
    int32_t offset = (int32_t)s[2];
    if (base > 31) return 0xffffffff;
    if (offset == 0) return mask >> base & 1 ? base : 0xffffffff;
    int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset - 1 : -offset - 1;
    for (int pos = (int)base; pos >= 0 && pos < 32; pos += step)
        if (mask >> pos & 1 && left-- == 0) return (uint64_t)pos;
    return 0xffffffff;
}

uint64_t em_brev(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t r = 0;
    for (uint32_t k = 0; k < bits_of(x); k++) r |= (s[0] >> k & 1) << (bits_of(x) - 1 - k);
    return r;
}

/* Position or length of a bit field: 8 bits of the operand; of 64-bit fields all of it, as measured on a GPU.
 */
static uint32_t field(const alu *x, uint64_t v) {
    if (bits_of(x) != 64) return v & 0xff;
    return (uint32_t)v > 255 ? 255 : (uint32_t)v;
}

uint64_t em_bfe(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint32_t bits = bits_of(x), pos = field(x, s[1]), len = field(x, s[2]);
    uint64_t a = cut(x, s[0]), r = 0;
    uint64_t sign = 0;
    if (is_signed(x) && len) {
        uint32_t last = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
        sign = a >> last & 1;
    }
    for (uint32_t k = 0; k < bits; k++) {
        uint64_t bit = k < len && pos + k < bits ? a >> (pos + k) & 1 : sign;
        r |= bit << k;
    }
    return r;
}

uint64_t em_bfi(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint32_t pos = field(x, s[2]), len = field(x, s[3]);
    uint64_t r = cut(x, s[1]);
    for (uint32_t k = 0; k < len && pos + k < bits_of(x); k++) {
        r &= ~(UINT64_C(1) << (pos + k));
        r |= (s[0] >> k & 1) << (pos + k);
    }
    return r;
}

uint64_t em_szext(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t n = s[1] & 0xffffffff;
    if (x->mode == LS_MOD_WRAP) n &= 31;
    if (n > 31) return (uint32_t)s[0];
    if (n == 0) return 0;
    return (uint32_t)(is_signed(x) ? (uint64_t)em_sign_extend(s[0], (uint32_t)n)
                                   : em_low_bits(s[0], (uint32_t)n));
}

uint64_t em_bmsk(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t from = s[0] & 0xffffffff, width = s[1] & 0xffffffff;
    if (x->mode == LS_MOD_WRAP) from &= 31, width &= 31;
    uint64_t ones = width >= 32 ? 0xffffffff : (UINT64_C(1) << width) - 1;
    return from >= 32 ? 0 : (uint32_t)(ones << from);
}

static int64_t byte_of(uint64_t v, uint32_t k, bool is_signed_byte) {
    uint64_t b = v >> (8 * k) & 0xff;
    return is_signed_byte ? (int8_t)b : (int64_t)b;
}

uint64_t em_dp4a(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    int64_t sum = (int64_t)s[2];
    bool sa = em_is_signed(x->type[0]), sb = em_is_signed(x->type[1]);
    for (uint32_t k = 0; k < 4; k++) sum += byte_of(s[0], k, sa) * byte_of(s[1], k, sb);
    return (uint32_t)sum;
}

uint64_t em_dp2a(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    int64_t sum = (int64_t)s[2];
    bool sa = em_is_signed(x->type[0]), sb = em_is_signed(x->type[1]);
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t half = s[0] >> (16 * k) & 0xffff;
        sum += (sa ? (int64_t)(int16_t)half : (int64_t)half) * byte_of(s[1], k + (x->hi ? 2 : 0), sb);
    }
    return (uint32_t)sum;
}

/* --- Logic --- */
uint64_t em_cnot(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return cut(x, s[0]) == 0;
}

uint64_t em_lop3(const alu *x, const uint64_t *s, uint64_t *second) {
    uint32_t r = 0, a = (uint32_t)s[0], b = (uint32_t)s[1], c = (uint32_t)s[2], table = (uint32_t)s[3];
    for (uint32_t k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    bool q = s[4] & 1, any = r != 0;
    *second = x->mode == LS_MOD_AND ? any && q : any || q;
    return r;
}

uint64_t em_shf(const alu *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t both = (s[1] & 0xffffffff) << 32 | (s[0] & 0xffffffff);
    uint32_t n = (uint32_t)s[2];
    n = x->mode == LS_MOD_WRAP ? n & 31 : n > 32 ? 32 : n;
    return (uint32_t)(x->hi ? (both << n) >> 32 : both >> n); /* hi: to the left */
}

uint64_t em_prmt(const alu *x, const uint64_t *s, uint64_t *carry) {
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

static double flushed(const alu *x, ls_ptx_type type, uint64_t bits) {
    double v = em_small_to_double(type, bits);
    bool tiny = type == LS_TYPE_F32 ? v > -0x1p-126 && v < 0x1p-126 : v > -0x1p-14 && v < 0x1p-14;
    return x->ftz && tiny && type != LS_TYPE_F64 ? 0.0 : v;
}

bool em_compare(const alu *x, ls_ptx_type type, uint64_t a, uint64_t b) {
    uint32_t bits = ls_ptx_type_bits(type);
    if (em_is_float(type)) return compare_float(x->compare, flushed(x, type, a), flushed(x, type, b));
    if (em_is_signed(type))
        return compare_int(x->compare, (uint64_t)em_sign_extend(a, bits), (uint64_t)em_sign_extend(b, bits),
                           true);
    return compare_int(x->compare, em_low_bits(a, bits), em_low_bits(b, bits), false);
}

static bool combined(const alu *x, bool r, uint64_t c) {
    switch (x->mode) {
    case LS_MOD_AND: return r && c & 1;
    case LS_MOD_OR: return r || c & 1;
    case LS_MOD_XOR: return r != (c & 1);
    default: return r;
    }
}

uint64_t em_setp(const alu *x, const uint64_t *s, uint64_t *second) {
    bool r = em_compare(x, x->type[0], s[0], s[1]);
    *second = combined(x, !r, s[2]);
    return combined(x, r, s[2]);
}

/* Two comparisons of packed halves. */
uint64_t em_setp_packed(const alu *x, const uint64_t *s, uint64_t *second) {
    ls_ptx_type half = x->type[0] == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
    *second = combined(x, em_compare(x, half, s[0] >> 16, s[1] >> 16), s[2]);
    return combined(x, em_compare(x, half, s[0] & 0xffff, s[1] & 0xffff), s[2]);
}

static uint64_t truth(ls_ptx_type type, bool r) {
    if (!r) return 0;
    if (type == LS_TYPE_F32) return 0x3f800000;
    if (type == LS_TYPE_F16) return 0x3c00;
    if (type == LS_TYPE_BF16) return 0x3f80;
    return em_low_bits(UINT64_MAX, ls_ptx_type_bits(type));
}

uint64_t em_set(const alu *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    ls_ptx_type to = x->type[0], of = x->type[1];
    if (of == LS_TYPE_F16X2 || of == LS_TYPE_BF16X2) {
        ls_ptx_type half = of == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
        ls_ptx_type as = to == of ? half : LS_TYPE_U16;
        bool low = combined(x, em_compare(x, half, s[0] & 0xffff, s[1] & 0xffff), s[2]);
        bool high = combined(x, em_compare(x, half, s[0] >> 16, s[1] >> 16), s[2]);
        return truth(as, low) | truth(as, high) << 16;
    }
    return truth(to, combined(x, em_compare(x, of, s[0], s[1]), s[2]));
}

uint64_t em_slct(const alu *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    bool first = x->type[1] == LS_TYPE_F32 ? flushed(x, LS_TYPE_F32, s[2]) >= 0 : (int32_t)s[2] >= 0;
    return cut(x, first ? s[0] : s[1]);
}

uint64_t em_select(const alu *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    return cut(x, s[2] & 1 ? s[0] : s[1]);
}

uint64_t em_move(const alu *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    return em_low_bits(s[0], x->dst_bits);
}

uint64_t em_isspacep(const alu *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    uint64_t window = s[0] & WINDOW_MASK;
    switch (x->mode) {
    case LS_SPACE_SHARED:
    case LS_SPACE_SHARED_CLUSTER: return window == WINDOW_SHARED;
    case LS_SPACE_LOCAL: return window == WINDOW_LOCAL;
    case LS_SPACE_PARAM: return window == WINDOW_PARAM;
    case LS_SPACE_GLOBAL: return window == 0;
    default: return 0;
    }
}

/* --- Video: four bytes or two halves at once, without selectors --- */
static int64_t part(uint64_t v, uint32_t k, uint32_t bits, bool signed_part) {
    uint64_t p = em_low_bits(v >> (bits * k), bits);
    return signed_part ? em_sign_extend(p, bits) : (int64_t)p;
}

static int64_t video(uint16_t op, int64_t a, int64_t b) {
    switch (op) {
    case LS_OP_VADD2:
    case LS_OP_VADD4: return a + b;
    case LS_OP_VSUB2:
    case LS_OP_VSUB4: return a - b;
    case LS_OP_VAVRG2:
    case LS_OP_VAVRG4: return (a + b + (a + b >= 0)) >> 1;
    case LS_OP_VABSDIFF2:
    case LS_OP_VABSDIFF4: return a > b ? a - b : b - a;
    case LS_OP_VMIN2:
    case LS_OP_VMIN4: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

uint64_t em_video(const alu *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    uint32_t bits = x->table, n = 32 / bits;
    bool dst_signed = em_is_signed(x->type[0]);
    uint64_t r = 0;
    int64_t sum = (int64_t)(int32_t)s[2];
    for (uint32_t k = 0; k < n; k++) {
        int64_t v = video((uint16_t)x->compare, part(s[0], k, bits, em_is_signed(x->type[1])),
                          part(s[1], k, bits, em_is_signed(x->type[2])));
        int64_t low = dst_signed ? -(INT64_C(1) << (bits - 1)) : 0;
        int64_t high = dst_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
        if (x->sat) v = v < low ? low : v > high ? high : v;
        if (x->mode == LS_MOD_ADD)
            sum += v;
        else
            r |= em_low_bits((uint64_t)v, bits) << (bits * k);
    }
    return x->mode == LS_MOD_ADD ? (uint32_t)sum : r;
}
