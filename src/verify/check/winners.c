/* One winner: what two threads know of each other that have executed atomic operations on the same place.
 *
 *     if (atomicCAS(&owner[v], 0, i + 1) == 0) …       // or an exchange
 *     if (!(atomicOr(&seen[v / 32], bit) & bit)) …
 *     if (atomicMax(&round_of[v], round) < round) …
 *
 * One of the two operations was first. Where all writes of the object are compare-and-swaps, exchanges and
 * stores that never write a value F, a place that was left with another value does not get F again: of the
 * operations that find F and then write something else, only one is ever executed. Where all of them are
 * bitwise or (and, maximum, minimum), the later one finds at least what the earlier one has added.
 *
 * Plain stores may set the places before all of this, as those of counters (counters.c). */
#include "verify/check/winners.h"
#include "isa/order.h"
#include "verify/check/fences.h"
#include "verify/check/ranks.h"
#include "verify/check/signals.h"
#include "verify/check/ways.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"

/* --- What an operation does ------------------------------------------------------------------------------
 */

typedef const ls_term *(*relation)(ls_terms *t, const ls_term *added, const ls_term *found);

static const ls_term *has_bits(ls_terms *t, const ls_term *added, const ls_term *found) {
    return ls_eq(t, ls_binary(t, LS_T_AND, found, added), added);
}

static const ls_term *has_no_other_bits(ls_terms *t, const ls_term *left, const ls_term *found) {
    return ls_eq(t, ls_binary(t, LS_T_AND, found, left), found);
}

static const ls_term *is_above(ls_terms *t, const ls_term *added, const ls_term *found) {
    return ls_not(t, ls_ult(t, found, added));
}

static const ls_term *is_above_signed(ls_terms *t, const ls_term *added, const ls_term *found) {
    return ls_not(t, ls_slt(t, found, added));
}

static const ls_term *is_below(ls_terms *t, const ls_term *added, const ls_term *found) {
    return ls_not(t, ls_ult(t, added, found));
}

static const ls_term *is_below_signed(ls_terms *t, const ls_term *added, const ls_term *found) {
    return ls_not(t, ls_slt(t, added, found));
}

/* What a later operation finds, by what an earlier one of the kind was given. */
static const struct {
    ls_ptx_modifier mod;
    relation of[2]; /* unsigned or bits; signed */
} lasting[] = {{LS_MOD_OR, {has_bits, has_bits}},
               {LS_MOD_AND, {has_no_other_bits, has_no_other_bits}},
               {LS_MOD_MAX, {is_above, is_above_signed}},
               {LS_MOD_MIN, {is_below, is_below_signed}}};

static relation relation_of(const ls_ir_instr *i) {
    const ls_ptx_type_kind kind = ls_ptx_type_kind_of(ls_ptx_form_type(i->form, 0));
    const bool number = kind == LS_KIND_UNSIGNED || kind == LS_KIND_SIGNED || kind == LS_KIND_BITS;
    for (size_t k = 0; number && i->src_count == 2 && k < sizeof lasting / sizeof *lasting; k++)
        if (ls_ptx_form_has(i->form, lasting[k].mod)) return lasting[k].of[kind == LS_KIND_SIGNED];
    return NULL;
}

/* --- Slots -----------------------------------------------------------------------------------------------
 */

bool ls_is_in_slots(const ls_proof *p, const ls_ir_access *a) {
    const int64_t size = a->bytes;
    if (a->base_count != 1 || a->other_bases || !a->has_offset || !size || a->count != 1) return false;
    if (a->bases[0]->kind == LS_BASE_PARAM && p->options->inside_count) return false; /* at any distance */
    for (uint32_t i = 0; i < a->term_count; i++)
        if (a->terms[i].relative || a->terms[i].coefficient % size) return false;
    return a->constant % size == 0;
}

/* --- All writes of the object ----------------------------------------------------------------------------
 */

typedef struct {
    ls_proof *p;
    const ls_ir_instr *one, *two; /* the operations that are compared */
} pair;

/* A plain store that comes before both. */
static bool is_before(const pair *of, const ls_ir_access *o) {
    bool plain = !ls_order_of(o->instr->form).strong && o->base_count == 1 && !o->other_bases;
    return plain && o->instr->op == LS_OP_ST && !ls_follows(of->p, of->one, o->instr) &&
           !ls_follows(of->p, of->two, o->instr);
}

/* The accesses of the object that may change it while the two are executed; NULL behind the last. */
static const ls_event *next_change(const pair *of, uint32_t *from) {
    const ls_ir_access *mine = &of->one->accesses[0];
    while (*from < of->p->whole_events.length) {
        const ls_event *e = &of->p->whole_events.items[(*from)++];
        const ls_ir_access *o = e->access;
        bool may = o->other_bases || !o->base_count;
        for (uint32_t b = 0; b < o->base_count; b++)
            may |= ls_same_object(of->p, o->bases[b], mine->bases[0]);
        if (may && o->kind != LS_ACCESS_READ && !is_before(of, o)) return e;
    }
    return NULL;
}

/* They are all of one kind, so that what one adds stays. */
static bool all_last(const pair *of, relation kind) {
    uint32_t from = 0;
    for (const ls_event *e; (e = next_change(of, &from));)
        if (e->access->kind != LS_ACCESS_ATOMIC || e->access->bytes != of->one->accesses[0].bytes ||
            !ls_is_in_slots(of->p, e->access) || relation_of(e->access->instr) != kind)
            return false;
    return true;
}

static bool never_is(const pair *of, const ls_event *e, uint32_t source, uint64_t value) {
    const ls_ir_operand *o = &e->access->instr->src[source];
    const uint64_t bits = ls_mask(8 * e->access->bytes);
    uint64_t constant;
    if (ls_constant_operand(o, &constant)) return (constant & bits) != (value & bits);
    if (!ls_whole_event(of->p, e)) return false;
    ls_terms *t = &of->p->terms;
    const ls_term *written = ls_resize(t, ls_operand_of(of->p->whole, o), 8 * e->access->bytes, false);
    return ls_is_implied(of->p, e, e->when,
                         ls_not(t, ls_eq(t, written, ls_const(t, written->width, value & bits))));
}

/* It does not write that value. */
static bool avoids(const pair *of, const ls_event *e, uint64_t value) {
    const ls_ir_instr *i = e->access->instr;
    if (e->access->bytes != of->one->accesses[0].bytes || !ls_is_in_slots(of->p, e->access)) return false;
    if (ls_ptx_form_has(i->form, LS_MOD_CAS)) return i->src_count == 3 && never_is(of, e, 2, value);
    if (ls_ptx_form_has(i->form, LS_MOD_EXCH) || i->op == LS_OP_ST)
        return i->src_count == 2 && never_is(of, e, 1, value);
    return false;
}

static bool all_avoid(const pair *of, uint64_t value) {
    uint32_t from = 0;
    for (const ls_event *e; (e = next_change(of, &from));)
        if (!avoids(of, e, value)) return false;
    return true;
}

/* --- Two of them -----------------------------------------------------------------------------------------
 */

/* The operation changes what it finds, if that is the value. */
static bool changes(const ls_ir_instr *i, uint64_t value) {
    uint64_t compared;
    if (ls_ptx_form_has(i->form, LS_MOD_EXCH)) return i->src_count == 2;
    return ls_ptx_form_has(i->form, LS_MOD_CAS) && i->src_count == 3 &&
           ls_constant_operand(&i->src[1], &compared) &&
           (compared & ls_mask(8 * i->accesses[0].bytes)) == value;
}

typedef struct { /* answers, as they are asked for each pair of accesses again */
    const ls_ir_instr *one, *two;
    uint64_t value;
    bool holds;
} answer;

typedef struct {
    LS_VEC(answer) all;
} answers;

static void free_answers(void *part) {
    LS_VEC_FREE(&((answers *)part)->all);
}

static const ls_part ANSWERS = {sizeof(answers), free_answers};

/* Only one of those who execute these two finds the value. */
static bool is_found_once(const pair *of, uint64_t value) {
    if (!changes(of->one, value) || !changes(of->two, value)) return false;
    answers *known = ls_part_of(of->p, &ANSWERS);
    for (uint32_t i = 0; i < known->all.length; i++) {
        const answer *a = &known->all.items[i];
        if (a->one == of->one && a->two == of->two && a->value == value) return a->holds;
    }
    const bool holds = all_avoid(of, value);
    LS_VEC_PUSH(&known->all, ((answer){of->one, of->two, value, holds}));
    return holds;
}

static const ls_term *not_both(ls_terms *t, const ls_term *x, const ls_term *y, uint64_t value) {
    return ls_not(
        t, ls_and(t, ls_eq(t, x, ls_const(t, x->width, value)), ls_eq(t, y, ls_const(t, y->width, value))));
}

/* The values that one may be the first to replace: what is compared with, or what memory is filled with. */
static const ls_term *by_value(const pair *of, const ls_term *x, const ls_term *y) {
    ls_terms *t = &of->p->terms;
    const uint64_t bits = ls_mask(8 * of->one->accesses[0].bytes);
    uint64_t values[3] = {0, bits, 0};
    uint32_t count = 2;
    if (of->one->src_count == 3 && ls_constant_operand(&of->one->src[1], &values[2]) &&
        (values[2] &= bits) != 0 && values[2] != bits)
        count = 3;
    const ls_term *all = NULL;
    for (uint32_t k = 0; k < count; k++) {
        if (!is_found_once(of, values[k])) continue;
        const ls_term *one = not_both(t, x, y, values[k]);
        all = all ? ls_and(t, all, one) : one;
    }
    return all;
}

/* What the thread's operation was given. */
static const ls_term *given_to(ls_query *q, const ls_term *x) {
    const ls_joint *joint = ls_joint_of(q->view.p, x);
    if (!joint || !joint->operands[1]) return NULL;
    const ls_term *given = ls_query_term(q, ls_sym_of(&q->view.p->terms, x)->thread, joint->operands[1]);
    return given->width == x->width ? given : NULL;
}

const ls_term *ls_one_winner(ls_query *q, const ls_term *x, const ls_term *y) {
    ls_terms *t = &q->view.p->terms;
    const pair of = {q->view.p, ls_sym_of(t, x)->key, ls_sym_of(t, y)->key};
    const ls_ir_access *a = &of.one->accesses[0], *b = &of.two->accesses[0];
    const bool whole = 8 * a->bytes == x->width && a->bytes == b->bytes && x->width == y->width;
    if (q->view.self || q->view.absent) return NULL; /* it may be one operation */
    if (!whole || a->bases[0]->kind == LS_BASE_LOADED || of.one->guard.kind != LS_IR_ABSENT ||
        of.two->guard.kind != LS_IR_ABSENT)
        return NULL;
    const relation kind = relation_of(of.one);
    if (!kind) return by_value(&of, x, y);
    const ls_term *of_x = given_to(q, x), *of_y = given_to(q, y);
    if (!of_x || !of_y || !all_last(&of, kind)) return NULL;
    return ls_or(t, kind(t, of_x, y), kind(t, of_y, x));
}
