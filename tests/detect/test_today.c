/* The kernels of bench/gpu/detect/today.cu and more.cu in the emulator: most of the correct ones are known to
 * be race-free from their offsets or from what a block does on paper, so that nothing is watched; the planted
 * races are found at their lines. And two that Triton made. */
#include "harness.h"
#include "marks.h"

typedef struct {
    const char *name, *mangled; /* with %d for which of the two it is */
    uint32_t grid[3], block[2];
    const char *arguments; /* o: a buffer for results, f: of floats, w: of words, r: with each 16 more than
                              the one before, else a number */
    bool watched;          /* something is left open */
    uint32_t shared;
} kernel_of_today;

/* Sizes as small as they are told apart. */
static const kernel_of_today kernels[] = {
    {"scan", "_Z4scanILb%dEEvPfPKf", {4, 1}, {256, 1}, "of"},
    {"reduce", "_Z6reduceILb%dEEvPfPKf", {2, 1}, {256, 1}, "of"},
    {"transpose", "_Z9transposeILb%dEEvPfPKfi", {2, 2}, {32, 8}, "of6"},
    {"stencil", "_Z7stencilILb%dEEvPfPKfi", {4, 1}, {256, 1}, "of9"},
    {"softmax", "_Z7softmaxILb%dEEvPfPKf", {4, 1}, {256, 1}, "of"},
    {"layernorm", "_Z9layernormILb%dEEvPfPKfS2_S2_", {4, 1}, {256, 1}, "offf"},
    {"histogram", "_Z9histogramILb%dEEvPjPKj", {1, 1}, {256, 1}, "ow"},
    {"segments", "_Z8segmentsILb%dEEvPfPKfPKj", {4, 1}, {256, 1}, "ofw"},
    {"matmul", "_Z6matmulILb%dEEvPfPKfS2_i", {2, 2}, {32, 8}, "off6"},
    {"pipeline", "_Z8pipelineILb%dEEvPfPKfi", {1, 1}, {256, 1}, "of2"},
    {"attention", "_Z9attentionILb%dEEvPfPKfS2_S2_i", {1, 1}, {128, 1}, "offf7"},
    {"copied", "_Z6copiedILb%dEEvPfPKfS2_S2_i", {1, 1}, {128, 1}, "offf7"},
    {"topk", "_Z4topkILb%dEEvPfPKf", {1, 1}, {256, 1}, "of"},
    {"spmv", "_Z4spmvILb%dEEvPfPKfPKjS2_S4_i", {2, 1}, {256, 1}, "ofwfr9"},
    {"splitk", "_Z6splitkILb%dEEvPfPKfS2_i", {2, 2, 2}, {32, 8}, "off6"},
};

static const kernel_of_today others[] = {
    {"softmax", "_Z7softmaxILb%dEEvPfPKfi", {2, 1}, {256, 1}, "of9", .shared = 5120},
    {"layernorm", "_Z9layernormILb%dEEvP6float4PKS0_S3_i", {2, 1}, {256, 1}, "off7"},
    {"flash", "_Z5flashILb%dEEvP6__halfPKS0_S3_S3_i", {1, 1}, {128, 1}, "owww6"},
    {"ring", "_Z4ringILb%dEEvPfPKfS2_S2_i", {1, 1}, {128, 1}, "offf7", .shared = 24576},
    {"swizzle", "_Z7swizzleILb%dEEvPfPKfi", {2, 2}, {32, 8}, "of6"},
    {"segments", "_Z8segmentsILb%dEEvPfPKfPKj", {2, 1}, {256, 1}, "ofw"},
    {"radixselect", "_Z11radixselectILb%dEEvPjPKj", {2, 1}, {256, 1}, "ow"},
    {"spmv", "_Z4spmvILb%dEEvPfPKfPKjS2_S4_i", {2, 1}, {256, 1}, "ofwfr9"},
    {"histogram", "_Z9histogramILb%dEEvPjPKji", {1, 1}, {256, 1}, "ow2"},
    {"lastblock", "_Z9lastblockILb%dEEvPfS0_PjPKfS3_i", {2, 2}, {32, 8}, "oooff6"},
    {"sgemm", "_Z5sgemmILb%dEEvPfPKfS2_i", {1, 1}, {256, 1}, "off7"},
    {"hgemm", "_Z5hgemmILb%dEEvP6__halfPKS0_S3_i", {1, 1}, {128, 1}, "oww6", .shared = 32768},
    {"causal", "_Z6causalILb%dEEvPfPKfS2_S2_i", {1, 1}, {128, 1}, "offf7"},
};

enum { WORDS = 16384 };

static void push_arguments(harness *h, const char *arguments) {
    for (const char *a = arguments; *a; a++) {
        if (*a == 'o') push_words(h, WORDS, 0, 0);
        if (*a == 'f') push_floats(h, WORDS);
        if (*a == 'r') push_words(h, WORDS, 16, 0);
        if (*a == 'w') push_words(h, WORDS, 2654435761u, 17);
        if (*a >= '0' && *a <= '9') push_int(h, *a == '2' ? 4 : *a == '6' ? 64 : *a == '7' ? 128 : 1024);
    }
}

static void check_one(const char *file, const ls_buf *source, const kernel_of_today *k, bool racy) {
    char name[64];
    snprintf(name, sizeof name, k->mangled, racy);
    harness h = open_harness(file, name, k->grid[0], k->block[0]);
    h.launch.grid[1] = k->grid[1], h.launch.block[1] = k->block[1], h.launch.shared_bytes = k->shared;
    if (k->grid[2]) h.launch.grid[2] = k->grid[2];
    push_arguments(&h, k->arguments);
    ls_detect_result *r = check_launch(&h, NULL);
    if (r->status != (racy ? LS_DETECT_RACY : LS_DETECT_CLEAN)) fail_msg("%s: status %d", name, r->status);
    if (!racy && (r->checked_regions != 0) != k->watched)
        fail_msg("%s: %u intervals looked at", name, r->checked_regions);
    if (!racy) assert_same_memory(&h);
    for (const ls_finding *f = r->findings; f; f = f->next)
        if (!is_marked(source, f->place.line, k->name) &&
            !is_marked(source, ls_finding_other(f)->line, k->name))
            fail_msg("%s: lines %u and %u are not marked", name, f->place.line, ls_finding_other(f)->line);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void check_all(const char *file, const char *ptx, const kernel_of_today *list, size_t count) {
    char path[512];
    ls_buf source = {0};
    snprintf(path, sizeof path, "%s/bench/gpu/detect/%s", SOURCE_DIR, file);
    assert_true(ls_read_file(path, &source));
    for (size_t i = 0; i < count; i++)
        for (int racy = 0; racy < 2; racy++) check_one(ptx, &source, &list[i], racy);
    ls_buf_free(&source);
}

static void correct_and_racy(void **state) {
    (void)state;
    check_all("today.cu", "today.ptx", kernels, sizeof kernels / sizeof *kernels);
}

static void written_otherwise(void **state) {
    (void)state;
    check_all("more.cu", "more.ptx", others, sizeof others / sizeof *others);
}

/* As large as programs launch them, which takes millions of steps; nothing runs. */
static void of_full_size(void **state) {
    (void)state;
    static const struct {
        const char *file, *name;
        uint32_t grid[2], block, shared, pointers;
    } large[] = {
        {"today.ptx", "_Z9attentionILb0EEvPfPKfS2_S2_i", {8, 32}, 128, 0, 4},
        {"today.ptx", "_Z6copiedILb0EEvPfPKfS2_S2_i", {8, 32}, 128, 0, 4},
        {"more.ptx", "_Z5flashILb0EEvP6__halfPKS0_S3_S3_i", {16, 32}, 128, 0, 4},
        {"more.ptx", "_Z4ringILb0EEvPfPKfS2_S2_i", {8, 32}, 128, 24576, 4},
        {"more.ptx", "_Z5sgemmILb0EEvPfPKfS2_i", {8, 8}, 256, 0, 3},
        {"more.ptx", "_Z6causalILb0EEvPfPKfS2_S2_i", {8, 32}, 128, 0, 4},
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        harness h = open_harness(large[i].file, large[i].name, large[i].grid[0], large[i].block);
        h.launch.grid[1] = large[i].grid[1], h.launch.shared_bytes = large[i].shared;
        for (uint32_t n = 0; n < large[i].pointers; n++) {
            h.buffers[n] = (ls_detect_buffer){(UINT64_C(1) << 40) + ((uint64_t)n << 28), 1 << 26, NULL};
            push_bytes(&h, &h.buffers[n].address, 8);
        }
        push_int(&h, 1024);
        h.launch.params = h.params, h.launch.params_size = h.params_size;
        h.launch.buffers = h.buffers, h.launch.buffer_count = large[i].pointers;
        h.launch.as_it_is = "it is open whether it races";
        ls_detect_result *r =
            ls_detect_check(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch, NULL, h.diags);
        if (r->unchecked_count) fail_msg("%s: %s", large[i].name, r->not_rehearsed);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* Triton's kernels have two more pointers behind their parameters, which are not used here. */
static void push_nothing(harness *h) {
    uint64_t nothing = 0;
    for (int i = 0; i < 2; i++) push_bytes(h, &nothing, sizeof nothing);
}

static void of_triton(void **state) {
    (void)state;
    harness h = open_harness("triton_softmax.ptx", "softmax_kernel", 4, 128);
    h.launch.shared_bytes = 64;
    push_words(&h, WORDS, 0, 0), push_floats(&h, WORDS), push_int(&h, 1024), push_int(&h, 1024),
        push_nothing(&h);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    assert_int_equal(r->checked_regions, 0);
    assert_int_equal(r->rounds, 0);
    ls_detect_result_free(r);
    close_harness(&h);
    h = open_harness("triton_racy_add.ptx", "racy_add_kernel", 4, 128);
    push_floats(&h, WORDS), push_floats(&h, WORDS), push_words(&h, WORDS, 0, 0), push_int(&h, WORDS);
    push_nothing(&h);
    r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    assert_non_null(find_race(r, "write-write", 27, 27)); /* of triton_programs.py when it was compiled */
    assert_string_equal(r->findings->place.file, "triton_programs.py");
    ls_detect_result_free(r);
    close_harness(&h);
}

/* As many turns with a barrier as a number in memory says: no block can be rehearsed, and that is said. */
static void turns_by_memory(void **state) {
    (void)state;
    harness h = open_harness("today.ptx", "k", 2, 64);
    h.ptx.length = 0;
    ls_buf_puts(&h.ptx,
                ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                "\t.reg .u32 %r<9>;\n\t.reg .u64 %l;\n\t.reg .pred %more;\n\t.shared .align 4 .b8 s[256];\n"
                "\tld.param.u64 %l, [p];\n\tld.global.u32 %r1, [%l];\n\tmov.u32 %r2, %tid.x;\n"
                "\txor.b32 %r3, %r2, 33;\n\tshl.b32 %r3, %r3, 2;\n\tmov.u32 %r4, s;\n"
                "\tadd.u32 %r3, %r3, %r4;\nLOOP:\n\tst.shared.u32 [%r3], %r2;\n\tbar.sync 0;\n"
                "\tld.shared.u32 %r5, [%r3];\n\tadd.u32 %r1, %r1, -1;\n\tsetp.gt.s32 %more, %r1, 0;\n"
                "\t@%more bra LOOP;\n\tret;\n}\n");
    ls_buf_text(&h.ptx);
    push_words(&h, WORDS, 0, 3);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    assert_true(r->watched);
    assert_non_null(r->not_rehearsed);
    assert_non_null(strstr(r->not_rehearsed, "condition"));
    ls_detect_result_free(r);
    close_harness(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(correct_and_racy),
                                       cmocka_unit_test(written_otherwise), cmocka_unit_test(turns_by_memory),
                                       cmocka_unit_test(of_triton), cmocka_unit_test(of_full_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
