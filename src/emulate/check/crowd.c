/* Sets of accesses, found by their contents. */
#include "emulate/check/crowd.h"

#include <string.h>

struct crowd {
    uint32_t count;
    uint64_t hash;
    crowd_member members[];
};

static uint64_t hash_of(const crowd_member *members, uint32_t count) {
    uint64_t h = count;
    for (uint32_t k = 0; k < count; k++) {
        h = (h ^ members[k].access ^ (uint64_t)members[k].bytes << 32) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ members[k].lanes ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return h ^ h >> 31;
}

static bool same(const crowd *a, const crowd_member *members, uint32_t count) {
    if (a->count != count) return false;
    for (uint32_t k = 0; k < count; k++)
        if (a->members[k].access != members[k].access || a->members[k].bytes != members[k].bytes ||
            a->members[k].lanes != members[k].lanes)
            return false;
    return true;
}

static uint32_t *slot_of(const crowds *c, uint64_t hash, const crowd_member *members, uint32_t count) {
    uint32_t k = (uint32_t)hash & (c->capacity - 1);
    for (; c->slots[k]; k = (k + 1) & (c->capacity - 1)) {
        const crowd *at = c->items.items[c->slots[k]];
        if (at->hash == hash && same(at, members, count)) break;
    }
    return &c->slots[k];
}

static void grow(crowds *c) {
    c->capacity = c->capacity ? 2 * c->capacity : 256;
    free(c->slots);
    c->slots = ls_xcalloc(c->capacity, sizeof *c->slots);
    for (uint32_t n = 1; n < c->items.length; n++) {
        uint32_t k = (uint32_t)c->items.items[n]->hash & (c->capacity - 1);
        while (c->slots[k]) k = (k + 1) & (c->capacity - 1);
        c->slots[k] = n;
    }
}

uint32_t em_crowd_of(crowds *c, const crowd_member *members, uint32_t count) {
    if (!count) return 0;
    if (!c->items.length) LS_VEC_PUSH(&c->items, NULL);
    if (2 * c->items.length >= c->capacity) grow(c);
    const uint64_t hash = hash_of(members, count);
    uint32_t *slot = slot_of(c, hash, members, count);
    if (*slot) return *slot;
    crowd *made = ls_xrealloc(NULL, sizeof *made + count * sizeof *members);
    made->count = count;
    made->hash = hash;
    memcpy(made->members, members, count * sizeof *members);
    *slot = c->items.length;
    LS_VEC_PUSH(&c->items, made);
    return *slot;
}

const crowd_member *em_crowd_get(const crowds *c, uint32_t number, uint32_t *count) {
    *count = number ? c->items.items[number]->count : 0;
    return number ? c->items.items[number]->members : NULL;
}

void em_crowds_free(crowds *c) {
    for (uint32_t k = 1; k < c->items.length; k++) free(c->items.items[k]);
    LS_VEC_FREE(&c->items);
    free(c->slots);
    *c = (crowds){0};
}
