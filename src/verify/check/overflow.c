/* Index arithmetic without overflow, where that may be assumed (contract.c): every 32-bit sum and product
 * that an address is made of is the one of the integers, and one that is taken as an unsigned number is not
 * negative. The address is rewritten with 64-bit sums of the same parts, in which nothing wraps and products
 * meet each other; that the 32-bit ones are in their range are claims of their own. */
#include "verify/check/overflow.h"
#include "verify/check/contract.h"

typedef struct {
    ls_term_list *claims;
    ls_terms *t;
    ls_intmap exact, wide; /* rewritten terms by id */
} rewriting;

static const ls_term *exact(rewriting *r, const ls_term *a);

static bool recall(const ls_intmap *memo, const ls_term *a, const ls_term **out) {
    uint64_t found;
    if (!ls_intmap_get(memo, a->id, &found)) return false;
    *out = (const ls_term *)(uintptr_t)found;
    return true;
}

static const ls_term *remember(ls_intmap *memo, const ls_term *a, const ls_term *now) {
    bool is_new;
    *ls_intmap_at(memo, a->id, &is_new) = (uint64_t)(uintptr_t)now;
    return now;
}

static void claim_range(rewriting *r, const ls_term *e, int64_t lo, int64_t hi) {
    const ls_term *above = ls_not(r->t, ls_slt(r->t, e, ls_const(r->t, 64, (uint64_t)lo)));
    const ls_term *below = ls_not(r->t, ls_slt(r->t, ls_const(r->t, 64, (uint64_t)hi), e));
    LS_VEC_PUSH(r->claims, above);
    LS_VEC_PUSH(r->claims, below);
}

/* A sum or product of the parts that `part` gives. */
static const ls_term *rebuilt(rewriting *r, const ls_term *a,
                              const ls_term *(*part)(rewriting *, const ls_term *)) {
    bool sum = a->op == LS_T_LIN;
    const ls_term *e = ls_const(r->t, 64, sum ? (uint64_t)ls_signed(a->value, a->width) : 1);
    for (uint32_t i = 0; i < a->count; i++) {
        const ls_term *p = part(r, a->args[i]);
        e = sum ? ls_add(r->t, e, ls_scale(r->t, p, (uint64_t)ls_signed(a->coefs[i], a->width)))
                : ls_mul(r->t, e, p);
    }
    return e;
}

/* Divisions of numbers with a sign, or of such as have none. */
static bool divides(const ls_term *a) {
    if (a->op == LS_T_SDIV || a->op == LS_T_SREM) return true;
    return (a->op == LS_T_UDIV || a->op == LS_T_UREM) && a->args[0]->slo >= 0 && a->args[1]->slo >= 0;
}

/* That a divisor is zero says the same of the integer. */
static const ls_term *condition(rewriting *r, const ls_term *c) {
    bool integers = c->op == LS_T_EQ && c->args[0]->width == 32;
    return integers ? ls_eq(r->t, exact(r, c->args[0]), exact(r, c->args[1])) : c;
}

/* A 32-bit term as the integer it is meant to be. */
static const ls_term *exact(rewriting *r, const ls_term *a) {
    const ls_term *e;
    if (recall(&r->exact, a, &e)) return e;
    if (a->op == LS_T_LIN || a->op == LS_T_MUL) {
        e = rebuilt(r, a, exact);
        claim_range(r, e, INT32_MIN, INT32_MAX);
    } else if (a->op == LS_T_ITE) {
        e = ls_ite(r->t, condition(r, a->args[0]), exact(r, a->args[1]), exact(r, a->args[2]));
    } else if (divides(a)) {
        e = ls_binary(r->t, a->op, exact(r, a->args[0]), exact(r, a->args[1]));
        claim_range(r, e, INT32_MIN, INT32_MAX);
    } else {
        e = ls_sext(r->t, a, 64);
    }
    return remember(&r->exact, a, e);
}

static const ls_term *wide_term(rewriting *r, const ls_term *a) {
    const ls_term *e = a, *x = a->count ? a->args[0] : NULL;
    if (a->width != 64) return a;
    if (recall(&r->wide, a, &e)) return e;
    bool narrow =
        x && x->width == 32 && (x->op == LS_T_LIN || x->op == LS_T_MUL || x->op == LS_T_ITE || divides(x));
    if (a->op == LS_T_LIN || a->op == LS_T_MUL) {
        e = rebuilt(r, a, wide_term);
    } else if (a->op == LS_T_ITE) {
        e = ls_ite(r->t, x, wide_term(r, a->args[1]), wide_term(r, a->args[2]));
    } else if (a->op == LS_T_SEXT && narrow) {
        e = exact(r, x);
    } else if (a->op == LS_T_ZEXT && narrow) {
        e = exact(r, x);
        claim_range(r, e, 0, INT64_MAX);
    }
    return remember(&r->wide, a, e);
}

/* Also of what stands below divisions and the like. */
static void claim_below(rewriting *r, const ls_term *address) {
    ls_term_walk walk = {0};
    ls_walk_add(&walk, &address, 1);
    for (const ls_term *a = ls_walk_down(&walk); a; a = ls_walk_down(&walk))
        if (a->width == 32 && (a->op == LS_T_LIN || a->op == LS_T_MUL)) exact(r, a);
    ls_walk_free(&walk);
}

const ls_term *ls_without_overflow(ls_terms *t, const ls_term *address, ls_term_list *claims) {
    rewriting r = {.claims = claims, .t = t};
    const ls_term *e = wide_term(&r, address);
    claim_below(&r, address);
    ls_intmap_free(&r.exact);
    ls_intmap_free(&r.wide);
    return e;
}

static ls_standing find_standing(ls_proof *p, const ls_event *e) {
    ls_term_list claims = {0};
    const ls_term *all = ls_true(&p->terms);
    ls_without_overflow(&p->terms, e->address, &claims);
    for (uint32_t i = 0; i < claims.length; i++) all = ls_and(&p->terms, all, claims.items[i]);
    LS_VEC_FREE(&claims);
    ls_standing standing = ls_standing_of(p, e, all);
    return standing == LS_UNCLEAR ? LS_BROKEN : standing;
}

typedef struct {
    ls_intmap by; /* address and condition to what was found out (contract.h) */
} standings;

static void free_standings(void *part) {
    ls_intmap_free(&((standings *)part)->by);
}

static const ls_part STANDINGS = {sizeof(standings), free_standings};

ls_standing ls_overflow_standing(ls_proof *p, const ls_event *e) {
    if (p->remote) return LS_BROKEN; /* distances between blocks of a cluster go round */
    uint64_t key = (uint64_t)e->address->id << 32 | e->when->id;
    bool is_new;
    uint64_t known;
    standings *all = ls_part_of(p, &STANDINGS);
    if (ls_intmap_get(&all->by, key, &known)) return (ls_standing)known;
    ls_standing found = find_standing(p, e);
    *ls_intmap_at(&all->by, key, &is_new) = found;
    return found;
}

bool ls_may_not_overflow(ls_proof *p, const ls_event *a, const ls_event *b) {
    ls_standing one = ls_overflow_standing(p, a), two = ls_overflow_standing(p, b);
    if (one == LS_BROKEN || two == LS_BROKEN) return false;
    if (one == LS_CONTRACT || two == LS_CONTRACT) p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    return true;
}
