/* What people meet first: one line for a kernel that is fine, races told as stories in the same words
 * everywhere, -v and -q, the options of `verify` in `check`, whole projects, arguments from files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* keep */
#include <cmocka.h>

#include "command.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lockstep-surface-XXXXXX";

static void put(const char *name, const char *text, size_t length) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ls_write_file(path, text, length));
}

static void put_text(const char *name, const char *text) {
    put(name, text, strlen(text));
}

static void says_not(const char *what) {
    if (strstr(ls_buf_text(&last.output), what))
        fail_msg("'%s' is in the output:\n%s", what, ls_buf_text(&last.output));
}

static uint32_t lines(void) {
    uint32_t count = 0;
    for (const char *at = ls_buf_text(&last.output); *at; at++) count += *at == '\n';
    return count;
}

static const char fine[] = "__global__ void a(int *p) { p[threadIdx.x] = 1; }\n"
                           "__global__ void b(int *p) { p[threadIdx.x] = 2; }\n"
                           "void l(int *p) { a<<<1, 64>>>(p); b<<<1, 32>>>(p); }\n";

static void test_one_line_for_what_is_fine(void **state) {
    (void)state;
    put_text("fine.cu", fine);
    assert_int_equal(run_in(folder, "verify", "fine.cu"), 0);
    assert_int_equal(lines(), 3);
    says("fine.cu: kernel 'a': proved for block 64, grid 1 (launched at line 3); assumes that pointers do "
         "not overlap\n");
    says("2 kernels: 2 proved; nothing found\n");
    assert_int_equal(run_in(folder, "verify", "-q fine.cu"), 0);
    assert_int_equal(lines(), 0);
    assert_int_equal(run_in(folder, "verify", "-v fine.cu"), 0);
    says("  scope: ");
    assert_int_equal(run_in(folder, "check", "--bounds -q fine.cu"), 0);
    assert_int_equal(run_in(folder, "analyze", "fine.cu"), 0);
    says("kernel 'a': nothing found for block 64, grid 1");
}

static const char racy[] = "#define N 8\n"
                           "__global__ void r(float *out) {\n"
                           "    __shared__ float tile[N][N + 1];\n"
                           "    tile[threadIdx.y][threadIdx.x] = threadIdx.x;\n"
                           "    out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
                           "}\n"
                           "void l(float *p) { r<<<1, dim3(N, N)>>>(p); }\n";

static void test_races_are_told_the_same_way(void **state) {
    (void)state;
    put_text("racy.cu", racy);
    static const char *const commands[] = {"verify", "run", "check"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run_in(folder, commands[i], "racy.cu"), 1);
        says("race on 'tile' between threads of one block [race.shared]");
        says("racy.cu:4:");
        says("racy.cu:5:");
        says(" writes tile[");
        says(" reads tile[");
        says("thread (");
        says_not("witness");
    }
    assert_int_equal(run_in(folder, "detect", "--on emulator --block 8,8 racy.cu"), 1);
    says("race on 'tile' between threads of one block [race.shared]");
}

static void test_reads_and_writes_of_a_line_are_two(void **state) {
    (void)state;
    put_text(
        "line.cu",
        "__global__ void s(float *a) { a[threadIdx.x * 32] *= 2; }\nvoid l(float *a) { s<<<1, 64>>>(a); }\n");
    assert_int_equal(run_in(folder, "run", "line.cu"), 1);
    says("uncoalesced read");
    says("uncoalesced write");
}

static void test_arguments(void **state) {
    (void)state;
    static const char npy[] =
        "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
        "                                                            \n\0\0\x80\x3f\0\0\0\x40";
    put("x.npy", npy, sizeof npy - 1);
    put_text("args.cu", "__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }\n"
                        "void l(float *x) { k<<<1, 32>>>(x, 2); }\n");
    assert_int_equal(run_in(folder, "run", "-a x=file:x.npy -a n=2 --print x args.cu"), 0);
    says("x: f32[2] = 2 3");
    assert_int_equal(run_in(folder, "run", "-a x=file:none.npy args.cu"), 2);
    assert_int_equal(run_in(folder, "run", "-a x=file:args.cu args.cu"), 2);
    assert_int_equal(run_in(folder, "verify", "--kernel-args k,2 args.cu"), 0);
    says("for the parameter values of --kernel-args");
    assert_int_equal(run_in(folder, "verify", "--kernel-args other,2 args.cu"), 2);
    says("there is no such kernel");
}

static void test_projects(void **state) {
    (void)state;
    char database[1024];
    put_text("includes.rsp", "-DVALUE=7 -I \"inc\"\n");
    put_text("project.cu",
             "__global__ void k(int *a) { a[threadIdx.x] = VALUE; }\nvoid l(int *a) { k<<<1, 32>>>(a); }\n");
    snprintf(database, sizeof database,
             "[{\"directory\": \"%s\", \"file\": \"project.cu\", \"command\": \"nvcc --options-file "
             "includes.rsp -c "
             "project.cu\"}, {\"directory\": \"%s\", \"file\": \"main.cpp\", \"command\": \"c++ main.cpp\"}]",
             folder, folder);
    put_text("compile_commands.json", database);
    assert_int_equal(run_in(folder, "verify", "-p ."), 0);
    says("project.cu: kernel 'k': proved");
    put_text("compile_commands.json", "[]");
    assert_int_equal(run_in(folder, "verify", "-p ."), 2);
    says("names no .cu or .cl file");
}

static void test_what_cannot_be_is_said(void **state) {
    (void)state;
    assert_int_equal(run_in(folder, "detect", "--on emulator -- ./program"), 2);
    says("on its GPU");
}

static void test_help_has_examples(void **state) {
    (void)state;
    for (const ls_command *const *c = ls_commands; *c; c++) {
        assert_int_equal(run_in(folder, (*c)->name, "--help"), 0);
        says("Examples:\n  lockstep ");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_one_line_for_what_is_fine, forget),
        cmocka_unit_test_teardown(test_races_are_told_the_same_way, forget),
        cmocka_unit_test_teardown(test_reads_and_writes_of_a_line_are_two, forget),
        cmocka_unit_test_teardown(test_arguments, forget),
        cmocka_unit_test_teardown(test_projects, forget),
        cmocka_unit_test_teardown(test_what_cannot_be_is_said, forget),
        cmocka_unit_test_teardown(test_help_has_examples, forget),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"fine.cu", "racy.cu",      "line.cu",    "x.npy",
                                        "args.cu", "includes.rsp", "project.cu", "compile_commands.json"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    rmdir(folder);
    return failed;
}
