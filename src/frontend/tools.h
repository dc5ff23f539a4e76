/* Where the compilers, libclc and the bundled headers are. */
#ifndef LS_FRONTEND_TOOLS_H
#define LS_FRONTEND_TOOLS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *clang;  /* path; NULL: none */
    const char *nvcc;   /* path; NULL: none */
    const char *libclc; /* bitcode for nvptx64; NULL: none */
    const char *share;  /* bundled headers; NULL: none */
    struct {
        const char *items[4];
        uint32_t length;
    } cccl; /* folders with the headers of Thrust, CUB and libcu++; empty: none */
} ls_tools;

/* The environment may name them: LOCKSTEP_CLANG, LOCKSTEP_NVCC, LOCKSTEP_LIBCLC, LOCKSTEP_SHARE,
 * LOCKSTEP_CCCL. `cccl`: where the user has CCCL; NULL: in the usual places. */
ls_tools ls_tools_find(ls_arena *arena, const char *cccl);
/* What keeps clang from being used, with what to install; NULL: nothing. */
const char *ls_tools_missing(const ls_tools *tools, bool opencl);

#endif
