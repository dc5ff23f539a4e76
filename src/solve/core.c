/* The core of a query (core.h): conditions of branches that two accesses stand under say much that has
 * nothing to do with where they meet, as what a loaded value is compared with, in products of unknowns that
 * take all of a solver's time. */
#include "solve/core.h"

#include "base/recover.h"

typedef struct {
    const ls_term_list *query;
    ls_term_list *leaves; /* by conjunct */
    bool *gone;           /* by conjunct */
    ls_intmap uses;       /* leaf to the number of conjuncts that are left and have it */
} sifting;

static bool is_hard(const ls_term *conjunct) {
    ls_term_walk walk = {0};
    bool hard = false;
    ls_walk_add(&walk, &conjunct, 1);
    for (const ls_term *t = ls_walk_down(&walk); t && !hard; t = ls_walk_down(&walk))
        hard = t->op == LS_T_MUL || t->op == LS_T_UF || (t->op >= LS_T_UDIV && t->op <= LS_T_SREM);
    ls_walk_free(&walk);
    return hard;
}

static void count(sifting *s, uint32_t conjunct, int step) {
    for (uint32_t i = 0; i < s->leaves[conjunct].length; i++) {
        bool is_new;
        uint64_t *uses = ls_intmap_at(&s->uses, s->leaves[conjunct].items[i]->id, &is_new);
        if (is_new) *uses = 0;
        *uses += (uint64_t)(int64_t)step;
    }
}

static bool speaks_alone(const sifting *s, uint32_t conjunct) {
    for (uint32_t i = 0; i < s->leaves[conjunct].length; i++) {
        uint64_t uses = 0;
        ls_intmap_get(&s->uses, s->leaves[conjunct].items[i]->id, &uses);
        if (uses == 1) return true;
    }
    return false;
}

/* Takes away what speaks alone until nothing does; true where something of it is hard. */
static bool sift(sifting *s) {
    bool hard = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->query->length; i++) {
            if (s->gone[i] || !speaks_alone(s, i)) continue;
            s->gone[i] = more = true;
            count(s, i, -1);
            hard = hard || is_hard(s->query->items[i]);
        }
    }
    return hard;
}

enum { MOST_CONJUNCTS = 300 }; /* of which it is worth the time */

bool ls_find_core(const ls_term_list *query, ls_term_list *core) {
    LS_SCRATCH(scratch);
    if (query->length > MOST_CONJUNCTS) return false;
    sifting s = {.query = query,
                 .leaves = ls_arena_alloc(&scratch, sizeof *s.leaves * (query->length + 1)),
                 .gone = ls_arena_alloc(&scratch, query->length + 1)};
    for (uint32_t i = 0; i < query->length; i++) {
        s.leaves[i] = (ls_term_list){0};
        s.gone[i] = false;
        ls_leaves(&query->items[i], 1, &s.leaves[i]);
        count(&s, i, 1);
    }
    bool hard = sift(&s);
    for (uint32_t i = 0; i < query->length; i++) {
        if (hard && !s.gone[i]) LS_VEC_PUSH(core, query->items[i]);
        LS_VEC_FREE(&s.leaves[i]);
    }
    ls_intmap_free(&s.uses);
    return core->length > 0;
}
