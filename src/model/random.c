/* Random well-formed kernels, for testing Theorem 5.2 of 000.
 *
 * Control flow. First a random acyclic graph over the blocks, then edges from blocks to blocks that dominate
 * them: such edges change no dominator, so the result is reducible, and every reducible graph can come up:
 * nested loops, several back edges and exits, jumps out of several loops at once, joins from anywhere,
 * switch-like branching. Most edges of a branch get a block of their own that carries the guard; some headers
 * carry a guard themselves and are jumped to directly, also from inside inner loops.
 *
 * Termination. Every cycle but a few costs fuel, a private counter, and is taken only while there is some.
 *
 * Guards of a goto always cover all cases: a decision (c, ¬c), a cascade, a switch, or a free choice.
 *
 * A kernel's temper says how often it branches on tid, touches shared variables carelessly, and so on: if all
 * kernels were wild, nearly all would be incorrect, and the theorem's second half never tested. */
#include "model/random.h"

#include "model/graph.h"

#include <assert.h>

enum { MAX_BLOCKS = 9, MAX_TARGETS = 4 };

typedef struct {
    uint32_t divergent, careless, barriers, havocs, asserts, endless, statements, free_choice; /* per cent */
} temper;

typedef struct {
    uint64_t state;
    ls_kctx *ctx;
    ls_kprog *prog;
    temper temper;
    const ls_kvar *a, *s, *c, *n, *x, *y;
    ls_kvar *fuel;
    const ls_kexpr *tid, *X, *Y, *N, *F; /* variables as expressions */
    uint32_t blocks;                     /* of the skeleton */
    uint32_t target[MAX_BLOCKS][MAX_TARGETS + 2], targets[MAX_BLOCKS];
    bool back[MAX_BLOCKS][MAX_TARGETS + 2]; /* the edge goes back */
    bool guarded[MAX_BLOCKS];               /* the header has the guard fuel > 0 itself */
} generator;

/* ---- Dice ---------------------------------------------------------------------------------------------- */

static uint64_t random_bits(generator *g) { /* splitmix64 */
    uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(generator *g, uint32_t n) {
    return (uint32_t)(random_bits(g) % n);
}

static bool chance(generator *g, uint32_t percent) {
    return below(g, 100) < percent;
}

/* ---- Expressions --------------------------------------------------------------------------------------- */

static const ls_kexpr *number(generator *g, int64_t value) {
    return ls_kexpr_const(g->ctx, LS_KTYPE_INT, value);
}

static const ls_kexpr *two(generator *g, ls_kop op, const ls_kexpr *a, const ls_kexpr *b) {
    return ls_kexpr_binary(g->ctx, op, a, b);
}

/* tid + k, around the end. */
static const ls_kexpr *neighbour(generator *g, uint32_t k) {
    return two(g, LS_KX_MOD, two(g, LS_KX_ADD, g->tid, number(g, k)), ls_kexpr_ts(g->ctx));
}

static const ls_kexpr *element(generator *g, const ls_kvar *array, const ls_kexpr *index) {
    return ls_kexpr_select(g->ctx, array, index);
}

static const ls_kexpr *condition(generator *g, bool uniform);

/* Over private variables; with `uniform`, over what all threads have in common. */
static const ls_kexpr *value(generator *g, bool uniform, uint32_t depth) {
    if (depth == 0 || chance(g, 40)) {
        const ls_kexpr *leaves[] = {number(g, below(g, 3)), g->Y, g->N, g->X, g->tid};
        const ls_kexpr *leaf = leaves[below(g, uniform ? 3 : 5)];
        if (chance(g, 10)) leaf = element(g, g->c, uniform ? number(g, 0) : neighbour(g, below(g, 2)));
        return leaf;
    }
    static const ls_kop ops[] = {LS_KX_ADD, LS_KX_SUB, LS_KX_MUL, LS_KX_MOD, LS_KX_MIN, LS_KX_MAX};
    const ls_kexpr *a = value(g, uniform, depth - 1), *b = value(g, uniform, depth - 1);
    if (chance(g, 15)) return ls_kexpr_ite(g->ctx, condition(g, uniform), a, b);
    return two(g, ops[below(g, 6)], a, b);
}

static const ls_kexpr *condition(generator *g, bool uniform) {
    static const ls_kop ops[] = {LS_KX_EQ, LS_KX_NE, LS_KX_LT, LS_KX_GE};
    const ls_kexpr *left[] = {g->Y, g->N, g->F, g->tid, g->X};
    const ls_kexpr *c = two(g, ops[below(g, 4)], left[below(g, uniform ? 3 : 5)], number(g, below(g, 2)));
    if (!uniform && chance(g, 20)) c = two(g, LS_KX_EQ, g->tid, number(g, below(g, g->ctx->threads)));
    return chance(g, 15) ? ls_kexpr_unary(g->ctx, LS_KX_NOT, c) : c;
}

static void initialise(generator *g, ls_kvar *var, const ls_kexpr *to) {
    const ls_kexpr **init = LS_NEW_N(&g->ctx->arena, const ls_kexpr *, 1);
    init[0] = to;
    var->init = init;
    var->init_count = 1;
}

/* ---- Statements ---------------------------------------------------------------------------------------- */

static void add(generator *g, uint32_t block, ls_kstmt stmt) {
    stmt.origin = g->prog->stmt_count++;
    ls_kblock_add(g->prog, block, stmt);
}

static void assign(generator *g, uint32_t block, const ls_kvar *var, const ls_kexpr *index,
                   const ls_kexpr *what) {
    add(g, block, (ls_kstmt){.kind = LS_KS_ASSIGN, .var = var, .index = index, .value = what});
}

static void barrier(generator *g, uint32_t block) {
    add(g, block, (ls_kstmt){.kind = LS_KS_BARRIER});
}

/* A write that others may see, or a read of what others may write. */
static void careless(generator *g, uint32_t block) {
    switch (below(g, 6)) {
    case 0: assign(g, block, g->s, NULL, value(g, false, 1)); break;
    case 1: assign(g, block, g->x, NULL, ls_kexpr_var(g->ctx, g->s)); break;
    case 2: assign(g, block, g->a, number(g, 0), value(g, false, 1)); break;
    case 3: assign(g, block, g->x, NULL, element(g, g->a, neighbour(g, 1))); break;
    case 4: assign(g, block, g->x, NULL, element(g, g->a, g->X)); break; /* may be out of bounds */
    default: add(g, block, (ls_kstmt){.kind = LS_KS_HAVOC, .var = g->s});
    }
}

static void own(generator *g, uint32_t block) {
    switch (below(g, 6)) {
    case 0: assign(g, block, g->y, NULL, value(g, true, 2)); break;
    case 1: assign(g, block, g->x, NULL, value(g, false, 2)); break;
    case 2: assign(g, block, g->x, NULL, element(g, g->a, g->tid)); break;
    case 3: assign(g, block, g->a, g->tid, two(g, LS_KX_ADD, element(g, g->a, g->tid), g->X)); break;
    case 4: add(g, block, (ls_kstmt){.kind = LS_KS_SKIP}); break;
    default: assign(g, block, g->a, g->tid, value(g, false, 1));
    }
}

/* All write their own, a barrier, all read a neighbour's, a barrier: correct where all threads come here. */
static void exchange(generator *g, uint32_t block) {
    assign(g, block, g->a, g->tid, g->X);
    barrier(g, block);
    assign(g, block, g->x, NULL, element(g, g->a, neighbour(g, 1)));
    if (!chance(g, g->temper.careless / 2)) barrier(g, block);
}

static void statement(generator *g, uint32_t block) {
    if (chance(g, g->temper.barriers)) {
        if (chance(g, 50))
            exchange(g, block);
        else
            barrier(g, block);
    } else if (chance(g, g->temper.careless)) {
        careless(g, block);
    } else if (chance(g, g->temper.havocs)) {
        if (chance(g, 30))
            add(g, block, (ls_kstmt){.kind = LS_KS_HAVOC, .var = g->a, .index = g->tid});
        else
            add(g, block, (ls_kstmt){.kind = LS_KS_HAVOC, .var = chance(g, 85) ? g->x : g->y});
    } else if (chance(g, g->temper.asserts)) {
        const ls_kexpr *holds = two(g, LS_KX_LE, g->X, number(g, 2));
        add(g, block, (ls_kstmt){.kind = LS_KS_ASSERT, .value = chance(g, 85) ? holds : condition(g, false)});
    } else {
        own(g, block);
    }
}

/* ---- Control flow -------------------------------------------------------------------------------------- */

static void add_target(generator *g, uint32_t block, uint32_t target, bool back) {
    for (uint32_t i = 0; i < g->targets[block]; i++)
        if (g->target[block][i] == target) return;
    if (g->targets[block] >= MAX_TARGETS + 1) return;
    g->back[block][g->targets[block]] = back;
    g->target[block][g->targets[block]++] = target;
}

static void make_acyclic(generator *g) {
    uint32_t n = g->blocks;
    for (uint32_t b = 1; b < n; b++) add_target(g, chance(g, 60) ? b - 1 : below(g, b), b, false);
    for (uint32_t b = 0; b < n; b++) {
        uint32_t more = g->targets[b] == 0 ? 1 : chance(g, 55) ? 0 : 1 + below(g, 2);
        for (uint32_t k = 0; k < more; k++) {
            bool ends = b + 1 == n || chance(g, 12);
            add_target(g, b, ends ? LS_KEND : b + 1 + below(g, n - b - 1), false);
        }
    }
}

/* Edges back to dominators. The skeleton is entered into a program of its own to find them. */
static void add_loops(generator *g) {
    ls_kprog *skeleton = ls_kprog_new(g->ctx, "skeleton", NULL);
    for (uint32_t b = 0; b < g->blocks; b++) ls_kblock_new(skeleton, "");
    for (uint32_t b = 0; b < g->blocks; b++)
        for (uint32_t i = 0; i < g->targets[b]; i++) ls_kblock_goto(skeleton, b, g->target[b][i]);
    ls_cfg *cfg = ls_kprog_cfg(skeleton);
    for (uint32_t count = below(g, 4); count > 0; count--) {
        uint32_t from = 1 + below(g, g->blocks - 1), to = from;
        for (uint32_t up = below(g, 4); up > 0; up--) to = cfg->idom[to];
        if (to != 0 || chance(g, 10)) add_target(g, from, to, true);
        if (to != 0 && chance(g, 30) && cfg->idom[to] != 0) add_target(g, from, cfg->idom[to], true);
    }
    ls_cfg_free(cfg);
    uint32_t guarded = 0;
    for (uint32_t b = 1; b < g->blocks; b++) {
        bool header = false;
        for (uint32_t p = 0; p < g->blocks; p++)
            for (uint32_t i = 0; i < g->targets[p]; i++) header |= g->back[p][i] && g->target[p][i] == b;
        g->guarded[b] = header && chance(g, 40);
        guarded += g->guarded[b];
    }
    initialise(g, g->fuel, number(g, guarded > 1 ? 3 + below(g, 2) : 1 + below(g, 3)));
}

/* An edge that is taken only while there is fuel. */
static bool costs_fuel(const generator *g, uint32_t block, uint32_t i) {
    uint32_t target = g->target[block][i];
    return g->back[block][i] || (target != LS_KEND && g->guarded[target]);
}

/* Every goto needs an edge that is free. */
static void add_ways_out(generator *g) {
    for (uint32_t b = 0; b < g->blocks; b++) {
        bool free_edge = false;
        for (uint32_t i = 0; i < g->targets[b]; i++) free_edge |= !costs_fuel(g, b, i);
        if (!free_edge) {
            g->target[b][g->targets[b]] = LS_KEND;
            g->back[b][g->targets[b]++] = false;
        }
    }
}

/* Guards g_1 … g_n that together cover everything. */
static void make_guards(generator *g, const ls_kexpr **guards, uint32_t n) {
    bool uniform = !chance(g, g->temper.divergent);
    const ls_kexpr *rest = ls_kexpr_bool(g->ctx, true), *on = uniform ? g->Y : g->X;
    bool is_switch = n > 2 && chance(g, 50), is_free = chance(g, g->temper.free_choice);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const ls_kexpr *c = is_switch ? two(g, LS_KX_EQ, on, number(g, i)) : condition(g, uniform);
        const ls_kexpr *not = ls_kexpr_unary(g->ctx, LS_KX_NOT, c);
        guards[i] = is_free ? ls_kexpr_bool(g->ctx, true) : i ? two(g, LS_KX_AND, rest, c) : c;
        rest = i ? two(g, LS_KX_AND, rest, not) : not;
    }
    guards[n - 1] = is_free && chance(g, 70) ? ls_kexpr_bool(g->ctx, true) : rest;
}

static void assume(generator *g, uint32_t block, const ls_kexpr *guard) {
    add(g, block, (ls_kstmt){.kind = LS_KS_ASSUME, .value = guard});
}

static void burn(generator *g, uint32_t block) {
    assign(g, block, g->fuel, NULL, two(g, LS_KX_SUB, g->F, number(g, 1)));
}

/* A block between, with the guard, for the i-th edge. */
static void make_edge(generator *g, uint32_t from, uint32_t i, const ls_kexpr *guard, bool endless) {
    ls_kctx *ctx = g->ctx;
    uint32_t to = g->target[from][i];
    uint32_t block = ls_kblock_new(g->prog, ls_arena_printf(&ctx->arena, "E%u_%u", from, i));
    bool costs = costs_fuel(g, from, i) && !endless;
    if (costs) guard = two(g, LS_KX_AND, guard, two(g, LS_KX_GT, g->F, number(g, 0)));
    assume(g, block, guard);
    if (costs) burn(g, block);
    if (chance(g, g->temper.statements / 2)) statement(g, block);
    ls_kblock_goto(g->prog, block, to);
    ls_kblock_goto(g->prog, from, block);
}

static void connect(generator *g, uint32_t from) {
    const ls_kexpr *guards[MAX_TARGETS + 2];
    uint32_t n = g->targets[from], refuge = LS_GRAPH_NONE;
    if (n == 1 && !costs_fuel(g, from, 0)) {
        ls_kblock_goto(g->prog, from, g->target[from][0]);
        return;
    }
    make_guards(g, guards, n);
    for (uint32_t i = 0; i < n; i++)
        if (!costs_fuel(g, from, i) && (refuge == LS_GRAPH_NONE || chance(g, 50))) refuge = i;
    assert(refuge != LS_GRAPH_NONE);
    bool endless = chance(g, g->temper.endless), needs_refuge = false;
    for (uint32_t i = 0; i < n; i++) needs_refuge |= costs_fuel(g, from, i);
    if (needs_refuge) guards[refuge] = two(g, LS_KX_OR, guards[refuge], two(g, LS_KX_LE, g->F, number(g, 0)));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = g->target[from][i];
        if (to != LS_KEND && g->guarded[to])
            ls_kblock_goto(g->prog, from, to); /* it has the guard itself */
        else
            make_edge(g, from, i, guards[i], endless);
    }
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static ls_kvar *variable(generator *g, const char *name, ls_kclass class, int64_t high, uint32_t length) {
    ls_kvar *var = ls_kvar_new(g->ctx, name, class, LS_KTYPE_INT);
    var->high = high;
    var->array = length > 0;
    var->length = length;
    return var;
}

static void declare(generator *g) {
    uint32_t ts = g->ctx->threads;
    ls_kvar *tid = variable(g, "tid", LS_KC_PRIVATE, ts - 1, 0);
    tid->role = LS_KR_TID;
    g->ctx->tid = tid;
    g->tid = ls_kexpr_var(g->ctx, tid);
    ls_kvar *a = variable(g, "a", LS_KC_SHARED, 2, ts), *s = variable(g, "s", LS_KC_SHARED, 2, 0);
    ls_kvar *c = variable(g, "c", LS_KC_CONST, 1, ts), *n = variable(g, "n", LS_KC_CONST, 1, 0);
    ls_kvar *x = variable(g, "x", LS_KC_PRIVATE, 2, 0), *y = variable(g, "y", LS_KC_PRIVATE, 2, 0);
    ls_kvar *fuel = variable(g, "fuel", LS_KC_PRIVATE, 4, 0);
    if (chance(g, 95)) initialise(g, a, number(g, below(g, 3)));
    initialise(g, s, number(g, 0));
    if (chance(g, 90)) initialise(g, c, number(g, below(g, 2)));
    if (chance(g, 80)) initialise(g, n, number(g, below(g, 2)));
    if (chance(g, 95)) initialise(g, x, chance(g, 50) ? g->tid : number(g, below(g, 3)));
    initialise(g, y, number(g, below(g, 3)));
    g->a = a, g->s = s, g->c = c, g->n = n, g->x = x, g->y = y, g->fuel = fuel;
    g->X = ls_kexpr_var(g->ctx, x), g->Y = ls_kexpr_var(g->ctx, y);
    g->N = ls_kexpr_var(g->ctx, n), g->F = ls_kexpr_var(g->ctx, fuel);
}

static void set_temper(generator *g) {
    static const temper tempers[] = {
        /* divergent careless barriers havocs asserts endless statements free */
        {0, 0, 25, 3, 10, 0, 60, 0},    /* all threads alike */
        {60, 0, 0, 6, 10, 0, 60, 15},   /* no barrier, own elements only */
        {15, 2, 12, 4, 8, 1, 60, 4},    /* mostly tame */
        {40, 15, 15, 8, 10, 3, 70, 10}, /* wild */
        {70, 0, 4, 8, 5, 1, 50, 30},    /* branching */
    };
    g->temper = tempers[below(g, sizeof tempers / sizeof *tempers)];
}

ls_kprog *ls_kernel_random(uint64_t seed, uint32_t threads) {
    generator g = {.state = seed * 0x2545f4914f6cdd1du + 1};
    uint32_t drawn = chance(&g, 80) ? 2 : 3;
    g.ctx = ls_kctx_new(threads ? threads : drawn);
    g.prog = ls_kprog_new(g.ctx, "random", NULL);
    set_temper(&g);
    declare(&g);
    g.blocks = 3 + below(&g, MAX_BLOCKS - 2);
    make_acyclic(&g);
    add_loops(&g);
    add_ways_out(&g);
    for (uint32_t b = 0; b < g.blocks; b++)
        ls_kblock_new(g.prog, b ? ls_arena_printf(&g.ctx->arena, "B%u", b) : "Start");
    for (uint32_t b = 0; b < g.blocks; b++) {
        if (g.guarded[b]) {
            assume(&g, b, two(&g, LS_KX_GT, g.F, number(&g, 0)));
            burn(&g, b);
        }
        for (uint32_t i = 0; i < 2; i++)
            if (chance(&g, g.temper.statements)) statement(&g, b);
        connect(&g, b);
    }
    return g.prog;
}
