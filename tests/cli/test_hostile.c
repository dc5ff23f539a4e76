/* The command against who means it ill: what was taken in silence, signals, limits, files of others. */
#include "base/clock.h"
#include "base/process.h"
#include "base/scratch.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../bench/cli/large.h"
#include "command.h"

static int command(const char *subcommand, const char *arguments) {
    return run_in(TEST_DIR, subcommand, arguments);
}

/* Times that a report has are no difference: "time_ms": 1.25 and "cpu_ms". */
static void drop_times(char *text) {
    for (char *at = text; at && (at = strstr(at, "_ms\": "));) {
        size_t digits = strspn(at += 6, "0123456789.e-");
        memmove(at, at + digits, strlen(at + digits) + 1);
    }
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
        {"run", "add.ptx --block 32 --record x.json", "--record needs a whole program"},
        {"verify", "add.ptx --block 32,33", "at most 1024"},
        {"verify", "add.ptx --grid 1,65536", "at most 65535"},
        {"run", "add.ptx --block 32 --max-memory 12Q", "--max-memory"},
        {"allocate", "add.ptx -k nosuch", "nosuch"},
        {"run", "/dev/zero --block 32", "File too large"},
        {"run", "add.ptx --block 32 --arg f32[64]=file:add.ptx", "the file has"},
        {"run", "add.ptx --block 32 --arg f32[64]=iota --expect 0=/dev/null", "has 0 bytes"},
        {"run", "add.ptx --block 32 --arg f32[64]=iota --expect 0=untrusted/none.ptx",
         "not all was compared"},
        {"run", "add.ptx --block 32 --arg f32[4]=file:/dev/zero", "File too large"},
        {"run", "add.ptx --block 32 --arg f32[64] --arg s32=99999999999", "a number that the type can hold"},
        {"verify", "untrusted/none.ptx", "there is no kernel in it"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int status = command(rows[k].subcommand, rows[k].arguments);
        if (status != 2)
            fail_msg("%s %s: status %d\n%s", rows[k].subcommand, rows[k].arguments, status,
                     ls_buf_text(&last.output));
        says(rows[k].said);
    }
}

static void lines_of_other_files_stay_unseen(void **state) {
    (void)state;
    assert_int_equal(command("verify", "untrusted/shadow.ptx --block 64 --grid 1"), 1);
    says("/etc/passwd:1");
    assert_null(strstr(ls_buf_text(&last.output), "root:"));
}

/* nvcc hands names to a shell. */
static void names_reach_no_shell(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), path[256];
    static const char text[] = "__global__ void k(int *p) { *p = 1; }\n";
    snprintf(path, sizeof path, "%s/k$(touch${IFS}x).cu", folder);
    assert_true(ls_write_file(path, text, sizeof text - 1));
    assert_int_equal(run_in(folder, "verify", "k$(touch${IFS}x).cu --frontend nvcc"), 2);
    snprintf(path, sizeof path, "%s/x", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    ls_scratch_remove(folder);
}

static void only_trusted_files_write(void **state) {
    (void)state;
    assert_int_equal(command("expect", "untrusted -v"), 1);
    static const char *const asked[] = {"'-o'", "'--program'", "'--'", "'--html'"};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) says(asked[k]);
    says("--trust");
    assert_int_not_equal(access(TEST_DIR "/untrusted/written.txt", F_OK), 0);
}

/* Starts a run that would take for ever and ends it; its status and what it said. */
static int ended_by(int number, const char *const *words, size_t count, double *took) {
    ls_args argv = {0};
    for (size_t k = 0; k < count; k++) LS_VEC_PUSH(&argv, words[k]);
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
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t k = 0; k < 4; k++) {
        double took;
        const char *words[] = {LOCKSTEP_BINARY, "run", SOURCE_DIR "/tests/hostile/kernels/calls.ptx",
                               "--block",       "32",  "-j1"};
        assert_int_equal(ended_by(numbers[k], words, 6, &took), 3);
        says("1 kernel: 1 unknown");
        assert_true(took < 20); /* 0.2 on a machine that does nothing else */
    }
}

/* Proofs and the detector, too, also in a confined process. */
static void signals_end_proofs(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), path[256];
    ls_buf text = {0};
    ls_buf_puts(&text, ".version 8.6\n.target sm_90\n.address_size 64\n");
    for (uint32_t k = 0; k < 12000; k++) /* some seconds of work for any machine */
        ls_buf_printf(
            &text,
            ".visible .entry k%u(.param .u64 a)\n{\n.reg .b64 %%rd<2>;\n.reg .b32 %%r<2>;\n"
            "ld.param.u64 %%rd1, [a];\nmov.u32 %%r1, %%tid.x;\nst.global.u32 [%%rd1], %%r1;\nret;\n}\n",
            k);
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    assert_true(ls_write_file(path, text.text, text.length));
    ls_buf_free(&text);
    static const char *const options[] = {"--no-replay", "--untrusted"};
    for (size_t k = 0; k < 2; k++) {
        double took;
        const char *words[] = {LOCKSTEP_BINARY, "verify", path, options[k], "-j1"};
        int status = ended_by(SIGINT, words, 5, &took); /* some kernels were refuted by then, or none */
        assert_true(status == 1 || status == 3);
        says(" kernel");
        says(" unknown");
        assert_true(took < 20);
    }
    const char *detect[] = {LOCKSTEP_BINARY, "detect", SOURCE_DIR "/tests/hostile/kernels/calls.ptx",
                            "--block=32", "--on=emulator"};
    double took;
    assert_int_equal(ended_by(SIGINT, detect, 5, &took), 3);
    says("1 kernel: 1 unknown");
    ls_scratch_remove(folder);
}

/* A report that nobody reads is not printed to its end. */
static void signals_end_printing(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), path[256];
    ls_buf text = {0};
    large_kernels(&text, 2000);
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    assert_true(ls_write_file(path, text.text, text.length));
    ls_buf_free(&text);
    int ends[2], there = -1, before = -2, status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], 1);
        close(ends[0]);
        execl(LOCKSTEP_BINARY, LOCKSTEP_BINARY, "analyze", path, "--block", "256", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    while (there <= 0 || there != before) { /* until the pipe is full */
        before = there;
        nanosleep(&(struct timespec){1, 0}, NULL);
        assert_int_equal(ioctl(ends[0], FIONREAD, &there), 0);
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    }
    kill(pid, SIGINT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    close(ends[0]);
    ls_scratch_remove(folder);
}

/* What has been run is told. */
static void signals_end_expect(void **state) {
    (void)state;
    const char *words[] = {LOCKSTEP_BINARY, "expect", SOURCE_DIR "/tests/hostile/kernels",
                           SOURCE_DIR "/tests/verify/kernels", "-j1"};
    double took;
    int status = 130; /* where the machine is so loaded that it did not come to that in time */
    for (int i = 0; i < 8 && status == 130; i++) status = ended_by(SIGINT, words, 5, &took);
    assert_true(status == 3 || status == 1);
    says(" agree; ");
    says(" were not run to their end");
    assert_true(took < 20);
}

/* The status of a run within so many seconds of CPU time. */
static int within(uint32_t seconds, const char *arguments) {
    char line[1024];
    ls_args argv = {0};
    ls_buf said = {0};
    snprintf(line, sizeof line, "ulimit -t %u; exec '" LOCKSTEP_BINARY "' %s >/dev/null 2>&1",
             (unsigned)(seconds * ls_clock_slowdown()), arguments);
    LS_VEC_PUSH(&argv, "sh");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, line);
    int status = ls_process_run(&argv, NULL, &said);
    LS_VEC_FREE(&argv);
    ls_buf_free(&said);
    return status;
}

/* Buffers for as many threads as there are were made and filled before the first block ran. */
static void made_up_buffers_are_small(void **state) {
    (void)state;
    assert_int_equal(
        within(6, "run '" TEST_DIR "/add.ptx' --block 1024 --grid 1000000 --timeout 1 --max-memory 1G"), 3);
}

/* Buffers as large as a reference says were filled for as long as that takes, whatever the limit. */
static void buffers_are_filled_within_the_limit(void **state) {
    (void)state;
    assert_int_equal(command("gate", "add.ptx --reference add.ptx --here --no-proofs --cases 2 --seconds "
                                     "0.001 --inout out=f16[n]=random:7 --scalar n=n --scalar m=1 --size "
                                     "n=260000000 --grid 1 --block 64"),
                     3);
    says("limit");
}

/* Each took time or memory with the square of the size once: minutes, or gigabytes. CPU seconds. */
static void large_files_end_in_time(void **state) {
    (void)state;
    static const struct {
        void (*make)(ls_buf *out, uint32_t count);
        uint32_t count, seconds;
        const char *arguments;
    } rows[] = {
        {large_kernels, 12000, 8, "ptx --list"},
        {large_kernels, 12000, 8, "analyze --block 256"},
        {large_blocks, 50000, 8, "analyze --block 256"},
        {large_barriers, 12000, 20, "verify --block 256 --grid 1 -j1 --max-memory 512M"},
    };
    char *folder = ls_scratch_make(), path[256], line[512];
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ls_buf text = {0};
        rows[k].make(&text, rows[k].count);
        assert_true(ls_write_file(path, text.text, text.length));
        snprintf(line, sizeof line, "%s %s", rows[k].arguments, path);
        int status = within(rows[k].seconds, line);
        if (status != 0 && status != 1)
            fail_msg("%s of %u: status %d", rows[k].arguments, rows[k].count, status);
        ls_buf_free(&text);
    }
    ls_scratch_remove(folder);
}

/* A folder with a source and an empty one for temporary files, and the command that verifies it with that. */
typedef struct {
    char *folder, temporary[256], line[1024];
} own_room;

static own_room room_with(const char *text) {
    own_room r = {.folder = ls_scratch_make()};
    char source[256];
    snprintf(source, sizeof source, "%s/k.cu", r.folder);
    snprintf(r.temporary, sizeof r.temporary, "%s/tmp", r.folder);
    assert_true(ls_write_file(source, text, strlen(text)));
    assert_int_equal(mkdir(r.temporary, 0700), 0);
    snprintf(r.line, sizeof r.line, "TMPDIR=%s exec '" LOCKSTEP_BINARY "' verify --frontend clang %s",
             r.temporary, source);
    return r;
}

static void leave_room(own_room *r, const char *after) {
    DIR *left = opendir(r->temporary);
    assert_non_null(left);
    for (const struct dirent *entry; (entry = readdir(left));)
        if (entry->d_name[0] != '.') fail_msg("%s is left behind by %s", entry->d_name, after);
    closedir(left);
    ls_scratch_remove(r->folder);
}

/* A source that a compiler would read for hours. */
static own_room endless_room(void) {
    ls_buf text = {0};
    ls_buf_puts(&text, "#define M0 + 1\n");
    for (int k = 1; k < 60; k++) ls_buf_printf(&text, "#define M%d M%d M%d\n", k, k - 1, k - 1);
    ls_buf_puts(&text, "__global__ void k(int *p) { *p = 0 M59; }\n");
    own_room r = room_with(ls_buf_text(&text));
    ls_buf_free(&text);
    return r;
}

/* The exit status of the room's command with further options; what it says is in `said`. */
static int run_room(const own_room *r, const char *options, ls_buf *said) {
    char line[sizeof r->line + 64];
    snprintf(line, sizeof line, "%s %s", r->line, options);
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, "sh");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, line);
    int status = ls_process_run(&argv, NULL, said);
    LS_VEC_FREE(&argv);
    return status;
}

/* The compiler and the folder that it works in are gone with the run. */
static void nothing_is_left_behind(void **state) {
    (void)state;
    static const int numbers[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    for (size_t k = 0; k < 4; k++) {
        own_room r = endless_room();
        const char *words[] = {"sh", "-c", r.line};
        double took;
        ended_by(numbers[k], words, 3, &took);
        assert_true(took < 20);
        leave_room(&r, strsignal(numbers[k]));
    }
}

static void compilers_end_at_their_limit(void **state) {
    (void)state;
    own_room r = endless_room();
    ls_buf said = {0};
    assert_int_equal(run_room(&r, "--compile-timeout 1", &said), 2);
    assert_non_null(strstr(ls_buf_text(&said), "it took longer than 1 s (--compile-timeout)"));
    ls_buf_free(&said);
    leave_room(&r, "the limit");
}

/* clang keeps what it crashed on for its authors: not here. */
static void a_compiler_that_crashes_leaves_nothing(void **state) {
    (void)state;
    own_room r = room_with("#pragma clang __debug crash\n__global__ void k(int *p) { *p = 0; }\n");
    ls_buf said = {0};
    assert_int_equal(run_room(&r, "", &said), 2);
    ls_buf_free(&said);
    leave_room(&r, "a crash");
}

/* What is not trusted is told in the same words, and written where it should be. */
static void untrusted_files_are_told_alike(void **state) {
    (void)state;
    static const struct {
        const char *subcommand, *arguments;
    } rows[] = {
        {"verify", "add.ptx --block 32"},
        {"check", "add.ptx --block 32 -j2"},
        {"analyze", "add.ptx --block 32 -a"},
        {"run", "add.ptx --block 32 --print 0"},
        {"verify", "nosuch.ptx"},
        {"check", "kernels/several_readers.cu --format json"},
        {"verify", "add.ptx --block 32 --format sarif"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int status = command(rows[k].subcommand, rows[k].arguments);
        char *before = strdup(ls_buf_text(&last.output)), arguments[256];
        snprintf(arguments, sizeof arguments, "%s --untrusted", rows[k].arguments);
        assert_int_equal(command(rows[k].subcommand, arguments), status);
        drop_times(before);
        drop_times(last.output.text);
        assert_string_equal(ls_buf_text(&last.output), before);
        free(before);
    }
    char *folder = ls_scratch_make(), path[256], arguments[512];
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(arguments, sizeof arguments, "add.ptx --block 32 --untrusted -o %s", path);
    command("verify", arguments);
    ls_buf text = {0};
    assert_true(ls_read_file(path, &text));
    assert_non_null(strstr(ls_buf_text(&text), "1 kernel"));
    ls_buf_free(&text);
    ls_scratch_remove(folder);
    assert_int_equal(command("run", "--untrusted -- /bin/true"), 2);
    says("--untrusted is for kernels");
    assert_int_equal(command("run", "add.ptx --block 32 --untrusted --dump 0=dumped.bin"), 2);
    says("cannot be written");
}

static void memory_is_limited(void **state) {
    (void)state;
    assert_int_equal(command("run", "add.ptx --block 32 --max-memory 64M --arg f32[200000000]=iota"), 3);
    says("memory limit of 64 MB was reached");
}

static void a_full_disk_is_no_success(void **state) {
    (void)state;
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, "sh");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, "'" LOCKSTEP_BINARY "' --help > /dev/full 2>&1; a=$?; '" LOCKSTEP_BINARY
                       "' verify --help > /dev/full; exit $(($a * 10 + $?))");
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
        cmocka_unit_test_teardown(names_reach_no_shell, forget),
        cmocka_unit_test_teardown(only_trusted_files_write, forget),
        cmocka_unit_test_teardown(signals_end_it_with_what_there_is, forget),
        cmocka_unit_test_teardown(signals_end_proofs, forget),
        cmocka_unit_test_teardown(signals_end_printing, forget),
        cmocka_unit_test_teardown(signals_end_expect, forget),
        cmocka_unit_test_teardown(made_up_buffers_are_small, forget),
        cmocka_unit_test_teardown(buffers_are_filled_within_the_limit, forget),
        cmocka_unit_test_teardown(large_files_end_in_time, forget),
        cmocka_unit_test_teardown(nothing_is_left_behind, forget),
        cmocka_unit_test_teardown(compilers_end_at_their_limit, forget),
        cmocka_unit_test_teardown(a_compiler_that_crashes_leaves_nothing, forget),
        cmocka_unit_test_teardown(untrusted_files_are_told_alike, forget),
        cmocka_unit_test_teardown(memory_is_limited, forget),
        cmocka_unit_test_teardown(a_full_disk_is_no_success, forget),
        cmocka_unit_test_teardown(output_is_left_where_nothing_can_be_read, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
