/* The queries that are written as SMT-LIB: every file of a few kernels is read back by a solver of its own,
 * which gives the answer that stands in it; and a query that was answered more than once is written each
 * time. */
#include "base/buf.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>
#include <z3.h>

/* Products, masks, shifts and a loop; a race where `stride` is a multiple of four. */
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {\n"
    ".reg .b32 %%r<20>; .reg .b64 %%d<9>; .reg .pred %%q; .shared .align 4 .b8 s[4096];\n"
    "mov.u32 %%r1, %%tid.x; mov.u32 %%r7, s; ld.param.u32 %%r2, [n]; mov.u32 %%r9, 0;\n"
    "loop: xor.b32 %%r3, %%r1, %%r9; mul.lo.s32 %%r3, %%r3, %d; and.b32 %%r3, %%r3, 255;\n"
    "shl.b32 %%r3, %%r3, 2; add.s32 %%r4, %%r7, %%r3; st.shared.u32 [%%r4], %%r1;\n"
    "bar.sync 0; add.s32 %%r9, %%r9, 1; setp.lt.s32 %%q, %%r9, %%r2; @%%q bra loop;\n"
    "ret;\n}\n";

static void verify(int stride, const char *directory, ls_verdict expected) {
    ls_buf text = {0};
    ls_buf_printf(&text, kernel, stride);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, "k.ptx", diags);
    assert_non_null(module);
    ls_ir_function *ir =
        ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
    ls_verify_options options = {
        .block = {128, 1, 1}, .grid = {1, 1, 1}, .smt2_dir = directory, .benign_error = true};
    ls_verify_result *r = ls_verify(ir, &options);
    assert_int_equal(r->verdict, expected);
    ls_verify_free(r);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
}

/* Whether the file has an answer, and that it is right. */
static bool check_file(const char *path) {
    ls_buf text = {0};
    assert_true(ls_read_file(path, &text));
    const char *status = strstr(ls_buf_text(&text), "(set-info :status ");
    assert_non_null(status);
    status += strlen("(set-info :status ");
    Z3_config config = Z3_mk_config();
    Z3_context z = Z3_mk_context(config);
    const char *answer = Z3_eval_smtlib2_string(z, ls_buf_text(&text));
    bool open = !strncmp(status, "unknown", 7), same = !strncmp(answer, status, strcspn(status, ")"));
    if (!open && !same) fail_msg("%s: %.10s was written, the answer is %.200s", path, status, answer);
    if (strstr(answer, "error")) fail_msg("%s: %s", path, answer);
    Z3_del_context(z);
    Z3_del_config(config);
    ls_buf_free(&text);
    return !open;
}

static uint32_t check_directory(const char *directory) {
    uint32_t checked = 0;
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        checked += check_file(path);
        unlink(path);
    }
    closedir(dir);
    return checked;
}

static void files_can_be_solved_again(void **state) {
    (void)state;
    char directory[] = "/tmp/lockstep-smt2-XXXXXX";
    assert_non_null(mkdtemp(directory));
    verify(3, directory, LS_PROVED);
    assert_in_range(check_directory(directory), 1, 1000);
    verify(4, directory, LS_REFUTED);
    check_directory(directory);
    rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_can_be_solved_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
