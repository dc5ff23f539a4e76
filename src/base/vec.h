/* Vectors: a growing array with its length, on the heap (ls_vec_free) or in an arena (LS_VEC_PUSH_IN).
 *     LS_VEC(int) numbers = {0};
 *     LS_VEC_PUSH(&numbers, 7);
 *     for (uint32_t i = 0; i < numbers.length; i++) use(numbers.items[i]); */
#ifndef LS_BASE_VEC_H
#define LS_BASE_VEC_H

#include "base/arena.h"

#include <stdlib.h>

#define LS_VEC(T)                                                                                            \
    struct {                                                                                                 \
        T *items;                                                                                            \
        uint32_t length, capacity;                                                                           \
    }

static inline void *ls_vec_grown(void *items, uint32_t *capacity, size_t item_size) {
    *capacity = *capacity ? *capacity * 2 : 8;
    return ls_xrealloc(items, *capacity * item_size);
}

static inline void *ls_vec_grown_in(ls_arena *arena, const void *items, uint32_t *capacity,
                                    size_t item_size) {
    uint32_t old = *capacity;
    *capacity = old ? old * 2 : 4;
    void *grown = ls_arena_alloc(arena, *capacity * item_size);
    if (old) memcpy(grown, items, old * item_size);
    return grown;
}

#define LS_VEC_PUSH(vec, item)                                                                               \
    do {                                                                                                     \
        if ((vec)->length == (vec)->capacity)                                                                \
            (vec)->items = ls_vec_grown((vec)->items, &(vec)->capacity, sizeof *(vec)->items);               \
        (vec)->items[(vec)->length++] = (item);                                                              \
    } while (0)

#define LS_VEC_PUSH_IN(arena, vec, item)                                                                     \
    do {                                                                                                     \
        if ((vec)->length == (vec)->capacity)                                                                \
            (vec)->items = ls_vec_grown_in((arena), (vec)->items, &(vec)->capacity, sizeof *(vec)->items);   \
        (vec)->items[(vec)->length++] = (item);                                                              \
    } while (0)

#define LS_VEC_FREE(vec) (free((vec)->items), (vec)->items = NULL, (vec)->length = (vec)->capacity = 0)

#endif
