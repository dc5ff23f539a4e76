/* Several cores: kernels that take long enough for it, with compiled code, without checkers and with the four
 * of Oclgrind's kind, by 1, 2, 4 … workers up to as many as there are cores. For each number of workers the
 * wall time (the least of several runs, in turns), how many times as fast that is as one worker, and the CPU
 * time that they take together over that of one. On a machine that has other work to do the wall times say
 * little.
 *
 * bench_cores [NAME…] runs the kernels whose name starts like that; BENCH_CORES=N in the environment: up to N
 * workers. */
#include "loaded.h"
#include "lockstep/detect.h"
#include "lockstep/jit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RUNS = 4, MOST = 12, FOUR = LS_CHECK_RACE | LS_CHECK_BOUNDS | LS_CHECK_BANK | LS_CHECK_COALESCE };

static const job large[] = {
    {"matmul 1024", "matmul", {64, 64}, {16, 16}, {4 << 20, 4 << 20, 4 << 20}, 3, 1024},
    {"nbody 16K", "nbody", {64, 1}, {256, 1}, {16 << 14, 16 << 14}, 2, 16384},
    {"collatz 4M", "collatz", {16384, 1}, {256, 1}, {16 << 20}, 1, 0},
    {"attention 2048", "attention", {2048, 1}, {64, 1}, {3 << 19, 1 << 19}, 2, 2048},
    {"convolution 2048", "convolution", {128, 128}, {16, 16}, {2052 * 2052 * 4, 128, 16 << 20}, 3, 2048},
    {"sort 4M", "sort", {8192, 1}, {256, 1}, {16 << 20, 16 << 20}, 2, 0},
};

typedef struct {
    double wall, cpu; /* ms */
} figure;

static figure run(const loaded *l, uint32_t checks, uint32_t workers) {
    ls_emu_result *r = ls_emulator_run(l->emulator, &l->launch,
                                       &(ls_emu_options){.checks = checks,
                                                         .threads = workers,
                                                         .jit = LS_JIT_ON,
                                                         .compiler = ls_jit_compiler(),
                                                         .prover = ls_detect_prover(),
                                                         .prove_from = 1});
    const figure f = {r->seconds * 1e3, r->cpu_seconds * 1e3};
    if (r->status != LS_EMU_DONE) fprintf(stderr, "%s: %s\n", l->launch.kernel, r->message);
    ls_emu_result_free(r);
    return f;
}

static void print_row(const job *j, const loaded *l, uint32_t checks, uint32_t most, double *logs) {
    figure best[MOST];
    uint32_t count = 0;
    run(l, checks, most); /* compiles */
    for (uint32_t k = 0; k < RUNS; k++) {
        count = 0;
        for (uint32_t n = 1; n <= most && count < MOST; n *= 2, count++) {
            const figure f = run(l, checks, n);
            if (!k || f.wall < best[count].wall) best[count] = f;
        }
    }
    printf("%-17s %-8s %9.1f", j->name, checks ? "4 checks" : "none", best[0].wall);
    for (uint32_t n = 1; n < count; n++) {
        printf("  %8.1f %6.2fx (%.2f)", best[n].wall, best[0].wall / best[n].wall, best[n].cpu / best[0].cpu);
        logs[n] += log(best[0].wall / best[n].wall);
    }
    printf("\n");
    fflush(stdout);
}

int main(int count, char **names) {
    const char *wanted = getenv("BENCH_CORES");
    const uint32_t most = wanted ? (uint32_t)atoi(wanted) : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    double logs[MOST] = {0};
    uint32_t rows = 0, n = 1;
    printf("%-17s %-8s %9s", "wall ms", "checks", "1 worker");
    for (uint32_t k = 2; k <= most; k *= 2) printf("  %8u %7s %6s", k, "faster", "CPU");
    printf("\n");
    for (uint32_t k = 0; k < sizeof large / sizeof *large; k++) {
        loaded l;
        if (!is_wanted(&large[k], count, names) || !load(&large[k], &l)) continue;
        print_row(&large[k], &l, 0, most, logs);
        print_row(&large[k], &l, FOUR, most, logs);
        rows += 2;
        unload(&l);
    }
    printf("Geometric means:");
    for (uint32_t k = 2; rows && k <= most; k *= 2, n++)
        printf(" %u workers %.2f times as fast as one%s", k, exp(logs[n] / rows), 2 * k <= most ? "," : "");
    printf(".\nThe least of %d runs, in turns; CPU: time of all workers over that of one.\n", RUNS);
    return 0;
}
