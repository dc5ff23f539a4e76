/* Cells of a matrix. Two indices row·width + column, with 0 <= column < width for both, are equal only where
 * both rows and both columns are: two conditions without the product of two unknowns that the indices have,
 * which a solver decides at once. That the columns are in their row is asked first; mostly the launch says
 * so. That nothing wraps is assumed (overflow.c): each index is the sum of the integers, whether it is then
 * taken as a number with a sign or without. All of it is said in numbers of 64 bits, which hold what sums of
 * such parts can be. Where a guard only says it of the 32-bit column, that rows and columns by themselves do
 * not overflow either is a part of that assumption, which is looked at as such.
 *
 * Tiles of which the launch gives the length: block·length + place, as where a tile has a margin of as many
 * elements on both sides as there are rounds. Two blocks meet in no element where their places are less than
 * a length apart, which is asked of both threads' guards, again without the product. */
#include "verify/check/cells.h"
#include "verify/check/contract.h"
#include "verify/check/overflow.h"
#include "verify/check/radix.h"

typedef __int128 wide;

enum { MOST_WIDTHS = 4, LARGEST = 1 << 30 };
static const wide MOST = (wide)1 << 62;

typedef struct {
    const ls_term *row, *column; /* of 64 bits */
    const ls_term *narrow[2];    /* both, as the kernel computes them */
    wide most[2];                /* how far from 0 they may be */
} cell;

/* A product of signed numbers, or a single one, and the farthest that it is from 0. */
static const ls_term *widened(ls_terms *t, const ls_term *part, wide *most) {
    bool product = part->op == LS_T_MUL;
    const ls_term *all = ls_const(t, 64, 1);
    *most = 1;
    for (uint32_t i = 0; i < (product ? part->count : 1) && *most <= MOST; i++) {
        const ls_term *f = product ? part->args[i] : part;
        wide low = f->slo < 0 ? -(wide)f->slo : (wide)f->slo,
             high = f->shi < 0 ? -(wide)f->shi : (wide)f->shi;
        *most *= low > high ? low : high;
        all = ls_mul(t, all, ls_sext(t, f, 64));
    }
    return all;
}

static bool add_part(ls_terms *t, const ls_term **to, wide *most, const ls_term *part, uint64_t coefficient) {
    wide of, factor = ls_signed(coefficient, 32);
    const ls_term *number = widened(t, part, &of);
    if (of > MOST) return false;
    *most += of * (factor < 0 ? -factor : factor);
    *to = ls_add(t, *to, ls_scale(t, number, (uint64_t)factor));
    return *most <= MOST;
}

/* False: numbers may get too large. */
static bool split(ls_terms *t, const ls_term *index, const ls_term *width, cell *out) {
    *out = (cell){.row = ls_const(t, 64, 0),
                  .column = ls_const(t, 64, (uint64_t)ls_signed(index->value, 32)),
                  .most = {0, (wide)1 << 32}};
    ls_split_rows(t, index, width, &out->narrow[0], &out->narrow[1]);
    bool good = true;
    for (uint32_t i = 0; i < index->count && good; i++) {
        const ls_term *rest = ls_without_factor(t, index->args[i], width),
                      *part = rest ? rest : index->args[i];
        good = add_part(t, rest ? &out->row : &out->column, &out->most[!rest], part, index->coefs[i]);
    }
    return good;
}

static const ls_term *is_moderate(ls_terms *t, const ls_term *number) {
    const ls_term *least = ls_const(t, number->width, ls_mask(number->width) & (uint64_t)-(int64_t)LARGEST),
                  *most = ls_const(t, number->width, LARGEST);
    return ls_and(t, ls_not(t, ls_slt(t, number, least)), ls_not(t, ls_slt(t, most, number)));
}

/* Neither the row nor the column, of 32 bits, overflows by itself, and with the width they keep away from the
 * ends of 32 bits, so that what guards compute from them does not overflow either. */
static const ls_term *are_moderate(ls_terms *t, const cell *c, const ls_term *width) {
    const ls_term *both = ls_and(t, is_moderate(t, c->row), is_moderate(t, c->column));
    return ls_and(t, both, is_moderate(t, width));
}

/* What follows from that, in other words. */
static const ls_term *is_exact(ls_terms *t, const cell *c) {
    const ls_term *row = ls_eq(t, ls_sext(t, c->narrow[0], 64), c->row);
    return ls_and(t, row, ls_eq(t, ls_sext(t, c->narrow[1], 64), c->column));
}

typedef enum { ELSEWHERE, IN_ROW, IN_ROW_IF_EXACT } placement;

/* sum = length·factor + place, of numbers of 64 bits that do not wrap. */
static void part_with(ls_terms *t, const ls_term *sum, const ls_term *factor, const ls_term **length,
                      const ls_term **place) {
    bool single = sum->op != LS_T_LIN;
    *length = ls_const(t, 64, 0);
    *place = ls_const(t, 64, single ? 0 : sum->value);
    for (uint32_t i = 0; i < (single ? 1 : sum->count); i++) {
        const ls_term *part = single ? sum : sum->args[i], *rest = ls_without_factor(t, part, factor);
        const ls_term **to = rest ? length : place;
        *to = ls_add(t, *to, ls_scale(t, rest ? rest : part, single ? 1 : sum->coefs[i]));
    }
}

static placement find_placement(ls_proof *p, const ls_event *e, const cell *c, const ls_term *width) {
    ls_terms *t = &p->terms;
    const ls_term *least = ls_not(t, ls_slt(t, c->column, ls_const(t, 64, 0)));
    if (ls_holds_always(p, e, ls_and(t, least, ls_slt(t, c->column, ls_sext(t, width, 64))))) return IN_ROW;
    const ls_term *column = c->narrow[1], *zero = ls_const(t, 32, 0);
    const ls_term *inside = ls_and(t, ls_not(t, ls_slt(t, column, zero)), ls_slt(t, column, width));
    const ls_term *moderate = ls_and(t, is_moderate(t, column), is_moderate(t, width));
    if (!ls_holds_always(p, e, ls_implies(t, moderate, inside))) return ELSEWHERE;
    ls_standing standing = ls_standing_of(p, e, are_moderate(t, c, width));
    return standing == LS_DISCHARGED ? IN_ROW : standing == LS_CONTRACT ? IN_ROW_IF_EXACT : ELSEWHERE;
}

/* In the model the index arithmetic of neither overflows, so that it is one that people believe. */
static bool is_plain(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_terms *t = &q->view.p->terms;
    ls_term_list claims = {0};
    ls_without_overflow(t, ls_query_term(q, 1, a->address), &claims);
    ls_without_overflow(t, ls_query_term(q, 2, b->address), &claims);
    bool plain = true;
    for (uint32_t i = 0; i < claims.length && plain; i++) plain = ls_query_value(q, claims.items[i]) == 1;
    LS_VEC_FREE(&claims);
    return plain;
}

/* Where the two are equal and both are block·length + place, either the blocks have the same number here, or
 * their places are a length apart. A solver need not find that out by itself, as two unknowns are multiplied.
 */
static void claim_tiles(ls_query *q, const ls_term *one, const ls_term *two) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_term *zero = ls_const(t, 64, 0);
    for (int i = 0; i < 3 && !q->view.same_block; i++) {
        const ls_term *block = ls_sext(t, p->ctaid[i], 64), *length[2], *place[2];
        part_with(t, one, block, &length[0], &place[0]);
        part_with(t, two, block, &length[1], &place[1]);
        if (length[0] != length[1] || ls_is_const(length[0]) || length[0]->scope != LS_SCOPE_GRID) continue;
        const ls_term *by = ls_query_term(q, 1, length[0]);
        const ls_term *far = ls_ite(t, ls_slt(t, by, zero), ls_sub(t, zero, by), by);
        const ls_term *ahead = ls_sub(t, ls_query_term(q, 1, place[0]), ls_query_term(q, 2, place[1]));
        const ls_term *near = ls_and(t, ls_slt(t, ahead, far), ls_slt(t, ls_sub(t, zero, ahead), far));
        const ls_term *same = ls_eq(t, ls_query_term(q, 1, block), ls_query_term(q, 2, block));
        ls_query_claim(q, ls_or(t, same, ls_not(t, near)));
    }
}

static ls_answered ask_with(ls_query *q, const ls_event *a, const ls_event *b, const ls_indices *of,
                            const ls_term *width) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    cell x, y;
    uint32_t given = q->conjuncts.length;
    if (!split(t, of->x, width, &x) || !split(t, of->y, width, &y)) return LS_UNDECIDED;
    placement of_a = find_placement(p, a, &x, width), of_b = of_a ? find_placement(p, b, &y, width) : of_a;
    if (!of_a || !of_b) return LS_UNDECIDED;
    const ls_term *rows[2] = {ls_query_term(q, 1, x.row), ls_query_term(q, 2, y.row)};
    const ls_term *columns[2] = {ls_query_term(q, 1, x.column), ls_query_term(q, 2, y.column)};
    if (of_a == IN_ROW_IF_EXACT) ls_query_claim(q, ls_query_term(q, 1, is_exact(t, &x)));
    if (of_b == IN_ROW_IF_EXACT) ls_query_claim(q, ls_query_term(q, 2, is_exact(t, &y)));
    ls_query_claim(q, ls_eq(t, rows[0], rows[1]));
    ls_query_claim(q, ls_eq(t, columns[0], columns[1]));
    claim_tiles(q, x.row, y.row);
    claim_tiles(q, x.column, y.column);
    ls_answered answer = ls_query_excludes(q) ? LS_UNSAT : ls_query_ask(q, (ls_question){.quick = true});
    if (answer == LS_SAT && is_plain(q, a, b)) return LS_SAT;
    q->conjuncts.length = given;
    if (answer != LS_UNSAT || !ls_may_not_overflow(p, a, b)) return LS_UNDECIDED;
    if (of_a == IN_ROW_IF_EXACT || of_b == IN_ROW_IF_EXACT) p->assumed |= LS_ASSUMED_NO_OVERFLOW;
    return LS_UNSAT;
}

/* The query and both claims: LS_UNSAT where they never hold together. */
static ls_answered ask_both(ls_query *q, const ls_term *one, const ls_term *two) {
    uint32_t given = q->conjuncts.length;
    ls_query_claim(q, one);
    ls_query_claim(q, two);
    ls_answered answer = ls_query_ask(q, (ls_question){.quick = true});
    q->conjuncts.length = given;
    return answer;
}

/* Of threads of different blocks: either their blocks have the same number here, and their places differ, or
 * the places are less than a length apart. */
static bool are_in_tiles(ls_query *q, const ls_event *a, const ls_event *b, const ls_indices *of,
                         const ls_term *block) {
    ls_terms *t = &q->view.p->terms;
    cell x, y; /* the "row" is the sum of all that the block's number is multiplied by */
    if (!split(t, of->x, block, &x) || !split(t, of->y, block, &y)) return false;
    if (x.row != y.row || ls_is_const(x.row) || x.row->scope != LS_SCOPE_GRID) return false;
    const ls_term *length = ls_query_term(q, 1, x.row),
                  *places[2] = {ls_query_term(q, 1, x.column), ls_query_term(q, 2, y.column)};
    const ls_term *same = ls_eq(t, ls_query_term(q, 1, block), ls_query_term(q, 2, block));
    const ls_term *ahead = ls_slt(t, ls_sub(t, places[0], places[1]), length),
                  *behind = ls_slt(t, ls_sub(t, places[1], places[0]), length);
    if (ask_both(q, ls_not(t, same), ls_not(t, ls_and(t, ahead, behind))) != LS_UNSAT) return false;
    if (ask_both(q, same, ls_eq(t, places[0], places[1])) != LS_UNSAT) return false;
    return ls_may_not_overflow(q->view.p, a, b);
}

/* What some index is multiplied by, and can be the length of a row. */
static void add_width(const ls_term *factor, const ls_term **widths, uint32_t *count) {
    bool known = factor->op != LS_T_SYM || factor->scope != LS_SCOPE_GRID || *count == MOST_WIDTHS;
    for (uint32_t i = 0; i < *count && !known; i++) known = widths[i] == factor;
    if (!known) widths[(*count)++] = factor;
}

static ls_answered ask_indices(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_indices of;
    const ls_term *widths[MOST_WIDTHS];
    uint32_t count = 0;
    if (!ls_find_indices(q->view.p, a, b, q->view.same_block, &of)) return LS_UNDECIDED;
    for (uint32_t which = 0; which < 2; which++) {
        const ls_term *sum = which ? of.y : of.x;
        for (uint32_t i = 0; i < sum->count; i++)
            for (uint32_t k = 0; sum->args[i]->op == LS_T_MUL && k < sum->args[i]->count; k++)
                add_width(sum->args[i]->args[k], widths, &count);
    }
    ls_answered answer = LS_UNDECIDED;
    for (uint32_t i = 0; i < count && answer == LS_UNDECIDED; i++) answer = ask_with(q, a, b, &of, widths[i]);
    for (int i = 0; i < 3 && answer == LS_UNDECIDED && !q->view.same_block; i++)
        if (are_in_tiles(q, a, b, &of, q->view.p->ctaid[i])) answer = LS_UNSAT;
    return answer;
}

ls_answered ls_ask_cells(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when) {
    ls_event one = *a, two = *b;
    if (when) {
        one.when = ls_and(&q->view.p->terms, when, a->when);
        two.when = ls_and(&q->view.p->terms, when, b->when);
    }
    ls_settle_address(q->view.p, &one);
    ls_settle_address(q->view.p, &two);
    return ask_indices(q, &one, &two);
}
