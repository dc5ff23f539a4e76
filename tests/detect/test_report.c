/* What the detector inside of a program writes comes out as it was where the command reads it. */
#include "detect/report.h"

#include "base/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    FILE *to;
    char *text, *at;
    size_t length;
} written;

static void begin(written *w) {
    *w = (written){0};
    w->to = open_memstream(&w->text, &w->length);
    assert_non_null(w->to);
}

static void end(written *w) {
    fclose(w->to);
    w->at = w->text;
}

static dt_report_line next(written *w) {
    dt_report_line line = {0};
    char *text = ls_wire_line(&w->at);
    assert_non_null(text);
    dt_report_read(text, &line);
    return line;
}

static void lines_come_back(void **state) {
    (void)state;
    written w;
    begin(&w);
    dt_report_write_launch(w.to, &(dt_report_launch){"a kernel", {1, 2, 3}, {4, 5, 6}, 7, LS_DETECT_FAILED});
    dt_report_write_captured(w.to, "/a folder/file");
    dt_report_write_unchecked(w.to, &(ls_detect_unchecked){.reason = "a\treason", .line = 9});
    dt_report_counted counts = {UINT64_MAX, 2, 3};
    dt_report_write_counts(w.to, "other", &counts);
    assert_int_equal(counts.queued + counts.skipped + counts.known, 0);
    end(&w);
    dt_report_line line = next(&w);
    assert_int_equal(line.kind, DT_REPORT_LAUNCH);
    assert_string_equal(line.launch.kernel, "a kernel");
    assert_true(line.launch.grid[0] == 1 && line.launch.grid[2] == 3 && line.launch.block[0] == 4);
    assert_true(line.launch.block[2] == 6 && line.launch.number == 7);
    assert_int_equal(line.launch.status, LS_DETECT_FAILED);
    line = next(&w);
    assert_int_equal(line.kind, DT_REPORT_CAPTURED);
    assert_string_equal(line.path, "/a folder/file");
    line = next(&w);
    assert_int_equal(line.kind, DT_REPORT_UNCHECKED);
    assert_string_equal(line.unchecked.reason, "a reason");
    assert_true(!line.unchecked.object && !line.unchecked.file && line.unchecked.line == 9);
    line = next(&w);
    assert_int_equal(line.kind, DT_REPORT_COUNTS);
    assert_string_equal(line.kernel, "other");
    assert_true(line.counts.queued == UINT64_MAX && line.counts.skipped == 2 && line.counts.known == 3);
    free(w.text);
}

static void results_come_back(void **state) {
    (void)state;
    const char *pruned[] = {"x", "y z"};
    ls_detect_result r = {.left = true,
                          .watched = true,
                          .regions = 5,
                          .checked_regions = 4,
                          .own_regions = 1,
                          .rounds = 3,
                          .rounds_run = 2,
                          .units = UINT64_C(1) << 40,
                          .copies = 6,
                          .inside_blocks = 8,
                          .probability = 0.25,
                          .not_rehearsed = "why",
                          .pruned = pruned,
                          .pruned_count = 2,
                          .launches = 11,
                          .memory = UINT64_C(1) << 41,
                          .run_ms = 1.5};
    written w;
    begin(&w);
    dt_report_write_result(w.to, &r);
    end(&w);
    dt_report_line line = next(&w);
    assert_int_equal(line.kind, DT_REPORT_SCOPE);
    const ls_detect_result *read = &line.result;
    assert_true(read->left && read->watched && !read->from_disk && !read->units_are_warps);
    assert_true(read->regions == 5 && read->checked_regions == 4 && read->own_regions == 1);
    assert_true(read->rounds == 3 && read->rounds_run == 2 && read->units == r.units);
    assert_true(read->copies == 6 && read->inside_blocks == 8 && read->probability == 0.25);
    assert_string_equal(read->not_rehearsed, "why");
    assert_int_equal(read->pruned_count, 2);
    assert_string_equal(line.pruned[1], "y z");
    line = next(&w);
    assert_int_equal(line.kind, DT_REPORT_FIGURES);
    assert_true(line.result.launches == 11 && line.result.memory == r.memory && line.result.run_ms == 1.5);
    free(w.text);
}

/* A program that is killed leaves a part of a line. */
static void what_is_cut_off_is_nothing(void **state) {
    (void)state;
    const char *const lines[] = {
        "L\tkernel\t1\t1", "P\t1\t0", "L", "", "Z\t1\t2", "LL\ta\t1\t1\t1\t1\t1\t1\t1\t1"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[64];
        dt_report_line line;
        snprintf(text, sizeof text, "%s", lines[i]);
        dt_report_read(text, &line);
        assert_int_equal(line.kind, DT_REPORT_NOTHING);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_come_back), cmocka_unit_test(results_come_back),
                                       cmocka_unit_test(what_is_cut_off_is_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
