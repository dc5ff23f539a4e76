/* Conversions (cvt): every pair of types, all rounding modes, saturation, and the packed forms. */
#include "isa/functions.h"
#include "isa/number.h"

#include <fenv.h>
#include <math.h>

static int host_round(uint16_t round) {
    switch (round) {
    case LS_MOD_RZ:
    case LS_MOD_RZI: return FE_TOWARDZERO;
    case LS_MOD_RM:
    case LS_MOD_RMI: return FE_DOWNWARD;
    case LS_MOD_RP:
    case LS_MOD_RPI: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

/* Into the destination register: sign-extended where the type is signed and the register wider. */
static uint64_t fit(const ls_isa *x, ls_ptx_type to, uint64_t v) {
    uint32_t bits = ls_ptx_type_bits(to);
    uint64_t r = em_is_signed(to) ? (uint64_t)em_sign_extend(v, bits) : em_low_bits(v, bits);
    return em_low_bits(r, x->dst_bits);
}

static uint64_t int_to_int(const ls_isa *x, ls_ptx_type to, ls_ptx_type from, uint64_t v) {
    uint32_t to_bits = ls_ptx_type_bits(to), from_bits = ls_ptx_type_bits(from);
    if (!x->sat) {
        uint64_t wide =
            em_is_signed(from) ? (uint64_t)em_sign_extend(v, from_bits) : em_low_bits(v, from_bits);
        return fit(x, to, wide);
    }
    __int128 n =
        em_is_signed(from) ? (__int128)em_sign_extend(v, from_bits) : (__int128)em_low_bits(v, from_bits);
    __int128 high = em_is_signed(to) ? ((__int128)1 << (to_bits - 1)) - 1 : ((__int128)1 << to_bits) - 1;
    __int128 low = em_is_signed(to) ? -((__int128)1 << (to_bits - 1)) : 0;
    return fit(x, to, (uint64_t)(n < low ? low : n > high ? high : n));
}

static double flushed(const ls_isa *x, ls_ptx_type from, uint64_t v) {
    double d = em_small_to_double(from, v);
    return x->ftz && from == LS_TYPE_F32 && fabs(d) < 0x1p-126 ? copysign(0.0, d) : d;
}

/* Out of range: the nearest; NaN: 0 up to 32 bits, else the lowest (measured, see bench/gpu/exactness). */
static uint64_t float_to_int(const ls_isa *x, ls_ptx_type to, ls_ptx_type from, uint64_t v) {
    volatile double d = flushed(x, from, v);
    uint32_t bits = ls_ptx_type_bits(to);
    if (d != d)
        return ls_ptx_type_bits(to) == 64 || from == LS_TYPE_F64 ? fit(x, to, UINT64_C(1) << (bits - 1)) : 0;
    fesetround(host_round(x->round));
    double whole = rint(d);
    fesetround(FE_TONEAREST);
    double high = ldexp(1.0, (int)bits - (em_is_signed(to) ? 1 : 0)), low = em_is_signed(to) ? -high : 0.0;
    uint64_t most = em_is_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1 : em_low_bits(UINT64_MAX, bits);
    if (whole >= high) return fit(x, to, most);
    if (whole < low) return fit(x, to, em_is_signed(to) ? UINT64_C(1) << (bits - 1) : 0);
    return fit(x, to, em_is_signed(to) ? (uint64_t)(int64_t)whole : (uint64_t)whole);
}

static uint64_t int_to_float(const ls_isa *x, ls_ptx_type to, ls_ptx_type from, uint64_t v) {
    uint32_t bits = ls_ptx_type_bits(from);
    volatile int64_t s = em_sign_extend(v, bits);
    bool is_signed = em_is_signed(from);
    volatile uint64_t u = is_signed ? (uint64_t)s : em_low_bits(v, bits);
    uint64_t r;
    if (to == LS_TYPE_F16 || to == LS_TYPE_BF16) {
        /* beyond 2^53 the double is not exact: rounding it to odd keeps the second rounding right */
        double high = is_signed ? (double)(s >> 32) * 0x1p32 : (double)(u >> 32) * 0x1p32;
        double low = (double)(uint32_t)u;
        return em_double_to_small(to, em_add_odd(high, low), x->round, false);
    }
    fesetround(host_round(x->round));
    if (to == LS_TYPE_F64)
        r = em_bits_f64(is_signed ? (double)s : (double)u);
    else
        r = em_bits_f32(is_signed ? (float)s : (float)u);
    fesetround(FE_TONEAREST);
    if (x->sat && to == LS_TYPE_F32) {
        float f = em_f32(r);
        r = em_bits_f32(f > 1 ? 1.0f : f < 0 ? 0.0f : f);
    }
    return r;
}

static bool rounds_to_integer(uint16_t round) {
    return round == LS_MOD_RNI || round == LS_MOD_RZI || round == LS_MOD_RMI || round == LS_MOD_RPI;
}

/* NaNs keep their sign and the top of their payload where f64 or bf16 are involved (as measured on a
 * GPU); else the result is canonical. */
static bool nan_kept(ls_ptx_type to, ls_ptx_type from, uint64_t v, uint64_t *out) {
    if (to == LS_TYPE_F64 && from == LS_TYPE_F64) return *out = v | UINT64_C(1) << 51, true;
    if (to == LS_TYPE_F64 && from == LS_TYPE_F32)
        return *out = (v & 0x80000000) << 32 | UINT64_C(0x7ff8000000000000) | (v & 0x7fffff) << 29, true;
    if (to == LS_TYPE_F64 && from == LS_TYPE_F16)
        return *out = (v & 0x8000) << 48 | UINT64_C(0x7ff8000000000000) | (v & 0x3ff) << 42, true;
    if (to == LS_TYPE_F32 && from == LS_TYPE_F64)
        return *out = v >> 32 & 0x80000000, *out |= 0x7fc00000 | (v >> 29 & 0x7fffff), true;
    if (to == LS_TYPE_F16 && from == LS_TYPE_F64)
        return *out = v >> 48 & 0x8000, *out |= 0x7e00 | (v >> 42 & 0x3ff), true;
    if (to == LS_TYPE_F32 && from == LS_TYPE_BF16) return *out = v << 16, true;
    return false;
}

static uint64_t float_to_float(const ls_isa *x, ls_ptx_type to, ls_ptx_type from, uint64_t v) {
    uint64_t nan;
    bool is_nan = em_small_to_double(from, v) != em_small_to_double(from, v);
    if (is_nan && to == LS_TYPE_TF32) return x->round == LS_MOD_RNA ? v & 0xffffe000 : 0x7fffe000;
    if (is_nan && !x->sat && !x->relu && nan_kept(to, from, v, &nan)) return nan;
    volatile double d = flushed(x, from, v);
    if (rounds_to_integer(x->round)) {
        fesetround(host_round(x->round));
        d = rint(d);
        fesetround(FE_TONEAREST);
    }
    if (x->sat) d = d > 0 ? (d < 1 ? d : 1.0) : 0.0;
    if (x->relu && (d < 0 || (d == 0 && signbit(d)))) d = 0.0;
    uint16_t round = x->round == LS_MOD_UNKNOWN || rounds_to_integer(x->round) ? LS_MOD_RN : x->round;
    uint64_t r = em_double_to_small(to, d, round, x->satfinite);
    if (x->ftz && to == LS_TYPE_F32 && em_is_tiny(to, d, round)) r &= 0x80000000;
    return r;
}

/* ue8m0 is an exponent alone, 2^(e - 127), and 0xff where there is no number: of the magnitude of an f32, or
 * of a bf16, which is its upper half. Below the first power of two there is nothing to round up from. */
static uint64_t to_exponent(const ls_isa *x, ls_ptx_type from, uint64_t v) {
    uint32_t magnitude = (uint32_t)(from == LS_TYPE_BF16 ? v << 16 : v) & 0x7fffffff, infinity = 0x7f800000;
    uint32_t exponent = magnitude >> 23;
    bool above = (magnitude & 0x7fffff) && magnitude > 0x400000 && magnitude < infinity;
    if (x->round == LS_MOD_RP && above) exponent++;
    return x->satfinite && exponent == 0xff && magnitude <= infinity ? 0xfe : exponent;
}

static uint64_t exponent_to_bf16(uint64_t v) {
    if (v == 0xff) return em_nan(LS_TYPE_BF16);
    return v ? v << 7 : 0x40;
}

static uint64_t convert(const ls_isa *x, ls_ptx_type to, ls_ptx_type from, uint64_t v) {
    if (to == LS_TYPE_UE8M0) return to_exponent(x, from, v);
    if (from == LS_TYPE_UE8M0) return exponent_to_bf16(v);
    bool f_to = em_is_float(to), f_from = em_is_float(from);
    if (f_to && f_from) return float_to_float(x, to, from, v);
    if (f_to) return int_to_float(x, to, from, v);
    if (f_from) return float_to_int(x, to, from, v);
    return int_to_int(x, to, from, v);
}

uint64_t isa_cvt(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    return convert(x, x->type[0], x->type[1], s[0]);
}

static ls_ptx_type element_of(ls_ptx_type t) {
    switch (t) {
    case LS_TYPE_F16X2: return LS_TYPE_F16;
    case LS_TYPE_BF16X2: return LS_TYPE_BF16;
    case LS_TYPE_E4M3X2: return LS_TYPE_E4M3;
    case LS_TYPE_E5M2X2: return LS_TYPE_E5M2;
    case LS_TYPE_E2M1X2: return LS_TYPE_E2M1;
    case LS_TYPE_E2M3X2: return LS_TYPE_E2M3;
    case LS_TYPE_E3M2X2: return LS_TYPE_E3M2;
    case LS_TYPE_UE8M0X2: return LS_TYPE_UE8M0;
    default: return t;
    }
}

/* That an element takes in a pair: six bits stand in a byte, below two zeros. */
static uint32_t place_of(ls_ptx_type element) {
    uint32_t bits = ls_ptx_type_bits(element);
    return bits == 6 ? 8 : bits;
}

/* Two at once: cvt.rn.f16x2.f32 d, a, b (a is the high part), and cvt.rn.f16x2.e4m3x2 d, a. */
uint64_t isa_cvt_pair(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    ls_ptx_type to = element_of(x->type[0]), from = element_of(x->type[1]);
    uint32_t bits = place_of(to), from_bits = place_of(from);
    uint64_t high = x->src_count > 1 ? s[0] : s[0] >> from_bits, low = x->src_count > 1 ? s[1] : s[0];
    high = em_low_bits(high, from_bits), low = em_low_bits(low, from_bits);
    return convert(x, to, from, high) << bits | convert(x, to, from, low);
}

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b saturated, beside c's low part. */
uint64_t isa_cvt_pack(const ls_isa *x, const uint64_t *s, uint64_t *second) {
    (void)second;
    ls_isa one = *x;
    one.sat = true;
    one.dst_bits = ls_ptx_type_bits(x->type[0]);
    uint32_t bits = one.dst_bits;
    uint64_t a = em_low_bits(int_to_int(&one, x->type[0], x->type[1], s[0]), bits);
    uint64_t b = em_low_bits(int_to_int(&one, x->type[0], x->type[1], s[1]), bits);
    uint64_t r = a << bits | b;
    if (x->src_count > 2) r |= s[2] << (2 * bits);
    return (uint32_t)r;
}
