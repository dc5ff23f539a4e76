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
 * An inner join that every way from its own dominator leads to cannot make a difference: such parts are
 * stepped over (next_join), which keeps nested ifs and loops from being looked at again at every level. */
#include "base/recover.h"
#include "graph/dominators.h"
#include "ir/private.h"

#include <assert.h>

typedef LS_VEC(ls_ir_block *) block_list;

typedef struct {
    ls_ir_function *f;
    uint32_t *mark;     /* by block: the region it was last put into */
    ls_ir_gate **gates; /* by block, where mark says so */
    uint32_t region;
    block_list blocks;         /* of the region */
    LS_VEC(ls_ir_gate *) ways; /* of the current block */
    uint32_t *next_join;       /* by block: the join that every way forward from it leads to, or LS_IR_NONE */
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
    ls_ir_gate *gate = LS_NEW(&g->f->hidden->arena, ls_ir_gate);
    gate->kind = (uint8_t)kind;
    gate->id = g->f->gate_count++;
    gate->part_count = parts;
    if (parts) gate->parts = LS_NEW_N(&g->f->hidden->arena, ls_ir_gate *, parts);
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

/* The same edges, by their ends. */
static ls_adjacency reversed(ls_arena *arena, const ls_adjacency *a, uint32_t n) {
    uint32_t edges = a->start[n];
    ls_adjacency r = {LS_NEW_N(arena, uint32_t, n + 2), LS_NEW_N(arena, uint32_t, edges + 1)};
    for (uint32_t i = 0; i < edges; i++) r.start[a->to[i] + 1]++;
    for (uint32_t v = 0; v < n; v++) r.start[v + 1] += r.start[v];
    uint32_t *next = LS_NEW_N(arena, uint32_t, n + 1);
    memcpy(next, r.start, sizeof *next * (n + 1));
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t i = a->start[v]; i < a->start[v + 1]; i++) r.to[next[a->to[i]]++] = v;
    return r;
}

/* The forward edges; a back edge goes to a node of its loop instead, and from there to the loop's exits. The
 * nodes of loops follow those of the blocks; the last node is the end of everything. */
static uint32_t forward_target(const ls_ir_function *f, const ls_ir_block *from, const ls_ir_block *to) {
    return is_back_edge(from, to) ? f->block_count + to->loop->id : to->id;
}

static ls_adjacency forward_edges(ls_arena *arena, const ls_ir_function *f) {
    uint32_t n = f->block_count, end = n + f->loop_count, edges = 0, at = 0;
    for (uint32_t i = 0; i < n; i++) edges += f->blocks[i]->succ_count + 1;
    for (uint32_t i = 0; i < f->loop_count; i++) edges += f->loops[i]->exit_count + 1;
    ls_adjacency a = {LS_NEW_N(arena, uint32_t, end + 2), LS_NEW_N(arena, uint32_t, edges + 1)};
    for (uint32_t i = 0; i < end; i++) {
        const ls_ir_block *block = i < n ? f->blocks[i] : NULL;
        const ls_ir_loop *loop = i < n ? NULL : f->loops[i - n];
        uint32_t first = a.start[i] = at;
        for (uint32_t s = 0; block && s < block->succ_count; s++)
            a.to[at++] = forward_target(f, block, block->succs[s]);
        for (uint32_t e = 0; loop && e < loop->exit_count; e++)
            a.to[at++] = forward_target(f, loop->exits[e].from, loop->exits[e].to);
        if (at == first) a.to[at++] = end;
    }
    a.start[end] = a.start[end + 1] = at;
    return a;
}

/* Post-dominators of the forward edges. A block that post-dominates its own dominator in this sense closes a
 * part of the CFG that is entered and left at one point each. Not used where control flow is irreducible. */
static void find_next_joins(gating *g) {
    LS_SCRATCH(scratch);
    ls_ir_function *f = g->f;
    uint32_t n = f->block_count, end = n + f->loop_count;
    for (uint32_t i = 0; i < n; i++) g->next_join[i] = LS_IR_NONE;
    if (f->irreducible_count) return;
    ls_adjacency succs = forward_edges(&scratch, f), preds = reversed(&scratch, &succs, end + 1);
    uint32_t *idom = ls_arena_alloc(&scratch, sizeof *idom * (end + 2));
    ls_dominators(end + 1, &preds, &succs, end, idom);
    for (uint32_t i = 0; i < n; i++)
        if (idom[i] < n) g->next_join[i] = idom[i];
}

/* The block from which everything leads to this one, where such a part of the CFG can be stepped over. */
static ls_ir_block *part_start(const gating *g, const ls_ir_block *block) {
    return block->pred_count > 1 && block->idom && g->next_join[block->idom->id] == block->id ? block->idom
                                                                                              : NULL;
}

static void add_to_region(gating *g, ls_ir_block *block) {
    if (g->mark[block->id] == g->region) return;
    g->mark[block->id] = g->region;
    LS_VEC_PUSH(&g->blocks, block);
}

/* The blocks between start and the join, without passing back edges. False in irreducible control flow. */
static bool collect_region(gating *g, const ls_ir_block *start, const ls_ir_block *join, edge_choice choice) {
    bool reducible = true;
    g->region++;
    g->blocks.length = 0;
    for (uint32_t i = 0; i < join->pred_count; i++)
        if (is_chosen(join->preds[i], join, choice)) add_to_region(g, join->preds[i]);
    for (uint32_t next = 0; next < g->blocks.length; next++) {
        const ls_ir_block *block = g->blocks.items[next];
        reducible &= !block->irreducible_entry;
        if (block == start) continue;
        ls_ir_block *before = part_start(g, block);
        if (before) add_to_region(g, before);
        for (uint32_t i = 0; !before && i < block->pred_count; i++)
            if (!is_back_edge(block->preds[i], block)) add_to_region(g, block->preds[i]);
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
    uint32_t next = g->next_join[block->id]; /* stepped over: the same as at its end */
    if (next != LS_IR_NONE && next != join->id && g->mark[next] == g->region &&
        part_start(g, g->f->blocks[next]) == block)
        return g->gates[next];
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
    LS_VEC_PUSH_IN(&g->f->hidden->arena, list, branch);
}

/* Every branch in a gate, and those that decide when the loops are left that it leaves. Sharing: a visited
 * mark by gate id. */
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
        for (uint32_t i = 0; gate->kind == LS_GATE_ETA && i < gate->loop->exit_branch_count; i++)
            list_branch(g, join, gate->loop->exit_branches[i], list);
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
    uint32_t edges = 0, edge = 0;
    for (uint32_t i = 0; i < join->pred_count; i++)
        if (is_chosen(join->preds[i], join, choice)) edges++, edge = i;
    if (edges == 1) {
        ls_ir_gate *leaf = new_gate(g, LS_GATE_EDGE, 0);
        leaf->edge = edge;
        *reducible &= !join->irreducible_entry;
        return leaf;
    }
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
    LS_SCRATCH(scratch);
    gating g = {.f = f};
    uint32_t n = f->block_count;
    g.mark = ls_arena_zalloc(&scratch, sizeof *g.mark * n);
    g.listed = ls_arena_zalloc(&scratch, sizeof *g.listed * n);
    g.gates = ls_arena_alloc(&scratch, sizeof *g.gates * n);
    g.next_join = ls_arena_alloc(&scratch, sizeof *g.next_join * n);
    insert_etas(&g);
    find_next_joins(&g);
    for (uint32_t i = 0; i < n; i++)
        if (f->blocks[i]->phi_count) gate_block(&g, f->blocks[i]);
    ir_fill_uses(f);
    ls_intmap_free(&g.etas);
    LS_VEC_FREE(&g.blocks);
    LS_VEC_FREE(&g.ways);
}
