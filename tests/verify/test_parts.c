/* Conditions as the texts of their parts: read as written, and compared whole. */
#include "verify/query/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void parts_are_read_as_written(void **state) {
    (void)state;
    static const char condition[] = "n > 10 && (m & (m - 1)) == 0 && blockDim.x % 32 == 0";
    ls_parts parts;
    char out[128];
    assert_true(ls_parts_read(&parts, condition));
    assert_int_equal(parts.count, 3);
    assert_string_equal(parts.part[1], "(m & (m - 1)) == 0");
    assert_true(ls_parts_write(&parts, out, sizeof out));
    assert_string_equal(out, condition);
    assert_true(ls_parts_write(&parts, out, sizeof condition));
    assert_false(ls_parts_write(&parts, out, sizeof condition - 1));
    assert_true(ls_parts_read(&parts, "") && !parts.count);
    assert_false(ls_parts_write(&parts, out, sizeof out));
}

static void a_beginning_or_an_end_is_another_part(void **state) {
    (void)state;
    ls_parts parts;
    assert_true(ls_parts_read(&parts, "n > 10 && m >= 2*n"));
    assert_true(ls_parts_have(&parts, "n > 10"));
    assert_true(ls_parts_have(&parts, "m >= 2*n"));
    assert_false(ls_parts_have(&parts, "n > 1"));
    assert_false(ls_parts_have(&parts, "n"));
    assert_false(ls_parts_have(&parts, "2*n"));
    assert_false(ls_parts_have(&parts, "n > 10 && m >= 2*n"));
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    ls_parts parts = {.count = 0};
    char part[LS_PART + 1], many[LS_MOST_PARTS * 5 + 8] = "";
    memset(part, 'n', LS_PART);
    part[LS_PART] = 0;
    assert_false(ls_parts_read(&parts, part));
    assert_true(ls_parts_read(&parts, part + 1));
    for (int i = 0; i <= LS_MOST_PARTS; i++) strcat(many, i ? " && n" : "n");
    assert_false(ls_parts_read(&parts, many));
    assert_true(ls_parts_read(&parts, many + 5));
    assert_int_equal(parts.count, LS_MOST_PARTS);
    assert_false(ls_parts_add(&parts, "m"));
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read_as_written),
        cmocka_unit_test(a_beginning_or_an_end_is_another_part),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
