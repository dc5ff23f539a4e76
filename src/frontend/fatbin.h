/* Device code as programs carry it. */
#ifndef LS_FRONTEND_FATBIN_H
#define LS_FRONTEND_FATBIN_H

#include "base/buf.h"

/* A fat binary with one entry, the PTX for an architecture ("sm_75"). */
void ls_fatbin_of_ptx(const char *ptx, size_t length, const char *arch, ls_buf *out);

#endif
