/* Containers of src/base: growth, look-up, iteration, and the parallel loop's "each index once". */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/by_name.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/vec.h"
#include "lockstep/diag.h"

#include <stdatomic.h>
#include <stdio.h>

static void arena_keeps_blocks_apart(void **state) {
    (void)state;
    ls_arena arena;
    ls_arena_init(&arena);
    char *blocks[200];
    for (int i = 0; i < 200; i++) {
        size_t size = i % 7 == 0 ? 100000 : (size_t)i + 1;
        blocks[i] = ls_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], i, size);
    }
    for (int i = 0; i < 200; i++) assert_int_equal((unsigned char)blocks[i][0], i);
    assert_string_equal(ls_arena_printf(&arena, "%d-%s", 5, "x"), "5-x");
    ls_arena_free(&arena);
}

static void map_finds_what_was_put(void **state) {
    (void)state;
    ls_map map = {0};
    char keys[1000][8];
    for (uintptr_t i = 0; i < 1000; i++) {
        snprintf(keys[i], sizeof keys[i], "%%r%d", (int)i);
        *ls_map_at(&map, keys[i], strlen(keys[i])) = (void *)(i + 1);
    }
    assert_int_equal(map.count, 1000);
    for (uintptr_t i = 0; i < 1000; i++)
        assert_ptr_equal(ls_map_get(&map, keys[i], strlen(keys[i])), (void *)(i + 1));
    assert_null(ls_map_get(&map, "%r1000", 6));
    ls_map_free(&map);

    ls_intmap ints = {0};
    bool is_new;
    for (uint64_t i = 0; i < 500; i++) *ls_intmap_at(&ints, i * 4096, &is_new) = i;
    uint64_t value = 0;
    assert_true(ls_intmap_get(&ints, 499 * 4096, &value));
    assert_int_equal(value, 499);
    assert_false(ls_intmap_get(&ints, 1, NULL));
    uint64_t keys_sum = 0, values_sum = 0, all = 0;
    const ls_intmap_slot *slot;
    for (uint32_t at = 0; (slot = ls_intmap_next(&ints, &at)); all++)
        keys_sum += slot->key, values_sum += slot->value;
    assert_int_equal(all, 500);
    assert_int_equal(values_sum, 499 * 500 / 2);
    assert_int_equal(keys_sum, values_sum * 4096);
    ls_intmap_free(&ints);
    uint32_t nowhere = 0;
    assert_null(ls_intmap_next(&ints, &nowhere));
}

static void equal_names_are_found_in_their_order(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "a", "c", "a"};
    static const uint32_t expected[] = {0, 2, 4};
    ls_arena arena;
    ls_arena_init(&arena);
    ls_by_name list;
    ls_by_name_init(&list, &arena, 5);
    for (uint32_t i = 5; i-- > 0;) ls_by_name_add(&list, names[i], i);
    uint32_t count = 0;
    for (uint32_t i = ls_by_name_first(&list, "a"); i; i = list.next[i - 1]) {
        assert_true(count < 3);
        assert_int_equal(i - 1, expected[count++]);
    }
    assert_int_equal(count, 3);
    assert_int_equal(ls_by_name_first(&list, "c"), 4);
    assert_int_equal(ls_by_name_first(&list, "d"), 0);
    ls_by_name_free(&list);
    ls_arena_free(&arena);
}

static void bitset_iterates_its_members(void **state) {
    (void)state;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_bitset set = ls_bitset_new(&arena, 130), other = ls_bitset_new(&arena, 130);
    ls_bitset_add(&set, 0);
    ls_bitset_add(&set, 64);
    ls_bitset_add(&other, 129);
    assert_true(ls_bitset_union(&set, &other));
    assert_false(ls_bitset_union(&set, &other));
    assert_int_equal(ls_bitset_next(&set, 1), 64);
    assert_int_equal(ls_bitset_next(&set, 65), 129);
    assert_int_equal(ls_bitset_next(&set, 130), 130);
    ls_bitset_remove(&set, 64);
    assert_int_equal(ls_bitset_next(&set, 1), 129);
    ls_arena_free(&arena);
}

static void count_once(void *context, uint32_t index) {
    atomic_fetch_add(&((atomic_int *)context)[index], 1);
}

static void parallel_loop_visits_each_index_once(void **state) {
    (void)state;
    static atomic_int visits[1000];
    ls_parallel_for(4, 1000, count_once, visits);
    for (int i = 0; i < 1000; i++) assert_int_equal(visits[i], 1);
    ls_parallel_for(0, 0, count_once, visits);
}

static void diagnostics_are_counted(void **state) {
    (void)state;
    ls_diags *diags = ls_diags_new();
    ls_diags_add(diags, LS_WARNING, "a.ptx", 3, 4, "odd %s", "thing");
    ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "bad");
    assert_int_equal(ls_diags_count(diags), 2);
    assert_int_equal(ls_diags_errors(diags), 1);
    assert_string_equal(ls_diags_at(diags, 0)->message, "odd thing");
    ls_diags_free(diags);
}

static void buffer_grows(void **state) {
    (void)state;
    ls_buf buf = {0};
    assert_string_equal(ls_buf_text(&buf), "");
    for (int i = 0; i < 1000; i++) ls_buf_printf(&buf, "%d,", i % 10);
    assert_int_equal(buf.length, 2000);
    ls_buf_free(&buf);
    assert_false(ls_read_file("/nonexistent/file", &buf));
    assert_false(ls_read_file("/", &buf));
    ls_buf_free(&buf);
}

static void deadlines_pass(void **state) {
    (void)state;
    for (ls_clock clock = LS_CLOCK_WALL; clock <= LS_CLOCK_THREAD; clock++) {
        double before = ls_clock_seconds(clock);
        ls_deadline never = ls_deadline_in(clock, 0), soon = ls_deadline_in(clock, 1e-3),
                    late = ls_deadline_in(clock, 1e6);
        assert_true(isinf(ls_deadline_left(&never)));
        while (!ls_deadline_passed(&soon)) assert_false(ls_deadline_passed(&never));
        assert_true(ls_clock_seconds(clock) - before >= 1e-3);
        assert_true(ls_deadline_left(&soon) <= 0);
        assert_false(ls_deadline_passed(&late));
        assert_true(ls_deadline_left(&late) > 1e5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_keeps_blocks_apart),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(equal_names_are_found_in_their_order),
        cmocka_unit_test(bitset_iterates_its_members),
        cmocka_unit_test(parallel_loop_visits_each_index_once),
        cmocka_unit_test(diagnostics_are_counted),
        cmocka_unit_test(buffer_grows),
        cmocka_unit_test(deadlines_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
