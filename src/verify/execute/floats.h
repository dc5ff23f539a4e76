/* Floating point, as far as it is exact. */
#ifndef LS_VERIFY_EXECUTE_FLOATS_H
#define LS_VERIFY_EXECUTE_FLOATS_H

#include "verify/proof.h"

/* That the two are equal; conversions are where the integers are, if these all fit. */
const ls_term *ls_equal_values(ls_proof *p, const ls_term *a, const ls_term *b);

#endif
