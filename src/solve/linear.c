/* Queries that are linear over integers (linear.h). A term becomes a sum of integer variables: a sum of w
 * bits is the sum of its parts less 2^w times a number of its own, how often it wraps; a quotient is a number
 * of which the rest is bounded. Conjunctions are inequalities of these (simplex.h). What holds in one of two
 * ways (an alternative, a choice, the sign of what is divided) is tried both ways, unless the first integers
 * that are found satisfy the query as it stands. */
#include "solve/linear.h"

#include "base/recover.h"
#include "solve/call.h"
#include "solve/normal.h"
#include "solve/simplex.h"

#include <string.h>

enum { MOST_NAMED = 72, MOST_OPEN = 40, DEEPEST = 14, MOST_NODES = 32, WORK = 4000, NESTED = 24 };
enum { MOST_TERMS = 200 };                            /* in a query */
enum { WIDEST = 48 };                                 /* bits of a sum whose wraps are counted */
#define FAR ((ls_wide)1 << 124)                       /* no bound */
static const double FOR_WORK = 5e-7, FOR_NODE = 1e-5; /* seconds of the solver's own time */

typedef enum {
    VALUE,     /* of the term, as a signed number where it may be negative */
    UNSIGNED,  /* how often that wraps as an unsigned number; of many bits: that number */
    WRAPS,     /* the same of what the term is computed from … */
    WRAPS_NEG, /* … and as a signed number */
    FLOOR,     /* the quotient by a number, rounded down, of the term as an unsigned … */
    FLOOR_NEG, /* … or as a signed number … */
    TOWARDS_0  /* … or rounded towards zero */
} meaning;

typedef struct { /* a variable, and what it is of a term */
    const ls_term *term;
    uint64_t by;
    uint8_t meaning, var;
} named;

/* What holds in one of two ways: a predicate is true (or false); a variable is that term's value; the rest of
 * a quotient has the sign of what is divided; a sum of many bits is in its range, or wraps. */
typedef struct {
    enum { PREDICATE, CHOICE, SIGN, WRAP } kind;
    bool is_true; /* WRAP: as a signed number */
    uint8_t var;
    const ls_term *term;
    uint64_t by;
} split;

typedef struct {
    ls_lp lp;
    named names[MOST_NAMED];
    split open[MOST_OPEN];
    uint32_t name_count, open_count;
    bool impossible; /* what was told so far never holds */
} system_of;

typedef struct {
    ls_solver *solver;
    const ls_term_list *query;
    int64_t work;
    uint32_t nodes;
} inquiry;

static bool form_of(system_of *s, const ls_term *t, bool is_signed, uint32_t depth, ls_form *out);

static void say(system_of *s, const ls_form *form, ls_wide lo, ls_wide hi) {
    if (s->impossible) return;
    s->impossible = ls_lp_say(&s->lp, form, lo, hi) == LS_LP_NEVER;
}

/* Leaves it to be split. Without room it is left out, as all is that has none: a model is checked anyway. */
static void put_off(system_of *s, split what) {
    if (s->open_count < MOST_OPEN) s->open[s->open_count++] = what;
}

/* --- Variables -------------------------------------------------------------------------------------------
 */

/* The variable, which is new where `lo` and `hi` had to be used; LS_LP_FULL: there is no room. */
static uint8_t name(system_of *s, named what, ls_wide lo, ls_wide hi, bool *is_new) {
    *is_new = false;
    for (uint32_t i = 0; i < s->name_count; i++) {
        const named *n = &s->names[i];
        if (n->term == what.term && n->by == what.by && n->meaning == what.meaning) return n->var;
    }
    if (s->name_count == MOST_NAMED) return LS_LP_FULL;
    what.var = ls_lp_variable(&s->lp, lo, hi);
    if (what.var == LS_LP_FULL) return LS_LP_FULL;
    *is_new = true;
    s->names[s->name_count++] = what;
    return what.var;
}

static void range_of(const ls_term *t, bool is_signed, ls_wide *lo, ls_wide *hi) {
    *lo = is_signed ? (ls_wide)t->slo : (ls_wide)t->ulo;
    *hi = is_signed ? (ls_wide)t->shi : (ls_wide)t->uhi;
}

/* A sum whose wraps are too large to be counted: its value is a variable, which is the sum or not. */
static bool unwrap_wide(system_of *s, const ls_term *t, bool is_signed, meaning wrapped, ls_form *form) {
    bool is_new;
    ls_wide lo, hi;
    range_of(t, is_signed, &lo, &hi);
    uint8_t var = name(s, (named){.term = t, .meaning = (uint8_t)wrapped}, lo, hi, &is_new);
    if (is_new) put_off(s, (split){.kind = WRAP, .is_true = is_signed, .var = var, .term = t, .by = wrapped});
    *form = (ls_form){.constant = 0};
    return var != LS_LP_FULL && ls_form_add(form, var, 1);
}

/* The form is the term's value but for a multiple of 2^width: that becomes a variable. A variable means one
 * thing of a term, however often it is asked for. */
static bool unwrap_as(system_of *s, const ls_term *t, bool is_signed, meaning wrapped, ls_form *form) {
    ls_wide lo, hi, least, most, size = (ls_wide)1 << t->width;
    range_of(t, is_signed, &lo, &hi);
    ls_form_range(&s->lp, form, &least, &most);
    ls_wide low = is_signed ? -size / 2 : 0, high = is_signed ? size / 2 - 1 : size - 1;
    if (least < low || most > high) {
        bool is_new;
        if (t->width > WIDEST) return unwrap_wide(s, t, is_signed, wrapped, form);
        ls_wide from = ls_divided_down(least - hi + size - 1, size), to = ls_divided_down(most - lo, size);
        if (from > to) return s->impossible = true;
        uint8_t wraps = name(s, (named){.term = t, .meaning = (uint8_t)wrapped}, from, to, &is_new);
        if (wraps == LS_LP_FULL || !ls_form_add(form, wraps, -size)) return false;
        if (!is_new) return true;
    }
    say(s, form, lo, hi);
    return true;
}

static bool unwrap(system_of *s, const ls_term *t, bool is_signed, ls_form *form) {
    return unwrap_as(s, t, is_signed, is_signed ? WRAPS_NEG : WRAPS, form);
}

/* As a number, a predicate is 0 or 1. */
static bool may_be_negative(const ls_term *t) {
    return t->width > 1 && t->slo < 0;
}

/* A number in the range of the term; `made` is its variable where that is new. */
static bool value_of(system_of *s, const ls_term *t, bool is_signed, ls_form *out, uint8_t *made) {
    ls_wide lo, hi;
    bool is_new;
    range_of(t, may_be_negative(t), &lo, &hi);
    uint8_t var = name(s, (named){.term = t, .meaning = VALUE}, lo, hi, &is_new);
    *made = is_new ? var : LS_LP_FULL;
    *out = (ls_form){.constant = 0};
    return var != LS_LP_FULL && ls_form_add(out, var, 1) &&
           (!may_be_negative(t) || is_signed || unwrap_as(s, t, false, UNSIGNED, out));
}

/* --- Terms as sums ---------------------------------------------------------------------------------------
 */

static bool sum_of(system_of *s, const ls_term *t, uint32_t depth, ls_form *out) {
    bool good = true;
    out->constant = ls_signed(t->value, t->width);
    for (uint32_t i = 0; i < t->count && good; i++) {
        ls_form part = {.constant = 0};
        good = form_of(s, t->args[i], t->args[i]->slo < 0, depth + 1, &part) &&
               ls_form_add_form(out, &part, ls_signed(t->coefs[i], t->width));
    }
    return good;
}

/* By what number, and with what rounding, a term is a quotient or a rest; 0: it is none. */
static uint64_t quotient_of(const ls_term *t, meaning *rounded, bool *is_rest) {
    if (t->count != 2 || !ls_is_const(t->args[1])) return 0;
    uint64_t by = t->args[1]->value;
    bool positive = t->args[0]->slo >= 0;
    *rounded = FLOOR;
    *is_rest = t->op == LS_T_UREM || t->op == LS_T_SREM || t->op == LS_T_AND;
    switch (t->op) {
    case LS_T_UDIV:
    case LS_T_UREM: break;
    case LS_T_SDIV:
    case LS_T_SREM:
        if (!positive) *rounded = TOWARDS_0;
        if (ls_signed(by, t->width) <= 0) return 0;
        break;
    case LS_T_LSHR:
    case LS_T_ASHR:
        if (t->op == LS_T_ASHR && !positive) *rounded = FLOOR_NEG;
        if (by >= t->width || by > 40) return 0;
        by = UINT64_C(1) << by;
        break;
    case LS_T_AND:
        if (by & (by + 1)) return 0;
        by++;
        break;
    default: return 0;
    }
    return by >> 48 ? 0 : by;
}

/* The quotient of the term, and what is left of it. */
static bool divide(system_of *s, const ls_term *x, meaning rounded, uint64_t by, uint32_t depth,
                   ls_form *quotient, ls_form *rest) {
    bool is_new;
    ls_wide lo, hi, divisor = (ls_wide)by;
    range_of(x, rounded != FLOOR, &lo, &hi);
    ls_wide from = rounded == TOWARDS_0 ? lo / divisor : ls_divided_down(lo, divisor),
            to = rounded == TOWARDS_0 ? hi / divisor : ls_divided_down(hi, divisor);
    if (!form_of(s, x, rounded != FLOOR, depth + 1, rest)) return false;
    uint8_t var = name(s, (named){x, by, (uint8_t)rounded, 0}, from, to, &is_new);
    if (var == LS_LP_FULL || !ls_form_add(quotient, var, 1) || !ls_form_add(rest, var, -divisor))
        return false;
    if (!is_new) return true;
    say(s, rest, rounded == TOWARDS_0 ? 1 - divisor : 0, divisor - 1);
    if (rounded == TOWARDS_0) put_off(s, (split){.kind = SIGN, .term = x, .by = by});
    return true;
}

static bool by_division(system_of *s, const ls_term *t, uint32_t depth, ls_form *out) {
    meaning rounded;
    bool is_rest;
    uint64_t by = quotient_of(t, &rounded, &is_rest);
    ls_form quotient = {.constant = 0}, rest = {.constant = 0};
    if (!by || !divide(s, t->args[0], rounded, by, depth, &quotient, &rest)) return false;
    *out = is_rest ? rest : quotient;
    return true;
}

/* What the term is computed from: its value, but for multiples of 2^width. False: it is taken for any number.
 */
static bool raw_of(system_of *s, const ls_term *t, uint32_t depth, ls_form *out) {
    const ls_term *of = t->count ? t->args[0] : NULL;
    *out = (ls_form){.constant = 0};
    switch (t->op) {
    case LS_T_ZEXT: return form_of(s, of, false, depth + 1, out);
    case LS_T_SEXT: return of->width > 1 && form_of(s, of, true, depth + 1, out);
    case LS_T_LIN: return sum_of(s, t, depth, out);
    case LS_T_EXTRACT: return t->value == 0 && form_of(s, of, of->slo < 0, depth + 1, out);
    default: return by_division(s, t, depth, out);
    }
}

/* Where a·b is p, with a from la to ha and b from lb to hb, these four of McCormick's hold: (a - la)·(b - lb)
 * >= 0, and so on. */
static void bound_product(system_of *s, const ls_form *a, const ls_form *b, uint8_t product, ls_wide la,
                          ls_wide lb, bool above) {
    ls_form sum = {.constant = la * lb};
    if (ls_form_add(&sum, product, 1) && ls_form_add_form(&sum, b, -la) && ls_form_add_form(&sum, a, -lb))
        say(s, &sum, above ? -FAR : 0, above ? 0 : FAR);
}

/* A product of two that cannot wrap. */
static void describe_product(system_of *s, const ls_term *t, uint8_t product, uint32_t depth) {
    ls_form a, b;
    ls_wide lo[2], hi[2], limit = (ls_wide)1 << 40, size = (ls_wide)1 << t->width;
    const ls_term *x = t->args[0], *y = t->args[1];
    if (!form_of(s, x, x->slo < 0, depth + 1, &a) || !form_of(s, y, y->slo < 0, depth + 1, &b)) return;
    ls_form_range(&s->lp, &a, &lo[0], &hi[0]);
    ls_form_range(&s->lp, &b, &lo[1], &hi[1]);
    ls_wide low = may_be_negative(t) ? -size / 2 : 0, high = may_be_negative(t) ? size / 2 - 1 : size - 1;
    for (int i = 0; i < 2; i++)
        if (lo[i] <= -limit || hi[i] >= limit) return;
    for (int i = 0; i < 4; i++) {
        ls_wide corner = (i & 1 ? hi : lo)[0] * (i & 2 ? hi : lo)[1];
        if (corner < low || corner > high) return;
    }
    for (int i = 0; i < 4; i++)
        bound_product(s, &a, &b, product, (i & 1 ? hi : lo)[0], (i & 2 ? hi : lo)[1], i == 1 || i == 2);
}

/* What is known of a new variable beside its range. */
static void describe(system_of *s, const ls_term *t, uint8_t var, uint32_t depth) {
    bool chosen = t->op == LS_T_ITE && t->width > 1,
         told = t->width == 1 && t->op != LS_T_SYM && t->op != LS_T_UF;
    if (chosen || told) put_off(s, (split){.kind = CHOICE, .var = var, .term = t});
    if (t->op == LS_T_MUL && t->count == 2 && depth < NESTED) describe_product(s, t, var, depth);
}

/* What the term is as an integer, as a sum of variables. False: there is no room for that. */
static bool form_of(system_of *s, const ls_term *t, bool is_signed, uint32_t depth, ls_form *out) {
    *out = (ls_form){.constant = 0};
    if (ls_is_const(t)) {
        out->constant = is_signed ? (ls_wide)ls_signed(t->value, t->width) : (ls_wide)t->value;
        return true;
    }
    uint8_t made;
    bool by_parts = t->width > 1 && depth < NESTED && raw_of(s, t, depth, out);
    if (by_parts && unwrap(s, t, is_signed, out)) return true;
    if (!value_of(s, t, t->width > 1 && is_signed, out, &made)) return false;
    if (made != LS_LP_FULL) describe(s, t, made, depth);
    return true;
}

/* --- Predicates ------------------------------------------------------------------------------------------
 */

/* a + more <= b, or a == b. */
static void compare(system_of *s, const ls_term *a, const ls_term *b, bool is_signed, int more, bool equal) {
    ls_form left, right;
    if (form_of(s, a, is_signed, 0, &left) && form_of(s, b, is_signed, 0, &right) &&
        ls_form_add_form(&left, &right, -1))
        say(s, &left, equal ? 0 : -FAR, equal ? 0 : -more);
}

static void assume(system_of *s, const ls_term *t, bool is_true);

static void assume_bit(system_of *s, const ls_term *t, bool is_true) {
    ls_form form;
    if (form_of(s, t, false, 0, &form)) say(s, &form, is_true, is_true);
}

static void assume_equal(system_of *s, const ls_term *t, bool is_true) {
    const ls_term *a = t->args[0], *b = t->args[1];
    if (a->width == 1 && (ls_is_const(a) || ls_is_const(b)))
        assume(s, ls_is_const(a) ? b : a, ls_is_true(ls_is_const(a) ? a : b) == is_true);
    else if (!is_true || a->width == 1)
        put_off(s, (split){.kind = PREDICATE, .term = t, .is_true = is_true});
    else
        compare(s, a, b, a->slo < 0 || b->slo < 0, 0, true);
}

/* What a predicate says at once; the rest is left to be split. */
static void assume(system_of *s, const ls_term *t, bool is_true) {
    switch (t->op) {
    case LS_T_CONST:
        if (ls_is_true(t) != is_true) s->impossible = true;
        break;
    case LS_T_NOT: assume(s, t->args[0], !is_true); break;
    case LS_T_AND:
    case LS_T_OR:
        if ((t->op == LS_T_AND) != is_true && t->count == 2)
            put_off(s, (split){.kind = PREDICATE, .term = t, .is_true = is_true});
        for (uint32_t i = 0; i < t->count && (t->op == LS_T_AND) == is_true; i++)
            assume(s, t->args[i], is_true);
        break;
    case LS_T_EQ: assume_equal(s, t, is_true); break;
    case LS_T_ULT:
    case LS_T_SLT:
        if (t->args[0]->width == 1) break;
        if (is_true)
            compare(s, t->args[0], t->args[1], t->op == LS_T_SLT, 1, false);
        else
            compare(s, t->args[1], t->args[0], t->op == LS_T_SLT, 0, false);
        break;
    case LS_T_XOR:
    case LS_T_ITE:
        if (t->op == LS_T_ITE || t->count == 2)
            put_off(s, (split){.kind = PREDICATE, .term = t, .is_true = is_true});
        break;
    case LS_T_SYM:
    case LS_T_UF: assume_bit(s, t, is_true); break;
    default: break;
    }
}

/* --- Both ways -------------------------------------------------------------------------------------------
 */

/* The variable is the term's value. */
static void assume_value(system_of *s, uint8_t var, const ls_term *of, bool is_signed) {
    ls_form form;
    if (form_of(s, of, is_signed, 0, &form) && ls_form_add(&form, var, -1)) say(s, &form, 0, 0);
}

static void choose(system_of *s, const split *p, bool first) {
    const ls_term *t = p->term;
    ls_form var = {.constant = 0};
    if (t->width == 1) {
        assume(s, t, first);
        ls_form_add(&var, p->var, 1);
        say(s, &var, first, first);
    } else {
        assume(s, t->args[0], first);
        assume_value(s, p->var, t->args[first ? 1 : 2], t->slo < 0);
    }
}

/* Rounded towards zero, what is left of a negative number is none above zero. */
static void choose_sign(system_of *s, const split *p, bool negative) {
    ls_form x, rest, quotient = {.constant = 0};
    if (!form_of(s, p->term, true, 0, &x) || !divide(s, p->term, TOWARDS_0, p->by, 0, &quotient, &rest))
        return;
    say(s, &x, negative ? -FAR : 0, negative ? -1 : FAR);
    say(s, &rest, negative ? -FAR : 0, negative ? 0 : FAR);
}

/* In its range, it is what it is computed from; else that is on the side of the range where it can be. */
static void choose_wrap(system_of *s, const split *p, bool wraps) {
    const ls_term *t = p->term;
    ls_form form, value = {.constant = 0};
    ls_wide least, most, size = (ls_wide)1 << t->width, low = p->is_true ? -size / 2 : 0,
                         high = p->is_true ? size / 2 - 1 : size - 1;
    uint8_t made;
    if (!(p->by == UNSIGNED ? value_of(s, t, true, &form, &made) : raw_of(s, t, 0, &form))) return;
    ls_form_range(&s->lp, &form, &least, &most);
    if (wraps) {
        if (least >= low) say(s, &form, high + 1, FAR);
        if (most <= high) say(s, &form, -FAR, low - 1);
        return;
    }
    say(s, &form, low, high);
    ls_form_add(&value, p->var, 1);
    if (ls_form_add_form(&value, &form, -1)) say(s, &value, 0, 0);
}

static void choose_predicate(system_of *s, const split *p, bool first) {
    const ls_term *t = p->term, *a = t->args[0], *b = t->args[1];
    switch (t->op) {
    case LS_T_EQ:
    case LS_T_XOR:
        if (a->width == 1) {
            assume(s, a, first);
            assume(s, b, (t->op == LS_T_EQ) == p->is_true ? first : !first);
        } else {
            bool is_signed = a->slo < 0 || b->slo < 0;
            compare(s, first ? a : b, first ? b : a, is_signed, 1, false);
        }
        break;
    case LS_T_ITE:
        assume(s, a, first);
        assume(s, t->args[first ? 1 : 2], p->is_true);
        break;
    default: /* an alternative: the second holds where the first does not */
        assume(s, a, first ? p->is_true : !p->is_true);
        if (!first) assume(s, b, p->is_true);
    }
}

/* The model of the integers, where it is one of the query as well. */
static bool take_model(inquiry *i, const system_of *s, const ls_wide *values) {
    ls_forget_model(i->solver);
    for (uint32_t k = 0; k < s->name_count; k++) {
        const named *n = &s->names[k];
        bool is_new;
        if (n->meaning != VALUE || (n->term->op != LS_T_SYM && n->term->op != LS_T_UF)) continue;
        *ls_intmap_at(&i->solver->model, n->term->id, &is_new) =
            (uint64_t)values[n->var] & ls_mask(n->term->width);
    }
    return ls_model_holds(i->solver, i->query);
}

static ls_wide value_in(const ls_form *form, const ls_wide *values) {
    ls_wide sum = form->constant;
    for (uint32_t i = 0; i < form->count; i++) sum += form->coefs[i] * values[form->vars[i]];
    return sum;
}

/* One factor of a product has this value. */
static void fix_factor(system_of *s, const named *product, int which, const ls_wide *values) {
    const ls_term *t = product->term, *x = t->args[which], *y = t->args[!which];
    ls_form factor, other, whole = {.constant = 0};
    if (!form_of(s, x, x->slo < 0, 0, &factor) || !form_of(s, y, y->slo < 0, 0, &other)) return;
    ls_wide value = value_in(&factor, values);
    say(s, &factor, value, value);
    if (ls_form_add_form(&whole, &other, value) && unwrap(s, t, may_be_negative(t), &whole) &&
        ls_form_add(&whole, product->var, -1))
        say(s, &whole, 0, 0);
}

static void copy_system(system_of *to, const system_of *from) {
    ls_lp_copy(&to->lp, &from->lp);
    memcpy(to->names, from->names, from->name_count * sizeof *from->names);
    memcpy(to->open, from->open, from->open_count * sizeof *from->open);
    to->name_count = from->name_count;
    to->open_count = from->open_count;
    to->impossible = from->impossible;
}

/* Products are any numbers in these integers. Where one factor of each keeps its value, they are what they
 * should be, if there are such integers. */
static bool is_model_of_products(inquiry *i, const system_of *given, const ls_wide *values) {
    LS_SCRATCH(arena);
    system_of *s = ls_arena_alloc(&arena, sizeof *s);
    ls_wide found[LS_LP_VARS] = {0};
    bool any = false, is_model = false;
    for (int which = 0; which < 2 && !is_model; which++) {
        copy_system(s, given);
        memcpy(found, values, sizeof found);
        for (uint32_t k = 0; k < given->name_count; k++) {
            const named *n = &given->names[k];
            if (n->meaning != VALUE || n->term->op != LS_T_MUL || n->term->count != 2) continue;
            any = true;
            fix_factor(s, n, which, found);
        }
        if (!any) return false;
        is_model = !s->impossible && ls_lp_solve(&s->lp, &i->work) == LS_SAT &&
                   ls_lp_integers(&s->lp, &i->work, found) == LS_SAT && take_model(i, s, found);
    }
    return is_model;
}

static ls_answered explore(inquiry *i, system_of *s, uint32_t depth);

static ls_answered explore_both(inquiry *i, system_of *s, uint32_t depth) {
    split what = s->open[--s->open_count];
    ls_answered answer = LS_UNSAT;
    LS_SCRATCH(arena);
    system_of *one = ls_arena_alloc(&arena, sizeof *one);
    for (int first = 1; first >= 0 && answer != LS_SAT; first--) {
        copy_system(one, s);
        if (what.kind == PREDICATE) choose_predicate(one, &what, first);
        if (what.kind == CHOICE) choose(one, &what, first);
        if (what.kind == SIGN) choose_sign(one, &what, first);
        if (what.kind == WRAP) choose_wrap(one, &what, first);
        ls_answered then = explore(i, one, depth + 1);
        if (then != LS_UNSAT) answer = then;
    }
    return answer;
}

static ls_answered explore(inquiry *i, system_of *s, uint32_t depth) {
    if (s->impossible) return LS_UNSAT;
    if (i->nodes++ >= MOST_NODES || i->work < 0) return LS_UNDECIDED;
    ls_wide values[LS_LP_VARS] = {0};
    ls_answered answer = ls_lp_solve(&s->lp, &i->work);
    if (answer != LS_SAT) return answer;
    answer = ls_lp_integers(&s->lp, &i->work, values);
    if (answer == LS_UNSAT) return LS_UNSAT;
    if (answer == LS_SAT && (take_model(i, s, values) || is_model_of_products(i, s, values))) return LS_SAT;
    return s->open_count && depth < DEEPEST ? explore_both(i, s, depth) : LS_UNDECIDED;
}

/* Such a query has seldom an answer here, and much is computed before that is seen. */
static bool is_large(const ls_term_list *query) {
    ls_term_walk walk = {0};
    ls_walk_add(&walk, query->items, query->length);
    while (walk.count <= MOST_TERMS && ls_walk_down(&walk)) continue;
    ls_walk_free(&walk);
    return walk.count > MOST_TERMS;
}

ls_answered ls_linear(ls_solver *solver, const ls_term_list *query) {
    if (is_large(query)) return LS_UNDECIDED;
    inquiry i = {.solver = solver, .query = query, .work = WORK};
    LS_SCRATCH(arena);
    system_of *s = LS_NEW(&arena, system_of);
    for (uint32_t k = 0; k < query->length && !s->impossible; k++) assume(s, query->items[k], true);
    ls_answered answer = explore(&i, s, 0);
    solver->spent += FOR_WORK * (double)(WORK - i.work) + FOR_NODE * i.nodes;
    return answer;
}
