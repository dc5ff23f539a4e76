/* Exhaustive exploration of a program over small domains: all reductions from all initial stores, by either
 * semantics (000, §3.2 and §4.2), with data races by Definitions 3.1 and 4.1, errors, and termination. */
#ifndef LS_MODEL_EXPLORE_H
#define LS_MODEL_EXPLORE_H

#include "model/machine.h"
#include "model/states.h"

typedef struct {
    bool reduce;         /* interleaving of a well-formed kernel: leave out equivalent orders of steps */
    bool first_only;     /* stop at the first finding */
    uint64_t max_states; /* 0: 2 million; more gives up */
    double timeout;      /* seconds of CPU time; 0: any */
    const volatile int *cancel; /* NULL: nobody does */
} ls_kexplore_options;

typedef struct {
    uint32_t thread; /* LS_GRAPH_NONE: all threads */
    uint32_t instr;  /* position in the machine's code */
    const char *effect;
} ls_ktrace_step;

typedef struct {
    uint8_t rule;                              /* ls_krule */
    uint32_t instr, thread;                    /* LS_GRAPH_NONE where none is meant */
    uint32_t other_instr, other_thread, count; /* races: the other access; count: times met */
    uint32_t cell;                             /* races: the shared cell */
    bool write, other_write;
    LS_VEC(ls_ktrace_step) trace; /* from an initial store; the last step is the one at fault */
    const char *initial;          /* the initial store, as text: what the kernel does not fix */
} ls_kfinding;

typedef struct {
    ls_arena arena;
    ls_kmachine *machine;
    bool race_free, error_free, terminating; /* terminating: no infinite reduction and no error */
    const char *unknown;                     /* why not everything was explored; NULL: it was */
    LS_VEC(ls_kfinding) findings;
    uint64_t states, steps, initial_stores;
    ls_kstates finals; /* (number of the initial store, shared store at termination) */
} ls_kexplored;

ls_kexplored *ls_kernel_explore(const ls_kprog *prog, const ls_kexplore_options *options);
void ls_kexplored_free(ls_kexplored *result);

/* Whether the program is race free and terminating. */
static inline bool ls_kexplored_correct(const ls_kexplored *r) {
    return r->race_free && r->terminating && !r->unknown;
}

/* Theorem 5.2 on two results for one kernel: both correct or both not; and if correct, the same shared stores
 * at the end from the same initial stores. */
typedef enum { LS_KAGREE, LS_KDISAGREE, LS_KINCONCLUSIVE } ls_kagreement;
ls_kagreement ls_kexplored_compare(const ls_kexplored *a, const ls_kexplored *b);

#endif
