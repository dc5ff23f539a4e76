/* The emulator on the kernels of the baseline, and PoCL and Oclgrind on the same kernels in the same run
 * where they are installed. All times are CPU times, so that other work on the machine matters little: the
 * emulator's on one core without checkers, with the four of Oclgrind's kind (races, bounds, banks,
 * coalescing) and with all; PoCL's on its `basic` device (one core); Oclgrind's with --data-races and one
 * thread, from the difference of two launches of a part of the grid, scaled to the whole of it (its start is
 * left out, and the whole would take minutes).
 *
 * bench_emulate [NAME…] runs the kernels whose name starts like that. */
#include "loaded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 7, FOUR = LS_CHECK_RACE | LS_CHECK_BOUNDS | LS_CHECK_BANK | LS_CHECK_COALESCE };

/* --- The emulator --- */
typedef struct {
    double cpu, wall; /* ms, least of several runs */
    uint32_t errors;
} figure;

static figure measure(ls_emulator *e, const ls_emu_launch *launch, uint32_t checks, uint32_t threads) {
    figure f = {1e30, 1e30, 0};
    for (int k = 0; k < RUNS; k++) {
        ls_emu_result *r =
            ls_emulator_run(e, launch, &(ls_emu_options){.checks = checks, .threads = threads});
        if (r->status != LS_EMU_DONE) fprintf(stderr, "%s: %s\n", launch->kernel, r->message);
        if (r->cpu_seconds * 1e3 < f.cpu) f.cpu = r->cpu_seconds * 1e3;
        if (r->seconds * 1e3 < f.wall) f.wall = r->seconds * 1e3;
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
    return run_opencl("POCL_DEVICES=basic", "Portable Computing Language", j, job_blocks(j), 15);
}

/* About a second of it: a first part of the grid tells how large the second can be. */
static double oclgrind(const job *j) {
    const char *how = "oclgrind --data-races --num-threads 1";
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

static void print_row(const job *j, ls_emulator *e, const ls_emu_launch *launch, mean means[2]) {
    figure plain = measure(e, launch, 0, 1), four = measure(e, launch, FOUR, 1),
           all = measure(e, launch, LS_CHECK_ALL, 1);
    double native = pocl(j), simulated = oclgrind(j);
    printf("%-15s %9.2f %9.2f %9.2f %9.2f %11.0f", j->name, plain.cpu, four.cpu, all.cpu, native, simulated);
    print_ratio(plain.cpu, native, &means[0]);
    print_ratio(simulated, four.cpu, &means[1]);
    if (j->large) {
        figure two = measure(e, launch, FOUR, 2);
        printf(" %7.2fx %6.2fx", four.wall / two.wall, two.cpu / four.cpu);
    }
    if (all.errors) printf("  %" PRIu32 " errors found", all.errors);
    printf("\n");
    fflush(stdout);
}

static void run_job(const job *j, mean means[2]) {
    loaded l;
    if (!load(j, &l)) return;
    print_row(j, l.emulator, &l.launch, means);
    unload(&l);
}

int main(int count, char **names) {
    mean means[2] = {0};
    printf("%-15s %9s %9s %9s %9s %11s %9s %9s %16s\n", "CPU ms", "no check", "4 checks", "all", "PoCL",
           "Oclgrind", "/ PoCL", "Oclgrind/", "2 cores wall,CPU");
    for (int k = 0; k < JOB_COUNT; k++)
        if (is_wanted(&jobs[k], count, names)) run_job(&jobs[k], means);
    if (means[0].count)
        printf(
            "Geometric means: %.2f times PoCL's time without checks; Oclgrind --data-races takes %.0f times "
            "as long as races, bounds, banks and coalescing checked here.\n",
            exp(means[0].log_sum / means[0].count), exp(means[1].log_sum / means[1].count));
    else
        printf("PoCL and Oclgrind were not run: they are not installed, or the build found no OpenCL.\n");
    printf(
        "CPU time of one core, the least of %d runs; Oclgrind: scaled from parts of the grid. 2 cores: wall "
        "time of one over that of two with 4 checks (says little on a busy machine), and the CPU time that "
        "two take over that of one.\n",
        RUNS);
    return 0;
}
