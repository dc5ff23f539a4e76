/* Source text that nvcc takes and clang does not, written as clang takes it. */
#ifndef LS_FRONTEND_REWRITE_H
#define LS_FRONTEND_REWRITE_H

#include "frontend/command.h"

/* __shared__ alignas(16) float tile[64]: C++ has alignas before the attributes that __shared__ and its like
 * are. False where the text has none of it. */
bool ls_rewrite_alignas(ls_job *job);
/* asm("mov.u64 %0, %globaltimer;" : "=l"(t)), where clang asks for %%globaltimer, and operands without a
 * comma between them. False where the text has none of it. */
bool ls_rewrite_assembly(ls_job *job);
/* kernel << <grid, block>> >(x), with blanks between the brackets of a launch. False where the text has none
 * of it. */
bool ls_rewrite_launches(ls_job *job);

#endif
