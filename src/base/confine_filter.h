/* System call filters for confined processes (confine.h). */
#ifndef LS_BASE_CONFINE_FILTER_H
#define LS_BASE_CONFINE_FILTER_H

#include <stdbool.h>

typedef enum {
    LS_FILTER_START, /* refuses the network, other processes' memory, the kernel's administration */
    LS_FILTER_SEAL,  /* lets pass only what computing and writing to open descriptors needs */
} ls_filter;

/* Whether there are filters here. */
bool ls_filter_possible(void);
/* For all threads of this process and what they start, for good. Messages pass over the descriptor `broker`.
 */
bool ls_filter_install(ls_filter filter, int broker);

#endif
