/* Findings that go through text, or from one store to another, come out as they were. */
#include "finding/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static ls_finding *make(ls_store *store) {
    ls_finding *f = ls_finding_new(store, LS_RULE_RACE_SHARED, LS_ERROR, (ls_place){"a b.cu", 12, 3},
                                   "write-read race on 's'\twith a tab");
    f->count = 7;
    ls_finding_relate(f, (ls_place){"c.cu", 9, 1}, "read here");
    ls_actor one = {.does = "writes", .place = {"a b.cu", 12, 3}, .block = {1, 2, 3}, .has_block = true};
    one.has_warp = true;
    one.warp = 5;
    ls_actor other = {.does = NULL, .thread = {4, 5, 6}, .has_thread = true};
    ls_story_actor(f, &one);
    ls_story_actor(f, &other);
    ls_story_object(f, "s", NULL, 40);
    f->story->in_order = true;
    ls_fields_text(ls_finding_detail(f), "kind", "write-read");
    ls_fields_uint(ls_finding_detail(f), "racy_bytes", UINT64_MAX);
    return f;
}

static void assert_made(const ls_finding *f) {
    assert_non_null(f);
    assert_int_equal(f->rule, LS_RULE_RACE_SHARED);
    assert_int_equal(f->level, LS_ERROR);
    assert_int_equal(f->count, 7);
    assert_string_equal(f->place.file, "a b.cu");
    assert_true(f->place.line == 12 && f->place.column == 3);
    assert_non_null(f->related);
    assert_string_equal(f->related->message, "read here");
    assert_string_equal(ls_finding_other(f)->file, "c.cu");
    const ls_actor *one = f->story->actors, *other = one->next;
    assert_string_equal(one->does, "writes");
    assert_true(one->has_block && one->has_warp && !one->has_thread && one->warp == 5);
    assert_true(one->block[0] == 1 && one->block[1] == 2 && one->block[2] == 3);
    assert_true(!other->does && !other->place.file && other->has_thread && other->thread[2] == 6);
    assert_null(other->next);
    assert_string_equal(f->story->object, "s");
    assert_true(f->story->has_byte && f->story->byte == 40 && f->story->in_order);
    assert_string_equal(ls_fields_find(f->detail, "kind")->value.text, "write-read");
    assert_true(ls_fields_find(f->detail, "racy_bytes")->value.natural == UINT64_MAX);
    assert_null(ls_fields_find(f->detail, "other"));
}

static void through_text(void **state) {
    (void)state;
    ls_store store;
    ls_store_init(&store);
    ls_buf text = {0};
    ls_finding_write(&text, make(&store));
    char *at = text.text;
    ls_finding *read = NULL;
    for (char *line; (line = ls_wire_line(&at));) assert_true(ls_finding_read(&store, line, &read));
    assert_made(read);
    assert_string_equal(read->message, "write-read race on 's' with a tab");
    ls_buf_free(&text);
    ls_store_free(&store);
}

static void lines_that_are_none(void **state) {
    (void)state;
    ls_store store;
    ls_store_init(&store);
    ls_finding *read = NULL;
    char other[] = "L\tkernel", early[] = "N\there\ta.cu\t1\t1", cut[] = "F\trace.shared\t2",
         unknown[] = "F\tno.rule\t2\t1\tmessage\t-\t0\t0", level[] = "F\tassert\t9\t1\tmessage\t-\t0\t0";
    assert_false(ls_finding_read(&store, other, &read));
    assert_string_equal(other, "L\tkernel");
    char *const lines[] = {early, cut, unknown, level};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_true(ls_finding_read(&store, lines[i], &read));
        assert_null(read);
    }
    ls_store_free(&store);
}

static void into_another_store(void **state) {
    (void)state;
    ls_store from, to;
    ls_store_init(&from);
    ls_store_init(&to);
    ls_finding *f = make(&from);
    ls_finding_value(f, "n", -3);
    f->replay = LS_REPLAY_CONFIRMED;
    ls_story_confirmed(f, "confirmed");
    ls_finding *copy = ls_finding_copy(&to, f);
    ls_store_free(&from); /* nothing of it is left */
    assert_made(copy);
    assert_true(copy->story->in_order && copy->replay == LS_REPLAY_CONFIRMED);
    assert_string_equal(copy->story->confirmed, "confirmed");
    assert_int_equal(ls_fields_find(copy->story->values, "n")->value.integer, -3);
    ls_store_free(&to);
}

static void under_another_name(void **state) {
    (void)state;
    ls_store store;
    ls_store_init(&store);
    ls_finding *f = ls_finding_new(&store, LS_RULE_RACE_GLOBAL, LS_ERROR, (ls_place){0},
                                   "write-write race on '*k_param_2' between threads of one block");
    ls_story_object(f, "*k_param_2", NULL, 0);
    ls_finding_rename(f, "data");
    assert_string_equal(f->message, "write-write race on 'data' between threads of one block");
    assert_string_equal(f->story->object, "data");
    ls_store_free(&store);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(through_text), cmocka_unit_test(lines_that_are_none),
                                       cmocka_unit_test(into_another_store),
                                       cmocka_unit_test(under_another_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
