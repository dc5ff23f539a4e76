/* lockstep model on .simd files as a user sees it: the trace, results and exit statuses, printing, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int model(const char *arguments) {
    return run_in(SOURCE_DIR "/tests/usimd/programs", "model", arguments);
}

static void runs(void **state) {
    (void)state;
    assert_int_equal(model("fig8_sum_triangle.simd --trace"), 0);
    says("fig8_sum_triangle.simd: 4 PEs, 48 cycles, emulator and paper's rules agree\n");
    says("cycle  instruction         t0  t1  t2  t3\n");
    says("   17         bz p, l15     ✓   ✓   ✓   ✓\n"
         "   18  l7:    p = d % 2     •   ✓   ✓   ✓\n");
    says("   44  l15:   sync          •   •   •   ✓\n"
         "   45  l15:   sync          ✓   ✓   ✓   •\n"
         "   46         x = d - 1     ✓   ✓   ✓   ✓\n");
    says("d                  1           2           3           4\n");
    says("      0:           1           2          14          16           5");
    assert_int_equal(model("fig8_sum_triangle.simd --threads 2"), 0);
    says("2 PEs, 30 cycles");
    assert_int_equal(model("race.simd atomic.simd"), 1);
    says("race.simd:5: error: PEs 0 and 2 store different values into cell 0");
    assert_int_equal(model("fig9_sum_triangle.simd --threads 1 --max-states 5"), 3);
    says("5 cycles were not enough");
}

static void prints(void **state) {
    (void)state;
    assert_int_equal(model("fig9_sum_triangle.simd --print gated"), 0);
    says("l15:    [s4, d3] = η[p0, (s1, d1)]\n");
    assert_int_equal(model("fig9_sum_triangle.simd --print divergence"), 0);
    says("i1        μ[i0, i2]      D     (1, ⊥)    (0, 1, ⊥)\n");
    says("line 15: bnz p, l11: uniform (§3.3), uniform (degree 1), uniform (degree 2)\n");
    assert_int_equal(model("fig9_sum_triangle.simd --print dependences"), 0);
    says("\"p0\" -> \"d3\";");
    assert_int_equal(model("fig15_rows.simd --print ptx"), 0);
    says(".visible .entry usimd(.param .s32 in0_n)");
    assert_int_equal(model("fig15_rows.simd --print program"), 0);
    says("    ↑i = 1\n");
}

static void wrong_usage(void **state) {
    (void)state;
    assert_int_equal(model("nosuch.simd"), 2);
    says("cannot read");
    assert_int_equal(model("race.simd ../../model/kernels/fig3_scan.kernel"), 2);
    says("not both");
    assert_int_equal(model("race.simd --print sort-order"), 2);
    says("not for .simd files");
    assert_int_equal(model("race.simd --threads 33"), 2);
    says("--threads expects 1 to 32");
    assert_int_equal(model("../../model/kernels/fig3_scan.kernel --print gated"), 2);
    says("this --print is for .simd files");
}

static void json(void **state) {
    (void)state;
    assert_int_equal(model("fig8_sum_triangle.simd --trace --format json"), 0);
    json_t *root = json_loads(ls_buf_text(&last.output), 0, NULL);
    assert_non_null(root);
    json_t *file = json_array_get(json_object_get(root, "files"), 0);
    json_t *stats = json_object_get(json_array_get(json_object_get(file, "kernels"), 0), "stats");
    assert_int_equal(json_integer_value(json_object_get(stats, "cycles")), 48);
    assert_true(json_is_true(json_object_get(stats, "machines_agree")));
    json_t *sums = json_object_get(json_object_get(stats, "variables"), "s");
    assert_int_equal(json_integer_value(json_array_get(sums, 3)), 16);
    json_t *row = json_array_get(json_object_get(stats, "trace"), 17);
    assert_int_equal(json_integer_value(json_object_get(row, "active")), 14);
    assert_string_equal(json_string_value(json_object_get(row, "instruction")), "p = d % 2");
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs, forget), cmocka_unit_test_teardown(prints, forget),
        cmocka_unit_test_teardown(wrong_usage, forget), cmocka_unit_test_teardown(json, forget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
