/* Predicted sectors, requests and wavefronts of the micro-kernels in bench/gpu/coalescing equal those that
 * Nsight Compute counted on an H200 (counters.csv), for every kernel and counter. */
#include "../../bench/gpu/coalescing/predict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_predictions(void **unused) {
    (void)unused;
    ls_buf counters = {0};
    assert_true(ls_read_file(SOURCE_DIR "/bench/gpu/coalescing/counters.csv", &counters));
    ls_ptx_module *module = ls_read_module(SOURCE_DIR "/bench/gpu/coalescing/kernels.ptx");
    assert_non_null(module);
    for (uint32_t i = 0; i < LS_MICRO_KERNELS; i++) {
        ls_counts predicted, counted;
        const char *name = ls_micro_kernels[i].name;
        if (!ls_predict(module, &ls_micro_kernels[i], &predicted)) fail_msg("%s: not exact", name);
        if (!ls_counted(ls_buf_text(&counters), name, &counted)) fail_msg("%s: not counted", name);
        for (uint32_t m = 0; m < LS_COUNTERS; m++)
            if (predicted.of[m] != counted.of[m])
                fail_msg("%s: %s: predicted %g, counted %g", name, ls_counter_metrics[m], predicted.of[m],
                         counted.of[m]);
    }
    ls_ptx_module_free(module);
    ls_buf_free(&counters);
}

/* bench/gpu/units: ldmatrix and stmatrix with rows of every pitch and swizzle, and what is counted for tensor
 * copies and operands of wgmma, in every swizzle mode and layout: no wavefronts of loads and stores, and no
 * bank conflicts. */
static void test_units(void **unused) {
    (void)unused;
    ls_buf counters = {0};
    assert_true(ls_read_file(SOURCE_DIR "/bench/gpu/units/counters.csv", &counters));
    ls_ptx_module *module = ls_read_module(SOURCE_DIR "/bench/gpu/units/units.ptx");
    assert_non_null(module);
    uint32_t compared = 0;
    const char *line = strchr(ls_buf_text(&counters), '\n');
    for (; line && line[1]; line = strchr(line + 1, '\n')) {
        char name[128];
        unsigned block, waves[2], conflicts[2];
        assert_int_equal(sscanf(line + 1, "%127[^,],%u,%u,%u,%u,%u", name, &block, &waves[0], &waves[1],
                                &conflicts[0], &conflicts[1]),
                         6);
        ls_counts predicted;
        ls_predict(module, &(ls_micro_kernel){name, block, 1, 1}, &predicted);
        for (uint32_t k = 0; k < 2; k++)
            if (predicted.of[LS_WAVES_LD + k] != waves[k])
                fail_msg("%s: predicted %g wavefronts, counted %u", name, predicted.of[LS_WAVES_LD + k],
                         waves[k]);
        compared++;
    }
    assert_int_equal(compared, 112);
    ls_ptx_module_free(module);
    ls_buf_free(&counters);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_predictions), cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
