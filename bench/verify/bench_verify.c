/* Time from PTX to verdict for the verifier's own kernels: parsing, IR, proof. A table in Markdown, then the
 * median and the slowest; then unrolled kernels of many accesses, whose times must grow like a polynomial,
 * with the number of queries that were left for the solver. */
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

enum { KERNELS = sizeof kernels / sizeof *kernels, ROUNDS = 30 };

/* CPU time: other work on the machine does not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The number of queries that a solver had to answer. */
static uint32_t solved(const ls_verify_result *r) {
    uint32_t queries = 0, easy = 0;
    for (const ls_verify_note *n = r->stats; n; n = n->next) {
        uint32_t value = (uint32_t)strtoul(n->help, NULL, 10);
        if (!strcmp(n->text, "queries")) queries = value;
        if (strstr(n->text, "normal forms") || strstr(n->text, "mixed radix")) easy += value;
    }
    return queries - easy;
}

static double run(const char *text, const uint32_t *block, const uint32_t *grid, ls_verdict *verdict,
                  uint32_t *hard) {
    double start = now();
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "kernel.ptx", diags);
    for (uint32_t i = 0; module && i < module->function_count; i++) {
        if (!module->functions[i]->is_entry) continue;
        ls_ir_function *ir =
            ls_ir_build(module, module->functions[i], &(ls_ir_options){.quiet = true}, diags);
        ls_verify_options options = {.opencl = true};
        memcpy(options.block, block, sizeof options.block);
        memcpy(options.grid, grid, sizeof options.grid);
        ls_verify_result *result = ls_verify(ir, &options);
        *verdict = result->verdict;
        *hard = solved(result);
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

/* A third each: stores to a shared tile, loads of it mirrored behind a barrier, stores of rows in global
 * memory. Blocks have 32 threads, so that the tile is not larger than the shared memory of a GPU. */
static void unroll(uint32_t accesses, ls_buf *out) {
    uint32_t third = accesses / 3;
    ls_buf_printf(
        out,
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".shared .align 4 .b8 s[%u];\n.reg .b32 %%r<9>; .reg .b64 %%d<9>;\n"
        "ld.param.u64 %%d1, [p]; cvta.to.global.u64 %%d1, %%d1;\n"
        "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x;\n"
        "mul.wide.u32 %%d2, %%r1, 4; mov.u64 %%d3, s; add.s64 %%d4, %%d3, %%d2;\n"
        "sub.s32 %%r4, 31, %%r1; mul.wide.u32 %%d2, %%r4, 4; add.s64 %%d5, %%d3, %%d2;\n"
        "mad.lo.s32 %%r4, %%r2, %%r3, %%r1; mul.wide.u32 %%d2, %%r4, %u; add.s64 %%d6, %%d1, %%d2;\n",
        third * 128, third * 4);
    for (uint32_t k = 0; k < third; k++) ls_buf_printf(out, "st.shared.u32 [%%d4+%u], %%r1;\n", k * 128);
    ls_buf_puts(out, "bar.sync 0;\n");
    for (uint32_t k = 0; k < third; k++) {
        ls_buf_printf(out, "ld.shared.u32 %%r5, [%%d5+%u];\n", k * 128);
        ls_buf_printf(out, "st.global.u32 [%%d6+%u], %%r5;\n", k * 4);
    }
    ls_buf_puts(out, "ret;\n}\n");
}

static void bench_unrolled(void) {
    static const uint32_t sizes[] = {252, 501, 1002, 2001}, block[3] = {32, 1, 1}, grid[3] = {64, 1, 1};
    puts("\n| accesses, unrolled | verdict | queries to the solver | ms |");
    puts("| --- | --- | --- | --- |");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ls_buf text = {0};
        ls_verdict verdict = LS_NO_VERDICT;
        uint32_t hard = 0;
        unroll(sizes[i], &text);
        double ms = run(ls_buf_text(&text), block, grid, &verdict, &hard);
        printf("| %u | %s | %u | %.1f |\n", sizes[i], ls_verdict_name(verdict), hard, ms);
        ls_buf_free(&text);
    }
}

int main(void) {
    double times[KERNELS];
    uint32_t hard;
    puts("| kernel | block | grid | verdict | ms |");
    puts("| --- | --- | --- | --- | --- |");
    for (uint32_t i = 0; i < KERNELS; i++) {
        ls_buf path = {0}, text = {0};
        ls_buf_printf(&path, "%s/tests/verify/ptx/%s.ptx", SOURCE_DIR, kernels[i].file);
        if (!ls_read_file(path.text, &text)) return fprintf(stderr, "cannot read %s\n", path.text), 2;
        ls_verdict verdict = LS_NO_VERDICT;
        double best = 1e300;
        for (int round = 0; round < ROUNDS; round++) {
            double ms = run(text.text, kernels[i].block, kernels[i].grid, &verdict, &hard);
            if (ms < best) best = ms;
        }
        times[i] = best;
        const uint32_t *b = kernels[i].block, *g = kernels[i].grid;
        printf("| %s | %u×%u×%u | %u×%u×%u | %s | %.2f |\n", kernels[i].file, b[0], b[1], b[2], g[0], g[1],
               g[2], ls_verdict_name(verdict), best);
        ls_buf_free(&path);
        ls_buf_free(&text);
    }
    qsort(times, KERNELS, sizeof *times, by_value);
    printf("\nmedian %.2f ms, slowest %.1f ms (best of %d; sizes of 0: any)\n", times[KERNELS / 2],
           times[KERNELS - 1], ROUNDS);
    bench_unrolled();
    return 0;
}
