/* Whether a condition leaves out what went wrong: of the conditions that a contract may be made of, only
 * those are worth a proof that none of the executions found so far satisfies. */
#ifndef LS_VERIFY_QUERY_EXCLUDE_H
#define LS_VERIFY_QUERY_EXCLUDE_H

#include "verify/proof.h"

/* No error of the result happens where all the conditions hold, as far as its witness tells. */
bool ls_excludes_all(const ls_ir_function *kernel, const ls_verify_options *options,
                     const ls_verify_result *result, const char *const *conditions, uint32_t count);

#endif
