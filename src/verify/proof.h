/* The proof of one kernel: what its passes share. The pipeline is in verify.c; each pass says in its header
 * what it needs and what it leaves, and keeps what only it uses in a part of its own (ls_part_of).
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

#include "graph/cfg.h"
#include "lockstep/verify.h"
#include "solve/solve.h"
#include "verify/assumed.h"
#include "verify/execute/state.h"

typedef struct { /* what one attempt at a proof may take */
    double seconds;
    bool thorough;   /* with patience for every query */
    bool invariants; /* of loops are looked for (houdini.c) */
} ls_effort;

/* Where threads may synchronise in a way that is not modelled. */
typedef enum {
    LS_SYNC_ANYWHERE = 1,
    LS_SYNC_BEHIND_CALLS = 2, /* nowhere else than in functions without a body (modelled.c) */
} ls_sync;

typedef struct ls_proof {
    ls_arena arena;
    ls_terms terms;
    ls_solver solver;
    const ls_ir_function *f;
    const ls_verify_options *options;
    ls_effort effort;
    ls_verify_result *result;
    bool out_of_memory;     /* it was not ended */
    double work;            /* seconds of its thread and of those that helped it */
    struct ls_parts *parts; /* what single passes keep */

    /* The launch and its parameters (lower.c, assume.c). */
    const ls_term *tid[3], *ntid[3], *ctaid[3], *nctaid[3];
    bool used_axis[2][3];           /* block, grid: the kernel reads an index or size in this dimension */
    const ls_term *launch;          /* what the launch and __requires say: a predicate */
    const ls_term **object_address; /* by object */
    ls_map named;                   /* other symbols by name */
    ls_intmap bound;                /* parameters by (object, offset, width) that have one value */
    ls_intmap parameter_keys;       /* symbol to (object, offset, width) */

    /* Nodes (nodes.c). */
    ls_node **nodes;
    uint32_t node_count;
    uint32_t *first_node; /* by block */
    ls_cfg *cfg;          /* their graph, as they stand in the text; `nodes` is in its order */

    /* Which memory the kernel writes (written.c, async.c). */
    bool *written;       /* by base: the kernel writes it */
    bool writes_unknown; /* … or writes somewhere that is not known */
    bool *initial;       /* by access: a load before every write of its object */
    bool has_copies;     /* there are copies in flight */
    bool remote;      /* it accesses shared memory of other blocks, in a way that is modelled (clusters.c) */
    bool *annotation; /* by instruction: belongs to an annotation, is no access of the kernel */

    /* Uniformity (uniform.c). */
    bool *divergent;        /* by value: threads of a block may disagree */
    bool *divergent_branch; /* by block */
    bool *agreed;           /* by block: its branch was proved to be agreed on */
    bool *uniform_loop;     /* by loop: all threads of a block leave it after the same iteration */

    /* Executions (exec.c). */
    ls_state *whole; /* the whole kernel with every loop in an arbitrary iteration */
    ls_events whole_events;
    LS_VEC(ls_interval) intervals[LS_ORDERS_COUNT]; /* by memory ordered */

    /* What checks leave for those that come after them. */
    bool ticketed; /* accesses to shared memory within a block are proved to be ordered (tickets.c) */
    uint8_t unmodelled_sync; /* ls_sync: what is not modelled, so that races are only possible */
    bool racy_barriers;      /* barrier divergence is possible: intervals mean nothing */
    bool wants_invariants;   /* what was not proved mentions a loop-carried value */
    bool by_layout;          /* a race depends on a layout that callers give (strides.c) */
    ls_assumed assumed;      /* what a proof needed, by assumption */
} ls_proof;

/* Ready for the passes; `end` frees all but the arena, in which the result stands. */
void ls_proof_begin(ls_proof *p, const ls_ir_function *kernel, const ls_verify_options *options);
void ls_proof_end(ls_proof *p);

/* What one pass keeps for itself over a proof: a struct of its own file, which is zero at first. `end` (or
 * NULL) frees what is not in the proof's arena. */
typedef struct {
    size_t size;
    void (*end)(void *part);
} ls_part;

void *ls_part_of(const ls_proof *p, const ls_part *kind);

/* The same for a list: name(p) is the one of the proof, of type list. */
#define LS_LIST_PART(name, list)                                                                             \
    static void free_##name(void *part) {                                                                    \
        LS_VEC_FREE((list *)part);                                                                           \
    }                                                                                                        \
    static list *name(const ls_proof *p) {                                                                   \
        static const ls_part KIND = {sizeof(list), free_##name};                                             \
        return ls_part_of(p, &KIND);                                                                         \
    }

/* --- Results (result.c) --- */
ls_finding *ls_find(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
/* The same, but not yet among the results: ls_accuse puts it there. */
ls_finding *ls_suspect(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));
void ls_accuse(ls_proof *p, ls_finding *finding);
/* What a base is called in messages. */
const char *ls_base_name(ls_proof *p, const ls_ir_base *base);
const char *ls_proof_parameter(const ls_proof *p, uint32_t object);
/* What lies at a byte of a parameter: "s.count", or "s+48" where the source does not tell the member. */
const char *ls_proof_member(ls_proof *p, uint32_t object, uint32_t offset);
/* What the source says of the parameter's type; NULL where that is nothing. */
const ls_parameter_range *ls_proof_range(const ls_proof *p, uint32_t object);
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
