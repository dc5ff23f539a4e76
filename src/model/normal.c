/* The restrictions on kernels (000, §3.1 and §4: "a kernel can be trivially preprocessed to satisfy these
 * restrictions"): the preprocessing, and what it cannot mend. Of the paper's restrictions one is not needed
 * here: that of several targets of a goto at most one is a loop head; predication handles a block that is the
 * last of several loops (model/predicate.c). */
#include "model/normal.h"

#include "base/recover.h"
#include "model/graph.h"

#include <assert.h>

static void drop_unreachable(ls_kprog *prog, ls_diags *diags) {
    LS_SCRATCH(scratch);
    ls_cfg *cfg = ls_kprog_cfg(prog);
    uint32_t *renamed = ls_arena_alloc(&scratch, prog->blocks.length * sizeof *renamed), kept = 0;
    for (uint32_t i = 0; i < prog->blocks.length; i++) {
        ls_kblock *b = &prog->blocks.items[i];
        renamed[i] = kept;
        if (cfg->reachable[i])
            prog->blocks.items[kept++] = *b;
        else
            ls_diags_add(diags, LS_WARNING, prog->file, b->loc.line, b->loc.column,
                         "block '%s' cannot be reached", b->label);
    }
    prog->blocks.length = kept;
    for (uint32_t i = 0; i < kept; i++) {
        ls_kblock *b = &prog->blocks.items[i];
        b->source = i;
        for (uint32_t k = 0; k < b->targets.length; k++)
            if (b->targets.items[k] != LS_KEND) b->targets.items[k] = renamed[b->targets.items[k]];
    }
    ls_cfg_free(cfg);
}

/* B: ss1 assume e; ss2 goto … becomes B: ss1 goto B'; B': assume e; ss2 goto … */
static void split_at_assume(ls_kprog *prog, uint32_t block, uint32_t at) {
    const char *label = ls_klabel_fresh(prog, prog->blocks.items[block].label);
    uint32_t made = ls_kblock_new(prog, label);
    ls_kblock *old = &prog->blocks.items[block], *new = &prog->blocks.items[made];
    for (uint32_t i = at; i < old->stmts.length; i++)
        LS_VEC_PUSH_IN(&prog->ctx->arena, &new->stmts, old->stmts.items[i]);
    new->targets.items = old->targets.items;
    new->targets.length = old->targets.length, new->targets.capacity = old->targets.capacity;
    new->loc = old->stmts.items[at].loc;
    old->stmts.length = at;
    old->targets.items = NULL;
    old->targets.length = old->targets.capacity = 0;
    ls_kblock_goto(prog, block, made);
}

static void split_assumes(ls_kprog *prog) {
    for (uint32_t b = 0; b < prog->blocks.length; b++) /* made blocks are appended and come up later */
        for (uint32_t i = 1; i < prog->blocks.items[b].stmts.length; i++)
            if (prog->blocks.items[b].stmts.items[i].kind == LS_KS_ASSUME) split_at_assume(prog, b, i);
}

/* Moves Start's contents to a block of their own where Start is jumped to or has a guard. */
static void free_start(ls_kprog *prog) {
    bool entered = !ls_kexpr_is_true(ls_kblock_guard(prog, 0));
    for (uint32_t b = 0; b < prog->blocks.length; b++)
        for (uint32_t k = 0; k < prog->blocks.items[b].targets.length; k++)
            entered |= prog->blocks.items[b].targets.items[k] == 0;
    if (!entered) return;
    uint32_t moved = ls_kblock_new(prog, ls_klabel_fresh(prog, "Start'"));
    ls_kblock *start = &prog->blocks.items[0], *to = &prog->blocks.items[moved];
    const char *label = to->label;
    *to = *start;
    to->label = label, to->source = moved;
    *start = (ls_kblock){.label = start->label, .loc = start->loc};
    for (uint32_t b = 0; b < prog->blocks.length; b++)
        for (uint32_t k = 0; k < prog->blocks.items[b].targets.length; k++)
            if (prog->blocks.items[b].targets.items[k] == 0) prog->blocks.items[b].targets.items[k] = moved;
    ls_kblock_goto(prog, 0, moved);
}

/* The only block that ends the kernel, if there is one only, it does nothing else, and its last statement is
 * a barrier. */
static bool has_exit_barrier(const ls_kprog *prog) {
    uint32_t exits = 0;
    bool good = false;
    for (uint32_t b = 0; b < prog->blocks.length; b++) {
        const ls_kblock *block = &prog->blocks.items[b];
        for (uint32_t k = 0; k < block->targets.length; k++) {
            if (block->targets.items[k] != LS_KEND) continue;
            exits++;
            good = block->targets.length == 1 && block->stmts.length > 0 &&
                   block->stmts.items[block->stmts.length - 1].kind == LS_KS_BARRIER;
        }
    }
    return exits == 0 || (exits == 1 && good);
}

static void add_exit_barrier(ls_kprog *prog) {
    if (has_exit_barrier(prog)) return;
    uint32_t made = ls_kblock_new(prog, ls_klabel_fresh(prog, "Exit"));
    for (uint32_t b = 0; b < made; b++)
        for (uint32_t k = 0; k < prog->blocks.items[b].targets.length; k++)
            if (prog->blocks.items[b].targets.items[k] == LS_KEND)
                prog->blocks.items[b].targets.items[k] = made;
    ls_kblock_add(prog, made, (ls_kstmt){.kind = LS_KS_BARRIER, .origin = prog->stmt_count++});
    ls_kblock_goto(prog, made, LS_KEND);
}

static bool check_guards(const ls_kprog *prog, ls_diags *diags) {
    bool good = true;
    for (uint32_t b = 0; b < prog->blocks.length; b++) {
        const ls_kexpr *guard = ls_kblock_guard(prog, b);
        if (!guard || !guard->shared) continue;
        const ls_kstmt *stmt = &prog->blocks.items[b].stmts.items[0];
        ls_diags_add(
            diags, LS_ERROR, prog->file, stmt->loc.line, stmt->loc.column,
            "assume reads a shared variable: expected private variables only (read it into a private "
            "one before the goto)");
        good = false;
    }
    return good;
}

static bool check_reducible(const ls_kprog *prog, ls_diags *diags) {
    ls_cfg *cfg = ls_kprog_cfg(prog);
    bool good = cfg->reducible;
    if (!good) {
        const ls_kblock *from = &prog->blocks.items[cfg->bad_from], *to = &prog->blocks.items[cfg->bad_to];
        ls_diags_add(diags, LS_ERROR, prog->file, to->loc.line, to->loc.column,
                     "irreducible control flow: the loop through '%s' and '%s' has several entries, expected "
                     "one loop head that every path into the loop goes through",
                     to->label, from->label);
    }
    ls_cfg_free(cfg);
    return good;
}

bool ls_kernel_normalise(ls_kprog *prog, ls_diags *diags) {
    assert(prog->form == LS_KF_KERNEL);
    drop_unreachable(prog, diags);
    split_assumes(prog);
    free_start(prog);
    add_exit_barrier(prog);
    return check_guards(prog, diags) && check_reducible(prog, diags);
}
