/* Accesses to matrices told apart without a solver: scale·(row·width + column), where the guards of both
 * accesses say that column < width, or the launch does, as where the grid has width / 16 blocks of 16
 * threads: neither row nor column are the same for two threads that differ in their digits (digits.c). That
 * nothing wraps is assumed, where it may be. */
#include "verify/check/contract.h"
#include "verify/check/digits.h"
#include "verify/check/radix.h"
#include "verify/query/query.h"

enum { MOST_PARTS = 1000 /* of a condition */, MOST_NESTED = 3 /* rows */, MOST_MULTIPLE = 1 << 16 };

static bool find_always(ls_proof *p, const ls_event *e, const ls_term *claim) {
    ls_terms *t = &p->terms;
    const ls_ir_block *block = e->node->block;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = block, .b = block});
    ls_query_add(&q, 1, e->when, claim);
    for (int i = 0; i < 3; i++) {
        ls_query_add(&q, 1, ls_true(t), p->tid[i]);
        ls_query_add(&q, 1, ls_true(t), p->ctaid[i]);
    }
    ls_query_claim(&q, p->launch);
    ls_query_claim(&q, ls_not(t, ls_query_term(&q, 1, claim)));
    bool never = ls_query_excludes(&q) || ls_query_ask(&q, (ls_question){.quick = true}) == LS_UNSAT;
    ls_query_end(&q);
    return never;
}

typedef struct {
    const ls_ir_block *block;
    const ls_term *when, *claim;
    bool always;
} asked;
typedef LS_VEC(asked) claims; /* that were asked for already */

static void free_claims(void *part) {
    LS_VEC_FREE((claims *)part);
}

static const ls_part CLAIMS = {sizeof(claims), free_claims};

bool ls_holds_always(ls_proof *p, const ls_event *e, const ls_term *claim) {
    claims *known = ls_part_of(p, &CLAIMS);
    for (uint32_t i = 0; i < known->length; i++) {
        const asked *k = &known->items[i];
        if (k->block == e->node->block && k->when == e->when && k->claim == claim) return k->always;
    }
    asked found = {e->node->block, e->when, claim, find_always(p, e, claim)};
    LS_VEC_PUSH(known, found);
    return found.always;
}

/* The condition is a conjunction with the comparison column < width in it. Conditions share their parts: only
 * so many are looked at. */
static bool says_less(const ls_term *when, const ls_term *column, const ls_term *width, bool is_signed,
                      uint32_t *left) {
    if (!*left) return false;
    --*left;
    if (when->op == LS_T_AND && when->width == 1)
        return says_less(when->args[0], column, width, is_signed, left) ||
               says_less(when->args[1], column, width, is_signed, left);
    bool compares = when->op == LS_T_SLT || (when->op == LS_T_ULT && !is_signed);
    return compares && when->args[0] == column && when->args[1] == width;
}

/* No thread that gets there has a column that is not less than the width. */
static bool is_always_less(ls_proof *p, const ls_event *e, const ls_term *column, const ls_term *width,
                           bool is_signed) {
    ls_terms *t = &p->terms;
    return ls_holds_always(p, e, is_signed ? ls_slt(t, column, width) : ls_ult(t, column, width));
}

const ls_term *ls_without_factor(ls_terms *ctx, const ls_term *t, const ls_term *factor) {
    if (t == factor) return ls_const(ctx, t->width, 1);
    if (t->op != LS_T_MUL) return NULL;
    const ls_term *rest = ls_const(ctx, t->width, 1);
    uint32_t found = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->args[i] == factor)
            found++;
        else
            rest = ls_mul(ctx, rest, t->args[i]);
    }
    return found == 1 ? rest : NULL;
}

void ls_split_rows(ls_terms *ctx, const ls_term *index, const ls_term *width, const ls_term **row,
                   const ls_term **column) {
    *row = ls_const(ctx, 32, 0);
    *column = ls_const(ctx, 32, index->value);
    for (uint32_t i = 0; i < index->count; i++) {
        const ls_term *rest = ls_without_factor(ctx, index->args[i], width);
        const ls_term **to = rest ? row : column;
        *to = ls_add(ctx, *to, ls_scale(ctx, rest ? rest : index->args[i], index->coefs[i]));
    }
}

/* Two accesses whose indices are equal, and what follows from that. */
typedef struct {
    ls_proof *p;
    const ls_event *a, *b;
    bool same_block, is_signed;
    ls_digits same; /* digits that the two threads then have in common */
    bool never;     /* it is found that they are not equal: they are of different rows */
    bool assumes;   /* … where index arithmetic does not overflow */
} equal_indices;

static void add_digits(equal_indices *e, const ls_digits *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        bool there = false;
        for (uint32_t k = 0; k < e->same.count; k++)
            there |= e->same.digits[k].symbol == from->digits[i].symbol;
        if (!there && e->same.count < LS_MOST_DIGITS) e->same.digits[e->same.count++] = from->digits[i];
    }
}

/* The sum, which both have, has a place for each of its digits. */
static bool has_places(const equal_indices *e, const ls_term *sum, ls_digits *digits) {
    *digits = (ls_digits){.p = e->p, .same_block = e->same_block, .assume = true};
    return ls_digits_add_positions(digits, sum) && (!digits->count || ls_digits_window(digits));
}

/* For either access: by its guards, or by what the host code says of the launch. */
static bool is_column(const equal_indices *e, const ls_term *column, const ls_term *width) {
    uint32_t parts[2] = {MOST_PARTS, MOST_PARTS};
    if (says_less(e->a->when, column, width, e->is_signed, &parts[0]) &&
        says_less(e->b->when, column, width, e->is_signed, &parts[1]))
        return true;
    if (!e->p->options->fact_count || !is_always_less(e->p, e->a, column, width, e->is_signed)) return false;
    return e->a->when == e->b->when || is_always_less(e->p, e->b, column, width, e->is_signed);
}

static bool compare_rows(equal_indices *e, const ls_term *x, const ls_term *y, uint32_t depth);

/* So many widths are a number of 32 bits, where that may be assumed, as they are a part of the index. */
static bool may_be_width(equal_indices *e, const ls_term *width, uint64_t times, const ls_term **fits) {
    ls_terms *t = &e->p->terms;
    const ls_term *product = ls_scale(t, ls_sext(t, width, 64), times);
    const ls_term *least = ls_const(t, 64, 0), *most = ls_const(t, 64, INT32_MAX);
    *fits = ls_and(t, ls_not(t, ls_slt(t, product, least)), ls_not(t, ls_slt(t, most, product)));
    ls_standing of[2] = {ls_standing_of(e->p, e->a, *fits), ls_standing_of(e->p, e->b, *fits)};
    for (uint32_t i = 0; i < 2; i++)
        if (of[i] != LS_DISCHARGED && of[i] != LS_CONTRACT) return false;
    e->assumes |= of[0] == LS_CONTRACT || of[1] == LS_CONTRACT;
    return true;
}

/* The largest number that divides both rows goes over to the width: blocks of 8 rows are as rows of 8 widths.
 */
static bool is_wide_column(equal_indices *e, const ls_term **row, const ls_term *column,
                           const ls_term *width) {
    ls_terms *t = &e->p->terms;
    const ls_term *fits;
    uint64_t by = 0;
    for (uint32_t i = 0; i < 2; i++)
        by = ls_common_divisor(by, row[i]->op == LS_T_LIN ? ls_content(row[i]) : 1);
    if (by <= 1 || by > MOST_MULTIPLE || !e->p->options->fact_count) return false;
    if (!may_be_width(e, width, by, &fits)) return false;
    const ls_term *least = ls_not(t, ls_slt(t, column, ls_const(t, 32, 0)));
    const ls_term *inside = ls_and(t, least, ls_slt(t, column, ls_scale(t, width, by)));
    const ls_term *claim = ls_implies(t, fits, inside);
    if (!ls_holds_always(e->p, e->a, claim) || !ls_holds_always(e->p, e->b, claim)) return false;
    row[0] = ls_divided(t, row[0], by);
    row[1] = ls_divided(t, row[1], by);
    return true;
}

/* Columns that are less than the width are equal, and so are the rows. */
static bool compare_columns(equal_indices *e, const ls_term *x, const ls_term *y, const ls_term *width,
                            uint32_t depth) {
    const ls_term *row[2], *column[2];
    ls_digits digits;
    ls_split_rows(&e->p->terms, x, width, &row[0], &column[0]);
    ls_split_rows(&e->p->terms, y, width, &row[1], &column[1]);
    if (column[0] != column[1] || !has_places(e, column[0], &digits)) return false;
    if (!is_column(e, column[0], width) && !is_wide_column(e, row, column[0], width)) return false;
    add_digits(e, &digits);
    compare_rows(e, row[0], row[1], depth + 1);
    return true;
}

/* The widths that a sum may be split by are those that something in it is multiplied by, if only a number. */
static bool compare_by_widths(equal_indices *e, const ls_term *x, const ls_term *y, const ls_term *of,
                              uint32_t depth) {
    for (uint32_t i = 0; i < of->count; i++) {
        const ls_term *t = of->args[i];
        bool product = t->op == LS_T_MUL;
        for (uint32_t k = 0; k < (product ? t->count : 1); k++) {
            const ls_term *width = product ? t->args[k] : t;
            if (width->op != LS_T_SYM || width->scope != LS_SCOPE_GRID) continue;
            if (compare_columns(e, x, y, width, depth)) return true;
        }
    }
    return false;
}

/* What is the same for both where x of the one equals y of the other; rows of rows have widths, too. */
static bool compare_rows(equal_indices *e, const ls_term *x, const ls_term *y, uint32_t depth) {
    ls_digits digits;
    e->never |= ls_is_const(x) && ls_is_const(y) && x != y;
    if (x == y && has_places(e, x, &digits)) {
        add_digits(e, &digits);
        return true;
    }
    if (x->op != LS_T_LIN || y->op != LS_T_LIN || depth >= MOST_NESTED) return false;
    return compare_by_widths(e, x, y, x, depth) || compare_by_widths(e, x, y, y, depth);
}

/* Beside the index the two addresses have the same parts. */
static bool has_same_start(const ls_term *one, const ls_term *two, const ls_term *x, const ls_term *y) {
    if (one == two) return true;
    if (one->count != two->count) return false;
    for (uint32_t i = 0; i < one->count; i++) {
        bool there = one->args[i] == x;
        for (uint32_t k = 0; k < two->count && !there; k++)
            there = two->args[k] != y && two->args[k] == one->args[i] && two->coefs[k] == one->coefs[i];
        if (!there) return false;
    }
    return true;
}

bool ls_find_indices(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block, ls_indices *out) {
    ls_digits n = {.p = p, .same_block = same_block};
    uint64_t stride[2] = {0};
    if (p->options->exact_overflow || a->constant != b->constant) return false;
    const ls_term *x = ls_digits_index(a->part, &n, &stride[0]),
                  *y = ls_digits_index(b->part, &n, &stride[1]);
    if (!x || !y || stride[0] != stride[1] || a->size > stride[0] || b->size > stride[0]) return false;
    if (!has_same_start(a->part, b->part, x, y)) return false;
    *out = (ls_indices){x->args[0], y->args[0], {x->op == LS_T_SEXT, y->op == LS_T_SEXT}};
    return out->x->op == LS_T_LIN && out->y->op == LS_T_LIN;
}

bool ls_apart_by_rows(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    ls_indices of;
    if (!ls_find_indices(p, a, b, same_block, &of) || of.is_signed[0] != of.is_signed[1]) return false;
    equal_indices e = {.p = p,
                       .a = a,
                       .b = b,
                       .same_block = same_block,
                       .is_signed = of.is_signed[0],
                       .same = {.p = p, .same_block = same_block}};
    bool known = compare_rows(&e, of.x, of.y, 0);
    if (!known || !(e.never || ls_digits_tell_apart(&e.same)) || !ls_may_not_overflow(p, a, b)) return false;
    if (e.assumes) p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    return true;
}
