/* What the allocator says of a kernel: the states of paper 003's Figure 1 program (avgSquare), where its
 * spilled variables go (Figures 18 and 19), what is refused and why, and occupancy. */
#include "base/buf.h"
#include "lockstep/allocate.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool block_of_256(void *context, const char *kernel, uint32_t block[3]) {
    const char *only = context;
    block[0] = 256;
    block[1] = block[2] = 1;
    return !only || !strcmp(only, kernel);
}

static ls_allocation *allocate_text(const char *text, size_t length, ls_allocate_options options) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, length, "test.ptx", diags);
    assert_non_null(module);
    ls_allocation *allocation = ls_allocate(module, &options, diags);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return allocation;
}

static ls_allocation *allocate_file(const char *path, ls_allocate_options options) {
    ls_buf text = {0};
    assert_true(ls_read_file(path, &text));
    ls_allocation *allocation = allocate_text(text.text, text.length, options);
    ls_buf_free(&text);
    return allocation;
}

static const char *const avg_square = SOURCE_DIR "/tests/analyze/kernels/003_fig1_avg_square.ptx";

static void test_fig19_variable_sharing(void **state) {
    (void)state;
    ls_allocation *a = allocate_file(
        avg_square,
        (ls_allocate_options){.allocator = LS_ALLOCATE_AFF, .registers = 8, .wants = block_of_256});
    assert_non_null(a);
    assert_int_equal(a->kernel_count, 1);
    const ls_allocate_kernel *k = &a->kernels[0];
    assert_true(k->rewritten);
    assert_true(k->pressure > 8 && k->pressure_after <= 8);
    /* d is uniform and shared, s is divergent and local, tid is computed again. */
    assert_true(k->loads[LS_PLACE_SHARED] > 0);
    assert_true(k->loads[LS_PLACE_LOCAL] > 0);
    assert_true(k->loads[LS_PLACE_AFFINE] > 0);
    assert_true(k->shared_bytes > 0 && k->shared_bytes % k->warps == 0);
    assert_int_equal(k->warps, 8);
    assert_non_null(strstr(a->ptx, ".reqntid 256, 1, 1"));
    ls_allocation_free(a);
}

static void test_linear_uses_local_memory_only(void **state) {
    (void)state;
    ls_allocation *a =
        allocate_file(avg_square, (ls_allocate_options){.allocator = LS_ALLOCATE_LINEAR, .registers = 8});
    const ls_allocate_kernel *k = &a->kernels[0];
    assert_true(k->spilled_variables > 0);
    for (int place = LS_PLACE_LOCAL + 1; place < LS_PLACE_COUNT; place++)
        assert_int_equal(k->loads[place] + k->stores[place], 0);
    assert_null(strstr(a->ptx, ".shared"));
    ls_allocation_free(a);
}

/* DivRA has one rule only, (ii): nothing is computed again. */
static void test_div_computes_nothing_again(void **state) {
    (void)state;
    ls_allocation *a = allocate_file(
        TEST_DIR "/kernels.ptx",
        (ls_allocate_options){.allocator = LS_ALLOCATE_DIV, .registers = 8, .wants = block_of_256});
    uint32_t shared = 0;
    for (uint32_t i = 0; i < a->kernel_count; i++) {
        const uint32_t *loads = a->kernels[i].loads;
        assert_int_equal(loads[LS_PLACE_CONSTANT] + loads[LS_PLACE_AFFINE] + loads[LS_PLACE_AFFINE_SHARED],
                         0);
        shared += loads[LS_PLACE_SHARED];
    }
    assert_true(shared > 0);
    ls_allocation_free(a);
}

/* Over many kernels affinity takes loads away from local memory (Figure 24). */
static void test_fig24_affinity_relieves_local_memory(void **state) {
    (void)state;
    uint32_t local[3] = {0};
    for (int allocator = 0; allocator < 3; allocator++) {
        ls_allocation *a =
            allocate_file(TEST_DIR "/kernels.ptx", (ls_allocate_options){.allocator = (ls_allocator)allocator,
                                                                         .registers = 8,
                                                                         .wants = block_of_256});
        for (uint32_t i = 0; i < a->kernel_count; i++)
            local[allocator] += a->kernels[i].loads[LS_PLACE_LOCAL];
        ls_allocation_free(a);
    }
    assert_true(local[LS_ALLOCATE_AFF] < local[LS_ALLOCATE_DIV]);
    assert_true(local[LS_ALLOCATE_DIV] < local[LS_ALLOCATE_LINEAR]);
}

static void test_nothing_spilled_nothing_added(void **state) {
    (void)state;
    ls_allocation *a =
        allocate_file(avg_square, (ls_allocate_options){.allocator = LS_ALLOCATE_AFF, .registers = 64});
    assert_int_equal(a->kernels[0].spilled_variables, 0);
    assert_int_equal(a->kernels[0].instrs_after, a->kernels[0].instrs);
    assert_false(a->kernels[0].base_reserved);
    ls_allocation_free(a);
}

static void test_shared_budget(void **state) {
    (void)state;
    ls_allocate_options options = {
        .allocator = LS_ALLOCATE_DIV, .registers = 8, .shared_budget = 64, .wants = block_of_256};
    options.context = (void *)(uintptr_t)"nbody";
    ls_allocation *a = allocate_file(TEST_DIR "/kernels.ptx", options);
    assert_int_equal(a->kernel_count, 1);
    assert_true(a->kernels[0].shared_bytes <= 64);
    assert_true(a->kernels[0].shared_refused > 0);
    assert_true(a->kernels[0].note_count > 0);
    ls_allocation_free(a);
}

static void test_json(void **state) {
    (void)state;
    ls_allocation *a =
        allocate_file(avg_square, (ls_allocate_options){.allocator = LS_ALLOCATE_AFF, .registers = 8});
    char *text = ls_allocation_json(a, "x.ptx");
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
    assert_int_equal(json_integer_value(json_object_get(kernel, "registers")), 8);
    assert_int_equal(json_integer_value(json_object_get(kernel, "spilled_variables")),
                     a->kernels[0].spilled_variables);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(kernel, "loads"), "shared")),
                     a->kernels[0].loads[LS_PLACE_SHARED]);
    json_decref(root);
    free(text);
    text = ls_allocation_text(a, "x.ptx");
    assert_non_null(strstr(text, "pressure"));
    free(text);
    ls_allocation_free(a);
}

static void test_too_few_registers_are_said(void **state) {
    (void)state;
    const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                        ".visible .entry k(.param .u64 p) {\n.reg .b64 %d<9>;\n"
                        "ld.param.u64 %d1, [p];\nld.global.u64 %d2, [%d1];\nld.global.u64 %d3, [%d1+8];\n"
                        "ld.global.u64 %d4, [%d1+16];\nfma.rn.f64 %d5, %d2, %d3, %d4;\n"
                        "st.global.u64 [%d1], %d5;\nret;\n}\n";
    ls_allocation *a = allocate_text(text, sizeof text - 1,
                                     (ls_allocate_options){.allocator = LS_ALLOCATE_LINEAR, .registers = 4});
    assert_true(a->kernels[0].rewritten);
    assert_int_equal(a->kernels[0].asked, 4);
    assert_int_equal(a->kernels[0].registers, 6);
    assert_int_equal(a->kernels[0].note_count, 1);
    ls_allocation_free(a);
}

static void test_wrong_options(void **state) {
    (void)state;
    const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() {\nret;\n}\n";
    assert_null(allocate_text(text, sizeof text - 1, (ls_allocate_options){.registers = 3}));
    assert_null(allocate_text(text, sizeof text - 1, (ls_allocate_options){.registers = 256}));
    assert_null(allocate_text(text, sizeof text - 1, (ls_allocate_options){.registers = 8, .predicates = 1}));
    ls_allocation *a = allocate_text(text, sizeof text - 1, (ls_allocate_options){.registers = 8});
    assert_true(a->kernels[0].rewritten);
    ls_allocation_free(a);
}

static void test_fit_without_ptxas(void **state) {
    (void)state;
    ls_diags *diags = ls_diags_new();
    const char text[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() {\nret;\n}\n";
    ls_ptx_module *module = ls_ptx_parse(text, sizeof text - 1, "test.ptx", diags);
    assert_null(
        ls_allocate_fit(module, &(ls_fit_options){.registers = 32, .ptxas = "/no/such/ptxas"}, diags));
    assert_int_equal(ls_diags_errors(diags), 1);
    assert_null(ls_allocate_fit(module, &(ls_fit_options){.registers = 8}, diags));
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

static void test_occupancy(void **state) {
    (void)state;
    ls_occupancy o = ls_occupancy_of(90, 256, 32, 0); /* 64 warps, 65,536 registers */
    assert_int_equal(o.percent, 100);
    o = ls_occupancy_of(90, 256, 64, 0);
    assert_int_equal(o.percent, 50);
    assert_string_equal(o.limit, "registers");
    o = ls_occupancy_of(90, 256, 32, 48 * 1024); /* 49 KiB of 228 each */
    assert_int_equal(o.blocks, 4);
    assert_string_equal(o.limit, "shared memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fig19_variable_sharing),
        cmocka_unit_test(test_linear_uses_local_memory_only),
        cmocka_unit_test(test_div_computes_nothing_again),
        cmocka_unit_test(test_fig24_affinity_relieves_local_memory),
        cmocka_unit_test(test_nothing_spilled_nothing_added),
        cmocka_unit_test(test_shared_budget),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_too_few_registers_are_said),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_fit_without_ptxas),
        cmocka_unit_test(test_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
