/* The machine that both semantics of 000 run on: states as arrays of cells, statements as code with
 * positions, and how a state changes when one statement is reduced with one resolution of its
 * non-determinism. model/interleave.c has the rules of Figure 4, model/vector.c those of Figure 6. */
#ifndef LS_MODEL_MACHINE_H
#define LS_MODEL_MACHINE_H

#include "model/eval.h"
#include "model/graph.h"
#include "model/lang.h"

/* One step: a statement, or the goto at the end of a block (stmt NULL). */
typedef struct {
    const ls_kstmt *stmt;
    uint32_t block;
    bool local;  /* touches no shared variable and is no barrier */
    bool header; /* the first of a block that is a loop's header: cycles go through here */
} ls_kinstr;

/* A state is cell_count cells: shared and constant variables; each thread's private variables; positions
 * (one a thread, one in all for a lock-step program); access history by shared cell since the last barrier
 * (readers in the low, writers in the high 16 bits; where kept); loop counters by thread and loop. */
typedef struct {
    ls_arena arena;
    const ls_kprog *prog;
    ls_cfg *cfg;
    uint32_t threads, runners; /* runners: positions */
    bool history;              /* accesses since the last barrier are part of the state */
    uint32_t *offset;          /* by variable */
    uint32_t shared_count, private_count;
    uint32_t pc_at, history_at, counters_at, loops, cell_count;
    uint32_t *code_at; /* by block */
    LS_VEC(ls_kinstr) code;
    uint32_t done; /* the position of a thread that has terminated */
    uint32_t *scratch,
        scratch_count; /* private cells (v_next, v_havoc) that are dead at the end of a block */
    /* packing of cells into bytes */
    uint8_t *width;
    int64_t *bias;
    uint32_t packed_size, packed_prefix; /* prefix: without loop counters */
} ls_kmachine;

/* The program must be a normalised kernel or made of one; its threads at most 16. */
ls_kmachine *ls_kmachine_new(const ls_kprog *prog, bool history);
void ls_kmachine_free(ls_kmachine *machine);

static inline int64_t *ls_kprivate(const ls_kmachine *m, int64_t *cells, uint32_t thread) {
    return cells + m->shared_count + (size_t)thread * m->private_count;
}

void ls_kmachine_pack(const ls_kmachine *m, const int64_t *cells, uint8_t *bytes);
void ls_kmachine_unpack(const ls_kmachine *m, const uint8_t *bytes, int64_t *cells);
ls_kenv ls_kmachine_env(const ls_kmachine *m, const int64_t *cells, uint32_t thread);
/* Which variable and element a shared cell is. */
const ls_kvar *ls_kmachine_var(const ls_kmachine *m, uint32_t cell, uint64_t *index);

/* ---- What a step does -------------------------------------------------------------------------------- */

typedef enum { LS_KSTEP, LS_KTERMINATED, LS_KERROR, LS_KINFEASIBLE } ls_kstatus; /* →, √, E, ⊥ */

typedef enum {
    LS_KRULE_NONE,
    LS_KRULE_ASSERT,
    LS_KRULE_BARRIER,
    LS_KRULE_BOUNDS,
    LS_KRULE_RACE,
    LS_KRULE_TERMINATION,
    LS_KRULE_COUNT
} ls_krule;

typedef struct {
    uint32_t cell, thread;
    bool write;
} ls_kaccess;

typedef struct {
    uint32_t cell;
    uint32_t instr, thread, other_instr, other_thread; /* other_instr: LS_GRAPH_NONE where not known */
    bool write, other_write;
} ls_krace;

/* A step that was taken, for traces. */
typedef struct {
    uint32_t thread; /* LS_GRAPH_NONE: all of them */
    uint32_t instr;
    const char *effect; /* what changed; NULL: nothing to say */
    uint32_t accesses, access_count;
} ls_ktaken;

typedef struct {
    uint8_t status, rule;   /* ls_kstatus, ls_krule */
    uint32_t thread, instr; /* of an error */
    uint32_t races, race_count;
    uint32_t taken, taken_count;
    size_t cells; /* LS_KSTEP: where they are in ls_ksuccessors.cells */
} ls_ksuccessor;

/* The successors of one state, and scratch for making them. */
typedef struct {
    LS_VEC(ls_ksuccessor) list;
    LS_VEC(int64_t) cells;
    LS_VEC(ls_krace) races;
    bool tracing; /* record steps */
    ls_arena *trace_arena;
    LS_VEC(ls_ktaken) taken;
    LS_VEC(ls_kaccess) accesses;
    LS_VEC(ls_kaccess) now; /* accesses of the step in progress */
    LS_VEC(ls_krace) pairs; /* races between steps that are both possible in this state */
    ls_kcells reads;
    uint64_t steps;      /* statistics: statements reduced */
    const char *unknown; /* why the successors are not all there; NULL: they are */
} ls_ksuccessors;

void ls_ksuccessors_clear(ls_ksuccessors *out);
void ls_ksuccessors_free(ls_ksuccessors *out);
/* A new successor with a copy of the cells; returns its cells (valid until the next call). */
int64_t *ls_ksuccessor_add(const ls_kmachine *m, ls_ksuccessors *out, const int64_t *cells);
/* Settles the newest successor after a step that ended with this status. */
void ls_ksuccessor_end(ls_ksuccessors *out, ls_kstatus status, ls_krule rule, uint32_t thread,
                       uint32_t instr);
void ls_ksuccessor_taken(ls_ksuccessors *out, uint32_t thread, uint32_t instr, const char *effect);
/* Enters the accesses of the step in progress into the history; conflicts become races of the newest
 * successor. */
void ls_ksuccessor_history(const ls_kmachine *m, ls_ksuccessors *out, int64_t *cells, uint32_t instr);

/* Expands a state: all that may follow. `full`: every thread, even where one thread's private step would do
 * (interleaving with reduction). */
void ls_kexpand_interleaving(const ls_kmachine *m, const int64_t *cells, bool reduce, bool full,
                             ls_ksuccessors *out, bool *reduced);
void ls_kexpand_lockstep(const ls_kmachine *m, const int64_t *cells, ls_ksuccessors *out);

/* Shared by both: moves a position along a goto's chosen target, with the loop counters. */
void ls_kmachine_goto(const ls_kmachine *m, int64_t *cells, uint32_t runner, uint32_t from, uint32_t to);
/* Whether a step that can go in so many ways is too much to go through. */
static inline bool ls_ktoo_many(const ls_kmachine *m, uint64_t choices) {
    return choices > (UINT64_C(1) << 24) / (m->cell_count + 1);
}

#endif
