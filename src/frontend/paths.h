/* Source files in PTX by the names that the user knows them by. */
#ifndef LS_FRONTEND_PATHS_H
#define LS_FRONTEND_PATHS_H

#include "base/buf.h"

/* Compilers write absolute paths into .file directives. The file that was given gets the name it was given
 * by, others below the current folder become relative to it. */
void ls_paths_as_given(ls_buf *ptx, const char *given);

#endif
