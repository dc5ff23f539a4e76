/* A header that no -I names but that lies in the source's own project. */
#ifndef LS_FRONTEND_NEARBY_H
#define LS_FRONTEND_NEARBY_H

#include "base/arena.h"

/* The folder from which `#include <header>` finds the header: below the folder of the file, else below the
 * one that folder is in, and so on for a few steps. NULL where there is none, or no single one. */
const char *ls_nearby_folder(ls_arena *arena, const char *file, const char *header);

#endif
