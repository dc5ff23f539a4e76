/* The libraries that `lockstep run -- PROGRAM` and `lockstep detect -- PROGRAM` put into a program
 * (preload.c).
 */
#ifndef LS_CLI_PRELOAD_H
#define LS_CLI_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

typedef struct {
    char folder[2 * PATH_MAX]; /* in which the library is, by a name that LD_PRELOAD takes */
    char *scratch;
} ls_preload;

/* Finds the library, beside the command or in lib beside its folder. False: it is not there, or cannot be
 * reached, with errno. */
bool ls_preload_find(const char *library, ls_preload *out);
/* Puts something of the folder before what a variable of the environment has. */
void ls_preload_prepend(const char *variable, const ls_preload *preload, const char *what);
/* After the program has ended. */
void ls_preload_end(ls_preload *preload);

#endif
