/* Linking of PTX modules, as separate compilation (nvcc -rdc) leaves it to the driver. */
#ifndef LS_PTX_LINK_H
#define LS_PTX_LINK_H

#include "base/buf.h"

#include <stdint.h>

/* One module of several. Its target and version are the latest of theirs. What is declared in one and defined
 * in another is the same; weak definitions count once; names that are no one else's business get another one
 * where they meet. What is wrong with the result is for the parser to say. */
void ls_ptx_link(const char *const *texts, uint32_t count, ls_buf *out);

#endif
