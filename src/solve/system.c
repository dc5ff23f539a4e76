/* A conjunction as a system of linear inequalities over integers (system.h). */
#include "solve/system.h"

#include <string.h>

enum { NESTED = 24 };
enum { WIDEST = 48 };           /* bits of a sum whose wraps are counted */
#define FAR ((ls_wide)1 << 124) /* no bound */

static bool form_of(ls_system *s, const ls_term *t, bool is_signed, uint32_t depth, ls_form *out);

static void say(ls_system *s, const ls_form *form, ls_wide lo, ls_wide hi) {
    if (s->impossible) return;
    s->impossible = ls_lp_say(&s->lp, form, lo, hi) == LS_LP_NEVER;
}

/* Leaves it to be split. Without room it is left out, as all is that has none: a model is checked anyway. */
static void put_off(ls_system *s, ls_split what) {
    if (s->open_count < LS_SYSTEM_OPEN) s->open[s->open_count++] = what;
}

/* --- Variables -------------------------------------------------------------------------------------------
 */

/* The variable, which is new where `lo` and `hi` had to be used; LS_LP_FULL: there is no room. */
static uint8_t name(ls_system *s, ls_named what, ls_wide lo, ls_wide hi, bool *is_new) {
    *is_new = false;
    for (uint32_t i = 0; i < s->name_count; i++) {
        const ls_named *n = &s->names[i];
        if (n->term == what.term && n->by == what.by && n->meaning == what.meaning) return n->var;
    }
    if (s->name_count == LS_SYSTEM_NAMES) return LS_LP_FULL;
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
static bool unwrap_wide(ls_system *s, const ls_term *t, bool is_signed, ls_meaning wrapped, ls_form *form) {
    bool is_new;
    ls_wide lo, hi;
    range_of(t, is_signed, &lo, &hi);
    uint8_t var = name(s, (ls_named){.term = t, .meaning = (uint8_t)wrapped}, lo, hi, &is_new);
    if (is_new)
        put_off(
            s, (ls_split){.kind = LS_SPLIT_WRAP, .is_true = is_signed, .var = var, .term = t, .by = wrapped});
    *form = (ls_form){.constant = 0};
    return var != LS_LP_FULL && ls_form_add(form, var, 1);
}

/* The form is the term's value but for a multiple of 2^width: that becomes a variable. A variable means one
 * thing of a term, however often it is asked for. */
static bool unwrap_as(ls_system *s, const ls_term *t, bool is_signed, ls_meaning wrapped, ls_form *form) {
    ls_wide lo, hi, least, most, size = (ls_wide)1 << t->width;
    range_of(t, is_signed, &lo, &hi);
    ls_form_range(&s->lp, form, &least, &most);
    ls_wide low = is_signed ? -size / 2 : 0, high = is_signed ? size / 2 - 1 : size - 1;
    if (least < low || most > high) {
        bool is_new;
        if (t->width > WIDEST) return unwrap_wide(s, t, is_signed, wrapped, form);
        ls_wide from = ls_divided_down(least - hi + size - 1, size), to = ls_divided_down(most - lo, size);
        if (from > to) return s->impossible = true;
        uint8_t wraps = name(s, (ls_named){.term = t, .meaning = (uint8_t)wrapped}, from, to, &is_new);
        if (wraps == LS_LP_FULL || !ls_form_add(form, wraps, -size)) return false;
        if (!is_new) return true;
    }
    say(s, form, lo, hi);
    return true;
}

static bool unwrap(ls_system *s, const ls_term *t, bool is_signed, ls_form *form) {
    return unwrap_as(s, t, is_signed, is_signed ? LS_VAR_WRAPS_NEG : LS_VAR_WRAPS, form);
}

/* As a number, a predicate is 0 or 1. */
static bool may_be_negative(const ls_term *t) {
    return t->width > 1 && t->slo < 0;
}

/* A number in the range of the term; `made` is its variable where that is new. */
static bool value_of(ls_system *s, const ls_term *t, bool is_signed, ls_form *out, uint8_t *made) {
    ls_wide lo, hi;
    bool is_new;
    range_of(t, may_be_negative(t), &lo, &hi);
    uint8_t var = name(s, (ls_named){.term = t, .meaning = LS_VAR_VALUE}, lo, hi, &is_new);
    *made = is_new ? var : LS_LP_FULL;
    *out = (ls_form){.constant = 0};
    return var != LS_LP_FULL && ls_form_add(out, var, 1) &&
           (!may_be_negative(t) || is_signed || unwrap_as(s, t, false, LS_VAR_UNSIGNED, out));
}

/* --- Terms as sums ---------------------------------------------------------------------------------------
 */

static bool sum_of(ls_system *s, const ls_term *t, uint32_t depth, ls_form *out) {
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
static uint64_t quotient_of(const ls_term *t, ls_meaning *rounded, bool *is_rest) {
    if (t->count != 2 || !ls_is_const(t->args[1])) return 0;
    uint64_t by = t->args[1]->value;
    bool positive = t->args[0]->slo >= 0;
    *rounded = LS_VAR_FLOOR;
    *is_rest = t->op == LS_T_UREM || t->op == LS_T_SREM || t->op == LS_T_AND;
    switch (t->op) {
    case LS_T_UDIV:
    case LS_T_UREM: break;
    case LS_T_SDIV:
    case LS_T_SREM:
        if (!positive) *rounded = LS_VAR_TOWARDS_0;
        if (ls_signed(by, t->width) <= 0) return 0;
        break;
    case LS_T_LSHR:
    case LS_T_ASHR:
        if (t->op == LS_T_ASHR && !positive) *rounded = LS_VAR_FLOOR_NEG;
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
static bool divide(ls_system *s, const ls_term *x, ls_meaning rounded, uint64_t by, uint32_t depth,
                   ls_form *quotient, ls_form *rest) {
    bool is_new;
    ls_wide lo, hi, divisor = (ls_wide)by;
    range_of(x, rounded != LS_VAR_FLOOR, &lo, &hi);
    ls_wide from = rounded == LS_VAR_TOWARDS_0 ? lo / divisor : ls_divided_down(lo, divisor),
            to = rounded == LS_VAR_TOWARDS_0 ? hi / divisor : ls_divided_down(hi, divisor);
    if (!form_of(s, x, rounded != LS_VAR_FLOOR, depth + 1, rest)) return false;
    uint8_t var = name(s, (ls_named){x, by, (uint8_t)rounded, 0}, from, to, &is_new);
    if (var == LS_LP_FULL || !ls_form_add(quotient, var, 1) || !ls_form_add(rest, var, -divisor))
        return false;
    if (!is_new) return true;
    say(s, rest, rounded == LS_VAR_TOWARDS_0 ? 1 - divisor : 0, divisor - 1);
    if (rounded == LS_VAR_TOWARDS_0) put_off(s, (ls_split){.kind = LS_SPLIT_SIGN, .term = x, .by = by});
    return true;
}

static bool by_division(ls_system *s, const ls_term *t, uint32_t depth, ls_form *out) {
    ls_meaning rounded;
    bool is_rest;
    uint64_t by = quotient_of(t, &rounded, &is_rest);
    ls_form quotient = {.constant = 0}, rest = {.constant = 0};
    if (!by || !divide(s, t->args[0], rounded, by, depth, &quotient, &rest)) return false;
    *out = is_rest ? rest : quotient;
    return true;
}

/* What the term is computed from: its value, but for multiples of 2^width. False: it is taken for any number.
 */
static bool raw_of(ls_system *s, const ls_term *t, uint32_t depth, ls_form *out) {
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
static void bound_product(ls_system *s, const ls_form *a, const ls_form *b, const ls_form *product,
                          const ls_wide *lo, const ls_wide *hi) {
    for (int i = 0; i < 4; i++) {
        ls_wide la = (i & 1 ? hi : lo)[0], lb = (i & 2 ? hi : lo)[1];
        bool above = i == 1 || i == 2;
        ls_form sum = *product;
        sum.constant += la * lb;
        if (ls_form_add_form(&sum, b, -la) && ls_form_add_form(&sum, a, -lb))
            say(s, &sum, above ? -FAR : 0, above ? 0 : FAR);
    }
}

/* Ranges of which products are computed. */
static bool are_near(const ls_wide *lo, const ls_wide *hi) {
    const ls_wide limit = (ls_wide)1 << 40;
    return lo[0] > -limit && lo[1] > -limit && hi[0] < limit && hi[1] < limit;
}

/* A factor that two products have in common, and their others. */
static const ls_term *common_factor(const ls_term *p, const ls_term *q, const ls_term **a,
                                    const ls_term **b) {
    for (int i = 0; i < 4; i++) {
        *a = p->args[!(i & 1)];
        *b = q->args[!(i >> 1)];
        if (p->args[i & 1] == q->args[i >> 1]) return p->args[i & 1];
    }
    return NULL;
}

/* A product of two that cannot wrap. */
static void describe_product(ls_system *s, const ls_term *t, uint8_t product, uint32_t depth) {
    ls_form a, b, whole = {.constant = 0};
    ls_wide lo[2], hi[2], size = (ls_wide)1 << t->width;
    const ls_term *x = t->args[0], *y = t->args[1];
    if (!form_of(s, x, x->slo < 0, depth + 1, &a) || !form_of(s, y, y->slo < 0, depth + 1, &b)) return;
    ls_form_range(&s->lp, &a, &lo[0], &hi[0]);
    ls_form_range(&s->lp, &b, &lo[1], &hi[1]);
    ls_wide low = may_be_negative(t) ? -size / 2 : 0, high = may_be_negative(t) ? size / 2 - 1 : size - 1;
    if (!are_near(lo, hi)) return;
    for (int i = 0; i < 4; i++) {
        ls_wide corner = (i & 1 ? hi : lo)[0] * (i & 2 ? hi : lo)[1];
        if (corner < low || corner > high) return;
    }
    ls_form_add(&whole, product, 1);
    bound_product(s, &a, &b, &whole, lo, hi);
    for (uint32_t k = 0; k < s->name_count; k++) {
        ls_named *n = &s->names[k];
        if (n->var == product && n->term == t && n->meaning == LS_VAR_VALUE) n->exact = true;
        if (n->exact && n->term != t && common_factor(t, n->term, &x, &y))
            put_off(s, (ls_split){
                           .kind = LS_SPLIT_PAIR, .var = product, .term = t, .other = n->term, .by = n->var});
    }
}

/* Bits of two numbers that are both (either, only one) in them. */
static void describe_bits(ls_system *s, const ls_term *t, uint8_t var, uint32_t depth) {
    ls_form a, b, sum = {.constant = 0};
    if (may_be_negative(t) || !form_of(s, t->args[0], false, depth + 1, &a) ||
        !form_of(s, t->args[1], false, depth + 1, &b) || !ls_form_add(&sum, var, 1))
        return;
    ls_form less[2] = {sum, sum}; /* than either */
    bool any = t->op != LS_T_XOR;
    if (ls_form_add_form(&less[0], &a, -1) && (any || ls_form_add_form(&less[0], &b, 1)))
        say(s, &less[0], t->op == LS_T_AND ? -FAR : 0, t->op == LS_T_AND ? 0 : FAR);
    if (ls_form_add_form(&less[1], &b, -1) && (any || ls_form_add_form(&less[1], &a, 1)))
        say(s, &less[1], t->op == LS_T_AND ? -FAR : 0, t->op == LS_T_AND ? 0 : FAR);
    if (t->op != LS_T_AND && ls_form_add_form(&sum, &a, -1) && ls_form_add_form(&sum, &b, -1))
        say(s, &sum, -FAR, 0);
}

/* What is known of a new variable beside its range. */
static void describe(ls_system *s, const ls_term *t, uint8_t var, uint32_t depth) {
    bool chosen = t->op == LS_T_ITE && t->width > 1,
         told = t->width == 1 && t->op != LS_T_SYM && t->op != LS_T_UF;
    if (chosen || told) put_off(s, (ls_split){.kind = LS_SPLIT_CHOICE, .var = var, .term = t});
    bool bits = t->op == LS_T_AND || t->op == LS_T_OR || t->op == LS_T_XOR;
    if (t->width == 1 || t->count != 2 || depth >= NESTED) return;
    if (t->op == LS_T_MUL) describe_product(s, t, var, depth);
    if (bits) describe_bits(s, t, var, depth);
}

/* What the term is as an integer, as a sum of variables. False: there is no room for that. */
static bool form_of(ls_system *s, const ls_term *t, bool is_signed, uint32_t depth, ls_form *out) {
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
static void compare(ls_system *s, const ls_term *a, const ls_term *b, bool is_signed, int more, bool equal) {
    ls_form left, right;
    if (form_of(s, a, is_signed, 0, &left) && form_of(s, b, is_signed, 0, &right) &&
        ls_form_add_form(&left, &right, -1))
        say(s, &left, equal ? 0 : -FAR, equal ? 0 : -more);
}

static void assume_bit(ls_system *s, const ls_term *t, bool is_true) {
    ls_form form;
    if (form_of(s, t, false, 0, &form)) say(s, &form, is_true, is_true);
}

static void assume_equal(ls_system *s, const ls_term *t, bool is_true) {
    const ls_term *a = t->args[0], *b = t->args[1];
    if (a->width == 1 && (ls_is_const(a) || ls_is_const(b)))
        ls_system_assume(s, ls_is_const(a) ? b : a, ls_is_true(ls_is_const(a) ? a : b) == is_true);
    else if (!is_true || a->width == 1)
        put_off(s, (ls_split){.kind = LS_SPLIT_PREDICATE, .term = t, .is_true = is_true});
    else
        compare(s, a, b, a->slo < 0 || b->slo < 0, 0, true);
}

void ls_system_assume(ls_system *s, const ls_term *t, bool is_true) {
    switch (t->op) {
    case LS_T_CONST:
        if (ls_is_true(t) != is_true) s->impossible = true;
        break;
    case LS_T_NOT: ls_system_assume(s, t->args[0], !is_true); break;
    case LS_T_AND:
    case LS_T_OR:
        if ((t->op == LS_T_AND) != is_true && t->count == 2)
            put_off(s, (ls_split){.kind = LS_SPLIT_PREDICATE, .term = t, .is_true = is_true});
        for (uint32_t i = 0; i < t->count && (t->op == LS_T_AND) == is_true; i++)
            ls_system_assume(s, t->args[i], is_true);
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
            put_off(s, (ls_split){.kind = LS_SPLIT_PREDICATE, .term = t, .is_true = is_true});
        break;
    case LS_T_SYM:
    case LS_T_UF: assume_bit(s, t, is_true); break;
    default: break;
    }
}

/* --- Both ways -------------------------------------------------------------------------------------------
 */

/* The variable is the term's value. */
static void assume_value(ls_system *s, uint8_t var, const ls_term *of, bool is_signed) {
    ls_form form;
    if (form_of(s, of, is_signed, 0, &form) && ls_form_add(&form, var, -1)) say(s, &form, 0, 0);
}

static void choose(ls_system *s, const ls_split *p, bool first) {
    const ls_term *t = p->term;
    ls_form var = {.constant = 0};
    if (t->width == 1) {
        ls_system_assume(s, t, first);
        ls_form_add(&var, p->var, 1);
        say(s, &var, first, first);
    } else {
        ls_system_assume(s, t->args[0], first);
        assume_value(s, p->var, t->args[first ? 1 : 2], t->slo < 0);
    }
}

/* Rounded towards zero, what is left of a negative number is none above zero. */
static void choose_sign(ls_system *s, const ls_split *p, bool negative) {
    ls_form x, rest, quotient = {.constant = 0};
    if (!form_of(s, p->term, true, 0, &x) ||
        !divide(s, p->term, LS_VAR_TOWARDS_0, p->by, 0, &quotient, &rest))
        return;
    say(s, &x, negative ? -FAR : 0, negative ? -1 : FAR);
    say(s, &rest, negative ? -FAR : 0, negative ? 0 : FAR);
}

/* In its range, it is what it is computed from; else that is on the side of the range where it can be. */
static void choose_wrap(ls_system *s, const ls_split *p, bool wraps) {
    const ls_term *t = p->term;
    ls_form form, value = {.constant = 0};
    ls_wide least, most, size = (ls_wide)1 << t->width, low = p->is_true ? -size / 2 : 0,
                         high = p->is_true ? size / 2 - 1 : size - 1;
    uint8_t made;
    if (!(p->by == LS_VAR_UNSIGNED ? value_of(s, t, true, &form, &made) : raw_of(s, t, 0, &form))) return;
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

/* Of x·a and x·b: a is larger than b, or not; then it is smaller, or they are equal. What the products differ
 * by is x times what a and b differ by. */
static void choose_pair(ls_system *s, const ls_split *p, bool first) {
    const ls_term *a, *b, *x = common_factor(p->term, p->other, &a, &b);
    ls_form factor, apart, other, products = {.constant = 0};
    ls_wide lo[2], hi[2];
    if (!form_of(s, x, x->slo < 0, 0, &factor) || !form_of(s, a, a->slo < 0, 0, &apart) ||
        !form_of(s, b, b->slo < 0, 0, &other) || !ls_form_add_form(&apart, &other, -1) ||
        !ls_form_add(&products, p->var, 1) || !ls_form_add(&products, (uint8_t)p->by, -1))
        return;
    ls_wide least = -FAR, most = FAR;
    if (first && !p->is_true) least = 1; /* larger */
    if (first && p->is_true) most = -1;  /* smaller */
    if (!first) most = 0;
    if (!first && p->is_true) least = 0; /* equal */
    say(s, &apart, least, most);
    if (!first && !p->is_true) {
        ls_split rest = *p;
        rest.is_true = true;
        put_off(s, rest);
        return;
    }
    ls_form_range(&s->lp, &factor, &lo[0], &hi[0]);
    ls_form_range(&s->lp, &apart, &lo[1], &hi[1]);
    if (lo[1] < least) lo[1] = least;
    if (hi[1] > most) hi[1] = most;
    if (lo[1] <= hi[1] && are_near(lo, hi)) bound_product(s, &factor, &apart, &products, lo, hi);
}

static void choose_predicate(ls_system *s, const ls_split *p, bool first) {
    const ls_term *t = p->term, *a = t->args[0], *b = t->args[1];
    switch (t->op) {
    case LS_T_EQ:
    case LS_T_XOR:
        if (a->width == 1) {
            ls_system_assume(s, a, first);
            ls_system_assume(s, b, (t->op == LS_T_EQ) == p->is_true ? first : !first);
        } else {
            bool is_signed = a->slo < 0 || b->slo < 0;
            compare(s, first ? a : b, first ? b : a, is_signed, 1, false);
        }
        break;
    case LS_T_ITE:
        ls_system_assume(s, a, first);
        ls_system_assume(s, t->args[first ? 1 : 2], p->is_true);
        break;
    default: /* an alternative: the second holds where the first does not */
        ls_system_assume(s, a, first ? p->is_true : !p->is_true);
        if (!first) ls_system_assume(s, b, p->is_true);
    }
}

void ls_system_choose(ls_system *s, const ls_split *what, bool first) {
    static void (*const ways[])(ls_system *s, const ls_split *what,
                                bool first) = {[LS_SPLIT_PREDICATE] = choose_predicate,
                                               [LS_SPLIT_CHOICE] = choose,
                                               [LS_SPLIT_SIGN] = choose_sign,
                                               [LS_SPLIT_WRAP] = choose_wrap,
                                               [LS_SPLIT_PAIR] = choose_pair};
    ways[what->kind](s, what, first);
}

static ls_wide value_in(const ls_form *form, const ls_wide *values) {
    ls_wide sum = form->constant;
    for (uint32_t i = 0; i < form->count; i++) sum += form->coefs[i] * values[form->vars[i]];
    return sum;
}

void ls_system_fix_factor(ls_system *s, const ls_named *product, int which, const ls_wide *values) {
    const ls_term *t = product->term, *x = t->args[which], *y = t->args[!which];
    ls_form factor, other, whole = {.constant = 0};
    if (!form_of(s, x, x->slo < 0, 0, &factor) || !form_of(s, y, y->slo < 0, 0, &other)) return;
    ls_wide value = value_in(&factor, values);
    say(s, &factor, value, value);
    if (ls_form_add_form(&whole, &other, value) && unwrap(s, t, may_be_negative(t), &whole) &&
        ls_form_add(&whole, product->var, -1))
        say(s, &whole, 0, 0);
}

void ls_system_copy(ls_system *to, const ls_system *from) {
    ls_lp_copy(&to->lp, &from->lp);
    memcpy(to->names, from->names, from->name_count * sizeof *from->names);
    memcpy(to->open, from->open, from->open_count * sizeof *from->open);
    to->name_count = from->name_count;
    to->open_count = from->open_count;
    to->impossible = from->impossible;
}

bool ls_system_is_wrong(const ls_system *s, const ls_split *p, const ls_wide *values, ls_eval *eval) {
    uint64_t is = ls_evaluate(eval, p->term);
    if (p->kind == LS_SPLIT_PREDICATE) return (is == 1) != p->is_true;
    if (p->kind == LS_SPLIT_PAIR) {
        ls_wide differ = ls_signed(is - ls_evaluate(eval, p->other), p->term->width);
        return differ != values[p->var] - values[p->by];
    }
    if (p->kind != LS_SPLIT_SIGN) return is != ((uint64_t)values[p->var] & ls_mask(p->term->width));
    ls_wide quotient = (ls_wide)ls_signed(is, p->term->width) / (ls_wide)p->by;
    for (uint32_t k = 0; k < s->name_count; k++) {
        const ls_named *n = &s->names[k];
        if (n->term == p->term && n->by == p->by && n->meaning == LS_VAR_TOWARDS_0)
            return values[n->var] != quotient;
    }
    return false;
}
