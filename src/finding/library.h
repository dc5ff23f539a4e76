/* Files of libraries (library.c). */
#ifndef LS_FINDING_LIBRARY_H
#define LS_FINDING_LIBRARY_H

#include "lockstep/finding.h"

bool ls_is_library_file(const char *path);
/* A kernel of Thrust, CUB or libcu++, by its mangled name: they come with the headers, wherever these lie. */
bool ls_is_library_kernel(const char *name);
/* The kernel that the place is in belongs to a library, whatever code called it. */
bool ls_is_in_library(const ls_place *place);

#endif
