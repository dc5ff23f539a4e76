/* Quasi-random generators of cuRAND's host interface. A request gives all results of the first dimension,
 * then those of the second. Sobol's sequences have NVIDIA's numbers in their first 1,111 dimensions;
 * scrambled ones have numbers of their own, as have further dimensions. Normal numbers are by inversion. */
#include "libraries/curand_quasi.h"
#include "libraries/sobol.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define API __attribute__((visibility("default"))) int
enum { OK = 0, ALLOCATION_FAILED = 102, OUT_OF_RANGE = 104 };
enum { VECTORS_32 = 101, SCRAMBLED_VECTORS_32, VECTORS_64, SCRAMBLED_VECTORS_64 };

/* --- What is made of a number --- */
/* Where a half of the normal distribution's complement is at p, 0 < p < 1: the root of erfc, by Halley's
 * method from an approximation of three digits (Abramowitz and Stegun, 26.2.23). */
static double normal_at(double p) {
    const double half = p < 0.5 ? p : 1 - p, t = sqrt(-2 * log(half));
    double x =
        t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int k = 0; k < 3; k++) {
        const double error = 0.5 * erfc(x * 0.70710678118654752440) - half;
        const double step = error * 2.50662827463100050242 * exp(x * x / 2);
        x += step / (1 - x * step / 2);
    }
    return p < 0.5 ? x : -x;
}

uint32_t quasi_poisson(double mean, double at) {
    if (mean > 500) {
        const double normal = mean - sqrt(mean) * normal_at(at < 1 ? at : 1 - 0x1p-54);
        return normal < 0 ? 0 : (uint32_t)(normal + 0.5);
    }
    double term = exp(-mean), sum = term;
    uint32_t k = 0;
    while (at > sum && k < 4096) sum += term *= mean / ++k;
    return k;
}

static float float_of(uint32_t x) {
    return (float)x * 0x1p-32f + 0x1p-33f;
}
static double double_of(uint64_t x, bool wide) {
    if (wide) return (double)(x >> 11) * 0x1p-53 + 0x1p-54;
    return (double)(x >> 32) * 0x1p-32 + 0x1p-32;
}
/* Small numbers are far above the mean. */
static double normal_of(uint64_t x, bool wide, const double *p) {
    const double at = wide ? double_of(x, true) : (double)(x >> 32) * 0x1p-32 + 0x1p-33;
    return p[0] + p[1] * normal_at(at);
}

static void put(const quasi_request *r, void *out, uint64_t i, uint64_t x) {
    const bool wide = quasi_is_64(r->type);
    const double *p = r->parameters;
    switch (r->form) {
    case FORM_WORD: ((uint32_t *)out)[i] = (uint32_t)(x >> 32); break;
    case FORM_LONG: ((uint64_t *)out)[i] = x; break;
    case FORM_FLOAT: ((float *)out)[i] = float_of((uint32_t)(x >> 32)); break;
    case FORM_DOUBLE: ((double *)out)[i] = double_of(x, wide); break;
    case FORM_NORMAL: ((float *)out)[i] = (float)normal_of(x, false, p); break;
    case FORM_NORMAL_DOUBLE: ((double *)out)[i] = normal_of(x, wide, p); break;
    case FORM_LOG_NORMAL: ((float *)out)[i] = expf((float)normal_of(x, false, p)); break;
    case FORM_LOG_NORMAL_DOUBLE: ((double *)out)[i] = exp(normal_of(x, wide, p)); break;
    case FORM_POISSON: ((uint32_t *)out)[i] = quasi_poisson(p[0], double_of(x, wide)); break;
    }
}

bool quasi_generate(const quasi_request *r, void *out) {
    const bool scrambled = r->type == QUASI_SCRAMBLED_32 || r->type == QUASI_SCRAMBLED_64;
    uint64_t(*vectors)[SOBOL_BITS] = ls_sobol_vectors(r->dimensions);
    if (!vectors) return false;
    for (uint32_t d = 0; d < r->dimensions; d++) {
        uint64_t x = ls_sobol_at(vectors[d], r->first) ^ (scrambled ? ls_sobol_scramble(d) : 0);
        for (uint64_t k = 0; k < r->each; k++) {
            put(r, out, d * r->each + k, x);
            x ^= vectors[d][__builtin_ctzll(~(r->first + k))];
        }
    }
    free(vectors);
    return true;
}

/* --- Tables for generators within kernels --- */
static struct {
    uint32_t (*vectors32)[32], *constants32;
    uint64_t (*vectors64)[SOBOL_BITS], *constants64;
} tables;

static void make_tables(void) {
    tables.vectors64 = ls_sobol_vectors(SOBOL_MOST);
    tables.vectors32 = calloc(SOBOL_MOST, sizeof *tables.vectors32);
    tables.constants32 = calloc(SOBOL_MOST, sizeof *tables.constants32);
    tables.constants64 = calloc(SOBOL_MOST, sizeof *tables.constants64);
    if (!tables.vectors64 || !tables.vectors32 || !tables.constants32 || !tables.constants64) return;
    for (uint32_t d = 0; d < SOBOL_MOST; d++) {
        for (uint32_t k = 0; k < 32; k++) tables.vectors32[d][k] = (uint32_t)(tables.vectors64[d][k] >> 32);
        tables.constants64[d] = ls_sobol_scramble(d);
        tables.constants32[d] = (uint32_t)(tables.constants64[d] >> 32);
    }
}

static int have_tables(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables);
    return tables.vectors64 && tables.vectors32 && tables.constants32 && tables.constants64
               ? OK
               : ALLOCATION_FAILED;
}

API curandGetDirectionVectors32(uint32_t (**vectors)[32], int set) {
    if (set != VECTORS_32 && set != SCRAMBLED_VECTORS_32) return OUT_OF_RANGE;
    const int status = have_tables();
    *vectors = tables.vectors32;
    return status;
}
API curandGetDirectionVectors64(uint64_t (**vectors)[SOBOL_BITS], int set) {
    if (set != VECTORS_64 && set != SCRAMBLED_VECTORS_64) return OUT_OF_RANGE;
    const int status = have_tables();
    *vectors = tables.vectors64;
    return status;
}
API curandGetScrambleConstants32(uint32_t **constants) {
    const int status = have_tables();
    *constants = tables.constants32;
    return status;
}
API curandGetScrambleConstants64(uint64_t **constants) {
    const int status = have_tables();
    *constants = tables.constants64;
    return status;
}
