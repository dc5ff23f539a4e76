/* The part of a query that may be contradictory by itself. */
#ifndef LS_SOLVE_CORE_H
#define LS_SOLVE_CORE_H

#include "solve/solve.h"

/* Those conjuncts of a query that are left when, again and again, those are taken away that mention
 * something of which no other speaks: whatever the others say, that can mostly be chosen so that they hold.
 * Where the rest never holds, the query does not; where it does, nothing is said. False where nothing is
 * taken away that is hard for a solver, or nothing is left. */
bool ls_find_core(const ls_term_list *query, ls_term_list *core);

#endif
