/* Gated SSA (003, §3.2; Ottenstein et al. 1990; Tu and Padua 1995): which argument a phi takes, as a function
 * of branch predicates.
 *   η  A use outside of a loop of a value made inside of it goes through an η: the value in the loop's last
 *      iteration. One η for each loop that is left, innermost first.
 *   μ  A phi at a loop header: initial value by the edges that enter, loop-carried one by the back edges.
 *   γ  Any other phi. Its gate is found on the part of the CFG between the block's immediate dominator and
 *      the block: going backwards in reverse post-order, the gate of a block that ends in a branch is a γ of
 *      its successors' gates; a way that does not lead to the join drops out, and equal gates are one. Back
 *      edges are not taken, for a loop that is passed on the way is left in its last iteration: such gates
 *      stand below an ETA gate.
 * Gates belong to blocks, not to phis: their leaves are edges, so all phis of a block share one gate.
 * Between a block and its dominator the same blocks may be looked at for several joins, once for each. */
#include "ir/private.h"

#include <assert.h>

typedef LS_VEC(ls_ir_block *) block_list;

typedef struct {
    ls_ir_function *f;
    uint32_t *mark;     /* by block: the region it was last put into */
    ls_ir_gate **gates; /* by block, where mark says so */
    uint32_t region;
    block_list blocks;         /* of the region */
    LS_VEC(ls_ir_gate *) ways; /* of the block in hand */
    uint32_t *listed;          /* by block: join + 1 that it is in gate_branches of */
    ls_intmap etas;
} gating;

/* --- η ---------------------------------------------------------------------------------------------------
 */

static ls_ir_value *eta_value(gating *g, ls_ir_loop *loop, ls_ir_value *inner) {
    bool is_new;
    uint64_t *at = ls_intmap_at(&g->etas, inner->id | (uint64_t)loop->id << 32, &is_new);
    if (is_new) {
        ls_ir_value *eta = ir_new_value(g->f, LS_VALUE_ETA, (ls_ptx_type)inner->type, inner->reg);
        eta->eta.loop = loop;
        eta->eta.value = inner;
        eta->block = inner->block;
        g->f->stats.etas++;
        *at = (uintptr_t)eta;
    }
    return (ls_ir_value *)(uintptr_t)*at;
}

static bool is_leaf(const ls_ir_value *value) {
    return value->kind != LS_VALUE_INSTR && value->kind != LS_VALUE_PHI;
}

/* What a use in that block sees of a value. */
static ls_ir_value *seen_from(gating *g, ls_ir_value *value, const ls_ir_block *block) {
    if (!value || is_leaf(value)) return value;
    for (ls_ir_loop *loop = value->block->loop; loop && !ls_ir_loop_contains(loop, block);
         loop = loop->parent)
        value = eta_value(g, loop, value);
    return value;
}

static void insert_etas(gating *g) {
    ls_ir_function *f = g->f;
    for (uint32_t i = 0; i < f->instr_count; i++) {
        ls_ir_instr *instr = f->instrs[i];
        instr->guard.value = seen_from(g, instr->guard.value, instr->block);
        for (uint32_t s = 0; s < instr->src_count; s++)
            instr->src[s].value = seen_from(g, instr->src[s].value, instr->block);
        for (uint32_t d = 0; instr->prior && d < instr->dst_count; d++)
            instr->prior[d] = seen_from(g, instr->prior[d], instr->block);
    }
    for (uint32_t i = 0; i < f->phi_count; i++) {
        ls_ir_phi *phi = f->phis[i];
        for (uint32_t p = 0; p < phi->block->pred_count; p++)
            phi->args[p] = seen_from(g, phi->args[p], phi->block);
    }
}

/* --- Gates -----------------------------------------------------------------------------------------------
 */

static ls_ir_gate *new_gate(gating *g, ls_ir_gate_kind kind, uint32_t parts) {
    ls_ir_gate *gate = LS_NEW(&g->f->private->arena, ls_ir_gate);
    gate->kind = (uint8_t)kind;
    gate->id = g->f->gate_count++;
    gate->part_count = parts;
    if (parts) gate->parts = LS_NEW_N(&g->f->private->arena, ls_ir_gate *, parts);
    return gate;
}

static bool is_back_edge(const ls_ir_block *from, const ls_ir_block *to) {
    return to->id <= from->id;
}

/* Which edges into the join are meant: all, those that enter its loop, or those that close it. */
typedef enum { EDGES_ALL, EDGES_ENTRY, EDGES_BACK } edge_choice;

static bool is_chosen(const ls_ir_block *from, const ls_ir_block *join, edge_choice choice) {
    return choice == EDGES_ALL || (choice == EDGES_BACK) == is_back_edge(from, join);
}

/* The blocks between start and the join, without passing back edges. False in irreducible control flow. */
static bool collect_region(gating *g, const ls_ir_block *start, const ls_ir_block *join, edge_choice choice) {
    bool reducible = true;
    g->region++;
    g->blocks.length = 0;
    for (uint32_t i = 0; i < join->pred_count; i++) {
        ls_ir_block *pred = join->preds[i];
        if (!is_chosen(pred, join, choice) || g->mark[pred->id] == g->region) continue;
        g->mark[pred->id] = g->region;
        LS_VEC_PUSH(&g->blocks, pred);
    }
    for (uint32_t next = 0; next < g->blocks.length; next++) {
        const ls_ir_block *block = g->blocks.items[next];
        reducible &= !block->irreducible_entry;
        for (uint32_t i = 0; block != start && i < block->pred_count; i++) {
            ls_ir_block *pred = block->preds[i];
            if (is_back_edge(pred, block) || g->mark[pred->id] == g->region) continue;
            g->mark[pred->id] = g->region;
            LS_VEC_PUSH(&g->blocks, pred);
        }
    }
    return reducible && !join->irreducible_entry;
}

static int later_first(const void *a, const void *b) {
    const ls_ir_block *const *x = a, *const *y = b;
    return (*x)->id<(*y)->id ? 1 : (*x)->id>(*y)->id ? -1 : 0;
}

static uint32_t edge_index(const ls_ir_block *join, const ls_ir_block *pred) {
    uint32_t low = 0, high = join->pred_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (join->preds[middle]->id <= pred->id)
            low = middle;
        else
            high = middle;
    }
    assert(join->preds[low] == pred);
    return low;
}

/* The gate of one successor of a block in the region; NULL: that way does not lead to the join. */
static ls_ir_gate *way(gating *g, const ls_ir_block *block, ls_ir_block *to, const ls_ir_block *join,
                       edge_choice choice) {
    if (to == join) {
        if (!is_chosen(block, join, choice)) return NULL;
        ls_ir_gate *leaf = new_gate(g, LS_GATE_EDGE, 0);
        leaf->edge = edge_index(join, block);
        return leaf;
    }
    if (is_back_edge(block, to) || g->mark[to->id] != g->region) return NULL;
    return g->gates[to->id];
}

static ls_ir_gate *block_gate(gating *g, ls_ir_block *block, const ls_ir_block *join, edge_choice choice) {
    ls_ir_gate *only = NULL;
    bool several = false;
    g->ways.length = 0;
    for (uint32_t s = 0; s < block->succ_count; s++) {
        ls_ir_gate *part = way(g, block, block->succs[s], join, choice);
        several |= part && only && only != part;
        if (part && !only) only = part;
        LS_VEC_PUSH(&g->ways, part);
    }
    if (!several) return only;
    ls_ir_gate *gate = new_gate(g, LS_GATE_GAMMA, block->succ_count);
    gate->block = block;
    memcpy(gate->parts, g->ways.items, sizeof *gate->parts * block->succ_count);
    return gate;
}

/* A loop that is passed on the way to the join: its predicates are those of the last iteration. */
static ls_ir_gate *leave_loop(gating *g, ls_ir_gate *gate, ls_ir_loop *loop, const ls_ir_block *join) {
    if (ls_ir_loop_contains(loop, join) || !gate || gate->kind == LS_GATE_EDGE) return gate;
    const ls_ir_block *inside = gate->kind == LS_GATE_GAMMA ? gate->block : gate->loop->header;
    if (!ls_ir_loop_contains(loop, inside)) return gate;
    ls_ir_gate *eta = new_gate(g, LS_GATE_ETA, 1);
    eta->loop = loop;
    eta->parts[0] = gate;
    return eta;
}

/* --- Branches that a join depends on ---------------------------------------------------------------------
 */

static void list_branch(gating *g, const ls_ir_block *join, ls_ir_block *branch, block_list *list) {
    if (branch->succ_count < 2 || g->listed[branch->id] == join->id + 1) return;
    g->listed[branch->id] = join->id + 1;
    LS_VEC_PUSH_IN(&g->f->private->arena, list, branch);
}

/* Every branch in a gate, and every exit of the loops that it leaves. Sharing: a visited mark by gate id. */
static void list_gate(gating *g, const ls_ir_block *join, ls_ir_gate *root, block_list *list) {
    LS_VEC(ls_ir_gate *) work = {0};
    ls_intmap seen = {0};
    if (root) LS_VEC_PUSH(&work, root);
    while (work.length) {
        ls_ir_gate *gate = work.items[--work.length];
        bool is_new;
        if (gate->kind == LS_GATE_EDGE) continue;
        ls_intmap_at(&seen, gate->id, &is_new);
        if (!is_new) continue;
        if (gate->kind == LS_GATE_GAMMA) list_branch(g, join, gate->block, list);
        for (uint32_t i = 0; gate->kind == LS_GATE_ETA && i < gate->loop->exit_count; i++)
            list_branch(g, join, gate->loop->exits[i].from, list);
        for (uint32_t i = gate->part_count; i-- > 0;)
            if (gate->parts[i]) LS_VEC_PUSH(&work, gate->parts[i]);
    }
    ls_intmap_free(&seen);
    LS_VEC_FREE(&work);
}

/* Irreducible: whatever branches between the dominator and the join, cycles and all. */
static void list_region(gating *g, ls_ir_block *join, block_list *list) {
    g->region++;
    g->blocks.length = 0;
    LS_VEC_PUSH(&g->blocks, join);
    for (uint32_t next = 0; next < g->blocks.length; next++) {
        ls_ir_block *block = g->blocks.items[next];
        if (next) list_branch(g, join, block, list);
        if (next && block == join->idom) continue;
        for (uint32_t i = 0; i < block->pred_count; i++) {
            if (g->mark[block->preds[i]->id] == g->region) continue;
            g->mark[block->preds[i]->id] = g->region;
            LS_VEC_PUSH(&g->blocks, block->preds[i]);
        }
    }
}

static ls_ir_gate *region_gate(gating *g, ls_ir_block *start, ls_ir_block *join, edge_choice choice,
                               bool *reducible) {
    *reducible &= collect_region(g, start, join, choice);
    if (!*reducible) return NULL;
    qsort(g->blocks.items, g->blocks.length, sizeof *g->blocks.items, later_first);
    ls_ir_gate *gate = NULL;
    for (uint32_t i = 0; i < g->blocks.length; i++) {
        ls_ir_block *block = g->blocks.items[i];
        gate = block_gate(g, block, join, choice);
        if (block != start && block->is_loop_header) gate = leave_loop(g, gate, block->loop, join);
        g->gates[block->id] = gate;
    }
    for (ls_ir_loop *loop = start->loop; loop; loop = loop->parent) gate = leave_loop(g, gate, loop, join);
    assert(!g->blocks.length || g->blocks.items[g->blocks.length - 1] == start);
    return gate;
}

static void gate_block(gating *g, ls_ir_block *join) {
    bool reducible = true;
    block_list list = {0};
    if (join->is_loop_header) {
        join->gate = region_gate(g, join->idom, join, EDGES_ENTRY, &reducible);
        join->carried = region_gate(g, join, join, EDGES_BACK, &reducible);
    } else {
        join->gate = region_gate(g, join->idom, join, EDGES_ALL, &reducible);
    }
    if (reducible) {
        list_gate(g, join, join->gate, &list);
        list_gate(g, join, join->carried, &list);
    } else {
        join->gate = join->carried = NULL;
        list_region(g, join, &list);
    }
    for (uint32_t i = 0; i < join->phi_count; i++)
        join->phis[i]->kind = !reducible ? LS_PHI_PLAIN : join->is_loop_header ? LS_PHI_MU : LS_PHI_GAMMA;
    join->gate_branches = list.items;
    join->gate_branch_count = list.length;
}

void ir_fill_gates(ls_ir_function *f) {
    gating g = {.f = f};
    uint32_t n = f->block_count;
    g.mark = ls_xmalloc(sizeof *g.mark * n);
    g.listed = ls_xmalloc(sizeof *g.listed * n);
    g.gates = ls_xmalloc(sizeof *g.gates * n);
    memset(g.mark, 0, sizeof *g.mark * n);
    memset(g.listed, 0, sizeof *g.listed * n);
    insert_etas(&g);
    for (uint32_t i = 0; i < n; i++)
        if (f->blocks[i]->phi_count) gate_block(&g, f->blocks[i]);
    ir_fill_uses(f);
    ls_intmap_free(&g.etas);
    LS_VEC_FREE(&g.blocks);
    LS_VEC_FREE(&g.ways);
    free(g.mark), free(g.listed), free(g.gates);
}
