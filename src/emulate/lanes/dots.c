/* Products of matrices of small floats, eight elements of four rows at a time: what matrix/sum.c does for one
 * element, for numbers of ordinary size. The products of factors of at most 12 bits are exact in f32, and so
 * is scaling them so that the last bit that the tensor core keeps is worth one: converted to an integer they
 * are cut as it cuts them. Integers are added up eight products at a time, which fits 32 bits, and then as
 * doubles, exactly. */
#include "emulate/lanes/arithmetic.h"
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"
#include "isa/number.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef LANES_TARGET
#define LANES_TARGET base
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

enum {
    WIDE = MATRIX_WIDE,
    ROWS = MATRIX_ROWS,
    LEAST = -90,     /* exponents of the largest product for which nothing is subnormal … */
    MOST = 110,      /* … or overflows */
    NOTHING = -1000, /* below: all products are zero */
    INFINITE = 1000, /* above: a product or the accumulator is not finite */
    AT_ONCE = 8,
};

#define INLINE inline __attribute__((always_inline))
/* A loop over rows, or over some terms, that is written out: what it keeps stays in registers. */
#define WRITTEN_OUT _Pragma("GCC unroll 8")

typedef float floats __attribute__((vector_size(WIDE * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(WIDE * sizeof(int32_t))));
typedef u32 naturals __attribute__((vector_size(WIDE * sizeof(int32_t))));
typedef double doubles __attribute__((vector_size(WIDE * sizeof(double))));
typedef int64_t longs __attribute__((vector_size(WIDE * sizeof(int64_t))));

/* What compilers do not find themselves. */
#if defined(__AVX2__)
static inline ints greater(ints a, ints b) {
    return (ints)_mm256_max_epi32((__m256i)a, (__m256i)b);
}
static inline bool any(ints mask) {
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
}
#else
static inline ints greater(ints a, ints b) {
    const ints more = a > b;
    return (a & more) | (b & ~more);
}
static inline bool any(ints mask) {
    int32_t all = 0;
    for (u32 j = 0; j < WIDE; j++) all |= mask[j];
    return all;
}
#endif

static inline doubles to_doubles(ints x) {
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtepi32_pd((__m256i)x);
#else
    return __builtin_convertvector(x, doubles);
#endif
}

/* What is known of most products when this is compiled, and makes them faster: the terms of a step, the
 * columns, and all terms. */
typedef struct {
    u32 step, columns, terms;
} shape;
typedef struct {
    u32 row, column;
} place;

/* Of the exponents of the products and the accumulator the largest of each. */
static INLINE ints align(const matrix_floats *m, place at, u32 from, shape s, ints most) {
    const int32_t *x = m->x_exponent + at.row * s.terms + from;
    const int32_t *y = m->y_exponent + from * s.columns + at.column;
    ints other = most;
    for (u32 k = 0; k < s.step; k += 2) {
        ints first, second;
        memcpy(&first, y + (size_t)k * s.columns, sizeof first);
        memcpy(&second, y + (size_t)(k + 1) * s.columns, sizeof second);
        most = greater(first + x[k], most);
        other = greater(second + x[k + 1], other);
    }
    return greater(most, other);
}

/* The same for some rows. Mostly the accumulators have grown larger than any product can be, which is seen
 * from the largest factors of the row and of the columns. */
static INLINE void align_rows(const matrix_floats *m, place at, u32 from, shape s, ints *most) {
    const u32 step = from / s.step;
    ints columns;
    memcpy(&columns, m->y_most + step * s.columns + at.column, sizeof columns);
    WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) {
        const place here = {at.row + j, at.column};
        if (any(columns + m->x_most[here.row * (s.terms / s.step) + step] > most[j]))
            most[j] = align(m, here, from, s, most[j]);
        most[j] &= ~(most[j] < NOTHING);
    }
}

static inline floats choose(ints mask, floats yes, floats no) {
    ints y, n;
    memcpy(&y, &yes, sizeof y);
    memcpy(&n, &no, sizeof n);
    y = (y & mask) | (n & ~mask);
    memcpy(&yes, &y, sizeof y);
    return yes;
}

/* With infinities and NaNs among the terms, the sum of those alone. */
static inline floats add_special(const matrix_floats *m, u32 row, u32 column, u32 from, floats sum,
                                 ints exponent) {
    const u32 at = row * m->terms + from;
    const floats none = {0};
    sum = choose(exponent > INFINITE, sum, none);
    for (u32 k = 0; k < m->step; k++) {
        floats y;
        ints e;
        memcpy(&y, m->y + (from + k) * m->columns + column, sizeof y);
        memcpy(&e, m->y_exponent + (from + k) * m->columns + column, sizeof e);
        sum += choose(e + m->x_exponent[at + k] > INFINITE, m->x[at + k] * y, none);
    }
    ints bits;
    memcpy(&bits, &sum, sizeof bits);
    bits = (bits & (sum == sum)) | ((sum != sum) & 0x7fffffff);
    memcpy(&sum, &bits, sizeof bits);
    return sum;
}

/* 2^n, normal numbers. */
static inline floats power(ints n) {
    const naturals bits = ((naturals)n + 127) << 23;
    floats f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The integers that are left of the products and the accumulators, of some rows. */
static INLINE void add_up(const matrix_floats *m, place at, u32 from, shape s, const floats *sum,
                          const floats *scale, doubles *total) {
    const float *x = m->x + at.row * s.terms + from, *y = m->y + from * s.columns + at.column;
    WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) total[j] =
        to_doubles(__builtin_convertvector(sum[j] * scale[j], ints));
    for (u32 first = 0; first < s.step; first += AT_ONCE) {
        const u32 end = first + AT_ONCE < s.step ? first + AT_ONCE : s.step;
        naturals part[ROWS] = {0}; /* of special numbers, whose sums are replaced, it may go round */
        WRITTEN_OUT for (u32 k = first; k < end; k++) {
            floats eight;
            memcpy(&eight, y + (size_t)k * s.columns, sizeof eight);
            WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) part[j] +=
                (naturals) __builtin_convertvector(x[j * s.terms + k] * eight * scale[j], ints);
        }
        WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) total[j] += to_doubles((ints)part[j]);
    }
}

/* Cut towards zero to f32. */
static inline floats cut(doubles total) {
    longs bits;
    memcpy(&bits, &total, sizeof bits);
    bits &= ~((INT64_C(1) << 29) - 1);
    memcpy(&total, &bits, sizeof bits);
    return __builtin_convertvector(total, floats);
}

static inline ints exponents_of(floats f) {
    ints bits;
    memcpy(&bits, &f, sizeof bits);
    const ints exponent = bits >> 23 & 255, tiny = exponent == 0, zero = (bits & INT32_MAX) == 0,
               infinite = exponent == 255;
    return ((exponent - 127) & ~tiny & ~infinite) | (-126 & tiny & ~zero) | (zero & MATRIX_ZERO) |
           (infinite & MATRIX_NOT_FINITE);
}

/* --- Factors --- */
static inline naturals pick(ints mask, naturals yes, naturals no) {
    return (yes & (naturals)mask) | (no & ~(naturals)mask);
}

/* Eight elements as f32, and their exponents. */
static inline void unpack_f16(naturals h, naturals *values, ints *exponents) {
    const naturals size = h & 0x7fff, e = size >> 10, sign = (h & 0x8000) << 16;
    *values = ((size << 13) + (112u << 23)) | sign;
    *exponents = (ints)e - 15;
    if (!any((ints)(e - 1 >= 30))) return; /* all are ordinary */
    const ints special = (ints)(e == 31), tiny = (ints)(e == 0), zero = (ints)(size == 0);
    const floats scaled = __builtin_convertvector((ints)size, floats) * 0x1p-24f;
    naturals small;
    memcpy(&small, &scaled, sizeof small);
    *values = pick(special, size << 13 | 0x7f800000 | sign, pick(tiny, small | sign, *values));
    *exponents = (*exponents & ~tiny & ~special) | (-14 & tiny & ~zero) | (MATRIX_ZERO & zero) |
                 (MATRIX_NOT_FINITE & special);
}

static inline void unpack_eight(ls_ptx_type type, naturals words, u32 half, naturals *values,
                                ints *exponents) {
    floats f;
    if (type == LS_TYPE_F16) {
        unpack_f16(words >> 16 * half, values, exponents);
        return;
    }
    if (type == LS_TYPE_BF16)
        *values = half ? words & 0xffff0000 : words << 16;
    else
        *values = words & 0xffffe000;
    memcpy(&f, values, sizeof f);
    *exponents = exponents_of(f);
}

/* The last ones may be fewer than eight. */
static void unpack_rest(ls_ptx_type type, const u32 *words, u32 count, u32 half, float *to,
                        int32_t *to_exponents) {
    naturals some = {0}, values;
    ints exponents;
    for (u32 k = 0; k < count; k++) some[k] = words[k];
    unpack_eight(type, some, half, &values, &exponents);
    memcpy(to, &values, count * sizeof *to);
    memcpy(to_exponents, &exponents, count * sizeof *to_exponents);
}

static INLINE void unpack_row(ls_ptx_type type, const u32 *words, u32 count, u32 half, float *to,
                              int32_t *to_exponents) {
    u32 k = 0;
    for (; k + WIDE <= count; k += WIDE) {
        naturals some, values;
        ints exponents;
        memcpy(&some, words + k, sizeof some);
        unpack_eight(type, some, half, &values, &exponents);
        memcpy(to + k, &values, sizeof values);
        memcpy(to_exponents + k, &exponents, sizeof exponents);
    }
    if (k < count) unpack_rest(type, words + k, count - k, half, to + k, to_exponents + k);
}

/* Within a step the order of terms is free: of words that hold two, first all lower halves, then the upper
 * ones. */
static INLINE void unpack(matrix_floats *m, ls_ptx_type type, u32 per, shape s) {
    const u32 words = s.step / per;
    for (u32 from = 0; from < s.terms; from += s.step)
        for (u32 half = 0; half < per; half++) {
            const u32 to = from + half * words;
            for (u32 row = 0; row < m->rows; row++)
                unpack_row(type, m->x_words + (row * s.terms + from) / per, words, half,
                           m->x + row * s.terms + to, m->x_exponent + row * s.terms + to);
            unpack_row(type, m->y_words + from / per * s.columns, words * s.columns, half,
                       m->y + to * s.columns, m->y_exponent + to * s.columns);
        }
}

/* The largest exponents of the factors of each step: of a row of x, and of a column of y. */
static INLINE void find_most(matrix_floats *m, shape s) {
    const u32 steps = s.terms / s.step;
    for (u32 n = 0; n < m->rows * steps; n++) {
        const int32_t *x = m->x_exponent + n * s.step;
        int32_t most = x[0];
        for (u32 k = 1; k < s.step; k++) most = x[k] > most ? x[k] : most;
        m->x_most[n] = most;
    }
    for (u32 n = 0; n < steps; n++)
        for (u32 column = 0; column < s.columns; column += WIDE) {
            const int32_t *y = m->y_exponent + n * s.step * s.columns + column;
            ints most, other;
            memcpy(&most, y, sizeof most);
            for (u32 k = 1; k < s.step; k++) {
                memcpy(&other, y + (size_t)k * s.columns, sizeof other);
                most = greater(most, other);
            }
            memcpy(m->y_most + n * s.columns + column, &most, sizeof most);
        }
}

/* --- Sums --- */
/* What a step leaves in the accumulators of a row. */
static INLINE floats end_step(matrix_floats *m, place at, u32 from, shape s, floats sum, ints exponent,
                              doubles total, ints largest, ints special) {
    const floats unit = power(largest - (int32_t)m->fraction);
    floats cut_off = cut(total) * unit;
    const bool is_special = any(special);
    if (is_special)
        cut_off = choose(special, add_special(m, at.row, at.column, from, sum, exponent), cut_off);
    if (!m->exact) return cut_off;
    doubles exact = total * __builtin_convertvector(unit, doubles);
    for (u32 j = 0; is_special && j < WIDE; j++)
        if (special[j]) exact[j] = (double)cut_off[j];
    memcpy(m->exact + at.row * s.columns + at.column, &exact, sizeof exact);
    return cut_off;
}

/* Eight elements of some rows; those of a row that are `odd` are to be summed one by one. */
static INLINE void sum_group(matrix_floats *m, place at, shape s) {
    const u32 to = at.row * s.columns + at.column;
    floats sum[ROWS], scale[ROWS];
    ints exponent[ROWS], largest[ROWS], special[ROWS];
    doubles total[ROWS];
    bool odd[ROWS] = {0};
    WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) {
        memcpy(&sum[j], m->c + to + j * s.columns, sizeof *sum);
        if (m->sum == LS_TYPE_F16)
            memcpy(&exponent[j], m->c_exponent + to + j * s.columns, sizeof *exponent);
        else
            exponent[j] = exponents_of(sum[j]);
    }
    for (u32 from = 0; from < s.terms; from += s.step) {
        memcpy(largest, exponent, sizeof largest);
        align_rows(m, at, from, s, largest);
        WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) {
            special[j] = largest[j] > INFINITE;
            largest[j] &= ~special[j];
            odd[j] |= any((largest[j] < LEAST) | (largest[j] > MOST));
            scale[j] = power((int32_t)m->fraction - largest[j]);
        }
        add_up(m, at, from, s, sum, scale, total);
        WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) {
            const place here = {at.row + j, at.column};
            sum[j] = end_step(m, here, from, s, sum[j], exponent[j], total[j], largest[j], special[j]);
            if (from + s.step < s.terms) exponent[j] = exponents_of(sum[j]);
        }
    }
    WRITTEN_OUT for (u32 j = 0; j < ROWS; j++) {
        memcpy(m->c + to + j * s.columns, &sum[j], sizeof *sum);
        m->odd[(to + j * s.columns) / WIDE] = odd[j];
    }
}

static INLINE void sum_all(matrix_floats *m, shape s) {
    find_most(m, s);
    for (u32 row = 0; row < m->rows; row += ROWS)
        for (u32 column = 0; column < s.columns; column += WIDE) sum_group(m, (place){row, column}, s);
}

/* Of the shapes and types that nearly all kernels use there is code for each. */
static void dots(matrix_floats *m) {
    const shape s = {m->step, m->columns, m->terms};
    if (s.step != 16 || s.terms != 16 || m->per != 2) {
        unpack(m, m->type, m->per, s);
        sum_all(m, s);
    } else if (s.columns != 8) {
        unpack(m, m->type, 2, s);
        sum_all(m, (shape){16, s.columns, 16});
    } else {
        if (m->type == LS_TYPE_F16)
            unpack(m, LS_TYPE_F16, 2, (shape){16, 8, 16});
        else
            unpack(m, m->type, 2, (shape){16, 8, 16});
        sum_all(m, (shape){16, 8, 16});
    }
}

/* --- Words on their way --- */
static void pick_words(const void *from, const matrix_pick *picks, u32 count, void *to) {
    u32 *words = to;
    for (u32 n = 0; n < count; n++, words += MATRIX_PICKED) {
        const char *first = (const char *)from + picks[n].from[0],
                   *second = (const char *)from + picks[n].from[1];
#if defined(__AVX512F__)
        const __m512i which = _mm512_loadu_si512(picks[n].word);
        _mm512_storeu_si512(
            words, _mm512_permutex2var_epi32(_mm512_loadu_si512(first), which, _mm512_loadu_si512(second)));
#else
        for (u32 k = 0; k < MATRIX_PICKED; k++) {
            const u32 word = picks[n].word[k];
            memcpy(&words[k], (word < MATRIX_PICKED ? first : second) + word % MATRIX_PICKED * 4, 4);
        }
#endif
    }
}

extern const matrix_ops JOIN(em_matrix_, LANES_TARGET);
const matrix_ops JOIN(em_matrix_, LANES_TARGET) = {.dots = dots, .pick = pick_words};
