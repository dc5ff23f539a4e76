/* The watch over a run (guard.h). Signals are blocked in every thread and taken by the watch alone, so that
 * nothing has to be safe in a signal's handler. */
#include "base/guard.h"

#include "base/clock.h"

#include "base/process.h"
#include "base/scratch.h"
#include "base/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TASKS = 1024, TICK_MS = 40, PATIENCE_MS = 120 };
static const double GRACE = 1.0; /* seconds that a task may take over its limit */

typedef struct {
    atomic_bool active;
    ls_clock_number clock;
    double cpu_end, wall_end; /* 0: none */
} task;

static struct {
    ls_guard_options options;
    pthread_t thread;
    bool started;
    int statm; /* what the kernel says of this process's memory; -1: nothing */
    sigset_t signals, before;
    volatile int flag;
    atomic_bool stop;
    pthread_mutex_t writing; /* held by who writes the result */
    pthread_mutex_t lock;    /* of the tasks */
    task tasks[MOST_TASKS];
} guard = {.writing = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local task *own;
static _Thread_local bool finishing;

uint64_t ls_guard_memory(void) {
    return guard.options.bytes ? guard.options.bytes : ls_half_of_memory();
}

uint64_t ls_half_of_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : UINT64_C(4) << 30;
}

/* The file stays open: a confined process opens none. */
static uint64_t resident(void) {
    char text[128];
    unsigned long all = 0, pages = 0;
    ssize_t got = pread(guard.statm, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = 0;
    if (sscanf(text, "%lu %lu", &all, &pages) != 2) return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

const volatile int *ls_guard_flag(void) {
    return &guard.flag;
}

/* --- Tasks --------------------------------------------------------------------------------------------- */

void ls_guard_begin(double cpu_seconds, double wall_seconds) {
    if (!guard.started || own || (cpu_seconds <= 0 && wall_seconds <= 0)) return;
    pthread_mutex_lock(&guard.lock);
    for (int k = 0; k < MOST_TASKS && !own; k++)
        if (!guard.tasks[k].active) own = &guard.tasks[k];
    if (own) {
        own->clock = ls_clock_own();
        own->cpu_end =
            cpu_seconds > 0 ? ls_clock_seconds_of(own->clock) + cpu_seconds * ls_clock_slowdown() : 0;
        own->wall_end = wall_seconds > 0 ? ls_clock_seconds(LS_CLOCK_WALL) + wall_seconds : 0;
        own->active = true;
    }
    pthread_mutex_unlock(&guard.lock);
}

void ls_guard_end(void) {
    if (!own) return;
    pthread_mutex_lock(
        &guard.lock); /* so that the watch does not look at the clock of a thread that is gone */
    own->active = false;
    pthread_mutex_unlock(&guard.lock);
    own = NULL;
}

static bool is_late(void) {
    bool late = false;
    pthread_mutex_lock(&guard.lock);
    for (int k = 0; k < MOST_TASKS && !late; k++) {
        const task *t = &guard.tasks[k];
        if (!t->active) continue;
        late = (t->cpu_end > 0 && ls_clock_seconds_of(t->clock) > t->cpu_end + GRACE) ||
               (t->wall_end > 0 && ls_clock_seconds(LS_CLOCK_WALL) > t->wall_end + GRACE);
    }
    pthread_mutex_unlock(&guard.lock);
    return late;
}

/* --- The watch ----------------------------------------------------------------------------------------- */

_Noreturn static void end_process(int status) {
    ls_process_end_all();
    ls_scratch_remove_all();
    _exit(status);
}

/* Whether the work writes its result by itself within so many milliseconds; else `writing` is held. */
static bool ends_by_itself(int ms) {
    for (; ms > 0; ms -= 10) {
        if (guard.stop) return true;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    finishing = pthread_mutex_trylock(&guard.writing) == 0;
    return !finishing;
}

/* Whether the result is being written. */
static bool is_writing(void) {
    if (pthread_mutex_trylock(&guard.writing)) return true;
    pthread_mutex_unlock(&guard.writing);
    return false;
}

static void end_run(const char *why, int number) {
    const bool wrote = is_writing();
    guard.flag = 1;
    if (ends_by_itself(PATIENCE_MS)) { /* it writes: a signal that comes then ends that, too */
        if (wrote && number && !guard.stop) end_process(128 + number);
        while (!guard.stop) {
            int again = sigtimedwait(&guard.signals, NULL, &(struct timespec){0, 20000000});
            if (again > 0 && again != SIGURG) end_process(128 + again);
        }
        return;
    }
    ls_process_end_all();
    int status = guard.options.last ? guard.options.last(guard.options.context, why, number)
                 : number           ? 128 + number
                                    : 3;
    end_process(status);
}

static void *watch(void *nothing) {
    (void)nothing;
    char text[160];
    while (!guard.stop) {
        int number = sigtimedwait(&guard.signals, NULL, &(struct timespec){0, TICK_MS * 1000000});
        if (guard.stop) break;
        if (number > 0 && number != SIGURG) {
            snprintf(text, sizeof text, "the run was ended by %s", ls_ending_signal_name(number));
            end_run(text, number);
        } else if (guard.options.bytes && resident() > guard.options.bytes) {
            snprintf(text, sizeof text, "the memory limit of %llu MB was reached (--max-memory)",
                     (unsigned long long)(guard.options.bytes >> 20));
            end_run(text, 0);
        } else if (is_late()) {
            snprintf(text, sizeof text,
                     "the time limit was reached in a step that cannot be interrupted (%s)",
                     guard.options.time_option ? guard.options.time_option : "--timeout");
            end_run(text, 0);
        }
    }
    return NULL;
}

void ls_guard_start(const ls_guard_options *options) {
    if (guard.started) return;
    guard.options = *options;
    guard.flag = 0;
    guard.stop = false;
    guard.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    sigemptyset(&guard.signals);
    ls_ending_signals(&guard.signals);
    for (int k = 1; k < NSIG; k++) { /* nohup asks for some to be ignored */
        struct sigaction now;
        if (sigismember(&guard.signals, k) == 1 && !sigaction(k, NULL, &now) && now.sa_handler == SIG_IGN)
            sigdelset(&guard.signals, k);
    }
    sigaddset(&guard.signals, SIGURG); /* which ls_guard_stop wakes the watch with */
    pthread_sigmask(SIG_BLOCK, &guard.signals, &guard.before);
    guard.started = !pthread_create(&guard.thread, NULL, watch, NULL);
    if (!guard.started) pthread_sigmask(SIG_SETMASK, &guard.before, NULL);
}

void ls_guard_finish(void) {
    if (!guard.started || finishing) return;
    finishing = true;
    pthread_mutex_lock(&guard.writing);
}

void ls_guard_stop(void) {
    if (!guard.started) return;
    guard.stop = true;
    pthread_kill(guard.thread, SIGURG);
    pthread_join(guard.thread, NULL);
    if (guard.statm >= 0) close(guard.statm);
    if (finishing) pthread_mutex_unlock(&guard.writing);
    finishing = false;
    pthread_sigmask(SIG_SETMASK, &guard.before, NULL);
    guard.started = false;
}
