/* The linear filter of textures. NVIDIA documents that weights have 8 bits (CUDA C++ Programming Guide,
 * "Linear Filtering"); the rest was found by fetches on an H200 (several ten thousand a case), and holds
 * there bit for bit:
 *
 * - A normalised coordinate is cut to a multiple of 2^-21, or of what is a step of 1/256 texel, if that is
 *   finer; a coordinate in texels is rounded to such a step, halves up.
 * - The weights of a row, then of a column, are rounded to steps, halves up, so that the four add up to what
 * a slice of a 3D texture has.
 * - Numbers of 8 and 16 bits are filtered as numbers of 16 bits, and the result is one of 16 bits.
 * - Floating-point texels are cut to the bits that the largest of a slice has, and four more; their sum is
 *   exact, and rounded to the texels' type, halves away from zero.
 *
 * Not found: what becomes of signed numbers of 8 bits (6 % differ by one step of 2^-15), and slices of 3D
 * textures whose numbers differ by many orders of magnitude. */
#include "emulate/texture/filter.h"

#include <math.h>
#include <string.h>

enum { COORDINATE_BITS = 21, FRACTION_BITS = 8, GUARD_BITS = 4, SLICE = 4 };

double em_filter_coordinate(float x, uint32_t size, uint32_t turns) {
    int bits = COORDINATE_BITS, needed = FRACTION_BITS;
    while (needed < 32 && size > UINT32_C(1) << (needed - FRACTION_BITS)) needed++;
    if (needed > bits) bits = needed;
    double fixed = floor(ldexp(x, bits)), period = ldexp(turns, bits);
    if (turns) fixed -= floor(fixed / period) * period;
    if (isnan(fixed)) return 0; /* infinity, folded */
    return ldexp(fixed * size, -bits);
}

/* --- Weights --- */
static uint32_t part(uint32_t of, uint32_t weight) {
    return (of * weight + FILTER_ONE / 2) / FILTER_ONE;
}

/* A slice's weight over its four neighbours. */
static void weigh_slice(uint32_t slice, uint32_t x, uint32_t y, uint32_t *weights) {
    const uint32_t right = part(slice, x), left = slice - right;
    weights[3] = part(right, y);
    weights[1] = right - weights[3];
    weights[0] = part(left, FILTER_ONE - y);
    weights[2] = left - weights[0];
}

void em_filter_weights(const uint32_t *upper, uint32_t dimensions, uint32_t *weights) {
    if (dimensions == 1) {
        weights[0] = FILTER_ONE - upper[0];
        weights[1] = upper[0];
    } else if (dimensions == 2) {
        weigh_slice(FILTER_ONE, upper[0], upper[1], weights);
    } else {
        weigh_slice(FILTER_ONE - upper[2], upper[0], upper[1], weights);
        weigh_slice(upper[2], upper[0], upper[1], weights + SLICE);
    }
}

/* --- Sums --- */

/* To the nearest number of so many bits behind the first one, halves away from zero. */
static double rounded(double x, int bits, int least) {
    int exponent;
    if (x == 0 || !isfinite(x)) return x;
    frexp(x, &exponent);
    exponent = (exponent - 1 < least ? least : exponent - 1) - bits;
    return ldexp(round(ldexp(x, -exponent)), exponent);
}

/* What one slice adds, its texels cut to those bits of the largest one. */
static double slice_sum(const filter_term *terms, uint32_t count, int bits) {
    double largest = 0, sum = 0;
    int exponent;
    for (uint32_t k = 0; k < count; k++)
        if (terms[k].weight) largest = fmax(largest, fabs((double)terms[k].value));
    if (largest == 0) return 0;
    frexp(largest, &exponent);
    exponent -= 1 + bits + GUARD_BITS;
    for (uint32_t k = 0; k < count; k++)
        if (terms[k].weight)
            sum += ldexp(trunc(ldexp(terms[k].value, -exponent)) * terms[k].weight, exponent) / FILTER_ONE;
    return sum;
}

static bool all_finite(const filter_term *terms, uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        if (terms[k].weight && !isfinite(terms[k].value)) return false;
    return true;
}

static float float_sum(const ls_texture *t, const filter_term *terms, uint32_t count) {
    const int bits = t->bits == 16 ? 10 : 23, least = t->bits == 16 ? -14 : -126;
    double sum = 0;
    if (!all_finite(terms, count)) {
        for (uint32_t k = 0; k < count; k++)
            if (terms[k].weight) sum += (double)terms[k].value * terms[k].weight / FILTER_ONE;
        return (float)sum;
    }
    for (uint32_t k = 0; k < count; k += SLICE)
        sum += slice_sum(terms + k, count - k < SLICE ? count - k : SLICE, bits);
    return (float)rounded(sum, bits, least);
}

/* A stored number as one of 16 bits. */
static double widened(const ls_texture *t, int32_t stored) {
    if (t->kind == LS_TEXEL_SIGNED)
        return t->bits == 8 ? stored * (32767.0 / 127) : stored < -32767 ? -32767 : stored;
    return t->bits == 8 ? stored * 257.0 : stored;
}

float em_filter_sum(const ls_texture *t, const filter_term *terms, uint32_t count) {
    if (t->kind == LS_TEXEL_FLOAT) return float_sum(t, terms, count);
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        if (terms[k].weight) sum += widened(t, terms[k].stored) * terms[k].weight;
    sum = floor(sum / FILTER_ONE + 0.5);
    if (t->kind == LS_TEXEL_SIGNED) return (float)(fmax(sum, -32767) / 32767);
    return (float)(sum / 65535);
}
