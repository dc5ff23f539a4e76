/* Kernels as decoded code: what the decoder makes (decode/) and the machine runs. Each instruction of the PTX
 * becomes one or more type-specialised operations; every operand is the byte offset of a slot in a frame of
 * registers.
 *
 * A register slot is a run of `stride` lanes of 4 or 8 bytes; a predicate's slot is one 64-bit mask.
 * Values of 8 and 16 bits stand zero-extended in 4-byte lanes. Constants, parameters and special registers
 * stand in slots of their own in the same frame, so that every operand is a byte offset from warp->regs. */
#ifndef LS_EMULATE_CODE_H
#define LS_EMULATE_CODE_H

#include "base/vec.h"
#include "isa/meaning.h"
#include "isa/order.h"
#include "lockstep/emulate.h"
#include "lockstep/ir.h"
#include "lockstep/limits.h"

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
    MAX_TAILS = 32,
    FINDING_BUCKETS = 256, /* 8 bits of a hash */
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
typedef struct compiled compiled;
typedef struct block_run block_run;
typedef struct worker worker;
typedef struct machine machine;
typedef struct agents agents;
typedef struct async_job async_job;

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
    bool is_guard, is_warp_barrier;
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
    bool spared;          /* it is known to take part in no race (proved.h) */
    bool copied;          /* loads: the value is only handed on … */
    bool copied_local;    /* … or stored in global memory, as copies of structs are */
    bool async;           /* of an asynchronous unit: check/agent.c is told of it otherwise */
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
    bool fixed;    /* its number is a constant */
    bool aligned;  /* all threads reach this very place, if they come */
    bool whole;    /* of a cooperative group: all come, and none may have left before */
    uint32_t tail; /* 1 + the number of its tail (decode/tails.c), or 0 */
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
    uint32_t tail; /* 1 + the number of its tail (decode/tails.c), or 0 */
    operand members;
    bool abs, nan;
    bool fixed;              /* shfl: by how much is known … */
    uint8_t from[MAX_LANES]; /* … and so whose value each lane gets */
    uint64_t valid;          /* lanes that get another lane's value, or are meant to keep their own */
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
    insn *affine_insns;
    uint32_t affine_count;
    compiled *compiled; /* NULL: it is interpreted (compiled.h) */
    double spent;       /* CPU time of its launches */
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
    uint32_t tail_count;    /* barriers of which the threads that go on behind them are noted */
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
    BUILTIN_CHILD_BUFFER, /* children.c: kernels that a kernel launches */
    BUILTIN_CHILD_LAUNCH,
    BUILTIN_CHILD_LAST_ERROR,
    BUILTIN_CHILD_PEEK_ERROR,
    BUILTIN_CHILD_HANDLE,  /* of a stream or an event */
    BUILTIN_CHILD_SUCCESS, /* does nothing here, and returns that it is done */
    BUILTIN_CHILD_MALLOC,
    BUILTIN_SET_CONDITIONAL, /* of a graph's node */
    BUILTIN_CHECK,           /* __assert of lockstep.h */
    BUILTIN_ASSUME,          /* __requires and __assume */
    BUILTIN_GRID_SYNC,       /* of cooperative groups: a barrier of the whole grid … */
    BUILTIN_GRID_HANDLE,     /* … and what it is called with by those who call the runtime */
    BUILTIN_WHOLE,           /* the barrier behind it is of a group: no thread may have left */
    BUILTIN_FENCES,          /* which memory OpenCL's barrier behind it orders */
    BUILTIN_NOTHING,         /* annotations that are for the verifier */
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

/* cp.async */
typedef struct {
    mem_access *from, *to;
    uint32_t bytes;
    bool has_size, zero; /* cp.async with src-size; with ignore-src */
    operand size;
} copy_info;

/* Registers that may be read before they were written (decode/undefined.c). */
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
/* LOCKSTEP_NO_AVX512 in the environment: as on a processor that has none, for tests and measurements. */
bool ls_without_avx512(void);
/* Rows whose lanes are at distances from a base (lanes/rows.c): writing these lanes, and whether one is
 * otherwise. */
typedef struct {
    void (*spread32)(uint32_t *row, uint32_t base, const int64_t *offsets, uint32_t lanes);
    void (*spread64)(uint64_t *row, uint64_t base, const int64_t *offsets, uint32_t lanes);
    uint32_t (*differ32)(const uint32_t *row, uint32_t base, const int64_t *offsets, uint32_t lanes);
    uint32_t (*differ64)(const uint64_t *row, uint64_t base, const int64_t *offsets, uint32_t lanes);
    /* Whether two of 32 addresses may be in one piece of that size (exponent); 0: none are. */
    uint32_t (*share)(const uint64_t *address, uint32_t shift);
} row_ops;
const row_ops *ls_row_ops(void);

#endif
