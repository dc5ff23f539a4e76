/* Races within a block: the two passes around barrier intervals, in the emulator. */
#include "harness.h"

static void expect_clean(harness *h, const ls_detect_options *options) {
    ls_detect_result *r = check_launch(h, options);
    assert_int_not_equal(r->status, LS_DETECT_FAILED);
    assert_int_not_equal(r->status, LS_DETECT_UNSUPPORTED);
    assert_int_equal(r->finding_count, 0);
    if (options->all) assert_true(r->checked_regions > 0); /* else some are left out: race-free plainly */
    assert_same_memory(h);
    ls_detect_result_free(r);
}

/* With the copies in shared memory, and in global memory. */
static void expect_clean_both_ways(harness *h) {
    expect_clean(h, &(ls_detect_options){0});
    expect_clean(h, &(ls_detect_options){.copies_in_global = true});
    expect_clean(h, &(ls_detect_options){.all = true});
    expect_clean(h, &(ls_detect_options){.all = true, .copies_in_global = true});
}

static void scan(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "scan", 3, 256);
    push_floats(&h, 768), push_floats(&h, 768);
    expect_clean_both_ways(&h);
    close_harness(&h);
}

static void racy_scan(void **state) {
    (void)state;
    for (int way = 0; way < 2; way++) {
        harness h = open_harness("block.ptx", "racy_scan", 2, 256);
        push_floats(&h, 512), push_floats(&h, 512);
        ls_detect_result *r = check_launch(&h, &(ls_detect_options){.copies_in_global = way});
        assert_int_equal(r->status, LS_DETECT_RACY);
        const ls_finding *race = find_race(r, "read-write", 26, 27);
        assert_non_null(race);
        assert_true(race->rule == LS_RULE_RACE_SHARED && are_warps(race));
        assert_string_equal(race->story->object, "t");
        assert_string_equal(race->place.file, "block.cu");
        assert_true(does(race->story->actors, "reads") && does(race->story->actors->next, "writes"));
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

static void racy_write(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "racy_write", 2, 256);
    push_words(&h, 128, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "write-write", 37, 37);
    assert_non_null(race);
    assert_true(does(race->story->actors, "writes") && does(race->story->actors->next, "writes"));
    assert_true(ls_fields_find(race->detail, "racy_bytes")->value.natural >= 64);
    assert_true(r->racy_bytes >= 64 && r->racy_bytes <= 2 * 64 * 4 && r->racy_warps >= 2 &&
                r->racy_warps <= 16);
    ls_detect_result_free(r);
    close_harness(&h);
}

/* Parts of warps leave before the barriers; the expected values are computed here. */
static void early_exit(void **state) {
    (void)state;
    for (int n = 1; n <= 256; n += 51)
        for (int way = 0; way < 2; way++) {
            harness h = open_harness("block.ptx", "early_exit", 2, 256);
            push_words(&h, 512, 0, 0), push_words(&h, 512, 3, (uint32_t)-100), push_int(&h, n);
            seal(&h);
            ls_detect_options options = {.copies_in_global = way, .all = true, .no_global = true};
            ls_detect_result *r =
                ls_detect_check(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch, &options, h.diags);
            assert_int_equal(r->status, LS_DETECT_CLEAN);
            assert_true(r->checked_regions > 0);
            int out[512], positive = 0, all = 1;
            for (int i = 0; i < n; i++) positive += 3 * i - 100 > 0, all &= 3 * i - 100 > -100;
            ls_detect_read(h.device, out, h.buffers[0].address, sizeof out);
            for (int i = 0; i < 512; i++) {
                int expected = 3 * (i / 256 * 256 + n - 1 - i % 256) - 100 + 1000 * positive + 100000 * all;
                assert_int_equal(out[i], i % 256 < n ? expected : 0);
            }
            ls_detect_result_free(r);
            close_harness(&h);
        }
}

static void in_place(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "in_place", 3, 256);
    push_words(&h, 768, 11, 3), push_words(&h, 1, 0, 0);
    expect_clean_both_ways(&h);
    close_harness(&h);
}

static void in_turns(void **state) {
    (void)state;
    for (uint64_t schedule = 0; schedule < 8; schedule++) {
        harness h = open_harness("block.ptx", "in_turns", 2, 256);
        push_words(&h, 512, 0, 0), push_words(&h, 512, 7, 3);
        ls_detect_emulator_schedule(h.device, schedule);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, LS_DETECT_CLEAN);
        assert_true(r->checked_regions > 0 && r->checked_regions < r->regions);
        ls_detect_result_free(r);
        expect_clean_both_ways(&h);
        close_harness(&h);
    }
}

/* Global memory between warps of one block, with barriers in between; of one block alone and of several. */
static void handed_on(void **state) {
    (void)state;
    for (uint32_t blocks = 1; blocks <= 5; blocks += 4) {
        harness h = open_harness("block.ptx", "handed_on", blocks, 256);
        push_words(&h, 256 * blocks, 1, 0), push_int(&h, 100);
        ls_detect_result *r = check_launch(&h, &(ls_detect_options){.no_intra_warp = true});
        assert_int_equal(r->status, LS_DETECT_CLEAN);
        assert_int_equal(r->inside_blocks, blocks);
        assert_same_memory(&h);
        ls_detect_result_free(r);
        h.launch.kernel = "racy_handed_on";
        reset_inputs(&h);
        r = ls_detect_check(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch, NULL, h.diags);
        assert_int_equal(r->status, LS_DETECT_RACY);
        const ls_finding *race = find_race(r, "read-write", 186, 187);
        assert_non_null(race);
        assert_true(race->rule == LS_RULE_RACE_GLOBAL && !are_blocks(race) && are_warps(race));
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

static void histogram(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "histogram", 2, 256);
    push_words(&h, 64, 0, 0), push_words(&h, 256, 2654435761u, 5), push_int(&h, 1000);
    ls_detect_result *r = check_launch(&h, &(ls_detect_options){.all = true});
    assert_int_equal(r->status, LS_DETECT_CLEAN); /* atomic operations alone touch the bins where they do */
    assert_int_equal(r->finding_count, 0);
    assert_true(r->checked_regions > 0);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void mixed(void **state) {
    (void)state;
    for (int flag = 0; flag < 4; flag++) {
        harness h = open_harness("block.ptx", "mixed", 1, 256);
        h.launch.shared_bytes = 256 * 16;
        push_floats(&h, 256), push_floats(&h, 256), push_int(&h, flag);
        expect_clean_both_ways(&h);
        close_harness(&h);
    }
}

static void lanes(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "lanes", 1, 256);
    push_words(&h, 256, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    assert_non_null(find_race(r, "intra-warp", 105, 105));
    assert_int_equal(r->finding_count, 1);
    ls_detect_result_free(r);
    r = check_launch(&h, &(ls_detect_options){.no_intra_warp = true});
    assert_int_equal(r->finding_count, 0);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void one_warp(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "one_warp", 1, 32);
    push_words(&h, 32, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    assert_int_equal(r->finding_count, 1);
    assert_true(is_kind(r->findings, "intra-warp"));
    ls_detect_result_free(r);
    close_harness(&h);
}

/* A function that was not inlined is carried out in place. */
static void calls(void **state) {
    (void)state;
    for (uint32_t blocks = 1; blocks < 3; blocks++) { /* two of them write the same places */
        harness h = open_harness("block.ptx", "calls", blocks, 64);
        push_words(&h, 64, 0, 7);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, blocks == 1 ? LS_DETECT_CLEAN : LS_DETECT_RACY);
        assert_int_equal(r->unchecked_count, 0);
        if (blocks == 1) assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

static void product(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "product", 2, 16);
    h.launch.grid[1] = 2, h.launch.block[1] = 16;
    push_floats(&h, 1024), push_floats(&h, 1024), push_floats(&h, 1024), push_int(&h, 32);
    expect_clean_both_ways(&h);
    close_harness(&h);
}

static void racy_product(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "racy_product", 2, 16);
    h.launch.grid[1] = 2, h.launch.block[1] = 16;
    push_floats(&h, 1024), push_floats(&h, 1024), push_floats(&h, 1024), push_int(&h, 32);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    assert_true(find_race(r, "read-write", 132, 134) || find_race(r, "read-write", 131, 134));
    ls_detect_result_free(r);
    close_harness(&h);
}

/* A racy kernel leaves the same bits on every run, whatever the order in which warps run; as it is it does
 * not. */
static void deterministic(void **state) {
    (void)state;
    harness h = open_harness("block.ptx", "racy_write", 4, 256);
    push_words(&h, 256, 0, 0);
    seal(&h);
    uint32_t out[256], first[256];
    bool varies = false;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        ls_detect_emulator_schedule(h.device, seed);
        assert_true(ls_detect_native(h.device, h.ptx.text, h.ptx.length, &h.launch, 1, h.diags) >= 0);
        ls_detect_read(h.device, out, h.buffers[0].address, sizeof out);
        if (seed == 1) memcpy(first, out, sizeof out);
        varies |= memcmp(first, out, sizeof out) != 0;
        ls_detect_options options = {.deterministic = true, .copies_in_global = seed % 2};
        ls_detect_result *r =
            ls_detect_check(h.device, h.ptx.text, h.ptx.length, h.file, &h.launch, &options, h.diags);
        assert_int_not_equal(r->status, LS_DETECT_FAILED);
        ls_detect_read(h.device, out, h.buffers[0].address, sizeof out);
        for (uint32_t i = 0; i < 256; i++) assert_int_equal(out[i], 192 + i % 64); /* the last warps win */
        ls_detect_result_free(r);
    }
    assert_true(varies);
    close_harness(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan),       cmocka_unit_test(racy_scan),    cmocka_unit_test(racy_write),
        cmocka_unit_test(early_exit), cmocka_unit_test(in_place),     cmocka_unit_test(in_turns),
        cmocka_unit_test(handed_on),  cmocka_unit_test(histogram),    cmocka_unit_test(mixed),
        cmocka_unit_test(lanes),      cmocka_unit_test(product),      cmocka_unit_test(one_warp),
        cmocka_unit_test(calls),      cmocka_unit_test(racy_product), cmocka_unit_test(deterministic),
    };
    int failed = cmocka_run_group_tests_name("watched in place", tests, watched, NULL);
    return failed + cmocka_run_group_tests_name("by values", tests, compared_by_values, NULL);
}
