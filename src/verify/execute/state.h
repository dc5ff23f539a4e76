/* What an execution of a thread as terms is made of (exec.c): nodes, states, and what is met on the way:
 * accesses, claims, ways from node to node. */
#ifndef LS_VERIFY_EXECUTE_STATE_H
#define LS_VERIFY_EXECUTE_STATE_H

#include "base/sparse.h"
#include "lockstep/ir.h"
#include "solve/terms.h"

/* A part of a basic block without a barrier inside. Nodes are in the sort order of 000, §4. */
typedef struct ls_node {
    uint32_t id;
    ls_ir_block *block;
    uint32_t first, end;  /* instructions of the block */
    ls_ir_instr *barrier; /* that ends it, and after which the next node goes on; or NULL */
    uint8_t orders;       /* of the barrier: LS_ORDERS_… */
    bool warp;            /* it is one of lanes, or of some warps (warps.c, groups.c) */
    bool meets;           /* … which are known to come to it together */
} ls_node;

/* What a barrier orders for a whole block: shared or global memory, or both; or all memory for the lanes of a
 * warp. Intervals are made for one, the other, or both memories, and for lanes in addition. */
enum {
    LS_ORDERS_SHARED = 1,
    LS_ORDERS_GLOBAL = 2,
    LS_ORDERS_WARP = 4,
    LS_ORDERS_GRID = 8,     /* global memory between blocks */
    LS_ORDERS_CLUSTER = 16, /* shared memory between blocks of a cluster */
    LS_ORDERS_COUNT = 32
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

#endif
