/* A query as a conjunction, before any solver is asked. */
#ifndef LS_SOLVE_NORMAL_H
#define LS_SOLVE_NORMAL_H

#include "solve/solve.h"

/* Adds the conjuncts of a term; false where it is false. */
bool ls_add_conjunct(ls_term_list *out, const ls_term *t);
/* Substitutes what is known to be constant; false where the query became false. */
bool ls_propagate(ls_solver *s, ls_term_list *query);
/* Takes away what both sides of an equation have; false where the query became false. */
bool ls_shorten_equations(ls_solver *s, ls_term_list *query);
/* Puts what is exchanged with in terms of who exchanges; false where the query became false. */
bool ls_solve_exchange(ls_solver *s, ls_term_list *query);
/* Adds what all arms of a disjunction say. */
void ls_add_necessary(ls_term_list *query);
/* It says t and not t, or of a difference what it cannot be. */
bool ls_contradicts(const ls_term_list *query);
/* The solver's model satisfies it, exactly. */
bool ls_model_holds(ls_solver *s, const ls_term_list *query);

#endif
