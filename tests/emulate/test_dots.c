/* Matrix products of small floats, many elements at a time (lanes/dots.c), against the sum of one element at
 * a time (matrix/sum.c), which is held to an H200's results: random numbers of any bits, and of sizes that
 * are near to each other, by every form of the loops that this processor has. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"
#include "isa/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

extern const matrix_ops em_matrix_base;

static uint32_t next_random(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 32);
}

typedef struct {
    ls_ptx_type type, sum; /* of factors; of C and D */
    uint32_t rows, columns, terms, step;
} shape;

static const shape shapes[] = {
    {LS_TYPE_F16, LS_TYPE_F32, 16, 8, 16, 16},  {LS_TYPE_F16, LS_TYPE_F16, 16, 8, 16, 16},
    {LS_TYPE_F16, LS_TYPE_F32, 16, 8, 8, 8},    {LS_TYPE_BF16, LS_TYPE_F32, 16, 8, 16, 16},
    {LS_TYPE_TF32, LS_TYPE_F32, 16, 16, 8, 4},  {LS_TYPE_TF32, LS_TYPE_F32, 16, 8, 8, 8},
    {LS_TYPE_BF16, LS_TYPE_F32, 32, 8, 16, 16}, {LS_TYPE_F16, LS_TYPE_F32, 8, 32, 16, 16},
};

/* A number of the format. near: its exponent is one of 16 in the middle, now and then it is 0; else any bits.
 */
static uint32_t number_of(ls_ptx_type type, bool near) {
    const uint32_t mantissa = type == LS_TYPE_F16 ? 10 : type == LS_TYPE_BF16 ? 7 : 23;
    const uint32_t width = type == LS_TYPE_F16 || type == LS_TYPE_BF16 ? 16 : 32;
    const uint32_t bits = next_random() >> (32 - width), middle = (1u << (width - 2 - mantissa)) - 8;
    if (!near) return bits;
    if (next_random() % 16 == 0) return bits & 1u << (width - 1);
    const uint32_t exponent = middle + next_random() % 16, sign = bits & 1u << (width - 1);
    return sign | exponent << mantissa | (bits & ((1u << mantissa) - 1));
}

typedef struct {
    matrix_floats f;
    double exact[MATRIX_FLOATS];
    uint64_t x[MATRIX_FLOATS], y[MATRIX_FLOATS], c[MATRIX_FLOATS]; /* x and y along the terms */
    product_info m;
} trial;

/* grown: the accumulators are larger than all products, as after many of them. */
static void prepare(trial *t, const shape *s, bool near, bool grown) {
    matrix_floats *f = &t->f;
    memset(f, 0, sizeof *f);
    f->rows = s->rows, f->columns = s->columns, f->terms = s->terms, f->step = s->step, f->fraction = 25;
    f->per = s->type == LS_TYPE_TF32 ? 1 : 2;
    f->type = s->type, f->sum = s->sum;
    f->exact = s->sum == LS_TYPE_F16 ? t->exact : NULL;
    t->m = (product_info){.m = (uint16_t)s->rows, .n = (uint16_t)s->columns, .step = (uint16_t)s->step};
    t->m.k = (uint16_t)s->terms;
    t->m.a.of.type = t->m.b.of.type = (uint8_t)s->type;
    t->m.c.of.type = t->m.d.of.type = (uint8_t)s->sum;
    for (uint32_t k = 0; k < s->terms; k++) {
        const uint32_t shift = k % f->per * 16;
        for (uint32_t r = 0; r < s->rows; r++) {
            t->x[r * s->terms + k] = number_of(s->type, near);
            f->x_words[(r * s->terms + k) / f->per] |= (uint32_t)t->x[r * s->terms + k] << shift;
        }
        for (uint32_t c = 0; c < s->columns; c++) {
            t->y[c * s->terms + k] = number_of(s->type, near);
            f->y_words[k / f->per * s->columns + c] |= (uint32_t)t->y[c * s->terms + k] << shift;
        }
    }
    for (uint32_t k = 0; k < s->rows * s->columns; k++) {
        t->c[k] = number_of(s->sum, near);
        if (grown && s->sum == LS_TYPE_F32 && t->c[k] << 1 & UINT32_MAX) t->c[k] += 24u << 23;
        em_matrix_accumulator(s->sum, (uint32_t)t->c[k], &f->c[k], &f->c_exponent[k]);
    }
}

static uint32_t compare(trial *t, const shape *s) {
    uint32_t odd = 0;
    for (uint32_t k = 0; k < s->rows * s->columns; k++) {
        odd += t->f.odd[k / MATRIX_WIDE];
        if (t->f.odd[k / MATRIX_WIDE]) continue;
        const uint64_t wanted = em_matrix_dot(&t->m, t->x + k / s->columns * s->terms,
                                              t->y + k % s->columns * s->terms, s->terms, t->c[k]);
        assert_int_equal(em_matrix_result(s->sum, &t->f, k), wanted);
    }
    return odd;
}

static void run(bool near) {
    static trial t, again;
    for (uint32_t n = 0; n < 400; n++) {
        const shape *s = &shapes[n % (sizeof shapes / sizeof *shapes)];
        prepare(&t, s, near, near && next_random() % 2);
        again = t;
        if (again.f.exact) again.f.exact = again.exact;
        em_matrix_ops()->dots(&t.f);
        const uint32_t odd = compare(&t, s);
        if (near) assert_int_equal(odd, 0);
        em_matrix_base.dots(&again.f);
        assert_int_equal(compare(&again, s), odd);
    }
}

static void any_bits_are_summed_as_one_by_one(void **state) {
    (void)state;
    run(false);
}

static void ordinary_numbers_are_summed_many_at_a_time(void **state) {
    (void)state;
    run(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_bits_are_summed_as_one_by_one),
                                       cmocka_unit_test(ordinary_numbers_are_summed_many_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
