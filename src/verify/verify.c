/* The verifier's pipeline (000): from the IR of one kernel to a verdict. Everything that is not modelled is a
 * reason for "unknown"; a proof needs every obligation discharged and no such reason. */
#include "base/clock.h"
#include "base/guard.h"
#include "base/options.h"
#include "base/recover.h"
#include "finding/store.h"
#include "solve/recall.h"
#include "verify/check/async.h"
#include "verify/check/barriers.h"
#include "verify/check/boxes.h"
#include "verify/check/claims.h"
#include "verify/check/crew.h"
#include "verify/check/division.h"
#include "verify/check/flights.h"
#include "verify/check/groups.h"
#include "verify/check/lanes.h"
#include "verify/check/modelled.h"
#include "verify/check/races.h"
#include "verify/check/ticket_rounds.h"
#include "verify/check/tickets.h"
#include "verify/check/warps.h"
#include "verify/effort.h"
#include "verify/execute/arrays.h"
#include "verify/execute/assume.h"
#include "verify/execute/clusters.h"
#include "verify/execute/contents.h"
#include "verify/execute/contracts.h"
#include "verify/execute/exec.h"
#include "verify/execute/indirect.h"
#include "verify/execute/lower.h"
#include "verify/execute/memory.h"
#include "verify/execute/nodes.h"
#include "verify/execute/parameters.h"
#include "verify/execute/roots.h"
#include "verify/execute/uniform.h"
#include "verify/execute/written.h"
#include "verify/query/cases.h"
#include "verify/query/sample.h"
#include "verify/scope.h"

#include <pthread.h>
#include <string.h>

static void *prove_in_thread(void *proof);

/* A thread for a proof: terms of long kernels are deep, and so is the recursion over them. */
static bool start(ls_proof *p, pthread_t *thread) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 29);
    bool started = pthread_create(thread, &attributes, prove_in_thread, p) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

static void join(ls_proof *p, pthread_t thread) {
    pthread_join(thread, NULL);
    ls_clock_joined(p->work);
}

/* A result with what is not for others. */
typedef struct {
    ls_verify_result result; /* first: a pointer to it is one to the whole */
    double effort;
    bool in_vain; /* there was a second attempt, which took long and gave no proof */
} own_result;

static own_result *own(ls_verify_result *r) {
    return (own_result *)(void *)r;
}

double ls_verify_effort(const ls_verify_result *r) {
    return ((const own_result *)(const void *)r)->effort;
}

bool ls_verify_in_vain(const ls_verify_result *r) {
    return ((const own_result *)(const void *)r)->in_vain;
}

struct ls_recall *ls_verify_recall(void) {
    return ls_recall_new();
}

void ls_verify_forget(struct ls_recall *recall) {
    ls_recall_free(recall);
}

static ls_proof *new_proof(const ls_ir_function *kernel, const ls_verify_options *options, ls_effort given,
                           ls_crew *crew) {
    ls_proof *p = ls_xmalloc(sizeof *p);
    ls_proof_begin(p, kernel, options);
    p->effort = given;
    ls_turn_of(p)->crew = crew;
    p->result = &LS_NEW(&p->arena, own_result)->result;
    p->result->store = LS_NEW(&p->arena, ls_store);
    ls_store_init(p->result->store);
    return p;
}

/* With its result. */
static void free_proof(ls_proof *p) {
    ls_store_free(p->result->store);
    ls_arena_free(&p->arena);
    free(p);
}

enum { MANY = 16, MOST_THREADS = 64 };
/* Of the time that is left: what holds within that, holds where one thread does it all, though Z3 takes
 * another way there. */
static const double SURVEY = 0.5;

typedef struct {
    ls_proof *p, *helpers[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    uint32_t started;
} party;

static void take_part(void *context) {
    party *all = context;
    ls_proof *p = all->p;
    uint32_t wanted = p->options->threads < MOST_THREADS ? p->options->threads : MOST_THREADS;
    for (uint32_t i = 1; i < wanted; i++) {
        ls_proof *h = new_proof(p->f, p->options, p->effort, ls_turn_of(p)->crew);
        ls_turn_of(h)->survey = true;
        all->helpers[all->started] = h;
        if (start(h, &all->threads[all->started]))
            all->started++;
        else
            free_proof(h);
    }
    ls_check_races(p);
}

/* Has every obligation looked at by several threads, this one among them (crew.h). */
static void survey(ls_proof *p) {
    party all = {.p = p};
    ls_turn *turn = ls_turn_of(p);
    const double begun = ls_solver_now(&p->solver), spent = p->solver.spent;
    *turn =
        (ls_turn){.crew = ls_crew_new(SURVEY * (p->solver.deadline - begun)), .survey = true, .first = true};
    p->solver.hasty = true;
    p->solver.recall = NULL; /* which is for one thread at a time */
    bool good = ls_try(take_part, &all);
    for (uint32_t i = 0; i < all.started; i++) {
        join(all.helpers[i], all.threads[i]);
        free_proof(all.helpers[i]);
    }
    if (!good) ls_escape();
    turn->survey = p->solver.hasty = false;
    p->solver.recall = p->options->recall;
    turn->again = ls_crew_is_in_vain(turn->crew);
    p->solver.spent = spent; /* what obligations took is added where they are taken over */
}

/* A kernel with many obligations is surveyed first; queries that are written are asked in one order. */
static bool is_worth_a_survey(ls_proof *p) {
    bool several = p->options->threads > 1 && !p->options->smt2_dir;
    const ls_turn *turn = ls_turn_of(p);
    return several && !turn->crew && !turn->alone && ls_count_races(p, MANY) >= MANY;
}

static void check_races(ls_proof *p) {
    ls_turn *turn = ls_turn_of(p);
    p->solver.hasty = turn->survey;
    if (is_worth_a_survey(p)) survey(p);
    if (!turn->again) ls_check_races(p);
}

/* There is nothing to be reported of this one. */
static bool is_unfinished(const ls_proof *p) {
    const ls_turn *turn = ls_turn_of(p);
    return turn->survey || turn->again;
}

/* What is known before anything is said of asynchronous operations; false: nothing can be. */
static bool prepare(ls_proof *p) {
    p->remote = ls_is_remote(p);
    ls_check_modelled(p);
    if (p->f->irreducible_count) return false;
    ls_find_annotations(p);
    ls_find_arrays(p);
    ls_find_roots(p);
    ls_find_written(p);
    p->has_copies = ls_has_copies(p);
    ls_make_nodes(p);
    ls_find_uniform(p);
    ls_assume_sizes(p);
    ls_make_symbols(p);
    ls_find_tracked(p);
    ls_bind_parameters(p);
    ls_assume(p);
    ls_assume_buffers(p);
    ls_make_intervals(p);
    bool all = !p->options->promises_only;
    ls_check_indirect(p);
    if (all) ls_check_barriers(p);
    if (all) ls_check_grid_barriers(p);
    if (all) ls_check_cluster_barriers(p);
    if (all) ls_check_remote(p);
    if (all) ls_check_copies(p);
    if (all) ls_check_flights(p);
    if (all) ls_check_lanes(p);
    if (all) ls_check_warps(p);
    return true;
}

static void begin(ls_proof *p) {
    const ls_ir_function *kernel = p->f;
    ls_terms_init(&p->terms);
    ls_solver_init(&p->solver, &p->terms);
    ls_solver_limit(&p->solver, p->effort.seconds);
    p->solver.thorough = p->effort.thorough;
    p->solver.smt2_dir = p->options->smt2_dir;
    p->solver.recall = ls_turn_of(p)->survey ? NULL : p->options->recall;
    bool again = p->effort.thorough || p->effort.invariants;
    p->solver.smt2_name = again ? ls_arena_printf(&p->arena, "%s-again", kernel->name) : kernel->name;
    p->divergent = LS_NEW_N(&p->arena, bool, kernel->value_count + 1);
    p->divergent_branch = LS_NEW_N(&p->arena, bool, kernel->block_count + 1);
    p->agreed = LS_NEW_N(&p->arena, bool, kernel->block_count + 1);
    p->uniform_loop = LS_NEW_N(&p->arena, bool, kernel->loop_count + 1);
}

static void end(ls_proof *p) {
    ls_solver_free(&p->solver);
    ls_terms_free(&p->terms);
    ls_proof_end(p);
}

static bool is_in_scope(const ls_proof *p, const ls_verify_note *note) {
    for (const ls_verify_note *n = p->result->scope; n; n = n->next)
        if (!strcmp(n->text, note->text)) return true;
    return false;
}

/* Takes over what was said of another form of the kernel. */
static void take_over(ls_proof *p, const ls_proof *from) {
    p->ticketed = from->ticketed && !from->result->reasons;
    p->assumed |= from->assumed;
    ls_take_boxes(p, from);
    for (const ls_verify_note *n = from->result->scope; n; n = n->next)
        if (!is_in_scope(p, n)) ls_scope_line(p, n->brief, "%s", n->text);
    for (const ls_verify_note *n = from->result->reasons; n; n = n->next) {
        const char *help = n->help ? ls_arena_strndup(&p->arena, n->help, strlen(n->help)) : NULL;
        const ls_place place = ls_store_place(p->result->store, n->place); /* calls stand with the kernel */
        ls_verify_note *own = ls_unknown(p, &place, help, "%s", n->text);
        own->undecided |= n->undecided;
        own->by_data |= n->by_data;
    }
    if (!from->ticketed && !from->result->reasons)
        ls_unknown(p, NULL, NULL, "asynchronous operations in loops within loops: nothing was proved");
}

/* The kernel with one loop in place of loops within loops, and the proof of it. Both are kept with the proof
 * of the kernel as it is, which frees them in whatever way it ends. */
typedef struct {
    ls_ir_function *kernel;
    ls_proof *proof;
} single_loop;

static void free_single(void *part) {
    single_loop *single = part;
    if (single->proof) {
        end(single->proof);
        free_proof(single->proof);
    }
    ls_ir_free(single->kernel);
}

/* What is proved of the kernel with one loop. */
static void check_single(ls_proof *p, single_loop *single) {
    ls_effort rest = p->effort;
    rest.seconds = p->solver.deadline - ls_solver_now(&p->solver);
    ls_proof *of_single = single->proof = new_proof(single->kernel, p->options, rest, NULL);
    begin(of_single);
    of_single->solver.smt2_name = ls_arena_printf(&of_single->arena, "%s-one-loop", p->solver.smt2_name);
    if (prepare(of_single)) ls_check_tickets(of_single, p);
    take_over(p, of_single);
}

/* The proof was of a kernel whose inner loops have an iteration at least. On launches where they have none,
 * that is the kernel without them. */
static void check_without(ls_proof *p, const ls_ir_function *with) {
    static const ls_part WITHOUT = {sizeof(single_loop), free_single};
    single_loop *without = ls_part_of(p, &WITHOUT);
    bool always = false;
    if (!ls_enter_alike(p, with, &always)) {
        p->ticketed = false;
        ls_unknown(p, p->f->blocks[with->tested[0]]->terminator->pos, NULL,
                   "asynchronous operations: no proof that the inner loops of the threads have their first "
                   "iteration on the same launches, whatever the tile");
        return;
    }
    if (always) return;
    without->kernel = ls_ir_unnested(p->f, true);
    if (without->kernel) check_single(p, without);
    if (!without->kernel) p->ticketed = false;
    if (!without->kernel) ls_unknown(p, NULL, NULL, "asynchronous operations: the kernel is too large");
}

/* Asynchronous operations: where loops within loops synchronise, of the kernel with one loop in their place,
 * in which their iterations are counted. All else is proved of the kernel as it is; and where that is not, it
 * is not worth the time. */
static void check_tickets(ls_proof *p) {
    static const ls_part SINGLE = {sizeof(single_loop), free_single};
    single_loop *single = ls_part_of(p, &SINGLE);
    if (ls_has_tickets(p) && !p->result->reasons) single->kernel = ls_ir_unnested(p->f, false);
    if (!single->kernel) {
        ls_check_tickets(p, NULL);
        return;
    }
    check_single(p, single);
    if (p->ticketed && single->kernel->tested_count) check_without(p, single->kernel);
}

static void run(ls_proof *p) {
    if (!prepare(p)) return;
    bool all = !p->options->promises_only;
    check_tickets(p);
    ls_check_claims(p);
    if (all && !p->options->only_divergence) check_races(p);
    if (is_unfinished(p)) return;
    if (all) ls_check_memory(p);
    if (all) ls_check_divisions(p);
    if (ls_solver_expired(&p->solver))
        ls_unknown(p, NULL, "give a longer --timeout",
                   p->solver.out_of_time ? "the time limit was reached: this took far longer than usual"
                                         : "the time limit was reached");
}

static bool finds_error(const ls_verify_result *r) {
    for (const ls_finding *f = r->findings; f; f = f->next)
        if (f->level == LS_ERROR) return true;
    return false;
}

static void prove(void *proof) {
    ls_proof *p = proof;
    double start = ls_thread_seconds();
    begin(p);
    run(p);
    bool open = p->result->reasons && p->ntid[0] && !finds_error(p->result);
    if (open && !p->options->proof_only && !is_unfinished(p)) ls_find_sample(p);
    ls_make_scope(p);
    ls_make_stats(p);
    ls_verify_result *r = p->result;
    r->verdict = r->mistakes ? LS_UNKNOWN : finds_error(r) ? LS_REFUTED : r->reasons ? LS_UNKNOWN : LS_PROVED;
    r->seconds = ls_thread_seconds() - start;
    own(r)->effort = ls_solver_now(&p->solver);
}

/* The time is the thread's own, so that is who must be watched. Where memory runs out, there is no result. */
static void *prove_in_thread(void *proof) {
    ls_proof *p = proof;
    ls_guard_begin(1 + 5 * p->effort.seconds, 0);
    if (!ls_try(prove, p)) p->out_of_memory = true;
    ls_guard_end();
    end(p);
    p->work = ls_clock_seconds(LS_CLOCK_WORK);
    return NULL;
}

static void prove_deeply(ls_proof *p) {
    pthread_t thread;
    if (start(p, &thread))
        join(p, thread);
    else
        prove_in_thread(p);
    if (!p->out_of_memory) return;
    ls_crew_free(ls_turn_of(p)->crew);
    free_proof(p);
    ls_escape();
}

typedef struct { /* what came of it, beside its result */
    bool wants_invariants, timed_out, tired;
} outcome;

static ls_verify_result *attempt(const ls_ir_function *kernel, const ls_verify_options *options,
                                 ls_effort given, outcome *out) {
    ls_proof *p = new_proof(kernel, options, given, NULL);
    prove_deeply(p);
    ls_turn turn = *ls_turn_of(p);
    double spent = 0;
    if (turn.again) {
        spent = p->result->seconds;
        free_proof(p);
        p = new_proof(kernel, options, given, NULL);
        ls_turn_of(p)->alone = true;
        prove_deeply(p);
    }
    ls_verify_result *r = p->result;
    r->seconds += spent;
    *out = (outcome){r->verdict == LS_UNKNOWN && p->wants_invariants, p->solver.timed_out,
                     ls_solver_tired(&p->solver)};
    ls_arena *memory = ls_xmalloc(sizeof *memory); /* the result stands in the proof's arena */
    *memory = p->arena;
    r->memory = memory;
    ls_crew_free(turn.crew);
    free(p);
    return r;
}

/* All that stands between the kernel and a proof are queries that the solver gave up. */
static bool deserves_more(const ls_verify_result *r) {
    if (r->verdict != LS_UNKNOWN) return false;
    for (const ls_verify_note *n = r->reasons; n; n = n->next)
        if (!n->undecided) return false;
    return true;
}

static uint32_t count_reasons(const ls_verify_result *r) {
    uint32_t count = 0;
    for (const ls_verify_note *n = r->reasons; n; n = n->next) count++;
    return count;
}

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    bool by_cases; /* where it stays unknown, sizes are tried one by one */
    ls_verify_result *first, *again, *r;
} verification;

/* In place of the result, where that leaves the kernel unknown: the proof for each block that there may be.
 */
static bool look_at_cases(verification *v) {
    double effort = 0;
    ls_verify_result *r = v->r, *each = NULL;
    if (v->by_cases && r->verdict == LS_UNKNOWN && !r->impossible && !r->mistakes)
        each = ls_verify_by_cases(v->kernel, v->options, &effort);
    own(each ? each : r)->effort = ls_verify_effort(r) + effort;
    if (!each) return false;
    each->seconds += r->seconds;
    v->r = v->first = each;
    ls_verify_free(r);
    return true;
}

/* First without much patience for any query, and without invariants of loops that have to be looked for; most
 * kernels that are not proved then never are. */
static void look_for_proof(verification *v, double seconds) {
    outcome first, second;
    ls_verify_result *r = v->r = v->first =
        attempt(v->kernel, v->options, (ls_effort){.seconds = seconds}, &first);
    if (look_at_cases(v)) return;
    bool more = deserves_more(r);
    if (v->options->one_attempt) return;
    if ((!more && !first.wants_invariants) || first.tired || ls_verify_effort(r) >= seconds) return;
    ls_effort rest = {seconds - ls_verify_effort(r), more, first.wants_invariants};
    ls_verify_result *again = v->again = attempt(v->kernel, v->options, rest, &second);
    static const double LONG = 0.3;
    bool took_long = ls_verify_effort(again) > LONG;
    double both = r->seconds + again->seconds, efforts = ls_verify_effort(r) + ls_verify_effort(again);
    bool told =
        again->verdict != LS_UNKNOWN || (!second.timed_out && count_reasons(again) < count_reasons(r));
    ls_verify_free(told ? r : again);
    if (told) r = v->r = again;
    r->seconds = both;
    own(r)->effort = efforts;
    own(r)->in_vain = took_long && r->verdict == LS_UNKNOWN;
}

static void verify(void *context) {
    verification *v = context;
    const double seconds = v->options->timeout > 0 ? v->options->timeout : 10;
    look_for_proof(v, seconds);
}

/* For a kernel of which nothing is known, as memory ran out. NULL: there is not even enough for that. */
static ls_verify_result *without_memory(void) {
    static ls_verify_note why = {.text = "out of memory",
                                 .help = "give the process more memory, or fewer threads (-j)"};
    own_result *r = calloc(1, sizeof *r);
    ls_store *store = calloc(1, sizeof *store);
    if (!r || !store) {
        free(r);
        free(store);
        return NULL;
    }
    ls_store_init(store);
    r->result = (ls_verify_result){.verdict = LS_UNKNOWN, .reasons = &why, .store = store};
    return &r->result;
}

static ls_verify_result *verify_kernel(const ls_ir_function *kernel, const ls_verify_options *options,
                                       bool by_cases) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    verification v = {.kernel = kernel, .options = options, .by_cases = by_cases};
    if (ls_try(verify, &v)) return v.r;
    ls_verify_free(v.first);
    ls_verify_result *unknown = without_memory();
    if (!unknown) ls_escape_further();
    return unknown;
}

ls_verify_result *ls_verify(const ls_ir_function *kernel, const ls_verify_options *options) {
    return verify_kernel(kernel, options, true);
}

ls_verify_result *ls_verify_at_once(const ls_ir_function *kernel, const ls_verify_options *options) {
    return verify_kernel(kernel, options, false);
}

void ls_verify_free(ls_verify_result *result) {
    if (!result) return;
    ls_arena *memory = result->memory;
    ls_store *store = result->store;
    ls_store_free(store);
    if (!memory) {
        free(store);
        free(own(result));
        return;
    }
    ls_arena_free(memory);
    free(memory);
}
