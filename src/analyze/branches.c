/* Branches on which lanes of a warp can disagree, loops with trip counts that differ between lanes, and the
 * term that makes it so. A branch that diverges by its shape may still be uniform by its lanes: threadIdx.x /
 * 32 is, and so is threadIdx.x < 64. */
#include "analyze/access.h"

/* What makes a predicate differ between lanes: the first leaf that is found going back. */
static const char *term_of(const analysis *a, const ls_ir_value *value) {
    static const char *const identifiers[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    LS_VEC(const ls_ir_value *) work = {0};
    ls_bitset seen = ls_bitset_new(&((analysis *)(uintptr_t)a)->arena, a->f->value_count + 1);
    const char *term = "a value that differs between threads";
    LS_VEC_PUSH(&work, value);
    while (work.length) {
        const ls_ir_value *v = work.items[--work.length];
        if (ls_bitset_has(&seen, v->id) || ls_shape_warp_uniform(a, &a->shapes[v->id])) continue;
        ls_bitset_add(&seen, v->id);
        if (v->kind == LS_VALUE_SREG) {
            if (v->sreg == LS_SREG_TID && v->element >= LS_ELEMENT_X && v->element <= LS_ELEMENT_Z)
                term = identifiers[v->element - LS_ELEMENT_X];
            else
                term = ls_ptx_sreg_of((ls_ptx_sreg)v->sreg)->name;
            break;
        }
        if (v->kind == LS_VALUE_ETA) LS_VEC_PUSH(&work, v->eta.value);
        if (v->kind == LS_VALUE_PHI)
            for (uint32_t i = 0; i < v->phi->block->pred_count; i++) LS_VEC_PUSH(&work, v->phi->args[i]);
        if (v->kind != LS_VALUE_INSTR) continue;
        uint32_t effects = v->instr->form->opcode ? v->instr->form->opcode->effects : 0;
        if (effects & LS_ATOMIC)
            term = "the result of an atomic operation";
        else if (effects & LS_READS_MEMORY)
            term = "loaded data";
        else if (v->instr->op == LS_OP_CALL)
            term = "the result of a call";
        else {
            for (uint32_t i = v->instr->src_count; i > 0; i--)
                if (v->instr->src[i - 1].value) LS_VEC_PUSH(&work, v->instr->src[i - 1].value);
            continue;
        }
        break;
    }
    LS_VEC_FREE(&work);
    return term;
}

/* One of the two ways leads to the end of the kernel with nothing on it. */
static bool leads_out(const ls_ir_function *f, const ls_ir_block *block) {
    for (uint32_t i = 0; i < block->succ_count; i++) {
        const ls_ir_block *to = block->succs[i];
        if (to == f->exit) return true;
        if (to->succ_count == 1 && to->succs[0] == f->exit && to->instr_count <= 1) return true;
    }
    return false;
}

static bool leaves_loop(const ls_ir_block *block) {
    for (const ls_ir_loop *loop = block->loop; loop; loop = loop->parent)
        for (uint32_t i = 0; i < loop->exit_count; i++)
            if (loop->exits[i].from == block) return true;
    return false;
}

void ls_fill_branches(analysis *a) {
    ls_analysis *out = a->out;
    if (out->branches) return;
    ls_fill_branch_lanes(a, NULL);
}

void ls_fill_branch_lanes(analysis *a, ls_warp *warp) {
    const ls_ir_function *f = a->f;
    ls_analysis *out = a->out;
    out->branches = LS_NEW_N(&a->arena, ls_branch_result, f->block_count + 1);
    for (uint32_t b = 0; b < f->block_count; b++) {
        bool negated;
        const ls_ir_block *block = f->blocks[b];
        const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
        if (!predicate || block->succ_count < 2) continue;
        ls_branch_result *result = &out->branches[out->branch_count++];
        *result = (ls_branch_result){.block = block, .divergent = ls_branch_diverges(a, block)};
        if (result->divergent && warp) {
            const ls_lanes *lanes = ls_warp_lanes(warp, predicate);
            result->divergent = !lanes->seen || !ls_lanes_is_uniform(lanes, ls_warp_active(warp, block).may);
        }
        result->is_loop_exit = leaves_loop(block);
        result->early_exit = leads_out(f, block);
        if (result->divergent) result->term = term_of(a, predicate);
    }
}
