/* A conjunction as a system of linear inequalities over integers (simplex.h). A term becomes a sum of integer
 * variables: a sum of w bits is the sum of its parts less 2^w times a number of its own, how often it wraps;
 * a quotient is a number of which the rest is bounded; products, and the bits of two numbers, satisfy some
 * inequalities. What holds in one of two ways is left to be tried both ways. */
#ifndef LS_SOLVE_SYSTEM_H
#define LS_SOLVE_SYSTEM_H

#include "solve/simplex.h"
#include "solve/terms.h"

enum { LS_SYSTEM_NAMES = 72, LS_SYSTEM_OPEN = 40 };

typedef enum {
    LS_VAR_VALUE,     /* of the term, as a signed number where it may be negative */
    LS_VAR_UNSIGNED,  /* how often that wraps as an unsigned number; of many bits: that number */
    LS_VAR_WRAPS,     /* the same of what the term is computed from … */
    LS_VAR_WRAPS_NEG, /* … and as a signed number */
    LS_VAR_FLOOR,     /* the quotient by a number, rounded down, of the term as an unsigned … */
    LS_VAR_FLOOR_NEG, /* … or as a signed number … */
    LS_VAR_TOWARDS_0  /* … or rounded towards zero */
} ls_meaning;

typedef struct { /* a variable, and what it is of a term */
    const ls_term *term;
    uint64_t by;
    uint8_t meaning, var;
    bool exact; /* a product that does not wrap */
} ls_named;

/* What holds in one of two ways: a predicate is true (or false); a variable is that term's value; the rest of
 * a quotient has the sign of what is divided; a sum of many bits is in its range, or wraps; of two products
 * with a factor in common, the other factor of one is larger, or not. */
typedef struct {
    enum { LS_SPLIT_PREDICATE, LS_SPLIT_CHOICE, LS_SPLIT_SIGN, LS_SPLIT_WRAP, LS_SPLIT_PAIR } kind;
    bool is_true; /* WRAP: as a signed number; PAIR: it is not larger */
    uint8_t var;
    const ls_term *term, *other; /* PAIR: both products */
    uint64_t by;
} ls_split;

typedef struct {
    ls_lp lp;
    ls_named names[LS_SYSTEM_NAMES];
    ls_split open[LS_SYSTEM_OPEN];
    uint32_t name_count, open_count;
    bool impossible; /* what was told so far never holds */
} ls_system;

void ls_system_copy(ls_system *to, const ls_system *from);

/* What a predicate says at once; the rest is left to be split. */
void ls_system_assume(ls_system *s, const ls_term *t, bool is_true);

/* What was left holds the one way, or the other. */
void ls_system_choose(ls_system *s, const ls_split *what, bool first);

/* Whether what was left is not as the values of the variables have it; `eval` has those of the symbols. */
bool ls_system_is_wrong(const ls_system *s, const ls_split *what, const ls_wide *values, ls_eval *eval);

/* One factor of a product keeps the value that it has by those of the variables. */
void ls_system_fix_factor(ls_system *s, const ls_named *product, int which, const ls_wide *values);

#endif
