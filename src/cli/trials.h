/* Trials of a changed text, for a process that will be sealed (base/confine.h) and can start no compiler
 * then: a helper, which is forked before, makes each of them in a process of its own, which compiles the
 * text, is sealed, and only then looks at what came of it. */
#ifndef LS_CLI_TRIALS_H
#define LS_CLI_TRIALS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *path;            /* the file whose text it is */
    const char *kernel, *object; /* what it is about; "" for none */
    const char *text;
    size_t length;
} ls_trial;

typedef struct {
    /* Compiles the text, which is in the file `text`, seals the process, fills the outcome. */
    void (*make)(void *context, const ls_trial *trial, const char *text, void *outcome);
    void *context;
    size_t size;      /* of an outcome: plain bytes; all zero where a trial fails */
    uint64_t bytes;   /* of address space for a trial; 0: any */
    uint32_t seconds; /* on the wall */
} ls_trials_options;

typedef struct ls_trials ls_trials;

/* Starts the helper, which ends with this process; NULL where it cannot. It is the arena's. */
ls_trials *ls_trials_start(const ls_trials_options *options, ls_arena *arena);
/* One trial after another, by whichever thread; false where there is no outcome. */
bool ls_trials_ask(ls_trials *trials, const ls_trial *trial, void *outcome);

#endif
