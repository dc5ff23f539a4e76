/* Sobol's sequences. A dimension has a primitive polynomial of degree s over the field of two elements, in
 * the order of their degrees and coefficients, and s odd numbers m_1, m_2, … with m_k < 2^k, from which a
 * recurrence makes all of them (Bratley and Fox, ACM TOMS 14, 1988). The numbers of the first dimensions are
 * in sobol.def. Those of further ones are made up: such sequences are as even in each dimension, but others
 * than Joe's and Kuo's. */
#include "libraries/sobol.h"

#include <stdbool.h>
#include <stdlib.h>

static const uint16_t initial[] = {
#include "libraries/sobol.def"
};

enum { MOST_DEGREE = 18 };

/* --- Primitive polynomials --- */
static uint32_t degree_of(uint32_t polynomial) {
    return 31 - (uint32_t)__builtin_clz(polynomial);
}

/* x to that power, modulo the polynomial. */
static uint32_t power(uint32_t polynomial, uint32_t exponent) {
    const uint32_t top = UINT32_C(1) << degree_of(polynomial);
    uint32_t result = 1;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        uint32_t square = 0;
        for (uint32_t k = MOST_DEGREE; k-- > 0;) {
            square <<= 1;
            if (square & top) square ^= polynomial;
            if (result >> k & 1) square ^= result;
        }
        result = square;
        if (!(exponent & bit)) continue;
        result <<= 1;
        if (result & top) result ^= polynomial;
    }
    return result;
}

/* Whether x is of order 2^s - 1: its power is 1 there, and at no divisor of it. */
static bool is_primitive(uint32_t polynomial) {
    const uint32_t order = (UINT32_C(1) << degree_of(polynomial)) - 1;
    if (power(polynomial, order) != 1) return false;
    uint32_t left = order;
    for (uint32_t p = 3; p * p <= left; p += 2) {
        if (left % p) continue;
        if (power(polynomial, order / p) == 1) return false;
        while (left % p == 0) left /= p;
    }
    return left == 1 || left == order || power(polynomial, order / left) != 1;
}

static uint32_t next_polynomial(uint32_t polynomial) {
    do polynomial += 2;
    while (!is_primitive(polynomial));
    return polynomial;
}

/* --- Vectors --- */
/* Numbers that look random, by place (splitmix64). */
static uint64_t mixed(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void recur(uint64_t v[SOBOL_BITS], uint32_t polynomial) {
    const uint32_t s = degree_of(polynomial);
    for (uint32_t k = s; k < SOBOL_BITS; k++) {
        v[k] = v[k - s] ^ v[k - s] >> s;
        for (uint32_t i = 1; i < s; i++)
            if (polynomial >> (s - i) & 1) v[k] ^= v[k - i];
    }
}

uint64_t (*ls_sobol_vectors(uint32_t dimensions))[SOBOL_BITS] {
    uint64_t(*all)[SOBOL_BITS] = calloc(dimensions, sizeof *all);
    if (!all) return NULL;
    for (uint32_t k = 0; k < SOBOL_BITS; k++) all[0][k] = UINT64_C(1) << (SOBOL_BITS - 1 - k);
    const uint16_t *m = initial;
    for (uint32_t d = 1, polynomial = 3; d < dimensions; d++) {
        const uint32_t s = degree_of(polynomial);
        all[d][0] = UINT64_C(1) << (SOBOL_BITS - 1);
        for (uint32_t k = 1; k < s; k++) {
            const uint64_t made_up = mixed((uint64_t)d << 8 | k) % (UINT64_C(2) << k) | 1;
            all[d][k] = (d < SOBOL_KNOWN ? *m++ : made_up) << (SOBOL_BITS - 1 - k);
        }
        recur(all[d], polynomial);
        if (d + 1 < dimensions) polynomial = next_polynomial(polynomial);
    }
    return all;
}

uint64_t ls_sobol_at(const uint64_t vectors[SOBOL_BITS], uint64_t index) {
    uint64_t x = 0;
    for (uint64_t gray = index ^ index >> 1; gray; gray &= gray - 1) x ^= vectors[__builtin_ctzll(gray)];
    return x;
}

uint64_t ls_sobol_scramble(uint32_t dimension) {
    return mixed(~(uint64_t)dimension);
}
