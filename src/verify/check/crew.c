/* What the threads at work on one kernel share (crew.h). */
#include "verify/check/crew.h"
#include "base/recover.h"

#include <pthread.h>

struct ls_crew {
    pthread_mutex_t lock;
    ls_intmap places; /* by key: index in all */
    LS_VEC(ls_obligation) all;
    double left; /* seconds */
    bool in_vain;
};

ls_crew *ls_crew_new(double seconds) {
    ls_crew *crew = ls_xmalloc(sizeof *crew);
    memset(crew, 0, sizeof *crew);
    crew->left = seconds;
    pthread_mutex_init(&crew->lock, NULL);
    return crew;
}

void ls_crew_free(ls_crew *crew) {
    if (!crew) return;
    pthread_mutex_destroy(&crew->lock);
    ls_intmap_free(&crew->places);
    LS_VEC_FREE(&crew->all);
    free(crew);
}

/* With the lock. */
static ls_obligation *find(ls_crew *crew, uint64_t key) {
    bool is_new;
    uint64_t *place = ls_intmap_at(&crew->places, key, &is_new);
    if (is_new) {
        ls_obligation untried = {0};
        *place = crew->all.length;
        LS_VEC_PUSH(&crew->all, untried);
    }
    return &crew->all.items[*place];
}

bool ls_crew_take(ls_crew *crew, uint64_t key) {
    ls_lock(&crew->lock);
    ls_obligation *o = find(crew, key);
    bool untried = o->outcome == LS_UNTRIED && !crew->in_vain;
    if (untried) o->outcome = LS_TAKEN;
    ls_unlock(&crew->lock);
    return untried;
}

void ls_crew_give(ls_crew *crew, uint64_t key, const ls_obligation *done) {
    ls_lock(&crew->lock);
    *find(crew, key) = *done;
    crew->left -= done->seconds;
    crew->in_vain |= done->outcome != LS_HOLDS || crew->left < 0;
    ls_unlock(&crew->lock);
}

bool ls_crew_is_in_vain(ls_crew *crew) {
    ls_lock(&crew->lock);
    bool in_vain = crew->in_vain;
    ls_unlock(&crew->lock);
    return in_vain;
}

ls_obligation ls_crew_look(ls_crew *crew, uint64_t key) {
    ls_lock(&crew->lock);
    ls_obligation found = *find(crew, key);
    ls_unlock(&crew->lock);
    return found;
}

/* Steele, Lea and Flood's SplitMix64. */
static uint64_t mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* The key is mixed before the number comes to it: of two small ones, 3 and 1 must not be what 2 and 0 are. */
uint64_t ls_crew_key(uint64_t key, uint64_t number) {
    return mix(mix(key) ^ number);
}

/* --- A proof's part --------------------------------------------------------------------------------------
 */

static const ls_part TURN = {sizeof(ls_turn), NULL};

ls_turn *ls_turn_of(const ls_proof *p) {
    return ls_part_of(p, &TURN);
}

/* --- What an obligation adds -----------------------------------------------------------------------------
 */

/* Adds the counts of one to another's, or takes them away. */
static void count(ls_solve_stats *to, const ls_solve_stats *what, bool less){
#define LS_SOLVE_ADD(field, text) to->field = less ? to->field - what->field : to->field + what->field;
    LS_SOLVE_STATS(LS_SOLVE_ADD)
#undef LS_SOLVE_ADD
}

ls_obligation ls_obligation_begin(ls_proof *p) {
    ls_obligation before = {.assumed = p->assumed,
                            .wants_invariants = p->wants_invariants,
                            .stats = p->solver.stats,
                            .seconds = ls_solver_now(&p->solver)};
    p->assumed = 0;
    p->wants_invariants = false;
    return before;
}

static void put_together(ls_proof *p, const ls_obligation *o) {
    p->assumed |= o->assumed;
    p->wants_invariants |= o->wants_invariants;
}

void ls_obligation_end(ls_proof *p, const ls_obligation *before, ls_answered answer, ls_obligation *done) {
    *done = (ls_obligation){.outcome = answer == LS_UNSAT ? LS_HOLDS : LS_TAKEN,
                            .seconds = ls_solver_now(&p->solver) - before->seconds,
                            .assumed = p->assumed,
                            .wants_invariants = p->wants_invariants,
                            .stats = p->solver.stats};
    count(&done->stats, &before->stats, true);
    put_together(p, before);
}

void ls_obligation_adopt(ls_proof *p, const ls_obligation *done) {
    put_together(p, done);
    count(&p->solver.stats, &done->stats, false);
    p->solver.spent += done->seconds;
}
