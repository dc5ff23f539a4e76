/* Uniform numbers known modulo something (Granger's arithmetical congruences): the coefficients of the
 * polynomials, which refine 003's lattice of constants (Figure 12): a constant has modulus 0, ⊥ has 1.
 * Constants wrap in 64 bits as the machine's do; for the others index arithmetic is assumed not to wrap. */
#ifndef LS_ANALYZE_RESIDUE_H
#define LS_ANALYZE_RESIDUE_H

#include "lockstep/analyze.h"

static inline uint64_t ls_gcd(uint64_t a, uint64_t b) {
    if ((a & (a - 1)) == 0 && (b & (b - 1)) == 0) { /* powers of two, or 0: by far the most frequent */
        if (!a || !b) return a | b;
        return a < b ? a : b;
    }
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline uint64_t ls_magnitude(int64_t n) {
    return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

/* n modulo m, in [0, m). */
static inline int64_t ls_modulo(int64_t n, uint64_t m) {
    int64_t rest = n % (int64_t)m;
    return rest < 0 ? rest + (int64_t)m : rest;
}

/* ⌊n / m⌋ */
static inline int64_t ls_floor_div(int64_t n, int64_t m) {
    int64_t quotient = n / m;
    return quotient - (n % m != 0 && (n % m < 0) != (m < 0));
}

/* Moduli stay below 2^32, so that products of them fit. */
static inline uint64_t ls_modulus_limit(uint64_t m) {
    if (m <= UINT64_C(1) << 32) return m;
    uint64_t power = m & -m;
    return power < UINT64_C(1) << 32 ? power : UINT64_C(1) << 32;
}

static inline ls_residue ls_residue_make(int64_t rest, uint64_t modulus) {
    if (!modulus) return (ls_residue){rest, 0};
    modulus = ls_modulus_limit(modulus);
    return (ls_residue){ls_modulo(rest, modulus), modulus};
}

static inline ls_residue ls_residue_constant(int64_t n) {
    return (ls_residue){n, 0};
}

static inline ls_residue ls_residue_any(void) {
    return (ls_residue){0, 1};
}

static inline bool ls_residue_is(ls_residue a, int64_t n) {
    return !a.modulus && a.rest == n;
}

static inline bool ls_residue_equal(ls_residue a, ls_residue b) {
    return a.rest == b.rest && a.modulus == b.modulus;
}

static inline ls_residue ls_residue_add(ls_residue a, ls_residue b) {
    return ls_residue_make((int64_t)((uint64_t)a.rest + (uint64_t)b.rest), ls_gcd(a.modulus, b.modulus));
}

static inline ls_residue ls_residue_negate(ls_residue a) {
    return ls_residue_make((int64_t)(0 - (uint64_t)a.rest), a.modulus);
}

/* Sets of 64-bit products: (r + im)(s + jn) = rs + i·ms + j·nr + ij·mn. */
static inline ls_residue ls_residue_multiply(ls_residue a, ls_residue b) {
    int64_t rest = (int64_t)((uint64_t)a.rest * (uint64_t)b.rest);
    if (!a.modulus && !b.modulus) return (ls_residue){rest, 0};
    unsigned __int128 first = (unsigned __int128)a.modulus * ls_magnitude(b.rest);
    unsigned __int128 second = (unsigned __int128)b.modulus * ls_magnitude(a.rest);
    if (first >> 63 || second >> 63 || ls_magnitude(a.rest) >> 31 || ls_magnitude(b.rest) >> 31) {
        /* Large constants: what holds of the powers of two in them holds also when they wrap. */
        uint64_t power = (uint64_t)1 << 31;
        uint64_t m = ls_gcd(ls_gcd((uint64_t)(first & (power - 1)), (uint64_t)(second & (power - 1))), power);
        return ls_residue_make((int64_t)((uint64_t)rest & (m - 1)), m);
    }
    return ls_residue_make(rest, ls_gcd(ls_gcd((uint64_t)first, (uint64_t)second), a.modulus * b.modulus));
}

/* Either of the two. */
static inline ls_residue ls_residue_join(ls_residue a, ls_residue b) {
    if (ls_residue_equal(a, b)) return a;
    uint64_t distance = ls_magnitude((int64_t)((uint64_t)a.rest - (uint64_t)b.rest));
    return ls_residue_make(a.rest, ls_gcd(ls_gcd(a.modulus, b.modulus), distance));
}

/* The largest power of two (up to 2^62) that divides it; for 0 that is 2^62. */
static inline uint64_t ls_residue_power(ls_residue a) {
    uint64_t both = ls_gcd(ls_magnitude(a.rest), a.modulus);
    return both ? both & -both : (uint64_t)1 << 62;
}

#endif
