/* A query by a join: two threads meet where something of the one equals something of the other, or is near
 * it. Where each side depends on symbols with few values (the thread's index in a block of known size, rounds
 * of short loops), the values of one side are put into a table and those of the other are looked up in it. */
#ifndef LS_SOLVE_JOIN_H
#define LS_SOLVE_JOIN_H

#include "solve/solve.h"

/* LS_UNSAT: the two sides never meet where what else is known of them holds; else LS_UNDECIDED. Computes not
 * many more than `work` terms, which becomes what is left of them. */
ls_answered ls_join(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count, uint64_t *work);

#endif
