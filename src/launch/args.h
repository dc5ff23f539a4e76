/* Kernel arguments as text: scalars, buffers, structs, local memory; and defaults where none are given. */
#ifndef LS_LAUNCH_ARGS_H
#define LS_LAUNCH_ARGS_H

#include "base/arena.h"
#include "lockstep/emulate.h"

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

/* Fills the parameters of a kernel from the specs: in order of position, or "NAME=SPEC" or "NAME:SPEC".
 * Everything stands in arena. names: what the source calls the parameters, one for each (entries may be
 * NULL), or NULL. False with errors in diags. */
bool ls_emu_args_make(ls_emulator *emulator, const ls_ptx_function *kernel, const uint32_t grid[3],
                      const uint32_t block[3], uint32_t shared_bytes, const char *const *specs,
                      uint32_t spec_count, const char *const *names, ls_arena *arena, ls_emu_args *out,
                      ls_diags *diags);
/* What was made up, after the run also how much of it the kernel used. */
const char *ls_emu_arg_made(const ls_emulator *emulator, const ls_emu_arg *arg, ls_arena *arena);
/* The argument of a name or number; NULL where there is none. */
ls_emu_arg *ls_emu_args_find(const ls_emu_args *args, const char *name, size_t length);
/* The type that a word like "f32" means; LS_TYPE_NONE where it means none. */
ls_ptx_type ls_emu_type_of(const char *word, size_t length);
/* One element as text. */
void ls_emu_element(ls_ptx_type type, const void *at, char *out, size_t size);

#endif
