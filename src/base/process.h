/* Child processes: a program with its arguments, no shell, its two outputs kept, within limits of time and
 * memory. Each is the head of a process group of its own, which ends with it; and none outlives this process,
 * however that ends. */
#ifndef LS_BASE_PROCESS_H
#define LS_BASE_PROCESS_H

#include "base/buf.h"
#include "base/vec.h"

#include <sys/types.h>

typedef LS_VEC(const char *) ls_args;

/* All zero: no limits. */
typedef struct {
    double seconds;             /* on the wall */
    uint64_t bytes;             /* of address space, of each process */
    size_t output;              /* of what it says: more is read and dropped */
    const char *folder;         /* to run in; NULL: this one */
    const volatile int *cancel; /* its time is up when this becomes nonzero; NULL: never */
} ls_process_limits;

typedef struct {
    pid_t pid;
    int output;                 /* read end of the pipe that standard output and standard error both go to */
    pid_t warden;               /* ends the group where this process is no more: it reads from … */
    int lifeline;               /* … the other end of this */
    double deadline;            /* by CLOCK_MONOTONIC; 0: none */
    size_t most_said;           /* 0: any */
    const volatile int *cancel; /* NULL: none */
} ls_process;

enum { LS_PROCESS_LATE = -2 };

/* Starts argv[0] (looked up in PATH where it has no '/'); argv need not end with NULL. False with errno
 * set where it cannot be started. limits: NULL for none. */
bool ls_process_start(ls_process *process, const ls_args *argv, const ls_process_limits *limits);
/* Reads all that it says, waits for its end. The exit status, 128 + the signal that ended it, LS_PROCESS_LATE
 * where its time was up, or -1. */
int ls_process_finish(ls_process *process, ls_buf *said);
/* Both of the above; 127 where it cannot be started. */
int ls_process_run(const ls_args *argv, const ls_process_limits *limits, ls_buf *said);
/* Ends all that were started and are not finished, with what they started. */
void ls_process_end_all(void);

/* The full path of a program in PATH, made with ls_xmalloc; NULL where there is none. */
char *ls_process_find(const char *program);

#endif
