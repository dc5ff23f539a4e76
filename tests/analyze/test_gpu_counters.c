/* Predicted sectors, requests and wavefronts of the micro-kernels in bench/gpu/coalescing, bench/gpu/units
 * and bench/gpu/copies equal those that Nsight Compute counted on an H200, for every kernel and counter. */
#include "../../bench/gpu/coalescing/predict.h"
#include "isa/tensor_map.h"

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
static void compare_wavefronts(const char *csv, const char *ptx, uint32_t count) {
    ls_buf counters = {0};
    assert_true(ls_read_file(csv, &counters));
    ls_ptx_module *module = ls_read_module(ptx);
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
    assert_int_equal(compared, count);
    ls_ptx_module_free(module);
    ls_buf_free(&counters);
}

static void test_units(void **unused) {
    (void)unused;
    compare_wavefronts(SOURCE_DIR "/bench/gpu/units/counters.csv", SOURCE_DIR "/bench/gpu/units/units.ptx",
                       112);
}

/* bench/gpu/copies: loads and stores along the rows and columns of tiles in every swizzle. */
static void test_tiles(void **unused) {
    (void)unused;
    compare_wavefronts(SOURCE_DIR "/bench/gpu/copies/tiles.csv", SOURCE_DIR "/bench/gpu/copies/tiles.ptx",
                       66);
}

/* --- Copies and products
 * -------------------------------------------------------------------------------------------------- */

typedef struct {
    ls_ptx_module *module;
    ls_ir_function *ir;
    ls_analysis *a;
} analysed;

/* The one kernel of a text, by one thread. */
static analysed analyse(const char *text, const ls_analyze_tensor *tensor) {
    ls_diags *diags = ls_diags_new();
    analysed k = {.module = ls_ptx_parse(text, strlen(text), "made.ptx", diags)};
    assert_non_null(k.module);
    k.ir = ls_ir_build(k.module, ls_ptx_find_function(k.module, "k"), &(ls_ir_options){.quiet = true}, diags);
    assert_non_null(k.ir);
    ls_diags_free(diags);
    k.a = ls_analyze(
        k.ir, &(ls_analyze_options){
                  .block = {1, 1, 1}, .grid = {1, 1, 1}, .tensors = tensor, .tensor_count = tensor ? 1 : 0});
    return k;
}

static void end(analysed *k) {
    ls_analysis_free(k->a);
    ls_ir_free(k->ir);
    ls_ptx_module_free(k->module);
}

/* Numbers with an x between them. */
static uint32_t list(const char *text, int64_t *numbers) {
    uint32_t count = 0;
    for (const char *at = text; at; at = strchr(at, 'x'), at += at != NULL)
        numbers[count++] = strtol(at, NULL, 10);
    return count;
}

static const char head[] = ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(%s) {\n"
                           ".reg .b32 %%s, %%b, %%c<5>; .reg .b64 %%p;\n"
                           ".shared .align 1024 .b8 s[131072];\n.shared .align 8 .b8 b[8];\n"
                           "mov.u32 %%s, s;\nmov.u32 %%b, b;\n";

/* The PTX of a bulk copy: "load 128 16". */
static void write_bulk(ls_buf *ptx, const char *line, const char *what) {
    long bytes, offset;
    assert_int_equal(sscanf(line, "%*s %*s %ld %ld", &bytes, &offset), 2);
    ls_buf_printf(ptx, head, ".param .u64 .ptr .global .align 256 p");
    ls_buf_printf(ptx, "ld.param.u64 %%p, [p];\ncvta.to.global.u64 %%p, %%p;\nadd.u64 %%p, %%p, %ld;\n",
                  offset);
    if (!strcmp(what, "load"))
        ls_buf_printf(ptx,
                      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%s], [%%p], %ld, "
                      "[%%b];\nret; }\n",
                      bytes);
    else
        ls_buf_printf(ptx, "cp.%sasync.bulk.global.shared::cta.bulk_group%s [%%p], [%%s], %ld;\nret; }\n",
                      *what == 'a' ? "reduce." : "", *what == 'a' ? ".add.u32" : "", bytes);
}

/* The PTX of a tensor copy, and its map: "load 4 0 0 0 256x64 1024 16x16 1x1 0x0". */
static void write_box(ls_buf *ptx, const char *line, const char *what, uint64_t *word) {
    static const ls_ptx_type types[] = {LS_TYPE_U8, LS_TYPE_F16, LS_TYPE_NONE,
                                        LS_TYPE_F32, [7] = LS_TYPE_U64};
    char text[5][64];
    int64_t element, sizes[8], pitches[8], box[8], steps[8], at[8];
    ls_tensor_map map = {.base = 4096};
    assert_int_equal(sscanf(line, "%*s %*s %ld %u %u %u %63s %63s %63s %63s %63[^,]", &element, &map.swizzle,
                            &map.interleave, &map.promotion, text[0], text[1], text[2], text[3], text[4]),
                     9);
    map.type = types[element - 1];
    map.rank = list(text[0], sizes);
    list(text[1], pitches), list(text[2], box), list(text[3], steps), list(text[4], at);
    ls_buf_printf(ptx, head, ".param .align 64 .b8 map[128]");
    ls_buf_puts(ptx, "mov.b64 %p, map;\ncvta.param.u64 %p, %p;\n");
    for (uint32_t k = 0; k < map.rank; k++) {
        map.size[k] = (uint64_t)sizes[k], map.box[k] = (uint32_t)box[k], map.step[k] = (uint32_t)steps[k];
        map.stride[k] = k ? (uint64_t)pitches[k - 1] : (uint64_t)element;
        ls_buf_printf(ptx, "mov.s32 %%c%u, %ld;\n", k, (long)at[k]);
    }
    assert_null(ls_tensor_map_write(&map, word));
    ls_buf_printf(
        ptx,
        !strcmp(what, "load")
            ? "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%s], "
        : *what == 'a' ? "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.add.tile.bulk_group "
                       : "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group ",
        map.rank);
    ls_buf_puts(ptx, "[%p, {");
    for (uint32_t k = 0; k < map.rank; k++) ls_buf_printf(ptx, "%s%%c%u", k ? ", " : "", k);
    ls_buf_puts(ptx, !strcmp(what, "load") ? "}], [%b];\nret; }\n" : "}], [%s];\nret; }\n");
}

/* Sectors of every copy of bench/gpu/copies that was counted. */
static void test_copies(void **unused) {
    (void)unused;
    ls_buf counters = {0};
    assert_true(ls_read_file(SOURCE_DIR "/bench/gpu/copies/sectors.csv", &counters));
    uint32_t compared = 0;
    const char *line = strstr(ls_buf_text(&counters), "\nbulk");
    for (; line && line[1]; line = strchr(line + 1, '\n')) {
        ls_buf ptx = {0};
        uint64_t word[LS_TENSOR_WORDS];
        char kind[16], what[16];
        unsigned counted[3], expected;
        assert_int_equal(sscanf(line + 1, "%15s %15s", kind, what), 2);
        assert_int_equal(sscanf(strchr(line, ','), ",%u,%u,%u", &counted[0], &counted[1], &counted[2]), 3);
        expected = counted[0] + counted[1] + counted[2];
        *kind == 'b' ? write_bulk(&ptx, line + 1, what) : write_box(&ptx, line + 1, what, word);
        const ls_analyze_tensor tensor = {"map", word};
        analysed k = analyse(ls_buf_text(&ptx), *kind == 'b' ? NULL : &tensor);
        uint32_t predicted = 0;
        for (uint32_t i = 0; i < k.a->access_count; i++) {
            const ls_access_result *r = &k.a->accesses[i];
            if (r->unknown || r->cost.sectors != r->cost.sectors_best)
                fail_msg("%.90s: %s", line + 1, r->unknown ? r->unknown : "not exact");
            predicted += r->cost.sectors;
        }
        if (predicted != expected) fail_msg("%.90s: predicted %u", line + 1, predicted);
        compared++;
        end(&k);
        ls_buf_free(&ptx);
    }
    assert_int_equal(compared, 151);
    ls_buf_free(&counters);
}

/* Wavefronts of the operands of wgmma, and that there are no conflicts. */
static void test_products(void **unused) {
    (void)unused;
    ls_buf counters = {0};
    assert_true(ls_read_file(SOURCE_DIR "/bench/gpu/copies/products.csv", &counters));
    uint32_t compared = 0;
    const char *line = strchr(ls_buf_text(&counters), '\n');
    for (; line && line[1]; line = strchr(line + 1, '\n'), compared++) {
        unsigned n, registers, ta, tb, waves, conflicts;
        assert_int_equal(sscanf(line + 1, "%u,%u,%*u,%*u,%*u,%*u,%*u,%u,%u,%u,%u", &n, &registers, &ta, &tb,
                                &waves, &conflicts),
                         6);
        ls_buf ptx = {0};
        ls_buf_puts(&ptx, ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a, "
                          ".param .u64 b) {\n.reg .f32 %f<128>; .reg .b64 %a, %b; .reg .b32 %r;\n"
                          "ld.param.u64 %a, [a];\nld.param.u64 %b, [b];\nmov.u32 %r, 0;\n"
                          "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n");
        ls_buf_printf(&ptx, "%uk16.f32.bf16.bf16 {", n);
        for (unsigned k = 0; k < n / 2; k++) ls_buf_printf(&ptx, "%s%%f%u", k ? ", " : "", k);
        ls_buf_puts(&ptx, registers ? "}, {%r, %r, %r, %r}, %b, 1, 1, 1" : "}, %a, %b, 1, 1, 1");
        if (!registers) ls_buf_printf(&ptx, ", %u", ta);
        ls_buf_printf(&ptx, ", %u;\nret; }\n", tb);
        analysed k = analyse(ls_buf_text(&ptx), NULL);
        if (k.a->product_count != 1) fail_msg("%.40s: no product", line + 1);
        if (k.a->products[0].wavefronts != waves || conflicts)
            fail_msg("%.40s: predicted %u", line + 1, k.a->products[0].wavefronts);
        end(&k);
        ls_buf_free(&ptx);
    }
    assert_int_equal(compared, 64);
    ls_buf_free(&counters);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_predictions), cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_tiles), cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
