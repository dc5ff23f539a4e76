/* Answers of one solver to queries that are asked again: accesses of a kernel to several arrays at one index,
 * or by several instructions, are the same question of terms. */
#ifndef LS_SOLVE_KNOWN_H
#define LS_SOLVE_KNOWN_H

#include "solve/terms.h"

typedef enum { LS_UNSAT, LS_SAT, LS_UNDECIDED } ls_answered;

typedef struct {
    ls_arena arena;
    ls_intmap first; /* by hash: the last of those that have it */
    ls_term_list sorted;
} ls_known;

/* A query, and how it is asked: what another way of asking has left open may have an answer here. */
typedef struct {
    const ls_term_list *query;
    uint32_t way;
} ls_asked;

/* The answer; with LS_SAT, the values of the model are added to `model`, which must be empty. False if the
 * answer is not known yet. */
bool ls_known_find(ls_known *known, ls_asked asked, ls_answered *answer, ls_intmap *model);
/* A query that has no answer yet. */
void ls_known_add(ls_known *known, ls_asked asked, ls_answered answer, const ls_intmap *model);
void ls_known_free(ls_known *known);

#endif
