/* A child process for `expect`: base/process with the answers that it tells apart. */
#include "cli/child.h"

#include "base/clock.h"
#include "base/guard.h"
#include "base/process.h"

#include <errno.h>

void ls_child_run(char *const argv[], const char *folder, double timeout, ls_child_result *result) {
    *result = (ls_child_result){.end = LS_CHILD_FAILED};
    ls_process_limits limits = {
        .seconds = timeout, .output = LS_CHILD_OUTPUT, .folder = folder, .cancel = ls_guard_flag()};
    double start = ls_clock_seconds(LS_CLOCK_WALL);
    ls_process process;
    ls_args args = {0};
    for (; *argv; argv++) LS_VEC_PUSH(&args, *argv);
    bool started = ls_process_start(&process, &args, &limits);
    if (!started) result->code = errno;
    LS_VEC_FREE(&args);
    int status = started ? ls_process_finish(&process, &result->output) : -1;
    if (status == LS_PROCESS_LATE) {
        result->end = LS_CHILD_TIMEOUT;
    } else if (started && status >= 0) {
        result->end = status > 128 ? LS_CHILD_SIGNALLED : LS_CHILD_EXITED;
        result->code = status > 128 ? status - 128 : status;
    }
    result->seconds = ls_clock_seconds(LS_CLOCK_WALL) - start;
}
