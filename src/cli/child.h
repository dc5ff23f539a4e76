/* A child process with its output caught and its time limited. */
#ifndef LS_CLI_CHILD_H
#define LS_CLI_CHILD_H

#include "base/buf.h"

#include <stdbool.h>

typedef enum { LS_CHILD_EXITED, LS_CHILD_SIGNALLED, LS_CHILD_TIMEOUT, LS_CHILD_FAILED } ls_child_end;

typedef struct {
    ls_child_end end;
    int code;       /* exit status, signal, or errno where it could not be started */
    double seconds; /* wall time */
    ls_buf output;  /* standard output and error together, at most LS_CHILD_OUTPUT bytes of it */
} ls_child_result;

enum { LS_CHILD_OUTPUT = 16 << 20 };

/* Runs argv (ending with NULL) in folder (NULL: the current one) with no standard input; ends it after
 * `timeout` seconds (0: never). The caller frees result->output. May be called from several threads. */
void ls_child_run(char *const argv[], const char *folder, double timeout, ls_child_result *result);

#endif
