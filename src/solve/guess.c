/* A model by local search (as SAT solvers do it, over terms): values of the leaves are changed one at a time
 * so that a predicate that does not hold comes nearer to holding, and solved for where it is a comparison.
 * All is evaluated exactly, so that what is found is a model. A race that exists mostly exists with few
 * threads and small numbers, where this finds it in a fraction of what a solver takes. */
#include "solve/solve.h"

#include "base/recover.h"

#include <assert.h>
#include <string.h>

typedef struct { /* a term, after its operands */
    const ls_term *term;
    uint32_t args;                      /* first in `operands` */
    uint64_t leaves;                    /* that it depends on: bits by number, modulo 64 */
    uint32_t followers, follower_count; /* of a leaf: the terms that depend on it, in `followers` */
} step;

typedef struct {
    uint32_t at;
    uint64_t value;
} change;

typedef struct { /* another value of a leaf: what it would cost, and what it took to find that out */
    uint32_t leaf;
    uint64_t value, cost, work;
} tried_move;

typedef struct {
    ls_terms *terms;
    LS_VEC(step) steps;
    LS_VEC(uint32_t) operands;
    LS_VEC(uint32_t) leaves; /* steps */
    LS_VEC(uint32_t) followers;
    LS_VEC(uint32_t) roots;
    LS_VEC(change) changes;   /* what the last move overwrote */
    LS_VEC(tried_move) tried; /* since the last one that was taken */
    ls_intmap index;          /* term to step */
    uint64_t *values;         /* by step */
    bool *moved;              /* by step: it has another value by the move that is being made */
    uint32_t *costs;          /* by root */
    ls_from from;
    uint64_t random;
    uint64_t work; /* that is left: terms to be computed */
} search;

enum { MOST_OPERANDS = 64, DEEPEST = 12, MOVES = 150, SIZES = 7 };

static uint32_t draw(search *s, uint32_t below) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)((s->random >> 20) % below);
}

/* --- The terms in order ----------------------------------------------------------------------------------
 */

static bool is_leaf(const ls_term *t) {
    return t->op == LS_T_SYM || t->op == LS_T_UF;
}

static void add_step(search *s, const ls_term *t) {
    step made = {.term = t, .args = s->operands.length};
    for (uint32_t i = 0; i < t->count && !is_leaf(t); i++) {
        uint64_t at = 0;
        ls_intmap_get(&s->index, t->args[i]->id, &at);
        LS_VEC_PUSH(&s->operands, (uint32_t)at);
        made.leaves |= s->steps.items[at].leaves;
    }
    bool is_new;
    *ls_intmap_at(&s->index, t->id, &is_new) = s->steps.length;
    if (is_leaf(t)) {
        made.leaves = UINT64_C(1) << s->leaves.length % 64;
        LS_VEC_PUSH(&s->leaves, s->steps.length);
    }
    LS_VEC_PUSH(&s->steps, made);
}

/* False where a term is of a kind that is not computed here. */
static bool add_terms(search *s, const ls_term *root) {
    ls_term_list stack = {0};
    bool usable = true;
    LS_VEC_PUSH(&stack, root);
    while (stack.length && usable) {
        const ls_term *t = stack.items[stack.length - 1];
        uint64_t at;
        if (ls_intmap_get(&s->index, t->id, &at)) {
            stack.length--;
            continue;
        }
        bool ready = true;
        usable = t->count <= MOST_OPERANDS;
        for (uint32_t i = 0; i < t->count && !is_leaf(t) && usable; i++)
            if (!ls_intmap_get(&s->index, t->args[i]->id, &at)) {
                ready = false;
                LS_VEC_PUSH(&stack, t->args[i]);
            }
        if (ready && usable) add_step(s, t);
    }
    LS_VEC_FREE(&stack);
    return usable;
}

static void find_followers(search *s) {
    for (uint32_t i = 0; i < s->leaves.length; i++) {
        step *leaf = &s->steps.items[s->leaves.items[i]];
        leaf->followers = s->followers.length;
        for (uint32_t at = s->leaves.items[i] + 1; at < s->steps.length; at++) {
            const step *x = &s->steps.items[at];
            if ((x->leaves & leaf->leaves) && !is_leaf(x->term)) LS_VEC_PUSH(&s->followers, at);
        }
        leaf->follower_count = s->followers.length - leaf->followers;
    }
}

static void compute(search *s, uint32_t at) {
    const step *x = &s->steps.items[at];
    uint64_t args[MOST_OPERANDS];
    for (uint32_t i = 0; i < x->term->count; i++) args[i] = s->values[s->operands.items[x->args + i]];
    s->values[at] = ls_compute(x->term, args) & ls_mask(x->term->width);
}

/* Only a step of which an operand has another value can have one. */
static bool has_moved(const search *s, uint32_t at) {
    const step *x = &s->steps.items[at];
    const uint32_t *args = s->operands.items + x->args;
    bool moved = false;
    for (uint32_t i = 0; i < x->term->count; i++) moved |= s->moved[args[i]];
    return moved;
}

static uint64_t operand(const search *s, uint32_t at, uint32_t i) {
    return s->values[s->operands.items[s->steps.items[at].args + i]];
}

/* --- How far a predicate is from holding -----------------------------------------------------------------
 */

static uint32_t magnitude(uint64_t distance) {
    return distance ? 65 - (uint32_t)__builtin_clzll(distance) : 1;
}

static uint32_t cost_of(const search *s, uint32_t at, bool want, uint32_t depth);

/* Of both, or of the nearer one. */
static uint32_t cost_of_two(const search *s, uint32_t at, bool want, bool both, uint32_t depth) {
    const uint32_t *args = &s->operands.items[s->steps.items[at].args];
    uint32_t a = cost_of(s, args[0], want, depth - 1), b = cost_of(s, args[1], want, depth - 1);
    return both ? a + b : a < b ? a : b;
}

static uint32_t cost_of_comparison(const search *s, uint32_t at, bool want) {
    const ls_term *t = s->steps.items[at].term;
    uint32_t width = t->args[0]->width;
    uint64_t a = operand(s, at, 0), b = operand(s, at, 1);
    if (t->op == LS_T_EQ) {
        int64_t d = ls_signed(a - b, width);
        return !want ? 1 : magnitude(d < 0 ? 0 - (uint64_t)d : (uint64_t)d);
    }
    return magnitude((want ? a - b : b - a) & ls_mask(width));
}

static uint32_t cost_of(const search *s, uint32_t at, bool want, uint32_t depth) {
    const ls_term *t = s->steps.items[at].term;
    if ((s->values[at] == 1) == want) return 0;
    bool compares = t->op == LS_T_EQ || t->op == LS_T_ULT || t->op == LS_T_SLT;
    if (!depth || t->width != 1) return 1;
    if (t->op == LS_T_NOT) return cost_of(s, s->operands.items[s->steps.items[at].args], !want, depth - 1);
    if (t->op == LS_T_AND) return cost_of_two(s, at, want, want, depth);
    if (t->op == LS_T_OR) return cost_of_two(s, at, want, !want, depth);
    return compares && t->args[0]->width > 1 ? cost_of_comparison(s, at, want) : 1;
}

static uint64_t total(const search *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->roots.length; i++) sum += s->costs[i];
    return sum;
}

static void find_costs(search *s, uint64_t leaves) {
    for (uint32_t i = 0; i < s->roots.length; i++)
        if (s->steps.items[s->roots.items[i]].leaves & leaves)
            s->costs[i] = cost_of(s, s->roots.items[i], true, DEEPEST);
}

/* --- Moves -----------------------------------------------------------------------------------------------
 */

static bool in_range(const ls_term *leaf, uint64_t v) {
    int64_t sv = ls_signed(v, leaf->width);
    if (v & ~ls_mask(leaf->width)) return false;
    return leaf->op != LS_T_SYM || (v >= leaf->ulo && v <= leaf->uhi && sv >= leaf->slo && sv <= leaf->shi);
}

/* The leaf becomes v, and all that depends on it follows. */
static void move(search *s, uint32_t leaf, uint64_t v) {
    const step *moved = &s->steps.items[leaf];
    s->changes.length = 0;
    LS_VEC_PUSH(&s->changes, ((change){leaf, s->values[leaf]}));
    s->values[leaf] = v;
    s->moved[leaf] = true;
    for (uint32_t i = 0; i < moved->follower_count; i++) {
        uint32_t at = s->followers.items[moved->followers + i];
        uint64_t before = s->values[at];
        if (!has_moved(s, at)) continue;
        compute(s, at);
        if (s->values[at] == before) continue;
        LS_VEC_PUSH(&s->changes, ((change){at, before}));
        s->moved[at] = true;
    }
    for (uint32_t i = 0; i < s->changes.length; i++) s->moved[s->changes.items[i].at] = false;
    uint64_t taken = moved->follower_count + s->steps.length / 16;
    s->work -= s->work > taken ? taken : s->work;
}

static void undo(search *s) {
    for (uint32_t i = 0; i < s->changes.length; i++)
        s->values[s->changes.items[i].at] = s->changes.items[i].value;
}

typedef struct {
    uint32_t leaf;
    uint64_t value, cost;
} best_move;

static uint64_t cost_of_move(search *s, uint32_t leaf, uint64_t v) {
    move(s, leaf, v);
    uint64_t cost = 0, bit = s->steps.items[leaf].leaves;
    for (uint32_t i = 0; i < s->roots.length; i++)
        cost += s->steps.items[s->roots.items[i]].leaves & bit ? cost_of(s, s->roots.items[i], true, DEEPEST)
                                                               : s->costs[i];
    undo(s);
    return cost;
}

/* The same where it is known already, of the work that it took then. */
static uint64_t recalled_cost(search *s, uint32_t leaf, uint64_t v) {
    for (uint32_t i = 0; i < s->tried.length; i++) {
        const tried_move *t = &s->tried.items[i];
        if (t->leaf != leaf || t->value != v) continue;
        s->work -= s->work < t->work ? s->work : t->work;
        return t->cost;
    }
    uint64_t before = s->work, cost = cost_of_move(s, leaf, v);
    LS_VEC_PUSH(&s->tried, ((tried_move){leaf, v, cost, before - s->work}));
    return cost;
}

/* Another value of a leaf. */
static void consider(search *s, uint32_t leaf, uint64_t v, best_move *best) {
    if (v == s->values[leaf] || !in_range(s->steps.items[leaf].term, v)) return;
    uint64_t cost = recalled_cost(s, leaf, v);
    if (cost < best->cost || (cost == best->cost && draw(s, 2))) *best = (best_move){leaf, v, cost};
}

/* Values at which a comparison turns, by its slope in the leaf. */
static void consider_solutions(search *s, uint32_t atom, uint32_t leaf, best_move *best) {
    const ls_term *t = s->steps.items[atom].term, *x = s->steps.items[leaf].term;
    if (t->width != 1 || t->count != 2 || t->args[0]->width == 1 || !in_range(x, s->values[leaf] + 1)) return;
    uint32_t width = t->args[0]->width;
    int64_t now = ls_signed(operand(s, atom, 0) - operand(s, atom, 1), width);
    move(s, leaf, s->values[leaf] + 1);
    int64_t next = ls_signed(operand(s, atom, 0) - operand(s, atom, 1), width);
    undo(s);
    int64_t slope = (int64_t)((uint64_t)next - (uint64_t)now);
    for (int64_t target = -1; target <= 1 && slope; target++) {
        int64_t way = (int64_t)((uint64_t)target - (uint64_t)now);
        if (slope == -1 ? way == INT64_MIN : way % slope != 0) continue;
        consider(s, leaf, (s->values[leaf] + (uint64_t)(way / slope)) & ls_mask(x->width), best);
    }
}

/* From a predicate that is to change down to a comparison that has a part in it. */
static uint32_t choose_atom(search *s, uint32_t at, bool want) {
    for (;;) {
        const ls_term *t = s->steps.items[at].term;
        const uint32_t *args = s->operands.items + s->steps.items[at].args;
        bool both = t->op == LS_T_AND ? want : !want;
        if (t->width != 1 || t->count == 0 || is_leaf(t)) return at;
        if (t->op == LS_T_NOT) {
            want = !want;
            at = args[0];
        } else if (t->op == LS_T_AND || t->op == LS_T_OR) {
            uint32_t which = draw(s, 2);
            if (both && (s->values[args[which]] == 1) == want) which = 1 - which;
            at = args[which];
        } else {
            return at;
        }
    }
}

/* A leaf below. */
static uint32_t choose_leaf(search *s, uint32_t at) {
    while (!is_leaf(s->steps.items[at].term)) {
        const step *x = &s->steps.items[at];
        uint32_t choices[MOST_OPERANDS], count = 0;
        for (uint32_t i = 0; i < x->term->count; i++) {
            uint32_t arg = s->operands.items[x->args + i];
            if (s->steps.items[arg].leaves) choices[count++] = arg;
        }
        if (!count) return UINT32_MAX;
        at = choices[draw(s, count)];
    }
    return at;
}

static void consider_leaf(search *s, uint32_t atom, uint32_t leaf, best_move *best) {
    const ls_term *t = s->steps.items[leaf].term;
    uint64_t v = s->values[leaf], mask = ls_mask(t->width);
    uint32_t other = s->leaves.items[draw(s, s->leaves.length)];
    consider_solutions(s, atom, leaf, best);
    uint64_t values[] = {
        v + 1, v - 1, t->ulo,           t->ulo + 1,          draw(s, 8), UINT64_C(1) << draw(s, 7),
        v * 2, v / 2, s->values[other], s->values[other] + 1};
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) consider(s, leaf, values[i] & mask, best);
}

static void take(search *s, const best_move *best) {
    move(s, best->leaf, best->value);
    find_costs(s, s->steps.items[best->leaf].leaves);
}

/* One move towards a predicate that does not hold; false where none does not. */
static bool improve(search *s) {
    uint32_t open = 0, chosen = 0;
    for (uint32_t i = 0; i < s->roots.length; i++)
        if (s->costs[i] && draw(s, ++open) == 0) chosen = i;
    if (!open) return false;
    best_move best = {.cost = UINT64_MAX};
    s->tried.length = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t atom = choose_atom(s, s->roots.items[chosen], true), leaf = choose_leaf(s, atom);
        if (leaf != UINT32_MAX) consider_leaf(s, atom, leaf, &best);
    }
    if (best.cost <= total(s) || (best.cost != UINT64_MAX && draw(s, 4) == 0)) take(s, &best);
    return true;
}

/* --- The search ------------------------------------------------------------------------------------------
 */

/* Any number that the leaf may be. */
static uint64_t draw_any(search *s, const ls_term *leaf) {
    uint64_t range = leaf->uhi - leaf->ulo, drawn = (uint64_t)draw(s, UINT32_MAX) << 32 | draw(s, UINT32_MAX);
    return leaf->op == LS_T_SYM && range < UINT64_MAX ? leaf->ulo + drawn % (range + 1)
                                                      : drawn & ls_mask(leaf->width);
}

/* Small numbers, the first iterations of loops; or as asked for, or what the model has that is given. */
static void start(search *s, const ls_intmap *given, uint32_t round) {
    static const uint32_t sizes[SIZES] = {4, 2, 8, 3, 16, 33, 128};
    for (uint32_t i = 0; i < s->leaves.length; i++) {
        uint32_t leaf = s->leaves.items[i];
        const ls_term *t = s->steps.items[leaf].term;
        bool counts = t->op == LS_T_SYM && ls_sym_of(s->terms, t)->kind == LS_SYM_COUNT;
        uint64_t v = draw(s, counts ? 2 : sizes[round % SIZES]) & ls_mask(t->width);
        if (s->from == LS_FROM_ANY && round % 2 == 0) v = draw_any(s, t);
        if (s->from == LS_FROM_SIZES && round == 0) v = counts ? 0 : (1u << 16) & ls_mask(t->width);
        if (round == 0) ls_intmap_get(given, t->id, &v);
        s->values[leaf] = in_range(t, v) ? v : t->op == LS_T_SYM ? t->ulo : 0;
    }
    for (uint32_t i = 0; i < s->steps.length; i++)
        if (!is_leaf(s->steps.items[i].term)) compute(s, i);
    s->work -= s->work > s->steps.length ? s->steps.length : s->work;
    find_costs(s, UINT64_MAX);
    for (uint32_t i = 0; i < s->roots.length; i++) /* of constants */
        if (!s->steps.items[s->roots.items[i]].leaves) s->costs[i] = 0;
}

/* --- All there are ---------------------------------------------------------------------------------------
 */

/* So few values that each can be tried: the threads of a block and no more, as in a hash of the index. */
static bool are_few(const search *s) {
    uint64_t values = 1;
    for (uint32_t i = 0; i < s->leaves.length; i++) {
        const ls_term *t = s->steps.items[s->leaves.items[i]].term;
        if (t->op != LS_T_SYM || t->uhi - t->ulo >= s->work / values) return false;
        values *= t->uhi - t->ulo + 1;
    }
    return values * s->steps.length < 4 * s->work;
}

static bool all_hold(const search *s) {
    bool all = true;
    for (uint32_t i = 0; i < s->roots.length && all; i++) {
        const uint32_t root = s->roots.items[i];
        all = s->values[root] == 1;
    }
    return all;
}

/* Leaf by leaf, as an odometer counts. */
static bool try_all(search *s) {
    for (uint32_t i = 0; i < s->leaves.length; i++)
        move(s, s->leaves.items[i], s->steps.items[s->leaves.items[i]].term->ulo);
    while (!all_hold(s)) {
        uint32_t i = 0;
        for (; i < s->leaves.length; i++) {
            const uint32_t leaf = s->leaves.items[i];
            const ls_term *t = s->steps.items[leaf].term;
            const bool last = s->values[leaf] >= t->uhi;
            move(s, leaf, last ? t->ulo : s->values[leaf] + 1);
            if (!last) break;
        }
        if (i == s->leaves.length) return false;
    }
    for (uint32_t i = 0; i < s->leaves.length; i++)
        if (!in_range(s->steps.items[s->leaves.items[i]].term, s->values[s->leaves.items[i]])) return false;
    return true;
}

static bool look(search *s, const ls_intmap *given) {
    if (are_few(s)) {
        start(s, given, 0);
        return try_all(s);
    }
    for (uint32_t round = 0; s->work; round++) {
        start(s, given, round);
        for (int i = 0; i < MOVES && s->work; i++)
            if (!improve(s)) return true;
    }
    return false;
}

bool ls_guess(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count, ls_from from, uint64_t *work,
              ls_intmap *model) {
    LS_SCRATCH(scratch);
    search s = {.terms = terms, .from = from, .random = UINT64_C(0x9e3779b97f4a7c15), .work = *work};
    bool usable = true, found = false;
    for (uint32_t i = 0; i < count && usable; i++) {
        usable = add_terms(&s, conjuncts[i]) && s.steps.length < *work / 64;
        uint64_t at = 0;
        ls_intmap_get(&s.index, conjuncts[i]->id, &at);
        LS_VEC_PUSH(&s.roots, (uint32_t)at);
    }
    if (usable && s.leaves.length) {
        s.values = ls_arena_alloc(&scratch, sizeof *s.values * s.steps.length);
        s.costs = ls_arena_alloc(&scratch, sizeof *s.costs * s.roots.length);
        s.moved = ls_arena_zalloc(&scratch, sizeof *s.moved * s.steps.length);
        find_followers(&s);
        found = look(&s, model);
    }
    for (uint32_t i = 0; i < s.leaves.length && found; i++) {
        bool is_new;
        *ls_intmap_at(model, s.steps.items[s.leaves.items[i]].term->id, &is_new) =
            s.values[s.leaves.items[i]];
    }
    LS_VEC_FREE(&s.steps);
    LS_VEC_FREE(&s.operands);
    LS_VEC_FREE(&s.leaves);
    LS_VEC_FREE(&s.followers);
    LS_VEC_FREE(&s.roots);
    LS_VEC_FREE(&s.changes);
    LS_VEC_FREE(&s.tried);
    ls_intmap_free(&s.index);
    *work = s.work;
    return found;
}
