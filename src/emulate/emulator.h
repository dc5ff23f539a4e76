/* The emulator between launches: the module, its memory and variables, and the code that was decoded so far.
 */
#ifndef LS_EMULATE_EMULATOR_H
#define LS_EMULATE_EMULATOR_H

#include "base/arena.h"
#include "base/map.h"
#include "emulate/code.h"

#include <stdatomic.h>

typedef struct cell cell; /* of the race checker's shadow (check/shadow.h) */

typedef struct {
    uint64_t lo, hi; /* addresses */
    uint64_t limit;  /* hi can become as large as this */
    const char *name;
    uint8_t kind; /* allocation_kind */
    _Atomic(cell *) shadow;
    size_t shadow_bytes;
    bool freed;
    bool undefined; /* has no contents until it is written */
} allocation;

typedef enum { ALLOC_BUFFER, ALLOC_GLOBAL, ALLOC_CONST, ALLOC_HEAP } allocation_kind;

typedef struct {
    const char *name;
    uint32_t offset;
    uint64_t size;
    const ls_ptx_variable *variable;
} shared_variable;

typedef struct {
    const char *function;
    local_object place;
} frame_variable;

struct ls_emulator {
    const ls_ptx_module *module;
    ls_diags *diags;
    ls_arena arena;
    LS_VEC(code *) codes;
    ls_intmap code_of; /* function → its number among them */
    uint32_t decoded;  /* of them: the first that is still to be decoded */
    char *pool;        /* reserved address range for global memory */
    uint64_t pool_size, pool_used;
    LS_VEC(allocation *) allocations; /* sorted by lo */
    LS_VEC(shared_variable) shared;
    uint32_t shared_static; /* bytes, with the gaps between variables … */
    uint32_t shared_real;   /* … and without */
    uint32_t dynamic_align;
    LS_VEC(site) sites;
    uint32_t memory_sites;
    bool shared_narrow, global_narrow; /* there are accesses of less than a word */
    LS_VEC(uint32_t) site_of_memory;   /* memory site → site */
    LS_VEC(ls_order) order_of_memory;  /* memory site → strength and scope */
    LS_VEC(ls_texture) textures;
    LS_VEC(frame_variable) frame_variables;
    ls_map symbols;             /* name → allocation */
    ls_map bindings;            /* texture variable → handle + 1 */
    uint64_t workspace;         /* of cooperative launches: %envreg1 (high) and 2 have its address */
    uint32_t stride, warp_size; /* what the code was decoded for */
    uint32_t checks;
    const exec_fn *lane_ops;
    bool profile, unchecked_memory, watched, has_calls, has_locals, has_gaps;
    uint32_t atomic_sizes; /* a bit for each number of bytes … */
    bool mixed_sizes;      /* … and whether there are several */
    bool strong_accesses;  /* atomic or volatile ones are there … */
    bool orders;           /* … and releases or acquires … */
    bool communicates;     /* … or blocks can wait for each other, or take turns, in global memory */
    const char *error;     /* decoding: the first thing that cannot be run */
};

/* decode.c: the code of a function, which is decoded before the next launch. */
code *em_code_of(ls_emulator *e, const ls_ptx_function *function);
/* Decodes all that was asked for, and what that calls. */
void em_decode_all(ls_emulator *e);
/* memory.c */
allocation *em_find(ls_emulator *e, uint64_t address);
void em_add_allocation(ls_emulator *e, uint64_t lo, uint64_t size, const char *name, allocation_kind kind);
uint64_t em_alloc_growing(ls_emulator *e, uint64_t size, const char *name);
bool em_load_module(ls_emulator *e);
void em_forget_code(ls_emulator *e);
/* shared.c: places the shared variables that the kernel and what it calls refer to; false where they are more
 * than a GPU has. */
bool em_place_shared(ls_emulator *e, const ls_ptx_function *kernel, uint32_t red_zone);
/* What a pointer to the function is: its number in the module, the same for every kernel. */
uint64_t em_function_address(const ls_emulator *e, const ls_ptx_function *function);
#endif
