/* Progress on a terminal (progress.c). */
#ifndef LS_CLI_PROGRESS_H
#define LS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ls_progress ls_progress;

/* From now on a line on the standard error says how far the run is, where that is a terminal and the run
 * takes longer than a second; NULL where nothing is to be shown. */
ls_progress *ls_progress_start(const char *command, uint32_t files, bool wanted);
/* Takes the line away and ends. */
void ls_progress_end(ls_progress *progress);

/* From any thread; progress may be NULL: a file is done; a kernel of this name is begun, or (NULL) one is
 * done. */
void ls_progress_file(ls_progress *progress);
void ls_progress_kernel(ls_progress *progress, const char *name);

#endif
