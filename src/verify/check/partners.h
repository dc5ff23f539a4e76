/* Which pairs of accesses need be looked at. */
#ifndef LS_VERIFY_CHECK_PARTNERS_H
#define LS_VERIFY_CHECK_PARTNERS_H

#include "verify/proof.h"

/* Accesses by the object that they are of, so that pairs of different ones, and of reads, need not be looked
 * at: numbers in the list of all, in order. */
typedef LS_VEC(uint32_t) ls_access_numbers;
typedef struct {
    LS_VEC(const ls_event *) known;
    ls_intmap group_of;       /* object's number to index in groups */
    LS_VEC(uint8_t) memories; /* that accesses of the group are in */
    LS_VEC(ls_access_numbers) all, writes;
    ls_access_numbers several; /* that may be of several objects */
} ls_access_groups;

/* Those from the i-th on that may meet it, in order: a walk through two lists. */
typedef struct {
    const ls_access_numbers *one, *two;
    uint32_t at_one, at_two, all; /* all: the next of all, where nothing is known */
} ls_partners;

/* Adds an access to known objects; numbers are given in order. */
void ls_add_access(const ls_proof *p, ls_access_groups *g, const ls_event *e);
/* Those that may meet the i-th in that memory, itself and what comes behind it. */
ls_partners ls_partners_of(const ls_proof *p, ls_access_groups *g, uint32_t i, uint8_t memory);
/* The number of the next one; a number not below the number of accesses if there is none. */
uint32_t ls_next_partner(ls_partners *w);
void ls_free_access_groups(ls_access_groups *g);

#endif
