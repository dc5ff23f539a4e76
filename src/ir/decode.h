/* What the walk over a function's statements (decode.c), the decoding of operands (operands.c) and of symbols
 * (symbols.c) share. */
#ifndef LS_IR_DECODE_H
#define LS_IR_DECODE_H

#include "ir/private.h"

/* One function that is being decoded: the one asked for, or a callee that is expanded in place. Every frame
 * has registers, labels and private objects of its own. */
typedef struct frame frame;
struct frame {
    const ls_ptx_function *function;
    frame *caller; /* NULL: the function asked for */
    const ls_place *called_at;
    uint32_t *registers; /* by symbol->index: first IR register, or LS_IR_NONE */
    uint32_t *labels;    /* by symbol->index: IR label, or LS_IR_NONE */
    ls_intmap objects;   /* symbol → object id: parameters, .local and .param variables */
    uint32_t return_label;
    uint32_t skip_label;           /* behind a guarded call */
    const ls_ptx_operand *results; /* of the call: actual result operands, for results in registers */
    uint32_t result_count;
    struct choice *choice;      /* it is one of several that a call through a register may mean */
    const ls_ptx_stmt *promise; /* a call of __ensures in it, or NULL */
    const ls_ptx_loc *last_loc; /* cache of the inlined_at chain */
    const ls_place *last_at;
};

typedef struct {
    ls_ir_function *f;
    frame *frame;                   /* innermost */
    ls_intmap statics;              /* symbol → object id: one object for all that name it */
    ls_intmap strays;               /* registers that stand outside of functions: symbol → IR register */
    LS_VEC(ls_ir_operand) dst, src; /* of the current instruction */
    uint32_t expanded; /* calls so far: they count as instructions, as one may leave none behind */
} decoder;

uint32_t decode_register(decoder *d, const ls_ptx_symbol *symbol, uint32_t element);
uint32_t decode_object(decoder *d, const ls_ptx_symbol *symbol);
uint32_t decode_label(decoder *d, const ls_ptx_symbol *symbol);
uint32_t new_label(decoder *d, const char *name);
/* It stands in front of the next instruction. */
void place_label(decoder *d, uint32_t label);
/* Of a statement with an instruction, and of the calls that it was inlined by. */
const ls_place *decode_position(decoder *d, const ls_ptx_stmt *stmt);

/* Fills d->dst and d->src from an instruction's operands by the table's signature. */
void decode_operands(decoder *d, const ls_ptx_instr *ast, ls_ir_instr *out);
/* "r+1" as a number, or such parts: ptxas adds, no compiler writes it, and it is not modelled. In an address
 * it is. */
bool ir_is_sum(const ls_ptx_operand *ast);
/* One scalar operand with the type in force (NONE: its own). */
ls_ir_operand decode_scalar(decoder *d, const ls_ptx_operand *ast, ls_ptx_type type, const ls_ptx_form *form);
/* d->dst and d->src become the instruction's. */
void take_operands(decoder *d, ls_ir_instr *instr);

#endif
