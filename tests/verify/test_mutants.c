/* Fault injection: kernels that are proved, and mutants of them that race or diverge. Each mutant removes a
 * barrier that matters, drops a guard or changes an index; none may be proved. */
#include "base/buf.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    const char *file;
    uint32_t block[3], grid[3];
    const char *from, *to; /* in the PTX; from NULL: the kernel as it is */
    uint32_t which;        /* which occurrence, from 0 */
} mutant;

#define REDUCE    "reduce.ptx", {256, 1, 1}, {16, 1, 1}
#define SCAN      "scan_double_buffer.ptx", {128, 1, 1}, {8, 1, 1}
#define TRANSPOSE "transpose.ptx", {16, 16, 1}, {0, 0, 0}
#define STRIDE    "grid_stride.ptx", {256, 1, 1}, {32, 1, 1}
#define SAXPY     "saxpy.ptx", {0, 0, 0}, {0, 0, 0}
#define HISTOGRAM "histogram.ptx", {256, 1, 1}, {8, 1, 1}
#define CHUNKS    "agreeing_trip_count.ptx", {64, 1, 1}, {1, 1, 1}

static const mutant originals[] = {
    {REDUCE, NULL, NULL, 0}, {SCAN, NULL, NULL, 0},      {TRANSPOSE, NULL, NULL, 0}, {STRIDE, NULL, NULL, 0},
    {SAXPY, NULL, NULL, 0},  {HISTOGRAM, NULL, NULL, 0}, {CHUNKS, NULL, NULL, 0}};

static const mutant mutants[] = {
    /* barriers */
    {REDUCE, "bar.sync\t0;", "", 0},
    {REDUCE, "bar.sync\t0;", "", 1},
    {SCAN, "bar.sync\t0;", "", 0},
    {SCAN, "bar.sync\t0;", "", 1},
    {SCAN, "bar.sync\t0;", "", 2},
    {TRANSPOSE, "bar.sync\t0;", "", 0},
    {HISTOGRAM, "bar.sync\t0;", "", 0},
    {HISTOGRAM, "bar.sync\t0;", "", 1},
    /* fence flags that order other memory */
    {REDUCE, "[param0+0], 1;", "[param0+0], 2;", 0},
    {REDUCE, "[param0+0], 1;", "[param0+0], 2;", 1},
    {TRANSPOSE, "[param0+0], 1;", "[param0+0], 2;", 0},
    /* guards */
    {REDUCE, "@%p3 bra", "//", 0},
    {REDUCE, "setp.ge.s32\t%p3, %r1, %r7;", "setp.gt.s32\t%p3, %r1, %r7;", 0},
    {TRANSPOSE, "@!%p6 bra", "//", 0},
    /* indices and strides */
    {REDUCE, "shl.b64\t%rd16, %rd1, 2;", "shl.b64\t%rd16, %rd1, 1;", 0},
    {REDUCE, "mul.wide.u32\t%rd13, %r1, 4;", "mul.wide.u32\t%rd13, %r1, 2;", 0},
    {TRANSPOSE, "mad.lo.s32\t%r13, %r4, %r7, %r3;", "mad.lo.s32\t%r13, %r4, %r7, %r4;", 0},
    {TRANSPOSE, "mad.lo.s32\t%r13, %r4, %r7, %r3;", "mad.lo.s32\t%r13, %r4, %r5, %r3;", 0},
    {TRANSPOSE, "mul.lo.s64\t%rd12, %rd4, 68;", "mul.lo.s64\t%rd12, %rd4, 32;", 0},
    {STRIDE, "mov.u32\t%r8, %nctaid.x;", "mov.u32\t%r8, 31;", 0},
    {STRIDE, "mul.wide.s32\t%rd8, %r9, 4;", "mul.wide.s32\t%rd8, %r9, 3;", 0},
    {STRIDE, "st.global.u32\t[%rd9], %r9;", "st.global.u32\t[%rd9], %r7;\n\tst.global.u32\t[%rd9+4], %r7;",
     0},
    {SAXPY, "%tid.x", "%tid.y", 0},
    {SAXPY, "%ntid.x", "%nctaid.x", 0},
    {CHUNKS, "add.s32\t%r4, %r4, 64;", "add.s32\t%r4, %r4, 63;", 0},
    {CHUNKS, "%r4, 1023;", "%r4, 1000;", 0},
};

static char *replace(const char *text, const mutant *m) {
    const char *at = text;
    for (uint32_t i = 0; m->from; i++) {
        at = strstr(at, m->from);
        assert_non_null(at); /* the table must fit the file */
        if (i == m->which) break;
        at += strlen(m->from);
    }
    ls_buf out = {0};
    ls_buf_add(&out, text, (size_t)(at - text));
    if (m->from) {
        ls_buf_puts(&out, m->to);
        at += strlen(m->from);
    }
    ls_buf_puts(&out, at);
    return out.text;
}

static ls_verdict verdict_of(const mutant *m) {
    ls_buf path = {0}, text = {0};
    ls_buf_printf(&path, "%s/ptx/%s", TEST_DIR, m->file);
    assert_true(ls_read_file(path.text, &text));
    char *ptx = replace(text.text, m);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), m->file, diags);
    assert_non_null(module);
    ls_verdict verdict = LS_NO_VERDICT;
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (!module->functions[i]->is_entry) continue;
        ls_ir_function *ir =
            ls_ir_build(module, module->functions[i], &(ls_ir_options){.quiet = true}, diags);
        assert_non_null(ir);
        ls_verify_options options = {.opencl = true, .benign_error = true};
        memcpy(options.block, m->block, sizeof options.block);
        memcpy(options.grid, m->grid, sizeof options.grid);
        ls_verify_result *result = ls_verify(ir, &options);
        verdict = result->verdict;
        ls_verify_free(result);
        ls_ir_free(ir);
    }
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    free(ptx);
    ls_buf_free(&path);
    ls_buf_free(&text);
    return verdict;
}

static void test_originals_are_proved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof originals / sizeof *originals; i++) {
        if (verdict_of(&originals[i]) != LS_PROVED) fail_msg("%s is not proved", originals[i].file);
    }
}

static void test_no_mutant_is_proved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
        const mutant *m = &mutants[i];
        if (verdict_of(m) == LS_PROVED)
            fail_msg("%s with occurrence %u of '%s' made '%s' is proved", m->file, m->which, m->from, m->to);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_originals_are_proved),
                                       cmocka_unit_test(test_no_mutant_is_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
