/* Compiled execution beside the interpreter: the kernels of the emulator's benchmark, without checkers, with
 * the four of Oclgrind's kind and with all, each interpreted and compiled, in one run and in turns. CPU time
 * of one core, the least of several runs, and the spread of the compiled ones. Without checkers also what
 * compiling takes (the least of several times), quickly and well, for each 100 instructions (each variant
 * counts), and how long the code that was made quickly runs. BENCH_CHECKS=0 in the environment leaves the
 * checkers out.
 *
 * bench_jit [NAME…] runs the kernels whose name starts like that. */
#include "../emulate/loaded.h"
#include "lockstep/detect.h"
#include "lockstep/jit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 7, TIMES = 4, FOUR = LS_CHECK_RACE | LS_CHECK_BOUNDS | LS_CHECK_BANK | LS_CHECK_COALESCE };

typedef struct {
    double least, most;      /* ms */
    double compile_seconds;  /* at the end */
    uint32_t compiled_insns; /* the same */
} figure;

enum { INTERPRETED, COMPILED, QUICK, HOWS };
static const ls_emu_jit HOW[HOWS] = {LS_JIT_OFF, LS_JIT_ON, LS_JIT_QUICK};

static void measure(ls_emulator *e, const ls_emu_launch *launch, uint32_t checks, int from, int end,
                    figure *out) {
    for (int j = from; j < end; j++) out[j] = (figure){.least = 1e30};
    for (int k = 0; k < RUNS; k++)
        for (int j = from; j < end; j++) {
            ls_emu_options how = {.checks = checks,
                                  .threads = 1,
                                  .jit = HOW[j],
                                  .compiler = ls_jit_compiler(),
                                  .prover = ls_detect_prover(),
                                  .prove_from = 1};
            ls_emu_result *r = ls_emulator_run(e, launch, &how);
            double ms = r->cpu_seconds * 1e3;
            if (r->status != LS_EMU_DONE) fprintf(stderr, "%s: %s\n", launch->kernel, r->message);
            if (r->not_compiled) fprintf(stderr, "%s: %s\n", launch->kernel, r->not_compiled);
            out[j].compile_seconds = r->compile_seconds;
            out[j].compiled_insns = r->compiled_insns;
            if (ms < out[j].least) out[j].least = ms;
            if (k && ms > out[j].most) out[j].most = ms;
            ls_emu_result_free(r);
        }
}

enum { NONE, FOUR_CHECKS, ALL_CHECKS, PER_100_QUICK, PER_100, SECONDS_QUICK, SECONDS, INSNS, FIGURES };

/* Of the compilation that was done between two moments: ms for 100 instructions. */
static double per_100(const figure *before, const figure *after) {
    const uint32_t insns = after->compiled_insns - before->compiled_insns;
    return insns ? (after->compile_seconds - before->compile_seconds) * 1e5 / insns : 0;
}

/* Logarithms of the ratios, and sums of what compiling took. */
static void print_compilation(const figure *f, double *logs) {
    const double quick = per_100(&(figure){0}, &f[QUICK]), well = per_100(&f[QUICK], &f[COMPILED]);
    printf(" %5u %5.1f %8.2f %5.1f", f[QUICK].compiled_insns, quick, f[QUICK].least, well);
    logs[PER_100_QUICK] += log(quick);
    logs[PER_100] += log(well);
    logs[SECONDS_QUICK] += f[QUICK].compile_seconds;
    logs[SECONDS] += f[COMPILED].compile_seconds - f[QUICK].compile_seconds;
    logs[INSNS] += f[QUICK].compiled_insns;
}

/* Compiles it a few times more, from the beginning: the least that it takes. */
static void compile_again(const job *j, figure *f) {
    double quick = f[QUICK].compile_seconds, well = f[COMPILED].compile_seconds - quick;
    for (int k = 0; k < TIMES; k++) {
        double seconds[HOWS] = {0};
        loaded l;
        if (!load(j, &l)) return;
        for (int how = QUICK; how >= COMPILED; how--) {
            ls_emu_options o = {.threads = 1, .jit = HOW[how], .compiler = ls_jit_compiler()};
            ls_emu_result *r = ls_emulator_run(l.emulator, &l.launch, &o);
            seconds[how] = r->compile_seconds;
            ls_emu_result_free(r);
        }
        unload(&l);
        quick = fmin(quick, seconds[QUICK]);
        well = fmin(well, seconds[COMPILED] - seconds[QUICK]);
    }
    f[QUICK].compile_seconds = quick;
    f[COMPILED].compile_seconds = quick + well;
}

static void run_job(const job *j, double *logs, int *count) {
    static const uint32_t checks[] = {0, FOUR, LS_CHECK_ALL};
    const char *wanted = getenv("BENCH_CHECKS");
    const int most = wanted && !strcmp(wanted, "0") ? 1 : 3;
    loaded l;
    if (!load(j, &l)) return;
    printf("%-15s", j->name);
    for (int c = 0; c < most; c++) {
        figure f[HOWS];
        if (!c) measure(l.emulator, &l.launch, 0, QUICK, HOWS, f);
        measure(l.emulator, &l.launch, checks[c], INTERPRETED, QUICK, f);
        printf(" %8.2f %8.2f", f[INTERPRETED].least, f[COMPILED].least);
        if (!c) printf("-%-7.2f", f[COMPILED].most);
        printf(" %5.2fx", f[INTERPRETED].least / f[COMPILED].least);
        if (!c) compile_again(j, f);
        if (!c) print_compilation(f, logs);
        logs[c] += log(f[INTERPRETED].least / f[COMPILED].least);
        fflush(stdout);
    }
    (*count)++;
    printf("\n");
    unload(&l);
}

int main(int count, char **names) {
    double logs[FIGURES] = {0};
    int jobs_run = 0;
    if (!ls_jit_compiler()) {
        printf("Kernels are not compiled: Lockstep was built without LLVM.\n");
        return 0;
    }
    printf("%-15s %8s %8s %-7s %6s %5s %5s %8s %5s %8s %8s %6s %8s %8s\n", "CPU ms", "no check", "compiled",
           "spread", "", "insns", "quick", "its code", "well", "4 checks", "compiled", "", "all", "compiled");
    for (int k = 0; k < JOB_COUNT; k++)
        if (is_wanted(&jobs[k], count, names)) run_job(&jobs[k], logs, &jobs_run);
    if (jobs_run)
        printf(
            "Geometric means: compiled code is %.2f times as fast without checks, %.2f with four, %.2f with "
            "all; 100 instructions are compiled in %.1f ms quickly, in %.1f ms well (of all kernels "
            "together: "
            "in %.1f and %.1f ms). CPU time of one core, the least of %d runs.\n",
            exp(logs[NONE] / jobs_run), exp(logs[FOUR_CHECKS] / jobs_run), exp(logs[ALL_CHECKS] / jobs_run),
            exp(logs[PER_100_QUICK] / jobs_run), exp(logs[PER_100] / jobs_run),
            logs[SECONDS_QUICK] * 1e5 / logs[INSNS], logs[SECONDS] * 1e5 / logs[INSNS], RUNS);
    return 0;
}
