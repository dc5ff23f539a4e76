/* One call of Z3 (call.h): its context, the strategy that it is given, its steps, and the clock that ends it.
 */
#include "solve/call.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/recover.h"
#include "solve/recall.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const double HASTY = 0.25; /* of a call's time */

/* What Z3 counts (its rlimit) is about this much for a millisecond on the machines that it was measured on:
 * from 200 in long queries to 2500 in short ones, and from 3000 to 40000 in its simplex. The count is the
 * same everywhere; the clock is not. Nor does it matter here: the clock ends only what takes many times as
 * long as its count says. */
enum {
    STEPS_PER_MS = 1500, /* that a call may take */
    SIMPLEX_PER_MS = 8000,
};
/* Linear integers go to Z3's simplex (its arithmetic of this number), with equations solved before. Of 110
 * queries about public code that has answered 105, and Z3's own choice 88 of them in twice the time; where
 * the simplex gives up, that has a part of the time, if that is so many milliseconds. */
enum { SIMPLEX = 2, SHARE = 4, LEAST_SHARE = 10 };

/* Other errors are answers that are not known. Z3 allows for handlers that do not return. */
static void on_error(Z3_context z, Z3_error_code code) {
    (void)z;
    if (code == Z3_MEMOUT_FAIL) ls_escape();
}

/* --- The clock of a query: CPU time of the thread that asks ------------------------------------------------
 */

/* The timers of the solvers that are there. A timer's thread may come when its timer, and the solver, are
 * gone: only what outlives them all can tell, so this is the file's own. */
static struct {
    pthread_mutex_t lock;
    ls_solver *first;
    int last; /* number that was given */
} live = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void on_time(union sigval value) {
    struct timespec used;
    pthread_mutex_lock(&live.lock);
    ls_solver *s = live.first;
    while (s && s->number != value.sival_int) s = s->next_live;
    uint64_t due = s ? atomic_load(&s->due) : 0; /* it may be about a query that has ended, too */
    if (due && !clock_gettime(s->clock, &used) &&
        (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec >= due)
        Z3_interrupt(s->z3);
    pthread_mutex_unlock(&live.lock);
}

static void make_timer(ls_solver *s) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
    pthread_mutex_lock(&live.lock);
    event.sigev_value.sival_int = s->number = ++live.last;
    s->next_live = live.first;
    live.first = s;
    pthread_mutex_unlock(&live.lock);
    s->has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &s->timer) == 0;
}

static void remove_timer(ls_solver *s) {
    pthread_mutex_lock(&live.lock);
    for (ls_solver **at = &live.first; *at; at = &(*at)->next_live)
        if (*at == s) {
            *at = s->next_live;
            break;
        }
    pthread_mutex_unlock(&live.lock);
    if (s->has_timer) timer_delete(s->timer);
}

/* In so many milliseconds; 0: no more. */
static void set_timer(ls_solver *s, unsigned ms) {
    if (!s->has_timer) return;
    struct itimerspec at = {.it_value = {ms / 1000, (long)(ms % 1000) * 1000000}};
    uint64_t now = (uint64_t)(ls_clock_seconds(LS_CLOCK_THREAD) * 1e9);
    bool known = !pthread_getcpuclockid(pthread_self(), &s->clock);
    atomic_store(&s->due, ms && known ? now + (uint64_t)ms * 1000000 : 0);
    timer_settime(s->timer, 0, &at, NULL);
}

static void open_context(ls_solver *s) {
    if (s->z3) return;
    Z3_config config = Z3_mk_config();
    s->z3 = Z3_mk_context(config);
    Z3_del_config(config);
    if (!s->z3) ls_escape();
    Z3_set_error_handler(s->z3, on_error);
    make_timer(s);
}

static unsigned time_left(ls_solver *s, double most) {
    if (ls_solver_expired(s)) return 0;
    double left = s->deadline - ls_solver_now(s);
    if (left > most) left = most;
    return left < 0.001 ? 1 : (unsigned)(left * 1000);
}

/* Adds what Z3 has counted since the last time to the solver's own time. */
static void add_steps(ls_solver *s, Z3_solver z3, unsigned per_ms) {
    Z3_stats stats = Z3_solver_get_statistics(s->z3, z3);
    Z3_stats_inc_ref(s->z3, stats);
    for (unsigned k = 0; k < Z3_stats_size(s->z3, stats); k++) {
        if (strcmp(Z3_stats_get_key(s->z3, stats, k), "rlimit count") != 0) continue;
        uint64_t now = Z3_stats_is_uint(s->z3, stats, k)
                           ? Z3_stats_get_uint_value(s->z3, stats, k)
                           : (uint64_t)Z3_stats_get_double_value(s->z3, stats, k);
        if (now > s->z3_steps) s->spent += (double)(now - s->z3_steps) / (per_ms * 1e3);
        s->z3_steps = now;
    }
    Z3_stats_dec_ref(s->z3, stats);
}

/* What was asked, as SMT-LIB. A solver that has solved equations would print what that takes for a model,
 * too. */
static void print_asked(Z3_context z, Z3_solver z3, ls_buf *text) {
    Z3_ast_vector all = Z3_solver_get_assertions(z, z3);
    Z3_ast_vector_inc_ref(z, all);
    Z3_solver plain = Z3_mk_simple_solver(z);
    Z3_solver_inc_ref(z, plain);
    for (unsigned i = 0; i < Z3_ast_vector_size(z, all); i++)
        Z3_solver_assert(z, plain, Z3_ast_vector_get(z, all, i));
    ls_buf_puts(text, Z3_solver_to_string(z, plain));
    Z3_solver_dec_ref(z, plain);
    Z3_ast_vector_dec_ref(z, all);
}

/* With the answer. */
static void write_query(ls_solver *s, Z3_solver z3, const char *kind, Z3_lbool answer) {
    if (!s->smt2_dir) return;
    ls_buf path = {0}, text = {0};
    ls_buf_printf(&path, "%s/%s-%04" PRIu32 "-%s.smt2", s->smt2_dir, s->smt2_name ? s->smt2_name : "query",
                  s->written++, kind);
    ls_buf_printf(&text, "(set-info :smt-lib-version 2.6)\n(set-info :status %s)\n",
                  answer == Z3_L_TRUE    ? "sat"
                  : answer == Z3_L_FALSE ? "unsat"
                                         : "unknown");
    print_asked(s->z3, z3, &text);
    ls_buf_puts(&text, "(check-sat)\n");
    ls_write_file(path.text, text.text, text.length);
    ls_buf_free(&path);
    ls_buf_free(&text);
}

static Z3_tactic own_tactic(Z3_context z, Z3_tactic tactic) {
    if (!tactic) ls_escape();
    Z3_tactic_inc_ref(z, tactic);
    return tactic;
}

static Z3_tactic simplex_tactic(Z3_context z) {
    Z3_tactic equations = own_tactic(z, Z3_mk_tactic(z, "solve-eqs")),
              solver = own_tactic(z, Z3_mk_tactic(z, "smt")),
              both = own_tactic(z, Z3_tactic_and_then(z, equations, solver));
    Z3_tactic_dec_ref(z, equations);
    Z3_tactic_dec_ref(z, solver);
    return both;
}

/* One call of Z3, with its simplex or as it goes about it by itself. */
typedef struct {
    const ls_strategy *by;
    bool simplex;
    unsigned ms; /* that it may take */
} attempt;

static Z3_solver make_solver(Z3_context z, const attempt *a) {
    const char *name = a->by->tactic;
    if (!name && !a->simplex) return Z3_mk_simple_solver(z);
    Z3_tactic tactic = a->simplex ? simplex_tactic(z) : own_tactic(z, Z3_mk_tactic(z, name));
    Z3_solver made = Z3_mk_solver_from_tactic(z, tactic);
    Z3_tactic_dec_ref(z, tactic);
    return made;
}

static unsigned steps_per_ms(const attempt *a) {
    return a->simplex ? SIMPLEX_PER_MS : STEPS_PER_MS;
}

static void set_limits(Z3_context z, Z3_solver z3, const attempt *a) {
    Z3_params params = Z3_mk_params(z);
    Z3_params_inc_ref(z, params);
    Z3_params_set_uint(z, params, Z3_mk_string_symbol(z, "rlimit"), a->ms * steps_per_ms(a));
    if (a->simplex) {
        Z3_params_set_uint(z, params, Z3_mk_string_symbol(z, "arith.solver"), SIMPLEX);
        Z3_params_set_uint(z, params, Z3_mk_string_symbol(z, "relevancy"), 0);
    }
    Z3_solver_set_params(z, z3, params);
    Z3_params_dec_ref(z, params);
}

static Z3_lbool ask_z3(ls_solver *s, const ls_term_list *query, const attempt *a, bool *exact) {
    open_context(s);
    Z3_context z = s->z3;
    Z3_solver z3 = make_solver(z, a);
    Z3_solver_inc_ref(z, z3);
    set_limits(z, z3, a);
    ls_forget_model(s);
    ls_encoding encoding = {.solver = s,
                            .z3 = z3,
                            .conjuncts = query->items,
                            .count = query->length,
                            .level = a->by->level,
                            .model = &s->model};
    /* Where steps take very long. Not by Z3's "timeout": for that it starts a thread at each call, and where
     * it cannot, it ends the process. */
    set_timer(s, (unsigned)(ls_clock_slowdown() * LS_CALL_SLOW * a->ms));
    Z3_lbool answer = a->by->check(&encoding);
    set_timer(s, 0);
    double least = s->spent + a->ms / 1000.0;
    add_steps(s, z3, steps_per_ms(a));
    if (answer == Z3_L_UNDEF && s->spent < least) s->spent = least; /* not all of it is counted */
    *exact = encoding.exact;
    write_query(s, z3, a->by->kind, answer);
    Z3_solver_dec_ref(z, z3);
    return answer;
}

/* The same answer as before takes as much of the solver's own time: limits that are counted in it do not
 * depend on what was asked in other proofs. */
static ls_recalled recall(ls_solver *s, const ls_term_list *query, const attempt *a) {
    ls_content_key key = {0};
    ls_recalled said = {.ms = a->ms};
    uint64_t how = (uint64_t)(uintptr_t)a->by << 1 | a->simplex;
    ls_content_make(&key, query, how);
    ls_forget_model(s);
    if (ls_recall_find(s->recall, &key, a->ms, &said, &s->model)) {
        s->spent += said.answer == Z3_L_UNDEF ? a->ms / 1000.0 : said.spent;
    } else {
        const double before = s->spent;
        said.answer = ask_z3(s, query, a, &said.exact);
        said.spent = s->spent - before;
        ls_recall_add(s->recall, &key, &said, &s->model);
    }
    ls_content_free(&key);
    return said;
}

static Z3_lbool try_once(ls_solver *s, const ls_term_list *query, const attempt *a, bool *exact) {
    ls_recalled said = {.ms = a->ms};
    if (s->recall && !s->smt2_dir)
        said = recall(s, query, a);
    else
        said.answer = ask_z3(s, query, a, &said.exact);
    if (said.answer == Z3_L_UNDEF) s->allowance -= a->ms / 1000.0;
    if (exact) *exact = said.exact;
    return said.answer;
}

Z3_lbool ls_call(ls_solver *s, const ls_term_list *query, const ls_strategy *by, double most, bool *exact) {
    if (s->allowance <= 0) return Z3_L_UNDEF;
    if (most > s->allowance) most = s->allowance;
    if (s->hasty) most *= HASTY;
    unsigned ms = time_left(s, most);
    if (!ms) return Z3_L_UNDEF;
    Z3_lbool answer = try_once(s, query, &(attempt){by, by->simplex, ms}, exact);
    if (answer == Z3_L_UNDEF && by->simplex && ms / SHARE >= LEAST_SHARE && !ls_solver_expired(s))
        answer = try_once(s, query, &(attempt){by, false, ms / SHARE}, exact);
    return answer;
}

void ls_call_end(ls_solver *s) {
    remove_timer(s);
    if (s->z3) Z3_del_context(s->z3);
}
