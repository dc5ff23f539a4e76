/* Writes of equal values. Two threads that write the same to one place do no harm, so of two writes that
 * overlap it is asked what they write: by what the values are made of, and then by a solver. */
#include "verify/check/values.h"
#include "verify/check/overflow.h"
#include "verify/check/overlap.h"
#include "verify/check/races.h"
#include "verify/execute/contents.h"
#include "verify/execute/roots.h"

/* Writes of one size by threads; copies that overlap are a mistake whatever they copy (ls_is_tolerated). */
bool ls_are_comparable(const ls_event *a, const ls_event *b) {
    return a->access->bytes == b->access->bytes && a->access->count == b->access->count &&
           !(a->collective && b->collective);
}

/* A load of initial contents in a value, by its address in the model. */
typedef struct {
    uint64_t function, address;
} content;
typedef LS_VEC(content) contents;

/* What memory holds that nobody has written since. */
static bool is_memory(const ls_query *q, const ls_term *t) {
    const ls_terms *terms = &q->view.p->terms;
    return ls_is_uf(terms, t, LS_UF_READ_ONLY) || ls_is_uf(terms, t, LS_UF_CONTENTS);
}

/* What the values are made of; false where there is something else in them that is left open. */
static bool find_contents(ls_query *q, uint32_t thread, const ls_event *e, contents *out) {
    ls_term_list values = {0}, leaves = {0};
    for (uint32_t i = 0; i < e->value_count; i++)
        LS_VEC_PUSH(&values, ls_query_term(q, thread, e->values[i]));
    ls_leaves(values.items, values.length, &leaves);
    bool known = true;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *t = leaves.items[i];
        const ls_sym *sym = t->op == LS_T_SYM ? ls_sym_of(&q->view.p->terms, t) : NULL;
        bool open =
            sym && sym->kind == LS_SYM_LOAD && q->view.p->initial[((const ls_ir_access *)sym->key)->id];
        if (open || (sym && sym->kind == LS_SYM_UNSET) || ls_is_initial(q->view.p, t, true)) {
            content c = {~(uint64_t)thread, t->id}; /* private memory that nothing was written to */
            LS_VEC_PUSH(out, c);
        } else if (sym) {
            known &= sym->kind == LS_SYM_INPUT || sym->kind == LS_SYM_COUNT || sym->kind == LS_SYM_EPOCH ||
                     ls_is_own(q->view.p, t);
        } else if (ls_is_uf(&q->view.p->terms, t, LS_UF_CONTENTS) && !ls_is_initial(q->view.p, t, false)) {
            known = false;
        } else if (is_memory(q, t)) {
            content c = {t->value, ls_query_value(q, t->args[0])};
            LS_VEC_PUSH(out, c);
        }
    }
    LS_VEC_FREE(&values);
    LS_VEC_FREE(&leaves);
    return known;
}

/* After a model of the overlap: the first thread's values are computed from the contents of a place that the
 * second's have nothing to do with. What was there before can be anything, so the values can differ. */
static bool differ_by_contents(ls_query *q, const ls_event *a, const ls_event *b) {
    contents one = {0}, two = {0};
    bool known = find_contents(q, 1, a, &one) && find_contents(q, 2, b, &two), differ = false;
    for (uint32_t i = 0; known && i < one.length; i++) {
        bool common = false;
        for (uint32_t j = 0; j < two.length; j++)
            common |= one.items[i].function == two.items[j].function &&
                      one.items[i].address == two.items[j].address;
        differ |= !common;
    }
    LS_VEC_FREE(&one);
    LS_VEC_FREE(&two);
    return differ;
}

/* That the two threads differ in a symbol of these: in a count of iterations, or in any. */
static const ls_term *differ_in(ls_query *q, const ls_term_list *leaves, bool counts_only) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *differ = ls_false(t);
    for (uint32_t i = 0; i < leaves->length; i++) {
        const ls_term *leaf = leaves->items[i];
        if (leaf->op != LS_T_SYM || (counts_only && ls_sym_of(t, leaf)->kind != LS_SYM_COUNT)) continue;
        differ = ls_or(t, differ, ls_not(t, ls_eq(t, ls_query_term(q, 1, leaf), ls_query_term(q, 2, leaf))));
    }
    return differ;
}

static ls_answered ask_claim(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *claim) {
    ls_query_claim(q, claim);
    ls_spread_objects(q, a, b);
    return ls_query_ask(q, (ls_question){.quick = true});
}

/* Whether both threads compute the values from the same: one formula, in which no symbol differs wherever the
 * two meet. A solver does not see that through long formulas of floating-point functions. */
static bool have_one_source(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_proof *p = q->view.p;
    ls_terms *t = &q->view.p->terms;
    bool one = a->value_count == b->value_count;
    for (uint32_t i = 0; one && i < a->value_count; i++) one = a->values[i] == b->values[i];
    if (!one) return false;
    ls_term_list leaves = {0};
    ls_leaves(a->values, a->value_count, &leaves);
    for (uint32_t i = 0; one && i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        bool unset = leaf->op == LS_T_SYM && ls_sym_of(t, leaf)->kind == LS_SYM_UNSET;
        one = !unset && !ls_is_initial(p, leaf, true); /* a thread's own, with a name that is not */
    }
    for (uint32_t i = 0; one && i < a->value_count; i++)
        for (uint32_t thread = 1; thread < 3; thread++) ls_query_add(q, thread, ls_true(t), a->values[i]);
    if (one) {
        const ls_term *d = ls_distance_of(q, a, b),
                      *shifted = ls_not(t, ls_eq(t, d, ls_const(t, d->width, 0)));
        one = ask_claim(q, a, b, ls_or(t, shifted, differ_in(q, &leaves, false))) == LS_UNSAT;
    }
    LS_VEC_FREE(&leaves);
    return one;
}

/* Of what two overlapping writes write; where they do so is confirmed, or not. */
ls_comparison ls_compare_values(ls_query *q, const ls_event *a, const ls_event *b, bool confirmed) {
    if (!ls_are_comparable(a, b)) return LS_VALUES_DIFFER;
    if (!a->value_count || !b->value_count) return LS_VALUES_OPEN;
    if (confirmed && differ_by_contents(q, a, b)) return LS_VALUES_DIFFER;
    const uint32_t given = q->conjuncts.length;
    /* That values are equal is seen at once, or not at all. */
    ls_answered answer = ask_claim(q, a, b, ls_not(&q->view.p->terms, ls_same_values(q, a, b)));
    if (answer == LS_UNSAT) return LS_VALUES_EQUAL;
    if (answer == LS_SAT && ls_query_confirmed(q)) return LS_VALUES_DIFFER;
    q->conjuncts.length = given;
    return have_one_source(q, a, b) ? LS_VALUES_EQUAL : LS_VALUES_OPEN;
}

static bool comes_from_memory(ls_query *q, const ls_event *e) {
    ls_term_list leaves = {0};
    ls_leaves(e->values, e->value_count, &leaves);
    bool found = false;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *t = leaves.items[i];
        found |= t->op == LS_T_UF ? is_memory(q, t) : ls_sym_of(&q->view.p->terms, t)->kind == LS_SYM_LOAD;
    }
    LS_VEC_FREE(&leaves);
    return found;
}

/* The two meet without an overflow of index arithmetic, or of what counts the iterations, where there is none
 * by assumption. */
static void claim_no_overflow(ls_query *q, const ls_event *a, const ls_event *b, const ls_term_list *leaves) {
    ls_terms *t = &q->view.p->terms;
    if (q->view.p->options->exact_overflow || ls_stands(q->view.p, a, b, LS_BROKEN)) return;
    const ls_term *x = ls_without_overflow(t, ls_query_term(q, 1, a->address), &q->conjuncts);
    const ls_term *y = ls_without_overflow(t, ls_query_term(q, 2, b->address), &q->conjuncts);
    ls_query_claim(q, ls_overlap(t, ls_distance(t, x, y), a->size, b->size));
    for (uint32_t i = 0; i < leaves->length; i++)
        for (uint32_t thread = 1; thread < 3; thread++) {
            const ls_term *leaf = leaves->items[i];
            if (leaf->op != LS_T_SYM || ls_sym_of(t, leaf)->kind != LS_SYM_COUNT || leaf->width <= 32)
                continue;
            const ls_term *most = ls_const(t, leaf->width, UINT32_MAX);
            ls_query_claim(q, ls_not(t, ls_ult(t, most, ls_query_term(q, thread, leaf))));
        }
}

/* Whether threads that write to one place have reached it by the same iterations, so that each does the whole
 * work; parts that overlap are met in different ones. Where that stays open they are taken to have. */
static bool are_in_step(ls_query *q, const ls_event *a, const ls_event *b) {
    if (a->node != b->node) return false;
    const uint32_t given = q->conjuncts.length;
    ls_term_list leaves = {0};
    ls_leaves(&a->address, 1, &leaves);
    claim_no_overflow(q, a, b, &leaves);
    bool differ = ask_claim(q, a, b, differ_in(q, &leaves, true)) == LS_SAT;
    q->conjuncts.length = given;
    LS_VEC_FREE(&leaves);
    return !differ;
}

/* Whether equal values excuse the race. What threads read at the same place they may write to the same place,
 * by one store; but copies that overlap, each of its own part, are a mistake also where the source is one. */
bool ls_is_tolerated(ls_query *q, const ls_event *a, const ls_event *b) {
    if (!comes_from_memory(q, a)) return true;
    return a->access->instr == b->access->instr && (!a->node->block->loop || are_in_step(q, a, b));
}
