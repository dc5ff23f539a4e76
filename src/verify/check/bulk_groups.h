/* Groups of bulk copies out of shared memory among the sites of tickets. */
#ifndef LS_VERIFY_CHECK_BULK_GROUPS_H
#define LS_VERIFY_CHECK_BULK_GROUPS_H

#include "verify/check/ticket_sites.h"

/* Copies in groups, commits and waits for groups become those of one thread each. */
bool ls_split_groups(ls_protocol *x);
/* Which groups are committed where. */
bool ls_number_groups(ls_protocol *x);
/* The last group that is over behind a wait: all that were committed before it are but so many. False: none
 * is known. */
bool ls_last_group(const ls_protocol *x, const ls_site *wait, ls_ticket *at);

#endif
