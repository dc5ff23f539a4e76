/* The SIMT machine's data structures (003, §3.1; 004, §5): code decoded once into type-specialised form,
 * warps whose registers stand register-major (all lanes of one register side by side), paths of divergent
 * lanes as a tree that reconverges at immediate post-dominators, and what the checkers keep.
 *
 * A register slot is a run of `stride` lanes of 4 or 8 bytes; a predicate's slot is one 64-bit mask.
 * Values of 8 and 16 bits stand zero-extended in 4-byte lanes. Constants, parameters and special registers
 * stand in slots of their own in the same frame, so that every operand is a byte offset from warp->regs. */
#ifndef LS_EMULATE_MACHINE_H
#define LS_EMULATE_MACHINE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/vec.h"
#include "emulate/check/view.h"
#include "isa/meaning.h"
#include "isa/order.h"
#include "lockstep/emulate.h"
#include "lockstep/ir.h"
#include "lockstep/limits.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    CHUNK = 32, /* lanes that one vector loop works on */
    MAX_LANES = 64,
    MAX_THREADS = LS_MOST_BLOCK_THREADS,
    FRAME_SLACK = 2 * 8 * MAX_LANES, /* behind the registers of a frame: the widest slot fits */
    MAX_FRAME = 16 << 20,            /* bytes of local memory in one frame */
    MAX_REGISTER_FRAME = 1 << 30,    /* bytes of registers in one */
    MAX_BARRIERS = 17,
    CLUSTER_BARRIER = 16, /* of a cluster, which is one block */
    MAX_COUNTED_LOOPS = 16,
    NO_SLOT = UINT32_MAX,
};

/* Windows of the generic address space; anything below is a host pointer to global memory. */
#define WINDOW_SHIFT  56
#define WINDOW_SHARED (UINT64_C(1) << WINDOW_SHIFT)
#define WINDOW_LOCAL  (UINT64_C(2) << WINDOW_SHIFT)
#define WINDOW_PARAM  (UINT64_C(3) << WINDOW_SHIFT)
#define WINDOW_CODE   (UINT64_C(4) << WINDOW_SHIFT) /* addresses of functions */
#define WINDOW_MASK   (UINT64_C(0xff) << WINDOW_SHIFT)

typedef struct warp warp;
typedef struct insn insn;
typedef struct code code;
typedef struct block_run block_run;
typedef struct worker worker;
typedef struct machine machine;

/* Executes one instruction; returns the next one, or NULL where the warp cannot go on now. */
typedef const insn *(*exec_fn)(warp *w, const insn *i);

/* The code of a kernel stands there twice where that helps: with the registers that are a fixed value and one
 * of the block's computed lane by lane, and with them left as such sums. */
typedef enum { STREAM_BOTH, STREAM_PLAIN, STREAM_AFFINE } insn_stream;

struct insn {
    exec_fn fn;
    uint32_t d, a, b, c; /* slots */
    uint32_t guard;      /* predicate slot, or NO_SLOT; used by control flow and barriers only */
    uint32_t site;       /* index in machine->sites */
    uint16_t op;         /* ls_lane_op, for those */
    bool guard_not;
    uint8_t aux;
    uint8_t stream; /* insn_stream: decode/affine.c */
    union {
        const insn *target;
        int64_t imm;
    };
    void *extra; /* what the instruction needs beyond that: struct alu, access, … */
};

/* Where an instruction stands, and what its slots in the checkers are. */
typedef struct {
    const ls_place *pos;
    const ls_ptx_instr *ast;
    uint32_t ptx_line;
} site;

/* --- Scalar instructions: everything that has no vector form ---
 */
enum { WIDTH_PRED = 0, NO_WIDTH = 255 }; /* else 4 or 8 bytes a lane */

typedef struct {
    uint32_t slot;
    uint8_t width;
} operand;

typedef struct {
    ls_isa of; /* what is computed (isa/meaning.h) */
    operand dst[2], src[LS_ISA_SOURCES];
    uint8_t dst_count, src_count;
} alu;

/* --- Memory instructions ---
 */
typedef struct {
    uint8_t space;         /* ls_ptx_space */
    uint8_t address_width; /* of the address slot: 4 or 8 */
    uint8_t bytes;         /* of one element */
    uint8_t count;         /* elements */
    bool sign;             /* loads: sign-extend */
    bool write, atomic;
    ls_order order;       /* weak or strong, for which threads */
    bool fixed_address;   /* the address register is the same for every block: decode/hoist.c */
    bool counted, raced;  /* which checkers look at it: costs; races and uninitialised reads */
    bool copied;          /* loads: the value is only handed on … */
    bool copied_local;    /* … or stored in global memory, as copies of structs are */
    bool opaque;          /* which lane touches what is not documented: costs are not counted */
    uint8_t op;           /* atomics: ls_atomic_op */
    uint8_t type;         /* ls_ptx_type */
    uint8_t dst_bits[8];  /* loads: declared width of the register */
    operand value[8];     /* loads: destinations; stores and atomics: sources */
    operand extra[2];     /* cas: the new value */
    operand result[8];    /* atomics: destinations; width NO_WIDTH: none */
    uint32_t address;     /* slot … */
    int64_t offset;       /* … to which this is added … */
    uint32_t base;        /* … and this of the block's values; 0: nothing */
    uint32_t memory_site; /* dense number among memory instructions, for the checkers */
    bool frame;           /* .local or .param of a function: relative to the frame */
} mem_access;

/* --- Barriers and instructions across lanes --- */
typedef enum { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_RED } barrier_kind;

typedef struct {
    uint8_t kind; /* barrier_kind */
    uint16_t op;  /* RED: LS_MOD_AND, OR, POPC */
    operand id, count, predicate, dst;
    bool has_count, has_dst, cluster;
    bool negated;
    uint32_t loops[MAX_COUNTED_LOOPS]; /* enclosing counted loops */
    uint32_t loop_count;
} barrier_info;

typedef struct {
    operand dst[2], src[4];
    uint8_t dst_count, src_count;
    uint16_t mode;
    uint8_t type;
    bool has_members;
    operand members;
    bool abs, nan;
    bool fixed;              /* shfl: by how much is known … */
    uint8_t from[MAX_LANES]; /* … and so whose value each lane gets */
    uint64_t valid;          /* lanes that get another one's, or their own by right */
} warp_info;

/* --- Functions --- */
typedef struct {
    uint32_t slot;
    uint8_t width;
    uint64_t bits;
} constant_slot;

typedef struct {
    uint32_t slot;
    uint8_t sreg, element, width;
    bool affine; /* of a block: the stream of sums reads it */
} sreg_slot;

typedef struct {
    uint32_t slot;
    uint8_t width;
    int64_t offset;
} frame_slot; /* the address of a .local or .param object of the frame */

typedef struct {
    uint32_t offset, size; /* offset NO_SLOT: in no memory */
    const ls_ptx_variable *variable;
    operand reg; /* old PTX: .reg parameters; slot NO_SLOT: none */
} frame_object;

typedef struct {
    uint32_t offset, size;
} local_object; /* a .local variable in the frame */

typedef struct {
    uint32_t slot;
    uint8_t width, bytes, dst_bits;
    bool sign;
    uint32_t offset;
} param_slot; /* a kernel parameter, or a part of one */

/* Values that are the same for all threads of a block (block_values.c), computed when it starts. Value 0 is
 * 0.
 */
typedef enum {
    BLOCK_PLACE, /* of the block in the grid, in dimension a */
    BLOCK_FIXED, /* what stands in the slot a of any warp, in lanes of `width` */
    BLOCK_ADD,   /* of the values a and b, in so many bits; and so on */
    BLOCK_SUB,
    BLOCK_MUL,
    BLOCK_SHL,
    BLOCK_SHR,
    BLOCK_AND,
    BLOCK_OR,
    BLOCK_SIGNED,   /* the low 32 bits of a, extended */
    BLOCK_UNSIGNED, /* … with zeros */
} block_op_kind;

typedef struct {
    uint8_t kind, width; /* block_op_kind; 4 or 8 */
    uint32_t a, b;
} block_op;

/* What must hold for a sum of a slot's lanes and a block's value: that in 32 bits, signed or unsigned, it
 * does not overflow; that no bit is set in both. */
typedef enum { SUM_SIGNED, SUM_UNSIGNED, SUM_DISJOINT } sum_kind;
typedef struct {
    uint8_t kind, width; /* sum_kind; of the slot */
    uint32_t slot, value;
} sum_condition;

/* The least and greatest lane of a slot in all warps, or the bits of any. */
typedef struct {
    int64_t low, high;
    uint64_t bits;
} lane_range;

struct code {
    const ls_ptx_function *function;
    ls_ir_function *ir;
    bool decoded;
    insn *insns, *before; /* before: executed once for a warp */
    uint32_t insn_count, before_count;
    const insn *entry, *exit;
    const insn *affine_entry; /* of the stream of sums; NULL: there is none */
    LS_VEC(block_op) block_ops;
    LS_VEC(sum_condition) conditions;
    uint32_t frame_bytes; /* of register slots */
    uint32_t local_bytes; /* of .local and .param objects, per lane */
    LS_VEC(constant_slot) constants;
    LS_VEC(sreg_slot) sregs;
    LS_VEC(sreg_slot) block_sregs; /* those that differ from block to block */
    LS_VEC(frame_slot) frames;
    LS_VEC(param_slot) param_slots;
    LS_VEC(local_object) locals, gaps; /* gaps: what lies between the variables of the frame */
    LS_VEC(uint32_t) written;          /* slots: lanes that have written a register that may be read first */
    frame_object *params, *returns;    /* of a .func, in order */
    bool is_kernel;
    uint32_t counted_loops; /* loop counters in use: below it */
};

/* Argument passing of a call instruction. */
typedef struct {
    uint32_t frame_offset; /* in the caller's frame memory, where the argument is a .param object */
    uint32_t size;
    operand reg; /* else a register or constant */
    bool in_memory;
} call_value;

typedef enum {
    BUILTIN_NONE,
    BUILTIN_VPRINTF,
    BUILTIN_ASSERT,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_CHECK,     /* __assert of lockstep.h */
    BUILTIN_ASSUME,    /* __requires and __assume */
    BUILTIN_GRID_SYNC, /* of cooperative groups: a barrier of the whole grid */
    BUILTIN_NOTHING,   /* annotations that are for the verifier */
} builtin_kind;

typedef struct {
    code *callee; /* NULL: indirect, or a builtin */
    builtin_kind builtin;
    uint32_t target; /* slot of the function's address */
    call_value *args, *results;
    uint32_t arg_count, result_count;
    const char *name;
} call_info;

typedef struct {
    operand whole, part[8];
    uint32_t parts, bits; /* bits of one part */
    bool pack;
} pack_info;

typedef struct {
    const insn *target, *other, *reconverge;
    bool backward;
} branch_info;

typedef struct {
    operand index;
    const insn **targets;
    uint32_t count;
    const insn *reconverge;
} switch_info;

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

typedef enum { WARP_READY, WARP_BLOCKED, WARP_DONE } warp_state;

typedef struct {
    uint64_t stamp;
    uint32_t index;
} desc_cache;

/* A copy in the background (cp.async), or several of one instruction and group. */
typedef struct {
    uint32_t desc;
    bool shared;
    uint32_t group; /* number of groups that were committed before it */
    uint64_t lanes;
} async_copy;

/* What a thread has done to be ordered with others (check/order.c). Good within the block, or for all. */
enum { ORDER_NEAR, ORDER_FAR, ORDER_REACHES };
typedef struct {
    view *known, *carried;           /* acquired before it; handed over by others at a barrier */
    uint32_t to, epoch, full, meets; /* ticks, barriers, barriers for all, barriers of the warp then */
    bool done;
} order_fence;
typedef struct {
    view *acquired;            /* beyond what the whole block has */
    view *seen[ORDER_REACHES]; /* released by what it has read; acquired where a fence or barrier follows */
    order_fence fence[ORDER_REACHES]; /* its last one */
} lane_order;

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
    bool spun;           /* the last turn ended in a loop with such accesses */
    const insn *guarded; /* the guard in front of the instruction, while one is executed … */
    uint64_t outer;      /* … and the mask outside of it */
    char *frame;         /* root frame: code->frame_bytes */
    char *local;         /* lane's local memory: lane × local_size */
    uint64_t *loop_counts;
    /* Race checker: */
    uint32_t warp_epoch;       /* warp-level barriers so far */
    uint32_t warp_full;        /* the last one that all lanes came to */
    uint32_t *lane_clocks;     /* [lane][other]: the last one that orders the two; NULL: all come to all */
    uint32_t tick;             /* releases so far between which it accessed anything … */
    bool ticks;                /* … and whether the next one is another */
    lane_order *orders;        /* by lane: what it has released and acquired; NULL: nothing */
    uint32_t sub_epoch;        /* counts what ends a descriptor within an interval: warp barriers, releases */
    uint32_t *verified;        /* by memory site, all lanes then some: the version of the pattern that a fixed
                                  address is known to have */
    desc_cache *descs;         /* by memory site, global then shared: the descriptor in use */
    LS_VEC(async_copy) copies; /* that have not been waited for */
    uint32_t async_groups[MAX_LANES]; /* groups of copies that were committed */
    bool copied;                      /* there have been any in this block */
    uint32_t mask32[MAX_LANES] __attribute__((aligned(64)));
    uint64_t mask64[MAX_LANES] __attribute__((aligned(64)));
};

/* --- Barriers --- */
typedef struct {
    uint32_t arrived;      /* threads, exited ones of arriving warps included */
    uint32_t expected;     /* 0: all threads of the block */
    bool passed;           /* some came by bar.arrive, and do not wait */
    uint32_t popc, voters; /* of bar.red */
    const insn *first;     /* the instruction that the first arrival executed */
    uint32_t first_warp, first_lane;
    uint64_t first_count[MAX_COUNTED_LOOPS]; /* its loop counters; behind what is cleared */
} barrier;

/* --- Checkers --- */
/* Who accessed: one descriptor for a warp, a memory instruction and an interval between barriers. */
typedef struct {
    uint32_t block;     /* linear */
    uint32_t site : 24; /* memory site */
    uint32_t atomic : 1, write : 1, strong : 1;
    uint32_t pending : 1; /* an asynchronous copy that has not been waited for */
    uint32_t epoch;       /* barrier interval of the block */
    uint32_t warp : 10, warp_epoch : 22;
    uint32_t tick; /* releases of its warp */
} desc;

/* How an earlier access stands to the one at hand. SAME_WARP: ordered for the same lane, and where a barrier
 * or release says so; BY_RELEASE: only there. */
typedef enum { ORDERED, SAME_WARP, BY_RELEASE, UNORDERED } verdict;
/* The same for the short way. THREAD: ordered for the same lane; WARP: another one of the block, not ordered;
 * BLOCK: of another block, not ordered; OTHER: an asynchronous copy. */
typedef enum { STAND_ORDERED, STAND_THREAD, STAND_WARP, STAND_BLOCK, STAND_OTHER } stand;

/* Shadow of one cell: who wrote it last, who read it since. */
enum {
    CELL_LANE_BITS = 6,
    CELL_DESC_BITS = 24,
    CELL_MANY_LANES = 1u << 30,  /* several lanes of the warp read it, with nothing between them */
    CELL_MANY = 1u << 31,        /* several warps of the block read it in this interval */
    CELL_MANY_BLOCKS = 3u << 30, /* several blocks read it */
};

typedef struct {
    uint32_t write, read;
} cell;

typedef struct {
    uint64_t lo, hi; /* addresses */
    uint64_t limit;  /* hi can become as large as this */
    const char *name;
    uint8_t kind; /* allocation_kind */
    _Atomic(cell *) shadow;
    size_t shadow_bytes;
    bool freed;
    bool undefined; /* has no contents until it is written */
} allocation;

typedef enum { ALLOC_BUFFER, ALLOC_GLOBAL, ALLOC_CONST, ALLOC_HEAP } allocation_kind;

/* How the lanes of an access lie to each other. An instruction mostly repeats itself, at another place: what
 * follows from the distances alone is worked out once (pattern.c). */
enum { PATTERN_CELLS = 2 * MAX_LANES };
/* A row: all 32 lanes, one behind the other. Groups: 8 lanes at a time are a row, or at one place. */
typedef enum { PATTERN_OTHER, PATTERN_ROW, PATTERN_UNIFORM, PATTERN_GROUPS } pattern_shape;
enum { GROUP = 8 };
typedef struct {
    uint64_t mask;              /* the lanes; 0: there is none yet */
    uint32_t version;           /* counts the patterns that have been here */
    int32_t offsets[MAX_LANES]; /* from the first lane's address */
    int32_t low;                /* the least of them */
    uint32_t span;              /* bytes from the least to behind the greatest */
    uint32_t bits;              /* that are set in any of them */
    uint8_t shape;              /* pattern_shape */
    bool all_rows;              /* a row, or groups that are rows … */
    bool rows;                  /* … of words of which none is touched twice */
    bool cell_rows;             /* 8 words at a time are neighbours */
    bool word_row;              /* each lane touches one word, a row of them */
    bool group_row[MAX_LANES / GROUP];
    bool known; /* the following is worked out */
    uint32_t turns, ideal;
    uint32_t cell_count;                /* words that are touched; 0: too many, or parts of words */
    int32_t cells[PATTERN_CELLS];       /* from the first lane's … */
    uint32_t cell_lanes[PATTERN_CELLS]; /* … and who touches them: a lane, and whether there are more */
    uint8_t sectors[128], lines[128];   /* by the first lane's place in a line; 0: not worked out */
} pattern;

/* What a memory instruction has done, kept by each worker. */
typedef struct {
    uint64_t lo, hi; /* range of the allocation used last */
    allocation *alloc;
    uint64_t last; /* the first lane's address at the last execution */
    uint64_t accesses, sectors, lines, ideal, turns;
    uint32_t worst;
    uint32_t bank_counts[64];
    pattern patterns[2]; /* of all lanes, of some */
} memory_stats;

typedef struct {
    uint64_t taken, divergent;
} branch_stats;

/* Locations that have carried a release, by address. */
typedef struct order_place order_place;
typedef struct {
    order_place *items;
    uint32_t count, capacity;
} order_places;

struct block_run {
    uint32_t index; /* linear */
    uint32_t id[3];
    warp *warps;
    char *shared;
    barrier barriers[MAX_BARRIERS];
    uint32_t open_barriers; /* bits: those at which threads have arrived */
    uint32_t epoch;
    uint32_t full_epoch; /* of the last barrier that all threads came to */
    uint32_t *clocks;    /* [warp][other], behind them [barrier][warp]: epochs below are ordered; NULL: all
                            barriers were for all threads */
    view *acquired;      /* by all threads … */
    view *fenced[ORDER_REACHES];                    /* … and what their next strong writes release */
    view *meeting[MAX_BARRIERS][1 + ORDER_REACHES]; /* the same of those that have come to a barrier */
    order_places places;                            /* in shared memory */
    uint32_t live_threads;
    uint64_t *values;    /* those that are the same for all threads */
    lane_range *ranges;  /* by condition */
    bool prepared;       /* its warps' frames are filled */
    bool affine;         /* the stream of sums is run */
    cell *shadow;        /* of shared memory */
    uint64_t serial;     /* counts blocks, in the high bits */
    uint32_t epoch_desc; /* descriptors of shared accesses below it are of earlier intervals */
    desc *descs;         /* of shared accesses in this block */
    uint32_t desc_count, desc_capacity;
    uint32_t plain_desc; /* the last one of an access that was not atomic */
    char *register_memory;
    size_t register_bytes;
    char *local_memory;
    size_t local_bytes;
    uint8_t *undefined;  /* a bit for each byte of local memory; NULL: not looked at */
    uint8_t *gaps;       /* the same: bytes that belong to no variable */
    uint32_t waited;     /* turns in which its warps did nothing but look for a change, weighed */
    block_run *next;     /* in a worker's list */
    uint64_t grid_syncs; /* barriers of the grid that it has come to … */
    bool at_grid_sync;   /* … and is at one now … */
    uint32_t left_grid;  /* … that so many of its threads have left */
};

struct worker {
    machine *machine;
    uint32_t index;
    block_run *block;             /* the one that runs */
    block_run *first, *last;      /* started blocks that wait for others, in the order of their turns */
    block_run *spare;             /* memory of blocks that are done */
    uint32_t resident;            /* blocks that there is memory of */
    memory_stats *memory;         /* by memory site */
    branch_stats *branches;       /* by site */
    uint64_t *counts, *lanes;     /* profile, by site */
    uint32_t desc_next, desc_end; /* its share of the global descriptors */
    uint64_t random;
    uint64_t clock;
    ls_deadline deadline;
} __attribute__((aligned(128))); /* no cache line, nor one that is fetched with it, of two of them */

/* What a checker does at an access of the lanes in `mask`. */
typedef void (*access_hook)(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);

typedef struct found {
    ls_emu_finding finding;
    uint64_t key;
    struct found *next;
} found;

struct machine {
    ls_emulator *emulator;
    const ls_emu_launch *launch;
    ls_emu_options options;
    access_hook access_hooks[2][LS_CHECKER_COUNT + 1]; /* global, shared; each list ends with NULL */
    code *kernel;
    const exec_fn *lane_ops;
    uint32_t threads, warps_per_block, warp_size, stride;
    uint64_t blocks;
    uint32_t shared_bytes, local_size;
    bool shared_narrow, global_narrow; /* accesses of less than a word: cells know their bytes */
    bool short_race;                   /* the short way of the race checker may be taken */
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
    uint32_t *block_order; /* NULL: as they come */
    worker *workers;
    uint32_t worker_count;
    desc *descs; /* of global accesses */
    _Atomic uint32_t desc_count;
    uint32_t desc_capacity;
    order_places places;  /* in global memory: one worker only */
    pthread_mutex_t lock; /* findings, allocations, messages */
    found **finding_table;
    uint32_t finding_count;
    ls_arena arena;
    LS_VEC(const char *) notes;
    bool desc_overflow, shadow_failed;
    ls_emu_status status;
    const char *message;
    const ls_place *stop_pos;
    _Atomic uint64_t shadow_bytes;
    const volatile int *cancel;
};

typedef struct {
    const char *name;
    uint32_t offset;
    uint64_t size;
    const ls_ptx_variable *variable;
} shared_variable;

typedef struct {
    const char *function;
    local_object place;
} frame_variable;

struct ls_emulator {
    const ls_ptx_module *module;
    ls_diags *diags;
    ls_arena arena;
    LS_VEC(code *) codes;
    ls_intmap code_of; /* function → its number among them */
    uint32_t decoded;  /* of them: the first that is still to be decoded */
    char *pool;        /* reserved address range for global memory */
    uint64_t pool_size, pool_used;
    LS_VEC(allocation *) allocations; /* sorted by lo */
    LS_VEC(shared_variable) shared;
    uint32_t shared_static; /* bytes, with the gaps between variables … */
    uint32_t shared_real;   /* … and without */
    uint32_t dynamic_align;
    LS_VEC(site) sites;
    uint32_t memory_sites;
    bool shared_narrow, global_narrow; /* there are accesses of less than a word */
    LS_VEC(uint32_t) site_of_memory;   /* memory site → site */
    LS_VEC(ls_order) order_of_memory;  /* memory site → strength and scope */
    LS_VEC(ls_texture) textures;
    LS_VEC(frame_variable) frame_variables;
    ls_map symbols;             /* name → allocation */
    ls_map bindings;            /* texture variable → handle + 1 */
    uint64_t workspace;         /* of cooperative launches: %envreg1 (high) and 2 have its address */
    uint32_t stride, warp_size; /* what the code was decoded for */
    uint32_t checks;
    const exec_fn *lane_ops;
    bool profile, unchecked_memory, watched, has_calls, has_locals, has_gaps;
    uint32_t atomic_sizes; /* a bit for each number of bytes … */
    bool mixed_sizes;      /* … and whether there are several */
    bool strong_accesses;  /* atomic or volatile ones are there … */
    bool orders;           /* … and releases or acquires … */
    bool communicates;     /* … or blocks can wait for each other, or take turns, in global memory */
    const char *error;     /* decoding: the first thing that cannot be run */
};

/* --- lanes.c, compiled for several instruction sets --- */
typedef enum {
    LANE_NONE,
#define OP1(name, D, A, expr)        LANE_##name,
#define OP2(name, D, A, B, expr)     LANE_##name,
#define OP3(name, D, A, B, C, expr)  LANE_##name,
#define CMP(name, T, relation, expr) LANE_##name,
#define SPECIAL(name)                LANE_##name,
#define MEMORY(name)                 LANE_##name,
#include "emulate/lanes/ops.def"
    LANE_COUNT
} ls_lane_op;

/* The table for this processor. */
const exec_fn *ls_lane_ops(void);

/* --- Across files --- */
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

/* decode.c: the code of a function, which is decoded before the next launch. */
code *em_code_of(ls_emulator *e, const ls_ptx_function *function);
/* Decodes all that was asked for, and what that calls. */
void em_decode_all(ls_emulator *e);
/* control.c */
const insn *em_exec_branch(warp *w, const insn *i);
const insn *em_exec_jump(warp *w, const insn *i);
const insn *em_exec_switch(warp *w, const insn *i);
const insn *em_exec_reconverge(warp *w, const insn *i);
const insn *em_exec_return(warp *w, const insn *i);
const insn *em_exec_exit(warp *w, const insn *i);
const insn *em_exec_call(warp *w, const insn *i);
const insn *em_exec_guard(warp *w, const insn *i);
const insn *em_exec_scalar(warp *w, const insn *i);
const insn *em_exec_nop(warp *w, const insn *i);
const insn *em_exec_trap(warp *w, const insn *i);
const insn *em_exec_unsupported(warp *w, const insn *i);
const insn *em_exec_loop(warp *w, const insn *i);
const insn *em_exec_sreg(warp *w, const insn *i);
const insn *em_exec_fence(warp *w, const insn *i);
const insn *em_exec_yield(warp *w, const insn *i);
/* Fills the warp's frame, once. */
void em_warp_prepare(warp *w);
void em_warp_start(warp *w);
/* Lets lanes that wait for others of their warp to meet them go on without; false where there are none. */
bool em_let_ahead(warp *w);
/* Runs the warp until it is done or no path of it can go on; true where it did anything. */
bool em_warp_run(warp *w);
/* Ends the running path's turn: its state and pc must be set. */
const insn *em_block_path(warp *w, const insn *pc, path_state state);
/* Stops the whole launch. */
const insn *em_stop(warp *w, const insn *i, ls_emu_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void em_fill_frame(warp *w, const code *c, char *regs, uint32_t local_base);
/* Special registers that differ from block to block. */
bool em_is_block_register(uint8_t sreg);
/* barrier.c */
const insn *em_exec_barrier(warp *w, const insn *i);
const insn *em_exec_warp_barrier(warp *w, const insn *i);
void em_barrier_check(block_run *b);
/* Waits until every lane of `members` is at this instruction; true where they are (then w->mask is the set).
 */
bool em_gather(warp *w, const insn *i, uint64_t members);
/* The lanes of the paths that wait at this instruction and have one of `lanes` among them. */
uint64_t em_waiting_with(const warp *w, const insn *i, uint64_t lanes);
/* The lanes that a lane names. */
uint64_t em_members_of(const warp *w, const warp_info *x, uint32_t lane);
void em_report_stuck(worker *k);
/* blocks.c: runs blocks of the grid until there are no more. */
void em_run_blocks(worker *k);
const insn *em_exec_grid_sync(warp *w, const insn *i);
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
allocation *em_find(ls_emulator *e, uint64_t address);
void em_add_allocation(ls_emulator *e, uint64_t lo, uint64_t size, const char *name, allocation_kind kind);
uint64_t em_alloc_growing(ls_emulator *e, uint64_t size, const char *name);
allocation *em_grow(machine *m, uint64_t address, uint64_t bytes);
bool em_load_module(ls_emulator *e);
void em_forget_code(ls_emulator *e);
/* shared.c: places the shared variables that the kernel and what it calls refer to; false where they are more
 * than a GPU has. */
bool em_place_shared(ls_emulator *e, const ls_ptx_function *kernel, uint32_t red_zone);
/* What a pointer to the function is: its number in the module, the same for every kernel. */
uint64_t em_function_address(const ls_emulator *e, const ls_ptx_function *function);
uint64_t em_heap_alloc(machine *m, uint64_t size);
bool em_heap_free(machine *m, uint64_t address);
/* access.c */
const insn *em_exec_load(warp *w, const insn *i);
const insn *em_exec_store(warp *w, const insn *i);
const insn *em_exec_atomic(warp *w, const insn *i);
/* An atomic or volatile access, as a loop that waits makes them: its turn is shorter. */
static inline void em_strong_access(warp *w) {
    w->strong++;
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
    return (char *)((uintptr_t)t->base + t->stride * lane + address);
}
/* lanes/atomic.c */
void em_atomic_lanes(warp *w, const mem_access *m, const em_target *t, const uint64_t *address,
                     ls_ptx_space space);
/* async.c */
const insn *em_exec_copy(warp *w, const insn *i);
const insn *em_exec_copy_commit(warp *w, const insn *i);
const insn *em_exec_copy_wait(warp *w, const insn *i);
typedef struct {
    mem_access *from, *to;
    uint32_t bytes;
    bool has_size, zero; /* cp.async with src-size; with ignore-src */
    operand size;
} copy_info;
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
/* The access that was just checked goes on until it is settled. Its descriptor, or 0 where there is none. */
uint32_t em_race_pending(warp *w, const mem_access *m, bool shared);
void em_race_settled(warp *w, uint32_t index, bool shared);
/* check/order.c */
verdict em_order_of(const warp *w, const mem_access *m, const desc *d, bool same_instruction, bool shared);
/* Whether the two are morally strong. */
bool em_order_strong(const warp *w, const mem_access *m, const desc *d, bool shared);
/* Whether all that the block did in d's interval is ordered before what the lane does. */
bool em_interval_ordered(const warp *w, const desc *d, uint32_t lane);
/* Whether a release that the lane has acquired covers what the other lane of d did. */
bool em_order_synchronized(const warp *w, uint32_t lane, const desc *d, uint32_t other);
/* Of two lanes of the warp: by a barrier of some of its lanes, since that epoch. other NO_SLOT: any. */
bool em_lanes_ordered(const warp *w, uint32_t lane, uint32_t other, uint32_t epoch);
/* A strong access, behind its own check. */
void em_order_access(warp *w, const mem_access *m, bool shared, const uint64_t *address, uint64_t lanes);
/* A release to, or an acquire from, an object of the lane: an mbarrier in shared memory, or the grid. */
void em_order_release(warp *w, uint32_t lane, const ls_order *order, uint64_t address);
void em_order_acquire(warp *w, uint32_t lane, const ls_order *order, uint64_t address);
/* What the lane has done since the tick, and no more, is released to an mbarrier. */
uint32_t em_order_tick(warp *w);
void em_order_copied(warp *w, uint32_t lane, uint32_t since, uint64_t address);
#define ORDER_GRID (UINT64_MAX - 1) /* the address of the grid's barrier */
void em_order_lanes(warp *w, uint64_t members);
void em_order_arrive(warp *w, uint32_t id, uint64_t lanes, bool partial);
void em_order_machine_free(machine *m);
void em_order_barrier(block_run *b, uint32_t id, bool full);
void em_order_block_start(block_run *b);
void em_order_free(block_run *b, uint32_t warps);
/* findings.c */
ls_place em_pos(machine *m, uint32_t site);
found *em_find_finding(machine *m, ls_rule rule, uint32_t site, uint32_t other, uint32_t variant);
ls_emu_thread em_thread_of(const machine *m, uint32_t block, uint32_t warp_index, uint32_t lane);
void em_collect(machine *m, ls_emu_result *result);
void em_name_address(const machine *m, ls_ptx_space space, uint64_t address, ls_emu_finding *f);
void em_note(machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* check/undefined.c */
typedef enum { USE_BRANCH, USE_GUARD, USE_ADDRESS, USE_STORE } undefined_use;
typedef struct {
    uint32_t mask; /* slot: lanes that have written the register */
    const char *name;
    undefined_use use;
} undefined_read;
typedef struct {
    uint32_t mask;
    uint32_t from[8], count; /* masks of the sources */
    uint32_t select;         /* selp: slot of the predicate, else NO_SLOT; from: of its three sources */
} written_info;
const insn *em_exec_written(warp *w, const insn *i);
const insn *em_exec_undefined(warp *w, const insn *i);
void em_enter_frame(warp *w, const code *c, uint32_t base, uint64_t lanes);
bool em_in_gap(const warp *w, uint32_t lane, uint64_t address, uint64_t bytes);
void em_check_local(warp *w, const insn *i, const mem_access *m, const uint64_t *address, uint64_t mask);
/* lanes/across.c, builtin.c */
const insn *em_exec_shfl(warp *w, const insn *i);
/* Whose value the lane gets; *valid: whether that is one of its segment. */
uint32_t em_shuffle_source(uint16_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *valid);
const insn *em_exec_vote(warp *w, const insn *i);
const insn *em_exec_match(warp *w, const insn *i);
const insn *em_exec_redux(warp *w, const insn *i);
const insn *em_exec_activemask(warp *w, const insn *i);
const insn *em_exec_elect(warp *w, const insn *i);
const insn *em_exec_pack(warp *w, const insn *i);
const insn *em_exec_builtin(warp *w, const insn *i, const call_info *call, uint64_t mask);

#endif
