/* Integer arithmetic and bit fields: one function takes the operands of one lane. Types are in the record, so
 * one function serves all widths. */
#include "isa/functions.h"
#include "isa/number.h"

static uint32_t bits_of(const ls_isa *x) {
    return ls_ptx_type_bits(x->type[0]);
}
static int64_t sx(const ls_isa *x, uint64_t v) {
    return em_sign_extend(v, bits_of(x));
}
static uint64_t cut(const ls_isa *x, uint64_t v) {
    return em_low_bits(v, bits_of(x));
}
static bool is_signed(const ls_isa *x) {
    return em_is_signed(x->type[0]);
}

/* Saturation to the range of s32. */
static uint64_t saturate32(int64_t v) {
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

uint64_t isa_add(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    if (x->sat) return saturate32(sx(x, s[0]) + sx(x, s[1]));
    unsigned __int128 sum =
        (unsigned __int128)cut(x, s[0]) + cut(x, s[1]) + (x->src_count > 2 ? s[2] & 1 : 0);
    *carry = (uint64_t)(sum >> bits_of(x)) & 1;
    return cut(x, (uint64_t)sum);
}

/* The carry of a subtraction is set if nothing was borrowed, as the hardware does it. */
uint64_t isa_sub(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    if (x->sat) return saturate32(sx(x, s[0]) - sx(x, s[1]));
    uint64_t in = x->src_count > 2 ? s[2] & 1 : 1;
    unsigned __int128 sum = (unsigned __int128)cut(x, s[0]) + cut(x, ~s[1]) + in;
    *carry = (uint64_t)(sum >> bits_of(x)) & 1;
    return cut(x, (uint64_t)sum);
}

static unsigned __int128 product(const ls_isa *x, const uint64_t *s) {
    if (is_signed(x)) return (unsigned __int128)((__int128)sx(x, s[0]) * sx(x, s[1]));
    return (unsigned __int128)cut(x, s[0]) * cut(x, s[1]);
}

uint64_t isa_mul(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    unsigned __int128 p = product(x, s);
    if (x->wide) return em_low_bits((uint64_t)p, 2 * bits_of(x));
    return cut(x, (uint64_t)(x->hi ? p >> bits_of(x) : p));
}

uint64_t isa_mad(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    unsigned __int128 p = product(x, s);
    uint32_t bits = x->wide ? 2 * bits_of(x) : bits_of(x);
    uint64_t part = em_low_bits((uint64_t)(x->hi ? p >> bits_of(x) : p), bits);
    if (x->sat) return saturate32((int64_t)em_sign_extend(part, 32) + em_sign_extend(s[2], 32));
    unsigned __int128 sum =
        (unsigned __int128)part + em_low_bits(s[2], bits) + (x->src_count > 3 ? s[3] & 1 : 0);
    *carry = (uint64_t)(sum >> bits) & 1;
    return em_low_bits((uint64_t)sum, bits);
}

static unsigned __int128 product24(const ls_isa *x, const uint64_t *s) {
    if (is_signed(x))
        return (unsigned __int128)((__int128)em_sign_extend(s[0], 24) * em_sign_extend(s[1], 24));
    return (unsigned __int128)(s[0] & 0xffffff) * (s[1] & 0xffffff);
}

uint64_t isa_mul24(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    unsigned __int128 p = product24(x, s);
    return (uint32_t)(x->hi ? p >> 16 : p);
}

uint64_t isa_mad24(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    uint64_t part = isa_mul24(x, s, carry);
    if (x->sat) return saturate32(em_sign_extend(part, 32) + em_sign_extend(s[2], 32));
    return (uint32_t)(part + s[2]);
}

uint64_t isa_sad(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]), b = cut(x, s[1]);
    bool less = is_signed(x) ? sx(x, a) < sx(x, b) : a < b;
    return cut(x, s[2] + (less ? b - a : a - b));
}

uint64_t isa_div(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]), b = cut(x, s[1]);
    if (!b) return cut(x, UINT64_MAX);
    if (!is_signed(x)) return a / b;
    return cut(x, sx(x, b) == -1 ? 0 - a : (uint64_t)(sx(x, a) / sx(x, b)));
}

uint64_t isa_rem(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]), b = cut(x, s[1]);
    if (!b) return cut(x, UINT64_MAX);
    if (!is_signed(x)) return a % b;
    return cut(x, sx(x, b) == -1 ? 0 : (uint64_t)(sx(x, a) % sx(x, b)));
}

uint64_t isa_abs(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return cut(x, sx(x, s[0]) < 0 ? 0 - s[0] : s[0]);
}

uint64_t isa_neg(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return cut(x, 0 - s[0]);
}

/* min, max, with .relu. Packed halves are done one after the other. */
static uint64_t choose(const ls_isa *x, uint64_t a, uint64_t b, uint32_t bits, bool is_signed_type) {
    bool less = is_signed_type ? em_sign_extend(a, bits) < em_sign_extend(b, bits)
                               : em_low_bits(a, bits) < em_low_bits(b, bits);
    uint64_t r = em_low_bits(less != (x->op == LS_OP_MAX) ? a : b, bits);
    return x->relu && em_sign_extend(r, bits) < 0 ? 0 : r;
}

uint64_t isa_minmax(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    ls_ptx_type t = x->type[0];
    if (t == LS_TYPE_U16X2 || t == LS_TYPE_S16X2) {
        bool is_signed_half = t == LS_TYPE_S16X2;
        return choose(x, s[0], s[1], 16, is_signed_half) |
               choose(x, s[0] >> 16, s[1] >> 16, 16, is_signed_half) << 16;
    }
    return choose(x, s[0], s[1], bits_of(x), is_signed(x));
}

uint64_t isa_add_packed(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry, (void)x;
    return ((s[0] + s[1]) & 0xffff) | ((((s[0] >> 16) + (s[1] >> 16)) & 0xffff) << 16);
}

uint64_t isa_popc(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    return (uint64_t)__builtin_popcountll(cut(x, s[0]));
}

uint64_t isa_clz(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, s[0]);
    return a ? (uint64_t)__builtin_clzll(a) - (64 - bits_of(x)) : bits_of(x);
}

uint64_t isa_bfind(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t a = cut(x, is_signed(x) && sx(x, s[0]) < 0 ? ~s[0] : s[0]);
    if (!a) return 0xffffffff;
    uint32_t position = 63 - (uint32_t)__builtin_clzll(a);
    return x->shiftamt ? bits_of(x) - 1 - position : position;
}

uint64_t isa_fns(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
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

uint64_t isa_brev(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t r = 0;
    for (uint32_t k = 0; k < bits_of(x); k++) r |= (s[0] >> k & 1) << (bits_of(x) - 1 - k);
    return r;
}

/* Position or length of a bit field. The manual takes 8 bits of the operand; so does an H200 for 32-bit
 * fields, but of 64-bit fields all of it counts. */
static uint32_t field(const ls_isa *x, uint64_t v) {
    if (bits_of(x) != 64) return v & 0xff;
    return (uint32_t)v > 255 ? 255 : (uint32_t)v;
}

uint64_t isa_bfe(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
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

uint64_t isa_bfi(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint32_t pos = field(x, s[2]), len = field(x, s[3]);
    uint64_t r = cut(x, s[1]);
    for (uint32_t k = 0; k < len && pos + k < bits_of(x); k++) {
        r &= ~(UINT64_C(1) << (pos + k));
        r |= (s[0] >> k & 1) << (pos + k);
    }
    return r;
}

uint64_t isa_szext(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    uint64_t n = s[1] & 0xffffffff;
    if (x->mode == LS_MOD_WRAP) n &= 31;
    if (n > 31) return (uint32_t)s[0];
    if (n == 0) return 0;
    return (uint32_t)(is_signed(x) ? (uint64_t)em_sign_extend(s[0], (uint32_t)n)
                                   : em_low_bits(s[0], (uint32_t)n));
}

uint64_t isa_bmsk(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
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

uint64_t isa_dp4a(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    int64_t sum = (uint32_t)s[2];
    bool sa = em_is_signed(x->type[0]), sb = em_is_signed(x->type[1]);
    for (uint32_t k = 0; k < 4; k++) sum += byte_of(s[0], k, sa) * byte_of(s[1], k, sb);
    return (uint32_t)sum;
}

uint64_t isa_dp2a(const ls_isa *x, const uint64_t *s, uint64_t *carry) {
    (void)carry;
    int64_t sum = (uint32_t)s[2];
    bool sa = em_is_signed(x->type[0]), sb = em_is_signed(x->type[1]);
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t half = s[0] >> (16 * k) & 0xffff;
        sum += (sa ? (int64_t)(int16_t)half : (int64_t)half) * byte_of(s[1], k + (x->hi ? 2 : 0), sb);
    }
    return (uint32_t)sum;
}
