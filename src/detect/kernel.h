/* What the detector knows of one kernel before it rewrites it: the objects that it accesses and which of them
 * are targets (objects.c), and its barrier intervals with the registers that a second run of each has to
 * restore (regions.c). Internal to src/detect. */
#ifndef LS_DETECT_KERNEL_H
#define LS_DETECT_KERNEL_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/buf.h"
#include "base/map.h"
#include "lockstep/detect.h"
#include "lockstep/ir.h"

typedef enum {
    OBJECT_READ_ONLY,
    OBJECT_TARGET,
    OBJECT_ATOMIC,    /* touched by atomics: excluded (002, §4.7) */
    OBJECT_RACE_FREE, /* every thread its own elements, or known from elsewhere */
} object_state;

/* Something that can be raced on: a shared variable, a global variable, or what a pointer parameter points
 * to. All pointers of unknown origin are one object, which may be any of the others. */
typedef struct {
    const char *name;
    bool is_shared, is_dynamic, is_unknown;
    const ls_ptx_symbol *symbol;        /* of a variable; NULL for what a parameter points to */
    uint32_t param_index, param_offset; /* where the pointer is, of the latter */
    uint64_t size;                      /* 0: not known */
    uint64_t layout;                    /* shared: byte in the block's segment */
    uint32_t group; /* objects that one access may go to are in one group: its first object */
    bool read, written, atomic;
    bool mixed;    /* OBJECT_ATOMIC: plain accesses may meet atomic ones */
    bool defined;  /* where the kernel's `contents` are asked for: what is read was written */
    uint8_t state; /* object_state */
} object;

/* One access of the kernel (by the IR's access id). */
typedef struct {
    bool in_shared, in_global; /* may be in; both where the space is not known */
    bool certain;              /* object is the one it goes to; else any of that space */
    uint32_t object;           /* LS_IR_NONE where it is not certain */
    bool marked, stamped;      /* watched in place: in shared, in global memory */
} access_info;

/* A barrier interval (002, Definition 1), by where it starts: 0 is the kernel's start, the others a barrier
 * each. The same instruction may be in several. */
typedef struct {
    ls_ir_instr *barrier; /* that it starts after; NULL for the kernel's start */
    ls_ir_block *block;
    uint32_t first;     /* instruction of block that it starts with */
    ls_bitset instrs;   /* by instruction id */
    ls_bitset late;     /* copies and products from before it that may be under way in it */
    ls_bitset flight;   /* both */
    bool under_way;     /* there are such copies */
    ls_bitset live;     /* registers that are live at its start */
    ls_bitset written;  /* registers that are written in it */
    ls_bitset restored; /* both */
    bool writes_shared; /* to targets */
    bool own;           /* every thread its own part of what is written */
    bool checked;       /* compared */
    bool twice;         /* … and run a second time: what it writes may be read in it */
    bool writes_local;
    const char *once;         /* NULL, or why it cannot be run twice … */
    const ls_place *once_pos; /* … and where */
} region;

typedef struct {
    ls_arena arena;
    ls_ptx_module *module; /* its own, since rewriting changes it; NULL: nothing is rewritten */
    ls_ptx_function *function;
    ls_ir_function *ir;
    object *objects;
    uint32_t object_count;
    access_info *accesses;
    region *regions;
    uint32_t region_count;
    uint32_t *region_of_barrier;     /* by instruction id: the region that starts behind it, or LS_IR_NONE */
    ls_intmap instr_of;              /* syntax tree's instruction → the IR's */
    uint64_t static_shared, segment; /* bytes of static and of all shared memory, padded to 16 */
    uint32_t shared_align;
    uint64_t local_bytes;
    uint32_t *steps;     /* that taking one offset apart may still take */
    uint8_t *consulted;  /* by byte of the parameters: whether the analysis looked at their value */
    bool mixed_shared;   /* some shared object is */
    bool contents;       /* it is asked whether what is read of shared memory was written */
    ls_bitset reachable; /* blocks that this launch can reach, by what its scalar parameters are */
    bool asynchronous;   /* has what reads or writes shared memory beside the threads, but for cp.async */
    bool unordered;      /* … and that orders them in ways that are not looked at: but for wgmma, too */
    const ls_place *cluster_barrier; /* NULL, or where blocks of a cluster wait for each other */
    const ls_place *unseen;          /* NULL, or an access beside the threads that cannot be watched */
    bool met;        /* watched in place, accesses met that are no races: values are compared instead */
    uint64_t looked; /* blocks whose addresses were looked at, and gave nothing */
    const char *not_rehearsed; /* NULL, or why a rehearsal was given up */
    bool has_reduction_barrier;
    bool exits_early;         /* threads may leave it while others go on to barriers */
    bool needs_shared_copies; /* instructions that take addresses in .shared only */
    const char *unsupported;  /* NULL, or why it cannot be instrumented within blocks at all … */
    const ls_place *unsupported_pos;
    const ls_place
        *call_pos;    /* NULL, or a call of a function that accesses memory: nothing can be redirected */
    const char *once; /* NULL, or why the whole kernel's second run may differ from its first */
    const ls_place *once_pos;
} kernel;

/* NULL with errors in diags where there is no such kernel or it does not parse. like: the same, loaded
 * before, or NULL. */
kernel *dt_kernel_load(const char *ptx, size_t length, const char *filename, const ls_detect_launch *launch,
                       const ls_detect_options *options, const kernel *like, ls_diags *diags);
/* The same of a module that is only looked at; NULL where it cannot be. contents: what is read of shared
 * memory must have been written (object.defined). */
kernel *dt_kernel_of(const ls_ptx_module *module, const ls_detect_launch *launch, bool contents,
                     ls_diags *diags);
void dt_kernel_free(kernel *k);

/* The passes of kernel_load. */
void dt_find_objects(kernel *k, const ls_detect_launch *launch, const ls_detect_options *options);
void dt_find_regions(kernel *k, const ls_detect_launch *launch, const ls_detect_options *options);

/* linear.c: the number that the instruction loads from a parameter: what the launch was given, unless it is a
 * float or a pointer. */
bool dt_parameter(const kernel *k, const ls_detect_launch *launch, const ls_ir_instr *instr, int64_t *out);
/* rehearse.c: barrier intervals in which no two warps meet, by what all threads of a block do, become `own`.
 */
void dt_rehearse(kernel *k, const ls_detect_launch *launch);
/* regions.c: which of the intervals values are to be compared in. */
void dt_find_checked(kernel *k, const ls_detect_launch *launch);
/* own.c: whether no two threads of the launch touch the same byte of the object, if one of them writes; or,
 * where it is not alone in its group, of any in the group. */
bool dt_every_thread_its_own(const kernel *k, uint32_t which, bool alone, const ls_detect_launch *launch);
bool dt_same_group(const kernel *k, uint32_t a, uint32_t b);
/* Where the object is that a parameter points to; false where it is not one of those. */
bool dt_pointer_value(const kernel *k, const object *o, const ls_detect_launch *launch, uint64_t *out);
/* How far behind the first object the other one begins; false where the parameters do not say. */
bool dt_distance(const kernel *k, uint32_t first, uint32_t other, const ls_detect_launch *launch,
                 int64_t *out);
/* own.c: the same for all shared objects that the region writes, while it runs; or for global ones, between
 * threads of one block. */
bool dt_region_is_own(kernel *k, const region *r, const ls_detect_launch *launch, bool shared);
/* own.c: whether in this region no two threads of a block touch the same byte of the object, if one writes.
 */
bool dt_region_is_own_in(kernel *k, const region *r, uint32_t which, const ls_detect_launch *launch);
/* regions.c: sets asynchronous; whether the instruction is such a one. */
bool dt_is_asynchronous(const ls_ir_instr *instr);
void dt_find_asynchronous(kernel *k);
/* flight.c */
void dt_find_flights(kernel *k);
/* What wgmma reads of shared memory becomes an access; whether one is such. */
void dt_add_products(kernel *k);
static inline bool is_product(const ls_ir_access *access) {
    return access->instr->op == LS_OP_WGMMA_MMA_ASYNC;
}
/* A factor of a product, in pieces of 16 bytes: pieces in a line (a power of two), lines, and whether the
 * pieces run along k; of A each warp has its own rows. */
typedef struct {
    const ls_ptx_operand *descriptor; /* NULL: it is in registers */
    uint32_t across, lines;
    bool along_k;
} product_factor;
enum { WARP_ROWS = 16, FACTOR_A = 1, FACTOR_B = 2 }; /* rows of A that a warp has; the operands */
/* beside.c: false where the form is not known. */
bool dt_factors_of(const ls_ir_instr *instr, product_factor *a, product_factor *b);
/* A matrix product that has no address among its operands, so that it is not an access of its instruction;
 * NULL if it is not such a product. */
const ls_ir_access *dt_product_of(const kernel *k, const ls_ir_instr *instr);
/* marks.c: how many lanes give the address of a row each; 0: it is no move of matrices. */
uint32_t dt_matrix_rows(const ls_ir_access *access);
/* What an instruction is to the copies by cp.async, or to the products. */
ls_ptx_copy dt_role_beside(const ls_ir_instr *instr, bool *product);
/* The bytes of an access; of a copy's source, the size of which a register has, those of the copy. */
static inline uint32_t dt_bytes_of(const ls_ir_access *access) {
    const ls_ir_instr *instr = access->instr;
    if (access->bytes || instr->form->opcode->copy != LS_COPY_START || instr->ast->operand_count < 4 ||
        instr->ast->operands[3].kind != LS_OPERAND_REGISTER)
        return access->bytes * access->count;
    for (uint32_t i = 0; i < instr->access_count; i++)
        if (instr->accesses[i].bytes) return instr->accesses[i].bytes * instr->accesses[i].count;
    return 0;
}
/* Whether the access may be under way in an interval that begins behind it. */
bool dt_is_under_way(const kernel *k, const ls_ir_access *access);
/* atomics.c */
void dt_find_mixed(kernel *k, const ls_detect_launch *launch);
bool dt_orders_by_memory(const kernel *k);
/* marks.c: sets marked and stamped. */
void dt_find_watched(kernel *k);
/* What the analysis makes of the pointers among the parameters: which buffers they point into, where, and
 * how large these are; not where the buffers are. */
void dt_describe_pointers(const ls_buf *list, const ls_detect_launch *launch, ls_buf *out);
void dt_list_pointers(const kernel *k, ls_buf *out); /* where they are */
/* Byte of a parameter in the block of parameters. */
uint32_t dt_param_position(const ls_ptx_function *function, uint32_t index);

static inline ls_ir_instr *ir_of(const kernel *k, const ls_ptx_instr *instr) {
    uint64_t found;
    return ls_intmap_get(&k->instr_of, (uint64_t)(uintptr_t)instr, &found) ? (ls_ir_instr *)(uintptr_t)found
                                                                           : NULL;
}

static inline bool is_barrier(const ls_ir_instr *instr) {
    return ls_ptx_waits_for_block(instr->form->opcode);
}

static inline bool is_cluster_barrier(const ls_ir_instr *instr) {
    const ls_ptx_barrier kind = (ls_ptx_barrier)instr->form->opcode->barrier;
    return kind == LS_BARRIER_CLUSTER_ARRIVE || kind == LS_BARRIER_CLUSTER_WAIT;
}

static inline bool is_exit(const ls_ir_instr *instr) {
    return instr->op == LS_OP_EXIT || instr->op == LS_OP_RET;
}

/* An atomic operation whose result nobody reads: its order does not matter. */
bool dt_atomic_without_result(const ls_ir_instr *instr);
/* Whether the access is a plain write to a target, or to one in that space. */
bool dt_access_may_target(const kernel *k, const ls_ir_access *access, bool shared);

#endif
