/* Queries that are linear over integers, decided without a solver. */
#ifndef LS_SOLVE_LINEAR_H
#define LS_SOLVE_LINEAR_H

#include "solve/solve.h"

/* Whether the conjuncts can all hold. What is no sum, comparison, choice, or quotient by a number is taken
 * for any number in its range (of products, and of the bits of two numbers, some inequalities are known), so
 * that LS_UNSAT is certain; LS_SAT comes with a model of the solver, which was checked exactly. Without
 * `models`, nothing is done to find one. */
ls_answered ls_linear(ls_solver *solver, const ls_term_list *query, bool models);

#endif
