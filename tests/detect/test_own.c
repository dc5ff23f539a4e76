/* Which memory is known to be race-free from its offsets, and which must not be. In the emulator. */
#include "harness.h"

/* How many intervals were compared; the races of that kind at these lines are there. */
static uint32_t compared(harness *h, uint32_t line, uint32_t other) {
    ls_detect_result *r = check_launch(h, NULL);
    uint32_t regions = r->checked_regions;
    assert_int_equal(r->finding_count != 0, line != 0);
    if (line)
        assert_true(find_race(r, "write-write", line, other) || find_race(r, "intra-warp", line, other));
    if (!line) assert_same_memory(h);
    ls_detect_result_free(r);
    return regions;
}

/* A kernel of which nothing is to be compared, and the same with a race in this line. */
static void own_and_racy(const char *own, const char *racy, uint32_t line, uint32_t grid, uint32_t block,
                         uint32_t words, uint32_t factor, uint32_t offset) {
    for (int which = 0; which < 2; which++) {
        harness h = open_harness("again.ptx", which ? racy : own, grid, block);
        push_words(&h, grid * block, 0, 0), push_words(&h, words, factor, offset);
        assert_int_equal(compared(&h, which ? line : 0, which ? line : 0) != 0, which);
        close_harness(&h);
    }
}

static void bits(void **state) {
    (void)state;
    own_and_racy("bits", "racy_bits", 47, 4, 256, 1024, 3, 1);
}

/* Conditions that fix the warp: not the same thread's elements. */
static void two_warps(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "two_warps", 4, 64);
    push_words(&h, 256, 0, 0);
    assert_true(compared(&h, 26, 27) > 0);
    close_harness(&h);
}

static void below(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "below", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 1024, 3, 1);
    assert_int_equal(compared(&h, 0, 0), 0);
    close_harness(&h);
}

/* From a number in memory on, as far as another number says. */
static void beside_a_number(void **state) {
    (void)state;
    own_and_racy("beside", "racy_beside", 77, 3, 128, 4, 300, 7);
}

/* Three tensors in one allocation; then two of them overlap by one element. */
static void one_allocation(void **state) {
    (void)state;
    for (int overlap = 0; overlap < 2; overlap++) {
        harness h = open_harness("again.ptx", "parts", 4, 128);
        uint64_t all = push_floats(&h, 2048), a = all + 2048 - 4 * (uint64_t)overlap, b = all + 4096;
        push_bytes(&h, &a, 8), push_bytes(&h, &b, 8);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->watched, overlap);
        assert_int_equal(r->pruned_count != 0, !overlap);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* A copy beside the threads (cp.async) goes on behind the barrier where it is not waited for: what others
 * read there is not known to be race-free. Two groups: with a wait for all but the newest the first has
 * ended, not the second. */
static void under_way(void **state) {
    (void)state;
    static const struct {
        const char *wait;
        int from;
        bool known;
    } cases[] = {{"cp.async.wait_group 0;", 0, true},
                 {"", 0, false},
                 {"cp.async.wait_group 1;", 0, true},
                 {"cp.async.wait_group 1;", 1024, false},
                 {"cp.async.wait_all;", 1024, true}};
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ls_buf ptx = {0};
        ls_buf_printf(
            &ptx,
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
            "out)\n{\n"
            "\t.reg .u32 %%t, %%a, %%b, %%base, %%x;\n\t.reg .u64 %%in, %%out, %%l;\n"
            "\t.shared .align 16 .b8 s[2048];\n\tld.param.u64 %%in, [in];\n\tld.param.u64 %%out, [out];\n"
            "\tmov.u32 %%t, %%tid.x;\n\tmov.u32 %%base, s;\n\tshl.b32 %%a, %%t, 2;\n"
            "\tcvt.u64.u32 %%l, %%a;\n\tadd.u64 %%in, %%in, %%l;\n\tadd.u64 %%out, %%out, %%l;\n"
            "\tadd.u32 %%b, %%base, %%a;\n\tcp.async.ca.shared.global [%%b], [%%in], 4;\n"
            "\tcp.async.commit_group;\n\tcp.async.ca.shared.global [%%b+1024], [%%in], 4;\n"
            "\tcp.async.commit_group;\n\t%s\n\tbar.sync 0;\n\txor.b32 %%a, %%a, 1020;\n"
            "\tadd.u32 %%b, %%base, 1020;\n\tld.shared.u32 %%x, [%%b+%d];\n"
            "\tst.global.u32 [%%out], %%x;\n\tret;\n}\n",
            cases[i].wait, cases[i].from - (cases[i].from ? 512 : 0));
        ls_detect_buffer buffers[] = {{0x10000, 1024, NULL}, {0x20000, 1024, NULL}};
        uint64_t params[] = {0x10000, 0x20000};
        ls_detect_launch launch = {.kernel = "k",
                                   .grid = {1, 1, 1},
                                   .block = {256, 1, 1},
                                   .params = params,
                                   .params_size = sizeof params,
                                   .buffers = buffers,
                                   .buffer_count = 2,
                                   .as_it_is = "not run"};
        ls_detect_result *r = ls_detect_check(device, ptx.text, ptx.length, "copy.ptx", &launch, NULL, diags);
        assert_int_equal(ls_diags_errors(diags), 0);
        if ((r->unchecked_count == 0) != cases[i].known) fail_msg("case %zu: %u", i, r->unchecked_count);
        ls_detect_result_free(r);
        ls_buf_free(&ptx);
    }
    ls_detect_device_free(device);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits),           cmocka_unit_test(two_warps),
        cmocka_unit_test(below),          cmocka_unit_test(beside_a_number),
        cmocka_unit_test(one_allocation), cmocka_unit_test(under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
