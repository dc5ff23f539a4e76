/* One kernel's share of a module's text. Internal to src/detect. */
#ifndef LS_DETECT_EXTRACT_H
#define LS_DETECT_EXTRACT_H

#include "base/buf.h"

/* The text without other kernels than that one; lines keep their numbers. */
void dt_only_kernel(const char *ptx, size_t length, const char *name, ls_buf *out);

/* The head of the kernel alone, with its parameters, as a module whose kernel does nothing. */
void dt_only_head(const char *ptx, size_t length, const char *name, ls_buf *out);

/* Where the kernel's body begins and ends, between its braces; false: there is none. */
bool dt_find_body(const char *ptx, size_t length, const char *name, const char **body, const char **behind);

/* Behind a comment or a text in quotes that begins at `at`; or at the next character. */
const char *dt_step(const char *at, const char *end);

/* inline.c: the text with the kernel's calls carried out in place; false where there are none. */
bool dt_inline_calls(const char *ptx, size_t length, const char *name, ls_buf *out);

#endif
