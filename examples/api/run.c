/* run FILE KERNEL [ARGUMENT…]: runs a kernel on the CPU with every checker on, one block of 64 threads;
 * arguments are written as for `lockstep run --arg`: cc run.c $(pkg-config --cflags --libs lockstep) -o run
 * && ./run scale.ptx scale 'f32[64]=iota' 2 */
#include "common.h"

static int run_kernel(const ls_ptx_module *module, const char *name, const char *const *specs, uint32_t count,
                      ls_diags *diags) {
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
    const ls_ptx_function *kernel = ls_ptx_find_function(module, name);
    ls_emulator *emulator = kernel ? ls_emulator_new(module, diags) : NULL;
    ls_emu_args *args =
        emulator ? ls_launch_args(emulator, kernel, grid, block, 0, specs, count, NULL, diags) : NULL;
    int status = 2;
    if (args) {
        ls_emu_options options;
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.checks = LS_CHECK_ALL;
        ls_emu_launch launch;
        memset(&launch, 0, sizeof launch);
        launch.kernel = name;
        memcpy(launch.grid, grid, sizeof grid);
        memcpy(launch.block, block, sizeof block);
        launch.params = args->params;
        launch.params_size = args->params_size;
        launch.shared_bytes = args->shared_bytes;
        ls_emu_result *result = ls_emulator_run(emulator, &launch, &options);
        for (uint32_t i = 0; i < result->finding_count; i++)
            printf("line %u: %s\n", result->findings[i].place.line, result->findings[i].message);
        char element[64];
        for (uint32_t i = 0; i < args->count; i++) {
            const ls_emu_arg *arg = &args->args[i];
            if (!arg->is_buffer) continue;
            ls_emu_element(arg->type, (const void *)(uintptr_t)(arg->address), element, sizeof element);
            printf("%s[0] = %s\n", arg->name, element);
        }
        status = result->status != LS_EMU_DONE ? 3 : result->finding_count ? 1 : 0;
        ls_emu_result_free(result);
    }
    show_diagnostics(diags);
    ls_launch_args_free(args);
    ls_emulator_free(emulator);
    return status;
}

int main(int argc, char **argv) {
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    ls_ptx_module *module = argc >= 3 ? load(argv[1], LS_FORM_AS_RUN, &compiled, diags) : NULL;
    int status = 2;
    if (module) {
        status = run_kernel(module, argv[2], (const char *const *)(argv + 3), (uint32_t)(argc - 3), diags);
        ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_diags_free(diags);
    return status;
}
