/* Exhaustive exploration: depth-first search over the states of a program, one initial store after another.
 *
 * Termination. An infinite reduction is a cycle in the graph of states. Loop counters (Figure 4d) grow for
 * ever in an infinite loop, so a cycle is a state on the current path that is met again up to its loop
 * counters: from there the same steps can be taken again, for ever, or until a barrier finds counters that
 * differ, which is an error; either way the kernel is not terminating. Such a state is not entered again, so
 * no path is infinite. If nothing is found, every state was expanded, and the graph has no cycle.
 *
 * Infeasible reductions. A race counts if it lies on a maximal reduction that does not end in ⊥ (Definitions
 * 3.1 and 4.1): a race on a transition is reported when the search has found that its target can reach √, an
 * error or a cycle. */
#include "model/explore.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/recover.h"
#include "model/initial.h"

#include <assert.h>

enum { MAX_FINDINGS = 100, MAX_TRACES = 16, DEFAULT_STATES = 2000000, STEPS_A_LOOK = 64 };

#define MAX_BYTES (UINT64_C(1) << 30)

enum { FRESH, ON_PATH, DONE };

typedef struct {
    uint8_t status; /* FRESH, ON_PATH, DONE */
    bool alive;     /* some maximal reduction from here does not end in ⊥ */
} state_info;

typedef struct {
    uint32_t state; /* LS_GRAPH_NONE: the end of a reduction */
    uint32_t prefix;
    uint32_t ordinal; /* which successor this is, in the expansion of the frame's state */
    uint32_t races, race_count;
} edge;

typedef struct {
    uint32_t state, prefix;
    uint32_t first_edge, next_edge;
    uint32_t first_race;
    bool full, alive;
} frame;

typedef struct {
    const ls_kexplore_options *options;
    ls_kexplored *result;
    ls_kmachine *m;
    bool lockstep;
    uint64_t max_states;
    ls_deadline deadline;
    uint64_t looked; /* at the clock, after so many steps */
    ls_kstates states, prefixes;
    LS_VEC(state_info) info;
    LS_VEC(uint32_t) on_path; /* by prefix: how often */
    LS_VEC(frame) path;
    LS_VEC(edge) edges;
    LS_VEC(ls_krace) races;
    ls_ksuccessors out;
    ls_kinitial initial;
    uint64_t initial_number, states_before;
    uint8_t *packed, *final;
    int64_t *cells;
    ls_intmap reported; /* races found in the history: how often each was traced */
    bool stop;
} explorer;

/* ---- Limits -------------------------------------------------------------------------------------------- */

static void give_up(explorer *x, const char *why) {
    x->result->unknown = why;
    x->stop = true;
}

static void look_at_limits(explorer *x) {
    if (x->options->cancel && *x->options->cancel) give_up(x, "the exploration was ended");
    if (ls_deadline_passed(&x->deadline)) give_up(x, "the time limit was reached");
}

/* The clock is not looked at for every few steps. */
static void look_now_and_then(explorer *x) {
    if (x->out.steps - x->looked < STEPS_A_LOOK) return;
    x->looked = x->out.steps;
    look_at_limits(x);
}

/* ---- Traces and findings ------------------------------------------------------------------------------- */

static bool expand(explorer *x, uint32_t state, bool full, ls_ksuccessors *out) {
    bool reduced = false;
    ls_ksuccessors_clear(out);
    ls_kmachine_unpack(x->m, ls_kstates_at(&x->states, state), x->cells);
    if (x->lockstep)
        ls_kexpand_lockstep(x->m, x->cells, out);
    else
        ls_kexpand_interleaving(x->m, x->cells, x->options->reduce, full, out, &reduced);
    return reduced;
}

typedef struct {
    LS_VEC(ls_ktaken) taken;
    LS_VEC(ls_kaccess) accesses;
} replay;

/* Appends the steps of one successor to the replayed path. */
static void replay_edge(explorer *x, replay *r, uint32_t state, bool full, uint32_t ordinal) {
    ls_ksuccessors out = {.tracing = true, .trace_arena = &x->result->arena};
    expand(x, state, full, &out);
    const ls_ksuccessor *s = &out.list.items[ordinal];
    for (uint32_t i = 0; i < s->taken_count; i++) {
        ls_ktaken taken = out.taken.items[s->taken + i];
        uint32_t from = taken.accesses;
        taken.accesses = r->accesses.length;
        for (uint32_t k = 0; k < taken.access_count; k++)
            LS_VEC_PUSH(&r->accesses, out.accesses.items[from + k]);
        LS_VEC_PUSH(&r->taken, taken);
    }
    ls_ksuccessors_free(&out);
}

/* The whole current path; with `last` also the transition that the topmost frame is following. */
static void replay_path(explorer *x, replay *r, bool last) {
    for (uint32_t i = 0; i + (last ? 0 : 1) < x->path.length; i++) {
        const frame *f = &x->path.items[i];
        replay_edge(x, r, f->state, f->full, x->edges.items[f->next_edge - 1].ordinal);
    }
}

static ls_kfinding *find_finding(explorer *x, const ls_kfinding *like) {
    for (uint32_t i = 0; i < x->result->findings.length; i++) {
        ls_kfinding *f = &x->result->findings.items[i];
        if (f->rule != like->rule) continue;
        if (like->rule == LS_KRULE_TERMINATION) return f;
        bool same = f->instr == like->instr && f->other_instr == like->other_instr;
        bool swapped = f->instr == like->other_instr && f->other_instr == like->instr;
        if (like->rule == LS_KRULE_RACE ? same || swapped : f->instr == like->instr) return f;
    }
    return NULL;
}

static void note(explorer *x, const ls_kfinding *finding) {
    ls_kexplored *r = x->result;
    if (finding->rule == LS_KRULE_RACE)
        r->race_free = false;
    else if (finding->rule == LS_KRULE_TERMINATION)
        r->terminating = false;
    else
        r->error_free = r->terminating = false;
    if (x->options->first_only) x->stop = true;
}

static void add_finding(explorer *x, ls_kfinding finding, const replay *r) {
    note(x, &finding);
    ls_kfinding *known = find_finding(x, &finding);
    if (known) {
        known->count++;
        return;
    }
    if (x->result->findings.length >= MAX_FINDINGS) return;
    finding.count = 1;
    finding.initial = ls_kinitial_text(&x->initial, &x->result->arena);
    for (uint32_t i = 0; i < r->taken.length; i++) {
        const ls_ktaken *t = &r->taken.items[i];
        ls_ktrace_step step = {t->thread, t->instr, t->effect};
        LS_VEC_PUSH_IN(&x->result->arena, &finding.trace, step);
    }
    LS_VEC_PUSH_IN(&x->result->arena, &x->result->findings, finding);
}

static void free_replay(replay *r) {
    LS_VEC_FREE(&r->taken);
    LS_VEC_FREE(&r->accesses);
}

/* A cheap test before a trace is made: has this been reported? */
static bool is_known(explorer *x, const ls_kfinding *finding) {
    ls_kfinding *known = find_finding(x, finding);
    if (!known) return false;
    known->count++;
    note(x, finding);
    return true;
}

/* Barrier divergence has two sides: one that waits, the text's barrier before the added one, and the thread
 * that is elsewhere. (In lock-step only the latter is known by number.) */
static void complete_divergence(explorer *x, ls_kfinding *f, uint32_t state) {
    f->other_thread = f->thread;
    f->thread = LS_GRAPH_NONE;
    if (x->lockstep) return;
    ls_kmachine_unpack(x->m, ls_kstates_at(&x->states, state), x->cells);
    f->thread = 0;
    f->other_instr = (uint32_t)x->cells[x->m->pc_at + f->other_thread];
    bool ended = x->cells[x->m->pc_at] == x->m->done;
    if (ended || (f->other_instr < x->m->done && x->m->code.items[f->instr].stmt->loc.line == 0)) {
        f->thread = f->other_thread;
        f->other_thread = 0;
        if (!ended) f->instr = f->other_instr;
        f->other_instr = (uint32_t)x->cells[x->m->pc_at];
    }
}

static void report_error(explorer *x, const ls_ksuccessor *s, uint32_t ordinal) {
    ls_kfinding finding = {.rule = s->rule,
                           .instr = s->instr,
                           .thread = s->thread,
                           .other_instr = LS_GRAPH_NONE,
                           .other_thread = LS_GRAPH_NONE};
    const frame *top = &x->path.items[x->path.length - 1];
    if (s->rule == LS_KRULE_BARRIER) complete_divergence(x, &finding, top->state);
    if (is_known(x, &finding)) return;
    replay r = {0};
    replay_path(x, &r, false);
    replay_edge(x, &r, top->state, top->full, ordinal);
    add_finding(x, finding, &r);
    free_replay(&r);
}

static void report_cycle(explorer *x) {
    ls_kfinding finding = {.rule = LS_KRULE_TERMINATION,
                           .thread = LS_GRAPH_NONE,
                           .instr = LS_GRAPH_NONE,
                           .other_instr = LS_GRAPH_NONE,
                           .other_thread = LS_GRAPH_NONE};
    if (is_known(x, &finding)) return;
    replay r = {0};
    replay_path(x, &r, true);
    if (r.taken.length) finding.instr = r.taken.items[r.taken.length - 1].instr;
    add_finding(x, finding, &r);
    free_replay(&r);
}

static ls_kfinding race_finding(const ls_krace *race) {
    return (ls_kfinding){.rule = LS_KRULE_RACE,
                         .instr = race->instr,
                         .thread = race->thread,
                         .other_instr = race->other_instr,
                         .other_thread = race->other_thread,
                         .cell = race->cell,
                         .write = race->write,
                         .other_write = race->other_write};
}

/* Two steps that are both possible in the topmost state. */
static void report_adjacent(explorer *x, const ls_krace *race) {
    ls_kfinding finding = race_finding(race);
    if (is_known(x, &finding)) return;
    replay r = {0};
    replay_path(x, &r, false);
    ls_ktaken both[2] = {{.thread = race->other_thread, .instr = race->other_instr},
                         {.thread = race->thread, .instr = race->instr}};
    for (int i = 0; i < 2; i++) LS_VEC_PUSH(&r.taken, both[i]);
    add_finding(x, finding, &r);
    free_replay(&r);
}

/* A conflict with the history, on the transition that the topmost frame is following: the other access is the
 * latest one on the path, and the trace ends at the later of the two. */
static void report_history(explorer *x, const ls_krace *race) {
    ls_kfinding finding = race_finding(race);
    uint64_t key = (uint64_t)race->cell << 40 | (uint64_t)race->instr << 10 | race->thread << 6 |
                   race->other_thread << 2 | (uint64_t)race->write << 1 | race->other_write;
    note(x, &finding);
    if (++*ls_intmap_at(&x->reported, key, NULL) > MAX_TRACES) return;
    look_at_limits(x);
    replay r = {0};
    replay_path(x, &r, true);
    uint32_t at = r.taken.length;
    while (at-- > 0) { /* the racing step: that position, an access of that thread to that cell */
        const ls_ktaken *t = &r.taken.items[at];
        bool found = false;
        for (uint32_t k = 0; k < t->access_count && t->instr == race->instr; k++) {
            const ls_kaccess *a = &r.accesses.items[t->accesses + k];
            found |= a->cell == race->cell && a->thread == race->thread && a->write == race->write;
        }
        if (found) break;
    }
    assert(at != UINT32_MAX);
    for (uint32_t i = at + 1; i-- > 0 && finding.other_instr == LS_GRAPH_NONE;) {
        const ls_ktaken *t = &r.taken.items[i];
        for (uint32_t k = 0; k < t->access_count; k++) {
            const ls_kaccess *a = &r.accesses.items[t->accesses + k];
            if (a->cell == race->cell && a->thread == race->other_thread && (a->write || race->write)) {
                finding.other_instr = t->instr;
                finding.other_write = a->write;
            }
        }
    }
    r.taken.length = at + 1;
    add_finding(x, finding, &r);
    free_replay(&r);
}

/* ---- Search ------------------------------------------------------------------------------------------- */

static uint32_t intern(explorer *x, const int64_t *cells, uint32_t *prefix) {
    bool is_new;
    ls_kmachine_pack(x->m, cells, x->packed);
    uint32_t state = ls_kstates_add(&x->states, x->packed, &is_new);
    if (is_new) {
        state_info fresh = {FRESH, false};
        LS_VEC_PUSH(&x->info, fresh);
    }
    if (x->m->packed_prefix == x->m->packed_size)
        *prefix = state; /* no loop counters */
    else
        *prefix = ls_kstates_add(&x->prefixes, x->packed, &is_new);
    if (is_new) LS_VEC_PUSH(&x->on_path, 0);
    return state;
}

static void add_final(explorer *x, const int64_t *cells) {
    bool is_new;
    ls_kmachine_pack(x->m, cells, x->packed); /* begins with the shared store */
    memcpy(x->final, &x->initial_number, sizeof x->initial_number);
    memcpy(x->final + sizeof x->initial_number, x->packed, x->result->finals.size - sizeof x->initial_number);
    ls_kstates_add(&x->result->finals, x->final, &is_new);
}

/* Makes edges of the successors in out. False where one leads back into the path although the expansion left
 * threads out: then it must be done again with all of them. */
static bool make_edges(explorer *x, frame *f, bool reduced) {
    for (uint32_t i = 0; i < x->out.list.length; i++) {
        const ls_ksuccessor *s = &x->out.list.items[i];
        if (s->status == LS_KINFEASIBLE) continue;
        edge e = {
            .state = LS_GRAPH_NONE, .ordinal = i, .races = x->races.length, .race_count = s->race_count};
        if (s->status == LS_KSTEP) {
            e.state = intern(x, &x->out.cells.items[s->cells], &e.prefix);
            if (reduced && x->on_path.items[e.prefix]) return false;
        } else {
            f->alive = true;
        }
        for (uint32_t k = 0; k < s->race_count; k++) LS_VEC_PUSH(&x->races, x->out.races.items[s->races + k]);
        LS_VEC_PUSH(&x->edges, e);
    }
    return true;
}

static void enter(explorer *x, uint32_t state, uint32_t prefix) {
    frame f = {.state = state,
               .prefix = prefix,
               .first_edge = x->edges.length,
               .next_edge = x->edges.length,
               .first_race = x->races.length};
    x->info.items[state].status = ON_PATH;
    x->on_path.items[prefix]++;
    bool reduced = expand(x, state, false, &x->out);
    if (!make_edges(x, &f, reduced)) {
        x->edges.length = f.first_edge, x->races.length = f.first_race;
        f.full = true;
        expand(x, state, true, &x->out);
        make_edges(x, &f, false);
    }
    LS_VEC_PUSH(&x->path, f);
    if (x->out.unknown) give_up(x, x->out.unknown);
    look_now_and_then(x);
    for (uint32_t i = 0; i < x->out.pairs.length && !x->stop; i++) report_adjacent(x, &x->out.pairs.items[i]);
    for (uint32_t i = 0; i < x->out.list.length && !x->stop; i++) {
        const ls_ksuccessor *s = &x->out.list.items[i];
        if (s->status == LS_KERROR)
            report_error(x, s, i);
        else if (s->status == LS_KTERMINATED)
            add_final(x, &x->out.cells.items[s->cells]);
    }
    if (x->states_before + x->states.count > x->max_states) give_up(x, "there are more states than allowed");
    if ((uint64_t)x->states.count * x->states.size > MAX_BYTES) give_up(x, "the states need too much memory");
}

/* The transition the topmost frame is following leads to something that is not infeasible. */
static void confirm(explorer *x) {
    frame *f = &x->path.items[x->path.length - 1];
    const edge *e = &x->edges.items[f->next_edge - 1];
    f->alive = true;
    for (uint32_t i = 0; i < e->race_count && !x->stop; i++) {
        ls_krace race = x->races.items[e->races + i];
        report_history(x, &race);
    }
}

static void leave(explorer *x) {
    frame f = x->path.items[x->path.length - 1];
    x->info.items[f.state].status = DONE;
    x->info.items[f.state].alive = f.alive;
    x->on_path.items[f.prefix]--;
    x->edges.length = f.first_edge;
    x->races.length = f.first_race;
    x->path.length--;
    if (x->path.length && f.alive) confirm(x);
}

static void follow(explorer *x, const edge *e) {
    if (e->state == LS_GRAPH_NONE) {
        confirm(x);
    } else if (x->on_path.items[e->prefix]) {
        report_cycle(x);
        if (!x->stop) confirm(x);
    } else if (x->info.items[e->state].status == FRESH) {
        enter(x, e->state, e->prefix);
    } else if (x->info.items[e->state].alive) {
        confirm(x);
    }
}

static void search(explorer *x) {
    uint32_t prefix, root = intern(x, x->initial.cells, &prefix);
    enter(x, root, prefix);
    while (x->path.length && !x->stop) {
        frame *f = &x->path.items[x->path.length - 1];
        if (f->next_edge == x->edges.length) {
            leave(x);
        } else {
            edge e = x->edges.items[f->next_edge++];
            follow(x, &e);
        }
    }
}

static void reset(explorer *x) {
    x->states_before += x->states.count;
    ls_kstates_clear(&x->states);
    ls_kstates_clear(&x->prefixes);
    x->info.length = x->on_path.length = x->path.length = x->edges.length = x->races.length = 0;
}

static void explore_all(explorer *x) {
    ls_kinitial_start(&x->initial, x->m, &x->result->arena);
    if (x->initial.count > x->max_states) {
        x->result->unknown =
            "there are more initial stores than states allowed: give variables initial values";
        return;
    }
    do {
        x->result->initial_stores++;
        search(x);
        reset(x);
        x->initial_number++;
    } while (!x->stop && ls_kinitial_next(&x->initial));
}

ls_kexplored *ls_kernel_explore(const ls_kprog *prog, const ls_kexplore_options *options) {
    LS_SCRATCH(scratch);
    ls_kexplored *result = ls_xmalloc(sizeof *result);
    memset(result, 0, sizeof *result);
    result->race_free = result->error_free = result->terminating = true;
    explorer x = {.options = options, .result = result, .lockstep = prog->form == LS_KF_LOCKSTEP};
    x.deadline = ls_deadline_in(LS_CLOCK_THREAD, options->timeout);
    x.max_states = options->max_states ? options->max_states : DEFAULT_STATES;
    if (x.max_states > UINT32_MAX / 2) x.max_states = UINT32_MAX / 2;
    x.m = result->machine = ls_kmachine_new(prog, x.lockstep || !options->reduce);
    uint32_t shared_size = 0;
    for (uint32_t i = 0; i < x.m->shared_count; i++) shared_size += x.m->width[i];
    ls_kstates_init(&result->finals, shared_size + 8);
    ls_kstates_init(&x.states, x.m->packed_size);
    ls_kstates_init(&x.prefixes, x.m->packed_prefix);
    x.packed = ls_arena_alloc(&scratch, x.m->packed_size + 1);
    x.final = ls_arena_alloc(&scratch, result->finals.size);
    x.cells = ls_arena_alloc(&scratch, (x.m->cell_count + 1) * sizeof *x.cells);
    explore_all(&x);
    result->states = x.states_before;
    result->steps = x.out.steps;
    ls_kstates_free(&x.states);
    ls_kstates_free(&x.prefixes);
    LS_VEC_FREE(&x.info), LS_VEC_FREE(&x.on_path), LS_VEC_FREE(&x.path), LS_VEC_FREE(&x.edges);
    LS_VEC_FREE(&x.races);
    ls_ksuccessors_free(&x.out);
    ls_intmap_free(&x.reported);
    return result;
}

void ls_kexplored_free(ls_kexplored *result) {
    if (!result) return;
    ls_kmachine_free(result->machine);
    ls_kstates_free(&result->finals);
    ls_arena_free(&result->arena);
    free(result);
}

ls_kagreement ls_kexplored_compare(const ls_kexplored *a, const ls_kexplored *b) {
    bool bad_a = !a->race_free || !a->terminating, bad_b = !b->race_free || !b->terminating;
    if ((!bad_a && a->unknown) || (!bad_b && b->unknown)) return LS_KINCONCLUSIVE;
    if (bad_a != bad_b) return LS_KDISAGREE;
    if (bad_a) return LS_KAGREE;
    if (a->finals.count != b->finals.count || a->finals.size != b->finals.size) return LS_KDISAGREE;
    for (uint32_t i = 0; i < a->finals.count; i++)
        if (!ls_kstates_has(&b->finals, ls_kstates_at(&a->finals, i))) return LS_KDISAGREE;
    return LS_KAGREE;
}
