/* The kernels that PTX text has, read without parsing the rest of it. */
#ifndef LS_FRONTEND_ENTRIES_H
#define LS_FRONTEND_ENTRIES_H

#include "base/vec.h"
#include "lockstep/frontend.h"

typedef struct {
    const char *name; /* in the arena */
    bool defined;     /* has a body */
    const char *loc;  /* the first .loc before its first '}'; NULL: none */
    ls_launch_size required;
    uint32_t max_threads;
} ls_entry;
typedef LS_VEC(ls_entry) ls_entries;

void ls_entries_scan(const char *ptx, ls_arena *arena, ls_entries *entries);

#endif
