/* The emulator between launches: the module, its memory and variables, and the code that was decoded so far.
 */
#ifndef LS_EMULATE_EMULATOR_H
#define LS_EMULATE_EMULATOR_H

#include "base/arena.h"
#include "base/map.h"
#include "emulate/code.h"
#include "emulate/guarded.h"
#include "emulate/space.h"

#include <stdatomic.h>

/* Where the bytes of a global address are. */
static inline uintptr_t em_host(uint64_t address) {
    return (uintptr_t)ls_emu_host(address);
}

/* Of the race checker's shadow (check/shadow.h). */
typedef struct desc desc;

typedef struct {
    uint64_t lo, hi; /* addresses */
    uint64_t limit;  /* hi can become as large as this */
    const char *name;
    uint8_t kind; /* allocation_kind */
    _Atomic(uint32_t *)
        shadow; /* shadow_planes: `last`; `since` so many words behind it, `rows` twice as many */
    size_t shadow_words;
    _Atomic bool has_rows;    /* some of `rows` is in use … */
    _Atomic bool has_writers; /* … for writers */
    bool freed;
    bool undefined;    /* has no contents until it is written … */
    uint64_t *defined; /* … but where earlier launches or copies have: a bit for each word; NULL: nowhere */
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

/* Global memory: what is allocated in it, and the textures. */
struct ls_emu_space {
    ls_arena arena;
    char *pool; /* reserved address range; NULL where another gives room … */
    uint64_t pool_size, pool_used;
    uint64_t (*take)(void *context, uint64_t size, uint64_t align, bool managed); /* … which is this */
    uint64_t (*place)(void *context, const char *name, uint64_t size); /* NULL, or for variables of modules */
    void *take_context;
    LS_VEC(allocation *) allocations; /* sorted by lo */
    LS_VEC(ls_texture) textures;
    desc *descs; /* of the last launch, for the next one */
    size_t descs_bytes;
};

struct ls_emulator {
    const ls_ptx_module *module;
    ls_diags *diags;
    ls_arena arena;
    LS_VEC(code *) codes;
    ls_intmap code_of;      /* function → its number among them */
    uint32_t decoded;       /* of them: the first that is still to be decoded */
    ls_emu_space *space;    /* its own, or one that several share … */
    bool borrows_space;     /* … as here */
    em_guarded_pool memory; /* of a block, from launch to launch: of the first worker */
    bool is_twin;           /* the module's variables are another's */
    LS_VEC(shared_variable) shared;
    uint32_t shared_static; /* bytes, with the gaps between variables … */
    uint32_t shared_real;   /* … and without */
    uint32_t dynamic_align;
    LS_VEC(site) sites;
    uint32_t memory_sites;
    bool shared_narrow, global_narrow; /* there are accesses of less than a word */
    LS_VEC(uint32_t) site_of_memory;   /* memory site → site */
    LS_VEC(ls_order) order_of_memory;  /* memory site → strength and scope */
    ls_intmap unequal; /* pairs of sites of which it is known that they write other values (check/race.c) */
    LS_VEC(frame_variable) frame_variables;
    ls_map symbols;             /* name → allocation */
    ls_map bindings;            /* texture variable → handle + 1 */
    uint64_t workspace;         /* of cooperative launches: %envreg1 (high) and 2 have its address */
    uint32_t stride, warp_size; /* what the code was decoded for */
    uint32_t checks;
    const exec_fn *lane_ops;
    bool profile, unchecked_memory, watched, has_calls, has_locals, has_gaps;
    uint32_t atomic_sizes;   /* a bit for each number of bytes … */
    bool mixed_sizes;        /* … and whether there are several */
    bool tensor_memory;      /* there are instructions of tcgen05 */
    bool agents;             /* there are asynchronous units, or mbarriers: check/agent.c */
    uint32_t unit_registers; /* that are followed: check/unit_registers.h */
    bool strong_loads;       /* volatile or relaxed ones are there */
    bool strong_accesses;    /* atomic or volatile accesses are there … */
    bool orders;             /* … and releases or acquires … */
    bool strong_global;      /* there are strong accesses to global memory: one worker has their places */
    bool communicates;       /* … or blocks can wait for each other, or take turns, in global memory */
    LS_VEC(const ls_ptx_instr *) spared; /* need not be checked for races (proved.h), sorted */
    struct em_answers *answers;          /* what the prover has said of earlier launches (proved.c) */
    uint32_t in_vain;                    /* launches since a proof has spared anything */
    uint32_t spared_sites;
    bool made_arguments; /* of the next launch: some of them, tensor maps perhaps among them */
    const char *error;   /* decoding: the first thing that cannot be run */
};

/* decode.c: the code of a function, which is decoded before the next launch. */
code *em_code_of(ls_emulator *e, const ls_ptx_function *function);
/* Decodes all that was asked for, and what that calls. */
void em_decode_all(ls_emulator *e);
/* memory.c */
allocation *em_find(ls_emulator *e, uint64_t address);
uint64_t em_alloc_growing(ls_emulator *e, uint64_t size, const char *name);
bool em_load_module(ls_emulator *e);
/* space.c: whether the word at that byte of an allocation has contents from before this launch; and what this
 * launch has written is remembered. */
allocation *em_space_find(const ls_emu_space *s, uint64_t address);
allocation *em_space_add(ls_emu_space *s, uint64_t lo, uint64_t size, const char *name, allocation_kind kind);
desc *em_take_descs(ls_emu_space *s, size_t bytes);
void em_give_descs(ls_emu_space *s, desc *descs, size_t bytes);
bool em_was_defined(const allocation *a, uint64_t offset, uint32_t bytes);
/* What the launch has written has contents from now on. */
void em_keep_defined(const machine *m, allocation *a);
void em_tell_touched(const machine *m, const allocation *a);
/* Memory of the race checker that a launch uses, by pages, with its descriptors. */
uint64_t em_shadow_bytes(const machine *m);
/* The texture of a handle, or of a reference: a module's variable that holds one. NULL: there is none. */
const ls_texture *em_texture_at(const ls_emu_space *s, uint64_t handle);
void em_forget_code(ls_emulator *e);
/* shared.c: places the shared variables that the kernel and what it calls refer to; false where they are more
 * than a GPU has. */
bool em_place_shared(ls_emulator *e, const ls_ptx_function *kernel, uint32_t red_zone);
/* What a pointer to the function is: its number in the module, the same for every kernel. */
uint64_t em_function_address(const ls_emulator *e, const ls_ptx_function *function);
#endif
