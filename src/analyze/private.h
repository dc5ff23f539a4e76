/* What the passes of src/analyze share, in the order in which analyze.c runs them. */
#ifndef LS_ANALYZE_PRIVATE_H
#define LS_ANALYZE_PRIVATE_H

#include "analyze/lanes.h"
#include "analyze/poly.h"
#include "base/arena.h"
#include "base/bitset.h"
#include "base/vec.h"

/* Whatever makes a value, in the order in which sweeps visit them: of each block its phis, then its
 * instructions; an η stands right behind the value that it takes out of its loop. */
typedef enum { LS_NODE_INSTR, LS_NODE_PHI, LS_NODE_ETA } ls_node_kind;

typedef struct {
    uint8_t kind;
    union {
        ls_ir_instr *instr;
        ls_ir_phi *phi;
        ls_ir_value *eta;
    };
} ls_node;

/* Things to look at again when a branch turns out to be divergent. */
typedef struct ls_dependent {
    uint32_t node, count; /* the first, and how many behind it */
    struct ls_dependent *next;
} ls_dependent;

/* Branches that decide when a loop is left. */
typedef struct {
    const ls_ir_block **branches;
    uint32_t count;
} ls_loop_exits;

enum { /* assumptions that results rest on; each becomes a sentence of the scope */
       LS_ASSUME_NO_WRAP = 1,
       LS_ASSUME_BLOCK_X = 2,
       LS_ASSUME_POINTERS = 4,
       LS_ASSUME_NO_ALIAS = 8,
       LS_ASSUME_SPACE = 32,
       LS_ASSUME_LOADED = 64,
};

typedef struct ls_analysis_private {
    ls_arena arena;
    const ls_ir_function *f;
    ls_analysis *out;
    ls_shape *shapes; /* out->shapes */
    uint32_t degree;  /* 0, 1, 2 */
    uint32_t assumptions;
    ls_node *nodes;
    uint32_t node_count;
    uint32_t *node_of_instr, *node_of_value; /* of phis and η */
    ls_dependent **on_branch;                /* by block id */
    ls_loop_exits *loop_exits;               /* by loop id */
    uint32_t uniform_monomials;              /* set of ls_monomial that are one number in a warp */
    ls_bitset stable_loads;                  /* by instruction id: memory that nobody writes meanwhile */
    ls_bitset aligned_params;                /* by instruction id: ld.param of a pointer */
    uint8_t *gpudrano;                       /* by value id */
} ls_analysis_private;

typedef ls_analysis_private analysis;

enum { LS_STEEP = 21 }; /* 2^21 times 1,024 threads is what 32 bits hold */

/* --- Passes
 * -------------------------------------------------------------------------------------------------- */
/* Requires the IR; leaves nodes, on_branch, loop_exits. */
void ls_fill_nodes(analysis *a);
/* Requires the IR; leaves stable_loads and aligned_params. */
void ls_fill_memory(analysis *a);
/* Requires nodes and memory; leaves shapes. */
void ls_fill_shapes(analysis *a);
/* Requires shapes; leaves branches. */
void ls_fill_branches(analysis *a);
/* Requires shapes; leaves accesses. */
void ls_fill_accesses(analysis *a);
/* Requires nodes; leaves gpudrano, and accesses by its rule. */
void ls_fill_gpudrano(analysis *a);

/* --- Asking
 * -------------------------------------------------------------------------------------------------- */
/* Whether the value is one number in a warp, by its shape. */
bool ls_shape_warp_uniform(const analysis *a, const ls_shape *shape);
/* Whether lanes can disagree on the branch at the end of the block; false where it does not choose. */
bool ls_branch_diverges(const analysis *a, const ls_ir_block *block);
/* Marks everything that uses the value as to be looked at again. */
void ls_mark_users(const analysis *a, const ls_ir_value *value, ls_bitset *dirty);
/* The block whose branch the value decides is looked at through on_branch. */
void ls_mark_branch(const analysis *a, const ls_ir_block *block, ls_bitset *dirty);

#endif
