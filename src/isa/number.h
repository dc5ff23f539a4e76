/* Numbers of every PTX type as bits: extension, small floats, rounding. */
#ifndef LS_ISA_NUMBER_H
#define LS_ISA_NUMBER_H

#include "lockstep/ptx.h"

#include <string.h>

static inline uint64_t em_low_bits(uint64_t x, uint32_t bits) {
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}
static inline int64_t em_sign_extend(uint64_t x, uint32_t bits) {
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}
static inline float em_f32(uint64_t x) {
    uint32_t b = (uint32_t)x;
    float f;
    memcpy(&f, &b, 4);
    return f;
}
static inline double em_f64(uint64_t x) {
    double f;
    memcpy(&f, &x, 8);
    return f;
}
static inline uint64_t em_bits_f32(float f) {
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}
static inline uint64_t em_bits_f64(double f) {
    uint64_t b;
    memcpy(&b, &f, 8);
    return b;
}
static inline bool em_is_signed(ls_ptx_type t) {
    return ls_ptx_type_kind_of(t) == LS_KIND_SIGNED;
}
static inline bool em_is_float(ls_ptx_type t) {
    return ls_ptx_type_kind_of(t) == LS_KIND_FLOAT;
}

/* The layout of a binary floating-point type of up to 32 bits. */
typedef struct {
    uint8_t bits, mantissa; /* stored mantissa bits */
    int16_t bias;
    bool has_inf; /* else the highest exponent is for numbers too, and only all ones are NaN */
    bool has_nan;
} em_float_format;

const em_float_format *em_format_of(ls_ptx_type type);
/* Exact. */
double em_small_to_double(ls_ptx_type type, uint64_t bits);
/* Rounded by LS_MOD_RN (ties to even), RNA (ties away), RZ, RM, RP. x must be exact or rounded to odd.
 * saturate: what is too large becomes the largest finite number, NaN too where there is no other way. */
uint64_t em_double_to_small(ls_ptx_type type, double x, uint16_t round, bool saturate);
/* Whether .ftz makes the rounded x zero: it is subnormal after rounding as if there were no smallest exponent
 * (measured on a GPU). */
bool em_is_tiny(ls_ptx_type type, double x, uint16_t round);
/* a + b in double, rounded to odd: rounding the result to 51 bits or fewer gives the exact sum rounded. */
double em_add_odd(double a, double b);
/* The canonical NaN of a type. */
uint64_t em_nan(ls_ptx_type type);

#endif
