/* Random small kernels (program.h) in the verifier, in the emulator under several schedules, and in a small
 * reference of its own (reference.h). What the reference or the emulator finds wrong must not be proved; what
 * the reference finds right must not be refuted, nor reported by the emulator.
 *
 *     replay_test_random                     a few hundred: what CI runs
 *     LOCKSTEP_KERNELS=100000 replay_test_random   the soak; LOCKSTEP_SEED says where it starts, and
 *                                                  LOCKSTEP_KEEP_GOING=1 reports more than the first error */
#include "reference.h"
#include "soak.h"

enum { USUAL = 200, RUN_PARAMETER = 17 };

typedef struct {
    soak_kernel k;
    program p;
} trial;

/* --- The reference --- */
/* How the conditions on the parameter come out with one value of it: bit n of each round is statement n's. */
typedef struct {
    uint64_t holds[ROUNDS];
} outcome;

static outcome outcome_of(const program *p, uint32_t parameter) {
    outcome o = {{0}};
    for (uint32_t n = 0; n < p->count; n++)
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const place at = {.round = round, .parameter = parameter};
            const condition *c = &p->statements[n].when;
            if (p->statements[n].does >= DO_RETURN && c->left == OF_PARAMETER && condition_holds(c, &at))
                o.holds[round] |= UINT64_C(1) << n;
        }
    return o;
}

enum { MOST_OUTCOMES = 256, PERIOD = 32 /* of all masks that conditions have */ };
typedef struct {
    outcome seen[MOST_OUTCOMES];
    int count, wrong;
} outcomes;

/* The values from this one on, with every remainder that masks leave: those for which a condition comes out
 * as for none before. */
static void try_from(outcomes *all, const program *p, uint32_t first) {
    for (uint32_t n = first; n - first < PERIOD; n++) {
        const outcome o = outcome_of(p, n);
        bool is_new = all->count < MOST_OUTCOMES;
        for (int i = 0; i < all->count; i++) is_new &= !!memcmp(&all->seen[i], &o, sizeof o);
        if (!is_new) continue;
        all->seen[all->count++] = o;
        all->wrong |= program_wrong(p, n);
    }
}

/* For any value of the parameter. Only conditions depend on it. */
static int wrong_for_any(const program *p) {
    outcomes all = {.count = 0};
    try_from(&all, p, 0);
    try_from(&all, p, ROUNDS);
    for (uint32_t n = 0; n < p->count; n++) {
        const condition *c = &p->statements[n].when;
        if (p->statements[n].does < DO_RETURN || c->left != OF_PARAMETER || c->right != OF_NOTHING) continue;
        try_from(&all, p, c->number);
        try_from(&all, p, c->number + 1);
    }
    assert_true(all.count < MOST_OUTCOMES);
    return all.wrong;
}

/* --- The emulator --- */
static int wrong_of_rule(ls_rule rule) {
    switch (rule) {
    case LS_RULE_RACE_SHARED:
    case LS_RULE_RACE_GLOBAL: return WRONG_RACE;
    case LS_RULE_BARRIER_DIVERGENCE: return WRONG_BARRIER;
    case LS_RULE_ASSERT: return WRONG_TRAP;
    default: return 0;
    }
}

static int run_once(trial *t, ls_emu_schedule schedule, uint32_t workers) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(t->k.module, t->k.diags);
    ls_emu_launch l = {.kernel = "k", .grid = {t->p.grid, 1, 1}, .block = {t->p.block, 1, 1}};
    const char *specs[] = {"u32[2048]", "u32[2048]", "u32[8]", "u32=17"};
    ls_emu_args args;
    int wrong = 0;
    const ls_ptx_function *f = ls_ptx_find_function(t->k.module, "k");
    if (!emulator ||
        !ls_emu_args_make(emulator, f, l.grid, l.block, 0, specs, 4, NULL, &arena, &args, t->k.diags)) {
        complain(&t->k, "the emulator does not run it");
    } else {
        l.params = args.params;
        l.params_size = args.params_size;
        ls_emu_options how = {.checks = LS_CHECK_RACE | LS_CHECK_BARRIER,
                              .threads = workers,
                              .schedule = schedule,
                              .seed = 7,
                              .timeout = 60};
        ls_emu_result *r = ls_emulator_run(emulator, &l, &how);
        if (r->status == LS_EMU_STUCK) wrong |= WRONG_BARRIER;
        if (r->status == LS_EMU_TRAPPED) wrong |= WRONG_TRAP;
        if (r->status != LS_EMU_DONE && !wrong)
            complain(&t->k, r->message ? r->message : "the run has no end");
        for (uint32_t i = 0; i < r->finding_count; i++)
            if (r->findings[i].level == LS_ERROR) wrong |= wrong_of_rule(r->findings[i].rule);
        ls_emu_result_free(r);
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
    return wrong;
}

static int run_all(trial *t) {
    int all = 0;
    for (int s = LS_SCHEDULE_RR; s <= LS_SCHEDULE_RANDOM; s++) all |= run_once(t, (ls_emu_schedule)s, 1);
    return all;
}

/* --- The verifier --- */
typedef struct {
    ls_verdict verdict;
    int found;
} answer;

static answer verify_it(trial *t) {
    ls_verify_result *r = soak_verify(&t->k, 2);
    answer a = {.verdict = r->verdict};
    for (const ls_finding *f = r->findings; f; f = f->next) {
        if (f->level != LS_ERROR) continue;
        a.found |= wrong_of_rule(f->rule);
    }
    ls_verify_free(r);
    return a;
}

/* --- One kernel --- */
/* What is found must be there; what it does behind a wrong barrier or a trap is not told. */
static bool is_there(int found, int wrong) {
    return wrong & (WRONG_BARRIER | WRONG_TRAP) ? true : !(found & ~wrong);
}

static void compare(trial *t) {
    const answer a = verify_it(t);
    const int any = wrong_for_any(&t->p), here = program_wrong(&t->p, RUN_PARAMETER), seen = run_all(t);
    const bool is_open = any & WRONG_OPEN;
    soak_count(t->k.sum, a.verdict, is_open, any != 0, here && !seen);
    if (is_open) return;
    if (a.verdict == LS_PROVED && any) complain(&t->k, "is proved, and goes wrong in the reference");
    if (a.verdict == LS_PROVED && seen) complain(&t->k, "is proved, and goes wrong in the emulator");
    if (!is_there(a.found, any)) complain(&t->k, "is refuted, and does not go wrong in the reference");
    if (!is_there(seen, here))
        complain(&t->k, "is reported by the emulator, and does not go wrong in the reference");
    if (here && !seen && getenv("LOCKSTEP_SHOW"))
        printf("seed %llu: silent %d\n%s", (unsigned long long)t->k.seed, here, t->k.text);
}

static void try_kernel(uint64_t seed, tally *sum) {
    trial t = {.p = program_draw(seed)};
    t.k = soak_open(seed, t.p.block, t.p.grid, program_emit(&t.p), sum);
    compare(&t);
    soak_close(&t.k);
}

static void test_all_agree(void **state) {
    (void)state;
    tally sum = {0};
    const uint64_t kernels = soak_all(try_kernel, USUAL, &sum);
    assert_true(kernels < USUAL || (sum.proved && sum.right && sum.wrong)); /* or nothing is tried */
}

/* What was wrong once: a strong write by the one thread that has read weakly among strong readers (55714,
 * 6030), races "confirmed" by equal values (92086, 56647, 73836), a write behind a release that counted as
 * part of it (671), threads that the reference did not see coming from a barrier of a part (305831), a race
 * where n & 31 is 16 and n is not, which the reference did not try (2000424), two barriers with one number
 * at the same time, which it took for two (21102000009634), and a store of what another thread had stored and
 * then added to (21102000024596). */
static void test_what_was_wrong(void **state) {
    (void)state;
    static const uint64_t seeds[] = {55714,
                                     6030,
                                     92086,
                                     56647,
                                     73836,
                                     671,
                                     305831,
                                     2000424,
                                     UINT64_C(21102000009634),
                                     UINT64_C(21102000024596)};
    tally sum = {0};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) try_kernel(seeds[i], &sum);
    print_tally(&sum);
    assert_int_equal(sum.errors, 0);
    assert_int_equal(sum.missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_agree),
                                       cmocka_unit_test(test_what_was_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
