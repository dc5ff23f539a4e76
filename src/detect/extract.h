/* One kernel's share of a module's text. Internal to src/detect. */
#ifndef LS_DETECT_EXTRACT_H
#define LS_DETECT_EXTRACT_H

#include "base/buf.h"

/* The text without other kernels than that one; lines keep their numbers. */
void dt_only_kernel(const char *ptx, size_t length, const char *name, ls_buf *out);

/* The head of the kernel alone, with its parameters, as a module whose kernel does nothing. */
void dt_only_head(const char *ptx, size_t length, const char *name, ls_buf *out);

#endif
