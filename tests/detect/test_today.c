/* The kernels of bench/gpu/detect/today.cu in the emulator: most of the correct ones are known to be
 * race-free from their offsets, so that nothing is watched; the planted races are found at their lines. And
 * two that Triton made. */
#include "harness.h"
#include "marks.h"

typedef struct {
    const char *name, *mangled; /* with %d for which of the two it is */
    uint32_t grid[3], block[2];
    const char *arguments; /* o: a buffer for results, f: of floats, w: of words, r: with each 16 more than
                              the one before, else a number */
    bool watched;          /* offsets leave something open */
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
    {"spmv", "_Z4spmvILb%dEEvPfPKfPKjS2_S4_i", {2, 1}, {256, 1}, "ofwfr9", true},
    {"splitk", "_Z6splitkILb%dEEvPfPKfS2_i", {2, 2, 2}, {32, 8}, "off6"},
};

enum { WORDS = 8192 };

static void push_arguments(harness *h, const char *arguments) {
    for (const char *a = arguments; *a; a++) {
        if (*a == 'o') push_words(h, WORDS, 0, 0);
        if (*a == 'f') push_floats(h, WORDS);
        if (*a == 'r') push_words(h, WORDS, 16, 0);
        if (*a == 'w') push_words(h, WORDS, 2654435761u, 17);
        if (*a >= '0' && *a <= '9') push_int(h, *a == '2' ? 4 : *a == '6' ? 64 : *a == '7' ? 128 : 1024);
    }
}

static void correct_and_racy(void **state) {
    (void)state;
    char path[512], name[64];
    ls_buf source = {0};
    snprintf(path, sizeof path, "%s/bench/gpu/detect/today.cu", SOURCE_DIR);
    assert_true(ls_read_file(path, &source));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (int racy = 0; racy < 2; racy++) {
            const kernel_of_today *k = &kernels[i];
            snprintf(name, sizeof name, k->mangled, racy);
            harness h = open_harness("today.ptx", name, k->grid[0], k->block[0]);
            h.launch.grid[1] = k->grid[1], h.launch.block[1] = k->block[1];
            if (k->grid[2]) h.launch.grid[2] = k->grid[2];
            push_arguments(&h, k->arguments);
            ls_detect_result *r = check_launch(&h, NULL);
            if (r->status != (racy ? LS_DETECT_RACY : LS_DETECT_CLEAN))
                fail_msg("%s: status %d", name, r->status);
            if (!racy && (r->checked_regions != 0) != k->watched)
                fail_msg("%s: %u intervals looked at", name, r->checked_regions);
            if (!racy) assert_same_memory(&h);
            for (const ls_finding *f = r->findings; f; f = f->next)
                if (!is_marked(&source, f->place.line, k->name) &&
                    !is_marked(&source, ls_finding_other(f)->line, k->name))
                    fail_msg("%s: lines %u and %u are not marked", name, f->place.line,
                             ls_finding_other(f)->line);
            ls_detect_result_free(r);
            close_harness(&h);
        }
    ls_buf_free(&source);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(correct_and_racy), cmocka_unit_test(of_triton)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
