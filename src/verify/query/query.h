/* Queries about two threads. */
#ifndef LS_VERIFY_QUERY_QUERY_H
#define LS_VERIFY_QUERY_QUERY_H

#include "verify/proof.h"

/* Two threads (or one): which of their symbols are one and the same. */
/* Threads of one warp, or of different ones, of the lanes that synchronise; of a wgmma's four warps. */
typedef enum { LS_WARPS_ANY, LS_WARPS_ONE, LS_WARPS_OTHER, LS_WARPS_FOUR } ls_warps;

typedef struct {
    ls_proof *p;
    bool same_block;
    bool cluster;             /* of different blocks: only those of one cluster */
    bool between_halves;      /* … where one lies between the halves of a barrier */
    uint8_t warps;            /* ls_warps: which pairs of threads are meant */
    bool one_warp;            /* of these, only lanes of one warp */
    bool before_calls;        /* no function that is not modelled can have ordered the two */
    const char *doubtful;     /* why what is found is only possible; NULL: it is not */
    bool by_data;             /* … and a run with other data than the program's says nothing */
    const ls_node *anchor;    /* the barrier both have passed last; NULL: none */
    bool together;            /* both are at the same point in the same iterations of `a` */
    const ls_ir_block *a, *b; /* where they are */
    bool self;                /* the second is the first, at an earlier time … */
    bool earlier;             /* … and perhaps in an earlier iteration of the loops around both */
    bool absent;              /* the second is not at this point: nothing is known of its values */
} ls_view;

/* Beside the two, the lane that each of them got a value from (ranks.c): a thread of its block. */
enum { LS_QUERY_THREADS = 4 };

typedef struct {
    ls_view view;
    ls_term_list conjuncts;
    ls_subst threads[LS_QUERY_THREADS];
    const ls_term *doubt; /* where a model was not confirmed: a value on which that hangs */
    ls_intmap others;     /* symbols for the other thread's values whose facts are there, by thread */
} ls_query;

void ls_query_begin(ls_query *q, ls_view view);
void ls_query_end(ls_query *q);
/* A term of thread 1 or 2, instantiated; or of 3 or 4, the lane that 1 or 2 got a value from. */
const ls_term *ls_query_term(ls_query *q, uint32_t thread, const ls_term *term);
/* Adds a predicate of a thread; the facts about the symbols in `with` (which may be NULL) come with it. */
void ls_query_add(ls_query *q, uint32_t thread, const ls_term *predicate, const ls_term *with);
void ls_query_claim(ls_query *q, const ls_term *instantiated);
/* Thread 1 is one of the launch: what is known of its indices, and of the launch. */
void ls_query_launch(ls_query *q);
/* The two threads are different threads of one block, or of different blocks. */
void ls_query_distinct(ls_query *q);
ls_answered ls_query_solve(ls_query *q);
ls_answered ls_query_ask(ls_query *q, ls_question question);
/* What the query says without products and quotients of unknowns, in which a solver gets lost, excludes it
 * already; false where it has none. */
bool ls_query_excludes(ls_query *q);
/* Two unknowns are multiplied in it, or divided by each other. */
bool ls_has_products(const ls_term *term);
/* After LS_SAT: whether the model is an execution, not only one of the abstraction. */
bool ls_query_confirmed(ls_query *q);
/* After ls_query_confirmed said no: what it depends on, in words. */
const char *ls_query_doubt(ls_query *q);
uint64_t ls_query_value(ls_query *q, const ls_term *instantiated);

#endif
