/* Launches as the text of a file shows them, where its host code cannot be compiled. */
#ifndef LS_FRONTEND_LAUNCH_TEXT_H
#define LS_FRONTEND_LAUNCH_TEXT_H

#include "base/vec.h"
#include "lockstep/frontend.h"

typedef struct {
    const char *kernel; /* as written, without namespaces and template arguments */
    ls_kernel_launch launch;
} ls_text_launch;
typedef LS_VEC(ls_text_launch) ls_text_launches;

/* Every name<<<grid, block, shared>>> outside comments and strings, with what of it is a constant: numbers,
 * names that the text defines once as numbers, dim3(…), and arithmetic of these. */
void ls_launch_text(const char *text, const char *file, ls_arena *arena, ls_text_launches *launches);

#endif
