/* Comparisons that contradict each other: found where sums do not wrap, and never where there are values for
 * which all hold. Random comparisons of numbers of four bits are held against all values that there are. */
#include "solve/orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    ls_terms terms;
    const ls_term *symbols[3];
    uint64_t values[3];
    ls_term_list query;
    uint64_t random;
} world;

static void begin(world *w, uint32_t width, uint64_t lo, uint64_t hi) {
    *w = (world){.random = UINT64_C(0x9e3779b97f4a7c15)};
    ls_terms_init(&w->terms);
    for (int i = 0; i < 3; i++)
        w->symbols[i] = ls_symbol(&w->terms, (const char *[]){"a", "b", "c"}[i], width, LS_SCOPE_GRID,
                                  LS_SYM_INPUT, lo, hi);
}

static void end(world *w) {
    LS_VEC_FREE(&w->query);
    ls_terms_free(&w->terms);
}

static void say(world *w, const ls_term *t) {
    LS_VEC_PUSH(&w->query, t);
}

static const ls_term *bytes(world *w, const ls_term *count) {
    return ls_scale(&w->terms, ls_sext(&w->terms, count, 64), 4);
}

/* i < n, and the last byte of element i is not below the 4·n bytes of the array. */
static void test_index(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 1, 0);
    ls_terms *t = &w.terms;
    const ls_term *i = w.symbols[0], *n = w.symbols[1], *three = ls_const(t, 64, 3);
    say(&w, ls_slt(t, i, n));
    assert_false(ls_orders_contradict(&w.query));
    say(&w, ls_not(t, ls_slt(t, ls_add(t, bytes(&w, i), three), bytes(&w, n))));
    assert_true(ls_orders_contradict(&w.query));
    end(&w);
}

/* Three in a circle; and what no integer is between. */
static void test_circle(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 0, 1000);
    ls_terms *t = &w.terms;
    for (int i = 0; i < 3; i++) say(&w, ls_ult(t, w.symbols[i], w.symbols[(i + 1) % 3]));
    assert_true(ls_orders_contradict(&w.query));
    w.query.length = 2;
    assert_false(ls_orders_contradict(&w.query));
    w.query.length = 0;
    const ls_term *a = ls_scale(t, w.symbols[0], 2), *b = ls_scale(t, w.symbols[1], 2);
    say(&w, ls_ult(t, a, b));
    say(&w, ls_ult(t, b, ls_add(t, a, ls_const(t, 32, 2))));
    assert_true(ls_orders_contradict(&w.query));
    end(&w);
}

/* i + 1 < i holds where the sum wraps. */
static void test_wrap(void **state) {
    (void)state;
    world w;
    begin(&w, 32, 1, 0);
    ls_terms *t = &w.terms;
    const ls_term *next = ls_add(t, w.symbols[0], ls_const(t, 32, 1));
    say(&w, ls_ult(t, next, w.symbols[0]));
    say(&w, ls_ult(t, w.symbols[1], w.symbols[2]));
    assert_false(ls_orders_contradict(&w.query));
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

static const ls_term *draw_sum(world *w, uint32_t width) {
    ls_terms *t = &w->terms;
    const ls_term *sum = ls_const(t, width, draw(w, 4) ? draw(w, 4) : draw(w, 256));
    for (int i = 0; i < 3; i++) {
        const ls_term *s = w->symbols[i];
        if (width > 4) s = draw(w, 2) ? ls_zext(t, s, width) : ls_sext(t, s, width);
        static const uint64_t factors[] = {0, 1, 1, 2, 3, UINT64_MAX, UINT64_MAX - 1, 7};
        sum = ls_add(t, sum, ls_scale(t, s, factors[draw(w, 8)] & ls_mask(width)));
    }
    return sum;
}

static const ls_term *draw_comparison(world *w) {
    ls_terms *t = &w->terms;
    uint32_t width = draw(w, 2) ? 4 : 8;
    const ls_term *a = draw_sum(w, width), *b = draw_sum(w, width);
    if (width == 4 && draw(w, 2)) {
        a = draw(w, 2) ? ls_zext(t, a, 8) : ls_sext(t, a, 8);
        b = draw(w, 2) ? ls_zext(t, b, 8) : ls_sext(t, b, 8);
    }
    static const ls_term_op ops[] = {LS_T_ULT, LS_T_SLT, LS_T_ULT, LS_T_SLT, LS_T_EQ};
    const ls_term *c = ls_binary(t, ops[draw(w, 5)], a, b);
    return draw(w, 2) ? ls_not(t, c) : c;
}

static uint64_t look_up(void *data, const ls_term *leaf) {
    const world *w = data;
    for (int i = 0; i < 3; i++)
        if (w->symbols[i] == leaf) return w->values[i];
    return 0;
}

static bool holds_somewhere(world *w, uint64_t lo, uint64_t hi) {
    for (uint64_t at = 0; at < 4096; at++) {
        bool all = true;
        for (int i = 0; i < 3; i++) {
            w->values[i] = at >> 4 * i & 15;
            all &= w->values[i] >= lo && w->values[i] <= hi;
        }
        ls_eval eval = {.lookup = look_up, .data = w};
        for (uint32_t i = 0; i < w->query.length && all; i++)
            all = ls_evaluate(&eval, w->query.items[i]) == 1;
        ls_intmap_free(&eval.memo);
        if (all) return true;
    }
    return false;
}

static void test_random(void **state) {
    (void)state;
    static const uint64_t ranges[][2] = {{0, 15}, {0, 7}, {3, 12}, {0, 2}};
    uint32_t found = 0;
    for (uint32_t r = 0; r < 4; r++) {
        world w;
        begin(&w, 4, ranges[r][0], ranges[r][1]);
        w.random += r;
        for (uint32_t n = 0; n < 5000; n++) {
            w.query.length = 0;
            for (uint32_t i = 2 + draw(&w, 6); i > 0; i--) say(&w, draw_comparison(&w));
            bool never = ls_orders_contradict(&w.query);
            found += never;
            if (never) assert_false(holds_somewhere(&w, ranges[r][0], ranges[r][1]));
        }
        end(&w);
    }
    assert_true(found > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_index), cmocka_unit_test(test_circle),
                                       cmocka_unit_test(test_wrap), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
