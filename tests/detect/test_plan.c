/* Table I of paper 002, and that every pair of units is told apart in some round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lockstep/detect.h"

#include <math.h>

static void table_1(void **state) {
    (void)state;
    static const struct {
        uint32_t passes, copies, rounds;
        double percent;
    } rows[] = {{2, 960, 0, 100}, {4, 31, 0, 100}, {6, 10, 0, 100}, {8, 6, 0, 100}, {10, 4, 0, 100},
                {20, 2, 0, 100},  {10, 2, 5, 97},  {8, 2, 4, 94},   {6, 2, 3, 88},  {4, 2, 2, 75}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t rounds = rows[i].rounds ? rows[i].rounds : ls_detect_rounds(960, rows[i].copies);
        assert_int_equal(2 * rounds, rows[i].passes);
        assert_int_equal((int)round(100 * ls_detect_probability(960, rows[i].copies, rounds)),
                         (int)rows[i].percent);
    }
}

static void edges(void **state) {
    (void)state;
    assert_int_equal(ls_detect_rounds(1, 8), 0);
    assert_int_equal(ls_detect_rounds(8, 1), 0);
    assert_int_equal(ls_detect_rounds(2, 2), 1);
    assert_int_equal(ls_detect_rounds(8, 2), 3);
    assert_int_equal(ls_detect_rounds(9, 2), 4);
    assert_true(ls_detect_probability(1, 2, 1) == 1);
    assert_true(ls_detect_probability(8, 2, 0) == 0);
    assert_true(fabs(ls_detect_probability(8, 2, 3) - 1) < 1e-12);
}

static void every_pair_is_compared(void **state) {
    (void)state;
    for (uint64_t units = 2; units < 70; units++)
        for (uint64_t copies = 2; copies <= units; copies++) {
            uint32_t rounds = ls_detect_rounds(units, copies);
            for (uint64_t a = 0; a < units; a++)
                for (uint64_t b = a + 1; b < units; b++) {
                    uint32_t apart = 0;
                    for (uint32_t r = 0; r < rounds; r++) {
                        uint64_t d = ls_detect_divisor(copies, rounds, r);
                        apart += a / d % copies != b / d % copies;
                    }
                    assert_true(apart > 0);
                }
        }
}

/* Equation 1 counts the pairs that are apart after k rounds, where the number of units is a power. */
static void equation_1(void **state) {
    (void)state;
    const uint64_t units = 64, copies = 4;
    for (uint32_t k = 1; k <= 3; k++) {
        uint64_t apart = 0, pairs = 0;
        for (uint64_t a = 0; a < units; a++)
            for (uint64_t b = a + 1; b < units; b++, pairs++)
                for (uint32_t r = 0; r < k; r++) {
                    uint64_t d = ls_detect_divisor(copies, 3, r);
                    if (a / d % copies == b / d % copies) continue;
                    apart++;
                    break;
                }
        assert_true(fabs((double)apart / (double)pairs - ls_detect_probability(units, copies, k)) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_1),
        cmocka_unit_test(edges),
        cmocka_unit_test(every_pair_is_compared),
        cmocka_unit_test(equation_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
