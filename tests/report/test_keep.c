/* What is kept of a report and read again: all of it comes back, and bytes that somebody else has written,
 * with a hash that is right, are refused or printed, whatever they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/hash.h"
#include "report/keep.h"

#include <stdlib.h>
#include <string.h>

static void fill(ls_report_file *file) {
    ls_diags_add(file->diags, LS_WARNING, "a.cu", 4, 2, "w");
    ls_report_kernel *k = ls_report_add_kernel(file, "_Z1k", "k()");
    ls_report_place(k, (ls_place){"a.cu", 2, 17});
    ls_report_launch(k, (uint32_t[3]){64, 1, 1}, NULL, "--block");
    ls_report_scope(k, "b", "s");
    ls_finding *f = ls_report_add(k, LS_RULE_RACE_SHARED, LS_ERROR, (ls_place){"a.cu", 5, 5}, "m");
    ls_finding_relate(f, (ls_place){"a.cu", 5, 23}, "r");
    ls_story_actor(f, &(ls_actor){.does = "writes", .place = {"a.cu", 5, 5}, .has_thread = true});
    ls_story_actor(f, &(ls_actor){.does = "reads", .place = {"a.cu", 5, 6}, .has_block = true});
    ls_story_object(f, "s", "s[7]", 28);
    ls_story_confirmed(f, "c");
    ls_finding_value(f, "n", 7);
    ls_fields *witness = ls_finding_witness(f);
    ls_fields_uint(ls_fields_list(witness, "l"), NULL, 28);
    ls_fields_text(ls_fields_object(witness, "o"), "t", "x");
    ls_fields_real(ls_finding_detail(f), "d", 0.5);
    ls_finding_help(f, "h");
    ls_finding_fix(f, &(ls_fix){.description = "d", .place = {"a.cu", 5, 1}, .text = "t"});
    ls_report_verdict(k, LS_REFUTED);
    ls_fields_uint(ls_report_stats(k), "q", 12);
    ls_report_line(k, (ls_place){"a.cu", 5, 0}, 32, 1024);
    ls_report_kernel *other = ls_report_add_kernel(file, "o", NULL);
    ls_report_unknown(other, (ls_place){"a.cu", 3, 5}, "h", "u");
    file->done = true;
}

static ls_buf kept(void) {
    ls_buf bytes = {0};
    ls_report *report = ls_report_new("verify");
    ls_report_file *file = ls_report_add_file(report, "a.cu");
    fill(file);
    ls_report_keep(file, &bytes);
    ls_report_free(report);
    return bytes;
}

/* Prints what the bytes, with a hash that is right, are a report of; NULL: they are none. */
static char *shown(ls_buf *bytes, ls_format format) {
    uint64_t hash = ls_hash_add(LS_HASH_START, bytes->text + sizeof hash, bytes->length - sizeof hash);
    memcpy(bytes->text, &hash, sizeof hash);
    ls_report *report = ls_report_new("verify");
    char *text = NULL;
    if (ls_report_restore(ls_report_add_file(report, "a.cu"), bytes->text, bytes->length)) {
        ls_report_finish(report);
        text = ls_report_print(report, &(ls_print_options){.format = format, .verbose = true}, NULL);
    }
    ls_report_free(report);
    return text;
}

static void test_comes_back(void **state) {
    (void)state;
    ls_buf bytes = kept();
    for (int format = LS_FORMAT_TEXT; format <= LS_FORMAT_HTML; format++) {
        ls_report *report = ls_report_new("verify");
        fill(ls_report_add_file(report, "a.cu"));
        ls_report_finish(report);
        char *first =
            ls_report_print(report, &(ls_print_options){.format = (ls_format)format, .verbose = true}, NULL);
        char *again = shown(&bytes, (ls_format)format);
        assert_non_null(again);
        assert_string_equal(first, again);
        free(first);
        free(again);
        ls_report_free(report);
    }
    ls_buf_free(&bytes);
}

static void test_changed_bytes(void **state) {
    (void)state;
    static const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    ls_buf bytes = kept();
    uint32_t refused = 0, printed = 0;
    for (size_t at = sizeof(uint64_t); at < bytes.length; at++) {
        const char was = bytes.text[at];
        for (size_t v = 0; v < sizeof values; v++) {
            bytes.text[at] = (char)values[v];
            char *text = shown(&bytes, (at + v) % 16 ? (ls_format)((at + v) % 3) : LS_FORMAT_HTML);
            text ? printed++ : refused++;
            free(text);
        }
        bytes.text[at] = was;
    }
    assert_true(refused > 100 && printed > 100);
    ls_buf_free(&bytes);
}

static void test_cut_off(void **state) {
    (void)state;
    ls_buf bytes = kept();
    for (size_t length = bytes.length; length-- > sizeof(uint64_t);) {
        bytes.length = length;
        assert_null(shown(&bytes, LS_FORMAT_JSON));
    }
    ls_buf_free(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comes_back),
                                       cmocka_unit_test(test_changed_bytes), cmocka_unit_test(test_cut_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
