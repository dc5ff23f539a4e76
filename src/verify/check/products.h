/* Products of matrix units (wgmma) among the sites of tickets. */
#ifndef LS_VERIFY_CHECK_PRODUCTS_H
#define LS_VERIFY_CHECK_PRODUCTS_H

#include "verify/check/ticket_sites.h"

enum { LS_UNIT_THREADS = 128 }; /* the four warps of a group */

/* Adds what a product reads of shared memory, or a commit of products, or a wait for them: a site for each
 * group of four warps that comes there. `s` has its place, condition, threads and iterations. */
bool ls_add_products(ls_protocol *x, const ls_site *s);

#endif
