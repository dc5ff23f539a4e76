/* Kernels as machine code: how code that a compiler has made (src/jit) is entered and left. The machine and
 * its state stay the interpreter's: compiled code runs a warp from one of its heads, with all registers in
 * the warp's frame, and returns the instruction at which the interpreter goes on, with all that is still
 * needed in the frame again. Heads are instructions whose operation is replaced by the one that enters.
 *
 * What compiled code takes for granted of rows that no instruction writes (distances of lanes from the first
 * one) is looked at once for each warp: one that is otherwise is interpreted. */
#ifndef LS_EMULATE_COMPILED_H
#define LS_EMULATE_COMPILED_H

#include "emulate/machine.h"

/* An access of a kernel whose blocks follow each other (compiled->alone), by a row of addresses that stays as
 * it is: how far the lanes of a warp reach from the first one, and how far it is to the next warp's. */
typedef struct {
    uint32_t insn, slot, bytes;
    int64_t low, high, step;
} block_reach;
/* What all warps of a block reach by it: the first lane of the first one, the lowest address, both but for
 * what the block's place adds to it, and how many times `bytes` the highest is behind that. */
typedef struct {
    uint64_t first, low, places;
} block_range;
enum { MOST_REACHES = 8 };

/* An interval of a block whose warps are all whole (together.c): they go from the kernel's start or a barrier
 * for all of them to the next one or to the kernel's end, beginning with one of them and then in a circle.
 * The last one to come goes on as the first. */
typedef struct {
    warp *warps, *behind; /* of the block; behind the last one */
    uint32_t count, left; /* warps; those that have not reached the interval's end, but in compiled code */
    uint32_t ended;       /* its end is the kernel's … */
    const insn *end;      /* … or this barrier, where one has come */
    warp *first;          /* that began */
    uint32_t head;        /* 1 + the head of compiled code there, or 0 */
    uint32_t id;          /* of the barrier, where its number is not fixed */
    bool stopped;         /* the run is to end */
    bool noted;           /* barriers are: checkers look at them */
    uint32_t more;        /* blocks side by side that may follow at once (compiled->alone) … */
    warp *next;           /* … and the first warp that has not ended, of which nothing else tells then */
    uint64_t turn;        /* with which warp compiled code begins then */
    bool has_reached;     /* what all warps reach is known of all compiled->reaches */
    block_range *reached; /* MOST_REACHES */
    const insn *start;
    uint64_t entered; /* how many were run by compiled code */
    const compiled *code;
    worker *worker;
} interval;

/* Runs from a head; returns by which exit it was left, plus one (em_left). With an interval: from there on
 * all warps that are left of it, and the next ones; then the warp whose turn it is has left it, and 0 comes
 * when all have ended or the run is to be stopped. */
typedef uint32_t (*compiled_fn)(warp *w, const compiled *c, uint32_t entry, interval *t);
/* Called by compiled code when all warps have reached a barrier that is noted, and every so many barriers;
 * false: the run is to end. */
bool em_interval_over(interval *t);
/* Called by compiled code that has gone on with blocks, where the emulator goes on or its state is looked at:
 * which block this is, by its place in its row, how many may follow, and which warp is the first that has not
 * ended. Nothing without an interval. */
void em_put_block_down(interval *t, warp *next, uint32_t x, uint32_t more);
enum { LOOK_BARRIERS = 16 };

/* Of a row that no instruction writes. */
typedef struct {
    uint32_t slot;
    uint8_t width;
    int64_t offsets[CHUNK]; /* of the lanes from the first one */
} lane_shape;

/* A row that compiled code has as one value, which it puts down beside the others (worker->bases): its lanes
 * are at these distances from it. */
typedef struct {
    uint32_t slot;
    uint8_t width;
    bool whole; /* lanes that do not run get theirs, too */
    const int64_t *offsets;
} spread_row;

/* How compiled code is left: with these rows, at an instruction that the interpreter executes. */
typedef struct {
    const insn *at;
    exec_fn fn; /* its operation; NULL: who runs the block looks at it first */
    uint32_t count;
    const spread_row *rows;
} compiled_exit;

/* An operation of the interpreter's that compiled code calls, with these rows. */
typedef struct {
    exec_fn fn;
    const insn *at;
    uint32_t count;
    const spread_row *rows;
} compiled_call;
/* Behind a barrier of all warps, compiled code keeps rows whose lanes are at known distances by their first
 * lane alone. em_expand writes the others, where the interpreter goes on. */
typedef struct {
    uint32_t insn;
    bool masked_only;  /* only where some lanes run */
    exec_fn interpret; /* the operation itself */
    const insn
        *end; /* the barrier that all warps reach from here, if they reach any; NULL: there are several */
    lane_shape *kept;
    uint32_t kept_count;
    /* Rows whose distances hold where no sum of 32 bits that was extended overflowed, at which the
     * interpreter does not look: they are compared where compiled code is entered without an interval, and
     * where the next one is to begin. */
    lane_shape *doubted;
    uint32_t doubted_count;
} compiled_head;

/* Of an access by all lanes, at their known distances. */
typedef struct {
    uint32_t turns, ideal;
} plain_cost;

/* For warps of which all lanes run, and for others. */
enum { VARIANT_FULL, VARIANT_MASKED, VARIANTS };
/* What there is of a variant: code that is made quickly, or good code, which takes several times as long. */
typedef enum { CODE_NONE, CODE_QUICK, CODE_GOOD, CODE_KINDS } code_kind;
/* Exits and calls of code that was made quickly are told from those of good code by this bit of their
 * numbers. */
enum { QUICK_NUMBER = 1 << 30 };

struct compiled {
    insn *insns; /* of the stream */
    uint32_t insn_count;
    uint32_t *head_of; /* by instruction: 1 + its number among the heads, or 0 */
    compiled_head *heads;
    uint32_t head_count;
    lane_shape *shapes;
    uint32_t shape_count;
    bool changes;         /* of the warp: something beside its rows may, loops and calls do */
    const insn *alone;    /* nor do barriers, so that a block can follow another one: an end; NULL: they do */
    block_reach *reaches; /* at most MOST_REACHES, or none */
    uint32_t reach_count;
    plain_cost *costs; /* by memory site, of accesses that compiled code counts */
    /* By each: functions and tables, which stand elsewhere in every process. */
    const void **used[CODE_KINDS][VARIANTS];
    const compiled_exit *exits[CODE_KINDS][VARIANTS];
    const compiled_call *calls[CODE_KINDS][VARIANTS];
    _Atomic(compiled_fn) run[VARIANTS];
    _Atomic uint32_t kind[VARIANTS];   /* which that is */
    _Atomic uint32_t wanted[VARIANTS]; /* how often there was none, or no good one */
    atomic_bool failed[VARIANTS];
    atomic_bool kept[VARIANTS]; /* what was made quickly was on the disk: good code may be there, too */
    pthread_t thread;           /* that compiles, or has, beside those that run blocks */
    bool threaded;              /* there is one */
    int process;                /* … in this one: a child that it forks has none */
    atomic_bool busy;           /* it has not ended; the plan is its own until then */
    unsigned making;            /* which variant … */
    code_kind wish;             /* … and what of it */
    double seconds;             /* that were spent compiling … */
    uint32_t insns_made;        /* … so many instructions */
    const ls_emu_compiler *compiler;
    const char *message; /* why there is no code, or NULL */
    void *state;         /* the compiler's */
};

/* What compiles. `plan` is called with the machine's lock held, `make` by one thread at a time, and `free`
 * while nobody runs. */
struct ls_emu_compiler {
    /* Looks at the code of the block's kernel, and fills what is above but `run`; false where that cannot be.
     */
    bool (*plan)(compiled *c, const block_run *b);
    /* Makes one variant; fills in `kept`. */
    compiled_fn (*make)(compiled *c, unsigned variant, code_kind kind);
    void (*free)(compiled *c);
};

/* When a block has started: plans where that was asked for. */
void em_compile_block(block_run *b);
/* The variant's code for a warp, if there is any by now; it is made, or made better, where that is worth it:
 * every so many calls the clock is looked at. */
compiled_fn em_code_for(warp *w, compiled *c, unsigned variant, uint32_t every);
void em_forget_compiled(code *c);
enum { LOOK_BLOCKS = 16 }; /* … blocks between two looks at the clock */
/* Called by compiled code: one of its calls, for these lanes; 0: for those that run. */
void em_call_from_full(warp *w, const compiled *c, uint32_t call, uint32_t lanes);
void em_call_from_masked(warp *w, const compiled *c, uint32_t call, uint32_t lanes);
/* Adds up what accesses cost that were only counted. */
void em_add_costs(const machine *m);
/* What is to be told of it. */
void em_collect_compiled(const machine *m, ls_emu_result *r);
/* Whether the warp, which was interpreted, is as compiled code takes it to be in front of this instruction;
 * where it is not, it strays: the interpreter goes on with it to the end of the block. */
bool em_may_enter(warp *w, const compiled *c, const insn *at);
/* A warp has left compiled code by this exit: where the interpreter goes on. sure: all its rows are as
 * compiled code has them, those of lanes that do not run, too. */
const insn *em_left(warp *w, const compiled *c, unsigned variant, uint32_t exit, bool sure);
/* The warp is whole, and in front of this instruction. */
void em_expand(const warp *w, const compiled *c, const insn *at);
/* The operation that the instruction has when it is interpreted. */
exec_fn em_interpreted(const compiled *c, const insn *i);

#endif
