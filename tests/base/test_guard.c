/* Children within limits, and gone with their parent; temporary folders; files that are replaced whole. */
#include "base/process.h"
#include "base/scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int run_shell(const char *script, const ls_process_limits *limits, ls_buf *said) {
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, "sh");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, script);
    int status = ls_process_run(&argv, limits, said);
    LS_VEC_FREE(&argv);
    return status;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void statuses(void **state) {
    (void)state;
    ls_buf said = {0};
    assert_int_equal(run_shell("echo out; echo err >&2; exit 7", NULL, &said), 7);
    assert_string_equal(ls_buf_text(&said), "out\nerr\n");
    said.length = 0;
    assert_int_equal(run_shell("kill -SEGV $$", NULL, &said), 128 + SIGSEGV);
    ls_args nothing = {0};
    LS_VEC_PUSH(&nothing, "no-such-program-of-lockstep");
    assert_int_equal(ls_process_run(&nothing, NULL, &said), 127);
    LS_VEC_FREE(&nothing);
    ls_buf_free(&said);
}

static void limits_hold(void **state) {
    (void)state;
    ls_buf said = {0};
    double start = seconds();
    assert_int_equal(run_shell("sleep 60 & sleep 60", &(ls_process_limits){.seconds = 0.3}, &said),
                     LS_PROCESS_LATE);
    assert_true(seconds() - start < 20);
    said.length = 0;
    assert_int_equal(run_shell("head -c 1000000 /dev/zero", &(ls_process_limits){.output = 1000}, &said), 0);
    assert_int_equal(said.length, 1000);
    said.length = 0;
    assert_int_not_equal(run_shell("x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}",
                                   &(ls_process_limits){.bytes = 64 << 20}, &said),
                         0);
    ls_buf_free(&said);
}

/* A limit on memory that this process has already, and that lies below the one asked for, stays. */
static void limits_of_the_process_stay(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its own address space is beyond any such limit */
#else
    pid_t child = fork();
    if (child == 0) {
        struct rlimit low = {UINT64_C(1) << 31, UINT64_C(1) << 31};
        ls_buf said = {0};
        int status = setrlimit(RLIMIT_AS, &low)
                         ? 1
                         : run_shell("ulimit -v", &(ls_process_limits){.bytes = UINT64_C(1) << 32}, &said);
        _exit(status || strcmp(ls_buf_text(&said), "2097152\n"));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#endif
}

/* A process that is killed leaves no child, nor a child's child. */
static void none_outlives_its_parent(void **state) {
    (void)state;
    char *folder = ls_scratch_make();
    assert_non_null(folder);
    char script[1024], path[256];
    snprintf(path, sizeof path, "%s/pids", folder);
    snprintf(script, sizeof script, "sleep 100 & echo $! > %s; echo $$ >> %s; wait", path, path);
    pid_t parent = fork();
    if (!parent) {
        ls_buf said = {0};
        run_shell(script, NULL, &said);
        _exit(0);
    }
    int pids[2] = {0, 0}, tries = 0;
    for (FILE *file; tries < 1000 && (!pids[0] || !pids[1]); tries++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        if (!(file = fopen(path, "r"))) continue;
        if (fscanf(file, "%d %d", &pids[0], &pids[1]) != 2) pids[0] = 0;
        fclose(file);
    }
    assert_true(pids[0] > 0 && pids[1] > 0);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (tries = 0; tries < 1000 && (!kill(pids[0], 0) || !kill(pids[1], 0)); tries++) {
        char name[64], text[256] = "";
        snprintf(name, sizeof name, "/proc/%d/stat", pids[0]);
        FILE *file = fopen(name, "r"); /* one that nobody has waited for is gone as well */
        if (file && fgets(text, sizeof text, file) && strstr(text, ") Z ")) pids[0] = pids[1];
        if (file) fclose(file);
        snprintf(name, sizeof name, "/proc/%d/stat", pids[1]);
        file = fopen(name, "r");
        bool gone = file && fgets(text, sizeof text, file) && strstr(text, ") Z ");
        if (file) fclose(file);
        if (gone) break;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_true(tries < 1000);
    ls_scratch_remove(folder);
}

static void files_are_replaced_whole(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), path[256], link[256];
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_true(ls_write_file(path, "old", 3));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_true(ls_write_file(link, "new text", 8));
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    ls_buf text = {0};
    assert_true(ls_read_file(path, &text));
    assert_string_equal(ls_buf_text(&text), "new text");
    ls_buf_free(&text);
    assert_false(ls_write_file("/dev/full", "text", 4));
    assert_false(ls_read_file("/dev/zero", &text));
    ls_buf_free(&text);
    char *copy = strdup(folder);
    ls_scratch_remove(folder);
    assert_int_not_equal(access(copy, F_OK), 0);
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(limits_of_the_process_stay),
        cmocka_unit_test(none_outlives_its_parent),
        cmocka_unit_test(files_are_replaced_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
