/* Files on several machines (fleet.h). What is said: a helper sends how many files it can take ("n" and the
 * number); it gets their numbers, or none when all is done; and it sends each file's part of the report
 * behind "r" and its number. MPI is spoken by one thread of each process. The helpers' files are the same
 * list in the same order: all processes were given the same command line. */
#include "cli/fleet.h"

#include "base/clock.h"
#include "base/pool.h"
#include "cli/mpi.h"
#include "report/keep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_AT_ONCE = 64, LOOK_MS = 2, PATIENCE_MS = 3000 };
#define SLOWER 4 /* so many times what the longest file took here is a helper waited for */

typedef enum { WAITS, GIVEN_AWAY, HERE, DONE } state;

struct ls_fleet {
    ls_mpi *mpi;
    const ls_cli_job *jobs;
    uint32_t count, done;
    uint32_t threads;
    state *states;        /* by file */
    double *given_at;     /* by file: when it was given away */
    double longest;       /* seconds that a file took here */
    pthread_mutex_t lock; /* of the number that is done, and what stands behind it */
    bool *gone;           /* by process: it was told that there is nothing left */
    void (*body)(void *context, uint32_t index);
    void *context;
};

ls_fleet *ls_fleet_join(ls_cli *cli, bool *good) {
    const char *why;
    ls_mpi *mpi = ls_mpi_join(&why);
    *good = !why;
    if (why) ls_cli_error(cli, "%s", why);
    if (!mpi) return NULL;
    ls_fleet *fleet = LS_NEW(&cli->arena, ls_fleet);
    *fleet = (ls_fleet){.mpi = mpi, .gone = LS_NEW_N(&cli->arena, bool, ls_mpi_size(mpi))};
    pthread_mutex_init(&fleet->lock, NULL);
    return fleet;
}

bool ls_fleet_is_helper(const ls_fleet *fleet) {
    return fleet && ls_mpi_rank(fleet->mpi) > 0;
}

static void rest(void) {
    nanosleep(&(struct timespec){0, LOOK_MS * 1000000L}, NULL);
}

/* --- The first process --------------------------------------------------------------------------------- */

/* The next file that waits. If none does and the request is from this process, a file that was given to
 * another process long ago, because that process may have been lost. UINT32_MAX if there is none. */
static uint32_t take(ls_fleet *f, state as) {
    uint32_t found = UINT32_MAX;
    double now = ls_clock_seconds(LS_CLOCK_WALL);
    pthread_mutex_lock(&f->lock);
    double late = now - PATIENCE_MS / 1e3 - SLOWER * f->longest;
    for (uint32_t i = 0; i < f->count && found == UINT32_MAX; i++)
        if (f->states[i] == WAITS) found = i;
    for (uint32_t i = 0; as == HERE && i < f->count && found == UINT32_MAX; i++)
        if (f->states[i] == GIVEN_AWAY && f->given_at[i] < late) found = i;
    if (found != UINT32_MAX) {
        f->states[found] = as;
        f->given_at[found] = now;
    }
    pthread_mutex_unlock(&f->lock);
    return found;
}

static void finish(ls_fleet *f, uint32_t file) {
    pthread_mutex_lock(&f->lock);
    f->states[file] = DONE;
    f->done++;
    pthread_mutex_unlock(&f->lock);
}

static bool all_done(ls_fleet *f) {
    pthread_mutex_lock(&f->lock);
    bool done = f->done == f->count;
    pthread_mutex_unlock(&f->lock);
    return done;
}

static void work_here(void *context, uint32_t thread) {
    ls_fleet *f = context;
    (void)thread;
    while (!all_done(f)) {
        uint32_t file = take(f, HERE);
        if (file == UINT32_MAX) {
            rest();
            continue;
        }
        double start = ls_clock_seconds(LS_CLOCK_WALL);
        f->body(f->context, file);
        double took = ls_clock_seconds(LS_CLOCK_WALL) - start;
        finish(f, file);
        pthread_mutex_lock(&f->lock);
        if (took > f->longest) f->longest = took;
        pthread_mutex_unlock(&f->lock);
    }
}

static void *work_on_threads(void *context) {
    ls_fleet *f = context;
    uint32_t threads = f->threads ? f->threads : ls_core_count();
    ls_parallel_for(threads, threads, work_here, f);
    return NULL;
}

static void give(ls_fleet *f, int to, uint32_t most) {
    uint32_t files[MOST_AT_ONCE], count = 0;
    for (uint32_t file; count < most && count < MOST_AT_ONCE && (file = take(f, GIVEN_AWAY)) != UINT32_MAX;)
        files[count++] = file;
    f->gone[to] = !count;
    ls_mpi_send(f->mpi, to, files, count * sizeof *files);
}

/* A result that comes too late, as the file was taken back, is not looked at. */
static void receive(ls_fleet *f, uint32_t file, const char *bytes, size_t length) {
    if (file >= f->count) return;
    pthread_mutex_lock(&f->lock);
    bool wanted = f->states[file] == GIVEN_AWAY;
    if (wanted) f->states[file] = HERE;
    pthread_mutex_unlock(&f->lock);
    if (!wanted) return;
    if (!ls_report_restore(f->jobs[file].file, bytes, length)) f->body(f->context, file);
    finish(f, file);
}

static bool look_for_message(ls_fleet *f) {
    char *bytes;
    size_t length;
    int from;
    uint32_t number;
    if (!ls_mpi_receive(f->mpi, &from, &bytes, &length)) return false;
    if (length >= 1 + sizeof number) {
        memcpy(&number, bytes + 1, sizeof number);
        if (*bytes == 'n') give(f, from, number);
        if (*bytes == 'r') receive(f, number, bytes + 1 + sizeof number, length - 1 - sizeof number);
    }
    free(bytes);
    return true;
}

static bool all_gone(const ls_fleet *f) {
    for (int i = 1; i < ls_mpi_size(f->mpi); i++)
        if (!f->gone[i]) return false;
    return true;
}

static void lead(ls_fleet *f) {
    pthread_t workers;
    bool threaded = !pthread_create(&workers, NULL, work_on_threads, f);
    while (!all_done(f)) {
        if (look_for_message(f)) continue;
        if (!threaded) work_here(f, 0); /* alone */
        rest();
    }
    if (threaded) pthread_join(workers, NULL);
    for (int waited = 0; !all_gone(f) && waited < PATIENCE_MS; waited += LOOK_MS)
        if (!look_for_message(f)) rest();
}

/* --- A helper ------------------------------------------------------------------------------------------ */

static void send_number(const ls_fleet *f, char what, uint32_t number, const ls_buf *more) {
    ls_buf message = {0};
    ls_buf_putc(&message, what);
    ls_buf_add(&message, (const char *)&number, sizeof number);
    if (more) ls_buf_add(&message, more->text, more->length);
    ls_mpi_send(f->mpi, 0, message.text, message.length);
    ls_buf_free(&message);
}

typedef struct {
    ls_fleet *fleet;
    const uint32_t *files;
} batch;

static void work_on_batch(void *context, uint32_t index) {
    const batch *b = context;
    b->fleet->body(b->fleet->context, b->files[index]);
}

static void help(ls_fleet *f) {
    for (;;) {
        char *bytes;
        size_t length;
        int from;
        send_number(f, 'n', f->threads ? f->threads : ls_core_count(), NULL);
        while (!ls_mpi_receive(f->mpi, &from, &bytes, &length)) rest();
        uint32_t files[MOST_AT_ONCE], count = (uint32_t)(length / sizeof *files);
        count = count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
        memcpy(files, bytes, count * sizeof *files);
        free(bytes);
        if (!count) return;
        ls_parallel_for(f->threads, count, work_on_batch, &(batch){f, files});
        for (uint32_t i = 0; i < count; i++) {
            ls_buf told = {0};
            ls_report_keep(f->jobs[files[i]].file, &told);
            send_number(f, 'r', files[i], &told);
            ls_buf_free(&told);
        }
    }
}

void ls_fleet_work(ls_fleet *f, const ls_cli_job *jobs, uint32_t count, uint32_t threads,
                   void (*body)(void *context, uint32_t index), void *context) {
    f->jobs = jobs;
    f->count = count;
    f->body = body;
    f->context = context;
    f->threads = threads;
    f->states = ls_xmalloc((count + 1) * sizeof *f->states);
    f->given_at = ls_xmalloc((count + 1) * sizeof *f->given_at);
    for (uint32_t i = 0; i < count; i++) f->states[i] = WAITS;
    if (ls_fleet_is_helper(f))
        help(f);
    else
        lead(f);
    free(f->states);
    free(f->given_at);
}

void ls_fleet_leave(ls_fleet *f, int status) {
    if (!f) return;
    ls_mpi_leave(f->mpi, ls_fleet_is_helper(f) || all_gone(f), status);
    pthread_mutex_destroy(&f->lock);
}
