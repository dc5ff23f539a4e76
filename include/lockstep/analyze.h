/* Divergence, coalescing and bank conflicts of one kernel (papers 003 §3, 001 §4, 004 §5): what each value is
 * across the threads of a block, what each memory access costs a warp, which branches can diverge.
 *
 *     ls_analysis *a = ls_analyze(function, &(ls_analyze_options){.block = {256, 1, 1}});
 *     for (uint32_t i = 0; i < a->access_count; i++) use(&a->accesses[i]);
 *     ls_analysis_free(a);
 *
 * The structs are there to be read. Everything stands in one arena and points into the IR function, which
 * must live as long. Nothing is shared: kernels can be analysed in parallel. docs/analyze.md explains the
 * domain, why it is sound, and what it assumes. */
#ifndef LOCKSTEP_ANALYZE_H
#define LOCKSTEP_ANALYZE_H

#include "lockstep/ir.h"

LS_BEGIN_DECLS

enum { LS_WARP_LANES = 32 };

/* --- Values: polynomials of thread identifiers (003 §3.4) --------------------------------------------------
 */

/* A number that is the same for all threads, known modulo something: modulus 0: it is `rest`; 1: nothing is
 * known (003's ⊥); m: it is rest + k·m for some k, 0 ≤ rest < m. */
typedef struct {
    int64_t rest;
    uint64_t modulus;
} ls_residue;

typedef enum { LS_TID_X, LS_TID_Y, LS_TID_Z, LS_LANE, LS_TID_COUNT } ls_identifier;

/* Products of one or two identifiers. */
typedef enum {
#define LS_MONOMIALS(M)                                                                                      \
    M(X, 0, -1)                                                                                              \
    M(Y, 1, -1)                                                                                              \
    M(Z, 2, -1)                                                                                              \
    M(L, 3, -1)                                                                                              \
    M(XX, 0, 0)                                                                                              \
    M(XY, 0, 1)                                                                                              \
    M(XZ, 0, 2) M(XL, 0, 3) M(YY, 1, 1) M(YZ, 1, 2) M(YL, 1, 3) M(ZZ, 2, 2) M(ZL, 2, 3) M(LL, 3, 3)
#define LS_MONOMIAL_ENUM(id, first, second) LS_MONO_##id,
    LS_MONOMIALS(LS_MONOMIAL_ENUM)
#undef LS_MONOMIAL_ENUM
        LS_MONO_COUNT
} ls_monomial;

typedef enum {
    LS_SHAPE_UNSEEN,    /* no execution reaches it (003's ⊤) */
    LS_SHAPE_POLY,      /* constant + Σ coefficients · monomials; no terms: uniform */
    LS_SHAPE_DIVERGENT, /* anything */
} ls_shape_kind;

enum { LS_SHAPE_TERMS = 4 }; /* a polynomial with more of them is called divergent */

/* All coefficients are the same for the threads that execute the instruction together; where warp_only is
 * set, only for those of one warp (results of votes and shuffles, %warpid). */
typedef struct {
    uint8_t kind;                      /* ls_shape_kind */
    uint8_t term_count;                /* of non-zero coefficients */
    uint8_t monomials[LS_SHAPE_TERMS]; /* ls_monomial, ascending */
    bool warp_only;
    bool nonnegative; /* as a signed number of its width */
    ls_residue constant;
    ls_residue coefficients[LS_SHAPE_TERMS];
} ls_shape;

static inline bool ls_shape_uniform(const ls_shape *shape) {
    return shape->kind != LS_SHAPE_DIVERGENT && !shape->term_count;
}
/* One line: "0T²+1T+⊥" as in 003's Figure 2 where the kernel is one-dimensional, else with x, y, z and lane;
 * U or D where degree is 0. */
void ls_shape_print(const ls_shape *shape, uint32_t degree, char *out, size_t out_size);

/* --- Memory accesses ---------------------------------------------------------------------------------------
 */
typedef enum {
#define LS_PATTERNS(P)                                                                                       \
    P(COALESCED, "coalesced") /* as few sectors as the bytes need (more where the base may be unaligned) */  \
    P(BROADCAST, "broadcast") /* all lanes access one element */                                             \
    P(STRIDED, "strided")     /* neighbouring lanes are a fixed distance apart that leaves gaps */           \
    P(MISALIGNED, "misaligned") /* gapless, but starts off a sector boundary */                              \
    P(SCATTERED, "scattered")   /* the address depends on loaded data */                                     \
    P(UNKNOWN, "unknown")
#define LS_PATTERN_ENUM(id, name) LS_PATTERN_##id,
    LS_PATTERNS(LS_PATTERN_ENUM)
#undef LS_PATTERN_ENUM
} ls_pattern;

const char *ls_pattern_name(ls_pattern pattern);

/* What one execution by one warp costs: the worst of the block's warps, and where the base's alignment or a
 * pitch is not known, the worst of those; *_best is the best. */
typedef struct {
    uint32_t active_lanes;                           /* at most so many lanes take part */
    uint32_t sectors, sectors_best, minimum_sectors; /* global: of 32 bytes */
    uint32_t lines, lines_best, minimum_lines;       /* global: of 128 bytes */
    uint32_t degree, degree_best;            /* shared: turns of the most crowded bank; 1: no conflict */
    uint32_t wavefronts, minimum_wavefronts; /* shared: passes, over the phases of 8- and 16-byte accesses */
    uint8_t banks[32]; /* shared: different words that are hit in each bank, where known */
    double wavefronts_mean, minimum_wavefronts_mean; /* shared */
    double sectors_mean, degree_mean;                /* over the block's warps */
    /* What any execution costs in which active_lanes take part, also where parts whose distance is not known
     * (rows of an unknown pitch) overlap; *_best takes them to lie apart. */
    uint32_t sectors_least, lines_least;
} ls_access_cost;

typedef struct {
    const ls_ir_access *access;
    uint8_t pattern;   /* ls_pattern */
    bool known;        /* the cost is exact or a sound bound; else it is not known at all */
    bool stride_known; /* stride_bytes is meant */
    bool single;       /* at most one lane of the block takes part (001's FF⁻) */
    bool flagged;      /* it costs something: a finding */
    int64_t stride_bytes;
    uint32_t bytes;      /* that one lane accesses */
    uint32_t requests;   /* accesses of the lanes that the instruction is made of: several for wmma's, whose
                            costs add up */
    uint32_t warps;      /* different warps that were looked at; 0: one that stands for all */
    uint32_t executions; /* of the instruction by warps of a block, where they were all looked at; else 0 */
    uint32_t iterations; /* of a loop that were looked at one by one; 0: one stands for all */
    ls_access_cost cost;
    /* The worst warp, where it can be drawn: byte offsets of the lanes from a 128-byte boundary below the
     * first one
     * (-1: the lane takes no part); offsets of lanes of different groups have nothing to do with each other.
     */
    bool lanes_known;
    uint8_t lane_groups; /* how many */
    uint8_t lane_group[LS_WARP_LANES];
    int64_t lane_offset[LS_WARP_LANES];
    const char *base;       /* name of what is accessed: "A"; NULL: not known */
    const char *reason;     /* why: which index term has which stride */
    const char *suggestion; /* NULL, or what to do about it */
    const char *unknown;    /* NULL, or why it is not known */
} ls_access_result;

/* A product of matrices by a separate unit (wgmma), which reads operands in shared memory by descriptors: it
 * has no bank conflicts, whatever the layout and swizzle. */
typedef struct {
    const ls_ir_instr *instr;
    uint32_t bytes[2];   /* of A and B in shared memory; 0: in registers */
    uint32_t wavefronts; /* of shared memory, for the four warps together */
} ls_product_result;

/* --- Branches ----------------------------------------------------------------------------------------------
 */
typedef struct {
    const ls_ir_block *block; /* which ends with the branch */
    bool divergent;           /* lanes of a warp can disagree */
    bool is_loop_exit;        /* … on whether to go on with a loop: its trip count differs */
    bool early_exit;          /* one way leads straight to the kernel's end: a bounds check */
    const char *term;         /* what makes it so: "threadIdx.x", "loaded data", … */
} ls_branch_result;

/* --- The analysis
 * --------------------------------------------------------------------------------------------
 */
/* A tensor map that the kernel gets as a parameter: its 128 bytes, as cuTensorMapEncodeTiled writes them. */
typedef struct {
    const char *parameter; /* its name in the PTX */
    const uint64_t *map;
} ls_analyze_tensor;

typedef enum { LS_DOMAIN_LANES, LS_DOMAIN_GPUDRANO } ls_analyze_domain;

typedef struct {
    size_t size;       /* LS_OPTIONS fills it */
    uint32_t block[3]; /* threads; first 0: not known */
    uint32_t grid[3];  /* first 0: not known */
    uint32_t degree;   /* of polynomials: 0 (stands for 2), or 1, 2; LS_DEGREE_SIMPLE: uniform or divergent */
    ls_analyze_domain domain;
    bool explain;    /* a reason for every access, also for those that cost no more than they must */
    bool every_warp; /* look at each warp of the block, also where one stands for all */
    bool
        strict; /* assume no more than C++ promises, for transformations: signed arithmetic does not overflow;
                   nothing of unsigned and narrow arithmetic, alignment of pointers, and unknown blocks */
    bool shapes_only;              /* no accesses and branches: what the other parts of the library need */
    const char *const *parameters; /* NULL, or the source's names of the kernel's parameters */
    uint32_t parameter_count;
    const ls_analyze_tensor *tensors; /* NULL, or maps that are known */
    uint32_t tensor_count;
} ls_analyze_options;

enum { LS_DEGREE_SIMPLE = 3 };

typedef struct {
    const ls_ir_function *function;
    ls_analyze_options options;
    ls_shape *shapes; /* by value id */
    ls_access_result *accesses;
    uint32_t access_count; /* of global and shared memory, in instruction order */
    ls_product_result *products;
    uint32_t product_count;
    ls_branch_result *branches;
    uint32_t branch_count; /* of branches that choose */
    const char **scope;    /* assumptions that were made use of, one sentence each */
    uint32_t scope_count;
    uint32_t sweeps; /* over the values until nothing changed */
    struct ls_analysis_private *hidden;
} ls_analysis;

ls_analysis *ls_analyze(const ls_ir_function *function, const ls_analyze_options *options);
void ls_analysis_free(ls_analysis *analysis);

/* Whether all lanes of a warp that use the value together see the same: by its polynomial and, where the
 * block is known, its identifiers' values in a warp (threadIdx.y where a warp lies in one row). */
bool ls_analysis_warp_uniform(const ls_analysis *analysis, const ls_ir_value *value);
/* Whether the branch at the end of the block can diverge within a warp. */
bool ls_analysis_divergent(const ls_analysis *analysis, const ls_ir_block *block);

/* GPUDrano's own abstract value of a value (001 §4.1), for comparison: "⊥", "0", "1", "-1", "⊤", and of
 * predicates "TF", "FF-", "TT-", "⊤". Only where options.domain is LS_DOMAIN_GPUDRANO. */
const char *ls_analysis_gpudrano(const ls_analysis *analysis, const ls_ir_value *value);

LS_END_DECLS

#endif
