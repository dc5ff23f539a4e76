/* Equations before any solver is asked, against all values of their symbols: what is split and shortened says
 * the same, bounds leave no solution out, and the core of a query never holds only where the query does not.
 */
#include "solve/bounds.h"
#include "solve/core.h"
#include "solve/normal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { SMALL = 8, CASES = 1000 }; /* faults of memory show with fewer */
#else
enum { SMALL = 8, CASES = 4000 };
#endif

typedef struct {
    ls_terms terms;
    ls_solver solver;
    const ls_term *t, *u, *d; /* two of few values, and one of any of eight bits */
    uint64_t seed, values[3];
    uint32_t ends[3]; /* how many values of each are tried */
    ls_eval eval;     /* its memo is emptied, not freed, from values to values */
} world;

static uint32_t draw(world *w, uint32_t below) {
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->seed >> 33) % below;
}

static void begin(world *w, uint64_t seed) {
    *w = (world){.seed = seed};
    ls_terms_init(&w->terms);
    ls_solver_init(&w->solver, &w->terms);
    w->t = ls_symbol(&w->terms, "t", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, SMALL - 1);
    w->u = ls_symbol(&w->terms, "u", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, SMALL - 1);
    w->d = ls_symbol(&w->terms, "d", 8, LS_SCOPE_GRID, LS_SYM_INPUT, 0, 255);
}

static void end(world *w) {
    ls_intmap_free(&w->eval.memo);
    ls_solver_free(&w->solver);
    ls_terms_free(&w->terms);
}

static uint64_t look_up(void *data, const ls_term *leaf) {
    const world *w = data;
    return leaf == w->t ? w->values[0] : leaf == w->u ? w->values[1] : w->values[2];
}

static void forget(world *w) {
    ls_intmap *memo = &w->eval.memo;
    if (memo->slots) memset(memo->used, 0, memo->mask + 1);
    memo->count = 0;
}

/* For the values in hand: forget() comes before other ones. */
static bool holds(world *w, const ls_term *const *conjuncts, uint32_t count) {
    bool all = true;
    for (uint32_t i = 0; i < count && all; i++) all = ls_evaluate(&w->eval, conjuncts[i]) == 1;
    return all;
}

/* All values of t, of d, and of u where the predicate mentions it: first() and next(), which is false behind
 * the last. */
static void first(world *w, const ls_term *predicate) {
    ls_term_list leaves = {0};
    ls_leaves(&predicate, 1, &leaves);
    for (int i = 0; i < 3; i++) w->values[i] = 0, w->ends[i] = i == 2 ? 256 : i == 1 ? 1 : SMALL;
    for (uint32_t i = 0; i < leaves.length; i++)
        if (leaves.items[i] == w->u) w->ends[1] = SMALL;
    LS_VEC_FREE(&leaves);
    w->eval.lookup = look_up;
    w->eval.data = w;
    forget(w);
}

static bool next(world *w) {
    forget(w);
    for (int i = 0; i < 3; i++) {
        if (++w->values[i] < w->ends[i]) return true;
        w->values[i] = 0;
    }
    return false;
}

/* d as it is, halved, shifted or shortened, with a sign or none, and as wide as an address. */
static const ls_term *distance(world *w) {
    ls_terms *t = &w->terms;
    uint32_t how = draw(w, 5);
    const ls_term *two = ls_const(t, 8, 2), *one = ls_const(t, 8, 1), *d = w->d;
    if (how == 1) d = ls_binary(t, LS_T_SDIV, d, two);
    if (how == 2) d = ls_binary(t, LS_T_ASHR, d, one);
    if (how == 3) d = ls_add(t, d, ls_binary(t, LS_T_LSHR, d, ls_const(t, 8, 7)));
    if (how == 4) d = ls_add(t, d, ls_const(t, 8, draw(w, 256)));
    return ls_resize(t, d, 64, draw(w, 4) > 0);
}

/* Sums with factors of digits and others, and now and then with such as go round. */
static const ls_term *equation(world *w) {
    static const uint64_t factors[] = {
        1, 4, 8, 32, 64, 96, 256, UINT64_C(1) << 61, (uint64_t)-4, (uint64_t)-32};
    ls_terms *t = &w->terms;
    const ls_term *side[2];
    for (int i = 0; i < 2; i++) {
        side[i] = ls_const(t, 64, draw(w, 3) ? 0 : draw(w, 100));
        side[i] = ls_add(t, side[i], ls_scale(t, ls_zext(t, w->t, 64), factors[draw(w, 10)]));
        if (draw(w, 2)) side[i] = ls_add(t, side[i], ls_scale(t, ls_zext(t, w->u, 64), factors[draw(w, 10)]));
        if (draw(w, 2)) side[i] = ls_add(t, side[i], ls_scale(t, distance(w), factors[draw(w, 10)]));
    }
    const ls_term *same = ls_eq(t, side[0], side[1]);
    return draw(w, 6) ? same : ls_not(t, same);
}

static void test_equations_say_the_same(void **state) {
    (void)state;
    uint32_t changed = 0, never = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        world w;
        begin(&w, seed);
        const ls_term *one = equation(&w);
        ls_term_list query = {0};
        bool possible = ls_add_conjunct(&query, one);
        possible = possible && ls_shorten_equations(&w.solver, &query);
        changed += possible && (query.length != 1 || query.items[0] != one);
        never += !possible;
        first(&w, one);
        do {
            if (holds(&w, &one, 1) != (possible && holds(&w, query.items, query.length)))
                fail_msg("seed %u: t = %u, u = %u, d = %u", (unsigned)seed, (unsigned)w.values[0],
                         (unsigned)w.values[1], (unsigned)w.values[2]);
        } while (next(&w));
        LS_VEC_FREE(&query);
        end(&w);
    }
    assert_in_range(changed, CASES / 25, CASES);
    assert_in_range(never, 10, CASES);
}

static void test_bounds_leave_no_solution_out(void **state) {
    (void)state;
    uint32_t narrower = 0;
    for (uint64_t seed = 10001; seed <= 10000 + CASES; seed++) {
        world w;
        begin(&w, seed);
        const ls_term *one = equation(&w);
        ls_bounds b = ls_bounds_of(&w.terms, w.d, &one, 1);
        narrower += b.lo > w.d->slo || b.hi < w.d->shi;
        first(&w, one);
        do {
            int64_t d = ls_signed(w.values[2], 8);
            if ((d < b.lo || d > b.hi) && holds(&w, &one, 1))
                fail_msg("seed %u: d = %d, not in %d … %d", (unsigned)seed, (int)d, (int)b.lo, (int)b.hi);
        } while (next(&w));
        end(&w);
    }
    assert_in_range(narrower, CASES / 10, CASES);
}

/* 3·2^61·(a + b + c) + 3·e + t = 0 for numbers of any size: with e = -1/3 there is one where t is 1, though
 * t is less than 3. */
static void test_sums_of_large_parts(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    world w;
    begin(&w, 1);
    ls_terms *t = &w.terms;
    const ls_term *small = ls_symbol(t, "s", 64, LS_SCOPE_GRID, LS_SYM_INPUT, 0, 1);
    const ls_term *e = ls_symbol(t, "e", 64, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT64_MAX);
    const ls_term *sum = ls_add(t, small, ls_scale(t, e, 3));
    for (uint32_t i = 0; i < 3; i++) {
        const ls_term *any = ls_symbol(t, names[i], 64, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT64_MAX);
        sum = ls_add(t, sum, ls_scale(t, any, UINT64_C(3) << 61));
    }
    const ls_term *one = ls_eq(t, sum, ls_const(t, 64, 0));
    ls_bounds b = ls_bounds_of(t, small, &one, 1);
    assert_true(b.lo <= 0 && b.hi >= 1);
    ls_term_list query = {0};
    assert_true(ls_add_conjunct(&query, one));
    assert_true(ls_shorten_equations(&w.solver, &query));
    assert_true(query.length == 1 && query.items[0] == one);
    LS_VEC_FREE(&query);
    end(&w);
}

/* t = u and t ≠ u, beside a product with something that nobody else speaks of. */
static void test_core_is_what_others_share(void **state) {
    (void)state;
    world w;
    begin(&w, 1);
    ls_terms *t = &w.terms;
    const ls_term *same = ls_eq(t, w.t, w.u), *x = ls_zext(t, w.d, 32);
    const ls_term *product = ls_ult(t, ls_mul(t, ls_mul(t, x, x), w.t), ls_const(t, 32, 9));
    ls_term_list query = {0}, core = {0};
    LS_VEC_PUSH(&query, same);
    LS_VEC_PUSH(&query, product);
    LS_VEC_PUSH(&query, ls_not(t, same));
    assert_true(ls_find_core(&query, &core));
    assert_int_equal(core.length, 2);
    assert_true(core.items[0] == same && core.items[1] == query.items[2]);
    core.length = 0;
    query.items[1] = ls_ult(t, x, w.t); /* what is easy stays */
    assert_false(ls_find_core(&query, &core));
    LS_VEC_FREE(&query);
    LS_VEC_FREE(&core);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_of_large_parts),
                                       cmocka_unit_test(test_equations_say_the_same),
                                       cmocka_unit_test(test_bounds_leave_no_solution_out),
                                       cmocka_unit_test(test_core_is_what_others_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
