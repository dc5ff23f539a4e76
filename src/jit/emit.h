/* Making LLVM's code of a plan: what the files that emit share. */
#ifndef LS_JIT_EMIT_H
#define LS_JIT_EMIT_H

#include "frontend/llvm_api.h"
#include "jit/plan.h"

typedef LLVMValueRef value;

/* What an access has found of a part of memory: whether it is within one range, for those behind it. */
typedef struct {
    const mem_access *by;
    int32_t shape;
    int64_t low, high; /* of the lanes' first bytes, from the first lane of `by` */
    value within, base;
} reach;

/* What is known of rows at a place. */
typedef struct {
    int32_t *state;
    ls_bitset dirty, fresh;
    const reach *reaches;
    uint32_t reach_count;
} known;

typedef struct {
    const ls_llvm *L;
    LLVMContextRef context;
    LLVMModuleRef module, library; /* the second: the operations of rows.inc, each read where it is called */
    LLVMBuilderRef at, slots;      /* where code goes, and places of rows */
    LLVMValueRef function;
    LLVMTypeRef i1, i8, i16, i32, i64, ptr, lanes; /* lanes: 32 bits, one of each lane */
    unsigned invariant, tbaa, weights;
    value state_tag, memory_tag, nothing; /* metadata: the emulator's state, the kernel's memory … */
    value nearly_always;                  /* … and how often the first way of a branch is taken */
    ls_arena *arena;
    jit_plan *p;
    bool masked;   /* some lanes run */
    bool quick;    /* little code rather than fast code */
    bool scatters; /* the processor has instructions for lanes that are anywhere in memory */
    bool straight; /* there is one head only: no loops, no barriers */
    bool astray;   /* a row is not as the plan has it: the function must not be used */
    value warp, insns, used, entry, interval;
    LS_VEC(const void *) uses;         /* what stands in compiled->used */
    LS_VEC(compiled_exit) exits;       /* … in compiled->exits … */
    LS_VEC(compiled_call) calls;       /* … and in compiled->calls */
    value warp_at, head_at;            /* places: the warp that runs, and from which head */
    LLVMBasicBlockRef next_warp;       /* goes on with these */
    LLVMBasicBlockRef block_start;     /* a block begins; NULL: none can follow another one … */
    value place_at, more_at;           /* … places: its place in its row, blocks that may follow, … */
    value *moved_at;                   /* … by number, values of the block that depend on its place, … */
    value whole_at;                    /* … whether what all warps reach is within the accesses' ranges, … */
    value added_at[MOST_REACHES];      /* … what is added to their registers for the host's addresses, … */
    value start_at[MOST_REACHES];      /* … those of the first warp, … */
    value turn_at;                     /* … and the number of the warp whose turn it is */
    LLVMBasicBlockRef arrival;         /* a warp has reached a barrier: NULL where there is none … */
    value came_to, came_by, behind_at; /* … places: its instruction, the exit there, the head behind it */
    LLVMBasicBlockRef all_came;        /* all have reached one */
    value regs_at; /* a place: `regs`, of a function that goes to heads from barriers itself; NULL: all ways
                      lead through `next_warp` */
    LLVMBasicBlockRef *heads; /* those, by number */
    value of, regs, mask, worker, memory, branches, block_values, shared, reconverge;
    value *one, *row; /* by row: where it stands as a scalar, as a vector */
    int32_t *state;   /* by row: its shape at this place */
    ls_bitset dirty;  /* rows that the frame may not have as they are */
    ls_bitset fresh;  /* rows that no lane has anything in that is needed: others than `guard` may get it */
    ls_bitset loose;  /* rows of which other lanes than `guard` need nothing: they may get anything */
    value guard;      /* lanes, behind a guard that divides them; NULL: none does */
    LLVMBasicBlockRef *blocks; /* by block; NULL: nothing leads to it yet */
    LS_VEC(reach) reaches;     /* those that hold here: their registers are what they were */
    known **handed;            /* by block: what its only predecessor knew, where it has one */
    uint32_t *entries;         /* by block: ways into it */
    const ls_bitset *live;     /* before the current instruction */
} emitter;

#define B(e, name, ...) ((e)->L->Build##name((e)->at, __VA_ARGS__, ""))

/* --- emit_rows.c: values of rows --- */
value jit_int(const emitter *e, LLVMTypeRef type, uint64_t bits);
LLVMTypeRef jit_scalar_type(const emitter *e, uint8_t width);
LLVMTypeRef jit_row_type(const emitter *e, uint8_t width);
LLVMBasicBlockRef jit_block(const emitter *e);
void jit_go_on_at(emitter *e, LLVMBasicBlockRef block);
/* A branch that goes to the first block nearly always: the other one's code is put out of the way. */
void jit_branch(const emitter *e, value by, LLVMBasicBlockRef usual, LLVMBasicBlockRef rare);
value jit_place(emitter *e, LLVMTypeRef type);
/* A field of a structure of the emulator's. */
value jit_field(const emitter *e, value base, uint64_t offset, LLVMTypeRef type);
value jit_at(const emitter *e, value base, uint64_t offset);
value jit_splat(const emitter *e, value x, LLVMTypeRef type);
/* The vector of a shape's distances. */
value jit_offsets(const emitter *e, int32_t shape, uint8_t width);
value jit_read_one(emitter *e, uint32_t r);
value jit_read_row(emitter *e, uint32_t r);
/* Where the row stands in memory, for functions that take a pointer. */
value jit_row_place(emitter *e, uint32_t r);
/* The same, of a row that is about to be written as a whole: from then on it is taken for written. */
value jit_written_place(emitter *e, uint32_t r);
void jit_write_one(emitter *e, uint32_t r, value x, int32_t shape);
void jit_write_row(emitter *e, uint32_t r, value x);
/* Gives the interpreter a row: in the frame, or as one value that stands for those of the lanes. */
typedef LS_VEC(spread_row) spread_rows;
void jit_hand_over(emitter *e, uint32_t r, spread_rows *rows);
/* What is known of rows at a place, and going on with it at another one. */
known jit_known(const emitter *e);
void jit_know(emitter *e, const known *k);
void jit_know_reaches(emitter *e, const known *k);
/* A row gets something else: what was known of places that it leads to is over. */
void jit_change(emitter *e, uint32_t r);
/* Between the frame and the values of the current block. */
void jit_to_frame(emitter *e, uint32_t r);
/* Only the first lane. */
void jit_first_to_frame(emitter *e, uint32_t r);
void jit_from_frame(emitter *e, uint32_t r, int32_t shape);
/* Makes the rows that are live what they are in another state. */
void jit_convert(emitter *e, const int32_t *to, const ls_bitset *live);
/* All lanes that run here, as a vector; NULL: all 32. */
value jit_active(emitter *e);
value jit_bits_of(const emitter *e, value lanes);

/* --- emit.c --- */
value jit_insn_at(const emitter *e, uint32_t k);
/* Something that stands elsewhere in every process: its address comes from a table, so that the code can be
 * kept. */
value jit_use(emitter *e, const void *what);
/* A call of a function of the emulator's. */
value jit_call_emulator(emitter *e, uintptr_t fn, LLVMTypeRef result, value *arguments, unsigned count);
/* Ends compiled code: the interpreter goes on with this instruction. */
void jit_leave(emitter *e, uint32_t k);
/* An exit in front of the instruction, where the frame has all that is live: its number plus one. */
uint32_t jit_exit_in_front(emitter *e, uint32_t k);
/* Executes the instruction's own operation. */
void jit_call(emitter *e, uint32_t k);
/* One instruction that does not end its block; a guard and what it covers, up to `end`; `live`: behind it. */
void jit_emit_plain(emitter *e, uint32_t k);
void jit_emit_guard(emitter *e, uint32_t k, uint32_t end, const ls_bitset *live);
/* What the guard's predicate has, for all lanes or for each. */
value jit_guard_value(emitter *e, const insn *i);
/* --- emit_branch.c --- */
/* Goes to a block; back: the turn's budget is counted, and where it is time for a look at the clock, the
 * interpreter executes the branch k. */
void jit_emit_edge(emitter *e, uint32_t to, uint32_t k, bool back);
void jit_emit_branch(emitter *e, uint32_t k);
void jit_emit_reconverge(emitter *e, uint32_t k);
/* --- emit_interval.c: an instruction that is left to the interpreter, or ends the interval. --- */
void jit_emit_stop(emitter *e, uint32_t k);
/* A warp begins: whose turn it is. */
void jit_begin_turn(const emitter *e);
/* What all barriers share, when all blocks are there. */
void jit_emit_arrival(emitter *e);
/* Blocks that follow each other: the function begins with one, or goes on with the next; a value of the
 * block; and the emulator's state of it, which it needs where it goes on or is called. */
void jit_begin_blocks(emitter *e);
void jit_emit_block_start(emitter *e);
value jit_block_value(const emitter *e, uint32_t k);
void jit_put_block_down(emitter *e);
/* --- nans.c: once all is inlined; what nobody needs any more is still there. --- */
void jit_delay_nans(const ls_llvm *L, value function, LLVMBuilderRef at);
/* --- emit_memory.c --- */
void jit_emit_access(emitter *e, uint32_t k);
/* At the start of a block: whether all its warps are within the ranges of their accesses. */
void jit_look_at_block(emitter *e);
/* --- emit_atomic.c: false where it is left to the interpreter's operation. --- */
bool jit_emit_atomic(emitter *e, uint32_t k);
/* Where code for the block goes; from then on there is some. */
LLVMBasicBlockRef jit_block_of(emitter *e, uint32_t n);
/* --- emit.c: the function of a plan; NULL where it cannot be made. --- */
value jit_emit_function(emitter *e, const char *name);

#endif
