/* How a kernel uses a parameter: what meets it that is not a constant. */
#ifndef LS_VERIFY_QUERY_MET_H
#define LS_VERIFY_QUERY_MET_H

#include "lockstep/ir.h"

typedef enum {
    LS_MET_FACTOR,  /* something is multiplied by it, as by the length of a row */
    LS_MET_MASK,    /* it masks something */
    LS_MET_COMPARED /* something is compared with it */
} ls_meeting;

/* A number that is written in the kernel. */
bool ls_is_fixed(const ls_ir_operand *o);
/* Something that is not a constant meets the parameter so, or a sum with it, or a part of it. */
bool ls_is_met(const ls_ir_function *f, uint32_t parameter, ls_meeting how);

#endif
