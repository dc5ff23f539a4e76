/* Products that are added at once are rounded once, as ptxas has it where PTX leaves that open, and twice
 * where the PTX names a rounding mode or something else reads the product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/emulate.h"

#include <math.h>
#include <string.h>

/* a * b needs one bit more than a float has. */
static const float A = 1 + 0x1p-12f, B = 1 + 0x1p-12f, C = 1;

/* Runs these instructions on %f1 = a, %f2 = b, %f3 = c; the result is what they leave in %f5. */
static float result_of(const char *instructions) {
    ls_buf text = {0};
    ls_buf_printf(&text,
                  ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                  ".reg .f32 %%f<9>;\n.reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [p];\n"
                  "ld.global.f32 %%f1, [%%rd1];\nld.global.f32 %%f2, [%%rd1+4];\n"
                  "ld.global.f32 %%f3, [%%rd1+8];\n%s\nst.global.f32 [%%rd1+12], %%f5;\nret;\n}\n",
                  instructions);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, "k.ptx", diags);
    assert_non_null(module);
    ls_emulator *e = ls_emulator_new(module, diags);
    assert_non_null(e);
    uint64_t at = ls_emulator_alloc(e, 16, "p");
    float *values = (float *)(uintptr_t)at;
    memcpy(values, (float[]){A, B, C, 0}, 16);
    ls_emu_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &at, .params_size = sizeof at};
    ls_emu_result *r = ls_emulator_run(e, &launch, &(ls_emu_options){.threads = 1});
    assert_int_equal(r->status, LS_EMU_DONE);
    const float result = values[3];
    ls_emu_result_free(r);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
    return result;
}

static void once(void **state) {
    (void)state;
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nadd.f32 %f5, %f4, %f3;") == fmaf(A, B, C));
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nadd.f32 %f5, %f3, %f4;") == fmaf(A, B, C));
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nsub.f32 %f5, %f4, %f3;") == fmaf(A, B, -C));
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nsub.f32 %f5, %f3, %f4;") == fmaf(-A, B, C));
    assert_true(result_of("mul.ftz.f32 %f4, %f1, %f2;\nsub.ftz.f32 %f5, %f3, %f4;") == fmaf(-A, B, C));
    /* in another block */
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nbra $L;\n$L:\nsub.f32 %f5, %f4, %f3;") == fmaf(A, B, -C));
}

static void twice(void **state) {
    (void)state;
    const volatile float product = A * B;
    assert_true(product - C != fmaf(A, B, -C));
    assert_true(result_of("mul.rn.f32 %f4, %f1, %f2;\nsub.f32 %f5, %f4, %f3;") == product - C);
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nsub.rn.f32 %f5, %f4, %f3;") == product - C);
    assert_true(result_of("mul.ftz.f32 %f4, %f1, %f2;\nsub.f32 %f5, %f4, %f3;") == product - C);
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nst.global.f32 [%rd1], %f4;\nsub.f32 %f5, %f4, %f3;") ==
                product - C);
    /* a factor has another value by then */
    assert_true(
        result_of("mul.f32 %f4, %f1, %f2;\nbra $L;\n$L:\nmov.f32 %f1, %f3;\nsub.f32 %f5, %f4, %f3;") ==
        product - C);
    assert_true(result_of("mul.f32 %f4, %f1, %f2;\nmov.f32 %f1, %f3;\nsub.f32 %f5, %f4, %f3;") ==
                product - C);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(once), cmocka_unit_test(twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
