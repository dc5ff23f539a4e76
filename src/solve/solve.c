/* One query through the solvers (solve.h). */
#include "solve/solve.h"

#include "base/clock.h"
#include "solve/call.h"
#include "solve/core.h"
#include "solve/enumerate.h"
#include "solve/join.h"
#include "solve/linear.h"
#include "solve/normal.h"
#include "solve/orders.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CASES = 300, OF_CORE = 1 << 16 /* of what is known: not of the whole query */ };
static const double QUICK = 0.03, FIRST_TRY = 0.2, LAST_TRY = 0.005; /* seconds, as the steps count */
static const double PATIENCE = 0.04, THOROUGH = 0.03;                /* of the kernel's time */
static const double CALLS = 4;                                /* that may stay open before a query does */
static const double LEAST = 0.3;                              /* seconds of patience */
enum { LEAST_WORK = 15000, LITTLE = 100000, MUCH = 1500000 }; /* terms to be computed by a search */
enum { FEW = 60000, MANY = 4000000 };                         /* … and where all values are tried */

enum {
    SLOW = LS_CALL_SLOW, /* CPU time against the solver's own … */
    SLOWEST = 100        /* … and the wall clock */
};
/* Seconds of the solver's own time for a term that is made, one that a substitution visits, one that a search
 * computes, and a query. */
static const double FOR_TERM = 3e-7, FOR_VISIT = 1e-7, FOR_VALUE = 2e-8, FOR_QUERY = 1e-5;

double ls_thread_seconds(void) {
    return ls_clock_seconds(LS_CLOCK_THREAD) / ls_clock_slowdown();
}

double ls_solver_now(const ls_solver *s) {
    return s->spent + FOR_TERM * s->terms->count + FOR_VISIT * (double)s->terms->visits;
}

bool ls_solver_is_over(const ls_solver *s) {
    return s->timed_out || ls_solver_now(s) >= s->deadline;
}

void ls_solver_limit(ls_solver *s, double seconds) {
    s->deadline = ls_solver_now(s) + seconds;
    s->cpu = ls_thread_seconds() + SLOW * seconds;
    double wall = ls_clock_seconds(LS_CLOCK_WALL), real = ls_clock_slowdown() * seconds;
    s->soonest = wall + SLOW * real;
    s->safety = wall + SLOWEST * real;
    s->query_timeout = THOROUGH * seconds;
    s->patience = seconds > LEAST / PATIENCE ? PATIENCE * seconds : LEAST;
}

bool ls_solver_expired(ls_solver *s) {
    if (ls_solver_is_over(s)) return s->timed_out = true;
    double wall = ls_clock_seconds(LS_CLOCK_WALL);
    if (wall > s->soonest && (wall > s->safety || ls_thread_seconds() > s->cpu))
        s->timed_out = s->out_of_time = true;
    return s->timed_out;
}

void ls_solver_init(ls_solver *s, ls_terms *terms) {
    memset(s, 0, sizeof *s);
    *s = (ls_solver){.terms = terms,
                     .deadline = 1e300,
                     .cpu = 1e300,
                     .soonest = 1e300,
                     .safety = 1e300,
                     .query_timeout = 5,
                     .patience = 5};
}

void ls_solver_free(ls_solver *s) {
    ls_call_end(s);
    ls_known_free(&s->known);
    ls_intmap_free(&s->model);
}

uint64_t ls_model_value(const ls_solver *s, const ls_term *leaf) {
    uint64_t v;
    if (ls_intmap_get(&s->model, leaf->id, &v)) return v;
    return leaf->op == LS_T_SYM ? leaf->ulo : 0;
}

static const ls_strategy integers = {ls_check_integers, 0, NULL, "integers", true},
                         lemmas = {ls_check_integers, 1, NULL, "lemmas", true},
                         bits = {ls_check_bits, 0, NULL, "bits", false};

/* A symbol with few values on which to split: loop counters first. */
static const ls_term *split_symbol(ls_solver *s, const ls_term_list *query) {
    ls_term_list leaves = {0};
    ls_leaves(query->items, query->length, &leaves);
    const ls_term *best = NULL;
    uint64_t best_size = MOST_CASES;
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *t = leaves.items[i];
        if (t->op != LS_T_SYM || t->width == 1) continue;
        const ls_sym *sym = ls_sym_of(s->terms, t);
        uint64_t size = t->uhi - t->ulo + 1;
        if (sym->kind != LS_SYM_COUNT || t->uhi - t->ulo >= MOST_CASES) continue;
        if (size > 1 && size < best_size) best = t, best_size = size;
    }
    LS_VEC_FREE(&leaves);
    return best;
}

static ls_answered decide(ls_solver *s, ls_term_list *query, ls_question question, uint32_t cases);

/* One query on its way through the stages. */
typedef struct {
    ls_solver *s;
    ls_term_list *query;
    ls_question question;
    uint32_t cases; /* into which it may still be split; MOST_CASES: it is the whole query */
    double most;    /* seconds for a call */
    bool tricks, wide_products;
    Z3_lbool integers; /* what linear integers have said … */
    bool exact;        /* … and nothing was abstracted in that */
    bool over;         /* no later stage can help */
} inquiry;

/* The query where a term has a value. */
static ls_answered decide_case(inquiry *i, const ls_term *term, uint64_t value, uint32_t cases) {
    ls_term_list one = {0};
    for (uint32_t k = 0; k < i->query->length; k++) LS_VEC_PUSH(&one, i->query->items[k]);
    LS_VEC_PUSH(&one, ls_eq(i->s->terms, term, ls_const(i->s->terms, term->width, value)));
    ls_answered answer = decide(i->s, &one, i->question, cases);
    LS_VEC_FREE(&one);
    return answer;
}

static ls_answered by_cases(inquiry *i) {
    const ls_term *symbol = i->cases > 1 ? split_symbol(i->s, i->query) : NULL;
    if (!symbol || symbol->uhi - symbol->ulo >= i->cases) return LS_UNDECIDED;
    uint32_t each = i->cases / (uint32_t)(symbol->uhi - symbol->ulo + 1);
    ls_answered answer = LS_UNSAT;
    for (uint64_t v = symbol->ulo; v <= symbol->uhi && answer == LS_UNSAT; v++)
        answer = decide_case(i, symbol, v, each);
    i->over = true;
    return answer;
}

/* The same for a term that is 0 or a power of two. */
static ls_answered by_powers(inquiry *i) {
    const ls_term *power =
        i->cases > 1 ? ls_find_power(i->s->terms, i->query->items, i->query->length) : NULL;
    if (!power) return LS_UNDECIDED;
    ls_answered answer = LS_UNSAT;
    if (!power->ulo) answer = decide_case(i, power, 0, 1);
    for (uint32_t k = 0; k < power->width && answer == LS_UNSAT; k++) {
        uint64_t v = UINT64_C(1) << k;
        if (v >= power->ulo && v <= power->uhi) answer = decide_case(i, power, v, 1);
    }
    return answer;
}

/* --- Values for factors ----------------------------------------------------------------------------------
 */

/* Sizes of the launch and parameters that are factors of products. */
static void find_factors(ls_solver *s, const ls_term_list *query, ls_term_list *out) {
    ls_term_walk walk = {0};
    ls_intmap taken = {0};
    ls_walk_add(&walk, query->items, query->length);
    for (const ls_term *t = ls_walk_down(&walk); t; t = ls_walk_down(&walk))
        for (uint32_t i = 0; i < t->count; i++) {
            const ls_term *x = t->args[i];
            if (x->op == LS_T_ZEXT || x->op == LS_T_SEXT) x = x->args[0];
            bool is_new, factor = t->op == LS_T_MUL && x->op == LS_T_SYM;
            if (!factor || ls_sym_of(s->terms, x)->kind != LS_SYM_INPUT || ls_sym_of(s->terms, x)->thread)
                continue;
            ls_intmap_at(&taken, x->id, &is_new);
            if (is_new) LS_VEC_PUSH(out, x);
        }
    ls_walk_free(&walk);
    ls_intmap_free(&taken);
}

/* A model of the abstraction need not be a model of the products. If one factor of each product has a fixed
 * value, everything is linear: this tries the values of the model and a few small ones. */
static ls_answered by_values(inquiry *i) {
    ls_solver *s = i->s;
    const ls_term_list *query = i->query;
    if (i->integers != Z3_L_TRUE) return LS_UNDECIDED;
    ls_term_list factors = {0};
    find_factors(s, query, &factors);
    LS_VEC(uint64_t) model = {0};
    for (uint32_t k = 0; k < factors.length; k++) LS_VEC_PUSH(&model, ls_model_value(s, factors.items[k]));
    bool found = false;
    for (uint64_t small = 0; small < 4 && factors.length && !found; small++) {
        ls_term_list one = {0};
        for (uint32_t k = 0; k < query->length; k++) LS_VEC_PUSH(&one, query->items[k]);
        for (uint32_t k = 0; k < factors.length; k++) {
            const ls_term *x = factors.items[k];
            uint64_t v = small ? small - 1 : model.items[k];
            v = v < x->ulo ? x->ulo : v > x->uhi ? x->uhi : v;
            LS_VEC_PUSH(&one, ls_eq(s->terms, x, ls_const(s->terms, x->width, v)));
        }
        found = ls_propagate(s, &one) && !ls_contradicts(&one) &&
                ls_call(s, &one, &integers, s->query_timeout / 10, NULL) == Z3_L_TRUE &&
                ls_model_holds(s, &one);
        LS_VEC_FREE(&one);
    }
    LS_VEC_FREE(&model);
    LS_VEC_FREE(&factors);
    return found && ls_model_holds(s, query) ? LS_SAT : LS_UNDECIDED;
}

static bool has_bit_tricks(const ls_term_list *query, bool *wide_products) {
    ls_term_walk walk = {0};
    bool tricks = false;
    *wide_products = false;
    ls_walk_add(&walk, query->items, query->length);
    for (const ls_term *t = ls_walk_down(&walk); t; t = ls_walk_down(&walk)) {
        bool is_bits = t->op == LS_T_AND || t->op == LS_T_OR || t->op == LS_T_XOR || t->op == LS_T_SHL ||
                       t->op == LS_T_LSHR || t->op == LS_T_ASHR;
        tricks |= is_bits && t->width > 1;
        *wide_products |= t->op == LS_T_MUL && t->uhi > 1u << 24;
    }
    ls_walk_free(&walk);
    return tricks;
}

/* Seconds for a call. The more went into queries that stay open, the less one more or less matters. */
static double patience(const ls_solver *s) {
    if (s->thorough) return s->query_timeout;
    double some = (s->patience - s->in_vain) / 4;
    return some > FIRST_TRY ? FIRST_TRY : some < LAST_TRY ? LAST_TRY : some;
}

static bool search(ls_solver *s, const ls_term_list *query, ls_question question, uint64_t work) {
    uint64_t left = work;
    bool found = ls_guess(s->terms, query->items, query->length, question.from, &left, &s->model) &&
                 ls_model_holds(s, query);
    s->spent += FOR_VALUE * (double)(work - left);
    return found;
}

static bool search_sizes(ls_solver *s, const ls_term_list *query) {
    uint64_t left = LITTLE;
    ls_forget_model(s);
    bool found = ls_find_sizes(s->terms, query, &left, &s->model) && ls_model_holds(s, query);
    s->spent += FOR_VALUE * (double)(LITTLE - left);
    return found;
}

/* Every value of symbols that have few. */
static ls_answered try_all(inquiry *i, uint64_t work) {
    ls_solver *s = i->s;
    uint64_t left = work;
    ls_forget_model(s);
    ls_answered answer =
        ls_enumerate(s->terms, i->query->items, i->query->length, LS_FEW_VALUES, &left, &s->model);
    s->spent += FOR_VALUE / 2 * (double)(work - left); /* most are looked up */
    return answer == LS_SAT && !ls_model_holds(s, i->query) ? LS_UNDECIDED : answer;
}

/* The two threads' values side by side. */
static ls_answered by_join(inquiry *i) {
    ls_solver *s = i->s;
    uint64_t left = MANY;
    ls_answered answer = ls_join(s->terms, i->query->items, i->query->length, &left);
    s->spent += FOR_VALUE / 2 * (double)(MANY - left);
    return answer;
}

/* Before the solver where bits are played with, which is hard for a solver. */
static ls_answered by_few(inquiry *i) {
    return i->tricks ? try_all(i, MANY) : LS_UNDECIDED;
}

static ls_answered by_all(inquiry *i) {
    return i->tricks ? LS_UNDECIDED : try_all(i, MANY);
}

/* --- Stages ----------------------------------------------------------------------------------------------
 */

/* A call, and a model that it gives only where that holds. */
static ls_answered by_call(inquiry *i, const ls_strategy *by, double most, Z3_lbool *said, bool *exact) {
    Z3_lbool answer = ls_call(i->s, i->query, by, i->question.quick && most > QUICK ? QUICK : most, exact);
    if (said) *said = answer;
    if (answer == Z3_L_FALSE) return LS_UNSAT;
    return answer == Z3_L_TRUE && ls_model_holds(i->s, i->query) ? LS_SAT : LS_UNDECIDED;
}

/* How a query is asked, and with what patience. */
static uint32_t way_of(const ls_solver *s, ls_question question) {
    return (uint32_t)question.aim << 8 | (uint32_t)question.from << 4 | (uint32_t)question.quick << 3 |
           (uint32_t)s->thorough << 2 | (uint32_t)s->hasty << 1 | (uint32_t)ls_solver_tired(s);
}

/* Whether it never holds. Most cores have a model that is soon found. */
static bool is_contradictory(inquiry *i, const ls_term_list *core) {
    ls_solver *s = i->s;
    uint64_t left = LEAST_WORK;
    ls_forget_model(s);
    bool found = ls_guess(s->terms, core->items, core->length, i->question.from, &left, &s->model);
    s->spent += FOR_VALUE * (double)(LEAST_WORK - left);
    double most = i->question.quick ? QUICK / 2 : i->most / 4;
    return !found && ls_call(s, core, &integers, most, NULL) == Z3_L_FALSE;
}

/* What may be contradictory without the rest, which is hard. Many queries have the same core. */
static ls_answered by_core(inquiry *i) {
    ls_solver *s = i->s;
    ls_term_list core = {0};
    ls_answered answer = LS_UNDECIDED;
    ls_asked key = {&core, way_of(s, i->question) | OF_CORE};
    if (ls_find_core(i->query, &core) && !ls_known_find(&s->known, key, &answer, &s->model)) {
        answer = is_contradictory(i, &core) ? LS_UNSAT : LS_UNDECIDED;
        if (answer == LS_UNSAT || !s->timed_out) ls_known_add(&s->known, key, answer, &s->model);
    }
    LS_VEC_FREE(&core);
    return answer;
}

static ls_answered by_integers(inquiry *i) {
    return by_call(i, &integers, i->most, &i->integers, &i->exact);
}

static ls_answered by_search(inquiry *i) {
    return search(i->s, i->query, i->question, MUCH) ? LS_SAT : LS_UNDECIDED;
}

/* What linear integers do not finish is no easier with more lemmas: of 472 such calls on public code
 * two had an answer. */
static ls_answered by_lemmas(inquiry *i) {
    if (i->exact || (i->integers == Z3_L_UNDEF && !i->s->thorough)) return LS_UNDECIDED;
    return by_call(i, &lemmas, i->most, NULL, NULL);
}

static ls_answered by_bits(inquiry *i) {
    return by_call(i, &bits, i->tricks && !i->wide_products ? i->most * 3 : i->most / 2, NULL, NULL);
}

/* What is left are other ways to go about it, one after another. */
static ls_answered by_portfolio(inquiry *i) {
    static const ls_strategy portfolio[] = {{ls_check_bits, 0, "qfufbv", "bits-qfufbv", false},
                                            {ls_check_integers, 1, "qfnia", "lemmas-qfnia", false},
                                            {ls_check_integers, 1, "qflia", "lemmas-qflia", false}};
    ls_answered answer = LS_UNDECIDED;
    size_t count = i->s->thorough ? sizeof portfolio / sizeof *portfolio : 0;
    for (size_t k = 0; k < count && answer == LS_UNDECIDED; k++)
        answer = by_call(i, &portfolio[k], i->most / 4, NULL, NULL);
    return answer;
}

enum {
    NOT_QUICK = 1,
    WHOLE = 2
}; /* only where there is time; only for the query as a whole, not for its cases */

/* One after the other, until one has an answer. */
static const struct {
    ls_answered (*run)(inquiry *i);
    size_t counter; /* in ls_solve_stats */
    uint8_t only;
} stages[] = {
#define STAGE(name, only) {name, offsetof(ls_solve_stats, name), only}
    STAGE(by_join, WHOLE),       STAGE(by_few, WHOLE),      STAGE(by_core, WHOLE),
    STAGE(by_integers, 0),       STAGE(by_all, WHOLE),      STAGE(by_search, NOT_QUICK | WHOLE),
    STAGE(by_values, NOT_QUICK), STAGE(by_cases, 0),        STAGE(by_powers, 0),
    STAGE(by_lemmas, 0),         STAGE(by_bits, NOT_QUICK), STAGE(by_portfolio, NOT_QUICK | WHOLE),
#undef STAGE
};

static ls_answered ask(ls_solver *s, ls_term_list *query, ls_question question, uint32_t cases) {
    inquiry i = {.s = s, .query = query, .question = question, .cases = cases, .most = patience(s)};
    i.tricks = has_bit_tricks(query, &i.wide_products);
    uint8_t left_out = (question.quick ? NOT_QUICK : 0) | (cases < MOST_CASES ? WHOLE : 0);
    for (size_t k = 0; k < sizeof stages / sizeof *stages && !i.over; k++) {
        if (stages[k].only & left_out) continue;
        ls_answered answer = stages[k].run(&i);
        if (answer == LS_UNDECIDED) continue;
        ++*(uint32_t *)((char *)&s->stats + stages[k].counter);
        return answer;
    }
    return LS_UNDECIDED;
}

/* Once nothing is expected of the solver: what takes less than a call of it. */
static ls_answered decide_cheaply(inquiry *i) {
    ls_answered answer = try_all(i, FEW);
    if (answer != LS_UNDECIDED) i->s->stats.by_few++;
    return answer;
}

/* What takes little first: most models are found at once, and much of what has none has few values. Only then
 * the rest, and the solver, unless too much of its time was in vain. */
static ls_answered decide_whole(ls_solver *s, ls_term_list *query, ls_question question) {
    bool tired = ls_solver_tired(s), models = question.aim == LS_AIM_MODEL,
         search_first = question.aim == LS_AIM_ANY || models;
    if (search_first && search(s, query, question, models && !tired ? LITTLE : LEAST_WORK))
        return s->stats.by_search++, LS_SAT;
    if (models) return LS_UNDECIDED;
    s->allowance = (s->thorough ? CALLS / 2 : CALLS) * patience(s);
    double start = ls_solver_now(s);
    inquiry cheap = {.s = s, .query = query};
    ls_answered answer = decide_cheaply(&cheap);
    if (answer == LS_UNDECIDED && !tired && search_first && search(s, query, question, LITTLE))
        return s->stats.by_search++, LS_SAT;
    if (answer == LS_UNDECIDED && question.from == LS_FROM_SIZES && search_sizes(s, query))
        return s->stats.by_search++, LS_SAT;
    if (answer == LS_UNDECIDED && !tired) answer = ask(s, query, question, MOST_CASES);
    double taken = ls_solver_now(s) - start;
    if (s->hopeless) s->lost += taken;
    if (answer == LS_UNDECIDED) s->in_vain += taken;
    if (answer == LS_UNDECIDED && !question.quick) {
        s->stats.undecided++;
        s->thorough = false;
    }
    return answer;
}

static ls_answered decide(ls_solver *s, ls_term_list *query, ls_question question, uint32_t cases) {
    ls_add_necessary(query);
    if (!ls_propagate(s, query) || !ls_shorten_equations(s, query) || !ls_solve_exchange(s, query) ||
        ls_contradicts(query)) {
        s->stats.by_terms++;
        return LS_UNSAT;
    }
    if (ls_orders_contradict(query)) return s->stats.by_orders++, LS_UNSAT;
    if (question.aim == LS_AIM_FORM) return LS_UNDECIDED;
    /* Values that are shown are looked for by others, which begin with those that programs have. */
    bool unseen = (question.aim == LS_AIM_ANY && question.quick) || question.aim == LS_AIM_PROOF;
    ls_answered linear = query->length ? ls_linear(s, query, unseen) : LS_UNDECIDED;
    if (linear == LS_UNSAT || (linear == LS_SAT && unseen)) return s->stats.by_linear++, linear;
    if (question.aim == LS_AIM_SOON) return LS_UNDECIDED;
    if (cases < MOST_CASES && query->length) return ask(s, query, question, cases);
    ls_forget_model(s);
    if (!query->length) return s->stats.by_terms++, LS_SAT; /* nothing is left to be asked: any values do */
    return decide_whole(s, query, question);
}

/* The query was asked before, or becomes known now, unless only the time was over. */
static ls_answered decide_once(ls_solver *s, ls_term_list *query, ls_question question) {
    ls_term_list asked = {0}; /* the query as it is: it is changed on the way */
    ls_answered answer;
    ls_asked key = {&asked, way_of(s, question)};
    for (uint32_t i = 0; i < query->length; i++) LS_VEC_PUSH(&asked, query->items[i]);
    ls_forget_model(s);
    if (ls_known_find(&s->known, key, &answer, &s->model)) {
        s->stats.by_known++;
    } else {
        answer = decide(s, query, question, MOST_CASES);
        if (answer != LS_UNDECIDED || !s->timed_out) ls_known_add(&s->known, key, answer, &s->model);
    }
    LS_VEC_FREE(&asked);
    return answer;
}

ls_answered ls_solve(ls_solver *s, const ls_term *const *conjuncts, uint32_t count, ls_question question) {
    s->stats.queries++;
    s->spent += FOR_QUERY;
    ls_term_list query = {0};
    ls_answered answer = LS_UNSAT;
    bool possible = true;
    for (uint32_t i = 0; i < count && possible; i++) possible = ls_add_conjunct(&query, conjuncts[i]);
    if (possible)
        answer = decide_once(s, &query, question);
    else
        s->stats.by_terms++;
    LS_VEC_FREE(&query);
    return answer;
}
