/* Time from PTX to verdict for the verifier's own kernels: parsing, IR, proof. A table in Markdown, then the
 * median and the 95th percentile. verify_bench_verify [FILE.ptx…] */
#include "base/buf.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *file;
    uint32_t block[3], grid[3];
} kernels[] = {{"saxpy", {0}, {0}},
               {"grid_stride", {256, 1, 1}, {32, 1, 1}},
               {"transpose", {16, 16, 1}, {0}},
               {"transpose", {16, 16, 1}, {64, 64, 1}},
               {"reduce", {256, 1, 1}, {16, 1, 1}},
               {"scan_double_buffer", {128, 1, 1}, {8, 1, 1}},
               {"histogram", {256, 1, 1}, {8, 1, 1}},
               {"agreeing_trip_count", {64, 1, 1}, {1, 1, 1}}};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double run(uint32_t index, const char *text, ls_verdict *verdict) {
    double start = now();
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), kernels[index].file, diags);
    for (uint32_t i = 0; module && i < module->function_count; i++) {
        if (!module->functions[i]->is_entry) continue;
        ls_ir_function *ir =
            ls_ir_build(module, module->functions[i], &(ls_ir_options){.quiet = true}, diags);
        ls_verify_options options = {.opencl = true};
        memcpy(options.block, kernels[index].block, sizeof options.block);
        memcpy(options.grid, kernels[index].grid, sizeof options.grid);
        ls_verify_result *result = ls_verify(ir, &options);
        *verdict = result->verdict;
        ls_verify_free(result);
        ls_ir_free(ir);
    }
    if (module) ls_ptx_module_free(module);
    ls_diags_free(diags);
    return now() - start;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(void) {
    static const char *const names[] = {"none", "proved", "refuted", "unknown"};
    double times[KERNELS];
    puts("| kernel | block | grid | verdict | ms |");
    puts("| --- | --- | --- | --- | --- |");
    for (uint32_t i = 0; i < KERNELS; i++) {
        ls_buf path = {0}, text = {0};
        ls_buf_printf(&path, "%s/tests/verify/ptx/%s.ptx", SOURCE_DIR, kernels[i].file);
        if (!ls_read_file(path.text, &text)) return fprintf(stderr, "cannot read %s\n", path.text), 2;
        ls_verdict verdict = LS_NO_VERDICT;
        double best = 1e300;
        for (int round = 0; round < 3; round++) {
            double ms = run(i, text.text, &verdict);
            if (ms < best) best = ms;
        }
        times[i] = best;
        const uint32_t *b = kernels[i].block, *g = kernels[i].grid;
        printf("| %s | %u×%u×%u | %u×%u×%u | %s | %.1f |\n", kernels[i].file, b[0], b[1], b[2], g[0], g[1],
               g[2], names[verdict], best);
        ls_buf_free(&path);
        ls_buf_free(&text);
    }
    qsort(times, KERNELS, sizeof *times, by_value);
    printf("\nmedian %.1f ms, slowest %.1f ms (best of 3; sizes of 0: any)\n", times[KERNELS / 2],
           times[KERNELS - 1]);
    return 0;
}
