/* Queries that are linear over integers (linear.h), as systems of inequalities (system.h). What holds in one
 * of two ways (an alternative, a choice, the sign of what is divided) is tried both ways, unless the first
 * integers that are found satisfy the query as it stands. */
#include "solve/linear.h"

#include "base/recover.h"
#include "solve/call.h"
#include "solve/normal.h"
#include "solve/system.h"

#include <string.h>

enum { DEEPEST = 24, MOST_NODES = 200, WORK = 4000 };
enum { MOST_TERMS = 200 };                              /* in a query */
static const double FOR_WORK = 2.5e-7, FOR_NODE = 5e-6; /* seconds of the solver's own time */

typedef struct {
    ls_solver *solver;
    const ls_term_list *query;
    int64_t work;
    uint32_t nodes;
    bool models; /* are asked for as well, not only a proof that there is none */
} inquiry;

/* The values that the integers give to symbols. */
static void set_model(inquiry *i, const ls_system *s, const ls_wide *values) {
    ls_forget_model(i->solver);
    for (uint32_t k = 0; k < s->name_count; k++) {
        const ls_named *n = &s->names[k];
        bool is_new;
        if (n->meaning != LS_VAR_VALUE || (n->term->op != LS_T_SYM && n->term->op != LS_T_UF)) continue;
        *ls_intmap_at(&i->solver->model, n->term->id, &is_new) =
            (uint64_t)values[n->var] & ls_mask(n->term->width);
    }
}

/* The model of the integers, where it is one of the query as well. */
static bool take_model(inquiry *i, const ls_system *s, const ls_wide *values) {
    set_model(i, s, values);
    return ls_model_holds(i->solver, i->query);
}

/* Products are any numbers in these integers. Where one factor of each keeps its value, they are what they
 * should be, if there are such integers. */
static bool is_model_of_products(inquiry *i, const ls_system *given, const ls_wide *values) {
    LS_SCRATCH(arena);
    ls_system *s = ls_arena_alloc(&arena, sizeof *s);
    ls_wide found[LS_LP_VARS] = {0};
    bool any = false, is_model = false;
    for (int which = 0; which < 2 && !is_model; which++) {
        ls_system_copy(s, given);
        memcpy(found, values, sizeof found);
        for (uint32_t k = 0; k < given->name_count; k++) {
            const ls_named *n = &given->names[k];
            if (n->meaning != LS_VAR_VALUE || n->term->op != LS_T_MUL || n->term->count != 2) continue;
            any = true;
            ls_system_fix_factor(s, n, which, found);
        }
        if (!any) return false;
        is_model = !s->impossible && ls_lp_solve(&s->lp, &i->work) == LS_SAT &&
                   ls_lp_integers(&s->lp, &i->work, found) == LS_SAT && take_model(i, s, found);
    }
    return is_model;
}

static uint64_t look_up(void *solver, const ls_term *leaf) {
    return ls_model_value(solver, leaf);
}

/* What is split next: the last of what is wrong in these integers. What they satisfy has perhaps nothing to
 * do with the answer, and each split doubles what there is to do. */
static uint32_t choose_open(inquiry *i, const ls_system *s, const ls_wide *values) {
    uint32_t at = s->open_count;
    ls_eval eval = {.lookup = look_up, .data = i->solver};
    set_model(i, s, values);
    while (at > 0 && !ls_system_is_wrong(s, &s->open[at - 1], values, &eval)) at--;
    ls_intmap_free(&eval.memo);
    return at ? at - 1 : s->open_count - 1;
}

static ls_answered explore(inquiry *i, ls_system *s, uint32_t depth);

static ls_answered explore_both(inquiry *i, ls_system *s, uint32_t at, uint32_t depth) {
    ls_split what = s->open[at];
    memmove(&s->open[at], &s->open[at + 1], (--s->open_count - at) * sizeof *s->open);
    ls_answered answer = LS_UNSAT;
    LS_SCRATCH(arena);
    ls_system *one = ls_arena_alloc(&arena, sizeof *one);
    for (int first = 1; first >= 0 && answer != LS_SAT; first--) {
        ls_system_copy(one, s);
        ls_system_choose(one, &what, first);
        ls_answered then = explore(i, one, depth + 1);
        if (then != LS_UNSAT) answer = then;
        if (answer == LS_UNDECIDED && !i->models) break;
    }
    return answer;
}

static ls_answered explore(inquiry *i, ls_system *s, uint32_t depth) {
    if (s->impossible) return LS_UNSAT;
    if (i->nodes++ >= MOST_NODES || i->work < 0) return LS_UNDECIDED;
    ls_wide values[LS_LP_VARS] = {0};
    ls_answered answer = ls_lp_solve(&s->lp, &i->work);
    if (answer != LS_SAT) return answer;
    answer = ls_lp_integers(&s->lp, &i->work, values);
    if (answer == LS_UNSAT) return LS_UNSAT;
    if (answer == LS_SAT && (take_model(i, s, values) || (i->models && is_model_of_products(i, s, values))))
        return LS_SAT;
    if (!s->open_count || depth == DEEPEST) return LS_UNDECIDED;
    uint32_t at = answer == LS_SAT ? choose_open(i, s, values) : s->open_count - 1;
    return explore_both(i, s, at, depth);
}

/* Such a query has seldom an answer here, and much is computed before that is seen. */
static bool is_large(const ls_term_list *query) {
    ls_term_walk walk = {0};
    ls_walk_add(&walk, query->items, query->length);
    while (walk.count <= MOST_TERMS && ls_walk_down(&walk)) continue;
    ls_walk_free(&walk);
    return walk.count > MOST_TERMS;
}

ls_answered ls_linear(ls_solver *solver, const ls_term_list *query, bool models) {
    if (is_large(query)) return LS_UNDECIDED;
    inquiry i = {.solver = solver, .query = query, .work = WORK, .models = models};
    LS_SCRATCH(arena);
    ls_system *s = LS_NEW(&arena, ls_system);
    for (uint32_t k = 0; k < query->length && !s->impossible; k++) ls_system_assume(s, query->items[k], true);
    ls_answered answer = explore(&i, s, 0);
    solver->spent += FOR_WORK * (double)(WORK - i.work) + FOR_NODE * i.nodes;
    return answer;
}
