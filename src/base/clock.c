/* Clocks and deadlines (clock.h). */
#include "base/clock.h"

#include <math.h>
#include <time.h>

double ls_clock_slowdown(void) {
#ifdef __SANITIZE_ADDRESS__
    return 8;
#else
    return 1;
#endif
}

double ls_clock_seconds(ls_clock clock) {
    static const clockid_t clocks[] = {[LS_CLOCK_WALL] = CLOCK_MONOTONIC,
                                       [LS_CLOCK_PROCESS] = CLOCK_PROCESS_CPUTIME_ID,
                                       [LS_CLOCK_THREAD] = CLOCK_THREAD_CPUTIME_ID};
    struct timespec t;
    clock_gettime(clocks[clock], &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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
