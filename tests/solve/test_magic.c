/* Division by constants as compilers write it (magic.c): for divisors with factors of 32 and 33 bits, signed
 * and not, the terms of the code that a compiler makes (Granlund and Montgomery, 1994) are divisions, and
 * have the value of the code; near misses are left as they are, and have it too. */
#include "solve/terms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef __int128 wide;

static const uint32_t samples[] = {0,          1,          2,          5,          6,
                                   7,          99,         100,        1000,       65535,
                                   65536,      0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
                                   0xfffffffe, 0xffffffff, 0xfffffff9, 0x55555555, 0xaaaaaaaa};
enum { SAMPLES = sizeof samples / sizeof *samples };

static bool has(const ls_term *t, ls_term_op op) {
    bool found = t->op == op;
    for (uint32_t i = 0; i < t->count && !found; i++) found = has(t->args[i], op);
    return found;
}

static uint64_t look_up(void *data, const ls_term *leaf) {
    (void)leaf;
    return *(uint32_t *)data;
}

static uint32_t value_of(const ls_term *t, uint32_t x) {
    ls_eval eval = {.lookup = look_up, .data = &x};
    uint32_t v = (uint32_t)ls_evaluate(&eval, t);
    ls_intmap_free(&eval.memo);
    return v;
}

static const ls_term *high(ls_terms *t, const ls_term *x, uint32_t factor, bool is_signed) {
    const ls_term *m = ls_const(t, 32, factor);
    return ls_extract(t, ls_mul(t, ls_resize(t, x, 64, is_signed), ls_resize(t, m, 64, is_signed)), 32, 32);
}

static const ls_term *shift(ls_terms *t, ls_term_op op, const ls_term *a, uint32_t by) {
    return ls_binary(t, op, a, ls_const(t, 32, by));
}

/* The smallest shift, and its reciprocal rounded up, that are exact for 31 bits. */
static uint64_t reciprocal(uint32_t d, uint32_t *s) {
    for (*s = 0;; ++*s) {
        wide one = (wide)1 << (32 + *s), m = (one + d - 1) / d, e = m * d - one;
        if (e * ((wide)1 << 31) <= one) return (uint64_t)m;
    }
}

static void signed_divisions(void **state) {
    (void)state;
    for (uint32_t d = 3; d < 400; d++) {
        if (!(d & (d - 1))) continue;
        ls_terms t;
        ls_terms_init(&t);
        const ls_term *x = ls_symbol(&t, "x", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 1, 0);
        uint32_t s;
        uint64_t m = reciprocal(d, &s);
        for (uint32_t off = 0; off < 2; off++) { /* with a factor that is one off it is no division */
            const ls_term *q = high(&t, x, (uint32_t)m + 40000 * off, true);
            if ((m + 40000 * off) >> 31) q = ls_add(&t, q, x);
            const ls_term *sign = shift(&t, LS_T_LSHR, q, 31);
            q = ls_add(&t, shift(&t, LS_T_ASHR, q, s), sign);
            if (!off) assert_true(has(q, LS_T_SDIV) && !has(q, LS_T_EXTRACT));
            for (uint32_t i = 0; i < SAMPLES; i++) {
                int32_t v = (int32_t)samples[i];
                wide product = (wide)v * (wide)(m + 40000 * off);
                int64_t floor = (int64_t)(product >> (32 + s)) + (v < 0);
                if (!off) assert_int_equal((int32_t)floor, v / (int32_t)d);
                assert_int_equal((int32_t)value_of(q, samples[i]), (int32_t)floor);
            }
        }
        ls_terms_free(&t);
    }
}

static void unsigned_divisions(void **state) {
    (void)state;
    uint32_t found = 0;
    for (uint32_t d = 3; d < 400; d++) {
        if (!(d & (d - 1))) continue;
        ls_terms t;
        ls_terms_init(&t);
        const ls_term *x = ls_symbol(&t, "x", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 0x7fffffff);
        uint32_t s;
        uint64_t m = reciprocal(d, &s);
        const ls_term *narrow = shift(&t, LS_T_LSHR, high(&t, x, (uint32_t)m, false), s);
        const ls_term *wide_x = ls_mul(&t, ls_zext(&t, x, 64), ls_const(&t, 64, m));
        const ls_term *q = ls_extract(&t, ls_binary(&t, LS_T_LSHR, wide_x, ls_const(&t, 64, 32 + s)), 0, 32);
        found += has(narrow, LS_T_UDIV) && !has(narrow, LS_T_EXTRACT) && narrow == q;
        for (uint32_t i = 0; i < SAMPLES; i++) {
            if (samples[i] > 0x7fffffff) continue;
            assert_int_equal(value_of(narrow, samples[i]), samples[i] / d);
            assert_int_equal(value_of(q, samples[i]), samples[i] / d);
        }
        ls_terms_free(&t);
    }
    assert_in_range(found, 380, 390);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(signed_divisions),
                                       cmocka_unit_test(unsigned_divisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
