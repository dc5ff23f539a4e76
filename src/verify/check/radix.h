/* Accesses told apart without a solver. */
#ifndef LS_VERIFY_CHECK_RADIX_H
#define LS_VERIFY_CHECK_RADIX_H

#include "verify/proof.h"

/* two accesses by different threads, of one block or of two, are apart by their normal forms. */
void ls_split_address(ls_proof *p, ls_event *event);
bool ls_apart_by_radix(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);
bool ls_apart_by_rows(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

#endif
