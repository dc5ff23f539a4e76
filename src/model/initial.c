/* Initial stores (000, §3.2: "the initial shared store is some σ and the initial private store of thread t is
 * some σ_t"). A private variable that is always assigned before it is read needs one value only. */
#include "model/initial.h"

#include "base/bitset.h"
#include "base/buf.h"

#include <inttypes.h>

/* ---- Which private variables are read before they are written ------------------------------------------ */

static void add_reads(ls_bitset *live, const ls_kexpr *expr) {
    if (!expr) return;
    if (expr->var) ls_bitset_add(live, expr->var->id);
    for (uint32_t i = 0; i < expr->count; i++) add_reads(live, expr->args[i]);
}

/* live before the block := what it reads, and what is live after it and not assigned in it. */
static void transfer(const ls_kblock *block, ls_bitset *live) {
    for (uint32_t i = block->stmts.length; i-- > 0;) {
        const ls_kstmt *stmt = &block->stmts.items[i];
        if (stmt->var && !stmt->index) ls_bitset_remove(live, stmt->var->id);
        add_reads(live, stmt->index);
        add_reads(live, stmt->value);
    }
}

static ls_bitset live_at_start(const ls_kprog *kernel, ls_arena *arena) {
    uint32_t n = kernel->blocks.length, bits = kernel->ctx->vars.length;
    ls_bitset *before = LS_NEW_N(arena, ls_bitset, n);
    for (uint32_t b = 0; b < n; b++) before[b] = ls_bitset_new(arena, bits);
    ls_bitset now = ls_bitset_new(arena, bits);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = n; b-- > 0;) {
            const ls_kblock *block = &kernel->blocks.items[b];
            memset(now.words, 0, ls_bitset_words(bits) * sizeof *now.words);
            for (uint32_t k = 0; k < block->targets.length; k++)
                if (block->targets.items[k] != LS_KEND)
                    ls_bitset_union(&now, &before[block->targets.items[k]]);
            transfer(block, &now);
            changed |= ls_bitset_union(&before[b], &now);
        }
    }
    return before[0];
}

/* ---- Enumeration --------------------------------------------------------------------------------------- */

static int64_t lowest(const ls_kvar *var) {
    return var->type.kind == LS_KT_INT ? var->low : 0;
}

static void set_cell(ls_kinitial *in, uint32_t cell, uint32_t thread, const ls_kvar *var, uint32_t element,
                     bool open) {
    if (var->init) {
        ls_kenv env = ls_kmachine_env(in->m, in->cells, thread == LS_GRAPH_NONE ? 0 : thread);
        const ls_kexpr *value = var->init[var->init_count > 1 ? element : 0];
        in->cells[cell] = ls_kvar_wrap(var, ls_keval(&env, value));
        return;
    }
    in->cells[cell] = lowest(var);
    if (!open) return;
    in->open[in->open_count++] = (struct ls_kfree_cell){cell, thread, var, element};
    uint64_t domain = ls_kvar_domain(var);
    if (domain == 0 || __builtin_mul_overflow(in->count, domain, &in->count)) in->count = UINT64_MAX;
}

void ls_kinitial_start(ls_kinitial *in, const ls_kmachine *m, ls_arena *arena) {
    const ls_kctx *ctx = m->prog->ctx;
    *in = (ls_kinitial){.m = m, .count = 1};
    in->cells = LS_NEW_N(arena, int64_t, m->cell_count);
    in->open = LS_NEW_N(arena, struct ls_kfree_cell, m->cell_count);
    ls_bitset live = live_at_start(m->prog->kernel ? m->prog->kernel : m->prog, arena);
    for (uint32_t i = 0; i < ctx->vars.length; i++) {
        const ls_kvar *var = ctx->vars.items[i];
        if (var->role == LS_KR_TID || (var->role != LS_KR_USER && m->prog->form == LS_KF_KERNEL)) continue;
        bool private = var->class == LS_KC_PRIVATE;
        bool open = var->role == LS_KR_USER && (!private || (i < live.bits && ls_bitset_has(&live, i)));
        uint32_t length = var->array ? (uint32_t)var->length : 1;
        for (uint32_t t = 0; t < (private ? m->threads : 1); t++)
            for (uint32_t k = 0; k < length; k++) {
                uint32_t cell = m->offset[i] + k;
                if (private) cell += m->shared_count + t * m->private_count;
                set_cell(in, cell, private ? t : LS_GRAPH_NONE, var, k, open);
            }
    }
    for (uint32_t r = 0; r < m->runners; r++) in->cells[m->pc_at + r] = m->code_at[0];
}

bool ls_kinitial_next(ls_kinitial *in) {
    for (uint32_t i = 0; i < in->open_count; i++) {
        const ls_kvar *var = in->open[i].var;
        int64_t *cell = &in->cells[in->open[i].cell];
        if (++*cell - lowest(var) < (int64_t)ls_kvar_domain(var)) return true;
        *cell = lowest(var);
    }
    return false;
}

const char *ls_kinitial_text(const ls_kinitial *in, ls_arena *arena) {
    ls_buf text = {0};
    for (uint32_t i = 0; i < in->open_count; i++) {
        const struct ls_kfree_cell *c = &in->open[i];
        ls_buf_printf(&text, "%s%s", text.length ? ", " : "", c->var->name);
        if (c->var->array) ls_buf_printf(&text, "[%u]", c->element);
        if (c->thread != LS_GRAPH_NONE) ls_buf_printf(&text, " of thread %u", c->thread);
        ls_buf_printf(&text, " = %" PRId64, in->cells[c->cell]);
    }
    const char *copy = ls_arena_strdup(arena, ls_buf_text(&text));
    ls_buf_free(&text);
    return copy;
}
