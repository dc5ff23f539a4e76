/* Random programs: the paper's rules and the emulator agree on every cycle, variable and cell; and what the
 * analyses say of the gated form holds in the run (Theorems 3.2, 3.3 and 3.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lockstep/usimd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 300 };

static ls_usimd *parse(const char *text) {
    ls_diags *diags = ls_diags_new();
    ls_usimd *p = ls_usimd_parse(text, strlen(text), "random.simd", diags);
    if (!p) fail_msg("line %u: %s\n%s", ls_diags_at(diags, 0)->line, ls_diags_at(diags, 0)->message, text);
    ls_diags_free(diags);
    return p;
}

typedef struct {
    uint64_t cycles, divergent;
} totals;

static void compare(uint64_t seed, totals *t) {
    char *text = ls_usimd_random(seed);
    ls_usimd *p = parse(text);
    ls_usimd_options options = {.trace = true, .max_cycles = 100000};
    ls_usimd_result *rules = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    ls_usimd_result *emulated = ls_usimd_run(p, LS_USIMD_EMULATOR, &options);
    char *difference = ls_usimd_difference(p, rules, emulated);
    if (difference) fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, difference, text);
    t->cycles += rules->cycles;
    for (uint32_t c = 0; c < rules->trace_length; c++)
        t->divergent += rules->trace[c].active != rules->trace[0].active;
    ls_usimd_result_free(rules);
    ls_usimd_result_free(emulated);
    ls_usimd_free(p);
    free(text);
}

static void machines_agree(void **state) {
    (void)state;
    /* Programs on which the order of divergent sides once differed, on two of them with other results. */
    static const uint64_t once[] = {1278, 1379, 1400, 1738, 1769, 2066, 3447, 3632, 5145, 12899};
    totals t = {0};
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) compare(seed, &t);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) compare(once[i], &t);
    assert_true(t.cycles > 10000 && t.divergent > t.cycles / 4); /* the programs are worth the name */
}

/* PEs stay in lock-step also where many atomics look to the emulator like a loop that waits for other
 * threads. */
static void atomics_in_loops(void **state) {
    (void)state;
    ls_usimd *p = parse("threads 8\nmemory 2\n"
                        "n = tid * 400\ni = 0\nz = 0\no = 1\n"
                        "head: p = i < n\nbz p, end\nv ←a z + 1\ni = i + 1\njump head\n"
                        "end: sync\nw ←a o + 1\nstop\n");
    ls_usimd_options options = {.trace = true, .max_cycles = 100000};
    ls_usimd_result *rules = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    ls_usimd_result *emulated = ls_usimd_run(p, LS_USIMD_EMULATOR, &options);
    char *difference = ls_usimd_difference(p, rules, emulated);
    if (difference) fail_msg("%s", difference);
    assert_int_equal(emulated->memory[0], 400 * 28);
    ls_usimd_result_free(rules);
    ls_usimd_result_free(emulated);
    ls_usimd_free(p);
}

/* The comparison notices what differs. */
static void differences_are_noticed(void **state) {
    (void)state;
    ls_usimd *p = parse("memory 4\na = tid\n↑a = 7\nbz a, end\na = 5\nend: sync\nstop\n");
    ls_usimd_options options = {.trace = true};
    ls_usimd_result *a = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    ls_usimd_result *b = ls_usimd_run(p, LS_USIMD_REFERENCE, &options);
    int32_t *places[] = {&b->memory[2], &b->variables[1], (int32_t *)&b->trace[1].active,
                         (int32_t *)&b->trace[2].instruction};
    for (size_t i = 0; i <= sizeof places / sizeof *places; i++) {
        char *difference = ls_usimd_difference(p, a, b);
        assert_true((difference != NULL) == (i > 0));
        free(difference);
        if (i) *places[i - 1] ^= 1;
        if (i < sizeof places / sizeof *places) *places[i] ^= 1;
    }
    ls_usimd_result_free(a);
    ls_usimd_result_free(b);
    ls_usimd_free(p);
}

/* --- The theorems ------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_usimd_analysis *analysis;
    const ls_usimd_value **by_instruction;
    uint64_t uniform, affine;
    const char *broken;
} watcher;

/* A known coefficient of the state "(a1, a0)" or "(a2, a1, a0)". */
static bool coefficient(const char *state, uint32_t index, int64_t *value) {
    const char *at = state + 1;
    for (uint32_t i = 0; i < index; i++) at = strchr(at, ',') + 2;
    char *end;
    *value = strtoll(at, &end, 10);
    return end != at;
}

/* Where all coefficients but the last are known, what remains without them is the same for all that are
 * active, and is the last one where that is known, too. */
static bool holds(const char *state, uint32_t degree, uint32_t active, const int32_t *values, bool *said) {
    int64_t c[3] = {0}, constant;
    for (uint32_t i = 0; i < degree; i++)
        if (!coefficient(state, i, &c[2 - degree + i])) return true;
    *said = true;
    bool known = coefficient(state, degree, &constant);
    uint32_t first = 0, rest = 0;
    for (uint32_t t = 0, seen = 0; t < 32; t++) {
        if (!(active >> t & 1)) continue;
        rest = (uint32_t)values[t] - (uint32_t)c[0] * t * t - (uint32_t)c[1] * t;
        if (!seen++) first = rest;
        if (rest != first || (known && rest != (uint32_t)constant)) return false;
    }
    return true;
}

static void watch(void *context, uint32_t instruction, uint32_t active, const int32_t *values) {
    watcher *w = context;
    const ls_usimd_value *v = w->by_instruction[instruction];
    if (!v) return;
    bool said = false;
    if (v->uniform[LS_USIMD_SIMPLE]) {
        w->uniform++;
        if (!holds("(0, ⊥)", 1, active, values, &said)) w->broken = v->name;
        if (!v->uniform[LS_USIMD_DEGREE1]) w->broken = v->name; /* Corollary 3.4 */
    }
    said = false;
    if (!holds(v->states[LS_USIMD_DEGREE1], 1, active, values, &said)) w->broken = v->name;
    w->affine += said && !v->uniform[LS_USIMD_DEGREE1];
    if (!holds(v->states[LS_USIMD_DEGREE2], 2, active, values, &said)) w->broken = v->name;
}

static void analyses_hold(void **state) {
    (void)state;
    uint64_t uniform = 0, affine = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        char *text = ls_usimd_random(seed);
        ls_usimd *p = parse(text);
        ls_diags *diags = ls_diags_new();
        ls_usimd_analysis *a = ls_usimd_analyze(p, diags);
        assert_non_null(a);
        watcher w = {.analysis = a, .by_instruction = calloc(ls_usimd_instruction_count(p), sizeof(void *))};
        for (uint32_t i = 0; i < a->value_count; i++)
            if (a->values[i].instruction != UINT32_MAX)
                w.by_instruction[a->values[i].instruction] = &a->values[i];
        ls_usimd_options options = {.max_cycles = 100000, .watch = watch, .watch_context = &w};
        ls_usimd_result_free(ls_usimd_run(p, LS_USIMD_REFERENCE, &options));
        if (w.broken)
            fail_msg("seed %llu: what is said of %s does not hold\n%s", (unsigned long long)seed, w.broken,
                     text);
        uniform += w.uniform;
        affine += w.affine;
        free(w.by_instruction);
        ls_usimd_analysis_free(a);
        ls_diags_free(diags);
        ls_usimd_free(p);
        free(text);
    }
    assert_true(uniform > 1000 && affine > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(machines_agree), cmocka_unit_test(atomics_in_loops),
                                       cmocka_unit_test(differences_are_noticed),
                                       cmocka_unit_test(analyses_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
