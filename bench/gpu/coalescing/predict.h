/* What the analysis predicts for the micro-kernels, beside what a GPU counted: for the benchmark that prints
 * the table and the test that demands that the two are equal. A prediction is the sum over all accesses of
 * the kernel and all warps of its launch. */
#ifndef LS_BENCH_PREDICT_H
#define LS_BENCH_PREDICT_H

#include "base/buf.h"
#include "lockstep/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    uint32_t x, y, grid;
} ls_micro_kernel;

static const ls_micro_kernel ls_micro_kernels[] = {
#define KERNEL(name, x, y, grid) {#name, x, y, grid},
#include "kernels.def"
#undef KERNEL
};
enum { LS_MICRO_KERNELS = sizeof ls_micro_kernels / sizeof *ls_micro_kernels };

enum { LS_SECTORS_LD, LS_SECTORS_ST, LS_REQUESTS_LD, LS_REQUESTS_ST, LS_WAVES_LD, LS_WAVES_ST, LS_COUNTERS };

static const char *const ls_counter_metrics[LS_COUNTERS] = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"};

typedef struct {
    double of[LS_COUNTERS];
} ls_counts;

/* False where some access's cost is not exact. */
static inline bool ls_predict(const ls_ptx_module *module, const ls_micro_kernel *kernel, ls_counts *counts) {
    memset(counts, 0, sizeof *counts);
    const ls_ptx_function *function = ls_ptx_find_function(module, kernel->name);
    ls_diags *diags = ls_diags_new();
    ls_ir_function *ir =
        function ? ls_ir_build(module, function, &(ls_ir_options){.quiet = true}, diags) : NULL;
    ls_diags_free(diags);
    if (!ir) return false;
    ls_analyze_options options = {
        .block = {kernel->x, kernel->y, 1}, .grid = {kernel->grid, 1, 1}, .every_warp = true};
    ls_analysis *a = ls_analyze(ir, &options);
    bool sinks =
        kernel->name[2] == '_' && strncmp(kernel->name, "st_", 3); /* its global store never happens */
    bool exact = true;
    for (uint32_t i = 0; i < a->access_count; i++) {
        const ls_access_result *r = &a->accesses[i];
        bool shared = r->access->space == LS_SPACE_SHARED, store = r->access->kind == LS_ACCESS_WRITE;
        if (sinks && store && !shared) continue;
        double times = (double)r->executions * kernel->grid;
        if (!shared) counts->of[store ? LS_REQUESTS_ST : LS_REQUESTS_LD] += times * r->requests;
        if (!shared) counts->of[store ? LS_SECTORS_ST : LS_SECTORS_LD] += times * r->cost.sectors_mean;
        if (shared) counts->of[store ? LS_WAVES_ST : LS_WAVES_LD] += times * r->cost.wavefronts_mean;
        exact &= r->executions &&
                 (shared ? r->cost.degree == r->cost.degree_best : r->cost.sectors == r->cost.sectors_best);
    }
    ls_analysis_free(a);
    ls_ir_free(ir);
    return exact;
}

/* Counters of a kernel from the text of counters.csv; false where it is not in there. */
static inline bool ls_counted(const char *csv, const char *kernel, ls_counts *counts) {
    bool found = false;
    memset(counts, 0, sizeof *counts);
    for (const char *line = csv; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        size_t length = strlen(kernel);
        if (strncmp(line, kernel, length) || line[length] != ',') continue;
        for (uint32_t m = 0; m < LS_COUNTERS; m++) {
            size_t metric = strlen(ls_counter_metrics[m]);
            if (strncmp(line + length + 1, ls_counter_metrics[m], metric)) continue;
            counts->of[m] = strtod(line + length + 1 + metric + 1, NULL);
            found = true;
        }
    }
    return found;
}

static inline ls_ptx_module *ls_read_module(const char *path) {
    ls_buf text = {0};
    if (!ls_read_file(path, &text)) return NULL;
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, path, diags);
    ls_diags_free(diags);
    ls_buf_free(&text);
    return module;
}

#endif
