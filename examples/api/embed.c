/* embed: a program that makes PTX itself, checks it before it is launched, and prints the report as JSON:
 *     cc embed.c $(pkg-config --cflags --libs lockstep) -o embed && ./embed */
#include "common.h"

/* Every thread writes the element beside its own: thread t and thread t+1 race where one stores 4 bytes at 2.
 */
static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry shift(.param .u64 out)\n{\n"
                           "    .reg .b32 %t;\n    .reg .b64 %d<3>;\n"
                           "    ld.param.u64 %d0, [out];\n    mov.u32 %t, %tid.x;\n"
                           "    mul.wide.u32 %d1, %t, 2;\n    add.u64 %d2, %d0, %d1;\n"
                           "    st.global.u32 [%d2], %t;\n    ret;\n}\n";

int main(void) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "generated.ptx", diags);
    if (!module) return show_diagnostics(diags), 2;
    ls_ir_function *ir = ls_ir_build(module, ls_ptx_find_function(module, "shift"), NULL, diags);
    ls_verify_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.block[0] = 64, options.block[1] = options.block[2] = 1;
    options.grid[0] = options.grid[1] = options.grid[2] = 1;
    ls_verify_result *result = ls_verify(ir, &options);

    ls_report *report = ls_report_new("embed");
    ls_report_kernel *kernel =
        ls_report_add_kernel(ls_report_add_file(report, "generated.ptx"), "shift", NULL);
    ls_report_verdict(kernel, result->verdict);
    for (const ls_finding *f = result->findings; f; f = f->next) ls_report_take(kernel, f);
    ls_report_finish(report);
    ls_print_options how;
    memset(&how, 0, sizeof how);
    how.size = sizeof how;
    how.format = LS_FORMAT_JSON;
    char *json = ls_report_print(report, &how, NULL);
    fputs(json, stdout);
    free(json);
    int status = ls_report_status(report, LS_FAIL_UNKNOWN);
    ls_report_free(report);
    ls_verify_free(result);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return status;
}
