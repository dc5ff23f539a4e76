/* Kernels that are watched in place: races that values do not show, atomic operations, and accesses that meet
 * without a race; in the emulator. */
#include "harness.h"

/* In place on zeros: values show nothing. */
static void on_zeros(void **state) {
    (void)state;
    harness h = open_harness("watch.ptx", "smooth", 4, 64);
    push_words(&h, 256, 0, 0), push_int(&h, 256);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "read-write", 8, 9);
    assert_non_null(race);
    assert_int_equal(race->rule, LS_RULE_RACE_GLOBAL);
    assert_same_memory(&h);
    ls_detect_result_free(r);
    r = check_launch(&h, &(ls_detect_options){.by_values = true});
    assert_int_equal(r->status, LS_DETECT_CLEAN);
    ls_detect_result_free(r);
    close_harness(&h);
}

static void tile_of_zeros(void **state) {
    (void)state;
    harness h = open_harness("watch.ptx", "smooth_tile", 3, 256);
    push_words(&h, 768, 0, 0), push_words(&h, 768, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    const ls_finding *race = find_race(r, "read-write", 17, 18);
    assert_non_null(race);
    assert_string_equal(race->story->object, "tile");
    assert_true(are_warps(race));
    assert_same_memory(&h);
    ls_detect_result_free(r);
    close_harness(&h);
}

/* Plain stores against atomic operations on global memory. */
static void bins(void **state) {
    (void)state;
    for (int racy = 0; racy < 2; racy++) {
        harness h = open_harness("watch.ptx", "bins", 4, 64);
        push_words(&h, 128, 0, 0), push_words(&h, 256, 1, 0), push_int(&h, racy ? 5 : 77);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, racy ? LS_DETECT_RACY : LS_DETECT_CLEAN);
        if (racy) assert_true(r->findings->place.line == 26 && r->findings->rule == LS_RULE_RACE_GLOBAL);
        assert_true(r->watched);
        if (!racy) assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* An atomic operation whose result is used cannot be run twice, but it can be watched. Where units meet, the
 * order may come from it: that is named. */
static void listed(void **state) {
    (void)state;
    for (int shift = 0; shift < 12; shift += 6) {
        harness h = open_harness("watch.ptx", "listed", 2, 256);
        push_words(&h, 512, 0, 0), push_int(&h, shift);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, shift ? LS_DETECT_RACY : LS_DETECT_CLEAN);
        assert_true(r->watched);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* Warps of one block, on global memory, between barriers: in all blocks. */
static void handed(void **state) {
    (void)state;
    for (int racy = -1; racy < 40; racy += 40) {
        harness h = open_harness("watch.ptx", "handed", 40, 64);
        push_words(&h, 2560, 0, 0), push_words(&h, 2560, 0, 0), push_words(&h, 2560, 1, 0),
            push_int(&h, racy);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, racy < 0 ? LS_DETECT_CLEAN : LS_DETECT_RACY);
        assert_true(r->watched && r->inside_blocks == 40 && !r->units_are_warps);
        const ls_finding *race = find_race(r, "read-write", 58, 59);
        assert_int_equal(race != NULL, racy >= 0);
        if (race) assert_true(are_warps(race) && race->story->actors->block[0] == 39);
        if (racy < 0) assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* The same with reads that are stamped together: in one block, or of the next block's words. */
static void handed_many(void **state) {
    (void)state;
    static const struct {
        int racy, next;
        const char *kind;
    } launches[] = {{-1, 0, NULL}, {39, 0, "read-write"}, {-1, 64, "read-write"}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        harness h = open_harness("watch.ptx", "handed_many", 40, 64);
        for (int n = 0; n < 3; n++) push_words(&h, 2560, n == 2, 0);
        push_int(&h, launches[i].racy), push_int(&h, launches[i].next);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, launches[i].kind ? LS_DETECT_RACY : LS_DETECT_CLEAN);
        assert_true(r->watched && r->inside_blocks == 40);
        if (launches[i].racy >= 0) {
            const ls_finding *race = find_race(r, launches[i].kind, 85, 86);
            assert_true(race && are_warps(race) && race->story->actors->block[0] == 39);
        }
        if (!launches[i].kind) assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* What one thread sets before a barrier and others count behind it; or without the barrier. */
static void counters(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        harness h = open_harness("watch.ptx", "counters", 4, 128);
        push_words(&h, 512, 0, 7), push_words(&h, 512, 1, 0), push_int(&h, late);
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, late ? LS_DETECT_RACY : LS_DETECT_CLEAN);
        if (late) assert_int_equal(r->findings->place.line, 67);
        if (!late) assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
}

/* Equal values of several warps are no race: they are compared from then on. */
static void agreed(void **state) {
    (void)state;
    harness h = open_harness("watch.ptx", "agreed", 2, 256);
    push_words(&h, 512, 1, 0), push_words(&h, 1, 0, 0);
    for (int i = 0; i < 2; i++) {
        ls_detect_result *r = check_launch(&h, NULL);
        assert_int_equal(r->status, LS_DETECT_CLEAN);
        assert_false(r->watched);
        assert_same_memory(&h);
        ls_detect_result_free(r);
    }
    close_harness(&h);
}

static void pointed(void **state) {
    (void)state;
    harness h = open_harness("watch.ptx", "pointed", 3, 64);
    push_words(&h, 64, 0, 0);
    h.params_size = 0;
    push_words(&h, 4, 0, 0);
    memcpy(h.inputs[1], &h.buffers[0].address, sizeof h.buffers[0].address);
    reset_inputs(&h);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_RACY);
    assert_true(find_race(r, "write-write", 74, 74) && are_blocks(r->findings));
    ls_detect_result_free(r);
    close_harness(&h);
}

/* Functions that were not inlined: what they access is the kernel's, each at its own line. */
static void calls(void **state) {
    (void)state;
    for (int racy = 0; racy < 2; racy++) {
        harness h = open_harness("calls.ptx", racy ? "calls_racy" : "calls", 2, 256);
        push_words(&h, 512, 0, 0), push_int(&h, 5);
        ls_detect_result *r = check_launch(&h, &(ls_detect_options){.all = !racy});
        assert_int_equal(r->status, racy ? LS_DETECT_RACY : LS_DETECT_CLEAN);
        assert_int_equal(r->unchecked_count, 0);
        if (racy) assert_non_null(find_race(r, "read-write", 4, 8));
        if (!racy) assert_same_memory(&h);
        ls_detect_result_free(r);
        close_harness(&h);
    }
    harness h = open_harness("calls.ptx", "calls_itself", 1, 256);
    push_words(&h, 256, 0, 0);
    ls_detect_result *r = check_launch(&h, NULL);
    assert_int_equal(r->status, LS_DETECT_UNKNOWN);
    assert_non_null(strstr(r->unchecked[0].reason, "was not inlined"));
    ls_detect_result_free(r);
    close_harness(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_zeros), cmocka_unit_test(tile_of_zeros), cmocka_unit_test(bins),
        cmocka_unit_test(listed),   cmocka_unit_test(agreed),        cmocka_unit_test(handed),
        cmocka_unit_test(counters), cmocka_unit_test(handed_many),   cmocka_unit_test(calls),
        cmocka_unit_test(pointed),
    };
    return cmocka_run_group_tests_name("watched in place", tests, watched, NULL);
}
