/* lockstep verify --print: kernels in the kernel language of paper 000, as they are, in sort order,
 * predicated (Figure 5) or in lock-step (Figure 7). */
#include "cli/verify_print.h"

#include "base/buf.h"
#include "cli/input.h"
#include "lockstep/model.h"

#include <stdlib.h>

static bool print_kernel(const ls_common *common, const ls_input *input, const ls_compiled_kernel *kernel,
                         ls_model_form form, ls_diags *diags, ls_buf *out) {
    const ls_ptx_function *function = ls_ptx_find_function(input->module, kernel->name);
    if (!function || !function->body) return true;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_model_launch launch = {0};
    uint32_t grid[3];
    const char *from;
    ls_input_launch(common, kernel, &arena, launch.block, grid, &from);
    ls_arena_free(&arena);
    ls_ir_function *ir = ls_ir_build(input->module, function, &(ls_ir_options){.quiet = true}, diags);
    ls_model *model = ir ? ls_model_lower(ir, &launch, diags) : NULL;
    if (model) {
        if (out->length) ls_buf_putc(out, '\n');
        ls_buf_take(out, ls_model_print(model, form));
    }
    bool good = model != NULL;
    ls_model_free(model);
    if (ir) ls_ir_free(ir);
    return good;
}

static bool print_file(const ls_common *common, const char *path, ls_model_form form, ls_diags *diags,
                       ls_buf *out) {
    ls_input input;
    if (!ls_input_load(common, path, LS_FORM_SOURCE, &input, diags)) return false;
    bool good = true;
    for (uint32_t i = 0; i < input.compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &input.compiled.kernels[i];
        if (ls_input_wants(common, kernel)) good &= print_kernel(common, &input, kernel, form, diags, out);
    }
    ls_input_free(&input);
    return good;
}

int ls_verify_print(ls_cli *cli, const ls_common *common, int which) {
    static const ls_model_form forms[] = {LS_MODEL_PRINT_KERNEL, LS_MODEL_PRINT_KERNEL,
                                          LS_MODEL_PRINT_SORT_ORDER, LS_MODEL_PRINT_PREDICATED,
                                          LS_MODEL_PRINT_LOCKSTEP};
    ls_buf out = {0};
    bool good = true;
    for (uint32_t i = 0; i < common->operands.count; i++) {
        ls_diags *diags = ls_diags_new();
        good &= print_file(common, common->operands.items[i], forms[which], diags, &out);
        ls_cli_show_diags(cli, common, diags);
        ls_diags_free(diags);
    }
    int status = ls_cli_write(cli, common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    return good ? status : LS_EXIT_USAGE;
}
