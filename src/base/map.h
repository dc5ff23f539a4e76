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
} ls_intmap_slot;

typedef struct {
    ls_intmap_slot *slots;
    bool *used; /* by slot; apart from the slots, so that a new map has little to clear */
    uint32_t count, mask;
} ls_intmap;

/* Makes room for another key. */
void ls_intmap_grow(ls_intmap *map);
void ls_intmap_free(ls_intmap *map);

/* The number of the key's slot, or of the free one where it belongs; the map must have slots. The analyses
 * spend much of their time here, so these functions are inline. */
static inline uint32_t ls_intmap_find(const ls_intmap *map, uint64_t key) {
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & map->mask;
    while (map->used[i] && map->slots[i].key != key) i = (i + 1) & map->mask;
    return i;
}

static inline bool ls_intmap_get(const ls_intmap *map, uint64_t key, uint64_t *value) {
    if (!map->slots) return false;
    uint32_t i = ls_intmap_find(map, key);
    if (map->used[i] && value) *value = map->slots[i].value;
    return map->used[i];
}

/* The place of the value, made (with 0 in it) where the key is new. Valid until the next ls_intmap_at. */
static inline uint64_t *ls_intmap_at(ls_intmap *map, uint64_t key, bool *is_new) {
    if (!map->slots || map->count * 2 > map->mask) ls_intmap_grow(map);
    uint32_t i = ls_intmap_find(map, key);
    if (is_new) *is_new = !map->used[i];
    if (!map->used[i]) {
        map->slots[i] = (ls_intmap_slot){key, 0};
        map->used[i] = true;
        map->count++;
    }
    return &map->slots[i].value;
}

/* All keys and values in no particular order: start with *at = 0; NULL at the end. */
static inline const ls_intmap_slot *ls_intmap_next(const ls_intmap *map, uint32_t *at) {
    while (map->slots && *at <= map->mask)
        if (map->used[(*at)++]) return &map->slots[*at - 1];
    return NULL;
}

#endif
