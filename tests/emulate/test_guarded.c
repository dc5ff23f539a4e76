/* Guard pages: what lies around the memory faults, the memory itself does not. */
#include "emulate/guarded.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Whether a byte there can be written, tried in a child. */
static bool faults(volatile char *at) {
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* the sanitizers have one of their own */
        *at = 1;
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void around_it_is_nothing(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 128, 4096, 5000, 232448};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t size = sizes[k], rounded = (size + 127) / 128 * 128;
        char *at = em_guarded(size, true);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 128, 0);
        for (size_t b = 0; b < size; b++) assert_int_equal(at[b], 0);
        memset(at, 7, rounded);
        assert_true(faults(at + rounded));
        assert_true(faults(at + rounded + LS_EM_GUARD - 1));
        assert_true(faults(at - 4096));
        assert_true(faults(at - LS_EM_GUARD + 4096));
        assert_false(faults(at + size - 1));
        em_guarded_free(at, size, true);
    }
}

static void without_guards_it_is_plain_memory(void **state) {
    (void)state;
    char *at = em_guarded(0, false);
    assert_non_null(at);
    memset(at, 7, 128);
    em_guarded_free(at, 0, false);
    em_guarded_free(NULL, 100, true);
    assert_null(em_guarded(SIZE_MAX - 5, true));
}

static void what_is_kept_comes_again_and_zeroed(void **state) {
    (void)state;
    em_guarded_pool pool = {0};
    char *at = em_guarded_from(&pool, 5000, true);
    assert_non_null(at);
    memset(at, 7, 5000);
    em_guarded_keep(&pool, at, 5000, true);
    char *other = em_guarded_from(&pool, 5001, true);
    assert_ptr_not_equal(other, at);
    char *again = em_guarded_from(&pool, 5000, true);
    assert_ptr_equal(again, at);
    for (size_t b = 0; b < 5000; b++) assert_int_equal(again[b], 0);
    assert_true(faults(again + (5000 + 127) / 128 * 128));
    em_guarded_keep(&pool, again, 5000, true);
    em_guarded_keep(NULL, other, 5001, true);
    em_guarded_forget(&pool);
    for (int k = 0; k < LS_EM_KEPT; k++) assert_null(pool.kept[k].at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(around_it_is_nothing),
        cmocka_unit_test(without_guards_it_is_plain_memory),
        cmocka_unit_test(what_is_kept_comes_again_and_zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
