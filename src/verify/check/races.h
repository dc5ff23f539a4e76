/* Data races (000, Definition 4.1). */
#ifndef LS_VERIFY_CHECK_RACES_H
#define LS_VERIFY_CHECK_RACES_H

#include "verify/proof.h"

void ls_check_races(ls_proof *p);
/* An object that both accesses may be to; NULL if there is none. */
const ls_ir_base *ls_common_base(const ls_proof *p, const ls_event *a, const ls_event *b);
/* The distance of two addresses, as many bits as the narrower one has. */
const ls_term *ls_distance(ls_terms *t, const ls_term *x, const ls_term *y);
/* The two accesses have a byte in common; d is the distance of their addresses. */
const ls_term *ls_overlap(ls_terms *t, const ls_term *d, uint64_t size1, uint64_t size2);
/* How many obligations there are for which a solver is needed; there may be more where they are enough. */
uint32_t ls_count_races(ls_proof *p, uint32_t enough);

#endif
