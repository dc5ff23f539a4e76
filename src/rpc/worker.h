/* One piece of a server's work: `lockstep SUBCOMMAND …` as a child process, whose report comes back as JSON.
 * A crash, a hang or too much memory is the child's alone, and it can be ended when nobody waits for it any
 * more. */
#ifndef LS_RPC_WORKER_H
#define LS_RPC_WORKER_H

#include "base/process.h"

#include <jansson.h>

typedef struct {
    bool running;
    bool cancelled;
    double kill_at; /* where it does not end by itself; 0: never */
    ls_process process;
    ls_buf said;  /* what it printed */
    char *folder; /* its temporary files */
    int status;   /* once it has ended */
} ls_worker;

typedef struct {
    const char *folder; /* to run in; NULL: this one */
    double seconds;     /* after which it is asked to end; 0: never */
    bool with_report;   /* "-o FILE" is added, for ls_worker_report; else the result is what it says */
    bool confined;      /* "--untrusted" is added: nobody vouches for the files (docs/security.md) */
} ls_worker_options;

/* Starts lockstep with the arguments, of which the first is the subcommand. False where it cannot be started.
 */
bool ls_worker_start(ls_worker *worker, const ls_args *arguments, const ls_worker_options *options);
/* Another file in its temporary folder, made with the text before the worker is started; the path is the
 * arena's. NULL where it cannot be written. */
const char *ls_worker_file(ls_worker *worker, ls_arena *arena, const char *name, const char *text,
                           size_t length);
/* To be called when `process.output` can be read, or now and then: true once it has ended. */
bool ls_worker_poll(ls_worker *worker);
/* Asks it to end; that is seen by ls_worker_poll later. */
void ls_worker_cancel(ls_worker *worker);
/* After its end: the report, NULL where there is none; the caller's. */
json_t *ls_worker_report(const ls_worker *worker);
/* Ends it if need be, and frees everything. */
void ls_worker_free(ls_worker *worker);

#endif
