/* What is known of each variable across the lanes of a warp, and where it goes if it is spilled (003 §4,
 * Figure 18). A variable has the state that all of its values have; where they differ, it is divergent.
 *
 *     (0,c)   the constant is written down again                    rule (i)
 *     (0,⊥)   one slot of the warp in shared memory                 rule (ii)
 *     (c,c)   computed again from threadIdx                         rule (iii)
 *     (c,⊥)   what is left without c·threadIdx is uniform: a slot   rule (iv)
 *     else    local memory
 *
 * Further than the paper: threadIdx.y, .z and the lane count like threadIdx.x, several of them at once and
 * (degree 2) products of two; a part that is one number in each warp belongs to the base. */
#include "allocate/private.h"

/* --- States ----------------------------------------------------------------------------------------------
 */
typedef struct {
    uint8_t state;
    polynomial poly;
} value_state;

static bool is_uniform_monomial(const job *j, ls_monomial monomial) {
    const uint32_t *block = j->block;
    bool y = block[0] && block[0] % LS_WARP_LANES == 0;
    bool z = block[0] && (uint64_t)block[0] * block[1] % LS_WARP_LANES == 0;
    switch (monomial) {
    case LS_MONO_Y:
    case LS_MONO_YY: return y;
    case LS_MONO_Z:
    case LS_MONO_ZZ: return z;
    case LS_MONO_YZ: return y && z;
    default: return false;
    }
}

/* Terms that are one number in the warp become part of the constant, which is not known then. */
static value_state state_of_polynomial(const job *j, const ls_shape *shape, uint32_t bits, bool is_float) {
    value_state out = {.state = LS_STATE_DIVERGENT};
    bool known = shape->constant.modulus == 0;
    for (uint32_t i = 0; i < shape->term_count; i++) {
        if (is_uniform_monomial(j, (ls_monomial)shape->monomials[i])) {
            known = false;
            continue;
        }
        if (shape->coefficients[i].modulus) return out;
        out.poly.monomials[out.poly.count] = shape->monomials[i];
        out.poly.coefficients[out.poly.count++] = shape->coefficients[i].rest;
    }
    if (!out.poly.count) {
        out.state = LS_STATE_UNIFORM;
        return out;
    }
    if (is_float || (bits != 32 && bits != 64)) return out;
    out.poly.constant = known ? shape->constant.rest : 0;
    out.state = known ? LS_STATE_AFFINE : LS_STATE_AFFINE_BASE;
    return out;
}

static value_state state_of_value(const job *j, ls_ir_value *value) {
    value_state out = {.state = LS_STATE_DIVERGENT};
    uint64_t bits;
    if (ls_ir_constant(value, &bits)) {
        out.state = LS_STATE_CONSTANT;
        out.poly.constant = (int64_t)bits;
        return out;
    }
    if (!j->analysis) return out;
    const ls_shape *shape = &j->analysis->shapes[value->id];
    if (shape->kind != LS_SHAPE_POLY) return out;
    if (shape->warp_only && !j->block[0]) return out; /* rests on rows of whole warps */
    ls_ptx_type type = (ls_ptx_type)value->type;
    return state_of_polynomial(j, shape, ls_ptx_type_bits(type), ls_ptx_type_kind_of(type) == LS_KIND_FLOAT);
}

static bool same_terms(const polynomial *a, const polynomial *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->monomials[i] != b->monomials[i] || a->coefficients[i] != b->coefficients[i]) return false;
    return true;
}

/* The state of a variable that has values of both states. */
static value_state join(value_state a, value_state b) {
    bool same_constant = a.poly.constant == b.poly.constant;
    if (a.state == b.state && same_terms(&a.poly, &b.poly) && same_constant) return a;
    value_state divergent = {.state = LS_STATE_DIVERGENT};
    if (a.state == LS_STATE_DIVERGENT || b.state == LS_STATE_DIVERGENT) return divergent;
    if (!same_terms(&a.poly, &b.poly)) return divergent;
    value_state out = a;
    out.poly.constant = 0;
    out.state = a.poly.count ? LS_STATE_AFFINE_BASE : LS_STATE_UNIFORM;
    return out;
}

static void fill_web_states(job *j) {
    bool *met = LS_NEW_N(j->arena, bool, j->web_count + 1);
    for (uint32_t i = 0; i < j->f->value_count; i++) {
        ls_ir_value *value = j->f->values[i];
        uint32_t w = j->web_of[i];
        if (w == NONE || value->kind == LS_VALUE_UNDEF || j->webs[w].start == NONE) continue;
        value_state state = state_of_value(j, value);
        if (met[w]) state = join((value_state){j->webs[w].state, j->webs[w].poly}, state);
        met[w] = true;
        if (j->analysis && j->analysis->shapes[i].warp_only) j->webs[w].warp_only = true;
        j->webs[w].state = state.state;
        j->webs[w].poly = state.poly;
    }
    for (uint32_t w = 0; w < j->web_count; w++) {
        if (!met[w]) j->webs[w].state = LS_STATE_DIVERGENT;
        if (j->webs[w].start == NONE) continue;
        j->out->variables++;
        j->out->states[j->webs[w].state]++;
    }
}

/* --- Places ----------------------------------------------------------------------------------------------
 */
static bool can_multiply(const web *w) {
    for (uint32_t i = 0; i < w->poly.count; i++) {
        int64_t c = w->poly.coefficients[i];
        if (w->bits == 64 && (c < -INT32_MAX || c > INT32_MAX)) return false;
    }
    return true;
}

/* What the rules give, before it is asked whether a slot may be shared. */
static ls_allocate_place rule_for(const job *j, const web *w) {
    static const uint8_t div_rules[] = {[LS_STATE_CONSTANT] = LS_PLACE_SHARED,
                                        [LS_STATE_UNIFORM] = LS_PLACE_SHARED,
                                        [LS_STATE_DIVERGENT] = LS_PLACE_LOCAL};
    static const uint8_t aff_rules[] = {[LS_STATE_CONSTANT] = LS_PLACE_CONSTANT,
                                        [LS_STATE_UNIFORM] = LS_PLACE_SHARED,
                                        [LS_STATE_AFFINE] = LS_PLACE_AFFINE,
                                        [LS_STATE_AFFINE_BASE] = LS_PLACE_AFFINE_SHARED,
                                        [LS_STATE_DIVERGENT] = LS_PLACE_LOCAL};
    if (j->options->allocator == LS_ALLOCATE_LINEAR || w->bits > 64) return LS_PLACE_LOCAL;
    bool affine = w->state == LS_STATE_AFFINE || w->state == LS_STATE_AFFINE_BASE;
    if (j->options->allocator == LS_ALLOCATE_DIV)
        return affine ? LS_PLACE_LOCAL : (ls_allocate_place)div_rules[w->state];
    return affine && !can_multiply(w) ? LS_PLACE_LOCAL : (ls_allocate_place)aff_rules[w->state];
}

void ls_choose_place(job *j, uint32_t id) {
    web *w = &j->webs[id];
    if (w->has_place) return;
    w->has_place = true;
    w->place = w->wanted_place = (uint8_t)rule_for(j, w);
    if (!ls_in_shared(w)) return;
    if (!j->use_shared || !ls_may_share(j, id)) w->place = LS_PLACE_LOCAL;
}

static bool makes_only_what_can_be_computed(const job *j, const ls_ir_instr *instr) {
    if (!instr->dst_count || !instr->form->opcode) return false;
    uint32_t effects = instr->form->opcode->effects & ~(uint32_t)LS_VARIES;
    if (effects || instr->form->opcode->class == LS_CLASS_CONTROL) return false;
    for (uint32_t k = 0; k < instr->dst_count; k++) {
        const ls_ir_operand *dst = &instr->dst[k];
        if (dst->kind != LS_IR_REG || !dst->value || j->web_of[dst->value->id] == NONE) return false;
        uint8_t state = j->webs[j->web_of[dst->value->id]].state;
        if (state != LS_STATE_CONSTANT && state != LS_STATE_AFFINE) return false;
    }
    return true;
}

void ls_fill_states(job *j) {
    fill_web_states(j);
    j->droppable = ls_bitset_new(j->arena, j->length);
    if (j->options->allocator != LS_ALLOCATE_AFF) return;
    for (uint32_t p = 0; p < j->length; p++)
        if (makes_only_what_can_be_computed(j, j->order[p])) ls_bitset_add(&j->droppable, p);
}

bool ls_is_dropped(const job *j, uint32_t p) {
    if (!ls_bitset_has(&j->droppable, p)) return false;
    const ls_ir_instr *instr = j->order[p];
    for (uint32_t k = 0; k < instr->dst_count; k++) {
        const web *w = &j->webs[j->web_of[instr->dst[k].value->id]];
        if (!w->spilled || (w->place != LS_PLACE_CONSTANT && w->place != LS_PLACE_AFFINE)) return false;
    }
    return true;
}

/* Rough costs of one reference: local memory, shared memory, arithmetic. */
double ls_spill_cost(const job *j) {
    static const double costs[LS_PLACE_COUNT] = {[LS_PLACE_LOCAL] = 8,
                                                 [LS_PLACE_CONSTANT] = 1,
                                                 [LS_PLACE_SHARED] = 4,
                                                 [LS_PLACE_AFFINE] = 1,
                                                 [LS_PLACE_AFFINE_SHARED] = 5};
    double cost = 0;
    for (uint32_t w = 0; w < j->web_count; w++) {
        const web *v = &j->webs[w];
        if (!v->spilled) continue;
        bool reads_tid = v->poly.count && j->tid_word == NONE;
        cost += v->weight * (costs[v->place] + (reads_tid ? 2 : 0));
    }
    return cost;
}

static uint32_t clamped(uint32_t n) {
    return n > MAX_NARROW ? MAX_NARROW : n;
}

/* See emit.c for what they are used for. */
helpers ls_helpers_for(const job *j, const web *w, bool is_def) {
    helpers h = {0};
    if (w->bits == 1) {
        h.narrow = w->place != LS_PLACE_CONSTANT && !(is_def && w->place == LS_PLACE_AFFINE);
        return h;
    }
    if (w->place != LS_PLACE_AFFINE && w->place != LS_PLACE_AFFINE_SHARED) return h;
    if (w->place == LS_PLACE_AFFINE && is_def) return h;
    /* One word for an identifier, two where two different ones are multiplied. */
    uint32_t identifiers = 0;
    for (uint32_t i = 0; i < w->poly.count; i++) {
        uint32_t m = w->poly.monomials[i];
        bool pinned = m == LS_MONO_X && j->tid_word != NONE;
        bool mixed = m == LS_MONO_XY || m == LS_MONO_XZ || m == LS_MONO_XL || m == LS_MONO_YZ ||
                     m == LS_MONO_YL || m == LS_MONO_ZL;
        uint32_t wanted = pinned ? 0 : mixed ? 2 : 1;
        if (wanted > identifiers) identifiers = wanted;
    }
    if (is_def && w->bits == 64) h.wide = 1;
    if (is_def && w->bits == 32) identifiers++;
    h.narrow = (uint8_t)clamped(identifiers);
    return h;
}
