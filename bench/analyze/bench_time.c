/* Time of the analyses against the number of instructions (003, Figure 21): all kernels of the PTX files that
 * are named, or of those in the repository. Prints a table by size, the fit of a line, and the time for 100
 * kernels of 100 to 2,000 instructions. Parsing and building the IR are not counted, as in the paper.
 *     analyze_bench_time [FILE.ptx…] */
#include "base/buf.h"
#include "base/vec.h"
#include "lockstep/analyze.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    uint32_t instrs;
    double shapes, all; /* milliseconds */
} sample;

typedef LS_VEC(sample) samples;

/* CPU time: other work on the machine does not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The best of five. */
static double measure(const ls_ir_function *ir, bool shapes_only) {
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = now();
        ls_analysis_free(ls_analyze(ir, &(ls_analyze_options){.shapes_only = shapes_only}));
        double time = now() - start;
        if (time < best) best = time;
    }
    return best;
}

static void add_file(samples *list, const char *path) {
    ls_buf text = {0};
    if (!ls_read_file(path, &text)) return;
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, path, diags);
    for (uint32_t i = 0; module && i < module->function_count; i++) {
        const ls_ptx_function *function = module->functions[i];
        if (!function->is_entry || !function->body) continue;
        ls_ir_function *ir = ls_ir_build(module, function, &(ls_ir_options){.quiet = true}, diags);
        if (!ir) continue;
        sample s = {ir->instr_count, measure(ir, true), measure(ir, false)};
        LS_VEC_PUSH(list, s);
        ls_ir_free(ir);
    }
    if (module) ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
}

static void add_folder(samples *list, const char *folder) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[2048];
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        add_file(list, path);
    }
    if (dir) closedir(dir);
}

static void print_sizes(const samples *list) {
    static const uint32_t limits[] = {0, 50, 100, 200, 500, 1000, 2000, 5000, 100000};
    puts("| instructions | kernels | divergence, µs per instruction | all analyses, µs per instruction |");
    puts("| --- | --- | --- | --- |");
    for (uint32_t b = 0; b + 1 < sizeof limits / sizeof *limits; b++) {
        double shapes = 0, all = 0, instrs = 0;
        uint32_t count = 0;
        for (uint32_t i = 0; i < list->length; i++) {
            const sample *s = &list->items[i];
            if (s->instrs < limits[b] || s->instrs >= limits[b + 1]) continue;
            count++, instrs += s->instrs, shapes += s->shapes, all += s->all;
        }
        if (count)
            printf("| %u to %u | %u | %.3f | %.3f |\n", limits[b], limits[b + 1] - 1, count,
                   1e3 * shapes / instrs, 1e3 * all / instrs);
    }
}

/* The coefficient of determination of time as a linear function of size. */
static double determination(const samples *list, bool shapes) {
    double n = list->length, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (uint32_t i = 0; i < list->length; i++) {
        double size = list->items[i].instrs, time = shapes ? list->items[i].shapes : list->items[i].all;
        x += size, y += time, xx += size * size, xy += size * time, yy += time * time;
    }
    double covariance = n * xy - x * y, spread = (n * xx - x * x) * (n * yy - y * y);
    return spread > 0 ? covariance * covariance / spread : 0;
}

int main(int argc, char **argv) {
    samples list = {0};
    for (int i = 1; i < argc; i++) add_file(&list, argv[i]);
    if (argc < 2) {
        add_folder(&list, SOURCE_DIR "/tests/analyze/kernels");
        add_folder(&list, SOURCE_DIR "/bench/gpu/coalescing");
        add_folder(&list, SOURCE_DIR "/tests/ptx/kernels");
        add_folder(&list, SOURCE_DIR "/tests/ir");
    }
    print_sizes(&list);
    double shapes = 0, all = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.length; i++)
        if (list.items[i].instrs >= 100 && list.items[i].instrs <= 2000)
            shapes += list.items[i].shapes, all += list.items[i].all, count++;
    printf("\n%u kernels; R² of a line through time and size: divergence %.3f, all analyses %.3f\n",
           list.length, determination(&list, true), determination(&list, false));
    if (count)
        printf("100 kernels of 100 to 2,000 instructions (mean of %u): divergence %.2f ms, all analyses %.2f "
               "ms\n",
               count, 100 * shapes / count, 100 * all / count);
    LS_VEC_FREE(&list);
    return 0;
}
