/* Counters of loops as linear forms (linear.h): what they start with, and a multiple of their step up to what
 * they have in the last turn. How many turns there are follows from the comparison that ends the loop. */
#include "detect/linear.h"

/* Where this predicate has that truth, `next` is at most *most: it is compared with a constant, or an `and`
 * or `or` of predicates says so. */
static bool bounds_next(decomposer d, ls_ir_value *p, bool holds, const ls_ir_value *next, uint32_t depth,
                        int64_t *most) {
    linear limit;
    p = ls_ir_origin(p);
    if (p->kind != LS_VALUE_INSTR || p->result || p->instr->guard.kind != LS_IR_ABSENT ||
        p->instr->src_count != 2 || !p->instr->src[0].value || !p->instr->src[1].value)
        return false;
    const ls_ir_instr *instr = p->instr;
    if (instr->op == (holds ? LS_OP_AND : LS_OP_OR) && depth < 8)
        for (uint32_t i = 0; i < 2; i++)
            if (!(instr->src[i].flags & LS_OPERAND_NOT) &&
                bounds_next(d, instr->src[i].value, holds, next, depth + 1, most))
                return true;
    if (instr->op != LS_OP_SETP || ls_ir_origin(instr->src[0].value) != next ||
        !dt_decompose(d, instr->src[1].value, &limit) || !dt_is_constant(&limit))
        return false;
    uint16_t op = instr->form->compare;
    bool below = holds ? op == LS_MOD_LT || op == LS_MOD_LO : op == LS_MOD_GE || op == LS_MOD_HS;
    bool to = holds ? op == LS_MOD_LE || op == LS_MOD_LS : op == LS_MOD_GT || op == LS_MOD_HI;
    *most = limit.constant - below;
    return (below || to) && *most >= 0 && *most <= INT32_MAX;
}

/* The highest value for which the loop of the phi goes on, where its last branch compares the next value with
 * a constant: `next < constant`. */
static bool last_turn(decomposer d, const ls_ir_phi *phi, uint32_t back, const ls_ir_value *next,
                      int64_t *most) {
    const ls_ir_block *from = phi->block->preds[back];
    bool negated;
    ls_ir_value *p = ls_ir_branch_predicate(from, &negated);
    if (!p || from->succ_count != 2 || from->succs[0] == from->succs[1]) return false;
    return bounds_next(d, p, (from->succs[0] == phi->block) != negated, next, 0, most);
}

/* The sum or difference of two values, of which nothing is cut off. */
static const ls_ir_instr *sum_of(const ls_ir_value *value, uint16_t op) {
    if (value->kind != LS_VALUE_INSTR || value->result || value->instr->op != op ||
        value->instr->guard.kind != LS_IR_ABSENT || value->instr->src_count != 2 ||
        !value->instr->src[0].value || !value->instr->src[1].value ||
        ls_ptx_form_has(value->instr->form, LS_MOD_SAT))
        return NULL;
    return value->instr;
}

/* What the phi has in the next turn, where that is itself and a constant more. */
static ls_ir_value *counted(decomposer d, const ls_ir_phi *phi, uint32_t back, int64_t *more) {
    linear step;
    ls_ir_value *next = phi->args[back] ? ls_ir_origin(phi->args[back]) : NULL;
    const ls_ir_instr *sum = next ? sum_of(next, LS_OP_ADD) : NULL;
    if (!sum || ls_ir_origin(sum->src[0].value) != phi->value || !dt_decompose(d, sum->src[1].value, &step) ||
        !dt_is_constant(&step))
        return NULL;
    *more = step.constant;
    return next;
}

static bool is_set_in(const ls_ir_loop *loop, const ls_ir_value *value) {
    if (value->kind == LS_VALUE_INSTR) return ls_ir_loop_contains(loop, value->instr->block);
    if (value->kind == LS_VALUE_PHI) return ls_ir_loop_contains(loop, value->phi->block);
    return value->kind == LS_VALUE_ETA;
}

/* How far another counter of the loop is from where it was given out: i - first, where i goes from first + t
 * on, and this phi starts with t. Then it counts in the same steps, whatever `first` is. */
static ls_ir_value *counted_beside(decomposer d, const ls_ir_phi *phi, uint32_t back, int64_t *more) {
    ls_ir_value *next = phi->args[back] ? ls_ir_origin(phi->args[back]) : NULL;
    const ls_ir_instr *difference = next ? sum_of(next, LS_OP_SUB) : NULL;
    if (!difference || !phi->args[1 - back]) return NULL;
    const ls_ir_value *first = ls_ir_origin(difference->src[1].value),
                      *start = ls_ir_origin(phi->args[1 - back]);
    if (!phi->block->loop || is_set_in(phi->block->loop, first)) return NULL;
    for (uint32_t i = 0; i < phi->block->phi_count; i++) {
        const ls_ir_phi *other = phi->block->phis[i];
        const ls_ir_value *begun = other->args[1 - back] ? ls_ir_origin(other->args[1 - back]) : NULL;
        const ls_ir_instr *sum = begun ? sum_of(begun, LS_OP_ADD) : NULL;
        if (!sum || other->value->type != phi->value->type || begun->type != other->value->type ||
            counted(d, other, back, more) != ls_ir_origin(difference->src[0].value))
            continue;
        for (uint32_t n = 0; n < 2; n++)
            if (ls_ir_origin(sum->src[n].value) == first && ls_ir_origin(sum->src[1 - n].value) == start)
                return next;
    }
    return NULL;
}

ls_ir_value *dt_next_of(decomposer d, const ls_ir_phi *phi, uint32_t back, int64_t *more) {
    ls_ir_value *next = counted(d, phi, back, more);
    return next ? next : counted_beside(d, phi, back, more);
}

int dt_compares(uint16_t op, int64_t a, int64_t b) {
    switch (op) {
    case LS_MOD_EQ: return a == b;
    case LS_MOD_NE: return a != b;
    case LS_MOD_LT:
    case LS_MOD_LO: return a < b;
    case LS_MOD_LE:
    case LS_MOD_LS: return a <= b;
    case LS_MOD_GT:
    case LS_MOD_HI: return a > b;
    case LS_MOD_GE:
    case LS_MOD_HS: return a >= b;
    default: return -1;
    }
}

/* What is compared, without a conversion to 32 bits: that changes nothing of numbers below 2^31. */
static const ls_ir_value *compared(ls_ir_value *value) {
    const ls_ir_value *v = ls_ir_origin(value);
    if (v->kind != LS_VALUE_INSTR || v->result || v->instr->op != LS_OP_CVT || v->instr->src_count != 1 ||
        v->instr->guard.kind != LS_IR_ABSENT || !v->instr->src[0].value)
        return v;
    const ls_ir_value *from = ls_ir_origin(v->instr->src[0].value);
    const bool numbers = ls_ptx_type_kind_of((ls_ptx_type)v->type) != LS_KIND_FLOAT &&
                         ls_ptx_type_kind_of((ls_ptx_type)from->type) != LS_KIND_FLOAT;
    return numbers && ls_ptx_type_bits((ls_ptx_type)v->type) == 32 &&
                   ls_ptx_type_bits((ls_ptx_type)from->type) == 64
               ? from
               : v;
}

/* A loop that goes on as long as its counter, which goes up, is below the limit: no start gives more turns
 * than the lowest one. */
static bool is_upward(uint16_t op, bool holds, int64_t step) {
    switch (op) {
    case LS_MOD_LT:
    case LS_MOD_LO:
    case LS_MOD_LE:
    case LS_MOD_LS: return holds && step > 0;
    case LS_MOD_GE:
    case LS_MOD_HS:
    case LS_MOD_GT:
    case LS_MOD_HI: return !holds && step > 0;
    default: return false;
    }
}

/* How often the loop is gone through at most, by this counter, whose next value its last branch compares with
 * a constant; 0: that is not known. */
static int64_t turns_by(decomposer d, const ls_ir_phi *phi, uint32_t back) {
    enum { MOST_TURNS = 1 << 16 };
    const ls_ir_block *to = phi->block, *from = to->preds[back];
    for (; from->succ_count == 1 && from->pred_count == 1; from = from->preds[0]) to = from;
    bool negated;
    int64_t step;
    linear start, limit;
    ls_ir_value *next = dt_next_of(d, phi, back, &step), *p = ls_ir_branch_predicate(from, &negated);
    if (!next || !p || from->succ_count != 2 || from->succs[0] == from->succs[1] || !phi->args[1 - back])
        return 0;
    const bool holds = (from->succs[0] == to) != negated;
    p = ls_ir_origin(p);
    if (p->kind != LS_VALUE_INSTR || p->instr->op != LS_OP_SETP || p->instr->src_count != 2 || p->result ||
        p->instr->guard.kind != LS_IR_ABSENT || !p->instr->src[0].value || !p->instr->src[1].value ||
        compared(p->instr->src[0].value) != next || ls_ptx_type_bits((ls_ptx_type)next->type) < 32 ||
        !dt_decompose(d, p->instr->src[1].value, &limit) || !dt_is_constant(&limit) || limit.constant < 0 ||
        !dt_decompose(d, phi->args[1 - back], &start))
        return 0;
    const uint16_t op = p->instr->form->compare;
    const int64_t highest = dt_highest(&d, &start);
    if (!dt_is_constant(&start) &&
        (!is_upward(op, holds, step) || highest < 0 ||
         (highest > limit.constant ? highest : limit.constant) + step > INT32_MAX)) /* it may wrap around */
        return 0;
    int64_t now = start.constant + step;
    for (int64_t turns = 1; turns <= MOST_TURNS && now >= 0 && now <= INT32_MAX; turns++, now += step)
        if (dt_compares(op, now, limit.constant) == !holds) return turns;
    return 0;
}

bool dt_add_turns(decomposer d, const ls_ir_phi *phi, uint32_t back, linear *out) {
    int64_t turns = 0, step;
    const ls_ir_block *header = phi->block;
    if (!dt_next_of(d, phi, back, &step) || step <= 0) return false;
    for (uint32_t i = 0; i < header->phi_count && !turns; i++) turns = turns_by(d, header->phis[i], back);
    const int64_t top = dt_highest(&d, out);
    if (!turns || top < 0 || step > INT32_MAX || top + turns * step > INT32_MAX) return false;
    *out = dt_sum(*out, (linear){.step = step, .spread = (turns - 1) * step});
    return true;
}

bool dt_bound_counter(decomposer d, const ls_ir_phi *phi, linear *out) {
    int64_t most, step;
    if (phi->block->pred_count != 2 || !phi->block->is_loop_header ||
        ls_ptx_type_bits((ls_ptx_type)phi->value->type) < 32)
        return false;
    for (uint32_t back = 0; back < 2; back++) {
        const ls_ir_value *next = dt_next_of(d, phi, back, &step);
        if (!next || !phi->args[1 - back]) continue;
        if (step <= 0 || !dt_decompose(d, phi->args[1 - back], out)) return false;
        if (!last_turn(d, phi, back, next, &most)) return dt_add_turns(d, phi, back, out);
        /* it is the start, or at most `most`; the next value must not wrap around */
        int64_t top = dt_highest(&d, out);
        if (top < 0 || (top > most ? top : most) + step > INT32_MAX) return false;
        *out = dt_sum(*out, (linear){.step = step, .spread = most / step * step});
        return true;
    }
    return false;
}
