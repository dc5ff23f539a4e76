/* Divergence analysis (003 §3.3 and §3.4): the shape of every value, by sweeps over the gated SSA form until
 * nothing changes. All values start unseen (003's ⊤) and only move down: constants to residues, residues to
 * coarser ones, polynomials to divergent ones. Degree 0 is the simple analysis: uniform or divergent.
 *
 *   γ, select   the branch is one number in the warp: join (GAMA); else divergent (PDVD), unless both ways
 * are the same number μ           join of the arguments (RMUD) η           as the value inside, where every
 * branch that decides when the loop is left is uniform (ETAA); else divergent: lanes leave in different
 * iterations */
#include "analyze/transfer.h"

bool ls_shape_warp_uniform(const analysis *a, const ls_shape *shape) {
    if (shape->kind == LS_SHAPE_DIVERGENT) return false;
    for (uint32_t i = 0; i < shape->term_count; i++)
        if (!(a->uniform_monomials >> shape->monomials[i] & 1)) return false;
    return true;
}

bool ls_branch_diverges(const analysis *a, const ls_ir_block *block) {
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
    return predicate && !ls_shape_warp_uniform(a, &a->shapes[predicate->id]);
}

/* One number in a block, or only in a warp. */
static bool block_uniform(const ls_shape *shape) {
    return shape->kind != LS_SHAPE_DIVERGENT && !shape->term_count && !shape->warp_only;
}

/* --- Leaves -----------------------------------------------------------------------------------------------
 */

static ls_shape some_number(bool nonnegative) {
    ls_shape shape = ls_poly_uniform(ls_residue_any());
    shape.nonnegative = nonnegative;
    return shape;
}

static ls_shape sized(uint32_t size, bool known) {
    return known ? ls_poly_constant(size) : some_number(true);
}

static ls_shape shape_of_sreg(analysis *a, const ls_ir_value *value) {
    uint32_t d = value->element >= LS_ELEMENT_X && value->element <= LS_ELEMENT_Z
                     ? (uint32_t)(value->element - LS_ELEMENT_X)
                     : 3;
    const uint32_t *block = a->out->options.block, *grid = a->out->options.grid;
    switch (value->sreg) {
    case LS_SREG_TID:
        if (d == 3) return ls_poly_constant(0);
        return block[0] && block[d] == 1 ? ls_poly_constant(0) : ls_poly_identifier((ls_identifier)d);
    case LS_SREG_NTID:
        if (d == 3) return ls_poly_constant(0);
        if (!block[0] && d == 0 &&
            !a->out->options.strict) { /* multiples of 32 are what the layout of warps assumes, too */
            ls_shape shape = ls_poly_uniform(ls_residue_make(0, LANES));
            shape.nonnegative = true;
            return shape;
        }
        return sized(block[d], block[0]);
    case LS_SREG_NCTAID: return d < 3 ? sized(grid[d], grid[0]) : some_number(true);
    case LS_SREG_CTAID: return d < 3 && grid[0] && grid[d] == 1 ? ls_poly_constant(0) : some_number(true);
    case LS_SREG_LANEID: return ls_poly_identifier(LS_LANE);
    default: break;
    }
    ls_shape shape = some_number(ls_ptx_type_bits(value->type) <= 32);
    switch (ls_ptx_sreg_of((ls_ptx_sreg)value->sreg)->varies) {
    case LS_PER_THREAD:
    case LS_PER_READ: return ls_poly_divergent();
    case LS_PER_WARP: shape.warp_only = true; return shape;
    default: return shape;
    }
}

static ls_shape shape_of_leaf(analysis *a, const ls_ir_value *value) {
    switch (value->kind) {
    case LS_VALUE_IMM: return ls_poly_constant(ls_canonical(value->bits, ls_ptx_type_bits(value->type)));
    case LS_VALUE_SREG: return shape_of_sreg(a, value);
    case LS_VALUE_OBJECT: {
        uint32_t align = a->f->objects[value->object.id]->align;
        ls_shape shape = ls_poly_uniform(ls_residue_make(value->object.offset, align ? align : 1));
        shape.nonnegative = true;
        return shape;
    }
    default: return ls_poly_divergent(); /* undefined */
    }
}

/* --- Joins
 * ---------------------------------------------------------------------------------------------------- */

/* Two ways whose choice is made by a condition of that shape. */
static ls_shape choose(const analysis *a, const ls_shape *condition, const ls_shape *x, const ls_shape *y) {
    if (condition->kind == LS_SHAPE_UNSEEN) return *condition;
    if (ls_shape_warp_uniform(a, condition)) {
        ls_shape joined = ls_poly_join(x, y);
        if (!block_uniform(condition) && joined.kind == LS_SHAPE_POLY && !ls_poly_equal(x, y))
            joined.warp_only = true;
        return joined;
    }
    if (x->kind == LS_SHAPE_UNSEEN) return *y;
    if (y->kind == LS_SHAPE_UNSEEN) return *x;
    return ls_poly_exact(x) && ls_poly_equal(x, y) ? *x : ls_poly_divergent();
}

static ls_shape shape_of_phi(const analysis *a, const ls_ir_phi *phi) {
    const ls_ir_block *block = phi->block;
    ls_shape joined = {0};
    bool same = true, exact = true;
    for (uint32_t i = 0; i < block->pred_count; i++) {
        const ls_shape *arg = &a->shapes[phi->args[i]->id];
        if (arg->kind == LS_SHAPE_UNSEEN || phi->args[i] == phi->value) continue;
        same &= phi->args[i] == phi->args[0];
        exact &= ls_poly_exact(arg) && (joined.kind == LS_SHAPE_UNSEEN || ls_poly_equal(arg, &joined));
        joined = ls_poly_join(&joined, arg);
    }
    if (same || exact || joined.kind != LS_SHAPE_POLY) return joined;
    for (uint32_t i = 0; i < block->gate_branch_count; i++) {
        const ls_ir_block *branch = block->gate_branches[i];
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(branch, &negated);
        if (!predicate) continue;
        if (ls_branch_diverges(a, branch)) return ls_poly_divergent();
        if (!block_uniform(&a->shapes[predicate->id])) joined.warp_only = true;
    }
    return joined;
}

static ls_shape shape_of_eta(const analysis *a, const ls_ir_value *eta) {
    const ls_shape *inner = &a->shapes[eta->eta.value->id];
    if (inner->kind != LS_SHAPE_POLY || ls_poly_exact(inner)) return *inner;
    const ls_loop_exits *exits = &a->loop_exits[eta->eta.loop->id];
    if (!ls_ir_loop_contains(eta->eta.loop, eta->eta.value->block)) return *inner; /* not changed inside */
    ls_shape result = *inner;
    for (uint32_t i = 0; i < exits->count; i++) {
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(exits->branches[i], &negated);
        if (ls_branch_diverges(a, exits->branches[i])) return ls_poly_divergent();
        if (predicate && !block_uniform(&a->shapes[predicate->id])) result.warp_only = true;
    }
    return result;
}

/* --- Sweeps
 * --------------------------------------------------------------------------------------------------- */

/* Degree 0 knows uniform and divergent only, degree 1 no squares. */
static ls_shape coarsen(const analysis *a, ls_shape shape) {
    if (shape.kind != LS_SHAPE_POLY || a->degree >= 2) return shape;
    if (!a->degree && shape.term_count) return ls_poly_divergent();
    if (shape.term_count && shape.monomials[shape.term_count - 1] >= LS_MONO_XX) return ls_poly_divergent();
    return shape;
}

static bool update(analysis *a, const ls_ir_value *value, ls_shape shape) {
    ls_shape *old = &a->shapes[value->id];
    shape = coarsen(a, shape);
    if (old->kind != LS_SHAPE_UNSEEN && shape.kind != LS_SHAPE_UNSEEN) shape = ls_poly_join(old, &shape);
    if (shape.kind == LS_SHAPE_UNSEEN || ls_poly_equal(old, &shape)) return false;
    *old = shape;
    return true;
}

static void visit_instr(analysis *a, const ls_ir_instr *instr, ls_bitset *dirty) {
    for (uint32_t k = 0; k < instr->dst_count; k++) {
        const ls_ir_value *value = instr->dst[k].value;
        if (!value || a->shapes[value->id].kind == LS_SHAPE_DIVERGENT) continue;
        ls_shape shape = ls_transfer(a, instr, k);
        if (instr->prior && instr->prior[k] && instr->guard.value) {
            const ls_shape *guard = &a->shapes[instr->guard.value->id];
            shape = choose(a, guard, &shape, &a->shapes[instr->prior[k]->id]);
        }
        if (update(a, value, shape)) ls_mark_users(a, value, dirty);
    }
}

static void visit(analysis *a, const ls_node *node, ls_bitset *dirty) {
    if (node->kind == LS_NODE_INSTR) {
        visit_instr(a, node->instr, dirty);
        return;
    }
    const ls_ir_value *value = node->kind == LS_NODE_PHI ? node->phi->value : node->eta;
    if (a->shapes[value->id].kind == LS_SHAPE_DIVERGENT) return;
    ls_shape shape = node->kind == LS_NODE_PHI ? shape_of_phi(a, node->phi) : shape_of_eta(a, node->eta);
    if (update(a, value, shape)) ls_mark_users(a, value, dirty);
}

void ls_fill_shapes(analysis *a) {
    const ls_ir_function *f = a->f;
    a->shapes = a->out->shapes = LS_NEW_N(&a->arena, ls_shape, f->value_count + 1);
    for (uint32_t i = 0; i < f->value_count; i++) {
        const ls_ir_value *value = f->values[i];
        if (value->kind != LS_VALUE_INSTR && value->kind != LS_VALUE_PHI && value->kind != LS_VALUE_ETA)
            a->shapes[i] = coarsen(a, shape_of_leaf(a, value));
    }
    ls_bitset dirty = ls_bitset_new(&a->arena, a->node_count + 1);
    for (uint32_t i = 0; i < a->node_count; i++) ls_bitset_add(&dirty, i);
    for (bool again = true; again;) {
        again = false;
        a->out->sweeps++;
        for (uint32_t i = ls_bitset_next(&dirty, 0); i < a->node_count; i = ls_bitset_next(&dirty, i + 1)) {
            ls_bitset_remove(&dirty, i);
            visit(a, &a->nodes[i], &dirty);
            again = true;
        }
    }
}
