/* The order of sweeps, and who depends on whom. A value's users are in the IR; what is added here are the
 * dependences on branches: phis on the branches that gate them (003 §3.2: γ), η on those that decide when its
 * loop is left, which are the exits' own and all that decide, inside of the loop, whether an exit is reached.
 */
#include "analyze/private.h"

#include <string.h>

static void add_etas(analysis *a, const ls_ir_value *value) {
    for (uint32_t u = 0; value && u < value->use_count; u++) {
        if (value->uses[u].kind != LS_USE_ETA) continue;
        ls_ir_value *eta = value->uses[u].eta;
        if (a->node_of_value[eta->id] != LS_IR_NONE) continue;
        a->node_of_value[eta->id] = a->node_count;
        a->nodes[a->node_count++] = (ls_node){.kind = LS_NODE_ETA, .eta = eta};
        add_etas(a, eta);
    }
}

static void add_block(analysis *a, const ls_ir_block *block) {
    for (uint32_t i = 0; i < block->phi_count; i++) {
        ls_ir_phi *phi = block->phis[i];
        a->node_of_value[phi->value->id] = a->node_count;
        a->nodes[a->node_count++] = (ls_node){.kind = LS_NODE_PHI, .phi = phi};
    }
    for (uint32_t i = 0; i < block->phi_count; i++) add_etas(a, block->phis[i]->value);
    for (uint32_t i = 0; i < block->instr_count; i++) {
        ls_ir_instr *instr = block->instrs[i];
        a->node_of_instr[instr->id] = a->node_count;
        a->nodes[a->node_count++] = (ls_node){.kind = LS_NODE_INSTR, .instr = instr};
        for (uint32_t k = 0; k < instr->dst_count; k++) add_etas(a, instr->dst[k].value);
    }
}

static void depend(analysis *a, const ls_ir_block *branch, uint32_t node, uint32_t count) {
    ls_dependent *dependent = LS_NEW(&a->arena, ls_dependent);
    *dependent = (ls_dependent){node, count, a->on_branch[branch->id]};
    a->on_branch[branch->id] = dependent;
}

/* The branches that decide when the loop is left: from each exit up its control dependences in the loop. */
static ls_loop_exits exits_of(analysis *a, const ls_ir_loop *loop, ls_bitset *seen) {
    memset(seen->words, 0, ls_bitset_words(seen->bits) * sizeof *seen->words);
    LS_VEC(const ls_ir_block *) work = {0};
    ls_loop_exits exits = {0};
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < loop->exit_count; i++) LS_VEC_PUSH(&work, loop->exits[i].from);
    while (work.length) {
        const ls_ir_block *block = work.items[--work.length];
        if (ls_bitset_has(seen, block->id)) continue;
        ls_bitset_add(seen, block->id);
        bool negated;
        if (ls_ir_branch_predicate(block, &negated)) {
            if (exits.count == capacity)
                exits.branches =
                    ls_vec_grown_in(&a->arena, exits.branches, &capacity, sizeof *exits.branches);
            exits.branches[exits.count++] = block;
        }
        for (uint32_t i = 0; i < block->control_count; i++)
            if (ls_ir_loop_contains(loop, block->control[i].block))
                LS_VEC_PUSH(&work, block->control[i].block);
    }
    LS_VEC_FREE(&work);
    return exits;
}

static void add_dependences(analysis *a) {
    const ls_ir_function *f = a->f;
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ls_ir_block *block = f->blocks[b];
        if (!block->phi_count) continue;
        for (uint32_t i = 0; i < block->gate_branch_count; i++)
            depend(a, block->gate_branches[i], a->node_of_value[block->phis[0]->value->id], block->phi_count);
    }
    ls_bitset seen = ls_bitset_new(&a->arena, f->block_count);
    a->loop_exits = LS_NEW_N(&a->arena, ls_loop_exits, f->loop_count + 1);
    for (uint32_t i = 0; i < f->loop_count; i++) a->loop_exits[i] = exits_of(a, f->loops[i], &seen);
    for (uint32_t n = 0; n < a->node_count; n++) {
        if (a->nodes[n].kind != LS_NODE_ETA) continue;
        const ls_loop_exits *exits = &a->loop_exits[a->nodes[n].eta->eta.loop->id];
        for (uint32_t i = 0; i < exits->count; i++) depend(a, exits->branches[i], n, 1);
    }
}

void ls_fill_nodes(analysis *a) {
    const ls_ir_function *f = a->f;
    uint32_t most = f->instr_count + f->value_count + 1;
    a->nodes = LS_NEW_N(&a->arena, ls_node, most);
    a->node_of_instr = LS_NEW_N(&a->arena, uint32_t, f->instr_count + 1);
    a->node_of_value = LS_NEW_N(&a->arena, uint32_t, f->value_count + 1);
    a->on_branch = LS_NEW_N(&a->arena, ls_dependent *, f->block_count + 1);
    for (uint32_t i = 0; i < f->value_count; i++) a->node_of_value[i] = LS_IR_NONE;
    for (uint32_t b = 0; b < f->block_count; b++) add_block(a, f->blocks[b]);
    for (uint32_t i = 0; i < f->value_count; i++) /* η of constants and identifiers */
        if (f->values[i]->kind != LS_VALUE_INSTR && f->values[i]->kind != LS_VALUE_PHI)
            add_etas(a, f->values[i]);
    add_dependences(a);
}

void ls_mark_users(const analysis *a, const ls_ir_value *value, ls_bitset *dirty) {
    for (uint32_t u = 0; u < value->use_count; u++) {
        const ls_ir_use *use = &value->uses[u];
        if (use->kind == LS_USE_PHI)
            ls_bitset_add(dirty, a->node_of_value[use->phi->value->id]);
        else if (use->kind == LS_USE_ETA)
            ls_bitset_add(dirty, a->node_of_value[use->eta->id]);
        else {
            ls_bitset_add(dirty, a->node_of_instr[use->instr->id]);
            bool decides = use->kind == LS_USE_GUARD || use->instr->op == LS_OP_BRX_IDX;
            if (decides && use->instr == use->instr->block->terminator)
                ls_mark_branch(a, use->instr->block, dirty);
        }
    }
}

void ls_mark_branch(const analysis *a, const ls_ir_block *block, ls_bitset *dirty) {
    for (const ls_dependent *d = a->on_branch[block->id]; d; d = d->next)
        for (uint32_t i = 0; i < d->count; i++) ls_bitset_add(dirty, d->node + i);
}
