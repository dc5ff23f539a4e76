/* Names of a launch's values in conditions: what is written is read again, and nothing else is taken for it.
 */
#include "ptx/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void arguments_are_read_as_written(void **state) {
    (void)state;
    char name[LS_ARGUMENT_NAME];
    static const uint32_t numbers[][3] = {{0, 32, 1}, {11, 64, 12}, {4294967295, 4294967295, 4294967295}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ls_origin_argument(name, numbers[i][0], numbers[i][1], numbers[i][2]);
        ls_origin origin = ls_origin_of(name);
        assert_int_equal(origin.kind, LS_ORIGIN_ARGUMENT);
        assert_int_equal(origin.length, strlen(name));
        assert_int_equal(origin.index, numbers[i][0]);
        assert_int_equal(origin.bits, numbers[i][1]);
        assert_int_equal(origin.count, numbers[i][2]);
    }
    assert_int_equal(ls_origin_of("$arg1_32_3 + 1").length, strlen("$arg1_32_3"));
}

static void values_of_the_host_have_words(void **state) {
    (void)state;
    ls_origin origin = ls_origin_of("$3_row_width > 2");
    assert_int_equal(origin.kind, LS_ORIGIN_HOST);
    assert_int_equal(origin.length, strlen("$3_row_width"));
    assert_int_equal(origin.stem, strlen("$3"));
    assert_memory_equal(origin.word, "row_width", strlen("row_width"));
    assert_false(origin.is_wide);
    origin = ls_origin_of("$$12");
    assert_true(origin.is_wide && !origin.word);
    assert_int_equal(origin.stem, origin.length);
    assert_int_equal(origin.length, strlen("$$12"));
}

static void everything_else_is_the_kernels(void **state) {
    (void)state;
    static const char *const names[] = {"n",
                                        "",
                                        "$",
                                        "$$",
                                        "$$$3",
                                        "$n",
                                        "arg1_2_3",
                                        "$arg",
                                        "$arg1",
                                        "$arg1_32",
                                        "$arg1_32_",
                                        "$arg_32_3",
                                        "$$arg1_32_3",
                                        "$arg1_32_3x",
                                        "$arg1_32_3_",
                                        "$arg1_32_3$",
                                        "$arg4294967296_32_3",
                                        "$arg-1_32_3",
                                        "$arg 1_32_3",
                                        "_ZN$1",
                                        "blockDim.x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(ls_origin_of(names[i]).kind, LS_ORIGIN_KERNEL);
}

static void arguments_are_found_in_conditions(void **state) {
    (void)state;
    assert_true(ls_origin_mentions("gridDim.x == ($arg1_32_3 + 255) / 256", 1));
    assert_true(ls_origin_mentions("$arg10_32_12 == $arg1_32_12", 1));
    assert_false(ls_origin_mentions("$arg10_32_12 == $1_arg", 1));
    assert_false(ls_origin_mentions("$arg10_1_12 > 1", 1));
    assert_false(ls_origin_mentions("", 0));
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_read_as_written),
        cmocka_unit_test(values_of_the_host_have_words),
        cmocka_unit_test(everything_else_is_the_kernels),
        cmocka_unit_test(arguments_are_found_in_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
