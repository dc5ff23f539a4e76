/* What each decoded instruction reads and writes, and what becomes of it in compiled code. */
#ifndef LS_JIT_EFFECTS_H
#define LS_JIT_EFFECTS_H

#include "emulate/code.h"

/* What becomes of an instruction. */
typedef enum {
    DO_STOP, /* left to the interpreter: compiled code ends in front of it */
    DO_CALL, /* its operation is called, and goes on behind itself */
    DO_NOTHING,
    DO_ROW,    /* a vector loop of ops.def */
    DO_SELECT, /* the written-out ones of ops.def */
    DO_PREDICATE,
    DO_LOGIC,
    DO_PACK,
    DO_UNPACK,
    DO_SUM,
    DO_ACCESS, /* a load or store that is not checked for races */
    DO_FENCES, /* which memory the barrier that follows orders */
    DO_ACROSS, /* between lanes: where all are there, it is called; else left to the interpreter */
    DO_GUARD,
    DO_BRANCH,
    DO_JUMP,
    DO_RECONVERGE,
} deed;

enum { MOST_OPERANDS = 28 }; /* of a matrix product: 25 */
typedef struct {
    uint8_t deed;
    bool unknown; /* it may read and write any row */
    bool slow;    /* DO_ROW: called where it is not the same for all lanes */
    bool guarded; /* behind a guard: lanes that it is not for keep what they have */
    uint8_t read_count, write_count;
    operand reads[MOST_OPERANDS], writes[MOST_OPERANDS];
} effect;

/* `fn`: the instruction's own operation. */
void jit_effect(const insn *i, exec_fn fn, effect *e);

/* The vector loops of ops.def that are one expression. */
typedef struct {
    const char *name;
    uint8_t sources, result, source[3]; /* widths */
} lane_op;
extern const lane_op jit_lane_ops[LANE_COUNT];

#endif
