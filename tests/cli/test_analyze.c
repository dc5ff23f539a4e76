/* lockstep analyze and check as a user sees them: golden outputs (tests/analyze/expected), exit statuses, the
 * details in JSON, wrong usage. LS_UPDATE=1 writes the golden outputs anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int run(const char *arguments) {
    return run_in(SOURCE_DIR "/tests/analyze/kernels", "", arguments);
}

/* The output is exactly that of the file. */
static void golden(const char *name, int status, const char *arguments) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/analyze/expected/%s.txt", SOURCE_DIR, name);
    assert_int_equal(run(arguments), status);
    const char *got = ls_buf_text(&last.output);
    if (getenv("LS_UPDATE")) assert_true(ls_write_file(path, got, strlen(got)));
    ls_buf expected = {0};
    assert_true(ls_read_file(path, &expected));
    assert_string_equal(got, ls_buf_text(&expected));
    ls_buf_free(&expected);
}

static void texts(void **state) {
    (void)state;
    golden("001_fig1_all", 1, "analyze --all --block 256 001_fig1.ptx");
    golden("001_fig2a", 1, "analyze 001_fig2a_fan2.ptx");
    golden("001_fig2a_gpudrano", 1, "analyze --domain gpudrano 001_fig2a_fan2.ptx");
    golden("001_fig2b", 0, "analyze 001_fig2b_fan2_fixed.ptx");
    golden("003_fig2_avg_square", 0, "analyze --values 003_fig1_avg_square.ptx");
    golden("003_fig2_sum_triangle", 0, "analyze --values 003_fig1_sum_triangle.ptx");
    golden("003_fig2_simple", 0, "analyze --values --degree 0 003_fig1_sum_triangle.ptx");
    golden("003_fig15_degree_1", 0, "analyze --values --degree 1 003_fig15_rows.ptx");
    golden("003_unknown", 3, "analyze 003_fig1_sum_triangle.ptx");
    golden("004_fig2", 1, "analyze --block 32 004_fig2_banks.ptx");
    golden("copies", 1, "analyze --all --arg map=tensor:f16[256,64]box[64,8] copies.ptx");
    golden("copies_narrow", 1, "analyze --arg 0=tensor:f16[256,64]box[8,64] copies.ptx");
    golden("copies_map_unknown", 1, "analyze copies.ptx");
    golden("copies_run", 1,
           "run --check coalesce --grid 2 --arg tensor:f16[256,64]box[8,64]=iota --arg u8[4096] copies.ptx");
    golden("transpose", 1, "analyze --all --block 32,32 transpose.ptx");
}

static const json_t *finding(const json_t *root, size_t kernel, const char *rule, const char *level) {
    const json_t *file = json_array_get(json_object_get(root, "files"), 0);
    const json_t *findings =
        json_object_get(json_array_get(json_object_get(file, "kernels"), kernel), "findings");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *one = json_array_get(findings, i);
        if (!strcmp(json_string_value(json_object_get(one, "rule")), rule) &&
            !strcmp(json_string_value(json_object_get(one, "level")), level))
            return one;
    }
    return NULL;
}

static void is_number(const json_t *detail, const char *key, json_int_t number) {
    const json_t *value = json_object_get(detail, key);
    if (!json_is_integer(value)) fail_msg("no %s in the detail", key);
    assert_int_equal(json_integer_value(value), number);
}

static void details(void **state) {
    (void)state;
    assert_int_equal(run("analyze --format json --block 256 001_fig1.ptx"), 1);
    json_t *root = json_loads(ls_buf_text(&last.output), 0, NULL);
    const json_t *detail = json_object_get(finding(root, 0, "coalescing", "warning"), "detail");
    assert_string_equal(json_string_value(json_object_get(detail, "class")), "strided");
    is_number(detail, "sectors", 32);
    is_number(detail, "lines", 8);
    is_number(detail, "minimum_sectors", 4);
    is_number(detail, "stride_bytes", 32);
    is_number(detail, "active_lanes", 32);
    json_decref(root);
    assert_int_equal(run("analyze --format json --block 32 --kernel conflicts 004_fig2_banks.ptx"), 1);
    root = json_loads(ls_buf_text(&last.output), 0, NULL);
    detail = json_object_get(finding(root, 0, "bank-conflict", "warning"), "detail");
    is_number(detail, "degree", 32);
    const json_t *banks = json_object_get(detail, "banks");
    assert_int_equal(json_array_size(banks), 32);
    json_int_t words = 0;
    for (size_t i = 0; i < 32; i++) words += json_integer_value(json_array_get(banks, i));
    assert_int_equal(words, 32);
    json_decref(root);
}

static void formats_and_statuses(void **state) {
    (void)state;
    assert_int_equal(run("analyze --format sarif --block 256 001_fig1.ptx"), 1);
    json_t *root = json_loads(ls_buf_text(&last.output), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(root, "version")), "2.1.0");
    json_decref(root);
    assert_int_equal(run("analyze nosuch.ptx"), 2);
    assert_int_equal(run("analyze"), 2);
    assert_int_equal(run("analyze --degree 3 001_fig1.ptx"), 2);
    assert_int_equal(run("analyze --values --format json 001_fig1.ptx"), 2);
    assert_int_equal(run("check --block 32 --kernel conflicts 004_fig2_banks.ptx"), 1);
    assert_non_null(strstr(ls_buf_text(&last.output), "[bank-conflict]"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(texts, forget),
        cmocka_unit_test_teardown(details, forget),
        cmocka_unit_test_teardown(formats_and_statuses, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
