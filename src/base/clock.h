/* The one clock. Limits that decide what is found count CPU time, so that a loaded machine finds the same;
 * the wall clock is for what people wait for. */
#ifndef LS_BASE_CLOCK_H
#define LS_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

typedef enum {
    LS_CLOCK_WALL,    /* never set back */
    LS_CLOCK_PROCESS, /* CPU time of all threads */
    LS_CLOCK_THREAD,  /* CPU time of the calling thread: to be compared in the same thread only */
    LS_CLOCK_WORK,    /* the same, with that of the threads it has waited for (ls_clock_joined) */
} ls_clock;

double ls_clock_seconds(ls_clock clock);
double ls_clock_ms(ls_clock clock);
/* Counts what another thread has taken, in seconds of its LS_CLOCK_WORK, as work of the calling one. */
void ls_clock_joined(double seconds);
/* The CPU time of another thread, which must be there still; taken as the number that ls_clock_own gave in
 * it. */
typedef int ls_clock_number;
ls_clock_number ls_clock_own(void);
double ls_clock_seconds_of(ls_clock_number number);
/* For waiting with pthread_cond_timedwait: a condition that goes by the wall clock, and a time of it. */
void ls_clock_condition(pthread_cond_t *condition);
struct timespec ls_clock_timespec(double seconds);
/* How much slower this build is than one without sanitizers, about. */
double ls_clock_slowdown(void);

/* A point of time that is not to be passed. */
typedef struct {
    ls_clock clock;
    double end; /* as ls_clock_seconds; infinite: never */
} ls_deadline;

/* So many seconds from now; 0 or less: never. Under a sanitizer, which makes everything slower, CPU time
 * counts for less. */
ls_deadline ls_deadline_in(ls_clock clock, double seconds);
bool ls_deadline_passed(const ls_deadline *deadline);
/* In seconds, as given to ls_deadline_in; negative: passed; infinite: there is none. */
double ls_deadline_left(const ls_deadline *deadline);

#endif
