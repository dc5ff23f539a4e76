/* Hash maps with linear probing, at most half full. */
#include "base/map.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

uint32_t ls_hash_bytes(const char *key, size_t length) {
    uint64_t hash = 0x9e3779b97f4a7c15u ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, key, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
        key += 8, length -= 8;
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < length; i++) rest |= (uint64_t)(unsigned char)key[i] << (8 * i);
    hash = (hash ^ rest) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(hash ^ hash >> 32);
}

static ls_map_slot *find(const ls_map *map, const char *key, size_t length, uint32_t hash) {
    for (uint32_t i = hash & map->mask;; i = (i + 1) & map->mask) {
        ls_map_slot *slot = &map->slots[i];
        if (!slot->key) return slot;
        if (slot->hash == hash && slot->length == length && memcmp(slot->key, key, length) == 0) return slot;
    }
}

void *ls_map_get(const ls_map *map, const char *key, size_t length) {
    if (!map->slots) return NULL;
    return find(map, key, length, ls_hash_bytes(key, length))->value;
}

static void grow(ls_map *map) {
    ls_map old = *map;
    uint32_t size = old.slots ? (old.mask + 1) * 2 : 16;
    map->slots = ls_xmalloc(size * sizeof *map->slots);
    memset(map->slots, 0, size * sizeof *map->slots);
    map->mask = size - 1;
    for (uint32_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i].key) {
            ls_map_slot *slot = &old.slots[i];
            *find(map, slot->key, slot->length, slot->hash) = *slot;
        }
    free(old.slots);
}

void **ls_map_at(ls_map *map, const char *key, size_t length) {
    if (!map->slots || map->count * 2 > map->mask) grow(map);
    uint32_t hash = ls_hash_bytes(key, length);
    ls_map_slot *slot = find(map, key, length, hash);
    if (!slot->key) {
        *slot = (ls_map_slot){key, (uint32_t)length, hash, NULL};
        map->count++;
    }
    return &slot->value;
}

void ls_map_free(ls_map *map) {
    free(map->slots);
    memset(map, 0, sizeof *map);
}

void ls_intmap_grow(ls_intmap *map) {
    ls_intmap old = *map;
    uint32_t size = !old.slots ? 16 : old.mask < 1023 ? (old.mask + 1) * 4 : (old.mask + 1) * 2;
    map->slots = ls_xmalloc((size_t)size * (sizeof *map->slots + sizeof *map->used));
    map->used = (bool *)(map->slots + size);
    memset(map->used, 0, size * sizeof *map->used);
    map->mask = size - 1;
    for (uint32_t i = 0; old.slots && i <= old.mask; i++) {
        if (!old.used[i]) continue;
        uint32_t to = ls_intmap_find(map, old.slots[i].key);
        map->slots[to] = old.slots[i];
        map->used[to] = true;
    }
    free(old.slots);
}

void ls_intmap_free(ls_intmap *map) {
    free(map->slots);
    memset(map, 0, sizeof *map);
}
