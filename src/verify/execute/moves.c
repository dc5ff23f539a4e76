/* Values that a loop moves on by steps of one length, in some iterations or several times in one: an index
 * that goes down a column row by row and stops at the end of the image (`if (next != end) { out[next] = v;
 * next += width; }`), or that an inner loop moves. After k iterations such a value is init + moves·length,
 * exactly, where only the number of moves is open: it is 0 on entry, each way round adds what it adds, and
 * there are at most as many as an iteration can make, times k. The length is not known as a number; values
 * that go by known numbers have invariants (houdini.c). Numbers of moves are taken modulo the value's width,
 * as the product is; what is said of their size holds of the remainder as well. */
#include "verify/execute/exec.h"
#include "verify/execute/loops.h"

enum { MOST_CHOICES = 64, MOST_MOVES = 1 << 20 /* of an iteration */, MOST_AT_ONCE = 64 };

typedef struct {
    const ls_loop_entry *e;
    const ls_term *before, *length; /* NULL: not known yet */
    uint32_t budget;
} search;

/* --- One way round ---------------------------------------------------------------------------------------
 */

/* The largest number by which all numbers of the sum can be divided goes out of it. */
static uint64_t take_content(ls_terms *t, const ls_term **sum) {
    uint64_t content = (*sum)->op == LS_T_LIN ? ls_content(*sum) : 1;
    if (content <= 1 || content > MOST_AT_ONCE) return 1;
    *sum = ls_divided(t, *sum, content);
    return content;
}

/* The sum without a factor that stands once in each part of it; NULL: it does not. */
static const ls_term *without(ls_terms *t, const ls_term *d, const ls_term *factor) {
    bool single = d->op != LS_T_LIN;
    const ls_term *rest = ls_const(t, d->width, 0);
    if (!single && d->value) return NULL;
    for (uint32_t i = 0; i < (single ? 1 : d->count); i++) {
        const ls_term *part = single ? d : d->args[i], *product = ls_const(t, d->width, 1);
        uint32_t found = 0, count = part->op == LS_T_MUL ? part->count : 1;
        for (uint32_t k = 0; k < count; k++) {
            const ls_term *f = part->op == LS_T_MUL ? part->args[k] : part;
            if (f == factor)
                found++;
            else
                product = ls_mul(t, product, f);
        }
        if (found != 1) return NULL;
        rest = ls_add(t, rest, ls_scale(t, product, single ? 1 : d->coefs[i]));
    }
    return rest;
}

/* A factor that the iteration decides about, as a number of moves in a loop inside; or NULL. */
static const ls_term *open_factor(const ls_loop_entry *e, const ls_term *d) {
    const ls_term *part = d->op == LS_T_LIN && d->count ? d->args[0] : d;
    for (uint32_t k = 0; part->op == LS_T_MUL && k < part->count; k++)
        if (!ls_is_loop_invariant(e, part->args[k])) return part->args[k];
    return NULL;
}

/* How many moves a change of the value is; NULL: it is something else. */
static const ls_term *moves_in(search *s, const ls_term *change) {
    ls_terms *t = &s->e->s->proof->terms;
    const ls_term *times = ls_const(t, change->width, 1), *length = change;
    if (ls_is_const(change)) return change->value ? NULL : change;
    if (!ls_is_loop_invariant(s->e, change)) {
        times = open_factor(s->e, change);
        length = times ? without(t, change, times) : NULL;
        if (!length || ls_is_const(length) || !ls_is_loop_invariant(s->e, length)) return NULL;
    }
    uint64_t content = take_content(t, &length);
    if (!s->length) s->length = length;
    return s->length == length ? ls_scale(t, times, content) : NULL;
}

/* … of what the value becomes. */
static const ls_term *moves_to(search *s, const ls_term *next) {
    ls_terms *t = &s->e->s->proof->terms;
    if (!s->budget) return NULL;
    s->budget--;
    if (next->op != LS_T_ITE) return moves_in(s, ls_sub(t, next, s->before));
    const ls_term *one = moves_to(s, next->args[1]), *two = one ? moves_to(s, next->args[2]) : NULL;
    return two ? ls_ite(t, next->args[0], one, two) : NULL;
}

/* --- All of them -----------------------------------------------------------------------------------------
 */

/* Nothing of it is read from memory that the kernel may write meanwhile. */
static bool stays(const ls_loop_entry *e, const ls_term *length) {
    ls_term_list leaves = {0};
    ls_leaves(&length, 1, &leaves);
    bool same = true;
    for (uint32_t i = 0; i < leaves.length; i++)
        same &=
            leaves.items[i]->op != LS_T_UF || ls_is_uf(&e->s->proof->terms, leaves.items[i], LS_UF_READ_ONLY);
    LS_VEC_FREE(&leaves);
    return same;
}

static void find_moves(ls_loop_entry *e, uint32_t i) {
    ls_loop_phi *phi = &e->phis[i];
    if (phi->step || phi->traced || phi->period || phi->before->width < 32 || !e->latches.length) return;
    search s = {.e = e, .before = phi->before, .budget = MOST_CHOICES};
    const ls_term **added = LS_NEW_N(&e->s->proof->arena, const ls_term *, e->latches.length);
    uint64_t most = 0;
    for (uint32_t w = 0; w < e->latches.length; w++) {
        added[w] = moves_to(&s, e->latches.items[w].args[i]);
        if (!added[w] || added[w]->uhi > MOST_MOVES) return;
        if (added[w]->uhi > most) most = added[w]->uhi;
    }
    if (!s.length || !stays(e, s.length)) return;
    phi->length = s.length;
    phi->added = added;
    phi->most_added = most;
}

void ls_find_moves(ls_loop_entry *e) {
    for (uint32_t i = 0; i < e->count; i++) find_moves(e, i);
}

/* moves <= most·k, with numbers of 64 bits; nothing is said of more iterations than anybody waits for. */
static const ls_term *is_bounded(const ls_loop_entry *e, const ls_loop_phi *phi, const ls_term *moves,
                                 uint64_t back) {
    ls_terms *t = &e->s->proof->terms;
    const ls_term *k = ls_sub(t, ls_resize(t, e->k, 64, false), ls_const(t, 64, back));
    const ls_term *many = ls_not(t, ls_ult(t, k, ls_const(t, 64, UINT64_C(1) << 40)));
    const ls_term *most = ls_scale(t, k, phi->most_added);
    return ls_or(t, many, ls_not(t, ls_ult(t, most, ls_resize(t, moves, 64, false))));
}

/* Symbols for the numbers of moves, and the value in terms of them. */
void ls_make_moves(ls_loop_entry *e, ls_loop_phi *phi, const ls_term *now, const ls_term *was) {
    ls_terms *t = &e->s->proof->terms;
    phi->moves = now;
    phi->moved = was;
    phi->now = ls_add(t, phi->init, ls_mul(t, now, phi->length));
    phi->was = ls_add(t, phi->init, ls_mul(t, was, phi->length));
}

/* Of a loop whose latches are in terms of the iteration before this one, by `subst`. */
void ls_add_moves(const ls_loop_entry *e, const ls_loop_phi *phi, ls_subst *subst) {
    ls_proof *p = e->s->proof;
    ls_terms *t = &p->terms;
    const ls_term *first = ls_eq(t, e->k, ls_const(t, e->k->width, 0)), *all = NULL;
    for (uint32_t w = e->latches.length; w-- > 0;) {
        const ls_term *sum = ls_add(t, phi->moved, ls_substitute(subst, phi->added[w]));
        all = all ? ls_ite(t, e->latches.items[w].condition, sum, all) : sum;
    }
    all = ls_ite(t, first, ls_const(t, phi->moves->width, 0), all);
    ls_add_fact(p, phi->moves, ls_eq(t, phi->moves, all));
    ls_add_fact(p, phi->moves, is_bounded(e, phi, phi->moves, 0));
    ls_add_fact(p, phi->moved, ls_or(t, first, is_bounded(e, phi, phi->moved, 1)));
}
