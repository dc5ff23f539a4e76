/* What the types of a kernel's parameters leave of their values. */
#ifndef LS_FRONTEND_RANGES_H
#define LS_FRONTEND_RANGES_H

#include "frontend/types.h"
#include "lockstep/range.h"

/* The types that a source text declares, and the files that it includes. */
void ls_ranges_scan(const char *path, const char *text, ls_arena *arena, ls_source_types *types);
/* By parameter, of which there must be `count`; NULL: nothing is known of any. */
const ls_parameter_range *ls_ranges_of(const char *demangled, const ls_source_types *types, uint32_t count,
                                       ls_arena *arena);

#endif
