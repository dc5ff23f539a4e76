/* Divergence-aware register allocation (paper 003, §4), from PTX to PTX.
 *
 *     ls_allocate_options options = {.allocator = LS_ALLOCATE_AFF, .registers = 8};
 *     ls_allocation *result = ls_allocate(module, &options, diags);
 *     if (result) { … result->ptx … result->kernels[0] … ls_allocation_free(result); }
 *
 * Registers of PTX are virtual. Here they become N words of a register file: every value gets a word (a pair
 * for 64 bits, four for 128), or is spilled: to local memory, once per warp to shared memory where it is
 * uniform, or nowhere where it can be computed again. docs/allocate.md explains what is counted and why. */
#ifndef LOCKSTEP_ALLOCATE_H
#define LOCKSTEP_ALLOCATE_H

#include "lockstep/diag.h"
#include "lockstep/ptx.h"

LS_BEGIN_DECLS

typedef enum {
    LS_ALLOCATE_LINEAR, /* spills to local memory */
    LS_ALLOCATE_DIV,    /* DivRA: uniform values to shared memory */
    LS_ALLOCATE_AFF,    /* AffRA: the four rules of Figure 18 */
} ls_allocator;

/* The abstract states of 003 §3.4 for polynomials of degree one: a1·T + a0. */
typedef enum {
#define LS_ALLOCATE_STATES(S)                                                                                \
    S(CONSTANT, "(0,c)")                                                                                     \
    S(UNIFORM, "(0,⊥)")                                                                                      \
    S(AFFINE, "(c,c)")                                                                                       \
    S(AFFINE_BASE, "(c,⊥)")                                                                                  \
    S(DIVERGENT, "(⊥,⊥)")
#define LS_ALLOCATE_STATE_ENUM(id, text) LS_STATE_##id,
    LS_ALLOCATE_STATES(LS_ALLOCATE_STATE_ENUM)
#undef LS_ALLOCATE_STATE_ENUM
        LS_STATE_COUNT
} ls_allocate_state;

/* Where a spilled value goes (Figure 18, and local memory for the rest). */
typedef enum {
#define LS_ALLOCATE_PLACES(P)                                                                                \
    P(LOCAL, "local", "ld.local / st.local")                                                                 \
    P(CONSTANT, "constant", "(i) computed again from a constant")                                            \
    P(SHARED, "shared", "(ii) once per warp in shared memory")                                               \
    P(AFFINE, "affine", "(iii) computed again from threadIdx")                                               \
    P(AFFINE_SHARED, "affine_shared", "(iv) base in shared memory, the rest from threadIdx")
#define LS_ALLOCATE_PLACE_ENUM(id, name, text) LS_PLACE_##id,
    LS_ALLOCATE_PLACES(LS_ALLOCATE_PLACE_ENUM)
#undef LS_ALLOCATE_PLACE_ENUM
        LS_PLACE_COUNT
} ls_allocate_place;

const char *ls_allocate_state_text(ls_allocate_state state);
const char *ls_allocate_place_name(ls_allocate_place place);
const char *ls_allocator_name(ls_allocator allocator);

typedef struct {
    size_t size; /* LS_OPTIONS fills it */
    ls_allocator allocator;
    uint32_t registers;      /* words; 0: as many as are wanted */
    uint32_t predicates;     /* 0: 7, what the machine has */
    uint32_t degree;         /* of polynomials, for AFF: 1 (also where 0) or 2 */
    uint32_t shared_budget;  /* bytes a block may have in all, its own included; 0: 48 KiB */
    uint32_t dynamic_shared; /* bytes that the launch adds */
    bool ignore_occupancy;   /* take shared memory though fewer blocks fit on a multiprocessor then */
    bool keep_spills; /* keeps ptxas from turning local memory back into registers (for measurements) */
    /* Which kernels, and their block sizes (all 0: not known). NULL: all. A block size that is given becomes
     * .reqntid of the kernel: the allocation holds for that size alone. */
    bool (*wants)(void *context, const char *kernel, uint32_t block[3]);
    void *context;
} ls_allocate_options;

typedef struct {
    uint32_t blocks, warps; /* on one multiprocessor */
    uint32_t percent;       /* of the warps it can hold */
    const char *limit;      /* what limits it: "registers", "shared memory", "threads", "blocks" */
} ls_occupancy;

typedef struct {
    const char *name;
    bool is_entry;
    bool rewritten;
    const char *reason; /* where it was not: why */
    ls_allocator allocator;
    uint32_t asked, registers; /* words asked for, and used as the limit: more where fewer cannot do */
    uint32_t block[3];         /* all 0: not known */
    uint32_t warps;            /* of a block, for which shared memory was set aside */
    uint32_t instrs, instrs_after;
    uint32_t variables, spilled_variables;
    uint32_t states[LS_STATE_COUNT];         /* Figure 26 (a): of all variables */
    uint32_t spilled_states[LS_STATE_COUNT]; /* Figure 26 (b) */
    uint32_t loads[LS_PLACE_COUNT];          /* Figures 24, 25, 26 (c): uses reconstructed, by kind */
    uint32_t stores[LS_PLACE_COUNT];         /* Figure 26 (d); of the computed ones no code is needed */
    uint32_t pressure, pressure_after;       /* words that are live at once at most */
    uint32_t predicates, predicates_after;   /* likewise */
    uint32_t local_bytes;                    /* a thread */
    uint32_t shared_static;                  /* bytes of a block that the kernel has itself */
    uint32_t shared_bytes;                   /* bytes of a block for spills */
    uint32_t shared_refused;                 /* variables that went to local memory as there was no room */
    bool base_reserved, tid_reserved;
    uint32_t rounds; /* of linear scan */
    ls_occupancy before, after;
    const char **notes;
    uint32_t note_count;
    double scan_ms; /* linear scan and rewriting; without parsing, IR and analysis */
} ls_allocate_kernel;

typedef struct {
    char *ptx;
    size_t length;
    ls_allocate_kernel *kernels; /* functions with a body, in order */
    uint32_t kernel_count;
    struct ls_allocation_private *hidden;
} ls_allocation;

/* NULL, with an error in diags, where the options are wrong. A function that cannot be rewritten is left as
 * it is, and its entry says why. */
ls_allocation *ls_allocate(const ls_ptx_module *module, const ls_allocate_options *options, ls_diags *diags);
void ls_allocation_free(ls_allocation *allocation);
/* The report of one file, for people and for programs (docs/allocate.md), on the heap. */
char *ls_allocation_text(const ls_allocation *allocation, const char *path);
char *ls_allocation_json(const ls_allocation *allocation, const char *path);

/* --- The practical mode ----------------------------------------------------------------------------------
 */
typedef struct {
    size_t size;        /* LS_OPTIONS fills it */
    uint32_t registers; /* ptxas -maxrregcount */
    const char *ptxas;  /* NULL: "ptxas" */
    const char *arch;   /* NULL: the module's target */
    uint32_t degree, shared_budget, dynamic_shared;
    bool (*wants)(void *context, const char *kernel, uint32_t block[3]);
    void *context;
} ls_fit_options;

/* What ptxas says of one kernel. */
typedef struct {
    uint32_t registers, stack, spill_stores, spill_loads, shared; /* bytes but the first */
} ls_ptxas_report;

typedef struct {
    const char *name;
    bool changed;
    const char *reason; /* why it declined; NULL where changed */
    ls_ptxas_report before, after;
    bool smem_spilling;         /* what is left to spill goes to shared memory by ptxas's own pragma */
    uint32_t candidates, moved; /* variables that could be and that were taken out of registers */
    uint32_t loads[LS_PLACE_COUNT], stores[LS_PLACE_COUNT];
    uint32_t shared_bytes, trials;
    ls_occupancy occupancy_before, occupancy_after;
} ls_fit_kernel;

typedef struct {
    char *ptx;
    size_t length;
    ls_fit_kernel *kernels;
    uint32_t kernel_count;
    struct ls_allocation_private *hidden;
} ls_fit;

/* NULL with errors in diags where ptxas is not there or does not take the module. */
ls_fit *ls_allocate_fit(const ls_ptx_module *module, const ls_fit_options *options, ls_diags *diags);
void ls_fit_free(ls_fit *fit);
char *ls_fit_text(const ls_fit *fit, const char *path);
char *ls_fit_json(const ls_fit *fit, const char *path);

/* --- Occupancy -------------------------------------------------------------------------------------------
 */
/* Of blocks of so many threads, with so many registers a thread and so many bytes of shared memory a block,
 * on an architecture by its number (90 for sm_90); an unknown one counts as the nearest older one. */
ls_occupancy ls_occupancy_of(uint32_t arch, uint32_t threads, uint32_t registers, uint32_t shared);

LS_END_DECLS

#endif
