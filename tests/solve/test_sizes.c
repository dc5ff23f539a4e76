/* Models with sizes that programs have: numbers follow from each other by equations with quotients, and what
 * is found holds exactly. And sign masks, which terms make choices of. */
#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    ls_terms terms;
    ls_intmap model;
    const ls_term *height, *steps, *blocks;
    ls_term_list query;
} world;

static uint64_t look_up(void *data, const ls_term *leaf) {
    uint64_t value = 0;
    ls_intmap_get(&((world *)data)->model, leaf->id, &value);
    return value;
}

static uint64_t value_of(world *w, const ls_term *term) {
    ls_eval eval = {.lookup = look_up, .data = w};
    uint64_t value = ls_evaluate(&eval, term);
    ls_intmap_free(&eval.memo);
    return value;
}

static const ls_term *number(world *w, uint64_t value) {
    return ls_const(&w->terms, 32, value);
}

/* `steps` rounds of eight rows a block, and as many blocks as the height needs. */
static void begin(world *w) {
    *w = (world){0};
    ls_terms *t = &w->terms;
    ls_terms_init(t);
    w->height = ls_symbol(t, "height", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 1, INT32_MAX);
    w->steps = ls_symbol(t, "steps", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 1, 0);
    w->blocks = ls_symbol(t, "blocks", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 1, 65535);
    const ls_term *rounds = ls_binary(t, LS_T_UDIV, ls_add(t, w->height, number(w, 119)), number(w, 120));
    const ls_term *rows = ls_scale(t, w->steps, 8);
    const ls_term *up = ls_sub(t, ls_add(t, w->height, rows), number(w, 1));
    const ls_term *first = ls_eq(t, w->steps, rounds),
                  *second = ls_eq(t, w->blocks, ls_binary(t, LS_T_UDIV, up, rows));
    LS_VEC_PUSH(&w->query, first);
    LS_VEC_PUSH(&w->query, second);
}

static bool find(world *w) {
    uint64_t work = 100000;
    return ls_find_sizes(&w->terms, &w->query, &work, &w->model);
}

static void end(world *w) {
    LS_VEC_FREE(&w->query);
    ls_intmap_free(&w->model);
    ls_terms_free(&w->terms);
}

static void test_sizes_follow(void **state) {
    (void)state;
    for (uint64_t least = 1; least < 14; least++) {
        world w;
        begin(&w);
        const ls_term *more = ls_ult(&w.terms, number(&w, least), w.blocks);
        LS_VEC_PUSH(&w.query, more);
        assert_true(find(&w));
        for (uint32_t i = 0; i < w.query.length; i++) assert_int_equal(value_of(&w, w.query.items[i]), 1);
        end(&w);
    }
}

static void test_nothing_is_made_up(void **state) {
    (void)state;
    world w;
    begin(&w);
    const ls_term *none = ls_ult(&w.terms, number(&w, 15), w.blocks); /* there are never more than fifteen */
    LS_VEC_PUSH(&w.query, none);
    assert_false(find(&w));
    end(&w);
    begin(&w);
    const ls_term *round = ls_eq(&w.terms, w.height, ls_add(&w.terms, w.blocks, number(&w, 1)));
    LS_VEC_PUSH(&w.query, round); /* each by the other: what is found must hold all the same */
    if (find(&w))
        for (uint32_t i = 0; i < w.query.length; i++) assert_int_equal(value_of(&w, w.query.items[i]), 1);
    end(&w);
}

static void test_sign_masks(void **state) {
    (void)state;
    world w;
    begin(&w);
    ls_terms *t = &w.terms;
    const ls_term *x = ls_symbol(t, "x", 8, LS_SCOPE_GRID, LS_SYM_INPUT, 0, 255),
                  *y = ls_symbol(t, "y", 8, LS_SCOPE_GRID, LS_SYM_INPUT, 0, 255);
    for (uint64_t by = 1; by < 8; by++) {
        const ls_term *mask = ls_binary(t, LS_T_ASHR, y, ls_const(t, 8, by));
        const ls_term *both[2] = {ls_binary(t, LS_T_AND, x, mask), ls_binary(t, LS_T_AND, mask, x)};
        for (uint64_t a = 0; a < 256; a += 5)
            for (uint64_t b = 0; b < 256; b++) {
                bool is_new;
                *ls_intmap_at(&w.model, x->id, &is_new) = a;
                *ls_intmap_at(&w.model, y->id, &is_new) = b;
                uint64_t expected = a & (uint8_t)((int8_t)b >> by);
                assert_int_equal(value_of(&w, both[0]), expected);
                assert_int_equal(value_of(&w, both[1]), expected);
            }
    }
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes_follow),
                                       cmocka_unit_test(test_nothing_is_made_up),
                                       cmocka_unit_test(test_sign_masks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
