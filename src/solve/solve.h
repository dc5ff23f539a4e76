/* Deciding whether a conjunction of predicates over symbols can hold. In the order that was measured to
 * work: normal forms alone; linear integers without a solver (linear.c); a model by search (guess.c); all
 * values of symbols that have few, where they are soon computed (enumerate.c); linear integers with lemmas
 * for products (encode_int.c), which is exact but for symbolic products and bit tricks, as every possible
 * wrap-around is a variable of its own; exact evaluation of the model; case splits over symbols with few
 * values and over powers of two; bit-vectors (encode_bv.c); a portfolio of other strategies where there is
 * time. */
#ifndef LS_SOLVE_SOLVE_H
#define LS_SOLVE_SOLVE_H

#include "solve/known.h"
#include "solve/terms.h"

#include <stdatomic.h>
#include <time.h>
#include <z3.h>

/* X(field, text): how queries were answered, for --stats. */
#define LS_SOLVE_STATS(X)                                                                                    \
    X(queries, "queries")                                                                                    \
    X(by_known, "answered as the same query before")                                                         \
    X(by_radix, "answered by mixed radix")                                                                   \
    X(by_terms, "answered by normal forms")                                                                  \
    X(by_orders, "answered by adding up comparisons")                                                        \
    X(by_linear, "answered by linear integers without a solver")                                             \
    X(by_search, "answered by search for a model")                                                           \
    X(by_join, "answered by comparing the values of two threads")                                            \
    X(by_few, "answered by trying few values")                                                               \
    X(by_core, "answered by a part of the conditions")                                                       \
    X(by_integers, "answered by linear integers")                                                            \
    X(by_all, "answered by trying all values")                                                               \
    X(by_lemmas, "answered with further product lemmas")                                                     \
    X(by_values, "answered with chosen values of factors")                                                   \
    X(by_bits, "answered by bit-vectors")                                                                    \
    X(by_cases, "answered by case splits")                                                                   \
    X(by_powers, "answered by cases of powers of two")                                                       \
    X(by_portfolio, "answered by other strategies")                                                          \
    X(undecided, "undecided")

typedef struct {
#define LS_SOLVE_FIELD(field, text) uint32_t field;
    LS_SOLVE_STATS(LS_SOLVE_FIELD)
#undef LS_SOLVE_FIELD
} ls_solve_stats;

/* What is asked for: a model (by search alone, without a solver: LS_SAT or LS_UNDECIDED), a proof, or either,
 * perhaps after a search that was in vain; or only what its form tells, or what takes neither a search nor a
 * solver (LS_UNSAT or LS_UNDECIDED). */
typedef enum { LS_AIM_ANY, LS_AIM_MODEL, LS_AIM_PROOF, LS_AIM_SEARCHED, LS_AIM_FORM, LS_AIM_SOON } ls_aim;

/* Where the search for a model begins: with small numbers; with any that are in range; with zeroes for counts
 * of iterations and 2^16 for the rest, as sizes of arrays are. */
typedef enum { LS_FROM_SMALL, LS_FROM_ANY, LS_FROM_SIZES } ls_from;

/* How a query is asked. */
typedef struct {
    ls_aim aim;
    bool quick; /* give up early: linear integers only, and not for long */
    ls_from from;
} ls_question;

typedef struct ls_solver {
    ls_terms *terms;
    Z3_context z3;        /* made at the first query that needs it */
    double spent;         /* on queries, in the solver's own time (ls_solver_now) */
    uint64_t z3_steps;    /* that Z3 has counted so far */
    double deadline;      /* of the kernel, in the solver's own time … */
    double cpu, safety;   /* … and by CPU time and the wall clock, many times later, as a last resort */
    double soonest;       /* on the wall clock: before this, no thread can have used up `cpu` */
    bool out_of_time;     /* the last resort was needed */
    double query_timeout; /* of a call, where it is thorough; less patience otherwise */
    bool thorough;        /* until a query was asked in vain: then the kernel is not proved any more */
    bool hasty;           /* only what is answered long before the time for a call is over */
    timer_t timer;        /* on the CPU time of the thread */
    bool has_timer;
    clockid_t clock;          /* that time … */
    atomic_uint_fast64_t due; /* … in nanoseconds, when it ends the query; 0: none is under way */
    int number;               /* for the timer's thread */
    struct ls_solver *next_live;
    const char *smt2_dir; /* NULL, or where queries are written */
    const char *smt2_name;
    uint32_t written; /* queries so far */
    ls_solve_stats stats;
    ls_known known;
    struct ls_recall *recall; /* NULL, or what Z3 has said in other proofs of the kernel (recall.h) */
    ls_intmap model;          /* after LS_SAT: value by id of the leaf (symbol or UF) */
    bool timed_out;
    double patience;  /* seconds for queries that stay open, all together … */
    double in_vain;   /* … and those that were spent on them */
    double allowance; /* how many seconds the solver calls of the current query may take without an answer */
    bool hopeless;    /* the kernel is not proved any more … */
    double lost;      /* … and the seconds since then */
} ls_solver;

void ls_solver_init(ls_solver *solver, ls_terms *terms);
/* The solver's own time: about seconds of CPU time, but counted in steps of Z3, values tried and terms made,
 * so that it is the same in every run on every machine. */
double ls_solver_now(const ls_solver *solver);
/* That time is over, or the query's was: without a look at a clock. */
bool ls_solver_is_over(const ls_solver *solver);
/* From now on, so many seconds of the solver's own time. */
void ls_solver_limit(ls_solver *solver, double seconds);
/* Seconds of CPU time that this thread has taken. */
double ls_thread_seconds(void);
/* The time is over; timed_out says so from then on. */
bool ls_solver_expired(ls_solver *solver);
void ls_solver_free(ls_solver *solver);

/* So much went into queries that stay open, or cannot help any more, that the solver is not asked further. On
 * public code, what is proved in the end has asked in vain for less than a quarter of that. */
static inline bool ls_solver_tired(const ls_solver *s) {
    return s->in_vain > s->patience || s->lost > s->patience / 4;
}

/* Whether all of `conjuncts` can hold at once. LS_SAT only with a model that was checked exactly. */
ls_answered ls_solve(ls_solver *solver, const ls_term *const *conjuncts, uint32_t count,
                     ls_question question);
/* Value of a symbol in the model; 0 where it does not matter. */
uint64_t ls_model_value(const ls_solver *solver, const ls_term *leaf);

/* powers.c: a term of which a conjunct says that it is 0 or a power of two; NULL: there is none. */
const ls_term *ls_find_power(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count);

/* --- Encodings -------------------------------------------------------------------------------------------
 */

typedef struct ls_encoder ls_encoder;
typedef struct {
    ls_solver *solver;
    Z3_solver z3;
    const ls_term *const *conjuncts;
    uint32_t count;
    uint32_t level; /* integers: 0 or 1, how many lemmas */
    ls_intmap *model;
    bool exact; /* out, integers: nothing was abstracted */
} ls_encoding;

Z3_lbool ls_check_integers(ls_encoding *query);
Z3_lbool ls_check_bits(ls_encoding *query);

/* --- guess.c ---------------------------------------------------------------------------------------------
 */
/* Looks for a model from the one that is given on, computing not much more than `work` terms, which becomes
 * what is left of them; the model stays as it is where none is found. The ranges of symbols within UF terms
 * are not looked at. */
bool ls_guess(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count, ls_from from, uint64_t *work,
              ls_intmap *model);

/* --- sizes.c ---------------------------------------------------------------------------------------------
 */
/* Looks for a model in which numbers are sizes that programs have, and follow from each other by the query's
 * equations; `work` and the model as above. */
bool ls_find_sizes(ls_terms *terms, const ls_term_list *query, uint64_t *work, ls_intmap *model);

#endif
