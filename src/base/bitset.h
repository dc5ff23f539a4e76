/* Fixed-size sets of small numbers, in an arena. */
#ifndef LS_BASE_BITSET_H
#define LS_BASE_BITSET_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    uint64_t *words;
    uint32_t bits;
} ls_bitset;

static inline uint32_t ls_bitset_words(uint32_t bits) {
    return (bits + 63) / 64;
}

static inline ls_bitset ls_bitset_new(ls_arena *arena, uint32_t bits) {
    return (ls_bitset){LS_NEW_N(arena, uint64_t, ls_bitset_words(bits) + 1), bits};
}

static inline bool ls_bitset_has(const ls_bitset *set, uint32_t bit) {
    return set->words[bit / 64] >> (bit % 64) & 1;
}

static inline void ls_bitset_add(ls_bitset *set, uint32_t bit) {
    set->words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline void ls_bitset_remove(ls_bitset *set, uint32_t bit) {
    set->words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

/* a ∪= b; true where a grew. */
static inline bool ls_bitset_union(ls_bitset *a, const ls_bitset *b) {
    bool grew = false;
    for (uint32_t i = 0; i < ls_bitset_words(a->bits); i++) {
        uint64_t joined = a->words[i] | b->words[i];
        grew |= joined != a->words[i];
        a->words[i] = joined;
    }
    return grew;
}

/* The first member at or after bit, or set->bits where there is none. */
static inline uint32_t ls_bitset_next(const ls_bitset *set, uint32_t bit) {
    while (bit < set->bits) {
        uint64_t word = set->words[bit / 64] >> (bit % 64);
        if (word) {
            bit += (uint32_t)__builtin_ctzll(word);
            return bit < set->bits ? bit : set->bits;
        }
        bit = (bit / 64 + 1) * 64;
    }
    return set->bits;
}

#endif
