/* Functions of host code that lead to launches, by which files of a project are told that have callers of
 * them in them. */
#ifndef LS_FRONTEND_HOST_ENTRIES_H
#define LS_FRONTEND_HOST_ENTRIES_H

#include "base/process.h"
#include "frontend/module.h"

#define LS_STUB_PREFIX "__device_stub__"

/* The name is that of the function that launches a kernel, which the compiler makes for it. */
bool ls_host_is_stub(const char *name);

/* Adds the functions that others may call and that lead, by calls in the file, to a launch or to one of the
 * names that are in the list already. Names are the linker's. *has_main: so does the program begin here. */
bool ls_host_entries(const char *bitcode_path, ls_arena *arena, ls_args *names, bool *has_main);

#endif
