/* Well-formedness (000, Definition 5.1): for every goto the disjunction of its targets' guards is a
 * tautology. Decided by going through all values of the private variables in the guards, where they are few,
 * and otherwise by the form of the guards (one is true, or two are complements). */
#include "base/recover.h"
#include "model/eval.h"
#include "model/normal.h"

#include <assert.h>

enum { MAX_STORES = 1 << 18 };

static bool complements(const ls_kexpr *a, const ls_kexpr *b) {
    static const uint8_t opposite[][2] = {{LS_KX_EQ, LS_KX_NE}, {LS_KX_LT, LS_KX_GE}, {LS_KX_LE, LS_KX_GT}};
    if ((a->op == LS_KX_NOT && a->args[0] == b) || (b->op == LS_KX_NOT && b->args[0] == a)) return true;
    for (size_t i = 0; i < sizeof opposite / sizeof *opposite; i++)
        if ((a->op == opposite[i][0] && b->op == opposite[i][1]) ||
            (a->op == opposite[i][1] && b->op == opposite[i][0]))
            return a->args[0] == b->args[0] && a->args[1] == b->args[1];
    return false;
}

static bool covered_by_form(const ls_kprog *prog, const ls_kblock *block) {
    for (uint32_t i = 0; i < block->targets.length; i++) {
        const ls_kexpr *a = ls_kblock_guard(prog, block->targets.items[i]);
        if (ls_kexpr_is_true(a)) return true;
        for (uint32_t k = 0; k < i; k++)
            if (complements(a, ls_kblock_guard(prog, block->targets.items[k]))) return true;
    }
    return false;
}

typedef struct {
    const ls_kprog *prog;
    const ls_kblock *block;
    LS_VEC(const ls_kvar *) vars;
    int64_t *cells;
    uint32_t *offset;
    uint64_t stores;
    bool arrays;
} search;

static void collect(search *s, const ls_kexpr *expr) {
    if (expr->var && expr->var->array) s->arrays = true;
    if (expr->var && !expr->var->array && expr->var->role != LS_KR_TID) {
        bool known = false;
        for (uint32_t i = 0; i < s->vars.length; i++) known |= s->vars.items[i] == expr->var;
        if (!known) {
            uint64_t domain = ls_kvar_domain(expr->var);
            s->offset[expr->var->id] = s->vars.length;
            s->stores = domain == 0 || domain > MAX_STORES ? MAX_STORES + 1 : s->stores * domain;
            if (s->stores > MAX_STORES) s->stores = MAX_STORES + 1;
            LS_VEC_PUSH(&s->vars, expr->var);
        }
    }
    for (uint32_t i = 0; i < expr->count; i++) collect(s, expr->args[i]);
}

/* The next store in counting order; false after the last. */
static bool next_store(search *s) {
    for (uint32_t i = 0; i < s->vars.length; i++) {
        const ls_kvar *var = s->vars.items[i];
        int64_t low = var->type.kind == LS_KT_INT ? var->low : 0;
        if ((uint64_t)(++s->cells[i] - low) < ls_kvar_domain(var)) return true;
        s->cells[i] = low;
    }
    return false;
}

static bool some_guard_holds(search *s, int64_t tid) {
    for (uint32_t i = 0; i < s->block->targets.length; i++) {
        ls_kenv env = {.threads = s->prog->ctx->threads,
                       .tid = tid,
                       .offset = s->offset,
                       .shared = s->cells,
                       .private_ = s->cells};
        if (ls_keval_true(&env, ls_kblock_guard(s->prog, s->block->targets.items[i]))) return true;
    }
    return false;
}

static bool covered_by_stores(search *s) {
    for (uint32_t i = 0; i < s->vars.length; i++)
        s->cells[i] = s->vars.items[i]->type.kind == LS_KT_INT ? s->vars.items[i]->low : 0;
    do
        for (uint32_t t = 0; t < s->prog->ctx->threads; t++)
            if (!some_guard_holds(s, t)) return false;
    while (next_store(s));
    return true;
}

static ls_kwellness check_block(const ls_kprog *prog, const ls_kblock *block) {
    LS_SCRATCH(scratch);
    if (covered_by_form(prog, block)) return LS_KWELL_FORMED;
    search s = {.prog = prog, .block = block, .stores = 1};
    s.offset = ls_arena_alloc(&scratch, prog->ctx->vars.length * sizeof *s.offset);
    s.cells = ls_arena_alloc(&scratch, prog->ctx->vars.length * sizeof *s.cells);
    for (uint32_t i = 0; i < block->targets.length; i++)
        collect(&s, ls_kblock_guard(prog, block->targets.items[i]));
    ls_kwellness answer = LS_KWELL_UNKNOWN;
    if (prog->ctx->threads && !s.arrays && s.stores <= MAX_STORES)
        answer = covered_by_stores(&s) ? LS_KWELL_FORMED : LS_KILL_FORMED;
    LS_VEC_FREE(&s.vars);
    return answer;
}

ls_kwellness ls_kernel_well_formed(const ls_kprog *prog, uint32_t *block) {
    ls_kwellness all = LS_KWELL_FORMED;
    for (uint32_t b = 0; b < prog->blocks.length; b++) {
        ls_kwellness one = check_block(prog, &prog->blocks.items[b]);
        if (one == LS_KWELL_FORMED || all == one) continue;
        if (all != LS_KILL_FORMED) all = one, *block = b;
    }
    return all;
}
