/* NumPy's .npy files, version 1 and 2: arrays of one type in C order. */
#ifndef LS_LAUNCH_NPY_H
#define LS_LAUNCH_NPY_H

#include "lockstep/ptx.h"

typedef struct {
    ls_ptx_type type;
    uint64_t count; /* elements */
    const char *data;
    size_t bytes;
} ls_npy;

/* Reads the header of a file's contents; NULL, or what is wrong. */
const char *ls_npy_parse(const char *text, size_t length, ls_npy *out);
/* Writes a one-dimensional array; false with errno set. */
bool ls_npy_write(const char *path, ls_ptx_type type, const void *data, uint64_t count);

#endif
