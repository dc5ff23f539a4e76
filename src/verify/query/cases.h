/* Sizes of which only the kind is known, one after the other. */
#ifndef LS_VERIFY_QUERY_CASES_H
#define LS_VERIFY_QUERY_CASES_H

#include "lockstep/verify.h"

/* A proof for every launch that the assumptions and facts allow, where these say that the size of the block,
 * or an integer parameter, is a power of two: each of the powers is verified by itself. NULL where nothing is
 * said to be one, or a case is not proved. What it took, proved or not, is added to *effort. */
ls_verify_result *ls_verify_by_cases(const ls_ir_function *kernel, const ls_verify_options *options,
                                     double *effort);

#endif
