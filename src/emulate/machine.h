/* The SIMT machine while it runs (003, §3.1; 004, §5): warps whose registers stand register-major (all lanes
 * of one register side by side), paths of divergent lanes as a tree that reconverges at immediate
 * post-dominators, blocks, the workers that run them. What is run is in code.h, what the checkers keep in
 * check/shadow.h, what stays between launches in emulator.h. */
#ifndef LS_EMULATE_MACHINE_H
#define LS_EMULATE_MACHINE_H

#include "base/clock.h"
#include "emulate/check/shadow.h"
#include "emulate/exec.h"
#include "finding/store.h"

#include <pthread.h>

/* --- Warps and their paths --- */
typedef enum { PATH_FREE, PATH_READY, PATH_WAITS, PATH_BARRIER, PATH_PARENT } path_state;

/* A node of the tree of divergent paths. Leaves run or wait; a parent waits for its children, whose lanes
 * arrive at pc and are collected in `mask`. */
typedef struct {
    const insn *pc, *reconverge;
    uint64_t mask;
    uint32_t parent; /* index, or NO_SLOT */
    uint32_t children;
    uint8_t state; /* path_state */
    uint8_t barrier;
    uint64_t wait_mask; /* of a warp-level barrier: the lanes that must come */
    const insn *wait_at;
    char *regs; /* frame */
    const code *code;
    uint32_t local_base; /* of the frame in the lanes' stacks */
    char *callee_regs;   /* of a path that waits for a call: the frame to free */
} path;

/* A wait for an mbarrier of that block, or, where it is NULL, for the barrier of the cluster. */
enum { MOST_MISSED = 8 };
typedef struct {
    const insn *at;
    block_run *block;
    uint64_t address, value;
    uint32_t lane;
} missed_wait;

typedef enum { WARP_READY, WARP_BLOCKED, WARP_DONE } warp_state;
typedef enum { COMPILED_UNKNOWN, COMPILED_YES, COMPILED_NO } compiled_use;
enum { COMPILED_ROWS = 800 }; /* a kernel with more is interpreted */

struct warp {
    char *regs;        /* of the running path */
    uint64_t mask;     /* lanes that execute */
    uint64_t full;     /* all lanes that the warp has */
    uint64_t expanded; /* the mask that mask32, mask64 stand for */
    uint32_t halves;   /* chunks of 32 lanes */
    uint32_t stride;   /* lanes of a slot: 32 or 64 */
    uint32_t budget;   /* backward branches until another path or warp may run */
    uint32_t local_base;
    worker *worker;
    block_run *block;
    machine *machine;
    const code *code;
    path *paths; /* [0] is the root */
    uint32_t path_count, path_capacity, current;
    uint32_t path_free; /* list through .parent */
    uint64_t live;      /* lanes that have not exited */
    uint32_t index;     /* in the block */
    uint8_t state;
    uint32_t strong;     /* atomic and volatile accesses in this turn */
    bool changed;        /* one of them wrote another value */
    uint8_t fences;      /* of the barrier that follows: OpenCL's flags; 0: all memory */
    bool spun;           /* the last turn ended in a loop with such accesses */
    const insn *guarded; /* the guard in front of the instruction, while one is executed … */
    uint64_t outer;      /* … and the mask outside of it */
    uint8_t compiled;    /* compiled_use: whether it may run compiled code (compiled.c) … */
    bool strayed;        /* … and lanes have gone on without others: not in this block */
    bool sure;           /* compiled code has just been left for a branch, and all rows are as it has them */
    char *frame;         /* root frame: code->frame_bytes */
    char *local;         /* lane's local memory: lane × local_size */
    uint64_t *loop_counts;
    uint64_t tails[MAX_TAILS]; /* by barrier: lanes that have come behind it */
    /* Race checker: */
    uint32_t warp_epoch;       /* warp-level barriers so far */
    uint32_t warp_full;        /* the last one that all lanes reached */
    uint32_t *lane_clocks;     /* [lane][other]: the last one that orders the two; NULL: the same for all */
    uint32_t tick;             /* releases so far between which it accessed anything … */
    bool ticks;                /* … and whether the next one is another */
    lane_order *orders;        /* by lane: what it has released and acquired; NULL: nothing */
    uint32_t sub_epoch;        /* counts what ends a descriptor within an interval: warp barriers, releases */
    uint32_t *verified;        /* by memory site, all lanes then some: the version of the pattern that a fixed
                                  address is known to have */
    desc_cache *descs;         /* by memory site, global then shared: the descriptor in use */
    LS_VEC(async_copy) copies; /* that have not been waited for */
    uint32_t async_groups[MAX_LANES]; /* groups of copies that were committed */
    uint32_t bulk_groups[MAX_LANES];  /* the same of bulk copies */
    uint32_t wgmma_groups;            /* and of products of the warpgroup */
    struct unit_register *units; /* registers of matrix units: check/unit_registers.h; NULL: not followed … */
    uint32_t unit_groups_done;   /* … groups of products that were waited for, */
    uint32_t unit_loads, unit_loads_done; /* loads from tensor memory and those that were waited for, */
    uint32_t unit_fences;                 /* and wgmma.fence so far */
    uint32_t cluster_phase[MAX_LANES];    /* of the cluster's barrier, where it has arrived */
    missed_wait missed[MOST_MISSED];      /* waits that were in vain in this turn … */
    uint32_t missed_count;
    block_run *touched; /* whose shared memory the access is to; NULL: the block's own */
    bool looked;        /* … and whether there were other strong accesses */
    bool copied;        /* there have been any in this block */
    bool waited;        /* for the launch in front of this one */
    uint64_t alike;     /* lanes that have started the very copy whose bytes are looked at (async/bulk.c) */
    uint32_t mask32[MAX_LANES] __attribute__((aligned(64)));
    uint64_t mask64[MAX_LANES] __attribute__((aligned(64)));
};

/* --- Barriers --- */
enum { FENCE_SHARED = 1, FENCE_GLOBAL = 2 }; /* as CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE */
typedef struct {
    uint32_t arrived;      /* threads, exited ones of arriving warps included */
    uint32_t expected;     /* 0: all threads of the block */
    bool passed;           /* some came by bar.arrive, and do not wait */
    uint8_t fences;        /* which memory it orders: OpenCL's flags */
    uint32_t popc, voters; /* of bar.red */
    const insn *first;     /* the instruction that the first arrival executed */
    uint32_t first_warp, first_lane;
    uint64_t first_count[MAX_COUNTED_LOOPS]; /* its loop counters; behind what is cleared */
} barrier;

/* Blocks that run together and see each other's shared memory (async/cluster.c). */
enum { CLUSTER_MOST = 16 };
typedef struct {
    uint32_t count;
    block_run *members[CLUSTER_MOST]; /* by rank */
    uint32_t arrived, phase;          /* threads at its barrier, and how often it was complete */
    uint32_t ended;                   /* blocks of it */
} cluster_run;

/* Columns of tensor memory that the block has (matrix/tensor_memory.c), by units. */
enum { TENSOR_UNIT = 32, TENSOR_UNITS = 16 };
typedef struct {
    uint8_t owner[TENSOR_UNITS]; /* first unit of the allocation plus one; 0: free */
    bool closed;                 /* there will be no more */
    const insn *last;            /* allocation */
} tensor_columns;

struct block_run {
    uint32_t index; /* linear */
    uint32_t id[3];
    warp *warps;
    char *shared;
    tensor_columns tensor;
    barrier barriers[MAX_BARRIERS];
    uint32_t open_barriers; /* bits: those at which threads have arrived */
    uint32_t epoch;
    uint32_t full_epoch;  /* of the last barrier that all threads reached, and … */
    uint32_t full_global; /* … of the last one that was for global memory, too */
    uint32_t *clocks;     /* [warp][other], behind them [barrier][warp]: epochs below are ordered; NULL: all
                             barriers were for all threads */
    view *acquired;       /* by all threads … */
    view *fenced[ORDER_REACHES];                    /* … and what their next strong writes release */
    view *meeting[MAX_BARRIERS][1 + ORDER_REACHES]; /* the same of those that have reached a barrier */
    order_places places;                            /* in shared memory */
    bool ordered;                                   /* there may be any of these, or a warp's */
    ls_intmap buried;                               /* check/buried.c: words of it */
    agents *agents;                                 /* check/agent.c: of its cluster; NULL: none */
    cluster_run *cluster;                           /* NULL: it is alone */
    uint32_t rank;                                  /* in the cluster */
    bool over;                                      /* it has ended, and its memory is kept for the others */
    LS_VEC(async_job) jobs; /* copies that are still to be carried out (async/jobs.h) */
    bool waits;             /* one of its warps has waited for the launch in front of this one … */
    uint32_t wait_epoch;    /* … and who has met it at a barrier since */
    uint32_t live_threads;
    uint64_t *values;     /* those that are the same for all threads */
    lane_range *ranges;   /* by condition */
    bool prepared;        /* its warps' frames are filled */
    bool plain;           /* compiled code has run it by itself … */
    uint32_t looks;       /* how often it was asked whether the kernel has run for long (compiled.c) */
    bool again;           /* … and so the one before it: its warps are as at that one's start */
    bool affine;          /* the stream of sums is run */
    shadow_planes shadow; /* of shared memory */
    uint64_t serial;      /* counts blocks, in the high bits */
    uint32_t epoch_desc;  /* descriptors of shared accesses below it are of earlier intervals */
    desc *descs;          /* of shared accesses in this block */
    uint32_t desc_count, desc_capacity;
    uint32_t plain_desc; /* the last one of an access that was not atomic */
    char *register_memory;
    bool guarded; /* its memories have guard pages (guarded.h) */
    size_t register_bytes;
    char *local_memory;
    size_t local_bytes;
    uint8_t *undefined;  /* a bit for each byte of local memory; NULL: not looked at */
    uint8_t *gaps;       /* the same: bytes that belong to no variable */
    uint32_t waited;     /* turns in which its warps did nothing but look for a change, weighed */
    bool started;        /* its warps have had a turn */
    block_run *next;     /* in a worker's list */
    uint64_t grid_syncs; /* barriers of the grid that it has reached … */
    bool at_grid_sync;   /* … and is at one now … */
    uint32_t left_grid;  /* … that so many of its threads have left */
};

/* Bytes that a dependent launch accesses before it has waited (check/early.c). */
typedef struct {
    uint64_t address, size;
    bool write;
} early_piece;

/* Findings that a worker has come upon last, and how often since they were added up: most are the same again,
 * and need no lock then. */
enum { SEEN = 64 };
typedef struct {
    uint64_t key;
    ls_rule rule;
    found *found;
    uint64_t count;
} seen_finding;

typedef struct call_frame call_frame; /* frames.c */

struct worker {
    machine *machine;
    uint32_t index;
    block_run *block;              /* the one that runs */
    block_run *first, *last;       /* started blocks that wait for others, in the order of their turns */
    block_run *spare;              /* memory of blocks that are done */
    uint32_t resident;             /* blocks that there is memory of */
    call_frame *frames;            /* of calls that have ended, for others … */
    uint32_t frames_kept;          /* … so many */
    uint64_t next, end;            /* blocks that it has taken and not started, by their turns … */
    uint32_t ended;                /* … and those that have ended and are not counted yet */
    memory_stats *memory;          /* by memory site */
    branch_stats *branches;        /* by site */
    uint64_t *counts, *lanes;      /* profile, by site */
    uint32_t desc_next, desc_end;  /* its share of the global descriptors */
    uint32_t marked[MARKED_DESCS]; /* descriptors that were made last of others, with a mark */
    LS_VEC(early_piece) early;
    uint64_t random;
    uint64_t clock;
    const void *clock_reader; /* the warp that has read it last … */
    uint64_t clock_reads;     /* … and how often in a row */
    seen_finding seen[SEEN];
    uint64_t entered[2];           /* how often compiled code was: with all lanes, with some */
    warp *turn;                    /* whose turn it is in compiled code that runs several (compiled.h) */
    uint64_t bases[COMPILED_ROWS]; /* what it has of rows that the interpreter is to get (compiled.h) */
    ls_deadline deadline;
    uint32_t barriers;           /* that were passed together, for looks at it */
    uint64_t instructions_left;  /* of options.most_instructions */
} __attribute__((aligned(128))); /* no cache line, nor one that is fetched with it, of two of them */

/* Memory for the parameters of a kernel that a thread is about to launch. */
typedef struct {
    uint64_t buffer;
    const ls_ptx_function *kernel;
    uint32_t grid[3], block[3], shared_bytes;
} pending_child;

struct machine {
    ls_emulator *emulator;
    const ls_emu_launch *launch;
    ls_emu_options options;
    access_hook access_hooks[2][LS_CHECKER_COUNT + 1]; /* global, shared; each list ends with NULL */
    code *kernel;
    const exec_fn *lane_ops;
    uint32_t threads, warps_per_block, warp_size, stride;
    uint64_t blocks;
    uint32_t cluster[3], cluster_count; /* blocks of a cluster; 1: there are none */
    bool explicit_cluster;              /* the kernel or the launch said how large they are */
    uint32_t shared_bytes, local_size;
    uint32_t tensor_base, block_bytes; /* where tensor memory stands behind it; both together */
    uint32_t *local_places;            /* of the launch's `locals`, in shared memory */
    bool shared_narrow, global_narrow; /* accesses of less than a word: cells know their bytes */
    bool short_race;                   /* the short way of the race checker may be taken */
    bool agents; /* there are asynchronous units: check/agent.c looks at shared memory */
    const char *params;
    size_t params_size;
    char *params_copy;
    bool heap_used;
    bool parallel;  /* more than one worker: atomics must be */
    uint64_t turns; /* blocks that are run: all of them, or the launch's choice */
    char apart[64]; /* what changes with every block from what all workers read */
    _Atomic uint64_t next_block;
    _Atomic uint64_t done_blocks;
    _Atomic uint64_t grid_arrivals; /* of blocks at barriers of the grid */
    char apart_too[64];
    atomic_int stop;
    atomic_bool out_of_memory;
    uint32_t *block_order; /* NULL: as they come */
    worker *workers;
    uint32_t worker_count;
    desc *descs; /* of global accesses */
    _Atomic uint32_t desc_count;
    uint32_t desc_capacity;
    order_places places;  /* in global memory: one worker only */
    ls_intmap buried;     /* check/buried.c: words of global memory; under the lock */
    pthread_mutex_t lock; /* findings, allocations, messages */
    found **finding_table;
    uint32_t finding_count;
    ls_store store; /* of the findings */
    ls_arena arena;
    LS_VEC(const char *) notes;
    LS_VEC(pending_child) pending;       /* children.c */
    uint32_t child_error, child_handles; /* of launches by the kernel: the last error; streams and events */
    bool desc_overflow, shadow_failed;
    ls_emu_status status;
    const char *message;
    const ls_place *stop_pos;
    _Atomic uint64_t shadow_bytes;
    const volatile int *cancel;
    double started, started_wall; /* CPU time of the process then, and the time */
    double next_so_far;           /* when errors are passed to the caller; the first worker's */
};

/* --- Registers of a warp --- */
static inline uint32_t *slot32(const warp *w, uint32_t slot) {
    return (uint32_t *)(void *)(w->regs + slot);
}
static inline uint64_t *slot64(const warp *w, uint32_t slot) {
    return (uint64_t *)(void *)(w->regs + slot);
}
static inline uint64_t read_lane(const warp *w, operand o, uint32_t lane) {
    if (o.width == 4) return slot32(w, o.slot)[lane];
    if (o.width == 8) return slot64(w, o.slot)[lane];
    return *slot64(w, o.slot) >> lane & 1;
}
static inline void write_lane(const warp *w, operand o, uint32_t lane, uint64_t value) {
    if (o.width == 4)
        slot32(w, o.slot)[lane] = (uint32_t)value;
    else if (o.width == 8)
        slot64(w, o.slot)[lane] = value;
    else
        *slot64(w, o.slot) = (*slot64(w, o.slot) & ~(UINT64_C(1) << lane)) | (value & 1) << lane;
}
static inline uint64_t guard_mask(const warp *w, const insn *i) {
    if (i->guard == NO_SLOT) return w->mask;
    uint64_t p = *slot64(w, i->guard);
    return (i->guard_not ? ~p : p) & w->mask;
}
static inline uint32_t first_lane(uint64_t mask) {
    return (uint32_t)__builtin_ctzll(mask);
}
/* Without the instruction for it, which not every processor has, and without a call. */
static inline uint32_t lane_count(uint64_t mask) {
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
    mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(mask * UINT64_C(0x0101010101010101) >> 56);
}
#define FOR_LANES(l, m)                                                                                      \
    for (uint64_t m_##l = (m); m_##l; m_##l &= m_##l - 1)                                                    \
        for (uint32_t l = first_lane(m_##l), once_##l = 1; once_##l; once_##l = 0)

/* control.c */
/* Fills the warp's frame, once. */
void em_warp_prepare(warp *w);
void em_warp_start(warp *w);
/* The same behind a block that compiled code has run by itself. */
void em_warp_again(warp *w);
/* Those of what it counts alone. */
void em_warp_turns_again(warp *w);
/* Lets lanes that wait for other lanes of their warp continue without them; false if no lanes wait. */
bool em_let_ahead(warp *w);
/* Runs the warp until it is done or no path of it can go on; true where it did anything. */
bool em_warp_run(warp *w);
/* Ends the running path's turn: its state and pc must be set. */
const insn *em_block_path(warp *w, const insn *pc, path_state state);
/* Stops the whole launch. */
const insn *em_stop(warp *w, const insn *i, ls_emu_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void em_fill_frame(warp *w, const code *c, char *regs, uint32_t local_base);
/* frames.c: zeroed registers for a call, or NULL where there is no memory; giving them back; all that are
 * kept. */
char *em_take_frame(worker *k, size_t bytes);
void em_give_frame(worker *k, char *regs);
void em_free_frames(worker *k);
void em_fill_block_sregs(const warp *w, const code *c, char *regs); /* those that change with the block */
/* barrier.c */
void em_barrier_check(block_run *b);
/* Of a whole warp: the number of the barrier, where it is for all threads; else NO_SLOT. */
uint32_t em_barrier_of_all(const warp *w, const insn *i);
/* It has come; it waits there as em_exec_barrier would have it wait; all have come. */
void em_barrier_came(warp *w, const insn *i, uint32_t id);
void em_barrier_waits(warp *w, const insn *i, uint32_t id);
void em_barrier_over(block_run *b, uint32_t id);
/* together.c: runs a block that was just started, as long as its warps are whole and meet at barriers for all
 * of them. True: it has ended. Else it is as if it had been run by turns, and *next is the warp that has the
 * next one. */
bool em_run_together(worker *k, uint32_t *next);
/* Waits until every lane of `members` is at this instruction; true where they are (then w->mask is the set).
 */
bool em_gather(warp *w, const insn *i, uint64_t members);
/* The lanes of the paths that wait at this instruction and have one of `lanes` among them. */
uint64_t em_waiting_with(const warp *w, const insn *i, uint64_t lanes);
/* The lanes that a lane names. */
uint64_t em_members_of(const warp *w, const warp_info *x, uint32_t lane);
void em_check_named(warp *w, const insn *i, const warp_info *x, uint64_t lanes);
/* What is wrong with an operation of lanes, behind the kinds of block barriers. */
typedef enum { LANE_NOT_NAMED = 4, LANE_PASSED_BY, LANE_OTHER_MASK } lane_mistake;
void em_report_lanes(warp *w, const insn *i, lane_mistake mistake, uint32_t lane, uint32_t other);
void em_report_stuck(worker *k);
/* blocks.c: runs blocks of the grid until there are no more. */
void em_run_blocks(worker *k);
/* How many of the blocks that it has taken follow the one that runs, side by side, and need nothing done
 * before they start but what is computed of their places. */
uint32_t em_blocks_ahead(const worker *k);
/* So many of them were run with it, which is the last one now. */
void em_blocks_passed(worker *k, uint32_t count);
/* block_values.c: computes them for the block's place, and chooses its stream. */
bool em_new_values(block_run *b, const code *c);
void em_free_values(block_run *b);
void em_start_values(block_run *b, const code *c, uint32_t warps);
bool em_new_resident(worker *k);
void em_free_residents(worker *k);
void *em_reserve(size_t bytes);
void *em_reserve_large(size_t bytes);
uint64_t em_random(uint64_t *state);
/* memory.c */
allocation *em_grow(machine *m, uint64_t address, uint64_t bytes);
uint64_t em_heap_alloc(machine *m, uint64_t size);
bool em_heap_free(machine *m, uint64_t address);
/* access.c */
/* An atomic or volatile access, as a loop that waits makes them: its turn is shorter. */
static inline void em_strong_access(warp *w) {
    w->strong++;
    w->looked = true;
    if (w->budget > 200) w->budget -= 100;
}
/* Where the lanes of an access go, once it was resolved to one space and checked. */
typedef struct {
    char *base; /* host address of offset 0; local: of lane 0 */
    uint64_t stride;
    uint64_t mask; /* lanes that may go on */
} em_target;
void em_addresses(const warp *w, const mem_access *m, uint64_t *out);
em_target em_prepare(warp *w, const insn *i, const mem_access *m, ls_ptx_space space, uint64_t *address,
                     uint64_t mask);
static inline char *em_place(const em_target *t, uint64_t address, uint32_t lane) {
    return t->base ? t->base + t->stride * lane + address : (char *)em_host(address);
}
/* async/cluster.c: the block whose shared memory is meant, and the address in it; NULL where there is none.
 */
block_run *em_cluster_owner(const warp *w, uint64_t *address);
/* What an address of that block has beside the place in it. */
uint64_t em_cluster_address(uint32_t rank);
/* Nobody has said how large the clusters of the launch are: a single block may not be what is meant. */
bool em_cluster_is_open(const warp *w);
/* The lanes of `mask` that mean the same block as the first of them. */
uint64_t em_cluster_same(const warp *w, const uint64_t *address, uint64_t mask);
/* The blocks of a cluster's number; their memory is there. */
void em_cluster_place(const machine *m, uint64_t number, uint32_t rank, uint32_t *id);
/* Whether the lane that has arrived may go on. */
bool em_cluster_over(const block_run *b, uint32_t phase);
/* async/mbarrier.c: a wait was in vain. */
void em_wait_missed(warp *w, missed_wait m);
/* lanes/atomic.c */
void em_atomic_lanes(warp *w, const mem_access *m, const em_target *t, const uint64_t *address,
                     ls_ptx_space space);
/* async.c */
/* check/memory.c: all lanes of one access, resolved to one space and in bounds, before it is carried out. */
void em_check_access(warp *w, const mem_access *m, ls_ptx_space space, const uint64_t *address,
                     uint64_t mask);
/* What an access costs. */
typedef struct {
    uint32_t turns, sectors, lines, ideal;
} access_cost;
access_cost em_access_cost(memory_stats *k, const machine *m, bool shared, uint32_t bytes,
                           const uint64_t *address, uint64_t mask);
/* The same for single words of shared memory with 32 banks, from the words that are touched: a bit each. */
enum { BANK_ROWS = 64 };
access_cost em_rows_cost(memory_stats *k, const uint32_t *rows, uint32_t count);
static inline void em_count_cost(memory_stats *k, access_cost c) {
    k->accesses++;
    k->ideal += c.ideal;
    k->turns += c.turns;
    k->sectors += c.sectors;
    k->lines += c.lines;
}
/* pattern.c */
void em_shape_pattern(pattern *p, uint32_t bytes, bool row);
void em_know_pattern(pattern *p, const warp *w, const mem_access *m, bool shared, uint64_t first);
void em_pattern_lines(pattern *p, memory_stats *k, const machine *m, uint32_t bytes, uint64_t first);
/* check/race.c */
void em_race_shared(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);
void em_race_global(warp *w, const mem_access *m, allocation *a, const uint64_t *address, uint64_t mask);
void em_race_block_start(block_run *b, worker *k);
void em_race_recycle(block_run *b);
/* Tells descriptors of one instruction and warp apart: the interval. */
static inline uint64_t em_race_stamp(const warp *w) {
    return w->block->serial + ((uint64_t)w->block->epoch << 24) + w->sub_epoch;
}
/* The descriptor of this warp and instruction in this interval; 0 where there are no more. */
uint32_t em_race_descriptor(warp *w, const mem_access *m, bool shared);
/* How the one whose descriptor is in the half of a cell stands to this access. */
stand em_race_stand(const warp *w, const mem_access *m, uint32_t half, bool shared);
/* The access that was just checked stays in progress until it is settled. Returns its descriptor, or 0 if it
 * has none. */
uint32_t em_race_pending(warp *w, const mem_access *m, bool shared);
void em_race_settled(warp *w, uint32_t index, bool shared);
/* Read of what nothing has written. */
void em_race_uninitialized_at(warp *w, const mem_access *m, const uint64_t *address, uint32_t lane);
/* check/order.c */
verdict em_order_of(const warp *w, const mem_access *m, const desc *d, bool same_instruction, bool shared);
/* Whether the two are morally strong. */
bool em_order_strong(const warp *w, const mem_access *m, const desc *d, bool shared);
/* Whether all that the block did in d's interval is ordered before what the lane does. */
bool em_interval_ordered(const warp *w, const desc *d, uint32_t lane, bool shared);
/* Whether a release that the lane has acquired covers what the other lane of d did. */
bool em_order_synchronized(const warp *w, uint32_t lane, const desc *d, uint32_t other);
/* Of two lanes of the warp: by a barrier of some of its lanes, since that epoch. other NO_SLOT: any. */
bool em_lanes_ordered(const warp *w, uint32_t lane, uint32_t other, uint32_t epoch);
/* A strong access, behind its own check. */
void em_order_access(warp *w, const mem_access *m, bool shared, const uint64_t *address, uint64_t lanes);
/* A release to, or an acquire from, an object: an mbarrier in shared memory (target: of that block; NULL: the
 * lane's own), or the barrier of the grid or the cluster. */
void em_order_release(warp *w, uint32_t lane, const ls_order *order, block_run *target, uint64_t address);
void em_order_acquire(warp *w, uint32_t lane, const ls_order *order, uint64_t address);
/* What the lane has done since the tick, and no more, is released to an mbarrier. */
uint32_t em_order_tick(warp *w);
void em_order_copied(warp *w, uint32_t lane, uint32_t since, block_run *target, uint64_t address);
#define ORDER_GRID (UINT64_MAX - 1) /* the address of the grid's barrier */
/* … and of a cluster's, whose blocks one worker runs: who is late for a phase does not see arrivals for the
 * next one */
#define ORDER_CLUSTER(phase) (UINT64_MAX - 2 - ((phase) & 1))
void em_order_lanes(warp *w, uint64_t members);
void em_order_arrive(warp *w, uint32_t id, uint64_t lanes, bool partial);
void em_order_machine_free(machine *m);
void em_order_barrier(block_run *b, uint32_t id, bool full);
void em_order_block_start(block_run *b);
void em_order_free(block_run *b, uint32_t warps);
/* findings.c */
ls_place em_pos(machine *m, uint32_t site);
found *em_find_finding(machine *m, ls_rule rule, uint32_t site, uint32_t other, uint32_t variant);
/* Counts one that the worker has come upon before, by itself; false where that is not known. It is, from when
 * it was remembered, under the lock. */
bool em_seen_again(worker *k, ls_rule rule, uint32_t at, uint32_t other, uint32_t variant, uint32_t times);
void em_remember(worker *k, found *f);
/* Whether what was found in this block becomes the example of the finding: there is no example yet, or it is
 * from a later block that another worker happened to run earlier. Call with the lock held. */
bool em_is_example(const machine *m, found *f, const block_run *b);
ls_actor em_actor(const machine *m, uint32_t block, uint32_t warp_index, uint32_t lane);
/* The threads of an example: first the other one, at the other place, where there is one. `does`: "reads", or
 * NULL. */
void em_tell_other(ls_finding *f, ls_actor who, const char *does);
void em_tell_thread(ls_finding *f, ls_actor who, const char *does);
/* What is said of the other place. */
void em_say_other(ls_finding *f, const char *message);
void em_collect(machine *m, ls_emu_result *result);
/* Passes new errors to the caller, now and then; by the first worker alone. */
void em_tell_so_far(machine *m);
void em_name_address(const machine *m, ls_ptx_space space, uint64_t address, ls_finding *f);
void em_note(machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* check/undefined.c */
void em_enter_frame(warp *w, const code *c, uint32_t base, uint64_t lanes);
bool em_in_gap(const warp *w, uint32_t lane, uint64_t address, uint64_t bytes);
void em_check_local(warp *w, const insn *i, const mem_access *m, const uint64_t *address, uint64_t mask);
/* lanes/across.c, builtin.c */
const insn *em_exec_builtin(warp *w, const insn *i, const call_info *call, uint64_t mask);
/* An argument of a builtin: its first 8 bytes, or all `size` of them; and its result. */
uint64_t em_argument(const warp *w, const call_info *call, uint32_t k, uint32_t lane);
void em_argument_bytes(const warp *w, const call_info *call, uint32_t k, uint32_t lane, void *to,
                       uint32_t size);
void em_give_result(warp *w, const call_info *call, uint32_t lane, uint64_t v);
/* The bytes behind a generic address and how many there are; NULL where there are none. */
const char *em_bytes_at(const warp *w, uint32_t lane, uint64_t address, uint64_t *room);
/* children.c: kernels that kernels launch. */
const insn *em_exec_child(warp *w, const insn *i, const call_info *call, uint64_t mask);

#endif
