/* Progress on a terminal: a thread of its own writes one line, several times a second, after the first
 * second. Whoever works only counts. */
#include "cli/progress.h"

#include "base/arena.h"
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 40 };

struct ls_progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    const char *command;
    uint32_t files, files_done, kernels_done;
    char name[NAME + 1]; /* of the kernel that was begun last */
    bool ended, shown;
    double start;
};

static const double FIRST = 1, EVERY = 0.25; /* seconds */

static void show(ls_progress *p, double now) {
    fprintf(stderr, "\r\033[Klockstep %s: ", p->command);
    if (p->files > 1) fprintf(stderr, "%" PRIu32 " of %" PRIu32 " files, ", p->files_done, p->files);
    fprintf(stderr, "%" PRIu32 " kernel%s done", p->kernels_done, p->kernels_done == 1 ? "" : "s");
    if (*p->name) fprintf(stderr, ", at %s", p->name);
    fprintf(stderr, " (%.0f s)", now - p->start);
    fflush(stderr);
    p->shown = true;
}

static void *watch(void *context) {
    ls_progress *p = context;
    pthread_mutex_lock(&p->lock);
    double next = p->start + FIRST;
    while (!p->ended) {
        struct timespec until = ls_clock_timespec(next);
        if (!pthread_cond_timedwait(&p->wake, &p->lock, &until)) continue;
        if (p->ended) break;
        show(p, next);
        next += EVERY;
    }
    if (p->shown) fprintf(stderr, "\r\033[K");
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

ls_progress *ls_progress_start(const char *command, uint32_t files, bool wanted) {
    const char *term = getenv("TERM");
    if (!wanted || !isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb")) return NULL;
    ls_progress *p = ls_xmalloc(sizeof *p);
    *p = (ls_progress){.command = command, .files = files};
    p->start = ls_clock_seconds(LS_CLOCK_WALL);
    ls_clock_condition(&p->wake);
    pthread_mutex_init(&p->lock, NULL);
    if (!pthread_create(&p->thread, NULL, watch, p)) return p;
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
    return NULL;
}

void ls_progress_end(ls_progress *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void ls_progress_file(ls_progress *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->files_done++;
    pthread_mutex_unlock(&p->lock);
}

/* Names come from the input: what a terminal might take for a command is left out. */
void ls_progress_kernel(ls_progress *p, const char *name) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    if (name) {
        size_t length = 0;
        for (; name[length] && name[length] != '(' && length < NAME; length++)
            p->name[length] = name[length] < ' ' || name[length] > '~' ? '?' : name[length];
        p->name[length] = 0;
    } else {
        p->kernels_done++;
    }
    pthread_mutex_unlock(&p->lock);
}
