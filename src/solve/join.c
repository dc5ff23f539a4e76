/* Meetings of two threads by a table (join.h), as databases join relations. A conjunct of the form
 *     Σ of the first thread + Σ of the second + constant = 0,    or: is below a small number
 * is the meeting. All values of the first sum, with the conjuncts that mention its symbols alone, go into a
 * hash table; for each value of the second sum the first's that would meet it are looked up. Of those that
 * do, the conjuncts over both are evaluated: that the two are not one thread, as a rule. What mentions
 * anything else is left out, which makes the answer "never" no less true. The work grows with the values of
 * one thread, not with those of pairs of threads. */
#include "solve/join.h"
#include "base/recover.h"
#include "solve/enumerate.h"

#include <string.h>

enum { MOST_SYMBOLS = 4, MOST_VALUES = 1 << 14, MOST_NEAR = 32, MOST_OPERANDS = 64, SIDES = 2 };

typedef LS_VEC(uint32_t) numbers;

typedef struct { /* terms after their operands, with a value each */
    ls_term_list nodes;
    numbers operands; /* of all nodes, in their order */
    ls_intmap index;  /* a term's number to its place */
    uint64_t *values;
} program;

typedef struct {
    const ls_term *parts[MOST_OPERANDS];
    uint64_t coefs[MOST_OPERANDS];
    uint32_t part_count;
    ls_extent symbols[MOST_SYMBOLS];
    uint32_t symbol_count;
    uint64_t size;       /* how many values its symbols have together */
    ls_term_list claims; /* of its symbols alone */
} side;

typedef struct {
    ls_terms *terms;
    const ls_term *const *conjuncts;
    uint32_t count;
    side sides[SIDES];
    uint64_t constant, near; /* they meet where the sum is one of 0 … near - 1 */
    uint32_t width;
    ls_term_list both; /* claims over symbols of both sides */
    program run;
    uint64_t *work;
} join;

/* --- The meeting -----------------------------------------------------------------------------------------
 */

/* Whose symbols a term has: bit 0 for what both share or what is not a symbol, bits 1 and 2 for the two. */
static uint32_t owners(const join *j, const ls_term *t) {
    ls_term_list leaves = {0};
    uint32_t set = 0;
    ls_leaves(&t, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        set |= leaf->op == LS_T_SYM ? 1u << ls_sym_of(j->terms, leaf)->thread % 3 : 1u;
    }
    LS_VEC_FREE(&leaves);
    return set;
}

static bool add_part(join *j, const ls_term *t, uint64_t coef) {
    if (t->op == LS_T_CONST) {
        j->constant += t->value * coef;
        return true;
    }
    uint32_t of = owners(j, t);
    side *s = of == 2 ? &j->sides[0] : of == 4 ? &j->sides[1] : NULL;
    if (!s || s->part_count == MOST_OPERANDS) return false;
    s->parts[s->part_count] = t;
    s->coefs[s->part_count++] = coef;
    return true;
}

static bool add_sum(join *j, const ls_term *t, uint64_t sign) {
    if (t->op != LS_T_LIN) return add_part(j, t, sign);
    j->constant += t->value * sign;
    for (uint32_t i = 0; i < t->count; i++)
        if (!add_part(j, t->args[i], t->coefs[i] * sign)) return false;
    return true;
}

/* Whether the conjunct is a meeting of the two. */
static bool read_meeting(join *j, const ls_term *c) {
    for (int s = 0; s < SIDES; s++) j->sides[s].part_count = 0;
    j->constant = 0;
    bool equal = c->op == LS_T_EQ, less = c->op == LS_T_ULT && c->args[1]->op == LS_T_CONST;
    if ((!equal && !less) || c->args[0]->width == 1) return false;
    j->width = c->args[0]->width;
    j->near = equal ? 1 : c->args[1]->value;
    if (!j->near || j->near > MOST_NEAR) return false;
    bool read = add_sum(j, c->args[0], 1) && (less || add_sum(j, c->args[1], UINT64_MAX));
    return read && j->sides[0].part_count && j->sides[1].part_count;
}

/* --- Its symbols -----------------------------------------------------------------------------------------
 */

static bool add_symbol(const join *j, side *s, const ls_term *symbol) {
    if (s->symbol_count == MOST_SYMBOLS) return false;
    ls_extent e = ls_extent_of(symbol, j->conjuncts, j->count);
    if (e.lo > e.hi || e.hi - e.lo >= MOST_VALUES) return false;
    s->symbols[s->symbol_count++] = e;
    s->size *= e.hi - e.lo + 1;
    return s->size <= MOST_VALUES;
}

static bool find_symbols(const join *j, side *s) {
    ls_term_list leaves = {0};
    s->symbol_count = 0;
    s->size = 1;
    ls_leaves(s->parts, s->part_count, &leaves);
    bool few = leaves.length > 0;
    for (uint32_t i = 0; i < leaves.length && few; i++) few = add_symbol(j, s, leaves.items[i]);
    LS_VEC_FREE(&leaves);
    return few;
}

static bool has_symbol(const side *s, const ls_term *leaf) {
    for (uint32_t i = 0; i < s->symbol_count; i++)
        if (s->symbols[i].term == leaf) return true;
    return false;
}

/* Which sides' symbols a conjunct mentions; 0 where of others, too. */
static uint32_t concerns(const join *j, const ls_term *c) {
    ls_term_list leaves = {0};
    uint32_t set = 0;
    bool known = true;
    ls_leaves(&c, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length && known; i++) {
        known = false;
        for (uint32_t s = 0; s < SIDES; s++)
            if (has_symbol(&j->sides[s], leaves.items[i])) known = true, set |= 1u << s;
    }
    LS_VEC_FREE(&leaves);
    return known ? set : 0;
}

static void sort_claims(join *j, const ls_term *meeting) {
    for (uint32_t i = 0; i < j->count; i++) {
        const ls_term *c = j->conjuncts[i];
        uint32_t of = c == meeting ? 0 : concerns(j, c);
        if (of == 3) LS_VEC_PUSH(&j->both, c);
        if (of == 1 || of == 2) LS_VEC_PUSH(&j->sides[of - 1].claims, c);
    }
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

static uint32_t node_of(const program *r, const ls_term *t) {
    uint64_t at = 0;
    ls_intmap_get(&r->index, t->id, &at);
    return (uint32_t)at;
}

/* False where a term has too many operands. */
static bool add_nodes(program *r, const ls_term *root) {
    ls_term_list stack = {0};
    bool fits = true;
    LS_VEC_PUSH(&stack, root);
    while (stack.length && fits) {
        const ls_term *t = stack.items[stack.length - 1];
        uint64_t at;
        bool ready = true, is_new;
        if (ls_intmap_get(&r->index, t->id, &at)) {
            stack.length--;
            continue;
        }
        fits = t->count <= MOST_OPERANDS;
        for (uint32_t i = 0; i < t->count; i++) {
            if (ls_intmap_get(&r->index, t->args[i]->id, &at)) continue;
            LS_VEC_PUSH(&stack, t->args[i]);
            ready = false;
        }
        if (!ready) continue;
        *ls_intmap_at(&r->index, t->id, &is_new) = r->nodes.length;
        LS_VEC_PUSH(&r->nodes, t);
        for (uint32_t i = 0; i < t->count; i++) LS_VEC_PUSH(&r->operands, node_of(r, t->args[i]));
    }
    LS_VEC_FREE(&stack);
    return fits;
}

/* Computes the nodes from one on, as their operands are now; `operand` is the first of theirs. */
static void compute(join *j, uint32_t from, uint32_t to, uint32_t operand) {
    program *r = &j->run;
    for (uint32_t i = from; i < to; i++) {
        const ls_term *t = r->nodes.items[i];
        uint64_t args[MOST_OPERANDS];
        for (uint32_t k = 0; k < t->count; k++) args[k] = r->values[r->operands.items[operand++]];
        if (t->op == LS_T_CONST) r->values[i] = t->value;
        if (t->op != LS_T_CONST && t->op != LS_T_SYM) r->values[i] = ls_compute(t, args) & ls_mask(t->width);
    }
    uint64_t taken = to - from + 1;
    *j->work -= *j->work < taken ? *j->work : taken;
}

typedef struct { /* the nodes that belong together, in the program */
    uint32_t from, to, operand;
} stretch;

/* Appends what is needed for the terms; false where it cannot be computed. */
static bool append(join *j, const ls_term *const *list, uint32_t count, stretch *out) {
    *out = (stretch){j->run.nodes.length, 0, j->run.operands.length};
    bool fits = true;
    for (uint32_t i = 0; i < count && fits; i++) fits = add_nodes(&j->run, list[i]);
    out->to = j->run.nodes.length;
    return fits;
}

static bool all_hold(const join *j, const ls_term_list *claims) {
    for (uint32_t i = 0; i < claims->length; i++)
        if (!j->run.values[node_of(&j->run, claims->items[i])]) return false;
    return true;
}

/* Gives the symbols of a side their values with this number; false where the type excludes one of them. */
static bool choose(join *j, const side *s, uint64_t number) {
    for (uint32_t i = 0; i < s->symbol_count; i++) {
        const ls_extent *d = &s->symbols[i];
        uint64_t many = d->hi - d->lo + 1, value = d->lo + number % many;
        int64_t as_signed = ls_signed(value, d->term->width);
        if (as_signed < d->term->slo || as_signed > d->term->shi) return false;
        j->run.values[node_of(&j->run, d->term)] = value;
        number /= many;
    }
    return true;
}

static uint64_t sum_of(const join *j, const side *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->part_count; i++)
        sum += s->coefs[i] * j->run.values[node_of(&j->run, s->parts[i])];
    return sum;
}

/* --- The join --------------------------------------------------------------------------------------------
 */

typedef struct {
    ls_intmap first; /* of a sum: one more than the number of the last choice that has it … */
    uint32_t *next;  /* … and by choice: one more than that of the one before it */
} table;

static void fill(join *j, const stretch *nodes, table *t) {
    const side *s = &j->sides[0];
    for (uint64_t n = 0; n < s->size && *j->work; n++) {
        if (!choose(j, s, n)) continue;
        compute(j, nodes->from, nodes->to, nodes->operand);
        if (!all_hold(j, &s->claims)) continue;
        bool is_new;
        uint64_t *slot = ls_intmap_at(&t->first, sum_of(j, s) & ls_mask(j->width), &is_new);
        t->next[n] = is_new ? 0 : (uint32_t)*slot;
        *slot = n + 1;
    }
}

/* Whether the second's choice, which is computed, meets one of the first's; true also where the work is done.
 */
static bool meets(join *j, const stretch nodes[SIDES + 1], const table *t) {
    uint64_t other = sum_of(j, &j->sides[1]);
    for (uint64_t near = 0; near < j->near; near++) {
        uint64_t key = (near - other - j->constant) & ls_mask(j->width), at = 0;
        if (!ls_intmap_get(&t->first, key, &at)) continue;
        for (; at; at = t->next[at - 1]) {
            choose(j, &j->sides[0], at - 1);
            compute(j, nodes[0].from, nodes[0].to, nodes[0].operand);
            compute(j, nodes[2].from, nodes[2].to, nodes[2].operand);
            if (!*j->work || all_hold(j, &j->both)) return true;
        }
    }
    return false;
}

static bool prepare_side(join *j, side *s, stretch *nodes) {
    stretch claims, symbols;
    const ls_term *list[MOST_SYMBOLS];
    for (uint32_t i = 0; i < s->symbol_count; i++) list[i] = s->symbols[i].term;
    bool fits = append(j, list, s->symbol_count, &symbols) && append(j, s->parts, s->part_count, nodes) &&
                append(j, s->claims.items, s->claims.length, &claims);
    nodes->to = claims.to;
    return fits;
}

static ls_answered solve(join *j) {
    LS_SCRATCH(scratch);
    stretch nodes[SIDES + 1];
    bool fits = prepare_side(j, &j->sides[0], &nodes[0]) && prepare_side(j, &j->sides[1], &nodes[1]) &&
                append(j, j->both.items, j->both.length, &nodes[2]);
    if (!fits) return LS_UNDECIDED;
    j->run.values = ls_arena_zalloc(&scratch, sizeof *j->run.values * (j->run.nodes.length + 1));
    compute(j, 0, j->run.nodes.length, 0); /* the constants, wherever they stand */
    table t = {.next = ls_arena_alloc(&scratch, sizeof *t.next * (j->sides[0].size + 1))};
    fill(j, &nodes[0], &t);
    bool met = false;
    for (uint64_t n = 0; n < j->sides[1].size && *j->work && !met; n++) {
        if (!choose(j, &j->sides[1], n)) continue;
        compute(j, nodes[1].from, nodes[1].to, nodes[1].operand);
        met = all_hold(j, &j->sides[1].claims) && meets(j, nodes, &t);
    }
    ls_intmap_free(&t.first);
    return met || !*j->work ? LS_UNDECIDED : LS_UNSAT;
}

static void forget(join *j) {
    for (int s = 0; s < SIDES; s++) LS_VEC_FREE(&j->sides[s].claims);
    LS_VEC_FREE(&j->both);
    LS_VEC_FREE(&j->run.nodes);
    LS_VEC_FREE(&j->run.operands);
    ls_intmap_free(&j->run.index);
    j->run = (program){0};
}

ls_answered ls_join(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count, uint64_t *work) {
    ls_answered answer = LS_UNDECIDED;
    join j = {.terms = terms, .conjuncts = conjuncts, .count = count, .work = work};
    for (uint32_t i = 0; i < count && answer == LS_UNDECIDED && *work; i++) {
        if (!read_meeting(&j, conjuncts[i])) continue;
        if (!find_symbols(&j, &j.sides[0]) || !find_symbols(&j, &j.sides[1])) continue;
        sort_claims(&j, conjuncts[i]);
        answer = solve(&j);
        forget(&j);
    }
    return answer;
}
