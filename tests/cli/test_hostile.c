/* The command against who means it ill: what was taken in silence, signals, limits, files of others. */
#include "base/process.h"
#include "base/scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "command.h"

static int command(const char *subcommand, const char *arguments) {
    return run_in(TEST_DIR, subcommand, arguments);
}

/* Each was exit status 0, or 1, once. */
static void nothing_is_taken_in_silence(void **state) {
    (void)state;
    static const struct {
        const char *subcommand, *arguments, *said;
    } rows[] = {
        {"run", "add.ptx --block 32 --tolerance x", "--tolerance expects a number"},
        {"run", "add.ptx --block 32 --schedule random:x", "--schedule"},
        {"run", "add.ptx --block 32 --schedule random:", "--schedule"},
        {"run", "add.ptx --block 32 --check all,none", "--check"},
        {"run", "add.ptx --block 32 --check race,all", "--check"},
        {"run", "add.ptx --block 1025", "at most 1024"},
        {"verify", "add.ptx --block 32,33", "at most 1024"},
        {"verify", "add.ptx --grid 1,65536", "at most 65535"},
        {"run", "add.ptx --block 32 --max-memory 12Q", "--max-memory"},
        {"allocate", "add.ptx -k nosuch", "nosuch"},
        {"run", "/dev/zero --block 32", "File too large"},
        {"run", "add.ptx --block 32 --arg f32[64]=file:add.ptx", "the file has"},
        {"run", "add.ptx --block 32 --arg f32[64]=iota --expect 0=/dev/null", "has 0 bytes"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int status = command(rows[k].subcommand, rows[k].arguments);
        if (status != 2) fail_msg("%s %s: status %d", rows[k].subcommand, rows[k].arguments, status);
        says(rows[k].said);
    }
}

static void lines_of_other_files_stay_unseen(void **state) {
    (void)state;
    assert_int_equal(command("verify", "untrusted/shadow.ptx --block 64 --grid 1"), 1);
    says("/etc/passwd:1");
    assert_null(strstr(ls_buf_text(&last.output), "root:"));
}

static void only_trusted_files_write(void **state) {
    (void)state;
    assert_int_equal(command("expect", "untrusted -v"), 1);
    says("--trust");
    assert_int_not_equal(access(TEST_DIR "/untrusted/written.txt", F_OK), 0);
}

/* Starts a run that would take for ever and ends it; its status and what it said. */
static int interrupted(int number, const char *extra, double *took) {
    ls_args argv = {0};
    const char *words[] = {
        LOCKSTEP_BINARY, "run", SOURCE_DIR "/tests/hostile/kernels/calls.ptx", "--block", "32", "-j1", extra};
    for (size_t k = 0; k < 6 + (extra != NULL); k++) LS_VEC_PUSH(&argv, words[k]);
    ls_process process;
    assert_true(ls_process_start(&process, &argv, &(ls_process_limits){.seconds = 60}));
    LS_VEC_FREE(&argv);
    nanosleep(&(struct timespec){1, 0}, NULL);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    kill(process.pid, number);
    ls_buf_free(&last.output);
    int status = ls_process_finish(&process, &last.output);
    clock_gettime(CLOCK_MONOTONIC, &b);
    *took = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    return status;
}

static void signals_end_it_with_what_there_is(void **state) {
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < 3; k++) {
        double took;
        assert_int_equal(interrupted(numbers[k], NULL, &took), 3);
        says("1 kernel: 1 unknown");
        assert_true(took < 20); /* 0.2 on a machine that does nothing else */
    }
}

static void memory_is_limited(void **state) {
    (void)state;
    assert_int_equal(command("run", "add.ptx --block 32 --max-memory 64M --arg f32[200000000]=iota"), 3);
    says("limit of memory");
}

static void a_full_disk_is_no_success(void **state) {
    (void)state;
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, "sh");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, LOCKSTEP_BINARY " --help > /dev/full 2>&1; a=$?; " LOCKSTEP_BINARY
                                       " verify --help > /dev/full; exit $(($a * 10 + $?))");
    ls_buf said = {0};
    assert_int_equal(ls_process_run(&argv, NULL, &said), 22);
    ls_buf_free(&said);
    LS_VEC_FREE(&argv);
}

static void output_is_left_where_nothing_can_be_read(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), path[256], arguments[512];
    snprintf(path, sizeof path, "%s/out", folder);
    assert_true(ls_write_file(path, "old", 3));
    snprintf(arguments, sizeof arguments, "-o %s nosuch.ptx", path);
    assert_int_equal(command("verify", arguments), 2);
    ls_buf text = {0};
    assert_true(ls_read_file(path, &text));
    assert_string_equal(ls_buf_text(&text), "old");
    ls_buf_free(&text);
    ls_scratch_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_is_taken_in_silence, forget),
        cmocka_unit_test_teardown(lines_of_other_files_stay_unseen, forget),
        cmocka_unit_test_teardown(only_trusted_files_write, forget),
        cmocka_unit_test_teardown(signals_end_it_with_what_there_is, forget),
        cmocka_unit_test_teardown(memory_is_limited, forget),
        cmocka_unit_test_teardown(a_full_disk_is_no_success, forget),
        cmocka_unit_test_teardown(output_is_left_where_nothing_can_be_read, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
