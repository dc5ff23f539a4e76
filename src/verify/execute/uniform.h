/* Which values the threads of a block agree on, where they are at the same point in the same iterations. */
#ifndef LS_VERIFY_EXECUTE_UNIFORM_H
#define LS_VERIFY_EXECUTE_UNIFORM_H

#include "verify/proof.h"

void ls_find_uniform(ls_proof *p);
/* Every branch that decides whether (and how often) a block is executed. */
void ls_control_closure(const ls_proof *p, const ls_ir_block *block, bool *branches);

#endif
