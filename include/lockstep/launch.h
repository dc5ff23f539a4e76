/* What a launch is given: kernel arguments in the text form of `lockstep run --arg` (docs/run.md), and
 * made-up ones where none are given.
 *
 *     const char *specs[] = {"f32[1024]=iota", "n=1024"};
 *     ls_emu_args *args = ls_launch_args(emulator, kernel, grid, block, 0, specs, 2, NULL, diags);
 *     ls_emu_launch launch = {.kernel = "scale", .params = args->params, .params_size = args->params_size,
 *                             .shared_bytes = args->shared_bytes, …};
 *     … ls_emu_args_find(args, "out", 3)->address …
 *     ls_launch_args_free(args); */
#ifndef LOCKSTEP_LAUNCH_H
#define LOCKSTEP_LAUNCH_H

#include "lockstep/emulate.h"

LS_BEGIN_DECLS

typedef struct {
    const char *name; /* of the parameter: the source's where it is known, else as in the PTX */
    const char *ptx_name;
    ls_ptx_type type; /* of an element of a buffer, or of the scalar */
    bool is_buffer, is_local, made;
    bool grows; /* a buffer of which the size is a guess */
    uint64_t count, bytes, address;
    const char *said; /* what was made up where nothing was given */
} ls_emu_arg;

typedef struct {
    ls_emu_arg *args;
    uint32_t count;
    char *params;
    size_t params_size;
    uint32_t shared_bytes;   /* dynamic shared memory, with that of OpenCL's local arguments */
    const char *shared_said; /* what was made up of it, or NULL */
} ls_emu_args;

/* For shared_bytes: where the kernel has dynamic shared memory, some is made up. */
#define LS_EMU_SHARED_UNKNOWN UINT32_MAX

/* The arguments of a kernel: specs in the order of the parameters, or "NAME=SPEC" or "NAME:SPEC"; those that
 * are missing are made up, and `said` tells how. names: what the source calls the parameters, one for each
 * (entries may be NULL), or NULL. NULL with errors in diags. Buffers live as long as the emulator. */
ls_emu_args *ls_launch_args(ls_emulator *emulator, const ls_ptx_function *kernel, const uint32_t grid[3],
                            const uint32_t block[3], uint32_t shared_bytes, const char *const *specs,
                            uint32_t spec_count, const char *const *names, ls_diags *diags);
void ls_launch_args_free(ls_emu_args *args);

/* The argument of a name or number; NULL where there is none. */
ls_emu_arg *ls_emu_args_find(const ls_emu_args *args, const char *name, size_t length);
/* The type that a word like "f32" means; LS_TYPE_NONE where it means none. */
ls_ptx_type ls_emu_type_of(const char *word, size_t length);
/* One element as text. */
void ls_emu_element(ls_ptx_type type, const void *at, char *out, size_t size);

LS_END_DECLS

#endif
