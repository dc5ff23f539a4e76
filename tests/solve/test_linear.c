/* Queries that are linear over integers: known ones, and random ones against all values of their symbols. */
#include "solve/call.h"
#include "solve/linear.h"
#include "solve/simplex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    ls_terms terms;
    ls_solver solver;
    const ls_term *symbols[3];
    uint64_t values[3], lo, hi;
    ls_term_list query;
    uint64_t random;
} world;

static void begin(world *w, uint32_t width, uint64_t lo, uint64_t hi) {
    *w = (world){.random = UINT64_C(0x9e3779b97f4a7c15), .lo = lo, .hi = hi};
    ls_terms_init(&w->terms);
    ls_solver_init(&w->solver, &w->terms);
    for (int i = 0; i < 3; i++)
        w->symbols[i] = ls_symbol(&w->terms, (const char *[]){"a", "b", "c"}[i], width, LS_SCOPE_GRID,
                                  LS_SYM_INPUT, lo, hi);
}

static void end(world *w) {
    LS_VEC_FREE(&w->query);
    ls_solver_free(&w->solver);
    ls_terms_free(&w->terms);
}

static void say(world *w, const ls_term *t) {
    LS_VEC_PUSH(&w->query, t);
}

/* --- Known ones ------------------------------------------------------------------------------------------
 */

/* A block of 192 threads and a grid of n / 192 of them: no index reaches n, although the sum could wrap. */
static void test_no_wrap(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 0, INT32_MAX);
    ls_terms *t = &w.terms;
    const ls_term *block = w.symbols[0], *grid = w.symbols[1], *n = w.symbols[2],
                  *lane = ls_symbol(t, "t", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 191);
    say(&w, ls_ult(t, block, grid));
    say(&w, ls_eq(t, grid, ls_binary(t, LS_T_SDIV, n, ls_const(t, 32, 192))));
    assert_int_equal(ls_linear(&w.solver, &w.query, true), LS_SAT);
    say(&w, ls_not(t, ls_slt(t, ls_add(t, ls_scale(t, block, 192), lane), n)));
    assert_int_equal(ls_linear(&w.solver, &w.query, true), LS_UNSAT);
    end(&w);
}

/* Without the size of the grid it does wrap. */
static void test_wrap(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 0, INT32_MAX);
    ls_terms *t = &w.terms;
    say(&w, ls_slt(t, ls_scale(t, w.symbols[0], 192), ls_const(t, 32, 0)));
    assert_int_equal(ls_linear(&w.solver, &w.query, true), LS_SAT);
    assert_true(ls_model_value(&w.solver, w.symbols[0]) * 192 >> 31 & 1);
    end(&w);
}

/* 6·a + 9·b = 3·c + 1 has fractions, but no integers. */
static void test_no_integers(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 0, 1000);
    ls_terms *t = &w.terms;
    const ls_term *left = ls_add(t, ls_scale(t, w.symbols[0], 6), ls_scale(t, w.symbols[1], 9)),
                  *right = ls_add(t, ls_scale(t, w.symbols[2], 3), ls_const(t, 32, 1));
    say(&w, ls_eq(t, left, right));
    assert_int_equal(ls_linear(&w.solver, &w.query, true), LS_UNSAT);
    end(&w);
}

/* --- Random ones -----------------------------------------------------------------------------------------
 */

static uint32_t draw(world *w, uint32_t below) {
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)((w->random >> 20) % below);
}

static const ls_term *draw_predicate(world *w, uint32_t depth);

static const ls_term *draw_number(world *w, uint32_t width, uint32_t depth) {
    ls_terms *t = &w->terms;
    if (!depth || !draw(w, 4)) {
        const ls_term *s = w->symbols[draw(w, 3)];
        return width == 4 ? s : draw(w, 2) ? ls_zext(t, s, width) : ls_sext(t, s, width);
    }
    static const ls_term_op by_number[] = {LS_T_UDIV, LS_T_UREM, LS_T_SDIV, LS_T_SREM,
                                           LS_T_LSHR, LS_T_ASHR, LS_T_AND};
    static const uint64_t factors[] = {1, 1, 2, 3, UINT64_MAX, UINT64_MAX - 1, 7, 4};
    const ls_term *a = draw_number(w, width, depth - 1);
    static const ls_term_op of_bits[] = {LS_T_AND, LS_T_OR, LS_T_XOR};
    switch (draw(w, 10)) {
    case 7: return ls_binary(t, of_bits[draw(w, 3)], a, draw_number(w, width, depth - 1));
    case 0:
    case 1: return ls_binary(t, by_number[draw(w, 7)], a, ls_const(t, width, draw(w, 2) ? draw(w, 5) : 3));
    case 2: return ls_ite(t, draw_predicate(w, depth - 1), a, draw_number(w, width, depth - 1));
    case 3:
        return width == 4 ? ls_extract(t, draw_number(w, 8, depth - 1), 0, 4)
                          : ls_zext(t, draw_number(w, 4, depth - 1), width);
    case 4: return ls_zext(t, draw_predicate(w, depth - 1), width);
    case 5: return width == 4 ? a : ls_sext(t, draw_number(w, 4, depth - 1), width);
    case 6: return ls_mul(t, a, draw_number(w, width, depth - 1));
    default: {
        const ls_term *b = draw_number(w, width, depth - 1);
        a = ls_scale(t, a, factors[draw(w, 8)] & ls_mask(width));
        b = ls_scale(t, b, factors[draw(w, 8)] & ls_mask(width));
        return ls_add(t, ls_add(t, a, b), ls_const(t, width, draw(w, 3) ? draw(w, 4) : draw(w, 256)));
    }
    }
}

static const ls_term *draw_predicate(world *w, uint32_t depth) {
    ls_terms *t = &w->terms;
    if (depth && !draw(w, 3)) {
        const ls_term *a = draw_predicate(w, depth - 1), *b = draw_predicate(w, depth - 1);
        switch (draw(w, 5)) {
        case 0: return ls_binary(t, LS_T_XOR, a, b);
        case 1: return ls_ite(t, draw_predicate(w, depth - 1), a, b);
        case 2: return ls_eq(t, a, b);
        default: return draw(w, 2) ? ls_and(t, a, b) : ls_or(t, a, b);
        }
    }
    uint32_t width = (const uint8_t[]){4, 8, 8, 64}[draw(w, 4)];
    static const ls_term_op ops[] = {LS_T_ULT, LS_T_SLT, LS_T_ULT, LS_T_SLT, LS_T_EQ};
    const ls_term *a = draw_number(w, width, depth), *b = draw_number(w, width, depth),
                  *c = ls_binary(t, ops[draw(w, 5)], a, b);
    return draw(w, 2) ? ls_not(t, c) : c;
}

static uint64_t look_up(void *data, const ls_term *leaf) {
    const world *w = data;
    for (int i = 0; i < 3; i++)
        if (w->symbols[i] == leaf) return w->values[i];
    return 0;
}

static bool holds(world *w) {
    bool all = true;
    ls_eval eval = {.lookup = look_up, .data = w};
    for (uint32_t i = 0; i < w->query.length && all; i++) all = ls_evaluate(&eval, w->query.items[i]) == 1;
    ls_intmap_free(&eval.memo);
    return all;
}

static bool holds_somewhere(world *w) {
    for (uint64_t at = 0; at < 4096; at++) {
        bool within = true;
        for (int i = 0; i < 3; i++) {
            w->values[i] = at >> 4 * i & 15;
            within &= w->values[i] >= w->lo && w->values[i] <= w->hi;
        }
        if (within && holds(w)) return true;
    }
    return false;
}

/* What it answers is so. How many it answers is counted, as a test of one that answers nothing tells little.
 */
static void ask(world *w, uint32_t *never, uint32_t *sometimes) {
    ls_answered answer = ls_linear(&w->solver, &w->query, draw(w, 4) > 0);
    if (answer == LS_UNSAT) {
        assert_false(holds_somewhere(w));
        ++*never;
    }
    if (answer != LS_SAT) return;
    for (int i = 0; i < 3; i++) {
        w->values[i] = ls_model_value(&w->solver, w->symbols[i]);
        assert_in_range(w->values[i], w->lo, w->hi);
    }
    assert_true(holds(w));
    ++*sometimes;
}

static void test_random(void **state) {
    (void)state;
    static const uint64_t ranges[][2] = {{0, 15}, {0, 7}, {3, 12}, {0, 2}};
    uint32_t never = 0, sometimes = 0;
    for (uint32_t r = 0; r < 4; r++) {
        world w;
        begin(&w, 4, ranges[r % 4][0], ranges[r % 4][1]);
        w.random += r;
        for (uint32_t n = 0; n < 2000; n++) {
            w.query.length = 0;
            for (uint32_t i = 1 + draw(&w, 6); i > 0; i--) say(&w, draw_predicate(&w, draw(&w, 4)));
            ask(&w, &never, &sometimes);
        }
        end(&w);
    }
    assert_true(never > 500 && sometimes > 2000);
}

/* A number of products, of which many have a factor in common, as rows and columns have: x·b + k and x·c + m.
 */
static const ls_term *draw_products(world *w) {
    ls_terms *t = &w->terms;
    const ls_term *sum = ls_const(t, 64, draw(w, 4));
    for (uint32_t i = 1 + draw(w, 3); i > 0; i--) {
        const ls_term *a = w->symbols[draw(w, 3)], *b = w->symbols[draw(w, 3)];
        a = draw(w, 4) ? ls_zext(t, a, 64) : ls_sext(t, a, 64);
        b = draw(w, 4) ? ls_zext(t, b, 64) : ls_sext(t, b, 64);
        const ls_term *part = draw(w, 3) ? ls_mul(t, a, b) : a;
        sum = ls_add(t, sum, ls_scale(t, part, draw(w, 4) ? 1 : draw(w, 2) ? 3 : UINT64_MAX));
    }
    return sum;
}

static void test_products(void **state) {
    (void)state;
    static const ls_term_op ops[] = {LS_T_EQ, LS_T_EQ, LS_T_SLT};
    uint32_t never = 0, sometimes = 0;
    world w;
    begin(&w, 4, 0, 15);
    for (uint32_t n = 0; n < 2500; n++) {
        w.query.length = 0;
        for (uint32_t i = 1 + draw(&w, 3); i > 0; i--)
            say(&w, ls_binary(&w.terms, ops[draw(&w, 3)], draw_products(&w), draw_products(&w)));
        if (draw(&w, 2)) say(&w, ls_not(&w.terms, ls_eq(&w.terms, w.symbols[1], w.symbols[2])));
        ask(&w, &never, &sometimes);
    }
    end(&w);
    assert_true(never > 100 && sometimes > 600);
}

/* Rows of n elements: with columns below n, and other rows, two places are never the same. */
static void test_rows(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 0, INT32_MAX);
    ls_terms *t = &w.terms;
    const ls_term *n = ls_zext(t, w.symbols[0], 64),
                  *row = ls_symbol(t, "r", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 255),
                  *other = ls_symbol(t, "s", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 255);
    const ls_term *here = ls_add(t, ls_mul(t, n, ls_zext(t, row, 64)), ls_zext(t, w.symbols[1], 64)),
                  *there = ls_add(t, ls_mul(t, n, ls_zext(t, other, 64)), ls_zext(t, w.symbols[2], 64));
    say(&w, ls_eq(t, here, there));
    say(&w, ls_not(t, ls_eq(t, row, other)));
    say(&w, ls_ult(t, w.symbols[1], w.symbols[0]));
    say(&w, ls_ult(t, w.symbols[2], w.symbols[0]));
    assert_int_equal(ls_linear(&w.solver, &w.query, false), LS_UNSAT);
    w.query.length = 3;
    assert_int_not_equal(ls_linear(&w.solver, &w.query, true), LS_UNSAT);
    end(&w);
}

/* Bits that are in neither of two numbers are in none of them. */
static void test_bits(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 0, 1023);
    ls_terms *t = &w.terms;
    const ls_term *zero = ls_const(t, 32, 0);
    say(&w, ls_eq(t, ls_binary(t, LS_T_OR, w.symbols[0], w.symbols[1]), zero));
    say(&w, ls_eq(t, ls_binary(t, LS_T_OR, w.symbols[0], w.symbols[2]), zero));
    say(&w, ls_not(t, ls_eq(t, w.symbols[1], w.symbols[2])));
    assert_int_equal(ls_linear(&w.solver, &w.query, false), LS_UNSAT);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_bits),     cmocka_unit_test(test_no_wrap),
                                       cmocka_unit_test(test_wrap),     cmocka_unit_test(test_no_integers),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
