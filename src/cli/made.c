/* What was made up of a launch: a line of the scope for each argument, for shared memory, and for what cannot
 * be found because of it. */
#include "cli/made.h"

#include "base/buf.h"

/* Of so many arguments each has a line of its own; those behind them share one: a report compares its lines.
 */
enum { OWN_LINES = 64 };
static const char *const brief = "with made-up arguments";

void ls_cli_say_made(ls_report_kernel *kernel, const ls_emulator *emulator, const ls_emu_args *args,
                     ls_arena *arena) {
    bool grows = false;
    ls_buf rest = {0};
    kernel->scope_asked = true;
    for (uint32_t k = 0; k < args->count; k++) {
        const ls_emu_arg *arg = &args->args[k];
        const char *what = arg->made ? ls_emu_arg_made(emulator, arg, arena) : NULL;
        if (what && k < OWN_LINES)
            ls_report_scope(kernel, brief, "made up: %s is %s", arg->name, what);
        else if (what)
            ls_buf_printf(&rest, "%s%s is %s", rest.length ? "; " : "", arg->name, what);
        grows |= arg->made && arg->grows;
    }
    if (rest.length) ls_report_scope(kernel, brief, "made up: %s", ls_buf_text(&rest));
    ls_buf_free(&rest);
    if (args->shared_said) ls_report_scope(kernel, brief, "made up: %s", args->shared_said);
    if (grows)
        ls_report_scope(
            kernel, NULL,
            "the ends of made-up buffers are not checked: the buffers grow as the kernel accesses them");
}
