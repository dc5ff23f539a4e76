/* Hash maps: text to pointer (ls_map) and 64-bit key to 64-bit value (ls_intmap). Open addressing, linear
 * probing. Keys of ls_map are not copied: they must outlive the map. */
#ifndef LS_BASE_MAP_H
#define LS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *key;
    uint32_t length, hash;
    void *value;
} ls_map_slot;

typedef struct {
    ls_map_slot *slots;
    uint32_t count, mask; /* mask = number of slots - 1 */
} ls_map;

uint32_t ls_hash_bytes(const char *key, size_t length);
void *ls_map_get(const ls_map *map, const char *key, size_t length);
/* The place of the value, made (with NULL in it) where the key is new. Valid until the next ls_map_at. */
void **ls_map_at(ls_map *map, const char *key, size_t length);
void ls_map_free(ls_map *map);

typedef struct {
    uint64_t key, value;
    bool used;
} ls_intmap_slot;

typedef struct {
    ls_intmap_slot *slots;
    uint32_t count, mask;
} ls_intmap;

bool ls_intmap_get(const ls_intmap *map, uint64_t key, uint64_t *value);
uint64_t *ls_intmap_at(ls_intmap *map, uint64_t key, bool *is_new);
void ls_intmap_free(ls_intmap *map);

#endif
