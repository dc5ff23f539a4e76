/* Launches that `lockstep run --record` wrote (docs/launches.md), as launches to verify. */
#ifndef LS_CLI_RECORDED_H
#define LS_CLI_RECORDED_H

#include "lockstep/frontend.h"

#include "base/arena.h"

typedef struct {
    const char *kernel; /* the name in the PTX */
    ls_kernel_launch launch;
} ls_recorded_launch;

typedef struct {
    ls_recorded_launch *items;
    uint32_t count;
} ls_recorded;

/* Reads the file; everything stands in arena. False with what is wrong in diags. */
bool ls_recorded_read(const char *path, ls_arena *arena, ls_recorded *out, ls_diags *diags);

#endif
