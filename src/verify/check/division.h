/* Integer division by zero, where it is asked for (--div0). */
#ifndef LS_VERIFY_CHECK_DIVISION_H
#define LS_VERIFY_CHECK_DIVISION_H

#include "verify/proof.h"

typedef struct { /* a division in the arbitrary iteration */
    const ls_ir_instr *instr;
    const ls_node *node;
    const ls_term *when, *divisor;
} ls_division;

void ls_keep_division(ls_proof *p, ls_division division);
void ls_check_divisions(ls_proof *p);

#endif
