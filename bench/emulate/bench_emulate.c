/* The emulator on the benchmark's kernels, and PoCL and Oclgrind on the same kernels in the same run where
 * they are installed, and the same as plain C, as one would write it there and with the kernel's own steps.
 * All times are CPU times, so that other work on the machine matters little: the emulator's on one core with
 * compiled code, without checkers, with the four of Oclgrind's kind (races, bounds, banks, coalescing) and
 * with all; PoCL's on its `basic` device (one core); Oclgrind's with --data-races and one thread, from the
 * difference of two launches of a part of the grid, scaled to the whole of it (its start is left out, and the
 * whole would take minutes). BENCH_OCLGRIND=0 in the environment leaves Oclgrind out.
 *
 * bench_emulate [NAME…] runs the kernels whose name starts like that. */
#include "loaded.h"
#include "lockstep/detect.h"
#include "lockstep/jit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 15, FOUR = LS_CHECK_RACE | LS_CHECK_BOUNDS | LS_CHECK_BANK | LS_CHECK_COALESCE };

/* --- The emulator --- */
typedef struct {
    double cpu, most; /* ms, the least of several runs, and the most but for the first */
    uint32_t errors;
} figure;

static figure measure(ls_emulator *e, const ls_emu_launch *launch, uint32_t checks) {
    figure f = {1e30, 0, 0};
    for (int k = 0; k < RUNS; k++) {
        ls_emu_result *r = ls_emulator_run(e, launch,
                                           &(ls_emu_options){.checks = checks,
                                                             .threads = 1,
                                                             .jit = LS_JIT_ON,
                                                             .compiler = ls_jit_compiler(),
                                                             .prover = ls_detect_prover(),
                                                             .prove_from = 1});
        if (r->status != LS_EMU_DONE) fprintf(stderr, "%s: %s\n", launch->kernel, r->message);
        if (r->cpu_seconds * 1e3 < f.cpu) f.cpu = r->cpu_seconds * 1e3;
        if (k && r->cpu_seconds * 1e3 > f.most) f.most = r->cpu_seconds * 1e3;
        f.errors = 0;
        for (uint32_t n = 0; n < r->finding_count; n++) f.errors += r->findings[n].level == LS_ERROR;
        ls_emu_result_free(r);
    }
    return f;
}

/* --- OpenCL implementations --- */
#ifdef OPENCL_HOST
static double run_opencl(const char *before, const char *platform, const job *j, uint32_t blocks, int runs) {
    char command[8192];
    double ms = 0;
    snprintf(command, sizeof command, "%s '%s' '%s' '%s' '%s' %" PRIu32 " %d 2>/dev/null", before,
             OPENCL_HOST, platform, BENCH_DIR, j->name, blocks, runs);
    FILE *p = popen(command, "r");
    if (!p) return 0;
    if (fscanf(p, "%lf", &ms) != 1) ms = 0;
    pclose(p);
    return ms;
}

static double pocl(const job *j) {
    if (j->cuda) return 0;
    return run_opencl("POCL_DEVICES=basic", "Portable Computing Language", j, job_blocks(j), 15);
}

/* About a second of it: a first part of the grid tells how large the second can be. */
static double oclgrind(const job *j) {
    const char *how = "oclgrind --data-races --num-threads 1", *wanted = getenv("BENCH_OCLGRIND");
    if (j->cuda || (wanted && !strcmp(wanted, "0"))) return 0;
    uint32_t all = job_blocks(j), few = all / 256 ? all / 256 : 1, more = 2 * few;
    double first = run_opencl(how, "Oclgrind", j, few, 0);
    if (first <= 0) return 0;
    while (more < all / 2 && first * more / few < 1000) more *= 2;
    double second = run_opencl(how, "Oclgrind", j, more, 0);
    return second > first ? (second - first) / (more - few) * all : 0;
}
#else
static double pocl(const job *j) {
    (void)j;
    return 0;
}
static double oclgrind(const job *j) {
    return pocl(j);
}
#endif

/* same: by the kernel's own steps, where one would do less in C. */
static double plain(const job *j, bool same) {
    char command[4096];
    double ms = 0;
    const char *other = getenv("BENCH_PLAIN"); /* made for another machine than this program */
    snprintf(command, sizeof command, "%s '%s' '%s' 7", same ? "SAME=1" : "", other ? other : PLAIN_C,
             j->name);
    FILE *p = popen(command, "r");
    if (!p) return 0;
    if (fscanf(p, "%lf", &ms) != 1) ms = 0;
    pclose(p);
    return ms;
}

/* --- The table --- */
typedef struct {
    double log_sum;
    uint32_t count;
} mean;

static void print_ratio(double over, double under, mean *m) {
    if (over <= 0 || under <= 0) {
        printf(" %9s", "-");
        return;
    }
    m->log_sum += log(over / under);
    m->count++;
    printf(over / under < 20 ? " %8.2fx" : " %8.0fx", over / under);
}

enum { TO_POCL, TO_C, TO_SAME, FOUR_TO_NONE, ALL_TO_NONE, OCLGRIND, MEANS };

static void print_row(const job *j, ls_emulator *e, const ls_emu_launch *launch, mean *means) {
    figure none = measure(e, launch, 0), four = measure(e, launch, FOUR),
           all = measure(e, launch, LS_CHECK_ALL);
    double native = pocl(j), simulated = oclgrind(j), c = plain(j, false), same = plain(j, true);
    printf("%-15s %8.2f-%-8.2f %8.2f %8.2f %8.2f %8.2f %9.0f", j->name, none.cpu, none.most, four.cpu,
           all.cpu, c, native, simulated);
    print_ratio(none.cpu, native, &means[TO_POCL]);
    print_ratio(none.cpu, c, &means[TO_C]);
    print_ratio(none.cpu, same > 0 ? same : c, &means[TO_SAME]);
    print_ratio(four.cpu, none.cpu, &means[FOUR_TO_NONE]);
    print_ratio(all.cpu, none.cpu, &means[ALL_TO_NONE]);
    print_ratio(simulated, four.cpu, &means[OCLGRIND]);
    if (all.errors) printf("  %" PRIu32 " errors found", all.errors);
    printf("\n");
    fflush(stdout);
}

static void run_job(const job *j, mean *means) {
    loaded l;
    if (!load(j, &l)) return;
    print_row(j, l.emulator, &l.launch, means);
    unload(&l);
}

static void print_mean(const char *format, const mean *m) {
    if (m->count) printf(format, exp(m->log_sum / m->count));
}

int main(int count, char **names) {
    mean means[MEANS] = {0};
    printf("%-15s %8s-%-8s %8s %8s %8s %8s %9s %9s %9s %9s %9s %9s %9s\n", "CPU ms", "no check", "most",
           "4 checks", "all", "plain C", "PoCL", "Oclgrind", "/ PoCL", "/ C", "/ same C", "4 / none",
           "all/none", "Oclgrind/");
    for (int k = 0; k < JOB_COUNT; k++)
        if (is_wanted(&jobs[k], count, names)) run_job(&jobs[k], means);
    printf("Geometric means:");
    print_mean(" %.2f times PoCL's time without checks,", &means[TO_POCL]);
    print_mean(" %.2f times that of plain C,", &means[TO_C]);
    print_mean(" %.2f times where that does the kernel's own steps;", &means[TO_SAME]);
    print_mean(" four checks take %.2f times,", &means[FOUR_TO_NONE]);
    print_mean(" all %.2f times as long as none;", &means[ALL_TO_NONE]);
    print_mean(" Oclgrind --data-races takes %.0f times as long as the four.", &means[OCLGRIND]);
    printf("\nCPU time of one core, the least of %d runs; Oclgrind: scaled from parts of the grid.\n", RUNS);
    return 0;
}
