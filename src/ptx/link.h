/* Linking of PTX modules, as separate compilation (nvcc -rdc) leaves it to the driver. */
#ifndef LS_PTX_LINK_H
#define LS_PTX_LINK_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* One module of several. Its target and version are the latest of theirs. What is declared in one and defined
 * in another is the same; weak definitions count once; names that are no one else's business get another one
 * where they meet. What is wrong with the result is for the parser to say. */
void ls_ptx_link(const char *const *texts, uint32_t count, ls_buf *out);

/* What is wrong with linking them, each name once: what is used and nowhere defined (a function that every
 * device has is not), and what several of them define for everybody. */
typedef enum { LS_LINK_UNDEFINED, LS_LINK_SEVERAL } ls_link_problem;
void ls_ptx_link_check(const char *const *texts, uint32_t count,
                       void (*tell)(void *context, ls_link_problem problem, const char *name), void *context);
/* Functions that the emulated device has of itself. */
bool ls_ptx_is_built_in(const char *name);

#endif
