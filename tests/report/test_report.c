/* The printers on one report that has everything in it, against stored output (golden/, rewritten when
 * LOCKSTEP_UPDATE_GOLDEN is set); joining of findings; exit statuses; excerpts of difficult sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/pool.h"
#include "lockstep/report.h"
#include "report/print.h"
#include "schema.h"

#include <stdlib.h>
#include <string.h>

static ls_report *sample(void) {
    ls_report *report = ls_report_new("verify");
    ls_report_file *file = ls_report_add_file(report, "sample.cu");
    ls_diags_add(file->diags, LS_WARNING, "sample.cu", 4, 2, "unused <thing> & \"more\"");
    ls_report_kernel *scan = ls_report_add_kernel(file, "_Z4scanPiPKi", "scan(int*, int const*)");
    ls_report_place(scan, (ls_place){"sample.cu", 2, 17});
    ls_report_launch(scan, (uint32_t[3]){64, 1, 1}, NULL, "--block");
    ls_report_scope(scan, NULL, "block of 64 threads, any grid");
    ls_report_scope(scan, "assumes that pointers do not overlap", "parameters do not alias");
    ls_report_scope(scan, NULL, "block of 64 threads, any grid"); /* said once */

    ls_finding *late = ls_report_add(scan, LS_RULE_COALESCING, LS_WARNING, (ls_place){"sample.cu", 6, 15},
                                     "stride of %d bytes", 68);
    ls_fields *detail = ls_finding_detail(late);
    ls_fields_text(detail, "class", "strided");
    ls_fields_int(detail, "stride_bytes", -68);
    ls_fields_uint(detail, "sectors", UINT64_MAX);
    ls_fields_real(detail, "average", 0.5);
    ls_finding_help(late, "let neighbouring lanes use neighbouring elements");

    for (int i = 0; i < 3; i++) {
        ls_finding *race = ls_report_add(scan, LS_RULE_RACE_SHARED, LS_ERROR, (ls_place){"sample.cu", 5, 5},
                                         "write-read race on 's'");
        ls_finding_relate(race, (ls_place){"sample.cu", 5, 23}, "read here by thread %d", i + 1);
        if (i) continue;
        ls_story_actor(race, &(ls_actor){.does = "writes",
                                         .place = {"sample.cu", 5, 5},
                                         .thread = {7},
                                         .has_thread = true,
                                         .has_block = true});
        ls_story_actor(race, &(ls_actor){.does = "reads",
                                         .place = {"sample.cu", 5, 23},
                                         .thread = {6},
                                         .has_thread = true,
                                         .has_block = true});
        ls_story_object(race, "s", "s[7]", 28);
        ls_story_confirmed(race, "confirmed in the emulator");
        ls_finding_value(race, "n of the launch", 7);
        ls_fields *witness = ls_finding_witness(race);
        ls_fields_bool(witness, "certain", true);
        ls_fields *list = ls_fields_list(witness, "bytes");
        ls_fields_uint(list, NULL, 28);
        ls_fields_uint(list, NULL, 31);
        ls_fields *thread = ls_fields_object(witness, "thread_1");
        ls_fields_int(thread, "threadIdx.x", 0);
        ls_fields_int(thread, "threadIdx.x", 7); /* the later one stays */
    }
    ls_report_verdict(scan, LS_REFUTED);
    ls_fields_uint(ls_report_stats(scan), "obligations", 12);
    ls_report_time(scan, 1.23456);

    ls_report_kernel *other = ls_report_add_kernel(file, "other", NULL);
    ls_report_unknown(other, (ls_place){"sample.cu", 3, 5}, "state an invariant for j",
                      "no invariant bounds %s", "j");
    ls_report_kernel *good = ls_report_add_kernel(file, "good", NULL);
    ls_report_launch(good, (uint32_t[3]){8, 8, 1}, (uint32_t[3]){2, 3, 4}, "launch at sample.cu:9");
    ls_report_scope(good, "assumes that pointers do not overlap", "parameters do not alias");
    ls_report_scope(good, NULL, "barriers wait for all");
    ls_report_scope(good, "assumes that n is 1", "n is 1");
    ls_report_scope(good, "one block only", "one block, as nothing more is known");
    ls_report_verdict(good, LS_PROVED);
    ls_report_finish(report);
    return report;
}

static ls_report_kernel *report_kernel(ls_report *report) {
    return ls_report_files(report)->kernels;
}

/* --- Stored output ------------------------------------------------------------------------------------- */

static void replace(ls_buf *text, const char *what, const char *with) {
    ls_buf out = {0};
    for (const char *at = ls_buf_text(text), *hit;; at = hit + strlen(what)) {
        hit = strstr(at, what);
        ls_buf_add(&out, at, hit ? (size_t)(hit - at) : strlen(at));
        if (!hit) break;
        ls_buf_puts(&out, with);
    }
    ls_buf_free(text);
    *text = out;
}

static void check_golden(const ls_print_options *options, const char *path) {
    ls_report *report = sample();
    ls_buf got = {0}, stored = {0};
    got.text = ls_report_print(report, options, &got.length);
    assert_int_equal(got.length, strlen(got.text));
    replace(&got, ls_version(), "@VERSION@");
    if (getenv("LOCKSTEP_UPDATE_GOLDEN")) ls_write_file(path, ls_buf_text(&got), got.length);
    assert_true(ls_read_file(path, &stored));
    assert_string_equal(ls_buf_text(&got), ls_buf_text(&stored));
    ls_buf_free(&got);
    ls_buf_free(&stored);
    ls_report_free(report);
}

static void text_is_as_stored(void **state) {
    (void)state;
    check_golden(&(ls_print_options){.format = LS_FORMAT_TEXT}, "golden/report.txt");
}

static void colored_text_is_as_stored(void **state) {
    (void)state;
    check_golden(
        &(ls_print_options){.format = LS_FORMAT_TEXT, .color = true, .no_diags = true, .no_summary = true},
        "golden/report.color.txt");
}

static void json_is_as_stored(void **state) {
    (void)state;
    check_golden(&(ls_print_options){.format = LS_FORMAT_JSON}, "golden/report.json");
}

static void sarif_is_as_stored(void **state) {
    (void)state;
    check_golden(&(ls_print_options){.format = LS_FORMAT_SARIF}, "golden/report.sarif");
}

/* The data of the page is the report, and nothing in it can end the element that it stands in. What the page
 * shows is looked at in a browser: test_page.py. */
static void html_holds_the_report(void **state) {
    (void)state;
    ls_report *report = sample();
    ls_report_add(report_kernel(report), LS_RULE_ASSERT, LS_NOTE, (ls_place){"</script>", 1, 1},
                  "<b>&</script>");
    char *page = ls_report_print(report, &(ls_print_options){.format = LS_FORMAT_HTML}, NULL);
    static const char start[] = "<script type=\"application/json\" id=\"data\">";
    char *data = strstr(page, start);
    assert_non_null(strstr(page, "Content-Security-Policy"));
    assert_non_null(data);
    data += strlen(start);
    char *end = strstr(data, "</script>");
    assert_non_null(end);
    *end = 0;
    assert_null(strpbrk(data, "<>&"));
    json_error_t error;
    json_t *root = json_loads(data, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("%s", error.text);
    char *inner = json_dumps(json_object_get(root, "report"), 0);
    hold_report(inner);
    free(inner);
    assert_int_equal(json_array_size(json_object_get(root, "rules")), LS_RULE_COUNT);
    assert_true(json_array_size(json_object_get(json_object_get(root, "sources"), "sample.cu")) > 5);
    json_decref(root);
    free(page);
    ls_report_free(report);
}

/* --- Structure ----------------------------------------------------------------------------------------- */

static json_t *printed_json(ls_report *report, const ls_print_options *options) {
    char *text = ls_report_print(report, options, NULL);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static void check_location(const json_t *location) {
    const json_t *physical = json_object_get(location, "physicalLocation");
    const json_t *artifact = json_object_get(physical, "artifactLocation");
    const json_t *region = json_object_get(physical, "region");
    const char *uri = json_string_value(json_object_get(artifact, "uri"));
    assert_non_null(uri);
    assert_null(strchr(uri, ' '));
    assert_true(json_integer_value(json_object_get(region, "startLine")) >= 1);
    const json_t *column = json_object_get(region, "startColumn");
    if (column) assert_true(json_integer_value(column) >= 1);
}

static void json_is_as_the_schema_says(void **state) {
    (void)state;
    ls_report *report = sample();
    ls_finding *f = ls_report_files(report)->kernels->findings;
    ls_finding_suppress(f, LS_IN_CONFIG, "old");
    ls_finding_fix(f, &(ls_fix){"mend it", {"sample.cu", 3, 5}, 2, "text", true});
    char *text = ls_report_print(report, &(ls_print_options){.format = LS_FORMAT_JSON}, NULL);
    hold_report(text);
    free(text);
    ls_report_free(report);
}

static void suppressed_findings_do_not_count(void **state) {
    (void)state;
    ls_report *report = sample();
    assert_int_equal(ls_report_status(report, LS_FAIL_UNKNOWN), 1);
    for (ls_finding *f = ls_report_files(report)->kernels->findings; f; f = f->next)
        ls_finding_suppress(f, LS_IN_SOURCE, "known");
    assert_int_equal(ls_report_status(report, LS_FAIL_UNKNOWN), 3);
    assert_int_equal(ls_report_status(report, LS_FAIL_WARNING), 0);
    char *text =
        ls_report_print(report, &(ls_print_options){.format = LS_FORMAT_TEXT, .no_diags = true}, NULL);
    assert_null(strstr(text, "race on"));
    assert_non_null(strstr(text, "(2 suppressed)"));
    free(text);
    ls_report_free(report);
}

/* What the 2.1.0 schema and code scanning require of the parts that are written. */
static void sarif_has_what_code_scanning_needs(void **state) {
    (void)state;
    ls_report *report = sample();
    json_t *root = printed_json(report, &(ls_print_options){.format = LS_FORMAT_SARIF});
    assert_string_equal(json_string_value(json_object_get(root, "version")), "2.1.0");
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    assert_non_null(json_string_value(json_object_get(driver, "name")));
    const json_t *rules = json_object_get(driver, "rules"), *results = json_object_get(run, "results"), *item;
    assert_int_equal(json_array_size(rules), LS_RULE_COUNT);
    assert_int_equal(json_array_size(results), 2);
    size_t i, k;
    json_array_foreach(results, i, item) {
        const json_t *related = json_object_get(item, "relatedLocations"), *one;
        size_t rule = (size_t)json_integer_value(json_object_get(item, "ruleIndex"));
        assert_string_equal(json_string_value(json_object_get(item, "ruleId")),
                            json_string_value(json_object_get(json_array_get(rules, rule), "id")));
        assert_non_null(json_string_value(json_object_get(json_object_get(item, "message"), "text")));
        assert_int_equal(json_array_size(json_object_get(item, "locations")), 1);
        check_location(json_array_get(json_object_get(item, "locations"), 0));
        json_array_foreach(related, k, one) check_location(one);
        const json_t *prints = json_object_get(item, "partialFingerprints");
        assert_non_null(json_string_value(json_object_get(prints, "primaryLocationLineHash")));
    }
    json_decref(root);
    ls_report_free(report);
}

static const char *fingerprint_of(json_t *root) {
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    const json_t *result = json_array_get(json_object_get(run, "results"), 0);
    return json_string_value(
        json_object_get(json_object_get(result, "partialFingerprints"), "primaryLocationLineHash"));
}

/* The fingerprint is by the line's text, so that inserting lines above it changes nothing; paths below the
 * root are relative and encoded. */
static void sarif_fingerprints_follow_the_text(void **state) {
    (void)state;
    char *prints[2], folder[] = "/tmp/lockstep-report-XXXXXX";
    assert_non_null(mkdtemp(folder));
    ls_buf path = {0};
    ls_buf_printf(&path, "%s/a b.cu", folder);
    for (uint32_t i = 0; i < 2; i++) {
        const char *text = i ? "\n\n\n   x = y;\n" : "x = y;\n";
        assert_true(ls_write_file(ls_buf_text(&path), text, strlen(text)));
        ls_report *report = ls_report_new("verify");
        ls_report_kernel *kernel =
            ls_report_add_kernel(ls_report_add_file(report, ls_buf_text(&path)), "k", NULL);
        ls_report_add(kernel, LS_RULE_ASSERT, LS_ERROR, (ls_place){ls_buf_text(&path), i ? 4 : 1, 1}, "m");
        ls_report_finish(report);
        json_t *root = printed_json(report, &(ls_print_options){.format = LS_FORMAT_SARIF, .root = folder});
        prints[i] = strdup(fingerprint_of(root));
        char *dump = json_dumps(root, 0);
        assert_non_null(strstr(dump, "\"a%20b.cu\""));
        free(dump);
        json_decref(root);
        ls_report_free(report);
    }
    assert_string_equal(prints[0], prints[1]);
    free(prints[0]);
    free(prints[1]);
    remove(ls_buf_text(&path));
    remove(folder);
    ls_buf_free(&path);
}

static void json_takes_any_bytes(void **state) {
    (void)state;
    ls_report *report = ls_report_new("verify");
    ls_report_kernel *kernel = ls_report_add_kernel(ls_report_add_file(report, "\xff.cu"), "k\xc3", NULL);
    ls_finding *f = ls_report_add(kernel, LS_RULE_ASSERT, LS_NOTE, (ls_place){0}, "bad \x80 text");
    ls_fields_real(ls_finding_witness(f), "nan", __builtin_nan(""));
    json_t *root = printed_json(report, &(ls_print_options){.format = LS_FORMAT_JSON});
    const json_t *path = json_object_get(json_array_get(json_object_get(root, "files"), 0), "path");
    assert_string_equal(json_string_value(path), "\xef\xbf\xbd.cu");
    json_decref(root);
    json_decref(printed_json(report, &(ls_print_options){.format = LS_FORMAT_SARIF}));
    ls_report_free(report);
}

/* --- The model ----------------------------------------------------------------------------------------- */

static void same_lines_are_one_finding(void **state) {
    (void)state;
    ls_report *report = ls_report_new("run");
    ls_report_kernel *kernel = ls_report_add_kernel(ls_report_add_file(report, "a.cu"), "k", NULL);
    for (uint32_t i = 0; i < 100; i++) {
        ls_finding *f = ls_report_add(kernel, LS_RULE_RACE_GLOBAL, i == 50 ? LS_ERROR : LS_NOTE,
                                      (ls_place){"a.cu", 7, i}, "race %u", i);
        ls_finding_count(f, 10);
        ls_finding_relate(f, (ls_place){"a.cu", 8 + i % 2, 1}, "other");
    }
    ls_report_finish(report);
    const ls_finding *first = kernel->findings, *second = first->next;
    assert_int_equal(first->count, 500);
    assert_string_equal(first->message, "race 0");
    assert_int_equal(first->level, LS_ERROR);
    assert_int_equal(first->related->place.line, 8);
    assert_int_equal(second->count, 500);
    assert_string_equal(second->message, "race 1");
    assert_null(second->next);
    ls_report_free(report);
}

static int status_with(ls_verdict verdict, int level, bool diag) {
    ls_report *report = ls_report_new("verify");
    ls_report_file *file = ls_report_add_file(report, "a.cu");
    ls_report_kernel *kernel = ls_report_add_kernel(file, "k", NULL);
    ls_report_verdict(kernel, verdict);
    if (level >= 0) ls_report_add(kernel, LS_RULE_ASSERT, (ls_severity)level, (ls_place){0}, "m");
    if (diag) ls_diags_add(file->diags, LS_ERROR, NULL, 0, 0, "unreadable");
    int status = ls_report_status(report, LS_FAIL_UNKNOWN);
    ls_report_free(report);
    return status;
}

static void status_says_what_was_found(void **state) {
    (void)state;
    assert_int_equal(status_with(LS_PROVED, -1, false), 0);
    assert_int_equal(status_with(LS_NO_VERDICT, LS_NOTE, false), 0);
    assert_int_equal(status_with(LS_NO_VERDICT, LS_WARNING, false), 1);
    assert_int_equal(status_with(LS_REFUTED, -1, false), 1);
    assert_int_equal(status_with(LS_UNKNOWN, -1, false), 3);
    assert_int_equal(status_with(LS_UNKNOWN, LS_ERROR, false), 1);
    assert_int_equal(status_with(LS_PROVED, LS_ERROR, true), 2);
}

static void rules_are_found_by_name(void **state) {
    (void)state;
    for (int i = 0; i < LS_RULE_COUNT; i++) assert_int_equal(ls_rule_find(ls_rule_get((ls_rule)i)->name), i);
    assert_int_equal(ls_rule_find("race"), LS_RULE_COUNT);
}

static void add_from_thread(void *context, uint32_t index) {
    ls_report_kernel **kernels = context;
    for (uint32_t i = 0; i < 200; i++)
        ls_finding_relate(
            ls_report_add(kernels[index], LS_RULE_ASSERT, LS_ERROR, (ls_place){"a.cu", i + 1, 0}, "m%u", i),
            (ls_place){"b.cu", i + 1, 0}, "r%u", i);
}

static void kernels_are_filled_in_parallel(void **state) {
    (void)state;
    ls_report *report = ls_report_new("verify");
    ls_report_file *file = ls_report_add_file(report, "a.cu");
    ls_report_kernel *kernels[8];
    for (int i = 0; i < 8; i++) kernels[i] = ls_report_add_kernel(file, "k", NULL);
    ls_parallel_for(4, 8, add_from_thread, kernels);
    ls_report_finish(report);
    assert_int_equal(ls_report_summarize(report).levels[LS_ERROR], 1600);
    ls_report_free(report);
}

/* --- Excerpts ------------------------------------------------------------------------------------------ */

static void check_shown(const char *text, size_t length, uint32_t column, size_t width, const char *shown,
                        size_t caret) {
    ls_buf out = {0};
    assert_int_equal(ls_source_show(&out, text, length, column, width), caret);
    assert_string_equal(ls_buf_text(&out), shown);
    ls_buf_free(&out);
}

static void lines_are_shown_safely(void **state) {
    (void)state;
    check_shown("ab", 2, 2, 80, "ab", 1);
    check_shown("ab", 2, 99, 80, "ab", 2);
    check_shown("", 0, 1, 80, "", 0);
    check_shown("\ta\tb", 4, 4, 80, "        a       b", 16);
    check_shown("\xc3\xa9x", 3, 3, 80, "\xc3\xa9x", 1);
    check_shown("\xe7\x9b\xaex", 4, 4, 80, "\xe7\x9b\xaex", 2);
    check_shown("a\0b\033[31m", 8, 1, 80,
                "a\xef\xbf\xbd"
                "b\xef\xbf\xbd[31m",
                0);
    check_shown("\xff\xc0\x80", 3, 3, 80, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 2);
    char line[5000];
    memset(line, '.', sizeof line);
    line[4000] = '!';
    check_shown(line, sizeof line, 4001, 10, "….....!...…", 6);
    check_shown(line, sizeof line, 1, 5, ".....…", 0);
}

static void lines_that_are_not_there_are_refused(void **state) {
    (void)state;
    ls_sources *sources = ls_sources_new(NULL);
    const char *text;
    size_t length;
    assert_false(ls_source_line(sources, "no/such/file.cu", 1, &text, &length));
    assert_false(ls_source_line(sources, "/", 1, &text, &length));
    assert_false(ls_source_line(sources, "/dev/zero", 1, &text, &length));
    assert_false(ls_source_line(sources, "-", 1, &text, &length));
    assert_false(ls_source_line(sources, NULL, 1, &text, &length));
    assert_false(ls_source_line(sources, "sample.cu", 0, &text, &length));
    assert_false(ls_source_line(sources, "sample.cu", 100000, &text, &length));
    assert_true(ls_source_line(sources, "sample.cu", 7, &text, &length));
    assert_int_equal(length, 1);
    assert_memory_equal(text, "}", 1);
    ls_place place = {"sample.cu", 6, 17};
    assert_int_equal(ls_source_utf16_column(sources, &place), 15);
    ls_sources_free(sources);
}

static void diagnostics_have_an_excerpt(void **state) {
    (void)state;
    ls_diags *diags = ls_diags_new();
    ls_diags_add(diags, LS_ERROR, "sample.cu", 3, 16, "expected '%c'", ';');
    ls_diags_add(diags, LS_NOTE, NULL, 0, 0, "no file");
    ls_diags_add(diags, LS_WARNING, "\033[2J", 1, 1, "found '\033[31m'");
    char *text = ls_diags_print(diags, false, NULL);
    assert_string_equal(text, "sample.cu:3:16: error: expected ';'\n"
                              "    3 |     __shared__ int s[64];\n"
                              "      |                ^\n"
                              "lockstep: note: no file\n"
                              "\xef\xbf\xbd[2J:1:1: warning: found '\xef\xbf\xbd[31m'\n");
    free(text);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_stored),
        cmocka_unit_test(colored_text_is_as_stored),
        cmocka_unit_test(json_is_as_stored),
        cmocka_unit_test(sarif_is_as_stored),
        cmocka_unit_test(html_holds_the_report),
        cmocka_unit_test(sarif_has_what_code_scanning_needs),
        cmocka_unit_test(sarif_fingerprints_follow_the_text),
        cmocka_unit_test(json_takes_any_bytes),
        cmocka_unit_test(json_is_as_the_schema_says),
        cmocka_unit_test(suppressed_findings_do_not_count),
        cmocka_unit_test(same_lines_are_one_finding),
        cmocka_unit_test(status_says_what_was_found),
        cmocka_unit_test(rules_are_found_by_name),
        cmocka_unit_test(kernels_are_filled_in_parallel),
        cmocka_unit_test(lines_are_shown_safely),
        cmocka_unit_test(lines_that_are_not_there_are_refused),
        cmocka_unit_test(diagnostics_have_an_excerpt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
