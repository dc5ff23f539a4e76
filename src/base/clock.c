/* Clocks and deadlines (clock.h). */
#include "base/clock.h"

#include <math.h>

double ls_clock_slowdown(void) {
#ifdef __SANITIZE_ADDRESS__
    return 8;
#else
    return 1;
#endif
}

ls_clock_number ls_clock_own(void) {
    clockid_t number;
    return pthread_getcpuclockid(pthread_self(), &number) ? CLOCK_MONOTONIC : number;
}

double ls_clock_seconds_of(ls_clock_number number) {
    struct timespec t;
    if (clock_gettime(number, &t)) return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static _Thread_local double joined;

void ls_clock_joined(double seconds) {
    joined += seconds;
}

double ls_clock_seconds(ls_clock clock) {
    static const clockid_t clocks[] = {[LS_CLOCK_WALL] = CLOCK_MONOTONIC,
                                       [LS_CLOCK_PROCESS] = CLOCK_PROCESS_CPUTIME_ID,
                                       [LS_CLOCK_THREAD] = CLOCK_THREAD_CPUTIME_ID,
                                       [LS_CLOCK_WORK] = CLOCK_THREAD_CPUTIME_ID};
    return ls_clock_seconds_of(clocks[clock]) + (clock == LS_CLOCK_WORK ? joined : 0);
}

void ls_clock_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct timespec ls_clock_timespec(double seconds) {
    double whole = floor(seconds);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
}

double ls_clock_ms(ls_clock clock) {
    return ls_clock_seconds(clock) * 1e3;
}

static double slowdown(ls_clock clock) {
    return clock == LS_CLOCK_WALL ? 1 : ls_clock_slowdown();
}

ls_deadline ls_deadline_in(ls_clock clock, double seconds) {
    if (!(seconds > 0)) return (ls_deadline){clock, INFINITY};
    return (ls_deadline){clock, ls_clock_seconds(clock) + seconds * slowdown(clock)};
}

bool ls_deadline_passed(const ls_deadline *deadline) {
    return isfinite(deadline->end) && ls_clock_seconds(deadline->clock) >= deadline->end;
}

double ls_deadline_left(const ls_deadline *deadline) {
    if (!isfinite(deadline->end)) return INFINITY;
    return (deadline->end - ls_clock_seconds(deadline->clock)) / slowdown(deadline->clock);
}
