/* The text form: what is taken, what is refused and where, printing; and programs that get stuck. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lockstep/usimd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ls_usimd *parse(const char *text, ls_diags *diags) {
    return ls_usimd_parse(text, strlen(text), "t.simd", diags);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message;
    } cases[] = {
        {"", 1, 1, "expected an instruction, not the end of the file"},
        {"x = 1\n", 2, 1, "execution would run past the last instruction: expected 'stop' or 'jump'"},
        {"x = 1 2\nstop", 1, 7, "expected the end of the line or ';', not '2'"},
        {"x = \nstop", 1, 5, "expected a variable or a number, not the end of the line"},
        {"x = y + 1\nstop", 1, 1, "nothing gives 'y' a value: expected an assignment or 'input y = …'"},
        {"bz tid, nowhere; stop", 1, 9, "there is no label 'nowhere'"},
        {"a: sync\na: stop", 2, 1, "there is a label 'a' already"},
        {"stop\nend:", 2, 5, "expected an instruction after label 'end'"},
        {"tid = 3; stop", 1, 1, "'tid' cannot be assigned"},
        {"sync = 3; stop", 1, 6, "expected the end of the line or ';', not '='"},
        {"x = max(1 2)\nstop", 1, 11, "expected ',', not '2'"},
        {"x ←a tid + 2; stop", 1, 14, "expected 1 (only an atomic increment is there), not '2'"},
        {"x = 2147483648; stop", 1, 5, "the number does not fit in 32 bits (-2147483648 … 2147483647)"},
        {"x = 12ab; stop", 1, 5, "expected a variable or a number, not '12ab'"},
        {"threads 33\nstop", 1, 9, "expected 1 to 32 threads"},
        {"memory 2 = {1, 2, 3}; stop", 1, 19, "more values than the 2 cells of the memory"},
        {"x = 1\nmemory 4\nstop", 2, 1, "declarations stand before the first instruction"},
        {"threads 2; threads 3; stop", 1, 12, "'threads' was declared already"},
        {"input a = 1, a = 2; stop", 1, 14, "there is an input 'a' already"},
        {"/* x\nstop", 2, 5, "a comment has no end: expected '*/'"},
        {"bz 3, a\na: stop", 1, 4, "expected a variable, not '3'"},
        {"x = $; stop", 1, 5, "expected a variable or a number, not '$'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ls_diags *diags = ls_diags_new();
        assert_null(parse(cases[i].text, diags));
        const ls_diag *d = ls_diags_at(diags, 0);
        assert_string_equal(d->message, cases[i].message);
        assert_string_equal(d->file, "t.simd");
        assert_int_equal(d->line, cases[i].line);
        assert_int_equal(d->column, cases[i].column);
        ls_diags_free(diags);
    }
}

/* Each statement that is wrong has its own error. */
static void several_errors(void **state) {
    (void)state;
    ls_diags *diags = ls_diags_new();
    assert_null(parse("x = \ny + 1\njump there\nz = x\nstop", diags));
    assert_int_equal(ls_diags_errors(diags), 3); /* x, too, but for what is wrong in line 1 */
    ls_diags_free(diags);
}

static void printing(void **state) {
    (void)state;
    const char *text = "threads 3\n"
                       "memory 4 = {1, -2}\n"
                       "input c = -7\n"
                       "    x = tid\n"
                       "a:\n"
                       "b:\n"
                       "    y = max(x, -3)\n"
                       "    x = y << 2\n"
                       "    z = ↓x\n"
                       "    ↑z = 5\n"
                       "    z ←a y + 1\n"
                       "    bnz z, a\n"
                       "    sync\n"
                       "    jump c\n"
                       "c:\n"
                       "    stop\n";
    const char *same =
        "threads 3; memory 4 = {1,\n -2}\ninput c = -0x7 // c\nx = T_id /* Tid */; a: b: y = max(x, -3)\n"
        "x=y<<2;z=[x];[z]=5;z <-a [y]+1;bnz z,b;sync;jump c;c:stop";
    ls_diags *diags = ls_diags_new();
    const char *texts[] = {text, same};
    for (int i = 0; i < 2; i++) {
        ls_usimd *p = parse(texts[i], diags);
        assert_non_null(p);
        char *printed = ls_usimd_print(p, LS_USIMD_PROGRAM);
        assert_string_equal(printed, text);
        free(printed);
        ls_usimd_free(p);
    }
    ls_diags_free(diags);
}

static void stuck(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ls_usimd_status status;
        uint32_t line;
        const char *message;
    } cases[] = {{"sync\nstop", LS_USIMD_STUCK, 1, "sync, but no branch is open"},
                 {"bz tid, e\nx = 1\ne: stop", LS_USIMD_STUCK, 3,
                  "stop, but the branch at line 1 has not met its sync"},
                 {"memory 8\nx = tid * 4\ny = [x]\nstop", LS_USIMD_STUCK, 3,
                  "cell 8, which PE 2 names, is outside of the 8 cells of the memory"},
                 {"x = tid - 1\ny = 4 / x\nstop", LS_USIMD_STUCK, 2, "division by zero in PE 1"},
                 {"bz tid, e\nx = 1\ne: sync\ny = x\nstop", LS_USIMD_STUCK, 4, "'x' has no value in PE 0"},
                 {"a: jump a", LS_USIMD_ENDLESS, 1, "1000 cycles were not enough"},
                 {"a: bz tid, b\nb: bnz tid, a\njump a", LS_USIMD_STUCK, 2,
                  "the stack of waiting PEs grows without end: branches have no sync of their own"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ls_diags *diags = ls_diags_new();
        ls_usimd *p = parse(cases[i].text, diags);
        assert_non_null(p);
        ls_usimd_result *r = ls_usimd_run(p, LS_USIMD_REFERENCE, &(ls_usimd_options){.max_cycles = 1000});
        assert_int_equal(r->status, cases[i].status);
        assert_string_equal(r->message, cases[i].message);
        assert_int_equal(r->line, cases[i].line);
        ls_usimd_result_free(r);
        ls_usimd_analysis_free(ls_usimd_analyze(p, diags));
        ls_usimd_free(p);
        ls_diags_free(diags);
    }
}

/* The corners of 32-bit arithmetic, on both machines. */
static void arithmetic(void **state) {
    (void)state;
    static const struct {
        const char *expression;
        int32_t value;
    } cases[] = {{"-7 / 2", -3},           {"-7 % 2", -1},     {"7 % -2", 1},   {"1 << 31", INT32_MIN},
                 {"1 << 32", 0},           {"1 << -1", 0},     {"-8 >> 1", -4}, {"-8 >> 40", -1},
                 {"max(-1, 1)", 1},        {"min(-1, 1)", -1}, {"-1 < 1", 1},   {"2147483647 + 1", INT32_MIN},
                 {"65536 * 65537", 65536}, {"6 ^ 3", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "x = %s\nstop", cases[i].expression);
        ls_diags *diags = ls_diags_new();
        ls_usimd *p = parse(text, diags);
        assert_non_null(p);
        for (ls_usimd_machine machine = LS_USIMD_REFERENCE; machine <= LS_USIMD_EMULATOR; machine++) {
            ls_usimd_result *r = ls_usimd_run(p, machine, NULL);
            if (r->status != LS_USIMD_DONE || r->variables[0] != cases[i].value)
                fail_msg("%s is %d on machine %d", cases[i].expression, r->variables[0], machine);
            ls_usimd_result_free(r);
        }
        ls_usimd_free(p);
        ls_diags_free(diags);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals), cmocka_unit_test(several_errors),
                                       cmocka_unit_test(printing), cmocka_unit_test(stuck),
                                       cmocka_unit_test(arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
