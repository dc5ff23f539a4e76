/* Claims about the accesses made so far (logs.c). */
#ifndef LS_VERIFY_CHECK_LOGS_H
#define LS_VERIFY_CHECK_LOGS_H

#include "verify/proof.h"

typedef struct { /* the key of a symbol of kind LS_SYM_LOG */
    const ls_ir_base *base;
    bool writes, offset;
} ls_log;

/* The result of __read, __write, …; NULL where it is not known which object is meant. */
const ls_term *ls_log_value(ls_state *s, const ls_ir_instr *call, uint32_t width);
bool ls_speaks_of_log(ls_terms *terms, const ls_term *holds);
/* What the claim says of this access alone in the log; NULL: it mentions others. */
const ls_term *ls_log_of_one(ls_proof *p, const ls_term *holds, const ls_event *e);
void ls_check_log_claim(ls_proof *p, const ls_claim *claim);

#endif
