/* What the compiler knows of a stream of decoded instructions before it makes code: the rows (slots of
 * registers) that they read and write, basic blocks, which rows are live where (plan.c), and how the lanes of
 * each row lie to each other at the start of each block (shapes.c). */
#ifndef LS_JIT_PLAN_H
#define LS_JIT_PLAN_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/map.h"
#include "emulate/compiled.h"
#include "jit/effects.h"

/* A row of the frame. */
typedef struct {
    uint32_t slot;
    uint8_t width;
    bool written;  /* by an instruction of the stream */
    bool loaded;   /* it depends on what is in memory, or on other lanes */
    bool whole;    /* as in the interpreter, lanes that do not run get it, too: others may read it of them */
    bool constant; /* all lanes are always … */
    uint64_t bits; /* … this */
    int32_t shape; /* of one that is not written */
} row;

/* How the lanes of a row lie to the first one: VARYING, or a number of a vector of distances; 0: all are
 * equal. UNSEEN: no execution was looked at yet. */
enum { SHAPE_UNSEEN = -2, SHAPE_VARYING = -1, SHAPE_UNIFORM = 0 };

/* What a lane computes of rows that no instruction writes: one of them, or an operation on such expressions.
 */
enum { EXPRESSION_UNSEEN = -2, EXPRESSION_OTHER = -1 };
typedef struct {
    uint32_t op, with; /* ls_lane_op, 0: the row `with`; of a sum: the block's value */
    int32_t of[3];
} expression;

typedef struct {
    uint32_t first, end;         /* instructions */
    LS_VEC(uint32_t) successors; /* blocks */
    uint32_t reconverge; /* block where the lanes meet again if they part at its end; NO_SLOT: they do not */
    bool diverges;       /* they may */
    bool reached;
    bool is_head;        /* the interpreter enters here … */
    bool is_masked_head; /* … with some lanes, at least */
    int32_t *in;         /* by row: shape at its start */
    int32_t *has;        /* by row: an expression that each lane has at its start, if there is one */
    ls_bitset forced;    /* rows that differ between the lanes that meet at its start, … */
    ls_bitset mixed;     /* … and those that do unless all have one expression */
    ls_bitset live;      /* rows at its start */
    ls_bitset written;   /* rows */
} basic_block;

typedef struct {
    ls_arena arena;
    compiled *of;
    const code *code;
    const insn *insns;
    uint32_t insn_count;
    LS_VEC(row) rows;
    ls_intmap row_of;   /* slot → its number among them */
    effect *effects;    /* by instruction */
    uint32_t *block_of; /* by instruction: 1 + the number of the block that begins there, or 0 */
    LS_VEC(basic_block) blocks;
    uint32_t entry;           /* the one that the kernel starts with */
    LS_VEC(int64_t *) shapes; /* vectors of CHUNK distances */
    uint32_t *sources; /* by barrier of all warps: 1 + the only head that it is reached from by compiled code,
                          or NO_SLOT; NULL: there are no such barriers */
    LS_VEC(expression) expressions;
    uint32_t checks, memory_sites;
    uint32_t block_width; /* threads in x */
    const char *refused;  /* why it cannot be compiled, or NULL */
} jit_plan;

/* plan.c */
jit_plan *jit_plan_new(compiled *c, const block_run *b);
void jit_plan_free(jit_plan *p);
uint32_t jit_row(const jit_plan *p, uint32_t slot);
uint32_t jit_block_at(const jit_plan *p, const insn *i);
/* A branch whose sides are few plain instructions, each on one way to where the lanes meet. */
bool jit_has_short_sides(const jit_plan *p, uint32_t k);
/* A branch back to the start of its own block, of few plain instructions, that lanes which leave the loop
 * wait behind. */
bool jit_is_own_loop(const jit_plan *p, uint32_t k);
/* The block behind a barrier of all warps at which compiled code goes on by itself; NULL: it does not. */
const basic_block *jit_behind_barrier(const jit_plan *p, uint32_t k);
/* A row of which only the first lane is kept at such a barrier. */
bool jit_is_kept(const jit_plan *p, const basic_block *behind, uint32_t r);
/* A row of a head whose distances hold where nothing overflowed that was extended. */
bool jit_is_doubted(const jit_plan *p, const basic_block *b, uint32_t r);
/* The rows that are live in front of each instruction of the block: one set for each, in a vector. */
ls_bitset *jit_live_in_block(jit_plan *p, ls_arena *arena, const basic_block *b);
/* expressions.c */
void jit_find_expressions(jit_plan *p);
/* shapes.c */
void jit_find_shapes(jit_plan *p, const block_run *b);
int32_t jit_shape(jit_plan *p, const int64_t *offsets);
/* The shape of each row that the instruction writes is put into the state (by row). */
/* guard: the shape of the guard in front, where there is one. */
void jit_transfer(jit_plan *p, uint32_t k, int32_t *state, int32_t guard);
int32_t jit_join(int32_t a, int32_t b);
/* The shape of an instruction's result. *checked: it holds if the sums in its source of 32 bits do not
 * overflow, as they are extended. */
typedef enum { EXTEND_NOT, EXTEND_SIGNED, EXTEND_UNSIGNED } extension;
int32_t jit_result_shape(jit_plan *p, uint32_t k, const int32_t *state, extension *checked);

#endif
