/* The figures of paper 000, executable: Figures 1a and 3 (a correct scan), 1b (barrier divergence), the sort
 * order of §4, Figures 5 and 7 (the predicated and the lock-step program of Figure 3, word by word), and the
 * kernel of §5 that shows why well-formedness is required. */
#include "kernel_test.h"

static const ls_model_semantics all_semantics[] = {LS_MODEL_INTERLEAVING, LS_MODEL_PREDICATED,
                                                   LS_MODEL_LOCKSTEP};

static void fig3_scan_is_correct(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads++) {
        ls_model *model = model_of_file("fig3_scan.kernel", threads);
        assert_int_equal(ls_model_well_formed(model, NULL), LS_MODEL_WELL_FORMED);
        ls_model_result *results[3];
        for (int s = 0; s < 3; s++) {
            results[s] = ls_model_explore(model, all_semantics[s], NULL);
            assert_int_equal(results[s]->verdict, LS_MODEL_CORRECT);
            assert_int_equal(results[s]->final_stores, 1);
        }
        assert_int_equal(ls_model_compare(results[0], results[1]), LS_MODEL_AGREE);
        assert_int_equal(ls_model_compare(results[0], results[2]), LS_MODEL_AGREE);
        for (int s = 0; s < 3; s++) ls_model_result_free(results[s]);
        ls_model_free(model);
    }
}

/* The same scan with assertions on what it computes: the prefix sums of 1, 2, 3, 0. */
static void fig3_scan_computes_prefix_sums(void **state) {
    (void)state;
    ls_buf text = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels/fig3_scan.kernel", TEST_DIR);
    assert_true(ls_read_file(path, &text));
    const char *init = strstr(text.text, "= 1;"), *end = strstr(text.text, "goto End;");
    assert_non_null(init);
    assert_non_null(end);
    for (int wrong = 0; wrong < 2; wrong++) {
        ls_buf changed = {0};
        ls_buf_add(&changed, text.text, (size_t)(init - text.text));
        ls_buf_puts(&changed, "= {1, 2, 3, 0};");
        ls_buf_add(&changed, init + 4, (size_t)(end - init - 4));
        ls_buf_printf(&changed,
                      "barrier; assert sum[0] == 1 && sum[1] == 3 && sum[2] == 6 && sum[3] == %d; %s",
                      6 + wrong, end);
        ls_model *model = model_of(changed.text, 4);
        for (int s = 0; s < 3; s++) {
            ls_model_result *result = ls_model_explore(model, all_semantics[s], NULL);
            assert_int_equal(result->verdict, wrong ? LS_MODEL_INCORRECT : LS_MODEL_CORRECT);
            assert_int_equal(has_rule(result, "assert"), wrong);
            ls_model_result_free(result);
        }
        ls_model_free(model);
        ls_buf_free(&changed);
    }
    ls_buf_free(&text);
}

/* "If either of the barriers were omitted the kernel would be prone to a data race" (§2). */
static void fig3_scan_races_without_a_barrier(void **state) {
    (void)state;
    ls_buf text = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels/fig3_scan.kernel", TEST_DIR);
    assert_true(ls_read_file(path, &text));
    for (const char *at = strstr(text.text, "barrier;"); at; at = strstr(at + 1, "barrier;")) {
        char *copy = strdup(text.text);
        memcpy(copy + (at - text.text), "skip;   ", 8);
        ls_model *model = model_of(copy, 4);
        for (int s = 0; s < 3; s++) {
            ls_model_result *result = ls_model_explore(model, all_semantics[s], NULL);
            assert_false(result->race_free);
            assert_true(has_rule(result, "race.shared"));
            assert_string_equal(result->findings[0].variable, "sum");
            ls_model_result_free(result);
        }
        ls_model_free(model);
        free(copy);
    }
    ls_buf_free(&text);
}

static void fig1b_diverges(void **state) {
    (void)state;
    for (uint32_t threads = 2; threads <= 4; threads++) {
        ls_model *model = model_of_file("fig1b_barrier_divergence.kernel", threads);
        for (int s = 0; s < 3; s++) {
            ls_model_result *result = ls_model_explore(model, all_semantics[s], NULL);
            assert_int_equal(result->verdict, LS_MODEL_INCORRECT);
            assert_true(has_rule(result, "barrier.divergence"));
            assert_int_equal(result->findings[0].place.line, 17); /* the first barrier */
            assert_true(result->findings[0].trace_length > 0);
            ls_model_result_free(result);
        }
        ls_model_free(model);
    }
}

static void sort_order_of_section_4(void **state) {
    (void)state;
    ls_model *model = model_of_file("fig3_scan.kernel", 4);
    char *text = ls_model_print(model, LS_MODEL_PRINT_SORT_ORDER);
    assert_string_equal(text, "Start ≤ W ≤ I1 ≤ I1' ≤ B1 ≤ I2 ≤ I2' ≤ B2 ≤ Wlast ≤ Wend ≤ Exit\n"
                              "loop W: {W, I1, I1', B1, I2, I2', B2, Wlast}, last Wlast\n");
    free(text);
    ls_model_free(model);
}

static void expect_part(const ls_model *model, ls_model_form form, const char *part) {
    char *text = ls_model_print(model, form);
    if (!strstr(text, part)) print_error("not in:\n%s", text);
    assert_non_null(strstr(text, part));
    free(text);
}

static void fig5_predicated(void **state) {
    (void)state;
    ls_model *model = model_of_file("fig3_scan.kernel", 4);
    /* as printed in the paper, but: the assume stands before v_active := as Table 2 has it (the figure has
     * the two exchanged), and the kernel ends with the barrier that §4 asks for */
    expect_part(
        model, LS_MODEL_PRINT_PREDICATED,
        "B2:\n"
        "    barrier (v_active = B2);\n"
        "    v_next :∈ {Wlast};\n"
        "    v_active := (v_active = B2) ? v_next : v_active;\n"
        "    goto Wlast;\n"
        "Wlast:\n"
        "    offset := (v_active = Wlast) ? (2 · offset) : offset;\n"
        "    v_next :∈ {W, Wend};\n"
        "    assume (v_active = Wlast) ⇒ (((v_next = W) ⇒ (offset < TS)) ∧ ((v_next = Wend) ⇒ (offset ≥ "
        "TS)));\n"
        "    v_active := (v_active = Wlast) ? v_next : v_active;\n"
        "    goto Wback, Wexit;\n"
        "Wback:\n"
        "    assume v_active = W;\n"
        "    goto W;\n"
        "Wexit:\n"
        "    assume v_active ≠ W;\n"
        "    goto Wend;\n");
    expect_part(model, LS_MODEL_PRINT_PREDICATED, "Exit:\n    barrier (v_active = Exit);\n    goto End;\n");
    ls_model_free(model);
}

static void fig7_lockstep(void **state) {
    (void)state;
    ls_model *model = model_of_file("fig3_scan.kernel", 4);
    expect_part(
        model, LS_MODEL_PRINT_LOCKSTEP,
        "B2:\n"
        "    assert (∨ₜ (v_active,t = B2)) ⇒ (∧ₜ (v_active,t = B2));\n"
        "    ⟨v_next,t⟩ :∈ ⟨{Wlast}⟩;\n"
        "    ⟨v_active,t⟩ := ⟨(v_active,t = B2) ? v_next,t : v_active,t⟩;\n"
        "    goto Wlast;\n"
        "Wlast:\n"
        "    ⟨offset_t⟩ := ⟨(v_active,t = Wlast) ? (2 · offset_t) : offset_t⟩;\n"
        "    ⟨v_next,t⟩ :∈ ⟨{W, Wend}⟩;\n"
        "    assume ∧ₜ ((v_active,t = Wlast) ⇒ (((v_next,t = W) ⇒ (offset_t < TS)) ∧ ((v_next,t = Wend) ⇒ "
        "(offset_t ≥ TS))));\n"
        "    ⟨v_active,t⟩ := ⟨(v_active,t = Wlast) ? v_next,t : v_active,t⟩;\n"
        "    goto Wback, Wexit;\n"
        "Wback:\n"
        "    assume ∨ₜ (v_active,t = W);\n"
        "    goto W;\n"
        "Wexit:\n"
        "    assume ∧ₜ (v_active,t ≠ W);\n"
        "    goto Wend;\n");
    expect_part(model, LS_MODEL_PRINT_LOCKSTEP,
                "sum[·] := ψ(⟨v_active,t = I2, tid_t, sum[tid_t] + temp_t⟩);\n");
    ls_model_free(model);
}

/* §5: "the interleaving semantics … termination occurs with a data race"; in lock-step "reduction always
 * terminates with infeasible and no data race occurs". */
static void section5_needs_well_formedness(void **state) {
    (void)state;
    ls_model *model = model_of_file("sec5_ill_formed.kernel", 2);
    const char *block = NULL;
    assert_int_equal(ls_model_well_formed(model, &block), LS_MODEL_ILL_FORMED);
    assert_string_equal(block, "Start");
    ls_model_result *interleaving = ls_model_explore(model, LS_MODEL_INTERLEAVING, NULL);
    ls_model_result *lockstep = ls_model_explore(model, LS_MODEL_LOCKSTEP, NULL);
    assert_false(interleaving->race_free);
    assert_true(interleaving->final_stores > 0);
    assert_true(lockstep->race_free);
    assert_int_equal(lockstep->final_stores, 0);
    assert_int_equal(ls_model_compare(interleaving, lockstep), LS_MODEL_DISAGREE);
    ls_model_result_free(interleaving);
    ls_model_result_free(lockstep);
    ls_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fig3_scan_is_correct),
        cmocka_unit_test(fig3_scan_computes_prefix_sums),
        cmocka_unit_test(fig3_scan_races_without_a_barrier),
        cmocka_unit_test(fig1b_diverges),
        cmocka_unit_test(sort_order_of_section_4),
        cmocka_unit_test(fig5_predicated),
        cmocka_unit_test(fig7_lockstep),
        cmocka_unit_test(section5_needs_well_formedness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
