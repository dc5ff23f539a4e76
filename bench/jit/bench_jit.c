/* Compiled execution beside the interpreter: the kernels of the emulator's benchmark, without checkers, with
 * the four of Oclgrind's kind and with all, each interpreted and compiled, in one run and in turns. CPU time
 * of one core, the least of several runs, and the spread of the compiled ones; the time of compilation is
 * that of the first launch over the least one.
 *
 * bench_jit [NAME…] runs the kernels whose name starts like that. */
#include "../emulate/loaded.h"
#include "lockstep/detect.h"
#include "lockstep/jit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 7, FOUR = LS_CHECK_RACE | LS_CHECK_BOUNDS | LS_CHECK_BANK | LS_CHECK_COALESCE };

typedef struct {
    double least, most, first; /* ms */
} figure;

static const ls_emu_jit HOW[] = {LS_JIT_OFF, LS_JIT_ON};

static void measure(ls_emulator *e, const ls_emu_launch *launch, uint32_t checks, figure out[2]) {
    for (int j = 0; j < 2; j++) out[j] = (figure){1e30, 0, 0};
    for (int k = 0; k < RUNS; k++)
        for (int j = 0; j < 2; j++) {
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
            if (!k) out[j].first = ms;
            if (ms < out[j].least) out[j].least = ms;
            if (k && ms > out[j].most) out[j].most = ms;
            ls_emu_result_free(r);
        }
}

static void run_job(const job *j, double *logs, int *count) {
    static const uint32_t checks[] = {0, FOUR, LS_CHECK_ALL};
    loaded l;
    if (!load(j, &l)) return;
    printf("%-15s", j->name);
    for (int c = 0; c < 3; c++) {
        figure f[2];
        measure(l.emulator, &l.launch, checks[c], f);
        printf(" %8.2f %8.2f", f[0].least, f[1].least);
        if (!c) printf("-%-7.2f", f[1].most);
        printf(" %5.2fx", f[0].least / f[1].least);
        if (!c) printf(" %6.0f ", f[1].first - f[1].least);
        logs[c] += log(f[0].least / f[1].least);
        fflush(stdout);
    }
    (*count)++;
    printf("\n");
    unload(&l);
}

int main(int count, char **names) {
    double logs[3] = {0};
    int jobs_run = 0;
    if (!ls_jit_compiler()) {
        printf("Kernels are not compiled: Lockstep was built without LLVM.\n");
        return 0;
    }
    printf("%-15s %8s %8s %-7s %6s %7s %8s %8s %6s %8s %8s\n", "CPU ms", "no check", "compiled", "spread", "",
           "compile", "4 checks", "compiled", "", "all", "compiled");
    for (int k = 0; k < JOB_COUNT; k++)
        if (is_wanted(&jobs[k], count, names)) run_job(&jobs[k], logs, &jobs_run);
    if (jobs_run)
        printf(
            "Geometric means: compiled code is %.2f times as fast without checks, %.2f with four, %.2f with "
            "all. CPU time of one core, the least of %d runs; compilation: of the first launch.\n",
            exp(logs[0] / jobs_run), exp(logs[1] / jobs_run), exp(logs[2] / jobs_run), RUNS);
    return 0;
}
