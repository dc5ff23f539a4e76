/* A process that can start no more threads: the solver answers all the same, as Z3 is never asked for what it
 * would start a thread for (a failure to do so ends the process). */
#include "solve/solve.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* In place of the C library's, for Z3 as well. */
static uint32_t asked;
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) {
    (void)thread, (void)attributes, (void)run, (void)data;
    asked++;
    return EAGAIN;
}

/* x < 5 or y < 5, x is large, y is more than that, and so much beside it that a solver is asked, whose part
 * is said by what it counts. */
static ls_answered ask(uint64_t least, uint32_t *by_solver) {
    ls_terms t;
    ls_solver solver;
    ls_terms_init(&t);
    ls_solver_init(&solver, &t);
    const ls_term *x = ls_symbol(&t, "x", 64, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 1000000000),
                  *y = ls_symbol(&t, "y", 64, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 1000000000),
                  *five = ls_const(&t, 64, 5);
    const ls_term *query[] = {ls_or(&t, ls_ult(&t, x, five), ls_ult(&t, y, five)),
                              ls_ult(&t, ls_const(&t, 64, 1000000), x),
                              ls_ult(&t, ls_const(&t, 64, least), y), ls_false(&t)};
    for (int i = 0; i < 100; i++) {
        const ls_term *more = ls_symbol(&t, "s", 64, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 1000000000);
        query[3] = ls_or(&t, query[3], ls_ult(&t, x, more));
    }
    ls_answered answer = ls_solve(&solver, query, 4, (ls_question){LS_AIM_PROOF});
    *by_solver = solver.stats.by_integers;
    ls_solver_free(&solver);
    ls_terms_free(&t);
    return answer;
}

static void test_answers_without_threads(void **state) {
    (void)state;
    uint32_t by_solver;
    assert_int_equal(ask(1000000, &by_solver), LS_UNSAT);
    assert_int_equal(by_solver, 1);
    assert_int_equal(ask(2, &by_solver), LS_SAT);
    assert_int_equal(by_solver, 1);
    assert_int_equal(asked, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers_without_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
