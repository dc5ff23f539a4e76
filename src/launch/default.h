/* What an argument that was not given may be, from how the kernel uses the parameter. */
#ifndef LS_LAUNCH_DEFAULT_H
#define LS_LAUNCH_DEFAULT_H

#include "base/arena.h"
#include "lockstep/ir.h"

typedef struct {
    bool pointer;
    uint32_t offset;  /* of the pointer in a struct */
    ls_ptx_type type; /* of the elements that it points to; LS_TYPE_NONE: not known */
} em_guess;

/* Every pointer in the parameter, at most `most`; returns how many. */
uint32_t em_guess_pointers(const ls_ir_function *ir, const ls_ptx_function *kernel, uint32_t index,
                           em_guess *out, uint32_t most);
/* A texture or surface for a parameter that is used as the handle of one, in text form (launch/texture.c);
 * else NULL. */
const char *em_guess_texture(const ls_ir_function *ir, uint32_t index, const uint32_t grid[3],
                             const uint32_t block[3], uint32_t seed, ls_arena *arena);
/* A whole number: the extent of the launch, less where something is multiplied by it. */
uint64_t em_guess_number(const ls_ir_function *ir, uint32_t index, const uint32_t grid[3],
                         const uint32_t block[3]);

#endif
