/* All values of the symbols that have few (enumerate.h). Comparisons of other things are taken as symbols of
 * their own that are true or false; whatever else is in a term is unknown, and so is the term, unless what is
 * known of it decides (false && …). Symbols that stand in one conjunct belong together: each such group is
 * searched by itself, one symbol after the other, and every conjunct is looked at as soon as its last symbol
 * has a value. A term of one symbol alone is computed once for each of its values. */
#include "solve/enumerate.h"
#include "base/recover.h"
#include "solve/bounds.h"

#include <string.h>

enum { MOST_SYMBOLS = 14, MOST_ATOMS = 4, MOST_OPERANDS = 64, NONE = -1, MIXED = -2 };
enum { MOST_EQUATIONS = 4, MOST_LEAVES = 16 }; /* in which distances are looked for */

typedef struct {
    const ls_term *term; /* a symbol, or a comparison that is taken for one */
    uint64_t *values;
    uint32_t count, group;
} variable;

typedef struct {
    uint64_t bits;
    bool known;
} value;

typedef struct { /* a term, after its operands */
    const ls_term *term;
    uint32_t args;   /* first in `operands` */
    int level;       /* the last variable that it has; NONE: it has none */
    int only;        /* the one variable that it has; NONE, MIXED */
    bool leaf, open; /* it is a variable, or nothing is known of it; there is something in it that is open */
    value *table;    /* of one variable: by number of its value */
} node;

typedef LS_VEC(uint32_t) numbers;

typedef struct { /* what must hold, and how far `computed` goes for it */
    uint32_t node, end;
} claim;
typedef LS_VEC(claim) claims;

typedef ls_extent extent;

typedef struct {
    ls_terms *terms;
    ls_arena arena; /* of one attempt */
    const ls_term *const *conjuncts;
    uint32_t count;
    variable variables[MOST_SYMBOLS];
    uint32_t variable_count;
    LS_VEC(node) nodes;
    numbers operands;                /* of all nodes */
    numbers looked_up[MOST_SYMBOLS]; /* by level: nodes of this variable alone … */
    numbers computed[MOST_SYMBOLS];  /* … and of others before it */
    claims claims[MOST_SYMBOLS];     /* those of `computed` that must hold */
    value *now;                      /* by node */
    uint64_t chosen[MOST_SYMBOLS];
    ls_intmap index;
    uint32_t few;
    uint64_t work;
} search;

/* --- Terms in order --------------------------------------------------------------------------------------
 */

static int variable_of(const search *s, const ls_term *t) {
    for (uint32_t v = 0; v < s->variable_count; v++)
        if (s->variables[v].term == t) return (int)v;
    return NONE;
}

static void add_node(search *s, const ls_term *t) {
    node made = {.term = t, .args = s->operands.length, .only = variable_of(s, t)};
    made.level = made.only;
    bool unknown = t->op == LS_T_SYM || t->op == LS_T_UF || t->count > MOST_OPERANDS;
    made.leaf = made.only != NONE || unknown;
    made.open = made.only == NONE && unknown;
    for (uint32_t i = 0; i < t->count && !made.leaf; i++) {
        uint64_t at = 0;
        ls_intmap_get(&s->index, t->args[i]->id, &at);
        const node *arg = &s->nodes.items[at];
        LS_VEC_PUSH(&s->operands, (uint32_t)at);
        made.open |= arg->open;
        if (arg->level > made.level) made.level = arg->level;
        if (arg->only != NONE) made.only = made.only == NONE || made.only == arg->only ? arg->only : MIXED;
    }
    bool is_new;
    *ls_intmap_at(&s->index, t->id, &is_new) = s->nodes.length;
    LS_VEC_PUSH(&s->nodes, made);
}

static void add_terms(search *s, const ls_term *root) {
    ls_term_list stack = {0};
    LS_VEC_PUSH(&stack, root);
    while (stack.length) {
        const ls_term *t = stack.items[stack.length - 1];
        bool ready = true;
        uint64_t at;
        if (ls_intmap_get(&s->index, t->id, &at)) {
            stack.length--;
            continue;
        }
        bool enters = t->op != LS_T_UF && t->count <= MOST_OPERANDS && variable_of(s, t) == NONE;
        for (uint32_t i = 0; i < t->count && enters; i++) {
            if (ls_intmap_get(&s->index, t->args[i]->id, &at)) continue;
            LS_VEC_PUSH(&stack, t->args[i]);
            ready = false;
        }
        if (ready) add_node(s, t);
    }
    LS_VEC_FREE(&stack);
}

static void add_conjuncts(search *s) {
    s->nodes.length = s->operands.length = 0;
    ls_intmap_free(&s->index);
    s->index = (ls_intmap){0};
    for (uint32_t i = 0; i < s->count; i++) add_terms(s, s->conjuncts[i]);
}

static uint32_t node_of(const search *s, const ls_term *t) {
    uint64_t at = 0;
    ls_intmap_get(&s->index, t->id, &at);
    return (uint32_t)at;
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

/* What is known of a term of which not all operands are. */
static value decided(const ls_term *t, const uint64_t *args, const bool *known) {
    bool is_truth = t->width == 1;
    if (t->op == LS_T_ITE && known[0])
        return args[0] ? (value){args[1], known[1]} : (value){args[2], known[2]};
    for (uint32_t i = 0; i < t->count; i++) {
        bool zero = known[i] && !args[i];
        if (zero && (t->op == LS_T_AND || t->op == LS_T_MUL)) return (value){0, true};
        if (t->op == LS_T_OR && is_truth && known[i] && args[i]) return (value){1, true};
    }
    return (value){0, false};
}

/* of: the variable whose k-th value it is for, where all others do not matter; else what they are now. */
static value value_of(const search *s, const node *n, int of, uint32_t k) {
    uint64_t args[MOST_OPERANDS];
    bool known[MOST_OPERANDS], all = true;
    if (n->leaf) return n->only == NONE ? (value){0, false} : (value){s->variables[n->only].values[k], true};
    if (n->term->op == LS_T_CONST) return (value){n->term->value, true};
    for (uint32_t i = 0; i < n->term->count; i++) {
        uint32_t at = s->operands.items[n->args + i];
        const value *table = s->nodes.items[at].table;
        value v = of != NONE && table ? table[k] : s->now[at];
        args[i] = v.bits;
        known[i] = v.known;
        all &= v.known;
    }
    if (!all) return decided(n->term, args, known);
    return (value){ls_compute(n->term, args) & ls_mask(n->term->width), true};
}

/* --- Symbols with few values -----------------------------------------------------------------------------
 */

/* a < b or not (a < b) where one is a constant, and the other a symbol, or one plus a constant: the symbol
 * is between two numbers, seen as a ring. */
static void narrow(extent *e, const ls_term *conjunct) {
    bool holds = conjunct->op != LS_T_NOT;
    const ls_term *t = holds ? conjunct : conjunct->args[0];
    if (t->op != LS_T_ULT && t->op != LS_T_SLT) return;
    bool below = t->args[1]->op == LS_T_CONST;
    const ls_term *limit = t->args[below], *other = t->args[!below];
    uint64_t mask = ls_mask(e->term->width), least = t->op == LS_T_SLT ? mask / 2 + 1 : 0;
    uint64_t shift = other->op == LS_T_LIN ? other->value : 0;
    bool plain = other == e->term || (other->op == LS_T_LIN && other->count == 1 && other->coefs[0] == 1 &&
                                      other->args[0] == e->term);
    if (limit->op != LS_T_CONST || !plain) return;
    /* other < limit: least … limit - 1; not: limit … most. limit < other: limit + 1 … most; not: … limit */
    uint64_t most = (least - 1) & mask, from, to;
    if (below == holds) {
        from = least, to = below ? limit->value - 1 : limit->value;
        if (below && limit->value == least) return;
    } else {
        from = below ? limit->value : limit->value + 1, to = most;
        if (!below && limit->value == most) return;
    }
    from = (from - shift) & mask;
    to = (to - shift) & mask;
    if (from > to && e->hi < from) from = 0; /* of the two parts, one is out of the question */
    if (from > to && e->lo > to) to = mask;
    if (from > to) return;
    if (from > e->lo) e->lo = from;
    if (to < e->hi) e->hi = to;
}

ls_extent ls_extent_of(const ls_term *symbol, const ls_term *const *conjuncts, uint32_t count) {
    extent e = {symbol, symbol->ulo, symbol->uhi};
    for (uint32_t k = 0; k < count; k++) narrow(&e, conjuncts[k]);
    return e;
}

static void add_variable(search *s, const extent *e) {
    variable *v = &s->variables[s->variable_count];
    *v = (variable){e->term, ls_arena_alloc(&s->arena, sizeof *v->values * LS_FEW_VALUES), 0,
                    s->variable_count};
    s->variable_count++;
    for (uint64_t x = e->lo; x <= e->hi && x - e->lo < LS_FEW_VALUES; x++) {
        int64_t number = ls_signed(x, e->term->width);
        if (number >= e->term->slo && number <= e->term->shi) v->values[v->count++] = x;
    }
}

/* A comparison of something of the one thread with something of the other: where both get to, as a rule. */
static bool is_meeting(const search *s, const ls_term *t) {
    if (t->op != LS_T_EQ && t->op != LS_T_ULT && t->op != LS_T_SLT) return false;
    ls_term_list leaves = {0};
    bool of[3] = {false};
    ls_leaves(&t, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++)
        if (leaves.items[i]->op == LS_T_SYM) of[ls_sym_of(s->terms, leaves.items[i])->thread % 3] = true;
    LS_VEC_FREE(&leaves);
    return of[1] && of[2];
}

/* Equations of something of the one thread with something of the other, a few of them. */
static void find_equations(const search *s, ls_term_list *out) {
    for (uint32_t i = 0; i < s->count && out->length < MOST_EQUATIONS; i++)
        if (s->conjuncts[i]->op == LS_T_EQ && is_meeting(s, s->conjuncts[i]))
            LS_VEC_PUSH(out, s->conjuncts[i]);
}

/* What both threads share, and what equations leave few values of, as a distance between two threads: first,
 * as conditions on it leave less of the others. */
static void find_distances(search *s) {
    ls_term_list equations = {0}, leaves = {0};
    find_equations(s, &equations);
    ls_leaves(equations.items, equations.length, &leaves);
    for (uint32_t i = 0; i < leaves.length && i < MOST_LEAVES && s->variable_count < MOST_SYMBOLS; i++) {
        const ls_term *t = leaves.items[i];
        bool own = t->op == LS_T_SYM && ls_sym_of(s->terms, t)->thread;
        if (own || t->uhi - t->ulo < s->few) continue;
        ls_bounds b = ls_bounds_of(s->terms, t, equations.items, equations.length);
        if (b.lo > b.hi || (uint64_t)b.hi - (uint64_t)b.lo >= s->few) continue;
        variable *v = &s->variables[s->variable_count];
        *v =
            (variable){t, ls_arena_alloc(&s->arena, sizeof *v->values * LS_FEW_VALUES), 0, s->variable_count};
        s->variable_count++;
        for (int64_t x = b.lo; x <= b.hi; x++) {
            uint64_t bits = (uint64_t)x & ls_mask(t->width);
            if (bits >= t->ulo && bits <= t->uhi) v->values[v->count++] = bits;
        }
    }
    LS_VEC_FREE(&equations);
    LS_VEC_FREE(&leaves);
}

/* What is the first thread's, what is the second's, and then what both share: what does not hold whatever the
 * round of a loop is not tried for each. With `core`, only symbols of meetings: the others would be gone
 * through for nothing. */
static void find_symbols(search *s, bool core) {
    ls_term_list leaves = {0}, roots = {0};
    for (uint32_t i = 0; i < s->count; i++)
        if (!core || is_meeting(s, s->conjuncts[i])) LS_VEC_PUSH(&roots, s->conjuncts[i]);
    ls_leaves(roots.items, roots.length, &leaves);
    if (core) find_distances(s);
    for (uint32_t turn = 1; turn < 4; turn++)
        for (uint32_t i = 0; i < leaves.length && s->variable_count < MOST_SYMBOLS; i++) {
            const ls_term *t = leaves.items[i];
            if (t->op != LS_T_SYM || ls_sym_of(s->terms, t)->thread != turn % 3 || variable_of(s, t) != NONE)
                continue;
            extent e = ls_extent_of(t, s->conjuncts, s->count);
            if (e.lo > e.hi || e.hi - e.lo < s->few) add_variable(s, &e);
        }
    LS_VEC_FREE(&leaves);
    LS_VEC_FREE(&roots);
}

/* Comparisons of what is not among the symbols. */
static void find_atoms(search *s) {
    extent atoms[MOST_ATOMS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->nodes.length && count < MOST_ATOMS; i++) {
        const node *n = &s->nodes.items[i];
        bool compares = n->term->op == LS_T_EQ || n->term->op == LS_T_ULT || n->term->op == LS_T_SLT;
        if (compares && n->open && n->only == NONE) atoms[count++] = (extent){n->term, 0, 1};
    }
    s->variable_count = 0;
    for (uint32_t i = 0; i < count; i++) add_variable(s, &atoms[i]);
}

static void join(search *s, uint32_t a, uint32_t b) {
    uint32_t from = s->variables[a].group, to = s->variables[b].group;
    for (uint32_t v = 0; v < s->variable_count; v++)
        if (s->variables[v].group == from) s->variables[v].group = to;
}

/* The variables below a conjunct. */
static void join_variables(search *s, uint32_t root) {
    numbers stack = {0};
    ls_intmap seen = {0};
    int first = NONE;
    LS_VEC_PUSH(&stack, root);
    while (stack.length) {
        uint32_t at = stack.items[--stack.length];
        const node *n = &s->nodes.items[at];
        bool is_new;
        ls_intmap_at(&seen, at, &is_new);
        if (!is_new || n->only == NONE) continue;
        if (n->only != MIXED && first == NONE) first = n->only;
        if (n->only != MIXED) join(s, (uint32_t)n->only, (uint32_t)first);
        for (uint32_t i = 0; i < n->term->count && n->only == MIXED; i++)
            LS_VEC_PUSH(&stack, s->operands.items[n->args + i]);
    }
    LS_VEC_FREE(&stack);
    ls_intmap_free(&seen);
}

/* --- Tables ----------------------------------------------------------------------------------------------
 */

static bool is_much(const search *s) {
    uint64_t values = 0;
    for (uint32_t i = 0; i < s->nodes.length; i++) {
        int only = s->nodes.items[i].only;
        values += only >= 0 ? s->variables[only].count : 1;
    }
    return values >= s->work;
}

static void make_tables(search *s) {
    s->now = ls_arena_alloc(&s->arena, sizeof *s->now * (s->nodes.length + 1));
    for (uint32_t i = 0; i < s->nodes.length; i++) {
        node *n = &s->nodes.items[i];
        s->now[i] = n->only == NONE ? value_of(s, n, NONE, 0) : (value){0, false};
        if (n->only < 0) continue;
        const variable *v = &s->variables[n->only];
        n->table = ls_arena_alloc(&s->arena, sizeof *n->table * (v->count + 1));
        for (uint32_t k = 0; k < v->count; k++) n->table[k] = value_of(s, n, n->only, k);
        s->work -= s->work < v->count ? s->work : v->count;
    }
}

/* What a conjunct of one symbol leaves of its values. */
static void filter(search *s, const node *root) {
    variable *v = &s->variables[root->only];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        if (root->table[k].known && !root->table[k].bits) continue;
        for (uint32_t i = 0; i < s->nodes.length && kept != k; i++)
            if (s->nodes.items[i].only == root->only)
                s->nodes.items[i].table[kept] = s->nodes.items[i].table[k];
        v->values[kept++] = v->values[k];
    }
    v->count = kept;
}

/* Nodes of this level below one of them, itself last, that are not there yet. */
static void add_computed(search *s, uint32_t root, bool *listed) {
    numbers stack = {0};
    LS_VEC_PUSH(&stack, root);
    while (stack.length) {
        uint32_t at = stack.items[stack.length - 1];
        const node *n = &s->nodes.items[at];
        bool ready = true;
        for (uint32_t k = 0; k < n->term->count && !listed[at]; k++) {
            uint32_t arg = s->operands.items[n->args + k];
            const node *a = &s->nodes.items[arg];
            if (a->only != MIXED || a->level != n->level || listed[arg]) continue;
            LS_VEC_PUSH(&stack, arg);
            ready = false;
        }
        if (!ready) continue;
        stack.length--;
        if (!listed[at]) LS_VEC_PUSH(&s->computed[n->level], at);
        listed[at] = true;
    }
    LS_VEC_FREE(&stack);
}

/* What is looked up of each variable alone. */
static void list_looked_up(search *s) {
    LS_SCRATCH(scratch);
    bool *used = ls_arena_zalloc(&scratch, s->nodes.length + 1);
    for (uint32_t i = 0; i < s->nodes.length; i++) {
        const node *n = &s->nodes.items[i];
        for (uint32_t k = 0; k < n->term->count && n->only == MIXED; k++) {
            uint32_t at = s->operands.items[n->args + k];
            const node *arg = &s->nodes.items[at];
            if (used[at] || arg->only < 0) continue;
            used[at] = true;
            LS_VEC_PUSH(&s->looked_up[arg->only], at);
        }
    }
}

/* The claims of each level, those first of which all is known, and what else later levels need. */
static void sort_nodes(search *s) {
    LS_SCRATCH(scratch);
    bool *listed = ls_arena_zalloc(&scratch, s->nodes.length + 1);
    for (int open = 0; open < 2; open++)
        for (uint32_t i = 0; i < s->count; i++) {
            uint32_t at = node_of(s, s->conjuncts[i]);
            const node *root = &s->nodes.items[at];
            if (root->only != MIXED || root->open != open) continue;
            add_computed(s, at, listed);
            claim made = {at, s->computed[root->level].length};
            LS_VEC_PUSH(&s->claims[root->level], made);
            join_variables(s, at);
        }
    for (uint32_t i = 0; i < s->nodes.length; i++)
        if (s->nodes.items[i].only == MIXED) add_computed(s, i, listed);
    list_looked_up(s);
}

/* --- The search ------------------------------------------------------------------------------------------
 */

/* Computes what is next in a level, up to an end. */
static void compute(search *s, uint32_t level, uint32_t from, uint32_t to) {
    const uint32_t *made = s->computed[level].items;
    for (uint32_t i = from; i < to; i++) s->now[made[i]] = value_of(s, &s->nodes.items[made[i]], NONE, 0);
    uint64_t taken = to - from + 1;
    s->work -= s->work < taken ? s->work : taken;
}

static bool hold(search *s, uint32_t level, uint32_t k) {
    const numbers *look = &s->looked_up[level];
    uint32_t done = 0;
    for (uint32_t i = 0; i < look->length; i++)
        s->now[look->items[i]] = s->nodes.items[look->items[i]].table[k];
    for (uint32_t i = 0; i < s->claims[level].length; i++) {
        claim c = s->claims[level].items[i];
        compute(s, level, done, c.end);
        done = c.end;
        if (s->now[c.node].known && !s->now[c.node].bits) return false;
    }
    compute(s, level, done, s->computed[level].length);
    return true;
}

/* Whether the variables of a group, from this one on, can have values; false also where the work is done. */
static bool can_hold(search *s, uint32_t group, uint32_t level) {
    while (level < s->variable_count && s->variables[level].group != group) level++;
    if (level == s->variable_count) return true;
    const variable *v = &s->variables[level];
    for (uint32_t k = 0; k < v->count && s->work; k++) {
        s->chosen[level] = v->values[k];
        if (hold(s, level, k) && can_hold(s, group, level + 1)) return true;
    }
    return false;
}

static ls_answered search_groups(search *s, bool whole) {
    bool all = whole;
    for (uint32_t v = 0; v < s->variable_count; v++) {
        if (s->variables[v].group != v) continue; /* a group has the number of one of its variables */
        bool holds = can_hold(s, v, 0);
        if (!holds && s->work) return LS_UNSAT;
        all &= holds;
    }
    return all ? LS_SAT : LS_UNDECIDED;
}

/* False where a conjunct never holds. whole: nothing was left open. */
static bool look_at_single(search *s, bool *whole) {
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = node_of(s, s->conjuncts[i]);
        const node *root = &s->nodes.items[at];
        *whole &= !root->open && (root->only == NONE || root->term->op == LS_T_SYM || !root->leaf);
        if (root->only == NONE && s->now[at].known && !s->now[at].bits) return false;
        if (root->only >= 0) filter(s, root);
        if (root->only >= 0 && !s->variables[root->only].count) return false;
    }
    return true;
}

static void forget(search *s) {
    s->variable_count = 0;
    for (uint32_t v = 0; v < MOST_SYMBOLS; v++) {
        LS_VEC_FREE(&s->looked_up[v]);
        LS_VEC_FREE(&s->computed[v]);
        LS_VEC_FREE(&s->claims[v]);
    }
    LS_VEC_FREE(&s->nodes);
    LS_VEC_FREE(&s->operands);
    ls_intmap_free(&s->index);
    s->index = (ls_intmap){0};
    s->now = NULL;
    ls_arena_free(&s->arena);
}

typedef struct { /* which variables are tried, with which part of the work that is left */
    bool core, atoms;
    uint32_t share;
} way;

static ls_answered attempt(search *s, const way *by) {
    bool whole = !by->core && !by->atoms;
    find_symbols(s, by->core);
    bool any = s->variable_count > 0;
    if (any && by->atoms) {
        add_conjuncts(s);
        find_atoms(s);
        any = s->variable_count > 0; /* else it is what was tried before */
        find_symbols(s, by->core);
    }
    if (!any) return LS_UNDECIDED;
    add_conjuncts(s);
    if (is_much(s)) return LS_UNDECIDED;
    make_tables(s);
    sort_nodes(s);
    return look_at_single(s, &whole) ? search_groups(s, whole) : LS_UNSAT;
}

ls_answered ls_enumerate(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count, uint32_t few,
                         uint64_t *work, ls_intmap *model) {
    static const way ways[] = {{true, false, 2}, {true, true, 2}, {false, false, 1}};
    search s = {.terms = terms, .conjuncts = conjuncts, .count = count, .few = few};
    ls_answered answer = LS_UNDECIDED;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && answer == LS_UNDECIDED; i++) {
        uint64_t given = s.work = *work / ways[i].share;
        answer = attempt(&s, &ways[i]);
        *work -= given - s.work;
        for (uint32_t v = 0; v < s.variable_count && answer == LS_SAT; v++) {
            bool is_new;
            *ls_intmap_at(model, s.variables[v].term->id, &is_new) = s.chosen[v];
        }
        forget(&s);
    }
    return answer;
}
