/* Cells of a matrix. Two indices row·width + column, with 0 <= column < width for both, are equal only where
 * both rows and both columns are: two conditions without the product of two unknowns that the indices have,
 * which a solver decides at once. That the columns are in their row is asked first; mostly the launch says
 * so. That nothing wraps is assumed (overflow.c): each index is the sum of the integers, whether it is then
 * taken as a number with a sign or without. All of it is said in numbers of 64 bits, which hold what sums of
 * such parts can be.
 *
 * Tiles of which the launch gives the length: block·length + place, as where a tile has a margin of as many
 * elements on both sides as there are rounds. Two blocks meet in no element where their places are less than
 * a length apart, which is asked of both threads' guards, again without the product. */
#include "verify/check/cells.h"
#include "verify/check/contract.h"
#include "verify/check/overflow.h"
#include "verify/check/radix.h"

typedef __int128 wide;

enum { MOST_WIDTHS = 4 };
static const wide MOST = (wide)1 << 62;

typedef struct {
    const ls_term *row, *column; /* of 64 bits */
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
    bool good = true;
    for (uint32_t i = 0; i < index->count && good; i++) {
        const ls_term *rest = ls_without_factor(t, index->args[i], width),
                      *part = rest ? rest : index->args[i];
        good = add_part(t, rest ? &out->row : &out->column, &out->most[!rest], part, index->coefs[i]);
    }
    return good;
}

static bool is_in_row(ls_proof *p, const ls_event *e, const cell *c, const ls_term *width) {
    ls_terms *t = &p->terms;
    const ls_term *least = ls_not(t, ls_slt(t, c->column, ls_const(t, 64, 0)));
    return ls_holds_always(p, e, ls_and(t, least, ls_slt(t, c->column, ls_sext(t, width, 64))));
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

static ls_answered ask_with(ls_query *q, const ls_event *a, const ls_event *b, const ls_indices *of,
                            const ls_term *width) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    cell x, y;
    uint32_t given = q->conjuncts.length;
    if (!split(t, of->x, width, &x) || !split(t, of->y, width, &y)) return LS_UNDECIDED;
    if (!is_in_row(p, a, &x, width) || !is_in_row(p, b, &y, width)) return LS_UNDECIDED;
    ls_query_claim(q, ls_eq(t, ls_query_term(q, 1, x.row), ls_query_term(q, 2, y.row)));
    ls_query_claim(q, ls_eq(t, ls_query_term(q, 1, x.column), ls_query_term(q, 2, y.column)));
    ls_answered answer = ls_query_ask(q, (ls_question){.quick = true});
    if (answer == LS_SAT && is_plain(q, a, b)) return LS_SAT;
    q->conjuncts.length = given;
    return answer == LS_UNSAT && ls_may_not_overflow(p, a, b) ? LS_UNSAT : LS_UNDECIDED;
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

ls_answered ls_ask_cells(ls_query *q, const ls_event *a, const ls_event *b) {
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
