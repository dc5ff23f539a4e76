/* What is wrong with a candidate: one entry for each kind and line, with how often. */
#ifndef LS_GATE_PROBLEMS_H
#define LS_GATE_PROBLEMS_H

#include "lockstep/finding.h"

#include <jansson.h>

/* Adds one, found in that case (its number); where the same was found before, that one counts one more. */
void ls_gate_problem(json_t *list, json_int_t number, const char *kind, const ls_place *place,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* How many there are, each as often as it was found. */
json_int_t ls_gate_problem_count(const json_t *list);
/* The kind for a rule; NULL: it is no problem of this sort. */
const char *ls_gate_kind(ls_rule rule);

#endif
