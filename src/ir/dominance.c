/* Dominators, post-dominators, dominance frontiers (Cytron et al. 1991) and control dependence (Ferrante,
 * Ottenstein, Warren 1987). Post-dominators need every block to reach the exit: where some cannot (infinite
 * loops), the last of them in reverse post-order gets an edge to the exit, for this purpose only, until all
 * can. */
#include "base/recover.h"
#include "graph/dominators.h"
#include "ir/private.h"

#include <assert.h>

/* --- Adjacency -------------------------------------------------------------------------------------------
 */

/* Edges of the CFG as arrays of numbers, with an extra edge to the exit where `extra` says so. */
static ls_adjacency edges_of(ls_arena *scratch, const ls_ir_function *f, bool forward, const bool *extra) {
    uint32_t n = f->block_count, total = 0, exit = f->exit->id;
    ls_adjacency a = {.start = ls_arena_alloc(scratch, sizeof(uint32_t) * (n + 2))};
    for (uint32_t i = 0; i < n; i++)
        total += (forward ? f->blocks[i]->succ_count : f->blocks[i]->pred_count) + (extra && extra[i]);
    a.to = ls_arena_alloc(scratch, sizeof(uint32_t) * (total + 1));
    total = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ls_ir_block *block = f->blocks[i];
        uint32_t count = forward ? block->succ_count : block->pred_count;
        a.start[i] = total;
        for (uint32_t k = 0; k < count; k++)
            a.to[total++] = forward ? block->succs[k]->id : block->preds[k]->id;
        if (extra && forward && extra[i]) a.to[total++] = exit;
        if (extra && !forward && i == exit)
            for (uint32_t k = 0; k < n; k++)
                if (extra[k]) a.to[total++] = k;
    }
    a.start[n] = total;
    return a;
}

/* --- Trees -----------------------------------------------------------------------------------------------
 */

static void fill_children(ls_ir_function *f) {
    for (uint32_t i = 0; i < f->block_count; i++)
        if (f->blocks[i]->idom) f->blocks[i]->idom->dom_child_count++;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i];
        block->dom_children = LS_NEW_N(&f->hidden->arena, ls_ir_block *, block->dom_child_count + 1);
        block->dom_child_count = 0;
    }
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i], *parent = block->idom;
        if (!parent) continue;
        parent->dom_children[parent->dom_child_count++] = block;
        block->dom_depth = parent->dom_depth + 1; /* parents come first in reverse post-order */
    }
}

/* Numbers a tree given by parents so that descent is inclusion of intervals. `order` has parents first. */
static void number_tree(ls_arena *scratch, const uint32_t *parent, const uint32_t *order, uint32_t n,
                        uint32_t *in, uint32_t *out) {
    uint32_t *size = ls_arena_alloc(scratch, sizeof *size * (n + 1)),
             *next = ls_arena_alloc(scratch, sizeof *next * (n + 1));
    uint32_t roots = 0;
    for (uint32_t i = 0; i < n; i++) size[i] = 1;
    for (uint32_t i = n; i-- > 0;)
        if (parent[order[i]] != LS_IR_NONE) size[parent[order[i]]] += size[order[i]];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], p = parent[v];
        uint32_t *at = p == LS_IR_NONE ? &roots : &next[p];
        in[v] = *at;
        out[v] = in[v] + size[v] - 1;
        *at += size[v];
        next[v] = in[v] + 1;
    }
}

bool ls_ir_dominates(const ls_ir_block *a, const ls_ir_block *b) {
    return a->dom_in <= b->dom_in && b->dom_out <= a->dom_out;
}

bool ls_ir_postdominates(const ls_ir_block *a, const ls_ir_block *b) {
    return a->pdom_in <= b->pdom_in && b->pdom_out <= a->pdom_out;
}

/* --- Dominators ------------------------------------------------------------------------------------------
 */

static void fill_dominators(ls_arena *scratch, ls_ir_function *f) {
    uint32_t n = f->block_count;
    uint32_t *memory = ls_arena_alloc(scratch, sizeof *memory * 4 * (n + 1));
    uint32_t *idom = memory, *order = memory + n, *in = memory + 2 * n, *out = memory + 3 * n;
    ls_adjacency succs = edges_of(scratch, f, true, NULL), preds = edges_of(scratch, f, false, NULL);
    ls_dominators(n, &succs, &preds, f->entry->id, idom);
    for (uint32_t i = 0; i < n; i++) {
        /* An exit that nothing reaches hangs below the entry, so that there is one tree. */
        if (idom[i] == LS_IR_NONE && f->blocks[i] != f->entry) idom[i] = f->entry->id;
        f->blocks[i]->idom = idom[i] == LS_IR_NONE ? NULL : f->blocks[idom[i]];
        order[i] = i;
    }
    number_tree(scratch, idom, order, n, in, out);
    for (uint32_t i = 0; i < n; i++) f->blocks[i]->dom_in = in[i], f->blocks[i]->dom_out = out[i];
    fill_children(f);
}

/* Which blocks get an edge to the exit, for post-dominators. */
static bool *find_extra_exits(ls_arena *scratch, ls_ir_function *f) {
    uint32_t n = f->block_count, depth = 0;
    bool *extra = ls_arena_alloc(scratch, n + 1), *reaches = ls_arena_alloc(scratch, n + 1);
    ls_ir_block **stack = ls_arena_alloc(scratch, sizeof *stack * (n + 1));
    memset(extra, 0, n + 1), memset(reaches, 0, n + 1);
    for (uint32_t last = n; last-- > 0;) { /* the exit is the last one */
        ls_ir_block *start = f->blocks[last];
        if (reaches[last]) continue;
        if (start != f->exit) extra[last] = true;
        reaches[last] = true, stack[depth++] = start;
        while (depth) {
            ls_ir_block *block = stack[--depth];
            if (start != f->exit) block->never_exits = true;
            for (uint32_t i = 0; i < block->pred_count; i++)
                if (!reaches[block->preds[i]->id]) {
                    reaches[block->preds[i]->id] = true;
                    stack[depth++] = block->preds[i];
                }
        }
    }
    return extra;
}

/* Vertices of a tree so that parents come before their children. */
static void parents_first(ls_arena *scratch, const uint32_t *parent, uint32_t n, uint32_t *order) {
    uint32_t *depth = ls_arena_alloc(scratch, sizeof *depth * (n + 1)),
             *path = ls_arena_alloc(scratch, sizeof *path * (n + 1));
    uint32_t *count = ls_arena_alloc(scratch, sizeof *count * (n + 2));
    memset(count, 0, sizeof *count * (n + 2));
    for (uint32_t i = 0; i < n; i++) depth[i] = LS_IR_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t length = 0, v = i;
        while (v != LS_IR_NONE && depth[v] == LS_IR_NONE) path[length++] = v, v = parent[v];
        uint32_t level = v == LS_IR_NONE ? 0 : depth[v] + 1;
        while (length) depth[path[--length]] = level++;
    }
    for (uint32_t i = 0; i < n; i++) count[depth[i] + 1]++;
    for (uint32_t i = 0; i < n; i++) count[i + 1] += count[i];
    for (uint32_t i = 0; i < n; i++) order[count[depth[i]]++] = i;
}

static void fill_postdominators(ls_arena *scratch, ls_ir_function *f) {
    uint32_t n = f->block_count;
    uint32_t *memory = ls_arena_alloc(scratch, sizeof *memory * 4 * (n + 1));
    uint32_t *ipdom = memory, *order = memory + n, *in = memory + 2 * n, *out = memory + 3 * n;
    bool *extra = find_extra_exits(scratch, f);
    ls_adjacency succs = edges_of(scratch, f, false, extra), preds = edges_of(scratch, f, true, extra);
    ls_dominators(n, &succs, &preds, f->exit->id, ipdom);
    parents_first(scratch, ipdom, n, order);
    number_tree(scratch, ipdom, order, n, in, out);
    for (uint32_t i = 0; i < n; i++) {
        ls_ir_block *block = f->blocks[i];
        assert((ipdom[i] == LS_IR_NONE) == (block == f->exit));
        block->ipdom = ipdom[i] == LS_IR_NONE ? NULL : f->blocks[ipdom[i]];
        block->pdom_in = in[i], block->pdom_out = out[i];
    }
}

/* --- Frontiers and control dependence --------------------------------------------------------------------
 */

/* Both relations can be quadratic in the depth of nesting: counted first, so that they take no more room than
 * they need, and so that control flow that no program has is refused instead of filling the memory. */
enum { MOST_RELATIONS = 1 << 26 };

static bool count_frontiers(ls_ir_function *f) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *join = f->blocks[i];
        for (uint32_t p = 0; join->pred_count > 1 && p < join->pred_count; p++)
            for (ls_ir_block *up = join->preds[p]; up != join->idom && up->dom_mark != i + 1; up = up->idom) {
                up->dom_mark = i + 1; /* all above it have the mark too */
                up->frontier_count++;
                if (++total > MOST_RELATIONS) return false;
            }
    }
    return true;
}

static bool fill_frontiers(ls_ir_function *f) {
    if (!count_frontiers(f)) return false;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i];
        block->frontier = LS_NEW_N(&f->hidden->arena, ls_ir_block *, block->frontier_count + 1);
        block->frontier_count = block->dom_mark = 0;
    }
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *join = f->blocks[i];
        for (uint32_t p = 0; join->pred_count > 1 && p < join->pred_count; p++)
            for (ls_ir_block *up = join->preds[p]; up != join->idom && up->dom_mark != i + 1; up = up->idom) {
                up->dom_mark = i + 1;
                up->frontier[up->frontier_count++] = join;
            }
    }
    return true;
}

static bool count_control(ls_ir_function *f) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *branch = f->blocks[i];
        for (uint32_t s = 0; branch->succ_count > 1 && s < branch->succ_count; s++)
            for (ls_ir_block *up = branch->succs[s]; up != branch->ipdom; up = up->ipdom) {
                up->control_count++;
                if (++total > MOST_RELATIONS) return false;
            }
    }
    return true;
}

static bool fill_control(ls_ir_function *f) {
    if (!count_control(f)) return false;
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i];
        block->control = LS_NEW_N(&f->hidden->arena, ls_ir_control, block->control_count + 1);
        block->control_count = 0;
    }
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *branch = f->blocks[i];
        for (uint32_t s = 0; branch->succ_count > 1 && s < branch->succ_count; s++)
            for (ls_ir_block *up = branch->succs[s]; up != branch->ipdom; up = up->ipdom)
                up->control[up->control_count++] = (ls_ir_control){branch, s};
    }
    return true;
}

bool ir_fill_dominance(ls_ir_function *f) {
    ls_arena scratch;
    ls_arena_open(&scratch);
    fill_dominators(&scratch, f);
    fill_postdominators(&scratch, f);
    ls_arena_close(&scratch);
    return fill_frontiers(f) && fill_control(f);
}
