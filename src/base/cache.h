/* Where things are kept between runs, as they can be made again: a folder below $XDG_CACHE_HOME or ~/.cache.
 */
#ifndef LS_BASE_CACHE_H
#define LS_BASE_CACHE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* The folder of that name; it need not be there yet. Without a home it is one of this user in /tmp. */
const char *ls_cache_folder(ls_arena *arena, const char *name);
/* Makes the folder, with all that it stands in. */
bool ls_make_folders(const char *path);
/* Whether what is in the folder is this user's, so that nobody else can have put it there. */
bool ls_cache_is_own(const char *folder);
/* Removes the entries of the folder (files with names of 16 hexadecimal digits) that were changed longest ago
 * until the rest takes at most so many bytes. */
void ls_cache_trim(const char *folder, uint64_t most);

#endif
