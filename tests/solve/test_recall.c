/* What Z3 has said of a query is known in another proof, whose terms are other ones: the same query but for
 * the names of symbols and the order in which they were made. Another range, another number or another way of
 * asking makes another query. */
#include "solve/recall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct {
    ls_terms terms;
    const ls_term *a, *b;
    ls_term_list query;
    ls_content_key key;
} world;

/* 3a + b == sum, a < b, in terms of its own. */
static void begin(world *w, const char *first, uint64_t most, uint64_t sum, uint64_t how) {
    *w = (world){0};
    ls_terms *t = &w->terms;
    ls_terms_init(t);
    w->a = ls_symbol(t, first, 32, LS_SCOPE_GRID, LS_SYM_INPUT, 2, most);
    w->b = ls_symbol(t, "b", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 0, UINT32_MAX);
    LS_VEC_PUSH(&w->query, ls_eq(t, ls_add(t, ls_scale(t, w->a, 3), w->b), ls_const(t, 32, sum)));
    LS_VEC_PUSH(&w->query, ls_ult(t, w->a, w->b));
    ls_content_make(&w->key, &w->query, how);
}

static void end(world *w) {
    ls_content_free(&w->key);
    LS_VEC_FREE(&w->query);
    ls_terms_free(&w->terms);
}

static bool is_known(ls_recall *r, const char *first, uint64_t most, uint64_t sum, uint64_t how,
                     unsigned ms) {
    world w;
    ls_intmap model = {0};
    ls_recalled said;
    begin(&w, first, most, sum, how);
    bool known = ls_recall_find(r, &w.key, ms, &said, &model);
    ls_intmap_free(&model);
    end(&w);
    return known;
}

static void test_model(void **state) {
    (void)state;
    world w, other;
    ls_recall *r = ls_recall_new();
    ls_intmap model = {0}, found = {0};
    ls_recalled said = {.answer = Z3_L_TRUE, .exact = true, .ms = 100, .spent = 0.02}, now;
    bool is_new;
    uint64_t value;
    begin(&w, "a", 50, 100, 1);
    *ls_intmap_at(&model, w.b->id, &is_new) = 70;
    ls_recall_add(r, &w.key, &said, &model);
    begin(&other, "n", 50, 100, 1);
    assert_true(ls_recall_find(r, &other.key, 100, &now, &found));
    assert_int_equal(now.answer, Z3_L_TRUE);
    assert_true(now.exact);
    assert_true(ls_intmap_get(&found, other.b->id, &value) && value == 70);
    assert_true(ls_intmap_get(&found, other.a->id, &value) && value == 2); /* of which Z3 has said nothing */
    end(&other);
    end(&w);
    ls_intmap_free(&model);
    ls_intmap_free(&found);
    ls_recall_free(r);
}

static void test_other_queries(void **state) {
    (void)state;
    world w;
    ls_recall *r = ls_recall_new();
    begin(&w, "a", 50, 100, 1);
    ls_recall_add(r, &w.key, &(ls_recalled){.answer = Z3_L_FALSE, .ms = 100, .spent = 0.02}, NULL);
    assert_true(is_known(r, "a", 50, 100, 1, 100));
    assert_true(is_known(r, "m", 50, 100, 1, 20)); /* it took 20 ms */
    assert_false(is_known(r, "a", 50, 100, 1, 19));
    assert_false(is_known(r, "a", 51, 100, 1, 100));
    assert_false(is_known(r, "a", 50, 101, 1, 100));
    assert_false(is_known(r, "a", 50, 100, 2, 100));
    end(&w);
    ls_recall_free(r);
}

/* That there was no answer in some time is none for more time. */
static void test_no_answer(void **state) {
    (void)state;
    world w;
    ls_recall *r = ls_recall_new();
    begin(&w, "a", 50, 100, 1);
    ls_recall_add(r, &w.key, &(ls_recalled){.answer = Z3_L_UNDEF, .ms = 30, .spent = 0.03}, NULL);
    assert_true(is_known(r, "a", 50, 100, 1, 30));
    assert_true(is_known(r, "a", 50, 100, 1, 5));
    assert_false(is_known(r, "a", 50, 100, 1, 31));
    end(&w);
    ls_recall_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_other_queries),
                                       cmocka_unit_test(test_no_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
