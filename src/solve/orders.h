/* Comparisons of a query that contradict each other. */
#ifndef LS_SOLVE_ORDERS_H
#define LS_SOLVE_ORDERS_H

#include "solve/solve.h"

/* The comparisons among the conjuncts never hold all at once, whatever the terms in them are that are not
 * sums. False: they may. */
bool ls_orders_contradict(const ls_term_list *query);

#endif
