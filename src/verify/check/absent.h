/* What is claimed of threads that are not there (absent.c). */
#ifndef LS_VERIFY_CHECK_ABSENT_H
#define LS_VERIFY_CHECK_ABSENT_H

#include "verify/proof.h"

typedef LS_VEC(ls_claim) ls_claims;

/* The claims that a claim about all threads (__global_…) is for those that do not reach it: one for each
 * branch at which threads part. false: what it says of them is not known. */
bool ls_absent_claims(ls_proof *p, const ls_claim *claim, ls_claims *out);

#endif
