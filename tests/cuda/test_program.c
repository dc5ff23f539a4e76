/* lockstep run -- PROGRAM with a program of the driver's interface: what it prints and returns is its own,
 * and the report comes however it ends. */
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

typedef struct {
    int status;
    ls_buf output, report;
} result;

/* The program's output, and what Lockstep says, apart. */
static result run(const char *options, const char *what) {
    char command[2048], report[] = "/tmp/lockstep-test-XXXXXX";
    result r = {0};
    int file = mkstemp(report);
    assert_true(file >= 0);
    close(file);
    snprintf(command, sizeof command, "'%s' run %s -- '%s' %s 2> %s", LOCKSTEP_BINARY, options, PROGRAM, what,
             report);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, pipe)) > 0;) ls_buf_add(&r.output, chunk, n);
    int status = pclose(pipe);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    assert_true(ls_read_file(report, &r.report));
    unlink(report);
    return r;
}

static void drop(result *r) {
    ls_buf_free(&r->output);
    ls_buf_free(&r->report);
}

static void says(const result *r, const char *text) {
    if (strstr(ls_buf_text(&r->report), text)) return;
    fail_msg("'%s' is not in:\n%s", text, ls_buf_text(&r->report));
}
static void does_not_say(const result *r, const char *text) {
    if (!strstr(ls_buf_text(&r->report), text)) return;
    fail_msg("'%s' is in:\n%s", text, ls_buf_text(&r->report));
}

static void output_and_status_are_the_programs(void **state) {
    (void)state;
    result r = run("", "plain");
    assert_string_equal(ls_buf_text(&r.output), "sum 1498500\n");
    assert_int_equal(r.status, 3);
    says(&r, "1 kernel: 1 note");
    says(&r, "scale: 1 launch, ");
    drop(&r);
}

static void findings_name_the_allocation(void **state) {
    (void)state;
    result r = run("", "beyond");
    assert_int_equal(r.status, 3);
    says(&r, "memory.bounds");
    says(&r, "the allocation of 4000 bytes by cudaMalloc");
    says(&r, "were never freed [memory.leak]");
    drop(&r);
    r = run("--exit-status findings", "beyond");
    assert_int_equal(r.status, 1);
    drop(&r);
    r = run("--check none --exit-status findings", "beyond");
    does_not_say(&r, "memory.bounds");
    drop(&r);
    r = run("--kernel other", "beyond");
    does_not_say(&r, "memory.bounds");
    drop(&r);
    r = run("--launch 2-3", "beyond");
    does_not_say(&r, "memory.bounds");
    drop(&r);
}

static void the_host_cannot_follow_device_pointers(void **state) {
    (void)state;
    result r = run("", "host");
    assert_int_equal(r.status, 128 + 11);
    says(&r, "host.access");
    says(&r, "the program ended by signal 11");
    drop(&r);
}

static void the_report_comes_however_it_ends(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int status;
    } ends[] = {{"crash", 128 + 6}, {"handler", 5}, {"interrupt", 128 + 2}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        result r = run("", ends[k].what);
        assert_int_equal(r.status, ends[k].status);
        says(&r, "scale: 1 launch, ");
        says(&r, "memory.uninitialized");
        drop(&r);
    }
}

static void children_and_threads_work(void **state) {
    (void)state;
    result r = run("", "fork");
    assert_string_equal(ls_buf_text(&r.output), "sum 1498500\nsum 1498500\n");
    says(&r, "scale: 2 launches, "); /* one of each process */
    does_not_say(&r, "host code: 2 launches");
    drop(&r);
    r = run("", "threads");
    assert_string_equal(ls_buf_text(&r.output), "sum 1498500\nsum 1498500\nsum 1498500\nsum 1498500\n");
    says(&r, "scale: 4 launches, ");
    drop(&r);
}

static void processes_share_memory(void **state) {
    (void)state;
    result r = run("", "share");
    assert_string_equal(ls_buf_text(&r.output), "cuIpcGetEventHandle: 1\n"
                                                "cuIpcOpenMemHandle_v2: 1\n" /* of the same process */
                                                "cuIpcCloseMemHandle: 1\n"   /* a second time */
                                                "sum 1498500\n");
    says(&r, "scale: 2 launches, ");
    says(&r, "memory.bounds");
    says(&r, "the allocation of 4000 bytes by cudaIpcOpenMemHandle");
    does_not_say(&r, "memory.uninitialized");
    drop(&r);
}

static void files_name_memory_and_pools(void **state) {
    (void)state;
    result r = run("", "files");
    assert_string_equal(ls_buf_text(&r.output),
                        "cuMemImportFromShareableHandle: 1\n" /* of a file that is none of memory */
                        "sum 1498500\n"
                        "used 4000\n"
                        "cuMemPoolImportPointer: 1\n" /* of another pool */
                        "sum 1498500\n");
    says(&r, "scale: 2 launches, ");
    does_not_say(&r, "memory.");
    drop(&r);
}

static void kernels_launch_kernels(void **state) {
    (void)state;
    result r = run("", "nested");
    assert_string_equal(ls_buf_text(&r.output), "sum 13486500\n"); /* three times three of all numbers */
    says(&r, "scale: 3 launches, ");
    says(&r, "parent: 3 launches, ");
    drop(&r);
    r = run("", "'nested beyond'");
    says(&r, "in kernel 'scale'");
    says(&r, "memory.bounds");
    drop(&r);
}

static void tensors_are_copied(void **state) {
    (void)state;
    result r =
        run("", "tile"); /* rows of 7 numbers are not allowed; 8 numbers of rows 3 to 6, from the eighth */
    assert_string_equal(ls_buf_text(&r.output), "cuTensorMapEncodeTiled: 1\nsum 6128\n");
    says(&r, "tile: 1 launch, ");
    assert_null(strstr(ls_buf_text(&r.report), "error:"));
    drop(&r);
    r = run("", "'tile of tf32'"); /* numbers that are the same in tf32 */
    assert_string_equal(ls_buf_text(&r.output), "cuTensorMapEncodeTiled: 1\nsum 6128\n");
    drop(&r);
    r = run("", "'tile to be rounded'");
    says(&r, "unknown: a tensor copy to tf32 of a number that must be rounded, and the rounding is "
             "documented nowhere");
    drop(&r);
    r = run("", "'tile that flushes'");
    says(&r, "cuTensorMapEncodeTiled for this type, interleave or swizzle was called, but Lockstep does not "
             "have it");
    drop(&r);
}

static void kernels_that_hang_are_ended(void **state) {
    (void)state;
    result r = run("--timeout 1", "spin");
    assert_string_equal(ls_buf_text(&r.output), "cuCtxSynchronize: 702\n");
    drop(&r);
}

static void kernels_that_do_not_end_are_unknown(void **state) {
    (void)state;
    result r = run("", "alarm");
    says(&r, "the program ended by signal 14");
    says(&r, "unknown: no launch of it is known to have finished before the program ended");
    does_not_say(&r, "nothing found for any block");
    drop(&r);
}

/* The program, or the command, is ended as soon as an error is shown of the launch that it waits for. */
static void told_when_ended(const char *who) {
    char folder[] = "/tmp/lockstep-test-XXXXXX", command[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd '%s' && { '%s' run -- '%s' long > output 2> report & lockstep=$!; n=0; "
             "until grep -q '^lockstep: .*error' report 2> none || ! kill -0 $lockstep || [ $n = 3000 ]; do "
             "n=$((n + 1)); sleep 0.1; done; kill %s; wait $lockstep; }",
             folder, LOCKSTEP_BINARY, PROGRAM, who);
    int status = system(command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + 15);
    result r = {0};
    snprintf(command, sizeof command, "%s/report", folder);
    assert_true(ls_read_file(command, &r.report));
    says(&r, "the program ended by signal 15");
    says(&r, "[memory.bounds]");
    says(&r, "the allocation of 4000 bytes by cudaMalloc");
    says(&r, "1 refuted");
    drop(&r);
    snprintf(command, sizeof command, "kill -0 $(cat %s/output)", folder);
    assert_int_not_equal(system(command), 0); /* it has ended with the command */
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void errors_of_launches_that_do_not_end_are_told(void **state) {
    (void)state;
    told_when_ended("$(cat output)");
    told_when_ended("$lockstep");
}

static void what_is_not_there_is_named(void **state) {
    (void)state;
    result r = run("", "missing");
    assert_string_equal(ls_buf_text(&r.output), "cuGreenCtxCreate: 801\n");
    says(&r, "cuGreenCtxCreate was called, but Lockstep does not have it");
    drop(&r);
}

static void launches_are_recorded(void **state) {
    (void)state;
    char options[128], path[] = "/tmp/lockstep-launches-XXXXXX";
    int file = mkstemp(path);
    ls_buf text = {0};
    assert_true(file >= 0);
    close(file);
    snprintf(options, sizeof options, "--record %s", path);
    result r = run(options, "threads");
    assert_true(ls_read_file(path, &text));
    assert_string_equal(
        ls_buf_text(&text),
        "[\n {\"launch\": 1, \"kernel\": \"scale\", \"grid\": [8, 1, 1], \"block\": [128, 1, 1], \"shared\": "
        "0, "
        "\"args\": [\n"
        "   {\"name\": \"p\", \"type\": \"u64\", \"size\": 8, \"allocation\": 0, \"allocation_size\": 4000, "
        "\"offset\": 0, \"memory\": \"device\"},\n"
        "   {\"name\": \"n\", \"type\": \"u32\", \"size\": 4, \"bits\": \"0x3e8\", \"value\": 1000},\n"
        "   {\"name\": \"by\", \"type\": \"u32\", \"size\": 4, \"bits\": \"0x3\", \"value\": 3}]}\n]\n");
    unlink(path);
    ls_buf_free(&text);
    drop(&r);
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    result r = run("--gpu nonsense", "plain");
    assert_int_equal(r.status, 2);
    says(&r, "--gpu: there is no GPU 'nonsense'");
    drop(&r);
}

/* What was launched is verified for the sizes and numbers that it was launched with. */
static void launches_are_proved(void **state) {
    (void)state;
    result r = run("--prove", "plain");
    assert_string_equal(ls_buf_text(&r.output), "sum 1498500\n");
    assert_int_equal(r.status, 3);
    says(&r, "kernel 'scale': proved for block 128, grid 8 (launch 1 of launches.json)");
    drop(&r);
    r = run("--prove --format json", "plain");
    assert_int_equal(r.status, 2);
    says(&r, "--prove prints text only");
    drop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status_are_the_programs),
        cmocka_unit_test(launches_are_proved),
        cmocka_unit_test(findings_name_the_allocation),
        cmocka_unit_test(the_host_cannot_follow_device_pointers),
        cmocka_unit_test(the_report_comes_however_it_ends),
        cmocka_unit_test(children_and_threads_work),
        cmocka_unit_test(processes_share_memory),
        cmocka_unit_test(files_name_memory_and_pools),
        cmocka_unit_test(kernels_launch_kernels),
        cmocka_unit_test(tensors_are_copied),
        cmocka_unit_test(kernels_that_hang_are_ended),
        cmocka_unit_test(kernels_that_do_not_end_are_unknown),
        cmocka_unit_test(errors_of_launches_that_do_not_end_are_told),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(launches_are_recorded),
        cmocka_unit_test(wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
