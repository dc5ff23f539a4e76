/* The signals by which people and schedulers end a program. */
#ifndef LS_BASE_SIGNALS_H
#define LS_BASE_SIGNALS_H

#include <signal.h>

/* Adds them to the set. */
void ls_ending_signals(sigset_t *set);
/* What people call one of them. */
const char *ls_ending_signal_name(int number);
/* All that a program may want to know of are as a new program expects them; none is blocked. */
void ls_default_signals(void);

#endif
