/* Predication of a single thread (000, §4.1) as a program: control flow is flattened. Blocks are executed in
 * sort order; v_active names the block that the thread is to execute, and the statements of all others do
 * nothing. Which steps there are is found by predication.c, which the verifier has its own from; here they
 * become statements.
 *
 * Statements (Table 1) keep their own form and get a predicate, v_active = B, instead of being rewritten to
 * v := (v_active = B) ? e : v. The two mean the same, printing shows the latter; but a disabled thread then
 * plainly reads and writes nothing, evaluates no index, and a verifier sees the predicate of every access.
 *
 * Blocks (Table 2): guards move to the end of the blocks before them. */
#include "model/predicate.h"

#include "graph/predication.h"

#include <assert.h>

typedef struct {
    const ls_kprog *kernel;
    ls_kprog *out;
    uint32_t open;                 /* the block that goes on to the next one, or LS_GRAPH_NONE */
    uint32_t *made;                /* by kernel block: its block in out */
    const ls_kvar **havoc;         /* by variable: its v_havoc */
    const ls_kexpr *active, *next; /* the variables as expressions */
} predicator;

static const ls_kexpr *label(predicator *p, uint32_t block) {
    return ls_kexpr_const(p->kernel->ctx, LS_KTYPE_LABEL, block);
}

static const ls_kexpr *is_active(predicator *p, uint32_t block) {
    return ls_kexpr_binary(p->kernel->ctx, LS_KX_EQ, p->active, label(p, block));
}

static const ls_kvar *havoc_variable(predicator *p, const ls_kvar *var) {
    if (!p->havoc[var->id]) {
        const char *name = ls_arena_printf(&p->kernel->ctx->arena, "v_havoc_%s", var->name);
        ls_kvar *fresh = ls_kvar_fresh(p->kernel->ctx, name, LS_KC_PRIVATE, var->type);
        fresh->role = LS_KR_HAVOC;
        fresh->low = var->low, fresh->high = var->high;
        p->havoc[var->id] = fresh;
    }
    return p->havoc[var->id];
}

/* π(s), Table 1. */
static void predicate_statement(predicator *p, const ls_kstmt *stmt, const ls_kexpr *pred) {
    uint32_t to = p->open;
    ls_kstmt made = *stmt;
    made.pred = stmt->kind == LS_KS_SKIP ? NULL : pred;
    if (stmt->kind == LS_KS_HAVOC) {
        const ls_kvar *fresh = havoc_variable(p, stmt->var);
        ls_kblock_add(
            p->out, to,
            (ls_kstmt){
                .kind = LS_KS_HAVOC, .loc = stmt->loc, .var = fresh, .pred = pred, .origin = UINT32_MAX});
        made.kind = LS_KS_ASSIGN;
        made.value = ls_kexpr_var(p->kernel->ctx, fresh);
    }
    ls_kblock_add(p->out, to, made);
}

/* ∧ ((v_next = B_i) ⇒ guard(B_i)), without the guards that are true; NULL where none is left. */
static const ls_kexpr *guards(predicator *p, const ls_kblock *block) {
    ls_kctx *ctx = p->kernel->ctx;
    const ls_kexpr **parts = LS_NEW_N(&ctx->arena, const ls_kexpr *, block->targets.length + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->targets.length; i++) {
        const ls_kexpr *guard = ls_kblock_guard(p->kernel, block->targets.items[i]);
        if (ls_kexpr_is_true(guard)) continue;
        const ls_kexpr *chosen = ls_kexpr_binary(ctx, LS_KX_EQ, p->next, label(p, block->targets.items[i]));
        parts[count++] = ls_kexpr_binary(ctx, LS_KX_IMPLIES, chosen, guard);
    }
    if (count < 2) return count ? parts[0] : NULL;
    return ls_kexpr_op(ctx, LS_KX_AND, parts, count, 0);
}

/* --- The steps as statements -----------------------------------------------------------------------------
 */

static void begin_block(void *data, uint32_t block) {
    predicator *p = data;
    const ls_kblock *b = &p->kernel->blocks.items[block];
    uint32_t before = p->open;
    p->open = ls_kblock_new(p->out, b->label);
    p->out->blocks.items[p->open].loc = b->loc;
    p->out->blocks.items[p->open].source = block;
    p->made[block] = p->open;
    if (before != LS_GRAPH_NONE) ls_kblock_goto(p->out, before, p->open);
}

static void activate_block(void *data, uint32_t block) {
    predicator *p = data;
    ls_kblock_add(
        p->out, p->open,
        (ls_kstmt){
            .kind = LS_KS_ASSIGN, .var = p->out->active, .value = label(p, block), .origin = UINT32_MAX});
}

static void execute_block(void *data, uint32_t block) {
    predicator *p = data;
    const ls_kblock *b = &p->kernel->blocks.items[block];
    const ls_kexpr *pred = is_active(p, block);
    for (uint32_t i = ls_kblock_guard(p->kernel, block) ? 1 : 0; i < b->stmts.length; i++)
        predicate_statement(p, &b->stmts.items[i], pred);
}

/* v_next :∈ {…}; assume …; v_active := … */
static void choose_next(void *data, uint32_t block, const uint32_t *targets, uint32_t count) {
    predicator *p = data;
    const ls_kblock *b = &p->kernel->blocks.items[block];
    const ls_kexpr *guard = guards(p, b);
    ls_kstmt base = {.loc = b->loc, .pred = is_active(p, block), .origin = UINT32_MAX};
    ls_kstmt choose = base, assume = base, activate = base;
    choose.kind = LS_KS_CHOOSE, choose.var = p->out->next;
    choose.labels = targets, choose.label_count = count;
    assume.kind = LS_KS_ASSUME, assume.value = guard;
    activate.kind = LS_KS_ASSIGN, activate.var = p->out->active, activate.value = p->next;
    ls_kblock_add(p->out, p->open, choose);
    if (guard) ls_kblock_add(p->out, p->open, assume);
    ls_kblock_add(p->out, p->open, activate);
}

/* The blocks back and exit of one loop, behind its last block, which leads to both. */
static void close_loop(void *data, const ls_cfg_loop *loop) {
    predicator *p = data;
    ls_kctx *ctx = p->kernel->ctx;
    const char *head = p->kernel->blocks.items[loop->header].label;
    static const char *const suffix[2] = {"back", "exit"};
    static const ls_kop test[2] = {LS_KX_EQ, LS_KX_NE};
    uint32_t made[2];
    for (int i = 0; i < 2; i++) {
        made[i] = ls_kblock_new(
            p->out, ls_klabel_fresh(p->out, ls_arena_printf(&ctx->arena, "%s%s", head, suffix[i])));
        p->out->blocks.items[made[i]].source = LS_GRAPH_NONE;
        const ls_kexpr *value = ls_kexpr_binary(ctx, test[i], p->active, label(p, loop->header));
        ls_kblock_add(p->out, made[i],
                      (ls_kstmt){.kind = LS_KS_ASSUME, .value = value, .origin = UINT32_MAX});
        ls_kblock_goto(p->out, p->open, made[i]);
    }
    ls_kblock_goto(p->out, made[0], p->made[loop->header]);
    p->open = made[1];
}

static const ls_predication_sink as_statements = {
    .begin = begin_block,
    .activate = activate_block,
    .execute = execute_block,
    .choose = choose_next,
    .close = close_loop,
};

ls_kprog *ls_kernel_predicate(const ls_kprog *kernel, const ls_cfg *cfg) {
    assert(kernel->form == LS_KF_KERNEL && cfg->reducible);
    ls_kctx *ctx = kernel->ctx;
    uint32_t vars = ctx->vars.length;
    predicator p = {.kernel = kernel, .open = LS_GRAPH_NONE};
    p.out = ls_kprog_new(ctx, kernel->name, kernel->file);
    p.out->form = LS_KF_PREDICATED;
    p.out->kernel = kernel;
    p.out->stmt_count = kernel->stmt_count;
    ls_kvar *active = ls_kvar_fresh(ctx, "v_active", LS_KC_PRIVATE, LS_KTYPE_LABEL);
    ls_kvar *next = ls_kvar_fresh(ctx, "v_next", LS_KC_PRIVATE, LS_KTYPE_LABEL);
    active->role = LS_KR_ACTIVE, next->role = LS_KR_NEXT;
    p.out->active = active, p.out->next = next;
    p.active = ls_kexpr_var(ctx, active), p.next = ls_kexpr_var(ctx, next);
    p.made = LS_NEW_N(&ctx->arena, uint32_t, kernel->blocks.length);
    p.havoc = LS_NEW_N(&ctx->arena, const ls_kvar *, vars);
    ls_predicate(cfg, 0, LS_GRAPH_NONE, &as_statements, &p);
    ls_kblock_goto(p.out, p.open, LS_KEND);
    return p.out;
}
