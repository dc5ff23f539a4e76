/* What took time to find out and follows from its key alone, kept on disk from process to process: machine
 * code of rewritten kernels, proofs. Several processes may use it at once. Internal to src/detect. */
#ifndef LS_DETECT_DISK_H
#define LS_DETECT_DISK_H

#include "base/buf.h"

#include <stdint.h>

/* The content that was put under that key, in *out; false where there is none. Files that are not whole, that
 * another user owns or could have changed, or that are of another key are not taken. */
bool dt_disk_get(const ls_buf *key, ls_buf *out);
void dt_disk_put(const ls_buf *key, const void *content, size_t size);

/* Two sums of the bytes, so that different ones are told apart for all practical purposes. */
void dt_sums(const void *bytes, size_t length, uint64_t sums[2]);

#endif
