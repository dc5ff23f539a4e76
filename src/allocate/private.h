/* What the passes of the allocator share. A function goes through them in this order:
 *
 *     fill_webs       variables: SSA values that must live in one place, with their references by instruction
 *     fill_liveness   linear order, live intervals, pressure
 *     fill_states     abstract state of each variable, and the place that Figure 18 gives it if spilled
 *     scan            linear scan in rounds until everything has a word or a place
 *     fill_slots      slots in local and shared memory
 *     rewrite         the new body
 *
 * Positions: instruction number p of the linear order has four points: 4p, where spilled sources are made
 * ready, 4p + 1, where sources are read, 4p + 2, where results are written, 4p + 3, where they are stored. */
#ifndef LS_ALLOCATE_PRIVATE_H
#define LS_ALLOCATE_PRIVATE_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "lockstep/allocate.h"
#include "lockstep/analyze.h"

enum { NONE = UINT32_MAX, MAX_WORDS = 4096, MAX_NARROW = 3 };

enum { PHASE_LOAD, PHASE_READ, PHASE_WRITE, PHASE_STORE, PHASES };

/* Σ coefficient · monomial + constant, modulo 2^bits. */
typedef struct {
    uint8_t count;
    uint8_t monomials[LS_SHAPE_TERMS];
    int64_t coefficients[LS_SHAPE_TERMS];
    int64_t constant; /* of LS_PLACE_CONSTANT and LS_PLACE_AFFINE */
} polynomial;

/* A variable: what the paper calls one. All values of a register that meet in phis. */
typedef struct {
    uint32_t reg;         /* IR register, for its name and type */
    uint8_t bits;         /* 1 for predicates, 16, 32, 64, 128 */
    uint8_t words;        /* 1, 2, 4; 0 for predicates */
    uint8_t state;        /* ls_allocate_state */
    uint8_t place;        /* ls_allocate_place it would have where spilled */
    uint8_t wanted_place; /* what fill_states chose, before shared memory was found to be too small */
    bool has_place, spilled;
    bool warp_only;      /* of one warp, not of the block: votes and the like */
    uint8_t share;       /* 0: not asked yet, 1: may be shared, 2: may not */
    uint32_t word;       /* first word of the file, where not spilled */
    uint32_t slot;       /* byte offset */
    uint32_t defs, uses; /* references */
    uint32_t first_def;  /* position of its only definition, where defs == 1 */
    uint32_t start, end; /* points of its interval; start NONE: never met */
    double weight;       /* of its references, by loop depth */
    polynomial poly;
} web;

/* An instruction's use or definition of a variable: one for each variable and kind. */
typedef struct {
    uint32_t web;
    bool is_def;
    bool guarded;  /* definition that may not happen */
    bool merge;    /* … which is loaded before and stored in any case */
    uint32_t word; /* of a spilled variable: where it stands for this instruction */
} reference;

/* Words for intermediate results of reloads (at 4p) and stores (at 4p + 3). */
typedef struct {
    uint8_t narrow, wide; /* how many are needed */
    uint16_t narrow_words[MAX_NARROW], wide_word;
} helpers;

typedef struct {
    ls_arena *arena; /* of the function: freed when it is done */
    const ls_ptx_module *module;
    const ls_ptx_function *ptx;
    ls_ir_function *f;
    ls_analysis *analysis; /* NULL: nothing is known */
    const ls_allocate_options *options;
    ls_allocate_kernel *out;
    ls_arena *out_arena;
    uint32_t block[3]; /* all 0: not known */
    uint32_t arch;

    uint32_t *web_of; /* by value id */
    web *webs;
    uint32_t web_count;

    const ls_ir_instr **order; /* the linear order */
    uint32_t *position;        /* by instruction id */
    uint32_t length;
    uint32_t *ref_start; /* by position; length + 1 of them */
    reference *refs;
    helpers *before, *after;       /* by position */
    ls_bitset droppable;           /* by position: has no effect but its results */
    uint32_t *pressure_at;         /* by position: words that are live there */
    ls_bitset *live_in, *live_out; /* by block id: bits of webs that cross blocks … */
    uint32_t *global;              /* … and the bit of each web, or NONE */

    struct splits *splits;                        /* branches on which lanes disagree (share.c) */
    uint32_t *web_refs, *next_ref, *ref_position; /* references of each web as lists (share.c) */

    uint32_t words, predicates;   /* the file */
    bool use_shared, pin_tid;     /* base in words - 1; tid in the next below */
    uint32_t base_word, tid_word; /* NONE: not reserved */
    uint32_t failed_at;           /* position at which nothing could be spilled */
    uint32_t rounds;
    bool one_round;      /* the scan stops after one, whether or not something was spilled */
    bool smem_spilling;  /* asks ptxas to spill to shared memory (CUDA 13) */
    bool volatile_slots; /* accesses to slots in shared memory are volatile */
    uint32_t maxnreg;    /* 0, or the limit that the kernel is given for ptxas */

    uint32_t local_bytes, shared_stride, warps;
} job;

/* --- Jobs (job.c) ----------------------------------------------------------------------------------------
 */
job *ls_job_new(const ls_ptx_module *module, const ls_ptx_function *ptx, const ls_allocate_options *options,
                ls_allocate_kernel *out, ls_arena *out_arena);
/* IR, block size and analysis; false where the function cannot be rewritten: out->reason. */
bool ls_job_fill(job *j, const uint32_t block[3], ls_diags *diags);
void ls_job_free(job *j);
/* The module as text with some functions (by their number) replaced. */
char *ls_print_with(const ls_ptx_module *module, ls_arena *arena, ls_ptx_function *const *replaced,
                    size_t *length);

/* --- Passes ----------------------------------------------------------------------------------------------
 */
void ls_fill_webs(job *j);
void ls_fill_liveness(job *j);
void ls_fill_states(job *j);
/* Gives a variable its place, the first time it is spilled. */
void ls_choose_place(job *j, uint32_t w);
/* False where it does not fit: failed_at. */
bool ls_scan(job *j);
void ls_fill_slots(job *j);
/* NULL where an operand is not understood. */
ls_ptx_function *ls_rewrite(job *j, ls_arena *arena);
/* The function as it is, with what the job gives it for ptxas. */
ls_ptx_function *ls_limit(job *j, ls_arena *arena);
/* Gives a function a tuning directive in place of its own of that or the other kind. */
void ls_set_tune(ls_ptx_function *function, ls_arena *arena, ls_ptx_tune tune, ls_ptx_tune_kind instead_of);

/* --- Shared between them ---------------------------------------------------------------------------------
 */
/* Whether lanes of a warp can disagree about the branch at the block's end. */
bool ls_branch_may_split(const job *j, const ls_ir_block *block);
/* Words of computed spills and memory spills as a number, for comparing allocations. */
double ls_spill_cost(const job *j);
/* Whether all writes of a variable to a slot of the warp are right for every lane that reads it later. */
bool ls_may_share(job *j, uint32_t w);
/* Whether an instruction is no longer needed: all it makes is computed again where it is used. */
bool ls_is_dropped(const job *j, uint32_t p);
/* Words that a reload and a store of a variable in its place need beside the variable itself. */
helpers ls_helpers_for(const job *j, const web *w, bool is_def);
uint32_t ls_warps_of(const ls_ptx_function *function, const uint32_t block[3]);
uint32_t ls_static_shared(const job *j);
/* Bytes of shared memory that a block can have for spills; *limit says what limits it. */
uint32_t ls_shared_room(const job *j, uint32_t registers, const char **limit);
void ls_allocate_note(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- Rewriting -------------------------------------------------------------------------------------------
 */
typedef struct {
    ls_arena *arena; /* of the new body */
    LS_VEC(ls_ptx_stmt) stmts;
    uint32_t added; /* instructions that were not there before */
} emitter;

/* Code that makes a spilled variable's value in `word`, and that stores it from there. `guard` is NULL or
 * "@%p1 ". */
void ls_emit_reload(job *j, emitter *e, const web *w, uint32_t word, const helpers *h);
void ls_emit_store(job *j, emitter *e, const web *w, uint32_t word, const helpers *h, const char *guard);
void ls_emit_setup(job *j, emitter *e);
/* `used`: bits of ls_class_bit. */
void ls_emit_declarations(job *j, emitter *e, uint32_t used);
uint32_t ls_class_bit(uint32_t bits);
void ls_emit(emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "%s3", "%d4", "%h1", "%q0", "%p2". */
void ls_word_name(uint32_t bits, uint32_t word, char out[16]);

static inline bool ls_in_shared(const web *w) {
    return w->place == LS_PLACE_SHARED || w->place == LS_PLACE_AFFINE_SHARED;
}

#endif
