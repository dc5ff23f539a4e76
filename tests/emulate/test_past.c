/* Pasts (vector clocks that are shared) and crowds (sets that are kept once): what check/agent.c stands on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "emulate/check/crowd.h"
#include "emulate/check/past.h"

static void clocks_are_raised_and_joined(void **state) {
    (void)state;
    past a = {0}, b = {0};
    em_moment_raise(&a.known, 3, 7);
    em_moment_raise(&a.known, 3, 5); /* never back */
    em_moment_raise(&b.known, 200, 2);
    em_moment_raise(&b.fenced, 3, 1);
    assert_int_equal(em_moment_at(a.known, 3), 7);
    assert_int_equal(em_moment_at(a.known, 1000), 0);
    em_past_join(&a, &b);
    assert_int_equal(em_moment_at(a.known, 3), 7);
    assert_int_equal(em_moment_at(a.known, 200), 2);
    assert_int_equal(em_moment_at(a.fenced, 3), 1);
    assert_int_equal(em_moment_at(b.known, 3), 0);
    em_past_drop(&a);
    em_past_drop(&b);
    assert_null(a.known);
}

static void a_shared_clock_is_not_changed_for_others(void **state) {
    (void)state;
    past a = {0}, b = {0};
    em_moment_raise(&a.known, 0, 1);
    em_past_set(&b, &a);
    assert_ptr_equal(a.known, b.known);
    em_moment_raise(&b.known, 0, 2);
    assert_int_equal(em_moment_at(a.known, 0), 1);
    assert_int_equal(em_moment_at(b.known, 0), 2);
    em_past_join(&a, &b); /* b covers a: from here on they share it again */
    assert_ptr_equal(a.known, b.known);
    em_past_drop(&a);
    em_past_drop(&b);
}

static void crowds_are_kept_once(void **state) {
    (void)state;
    crowds c = {0};
    uint32_t count;
    assert_int_equal(em_crowd_of(&c, NULL, 0), 0);
    assert_null(em_crowd_get(&c, 0, &count));
    uint32_t numbers[1000];
    for (uint32_t k = 0; k < 1000; k++) {
        const crowd_member members[] = {{k, 15, 1}, {k + 1, 3, UINT64_C(1) << 40}};
        numbers[k] = em_crowd_of(&c, members, 1 + k % 2);
        assert_int_equal(em_crowd_of(&c, members, 1 + k % 2), numbers[k]);
        assert_true(k == 0 || numbers[k] != numbers[k - 1]);
    }
    const crowd_member *of = em_crowd_get(&c, numbers[501], &count);
    assert_int_equal(count, 2);
    assert_int_equal(of[1].access, 502);
    assert_true(of[1].lanes == UINT64_C(1) << 40);
    em_crowds_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(clocks_are_raised_and_joined),
                                       cmocka_unit_test(a_shared_clock_is_not_changed_for_others),
                                       cmocka_unit_test(crowds_are_kept_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
