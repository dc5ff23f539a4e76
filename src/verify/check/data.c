/* Races that depend on data. Of a launch that a program makes it is not known what lies in memory: that is
 * what the program has put there, whether it is seen or not, and it mostly keeps to something. Offsets of
 * boxes are apart, keys of a node are in order, a permutation has no number twice. Data that breaks it is no
 * reason to call the kernel wrong; it is said what the race depends on, and no more.
 *
 * Not every race of values that were loaded is like that. What does not depend on the data:
 *   - a guard that compares one value with a constant or a parameter (`if (a[i] > 0)`): some have it, some
 *     have not;
 *   - values that both threads have in common: they are the same for both, whatever they are;
 *   - an update of a place that data alone selects, by a load and a store (`count[a[i]]++`) or by an atomic
 *     operation: counting is for values that are equal, and any may be there.
 */
#include "verify/check/data.h"

typedef struct {
    const ls_proof *p;
    bool same_block;
    const ls_ir_base *array; /* of the first value that was found to differ from thread to thread */
    uint32_t own, all;       /* values from memory: those that may differ; all of them */
    uint32_t keys;           /* those that both have from memory which the kernel leaves as it is */
    uint32_t others;         /* what else may differ */
    uint32_t of_block;       /* what differs from block to block alone, such as its index */
} leaves;

static bool is_common(const leaves *l, const ls_term *t) {
    return t->scope == LS_SCOPE_GRID || (l->same_block && t->scope == LS_SCOPE_BLOCK);
}

static bool is_data(const ls_proof *p, const ls_term *t) {
    return ls_is_uf(&p->terms, t, LS_UF_READ_ONLY) || ls_is_uf(&p->terms, t, LS_UF_CONTENTS);
}

/* Objects behind pointers that are in memory have bases of the verifier's own; of these it is not known. */
static bool is_written(const ls_proof *p, const ls_ir_base *base) {
    return base->id < p->f->base_count && p->f->bases[base->id] == base && p->written[base->id];
}

enum { MOST_TERMS = 2000 };

/* What a term is made of; where something was loaded from is another matter. False: it is too large. */
static bool count_leaves(leaves *l, const ls_term *root) {
    ls_term_walk walk = {0};
    const ls_term *t;
    ls_walk_add(&walk, &root, 1);
    while (walk.count < MOST_TERMS && (t = ls_walk_next(&walk))) {
        bool data = is_data(l->p, t), common = is_common(l, t);
        l->all += data;
        l->own += data && !common;
        l->keys += data && common && !is_written(l->p, ls_function_of(&l->p->terms, t)->of);
        if (data && !common && !l->array) l->array = ls_function_of(&l->p->terms, t)->of;
        bool input = !data && (t->op == LS_T_SYM || t->op == LS_T_UF);
        l->others += input && !common;
        l->of_block += input && common && t->scope == LS_SCOPE_BLOCK;
        if (t->op != LS_T_UF) ls_walk_add(&walk, t->args, t->count);
    }
    bool whole = !walk.stack.length;
    ls_walk_free(&walk);
    return whole;
}

/* A pointer that was loaded is where an array is, not an index. */
static bool is_pointer(const ls_proof *p, const ls_term *sum, uint32_t i) {
    return sum->width == 64 && sum->coefs[i] == 1 && is_data(p, sum->args[i]);
}

static leaves leaves_of_address(const ls_proof *p, const ls_event *e, bool same_block) {
    leaves l = {.p = p, .same_block = same_block};
    if (e->address->op != LS_T_LIN) {
        if (!is_data(p, e->address)) count_leaves(&l, e->address);
        return l;
    }
    for (uint32_t i = 0; i < e->address->count; i++)
        if (!is_pointer(p, e->address, i)) count_leaves(&l, e->address->args[i]);
    return l;
}

/* A value that is loaded, changed and stored again. */
static bool is_update(const ls_event *a, const ls_event *b) {
    bool one = a->access->kind == LS_ACCESS_READ, two = b->access->kind == LS_ACCESS_READ;
    return a->address == b->address && one != two;
}

static bool is_counting(const ls_event *e, const ls_event *a, const ls_event *b, const leaves *l) {
    return !l->others && (e->access->kind == LS_ACCESS_ATOMIC || is_update(a, b));
}

/* Some threads alone may pass it: it holds a thread's own value from memory against one that the program has
 * put there for all of them, or asks whether it is equal to another one, to what differs from thread to
 * thread otherwise, or to the block's own index (`if (owner[i] == blockIdx.x)`). An order of a thread's own
 * values (`first[i] < first[i + 1]`, `i < next[i]`), or a comparison with what the kernel itself changes (`if
 * (best[0] < x[i])`), is as good for one thread as for another. */
static bool selects(const ls_term *comparison, const leaves *l) {
    const bool equal = comparison->op == LS_T_EQ;
    return l->own && (l->keys || (equal && (l->all > 1 || l->others || l->of_block)));
}

/* A comparison in a condition that selects threads by data. */
static const ls_ir_base *find_comparison(const ls_proof *p, const ls_term *when, bool same_block) {
    ls_term_walk walk = {0};
    const ls_ir_base *found = NULL;
    const ls_term *t;
    ls_walk_add(&walk, &when, 1);
    while (!found && walk.count < MOST_TERMS && (t = ls_walk_next(&walk))) {
        bool compares = t->op == LS_T_EQ || t->op == LS_T_ULT || t->op == LS_T_SLT;
        if (t->op == LS_T_UF) continue;
        leaves l = {.p = p, .same_block = same_block};
        if (compares && t->args[0]->width > 1 && count_leaves(&l, t) && selects(t, &l)) found = l.array;
        ls_walk_add(&walk, t->args, t->count);
    }
    ls_walk_free(&walk);
    return found;
}

const ls_ir_base *ls_meet_by_data(const ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    if (!p->options->of_program && !p->options->free_launch) return NULL;
    const ls_event *const both[] = {a, b};
    for (uint32_t i = 0; i < 2; i++) {
        leaves l = leaves_of_address(p, both[i], same_block);
        if (l.own && !is_counting(both[i], a, b, &l)) return l.array;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const ls_ir_base *array = find_comparison(p, both[i]->when, same_block);
        if (array) return array;
    }
    return NULL;
}

const char *ls_name_of_data(ls_proof *p, const ls_ir_base *array) {
    return ls_arena_printf(&p->arena, "what the program stored in '%s'", ls_base_name(p, array));
}
