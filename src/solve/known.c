/* Answers that are known (known.h): by the terms of a query, in the order of their numbers, each once. Terms
 * are hash-consed, so that queries of the same terms are the same query. */
#include "solve/known.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct { /* of a model: a leaf by its number, and its value */
    uint64_t leaf, value;
} value;

typedef struct answer {
    uint32_t *terms, count, way, value_count;
    ls_answered answered;
    value *values;
    const struct answer *next; /* of the same hash */
} answer;

static int by_number(const void *a, const void *b) {
    uint32_t x = (*(const ls_term *const *)a)->id, y = (*(const ls_term *const *)b)->id;
    return x < y ? -1 : x > y;
}

/* The terms in their order; the hash of all that is asked. */
static uint64_t sort(ls_known *known, ls_asked asked) {
    ls_term_list *list = &known->sorted;
    list->length = 0;
    for (uint32_t i = 0; i < asked.query->length; i++) LS_VEC_PUSH(list, asked.query->items[i]);
    if (list->length) qsort(list->items, list->length, sizeof *list->items, by_number);
    uint32_t kept = 0;
    uint64_t hash = ls_hash_add(LS_HASH_START, &asked.way, sizeof asked.way);
    for (uint32_t i = 0; i < list->length; i++) {
        if (kept && list->items[kept - 1] == list->items[i]) continue;
        hash = ls_hash_add(hash, &list->items[i]->id, sizeof list->items[i]->id);
        list->items[kept++] = list->items[i];
    }
    list->length = kept;
    return hash;
}

static bool is_same(const answer *a, const ls_term_list *sorted, uint32_t way) {
    bool same = a->count == sorted->length && a->way == way;
    for (uint32_t i = 0; i < a->count && same; i++) same = a->terms[i] == sorted->items[i]->id;
    return same;
}

bool ls_known_find(ls_known *known, ls_asked asked, ls_answered *answered, ls_intmap *model) {
    uint64_t found;
    bool is_new;
    if (!ls_intmap_get(&known->first, sort(known, asked), &found)) return false;
    const answer *a = (const answer *)(uintptr_t)found;
    while (a && !is_same(a, &known->sorted, asked.way)) a = a->next;
    if (!a) return false;
    *answered = a->answered;
    for (uint32_t i = 0; i < a->value_count; i++)
        *ls_intmap_at(model, a->values[i].leaf, &is_new) = a->values[i].value;
    return true;
}

static void keep_model(ls_known *known, answer *a, const ls_intmap *model) {
    a->values = LS_NEW_N(&known->arena, value, model->count + 1);
    const ls_intmap_slot *slot;
    for (uint32_t at = 0; (slot = ls_intmap_next(model, &at));)
        a->values[a->value_count++] = (value){slot->key, slot->value};
}

void ls_known_add(ls_known *known, ls_asked asked, ls_answered answered, const ls_intmap *model) {
    bool is_new;
    uint64_t *first = ls_intmap_at(&known->first, sort(known, asked), &is_new);
    answer *a = LS_NEW(&known->arena, answer);
    *a = (answer){.terms = LS_NEW_N(&known->arena, uint32_t, known->sorted.length + 1),
                  .count = known->sorted.length,
                  .way = asked.way,
                  .answered = answered,
                  .next = is_new ? NULL : (const answer *)(uintptr_t)*first};
    for (uint32_t i = 0; i < a->count; i++) a->terms[i] = known->sorted.items[i]->id;
    if (answered == LS_SAT) keep_model(known, a, model);
    *first = (uint64_t)(uintptr_t)a;
}

void ls_known_free(ls_known *known) {
    ls_intmap_free(&known->first);
    LS_VEC_FREE(&known->sorted);
    ls_arena_free(&known->arena);
}
