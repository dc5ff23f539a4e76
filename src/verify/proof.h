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
    bool unmodelled_sync;     /* there is synchronisation that is not modelled: races are only possible */
    ls_intmap bound;          /* parameters by (object, offset, width) that have one value */
    ls_intmap parameter_keys; /* symbol to (object, offset, width) */
    LS_VEC(ls_claim) claims;
    LS_VEC(ls_interval) intervals[LS_ORDERS_COUNT]; /* by memory ordered */
    LS_VEC(ls_landing) landings;
    LS_VEC(ls_launched *) launched;
    ls_intmap facts; /* symbol to index in fact_lists */
    LS_VEC(ls_term_list) fact_lists;
    uint32_t states;
    bool used_axis[2][3];     /* block, grid: the kernel reads an index or size in this dimension */
    bool assumed_no_overflow; /* a proof needed it */
    bool assumed_textures;    /* that they are not written */
    bool assumed_divisors;    /* that no remainder by zero is taken */
    bool assumed_counters;    /* that atomic counters do not overflow */
    ls_intmap standings;      /* by address and condition: whether that may be assumed (contract.h) */
    ls_intmap spacing_of;     /* by part of an address and view: index in spacings */
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

/* --- lower.c ---------------------------------------------------------------------------------------------
 */
void ls_make_symbols(ls_proof *p);
const ls_term *ls_value_of(const ls_state *s, const ls_ir_value *value);
const ls_term *ls_operand_of(const ls_state *s, const ls_ir_operand *operand);
/* The guard of an instruction, true where it has none. */
const ls_term *ls_guard_of(const ls_state *s, const ls_ir_instr *instr);
/* Computes the results of an instruction that is executed. */
void ls_lower_instr(ls_state *s, const ls_ir_instr *instr);
const ls_term *ls_fresh(const ls_state *s, const char *what, uint32_t width, ls_sym_kind kind);
/* The symbol for the pointer or value in a parameter. */
const ls_term *ls_parameter(ls_proof *p, uint32_t object, uint64_t offset, uint32_t width);
/* The parameter's symbol becomes one with this range. */
void ls_replace_parameter(ls_proof *p, uint64_t key, const ls_term *old, int64_t slo, int64_t shi,
                          uint64_t ulo, uint64_t uhi);
/* One of the .extern .shared arrays, which all start at the same address. */
bool ls_is_dynamic_shared(const ls_proof *p, const ls_ir_base *base);
const ls_term *ls_base_address(ls_proof *p, const ls_ir_base *base);
const ls_term *ls_object_address(ls_proof *p, uint32_t object);
uint32_t ls_width_of(uint8_t type);

/* --- arrays.c --------------------------------------------------------------------------------------------
 */
/* Which of the arrays that are asked for the kernel has; whether races on this one are left out. */
void ls_find_arrays(ls_proof *p);
bool ls_is_left_out(const ls_proof *p, const ls_ir_base *base);

/* --- floats.c --------------------------------------------------------------------------------------------
 */
/* Result `result` of an instruction on constants; NULL where they are not, or it is not exact. */
const ls_term *ls_fold_instr(ls_terms *t, const ls_ir_instr *instr, const ls_term *const *src, uint32_t count,
                             uint32_t result);
/* That the two are equal; conversions are where the integers are, if these all fit. */
const ls_term *ls_equal_values(ls_proof *p, const ls_term *a, const ls_term *b);

/* --- roots.c ---------------------------------------------------------------------------------------------
 */
/* Needs the IR alone; leaves root. */
void ls_find_roots(ls_proof *p);
/* The two bases are one object, or may be. */
bool ls_same_object(const ls_proof *p, const ls_ir_base *a, const ls_ir_base *b);
/* The base that stands for all of its root. */
const ls_ir_base *ls_first_base(const ls_proof *p, const ls_ir_base *base);
/* What stands for the address of the memory that a pointer from memory points to; NULL: it has no root. */
const ls_term *ls_root_address(ls_proof *p, const ls_ir_base *base);
/* Puts the address in terms of its root, with the places; none where that cannot be done. */
void ls_trace_pointer(const ls_state *s, ls_event *e);

/* --- written.c, nodes.c
 * ---------------------------------------------------------------------------------------------
 */
void ls_find_written(ls_proof *p);
bool ls_is_barrier(const ls_ir_instr *instr);
/* It waits for other lanes of its warp: bar.warp.sync, shuffles, votes, products of matrices. */
bool ls_waits_for_lanes(const ls_ir_instr *instr);
void ls_make_nodes(ls_proof *p);
/* free_cycle for this memory. */
void ls_find_cycles(ls_proof *p, uint8_t memory);

/* --- uniform.c -------------------------------------------------------------------------------------------
 */
void ls_find_uniform(ls_proof *p);
/* Every branch that decides whether (and how often) a block is executed. */
void ls_control_closure(const ls_proof *p, const ls_ir_block *block, bool *branches);

/* --- exec.c, loops.c -------------------------------------------------------------------------------------
 */
ls_state *ls_state_new(ls_proof *p, const ls_state *before, const char *suffix);
/* Runs from the start of a node (after its phis where `start_ways` is NULL) under a condition. */
void ls_execute(ls_state *s, const ls_node *start, const ls_term *condition, const ls_ways *start_ways,
                ls_way_table *latches);
/* Tables of ways, empty when taken and when given back; for nodes or loops of the kernel. */
ls_way_table ls_ways_take(ls_proof *p);
void ls_ways_give(ls_proof *p, ls_way_table *table);
/* The term that the value has in this state from now on. */
void ls_set_value(const ls_state *s, const ls_ir_value *value, const ls_term *term);
/* Runs from just behind a barrier. `latches` gets, by loop, the ways back to headers of loops around it. */
void ls_make_intervals(ls_proof *p);
/* The intervals between barriers of lanes, after ls_check_warps found them. */
void ls_make_warp_intervals(ls_proof *p);
/* A claim at a point of the execution; what may be assumed behind it. */
const ls_term *ls_claim_here(ls_state *s, const ls_node *n, ls_claim claim);
void ls_enter_loop(ls_state *s, const ls_ir_loop *loop, const ls_ways *entries);
void ls_add_fact(ls_proof *p, const ls_term *symbol, const ls_term *fact);
/* The facts about the symbols of a list, and about the symbols in those, … */
void ls_collect_facts(ls_proof *p, ls_term_list *terms);

/* --- matrices.c ------------------------------------------------------------------------------------------
 */
/* The events of an instruction that moves a matrix; false: it is none, or of a form that is not modelled. */
bool ls_matrix_events(ls_state *s, const ls_event *e);

/* --- contents.c ------------------------------------------------------------------------------------------
 */
/* Needs `written` and the symbols; leaves `tracked`. */
void ls_find_tracked(ls_proof *p);
/* A store that is executed; a barrier that is passed; a loop that is entered in an arbitrary iteration; an
 * execution that starts behind a barrier (NULL: at the entry). */
void ls_memory_store(ls_state *s, const ls_ir_instr *i);
void ls_memory_barrier(ls_state *s, const ls_node *node, const ls_term *path);
void ls_memory_loop(ls_state *s, const ls_ir_loop *loop, const ls_term *when);
void ls_memory_start(ls_state *s, const ls_node *anchor);
/* An execution that starts at a block before which anything may have been stored. */
void ls_memory_forget(ls_state *s, const ls_ir_block *block);
/* What a load gives; NULL where that is not followed. */
const ls_term *ls_memory_load(const ls_state *s, const ls_ir_access *a, const ls_term *address,
                              uint32_t width);

/* The term is what global memory (or the thread's own) held when the kernel started; the symbol stands for
 * the thread's own memory. */
bool ls_is_initial(ls_proof *p, const ls_term *term, bool own);
bool ls_is_own(ls_proof *p, const ls_term *symbol);

/* --- barrier_facts.c -------------------------------------------------------------------------------------
 */
/* What the invariants that stand before a barrier say behind it. */
const ls_term *ls_barrier_facts(ls_state *s, const ls_node *n);

/* What the thread sees at an address of an object, from a place in a block on. NULL: not followed. */
const ls_term *ls_memory_peek(const ls_state *s, const ls_ir_block *block, const ls_ir_base *base,
                              const ls_term *address, uint32_t bytes);

/* --- async.c ---------------------------------------------------------------------------------------------
 */
bool ls_has_copies(const ls_proof *p);
const ls_term *ls_copy_event(ls_state *s, const ls_ir_instr *call, uint32_t width);
void ls_copy_accesses(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path);
void ls_stated_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path);
void ls_note_wait(ls_state *s, const ls_ir_instr *wait);
void ls_check_copies(ls_proof *p);

/* --- flights.c --------------------------------------------------------------------------------------------
 */
bool ls_is_flight(const ls_ir_instr *i);
/* Needs `whole`; leaves `landings`. */
void ls_find_flights(ls_proof *p);
/* The copies that may be under way behind the barrier at the end of a node. */
void ls_add_flights(ls_proof *p, const ls_node *anchor, ls_events *events);
/* What a thread itself accesses meanwhile. */
void ls_check_flights(ls_proof *p);

/* --- indirect.c ------------------------------------------------------------------------------------------
 */
/* The addresses of functions are different, and not 0. */
const ls_term *ls_function_addresses(ls_proof *p);
void ls_check_indirect(ls_proof *p);

/* --- contracts.c -----------------------------------------------------------------------------------------
 */
/* A promise of a function (__ensures), and its end: claims of what was promised; true where there are none.
 */
void ls_promise_made(ls_state *s, const ls_ir_instr *instr, const ls_term *holds);
const ls_term *ls_promises_kept(ls_state *s, const ls_node *node, const ls_ir_instr *instr);
void ls_check_promises(ls_proof *p);

/* --- query.c ---------------------------------------------------------------------------------------------
 */

/* Two threads (or one): which of their symbols are one and the same. */
typedef enum { LS_WARPS_ANY, LS_WARPS_ONE, LS_WARPS_OTHER } ls_warps; /* of the lanes that synchronise */

typedef struct {
    ls_proof *p;
    bool same_block;
    uint8_t warps;            /* ls_warps: which pairs of threads are meant */
    bool one_warp;            /* of these, only lanes of one warp */
    const char *doubtful;     /* why what is found is only possible; NULL: it is not */
    const ls_node *anchor;    /* the barrier both have passed last; NULL: none */
    bool together;            /* both are at the same point in the same iterations of `a` */
    const ls_ir_block *a, *b; /* where they are */
    bool self;                /* the second is the first, at an earlier time … */
    bool earlier;             /* … and perhaps in an earlier iteration of the loops around both */
    bool absent;              /* the second is not at this point: nothing is known of its values */
} ls_view;

typedef struct {
    ls_view view;
    ls_term_list conjuncts;
    ls_subst threads[2];
    bool given_up;        /* the solver was asked before: it is not again */
    const ls_term *doubt; /* where a model was not confirmed: a value on which that hangs */
    ls_intmap others;     /* symbols for the other thread's values whose facts are there, by thread */
} ls_query;

void ls_query_begin(ls_query *q, ls_view view);
void ls_query_end(ls_query *q);
/* A term of thread 1 or 2, instantiated. */
const ls_term *ls_query_term(ls_query *q, uint32_t thread, const ls_term *term);
/* Adds a predicate of a thread; the facts about the symbols in `with` (which may be NULL) come with it. */
void ls_query_add(ls_query *q, uint32_t thread, const ls_term *predicate, const ls_term *with);
void ls_query_claim(ls_query *q, const ls_term *instantiated);
/* roots.c: claims that the pointers of both were read from the same places. */
void ls_query_places(ls_query *q, const ls_event *a, const ls_event *b);
/* The two threads are different threads of one block, or of different blocks. */
void ls_query_distinct(ls_query *q);
ls_answered ls_query_solve(ls_query *q);
ls_answered ls_query_ask(ls_query *q, ls_question question);
/* After LS_SAT: whether the model is an execution, not only one of the abstraction. */
bool ls_query_confirmed(ls_query *q);
/* After ls_query_confirmed said no: what it hangs on, in words. */
const char *ls_query_doubt(ls_query *q);
uint64_t ls_query_value(ls_query *q, const ls_term *instantiated);
/* witness.c: after LS_SAT, the model in words and as an execution. `offset`: byte in the object, or NULL. */
void ls_query_witness(ls_query *q, ls_finding *finding, const ls_term *offset);
/* … and what it happens to: at the offset that the witness has. */
void ls_witness_object(ls_finding *finding, const char *object);

/* --- warps.c, races.c, barriers.c, claims.c
 * -----------------------------------------------------------------------
 */
void ls_check_warps(ls_proof *p);
/* groups.c: a barrier of fewer threads than the block has; whether all of them are barriers of known parts,
 * of which some are there; the two threads are of one part. */
bool ls_is_partial(const ls_proof *p, const ls_ir_instr *i);
bool ls_check_parts(ls_proof *p);
const ls_term *ls_same_part(ls_query *q);
enum { LS_WARP = 32 }; /* threads */
/* The thread's lane in its warp; whether a mask names the lane. */
const ls_term *ls_lane(ls_proof *p);
/* Its number in the block, along the rows. */
const ls_term *ls_thread_number(ls_proof *p);
const ls_term *ls_mask_names(ls_terms *t, const ls_term *mask, const ls_term *lane);
/* lanes.c: all lanes that are named come to what waits for them. */
void ls_check_lanes(ls_proof *p);
/* The two threads are in one warp of so many threads. */
const ls_term *ls_same_warp(ls_query *q, uint32_t size);
/* Claims what the view says of warps. */
void ls_query_warps(ls_query *q);
/* radix.c: two accesses by different threads, of one block or of two, are apart by their normal forms. */
void ls_split_address(ls_proof *p, ls_event *event);
bool ls_apart_by_radix(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);
bool ls_apart_by_rows(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);
/* counters.c: claims that results of atomic increments of one counter differ. */
void ls_query_counters(ls_query *q);
/* Fences and atomics may order the two. */
bool ls_may_be_ordered(ls_proof *p, const ls_ir_instr *a, const ls_ir_instr *b, bool same_block);
void ls_check_races(ls_proof *p);
/* An object that both may access; NULL: there is none. */
const ls_ir_base *ls_common_base(const ls_proof *p, const ls_event *a, const ls_event *b);
/* The distance of two addresses, as many bits as the narrower one has. */
const ls_term *ls_distance(ls_terms *t, const ls_term *x, const ls_term *y);
/* The two accesses have a byte in common; d is the distance of their addresses. */
const ls_term *ls_overlap(ls_terms *t, const ls_term *d, uint64_t size1, uint64_t size2);
/* How many obligations there are for which a solver is needed; there may be more where they are enough. */
uint32_t ls_count_races(ls_proof *p, uint32_t enough);
void ls_check_barriers(ls_proof *p);
/* Barriers of the grid: also threads of different blocks agree on reaching them. */
void ls_check_grid_barriers(ls_proof *p);
/* Whether two threads can disagree on the block's branch, among those that `warps` means. */
ls_answered ls_ask_agreement(ls_proof *p, const ls_ir_block *block, ls_warps warps, ls_query *q);
/* The branch only lets threads leave for good, on a way that does not join the others' any more, which PTX
 * allows; with `warps` they meet nothing that waits for lanes either. */
/* After LS_SAT: a model in which one of the two gets to the node (and executes what has the guard there) and
 * the other does not; the one that is there stays where there is none. */
bool ls_query_only_one(ls_query *q, const ls_node *n, const ls_term *guard);
/* The node at which a block ends. */
const ls_node *ls_last_node(const ls_proof *p, const ls_ir_block *b);
bool ls_only_leaves(const ls_proof *p, const ls_ir_block *branch, bool warps);
void ls_check_claims(ls_proof *p);
/* "assertion", "invariant", … */
const char *ls_claim_name(const ls_claim *claim);
bool ls_speaks_of_other(ls_terms *t, const ls_term *holds);
/* All threads of a block reach the block together. */
bool ls_reached_together(const ls_proof *p, const ls_ir_block *block);
void ls_check_memory(ls_proof *p);
void ls_check_divisions(ls_proof *p);
/* overflow.c: the address as it is where index arithmetic does not overflow, and the claims that it does not.
 */
const ls_term *ls_without_overflow(ls_terms *t, const ls_term *address, ls_term_list *claims);
/* Parameters that __requires or --kernel-args fix to one value become constants. */
void ls_bind_parameters(ls_proof *p);
ls_finding *ls_find(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
/* The same, but not yet among the results: ls_accuse puts it there. */
ls_finding *ls_suspect(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));
void ls_accuse(ls_proof *p, ls_finding *finding);
/* What a base is called in messages. */
const char *ls_base_name(ls_proof *p, const ls_ir_base *base);
const char *ls_proof_parameter(const ls_proof *p, uint32_t object);

/* --- Results ---------------------------------------------------------------------------------------------
 */
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
