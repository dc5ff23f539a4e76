/* Loop variables that run through known numbers: s = 1, 2, 4, … 128 of a reduction's loop. What an access
 * costs in each iteration can then be looked at one by one. */
#include "analyze/access.h"
#include "analyze/fold.h"

/* The constant that a value is, by its shape. */
static bool known(const analysis *a, const ls_ir_value *value, int64_t *number) {
    const ls_shape *shape = &a->shapes[value->id];
    if (!ls_poly_is_constant(shape)) return false;
    *number = shape->constant.rest;
    return true;
}

/* The number of `value` where `variable` has the number `at`, through unguarded integer instructions. */
static bool evaluate(const analysis *a, const ls_ir_value *value, const ls_ir_value *variable, int64_t at,
                     uint32_t depth, int64_t *result) {
    if (value == variable) return *result = at, true;
    if (known(a, value, result)) return true;
    if (value->kind == LS_VALUE_ETA) return evaluate(a, value->eta.value, variable, at, depth + 1, result);
    if (value->kind != LS_VALUE_INSTR || depth > 8) return false;
    const ls_ir_instr *instr = value->instr;
    if (instr->guard.kind != LS_IR_ABSENT || instr->src_count > 6 || value->result) return false;
    int64_t numbers[6];
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!instr->src[i].value || !evaluate(a, instr->src[i].value, variable, at, depth + 1, &numbers[i]))
            return false;
    ls_folder folder;
    if (!ls_fold_find(instr, &folder)) return false;
    *result = ls_fold(&folder, numbers);
    return true;
}

/* Whether the loop continues at its only exit if the variable has this value. */
static bool goes_on(const analysis *a, const ls_ir_loop *loop, const ls_ir_value *variable, int64_t at,
                    bool *more) {
    const ls_ir_block *from = loop->exits[0].from;
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
    int64_t truth;
    if (!predicate || from->succ_count != 2 || !evaluate(a, predicate, variable, at, 0, &truth)) return false;
    bool first = (truth != 0) != negated;
    const ls_ir_block *to = from->succs[first ? 0 : 1];
    *more = to != loop->exits[0].to;
    return true;
}

static uint32_t run(const analysis *a, const ls_ir_phi *phi, int64_t *numbers, uint32_t most) {
    const ls_ir_block *head = phi->block;
    const ls_ir_loop *loop = head->loop;
    if (!loop || loop->header != head || loop->exit_count != 1 || head->pred_count != 2 ||
        loop->latch_count != 1)
        return 0;
    uint32_t latch = head->preds[0] == loop->latches[0] ? 0 : 1;
    int64_t at;
    if (!known(a, phi->args[1 - latch], &at)) return 0;
    bool tested_first = loop->exits[0].from == head;
    for (uint32_t count = 0; count < most;) {
        bool more;
        if (!goes_on(a, loop, phi->value, at, &more)) return 0;
        if (!tested_first || more) numbers[count++] = at;
        if (!more) return count;
        if (!evaluate(a, phi->args[latch], phi->value, at, 0, &at)) return 0;
    }
    return 0;
}

/* Phis of loop heads that the value is made from. */
static uint32_t search(analysis *a, const ls_ir_value *from, const ls_ir_block *inside,
                       const ls_ir_value **variable, int64_t *numbers, uint32_t most) {
    LS_VEC(const ls_ir_value *) work = {0};
    ls_bitset seen = ls_bitset_new(&a->arena, a->f->value_count + 1);
    uint32_t count = 0;
    LS_VEC_PUSH(&work, from);
    for (uint32_t steps = 0; work.length && steps < 256 && !count; steps++) {
        const ls_ir_value *v = work.items[--work.length];
        if (ls_bitset_has(&seen, v->id)) continue;
        ls_bitset_add(&seen, v->id);
        if (v->kind == LS_VALUE_PHI) {
            const ls_ir_loop *loop = v->phi->block->loop;
            if (loop && ls_ir_loop_contains(loop, inside) && ls_shape_uniform(&a->shapes[v->id]))
                count = run(a, v->phi, numbers, most);
            if (count) *variable = v;
            continue;
        }
        if (v->kind != LS_VALUE_INSTR) continue;
        for (uint32_t i = 0; i < v->instr->src_count; i++)
            if (v->instr->src[i].value) LS_VEC_PUSH(&work, v->instr->src[i].value);
    }
    LS_VEC_FREE(&work);
    return count;
}

uint32_t ls_loop_numbers(analysis *a, const ls_ir_access *access, const ls_ir_value **variable,
                         int64_t *numbers, uint32_t most) {
    const ls_ir_value *address = access->instr->src[access->src].value;
    const ls_ir_block *block = access->instr->block;
    if (!address || !block->loop) return 0;
    uint32_t count = search(a, address, block, variable, numbers, most);
    bool negated;
    for (uint32_t i = 0; !count && i < block->control_count; i++) {
        const ls_ir_value *predicate = ls_ir_branch_predicate(block->control[i].block, &negated);
        if (predicate) count = search(a, predicate, block, variable, numbers, most);
    }
    return count;
}
