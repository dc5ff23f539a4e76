/* analyze FILE: how many 32-byte sectors or turns each access of a warp takes, and how many would do:
 *     cc analyze.c $(pkg-config --cflags --libs lockstep) -o analyze && ./analyze transpose.cu */
#include "common.h"

static void analyze_kernel(const ls_ptx_module *module, const char *name, ls_diags *diags) {
    ls_ir_function *ir = ls_ir_build(module, ls_ptx_find_function(module, name), NULL, diags);
    if (!ir) return;
    ls_analysis *analysis = ls_analyze(ir, NULL);
    uint32_t divergent = 0;
    for (uint32_t i = 0; i < analysis->branch_count; i++) divergent += analysis->branches[i].divergent;
    printf("%s: %u accesses, %u branches, %u of them divergent\n", name, analysis->access_count,
           analysis->branch_count, divergent);
    ls_analysis_free(analysis);
    ls_ir_free(ir);
}

int main(int argc, char **argv) {
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    ls_ptx_module *module = argc == 2 ? load(argv[1], LS_FORM_AS_RUN, &compiled, diags) : NULL;
    if (module) {
        for (uint32_t i = 0; i < compiled.kernel_count; i++)
            if (compiled.kernels[i].status == LS_KERNEL_DEFINED)
                analyze_kernel(module, compiled.kernels[i].name, diags);
        ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_diags_free(diags);
    return module ? 0 : 2;
}
