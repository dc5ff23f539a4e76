/* A hash of bytes that are added piece by piece (FNV-1a of 64 bits): for names of things that are to be the
 * same in every run. */
#ifndef LS_BASE_HASH_H
#define LS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LS_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t ls_hash_add(uint64_t hash, const void *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i < length; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A text with its end; NULL is another one. */
static inline uint64_t ls_hash_text(uint64_t hash, const char *text) {
    return text ? ls_hash_add(hash, text, strlen(text) + 1) : ls_hash_add(hash, "\377", 1);
}

#endif
