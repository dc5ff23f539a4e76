/* The stand-in for jansson (src/json): the same text as the library's for what reports are made of. */
#include "../../src/json/json.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_text(json_t *value, size_t flags, const char *expected) {
    char *text = json_dumps(value, flags);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
    json_decref(value);
}

static void values(void **state) {
    (void)state;
    expect_text(json_null(), 0, "null");
    expect_text(json_boolean(3), 0, "true");
    expect_text(json_integer(-42), 0, "-42");
    expect_text(json_real(2), 0, "2.0");
    expect_text(json_real(0.1), JSON_REAL_PRECISION(12), "0.1");
    expect_text(json_real(1e300), JSON_REAL_PRECISION(12), "1e+300");
    expect_text(json_string("a\"b\\c\n\t\x01 µ"), 0, "\"a\\\"b\\\\c\\n\\t\\u0001 µ\"");
    expect_text(json_object(), JSON_INDENT(2), "{}");
    expect_text(json_array(), JSON_INDENT(2), "[]");
}

static void texts_that_are_not(void **state) {
    (void)state;
    static const char *const wrong[] = {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                        "\x80"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_null(json_string(wrong[i]));
    assert_null(json_string(NULL));
}

static void nested(void **state) {
    (void)state;
    json_t *list = json_array(), *object = json_pack("{s:i, s:s?, s:s?, s:b, s:o}", "n", 7, "text", "x",
                                                     "none", NULL, "yes", 1, "list", list);
    json_array_append_new(list, json_pack("[I, I, I]", (json_int_t)1, (json_int_t)2, (json_int_t)3));
    json_object_set_new(object, "n", json_integer(8)); /* in its place */
    assert_string_equal(json_string_value(json_object_get(object, "text")), "x");
    assert_null(json_object_get(object, "other"));
    expect_text(
        object, JSON_INDENT(2),
        "{\n  \"n\": 8,\n  \"text\": \"x\",\n  \"none\": null,\n  \"yes\": true,\n  \"list\": [\n    [\n"
        "      1,\n      2,\n      3\n    ]\n  ]\n}");
}

static void owners(void **state) {
    (void)state;
    json_t *shared = json_array(), *object = json_object();
    json_object_set(object, "files", shared);
    json_decref(object);
    json_array_append_new(shared, json_integer(1));
    assert_int_equal(json_array_append_new(shared, NULL), -1);
    expect_text(shared, 0, "[1]");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(texts_that_are_not),
                                       cmocka_unit_test(nested), cmocka_unit_test(owners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
