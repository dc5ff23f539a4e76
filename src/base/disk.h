/* What took time to find out and follows from its key alone, kept on disk from process to process: machine
 * code, proofs. Several processes may use it at once. `name` is that of the folder below the user's cache;
 * all its files together take 256 MB at most, and those that were not used for longest go first. */
#ifndef LS_BASE_DISK_H
#define LS_BASE_DISK_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

/* The content that was put under that key, in *out; false where there is none. Files that are not whole, that
 * another user owns or could have changed, or that are of another key are not taken. */
bool ls_disk_get(const char *name, const ls_buf *key, ls_buf *out);
void ls_disk_put(const char *name, const ls_buf *key, const void *content, size_t size);

/* Whether anything is kept at all: else there is no need for a key. */
bool ls_disk_keeps(const char *name);

/* A folder for files that other programs read, made where it is not there; NULL: nothing is kept, or somebody
 * else could have put something there. */
const char *ls_disk_folder(ls_arena *arena, const char *name);

/* Two checksums of the bytes, which differ for different contents for all practical purposes. */
void ls_sums(const void *bytes, size_t length, uint64_t sums[2]);

#endif
