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

static void bits(void **state) {
    (void)state;
    harness h = open_harness("again.ptx", "bits", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 1024, 3, 1);
    assert_int_equal(compared(&h, 0, 0), 0);
    close_harness(&h);
    h = open_harness("again.ptx", "racy_bits", 4, 256);
    push_words(&h, 1024, 0, 0), push_words(&h, 1024, 3, 1);
    assert_true(compared(&h, 47, 47) > 0);
    close_harness(&h);
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

/* Three tensors in one allocation; then two of them overlap by one element. */
static void one_allocation(void **state) {
    (void)state;
    for (int overlap = 0; overlap < 2; overlap++) {
        harness h = open_harness("again.ptx", "parts", 4, 128);
        uint64_t all = push_floats(&h, 2048), a = all + 2048 - 4 * (uint64_t)overlap, b = all + 4096;
        push_bytes(&h, &a, 8), push_bytes(&h, &b, 8);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->rounds_run != 0, overlap);
        assert_int_equal(r->pruned_count != 0, !overlap);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits),
        cmocka_unit_test(two_warps),
        cmocka_unit_test(below),
        cmocka_unit_test(one_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
