/* GPUDrano's own abstraction (001 §4), for comparison: of integers ⊥, 0, 1, −1, ⊤ (the coefficient of
 * threadIdx.x), of predicates TF (the same for all threads), FF⁻ (true for at most one), TT⁻ (false for at
 * most one), ⊤; of the active threads FF⁻ or ⊤. An access is uncoalesced where more than one thread may be
 * active and its index is ⊤, or ±1 with elements of more than four bytes. The merge at joins is that of the
 * paper's semantics (Figure 4): the join where the condition is TF, else ⊤; its implementation takes ⊤ for
 * both. Only threadIdx.x is looked at; threadIdx.y and .z count as independent of it, as in the paper. */
#include "analyze/access.h"
#include "analyze/transfer.h"

enum { BOTTOM, ZERO, ONE, MINUS, TOP, TF, FFM, TTM, BOOL_TOP, STATES };

static const char *const names[STATES] = {"⊥", "0", "1", "-1", "⊤", "TF", "FF-", "TT-", "⊤"};

const char *ls_analysis_gpudrano(const ls_analysis *out, const ls_ir_value *value) {
    const uint8_t *states = out->hidden->gpudrano;
    return states ? names[states[value->id]] : NULL;
}

static bool is_predicate(const ls_ir_value *value) {
    return value->type == LS_TYPE_PRED;
}

static uint8_t leaf(const ls_ir_value *value) {
    if (value->kind == LS_VALUE_UNDEF) return is_predicate(value) ? BOOL_TOP : TOP;
    if (value->kind != LS_VALUE_SREG) return is_predicate(value) ? TF : ZERO;
    if (value->sreg == LS_SREG_TID && value->element == LS_ELEMENT_X) return ONE;
    if (value->sreg == LS_SREG_LANEID) return TOP;
    return ls_ptx_sreg_of((ls_ptx_sreg)value->sreg)->varies == LS_PER_THREAD && value->sreg != LS_SREG_TID
               ? TOP
               : ZERO;
}

static uint8_t join(uint8_t a, uint8_t b) {
    if (a == BOTTOM || a == b) return b;
    if (b == BOTTOM) return a;
    return a >= TF || b >= TF ? BOOL_TOP : TOP;
}

static uint8_t negate(uint8_t a) {
    return a == ONE ? MINUS : a == MINUS ? ONE : a;
}

static uint8_t add(uint8_t a, uint8_t b) {
    if (a == BOTTOM || b == BOTTOM) return BOTTOM;
    if (a == ZERO) return b;
    if (b == ZERO) return a;
    return (a == ONE && b == MINUS) || (a == MINUS && b == ONE) ? ZERO : TOP;
}

/* A constant's own value is not tracked, so a product with tid has an unknown coefficient. */
static uint8_t multiply(uint8_t a, uint8_t b) {
    if (a == BOTTOM || b == BOTTOM) return BOTTOM;
    return a == ZERO && b == ZERO ? ZERO : TOP;
}

static uint8_t of(const analysis *a, const ls_ir_instr *instr, uint32_t i) {
    const ls_ir_value *value = i < instr->src_count ? instr->src[i].value : NULL;
    return value ? a->gpudrano[value->id] : ZERO;
}

static uint8_t compare(const analysis *a, const ls_ir_instr *instr) {
    uint8_t x = of(a, instr, 0), y = of(a, instr, 1);
    if (x == BOTTOM || y == BOTTOM) return BOTTOM;
    uint8_t difference = add(x, negate(y));
    if (difference == ZERO && (x == ZERO || x == y)) return TF;
    bool linear = (x == ZERO && (y == ONE || y == MINUS)) || (y == ZERO && (x == ONE || x == MINUS));
    if (linear && instr->form->compare == LS_MOD_EQ) return FFM;
    if (linear && instr->form->compare == LS_MOD_NE) return TTM;
    return BOOL_TOP;
}

static uint8_t logic(const analysis *a, const ls_ir_instr *instr) {
    uint8_t x = of(a, instr, 0), y = instr->src_count > 1 ? of(a, instr, 1) : TF;
    if (x == BOTTOM || y == BOTTOM) return BOTTOM;
    if (instr->op == LS_OP_NOT) return x == FFM ? TTM : x == TTM ? FFM : x;
    if (instr->op == LS_OP_AND && (x == FFM || y == FFM)) return FFM;
    if (instr->op == LS_OP_OR && (x == TTM || y == TTM)) return TTM;
    return x == TF && y == TF ? TF : BOOL_TOP;
}

static uint8_t uniform_only(const analysis *a, const ls_ir_instr *instr, bool predicate) {
    for (uint32_t i = 0; i < instr->src_count; i++) {
        uint8_t state = of(a, instr, i);
        if (state == BOTTOM) return BOTTOM;
        if (state != ZERO && state != TF) return predicate ? BOOL_TOP : TOP;
    }
    return predicate ? TF : ZERO;
}

static uint8_t transfer(const analysis *a, const ls_ir_instr *instr, const ls_ir_value *value) {
    bool predicate = is_predicate(value), integer = ls_is_integer(ls_ptx_form_type(instr->form, 0));
    if (instr->unknown || instr->op == LS_OP_CALL || instr->op == LS_OP_ATOM)
        return predicate ? BOOL_TOP : TOP;
    if (predicate && instr->op == LS_OP_SETP && integer && instr->src_count == 2) return compare(a, instr);
    if (predicate && (instr->op == LS_OP_AND || instr->op == LS_OP_OR || instr->op == LS_OP_NOT))
        return logic(a, instr);
    ls_ptx_linear kind = instr->form->opcode->linear;
    if (!integer && kind != LS_LINEAR_COPY) return uniform_only(a, instr, predicate);
    if (instr->op == LS_OP_SELP) {
        uint8_t condition = of(a, instr, 2), both = join(of(a, instr, 0), of(a, instr, 1));
        return condition == BOTTOM ? BOTTOM : condition == TF ? both : TOP;
    }
    uint8_t product = multiply(of(a, instr, 0), of(a, instr, 1));
    switch (kind) {
    case LS_LINEAR_COPY:
    case LS_LINEAR_CVT: return instr->src_count == 1 ? of(a, instr, 0) : uniform_only(a, instr, predicate);
    case LS_LINEAR_SUM: return add(of(a, instr, 0), of(a, instr, 1));
    case LS_LINEAR_DIFFERENCE: return add(of(a, instr, 0), negate(of(a, instr, 1)));
    case LS_LINEAR_NEGATION: return negate(of(a, instr, 0));
    case LS_LINEAR_PRODUCT: return instr->op == LS_OP_MAD ? add(product, of(a, instr, 2)) : product;
    default: return uniform_only(a, instr, predicate);
    }
}

static bool uniform_branch(const analysis *a, const ls_ir_block *block) {
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
    return !predicate || a->gpudrano[predicate->id] == TF || a->gpudrano[predicate->id] == ZERO ||
           a->gpudrano[predicate->id] == BOTTOM;
}

static uint8_t merge(const analysis *a, const ls_ir_phi *phi) {
    uint8_t joined = BOTTOM;
    bool same = true;
    for (uint32_t i = 0; i < phi->block->pred_count; i++) {
        joined = join(joined, a->gpudrano[phi->args[i]->id]);
        same &= phi->args[i] == phi->args[0];
    }
    for (uint32_t i = 0; i < phi->block->gate_branch_count && !same && joined != BOTTOM; i++)
        if (!uniform_branch(a, phi->block->gate_branches[i]))
            return is_predicate(phi->value) ? BOOL_TOP : TOP;
    return joined;
}

static uint8_t leave(const analysis *a, const ls_ir_value *eta) {
    const ls_loop_exits *exits = &a->loop_exits[eta->eta.loop->id];
    uint8_t inner = a->gpudrano[eta->eta.value->id];
    if (inner == BOTTOM || !ls_ir_loop_contains(eta->eta.loop, eta->eta.value->block)) return inner;
    for (uint32_t i = 0; i < exits->count; i++)
        if (!uniform_branch(a, exits->branches[i])) return is_predicate(eta) ? BOOL_TOP : TOP;
    return inner;
}

static void visit(analysis *a, const ls_node *node, ls_bitset *dirty) {
    uint32_t count = node->kind == LS_NODE_INSTR ? node->instr->dst_count : 1;
    for (uint32_t k = 0; k < count; k++) {
        const ls_ir_value *value = node->kind == LS_NODE_INSTR ? node->instr->dst[k].value
                                   : node->kind == LS_NODE_PHI ? node->phi->value
                                                               : node->eta;
        if (!value) continue;
        uint8_t state = node->kind == LS_NODE_INSTR ? transfer(a, node->instr, value)
                        : node->kind == LS_NODE_PHI ? merge(a, node->phi)
                                                    : leave(a, node->eta);
        state = join(a->gpudrano[value->id], state);
        if (state == a->gpudrano[value->id]) continue;
        a->gpudrano[value->id] = state;
        ls_mark_users(a, value, dirty);
    }
}

/* --- Accesses
 * -------------------------------------------------------------------------------------------------- */

/* Whether at most one thread is at the block: on the way some edge was taken by at most one. */
static bool single_thread(const analysis *a, const ls_ir_block *block) {
    for (; block && block->idom; block = block->idom) {
        const ls_ir_block *from = block->idom;
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
        if (!predicate || block->pred_count != 1 || block->preds[0] != from || from->succ_count != 2)
            continue;
        bool holds = (from->succs[0] == block) != negated;
        if (a->gpudrano[predicate->id] == (holds ? FFM : TTM)) return true;
    }
    return false;
}

/* The index: the address in elements. */
static uint8_t index_of(const analysis *a, const ls_ir_access *access) {
    if (!access->has_offset) return a->gpudrano[access->instr->src[access->src].value->id];
    uint8_t sum = ZERO;
    for (uint32_t i = 0; i < access->term_count; i++) {
        const ls_ir_term *term = &access->terms[i];
        uint8_t state = a->gpudrano[term->value->id];
        if (state >= TF) state = TOP;
        int64_t size = access->bytes;
        if (state != ZERO && term->coefficient == -size)
            state = negate(state);
        else if (state != ZERO && term->coefficient != size)
            state = TOP;
        sum = add(sum, state);
    }
    return sum;
}

static void fill_accesses(analysis *a) {
    const ls_ir_function *f = a->f;
    a->out->accesses = LS_NEW_N(&a->arena, ls_access_result, f->access_count + 1);
    for (uint32_t i = 0; i < f->access_count; i++) {
        const ls_ir_access *access = f->accesses[i];
        if (access->space != LS_SPACE_GLOBAL || access->opaque || !access->instr->src[access->src].value)
            continue;
        ls_access_result *result = &a->out->accesses[a->out->access_count++];
        uint8_t index = index_of(a, access);
        *result = (ls_access_result){.access = access, .known = true, .bytes = access->bytes * access->count};
        result->single = single_thread(a, access->instr->block);
        result->flagged = !result->single && (index == TOP || (index != ZERO && result->bytes > 4));
        result->pattern = result->flagged ? LS_PATTERN_STRIDED : LS_PATTERN_COALESCED;
        result->reason = ls_arena_printf(&a->arena, "the index is %s, the active threads are %s",
                                         names[index], result->single ? "FF-" : "⊤");
        const char *name = access->base_count == 1 ? access->bases[0]->name : NULL;
        if (name && *name == '*') name++;
        result->base = name;
    }
}

void ls_fill_gpudrano(analysis *a) {
    const ls_ir_function *f = a->f;
    a->gpudrano = LS_NEW_N(&a->arena, uint8_t, f->value_count + 1);
    for (uint32_t i = 0; i < f->value_count; i++) {
        const ls_ir_value *value = f->values[i];
        if (value->kind != LS_VALUE_INSTR && value->kind != LS_VALUE_PHI && value->kind != LS_VALUE_ETA)
            a->gpudrano[i] = leaf(value);
    }
    ls_bitset dirty = ls_bitset_new(&a->arena, a->node_count + 1);
    for (uint32_t i = 0; i < a->node_count; i++) ls_bitset_add(&dirty, i);
    while (ls_bitset_next(&dirty, 0) < a->node_count)
        for (uint32_t i = ls_bitset_next(&dirty, 0); i < a->node_count; i = ls_bitset_next(&dirty, i + 1)) {
            ls_bitset_remove(&dirty, i);
            visit(a, &a->nodes[i], &dirty);
        }
    fill_accesses(a);
}
