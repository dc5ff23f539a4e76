/* Folders for temporary files, which are gone when they are no longer needed, and also where a signal or a
 * limit ends the program (ls_scratch_remove_all). */
#ifndef LS_BASE_SCRATCH_H
#define LS_BASE_SCRATCH_H

#include <stdbool.h>

/* A new folder in $TMPDIR or /tmp, readable by nobody else: its path, or NULL with errno set. */
char *ls_scratch_make(void);
/* Removes it with the files in it, and frees the path. NULL is let pass. */
void ls_scratch_remove(char *folder);
/* All that are there. */
void ls_scratch_remove_all(void);

#endif
