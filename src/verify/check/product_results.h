/* That results of matrix products are used behind the wait for them (product_results.c). */
#ifndef LS_VERIFY_CHECK_PRODUCT_RESULTS_H
#define LS_VERIFY_CHECK_PRODUCT_RESULTS_H

#include "verify/check/ticket_sites.h"

/* False with trouble where it is not so. */
bool ls_check_results(ls_protocol *x);

#endif
