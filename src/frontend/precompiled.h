/* Headers that are compiled once: most of what clang reads of a small file is what Lockstep puts before it,
 * and the standard headers that it starts with. */
#ifndef LS_FRONTEND_PRECOMPILED_H
#define LS_FRONTEND_PRECOMPILED_H

#include "frontend/command.h"

/* The lines `#include <…>` that the text starts with, but for comments and blank lines; "" for none. */
const char *ls_leading_includes(const char *text, ls_arena *arena);

/* Changes clang's command for the job so that it takes those headers in their compiled form, from the folder
 * of the options, and makes that form where it is not there yet. Without such a folder, what Lockstep itself
 * puts before every file is taken from the user's cache, where it is made when it is asked for a second time.
 * Where that cannot be done the command stays. */
void ls_precompiled_use(ls_job *job, ls_args *argv);

/* Whether the file stands where the compiled form that the job took does: the text that it was made from,
 * which says nothing that the headers in it do not say. */
bool ls_precompiled_is_beside(const ls_job *job, const char *file);

/* Whether clang failed as the compiled form that it took is older than its headers: that is removed, and not
 * taken again for this job. */
bool ls_precompiled_is_old(ls_job *job, const char *said);

#endif
