/* Lane vectors of a kernel's values in one warp. Values whose shape is a polynomial are put into the lanes
 * straight from their coefficients; only what is divergent by its shape, and needed, is followed through the
 * instructions, with sweeps for loops as in shapes.c. Conditions become selects by the gates of their joins.
 */
#include "analyze/warp.h"

#include "analyze/fold.h"
#include "analyze/groups.h"

#include <string.h>

/* --- Layout of warps
 * ------------------------------------------------------------------------------------------ */

static void init(ls_warp *warp, analysis *a, ls_arena *arena) {
    const ls_ir_function *f = a->f;
    *warp = (ls_warp){.a = a, .arena = arena, .present = UINT32_MAX};
    warp->of = LS_NEW_N(arena, const ls_lanes *, f->value_count + 1);
    warp->needed = ls_bitset_new(arena, a->node_count + 1);
    warp->dirty = ls_bitset_new(arena, a->node_count + 1);
    warp->active = LS_NEW_N(arena, ls_active, f->block_count + 1);
    warp->active_known = LS_NEW_N(arena, bool, f->block_count + 1);
    int64_t lane[LANES];
    for (uint32_t l = 0; l < LANES; l++) lane[l] = l;
    warp->identifiers[LS_LANE] = ls_lanes_vector(lane);
}

static ls_lanes some_uniform(uint64_t modulus) {
    ls_lanes lanes = ls_lanes_uniform(ls_residue_make(0, modulus));
    lanes.nonnegative = true;
    return lanes;
}

bool ls_warp_generic(ls_warp *warp, analysis *a, ls_arena *arena) {
    const uint32_t *block = a->out->options.block;
    init(warp, a, arena);
    ls_lanes multiple = some_uniform(LANES);
    if (!block[0] || block[0] % LANES == 0) { /* a row is whole warps */
        warp->identifiers[LS_TID_X] = ls_lanes_add(&multiple, &warp->identifiers[LS_LANE]);
        warp->identifiers[LS_TID_Y] = warp->identifiers[LS_TID_Z] = some_uniform(1);
        if (block[0] == LANES) warp->identifiers[LS_TID_X] = warp->identifiers[LS_LANE];
        return true;
    }
    if (LANES % block[0] || block[0] * block[1] % LANES) return false;
    int64_t x[LANES], y[LANES]; /* a warp is some whole rows */
    for (uint32_t l = 0; l < LANES; l++) {
        x[l] = l % block[0];
        y[l] = l / block[0];
    }
    warp->identifiers[LS_TID_X] = ls_lanes_vector(x);
    ls_lanes rows = ls_lanes_vector(y), first = some_uniform(LANES / block[0]);
    warp->identifiers[LS_TID_Y] = ls_lanes_add(&first, &rows);
    warp->identifiers[LS_TID_Z] = some_uniform(1);
    return true;
}

uint32_t ls_warp_count(const analysis *a) {
    const uint32_t *block = a->out->options.block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    return (uint32_t)((threads + LANES - 1) / LANES);
}

void ls_warp_numbered(ls_warp *warp, analysis *a, ls_arena *arena, uint32_t number) {
    const uint32_t *block = a->out->options.block;
    init(warp, a, arena);
    int64_t tid[3][LANES];
    warp->present = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t linear = (uint64_t)number * LANES + l;
        if (linear < (uint64_t)block[0] * block[1] * block[2]) warp->present |= UINT32_C(1) << l;
        tid[0][l] = (int64_t)(linear % block[0]);
        tid[1][l] = (int64_t)(linear / block[0] % block[1]);
        tid[2][l] = (int64_t)(linear / block[0] / block[1] % block[2]);
    }
    for (uint32_t d = 0; d < 3; d++) warp->identifiers[d] = ls_lanes_vector(tid[d]);
}

/* --- Values by their shape
 * --------------------------------------------------------------------------------------- */

static ls_lanes from_shape(ls_warp *warp, const ls_shape *shape, uint32_t bits) {
#define FACTORS(id, first, second) {first, second},
    static const int8_t factors[LS_MONO_COUNT][2] = {LS_MONOMIALS(FACTORS)};
#undef FACTORS
    ls_lanes sum = ls_lanes_uniform(shape->constant);
    for (uint32_t i = 0; i < shape->term_count; i++) {
        const int8_t *factor = factors[shape->monomials[i]];
        ls_lanes coefficient = ls_lanes_uniform(shape->coefficients[i]), term;
        term = factor[1] < 0
                   ? warp->identifiers[factor[0]]
                   : ls_lanes_multiply(&warp->identifiers[factor[0]], &warp->identifiers[factor[1]]);
        term = ls_lanes_multiply(&term, &coefficient);
        sum = ls_lanes_add(&sum, &term);
    }
    sum.nonnegative = shape->nonnegative;
    for (uint32_t l = 0; l < LANES && ls_lanes_exact(&sum); l++)
        sum.offset[l] = ls_canonical((uint64_t)sum.offset[l], bits);
    return sum;
}

static ls_lanes predicate_from_shape(const ls_shape *shape) {
    if (ls_poly_is_constant(shape)) return ls_lanes_mask(shape->constant.rest & 1 ? UINT32_MAX : 0);
    return ls_lanes_predicate_function(NULL, 0, 0);
}

static ls_lanes from_lanemask(const ls_warp *warp, uint32_t sreg) {
    int64_t mask[LANES];
    (void)warp;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t bit = UINT32_C(1) << l, less = bit - 1;
        uint32_t value = sreg == LS_SREG_LANEMASK_EQ   ? bit
                         : sreg == LS_SREG_LANEMASK_LT ? less
                         : sreg == LS_SREG_LANEMASK_LE ? less | bit
                         : sreg == LS_SREG_LANEMASK_GT ? ~(less | bit)
                                                       : ~less;
        mask[l] = (int32_t)value;
    }
    return ls_lanes_vector(mask);
}

static ls_lanes leaf(const ls_warp *warp, const ls_ir_value *value) {
    bool lanemask = value->kind == LS_VALUE_SREG && value->sreg >= LS_SREG_LANEMASK_EQ &&
                    value->sreg <= LS_SREG_LANEMASK_GT;
    if (lanemask) return from_lanemask(warp, value->sreg);
    ls_lanes any = ls_lanes_any(LS_CAUSE_UNKNOWN);
    if (value->type == LS_TYPE_PRED) {
        const ls_lanes *inputs[] = {&any};
        any = ls_lanes_predicate_function(inputs, 1, LS_CAUSE_UNKNOWN);
    }
    return any;
}

static bool is_leaf(const ls_ir_value *value) {
    return value->kind != LS_VALUE_INSTR && value->kind != LS_VALUE_PHI && value->kind != LS_VALUE_ETA;
}

static const ls_lanes *keep(ls_warp *warp, const ls_ir_value *value, const ls_lanes *lanes) {
    enum { KEPT = sizeof warp->kept / sizeof *warp->kept };
    for (uint32_t i = 0; i < KEPT; i++) /* most values are one of a few */
        if (warp->kept[i] && ls_lanes_equal(warp->kept[i], lanes)) return warp->of[value->id] = warp->kept[i];
    ls_lanes *copy = ls_arena_alloc(warp->arena, sizeof *copy);
    *copy = *lanes;
    warp->kept[warp->next_kept++ % KEPT] = copy;
    return warp->of[value->id] = copy;
}

/* Whether the value is known without following instructions; with a value fixed, only constants are. */
static bool direct(const ls_warp *warp, const ls_ir_value *value) {
    const ls_shape *shape = &warp->a->shapes[value->id];
    if (is_leaf(value) || value == warp->fixed) return true;
    if (warp->fixed) return ls_poly_is_constant(shape);
    return shape->kind == LS_SHAPE_POLY;
}

const ls_lanes *ls_warp_known(ls_warp *warp, const ls_ir_value *value) {
    static const ls_lanes unseen = {0};
    if (!value) return &unseen;
    if (warp->of[value->id]) return warp->of[value->id];
    if (!direct(warp, value)) return &unseen;
    const ls_shape *shape = &warp->a->shapes[value->id];
    ls_lanes lanes;
    if (value == warp->fixed)
        lanes = ls_lanes_uniform(ls_residue_constant(warp->fixed_to));
    else if (shape->kind != LS_SHAPE_POLY)
        lanes = leaf(warp, value);
    else
        lanes = value->type == LS_TYPE_PRED ? predicate_from_shape(shape)
                                            : from_shape(warp, shape, ls_ptx_type_bits(value->type));
    return keep(warp, value, &lanes);
}

/* --- Joins
 * ------------------------------------------------------------------------------------------------------- */

/* A branch's predicate, true where succs[0] is taken; unseen where not known yet. */
static ls_lanes branch_lanes(ls_warp *warp, const ls_ir_block *block) {
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
    if (!predicate) return ls_lanes_mask(UINT32_MAX);
    ls_lanes lanes = *ls_warp_known(warp, predicate);
    if (!lanes.predicate && lanes.seen) { /* the index of brx.idx */
        const ls_lanes *inputs[] = {&lanes};
        return ls_lanes_predicate_function(inputs, 1, LS_CAUSE_CONTROL);
    }
    return negated ? ls_lanes_not(&lanes) : lanes;
}

static bool branch_uniform(ls_warp *warp, const ls_ir_block *block) {
    ls_lanes lanes = branch_lanes(warp, block);
    return ls_lanes_is_uniform(&lanes, warp->present);
}

/* Where a value that is a + constant begins. */
static const ls_ir_value *root_of(const ls_ir_value *value, int64_t *constant) {
    *constant = 0;
    for (uint32_t steps = 0; steps < 8; steps++) {
        if (value->kind != LS_VALUE_INSTR) return value;
        const ls_ir_instr *instr = value->instr;
        ls_ptx_linear kind = instr->form->opcode->linear;
        bool sums = (kind == LS_LINEAR_SUM || kind == LS_LINEAR_DIFFERENCE) && instr->src_count == 2 &&
                    instr->dst_count == 1 && instr->guard.kind == LS_IR_ABSENT && instr->src[0].value &&
                    instr->src[1].value && instr->src[1].value->kind == LS_VALUE_IMM &&
                    ls_ptx_type_kind_of(ls_ptx_form_type(instr->form, 0)) != LS_KIND_FLOAT;
        if (!sums) return value;
        const ls_ir_value *term = instr->src[1].value;
        uint32_t bits = ls_ptx_type_bits(term->type);
        int64_t number =
            bits < 64 ? (int64_t)(term->bits << (64 - bits)) >> (64 - bits) : (int64_t)term->bits;
        *constant += kind == LS_LINEAR_SUM ? number : -number;
        value = instr->src[0].value;
    }
    return value;
}

ls_lanes ls_warp_choose(ls_warp *warp, const ls_lanes *condition, const ls_ir_value *x,
                        const ls_ir_value *y) {
    const ls_lanes *a = ls_warp_known(warp, x), *b = ls_warp_known(warp, y);
    ls_lanes chosen = ls_lanes_select(condition, a, b);
    if (!condition->seen || condition->may == condition->must || !a->seen || !b->seen) return chosen;
    if (chosen.predicate || chosen.group_count <= a->group_count) return chosen;
    int64_t to_x, to_y; /* index ± 1 under a condition that nothing is known of: near the index */
    const ls_ir_value *root = root_of(x, &to_x);
    if (root_of(y, &to_y) != root) return chosen;
    const ls_lanes *lanes = ls_warp_known(warp, root);
    int64_t low = to_x < to_y ? to_x : to_y, high = to_x < to_y ? to_y : to_x;
    if (!lanes->seen || high - low > 64) return chosen;
    return ls_lanes_near(lanes, low, high);
}

enum { MOST_GATE_STEPS = 64 };

/* The value that a gating expression chooses. */
static ls_lanes eval_gate(ls_warp *warp, const ls_ir_phi *phi, const ls_ir_gate *gate, uint32_t *steps) {
    if (!gate || ++*steps > MOST_GATE_STEPS) return ls_lanes_any(LS_CAUSE_CONTROL);
    if (gate->kind == LS_GATE_EDGE) return *ls_warp_known(warp, phi->args[gate->edge]);
    if (gate->kind == LS_GATE_ETA) {
        const ls_loop_exits *exits = &warp->a->loop_exits[gate->loop->id];
        for (uint32_t i = 0; i < exits->count; i++)
            if (!branch_uniform(warp, exits->branches[i])) return ls_lanes_any(LS_CAUSE_CONTROL);
        return eval_gate(warp, phi, gate->parts[0], steps);
    }
    ls_lanes condition = branch_lanes(warp, gate->block);
    if (gate->part_count == 2 && gate->parts[0] && gate->parts[1]) {
        if (gate->parts[0]->kind == LS_GATE_EDGE && gate->parts[1]->kind == LS_GATE_EDGE)
            return ls_warp_choose(warp, &condition, phi->args[gate->parts[0]->edge],
                                  phi->args[gate->parts[1]->edge]);
        ls_lanes x = eval_gate(warp, phi, gate->parts[0], steps);
        ls_lanes y = eval_gate(warp, phi, gate->parts[1], steps);
        return ls_lanes_select(&condition, &x, &y);
    }
    ls_lanes joined = {0};
    uint32_t ways = 0;
    for (uint32_t i = 0; i < gate->part_count; i++) {
        if (!gate->parts[i]) continue;
        ls_lanes part = eval_gate(warp, phi, gate->parts[i], steps);
        joined = ls_lanes_join(&joined, &part);
        ways++;
    }
    if (ways > 1 && !ls_lanes_is_uniform(&condition, warp->present)) return ls_lanes_any(LS_CAUSE_CONTROL);
    return joined;
}

static ls_lanes eval_phi(ls_warp *warp, const ls_ir_phi *phi) {
    const ls_ir_block *block = phi->block;
    uint32_t steps = 0;
    if (phi->kind == LS_PHI_GAMMA && block->gate) return eval_gate(warp, phi, block->gate, &steps);
    if (phi->kind == LS_PHI_MU && block->gate && block->carried) {
        ls_lanes initial = eval_gate(warp, phi, block->gate, &steps);
        ls_lanes carried = eval_gate(warp, phi, block->carried, &steps);
        return ls_lanes_join(&initial, &carried);
    }
    ls_lanes joined = {0};
    for (uint32_t i = 0; i < block->pred_count; i++)
        joined = ls_lanes_join(&joined, ls_warp_known(warp, phi->args[i]));
    for (uint32_t i = 0; i < block->gate_branch_count; i++)
        if (!branch_uniform(warp, block->gate_branches[i])) return ls_lanes_any(LS_CAUSE_CONTROL);
    return joined;
}

static ls_lanes eval_eta(ls_warp *warp, const ls_ir_value *eta) {
    const ls_lanes *inner = ls_warp_known(warp, eta->eta.value);
    if (!inner->seen || ls_lanes_exact(inner)) return *inner;
    if (!ls_ir_loop_contains(eta->eta.loop, eta->eta.value->block)) return *inner;
    const ls_loop_exits *exits = &warp->a->loop_exits[eta->eta.loop->id];
    for (uint32_t i = 0; i < exits->count; i++)
        if (!branch_uniform(warp, exits->branches[i])) return ls_lanes_any(inner->cause | LS_CAUSE_CONTROL);
    return *inner;
}

/* --- What is needed
 * -------------------------------------------------------------------------------------------- */

typedef LS_VEC(const ls_ir_value *) values;

static void need_branch(values *work, const ls_ir_block *block) {
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
    if (predicate) LS_VEC_PUSH(work, predicate);
}

static void need_sources(ls_warp *warp, values *work, const ls_ir_value *value) {
    if (value->kind == LS_VALUE_PHI) {
        const ls_ir_phi *phi = value->phi;
        for (uint32_t i = 0; i < phi->block->pred_count; i++) LS_VEC_PUSH(work, phi->args[i]);
        for (uint32_t i = 0; i < phi->block->gate_branch_count; i++)
            need_branch(work, phi->block->gate_branches[i]);
    } else if (value->kind == LS_VALUE_ETA) {
        const ls_loop_exits *exits = &warp->a->loop_exits[value->eta.loop->id];
        LS_VEC_PUSH(work, value->eta.value);
        for (uint32_t i = 0; i < exits->count; i++) need_branch(work, exits->branches[i]);
    } else {
        const ls_ir_instr *instr = value->instr;
        for (uint32_t i = 0; i < instr->src_count; i++)
            if (instr->src[i].value) LS_VEC_PUSH(work, instr->src[i].value);
        if (instr->guard.value) LS_VEC_PUSH(work, instr->guard.value);
        for (uint32_t i = 0; instr->prior && i < instr->dst_count; i++)
            if (instr->prior[i]) LS_VEC_PUSH(work, instr->prior[i]);
    }
}

static uint32_t node_of(const analysis *a, const ls_ir_value *value) {
    return value->kind == LS_VALUE_INSTR ? a->node_of_instr[value->instr->id] : a->node_of_value[value->id];
}

static void mark_needed(ls_warp *warp, values *work) {
    while (work->length) {
        const ls_ir_value *value = work->items[--work->length];
        if (direct(warp, value)) continue;
        uint32_t node = node_of(warp->a, value);
        if (node == LS_IR_NONE || ls_bitset_has(&warp->needed, node)) continue;
        ls_bitset_add(&warp->needed, node);
        ls_bitset_add(&warp->dirty, node);
        need_sources(warp, work, value);
    }
}

/* --- Sweeps
 * ---------------------------------------------------------------------------------------------------- */

enum { MOST_SWEEPS = 12 }; /* then what still changes is given up */

static void update(ls_warp *warp, const ls_ir_value *value, ls_lanes *lanes, uint32_t sweep) {
    const ls_lanes *old = warp->of[value->id];
    if (!lanes->seen) return;
    if (old && old->seen && sweep) *lanes = ls_lanes_join(old, lanes);
    if (old && ls_lanes_equal(old, lanes)) return;
    if (sweep >= MOST_SWEEPS) {
        bool predicate = lanes->predicate;
        *lanes = ls_lanes_any(lanes->cause | LS_CAUSE_UNKNOWN);
        const ls_lanes copy = *lanes, *inputs[] = {&copy};
        if (predicate) *lanes = ls_lanes_predicate_function(inputs, 1, LS_CAUSE_UNKNOWN);
        if (old && ls_lanes_equal(old, lanes)) return;
    }
    keep(warp, value, lanes);
    ls_mark_users(warp->a, value, &warp->dirty);
}

static void visit(ls_warp *warp, const ls_node *node, uint32_t sweep) {
    if (node->kind != LS_NODE_INSTR) {
        const ls_ir_value *value = node->kind == LS_NODE_PHI ? node->phi->value : node->eta;
        if (direct(warp, value)) return;
        ls_lanes lanes = node->kind == LS_NODE_PHI ? eval_phi(warp, node->phi) : eval_eta(warp, node->eta);
        update(warp, value, &lanes, sweep);
        return;
    }
    const ls_ir_instr *instr = node->instr;
    for (uint32_t k = 0; k < instr->dst_count; k++) {
        const ls_ir_value *value = instr->dst[k].value;
        if (!value || direct(warp, value)) continue;
        ls_lanes lanes = ls_warp_transfer(warp, instr, k);
        if (instr->prior && instr->prior[k] && instr->guard.value) {
            ls_lanes guard = *ls_warp_known(warp, instr->guard.value);
            if (instr->guard.flags & LS_OPERAND_NOT) guard = ls_lanes_not(&guard);
            lanes = ls_lanes_select(&guard, &lanes, ls_warp_known(warp, instr->prior[k]));
        }
        update(warp, value, &lanes, sweep);
    }
}

void ls_warp_need(ls_warp *warp, const ls_ir_value *const *wanted, uint32_t count) {
    values work = {0};
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i]) LS_VEC_PUSH(&work, wanted[i]);
    mark_needed(warp, &work);
    LS_VEC_FREE(&work);
    uint32_t nodes = warp->a->node_count;
    for (uint32_t sweep = 0; ls_bitset_next(&warp->dirty, 0) < nodes; sweep++)
        for (uint32_t i = ls_bitset_next(&warp->dirty, 0); i < nodes;
             i = ls_bitset_next(&warp->dirty, i + 1)) {
            ls_bitset_remove(&warp->dirty, i);
            if (ls_bitset_has(&warp->needed, i)) visit(warp, &warp->a->nodes[i], sweep);
        }
}

const ls_lanes *ls_warp_lanes(ls_warp *warp, const ls_ir_value *value) {
    const ls_lanes *known = ls_warp_known(warp, value);
    if (known->seen) return known;
    ls_warp_need(warp, &value, 1);
    return ls_warp_known(warp, value);
}

/* --- Active lanes
 * ------------------------------------------------------------------------------------------------ */

/* Lanes that go from `from` (where those of `active` are) to `to`, which has no other predecessor. */
static ls_active take_edge(ls_warp *warp, ls_active active, const ls_ir_block *from, const ls_ir_block *to) {
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
    if (!predicate || predicate->type != LS_TYPE_PRED || from->succ_count != 2) return active;
    ls_lanes lanes = *ls_warp_lanes(warp, predicate);
    if (!lanes.seen || !lanes.predicate) return active;
    if (negated != (from->succs[1] == to)) lanes = ls_lanes_not(&lanes);
    active.may &= lanes.may;
    if (lanes.most_true < active.most) active.most = lanes.most_true;
    uint8_t lanes_left = (uint8_t)__builtin_popcount(active.may);
    if (lanes_left < active.most) active.most = lanes_left;
    return active;
}

/* Lanes at a block went through all of its dominators, and where a dominator has a single predecessor, over
 * that edge: in the same iteration, by the very value that the branch's predicate has now. */
ls_active ls_warp_active(ls_warp *warp, const ls_ir_block *block) {
    LS_VEC(const ls_ir_block *) chain = {0};
    const ls_ir_block *at = block;
    for (; at && !warp->active_known[at->id]; at = at->idom) LS_VEC_PUSH(&chain, at);
    ls_active active = {warp->present, (uint8_t)__builtin_popcount(warp->present)};
    if (at) active = warp->active[at->id];
    while (chain.length) {
        at = chain.items[--chain.length];
        if (at->pred_count == 1 && at->idom == at->preds[0]) active = take_edge(warp, active, at->idom, at);
        warp->active[at->id] = active;
        warp->active_known[at->id] = true;
    }
    LS_VEC_FREE(&chain);
    return active;
}
