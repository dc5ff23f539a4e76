/* With which tickets sites synchronise (ticket_numbers.c). */
#ifndef LS_VERIFY_CHECK_TICKET_NUMBERS_H
#define LS_VERIFY_CHECK_TICKET_NUMBERS_H

#include "verify/check/ticket_sites.h"

enum { LS_MOST_ITERATIONS = 2 * LS_MOST_STAGES };

/* Needs the sites and initialisations; leaves the objects, and each site's ticket. False with trouble where
 * that is not known. */
bool ls_number_sites(ls_protocol *x);

#endif
