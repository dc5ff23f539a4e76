/* Calls of Z3: linear integers or bit-vectors, within so many of Z3's steps. */
#ifndef LS_SOLVE_CALL_H
#define LS_SOLVE_CALL_H

#include "solve/normal.h"
#include "solve/solve.h"

enum { LS_CALL_SLOW = 4 /* CPU time that a call may take, against what its steps should */ };

typedef struct {
    Z3_lbool (*check)(ls_encoding *);
    uint32_t level;     /* of lemmas */
    const char *tactic; /* of Z3; NULL: its solver */
    const char *kind;   /* for the name of a file */
    bool simplex;       /* is tried first */
} ls_strategy;

/* What Z3 says within `most` seconds, less where the solver has less; a model is in s->model, and has to be
 * checked. exact: NULL, or whether nothing was abstracted. */
Z3_lbool ls_call(ls_solver *s, const ls_term_list *query, const ls_strategy *by, double most, bool *exact);
/* No more calls. */
void ls_call_end(ls_solver *s);

static inline void ls_forget_model(ls_solver *s) {
    ls_intmap_free(&s->model);
    s->model = (ls_intmap){0};
}

#endif
