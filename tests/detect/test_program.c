/* The detector inside of a program, with a driver that the emulator carries out: module loading, launches and
 * variables are intercepted, results stay as they are, races are reported. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs the program with these settings; its exit status, and the detector's lines. */
static int run_program(const char *settings, const char *fatbin, ls_buf *report) {
    char command[4096], path[] = "/tmp/lockstep-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    char library[sizeof path + 3]; /* LD_PRELOAD takes no path with spaces */
    snprintf(library, sizeof library, "%s.so", path);
    assert_int_equal(symlink(PRELOAD, library), 0);
    snprintf(
        command, sizeof command,
        "LD_LIBRARY_PATH='%s' LD_PRELOAD=%s LOCKSTEP_REPORT=%s %s '%s' '%s/tests/ptx/data/%s' > /dev/null",
        FAKE_DRIVER, library, path, settings, PROGRAM, SOURCE_DIR, fatbin);
    int status = system(command);
    unlink(library);
    *report = (ls_buf){0};
    assert_true(ls_read_file(path, report));
    unlink(path);
    return WEXITSTATUS(status);
}

static void races_are_reported(void **state) {
    (void)state;
    ls_buf report;
    assert_int_equal(run_program("", "grid_none.fatbin", &report), 0);
    const char *text = ls_buf_text(&report);
    assert_non_null(strstr(text, "L\town\t4\t1\t1\t128\t1\t1\t1\t0\n")); /* clean */
    assert_non_null(strstr(text, "L\tpermuted\t4\t1\t1\t128\t1\t1\t2\t0\n"));
    assert_non_null(strstr(text, "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t3\t1\n")); /* racy */
    assert_non_null(strstr(text, "L\tracy_variable\t4\t1\t1\t64\t1\t1\t4\t1\n"));
    assert_non_null(strstr(text, "\ttotal\t"));
    ls_buf_free(&report);
}

static void packed(void **state) {
    (void)state;
    ls_buf report;
    assert_int_equal(run_program("", "grid_speed.fatbin", &report), 0);
    assert_non_null(strstr(ls_buf_text(&report), "\nO\tracy_blocks_param_0\t"));
    ls_buf_free(&report);
}

static void chosen_launches(void **state) {
    (void)state;
    ls_buf report;
    assert_int_equal(run_program("LOCKSTEP_KERNELS=permuted", "grid_none.fatbin", &report), 0);
    assert_non_null(strstr(ls_buf_text(&report), "L\tpermuted"));
    assert_null(strstr(ls_buf_text(&report), "L\tracy"));
    ls_buf_free(&report);
    assert_int_equal(run_program("LOCKSTEP_FIRST=3 LOCKSTEP_LAST=3", "grid_none.fatbin", &report), 0);
    assert_null(strstr(ls_buf_text(&report), "L\tpermuted"));
    assert_non_null(strstr(ls_buf_text(&report), "L\tracy_blocks"));
    assert_null(strstr(ls_buf_text(&report), "L\tracy_variable"));
    ls_buf_free(&report);
    assert_int_equal(run_program("LOCKSTEP_SKIP=1", "grid_none.fatbin", &report), 0);
    assert_int_equal(report.length, 0); /* every kernel is launched once */
    ls_buf_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_are_reported),
        cmocka_unit_test(packed),
        cmocka_unit_test(chosen_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
