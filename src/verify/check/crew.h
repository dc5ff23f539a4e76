/* Several threads at work on the obligations of one kernel (-j): each has a proof of its own, with its own
 * terms and its own solver; what they share is the list of what came of each obligation.
 *
 * An obligation has a key, made of where it stands among all of them and of what it is about: the proofs are
 * made the same way, and where one differs (it had less time for invariants), so do its keys. The crew
 * surveys the obligations: whoever comes first takes one, and notes whether it holds. What does not is looked
 * at again by one proof alone, made for it, in order, which is what is reported: so it does not matter who
 * was faster where. */
#ifndef LS_VERIFY_CHECK_CREW_H
#define LS_VERIFY_CHECK_CREW_H

#include "verify/proof.h"

typedef enum {
    LS_UNTRIED,
    LS_TAKEN,
    LS_HOLDS, /* and needs the assumptions that come with it */
    LS_FAILS, /* there is a model */
    LS_OPEN   /* the solver gave up */
} ls_outcome;

typedef struct {
    uint8_t outcome;
    ls_assumed assumed;
    bool wants_invariants;
    ls_solve_stats stats; /* what it took */
} ls_obligation;

typedef struct ls_crew ls_crew;

/* A proof's part in the work. */
typedef struct {
    ls_crew *crew; /* what several threads have found out, or NULL … */
    bool survey;   /* … and this one is at it, and reports nothing */
    bool first;    /* it began the survey; it can go on where all obligations hold … */
    bool again;    /* … and else another is to be made, with what they have found out */
} ls_turn;

ls_turn *ls_turn_of(const ls_proof *p);

ls_crew *ls_crew_new(void);
void ls_crew_free(ls_crew *crew);

/* The obligation is untried, and now taken by the caller, who gives back what came of it. */
bool ls_crew_take(ls_crew *crew, uint64_t key);
void ls_crew_give(ls_crew *crew, uint64_t key, const ls_obligation *done);
/* What came of it; untried where nobody came to it. */
ls_obligation ls_crew_look(ls_crew *crew, uint64_t key);
/* A key with one more number in it. */
uint64_t ls_crew_key(uint64_t key, uint64_t number);

/* What a proof has assumed and counted, to be told apart from what an obligation adds to it. */
ls_obligation ls_obligation_begin(ls_proof *p);
/* … which is put together with what was there before. */
void ls_obligation_end(ls_proof *p, const ls_obligation *before, ls_answered answer, ls_obligation *done);
/* The proof has what was found out by others. */
void ls_obligation_adopt(ls_proof *p, const ls_obligation *done);

#endif
