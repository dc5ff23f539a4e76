/* Video instructions (PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions"): parts of
 * registers, extended, combined, saturated, then combined with or merged into a third operand, as the ISA's
 * pseudocode has it. */
#include "isa/functions.h"
#include "isa/number.h"

static int64_t clamp(int64_t v, uint32_t bits, bool is_signed) {
    int64_t most = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    int64_t least = is_signed ? -most - 1 : 0;
    return v > most ? most : v < least ? least : v;
}

static int64_t extend(uint64_t v, uint32_t bits, bool is_signed) {
    return is_signed ? em_sign_extend(v, bits) : (int64_t)em_low_bits(v, bits);
}

static int64_t extract(uint32_t v, uint8_t part, bool is_signed) {
    if (part == LS_VIDEO_PLAIN) return extend(v, 32, is_signed);
    return part < 4 ? extend(v >> 8 * part, 8, is_signed) : extend(v >> 16 * (part - 4), 16, is_signed);
}

static bool compare(uint16_t how, int64_t a, int64_t b) {
    switch (how) {
    case LS_MOD_EQ: return a == b;
    case LS_MOD_NE: return a != b;
    case LS_MOD_LT: return a < b;
    case LS_MOD_LE: return a <= b;
    case LS_MOD_GT: return a > b;
    default: return a >= b;
    }
}

static int64_t combine(const ls_isa *x, int64_t a, int64_t b) {
    switch (x->video.op) {
    case LS_OP_VADD: return a + b;
    case LS_OP_VSUB: return a - b;
    case LS_OP_VABSDIFF: return a > b ? a - b : b - a;
    case LS_OP_VMIN: return a < b ? a : b;
    case LS_OP_VMAX: return a > b ? a : b;
    case LS_OP_VAVRG2: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case LS_OP_VSET: return compare(x->compare, a, b);
    default: break;
    }
    uint64_t count = (uint32_t)b; /* vshl, vshr */
    count = x->video.wrap ? count & 31 : count > 32 ? 32 : count;
    return x->video.op == LS_OP_VSHL ? (int64_t)((uint64_t)a << count) : a >> count;
}

/* --- Scalar forms --- */
static uint32_t merge(uint8_t part, uint32_t v, uint32_t c) {
    uint32_t bits = part < 4 ? 8 : 16, at = part < 4 ? 8u * part : 16u * (part - 4u);
    uint32_t ones = (uint32_t)em_low_bits(UINT64_MAX, bits) << at;
    return (c & ~ones) | (v << at & ones);
}

static uint32_t secondary(const ls_isa *x, uint32_t v, uint32_t c) {
    bool less = x->video.is_signed[0] ? (int32_t)v < (int32_t)c : v < c;
    switch (x->video.second) {
    case LS_MOD_ADD: return v + c;
    case LS_MOD_MIN: return less ? v : c;
    case LS_MOD_MAX: return less ? c : v;
    default: return v;
    }
}

static uint32_t scalar_lane(const ls_isa *x, uint32_t a, uint32_t b, uint32_t c) {
    int64_t v = combine(x, extract(a, x->video.part[1], x->video.is_signed[1]),
                        extract(b, x->video.part[2], x->video.is_signed[2]));
    uint32_t bits = x->video.part[0] == LS_VIDEO_PLAIN ? 32 : x->video.part[0] < 4 ? 8 : 16;
    if (x->sat) v = clamp(v, bits, x->video.is_signed[0]);
    if (x->video.part[0] != LS_VIDEO_PLAIN) return merge(x->video.part[0], (uint32_t)v, c);
    return secondary(x, (uint32_t)v, c);
}

static uint32_t mad_lane(const ls_isa *x, uint32_t a, uint32_t b, uint32_t c) {
    bool negate = x->video.negate[0] != x->video.negate[1];
    bool is_signed = x->video.is_signed[1] || x->video.is_signed[2] || negate || x->video.negate[2];
    __int128 v = (__int128)extract(a, x->video.part[1], x->video.is_signed[1]) *
                 extract(b, x->video.part[2], x->video.is_signed[2]);
    if (negate) v = -v;
    __int128 third = is_signed ? (__int128)(int32_t)c : (__int128)c;
    if (x->video.negate[2]) third = -third;
    v = (v + third + x->video.plus_one) >> x->video.shift;
    if (x->sat) {
        __int128 most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
        v = v > most ? most : v < least ? least : v;
    }
    return (uint32_t)v;
}

/* --- SIMD forms --- */
static int64_t simd_part(const ls_isa *x, uint32_t which, uint8_t select, uint32_t a, uint32_t b) {
    uint32_t bits = 32u / x->video.lanes, v = select < x->video.lanes ? a : b;
    return extend(v >> select % x->video.lanes * bits, bits, x->video.is_signed[which]);
}

static uint32_t simd_lane(const ls_isa *x, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t bits = 32u / x->video.lanes, ones = (uint32_t)em_low_bits(UINT64_MAX, bits),
             d = x->video.add ? c : 0;
    for (uint32_t k = 0; k < x->video.lanes; k++) {
        bool chosen = x->video.mask >> k & 1;
        int64_t v = combine(x, simd_part(x, 1, x->video.select[0][k], a, b),
                            simd_part(x, 2, x->video.select[1][k], a, b));
        if (x->sat) v = clamp(v, bits, x->video.is_signed[0]);
        if (x->video.add)
            d += chosen ? (uint32_t)v : 0;
        else
            d |= ((chosen ? (uint32_t)v : c >> k * bits) & ones) << k * bits;
    }
    return d;
}

uint64_t isa_video(const ls_isa *x, const uint64_t *s, uint64_t *more) {
    (void)more;
    uint32_t a = (uint32_t)s[0], b = (uint32_t)s[1], c = x->src_count == 3 ? (uint32_t)s[2] : 0;
    if (x->video.lanes > 1) return simd_lane(x, a, b, c);
    return x->video.op == LS_OP_VMAD ? mad_lane(x, a, b, c) : scalar_lane(x, a, b, c);
}

/* --- Decoding --- */
static const struct {
    uint16_t op, scalar;
    uint8_t lanes;
} forms[] = {{LS_OP_VADD, LS_OP_VADD, 1},          {LS_OP_VSUB, LS_OP_VSUB, 1},
             {LS_OP_VABSDIFF, LS_OP_VABSDIFF, 1},  {LS_OP_VMIN, LS_OP_VMIN, 1},
             {LS_OP_VMAX, LS_OP_VMAX, 1},          {LS_OP_VSHL, LS_OP_VSHL, 1},
             {LS_OP_VSHR, LS_OP_VSHR, 1},          {LS_OP_VMAD, LS_OP_VMAD, 1},
             {LS_OP_VSET, LS_OP_VSET, 1},          {LS_OP_VADD2, LS_OP_VADD, 2},
             {LS_OP_VSUB2, LS_OP_VSUB, 2},         {LS_OP_VAVRG2, LS_OP_VAVRG2, 2},
             {LS_OP_VABSDIFF2, LS_OP_VABSDIFF, 2}, {LS_OP_VMIN2, LS_OP_VMIN, 2},
             {LS_OP_VMAX2, LS_OP_VMAX, 2},         {LS_OP_VSET2, LS_OP_VSET, 2},
             {LS_OP_VADD4, LS_OP_VADD, 4},         {LS_OP_VSUB4, LS_OP_VSUB, 4},
             {LS_OP_VAVRG4, LS_OP_VAVRG2, 4},      {LS_OP_VABSDIFF4, LS_OP_VABSDIFF, 4},
             {LS_OP_VMIN4, LS_OP_VMIN, 4},         {LS_OP_VMAX4, LS_OP_VMAX, 4},
             {LS_OP_VSET4, LS_OP_VSET, 4}};

static bool scalar_part(const ls_ptx_operand *o, uint8_t *part) {
    *part = LS_VIDEO_PLAIN;
    if (!o->element) return true;
    if (o->element < LS_ELEMENT_B0 || o->element >= LS_ELEMENT_SELECT) return false;
    *part = (uint8_t)(o->element - LS_ELEMENT_B0);
    return true;
}

/* The digits of .b3210 or .h1, lowest part first. */
static uint32_t digits_of(const ls_ptx_operand *o, uint32_t lanes, uint8_t *digits) {
    if (o->element >= LS_ELEMENT_B0 && o->element < LS_ELEMENT_SELECT) {
        bool half = o->element >= LS_ELEMENT_H0;
        if (half != (lanes == 2)) return 0;
        digits[0] = (uint8_t)(o->element - (half ? LS_ELEMENT_H0 : LS_ELEMENT_B0));
        return 1;
    }
    bool half = o->offset >> 31 & 1;
    if (o->element != LS_ELEMENT_SELECT || half != (lanes == 2) || o->select_digits > 4) return 0;
    for (uint32_t k = 0; k < o->select_digits; k++) {
        digits[k] = (uint8_t)(o->offset >> 3 * k & 7);
        if (digits[k] >= 2 * lanes) return 0;
    }
    return o->select_digits;
}

static bool simd_parts(ls_isa *x, const ls_ptx_operand *ops) {
    uint8_t digits[4] = {0};
    x->video.mask = (uint8_t)((1u << x->video.lanes) - 1);
    if (ops[0].element) {
        uint32_t n = digits_of(&ops[0], x->video.lanes, digits);
        x->video.mask = 0;
        for (uint32_t k = 0; k < n; k++) x->video.mask |= (uint8_t)(1u << digits[k]);
        if (!n || x->video.mask >> x->video.lanes) return false;
    }
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t k = 0; k < x->video.lanes; k++)
            x->video.select[s][k] = (uint8_t)(k + s * x->video.lanes);
        if (ops[s + 1].element &&
            digits_of(&ops[s + 1], x->video.lanes, x->video.select[s]) != x->video.lanes)
            return false;
    }
    return true;
}

static bool fill(ls_isa *x, const ls_isa_ask *ask) {
    const ls_ptx_form *form = ask->form;
    const ls_ptx_operand *ops = ask->ast->operands;
    bool set = x->video.op == LS_OP_VSET; /* has no type of d */
    for (uint32_t k = 0; k < 3; k++)
        x->video.is_signed[k] = !(set && !k) && em_is_signed(ls_ptx_form_type(form, set ? k - 1 : k));
    if (set)
        x->video.is_signed[0] = x->video.is_signed[1] || x->video.is_signed[2]; /* for the second operation */
    x->video.wrap = ls_ptx_form_has(form, LS_MOD_WRAP);
    static const uint16_t seconds[] = {LS_MOD_ADD, LS_MOD_MIN, LS_MOD_MAX};
    for (size_t k = 0; k < 3; k++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)seconds[k])) x->video.second = seconds[k];
    x->video.add = x->video.second == LS_MOD_ADD;
    x->video.plus_one = ls_ptx_form_has(form, LS_MOD_PO);
    x->video.shift = ls_ptx_form_has(form, LS_MOD_SHR7) ? 7 : ls_ptx_form_has(form, LS_MOD_SHR15) ? 15 : 0;
    for (uint32_t k = 1; k < ask->ast->operand_count && k < 4; k++)
        x->video.negate[k - 1] = ops[k].flags & LS_OPERAND_MINUS;
    if (set && form->compare == LS_MOD_UNKNOWN) return false;
    if (x->video.lanes > 1) return x->src_count == 3 && simd_parts(x, ops);
    for (uint32_t k = 0; k < 3; k++)
        if (!scalar_part(&ops[k], &x->video.part[k])) return false;
    return x->src_count == 3 || (x->video.part[0] == LS_VIDEO_PLAIN && !x->video.second);
}

bool isa_find_video(const ls_isa_ask *ask, ls_isa *x) {
    if (!ask->ast || ask->dst_count != 1 || ask->src_count < 2 || ask->src_count > 3) return false;
    if (ask->ast->operand_count != ask->src_count + 1u) return false;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        if (forms[k].op != x->op) continue;
        x->video.op = forms[k].scalar;
        x->video.lanes = forms[k].lanes;
        return fill(x, ask);
    }
    return false;
}
