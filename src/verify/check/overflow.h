/* Index arithmetic without overflow, where that may be assumed (contract.c). */
#ifndef LS_VERIFY_CHECK_OVERFLOW_H
#define LS_VERIFY_CHECK_OVERFLOW_H

#include "verify/proof.h"

/* the address as it is where index arithmetic does not overflow, and the claims that it does not.
 */
const ls_term *ls_without_overflow(ls_terms *t, const ls_term *address, ls_term_list *claims);

#endif
