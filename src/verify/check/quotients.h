/* Proofs that two accesses never overlap in kernels that split an index into digits (quotients.c). */
#ifndef LS_VERIFY_CHECK_QUOTIENTS_H
#define LS_VERIFY_CHECK_QUOTIENTS_H

#include "verify/proof.h"

/* Two accesses by different threads, of one block or of two, never meet. */
bool ls_apart_by_quotients(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

#endif
