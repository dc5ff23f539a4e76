/* lockstep model as a user sees it: verdicts and exit statuses, printing, traces, JSON, the self-check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/scratch.h"
#include "command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int model(const char *arguments) {
    return run_in(SOURCE_DIR "/tests/model/kernels", "model", arguments);
}

static void verdicts_and_statuses(void **state) {
    (void)state;
    assert_int_equal(model("fig3_scan.kernel"), 0);
    says("kernel 'scan': proved for block 4");
    says("both semantics agree (Theorem 5.2)");
    assert_int_equal(model("-v fig3_scan.kernel --threads 3 --semantics predicated"), 0);
    says("predicated: ");
    assert_int_equal(model("fig1b_barrier_divergence.kernel --semantics lockstep"), 1);
    says("fig1b_barrier_divergence.kernel:17:9: error: barrier divergence");
    assert_int_equal(model("fig3_scan.kernel fig1b_barrier_divergence.kernel"), 1);
    says("2 kernels: 1 proved, 1 refuted");
    assert_int_equal(model("-v sec5_ill_formed.kernel"), 1);
    says("not known to be well-formed");
    assert_int_equal(model("fig3_scan.kernel --max-states 5"), 3);
    says("more states than allowed");
}

/* Orders of its steps that nobody lives to see the end of. */
static void time_is_limited(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), path[256], arguments[512];
    static const char text[] =
        "kernel long;\nthreads 8;\nshared a : 0..7 = 0;\nprivate i : 0..7 = 0;\n"
        "private j : 0..7 = 0;\n\nStart:  goto L;\nL:      havoc i;\n        a := a + i;\n"
        "        havoc j;\n        a := j;\n        goto End;\n";
    snprintf(path, sizeof path, "%s/long.kernel", folder);
    assert_true(ls_write_file(path, text, sizeof text - 1));
    snprintf(arguments, sizeof arguments, "%s --timeout 0.2 --semantics interleaving", path);
    assert_int_equal(model(arguments), 1);
    says("the time limit was reached");
    says("race");
    ls_scratch_remove(folder);
}

static void wrong_usage(void **state) {
    (void)state;
    assert_int_equal(model("nosuch.kernel"), 2);
    says("cannot read");
    assert_int_equal(model("../test_kernel_parse.c"), 2);
    says("ends in .kernel");
    assert_int_equal(model("fig3_scan.kernel --threads 17"), 2);
    assert_int_equal(model("fig3_scan.kernel --semantics both2"), 2);
    assert_int_equal(model("--random x"), 2);
    assert_int_equal(model("--random 1 fig3_scan.kernel"), 2);
    assert_int_equal(model(""), 2);
}

static void printing(void **state) {
    (void)state;
    assert_int_equal(model("fig3_scan.kernel --print sort-order"), 0);
    says("Start ≤ W ≤ I1");
    assert_int_equal(model("fig3_scan.kernel --print predicated"), 0);
    says("barrier (v_active = B2);");
    assert_int_equal(model("fig3_scan.kernel --print lockstep"), 0);
    says("assume ∨ₜ (v_active,t = W);");
    assert_int_equal(model("--random 7 --print kernel"), 0);
    says("kernel random;");
}

static void traces(void **state) {
    (void)state;
    assert_int_equal(model("sec5_ill_formed.kernel --trace"), 1);
    says("1: thread = 0, block = Start, line = 12, statement = v := 4, effect = v = 4");
    assert_int_equal(model("fig1b_barrier_divergence.kernel --format json"), 1);
    json_t *root = json_loads(ls_buf_text(&last.output), 0, NULL);
    assert_non_null(root);
    json_t *kernel =
        json_array_get(json_object_get(json_array_get(json_object_get(root, "files"), 0), "kernels"), 0);
    assert_string_equal(json_string_value(json_object_get(kernel, "verdict")), "refuted");
    json_t *finding = json_array_get(json_object_get(kernel, "findings"), 0);
    assert_string_equal(json_string_value(json_object_get(finding, "rule")), "barrier.divergence");
    json_t *witness = json_object_get(finding, "witness");
    assert_int_equal(json_array_size(json_object_get(witness, "trace")),
                     json_integer_value(json_object_get(witness, "steps")));
    assert_true(json_array_size(json_object_get(witness, "trace")) > 0);
    json_decref(root);
}

static void self_check(void **state) {
    (void)state;
    assert_int_equal(model("--random 100 --count 40 --threads 2 --format json"), 0);
    json_t *root = json_loads(ls_buf_text(&last.output), 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "disagree")), 0);
    assert_int_equal(json_integer_value(json_object_get(root, "both_correct")) +
                         json_integer_value(json_object_get(root, "both_incorrect")),
                     40);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_and_statuses),
        cmocka_unit_test(time_is_limited),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(printing),
        cmocka_unit_test(traces),
        cmocka_unit_test(self_check),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
