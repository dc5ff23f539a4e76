/* Races that depend on the layout of a tensor. A kernel that is given the distances of its rows, planes and
 * elements by callers that the file does not show is right for those that do not overlap, and there are other
 * numbers for which anything overlaps. Where two threads of a model would not meet with other distances, that
 * is said, and no more. A single distance, as the width of a matrix, is for a contract
 * (query/contract.c), unless it is a member of a structure, of which no contract can speak.
 * Where there is no contract, it is asked once more with single ones counted (any_layout).
 * A number that is added to one of the two addresses alone, or more often, says where another part of the
 * array begins, which is as good as a pointer: those are taken to be apart, too. */
#include "verify/check/strides.h"

#include "verify/query/decided.h"

enum {
    LEAST = 2,      /* of a launch that is seen … */
    LEAST_FREE = 3, /* … and of one that is anybody's: the two sides of a matrix are for a contract, too */
    MOST = 16,
    MOST_TERMS = 2000
};

typedef struct {
    ls_proof *p;
    const ls_term *symbols[MOST];
    uint32_t count;
    const char *name; /* of the first */
    bool of_members;  /* some are members of a structure, of which no contract can speak */
} strides;

static const ls_term *unextended(const ls_term *t) {
    while (t->op == LS_T_SEXT || t->op == LS_T_ZEXT) t = t->args[0];
    return t;
}

/* In a structure that is passed by value. */
static bool is_member(const ls_proof *p, uint64_t key) {
    return p->f->objects[key >> 32]->variable && p->f->objects[key >> 32]->variable->dimension_count;
}

/* A number that the launch says nothing of: one that is anybody's says nothing at all. */
static bool is_given(const ls_proof *p, const ls_term *symbol, uint64_t *key) {
    if (symbol->op != LS_T_SYM || !ls_intmap_get(&p->parameter_keys, symbol->value, key)) return false;
    if (!p->options->of_program) return true;
    const uint32_t index = p->f->objects[*key >> 32]->index, at = *key >> 8 & 0xffffff, bits = *key & 255;
    return is_member(p, *key) ? ls_launch_leaves_member(p->f, p->options, index, at, bits)
                              : ls_launch_leaves(p->f, p->options, index);
}

static void add(strides *s, const ls_term *factor) {
    uint64_t key;
    if (s->count == MOST || !is_given(s->p, factor, &key)) return;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->symbols[i] == factor) return;
    if (!s->count) s->name = ls_proof_parameter(s->p, (uint32_t)(key >> 32));
    s->of_members |= is_member(s->p, key);
    s->symbols[s->count++] = factor;
}

/* What a factor is made of: distances are given in bytes, and divided by the size of an element. */
static const ls_term *undivided(const ls_term *t) {
    for (;;) {
        t = unextended(t);
        bool divides =
            (t->op == LS_T_UDIV || t->op == LS_T_SDIV || t->op == LS_T_LSHR || t->op == LS_T_ASHR) &&
            ls_is_const(t->args[1]);
        bool cuts = t->op == LS_T_EXTRACT && !t->value;
        if (!divides && !cuts) return t;
        t = t->args[0];
    }
}

/* What is given and multiplies something that differs from thread to thread. */
static void find(strides *s, const ls_term *address) {
    ls_term_walk walk = {0};
    const ls_term *t;
    ls_walk_add(&walk, &address, 1);
    while (walk.count < MOST_TERMS && (t = ls_walk_next(&walk))) {
        for (uint32_t i = 0; t->op == LS_T_MUL && t->scope != LS_SCOPE_GRID && i < t->count; i++)
            add(s, undivided(t->args[i]));
        if (t->op != LS_T_UF) ls_walk_add(&walk, t->args, t->count);
    }
    ls_walk_free(&walk);
}

/* The values of the model, except for the strides, which are large and no multiples of each other. */
static uint64_t other_value(void *data, const ls_term *leaf) {
    const strides *s = data;
    const ls_sym *sym = leaf->op == LS_T_SYM ? ls_sym_of(&s->p->terms, leaf) : NULL;
    for (uint32_t i = 0; sym && i < s->count; i++)
        if (leaf == s->symbols[i] || sym->origin == s->symbols[i]->value)
            return (UINT64_C(1000003) * (i + 1) + 7919 * i * i) * 16;
    return ls_model_value(&s->p->solver, leaf);
}

static uint64_t elsewhere(strides *s, const ls_term *address) {
    ls_eval eval = {.lookup = other_value, .data = s};
    uint64_t value = ls_evaluate(&eval, address);
    ls_intmap_free(&eval.memo);
    return value;
}

/* The two meet with those distances as well. */
static bool still_meet(strides *s, ls_query *q, const ls_event *a, const ls_event *b) {
    uint64_t one = elsewhere(s, ls_query_term(q, 1, a->address));
    uint64_t two = elsewhere(s, ls_query_term(q, 2, b->address));
    return one < two + b->size && two < one + a->size;
}

static int64_t factor_in(const ls_term *sum, const ls_term *symbol, uint32_t *left) {
    int64_t factor = 0;
    sum = unextended(sum);
    for (uint32_t i = 0; sum->op == LS_T_LIN && i < sum->count && *left; i++, --*left)
        factor += (int64_t)(sum->coefs[i] * (uint64_t)factor_in(sum->args[i], symbol, left));
    return factor + (sum == symbol);
}

/* What one of the two addresses has more of than the other, in `sum`, a part of the first. A number of less
 * than 64 bits is taken for such an offset at a launch that is seen: there it is known who gives it. Only so
 * many terms are looked at. */
static void find_offsets(strides *s, const ls_term *sum, const ls_term *one, const ls_term *other,
                         uint32_t *left) {
    sum = unextended(sum);
    for (uint32_t i = 0; sum->op == LS_T_LIN && i < sum->count && *left; i++, --*left) {
        const ls_term *t = unextended(sum->args[i]);
        uint64_t key;
        if (t->op == LS_T_LIN) find_offsets(s, t, one, other, left);
        if ((t->width == 64 || s->p->options->of_program) && is_given(s->p, t, &key) &&
            factor_in(one, t, left) != factor_in(other, t, left))
            add(s, t);
    }
}

const char *ls_meet_by_offset(ls_query *q, const ls_event *a, const ls_event *b) {
    strides s = {.p = q->view.p};
    uint32_t left = MOST_TERMS;
    find_offsets(&s, a->address, a->address, b->address, &left);
    find_offsets(&s, b->address, b->address, a->address, &left);
    return s.count && left && !still_meet(&s, q, a, b) ? s.name : NULL;
}

const char *ls_meet_by_strides(ls_query *q, const ls_event *a, const ls_event *b) {
    strides s = {.p = q->view.p};
    find(&s, a->address);
    find(&s, b->address);
    const ls_verify_options *o = s.p->options;
    if (!s.of_members && s.count < (o->any_layout ? 1 : o->of_program ? LEAST : LEAST_FREE)) return NULL;
    return still_meet(&s, q, a, b) ? NULL : s.name;
}
