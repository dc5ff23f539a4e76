/* What Z3 has said before, by the content of what it was asked: several proofs are made of one kernel (with
 * invariants, under contracts, for likely launches), each with terms of its own, and many of their queries
 * are the same but for the names of symbols. */
#ifndef LS_SOLVE_RECALL_H
#define LS_SOLVE_RECALL_H

#include "base/map.h"
#include "base/vec.h"
#include "solve/terms.h"

#include <z3.h>

typedef struct ls_recall ls_recall; /* for one thread at a time */

ls_recall *ls_recall_new(void);
void ls_recall_free(ls_recall *recall);

/* A query as numbers: the terms that the encodings look at, operands first, with their ranges. Symbols are
 * told apart by where they come first, and so are functions of which nothing is known. */
typedef struct {
    LS_VEC(uint64_t) words;
    ls_term_list leaves; /* in their order */
    uint64_t hash;
} ls_content_key;

/* `how`: of the call; another one may have another answer. */
void ls_content_make(ls_content_key *key, const ls_term_list *query, uint64_t how);
void ls_content_free(ls_content_key *key);

typedef struct {
    Z3_lbool answer;
    bool exact;   /* nothing was abstracted */
    unsigned ms;  /* that the call was given */
    double spent; /* seconds of the solver's own time that it took */
} ls_recalled;

/* What a call that is given so many milliseconds says; with Z3_L_TRUE its model is added to `model`, which
 * must be empty. False: that is not known. */
bool ls_recall_find(ls_recall *recall, const ls_content_key *key, unsigned ms, ls_recalled *out,
                    ls_intmap *model);
void ls_recall_add(ls_recall *recall, const ls_content_key *key, const ls_recalled *said,
                   const ls_intmap *model);

#endif
