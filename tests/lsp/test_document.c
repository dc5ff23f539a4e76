/* Positions in UTF-16 units, changes of any range, and URIs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* keep */
#include <cmocka.h>

#include "lsp/document.h"

#include <stdlib.h>
#include <string.h>

static ls_buf text_of(const char *text) {
    ls_buf buf = {0};
    ls_buf_puts(&buf, text);
    return buf;
}

static void test_positions(void **state) {
    (void)state;
    ls_buf text = text_of("int a;\r\n/* \xc3\xa4\xf0\x9d\x94\x98 */ b[i];\nlast"); /* ä: 1 unit, 𝔘: 2 units */
    assert_int_equal(ls_text_offset(&text, 0, 4), 4);
    assert_int_equal(ls_text_offset(&text, 0, 99), 6); /* before the line's end */
    assert_int_equal(ls_text_offset(&text, 1, 3), 11);
    assert_int_equal(ls_text_offset(&text, 1, 4), 13);
    assert_int_equal(ls_text_offset(&text, 1, 6), 17);
    assert_int_equal(ls_text_offset(&text, 1, 5), 17); /* in the middle of a character */
    assert_int_equal(ls_text_offset(&text, 7, 0), text.length);
    assert_int_equal(ls_text_offset(&text, -1, -1), 0);
    json_t *range = ls_text_range(&text, 2, 14); /* the b */
    int line, from, to;
    assert_int_equal(json_unpack(range, "{s:{s:i, s:i}, s:{s:i}}", "start", "line", &line, "character", &from,
                                 "end", "character", &to),
                     0);
    assert_int_equal(line, 1);
    assert_int_equal(from, 10);
    assert_int_equal(to, 11);
    json_decref(range);
    range = ls_text_range(&text, 2, 0); /* the whole line */
    assert_int_equal(
        json_unpack(range, "{s:{s:i}, s:{s:i}}", "start", "character", &from, "end", "character", &to), 0);
    assert_int_equal(from, 0);
    assert_int_equal(to, 15);
    json_decref(range);
    json_decref(ls_text_range(&text, 99, 99)); /* beyond everything */
    ls_buf_free(&text);
}

static void change(ls_buf *text, const char *json, bool good) {
    json_t *parsed = json_loads(json, 0, NULL);
    assert_non_null(parsed);
    assert_int_equal(ls_text_change(text, parsed), good);
    json_decref(parsed);
}

static void test_changes(void **state) {
    (void)state;
    ls_buf text = text_of("one\ntwo\n");
    change(
        &text,
        "{\"range\": {\"start\": {\"line\": 0, \"character\": 3}, \"end\": {\"line\": 1, \"character\": 1}}, "
        "\"text\": \" \"}",
        true);
    assert_string_equal(text.text, "one wo\n");
    change(&text, "{\"range\": {\"start\": {\"line\": 9}, \"end\": {\"line\": 0}}, \"text\": \"end\"}", true);
    assert_string_equal(text.text, "one wo\nend");
    change(&text, "{\"range\": 5, \"text\": \"all\"}", true);
    assert_string_equal(text.text, "all");
    change(&text, "{\"range\": {}}", false);
    change(&text, "{\"text\": \"\"}", true);
    assert_int_equal(text.length, 0);
    ls_buf_free(&text);
}

static void test_uris(void **state) {
    (void)state;
    static const struct {
        const char *uri, *path;
    } cases[] = {{"file:///a/b%20c.cu", "/a/b c.cu"},
                 {"file://localhost/a%2Bb", "/a+b"},
                 {"file:///100%", "/100%"},
                 {"file:///a%00b", "/ab"},
                 {"untitled:one", NULL},
                 {"file://host", NULL},
                 {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = ls_uri_path(cases[i].uri);
        if (cases[i].path)
            assert_string_equal(path, cases[i].path);
        else
            assert_null(path);
        free(path);
    }
    json_t *uri = ls_uri_of("/a b/\xc3\xa4.cu");
    assert_string_equal(json_string_value(uri), "file:///a%20b/%C3%A4.cu");
    json_decref(uri);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions), cmocka_unit_test(test_changes),
                                       cmocka_unit_test(test_uris)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
