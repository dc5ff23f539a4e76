/* What the soaks of random kernels have in common: a kernel from its seed to its IR, the count of what came
 * out, complaints, and the run over many seeds. */
#ifndef TESTS_REPLAY_SOAK_H
#define TESTS_REPLAY_SOAK_H

#include "launch/args.h"
#include "lockstep/ptx.h"
#include "lockstep/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    uint32_t kernels, right, wrong, open;
    uint32_t proved, refuted, confirmed, unknown;
    uint32_t unknown_wrong, unknown_right; /* verdicts that are missing */
    uint32_t missed;                       /* wrong for sure, and silent in the emulator */
    uint32_t errors;
} tally;

typedef struct {
    uint64_t seed;
    uint32_t block, grid;
    char *text;
    ls_ptx_module *module;
    ls_ir_function *ir;
    ls_diags *diags;
    tally *sum;
} soak_kernel;

static void complain(soak_kernel *k, const char *about) {
    printf("seed %llu (blocks of %u, %u of them): %s\n%s\n", (unsigned long long)k->seed, k->block, k->grid,
           about, k->text);
    k->sum->errors++;
}

/* Takes the text. */
static soak_kernel soak_open(uint64_t seed, uint32_t block, uint32_t grid, char *text, tally *sum) {
    soak_kernel k = {seed, block, grid, text, NULL, NULL, ls_diags_new(), sum};
    k.module = ls_ptx_parse(text, strlen(text), "k.ptx", k.diags);
    if (!k.module) fail_msg("seed %llu does not parse:\n%s", (unsigned long long)seed, text);
    k.ir =
        ls_ir_build(k.module, ls_ptx_find_function(k.module, "k"), &(ls_ir_options){.quiet = true}, k.diags);
    assert_non_null(k.ir);
    sum->kernels++;
    return k;
}

static void soak_close(soak_kernel *k) {
    ls_ir_free(k->ir);
    ls_ptx_module_free(k->module);
    ls_diags_free(k->diags);
    free(k->text);
}

static ls_verify_result *soak_verify(const soak_kernel *k, double seconds_of_replay) {
    ls_verify_options how = {.block = {k->block, 1, 1}, .grid = {k->grid, 1, 1}, .timeout = 4};
    ls_verify_result *r = ls_verify(k->ir, &how);
    ls_replay_findings(r, k->ir, &how, seconds_of_replay);
    bool confirmed = false;
    for (const ls_finding *f = r->findings; f; f = f->next)
        confirmed |= f->level == LS_ERROR && f->replay == LS_REPLAY_CONFIRMED;
    k->sum->confirmed += confirmed;
    if (getenv("LOCKSTEP_SHOW"))
        for (const ls_verify_note *n = r->reasons; n; n = n->next)
            printf("seed %llu: unknown: %s\n", (unsigned long long)k->seed, n->text);
    return r;
}

/* Counts the verdict, beside what the reference says. */
static void soak_count(tally *sum, ls_verdict verdict, bool is_open, bool wrong, bool missed) {
    sum->proved += verdict == LS_PROVED;
    sum->refuted += verdict == LS_REFUTED;
    sum->unknown += verdict == LS_UNKNOWN;
    sum->open += is_open;
    if (is_open) return;
    sum->right += !wrong;
    sum->wrong += wrong;
    sum->unknown_wrong += verdict == LS_UNKNOWN && wrong;
    sum->unknown_right += verdict == LS_UNKNOWN && !wrong;
    sum->missed += missed;
}

static void print_tally(const tally *s) {
    printf("%u kernels: %u right, %u wrong, %u open; %u proved, %u refuted (%u confirmed), %u unknown (%u of "
           "them wrong, %u right); %u wrong ones silent in the emulator; %u errors\n",
           s->kernels, s->right, s->wrong, s->open, s->proved, s->refuted, s->confirmed, s->unknown,
           s->unknown_wrong, s->unknown_right, s->missed, s->errors);
    fflush(stdout);
}

/* As many as LOCKSTEP_KERNELS says, from LOCKSTEP_SEED on, to the first error unless LOCKSTEP_KEEP_GOING. */
static uint64_t soak_all(void (*try_kernel)(uint64_t seed, tally *sum), uint64_t usual, tally *sum) {
    const char *count = getenv("LOCKSTEP_KERNELS"), *seed = getenv("LOCKSTEP_SEED");
    const uint64_t kernels = count ? strtoull(count, NULL, 10) : usual,
                   first = seed ? strtoull(seed, NULL, 10) : 1;
    for (uint64_t i = 0; i < kernels && (!sum->errors || getenv("LOCKSTEP_KEEP_GOING")); i++) {
        try_kernel(first + i, sum);
        if (sum->kernels % 1000 == 0) print_tally(sum);
    }
    print_tally(sum);
    assert_int_equal(sum->errors, 0);
    return kernels;
}

#endif
