/* Where calls of a program's host code stand in its source. */
#ifndef LS_CLI_HOST_STACK_H
#define LS_CLI_HOST_STACK_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>

typedef struct ls_host_frame {
    const char *function; /* NULL: not known */
    const char *file;     /* NULL: not known; then the object and the offset in it */
    uint32_t line;
    const char *object;
    bool inner;                        /* of CUDA's libraries or stubs, not of the program */
    const struct ls_host_frame *outer; /* what the function was inlined into; NULL: nothing */
} ls_host_frame;

typedef struct {
    ls_arena arena;
    ls_map known; /* frame's text → ls_host_frame * */
} ls_host_frames;

/* Frames are "object+offset=symbol" or "python:file:line=function", as in device/record.h; `out` has room for
 * `count`. Source lines come from addr2line, where it is installed and the program has line information. */
void ls_host_resolve(ls_host_frames *known, char *const *frames, uint32_t count, const ls_host_frame **out);
void ls_host_frames_free(ls_host_frames *known);

#endif
