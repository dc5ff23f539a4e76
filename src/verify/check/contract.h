/* Whether something may be assumed of an access (contract.c). */
#ifndef LS_VERIFY_CHECK_CONTRACT_H
#define LS_VERIFY_CHECK_CONTRACT_H

#include "verify/proof.h"

typedef enum {
    LS_DISCHARGED, /* it holds of every thread that makes the access */
    LS_CONTRACT,   /* for some values of what is left open */
    LS_UNCLEAR,    /* it is not known whether for some: it is not assumed, nor held against the kernel */
    LS_BROKEN      /* for none: it is not assumed */
} ls_standing;

/* Of `holds`, a predicate of a thread that makes the access. */
ls_standing ls_standing_of(ls_proof *p, const ls_event *e, const ls_term *holds);
/* overflow.c: the same of its index arithmetic: that it does not overflow; never LS_UNCLEAR. */
ls_standing ls_overflow_standing(ls_proof *p, const ls_event *e);
/* It may be assumed that index arithmetic of neither overflows, and from now on is. */
bool ls_may_not_overflow(ls_proof *p, const ls_event *a, const ls_event *b);

#endif
