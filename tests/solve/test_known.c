/* A query that is asked again is answered as before, without a search or a solver, whatever the order of its
 * conditions; one that differs in a condition or in how it is asked is another one. */
#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    ls_terms terms;
    ls_solver solver;
    const ls_term *a, *b;
} world;

static void begin(world *w) {
    *w = (world){0};
    ls_terms_init(&w->terms);
    ls_solver_init(&w->solver, &w->terms);
    w->a = ls_symbol(&w->terms, "a", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX);
    w->b = ls_symbol(&w->terms, "b", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX);
}

static void end(world *w) {
    ls_solver_free(&w->solver);
    ls_terms_free(&w->terms);
}

/* a * b == product, a > 1, b > a. */
static void put(world *w, uint64_t product, const ls_term *out[3]) {
    ls_terms *t = &w->terms;
    out[0] = ls_eq(t, ls_mul(t, ls_zext(t, w->a, 64), ls_zext(t, w->b, 64)), ls_const(t, 64, product));
    out[1] = ls_ult(t, ls_const(t, 32, 1), w->a);
    out[2] = ls_ult(t, w->a, w->b);
}

static void test_same_query(void **state) {
    (void)state;
    world w;
    const ls_term *q[3];
    begin(&w);
    put(&w, 77, q);
    assert_int_equal(ls_solve(&w.solver, q, 3, (ls_question){0}), LS_SAT);
    uint64_t a = ls_model_value(&w.solver, w.a), b = ls_model_value(&w.solver, w.b);
    assert_int_equal(a * b, 77);
    assert_int_equal(w.solver.stats.by_known, 0);
    const ls_term *other[] = {q[2], q[0], q[2], q[1]};
    double spent = ls_solver_now(&w.solver);
    const ls_term *never = ls_false(&w.terms); /* the model goes with another query */
    assert_int_equal(ls_solve(&w.solver, &never, 1, (ls_question){0}), LS_UNSAT);
    assert_int_equal(ls_solve(&w.solver, other, 4, (ls_question){0}), LS_SAT);
    assert_int_equal(w.solver.stats.by_known, 1);
    assert_int_equal(ls_model_value(&w.solver, w.a), a);
    assert_int_equal(ls_model_value(&w.solver, w.b), b);
    assert_true(ls_solver_now(&w.solver) - spent < 1e-4);
    end(&w);
}

static void test_other_queries(void **state) {
    (void)state;
    world w;
    const ls_term *q[3], *less[3];
    begin(&w);
    put(&w, 35, q);
    put(&w, 34, less);
    assert_int_equal(ls_solve(&w.solver, q, 3, (ls_question){0}), LS_SAT);
    assert_int_equal(ls_solve(&w.solver, less, 3, (ls_question){0}), LS_SAT);
    assert_int_equal(ls_model_value(&w.solver, w.a), 2);
    assert_int_equal(ls_solve(&w.solver, q, 2, (ls_question){0}), LS_SAT);
    assert_int_equal(ls_solve(&w.solver, q, 3, (ls_question){.quick = true}), LS_SAT);
    assert_int_equal(w.solver.stats.by_known, 0);
    end(&w);
}

static void test_what_never_holds(void **state) {
    (void)state;
    world w;
    const ls_term *q[3];
    begin(&w);
    ls_terms *t = &w.terms;
    q[0] = ls_ult(t, w.a, w.b);
    q[1] = ls_ult(t, w.b, ls_const(t, 32, 9));
    q[2] = ls_ult(t, ls_const(t, 32, 7), w.a);
    assert_int_equal(ls_solve(&w.solver, q, 3, (ls_question){0}), LS_UNSAT);
    assert_int_equal(ls_solve(&w.solver, q, 3, (ls_question){0}), LS_UNSAT);
    assert_int_equal(w.solver.stats.by_known, 1);
    assert_int_equal(ls_solve(&w.solver, q, 2, (ls_question){0}), LS_SAT);
    end(&w);
}

/* x * y == product, which is hard, beside a < b || c < b, b < c and b < a. */
static void put_circle(world *w, uint64_t product, const ls_term *out[4]) {
    ls_terms *t = &w->terms;
    const ls_term *c = ls_symbol(t, "c", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX),
                  *x = ls_symbol(t, "x", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX),
                  *y = ls_symbol(t, "y", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX);
    out[0] = ls_or(t, ls_ult(t, w->a, w->b), ls_ult(t, c, w->b));
    out[1] = ls_ult(t, w->b, c);
    out[2] = ls_ult(t, w->b, w->a);
    out[3] = ls_eq(t, ls_mul(t, ls_zext(t, x, 64), ls_zext(t, y, 64)), ls_const(t, 64, product));
}

/* Something that can hold, too large to be decided without a solver. */
static const ls_term *put_much(world *w) {
    ls_terms *t = &w->terms;
    const ls_term *any = ls_false(t),
                  *last = ls_symbol(t, "s", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX);
    for (int i = 0; i < 100; i++) {
        const ls_term *next = ls_symbol(t, "s", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX);
        any = ls_or(t, any, ls_ult(t, last, next));
        last = next;
    }
    return any;
}

/* What is contradictory without the rest is asked once, whatever the rest says. */
static void test_same_core(void **state) {
    (void)state;
    world w;
    const ls_term *one[5], *two[5];
    begin(&w);
    put_circle(&w, 77, one);
    put_circle(&w, 78, two);
    for (int i = 0; i < 3; i++) two[i] = one[i];
    one[4] = two[4] = put_much(&w);
    ls_question question = {.aim = LS_AIM_PROOF};
    assert_int_equal(ls_solve(&w.solver, one, 5, question), LS_UNSAT);
    uint64_t steps = w.solver.z3_steps;
    assert_int_equal(ls_solve(&w.solver, two, 5, question), LS_UNSAT);
    assert_int_equal(w.solver.stats.by_core, 2);
    assert_int_equal(w.solver.z3_steps, steps);
    end(&w);
}

/* What always holds needs no solver. */
static void test_nothing_left(void **state) {
    (void)state;
    world w;
    begin(&w);
    const ls_term *always = ls_true(&w.terms);
    assert_int_equal(ls_solve(&w.solver, &always, 1, (ls_question){0}), LS_SAT);
    assert_int_equal(w.solver.stats.by_terms, 1);
    assert_null(w.solver.z3);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_query),
                                       cmocka_unit_test(test_other_queries),
                                       cmocka_unit_test(test_what_never_holds),
                                       cmocka_unit_test(test_same_core), cmocka_unit_test(test_nothing_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
