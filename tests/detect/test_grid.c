/* Races on global memory, between blocks and between warps, in rounds; in the emulator. */
#include "harness.h"

static void expect_clean(harness *h, const ls_detect_options *options, bool warps) {
    ls_detect_result *r = check_launch(h, options);
    assert_int_not_equal(r->status, LS_DETECT_FAILED);
    assert_int_equal(r->finding_count, 0);
    assert_int_equal(r->units_are_warps, warps);
    assert_same_memory(h);
    ls_detect_result_free(r);
}

static void own_elements_cost_nothing(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "own", 4, 128);
    push_floats(&h, 512), push_floats(&h, 512);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    assert_int_equal(r->launches, 1); /* as it is */
    assert_int_equal(r->pruned_count, 1);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    r = check_launch(&h, &(ls_detect_options){.all = true});
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    if (by_values)
        assert_true(!r->watched && r->rounds_run >= 1);
    else
        assert_true(r->watched && r->launches == 1); /* its stores are watched, nothing is run twice */
    assert_int_equal(r->pruned_count, 0);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    close_harness(&h);
}

/* In place: the two parameters are one buffer. */
static void aliases(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "own", 4, 128);
    uint64_t data = push_floats(&h, 512);
    push_bytes(&h, &data, 8);
    ls_detect_result *r = check_launch(&h, NULL); /* also together every thread has its own part */
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    assert_int_equal(r->pruned_count, 2);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    expect_clean(&h, &(ls_detect_options){.all = true}, true);
    close_harness(&h);
}

static void permuted(void **state) {
    (void)state;
    for (uint32_t copies = 2; copies <= 16; copies += 7) {
        harness h = open_harness("grid.ptx", "permuted", 4, 128);
        push_words(&h, 512, 0, 0);
        push_words(&h, 512, 5, 3);
        uint32_t where[512];
        for (uint32_t i = 0; i < 512; i++) where[i] = (i * 37 + 11) % 512;
        memcpy(h.inputs[1], where, sizeof where);
        ls_detect_write(h.device, h.buffers[1].address, where, sizeof where);
        ls_detect_result *r = check_launch(&h, &(ls_detect_options){.copies = copies});
        assert_int_equal(r->status, LS_DETECT_CLEAN);
        assert_int_equal(r->units, 16);
        assert_int_equal(r->rounds, ls_detect_rounds(16, copies));
        assert_int_equal(r->rounds_run, r->rounds);
        assert_true(r->probability > 0.9999);
        assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* A race between two units is found in the round that tells them apart, and never before. */
static void rounds(void **state) {
    (void)state;
    for (uint32_t a = 0; a < 16; a += 3)
        for (uint32_t b = a + 1; b < 16; b += 2) {
            harness h = open_harness("grid.ptx", "permuted", 4, 128);
            push_words(&h, 512, 0, 0);
            push_words(&h, 512, 1, 0);
            uint32_t where[512];
            for (uint32_t i = 0; i < 512; i++) where[i] = i;
            where[b * 32] = a * 32; /* two warps write one element */
            memcpy(h.inputs[1], where, sizeof where);
            ls_detect_write(h.device, h.buffers[1].address, where, sizeof where);
            ls_detect_result *r = check_launch(&h, &(ls_detect_options){.copies = 2});
            uint32_t expected = 0;
            for (uint32_t bit = 8; !((a ^ b) & bit); bit /= 2) expected++;
            assert_int_equal(r->status, LS_DETECT_RACY);
            assert_int_equal(r->rounds_run, expected + 1);
            const ls_finding *race = find_race(r, "write-write", 11, 11);
            assert_non_null(race);
            const ls_actor *first = race->story->actors, *second = first->next;
            uint32_t one = first->block[0] * 4 + first->warp, other = second->block[0] * 4 + second->warp;
            assert_true((one == a && other == b) || (one == b && other == a));
            assert_int_equal(race->story->byte / 4, a * 32);
            ls_detect_result_free(r);
            if (expected) { /* stopped early it is missed, and the report says how likely that was */
                r = check_launch(&h, &(ls_detect_options){.copies = 2, .rounds = expected});
                assert_int_equal(r->finding_count, 0);
                assert_true(r->probability < 1);
                ls_detect_result_free(r);
            }
            close_harness(&h);
        }
}

static void racy_blocks(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_blocks", 4, 64);
    push_words(&h, 64, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "write-write", 15, 15);
    assert_non_null(race);
    assert_int_equal(race->rule, LS_RULE_RACE_GLOBAL);
    assert_true(are_blocks(race) && race->story->actors->block[0] != race->story->actors->next->block[0]);
    assert_non_null(strstr(race->story->object, "racy_blocks_param_0"));
    ls_detect_result_free(r);
    close_harness(&h);
}

static void racy_stencil(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_stencil", 4, 64);
    push_words(&h, 256, 13, 5), push_int(&h, 256);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "read-write", 21, 22);
    assert_non_null(race);
    assert_true(race->place.line == 21 && ls_finding_other(race)->line == 22);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void passed_on(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "passed_on", 4, 128);
    push_words(&h, 512, 0, 9), push_words(&h, 512, 0, 0);
    expect_clean(&h, NULL, false); /* units are blocks: warps pass values on */
    close_harness(&h);
}

static void racy_warps(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_warps", 2, 128);
    push_words(&h, 64, 0, 1000000);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "write-write", 48, 48);
    assert_non_null(race);
    assert_true(!are_blocks(race) && are_warps(race));
    ls_detect_result_free(r);
    close_harness(&h);
}

static void variables(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_variable", 4, 64);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "write-write", 37, 37);
    assert_non_null(race);
    assert_string_equal(race->story->object, "total");
    ls_detect_result_free(r);
    close_harness(&h);
}

/* Pointers that are loaded from memory: the table of ranges decides. */
static void indirect(void **state) {
    (void)state;
    for (int shift = 0; shift < 2; shift++) {
        harness h = open_harness("grid.ptx", "indirect", 4, 64);
        uint64_t rows[4];
        push_words(&h, 8, 0, 0);
        for (int i = 0; i < 4; i++) {
            rows[i] = push_words(&h, 64, 0, 77);
            h.params_size -= 8;
        }
        memcpy(h.inputs[0], rows, sizeof rows);
        ls_detect_write(h.device, h.buffers[0].address, rows, sizeof rows);
        push_int(&h, 64), push_int(&h, shift);
        ls_detect_result *r = check_launch(&h, NULL);
        /* with the shift a block's second warp writes into the next row's upper half: still no race */
        assert_int_not_equal(r->status, LS_DETECT_FAILED);
        assert_int_equal(r->finding_count, 0);
        assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* The racy value goes into an object that is not compared between units, but between passes. */
static void racy_neighbour(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_neighbour", 4, 128);
    push_words(&h, 512, 0, 0), push_words(&h, 512, 0, 0), push_words(&h, 512, 1, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    assert_int_equal(r->pruned_count, 1);
    const ls_finding *race = find_race(r, "read-write", 60, 59);
    assert_non_null(race);
    assert_non_null(strstr(race->story->object, "param_0"));
    ls_detect_result_free(r);
    close_harness(&h);
}

static void counted(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "counted", 4, 64);
    push_words(&h, 256, 0, 0), push_words(&h, 1, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    assert_int_equal(r->finding_count, 0);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void deterministic(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "racy_blocks", 4, 64);
    push_words(&h, 64, 0, 0);
    uint32_t out[64];
    ls_detect_result *r = check_launch(&h, &(ls_detect_options){.deterministic = true});
    assert_int_not_equal(r->status, LS_DETECT_FAILED);
    ls_detect_read(h.device, out, h.buffers[0].address, sizeof out);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(out[i], 4); /* the last block wins */
    ls_detect_result_free(r);
    close_harness(&h);
}

/* Too little memory for two copies: said, and the kernel is run as it is. */
static void no_memory(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "own", 4, 128);
    push_floats(&h, 512), push_floats(&h, 512);
    ls_detect_result *r = check_launch(&h, &(ls_detect_options){.all = true, .memory = 4096});
    assert_int_equal(r->status, LS_DETECT_UNKNOWN);
    assert_int_equal(r->unchecked_count, 1);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void wrong_input(void **state) {
    (void)state;
    harness h = open_harness("grid.ptx", "no_such_kernel", 1, 32);
    seal(&h);
    ls_detect_result *r =
        ls_detect_check(h.device, h.ptx.text, h.ptx.length, "grid.ptx", &h.launch, NULL, h.diags);
    assert_int_equal(r->status, LS_DETECT_UNSUPPORTED);
    assert_true(ls_diags_errors(h.diags) > 0);
    ls_detect_result_free(r);
    r = ls_detect_check(h.device, "nonsense", 8, "x.ptx", &h.launch, NULL, h.diags);
    assert_int_equal(r->status, LS_DETECT_UNSUPPORTED);
    ls_detect_result_free(r);
    close_harness(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_elements_cost_nothing),
        cmocka_unit_test(aliases),
        cmocka_unit_test(permuted),
        cmocka_unit_test(rounds),
        cmocka_unit_test(racy_blocks),
        cmocka_unit_test(racy_stencil),
        cmocka_unit_test(passed_on),
        cmocka_unit_test(racy_warps),
        cmocka_unit_test(variables),
        cmocka_unit_test(indirect),
        cmocka_unit_test(racy_neighbour),
        cmocka_unit_test(counted),
        cmocka_unit_test(deterministic),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(wrong_input),
    };
    int failed = cmocka_run_group_tests_name("watched in place", tests, watched, NULL);
    return failed + cmocka_run_group_tests_name("by values", tests, compared_by_values, NULL);
}
