/* Several cores: kernels that take long enough for it, with compiled code, without checkers and with the four
 * of Oclgrind's kind, by 1, 4, 16 … workers and by as many as there are cores. For each number of workers the
 * wall time (the least of several runs, in turns), how many times as fast that is as one worker, and the CPU
 * time that they take together over that of one. On a machine that has other work to do the wall times say
 * little. What the machine itself gives stands below each kernel: so many threads at once, each with the same
 * job in plain C and its own buffers, do so many times the work of one in the same time.
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

enum { RUNS = 3, MOST = 12, FOUR = LS_CHECK_RACE | LS_CHECK_BOUNDS | LS_CHECK_BANK | LS_CHECK_COALESCE };

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

/* 1, 4, 16 … and the most. */
static uint32_t steps_to(uint32_t most, uint32_t *steps) {
    uint32_t count = 0;
    for (uint32_t n = 1; n < most && count + 1 < MOST; n *= 4) steps[count++] = n;
    steps[count++] = most;
    return count;
}

static void print_row(const job *j, const loaded *l, uint32_t checks, const uint32_t *steps, uint32_t count,
                      double *logs) {
    figure best[MOST];
    run(l, checks, steps[count - 1]); /* compiles */
    for (uint32_t k = 0; k < RUNS; k++)
        for (uint32_t n = 0; n < count; n++) {
            const figure f = run(l, checks, steps[n]);
            if (!k || f.wall < best[n].wall) best[n] = f;
        }
    printf("%-17s %-8s %9.1f", j->name, checks ? "4 checks" : "none", best[0].wall);
    for (uint32_t n = 1; n < count; n++) {
        printf("  %8.1f %6.2fx (%.2f)", best[n].wall, best[0].wall / best[n].wall, best[n].cpu / best[0].cpu);
        logs[n] += log(best[0].wall / best[n].wall);
    }
    printf("\n");
    fflush(stdout);
}

/* So many copies of the job in plain C at once: ms of the slowest. */
static double plain(const job *j, uint32_t copies) {
    char command[4096];
    double ms = 0;
    const char *other = getenv("BENCH_PLAIN"); /* made for another machine than this program */
    snprintf(command, sizeof command, "%s '%s' 2 %u", other ? other : "'" PLAIN_C "'", j->name, copies);
    FILE *p = popen(command, "r");
    if (!p) return 0;
    if (fscanf(p, "%lf", &ms) != 1) ms = 0;
    pclose(p);
    return ms;
}

static void print_plain(const job *j, const uint32_t *steps, uint32_t count) {
    const double one = plain(j, 1);
    printf("%-17s %-8s %9.1f", "", "plain C", one);
    for (uint32_t n = 1; n < count; n++) {
        const double all = plain(j, steps[n]);
        printf("  %8.1f %6.2fx %6s", all, all > 0 ? steps[n] * one / all : 0, "");
    }
    printf("\n");
    fflush(stdout);
}

int main(int count, char **names) {
    const char *wanted = getenv("BENCH_CORES");
    const uint32_t most = wanted ? (uint32_t)atoi(wanted) : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    double logs[MOST] = {0};
    uint32_t rows = 0, steps[MOST], step_count = steps_to(most, steps);
    printf("%-17s %-8s %9s", "wall ms", "checks", "1 worker");
    for (uint32_t n = 1; n < step_count; n++) printf("  %8u %7s %6s", steps[n], "faster", "CPU");
    printf("\n");
    for (uint32_t k = 0; k < LARGE_COUNT; k++) {
        const job *j = &large_jobs[k];
        loaded l;
        if (!is_wanted(j, count, names) || !load(j, &l)) continue;
        print_row(j, &l, 0, steps, step_count, logs);
        print_row(j, &l, FOUR, steps, step_count, logs);
        print_plain(j, steps, step_count);
        rows += 2;
        unload(&l);
    }
    printf("Geometric means:");
    for (uint32_t n = 1; rows && n < step_count; n++)
        printf(" %u workers %.2f times as fast as one%s", steps[n], exp(logs[n] / rows),
               n + 1 < step_count ? "," : "");
    printf(".\nThe least of %d runs, in turns; CPU: time of all workers over that of one. Plain C: as many "
           "copies "
           "of the job at once as workers, and how many times the work of one they do.\n",
           RUNS);
    return 0;
}
