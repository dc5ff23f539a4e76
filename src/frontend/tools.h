/* Where the compilers, libclc and the bundled headers are. */
#ifndef LS_FRONTEND_TOOLS_H
#define LS_FRONTEND_TOOLS_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    const char *clang;  /* path; NULL: none */
    const char *nvcc;   /* path; NULL: none */
    const char *libclc; /* bitcode for nvptx64; NULL: none */
    const char *share;  /* bundled headers; NULL: none */
} ls_tools;

/* The environment may name them: LOCKSTEP_CLANG, LOCKSTEP_NVCC, LOCKSTEP_LIBCLC, LOCKSTEP_SHARE. */
ls_tools ls_tools_find(ls_arena *arena);
/* What keeps clang from being used, with what to install; NULL: nothing. */
const char *ls_tools_missing(const ls_tools *tools, bool opencl);

#endif
