/* What instructions do to shapes (003, Figures 10 and 13): a table of rules by opcode. What has no rule of
 * its own is uniform where all of its sources are (GBZD) and divergent otherwise; an instruction that is not
 * modelled, an atomic (ATMD), and a load of memory that may be written meanwhile is divergent. */
#include "analyze/transfer.h"

typedef ls_shape (*rule)(analysis *a, const ls_ir_instr *instr);

static const ls_shape *source(const analysis *a, const ls_ir_instr *instr, uint32_t i) {
    static const ls_shape divergent = {.kind = LS_SHAPE_DIVERGENT};
    static const ls_shape uniform = {.kind = LS_SHAPE_POLY, .constant = {0, 1}};
    if (i >= instr->src_count) return &divergent;
    const ls_ir_operand *operand = &instr->src[i];
    if (operand->value) return &a->shapes[operand->value->id];
    return operand->kind == LS_IR_REG ? &divergent : &uniform;
}

static bool has(const ls_ir_instr *instr, ls_ptx_modifier modifier) {
    return ls_ptx_form_has(instr->form, modifier);
}

/* Uniform in, uniform out. */
static ls_shape by_sources(const analysis *a, const ls_ir_instr *instr) {
    ls_shape result = ls_poly_uniform(ls_residue_any());
    for (uint32_t i = 0; i < instr->src_count; i++) {
        const ls_shape *s = source(a, instr, i);
        if (s->kind == LS_SHAPE_DIVERGENT || !ls_shape_warp_uniform(a, s)) return ls_poly_divergent();
        result.warp_only |= s->warp_only || s->term_count;
    }
    return result;
}

static ls_shape rule_add(analysis *a, const ls_ir_instr *instr) {
    return ls_poly_add(source(a, instr, 0), source(a, instr, 1));
}

static ls_shape rule_sub(analysis *a, const ls_ir_instr *instr) {
    ls_shape negative = ls_poly_negate(source(a, instr, 1));
    return ls_poly_add(source(a, instr, 0), &negative);
}

/* Whether a polynomial is the number itself, and not only modulo 2^bits, where it is read as that type.
 * Signed arithmetic of 32 bits and more does not overflow; where nothing else is assumed the other kinds may.
 */
static bool is_number(const analysis *a, const ls_shape *x, ls_ptx_type type) {
    enum { MOST = 1023 };
    uint32_t bits = ls_ptx_type_bits(type);
    bool is_signed = ls_ptx_type_kind_of(type) == LS_KIND_SIGNED && bits >= 32;
    if (!a->out->options.strict || is_signed || x->kind != LS_SHAPE_POLY || !x->term_count) return true;
    if (x->constant.modulus) return false;
    int64_t low = x->constant.rest, high = low;
    for (uint32_t i = 0; i < x->term_count; i++) {
        int64_t c = x->coefficients[i].rest;
        if (x->coefficients[i].modulus || ls_magnitude(c) >> LS_STEEP) return false;
        c *= x->monomials[i] >= LS_MONO_XX ? MOST * MOST : MOST;
        low += c < 0 ? c : 0;
        high += c > 0 ? c : 0;
    }
    return low >= 0 && bits < 64 && high < (int64_t)1 << (bits - 1);
}

static bool is_wide_number(const analysis *a, const ls_ir_instr *instr) {
    if (!has(instr, LS_MOD_WIDE) && instr->op != LS_OP_MUL24 && instr->op != LS_OP_MAD24) return true;
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    if (!has(instr, LS_MOD_WIDE)) type = LS_TYPE_U16; /* 24 bits are not many more */
    return is_number(a, source(a, instr, 0), type) && is_number(a, source(a, instr, 1), type);
}

/* A factor as the instruction takes it: of .wide.u32, constants above 2^31 are not negative. */
static ls_shape factor(const analysis *a, const ls_ir_instr *instr, uint32_t i) {
    ls_shape shape = *source(a, instr, i);
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    bool extends = has(instr, LS_MOD_WIDE) && ls_ptx_type_kind_of(type) == LS_KIND_UNSIGNED;
    if (extends && ls_poly_is_constant(&shape) && shape.constant.rest < 0)
        shape = ls_poly_constant(shape.constant.rest + ((int64_t)1 << ls_ptx_type_bits(type)));
    return shape;
}

static ls_shape product(analysis *a, const ls_ir_instr *instr) {
    ls_shape x = factor(a, instr, 0), y = factor(a, instr, 1);
    return ls_poly_multiply(&x, &y, a->degree);
}

static ls_shape rule_mul(analysis *a, const ls_ir_instr *instr) {
    if (has(instr, LS_MOD_HI) || !is_wide_number(a, instr)) return by_sources(a, instr);
    return product(a, instr);
}

static ls_shape rule_mad(analysis *a, const ls_ir_instr *instr) {
    if (has(instr, LS_MOD_HI) || !is_wide_number(a, instr)) return by_sources(a, instr);
    ls_shape both = product(a, instr);
    return ls_poly_add(&both, source(a, instr, 2));
}

static ls_shape rule_neg(analysis *a, const ls_ir_instr *instr) {
    return ls_poly_negate(source(a, instr, 0));
}

static ls_shape rule_shl(analysis *a, const ls_ir_instr *instr) {
    const ls_shape *by = source(a, instr, 1);
    if (!ls_poly_is_constant(by)) {
        /* 2^by is some uniform number. */
        ls_shape power = by_sources(a, instr);
        if (!ls_shape_uniform(by) || power.kind == LS_SHAPE_POLY) return power;
        power = ls_poly_uniform(ls_residue_any());
        power.warp_only = by->warp_only;
        power.nonnegative = true;
        return ls_poly_multiply(source(a, instr, 0), &power, a->degree);
    }
    uint64_t shift = (uint64_t)by->constant.rest & 0xffffffff;
    if (shift >= ls_ptx_type_bits(ls_ptx_form_type(instr->form, 0))) return ls_poly_constant(0);
    ls_shape power = ls_poly_constant((int64_t)((uint64_t)1 << shift));
    return ls_poly_multiply(source(a, instr, 0), &power, a->degree);
}

/* Residues through division by a constant, of uniform numbers that are not negative. */
static ls_shape divide_uniform(const ls_shape *x, int64_t by, ls_shape result) {
    result.nonnegative = x->nonnegative && by > 0;
    if (x->constant.modulus && by > 0 && x->constant.modulus % (uint64_t)by == 0 && x->nonnegative)
        result.constant = ls_residue_make(x->constant.rest / by, x->constant.modulus / (uint64_t)by);
    return result;
}

static ls_shape rule_div(analysis *a, const ls_ir_instr *instr) {
    ls_shape result = by_sources(a, instr);
    const ls_shape *x = source(a, instr, 0), *by = source(a, instr, 1);
    if (result.kind != LS_SHAPE_POLY || !ls_poly_is_constant(by) || x->term_count) return result;
    return divide_uniform(x, by->constant.rest, result);
}

static ls_shape rule_shr(analysis *a, const ls_ir_instr *instr) {
    const ls_shape *x = source(a, instr, 0), *by = source(a, instr, 1);
    uint32_t bits = ls_ptx_type_bits(ls_ptx_form_type(instr->form, 0));
    if (!ls_poly_is_constant(by)) return by_sources(a, instr);
    uint64_t shift = (uint64_t)by->constant.rest & 0xffffffff;
    if (x->kind == LS_SHAPE_POLY && x->nonnegative && shift >= bits - 1) return ls_poly_constant(0);
    ls_shape result = by_sources(a, instr);
    if (result.kind != LS_SHAPE_POLY || x->term_count || shift > 40) return result;
    result = divide_uniform(x, (int64_t)1 << shift, result);
    result.nonnegative |= shift && ls_ptx_type_kind_of(ls_ptx_form_type(instr->form, 0)) != LS_KIND_SIGNED;
    return result;
}

static ls_shape rule_rem(analysis *a, const ls_ir_instr *instr) {
    ls_shape result = by_sources(a, instr);
    const ls_shape *x = source(a, instr, 0), *by = source(a, instr, 1);
    if (result.kind != LS_SHAPE_POLY || !ls_poly_is_constant(by) || x->term_count) return result;
    int64_t divisor = by->constant.rest;
    result.nonnegative = x->nonnegative && divisor != 0;
    if (divisor <= 0 || !x->nonnegative) return result;
    uint64_t common = ls_gcd(x->constant.modulus, (uint64_t)divisor);
    bool whole = common == (uint64_t)divisor;
    result.constant = whole ? ls_residue_constant(ls_modulo(x->constant.rest, common))
                            : ls_residue_make(x->constant.rest, common);
    return result;
}

static ls_shape rule_and(analysis *a, const ls_ir_instr *instr) {
    ls_shape result = by_sources(a, instr);
    const ls_shape *x = source(a, instr, 0), *mask = source(a, instr, 1);
    if (ls_poly_is_constant(x)) {
        const ls_shape *first = x;
        x = mask;
        mask = first;
    }
    if (result.kind != LS_SHAPE_POLY) return result;
    result.nonnegative = x->nonnegative || mask->nonnegative;
    if (!ls_poly_is_constant(mask) || x->term_count) return result;
    uint64_t power = x->constant.modulus & -x->constant.modulus;
    int64_t m = mask->constant.rest;
    if (m >= 0 && power && (uint64_t)m < power) /* all bits of the mask are known */
        result.constant = ls_residue_constant(x->constant.rest & m);
    else if (m && (m & -m) > 1 && (m & -m) < (int64_t)1 << 32)
        result.constant = ls_residue_make(0, (uint64_t)(m & -m));
    return result;
}

/* x | c is x + c where c lies below the lowest bit that x can have. */
static ls_shape rule_or(analysis *a, const ls_ir_instr *instr) {
    const ls_shape *x = source(a, instr, 0), *y = source(a, instr, 1);
    if (ls_poly_is_constant(x)) {
        const ls_shape *first = x;
        x = y;
        y = first;
    }
    if (ls_poly_is_constant(y) && y->constant.rest >= 0 && (uint64_t)y->constant.rest < ls_poly_power(x))
        return ls_poly_add(x, y);
    return by_sources(a, instr);
}

/* A number that keeps its value, as index arithmetic is assumed not to wrap; narrow types are another matter.
 */
static ls_shape rule_cvt(analysis *a, const ls_ir_instr *instr) {
    ls_ptx_type to = ls_ptx_form_type(instr->form, 0), from = ls_ptx_form_type(instr->form, 1);
    const ls_shape *x = source(a, instr, 0);
    if (!ls_is_integer(to) || !ls_is_integer(from) || instr->src_count != 1) return by_sources(a, instr);
    uint32_t to_bits = ls_ptx_type_bits(to), from_bits = ls_ptx_type_bits(from);
    bool widens = to_bits >= from_bits && from_bits >= 16, index = to_bits >= 32;
    if (!widens && !index) return by_sources(a, instr);
    if (to_bits > from_bits && !is_number(a, x, from)) return by_sources(a, instr);
    if (x->kind == LS_SHAPE_POLY && !ls_poly_is_constant(x)) a->assumptions |= LS_ASSUME_NO_WRAP;
    ls_shape result = *x;
    if (ls_ptx_type_kind_of(from) != LS_KIND_SIGNED && to_bits > from_bits) result.nonnegative = true;
    return result;
}

static ls_shape rule_move(analysis *a, const ls_ir_instr *instr) {
    if (instr->src_count != 1 || instr->dst_count != 1) return by_sources(a, instr); /* packs and unpacks */
    return *source(a, instr, 0);
}

static ls_shape rule_limit(analysis *a, const ls_ir_instr *instr) {
    const ls_shape *x = source(a, instr, 0), *y = source(a, instr, 1);
    if (instr->src_count == 2 && ls_poly_exact(x) && ls_poly_equal(x, y)) return *x;
    ls_shape result = by_sources(a, instr);
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    bool larger = instr->op == LS_OP_MAX && ls_ptx_type_kind_of(type) == LS_KIND_SIGNED;
    if (result.kind == LS_SHAPE_POLY &&
        ls_is_integer(type)) /* as unsigned ones, negative numbers are large */
        result.nonnegative = larger ? x->nonnegative || y->nonnegative : x->nonnegative && y->nonnegative;
    return result;
}

static ls_shape rule_selp(analysis *a, const ls_ir_instr *instr) {
    const ls_shape *x = source(a, instr, 0), *y = source(a, instr, 1), *p = source(a, instr, 2);
    if (ls_shape_warp_uniform(a, p)) {
        ls_shape joined = ls_poly_join(x, y);
        joined.warp_only |= p->warp_only || p->term_count;
        return joined;
    }
    return ls_poly_exact(x) && ls_poly_equal(x, y) ? *x : ls_poly_divergent();
}

/* Equality is that of the bits; an order needs the numbers. */
static bool is_comparable(const analysis *a, const ls_ir_instr *instr) {
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    if (instr->form->compare == LS_MOD_EQ || instr->form->compare == LS_MOD_NE) return true;
    return is_number(a, source(a, instr, 0), type) && is_number(a, source(a, instr, 1), type);
}

/* Equal slopes cancel: whether T + c1 < T + c2 is one truth for all threads (003, avgSquare). */
static ls_shape rule_setp(analysis *a, const ls_ir_instr *instr) {
    if (instr->src_count != 2 || !ls_is_integer(ls_ptx_form_type(instr->form, 0)) || !a->degree)
        return by_sources(a, instr);
    if (!is_comparable(a, instr)) return by_sources(a, instr);
    ls_shape difference = rule_sub(a, instr);
    if (difference.kind != LS_SHAPE_POLY || !ls_shape_warp_uniform(a, &difference))
        return ls_poly_divergent();
    if (source(a, instr, 0)->term_count) a->assumptions |= LS_ASSUME_NO_WRAP;
    ls_shape result = ls_poly_uniform(ls_residue_any());
    result.warp_only = difference.warp_only || difference.term_count;
    return result;
}

/* All lanes read one address at one time, of memory that does not change meanwhile. */
static ls_shape rule_load(analysis *a, const ls_ir_instr *instr) {
    if (!ls_bitset_has(&a->stable_loads, instr->id)) return ls_poly_divergent();
    ls_shape result = by_sources(a, instr);
    if (result.kind != LS_SHAPE_POLY || !ls_bitset_has(&a->aligned_params, instr->id)) return result;
    result.constant = ls_residue_make(0, 256);
    result.nonnegative = true;
    return result;
}

static const rule integer_rules[LS_OP_COUNT] = {
    [LS_OP_ADD] = rule_add,   [LS_OP_SUB] = rule_sub,   [LS_OP_MUL] = rule_mul,   [LS_OP_MAD] = rule_mad,
    [LS_OP_MUL24] = rule_mul, [LS_OP_MAD24] = rule_mad, [LS_OP_NEG] = rule_neg,   [LS_OP_SHL] = rule_shl,
    [LS_OP_SHR] = rule_shr,   [LS_OP_DIV] = rule_div,   [LS_OP_REM] = rule_rem,   [LS_OP_AND] = rule_and,
    [LS_OP_OR] = rule_or,     [LS_OP_CVT] = rule_cvt,   [LS_OP_MIN] = rule_limit, [LS_OP_MAX] = rule_limit,
    [LS_OP_SETP] = rule_setp,
};

static const rule other_rules[LS_OP_COUNT] = {
    [LS_OP_MOV] = rule_move, [LS_OP_CVTA] = rule_move, [LS_OP_SELP] = rule_selp,
    [LS_OP_LD] = rule_load,  [LS_OP_LDU] = rule_load,  [LS_OP_TEX] = rule_load,
};

/* --- Warp-level instructions -------------------------------------------------------------------------------
 */

static bool uniform_source(const analysis *a, const ls_ir_instr *instr, uint32_t i) {
    return i < instr->src_count && ls_shape_warp_uniform(a, source(a, instr, i));
}

static bool constant_source(const analysis *a, const ls_ir_instr *instr, uint32_t i, int64_t number) {
    const ls_shape *s = source(a, instr, i);
    return i < instr->src_count && ls_poly_is_constant(s) && s->constant.rest == number;
}

/* Threads that name one and the same mask get one result from votes and reductions; a shuffle from one lane
 * gives that lane's value to all. activemask, match.any and elect's predicate differ from lane to lane. */
bool ls_warp_result_uniform(const analysis *a, const ls_ir_instr *instr, uint32_t k) {
    bool members = has(instr, LS_MOD_SYNC) && uniform_source(a, instr, instr->src_count - 1u);
    switch (instr->form->opcode->alike) {
    case LS_ALIKE_MEMBERS: return members;
    case LS_ALIKE_ALL: return members && has(instr, LS_MOD_ALL);
    case LS_ALIKE_FIRST: return members && k == 0;
    case LS_ALIKE_ONE: /* value, lane, clamp, members: the whole warp is one segment */
        return has(instr, LS_MOD_IDX) && k == 0 && uniform_source(a, instr, 1) &&
               constant_source(a, instr, 2, 31) && constant_source(a, instr, 3, -1);
    default: return false;
    }
}

static ls_shape transfer_warp(const analysis *a, const ls_ir_instr *instr, uint32_t k) {
    if (!ls_warp_result_uniform(a, instr, k)) return ls_poly_divergent();
    ls_shape result = ls_poly_uniform(ls_residue_any());
    result.warp_only = true;
    return result;
}

/* --- All of them
 * ---------------------------------------------------------------------------------------------- */

static bool fold_constants(const analysis *a, const ls_ir_instr *instr, ls_shape *result) {
    int64_t numbers[6];
    ls_folder folder;
    if (!instr->src_count || instr->src_count > 6) return false;
    for (uint32_t i = 0; i < instr->src_count; i++) {
        const ls_shape *s = source(a, instr, i);
        if (!ls_poly_is_constant(s)) return false;
        numbers[i] = s->constant.rest;
    }
    if (!ls_fold_find(instr, &folder)) return false;
    *result = ls_poly_constant(ls_fold(&folder, numbers));
    return true;
}

static bool anything(const ls_ir_instr *instr) {
    const ls_ptx_opcode *opcode = instr->form->opcode;
    if (instr->unknown || !opcode) return true;
    return (opcode->effects & (LS_CALLS | LS_ATOMIC | LS_VARIES | LS_ASYNC | LS_EFFECT)) != 0 ||
           opcode->class == LS_CLASS_MATRIX || opcode->class == LS_CLASS_UNKNOWN;
}

/* Slopes so steep that threads of one block would make 32 bits wrap are hashes, not indices: no assumption is
 * made of those. */
static ls_shape in_width(const ls_ir_instr *instr, ls_shape shape) {
    if (shape.kind != LS_SHAPE_POLY || ls_ptx_type_bits(instr->dst[0].type) > 32) return shape;
    for (uint32_t i = 0; i < shape.term_count; i++)
        if (ls_magnitude(shape.coefficients[i].rest) >> LS_STEEP) return ls_poly_divergent();
    return shape;
}

ls_shape ls_transfer(analysis *a, const ls_ir_instr *instr, uint32_t k) {
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (source(a, instr, i)->kind == LS_SHAPE_UNSEEN) return (ls_shape){0};
    if (anything(instr)) return ls_poly_divergent();
    uint32_t effects = instr->form->opcode->effects;
    if (instr->form->opcode->class == LS_CLASS_WARP) return transfer_warp(a, instr, k);
    if (effects & LS_CROSS_LANE) { /* bar.red: one answer for the block */
        return ls_poly_uniform(ls_residue_any());
    }
    if (effects & LS_READS_MEMORY && !other_rules[instr->op]) return ls_poly_divergent();
    ls_shape folded;
    if (k == 0 && !(effects & LS_READS_MEMORY) && fold_constants(a, instr, &folded)) return folded;
    bool plain = k == 0 && !has(instr, LS_MOD_SAT) && !(instr->dst_count > 1 && instr->op != LS_OP_SETP);
    if (other_rules[instr->op]) return other_rules[instr->op](a, instr);
    bool is_carry = has(instr, LS_MOD_CC) && k > 0;
    if (integer_rules[instr->op] && ls_is_integer(ls_ptx_form_type(instr->form, 0)) && !is_carry &&
        (plain || instr->op == LS_OP_SETP || (k == 0 && has(instr, LS_MOD_CC))))
        return in_width(instr, integer_rules[instr->op](a, instr));
    return by_sources(a, instr);
}
