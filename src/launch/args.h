/* Kernel arguments as text, in an arena (lockstep/launch.h has the same with memory of its own). */
#ifndef LS_LAUNCH_ARGS_H
#define LS_LAUNCH_ARGS_H

#include "base/arena.h"
#include "lockstep/launch.h"
#include "lockstep/range.h"

/* Fills the parameters of a kernel from the specs: in order of position, or "NAME=SPEC" or "NAME:SPEC".
 * Everything stands in arena. names: what the source calls the parameters, one for each (entries may be
 * NULL), or NULL. False with errors in diags. */
bool ls_emu_args_make(ls_emulator *emulator, const ls_ptx_function *kernel, const uint32_t grid[3],
                      const uint32_t block[3], uint32_t shared_bytes, const char *const *specs,
                      uint32_t spec_count, const char *const *names, ls_arena *arena, ls_emu_args *out,
                      ls_diags *diags);
/* Numbers that were made up, and that the parameters' types do not have, become the greatest that they have.
 * ranges: one for each parameter, or NULL. */
void ls_emu_args_within(ls_emu_args *args, const ls_ptx_function *kernel, const ls_parameter_range *ranges,
                        ls_arena *arena);
/* What was made up, after the run also how much of it the kernel used. */
const char *ls_emu_arg_made(const ls_emulator *emulator, const ls_emu_arg *arg, ls_arena *arena);

#endif
