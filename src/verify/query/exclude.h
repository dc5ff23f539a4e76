/* Whether a condition leaves out what went wrong: of the conditions that a contract may be made of, only
 * those are worth a proof that none of the executions found so far satisfies. */
#ifndef LS_VERIFY_QUERY_EXCLUDE_H
#define LS_VERIFY_QUERY_EXCLUDE_H

#include "verify/proof.h"

/* None of the executions happens where all the conditions hold, as far as they tell. */
bool ls_excludes_all(const ls_ir_function *kernel, const ls_verify_options *options,
                     const ls_verify_execution *const *executions, uint32_t execution_count,
                     const char *const *conditions, uint32_t count);
/* A copy of what matters for that. */
const ls_verify_execution *ls_keep_execution(ls_arena *arena, const ls_verify_execution *from);

#endif
