/* The operational semantics of µ-SIMD (003, Figures 4–7), rule by rule: the machine's state is (Θ, Σ, Π, P,
 * pc), Θ the active PEs, Π the stack of nodes (l_id, Θ_done, l_next, Θ_todo). One step is one cycle. It
 * shares nothing with the emulator, which is compared with it.
 *
 * Where the figures contradict the text or themselves, this is what the text means (docs/papers.md):
 *   BD  the PEs that jump wait in Π with the branch's target, the others go on at pc + 1;
 *   BF  continues with Π', as BT does: a branch always leaves its node for its sync;
 *   push and SS are also for nodes with Θ_done ≠ ∅: branches nested in the second side of a branch, and
 * branches back to the head of a loop, whose sync is passed by some PEs before others loop again. */
#include "base/map.h"
#include "base/vec.h"
#include "usimd/program.h"

#include <assert.h>
#include <string.h>

typedef struct {
    uint32_t branch; /* l_id */
    uint32_t done;
    uint32_t next;
    uint32_t todo;
} node;

typedef struct {
    const ls_usimd *p;
    ls_usimd_result *r;
    const ls_usimd_options *options;
    uint32_t threads, active, pc;
    LS_VEC(node) stack;
    LS_VEC(ls_usimd_cycle) trace;
    LS_VEC(ls_usimd_race) races;
    ls_intmap written; /* cell → 1 + PE that stored there last, by the instruction being executed */
} machine;

#define FOR_PES(t, mask)                                                                                     \
    for (uint32_t m_ = (mask), t = 0; m_ && (t = (uint32_t)__builtin_ctz(m_), true); m_ &= m_ - 1)

#define STUCK(m, rule, ...) usimd_result_stop((m)->r, (m)->p, (m)->pc, LS_USIMD_STUCK, rule, __VA_ARGS__)

static bool running(const machine *m) {
    return m->r->status == LS_USIMD_DONE && !m->r->message;
}

/* --- Figure 7: one PE
 * ----------------------------------------------------------------------------------------
 */

/* Rules MT and MV. */
static int32_t value_of(machine *m, operand o, uint32_t pe) {
    if (o.kind == OPERAND_CONSTANT) return o.value;
    if (o.kind == OPERAND_TID) return (int32_t)pe;
    uint32_t v = (uint32_t)o.value;
    if (!(m->r->defined[v] >> pe & 1))
        STUCK(m, "memory.uninitialized", "'%s' has no value in PE %u", m->p->variables[v].name, pe);
    return m->r->variables[v * m->threads + pe];
}

static void assign(machine *m, uint32_t v, uint32_t pe, int32_t value) {
    m->r->variables[v * m->threads + pe] = value;
    m->r->defined[v] |= UINT32_C(1) << pe;
}

/* The cell that an address names, or NULL where there is none. */
static int32_t *cell_of(machine *m, operand address, uint32_t pe) {
    int32_t at = value_of(m, address, pe);
    if (!running(m)) return NULL;
    if (at >= 0 && (uint32_t)at < m->r->memory_size) return &m->r->memory[at];
    STUCK(m, "memory.bounds", "cell %d, which PE %u names, is outside of the %u cells of the memory", at, pe,
          m->r->memory_size);
    return NULL;
}

static int32_t shift(int32_t a, uint32_t by, bool left) {
    if (left) return by > 31 ? 0 : (int32_t)((uint32_t)a << by);
    return a >> (by > 31 ? 31 : by);
}

static int32_t divide(machine *m, binary op, int32_t a, int32_t b, uint32_t pe) {
    if (!b) {
        STUCK(m, "assert", "division by zero in PE %u", pe);
        return 0;
    }
    if (b == -1) return op == BINARY_DIV ? (int32_t)(0 - (uint32_t)a) : 0;
    return op == BINARY_DIV ? a / b : a % b;
}

/* Rule BP. */
static int32_t compute(machine *m, binary op, int32_t a, int32_t b, uint32_t pe) {
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (op) {
    case BINARY_ADD: return (int32_t)(x + y);
    case BINARY_SUB: return (int32_t)(x - y);
    case BINARY_MUL: return (int32_t)(x * y);
    case BINARY_DIV:
    case BINARY_REM: return divide(m, op, a, b, pe);
    case BINARY_AND: return a & b;
    case BINARY_OR: return a | b;
    case BINARY_XOR: return a ^ b;
    case BINARY_SHL: return shift(a, y, true);
    case BINARY_SHR: return shift(a, y, false);
    case BINARY_MIN: return a < b ? a : b;
    case BINARY_MAX: return a > b ? a : b;
    case BINARY_LT: return a < b;
    case BINARY_LE: return a <= b;
    case BINARY_GT: return a > b;
    case BINARY_GE: return a >= b;
    case BINARY_EQ: return a == b;
    case BINARY_NE: return a != b;
    case BINARY_COUNT: break;
    }
    assert(false);
    return 0;
}

static void add_race(machine *m, uint32_t cell, uint32_t first, uint32_t second) {
    for (uint32_t i = 0; i < m->races.length; i++) {
        if (m->races.items[i].instruction != m->pc) continue;
        m->races.items[i].count++;
        return;
    }
    ls_usimd_race race = {m->pc, cell, first, second, 1};
    LS_VEC_PUSH_IN(usimd_result_arena(m->r), &m->races, race);
}

/* Rule ST. Another PE of this instruction may have stored something else there. */
static void store(machine *m, const instr *i, uint32_t pe) {
    int32_t *cell = cell_of(m, i->a, pe), value = value_of(m, i->b, pe);
    if (!running(m)) return;
    uint32_t at = (uint32_t)(cell - m->r->memory);
    bool is_new;
    uint64_t *last = ls_intmap_at(&m->written, at, &is_new);
    if (!is_new && *cell != value) add_race(m, at, (uint32_t)*last, pe);
    *last = pe;
    *cell = value;
}

static void execute(machine *m, const instr *i, uint32_t pe) {
    int32_t *cell, a;
    switch (i->kind) {
    case INSTR_COPY: assign(m, i->dst, pe, value_of(m, i->a, pe)); break; /* Rules CT and AS */
    case INSTR_BINARY:
        a = value_of(m, i->a, pe);
        assign(m, i->dst, pe, compute(m, i->op, a, value_of(m, i->b, pe), pe));
        break;
    case INSTR_LOAD: /* Rule LD */
        cell = cell_of(m, i->a, pe);
        if (cell) assign(m, i->dst, pe, *cell);
        break;
    case INSTR_STORE: store(m, i, pe); break;
    case INSTR_ATOMIC: /* Rule AT */
        cell = cell_of(m, i->a, pe);
        if (!cell) break;
        *cell = (int32_t)((uint32_t)*cell + 1);
        assign(m, i->dst, pe, *cell);
        break;
    default: assert(false);
    }
}

/* Rules IT and TL. The order of the PEs is immaterial but for races and what atomics return: here by number.
 */
static void execute_all(machine *m, const instr *i) {
    if (i->kind == INSTR_STORE) ls_intmap_free(&m->written);
    FOR_PES(pe, m->active) {
        execute(m, i, pe);
        if (!running(m)) return;
    }
    if (m->options->watch && writes_variable(i))
        m->options->watch(m->options->watch_context, m->pc, m->active, &m->r->variables[i->dst * m->threads]);
    m->pc++;
}

/* --- Figures 5 and 6: control flow
 * -----------------------------------------------------------------------------
 */
static node *top(machine *m) {
    return m->stack.length ? &m->stack.items[m->stack.length - 1] : NULL;
}

static void push(machine *m, uint32_t todo, uint32_t target) {
    node *t = top(m);
    if (t && t->branch == m->pc) {
        t->todo |= todo;
        return;
    }
    node n = {.branch = m->pc, .next = target, .todo = todo};
    if (m->stack.length >= m->p->instr_count)
        STUCK(m, "barrier.divergence",
              "the stack of waiting PEs grows without end: branches have no sync of their own");
    else
        LS_VEC_PUSH(&m->stack, n);
}

/* Rules BT, BF, BD. */
static void branch(machine *m, const instr *i) {
    uint32_t jumps = 0;
    FOR_PES(pe, m->active) {
        bool zero = value_of(m, i->a, pe) == 0;
        if (!running(m)) return;
        jumps |= (uint32_t)(zero == (i->kind == INSTR_BZ)) << pe;
    }
    bool all = jumps == m->active;
    push(m, all ? 0 : jumps, i->target);
    if (!running(m)) return;
    m->active = all ? m->active : m->active & ~jumps;
    m->pc = all ? i->target : m->pc + 1;
}

/* Rules SS and (the second) SP. */
static void sync(machine *m) {
    node *t = top(m);
    if (!t) {
        STUCK(m, "barrier.divergence", "sync, but no branch is open");
    } else if (t->todo) {
        t->done |= m->active;
        m->active = t->todo;
        t->todo = 0;
        m->pc = t->next;
    } else {
        m->active |= t->done;
        m->stack.length--;
        m->pc++;
    }
}

/* Rule SP; true where the program has ended. */
static bool stop(machine *m) {
    const node *t = top(m);
    if (!t) return true;
    STUCK(m, "barrier.divergence", "stop, but the branch at line %u has not met its sync",
          m->p->instrs[t->branch].line);
    return false;
}

/* --- Runs --------------------------------------------------------------------------------------------------
 */
static void step(machine *m, bool *ended) {
    const instr *i = &m->p->instrs[m->pc];
    switch (i->kind) {
    case INSTR_BZ:
    case INSTR_BNZ: branch(m, i); break;
    case INSTR_JUMP: m->pc = i->target; break;
    case INSTR_SYNC: sync(m); break;
    case INSTR_STOP: *ended = stop(m); break;
    default: execute_all(m, i);
    }
}

ls_usimd_result *usimd_run_reference(const ls_usimd *p, const ls_usimd_options *options) {
    uint32_t threads = options->threads;
    machine m = {.p = p, .r = usimd_result_new(p, threads), .options = options, .threads = threads};
    m.active = threads == 32 ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    for (uint32_t v = 0; v < p->variable_count; v++)
        for (uint32_t pe = 0; pe < threads && p->variables[v].is_input; pe++)
            assign(&m, v, pe, p->variables[v].value);
    for (bool ended = false; !ended && running(&m);) {
        if (m.r->cycles == options->max_cycles) {
            usimd_result_stop(m.r, p, m.pc, LS_USIMD_ENDLESS, "termination", "%llu cycles were not enough",
                              (unsigned long long)options->max_cycles);
            break;
        }
        ls_usimd_cycle cycle = {m.pc, m.active};
        m.r->cycles++;
        if (options->trace) LS_VEC_PUSH_IN(usimd_result_arena(m.r), &m.trace, cycle);
        step(&m, &ended);
    }
    m.r->trace = m.trace.items;
    m.r->trace_length = m.trace.length;
    m.r->races = m.races.items;
    m.r->race_count = m.races.length;
    LS_VEC_FREE(&m.stack);
    ls_intmap_free(&m.written);
    return m.r;
}
