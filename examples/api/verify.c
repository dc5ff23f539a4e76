/* verify FILE: proves each kernel of a file free of data races and barrier divergence, for blocks of 256
 * threads, or says how it fails: cc verify.c $(pkg-config --cflags --libs lockstep) -o verify && ./verify
 * scan.cu */
#include "common.h"

static void verify_kernel(const ls_ptx_module *module, const char *name, ls_diags *diags) {
    ls_ir_function *ir = ls_ir_build(module, ls_ptx_find_function(module, name), NULL, diags);
    if (!ir) return;
    ls_verify_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.block[0] = 256, options.block[1] = options.block[2] = 1;
    ls_verify_result *result = ls_verify(ir, &options);
    ls_replay_findings(result, ir, &options, 1.0); /* the emulator tries what was found */
    printf("%s: %s\n", name, ls_verdict_name(result->verdict));
    for (const ls_finding *f = result->findings; f; f = f->next)
        printf("  %s:%u: %s\n", f->place.file, f->place.line, f->message);
    for (const ls_verify_note *n = result->reasons; n; n = n->next) printf("  not known: %s\n", n->text);
    ls_verify_free(result);
    ls_ir_free(ir);
}

int main(int argc, char **argv) {
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    ls_ptx_module *module = argc == 2 ? load(argv[1], LS_FORM_SOURCE, &compiled, diags) : NULL;
    if (module) {
        for (uint32_t i = 0; i < compiled.kernel_count; i++)
            if (compiled.kernels[i].status == LS_KERNEL_DEFINED)
                verify_kernel(module, compiled.kernels[i].name, diags);
        ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_diags_free(diags);
    return module ? 0 : 2;
}
