/* Child processes: a program with its arguments, no shell, its two outputs kept. */
#ifndef LS_BASE_PROCESS_H
#define LS_BASE_PROCESS_H

#include "base/buf.h"
#include "base/vec.h"

#include <sys/types.h>

typedef LS_VEC(const char *) ls_args;

typedef struct {
    pid_t pid;
    int output; /* read end of the pipe that standard output and standard error both go to */
} ls_process;

/* Starts argv[0] (looked up in PATH where it has no '/'); argv need not end with NULL. False with errno
 * set where it cannot be started. */
bool ls_process_start(ls_process *process, const ls_args *argv);
/* Reads all that it says, waits for its end. The exit status, 128 + the signal that ended it, or -1. */
int ls_process_finish(ls_process *process, ls_buf *said);
/* Both of the above; 127 where it cannot be started. */
int ls_process_run(const ls_args *argv, ls_buf *said);

/* The full path of a program in PATH, made with ls_xmalloc; NULL where there is none. */
char *ls_process_find(const char *program);

#endif
