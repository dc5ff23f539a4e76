/* What Z3 has said before (recall.h). All words of a query are compared: a hash alone proves nothing. */
#include "solve/recall.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 4 << 20 /* that are kept of one kernel: 32 MB */ };

typedef struct entry {
    const struct entry *next; /* of the same hash */
    const uint64_t *words, *values;
    uint32_t count, value_count;
    ls_recalled said;
} entry;

struct ls_recall {
    ls_arena arena;
    ls_intmap first; /* by hash */
    uint64_t kept;   /* words */
};

ls_recall *ls_recall_new(void) {
    ls_recall *r = ls_xmalloc(sizeof *r);
    *r = (ls_recall){.kept = 0};
    ls_arena_init(&r->arena);
    return r;
}

void ls_recall_free(ls_recall *r) {
    if (!r) return;
    ls_intmap_free(&r->first);
    ls_arena_free(&r->arena);
    free(r);
}

/* --- Content ---------------------------------------------------------------------------------------------
 */

static bool is_leaf(const ls_term *t) {
    return t->op == LS_T_SYM || t->op == LS_T_UF;
}

static void put(ls_content_key *key, uint64_t word) {
    LS_VEC_PUSH(&key->words, word);
    key->hash = (key->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    key->hash ^= key->hash >> 29;
}

/* A term all of whose operands have their numbers. */
static void put_term(ls_content_key *key, const ls_term *t, const ls_intmap *numbers) {
    put(key, (uint64_t)t->op | (uint64_t)t->width << 8 | (uint64_t)(is_leaf(t) ? 0 : t->count) << 16);
    if (t->op == LS_T_CONST || t->op == LS_T_LIN || t->op == LS_T_EXTRACT) put(key, t->value);
    if (t->op == LS_T_CONST) return;
    put(key, t->ulo);
    put(key, t->uhi);
    put(key, (uint64_t)t->slo);
    put(key, (uint64_t)t->shi);
    if (is_leaf(t)) LS_VEC_PUSH(&key->leaves, t);
    for (uint32_t i = 0; i < t->count && !is_leaf(t); i++) {
        uint64_t number = 0;
        ls_intmap_get(numbers, t->args[i]->id, &number);
        put(key, number);
        if (t->op == LS_T_LIN) put(key, t->coefs[i]);
    }
}

void ls_content_make(ls_content_key *key, const ls_term_list *query, uint64_t how) {
    ls_intmap numbers = {0};
    ls_term_list stack = {0};
    bool is_new;
    put(key, how);
    for (uint32_t k = 0; k < query->length; k++) {
        LS_VEC_PUSH(&stack, query->items[k]);
        while (stack.length) {
            const ls_term *t = stack.items[stack.length - 1];
            uint64_t number;
            uint32_t before = stack.length;
            if (ls_intmap_get(&numbers, t->id, &number)) {
                stack.length--;
                continue;
            }
            for (uint32_t i = is_leaf(t) ? 0 : t->count; i-- > 0;)
                if (!ls_intmap_get(&numbers, t->args[i]->id, &number)) LS_VEC_PUSH(&stack, t->args[i]);
            if (stack.length > before) continue;
            put_term(key, t, &numbers);
            uint32_t next = numbers.count;
            *ls_intmap_at(&numbers, t->id, &is_new) = next;
            stack.length--;
        }
        uint64_t root = 0;
        ls_intmap_get(&numbers, query->items[k]->id, &root);
        put(key, UINT64_MAX - root); /* a conjunct ends */
    }
    LS_VEC_FREE(&stack);
    ls_intmap_free(&numbers);
}

void ls_content_free(ls_content_key *key) {
    LS_VEC_FREE(&key->words);
    LS_VEC_FREE(&key->leaves);
}

/* --- Answers ---------------------------------------------------------------------------------------------
 */

/* An answer is one for every call that has the time for it; that there is none, for those with no more. */
static bool serves(const entry *e, unsigned ms) {
    return e->said.answer == Z3_L_UNDEF ? ms <= e->said.ms : e->said.spent * 1e3 <= ms;
}

static const entry *find(const ls_recall *r, const ls_content_key *key, unsigned ms) {
    uint64_t found = 0;
    ls_intmap_get(&r->first, key->hash, &found);
    const entry *e = (const entry *)(uintptr_t)found;
    while (e && !(e->count == key->words.length && serves(e, ms) &&
                  !memcmp(e->words, key->words.items, sizeof *e->words * e->count)))
        e = e->next;
    return e;
}

bool ls_recall_find(ls_recall *r, const ls_content_key *key, unsigned ms, ls_recalled *out,
                    ls_intmap *model) {
    bool is_new;
    const entry *e = find(r, key, ms);
    if (e) *out = e->said;
    for (uint32_t i = 0; e && i < e->value_count; i++)
        *ls_intmap_at(model, key->leaves.items[i]->id, &is_new) = e->values[i];
    return e != NULL;
}

static const uint64_t *values_of(ls_recall *r, const ls_content_key *key, const ls_intmap *model) {
    uint64_t *values = LS_NEW_N(&r->arena, uint64_t, key->leaves.length + 1);
    for (uint32_t i = 0; i < key->leaves.length; i++) {
        const ls_term *leaf = key->leaves.items[i];
        if (!ls_intmap_get(model, leaf->id, &values[i])) values[i] = leaf->op == LS_T_SYM ? leaf->ulo : 0;
    }
    return values;
}

void ls_recall_add(ls_recall *r, const ls_content_key *key, const ls_recalled *said, const ls_intmap *model) {
    bool is_new, has_model = said->answer == Z3_L_TRUE;
    if (r->kept + key->words.length > MOST_WORDS) return;
    uint64_t *first = ls_intmap_at(&r->first, key->hash, &is_new),
             *words = LS_NEW_N(&r->arena, uint64_t, key->words.length);
    memcpy(words, key->words.items, sizeof *words * key->words.length);
    entry *e = LS_NEW(&r->arena, entry);
    *e = (entry){.next = is_new ? NULL : (const entry *)(uintptr_t)*first,
                 .words = words,
                 .values = has_model ? values_of(r, key, model) : NULL,
                 .count = key->words.length,
                 .value_count = has_model ? key->leaves.length : 0,
                 .said = *said};
    *first = (uint64_t)(uintptr_t)e;
    r->kept += key->words.length;
}
