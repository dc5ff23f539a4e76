/* A part of an address as a number in mixed radix: its digits are indices of the thread and the block, and
 * loop counters (digits.c). */
#ifndef LS_VERIFY_CHECK_DIGITS_H
#define LS_VERIFY_CHECK_DIGITS_H

#include "verify/proof.h"

typedef __int128 ls_wide;

enum { LS_MOST_DIGITS = 6 };

typedef struct { /* factor·monomial */
    ls_wide factor;
    const ls_term *monomial; /* NULL: 1 */
} ls_stride;

typedef struct {
    const ls_term *symbol;
    ls_stride limit; /* it is less than that; factor 0: not known */
    uint64_t most;   /* the largest value */
    ls_stride stride;
} ls_digit;

typedef struct {
    ls_proof *p;
    bool same_block; /* as the two threads are that are told apart */
    bool assume;     /* that nothing wraps */
    ls_digit digits[LS_MOST_DIGITS];
    uint32_t count;
    ls_wide reach; /* largest distance of two values; not known where it is assumed that nothing wraps */
} ls_digits;

/* a / b, or no factor where that is no product of whole factors. */
ls_stride ls_stride_over(ls_terms *ctx, ls_stride a, ls_stride b);
ls_stride ls_stride_times(ls_terms *ctx, ls_stride a, ls_stride b);

/* The term is the same for both threads. */
bool ls_digits_agree(const ls_digits *n, const ls_term *t);
/* factor·t is added to the number; false where that is no sum of digits and of what is the same for both. */
bool ls_digits_add(ls_digits *n, const ls_term *t, ls_wide factor);
/* The digit is added, in its position; false where it is there already, or there are too many. */
bool ls_digits_put(ls_digits *n, ls_digit d);
/* The same of a 32-bit sum that does not wrap, of which no part is negative. */
bool ls_digits_add_positions(ls_digits *n, const ls_term *sum);
/* The widest window of constants within which numbers with different digits are apart; 0: none. */
uint64_t ls_digits_window(const ls_digits *n);
/* The digits name the thread of a block, or the block. */
bool ls_digits_tell_apart(const ls_digits *n);
/* The only part of an address that is not the same for both threads, scale·(a 32-bit index, extended); or
 * NULL. */
const ls_term *ls_digits_index(const ls_term *part, const ls_digits *n, uint64_t *scale_out);
/* How far values of the sum at least are apart for threads that differ, though it may wrap around; 0: not
 * known. */
uint64_t ls_digits_wrapped_window(ls_proof *p, const ls_term *part, bool same_block);

#endif
