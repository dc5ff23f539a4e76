/* Blocks cut at barriers into nodes (000, §3.1 has barriers as statements; here a barrier interval is what
 * can be reached from a barrier without crossing another). For each loop it is found whether there is a way
 * round it that crosses no barrier: only then are its iterations within one interval. */
#include "verify/execute/nodes.h"
#include "verify/check/groups.h"
#include "verify/check/ticket_named.h"
#include "verify/execute/calls.h"
#include "verify/execute/cluster_halves.h"
#include "verify/proof.h"

#include <assert.h>

static bool is_grid_barrier(const ls_ir_instr *i) {
    return ls_call_of(i) == LS_CALL_GRID && i->guard.kind == LS_IR_ABSENT;
}

bool ls_is_barrier(const ls_ir_instr *i) {
    if (i->call) return is_grid_barrier(i);
    if (!i->form->opcode->barrier) return false;
    if (ls_is_cluster_barrier(i)) return true;
    return ls_ptx_waits_for_block(i->form->opcode);
}

bool ls_waits_for_lanes(const ls_ir_instr *i) {
    return !i->call && !i->unknown && (i->form->opcode->effects & LS_WARP_BARRIER);
}

static bool is_marker(const ls_ir_instr *i) {
    return ls_ir_builtin(i) == LS_BUILTIN_BARRIER;
}

static bool has_markers(const ls_ir_function *f) {
    for (uint32_t k = 0; k < f->instr_count; k++)
        if (is_marker(f->instrs[k])) return true;
    return false;
}

/* The call before the barrier at `index` in which the fence flags of OpenCL stand; NULL: none. */
static const ls_ir_instr *marker_of(const ls_ir_block *b, uint32_t index) {
    for (uint32_t k = index; k-- > 0 && !ls_is_barrier(b->instrs[k]);)
        if (is_marker(b->instrs[k])) return b->instrs[k];
    return NULL;
}

const ls_ir_value *ls_open_flags(const ls_node *n) {
    const ls_ir_instr *marker = n->barrier && !n->warp ? marker_of(n->block, n->end - 1) : NULL;
    ls_ir_value *flags = marker ? ls_ir_argument_value(marker, 0, 0) : NULL;
    uint64_t bits;
    return flags && !ls_ir_constant(flags, &bits) ? flags : NULL;
}

/* What the barrier at `index` orders. Where that depends on a value, it is none that is proved to (flags.c).
 */
static uint8_t orders_of(ls_proof *p, const ls_ir_block *b, uint32_t index, bool marked) {
    if (is_grid_barrier(b->instrs[index])) return LS_ORDERS_SHARED | LS_ORDERS_GLOBAL | LS_ORDERS_GRID;
    if (ls_is_cluster_barrier(b->instrs[index]))
        return ls_halves_are_one(p, b->instrs[index])
                   ? LS_ORDERS_SHARED | LS_ORDERS_GLOBAL | LS_ORDERS_CLUSTER
                   : LS_ORDERS_CLUSTER;
    if (!marked) return LS_ORDERS_SHARED | LS_ORDERS_GLOBAL;
    const ls_ir_instr *marker = marker_of(b, index);
    ls_ir_value *flags = marker ? ls_ir_argument_value(marker, 0, 0) : NULL;
    uint64_t bits = 0;
    if (marker && !(flags && ls_ir_constant(flags, &bits))) {
        ls_unknown(p, marker->pos, NULL, "it is not known which memory this barrier orders");
        if (!flags) p->unmodelled_sync |= LS_SYNC_ANYWHERE;
    }
    return (uint8_t)(bits & 3);
}

static ls_node *add_node(ls_proof *p, ls_ir_block *b, uint32_t first, uint32_t end) {
    ls_node *n = LS_NEW(&p->arena, ls_node);
    *n = (ls_node){.id = p->node_count, .block = b, .first = first, .end = end};
    p->nodes[p->node_count++] = n;
    return n;
}

/* A way from the header round the loop that crosses no barrier ordering `memory`. */
static bool goes_round(const ls_proof *p, const ls_ir_loop *loop, uint8_t memory, bool *seen) {
    memset(seen, 0, p->node_count);
    LS_VEC(uint32_t) work = {0};
    LS_VEC_PUSH(&work, p->first_node[loop->header->id]);
    bool found = false;
    while (work.length && !found) {
        uint32_t at = work.items[--work.length];
        if (seen[at]) continue;
        seen[at] = true;
        const ls_node *n = p->nodes[at];
        if (n->barrier) {
            if (!(n->orders & memory)) LS_VEC_PUSH(&work, at + 1);
            continue;
        }
        for (uint32_t k = 0; k < n->block->succ_count; k++) {
            ls_ir_block *to = n->block->succs[k];
            found |= to == loop->header;
            if (ls_ir_loop_contains(loop, to)) LS_VEC_PUSH(&work, p->first_node[to->id]);
        }
    }
    LS_VEC_FREE(&work);
    return found;
}

typedef struct {
    bool *free[LS_ORDERS_COUNT]; /* by memory ordered, by loop */
} cycles;

static const ls_part CYCLES = {sizeof(cycles), NULL};

bool ls_is_free_cycle(const ls_proof *p, uint8_t memory, const ls_ir_loop *loop) {
    return ((const cycles *)ls_part_of(p, &CYCLES))->free[memory][loop->id];
}

void ls_find_cycles(ls_proof *p, uint8_t memory) {
    cycles *all = ls_part_of(p, &CYCLES);
    const ls_ir_function *f = p->f;
    bool *seen = LS_NEW_N(&p->arena, bool, p->node_count);
    all->free[memory] = LS_NEW_N(&p->arena, bool, f->loop_count + 1);
    for (uint32_t l = 0; l < f->loop_count; l++)
        all->free[memory][l] = goes_round(p, f->loops[l], memory, seen);
}

/* --- Nodes in sort order -----------------------------------------------------------------------------------
 */

static void cut_block(ls_proof *p, ls_ir_block *block, bool marked) {
    uint32_t first = 0;
    p->first_node[block->id] = p->node_count;
    for (uint32_t k = 0; k < block->instr_count; k++) {
        bool warp =
            block->instrs[k]->form->opcode->barrier == LS_BARRIER_WARP || ls_is_partial(p, block->instrs[k]);
        if ((!warp && !ls_is_barrier(block->instrs[k])) || ls_is_handed(p, block->instrs[k])) continue;
        ls_node *n = add_node(p, block, first, k + 1);
        n->barrier = block->instrs[k];
        n->warp = warp; /* what it orders comes out later (warps.c, groups.c) */
        if (!warp) n->orders = orders_of(p, block, k, marked);
        first = k + 1;
    }
    add_node(p, block, first, block->instr_count);
}

/* The graph of the nodes, as they stand in the text, for the code that `lockstep model` has its sort order
 * and its predication from. */
static ls_cfg *make_graph(ls_proof *p) {
    const ls_ir_function *f = p->f;
    uint32_t edges = p->node_count;
    for (uint32_t b = 0; b < f->block_count; b++) edges += f->blocks[b]->succ_count;
    uint32_t *start = LS_NEW_N(&p->arena, uint32_t, p->node_count + 1);
    uint32_t *targets = LS_NEW_N(&p->arena, uint32_t, edges + 1);
    for (uint32_t n = 0, at = 0; n < p->node_count; n++) {
        const ls_ir_block *b = p->nodes[n]->block;
        if (p->nodes[n]->barrier)
            targets[at++] = n + 1;
        else
            for (uint32_t k = 0; k < b->succ_count; k++) targets[at++] = p->first_node[b->succs[k]->id];
        start[n + 1] = at;
    }
    return ls_cfg_new(&(ls_graph){p->node_count, start, targets});
}

/* Numbers the nodes in sort order (000, §4): every node behind those it is reached from but for back edges,
 * every loop in one piece. Those that nothing reaches (the exit of a kernel that does not end) come last. */
static void sort_nodes(ls_proof *p) {
    ls_node **sorted = LS_NEW_N(&p->arena, ls_node *, p->node_count + 1);
    uint32_t last = p->cfg->rpo_count;
    for (uint32_t n = 0; n < p->node_count; n++) {
        uint32_t at = p->cfg->reachable[n] ? p->cfg->position[n] : last++;
        sorted[at] = p->nodes[n];
        sorted[at]->id = at;
        if (sorted[at]->first == 0) p->first_node[sorted[at]->block->id] = at;
    }
    p->nodes = sorted;
}

/* Needs the IR with reducible control flow; leaves nodes, first_node, cfg and the cycles. */
void ls_make_nodes(ls_proof *p) {
    const ls_ir_function *f = p->f;
    bool marked = has_markers(f);
    p->nodes = LS_NEW_N(&p->arena, ls_node *, f->instr_count + f->block_count + 1);
    p->first_node = LS_NEW_N(&p->arena, uint32_t, f->block_count);
    for (uint32_t b = 0; b < f->block_count; b++) cut_block(p, f->blocks[b], marked);
    p->cfg = make_graph(p);
    assert(p->cfg->reducible && f->entry->id == 0);
    sort_nodes(p);
    for (uint8_t memory = 1; memory < 4; memory++) ls_find_cycles(p, memory);
}
