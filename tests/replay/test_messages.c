/* Random small kernels in which threads wait for each other (messages.h) in the verifier, in the emulator
 * under several schedules, and in a reference that tries all orders. What the reference finds wrong, with
 * flags that are 0 at the start, must not be proved; what it finds right whatever they are must not be
 * refuted; and the emulator must not report what the reference finds right.
 *
 *     LOCKSTEP_KERNELS=100000 replay_test_messages   more of them, from LOCKSTEP_SEED on */
#include "launch/args.h"
#include "lockstep/ptx.h"
#include "lockstep/replay.h"
#include "messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { USUAL = 120 };

typedef struct {
    uint32_t kernels, right, wrong, open;
    uint32_t proved, refuted, unknown, unknown_right, unknown_wrong;
    uint32_t missed; /* wrong, and silent in the emulator's schedules */
    uint32_t errors;
} tally;

typedef struct {
    uint64_t seed;
    messages m;
    char *text;
    ls_ptx_module *module;
    ls_ir_function *ir;
    ls_diags *diags;
    tally *sum;
} trial;

static void complain(trial *t, const char *about) {
    printf("seed %llu (blocks of %u, %u of them): %s\n%s\n", (unsigned long long)t->seed, t->m.block,
           t->m.grid, about, t->text);
    t->sum->errors++;
}

static bool run_once(trial *t, ls_emu_schedule schedule, uint64_t seed) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(t->module, t->diags);
    ls_emu_launch l = {.kernel = "k", .grid = {t->m.grid, 1, 1}, .block = {t->m.block, 1, 1}};
    const char *specs[] = {"u32[64]=0", "u32[64]=0"};
    ls_emu_args args;
    bool wrong = false;
    const ls_ptx_function *f = ls_ptx_find_function(t->module, "k");
    assert_true(emulator &&
                ls_emu_args_make(emulator, f, l.grid, l.block, 0, specs, 2, NULL, &arena, &args, t->diags));
    l.params = args.params;
    l.params_size = args.params_size;
    ls_emu_options how = {.checks = LS_CHECK_RACE,
                          .threads = 1,
                          .schedule = schedule,
                          .seed = seed,
                          .most_instructions = 20000}; /* some wait for ever */
    ls_emu_result *r = ls_emulator_run(emulator, &l, &how);
    for (uint32_t i = 0; i < r->finding_count; i++)
        wrong |= r->findings[i].level == LS_ERROR && ls_rule_is_race(r->findings[i].rule);
    ls_emu_result_free(r);
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
    return wrong;
}

static bool run_all(trial *t) {
    bool wrong = false;
    for (int s = LS_SCHEDULE_RR; s <= LS_SCHEDULE_RANDOM; s++)
        for (uint64_t seed = 1; seed < (s == LS_SCHEDULE_RANDOM ? 4 : 2); seed++)
            wrong |= run_once(t, (ls_emu_schedule)s, seed);
    return wrong;
}

static ls_verdict verify_it(trial *t) {
    ls_verify_options how = {.block = {t->m.block, 1, 1}, .grid = {t->m.grid, 1, 1}, .timeout = 4};
    ls_verify_result *r = ls_verify(t->ir, &how);
    ls_replay_findings(r, t->ir, &how, 0.5);
    ls_verdict verdict = r->verdict;
    for (const ls_finding *f = r->findings; f; f = f->next) /* threads may be missing at a barrier, too */
        if (f->level == LS_ERROR && !ls_rule_is_race(f->rule)) verdict = LS_UNKNOWN;
    if (getenv("LOCKSTEP_SHOW"))
        for (const ls_verify_note *n = r->reasons; n; n = n->next)
            printf("seed %llu: unknown: %s\n", (unsigned long long)t->seed, n->text);
    ls_verify_free(r);
    return verdict;
}

static void compare(trial *t) {
    tally *sum = t->sum;
    const int wrong = messages_wrong(&t->m, 0);
    const ls_verdict verdict = verify_it(t);
    const bool seen = run_all(t);
    sum->proved += verdict == LS_PROVED;
    sum->refuted += verdict == LS_REFUTED;
    sum->unknown += verdict == LS_UNKNOWN;
    if (wrong < 0) {
        sum->open++;
        return;
    }
    sum->right += !wrong;
    sum->wrong += wrong;
    sum->unknown_right += !wrong && verdict == LS_UNKNOWN;
    sum->unknown_wrong += wrong && verdict == LS_UNKNOWN;
    sum->missed += wrong && !seen;
    if (verdict == LS_PROVED && wrong) complain(t, "is proved, and goes wrong in the reference");
    if (verdict == LS_PROVED && seen) complain(t, "is proved, and goes wrong in the emulator");
    if (seen && !wrong) complain(t, "is reported by the emulator, and does not go wrong in the reference");
    if (verdict == LS_REFUTED && !wrong && !messages_wrong(&t->m, 1) && !messages_wrong(&t->m, 2))
        complain(t, "is refuted, and does not go wrong in the reference");
    if (getenv("LOCKSTEP_SHOW") && verdict == LS_UNKNOWN)
        printf("seed %llu: %s\n%s", (unsigned long long)t->seed, wrong ? "wrong" : "right", t->text);
}

static void try_kernel(uint64_t seed, tally *sum) {
    trial t = {.seed = seed, .m = messages_draw(seed), .sum = sum, .diags = ls_diags_new()};
    t.text = messages_emit(&t.m);
    t.module = ls_ptx_parse(t.text, strlen(t.text), "k.ptx", t.diags);
    if (!t.module) fail_msg("seed %llu does not parse:\n%s", (unsigned long long)seed, t.text);
    t.ir =
        ls_ir_build(t.module, ls_ptx_find_function(t.module, "k"), &(ls_ir_options){.quiet = true}, t.diags);
    assert_non_null(t.ir);
    sum->kernels++;
    compare(&t);
    ls_ir_free(t.ir);
    ls_ptx_module_free(t.module);
    ls_diags_free(t.diags);
    free(t.text);
}

static void print_tally(const tally *s) {
    printf("%u kernels: %u right, %u wrong, %u open; %u proved, %u refuted, %u unknown (%u of them wrong, %u "
           "right); %u wrong ones silent in the emulator; %u errors\n",
           s->kernels, s->right, s->wrong, s->open, s->proved, s->refuted, s->unknown, s->unknown_wrong,
           s->unknown_right, s->missed, s->errors);
    fflush(stdout);
}

static void test_all_agree(void **state) {
    (void)state;
    const char *count = getenv("LOCKSTEP_KERNELS"), *seed = getenv("LOCKSTEP_SEED");
    const uint64_t kernels = count ? strtoull(count, NULL, 10) : USUAL,
                   first = seed ? strtoull(seed, NULL, 10) : 1;
    tally sum = {0};
    for (uint64_t i = 0; i < kernels && (!sum.errors || getenv("LOCKSTEP_KEEP_GOING")); i++) {
        try_kernel(first + i, &sum);
        if (sum.kernels % 1000 == 0) print_tally(&sum);
    }
    print_tally(&sum);
    assert_int_equal(sum.errors, 0);
    assert_true(kernels < USUAL ||
                (sum.proved > USUAL / 8 && sum.wrong > USUAL / 8)); /* or nothing is tried */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
