/* The parser of the kernel language: what it says about wrong input, and where; that printed kernels parse to
 * the same kernels; and that mutated input of any kind never breaks anything (run it with sanitizers). */
#include "kernel_test.h"

/* Parses wrong text; the first error must be at this position and contain this. */
static void expect_error(const char *text, uint32_t line, uint32_t column, const char *message) {
    ls_diags *diags = ls_diags_new();
    ls_model *model = ls_model_parse(text, strlen(text), "wrong.kernel", 0, diags);
    assert_null(model);
    assert_true(ls_diags_errors(diags) > 0);
    const ls_diag *d = ls_diags_at(diags, 0);
    if (d->line != line || d->column != column || !strstr(d->message, message))
        print_error("%u:%u: %s\n", d->line, d->column, d->message);
    assert_string_equal(d->file, "wrong.kernel");
    assert_int_equal(d->line, line);
    assert_int_equal(d->column, column);
    assert_non_null(strstr(d->message, message));
    ls_diags_free(diags);
}

static void errors_say_where_and_what(void **state) {
    (void)state;
    expect_error("", 1, 1, "expected a declaration or 'Start:' before the end of the file");
    expect_error("Begin: goto End;", 1, 1, "first block to be labelled 'Start'");
    expect_error("Start:\n  x := 1;\n  goto End;", 2, 3, "'x' is not declared");
    expect_error("Start: skip\n goto End;", 2, 2, "expected ';' before 'goto'");
    expect_error("Start: skip;", 1, 13, "expected 'goto'");
    expect_error("Start: goto;", 1, 12, "expected a block's label before ';'");
    expect_error("Start: goto A;", 1, 13, "no block is labelled 'A'");
    expect_error("Start: goto End; Start: goto End;", 1, 18, "already used");
    expect_error("Start: goto A; End: goto End;", 1, 16, "expected another label");
    expect_error("shared x : 0..3; shared x : 0..3; Start: goto End;", 1, 25, "already declared");
    expect_error("shared x : 3..0; Start: goto End;", 1, 12, "not empty");
    expect_error("shared x : float; Start: goto End;", 1, 12, "expected a domain ('bool', 'u8', '0..3')");
    expect_error("shared x : u65; Start: goto End;", 1, 12, "u1 to u64");
    expect_error("shared TS : 0..3; Start: goto End;", 1, 8, "meaning of its own");
    expect_error("shared a[0] : 0..3; Start: goto End;", 1, 10, "a length of 1 to 65536");
    expect_error("shared a[2] : 0..3 = {1, 2, 3}; Start: goto End;", 1, 23,
                 "one initial value for each element");
    expect_error("shared x : 0..3 = tid; Start: goto End;", 1, 17, "without tid");
    expect_error("private x : 0..3; private y : 0..3 = x; Start: goto End;", 1, 36, "numbers, TS and tid");
    expect_error("private x : 0..3; Start: x := true; goto End;", 1, 31,
                 "expected an expression that is an integer");
    expect_error("private x : bool; Start: assert x + 1 = 2; goto End;", 1, 35,
                 "'+' expects operands that are numbers");
    expect_error("private x : u8; private y : u9; Start: assert x = y; goto End;", 1, 49,
                 "operands of one type");
    expect_error("private x : 0..3; Start: assert x; goto End;", 1, 33, "expected a Boolean expression");
    expect_error("shared a[2] : 0..3; Start: assert a = 1; goto End;", 1, 37,
                 "'[' after the name of an array");
    expect_error("const c : 0..1; Start: c := 1; goto End;", 1, 24, "cannot be written");
    expect_error("Start: tid := 1; goto End;", 1, 8, "cannot be written");
    expect_error("Start: assert (1 = 1; goto End;", 1, 21, "expected ')' before ';'");
    expect_error("Start: assert 1 = ; goto End;", 1, 19, "expected an expression before ';'");
    expect_error("Start: assert @; goto End;", 1, 15, "unexpected character; expected an expression");
    expect_error("Start: assert 99999999999999999999 = 1; goto End;", 1, 15, "number is too large");
    expect_error("Start: /* open", 1, 0, "comment has no end");
    expect_error("threads 17; Start: goto End;", 1, 9, "1 to 16");
    expect_error("shared s : 0..1; threads 2; Start: goto End;", 1, 26, "before the first variable");
    expect_error("shared s : 0..1; Start: goto A, End; A: assume s = 0; goto End;", 1, 41,
                 "reads a shared variable");
    expect_error("Start: goto A, B; A: goto B; B: goto A, End;", 1, 19, "irreducible control flow");
    expect_error("Start: assert extract(bv(3, 8), 8, 0) = 1; goto End;", 1, 15, "a width that fits");
}

static void several_errors_in_one_run(void **state) {
    (void)state;
    const char *text = "Start: x := 1; y := 2; assert 3; goto End;";
    ls_diags *diags = ls_diags_new();
    assert_null(ls_model_parse(text, strlen(text), "wrong.kernel", 2, diags));
    assert_int_equal(ls_diags_errors(diags), 3);
    ls_diags_free(diags);
    diags = ls_diags_new();
    assert_null(ls_model_parse("Start: goto End;", 16, NULL, 17, diags));
    assert_int_equal(ls_diags_errors(diags), 1);
    ls_diags_free(diags);
}

static void deep_input_is_refused(void **state) {
    (void)state;
    ls_buf text = {0};
    ls_buf_puts(&text, "Start: assert ");
    for (int i = 0; i < 1000000; i++) ls_buf_putc(&text, '(');
    ls_diags *diags = ls_diags_new();
    assert_null(ls_model_parse(text.text, text.length, "deep.kernel", 2, diags));
    assert_non_null(strstr(ls_diags_at(diags, 0)->message, "nested too deeply"));
    ls_diags_free(diags);
    text.length = 0;
    ls_buf_puts(&text, "Start: assert 0");
    for (int i = 0; i < 100000; i++) ls_buf_puts(&text, " + 1");
    ls_buf_puts(&text, " = 0; goto End;");
    diags = ls_diags_new();
    assert_null(ls_model_parse(text.text, text.length, "deep.kernel", 2, diags));
    ls_diags_free(diags);
    ls_buf_free(&text);
}

/* Many blocks in a row, and loops nested a thousand deep: parsing, sorting and predication stay fast. */
static void large_programs(void **state) {
    (void)state;
    enum { LOOPS = 1000 };
    ls_buf text = {0};
    ls_buf_puts(&text, "Start: goto H0;");
    for (int i = 0; i < LOOPS; i++) ls_buf_printf(&text, "H%d: goto H%d;", i, i + 1);
    ls_buf_printf(&text, "H%d: goto L%d;", LOOPS, LOOPS - 1);
    for (int i = LOOPS - 1; i >= 0; i--) {
        ls_buf_printf(&text, "L%d: goto H%d, ", i, i);
        if (i)
            ls_buf_printf(&text, "L%d;", i - 1);
        else
            ls_buf_puts(&text, "End;");
    }
    ls_model *model = model_of(text.text, 2);
    char *printed = ls_model_print(model, LS_MODEL_PRINT_SORT_ORDER);
    assert_non_null(strstr(printed, "Start ≤ H0 ≤ H1 ≤ H2"));
    free(printed);
    ls_model_free(model);
    ls_buf_free(&text);
}

static void printed_kernels_parse_to_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        ls_model *model = ls_model_random(seed, 0);
        char *first = ls_model_print(model, LS_MODEL_PRINT_KERNEL);
        char *lockstep = ls_model_print(model, LS_MODEL_PRINT_LOCKSTEP);
        ls_model *again = model_of(first, 0);
        char *second = ls_model_print(again, LS_MODEL_PRINT_KERNEL);
        char *lockstep_again = ls_model_print(again, LS_MODEL_PRINT_LOCKSTEP);
        assert_string_equal(first, second);
        assert_string_equal(lockstep, lockstep_again);
        free(first), free(second), free(lockstep), free(lockstep_again);
        ls_model_free(model);
        ls_model_free(again);
    }
}

/* ---- Mutation ------------------------------------------------------------------------------------------ */

static uint64_t dice(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void mutate(ls_buf *text, uint64_t *seed) {
    static const char *const pieces[] = {"goto",
                                         ":=",
                                         ";",
                                         "(",
                                         ")",
                                         "[",
                                         "]",
                                         "{",
                                         "tid",
                                         "TS",
                                         "u8",
                                         "..",
                                         "barrier",
                                         "havoc x;",
                                         "assume ",
                                         "-",
                                         "==>",
                                         "?",
                                         ":",
                                         "Start",
                                         "End",
                                         "99999999999",
                                         "0x",
                                         "/*",
                                         "//",
                                         "\xff",
                                         "∧",
                                         "concat(",
                                         "extract(x, 64, 0)",
                                         "shared a[65536] : 0..1;",
                                         "private",
                                         "''",
                                         "u64",
                                         "const n : -9..9;"};
    for (uint64_t edits = 1 + dice(seed) % 4; edits > 0; edits--) {
        size_t at = text->length ? dice(seed) % text->length : 0, length = 1 + dice(seed) % 6;
        const char *piece = pieces[dice(seed) % (sizeof pieces / sizeof *pieces)];
        switch (dice(seed) % 4) {
        case 0: text->text[at] = (char)dice(seed); break;
        case 1: /* remove */
            if (at + length > text->length) length = text->length - at;
            memmove(text->text + at, text->text + at + length, text->length - at - length);
            text->length -= length;
            break;
        case 2: /* truncate, rarely */
            if (dice(seed) % 8 == 0) text->length = at;
            break;
        default: /* insert */
            length = strlen(piece);
            ls_buf_reserve(text, length + 1);
            memmove(text->text + at + length, text->text + at, text->length - at);
            memcpy(text->text + at, piece, length);
            text->length += length;
        }
    }
}

static void mutated_input_breaks_nothing(void **state) {
    (void)state;
    uint64_t seed = 12345;
    uint32_t parsed = 0;
    for (uint32_t round = 0; round < 6000; round++) {
        ls_model *model = ls_model_random(round % 50, 2);
        char *printed = ls_model_print(model, LS_MODEL_PRINT_KERNEL);
        ls_model_free(model);
        ls_buf text = {0};
        ls_buf_puts(&text, printed);
        free(printed);
        mutate(&text, &seed);
        char *exact = malloc(text.length + 1); /* so that reading behind the end is noticed */
        memcpy(exact, text.text, text.length);
        exact = realloc(exact, text.length ? text.length : 1);
        ls_diags *diags = ls_diags_new();
        model = ls_model_parse(exact, text.length, "mutated.kernel", 0, diags);
        assert_true(model || ls_diags_errors(diags) > 0);
        if (model) {
            parsed++;
            for (int form = 0; form < 4; form++) free(ls_model_print(model, (ls_model_form)form));
            ls_model_options options = {.max_states = 200};
            for (int s = 0; s < 3; s++)
                ls_model_result_free(ls_model_explore(model, (ls_model_semantics)s, &options));
            ls_model_free(model);
        }
        ls_diags_free(diags);
        free(exact);
        ls_buf_free(&text);
    }
    assert_true(parsed > 300); /* mutants that are still kernels are explored */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(several_errors_in_one_run),
        cmocka_unit_test(deep_input_is_refused),
        cmocka_unit_test(large_programs),
        cmocka_unit_test(printed_kernels_parse_to_the_same),
        cmocka_unit_test(mutated_input_breaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
