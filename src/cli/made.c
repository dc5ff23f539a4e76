/* What was made up of a launch: a line of the scope for each argument, for shared memory, and for what cannot
 * be found because of it. */
#include "cli/made.h"

void ls_cli_say_made(ls_report_kernel *kernel, const ls_emulator *emulator, const ls_emu_args *args,
                     ls_arena *arena) {
    bool grows = false;
    kernel->scope_asked = true;
    for (uint32_t k = 0; k < args->count; k++) {
        const ls_emu_arg *arg = &args->args[k];
        if (arg->made)
            ls_report_scope(kernel, "with made-up arguments", "made up: %s is %s", arg->name,
                            ls_emu_arg_made(emulator, arg, arena));
        grows |= arg->made && arg->grows;
    }
    if (args->shared_said)
        ls_report_scope(kernel, "with made-up arguments", "made up: %s", args->shared_said);
    if (grows)
        ls_report_scope(kernel, NULL,
                        "the ends of made-up buffers are not checked: they grow with what is accessed");
}
