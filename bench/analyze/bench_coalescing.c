/* Predicted sectors, requests and shared-memory wavefronts of the micro-kernels in bench/gpu/coalescing
 * beside what Nsight Compute counted on a GPU (counters.csv there, written by run.sh): a table in Markdown.
 *     analyze_bench_coalescing [KERNELS.ptx [COUNTERS.csv]] */
#include "../gpu/coalescing/predict.h"

static void print_row(const ls_micro_kernel *kernel, const ls_counts *predicted, const ls_counts *counted,
                      bool known) {
    printf("| %s | %u×%u × %u ", kernel->name, kernel->x, kernel->y, kernel->grid);
    for (uint32_t m = 0; m < LS_COUNTERS; m++) {
        if (!known || predicted->of[m] == counted->of[m])
            printf("| %.0f ", predicted->of[m]);
        else
            printf("| **%.0f, counted %.0f** ", predicted->of[m], counted->of[m]);
    }
    puts("|");
}

int main(int argc, char **argv) {
    const char *ptx = argc > 1 ? argv[1] : SOURCE_DIR "/bench/gpu/coalescing/kernels.ptx";
    const char *csv = argc > 2 ? argv[2] : SOURCE_DIR "/bench/gpu/coalescing/counters.csv";
    ls_buf counters = {0};
    bool known = ls_read_file(csv, &counters);
    ls_ptx_module *module = ls_read_module(ptx);
    if (!module) return fprintf(stderr, "cannot read %s\n", ptx), 2;
    uint32_t equal = 0, inexact = 0;
    puts("| kernel | block × grid | load sectors | store sectors | load requests | store requests | "
         "shared load wavefronts | shared store wavefronts |");
    puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (uint32_t i = 0; i < LS_MICRO_KERNELS; i++) {
        ls_counts predicted, counted;
        inexact += !ls_predict(module, &ls_micro_kernels[i], &predicted);
        bool found = known && ls_counted(ls_buf_text(&counters), ls_micro_kernels[i].name, &counted);
        print_row(&ls_micro_kernels[i], &predicted, &counted, found);
        equal += found && !memcmp(&predicted, &counted, sizeof predicted);
    }
    printf("\n%u kernels, %u with bounds instead of exact costs; predicted equals counted in %u\n",
           (uint32_t)LS_MICRO_KERNELS, inexact, equal);
    ls_ptx_module_free(module);
    ls_buf_free(&counters);
    return 0;
}
