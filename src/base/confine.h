/* Work on input that is not trusted, in a child process that can do little. From its start the child has no
 * way to the network, to other processes' memory or to the kernel's administration, and neither have programs
 * that it starts; once it is sealed it starts none, opens no file and maps no code: it computes, and writes
 * to what is open. Files that it reads from then on are opened by the parent, where that lets it. The parent
 * also holds it to its memory, passes signals on, and is told how it ended. Linux on x86-64 and AArch64;
 * elsewhere nothing is run (LS_CONFINE_UNABLE).
 *
 * The child is forked: the process should have one thread. Servers, which have several, start the command
 * with
 * --untrusted instead (ls_cli_confined). */
#ifndef LS_BASE_CONFINE_H
#define LS_BASE_CONFINE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    /* Whether the sealed child may read this file; NULL: none. Called in the parent. */
    bool (*may_read)(void *context, const char *path);
    /* What it writes to its standard output, as it comes. Called in the parent. */
    void (*take)(void *context, const char *text, size_t length);
    void *context;
    uint64_t bytes; /* of resident memory, from which on it is ended; 0: any */
} ls_confine_options;

enum { LS_CONFINE_UNABLE = -1, LS_CONFINE_MEMORY = -2 };

/* Runs work(of) in such a child. Its result (0 to 127), 128 + the signal that ended it, or one of the above.
 */
int ls_confine(const ls_confine_options *options, int (*work)(void *of), void *of);

/* In the child: from now on sealed, with all its threads. False where it cannot be. */
bool ls_confine_seal(void);
/* Whether this process is sealed. */
bool ls_confine_sealed(void);
/* Opens a file for reading, by the parent where this process is sealed; -1 with errno set. */
int ls_confine_open(const char *path);

#endif
