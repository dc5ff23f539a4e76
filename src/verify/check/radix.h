/* Proofs without a solver that two accesses never overlap, by the digits of their addresses. */
#ifndef LS_VERIFY_CHECK_RADIX_H
#define LS_VERIFY_CHECK_RADIX_H

#include "verify/proof.h"

/* two accesses by different threads, of one block or of two, are apart by their normal forms. */
void ls_split_address(ls_proof *p, ls_event *event);
/* Takes choices out of it that are the same for all threads that make the access, which is proved. */
void ls_settle_address(ls_proof *p, ls_event *event);
bool ls_apart_by_radix(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);
bool ls_apart_by_rows(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

/* For others that look at indices of matrices (cells.c). Two accesses at one start plus an index of 32 bits
 * each, in elements that neither access is larger than: the indices, which are sums. */
typedef struct {
    const ls_term *x, *y;
    bool is_signed[2]; /* as they become addresses */
} ls_indices;
bool ls_find_indices(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block, ls_indices *out);
/* t without a factor that it has once; or NULL. */
const ls_term *ls_without_factor(ls_terms *ctx, const ls_term *t, const ls_term *factor);
/* A 32-bit sum as row·width + column. */
void ls_split_rows(ls_terms *ctx, const ls_term *index, const ls_term *width, const ls_term **row,
                   const ls_term **column);
/* The claim holds of every thread that makes the access. */
bool ls_holds_always(ls_proof *p, const ls_event *e, const ls_term *claim);

#endif
