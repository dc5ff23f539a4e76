/* Interleaving semantics (000, §3.2, Figure 4): a state is reduced by letting any one thread take a step, or
 * all of them pass a barrier. Runs kernels and their predicated forms.
 *
 * Two ways to go through the reductions. Without `reduce`, literally: every thread, every step, with the
 * accesses since the last barrier in the state, from which Definition 3.1 is read off. With `reduce`, for
 * kernels that are well-formed (Definition 5.1): a step that touches no shared variable commutes with every
 * step of the others, so where some thread has one, only that thread is advanced (a persistent set; the
 * explorer asks for all threads where this would close a cycle), and runs of such steps are one transition.
 * Races are then found as two threads whose next steps conflict: the first conflicting pair of any reduction
 * can be made adjacent, since all steps before it commute, and in a well-formed kernel every reduction can be
 * continued to one that is not infeasible. */
#include "model/machine.h"

#include "base/buf.h"

#include <assert.h>
#include <inttypes.h>

/* ---- One thread -------------------------------------------------------------------------------------- */

typedef struct {
    const ls_kmachine *m;
    ls_ksuccessors *out;
    int64_t *cells;
    uint32_t thread;
} stepper;

static const ls_kinstr *instr_of(const ls_kmachine *m, const int64_t *cells, uint32_t thread) {
    uint32_t pc = (uint32_t)cells[m->pc_at + thread];
    return pc == m->done ? NULL : &m->code.items[pc];
}

static bool enabled(const ls_kmachine *m, const int64_t *cells, uint32_t thread, const ls_kstmt *stmt) {
    ls_kenv env = ls_kmachine_env(m, cells, thread);
    return ls_keval_true(&env, stmt->pred);
}

/* In how many ways the thread's next step can go; 0: it waits at a barrier. */
static uint64_t choices(const ls_kmachine *m, const int64_t *cells, uint32_t thread, const ls_kinstr *instr) {
    const ls_kstmt *stmt = instr->stmt;
    if (!stmt) return m->prog->blocks.items[instr->block].targets.length;
    switch ((ls_kstmt_kind)stmt->kind) {
    case LS_KS_BARRIER: return enabled(m, cells, thread, stmt) ? 0 : 1; /* BARRIERSKIP */
    case LS_KS_CHOOSE: return enabled(m, cells, thread, stmt) ? stmt->label_count : 1;
    case LS_KS_HAVOC: {
        uint64_t domain = ls_kvar_domain(stmt->var);
        if (domain == 0) domain = UINT64_MAX;
        return enabled(m, cells, thread, stmt) ? domain : 1;
    }
    default: return 1;
    }
}

static const char *effect_of(stepper *s, const ls_kvar *var, uint32_t cell, int64_t value) {
    if (!s->out->tracing || var->type.kind == LS_KT_LABEL) return NULL;
    ls_arena *arena = s->out->trace_arena;
    if (!var->array) return ls_arena_printf(arena, "%s = %" PRId64, var->name, value);
    return ls_arena_printf(arena, "%s[%u] = %" PRId64, var->name, cell - s->m->offset[var->id], value);
}

static ls_kstatus fault_status(stepper *s, const ls_kenv *env, ls_krule *rule) {
    if (env->fault == LS_KFAULT_OVERFLOW) {
        s->out->unknown = "an integer became larger than 64 bits";
        return LS_KINFEASIBLE;
    }
    *rule = LS_KRULE_BOUNDS;
    return LS_KERROR;
}

static void store(stepper *s, const ls_kvar *var, uint32_t cell, int64_t value) {
    value = ls_kvar_wrap(var, value);
    if (var->class == LS_KC_PRIVATE) {
        ls_kprivate(s->m, s->cells, s->thread)[cell] = value;
        return;
    }
    s->cells[cell] = value;
    ls_kaccess access = {cell, s->thread, true};
    LS_VEC_PUSH(&s->out->now, access);
}

/* Rules ASSIGN, HAVOC, ASSERT, ASSUME, SKIP of Figure 4a; choice resolves the non-determinism. */
static ls_kstatus reduce_statement(stepper *s, const ls_kstmt *stmt, uint64_t choice, ls_krule *rule,
                                   const char **effect) {
    ls_kenv env = ls_kmachine_env(s->m, s->cells, s->thread);
    env.reads = &s->out->reads;
    int64_t value = 0;
    uint32_t cell = 0;
    ls_kstatus status = LS_KSTEP;
    s->out->reads.length = 0;
    bool acts = ls_keval_true(&env, stmt->pred);
    if (acts && stmt->value) value = ls_keval(&env, stmt->value);
    if (acts && stmt->var) cell = ls_kcell(&env, stmt->var, stmt->index);
    for (uint32_t i = 0; i < s->out->reads.length; i++) {
        ls_kaccess access = {s->out->reads.items[i], s->thread, false};
        LS_VEC_PUSH(&s->out->now, access);
    }
    if (env.fault) return fault_status(s, &env, rule);
    if (!acts) return LS_KSTEP;
    switch ((ls_kstmt_kind)stmt->kind) {
    case LS_KS_ASSERT:
        *rule = LS_KRULE_ASSERT;
        status = value ? LS_KSTEP : LS_KERROR;
        break;
    case LS_KS_ASSUME: status = value ? LS_KSTEP : LS_KINFEASIBLE; break;
    case LS_KS_HAVOC:
        value = (int64_t)((stmt->var->type.kind == LS_KT_INT ? (uint64_t)stmt->var->low : 0) + choice);
        break;
    case LS_KS_CHOOSE: value = stmt->labels[choice]; break;
    default: break;
    }
    if (stmt->var) {
        store(s, stmt->var, cell, value);
        *effect = effect_of(s, stmt->var, cell, ls_kvar_wrap(stmt->var, value));
    }
    return status;
}

/* Reduces the thread's next step in place; the newest successor gets the outcome. */
static ls_kstatus reduce(stepper *s, uint64_t choice) {
    const ls_kmachine *m = s->m;
    uint32_t pc = (uint32_t)s->cells[m->pc_at + s->thread];
    const ls_kinstr *instr = &m->code.items[pc];
    ls_krule rule = LS_KRULE_NONE;
    const char *effect = NULL;
    ls_kstatus status = LS_KSTEP;
    s->out->now.length = 0;
    if (instr->stmt) {
        s->cells[m->pc_at + s->thread] = pc + 1;
        status = reduce_statement(s, instr->stmt, choice, &rule, &effect);
    } else { /* rules GOTO, BLOCK, END and THREADT */
        ls_kmachine_goto(m, s->cells, s->thread, instr->block,
                         m->prog->blocks.items[instr->block].targets.items[choice]);
    }
    ls_ksuccessor_history(m, s->out, s->cells, pc);
    ls_ksuccessor_taken(s->out, s->thread, pc, effect);
    ls_ksuccessor_end(s->out, status, rule, s->thread, pc);
    return status;
}

/* The thread's next step is its own affair. */
static bool is_local(const ls_kmachine *m, const int64_t *cells, uint32_t thread) {
    const ls_kinstr *instr = instr_of(m, cells, thread);
    if (!instr) return false;
    if (instr->stmt && instr->stmt->kind == LS_KS_BARRIER) return !enabled(m, cells, thread, instr->stmt);
    /* a statement of a block that the thread is not active in evaluates nothing but its predicate */
    return instr->local || (instr->stmt && instr->stmt->pred && !instr->stmt->pred->shared &&
                            !enabled(m, cells, thread, instr->stmt));
}

/* All ways the thread's next step can go; with `run_on` each followed by the steps after it that are local,
 * have one outcome, and begin no loop. */
static void step_thread(const ls_kmachine *m, const int64_t *cells, uint32_t thread, bool run_on,
                        ls_ksuccessors *out) {
    const ls_kinstr *instr = instr_of(m, cells, thread);
    uint64_t count = choices(m, cells, thread, instr);
    if (ls_ktoo_many(m, count)) {
        out->unknown = "a havoc has too many values to go through";
        return;
    }
    for (uint64_t choice = 0; choice < count; choice++) {
        stepper s = {m, out, ls_ksuccessor_add(m, out, cells), thread};
        ls_kstatus status = reduce(&s, choice);
        while (run_on && status == LS_KSTEP) {
            const ls_kinstr *next = instr_of(m, s.cells, thread);
            if (!next || next->header || !is_local(m, s.cells, thread) ||
                choices(m, s.cells, thread, next) != 1)
                break;
            status = reduce(&s, 0);
        }
    }
}

/* ---- All threads ------------------------------------------------------------------------------------- */

/* BARRIERS and BARRIERF (Figure 4d): vbarrier is the position, the loop counters are in the state. A thread
 * that has terminated while others wait does not agree with them either. */
static void pass_barrier(const ls_kmachine *m, const int64_t *cells, ls_ksuccessors *out) {
    uint32_t culprit = LS_GRAPH_NONE;
    for (uint32_t t = 1; t < m->threads && culprit == LS_GRAPH_NONE; t++) {
        bool same = cells[m->pc_at + t] == cells[m->pc_at];
        for (uint32_t loop = 0; loop < m->loops; loop++)
            same &= cells[m->counters_at + t * m->loops + loop] == cells[m->counters_at + loop];
        if (!same) culprit = t;
    }
    int64_t *next = ls_ksuccessor_add(m, out, cells);
    uint32_t pc = (uint32_t)cells[m->pc_at];
    if (pc == m->done) pc = (uint32_t)cells[m->pc_at + culprit];
    out->now.length = 0;
    for (uint32_t t = 0; t < m->threads; t++)
        if (culprit == LS_GRAPH_NONE) next[m->pc_at + t]++;
    if (m->history)
        for (uint32_t i = 0; i < m->shared_count; i++) next[m->history_at + i] = 0;
    ls_ksuccessor_taken(out, LS_GRAPH_NONE, pc, NULL);
    if (culprit == LS_GRAPH_NONE)
        ls_ksuccessor_end(out, LS_KSTEP, LS_KRULE_NONE, LS_GRAPH_NONE, pc);
    else
        ls_ksuccessor_end(out, LS_KERROR, LS_KRULE_BARRIER, culprit, pc);
}

/* Pairs of accesses of different threads that are possible next and conflict. */
static void find_adjacent_races(const ls_kmachine *m, const int64_t *cells, ls_ksuccessors *out) {
    LS_VEC(ls_kaccess) all = {0};
    ls_ksuccessors probe = {0};
    for (uint32_t t = 0; t < m->threads; t++) {
        const ls_kinstr *instr = instr_of(m, cells, t);
        if (!instr || is_local(m, cells, t) || choices(m, cells, t, instr) == 0) continue;
        stepper s = {m, &probe, ls_ksuccessor_add(m, &probe, cells), t};
        reduce(&s, 0); /* what is accessed does not depend on the choice */
        for (uint32_t i = 0; i < probe.now.length; i++) LS_VEC_PUSH(&all, probe.now.items[i]);
        ls_ksuccessors_clear(&probe);
    }
    for (uint32_t i = 0; i < all.length; i++)
        for (uint32_t k = i + 1; k < all.length; k++) {
            const ls_kaccess *a = &all.items[i], *b = &all.items[k];
            if (a->cell != b->cell || a->thread == b->thread || !(a->write || b->write)) continue;
            ls_krace race = {.cell = a->cell,
                             .instr = (uint32_t)cells[m->pc_at + b->thread],
                             .thread = b->thread,
                             .other_instr = (uint32_t)cells[m->pc_at + a->thread],
                             .other_thread = a->thread,
                             .write = b->write,
                             .other_write = a->write};
            LS_VEC_PUSH(&out->pairs, race);
        }
    LS_VEC_FREE(&all);
    ls_ksuccessors_free(&probe);
}

/* Where some thread's next step is local, that thread alone; false where there is none, or where the step
 * ends the reduction with an error, so that the others must be looked at too. */
static bool step_one_local(const ls_kmachine *m, const int64_t *cells, ls_ksuccessors *out) {
    for (uint32_t t = 0; t < m->threads; t++) {
        if (!is_local(m, cells, t)) continue;
        step_thread(m, cells, t, true, out);
        for (uint32_t i = 0; i < out->list.length; i++)
            if (out->list.items[i].status == LS_KERROR) {
                ls_ksuccessors_clear(out);
                return false;
            }
        return true;
    }
    return false;
}

void ls_kexpand_interleaving(const ls_kmachine *m, const int64_t *cells, bool reduce_steps, bool full,
                             ls_ksuccessors *out, bool *reduced) {
    *reduced = false;
    if (reduce_steps && !full && step_one_local(m, cells, out)) {
        *reduced = true;
        return;
    }
    uint32_t ended = 0, waiting = 0;
    for (uint32_t t = 0; t < m->threads; t++) {
        const ls_kinstr *instr = instr_of(m, cells, t);
        if (!instr)
            ended++;
        else if (choices(m, cells, t, instr) == 0)
            waiting++;
        else
            step_thread(m, cells, t, false, out);
    }
    if (ended == m->threads) { /* rule TERMINATION */
        ls_ksuccessor_add(m, out, cells);
        ls_ksuccessor_end(out, LS_KTERMINATED, LS_KRULE_NONE, LS_GRAPH_NONE, m->done);
    } else if (ended + waiting == m->threads) {
        pass_barrier(m, cells, out);
    }
    if (reduce_steps) find_adjacent_races(m, cells, out);
}
