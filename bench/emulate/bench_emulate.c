/* The emulator on the kernels of the baseline, one core: CPU time without checkers and with all of them, the
 * best of several runs, and how two cores do. Beside them stand the baseline's figures of PoCL and Oclgrind.
 */
#include "lockstep/emulate.h"
#include "lockstep/frontend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name, *file;
    uint32_t grid[2], block[2];
    uint64_t buffers[3]; /* bytes */
    uint32_t buffer_count;
    int32_t n;                         /* a last scalar argument, where not 0 */
    double pocl_ms, oclgrind_races_ms; /* as the baseline measured them on its machine, for orientation */
} job;

static const job jobs[] = {
    {"vecadd 1M", "vecadd", {4096, 1}, {256, 1}, {4 << 20, 4 << 20, 4 << 20}, 3, 0, 0.73, 8100},
    {"matmul 256", "matmul", {16, 16}, {16, 16}, {1 << 18, 1 << 18, 1 << 18}, 3, 256, 17.7, 70400},
    {"matmul 512", "matmul", {32, 32}, {16, 16}, {1 << 20, 1 << 20, 1 << 20}, 3, 512, 140, 0},
    {"reduce 1M", "reduce", {4096, 1}, {256, 1}, {4 << 20, 4 << 12}, 2, 0, 7.5, 21500},
    {"scan 1M", "scan", {4096, 1}, {256, 1}, {4 << 20, 4 << 20}, 2, 0, 11.8, 49300},
    {"histogram 1M", "histogram", {4096, 1}, {256, 1}, {4 << 20, 1024}, 2, 0, 5.0, 15100},
    {"nbody 4096", "nbody", {16, 1}, {256, 1}, {16 << 12, 16 << 12}, 2, 4096, 74.9, 119200},
    {"transpose 1024", "transpose", {64, 64}, {16, 16}, {4 << 20, 4 << 20}, 2, 1024, 1.7, 13300},
    {"collatz 256K", "collatz", {1024, 1}, {256, 1}, {1 << 20}, 1, 0, 34.2, 38600},
};

static double best(ls_emulator *e, const ls_emu_launch *launch, uint32_t checks, uint32_t threads,
                   uint32_t *found) {
    double least = 1e30;
    for (int k = 0; k < 5; k++) {
        ls_emu_result *r =
            ls_emulator_run(e, launch, &(ls_emu_options){.checks = checks, .threads = threads});
        double t = threads == 1 ? r->cpu_seconds : r->seconds;
        if (r->status != LS_EMU_DONE) fprintf(stderr, "%s: %s\n", launch->kernel, r->message);
        if (t < least) least = t;
        *found = 0;
        for (uint32_t f = 0; f < r->finding_count; f++) *found += r->findings[f].level == LS_ERROR;
        ls_emu_result_free(r);
    }
    return least * 1e3;
}

static void fill(uint64_t at, uint64_t bytes) {
    uint32_t *words = (uint32_t *)(uintptr_t)at, state = 1;
    for (uint64_t k = 0; k < bytes / 4; k++) {
        state = state * 1664525 + 1013904223;
        float f = (float)(state >> 8) * 0x1p-24f;
        memcpy(&words[k], &f, 4);
    }
}

static void run_job(const job *j) {
    char path[4096];
    snprintf(path, sizeof path, BENCH_DIR "/%s.cl", j->file);
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    if (!ls_compile(path, &(ls_frontend_options){.form = LS_FORM_AS_RUN}, &compiled, diags)) {
        printf("%-16s cannot be compiled here\n", j->name);
        ls_diags_free(diags);
        return;
    }
    ls_ptx_module *module = ls_ptx_parse(compiled.ptx, compiled.length, path, diags);
    ls_emulator *e = ls_emulator_new(module, diags);
    uint64_t params[4] = {0};
    for (uint32_t k = 0; k < j->buffer_count; k++) {
        params[k] = ls_emulator_alloc(e, j->buffers[k], "buffer");
        fill(params[k], j->buffers[k]);
    }
    memcpy(&params[j->buffer_count], &j->n, sizeof j->n);
    ls_emu_launch launch = {
        j->file, {j->grid[0], j->grid[1], 1}, {j->block[0], j->block[1], 1}, 0, params, sizeof params};
    uint32_t found;
    double plain = best(e, &launch, 0, 1, &found), all = best(e, &launch, LS_CHECK_ALL, 1, &found);
    double two = best(e, &launch, LS_CHECK_ALL, 2, &found), one = best(e, &launch, LS_CHECK_ALL, 1, &found);
    printf("%-16s %9.2f %9.2f %9.2fx %8.1fx %9.0fx %6u\n", j->name, plain, all, one / two, plain / j->pocl_ms,
           j->oclgrind_races_ms / all, found);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_compiled_free(&compiled);
    ls_diags_free(diags);
}

int main(void) {
    printf("%-16s %9s %9s %10s %9s %10s %6s\n", "kernel", "plain ms", "all ms", "2 cores", "/ PoCL",
           "Oclgrind /", "errors");
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) run_job(&jobs[k]);
    printf("CPU time of one core, best of 5. PoCL and Oclgrind --data-races: the baseline's figures, "
           "measured on an "
           "AMD EPYC (Zen 3); compare orders of magnitude unless they are measured again on this machine.\n");
    return 0;
}
