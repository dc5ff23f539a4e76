/* Blocks of which only the kind of their size is known, one size after the other. */
#ifndef LS_VERIFY_QUERY_BLOCKS_H
#define LS_VERIFY_QUERY_BLOCKS_H

#include "lockstep/verify.h"

/* A proof for every block that the assumptions and the facts of the launch allow, where those are powers of
 * two: each of them is verified by itself. NULL where the block may be another one, or one of them is not
 * proved. What it took, proved or not, is added to *effort. */
ls_verify_result *ls_verify_by_blocks(const ls_ir_function *kernel, const ls_verify_options *options,
                                      double *effort);

#endif
