/* Semantics of lock-step programs (000, §4.2, Figure 6): one thread of control that reduces vector
 * statements. Accesses by enabled threads go into the history, from which Definition 4.1 is read off.
 *
 * Definition 4.1 separates accesses by barrier assertions. A barrier assertion that no thread is enabled at
 * separates nothing here: no thread passes a barrier then (in the predicated program it is BARRIERSKIP), and
 * Theorem 5.2 would not hold otherwise. */
#include "model/machine.h"

#include "base/buf.h"

#include <assert.h>
#include <inttypes.h>

enum { MAX_THREADS = 16 };

typedef struct {
    const ls_kmachine *m;
    ls_ksuccessors *out;
    int64_t *cells;
    const ls_kstmt *stmt;
    bool enabled[MAX_THREADS]; /* φ_t(pred) */
    uint32_t enabled_count;
} vector;

static void find_enabled(vector *v) {
    v->enabled_count = 0;
    for (uint32_t t = 0; t < v->m->threads; t++) {
        ls_kenv env = ls_kmachine_env(v->m, v->cells, t);
        v->enabled[t] = ls_keval_true(&env, v->stmt->pred);
        v->enabled_count += v->enabled[t];
    }
}

static uint64_t power(uint64_t base, uint32_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent--)
        if (__builtin_mul_overflow(result, base, &result)) return UINT64_MAX;
    return result;
}

/* ---- ψ ----------------------------------------------------------------------------------------------- */

/* What the enabled threads write, all evaluated in the state before: cell and value by thread. */
typedef struct {
    uint32_t cell[MAX_THREADS];
    int64_t value[MAX_THREADS];
    bool writes[MAX_THREADS];
    uint32_t rivals[MAX_THREADS]; /* number of threads that write the same cell; of the first such only */
} writes;

static void find_rivals(const vector *v, writes *w) {
    for (uint32_t t = 0; t < v->m->threads; t++) {
        w->rivals[t] = w->writes[t];
        for (uint32_t u = 0; w->writes[t] && u < v->m->threads; u++) {
            if (u == t || !w->writes[u] || w->cell[u] != w->cell[t]) continue;
            if (u < t) w->rivals[t] = 0;
            if (w->rivals[t]) w->rivals[t]++;
        }
    }
}

static uint64_t psi_choices(vector *v) {
    writes w = {0};
    for (uint32_t t = 0; t < v->m->threads; t++) {
        if (!v->enabled[t]) continue;
        ls_kenv env = ls_kmachine_env(v->m, v->cells, t);
        w.cell[t] = ls_kcell(&env, v->stmt->var, v->stmt->index);
        w.writes[t] = !env.fault;
    }
    find_rivals(v, &w);
    uint64_t count = 1;
    for (uint32_t t = 0; t < v->m->threads; t++)
        if (w.rivals[t]) count *= w.rivals[t];
    return count;
}

/* Each written cell gets the value of one of the threads that write it, as choice says. */
static void psi_store(vector *v, writes *w, uint64_t choice) {
    find_rivals(v, w);
    for (uint32_t t = 0; t < v->m->threads; t++) {
        if (!w->rivals[t]) continue;
        uint64_t pick = choice % w->rivals[t];
        choice /= w->rivals[t];
        for (uint32_t u = t; u < v->m->threads; u++)
            if (w->writes[u] && w->cell[u] == w->cell[t] && pick-- == 0)
                v->cells[w->cell[t]] = ls_kvar_wrap(v->stmt->var, w->value[u]);
    }
}

/* ---- One statement ----------------------------------------------------------------------------------- */

static uint64_t choices(vector *v) {
    switch ((ls_kstmt_kind)v->stmt->kind) {
    /* only enabled threads' v_next and v_havoc are ever read: one value will do for the others */
    case LS_KS_VECTOR_CHOOSE: return power(v->stmt->label_count, v->enabled_count);
    case LS_KS_VECTOR_HAVOC: {
        uint64_t domain = ls_kvar_domain(v->stmt->var);
        return power(domain ? domain : UINT64_MAX, v->enabled_count);
    }
    case LS_KS_PSI: return psi_choices(v);
    default: return 1;
    }
}

/* Evaluates the statement's index and value for an enabled thread, and enters what it accesses. */
static bool evaluate(vector *v, uint32_t thread, uint32_t *cell, int64_t *value, ls_kenv *env) {
    const ls_kstmt *stmt = v->stmt;
    *env = ls_kmachine_env(v->m, v->cells, thread);
    env->reads = &v->out->reads;
    v->out->reads.length = 0;
    if (stmt->value) *value = ls_keval(env, stmt->value);
    if (stmt->var) *cell = ls_kcell(env, stmt->var, stmt->index);
    for (uint32_t i = 0; i < v->out->reads.length; i++) {
        ls_kaccess access = {v->out->reads.items[i], thread, false};
        LS_VEC_PUSH(&v->out->now, access);
    }
    if (!env->fault && stmt->var && stmt->var->class == LS_KC_SHARED) {
        ls_kaccess access = {*cell, thread, true};
        LS_VEC_PUSH(&v->out->now, access);
    }
    return !env->fault;
}

static int64_t chosen(const ls_kstmt *stmt, int64_t value, uint64_t *choice) {
    if (stmt->kind == LS_KS_VECTOR_CHOOSE) {
        uint64_t pick = *choice % stmt->label_count;
        *choice /= stmt->label_count;
        return stmt->labels[pick];
    }
    if (stmt->kind != LS_KS_VECTOR_HAVOC) return value;
    uint64_t domain = ls_kvar_domain(stmt->var), pick = domain ? *choice % domain : *choice;
    *choice = domain ? *choice / domain : 0;
    return (int64_t)((stmt->var->type.kind == LS_KT_INT ? (uint64_t)stmt->var->low : 0) + pick);
}

static void assign(vector *v, writes *w, uint64_t choice) {
    if (v->stmt->var->class == LS_KC_SHARED) {
        psi_store(v, w, choice);
        return;
    }
    for (uint32_t t = 0; t < v->m->threads; t++)
        if (w->writes[t])
            ls_kprivate(v->m, v->cells, t)[w->cell[t]] =
                ls_kvar_wrap(v->stmt->var, chosen(v->stmt, w->value[t], &choice));
}

static const char *effect_of(const vector *v, const writes *w) {
    const ls_kvar *var = v->stmt->var;
    if (!v->out->tracing || !var || var->type.kind == LS_KT_LABEL) return NULL;
    ls_buf text = {0};
    for (uint32_t t = 0; t < v->m->threads; t++) {
        if (!w->writes[t]) continue;
        bool shared = var->class == LS_KC_SHARED;
        int64_t value = shared ? v->cells[w->cell[t]] : ls_kprivate(v->m, v->cells, t)[w->cell[t]];
        ls_buf_printf(&text, "%s%s", text.length ? ", " : "", var->name);
        if (!shared) ls_buf_printf(&text, "_%u", t);
        if (var->array) ls_buf_printf(&text, "[%u]", w->cell[t] - v->m->offset[var->id]);
        ls_buf_printf(&text, " = %" PRId64, value);
    }
    const char *copy = text.length ? ls_arena_strdup(v->out->trace_arena, text.text) : NULL;
    ls_buf_free(&text);
    return copy;
}

/* Statements that test: what the threads' values decide. */
static ls_kstatus judge(const vector *v, const writes *w, ls_krule *rule, uint32_t *culprit) {
    bool all = true, any = false;
    for (uint32_t t = 0; t < v->m->threads; t++) {
        if (!w->writes[t]) continue;
        any |= w->value[t] != 0;
        if (!w->value[t] && all) all = false, *culprit = t;
    }
    switch ((ls_kstmt_kind)v->stmt->kind) {
    case LS_KS_ASSERT_ALL: *rule = LS_KRULE_ASSERT; return all ? LS_KSTEP : LS_KERROR;
    case LS_KS_ASSUME_ALL: return all ? LS_KSTEP : LS_KINFEASIBLE;
    case LS_KS_ASSUME_ANY: return any ? LS_KSTEP : LS_KINFEASIBLE;
    default: return LS_KSTEP;
    }
}

static ls_kstatus assert_barrier(vector *v, ls_krule *rule, uint32_t *culprit) {
    if (v->enabled_count == 0) return LS_KSTEP;
    for (uint32_t t = 0; t < v->m->threads; t++)
        if (!v->enabled[t]) {
            *rule = LS_KRULE_BARRIER;
            *culprit = t;
            return LS_KERROR;
        }
    for (uint32_t i = 0; v->m->history && i < v->m->shared_count; i++) v->cells[v->m->history_at + i] = 0;
    return LS_KSTEP;
}

static ls_kstatus reduce_statement(vector *v, uint64_t choice, ls_krule *rule, uint32_t *culprit,
                                   const char **effect) {
    if (v->stmt->kind == LS_KS_BARRIER_ASSERT) return assert_barrier(v, rule, culprit);
    writes w = {0};
    for (uint32_t t = 0; t < v->m->threads; t++) {
        ls_kenv env;
        if (!v->enabled[t]) continue;
        w.writes[t] = evaluate(v, t, &w.cell[t], &w.value[t], &env);
        if (w.writes[t]) continue;
        *culprit = t;
        *rule = LS_KRULE_BOUNDS;
        if (env.fault != LS_KFAULT_OVERFLOW) return LS_KERROR;
        v->out->unknown = "an integer became larger than 64 bits";
        return LS_KINFEASIBLE;
    }
    if (v->stmt->var) {
        assign(v, &w, choice);
        *effect = effect_of(v, &w);
    }
    return judge(v, &w, rule, culprit);
}

/* ---- The program ------------------------------------------------------------------------------------- */

static ls_kstatus reduce(vector *v, uint32_t pc, uint64_t choice) {
    const ls_kmachine *m = v->m;
    const ls_kinstr *instr = &m->code.items[pc];
    ls_krule rule = LS_KRULE_NONE;
    uint32_t culprit = LS_GRAPH_NONE;
    const char *effect = NULL;
    ls_kstatus status = LS_KSTEP;
    v->out->now.length = 0;
    if (instr->stmt) {
        v->cells[m->pc_at] = pc + 1;
        status = reduce_statement(v, choice, &rule, &culprit, &effect);
    } else {
        ls_kmachine_goto(m, v->cells, 0, instr->block,
                         m->prog->blocks.items[instr->block].targets.items[choice]);
    }
    ls_ksuccessor_history(m, v->out, v->cells, pc);
    ls_ksuccessor_taken(v->out, LS_GRAPH_NONE, pc, effect);
    ls_ksuccessor_end(v->out, status, rule, culprit, pc);
    return status;
}

static uint64_t look(vector *v, uint32_t pc) {
    const ls_kinstr *instr = &v->m->code.items[pc];
    v->stmt = instr->stmt;
    if (!v->stmt) return v->m->prog->blocks.items[instr->block].targets.length;
    find_enabled(v);
    return choices(v);
}

void ls_kexpand_lockstep(const ls_kmachine *m, const int64_t *cells, ls_ksuccessors *out) {
    assert(m->threads <= MAX_THREADS);
    uint32_t start = (uint32_t)cells[m->pc_at];
    if (start == m->done) {
        ls_ksuccessor_add(m, out, cells);
        ls_ksuccessor_end(out, LS_KTERMINATED, LS_KRULE_NONE, LS_GRAPH_NONE, start);
        return;
    }
    int64_t *copy = ls_ksuccessor_add(m, out, cells); /* only to look at */
    vector v = {.m = m, .out = out, .cells = copy};
    uint64_t count = look(&v, start);
    ls_ksuccessors_clear(out);
    if (ls_ktoo_many(m, count)) {
        out->unknown = "a havoc or goto of all threads has too many outcomes to go through";
        return;
    }
    for (uint64_t choice = 0; choice < count; choice++) {
        v.cells = ls_ksuccessor_add(m, out, cells);
        look(&v, start);
        ls_kstatus status = reduce(&v, start, choice);
        while (status == LS_KSTEP) { /* run on while there is one way to go, up to a loop's beginning */
            uint32_t pc = (uint32_t)v.cells[m->pc_at];
            if (pc == m->done || m->code.items[pc].header || look(&v, pc) != 1) break;
            status = reduce(&v, pc, 0);
        }
    }
}
