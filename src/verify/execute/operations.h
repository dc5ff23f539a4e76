/* What instructions compute, as terms of their operands (operations.c). */
#ifndef LS_VERIFY_EXECUTE_OPERATIONS_H
#define LS_VERIFY_EXECUTE_OPERATIONS_H

#include "verify/execute/symbols.h"

typedef struct { /* an instruction with its operands */
    ls_state *s;
    ls_terms *t;
    const ls_ir_instr *i;
    const ls_term *src[8];
    uint32_t count;
    uint8_t type; /* first type of the form */
} ls_lowering;

/* Its result of that number; NULL: the table has no term for it. */
const ls_term *ls_operation(ls_lowering *l, uint32_t result);

#endif
