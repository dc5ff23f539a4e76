/* How long linear scan and rewriting take, in milliseconds per 1,000 instructions of the kernel, for each
 * allocator at 8 and 24 registers: the best of several runs over all kernels of a file. Parsing, building the
 * IR and the divergence analysis are not in it.
 *     bench_allocate [FILE.ptx…]    (default: the kernels of the tests) */
#include "base/buf.h"
#include "lockstep/allocate.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 7 };

typedef struct {
    double total, worst; /* ms per 1,000 instructions: of the file, of its slowest kernel of 100 or more */
    uint32_t instrs, spilled;
} timing;

static bool measure(const ls_ptx_module *module, const ls_allocate_options *options, timing *best) {
    ls_diags *diags = ls_diags_new();
    ls_allocation *a = ls_allocate(module, options, diags);
    ls_diags_free(diags);
    if (!a) return false;
    timing t = {0};
    double ms = 0;
    for (uint32_t i = 0; i < a->kernel_count; i++) {
        const ls_allocate_kernel *k = &a->kernels[i];
        if (!k->rewritten) continue;
        ms += k->scan_ms;
        t.instrs += k->instrs;
        t.spilled += k->spilled_variables;
        double each = k->scan_ms * 1000 / k->instrs;
        if (k->instrs >= 100 && each > t.worst) t.worst = each;
    }
    t.total = t.instrs ? ms * 1000 / t.instrs : 0;
    ls_allocation_free(a);
    if (!best->instrs || t.total < best->total) {
        double worst = best->instrs && best->worst < t.worst ? best->worst : t.worst;
        *best = t;
        best->worst = worst;
    } else if (t.worst < best->worst) {
        best->worst = t.worst;
    }
    return true;
}

static void bench_file(const char *path) {
    static const uint32_t counts[] = {8, 24};
    ls_buf text = {0};
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module =
        ls_read_file(path, &text) ? ls_ptx_parse(text.text, text.length, path, diags) : NULL;
    if (!module) printf("%s: cannot be read\n", path);
    for (uint32_t r = 0; module && r < sizeof counts / sizeof *counts; r++)
        for (int allocator = LS_ALLOCATE_LINEAR; allocator <= LS_ALLOCATE_AFF; allocator++) {
            timing best = {0};
            ls_allocate_options options = {.allocator = (ls_allocator)allocator, .registers = counts[r]};
            for (int run = 0; run < RUNS && measure(module, &options, &best); run++) continue;
            printf("%-48.48s %-6s %2u registers  %6u instructions %5u spilled  %.3f ms/1000  worst kernel "
                   "%.3f\n",
                   path, ls_allocator_name(options.allocator), counts[r], best.instrs, best.spilled,
                   best.total, best.worst);
        }
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
}

int main(int argc, char **argv) {
    if (argc < 2) bench_file(SOURCE_DIR "/tests/allocate/kernels.ptx");
    for (int i = 1; i < argc; i++) bench_file(argv[i]);
    return 0;
}
