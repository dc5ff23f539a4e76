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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs the program with these settings; its exit status, and the detector's lines. */
static int run_image(const char *settings, const char *image, ls_buf *report) {
    char command[4096], path[] = "/tmp/lockstep-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    char library[sizeof path + 3]; /* LD_PRELOAD takes no path with spaces */
    snprintf(library, sizeof library, "%s.so", path);
    assert_int_equal(symlink(PRELOAD, library), 0);
    snprintf(command, sizeof command,
             "LD_LIBRARY_PATH='%s' LD_PRELOAD=%s LOCKSTEP_REPORT=%s %s '%s' '%s' > /dev/null", FAKE_DRIVER,
             library, path, settings, PROGRAM, image);
    int status = system(command);
    unlink(library);
    *report = (ls_buf){0};
    assert_true(ls_read_file(path, report));
    unlink(path);
    return WEXITSTATUS(status);
}

static int run_program(const char *settings, const char *fatbin, ls_buf *report) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/ptx/data/%s", SOURCE_DIR, fatbin);
    return run_image(settings, path, report);
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

/* Launches again: their checks are queued, and counted; some are left out. */
static void again(void **state) {
    (void)state;
    ls_buf report;
    assert_int_equal(run_program("PROGRAM_TIMES=6", "grid_none.fatbin", &report), 0);
    const char *text = ls_buf_text(&report), *first = strstr(text, "L\tpermuted");
    assert_non_null(first);
    assert_null(strstr(first + 1, "L\tpermuted")); /* the first alone has a line */
    assert_non_null(strstr(text, "Q\tpermuted\t1\t0\t0\n"));
    assert_non_null(strstr(text, "Q\tracy_blocks\t0\t0\t1\n"));
    ls_buf_free(&report);
    assert_int_equal(run_program("PROGRAM_TIMES=6 LOCKSTEP_EVERY=4", "grid_none.fatbin", &report), 0);
    assert_non_null(strstr(ls_buf_text(&report), "Q\tpermuted\t0\t1\t0\n"));
    ls_buf_free(&report);
    /* next to nothing is left after the first check of these sizes */
    assert_int_equal(run_program("PROGRAM_TIMES=6 LOCKSTEP_BUDGET=1", "grid_none.fatbin", &report), 0);
    assert_null(strstr(ls_buf_text(&report), "Q\tpermuted\t1\t"));
    assert_non_null(strstr(ls_buf_text(&report), "Q\tpermuted\t0\t1\t0\n"));
    ls_buf_free(&report);
}

/* A priority changes nothing; a cooperative launch is the program's own, and watched where offsets do not
 * tell enough. */
static void attributes(void **state) {
    (void)state;
    ls_buf report;
    assert_int_equal(run_program("PROGRAM_ATTRIBUTE=8", "grid_none.fatbin", &report), 0);
    assert_non_null(strstr(ls_buf_text(&report), "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t3\t1\n"));
    ls_buf_free(&report);
    assert_int_equal(run_program("PROGRAM_ATTRIBUTE=2 PROGRAM_TIMES=3", "grid_none.fatbin", &report), 0);
    const char *text = ls_buf_text(&report);
    assert_non_null(strstr(text, "L\town\t4\t1\t1\t128\t1\t1\t1\t0\n")); /* proved */
    assert_non_null(strstr(text, "Q\town\t1\t0\t0\n"));
    assert_non_null(strstr(text, "L\tpermuted\t4\t1\t1\t128\t1\t1\t4\t0\n"));
    assert_non_null(strstr(text, "Q\tpermuted\t1\t0\t0\n"));
    assert_non_null(strstr(text, "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t7\t1\n"));
    assert_non_null(strstr(text, "write-write race on 'racy_blocks_param_0'"));
    ls_buf_free(&report);
}

/* Launches that are recorded into a graph, and kernels that are made its nodes by hand, are watched when the
 * graph runs, each time anew. */
static void graphs(void **state) {
    (void)state;
    static const char *const settings[] = {"PROGRAM_GRAPH=1 PROGRAM_TIMES=3",
                                           "PROGRAM_NODE=1 PROGRAM_TIMES=3"};
    for (int i = 0; i < 2; i++) {
        ls_buf report;
        assert_int_equal(run_program(settings[i], "grid_none.fatbin", &report), 0);
        const char *text = ls_buf_text(&report);
        assert_non_null(strstr(text, "L\town\t4\t1\t1\t128\t1\t1\t1\t0\n")); /* proved */
        assert_non_null(strstr(text, "L\tpermuted\t4\t1\t1\t128\t1\t1\t2\t0\n"));
        assert_null(strstr(text, "permuted\t4\t1\t1\t128\t1\t1\t2\t1"));
        assert_non_null(strstr(text, "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t3\t1\n"));
        assert_non_null(strstr(text, "write-write race on 'racy_blocks_param_0'"));
        assert_null(strstr(text, "\nU\t"));
        ls_buf_free(&report);
    }
}

/* A node whose parameters are set anew is the program's own again, which is said. */
static void changed_nodes(void **state) {
    (void)state;
    ls_buf report;
    assert_int_equal(run_program("PROGRAM_NODE=set", "grid_none.fatbin", &report), 0);
    const char *text = ls_buf_text(&report);
    assert_non_null(strstr(text, "U\t-\tit is a node of a graph whose parameters were changed"));
    assert_null(strstr(text, "write-write race on 'racy_blocks_param_0'"));
    ls_buf_free(&report);
}

/* Machine code is made once: the next process has it from the disk, unless the file was changed. */
static void machine_code_on_disk(void **state) {
    (void)state;
    char folder[] = "/tmp/lockstep-code-XXXXXX", settings[256], command[300];
    size_t lines[3];
    assert_non_null(mkdtemp(folder));
    snprintf(settings, sizeof settings, "LOCKSTEP_CACHE=%s/kept FAKE_COMPILED=%s/log", folder, folder);
    for (int i = 0; i < 3; i++) {
        ls_buf report, log = {0};
        assert_int_equal(run_program(settings, "grid_none.fatbin", &report), 0);
        assert_non_null(strstr(ls_buf_text(&report), "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t3\t1\n"));
        ls_buf_free(&report);
        snprintf(command, sizeof command, "%s/log", folder);
        assert_true(ls_read_file(command, &log));
        lines[i] = log.length;
        ls_buf_free(&log);
        snprintf(command, sizeof command, "for f in %s/kept/*; do echo >> $f; done", folder);
        if (i == 1) assert_int_equal(system(command), 0);
    }
    assert_true(lines[0] > 0 && lines[1] == lines[0] && lines[2] == 2 * lines[0]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* NVRTC made machine code of PTX. */
static void compiled_at_run_time(void **state) {
    (void)state;
    char path[512];
    ls_buf report;
    snprintf(path, sizeof path, "%s/data/grid.ptx", TEST_DIR);
    assert_int_equal(run_image("PROGRAM_COMPILES=1 HOME=/nowhere", path, &report), 0);
    assert_non_null(strstr(ls_buf_text(&report), "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t3\t1\n"));
    ls_buf_free(&report);
}

/* Triton's way: the program loads machine code, and the cache has the PTX that it was made of. */
static void triton_cache(void **state) {
    (void)state;
    char root[] = "/tmp/lockstep-triton-XXXXXX", path[256], settings[256];
    ls_buf ptx = {0}, cubin = {0}, report;
    uint64_t end;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/data/grid.ptx", TEST_DIR);
    assert_true(ls_read_file(path, &ptx));
    uint8_t header[64] = {0x7f, 'E', 'L', 'F', 2};
    end = sizeof header + ptx.length;
    memcpy(header + 40, &end, sizeof end);
    ls_buf_add(&cubin, (const char *)header, sizeof header);
    ls_buf_add(&cubin, ptx.text, ptx.length);
    snprintf(path, sizeof path, "%s/ABC", root);
    assert_int_equal(mkdir(path, 0700), 0);
    static const char *const names[] = {"own.cubin", "own.ptx"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/ABC/%s", root, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fwrite(i ? ptx.text : cubin.text, 1, i ? ptx.length : cubin.length, file);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s/ABC/own.cubin", root);
    snprintf(settings, sizeof settings, "TRITON_CACHE_DIR=%s", root);
    assert_int_equal(run_image(settings, path, &report), 0);
    const char *text = ls_buf_text(&report);
    assert_non_null(strstr(text, "L\tracy_blocks\t4\t1\t1\t128\t1\t1\t3\t1\n"));
    assert_non_null(strstr(text, "\tgrid.cu\t15\t"));
    ls_buf_free(&report);
    assert_int_equal(run_image("TRITON_CACHE_DIR=/nowhere HOME=/nowhere", path, &report), 0);
    assert_non_null(strstr(ls_buf_text(&report), "no PTX for it"));
    ls_buf_free(&report);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/ABC/%s", root, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/ABC", root);
    rmdir(path);
    rmdir(root);
    ls_buf_free(&ptx);
    ls_buf_free(&cubin);
}

int main(void) {
    setenv("LOCKSTEP_CACHE", "off", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_are_reported),
        cmocka_unit_test(graphs),
        cmocka_unit_test(changed_nodes),
        cmocka_unit_test(machine_code_on_disk),
        cmocka_unit_test(packed),
        cmocka_unit_test(chosen_launches),
        cmocka_unit_test(again),
        cmocka_unit_test(attributes),
        cmocka_unit_test(compiled_at_run_time),
        cmocka_unit_test(triton_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
