/* Several threads at work on the obligations of one kernel (-j): each has a proof of its own, with its own
 * terms and its own solver; what they share is the list of what came of each obligation.
 *
 * An obligation has a key, made of where it stands among all of them and of what it is about: the proofs are
 * made the same way, and where one differs (it had less time for invariants), so do its keys. The crew
 * surveys the obligations: whoever comes first takes one, and notes whether it holds. Where all of them do,
 * and easily, that is the proof. Where one does not, or not soon, the survey is over and forgotten: the
 * kernel is verified by one thread alone, as with -j 1, so that it does not matter who was faster where. */
#ifndef LS_VERIFY_CHECK_CREW_H
#define LS_VERIFY_CHECK_CREW_H

#include "verify/proof.h"

typedef enum {
    LS_UNTRIED,
    LS_TAKEN,
    LS_HOLDS /* and needs the assumptions that come with it */
} ls_outcome;

typedef struct {
    uint8_t outcome;
    ls_assumed assumed;
    bool wants_invariants;
    ls_solve_stats stats; /* what it took … */
    double seconds;       /* … in the solver's own time */
} ls_obligation;

typedef struct ls_crew ls_crew;

/* A proof's part in the work. */
typedef struct {
    ls_crew *crew; /* what several threads have found out, or NULL … */
    bool survey;   /* … and this one is at it, and reports nothing */
    bool first;    /* it began the survey; it can go on where all obligations hold … */
    bool again;    /* … and else another is to be made … */
    bool alone;    /* … which begins none */
} ls_turn;

ls_turn *ls_turn_of(const ls_proof *p);

/* For obligations that take no more than this together, in the solver's own time. */
ls_crew *ls_crew_new(double seconds);
void ls_crew_free(ls_crew *crew);

/* The obligation is untried, and now taken by the caller, who gives back what came of it: LS_HOLDS, or that
 * the survey is in vain. */
bool ls_crew_take(ls_crew *crew, uint64_t key);
void ls_crew_give(ls_crew *crew, uint64_t key, const ls_obligation *done);
bool ls_crew_is_in_vain(ls_crew *crew);
/* What came of it; untried where nobody reached it. */
ls_obligation ls_crew_look(ls_crew *crew, uint64_t key);
/* A key with one more number in it. */
uint64_t ls_crew_key(uint64_t key, uint64_t number);

/* What a proof has assumed and counted so far, so that what an obligation adds to it can be distinguished. */
ls_obligation ls_obligation_begin(ls_proof *p);
/* … which is put together with what was there before. */
void ls_obligation_end(ls_proof *p, const ls_obligation *before, ls_answered answer, ls_obligation *done);
/* The proof has what was found out by others. */
void ls_obligation_adopt(ls_proof *p, const ls_obligation *done);

#endif
