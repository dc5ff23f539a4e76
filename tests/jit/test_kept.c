/* Compiled code on disk: what one process has compiled the next one takes, and files that are not as they
 * were put are not taken. Skipped where kernels are not compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/emulate.h"
#include "lockstep/jit.h"
#include "steps.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 128 };

static const char PTX[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                          ".visible .entry twice(.param .u64 a)\n{\n"
                          ".reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
                          "mad.lo.s32 %r3, %r2, 64, %r1;\nmul.wide.s32 %rd2, %r3, 4;\n"
                          "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r4, [%rd3];\nadd.s32 %r5, %r4, %r4;\n"
                          "st.global.u32 [%rd3], %r5;\nret;\n}\n";

static char folder[64];

/* Runs the kernel in an emulator of its own; its result must be right. */
static void run(void) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(PTX, sizeof PTX - 1, "twice.ptx", diags);
    ls_emulator *e = ls_emulator_new(module, diags);
    uint64_t at = ls_emulator_alloc(e, COUNT * 4, "a");
    uint32_t *values = (uint32_t *)(uintptr_t)at;
    for (uint32_t k = 0; k < COUNT; k++) values[k] = k;
    ls_emu_launch launch = {
        .kernel = "twice", .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = &at, .params_size = sizeof at};
    ls_emu_result *r = ls_emulator_run(
        e, &launch, &(ls_emu_options){.jit = LS_JIT_ON, .compiler = ls_jit_compiler(), .threads = 1});
    assert_int_equal(r->status, LS_EMU_DONE);
    assert_null(r->not_compiled);
    assert_true(r->compiled_runs > 0);
    for (uint32_t k = 0; k < COUNT; k++) assert_int_equal(values[k], 2 * k);
    ls_emu_result_free(r);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

/* The path of a file; the number of files. */
static int list(char *path, size_t size) {
    int count = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        count++;
        snprintf(path, size, "%s/%s", folder, e->d_name);
    }
    if (d) closedir(d);
    return count;
}

static void age(const char *path) {
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
}

/* A file that is used is as new. */
static bool was_used(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mtim.tv_sec != 1000;
}

static void is_taken(void **state) {
    (void)state;
    if (!ls_jit_compiler()) skip();
    char path[1024];
    ls_buf whole = {0};
    run();
    assert_int_equal(list(path, sizeof path), 1);
    age(path);
    run();
    assert_int_equal(list(path, sizeof path), 1);
    assert_true(was_used(path));
    assert_true(ls_read_file(path, &whole));
    whole.text[whole.length - 100] ^= 1; /* in the code: it is compiled, and put, again */
    assert_true(ls_write_file(path, whole.text, whole.length));
    run();
    age(path);
    run();
    assert_true(was_used(path));
    ls_buf_free(&whole);
}

static int fresh(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/lockstep-code-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    return setenv("LOCKSTEP_CACHE", folder, 1);
}

static int removed(void **state) {
    (void)state;
    char path[1024];
    while (list(path, sizeof path)) unlink(path);
    return rmdir(folder);
}

static uint32_t after_steps(uint32_t x) {
    for (int k = 0; k < 20000; k++) x = x * 1664525 + 1013904223;
    return x;
}

/* Interpreted at first, compiled quickly after a while, and well after another one; with the same results
 * all the time. */
static void when_hot(void **state) {
    (void)state;
    if (!ls_jit_compiler()) skip();
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(STEPS, sizeof STEPS - 1, "steps.ptx", diags);
    ls_emulator *e = ls_emulator_new(module, diags);
    uint64_t at = ls_emulator_alloc(e, 64 * 4, "a");
    uint32_t quickly = 0, well = 0; /* instructions that were compiled when there was such code */
    uint32_t *values = (uint32_t *)(uintptr_t)at, expected[64];
    for (uint32_t k = 0; k < 64; k++) expected[k] = after_steps(k);
    ls_emu_launch launch = {
        .kernel = "steps", .grid = {1, 1, 1}, .block = {64, 1, 1}, .params = &at, .params_size = sizeof at};
    for (uint32_t n = 0; !well; n++) {
        ls_emu_result *r = ls_emulator_run(
            e, &launch, &(ls_emu_options){.jit = LS_JIT_AUTO, .compiler = ls_jit_compiler(), .threads = 1});
        assert_int_equal(r->status, LS_EMU_DONE);
        assert_null(r->not_compiled);
        assert_memory_equal(values, expected, sizeof expected);
        assert_true(n || !r->compiled_runs);
        if (quickly && r->compiled_insns > quickly && r->compiled_runs) well = r->compiled_insns;
        if (!quickly && r->compiled_runs) quickly = r->compiled_insns;
        assert_true(!quickly || r->compiled_runs);
        ls_emu_result_free(r);
        memset(values, 0, sizeof expected);
    }
    assert_int_equal(well, 2 * quickly);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(is_taken, fresh, removed),
                                       cmocka_unit_test_setup_teardown(when_hot, fresh, removed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
