/* Sets of states: the strings in one block of memory, and a hash table of their numbers. */
#include "model/states.h"

#include "base/arena.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

void ls_kstates_init(ls_kstates *set, uint32_t size) {
    memset(set, 0, sizeof *set);
    set->size = size;
}

void ls_kstates_clear(ls_kstates *set) {
    set->count = 0;
    if (set->slots) memset(set->slots, 0, ((size_t)set->mask + 1) * sizeof *set->slots);
}

void ls_kstates_free(ls_kstates *set) {
    free(set->bytes);
    free(set->slots);
    memset(set, 0, sizeof *set);
}

static uint32_t *find(const ls_kstates *set, const uint8_t *bytes) {
    uint32_t at = ls_hash_bytes((const char *)bytes, set->size) & set->mask;
    while (set->slots[at] && memcmp(ls_kstates_at(set, set->slots[at] - 1), bytes, set->size) != 0)
        at = (at + 1) & set->mask;
    return &set->slots[at];
}

static void grow(ls_kstates *set) {
    free(set->slots);
    set->mask = set->mask ? set->mask * 2 + 1 : 255;
    set->slots = ls_xmalloc(((size_t)set->mask + 1) * sizeof *set->slots);
    memset(set->slots, 0, ((size_t)set->mask + 1) * sizeof *set->slots);
    for (uint32_t i = 0; i < set->count; i++) *find(set, ls_kstates_at(set, i)) = i + 1;
}

uint32_t ls_kstates_add(ls_kstates *set, const uint8_t *bytes, bool *is_new) {
    if (!set->slots || set->count >= set->mask / 2) grow(set);
    uint32_t *slot = find(set, bytes);
    *is_new = *slot == 0;
    if (*slot == 0) {
        uint64_t needed = ((uint64_t)set->count + 1) * set->size;
        if (needed > set->room) {
            set->room = needed * 2 + 1024;
            set->bytes = ls_xrealloc(set->bytes, set->room);
        }
        memcpy(set->bytes + (uint64_t)set->count * set->size, bytes, set->size);
        *slot = ++set->count;
    }
    return *slot - 1;
}

bool ls_kstates_has(const ls_kstates *set, const uint8_t *bytes) {
    return set->slots && *find(set, bytes) != 0;
}
