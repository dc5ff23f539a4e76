/* The proof of one kernel: what its passes share. The pipeline is in verify.c; each pass says what it needs.
 *
 *   symbols   (lower.c)    launch sizes, thread and block ids, parameters, addresses
 *   nodes     (nodes.c)    blocks cut at barriers, loops with a way round that crosses no barrier
 *   uniformity (uniform.c) which values all threads of a block agree on
 *   states    (exec.c)     what a thread computes on every path from a barrier, as terms
 *   loops     (loops.c, houdini.c) loop counters, trip counts, traces, invariants
 *   races     (races.c)    pairs of accesses in one barrier interval
 *   barriers, assertions, bounds */
#ifndef LS_VERIFY_PROOF_H
#define LS_VERIFY_PROOF_H

#include "base/sparse.h"
#include "graph/cfg.h"
#include "lockstep/ir.h"
#include "lockstep/verify.h"
#include "solve/solve.h"
#include "solve/terms.h"

/* A part of a basic block without a barrier inside. Nodes are in the sort order of 000, §4. */
typedef struct ls_node {
    uint32_t id;
    ls_ir_block *block;
    uint32_t first, end;  /* instructions of the block */
    ls_ir_instr *barrier; /* that ends it, and after which the next node goes on; or NULL */
    uint8_t orders;       /* of the barrier: LS_ORDERS_… */
    bool warp;            /* it is one of lanes (warps.c) */
} ls_node;

/* What a barrier orders for a whole block: shared or global memory, or both; or all memory for the lanes of a
 * warp. Intervals are made for one, the other, or both memories, and for lanes in addition. */
enum {
    LS_ORDERS_SHARED = 1,
    LS_ORDERS_GLOBAL = 2,
    LS_ORDERS_WARP = 4,
    LS_ORDERS_GRID = 8, /* global memory between blocks */
    LS_ORDERS_COUNT = 16
};

enum { LS_MOST_PLACES = 3 }; /* that a pointer is read through, one after the other */

typedef struct ls_state ls_state;
typedef struct ls_record ls_record; /* of a thread's stores (contents.c) */

/* An access (or assertion) with the state it is made in. */
typedef struct {
    const ls_ir_access *access;
    const ls_state *state;
    const ls_node *node;
    const ls_term *when;      /* path condition and guard */
    const ls_term *address;   /* 64 bits */
    const ls_term *values[4]; /* of a plain store; none where they are not known */
    uint32_t value_count;
    const ls_term *places[LS_MOST_PLACES]; /* where its pointer was read, the last first (roots.c) */
    uint32_t place_count;
    const ls_term *part;    /* the address without its constant (radix.c) … */
    uint64_t constant;      /* … which is this */
    uint64_t size;          /* bytes */
    bool in_flight;         /* perhaps: a copy that was asked for before the interval (flights.c) */
    bool collective;        /* made once for all threads of the block, by something beside them (async.c) */
    bool part_of_neighbour; /* the second of the two lanes that a part of a matrix is given to (matrices.c) */
} ls_event;

typedef LS_VEC(ls_event) ls_events;

typedef struct { /* a call of an annotation in the arbitrary iteration */
    const ls_ir_instr *instr;
    const ls_ir_instr *where; /* where it is to hold: there, or where the function returns */
    const ls_node *node;
    const ls_term *when, *holds;
} ls_claim;

/* One execution of a part of the kernel by one thread, as terms: from a starting point on, every path. */
struct ls_state {
    struct ls_proof *proof;
    const ls_state *before; /* for values that were computed before it started; or NULL */
    const ls_term *passed;  /* the barrier from which on it goes is; NULL: it begins with the kernel */
    uint32_t tag;
    const char *suffix;      /* of its symbols' names */
    ls_sparse values;        /* by value id: the terms that were computed here */
    const ls_term **reach;   /* of `whole`, by node: condition under which it is reached; NULL: never */
    ls_events *events;       /* where accesses go; NULL: nowhere */
    uint8_t stops;           /* barriers that order this memory end paths; 0: none do */
    const ls_ir_loop *body;  /* only this loop's blocks, and its back edges are kept in `latches`; or NULL */
    bool no_previous;        /* loops inside are not looked at for their previous iteration */
    const ls_term *path;     /* condition under which the instruction in hand is reached */
    const ls_record *memory; /* what the thread has stored, the newest first */
    struct ls_promise *promises; /* of functions that have not returned yet (contracts.c) */
};

typedef struct { /* the ways back to a loop's header, or into it */
    const ls_term *condition;
    const ls_term **args; /* by phi of the header */
} ls_way;
typedef LS_VEC(ls_way) ls_ways;

/* Ways by node or by loop. Few have any: those are listed, so that what a table costs grows with them alone.
 */
typedef struct {
    ls_ways *by;
    LS_VEC(uint32_t) used;
} ls_way_table;

/* One interval: what can be executed from a barrier (or the entry) up to the next barrier. */
typedef struct {
    const ls_node *anchor; /* that ends with the barrier; NULL: the kernel's entry */
    const ls_term *when;   /* the anchor is passed */
    ls_events events;
} ls_interval;

typedef struct { /* what an assumption leaves of a size of the launch */
    int64_t lo, hi;
} ls_limits;

typedef struct { /* a buffer of known size */
    const ls_term *start, *bytes;
    const struct ls_allocated *allocated; /* by the host code; NULL: it was stated */
} ls_sized;

/* Of the values that a part of an address has for two threads (radix.c). */
typedef struct {
    uint64_t window; /* they are at least so far apart where the threads differ; 0: nothing is known */
    uint64_t reach;  /* and at most so far; UINT64_MAX: nothing is known */
    uint64_t assumed_window; /* a window where nothing wraps */
} ls_spacing;

typedef struct { /* a copy that may be under way when a barrier is passed (flights.c) */
    const ls_ir_instr *copy;
    const ls_node *barrier;
    const ls_ir_loop *loop; /* around both; NULL: none */
    uint32_t rounds, later; /* of the loop since the copy; of the loop around the barrier alone */
} ls_landing;

typedef struct { /* what the copies in a loop access, so many rounds ago */
    const ls_ir_loop *loop;
    uint32_t rounds;
    bool ahead; /* … or all accesses, so many rounds later */
    ls_events events;
    ls_ways back; /* to the header */
} ls_launched;

typedef struct { /* a division in the arbitrary iteration */
    const ls_ir_instr *instr;
    const ls_node *node;
    const ls_term *when, *divisor;
} ls_division;

/* Where a value came from that lanes or threads made together (ranks.c): an operation of a warp, or an atomic
 * one. */
typedef struct {
    const ls_ir_instr *instr;
    const ls_term *path; /* the condition under which it is executed */
    const ls_term *operands[4];
} ls_joint;

typedef struct ls_proof {
    ls_arena arena;
    ls_terms terms;
    ls_solver solver;
    const ls_ir_function *f;
    const ls_verify_options *options;
    double seconds; /* for this attempt */
    bool thorough;
    bool invariants;          /* of loops are looked for (houdini.c) */
    bool wants_invariants;    /* what was not proved speaks of a loop-carried value */
    double invariant_seconds; /* that were spent on it */
    uint32_t tried_invariants, found_invariants;
    ls_verify_result *result;

    const ls_term *tid[3], *ntid[3], *ctaid[3], *nctaid[3];
    const ls_term **object_address; /* by object */
    ls_map named;                   /* other symbols by name */
    const ls_term *launch;          /* what the launch and __requires say: a predicate */
    uint32_t most_threads;          /* of a block */
    ls_limits limits[2][3];         /* block, grid */
    const struct ls_condition *
        *assumptions; /* by assumption, then by fact; NULL: does not concern the kernel */
    LS_VEC(ls_sized) sized;
    LS_VEC(ls_division) divisions;

    ls_node **nodes;
    uint32_t node_count;
    uint32_t *first_node;              /* by block */
    ls_cfg *cfg;                       /* their graph, as they stand in the text; `nodes` is in its order */
    bool *free_cycle[LS_ORDERS_COUNT]; /* by memory ordered, by loop: a way round that crosses no such barrier
                                        */
    const ls_ir_base **root;           /* by base: the first of its root; NULL: it has none (roots.c) */
    const ls_term **root_address;      /* by base that is the first of a root: what stands for its memory */
    bool *written;                     /* by base: the kernel writes it */
    bool writes_unknown;               /* … or writes somewhere that is not known */
    bool *initial;                     /* by access: a load before every write of its object */
    bool *tracked;                     /* by base: what it holds is followed (contents.c) */
    bool has_indirect_calls;
    bool has_grid_barriers;
    bool has_copies;      /* there are copies in flight (async.c) */
    ls_intmap copy_bases; /* bases of their own, by symbol */
    ls_intmap waited;     /* wait for several to index in waited_lists: their events */
    LS_VEC(ls_term_list) waited_lists;
    const ls_term **barrier_facts; /* by node that ends with a barrier: what holds behind it */
    const ls_record **memory_at;   /* by node that ends with a barrier: what is stored behind it */
    const ls_term *start, *own;    /* the time at which the kernel starts; the thread's own memory */

    bool *divergent;        /* by value: threads of a block may disagree */
    bool *divergent_branch; /* by block */
    bool *agreed;           /* by block: its branch was proved to be agreed on */
    bool *uniform_loop;     /* by loop: all threads of a block leave it after the same iteration */
    bool *annotation;       /* by instruction: belongs to an annotation, is no access of the kernel */

    LS_VEC(ls_ways *) spare_ways; /* of tables that nobody uses */
    ls_state *whole;              /* the whole kernel with every loop in an arbitrary iteration */
    ls_events whole_events;
    ls_events private_events; /* of local, constant and parameter memory, in `whole` */
    bool ticketed;        /* accesses to shared memory within a block are proved to be ordered (tickets.c) */
    bool unmodelled_sync; /* there is synchronisation that is not modelled: races are only possible */
    ls_intmap bound;      /* parameters by (object, offset, width) that have one value */
    ls_intmap parameter_keys; /* symbol to (object, offset, width) */
    LS_VEC(ls_claim) claims;
    LS_VEC(ls_interval) intervals[LS_ORDERS_COUNT]; /* by memory ordered */
    LS_VEC(ls_landing) landings;
    LS_VEC(ls_launched *) launched;
    ls_intmap joint_of; /* symbol to index in joints */
    LS_VEC(ls_joint) joints;
    ls_intmap facts; /* symbol to index in fact_lists */
    LS_VEC(ls_term_list) fact_lists;
    uint32_t states;
    bool used_axis[2][3];     /* block, grid: the kernel reads an index or size in this dimension */
    bool assumed_no_overflow; /* a proof needed it */
    bool assumed_textures;    /* that they are not written */
    bool assumed_divisors;    /* that no remainder by zero is taken */
    bool assumed_counters;    /* that atomic counters do not overflow */
    LS_VEC(const ls_ir_base *) assumed_zero; /* flags that are 0 before the launch (signals.c) */
    bool assumed_enums;                      /* that parameters of enum types have values of these */
    ls_intmap standings;  /* by address and condition: whether that may be assumed (contract.h) */
    ls_intmap spacing_of; /* by part of an address and view: index in spacings */
    LS_VEC(ls_spacing) spacings;
    bool *behind;              /* by block and block: the second is reached from the first (fences.c) */
    uint32_t warp_mask;        /* the lanes that synchronise within a warp … */
    uint32_t warp_tile;        /* … or within each tile of so many lanes of it */
    ls_term_list part_members; /* instead: the parts of the block that do (groups.c) */
    bool warp_barriers;        /* some synchronisation of them is a barrier … */
    bool warp_doubt;           /* … and some is there that is not modelled */
    bool racy_barriers;        /* barrier divergence is possible: intervals mean nothing */
    struct ls_crew *crew;      /* what several threads have found out (crew.h), or NULL … */
    bool survey;               /* … and this one is at it, and reports nothing */
    bool first;                /* it began the survey; it can go on where all obligations hold … */
    bool again;                /* … and else another is to be made, with what they have found out */
} ls_proof;

/* --- Results (verify.c) --- */
ls_finding *ls_find(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
/* The same, but not yet among the results: ls_accuse puts it there. */
ls_finding *ls_suspect(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));
void ls_accuse(ls_proof *p, ls_finding *finding);
/* What a base is called in messages. */
const char *ls_base_name(ls_proof *p, const ls_ir_base *base);
const char *ls_proof_parameter(const ls_proof *p, uint32_t object);
/* A reason for "unknown"; the one that is there already where it was given before. */
ls_verify_note *ls_unknown(ls_proof *p, const ls_place *pos, const char *help, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The annotation or the option is wrong: the input is refused. */
void ls_mistake(ls_proof *p, const ls_place *pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What a proof covers or assumes, one sentence; brief (or NULL): the few words for the line of the verdict.
 */
void ls_scope_line(ls_proof *p, const char *brief, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
