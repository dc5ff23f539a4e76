/* What is known to be over at a site, and by which ticket what happens at a site is over (tickets.c has the
 * idea). */
#ifndef LS_VERIFY_CHECK_TICKET_ORDER_H
#define LS_VERIFY_CHECK_TICKET_ORDER_H

#include "verify/check/ticket_sites.h"

enum { LS_MOST_KNOWN = 96 };

typedef struct {
    ls_ticket items[LS_MOST_KNOWN];
    uint32_t count;
} ls_ticket_set;

/* The offset of a ticket that a loop which was left has reached: that of every iteration it went through. */
#define LS_LAST_TICKET INT64_MAX

/* Tickets that are over whenever a thread reaches the site, in terms of the counter of the site's loop. */
void ls_known_at(const ls_protocol *x, const ls_site *s, ls_ticket_set *known);
/* Tickets that are over when it is reached, also those of which the thread need not see what was done before.
 */
void ls_over_at(const ls_protocol *x, const ls_site *s, ls_ticket_set *over);
/* Tickets that are not over before the threads which reach the site are past it; fenced: nor before a proxy
 * fence of theirs behind it. */
void ls_covered_by(const ls_protocol *x, const ls_site *s, bool fenced, ls_ticket_set *covers);
/* Tickets that its threads arrive for later, in whatever way: they are not over before the site is reached.
 */
void ls_followed_by(const ls_protocol *x, const ls_site *s, ls_ticket_set *covers);
/* Tickets that are not over before a cp.async at the site is. */
void ls_joined_by(const ls_protocol *x, const ls_site *s, ls_ticket_set *covers);
/* Whenever a thread reaches the later one, it has been at the earlier one before, in the same iteration. */
bool ls_always_before(const ls_protocol *x, const ls_site *earlier, const ls_site *later);
/* The commit that a copy belongs to: the next one of its thread, in the same iteration; NULL: none is known.
 */
const ls_site *ls_commit_of(const ls_protocol *x, const ls_site *s);
/* Where the counter of its loop is that much larger, the thread has been at the site before. */
bool ls_was_there(const ls_protocol *x, const ls_site *s, const ls_site *later, uint64_t rounds);
/* What a wait so many iterations before `s` says is true also where there was none yet: its ticket is before
 * the first, or the thread (LS_NO_OBJECT: all of them) has waited for it in front of the loop. */
bool ls_holds_from_start(const ls_protocol *x, const ls_site *w, const ls_site *s, uint64_t ago,
                         uint32_t thread);
/* The known ticket says that the covering one is over; counters of the two sites' loops. */
const ls_term *ls_ticket_over(const ls_protocol *x, const ls_site *covered, ls_ticket cover,
                              const ls_term *counter, ls_ticket known, const ls_term *known_counter);

#endif
