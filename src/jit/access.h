/* Loads and stores in compiled code: what emit_memory.c, which finds out where they go, and emit_elements.c,
 * which moves their elements, share. */
#ifndef LS_JIT_ACCESS_H
#define LS_JIT_ACCESS_H

#include "jit/emit.h"

typedef struct {
    uint32_t k;
    const mem_access *m;
    bool shared;
    uint32_t address; /* row */
    int32_t shape;
    uint32_t bytes;    /* of all elements of a lane */
    value from, count; /* the range's first place for it, and how many there are */
    value base;        /* what is added to an address to get the host's */
    value first;       /* the first lane's address, or that of each */
    bool half;         /* the latter, of 32 bits: in shared memory */
} access;

/* How far lanes at known distances reach from the first one; `bits`: any of their distances has. */
typedef struct {
    int64_t low, high;
    uint64_t bits;
} extent;
extent jit_extent(const emitter *e, int32_t shape);

/* --- emit_memory.c --- */
/* Fills in what is known of the instruction; false where the access is always the interpreter's. */
bool jit_begin_access(const emitter *e, uint32_t k, access *a);
/* Whether the access is one that needs no more than doing it; fills in what that takes. */
value jit_find_plain(emitter *e, access *a);

/* --- emit_count.c --- */
/* Whether that can be done here at all, of some accesses. */
bool jit_may_count(const emitter *e, const access *a);
/* Whether it can, of this one, at run time. */
value jit_counts_plainly(emitter *e, const access *a);
/* Adds what the access costs. */
void jit_count_access(emitter *e, const access *a);

/* --- emit_elements.c --- */
value jit_intrinsic(emitter *e, const char *name, LLVMTypeRef *types, unsigned type_count, value *arguments,
                    unsigned count);
value jit_pointers_of_all(emitter *e, const access *a, uint32_t element);
void jit_load(emitter *e, const access *a);
void jit_store(emitter *e, const access *a);
/* Fetches what is behind the lanes, which warps and blocks to come are likely to need: there is too much to
 * do in between for the processor to see it coming. */
void jit_fetch_ahead(emitter *e, const access *a);

#endif
