/* A model with sizes that programs have. What host code says of a launch are mostly equations that give one
 * number by others (`blocks == (n + 127) / 128`, `rows == n / (8 * steps)`), with quotients that neither a
 * local search nor a solver gets through backwards. Forwards it is easy: numbers that no equation gives are
 * taken from a short list of sizes, all combinations of them, the others follow, and the rest of the query is
 * evaluated, exactly. Loops are in the first iteration that the query allows. */
#include "solve/ranges.h"
#include "solve/solve.h"

enum { MOST_FREE = 6, MOST_LEAVES = 400 };

typedef struct {
    const ls_term *leaf;
    const ls_term *by; /* a term that it equals; NULL: it is free, or as `value` says */
    bool is_free;
    uint64_t value;
    bool computing;
} number;

typedef struct {
    ls_terms *terms;
    LS_VEC(number) numbers;
    ls_intmap index; /* leaf to number */
    uint32_t free[MOST_FREE], free_count;
    ls_eval eval;
    bool circular;
} sizes;

static uint64_t value_of(void *data, const ls_term *leaf) {
    sizes *s = data;
    uint64_t at = 0, ignored = 0;
    if (!ls_intmap_get(&s->index, leaf->id, &at)) return ignored;
    number *n = &s->numbers.items[at];
    if (!n->by) return n->value;
    if (n->computing) {
        s->circular = true;
        return 0;
    }
    n->computing = true;
    uint64_t v = ls_evaluate(&s->eval, n->by) & ls_mask(leaf->width);
    s->numbers.items[at].computing = false;
    return v;
}

/* The symbol on a side of an equation, as it is or widened. */
static const ls_term *symbol_in(const ls_term *side) {
    if (side->op == LS_T_ZEXT || side->op == LS_T_SEXT) side = side->args[0];
    return side->op == LS_T_SYM ? side : NULL;
}

static bool speaks_of(const ls_term *term, const ls_term *leaf) {
    ls_term_list leaves = {0};
    ls_leaves(&term, 1, &leaves);
    bool speaks = false;
    for (uint32_t i = 0; i < leaves.length; i++) speaks |= leaves.items[i] == leaf;
    LS_VEC_FREE(&leaves);
    return speaks;
}

/* An equation that gives a number, by a term that is more than another number. */
static bool define(sizes *s, const ls_term *conjunct, bool any) {
    if (conjunct->op != LS_T_EQ) return false;
    for (uint32_t i = 0; i < 2; i++) {
        const ls_term *leaf = symbol_in(conjunct->args[i]), *by = conjunct->args[!i];
        uint64_t at;
        if (!leaf || (!any && symbol_in(by)) || !ls_intmap_get(&s->index, leaf->id, &at)) continue;
        if (s->numbers.items[at].by || speaks_of(by, leaf)) continue;
        s->numbers.items[at].by = by;
        return true;
    }
    return false;
}

static bool collect(sizes *s, const ls_term_list *query) {
    ls_term_list leaves = {0};
    ls_leaves(query->items, query->length, &leaves);
    for (uint32_t i = 0; i < leaves.length && i <= MOST_LEAVES; i++) {
        const ls_term *leaf = leaves.items[i];
        bool is_new, fixed = leaf->op == LS_T_UF || ls_sym_of(s->terms, leaf)->kind != LS_SYM_INPUT;
        number n = {.leaf = leaf, .is_free = !fixed, .value = leaf->op == LS_T_SYM ? leaf->ulo : 0};
        *ls_intmap_at(&s->index, leaf->id, &is_new) = s->numbers.length;
        LS_VEC_PUSH(&s->numbers, n);
    }
    bool few = leaves.length <= MOST_LEAVES;
    LS_VEC_FREE(&leaves);
    return few;
}

/* A number that is not free, as a count of iterations, is the least that comparisons with constants leave. */
static void raise_to(sizes *s, const ls_term *conjunct) {
    bool negated = conjunct->op == LS_T_NOT;
    const ls_term *c = negated ? conjunct->args[0] : conjunct;
    uint64_t at;
    if (c->op != LS_T_ULT && c->op != LS_T_SLT) return;
    const ls_term *limit = c->args[negated], *side = c->args[!negated];
    bool sum = side->op == LS_T_LIN && side->count == 1;
    const ls_term *leaf = symbol_in(sum ? side->args[0] : side);
    int64_t by = sum ? ls_signed(side->coefs[0], side->width) : 1,
            add = sum ? ls_signed(side->value, side->width) : 0;
    if (!leaf || by <= 0 || !ls_is_const(limit) || !ls_intmap_get(&s->index, leaf->id, &at)) return;
    ls_wide room = (ls_wide)ls_signed(limit->value, limit->width) + !negated - add,
            least = (room + by - 1) / by;
    number *n = &s->numbers.items[at];
    if (least > (ls_wide)n->value && least <= (ls_wide)leaf->uhi) n->value = (uint64_t)least;
}

static bool find_free(sizes *s) {
    bool few = true;
    for (uint32_t i = 0; i < s->numbers.length && few; i++) {
        const number *n = &s->numbers.items[i];
        if (n->by || !n->is_free) continue;
        few = s->free_count < MOST_FREE;
        if (few) s->free[s->free_count++] = i;
    }
    return few;
}

static bool holds(sizes *s, const ls_term_list *query) {
    bool all = true;
    s->circular = false;
    for (uint32_t i = 0; i < query->length && all; i++) all = ls_evaluate(&s->eval, query->items[i]) == 1;
    for (uint32_t i = 0; i < s->numbers.length && all; i++) {
        const ls_term *leaf = s->numbers.items[i].leaf;
        uint64_t v = ls_evaluate(&s->eval, leaf);
        all = leaf->op != LS_T_SYM || (v >= leaf->ulo && v <= leaf->uhi);
    }
    return all && !s->circular;
}

/* All combinations, as an odometer counts; the fewer numbers are free, the more values each is given. */
static bool try_sizes(sizes *s, const ls_term_list *query, uint64_t *work) {
    static const uint32_t list[] = {64, 1,   8,   256, 32,  1024, 2,  16,   0,
                                    4,  128, 512, 17,  100, 3,    33, 1000, 4096};
    static const uint32_t kept[MOST_FREE + 1] = {1, 18, 18, 12, 8, 6, 4};
    uint32_t at[MOST_FREE] = {0}, of = kept[s->free_count];
    for (;;) {
        for (uint32_t i = 0; i < s->free_count; i++) {
            number *n = &s->numbers.items[s->free[i]];
            n->value = list[at[i]] & ls_mask(n->leaf->width);
            if (n->value < n->leaf->ulo || n->value > n->leaf->uhi) n->value = n->leaf->ulo;
        }
        bool found = holds(s, query);
        uint64_t cost = s->eval.memo.count + 1;
        *work -= *work < cost ? *work : cost;
        if (found || !*work) return found;
        ls_intmap_free(&s->eval.memo);
        s->eval.memo = (ls_intmap){0};
        uint32_t i = 0;
        while (i < s->free_count && ++at[i] == of) at[i++] = 0;
        if (i == s->free_count) return false;
    }
}

bool ls_find_sizes(ls_terms *terms, const ls_term_list *query, uint64_t *work, ls_intmap *model) {
    sizes s = {.terms = terms};
    s.eval = (ls_eval){.lookup = value_of, .data = &s};
    bool found = collect(&s, query);
    for (uint32_t i = 0; i < 2 * query->length && found; i++)
        define(&s, query->items[i % query->length], i >= query->length);
    for (uint32_t i = 0; i < query->length && found; i++) raise_to(&s, query->items[i]);
    found = found && find_free(&s) && try_sizes(&s, query, work);
    for (uint32_t i = 0; i < s.numbers.length && found; i++) {
        bool is_new;
        *ls_intmap_at(model, s.numbers.items[i].leaf->id, &is_new) =
            ls_evaluate(&s.eval, s.numbers.items[i].leaf);
    }
    ls_intmap_free(&s.eval.memo);
    ls_intmap_free(&s.index);
    LS_VEC_FREE(&s.numbers);
    return found;
}
