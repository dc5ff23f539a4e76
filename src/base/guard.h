/* The watch over a run: one thread that waits for the signals that end programs, looks at the clock and at
 * how much memory is in use, and ends the run where a limit is reached. First it raises a flag
 * (ls_guard_flag), which loops look at; where the work has not ended shortly after, whatever it does, it
 * calls `last`, which may show what was found so far, and ends the process. There is one for the process, as
 * its signals are: only programs start it, the library at most looks at the flag. */
#ifndef LS_BASE_GUARD_H
#define LS_BASE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t bytes;          /* resident memory; 0: any */
    const char *time_option; /* the command's option for its time limit; NULL: --timeout */
    /* Called on the watch's thread with the reason as a sentence, at most once; the status to exit with.
     * NULL: nothing is shown. signal: what came, or 0. */
    int (*last)(void *context, const char *why, int signal);
    void *context;
} ls_guard_options;

void ls_guard_start(const ls_guard_options *options);
/* From now on the caller writes the result: `last` is not called any more. Does not return if `last` has been
 * called already. */
void ls_guard_finish(void);
/* Ends the watch. */
void ls_guard_stop(void);
/* Nonzero once the run is to end. */
const volatile int *ls_guard_flag(void);

/* The calling thread begins something that takes at most so many seconds (0: any) of its own CPU time, or by
 * the clock; and ends it. One at a time for each thread; no more than a backstop, with a second of grace. */
void ls_guard_begin(double cpu_seconds, double wall_seconds);
void ls_guard_end(void);

/* How much memory the run may take, in bytes: the watch's limit, or half of the machine's where there is
 * none. */
uint64_t ls_guard_memory(void);
/* Half of the machine's memory, in bytes. */
uint64_t ls_half_of_memory(void);

#endif
