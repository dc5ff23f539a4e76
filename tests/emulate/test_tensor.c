/* Copies by tensor map, held against an H200: maps as cuTensorMapEncodeTiled wrote them, coordinates, and the
 * hash of what was in shared memory (loads) or at the tensor's beginning (stores) afterwards. */
#include "inputs.h"
#include "launch/tensor.h"
#include "lockstep/emulate.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TENSOR_BYTES = 1 << 20, SHARED_BYTES = 32768, COMPARED_BYTES = 65536 };

typedef struct {
    char op[8];
    unsigned rank, bytes;
    int coordinate[5];
    uint64_t map[16];
} copy;

static const char head[] =
    ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 64 .b8 map[128], .param "
    ".u64 "
    "out, .param .u32 c0, .param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 "
    "bytes)\n{\n"
    ".shared .align 1024 .b8 s[32768];\n.shared .align 8 .b64 bar;\n.reg .b32 %a<13>;\n.reg .b64 "
    "%d<6>;\n.reg "
    ".pred %p;\nmov.u32 %a0, %tid.x;\nld.param.u64 %d0, [out];\nmov.u32 %a1, s;\nshl.b32 %a2, %a0, 2;\n"
    "add.u32 %a3, %a1, %a2;\nadd.u32 %a5, %a1, 32768;\nmov.u32 %a4, %a0;\n"
    "Z: mul.lo.u32 %a6, %a4, 0x9e3779b1;\nand.b32 %a6, %a6, 0x3fff3fff;\n%s\nst.shared.b32 [%a3], %a6;\n"
    "add.u32 %a4, %a4, 32;\nadd.u32 %a3, %a3, 128;\nsetp.lt.u32 %p, %a3, %a5;\n@%p bra Z;\n"
    "mov.b64 %d1, map;\ncvta.param.u64 %d1, %d1;\nmov.u32 %a6, bar;\nld.param.u32 %a7, [c0];\n"
    "ld.param.u32 %a8, [c1];\nld.param.u32 %a9, [c2];\nld.param.u32 %a10, [c3];\nld.param.u32 %a11, [c4];\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p, %a0, 0;\n@%p bra W;\n";
static const char load_text[] =
    "mbarrier.init.shared.b64 [%%a6], 1;\nld.param.u32 %%a4, [bytes];\n"
    "mbarrier.arrive.expect_tx.shared.b64 %%d2, [%%a6], %%a4;\n"
    "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%a1], [%%d1, {%s}], "
    "[%%a6];\nW: bar.sync 0;\nT: mbarrier.try_wait.parity.shared.b64 %%p, [%%a6], 0;\n@!%%p bra T;\n";
static const char store_text[] =
    "cp.%sasync.bulk.tensor.%ud.global.shared::cta.%s%stile.bulk_group [%%d1, {%s}], "
    "[%%a1];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nW: bar.sync 0;\n";
static const char tail[] = "add.u32 %a3, %a1, %a2;\ncvt.u64.u32 %d3, %a2;\nadd.u64 %d0, %d0, %d3;\n"
                           "C: ld.shared.b32 %a4, [%a3];\nst.global.b32 [%d0], %a4;\nadd.u64 %d0, %d0, 128;\n"
                           "add.u32 %a3, %a3, 128;\nsetp.lt.u32 %p, %a3, %a5;\n@%p bra C;\nret;\n}\n";

/* The kernel of a copy: shared memory holds a pattern, the copy is done, shared memory goes to `out`. */
static char *kernel_of(const copy *c) {
    static char text[8192];
    char coordinates[64] = "", middle[2048];
    bool load = !strcmp(c->op, "load"), store = !strcmp(c->op, "store");
    for (unsigned k = 0; k < c->rank; k++)
        sprintf(coordinates + strlen(coordinates), "%s%%a%u", k ? ", " : "", 7 + k);
    if (load)
        snprintf(middle, sizeof middle, load_text, c->rank, coordinates);
    else
        snprintf(middle, sizeof middle, store_text, store ? "" : "reduce.", c->rank, store ? "" : c->op,
                 store ? "" : ".", coordinates);
    const char *mark = strstr(head, "%s");
    snprintf(text, sizeof text, "%.*s%s%s%s%s", (int)(mark - head), head,
             load ? "mov.u32 %a6, 0xabababab;" : "", mark + 2, middle, tail);
    return text;
}

static ls_emu_status run(const copy *c, uint32_t *tensor, uint32_t *out, uint32_t *findings) {
    ls_diags *diags = ls_diags_new();
    const char *ptx = kernel_of(c);
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), "copy.ptx", diags);
    if (!module) fail_msg("%s", ls_diags_at(diags, 0)->message);
    ls_emulator *e = ls_emulator_new(module, diags);
    ls_emulator_map(e, tensor, TENSOR_BYTES, "tensor");
    ls_emulator_map(e, out, SHARED_BYTES, "out");
    struct {
        uint64_t map[16], out;
        int32_t coordinate[5];
        uint32_t bytes;
    } params = {.out = (uint64_t)(uintptr_t)out, .bytes = c->bytes};
    memcpy(params.map, c->map, sizeof params.map);
    memcpy(params.coordinate, c->coordinate, sizeof params.coordinate);
    params.map[0] = (uint64_t)(uintptr_t)tensor;
    ls_emu_launch launch = {"k", {1, 1, 1}, {32, 1, 1}, 0, &params, sizeof params};
    ls_emu_result *r = ls_emulator_run(e, &launch, &(ls_emu_options){.checks = LS_CHECK_ALL, .timeout = 20});
    ls_emu_status status = r->status;
    *findings = 0;
    for (uint32_t k = 0; k < r->finding_count; k++) *findings += r->findings[k].level == LS_ERROR;
    ls_emu_result_free(r);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return status;
}

static uint32_t *new_tensor(void) {
    uint32_t *t = aligned_alloc(1024, TENSOR_BYTES);
    assert_non_null(t);
    for (uint32_t k = 0; k < TENSOR_BYTES / 4; k++) t[k] = (k * 2654435761u & 0x3fffffff) | 0x30000000;
    return t;
}

static bool read_copy(FILE *f, copy *c, uint64_t *hash) {
    *c = (copy){0};
    if (fscanf(f, "%7s %u %u", c->op, &c->rank, &c->bytes) != 3) return false;
    assert_in_range(c->rank, 1, 5);
    for (unsigned k = 0; k < c->rank; k++) assert_int_equal(fscanf(f, "%d", &c->coordinate[k]), 1);
    for (unsigned k = 1; k < 10; k++) assert_int_equal(fscanf(f, "%" SCNx64, &c->map[k]), 1);
    assert_int_equal(fscanf(f, "%" SCNx64, hash), 1);
    return true;
}

static void copies_of_a_gpu(void **state) {
    (void)state;
    FILE *f = fopen(SOURCE_DIR "/tests/emulate/h200/tensor_copies.txt", "r");
    assert_non_null(f);
    copy c;
    uint64_t hash;
    uint32_t wrong = 0, cases = 0, findings;
    for (; read_copy(f, &c, &hash); cases++) {
        uint32_t *tensor = new_tensor(), *out = calloc(1, SHARED_BYTES);
        assert_int_equal(run(&c, tensor, out, &findings), LS_EMU_DONE);
        assert_int_equal(findings, 0);
        bool load = !strcmp(c.op, "load");
        uint64_t got = exact_hash(load ? out : tensor, load ? SHARED_BYTES : COMPARED_BYTES);
        if (got != hash) print_message("copy %u (%s) differs from the H200\n", cases, c.op);
        wrong += got != hash;
        free(tensor);
        free(out);
    }
    fclose(f);
    assert_int_equal(wrong, 0);
    assert_true(cases >= 25);
}

static void what_is_illegal_or_not_modelled_stops(void **state) {
    (void)state;
    FILE *f = fopen(SOURCE_DIR "/tests/emulate/h200/tensor_copies.txt", "r");
    assert_non_null(f);
    copy c;
    uint64_t hash;
    uint32_t findings, *tensor = new_tensor(), *out = calloc(1, SHARED_BYTES);
    assert_true(read_copy(f, &c, &hash));
    fclose(f);
    copy odd = c, im2col = c, other = c, outside = c;
    odd.coordinate[0] = 1;
    assert_int_equal(run(&odd, tensor, out, &findings), LS_EMU_TRAPPED); /* as on the H200 */
    im2col.map[1] |= 1;
    assert_int_equal(run(&im2col, tensor, out, &findings), LS_EMU_UNSUPPORTED);
    other.rank = 3;
    assert_int_equal(run(&other, tensor, out, &findings), LS_EMU_TRAPPED);
    copy bytes = c;
    memcpy(bytes.op, "add", 4);
    bytes.map[1] &= ~UINT64_C(0x780); /* of u8 */
    bytes.coordinate[0] = 0;
    assert_int_equal(run(&bytes, tensor, out, &findings), LS_EMU_TRAPPED);
    copy large = c; /* 256 rows and more than fit */
    memcpy(large.op, "store", 6);
    large.map[7] |= 0xff;
    large.map[6] |= UINT64_C(0xff) << 56;
    large.map[1] = (large.map[1] & ~UINT64_C(0x780)) | 9 << 7; /* of f64 */
    assert_int_equal(run(&large, tensor, out, &findings), LS_EMU_TRAPPED);
    outside.map[4] |= UINT64_C(0xffffff) << 32; /* more rows than there is memory */
    outside.coordinate[1] = 100000;
    assert_int_equal(run(&outside, tensor, out, &findings), LS_EMU_DONE);
    assert_true(findings > 0);
    free(tensor);
    free(out);
}

/* What the driver wrote is what is written here of the same tensor, but for its last words. */
static void maps_are_written_as_they_are_read(void **state) {
    (void)state;
    FILE *f = fopen(SOURCE_DIR "/tests/emulate/h200/tensor_copies.txt", "r");
    assert_non_null(f);
    copy c;
    uint64_t hash, map[LS_TENSOR_WORDS];
    while (read_copy(f, &c, &hash)) {
        ls_tensor_map t = ls_tensor_map_read(c.map);
        assert_null(ls_tensor_map_write(&t, map));
        for (uint32_t k = 1; k < 8; k++)
            if (map[k] != c.map[k]) fail_msg("word %u: %" PRIx64 " and %" PRIx64, k, map[k], c.map[k]);
    }
    fclose(f);
    ls_tensor_map t = ls_tensor_map_read(c.map), odd = t, long_row = t;
    odd.stride[1]++;
    assert_non_null(ls_tensor_map_write(&odd, map));
    long_row.swizzle = 1, long_row.box[0] = 64;
    assert_non_null(ls_tensor_map_write(&long_row, map));
}

/* As the driver wrote the map of the same tensor. */
static void maps_in_text_form(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t map[8], count;
    } cases[] = {
        {"tensor:f32[64,32]box[16,8]",
         {0, 0x0000001000000390, 0, 0, 0x0000001f0000003f, 0, 0x0f00000000000000, 7},
         64 * 32},
        {"tensor:swizzle32:f16[40,12,9,7,5]box[16,4,3,2,2]=iota",
         {0, 0x500002340, 0x21c0000003c, 0xec4, 0xb00000027, 0x600000008, 0x0f00000000000004, 0x1010203},
         40 * 12 * 9 * 7 * 5},
        {"tensor:nan:bf16[8]box[8]=1,2", {0, 0x8500, 0, 0, 7, 0, 0x0700000000000000, 0}, 8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t map[16], count;
        ls_ptx_type type;
        assert_non_null(em_tensor_spec(cases[k].text, map, &type, &count));
        assert_memory_equal(map, cases[k].map, sizeof cases[k].map);
        assert_int_equal(count, cases[k].count);
    }
    static const char *const wrong[] = {"tensor",
                                        "tensor:f16[8]",
                                        "tensor:f16[8]box[4]",
                                        "tensor:f16[8,8]box[8]",
                                        "tensor:swizzle32:f32[64]box[64]",
                                        "tensor:f16[0]box[8]",
                                        "tensor:x:f16[8]box[8]",
                                        "tensor:f16[8]box[8]iota",
                                        "tensor:f16[8,1,1,1,1,1]box[8,1,1,1,1,1]"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        uint64_t map[16], count;
        ls_ptx_type type;
        assert_null(em_tensor_spec(wrong[k], map, &type, &count));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_a_gpu), cmocka_unit_test(maps_are_written_as_they_are_read),
        cmocka_unit_test(maps_in_text_form), cmocka_unit_test(what_is_illegal_or_not_modelled_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
