/* Predication of a single thread (000, §4.1): control flow is flattened. Blocks are executed in sort order;
 * v_active names the block that the thread is to execute, and the statements of all others do nothing.
 *
 * Statements (Table 1) keep their own form and get a predicate, v_active = B, instead of being rewritten to
 * v := (v_active = B) ? e : v. The two mean the same, printing shows the latter; but a disabled thread then
 * plainly reads and writes nothing, evaluates no index, and a verifier sees the predicate of every access.
 *
 * Blocks (Table 2): guards move to the end of the blocks before them. The table says what to do with the last
 * block of a loop; a block can be the last of several (when an inner loop ends where the outer one does, as
 * with `continue outer`), and then the two blocks back and exit are made for each, from the inner loop
 * outwards. */
#include "verify/kernel_predicate.h"

#include <assert.h>

typedef struct {
    const ls_kprog *kernel;
    const ls_kcfg *cfg;
    ls_kprog *out;
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
static void predicate_statement(predicator *p, uint32_t to, const ls_kstmt *stmt, const ls_kexpr *pred) {
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

/* v_next :∈ {…}; assume …; v_active := … (Table 2). */
static void choose_next(predicator *p, uint32_t to, const ls_kblock *block, const ls_kexpr *pred) {
    const ls_kexpr *guard = guards(p, block);
    ls_kstmt base = {.loc = block->loc, .pred = pred, .origin = UINT32_MAX};
    ls_kstmt choose = base, assume = base, activate = base;
    choose.kind = LS_KS_CHOOSE, choose.var = p->out->next;
    choose.labels = block->targets.items, choose.label_count = block->targets.length;
    assume.kind = LS_KS_ASSUME, assume.value = guard;
    activate.kind = LS_KS_ASSIGN, activate.var = p->out->active, activate.value = p->next;
    ls_kblock_add(p->out, to, choose);
    if (guard) ls_kblock_add(p->out, to, assume);
    ls_kblock_add(p->out, to, activate);
}

/* The blocks back and exit of one loop, behind its last block; from leads to both. Returns exit. */
static uint32_t close_loop(predicator *p, uint32_t from, const ls_kloop *loop) {
    ls_kctx *ctx = p->kernel->ctx;
    const char *head = p->kernel->blocks.items[loop->header].label;
    static const char *const suffix[2] = {"back", "exit"};
    static const ls_kop test[2] = {LS_KX_EQ, LS_KX_NE};
    uint32_t made[2];
    for (int i = 0; i < 2; i++) {
        made[i] = ls_kblock_new(
            p->out, ls_klabel_fresh(p->out, ls_arena_printf(&ctx->arena, "%s%s", head, suffix[i])));
        p->out->blocks.items[made[i]].source = LS_KNONE;
        const ls_kexpr *value = ls_kexpr_binary(ctx, test[i], p->active, label(p, loop->header));
        ls_kblock_add(p->out, made[i],
                      (ls_kstmt){.kind = LS_KS_ASSUME, .value = value, .origin = UINT32_MAX});
        ls_kblock_goto(p->out, from, made[i]);
    }
    ls_kblock_goto(p->out, made[0], p->made[loop->header]);
    return made[1];
}

/* π(B) and, behind it, what closes the loops that end here. Returns the block that goes on to next(B). */
static uint32_t predicate_block(predicator *p, uint32_t block) {
    const ls_kblock *b = &p->kernel->blocks.items[block];
    uint32_t to = ls_kblock_new(p->out, b->label);
    p->out->blocks.items[to].loc = b->loc;
    p->out->blocks.items[to].source = block;
    p->made[block] = to;
    const ls_kexpr *pred = is_active(p, block);
    if (block == 0)
        ls_kblock_add(
            p->out, to,
            (ls_kstmt){
                .kind = LS_KS_ASSIGN, .var = p->out->active, .value = label(p, 0), .origin = UINT32_MAX});
    for (uint32_t i = ls_kblock_guard(p->kernel, block) ? 1 : 0; i < b->stmts.length; i++)
        predicate_statement(p, to, &b->stmts.items[i], pred);
    /* the last block of all, if it only ends the kernel, needs no choice (Figure 5) */
    bool ends = b->targets.length == 1 && b->targets.items[0] == LS_KEND;
    if (!ends || p->cfg->position[block] + 1 != p->cfg->rpo_count) choose_next(p, to, b, pred);
    for (uint32_t loop = p->cfg->innermost[block]; loop != LS_KNONE; loop = p->cfg->loops.items[loop].parent)
        if (p->cfg->loops.items[loop].last == block) to = close_loop(p, to, &p->cfg->loops.items[loop]);
    return to;
}

ls_kprog *ls_kernel_predicate(const ls_kprog *kernel, const ls_kcfg *cfg) {
    assert(kernel->form == LS_KF_KERNEL && cfg->reducible);
    ls_kctx *ctx = kernel->ctx;
    uint32_t vars = ctx->vars.length;
    predicator p = {.kernel = kernel, .cfg = cfg, .out = ls_kprog_new(ctx, kernel->name, kernel->file)};
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
    uint32_t open = LS_KNONE; /* the block that is to go on to the next one */
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t first = p.out->blocks.length;
        if (open != LS_KNONE) ls_kblock_goto(p.out, open, first);
        open = predicate_block(&p, cfg->order[i]);
    }
    ls_kblock_goto(p.out, open, LS_KEND);
    return p.out;
}
