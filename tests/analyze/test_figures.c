/* The papers' examples. 003: the states of Figure 2 (degree two and the simple analysis), the program of
 * Figures 8 and 9 with the results of Figures 11 and 14, Figure 15 in degrees one and two. 001: Figures 1 and
 * 2 in its own domain and in lane vectors. 004: Figure 2's bank conflicts. And transposes, with the
 * suggestion that was checked. The kernels are kernels/NAME.cu; kernels/NAME.ptx is what the front end makes
 * of them. */
#include "base/buf.h"
#include "lockstep/analyze.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    ls_ptx_module *module;
    ls_ir_function *ir;
    ls_analysis *a;
} subject;

static subject load(const char *name, const char *kernel, ls_analyze_options options) {
    char path[512];
    ls_buf text = {0};
    snprintf(path, sizeof path, "%s/kernels/%s.ptx", TEST_DIR, name);
    assert_true(ls_read_file(path, &text));
    ls_diags *diags = ls_diags_new();
    subject s = {.module = ls_ptx_parse(text.text, text.length, path, diags)};
    assert_non_null(s.module);
    for (uint32_t i = 0; i < s.module->function_count && !s.ir; i++)
        if (s.module->functions[i]->is_entry && strstr(s.module->functions[i]->symbol->name, kernel))
            s.ir = ls_ir_build(s.module, s.module->functions[i], NULL, diags);
    assert_non_null(s.ir);
    s.a = ls_analyze(s.ir, &options);
    ls_diags_free(diags);
    ls_buf_free(&text);
    return s;
}

static void drop(subject *s) {
    ls_analysis_free(s->a);
    ls_ir_free(s->ir);
    ls_ptx_module_free(s->module);
}

/* --- 003
 * ------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *variable; /* in the paper */
    const char *value;    /* in the IR */
    const char *degree_two, *simple;
} row;

static void check_states(const char *file, const char *kernel, uint32_t degree, const row *rows,
                         uint32_t count) {
    subject s = load(file, kernel, (ls_analyze_options){.degree = degree});
    for (uint32_t r = 0; r < count; r++) {
        bool found = false;
        for (uint32_t i = 0; i < s.ir->value_count; i++) {
            char name[64], state[128];
            ls_ir_value_name(s.ir, s.ir->values[i], name, sizeof name);
            if (strcmp(name, rows[r].value)) continue;
            found = true;
            ls_shape_print(&s.a->shapes[i], degree, state, sizeof state);
            const char *expected = degree == LS_DEGREE_SIMPLE ? rows[r].simple : rows[r].degree_two;
            if (strcmp(state, expected))
                fail_msg("%s: %s (%s) is %s, in the paper %s", kernel, rows[r].variable, name, state,
                         expected);
        }
        if (!found) fail_msg("%s: no value %s", kernel, rows[r].value);
    }
    drop(&s);
}

/* The simple analysis of the paper has d_af divergent, as it does not know that i < N is uniform. */
static const row avg_square[] = {
    {"c", "%r7", "0T²+0T+⊥", "U"},      {"m", "%rd3", "0T²+0T+⊥", "U"},
    {"v", "%rd4", "0T²+0T+⊥", "U"},     {"i", "%r10.2", "0T²+T+⊥", "D"},
    {"N", "%r2", "0T²+T+⊥", "D"},       {"d_bf", "%r9.1", "0T²+0T+0", "U"},
    {"d_lp", "%r9.2", "0T²+0T+⊥", "U"}, {"d_af", "%r9.4", "0T²+0T+⊥", "D"},
};
static const row sum_triangle[] = {
    {"c", "%r7", "0T²+0T+⊥", "U"},       {"m", "%rd4", "0T²+0T+⊥", "U"},
    {"v", "%rd5", "0T²+0T+⊥", "U"},      {"i", "%r15.2", "0T²+T+⊥", "D"},
    {"L", "%r2", "0T²+⊥T+⊥", "D"},       {"d_bf", "%r14.1", "0T²+0T+0", "U"},
    {"d_lp", "%r14.2", "0T²+0T+⊥", "U"}, {"d_af", "%r14.4", "⊥T²+⊥T+⊥", "D"},
};

static void test_003_figure_2(void **unused) {
    (void)unused;
    check_states("003_fig1_avg_square", "avgSquare", 2, avg_square, 8);
    check_states("003_fig1_avg_square", "avgSquare", LS_DEGREE_SIMPLE, avg_square, 8);
    check_states("003_fig1_sum_triangle", "sumTriangle", 2, sum_triangle, 8);
    check_states("003_fig1_sum_triangle", "sumTriangle", LS_DEGREE_SIMPLE, sum_triangle, 8);
}

/* Figures 11 and 14: p0, the loop's condition, is divergent; p1, the condition on d inside of it, is not, as
 * d1 and d2 are uniform; d3, which η takes out of the loop, is divergent. */
static void test_003_figures_9_11_14(void **unused) {
    (void)unused;
    static const row slice[] = {
        {"p0", "%p2", "⊥T+⊥", "D"},    {"p1", "%p3", "0T+⊥", "U"},    {"d0", "%r14.1", "0T+0", "U"},
        {"d1", "%r14.2", "0T+⊥", "U"}, {"d2", "%r14.3", "0T+⊥", "U"}, {"d3", "%r14.4", "⊥T+⊥", "D"},
        {"i0", "%r15.1", "T+0", "D"},  {"i1", "%r15.2", "T+⊥", "D"},  {"L0", "%r2", "⊥T+⊥", "D"}};
    check_states("003_fig1_sum_triangle", "sumTriangle", 1, slice, 9);
    check_states("003_fig1_sum_triangle", "sumTriangle", LS_DEGREE_SIMPLE, slice, 9);
    subject s = load("003_fig1_sum_triangle", "sumTriangle", (ls_analyze_options){.degree = 1});
    uint32_t divergent_loops = 0, uniform = 0;
    for (uint32_t i = 0; i < s.a->branch_count; i++) {
        divergent_loops += s.a->branches[i].divergent && s.a->branches[i].is_loop_exit;
        uniform += !s.a->branches[i].divergent;
    }
    assert_int_equal(divergent_loops, 1);
    assert_int_equal(uniform, 1); /* d % 2 */
    drop(&s);
    s = load("003_fig1_avg_square", "avgSquare", (ls_analyze_options){.degree = 1});
    for (uint32_t i = 0; i < s.a->branch_count; i++)
        assert_false(s.a->branches[i].divergent && s.a->branches[i].is_loop_exit);
    drop(&s);
}

static void test_003_figure_15(void **unused) {
    (void)unused;
    static const row first[] = {{"n", "%r5", "0T+⊥", ""},
                                {"i0", "%r8.1", "⊥T+0", ""},
                                {"i1", "%r8.2", "⊥T+⊥", ""},
                                {"i2", "%r8.3", "⊥T+⊥", ""},
                                {"k", "%r2", "⊥T+⊥", ""}};
    static const row second[] = {{"n", "%r5", "0T²+0T+⊥", ""},
                                 {"i0", "%r8.1", "0T²+⊥T+0", ""},
                                 {"i1", "%r8.2", "0T²+⊥T+⊥", ""},
                                 {"i2", "%r8.3", "0T²+⊥T+⊥", ""},
                                 {"k", "%r2", "0T²+⊥T+⊥", ""}};
    check_states("003_fig15_rows", "_Z1s", 1, first, 5);
    check_states("003_fig15_rows", "_Z1s", 2, second, 5);
}

/* --- 001
 * ------------------------------------------------------------------------------------------------------- */

/* Lines with a flagged access, each once, in order. */
static uint32_t flagged_lines(const subject *s, uint32_t *lines) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->a->access_count; i++) {
        if (!s->a->accesses[i].flagged) continue;
        uint32_t line = s->a->accesses[i].access->instr->pos->line;
        if (!count || lines[count - 1] != line) lines[count++] = line;
    }
    return count;
}

static uint32_t flagged_of(const subject *s, const char *base) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->a->access_count; i++) {
        const ls_access_result *r = &s->a->accesses[i];
        const ls_ir_access *access = r->access;
        count += r->flagged && access->base_count == 1 && strstr(access->bases[0]->name, base) != NULL;
    }
    return count;
}

static void test_001_figure_1(void **unused) {
    (void)unused;
    for (int domain = LS_DOMAIN_LANES; domain <= LS_DOMAIN_GPUDRANO; domain++) {
        subject s = load("001_fig1", "examples", (ls_analyze_options){.domain = (ls_analyze_domain)domain});
        uint32_t lines[64];
        assert_int_equal(flagged_lines(&s, lines), 1); /* not the one of a single thread */
        assert_int_equal(lines[0], 7);
        if (domain == LS_DOMAIN_LANES)
            for (uint32_t i = 0; i < s.a->access_count; i++) {
                const ls_access_result *r = &s.a->accesses[i];
                if (!r->flagged) continue;
                assert_int_equal(r->pattern, LS_PATTERN_STRIDED);
                assert_int_equal(r->stride_bytes, 32);
                assert_int_equal(r->cost.sectors, 32);
                assert_int_equal(r->cost.lines, 8); /* "about 8x slower" */
                assert_int_equal(r->cost.minimum_sectors, 4);
            }
        drop(&s);
    }
}

static void test_001_figure_2(void **unused) {
    (void)unused;
    for (int domain = LS_DOMAIN_LANES; domain <= LS_DOMAIN_GPUDRANO; domain++) {
        ls_analyze_options options = {.domain = (ls_analyze_domain)domain};
        subject s = load("001_fig2a_fan2", "fan2", options);
        assert_int_equal(flagged_of(&s, "param_0"), 2); /* A[xy], read and written; not A[ty] */
        assert_int_equal(flagged_of(&s, "param_1"), 0); /* B[x], B[t] */
        assert_int_equal(flagged_of(&s, "param_2"), 2); /* M[xt], twice */
        drop(&s);
        s = load("001_fig2b_fan2_fixed", "fan2", options);
        uint32_t lines[64];
        assert_int_equal(flagged_lines(&s, lines), 0);
        drop(&s);
    }
}

/* The comments in Figure 2a are GPUDrano's states. */
static void test_001_states(void **unused) {
    (void)unused;
    subject s = load("001_fig2a_fan2", "fan2", (ls_analyze_options){.domain = LS_DOMAIN_GPUDRANO});
    uint32_t tops = 0, ones = 0;
    for (uint32_t i = 0; i < s.ir->access_count; i++) {
        const ls_ir_access *access = s.ir->accesses[i];
        if (access->space != LS_SPACE_GLOBAL || access->term_count != 1) continue;
        const char *state = ls_analysis_gpudrano(s.a, access->terms[0].value);
        tops += !strcmp(state, "⊤");
        ones += !strcmp(state, "1");
    }
    assert_int_equal(tops, 4); /* xy (read, write), xt (twice) */
    assert_int_equal(ones, 2); /* x (read, write) */
    drop(&s);
}

/* --- 004 and transposes
 * ------------------------------------------------------------------------------------------ */

static void test_004_figure_2(void **unused) {
    (void)unused;
    ls_analyze_options options = {.block = {32, 1, 1}};
    subject s = load("004_fig2_banks", "_Z9conflicts", options);
    uint32_t flagged = 0;
    for (uint32_t i = 0; i < s.a->access_count; i++) {
        const ls_access_result *r = &s.a->accesses[i];
        if (!r->flagged) continue;
        flagged++;
        assert_int_equal(r->cost.degree, 32);
        uint32_t banks = 0, words = 0;
        for (uint32_t b = 0; b < 32; b++) banks += r->cost.banks[b] != 0, words += r->cost.banks[b];
        assert_int_equal(banks, 1);
        assert_int_equal(words, 32);
        assert_non_null(r->suggestion);
    }
    assert_int_equal(flagged, 1);
    drop(&s);
    s = load("004_fig2_banks", "no_conflicts", options);
    for (uint32_t i = 0; i < s.a->access_count; i++)
        if (s.a->accesses[i].access->space == LS_SPACE_SHARED) {
            assert_int_equal(s.a->accesses[i].cost.degree, 1);
            assert_true(s.a->accesses[i].known);
        }
    drop(&s);
}

static void test_transposes(void **unused) {
    (void)unused;
    static const struct {
        const char *kernel;
        uint32_t global, shared; /* flagged */
    } cases[] = {{"naive", 1, 0}, {"conflicting", 0, 1}, {"padded", 0, 0}, {"swizzled", 0, 0}};
    for (uint32_t c = 0; c < 4; c++) {
        subject s = load("transpose", cases[c].kernel, (ls_analyze_options){.block = {32, 32, 1}});
        uint32_t global = 0, shared = 0;
        for (uint32_t i = 0; i < s.a->access_count; i++) {
            const ls_access_result *r = &s.a->accesses[i];
            bool is_shared = r->access->space == LS_SPACE_SHARED;
            assert_true(r->known);
            global += r->flagged && !is_shared;
            shared += r->flagged && is_shared;
            if (r->flagged && is_shared) assert_non_null(strstr(r->suggestion, "a pitch of 33"));
            if (r->flagged && !is_shared) assert_non_null(strstr(r->suggestion, "swap the roles"));
        }
        assert_int_equal(global, cases[c].global);
        assert_int_equal(shared, cases[c].shared);
        drop(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_003_figure_2),  cmocka_unit_test(test_003_figures_9_11_14),
        cmocka_unit_test(test_003_figure_15), cmocka_unit_test(test_001_figure_1),
        cmocka_unit_test(test_001_figure_2),  cmocka_unit_test(test_001_states),
        cmocka_unit_test(test_004_figure_2),  cmocka_unit_test(test_transposes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
