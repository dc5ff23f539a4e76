/* Random small kernels in which threads wait for each other (messages.h) in the verifier, in the emulator
 * under several schedules, and in a reference that tries all orders. What the reference finds wrong, with
 * flags that are 0 at the start, must not be proved; what it finds right whatever they are must not be
 * refuted; and the emulator must not report what the reference finds right.
 *
 *     LOCKSTEP_KERNELS=100000 replay_test_messages   more of them, from LOCKSTEP_SEED on */
#include "messages.h"
#include "soak.h"

enum { USUAL = 120 };

typedef struct {
    soak_kernel k;
    messages m;
} trial;

static bool run_once(trial *t, ls_emu_schedule schedule, uint64_t seed) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(t->k.module, t->k.diags);
    ls_emu_launch l = {.kernel = "k", .grid = {t->m.grid, 1, 1}, .block = {t->m.block, 1, 1}};
    const char *specs[] = {"u32[64]=0", "u32[64]=0"};
    ls_emu_args args;
    bool wrong = false;
    const ls_ptx_function *f = ls_ptx_find_function(t->k.module, "k");
    assert_true(emulator &&
                ls_emu_args_make(emulator, f, l.grid, l.block, 0, specs, 2, NULL, &arena, &args, t->k.diags));
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
    ls_verify_result *r = soak_verify(&t->k, 0.5);
    ls_verdict verdict = r->verdict;
    for (const ls_finding *f = r->findings; f; f = f->next) /* threads may be missing at a barrier, too */
        if (f->level == LS_ERROR && !ls_rule_is_race(f->rule)) verdict = LS_UNKNOWN;
    ls_verify_free(r);
    return verdict;
}

static void compare(trial *t) {
    const int wrong = messages_wrong(&t->m, (uint32_t[FLAGS]){0, 0});
    const ls_verdict verdict = verify_it(t);
    const bool seen = run_all(t);
    soak_count(t->k.sum, verdict, wrong < 0, wrong > 0, wrong > 0 && !seen);
    if (wrong < 0) return;
    if (verdict == LS_PROVED && wrong) complain(&t->k, "is proved, and goes wrong in the reference");
    if (verdict == LS_PROVED && seen) complain(&t->k, "is proved, and goes wrong in the emulator");
    if (seen && !wrong)
        complain(&t->k, "is reported by the emulator, and does not go wrong in the reference");
    if (verdict == LS_REFUTED && !wrong && !messages_wrong_for_any(&t->m))
        complain(&t->k, "is refuted, and does not go wrong in the reference");
    if (getenv("LOCKSTEP_SHOW") && verdict == LS_UNKNOWN)
        printf("seed %llu: %s\n%s", (unsigned long long)t->k.seed, wrong ? "wrong" : "right", t->k.text);
}

static void try_kernel(uint64_t seed, tally *sum) {
    trial t = {.m = messages_draw(seed)};
    t.k = soak_open(seed, t.m.block, t.m.grid, messages_emit(&t.m), sum);
    compare(&t);
    soak_close(&t.k);
}

static void test_all_agree(void **state) {
    (void)state;
    tally sum = {0};
    const uint64_t kernels = soak_all(try_kernel, USUAL, &sum);
    assert_true(kernels < USUAL ||
                (sum.proved > USUAL / 8 && sum.wrong > USUAL / 8)); /* or nothing is tried */
}

/* What was wrong once: one flag that holds 0 before the launch and another that does not, which the reference
 * did not try (21200000008892). */
static void test_what_was_wrong(void **state) {
    (void)state;
    tally sum = {0};
    try_kernel(UINT64_C(21200000008892), &sum);
    assert_int_equal(sum.errors, 0);
    assert_int_equal(sum.refuted, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_agree),
                                       cmocka_unit_test(test_what_was_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
