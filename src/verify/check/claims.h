/* Assertions, preconditions and invariants stated in the kernel. */
#ifndef LS_VERIFY_CHECK_CLAIMS_H
#define LS_VERIFY_CHECK_CLAIMS_H

#include "verify/proof.h"

void ls_keep_claim(ls_proof *p, ls_claim claim);
void ls_check_claims(ls_proof *p);
/* "assertion", "invariant", … */
const char *ls_claim_name(const ls_claim *claim);
bool ls_speaks_of_other(ls_terms *t, const ls_term *holds);
/* All threads of a block reach the block together. */
bool ls_reached_together(const ls_proof *p, const ls_ir_block *block);

#endif
