/* Ways through the kernel's control flow: which instructions a thread must pass, and what its branches say of
 * it then. All of it is of the graph, so that it holds in every iteration of the loops around. */
#include "verify/check/ways.h"
#include "base/recover.h"
#include "verify/execute/exec.h"

bool ls_constant_operand(const ls_ir_operand *o, uint64_t *value) {
    if (o->kind == LS_IR_IMM) return *value = o->bits, true;
    return o->value && ls_ir_constant(o->value, value);
}

bool ls_instr_dominates(const ls_ir_instr *first, const ls_ir_instr *then) {
    if (first->block == then->block) return first->id < then->id;
    return ls_ir_dominates(first->block, then->block);
}

/* --- Reaching --------------------------------------------------------------------------------------------
 */

typedef enum { GOES_ON, ARRIVES, IS_STOPPED } passage;

/* Through the rest of a block, from its k-th instruction on. */
static passage pass(const ls_ir_block *b, uint32_t k, const ls_ir_instr *to, const ls_obstacle *obstacle) {
    for (; k < b->instr_count; k++) {
        const ls_ir_instr *i = b->instrs[k];
        if (i == to) return ARRIVES;
        if (obstacle && i->guard.kind == LS_IR_ABSENT && obstacle->stops(obstacle->data, i))
            return IS_STOPPED;
    }
    return b->succ_count || to ? GOES_ON : ARRIVES;
}

static uint32_t position(const ls_ir_instr *i) {
    uint32_t k = 0;
    while (i->block->instrs[k] != i) k++;
    return k;
}

/* From the beginning of a block (`from` NULL), or from behind an instruction of it. */
static bool reaches(const ls_proof *p, const ls_ir_block *start, const ls_ir_instr *from,
                    const ls_ir_instr *to, const ls_obstacle *obstacle) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, sizeof *seen * (p->f->block_count + 1)), found = false;
    LS_VEC(const ls_ir_block *) work = {0};
    const ls_ir_block *b = start;
    uint32_t k = from ? position(from) + 1 : 0;
    for (;;) {
        const passage how = pass(b, k, to, obstacle);
        found = how == ARRIVES;
        for (uint32_t n = 0; how == GOES_ON && n < b->succ_count; n++) {
            if (seen[b->succs[n]->id]) continue;
            seen[b->succs[n]->id] = true;
            LS_VEC_PUSH(&work, b->succs[n]);
        }
        if (found || !work.length) break;
        b = work.items[--work.length];
        k = 0;
    }
    LS_VEC_FREE(&work);
    return found;
}

bool ls_way_exists(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to,
                   const ls_obstacle *obstacle) {
    return reaches(p, from->block, from, to, obstacle);
}

/* --- Conditions ------------------------------------------------------------------------------------------
 */

static bool is_it(const void *data, const ls_ir_instr *i) {
    return i == data;
}

const ls_term *ls_way_condition(ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to) {
    const ls_term *all = ls_true(&p->terms);
    const ls_obstacle again = {is_it, from};
    const ls_ir_block *b = from->block;
    for (uint32_t steps = 0; steps < 64; steps++) {
        if (b == to->block && (b != from->block || steps || position(from) < position(to))) break;
        uint32_t ways = 0, side = 0;
        for (uint32_t k = 0; k < b->succ_count; k++) {
            if (!reaches(p, b->succs[k], NULL, to, &again)) continue;
            ways++;
            side = k;
        }
        if (ways != 1) break;
        all = ls_and(&p->terms, all, ls_edge_condition(p->whole, b, side));
        b = b->succs[side];
        if (b == from->block || b->is_loop_header) break;
    }
    return all;
}

bool ls_is_of_inputs(ls_proof *p, const ls_term *term) {
    ls_term_list leaves = {0};
    ls_leaves(&term, 1, &leaves);
    bool inputs = true;
    for (uint32_t i = 0; i < leaves.length; i++)
        inputs &=
            leaves.items[i]->op == LS_T_SYM && ls_sym_of(&p->terms, leaves.items[i])->kind == LS_SYM_INPUT;
    LS_VEC_FREE(&leaves);
    return inputs;
}

const ls_term *ls_exactly_when(ls_proof *p, const ls_ir_instr *instr) {
    const ls_term *all = ls_true(&p->terms);
    if (instr->guard.kind != LS_IR_ABSENT) return NULL;
    for (uint32_t n = 0; n < p->f->block_count; n++) {
        const ls_ir_block *b = p->f->blocks[n];
        if (b->succ_count < 2 || ls_ir_dominates(instr->block, b)) continue; /* it has been there then */
        uint32_t ways = 0, side = 0;
        for (uint32_t k = 0; k < b->succ_count; k++) {
            if (!reaches(p, b->succs[k], NULL, instr, NULL)) continue;
            ways++;
            side = k;
        }
        if (!ways || ways == b->succ_count) continue;
        if (ways != 1 || b->succ_count != 2 || !ls_ir_dominates(b, instr->block)) return NULL;
        all = ls_and(&p->terms, all, ls_edge_condition(p->whole, b, side));
    }
    return all;
}

const ls_term *ls_needed(ls_proof *p, const ls_ir_instr *instr) {
    const ls_term *all = ls_exactly_when(p, instr);
    return all && ls_is_of_inputs(p, all) ? all : NULL;
}
