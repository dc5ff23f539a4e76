/* The figures of paper 003 that can be run: the trace of Figure 8, the gated form of Figure 9, the simple
 * analysis of Figures 10 and 11, the affine one of Figures 13 and 14, degree two of Figure 15, Figure 2's
 * difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/usimd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ls_usimd *load(const char *name) {
    char path[512];
    snprintf(path, sizeof path, TEST_DIR "/programs/%s", name);
    ls_buf text = {0};
    assert_true(ls_read_file(path, &text));
    ls_diags *diags = ls_diags_new();
    ls_usimd *p = ls_usimd_parse(ls_buf_text(&text), text.length, name, diags);
    if (!p) fail_msg("%s:%u: %s", name, ls_diags_at(diags, 0)->line, ls_diags_at(diags, 0)->message);
    ls_diags_free(diags);
    ls_buf_free(&text);
    return p;
}

/* --- Running ---------------------------------------------------------------------------------------------
 */

static void agree(const ls_usimd *p, const ls_usimd_result *rules, const ls_usimd_options *options) {
    ls_usimd_result *emulated = ls_usimd_run(p, LS_USIMD_EMULATOR, options);
    char *difference = ls_usimd_difference(p, rules, emulated);
    if (difference) fail_msg("%s", difference);
    ls_usimd_result_free(emulated);
}

/* Instructions first … last are executed by the PEs `active`. */
static uint32_t expect_cycles(const ls_usimd_result *r, uint32_t at, uint32_t first, uint32_t last,
                              uint32_t active) {
    for (uint32_t i = first; i <= last; i++, at++) {
        assert_true(at < r->trace_length);
        assert_int_equal(r->trace[at].instruction, i);
        assert_int_equal(r->trace[at].active, active);
    }
    return at;
}

static void fig8_trace(void **state) {
    (void)state;
    ls_usimd *p = load("fig8_sum_triangle.simd");
    ls_usimd_options options = {.threads = 4, .trace = true};
    ls_usimd_result *r = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    assert_int_equal(r->status, LS_USIMD_DONE);
    uint32_t at = expect_cycles(r, 0, 0, 14, 15); /* l0 … l14: all */
    at = expect_cycles(r, at, 5, 6, 15);
    assert_int_equal(at,
                     17); /* the second visit of l6 is in cycle 17, as in the paper; t0 waits from here on */
    at = expect_cycles(r, at, 7, 8, 14);
    at = expect_cycles(r, at, 11, 14, 14); /* d = 1: l9 and l10 are jumped over by all that are active */
    at = expect_cycles(r, at, 5, 6, 14);
    at = expect_cycles(r, at, 7, 14, 12); /* t1 waits, too */
    at = expect_cycles(r, at, 5, 6, 12);
    at = expect_cycles(r, at, 7, 8, 8); /* and t2 */
    at = expect_cycles(r, at, 11, 14, 8);
    at = expect_cycles(r, at, 5, 6, 8);
    at = expect_cycles(r, at, 15, 15, 8); /* t3 is at the sync (rule SS), then the others (rule SP) */
    at = expect_cycles(r, at, 15, 15, 7);
    at = expect_cycles(r, at, 16, 18, 15);
    assert_int_equal(at, r->trace_length);
    assert_int_equal(r->cycles, 48);
    agree(p, r, &options);
    ls_usimd_result_free(r);
    ls_usimd_free(p);
}

static int32_t *values_of(const ls_usimd *p, const ls_usimd_result *r, const char *name) {
    for (uint32_t v = 0; v < ls_usimd_variable_count(p); v++)
        if (strcmp(ls_usimd_variable(p, v), name) == 0) return &r->variables[v * r->threads];
    fail_msg("no variable %s", name);
    return NULL;
}

/* "Each thread sees a different value stored at σ(d), which has been incremented Tid + 1 times." */
static void fig8_result(void **state) {
    (void)state;
    ls_usimd *p = load("fig8_sum_triangle.simd");
    for (ls_usimd_machine machine = LS_USIMD_REFERENCE; machine <= LS_USIMD_EMULATOR; machine++) {
        ls_usimd_result *r = ls_usimd_run(p, machine, NULL);
        assert_int_equal(r->status, LS_USIMD_DONE);
        assert_int_equal(r->threads, 4);
        for (int32_t t = 0; t < 4; t++) {
            int32_t sum = 0; /* by the CUDA program of Figure 1, with the test of Figure 8: not d % 2 */
            for (int32_t i = t, d = 0; i < (t + 1) * 4; i += 4, d++) sum += d % 2 ? 0 : i + 1;
            assert_int_equal(values_of(p, r, "d")[t], t + 1);
            assert_int_equal(values_of(p, r, "s")[t], sum);
            assert_int_equal(r->memory[t], sum);
        }
        ls_usimd_result_free(r);
    }
    ls_usimd_free(p);
}

static void other_programs(void **state) {
    (void)state;
    ls_usimd_options options = {.trace = true};
    ls_usimd *p = load("atomic.simd");
    ls_usimd_result *r = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    for (int32_t t = 0; t < 8; t++)
        assert_int_equal(values_of(p, r, "v")[t], t + 1); /* Rule AT: the new value */
    for (int32_t t = 0; t < 8; t++)
        assert_int_equal(values_of(p, r, "q")[t], t % 2 ? -(t + 1) : (t + 1) * 10);
    assert_int_equal(r->memory[0], 8);
    agree(p, r, &options);
    ls_usimd_result_free(r);
    ls_usimd_free(p);

    p = load("race.simd");
    r = ls_usimd_run(p, LS_USIMD_REFERENCE, NULL);
    assert_int_equal(r->race_count, 1);
    assert_int_equal(r->races[0].count, 2);
    assert_int_equal(r->races[0].cell, 0);
    assert_int_equal(ls_usimd_line(p, r->races[0].instruction), 5);
    ls_usimd_result_free(r);
    ls_usimd_free(p);

    p = load("fig1_avg_square.simd");
    r = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    for (int32_t t = 0; t < 4; t++) assert_int_equal(r->memory[16 + t], 7 + t); /* (1 + 5 + 9 + 13) / 4 + t */
    for (uint32_t c = 0; c < r->trace_length; c++) assert_int_equal(r->trace[c].active, 15);
    agree(p, r, &options);
    ls_usimd_result_free(r);
    ls_usimd_free(p);
}

/* --- Analyses --------------------------------------------------------------------------------------------
 */

static ls_usimd_analysis *analyze(const ls_usimd *p) {
    ls_diags *diags = ls_diags_new();
    ls_usimd_analysis *a = ls_usimd_analyze(p, diags);
    assert_non_null(a);
    assert_int_equal(ls_diags_errors(diags), 0);
    ls_diags_free(diags);
    return a;
}

static const ls_usimd_value *find(const ls_usimd_analysis *a, const char *name) {
    for (uint32_t i = 0; i < a->value_count; i++)
        if (strcmp(a->values[i].name, name) == 0) return &a->values[i];
    fail_msg("no value %s", name);
    return NULL;
}

static bool needs(const ls_usimd_analysis *a, const char *value, const char *what) {
    const ls_usimd_value *v = find(a, value);
    for (uint32_t i = 0; i < v->need_count; i++)
        if (strcmp(a->values[v->needs[i]].name, what) == 0) return true;
    return false;
}

typedef struct {
    const char *name, *definition, *states[LS_USIMD_ANALYSES];
} row;

static void expect_rows(const ls_usimd_analysis *a, const row *rows, uint32_t count) {
    assert_int_equal(a->value_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(a->values[i].name, rows[i].name);
        assert_string_equal(a->values[i].definition, rows[i].definition);
        for (uint32_t k = 0; k < LS_USIMD_ANALYSES; k++)
            assert_string_equal(a->values[i].states[k], rows[i].states[k]);
    }
}

static void fig9_gated_form(void **state) {
    (void)state;
    ls_usimd *p = load("fig9_sum_triangle.simd");
    ls_usimd_analysis *a = analyze(p);
    assert_string_equal(a->gated, "l0:     s0 = 0\n"
                                  "        d0 = 0\n"
                                  "        i0 = tid\n"
                                  "        x0 = tid + 1\n"
                                  "        L0 = c * x0\n"
                                  "l5:     [s1, d1, i1] = μ[(s0, d0, i0), (s3, d2, i2)]\n"
                                  "        p0 = i1 - L0\n"
                                  "        bz p0, l15\n"
                                  "l7:     p1 = d1 % 2\n"
                                  "        bnz p1, l11\n"
                                  "l9:     x1 = ↓i1\n"
                                  "        s2 = s1 + x1\n"
                                  "l11:    [s3] = γ[p1, s1, s2]\n"
                                  "        d2 = d1 + 1\n"
                                  "        i2 = i1 + c\n"
                                  "        jump l5\n"
                                  "l15:    [s4, d3] = η[p0, (s1, d1)]\n"
                                  "        x2 = d3 - 1\n"
                                  "        ↑x2 = s4\n"
                                  "        stop\n");
    ls_usimd_analysis_free(a);
    ls_usimd_free(p);
}

/* Conditionals that end together and a loop that starts where another ends: each sync has its own functions.
 */
static void neighbouring_syncs(void **state) {
    (void)state;
    static const char text[] = "input n = 3\n"
                               "        s = 0\n"
                               "        i = 0\n"
                               "head:   p = i < n\n"
                               "        bz p, done\n"
                               "        bz tid, skip\n"
                               "        t = s & 2\n"
                               "        bz t, skip2\n"
                               "        s = s + 5\n"
                               "skip2:  sync\n"
                               "skip:   sync\n"
                               "        i = i + 1\n"
                               "        jump head\n"
                               "done:   sync\n"
                               "again:  s = s - 3\n"
                               "        r = s > 0\n"
                               "        bnz r, again\n"
                               "        sync\n"
                               "        ↑tid = s\n"
                               "        stop\n";
    ls_diags *diags = ls_diags_new();
    ls_usimd *p = ls_usimd_parse(text, sizeof text - 1, "t.simd", diags);
    assert_non_null(p);
    ls_usimd_analysis *a = analyze(p);
    assert_string_equal(a->gated, "        s0 = 0\n"
                                  "        i0 = 0\n"
                                  "head:   [s1, i1] = μ[(s0, i0), (s4, i2)]\n"
                                  "        p0 = i1 < n\n"
                                  "        bz p0, done\n"
                                  "        bz tid, skip\n"
                                  "        t0 = s1 & 2\n"
                                  "        bz t0, skip2\n"
                                  "        s2 = s1 + 5\n"
                                  "skip2:  [s3] = γ[t0, s2, s1]\n"
                                  "skip:   [s4] = γ[tid, s3, s1]\n"
                                  "        i2 = i1 + 1\n"
                                  "        jump head\n"
                                  "done:   [s5] = η[p0, s1]\n"
                                  "again:  [s6] = μ[s5, s7]\n"
                                  "        s7 = s6 - 3\n"
                                  "        r0 = s7 > 0\n"
                                  "        bnz r0, again\n"
                                  "        [s8] = η[r0, s7]\n"
                                  "        ↑tid = s8\n"
                                  "        stop\n");
    ls_usimd_analysis_free(a);
    ls_usimd_free(p);
    ls_diags_free(diags);
}

/* The slice that makes p1 and d3: which of it is divergent, and what depends on what. */
static void fig11_dependences(void **state) {
    (void)state;
    static const struct {
        const char *value, *needs;
    } edges[] = {{"d1", "d0"}, {"d1", "d2"}, {"d2", "d1"}, {"p1", "d1"}, {"d3", "d1"},
                 {"d3", "p0"}, {"p0", "i1"}, {"p0", "L0"}, {"i1", "i0"}, {"i1", "i2"},
                 {"i2", "i1"}, {"i2", "c"},  {"L0", "c"},  {"L0", "x0"}};
    static const char *const uniform[] = {"d0", "d1", "d2", "p1", "c"};
    static const char *const divergent[] = {"i0", "i1", "i2", "x0", "L0", "p0", "d3"};
    ls_usimd *p = load("fig9_sum_triangle.simd");
    ls_usimd_analysis *a = analyze(p);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_true(needs(a, edges[i].value, edges[i].needs));
    assert_false(needs(a, "p1", "p0"));
    assert_false(needs(a, "d1", "p0"));
    assert_true(find(a, "i0")->needs_tid && find(a, "x0")->needs_tid);
    assert_false(find(a, "p1")->needs_tid);
    for (size_t i = 0; i < 5; i++) assert_true(find(a, uniform[i])->uniform[LS_USIMD_SIMPLE]);
    for (size_t i = 0; i < 7; i++) assert_false(find(a, divergent[i])->uniform[LS_USIMD_SIMPLE]);
    assert_int_equal(a->branch_count, 2);
    assert_true(a->branches[0].divergent[LS_USIMD_SIMPLE]);  /* the loop */
    assert_false(a->branches[1].divergent[LS_USIMD_SIMPLE]); /* "bnz p1 cannot cause a divergence" */
    char *graph = ls_usimd_dependences(a, LS_USIMD_SIMPLE);
    assert_non_null(strstr(graph, "\"d1\" -> \"p1\";"));
    assert_non_null(strstr(graph, "tid -> \"i0\";"));
    assert_non_null(strstr(graph, "\"d3\" [label=\"d3 = η[p0, d1]\\nD\", style=filled"));
    free(graph);
    ls_usimd_analysis_free(a);
    ls_usimd_free(p);
}

#define BOTTOM1 "(⊥, ⊥)"
#define BOTTOM2 "(⊥, ⊥, ⊥)"

static void fig14_affine(void **state) {
    (void)state;
    static const row rows[] = {
        {"c", "input", {"U", "(0, ⊥)", "(0, 0, ⊥)"}},      {"s0", "0", {"U", "(0, 0)", "(0, 0, 0)"}},
        {"d0", "0", {"U", "(0, 0)", "(0, 0, 0)"}},         {"i0", "tid", {"D", "(1, 0)", "(0, 1, 0)"}},
        {"x0", "tid + 1", {"D", "(1, 1)", "(0, 1, 1)"}},   {"L0", "c * x0", {"D", BOTTOM1, "(0, ⊥, ⊥)"}},
        {"s1", "μ[s0, s3]", {"D", BOTTOM1, BOTTOM2}},      {"d1", "μ[d0, d2]", {"U", "(0, ⊥)", "(0, 0, ⊥)"}},
        {"i1", "μ[i0, i2]", {"D", "(1, ⊥)", "(0, 1, ⊥)"}}, {"p0", "i1 - L0", {"D", BOTTOM1, "(0, ⊥, ⊥)"}},
        {"p1", "d1 % 2", {"U", "(0, ⊥)", "(0, 0, ⊥)"}},    {"x1", "↓i1", {"D", BOTTOM1, BOTTOM2}},
        {"s2", "s1 + x1", {"D", BOTTOM1, BOTTOM2}},        {"s3", "γ[p1, s1, s2]", {"D", BOTTOM1, BOTTOM2}},
        {"d2", "d1 + 1", {"U", "(0, ⊥)", "(0, 0, ⊥)"}},    {"i2", "i1 + c", {"D", "(1, ⊥)", "(0, 1, ⊥)"}},
        {"s4", "η[p0, s1]", {"D", BOTTOM1, BOTTOM2}},      {"d3", "η[p0, d1]", {"D", BOTTOM1, BOTTOM2}},
        {"x2", "d3 - 1", {"D", BOTTOM1, BOTTOM2}}};
    ls_usimd *p = load("fig9_sum_triangle.simd");
    ls_usimd_analysis *a = analyze(p);
    expect_rows(a, rows, sizeof rows / sizeof *rows);
    ls_usimd_analysis_free(a);
    ls_usimd_free(p);
}

static void fig15_degree_two(void **state) {
    (void)state;
    static const row rows[] = {
        {"n", "input", {"U", "(0, ⊥)", "(0, 0, ⊥)"}},     {"i0", "n * tid", {"D", "(⊥, 0)", "(0, ⊥, 0)"}},
        {"t0", "tid + 1", {"D", "(1, 1)", "(0, 1, 1)"}},  {"k0", "t0 * n", {"D", BOTTOM1, "(0, ⊥, ⊥)"}},
        {"i1", "μ[i0, i2]", {"D", BOTTOM1, "(0, ⊥, ⊥)"}}, {"p0", "i1 < k0", {"D", BOTTOM1, BOTTOM2}},
        {"i2", "i1 + 1", {"D", BOTTOM1, "(0, ⊥, ⊥)"}}};
    ls_usimd *p = load("fig15_rows.simd");
    ls_usimd_analysis *a = analyze(p);
    expect_rows(a, rows, sizeof rows / sizeof *rows);
    ls_usimd_analysis_free(a);
    ls_usimd_free(p);
}

/* Figure 2: the loop of avgSquare, and d after it, are uniform for the affine analysis only. */
static void fig2_avg_square(void **state) {
    (void)state;
    ls_usimd *p = load("fig1_avg_square.simd");
    ls_usimd_analysis *a = analyze(p);
    assert_string_equal(find(a, "N0")->states[LS_USIMD_DEGREE1], "(1, ⊥)");
    assert_string_equal(find(a, "i1")->states[LS_USIMD_DEGREE1], "(1, ⊥)");
    assert_string_equal(find(a, "p0")->states[LS_USIMD_SIMPLE], "D");
    assert_string_equal(find(a, "p0")->states[LS_USIMD_DEGREE1], "(0, ⊥)");
    assert_string_equal(find(a, "d3")->states[LS_USIMD_SIMPLE], "D");
    assert_string_equal(find(a, "d3")->states[LS_USIMD_DEGREE1], "(0, ⊥)");
    assert_true(a->branches[0].divergent[LS_USIMD_SIMPLE]);
    assert_false(a->branches[0].divergent[LS_USIMD_DEGREE1]);
    ls_usimd_analysis_free(a);
    ls_usimd_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fig8_trace),        cmocka_unit_test(fig8_result),
        cmocka_unit_test(other_programs),    cmocka_unit_test(fig9_gated_form),
        cmocka_unit_test(fig14_affine),      cmocka_unit_test(fig15_degree_two),
        cmocka_unit_test(fig11_dependences), cmocka_unit_test(neighbouring_syncs),
        cmocka_unit_test(fig2_avg_square)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
