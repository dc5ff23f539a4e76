/* Quotients of the number of a tile (tile_numbers.c). */
#ifndef LS_VERIFY_CHECK_TILE_NUMBERS_H
#define LS_VERIFY_CHECK_TILE_NUMBERS_H

#include "verify/query/query.h"

/* The number that quotients and remainders in the term are of; NULL: there is none. */
const ls_term *ls_tile_number(const ls_term *term);
/* Puts numbers of their own in place of quotients by unknowns, of products, and of two tiles' numbers (of the
 * two threads, instantiated), with what is known of them. What can never hold then, cannot before. */
void ls_name_quotients(ls_query *q, const ls_term *const tiles[2]);

#endif
