/* Terms and solver against brute force: random terms over two small symbols have the value that a direct
 * computation gives, lie in their range, and random conjunctions are satisfiable exactly where an exhaustive
 * search finds a solution. */
#include "solve/enumerate.h"
#include "solve/join.h"
#include "solve/normal.h"
#include "solve/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    ls_terms terms;
    const ls_term *symbols[2];
    uint64_t values[2];
    uint64_t seed;
    uint32_t width;
} world;

static uint32_t draw(world *w, uint32_t below) {
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->seed >> 33) % below;
}

/* A tree of operations, computed beside the terms with plain arithmetic. */
typedef struct node {
    uint32_t op, width, low;
    uint64_t value;
    struct node *args[3];
    const ls_term *term;
} node;

enum {
    N_CONST,
    N_SYM,
    N_ADD,
    N_SUB,
    N_MUL,
    N_AND,
    N_OR,
    N_XOR,
    N_SHL,
    N_LSHR,
    N_ASHR,
    N_UDIV,
    N_UREM,
    N_SDIV,
    N_SREM,
    N_ITE,
    N_EXT,
    N_SEXT,
    N_CUT,
    N_COUNT
};
enum { P_EQ, P_ULT, P_SLT, P_NOT, P_AND, P_OR, P_COUNT };

static node *new_node(world *w, uint32_t op, uint32_t width) {
    node *n = LS_NEW(&w->terms.arena, node);
    n->op = op;
    n->width = width;
    return n;
}

static node *predicate(world *w, uint32_t depth);

static node *number(world *w, uint32_t width, uint32_t depth) {
    uint32_t op = depth ? draw(w, N_COUNT) : draw(w, 2);
    ls_terms *t = &w->terms;
    if (op == N_SYM && width != w->width) op = N_CONST;
    if (op == N_EXT || op == N_SEXT) {
        if (width != w->width + 3) op = N_ADD;
    }
    if (op == N_CUT && width != w->width) op = N_ADD;
    node *n = new_node(w, op, width);
    if (op == N_CONST) {
        n->value = draw(w, 1u << width);
        n->term = ls_const(t, width, n->value);
        return n;
    }
    if (op == N_SYM) {
        n->value = draw(w, 2);
        n->term = w->symbols[n->value];
        return n;
    }
    if (op == N_EXT || op == N_SEXT) {
        n->args[0] = number(w, w->width, depth - 1);
        n->term = ls_resize(t, n->args[0]->term, width, op == N_SEXT);
        return n;
    }
    if (op == N_CUT) {
        n->args[0] = number(w, w->width + 3, depth - 1);
        n->low = draw(w, 4);
        n->term = ls_extract(t, n->args[0]->term, n->low, width);
        return n;
    }
    if (op == N_ITE) n->args[2] = predicate(w, depth - 1);
    n->args[0] = number(w, width, depth - 1);
    n->args[1] = number(w, width, depth - 1);
    const ls_term *a = n->args[0]->term, *b = n->args[1]->term;
    static const ls_term_op ops[N_COUNT] = {
        [N_AND] = LS_T_AND,   [N_OR] = LS_T_OR,     [N_XOR] = LS_T_XOR,   [N_SHL] = LS_T_SHL,
        [N_LSHR] = LS_T_LSHR, [N_ASHR] = LS_T_ASHR, [N_UDIV] = LS_T_UDIV, [N_UREM] = LS_T_UREM,
        [N_SDIV] = LS_T_SDIV, [N_SREM] = LS_T_SREM};
    if (op == N_ADD)
        n->term = ls_add(t, a, b);
    else if (op == N_SUB)
        n->term = ls_sub(t, a, b);
    else if (op == N_MUL)
        n->term = ls_mul(t, a, b);
    else if (op == N_ITE)
        n->term = ls_ite(t, n->args[2]->term, a, b);
    else
        n->term = ls_binary(t, ops[op], a, b);
    return n;
}

static node *predicate(world *w, uint32_t depth) {
    uint32_t op = depth > 1 ? draw(w, P_COUNT) : draw(w, P_NOT);
    ls_terms *t = &w->terms;
    node *n = new_node(w, 100 + op, 1);
    bool logic = op >= P_NOT;
    uint32_t width = draw(w, 2) ? w->width : w->width + 3, less = depth ? depth - 1 : 0;
    n->args[0] = logic ? predicate(w, less) : number(w, width, less);
    if (op != P_NOT) n->args[1] = logic ? predicate(w, less) : number(w, width, less);
    const ls_term *a = n->args[0]->term, *b = n->args[1] ? n->args[1]->term : NULL;
    n->term = op == P_EQ    ? ls_eq(t, a, b)
              : op == P_ULT ? ls_ult(t, a, b)
              : op == P_SLT ? ls_slt(t, a, b)
              : op == P_NOT ? ls_not(t, a)
              : op == P_AND ? ls_and(t, a, b)
                            : ls_or(t, a, b);
    return n;
}

static uint64_t compute(const world *w, const node *n) {
    uint32_t width = n->op >= 100 && n->args[0] ? n->args[0]->width : n->width;
    uint64_t mask = ls_mask(width), a = n->args[0] ? compute(w, n->args[0]) : 0;
    uint64_t b = n->args[1] ? compute(w, n->args[1]) : 0;
    int64_t sa = ls_signed(a, n->args[0] ? n->args[0]->width : 1),
            sb = n->args[1] ? ls_signed(b, n->args[1]->width) : 0;
    switch (n->op) {
    case N_CONST: return n->value;
    case N_SYM: return w->values[n->value];
    case N_ADD: return (a + b) & mask;
    case N_SUB: return (a - b) & mask;
    case N_MUL: return (a * b) & mask;
    case N_AND: return a & b;
    case N_OR: return a | b;
    case N_XOR: return a ^ b;
    case N_SHL: return b >= width ? 0 : a << b & mask;
    case N_LSHR: return b >= width ? 0 : a >> b;
    case N_ASHR: return (uint64_t)(sa >> (b >= width ? 63 : b)) & mask;
    case N_UDIV: return b ? a / b : mask;
    case N_UREM: return b ? a % b : a;
    case N_SDIV: return (uint64_t)(sb ? sa / sb : sa < 0 ? 1 : -1) & mask;
    case N_SREM: return (uint64_t)(sb ? sa % sb : sa) & mask;
    case N_ITE: return compute(w, n->args[2]) ? a : b;
    case N_EXT: return a;
    case N_SEXT: return (uint64_t)sa & mask;
    case N_CUT: return a >> n->low & mask;
    case 100 + P_EQ: return a == b;
    case 100 + P_ULT: return a < b;
    case 100 + P_SLT: return sa < sb;
    case 100 + P_NOT: return !a;
    case 100 + P_AND: return a && b;
    default: return a || b;
    }
}

static uint64_t look_up(void *data, const ls_term *leaf) {
    const world *w = data;
    return w->values[leaf == w->symbols[1]];
}

static void open_world(world *w, uint64_t seed) {
    *w = (world){.seed = seed * 77 + 5, .width = 4};
    ls_terms_init(&w->terms);
    w->symbols[0] = ls_symbol(&w->terms, "a", 4, LS_SCOPE_GRID, LS_SYM_INPUT, 0, 11);
    w->symbols[1] = ls_symbol_signed(&w->terms, "b", 4, LS_SCOPE_GRID, LS_SYM_COUNT, -5, 6);
}

static bool next_values(world *w) {
    for (int i = 0; i < 2; i++) {
        w->values[i] = (w->values[i] + 1) & 15;
        if (w->values[i]) return true;
    }
    return false;
}

static bool in_range(const world *w) {
    return w->values[0] <= 11 && ls_signed(w->values[1], 4) >= -5 && ls_signed(w->values[1], 4) <= 6;
}

static void test_terms_mean_what_they_say(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        world w;
        open_world(&w, seed);
        const node *n = number(&w, draw(&w, 2) ? 4 : 7, 4);
        do {
            if (!in_range(&w)) continue;
            ls_eval eval = {.lookup = look_up, .data = &w};
            uint64_t got = ls_evaluate(&eval, n->term), expected = compute(&w, n);
            ls_intmap_free(&eval.memo);
            if (got != expected)
                fail_msg("seed %u: %u instead of %u", (unsigned)seed, (unsigned)got, (unsigned)expected);
            bool inside = got >= n->term->ulo && got <= n->term->uhi &&
                          ls_signed(got, n->width) >= n->term->slo &&
                          ls_signed(got, n->width) <= n->term->shi;
            if (!inside) fail_msg("seed %u: %u is out of the term's range", (unsigned)seed, (unsigned)got);
        } while (next_values(&w));
        ls_terms_free(&w.terms);
    }
}

typedef struct {
    world w;
    const ls_term *terms[3];
    uint32_t count;
    bool possible; /* by exhaustive search */
} conjunction;

static void open_conjunction(conjunction *c, uint64_t seed) {
    open_world(&c->w, seed);
    const node *parts[3];
    c->count = 1 + draw(&c->w, 3);
    for (uint32_t i = 0; i < c->count; i++) {
        parts[i] = predicate(&c->w, 4);
        c->terms[i] = parts[i]->term;
    }
    c->possible = false;
    do {
        bool all = in_range(&c->w);
        for (uint32_t i = 0; i < c->count && all; i++) all = compute(&c->w, parts[i]) != 0;
        c->possible |= all;
    } while (next_values(&c->w));
}

static void test_solver_agrees_with_exhaustive_search(void **state) {
    (void)state;
    uint32_t undecided = 0, satisfiable = 0;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        conjunction c;
        open_conjunction(&c, seed);
        ls_solver solver;
        ls_solver_init(&solver, &c.w.terms);
        ls_answered answer = ls_solve(&solver, c.terms, c.count, (ls_question){0});
        if (answer != LS_UNDECIDED && (answer == LS_SAT) != c.possible)
            fail_msg("seed %u: answered %s", (unsigned)seed, c.possible ? "unsatisfiable" : "satisfiable");
        undecided += answer == LS_UNDECIDED;
        satisfiable += c.possible;
        ls_solver_free(&solver);
        ls_terms_free(&c.w.terms);
    }
    assert_int_equal(undecided, 0);
    assert_in_range(satisfiable, 50, 240);
}

/* What a search finds is a model; and it finds most of them. */
static void test_search_finds_models(void **state) {
    (void)state;
    uint32_t found = 0, satisfiable = 0;
    for (uint64_t seed = 2000; seed <= 2400; seed++) {
        conjunction c;
        open_conjunction(&c, seed);
        ls_solver solver;
        ls_solver_init(&solver, &c.w.terms);
        ls_answered answer = ls_solve(&solver, c.terms, c.count, (ls_question){LS_AIM_MODEL});
        if (answer == LS_SAT && !c.possible) fail_msg("seed %u: there is no model", (unsigned)seed);
        found += answer == LS_SAT;
        satisfiable += c.possible;
        ls_solver_free(&solver);
        ls_terms_free(&c.w.terms);
    }
    if (satisfiable < 100 || 4 * found < 3 * satisfiable)
        fail_msg("%u models found of %u", (unsigned)found, (unsigned)satisfiable);
}

/* An encoding on its own, with what the other stages would have answered. */
static Z3_lbool ask(conjunction *c, Z3_lbool (*check)(ls_encoding *), bool *exact) {
    ls_solver solver;
    ls_solver_init(&solver, &c->w.terms);
    Z3_config config = Z3_mk_config();
    solver.z3 = Z3_mk_context(config);
    Z3_del_config(config);
    ls_encoding encoding = {.solver = &solver,
                            .z3 = Z3_mk_simple_solver(solver.z3),
                            .conjuncts = c->terms,
                            .count = c->count,
                            .model = &solver.model};
    Z3_solver_inc_ref(solver.z3, encoding.z3);
    Z3_lbool answer = check(&encoding);
    *exact = encoding.exact;
    Z3_solver_dec_ref(solver.z3, encoding.z3);
    ls_solver_free(&solver);
    return answer;
}

static void test_encodings_agree_with_exhaustive_search(void **state) {
    (void)state;
    uint32_t exact = 0;
    for (uint64_t seed = 1000; seed <= 1400; seed++) {
        conjunction c;
        bool is_exact;
        open_conjunction(&c, seed);
        if (ask(&c, ls_check_bits, &is_exact) != (c.possible ? Z3_L_TRUE : Z3_L_FALSE))
            fail_msg("seed %u: bit-vectors do not answer %ssatisfiable", (unsigned)seed,
                     c.possible ? "" : "un");
        Z3_lbool answer = ask(&c, ls_check_integers, &is_exact);
        if (answer == Z3_L_FALSE ? c.possible : answer == Z3_L_TRUE && is_exact && !c.possible)
            fail_msg("seed %u: integers do not answer %ssatisfiable", (unsigned)seed, c.possible ? "" : "un");
        exact += is_exact;
        ls_terms_free(&c.w.terms);
    }
    assert_in_range(exact, 40, 401);
}

/* All values of symbols with few: both have, one has, or none has but for what conjuncts leave. */
static void test_values_agree_with_exhaustive_search(void **state) {
    (void)state;
    static const uint32_t few[] = {2, 6, 12, 16, LS_FEW_VALUES};
    uint32_t refuted[5] = {0}, found[5] = {0}, impossible = 0;
    for (uint64_t seed = 5000; seed <= 7000; seed++) {
        conjunction c;
        open_conjunction(&c, seed);
        impossible += !c.possible;
        for (uint32_t k = 0; k < 2 && seed % 2; k++) ls_sym_of(&c.w.terms, c.w.symbols[k])->thread = k + 1;
        for (uint32_t i = 0; i < 5; i++) {
            ls_intmap model = {0};
            uint64_t work = 100000;
            ls_answered answer = ls_enumerate(&c.w.terms, c.terms, c.count, few[i], &work, &model);
            if (answer != LS_UNDECIDED && (answer == LS_SAT) != c.possible)
                fail_msg("seed %u, %u values: answered %s", (unsigned)seed, (unsigned)few[i],
                         c.possible ? "unsatisfiable" : "satisfiable");
            refuted[i] += answer == LS_UNSAT;
            found[i] += answer == LS_SAT;
            ls_intmap_free(&model);
        }
        ls_terms_free(&c.w.terms);
    }
    assert_in_range(impossible, 200, 1500);
    assert_in_range(refuted[4] * 10, impossible * 4, impossible * 10); /* the others are constant */
    assert_in_range(refuted[1], 5, refuted[4]);
    assert_in_range(found[4], 200, 2000);
}

/* The same of the values of two threads put side by side; a part of the random conjunctions has the form. */
static void test_joins_agree_with_exhaustive_search(void **state) {
    (void)state;
    uint32_t refuted = 0;
    for (uint64_t seed = 5000; seed <= 9000; seed++) {
        conjunction c;
        open_conjunction(&c, seed);
        uint64_t work = 100000;
        for (uint32_t k = 0; k < 2; k++) ls_sym_of(&c.w.terms, c.w.symbols[k])->thread = k + 1;
        ls_answered answer = ls_join(&c.w.terms, c.terms, c.count, &work);
        if (answer == LS_UNSAT && c.possible) fail_msg("seed %u: answered unsatisfiable", (unsigned)seed);
        refuted += answer == LS_UNSAT;
        ls_terms_free(&c.w.terms);
    }
    assert_in_range(refuted, 5, 4000);
}

/* Columns of even and odd elements in halves of a buffer, each thread with a few rows of its own: the values
 * of pairs of threads and rows would be a million. With rows that are as long as the buffer is wide they are
 * apart; with shorter ones they are not, nor where the last element reaches into the next. */
static void test_join_of_columns(void **state) {
    (void)state;
    static const struct {
        uint64_t stride, size;
        ls_answered answer;
    } cases[] = {{98, 1, LS_UNSAT}, {90, 1, LS_UNDECIDED}, {98, 2, LS_UNDECIDED}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ls_terms t;
        ls_terms_init(&t);
        const ls_term *id[2], *at[2], *row_of, *id_of, *two = ls_const(&t, 32, 2), *one = ls_const(&t, 32, 1);
        id_of = ls_symbol(&t, "t", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 191);
        row_of = ls_symbol(&t, "k", 32, LS_SCOPE_THREAD, LS_SYM_COUNT, 0, 7);
        for (uint32_t i = 0; i < 2; i++) {
            id[i] = ls_instance(&t, id_of, i + 1);
            const ls_term *half = ls_binary(&t, LS_T_UDIV, id[i], two),
                          *odd = ls_binary(&t, LS_T_AND, id[i], one);
            const ls_term *row = ls_scale(&t, ls_instance(&t, row_of, i + 1), cases[n].stride);
            at[i] = ls_add(&t, half, ls_add(&t, ls_scale(&t, odd, 98 * 8), row));
        }
        const ls_term *window = ls_const(&t, 32, 2 * cases[n].size - 1);
        const ls_term *near = ls_add(&t, ls_sub(&t, at[0], at[1]), ls_const(&t, 32, cases[n].size - 1));
        const ls_term *query[] = {ls_not(&t, ls_eq(&t, id[0], id[1])), ls_ult(&t, near, window)};
        uint64_t work = 1000000;
        assert_int_equal(ls_join(&t, query, 2, &work), cases[n].answer);
        ls_terms_free(&t);
    }
}

/* Threads of a block that exchange with the one at t ^ j, whatever j is: the lower one of two is one only. */
static void test_exchange(void **state) {
    (void)state;
    for (int guarded = 0; guarded < 2; guarded++) {
        ls_terms t;
        ls_terms_init(&t);
        const ls_term *id[2], *partner[2], *j = ls_symbol(&t, "j", 32, LS_SCOPE_GRID, LS_SYM_STATE, 1, 0);
        const ls_term *id_of = ls_symbol(&t, "t", 32, LS_SCOPE_THREAD, LS_SYM_INPUT, 0, 255);
        for (uint32_t i = 0; i < 2; i++) {
            id[i] = ls_instance(&t, id_of, i + 1);
            partner[i] = ls_binary(&t, LS_T_XOR, id[i], j);
        }
        const ls_term *query[] = {
            ls_not(&t, ls_eq(&t, id[0], id[1])),
            ls_eq(&t, ls_sub(&t, ls_zext(&t, id[0], 64), ls_sext(&t, partner[1], 64)), ls_const(&t, 64, 0)),
            guarded ? ls_slt(&t, id[0], partner[0]) : ls_true(&t),
            guarded ? ls_slt(&t, id[1], partner[1]) : ls_true(&t)};
        ls_solver solver;
        ls_solver_init(&solver, &t);
        ls_answered answer = ls_solve(&solver, query, 4, (ls_question){LS_AIM_PROOF});
        assert_int_equal(answer, guarded ? LS_UNSAT : LS_SAT);
        if (guarded) assert_int_equal(solver.stats.by_few + solver.stats.by_terms, 1);
        ls_solver_free(&solver);
        ls_terms_free(&t);
    }
}

/* An index that is moved back by no more than what it is: what the differences of compared numbers exclude is
 * excluded, for all numbers of five bits. */
typedef struct {
    uint64_t a_low, a_high, b_low, b_high, factor, constant, limit;
    bool strict, negated, constant_first;
} difference;

static bool is_possible(const difference *d) {
    for (uint64_t a = d->a_low; a <= d->a_high; a++)
        for (uint64_t b = d->b_low; b <= d->b_high; b++) {
            uint64_t sum = (d->factor * a - d->factor * b + d->constant) & 0xfff;
            bool less = d->constant_first ? d->limit < sum : sum < d->limit;
            if ((d->strict ? b < a : b <= a) && less != d->negated) return true;
        }
    return false;
}

static bool is_excluded(const difference *d) {
    ls_terms t;
    ls_terms_init(&t);
    const ls_term *a = ls_symbol(&t, "a", 5, LS_SCOPE_THREAD, LS_SYM_INPUT, d->a_low, d->a_high),
                  *b = ls_symbol(&t, "b", 5, LS_SCOPE_THREAD, LS_SYM_INPUT, d->b_low, d->b_high);
    const ls_term *sum =
        ls_sub(&t, ls_scale(&t, ls_zext(&t, a, 12), d->factor), ls_scale(&t, ls_zext(&t, b, 12), d->factor));
    const ls_term *limit = ls_const(&t, 12, d->limit);
    sum = ls_add(&t, sum, ls_const(&t, 12, d->constant));
    const ls_term *less = d->constant_first ? ls_ult(&t, limit, sum) : ls_ult(&t, sum, limit);
    ls_term_list query = {0};
    bool possible = ls_add_conjunct(&query, d->strict ? ls_ult(&t, b, a) : ls_not(&t, ls_ult(&t, a, b))) &&
                    ls_add_conjunct(&query, d->negated ? ls_not(&t, less) : less);
    bool excluded = !possible || ls_contradicts(&query);
    LS_VEC_FREE(&query);
    ls_terms_free(&t);
    return excluded;
}

static void test_differences_of_compared_numbers(void **state) {
    (void)state;
    world w = {.seed = 11};
    uint32_t excluded = 0, impossible = 0;
    for (int i = 0; i < 20000; i++) {
        difference d = {.a_low = draw(&w, 32), .b_low = draw(&w, 32), .factor = 1 + draw(&w, 90)};
        d.a_high = d.a_low + draw(&w, (uint32_t)(32 - d.a_low));
        d.b_high = d.b_low + draw(&w, (uint32_t)(32 - d.b_low));
        d.constant = draw(&w, 3) ? draw(&w, 40) : draw(&w, 4096);
        d.limit = draw(&w, 2) ? draw(&w, 4096) : d.factor * (d.a_high - d.b_low) + d.constant - draw(&w, 3);
        d.limit &= 0xfff;
        d.strict = draw(&w, 2), d.negated = draw(&w, 2), d.constant_first = draw(&w, 2);
        bool said = is_excluded(&d), possible = is_possible(&d);
        assert_false(said && possible);
        excluded += said;
        impossible += !possible;
    }
    assert_in_range(excluded, impossible / 2, impossible);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terms_mean_what_they_say),
                                       cmocka_unit_test(test_solver_agrees_with_exhaustive_search),
                                       cmocka_unit_test(test_search_finds_models),
                                       cmocka_unit_test(test_encodings_agree_with_exhaustive_search),
                                       cmocka_unit_test(test_values_agree_with_exhaustive_search),
                                       cmocka_unit_test(test_joins_agree_with_exhaustive_search),
                                       cmocka_unit_test(test_join_of_columns),
                                       cmocka_unit_test(test_exchange),
                                       cmocka_unit_test(test_differences_of_compared_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
