/* Signals that end programs (signals.h). */
#include "base/signals.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name;
} ends[] = {{SIGINT, "Ctrl-C"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}};

enum { ENDS = sizeof ends / sizeof *ends };

void ls_ending_signals(sigset_t *set) {
    for (size_t k = 0; k < ENDS; k++) sigaddset(set, ends[k].number);
}

const char *ls_ending_signal_name(int number) {
    size_t k = 0;
    while (k + 1 < ENDS && ends[k].number != number) k++;
    return ends[k].name;
}

void ls_default_signals(void) {
    sigset_t none;
    for (size_t k = 0; k < ENDS; k++) signal(ends[k].number, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
