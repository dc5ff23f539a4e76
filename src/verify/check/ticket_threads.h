/* The threads that reach sites (ticket_threads.c). What is asked of them is in ticket_sites.h. */
#ifndef LS_VERIFY_CHECK_TICKET_THREADS_H
#define LS_VERIFY_CHECK_TICKET_THREADS_H

#include "verify/check/ticket_sites.h"

/* Fills the threads that may reach the site, by its condition. */
void ls_find_threads(const ls_protocol *x, ls_site *s);
/* Of the threads of a part only those that may reach the other site, or the others. */
void ls_keep_threads(ls_site *part, const ls_site *u, bool in);

/* A site in parts of which each has only some of its threads: those that arrive at one place, multiply or
 * meet there, and the others. */
enum { LS_MOST_PARTS = 8 };

typedef struct {
    ls_site parts[LS_MOST_PARTS];
    uint32_t count;
} ls_site_parts;

void ls_divide(const ls_protocol *x, const ls_site *s, ls_site_parts *d);

#endif
