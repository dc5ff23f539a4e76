/* What instructions do to lane vectors: where all sources are known numbers, what src/isa computes (fold.c);
 * else a rule by opcode; else lanes with equal inputs have equal results. */
#include "analyze/transfer.h"
#include "analyze/warp.h"

#include <string.h>

typedef struct {
    ls_warp *warp;
    const ls_ir_instr *instr;
    ls_lanes of[6]; /* sources, with ! applied */
    uint32_t count;
    ls_ptx_type type;
    bool is_signed;
} sources;

typedef ls_lanes (*rule)(const sources *s);

static bool has(const sources *s, ls_ptx_modifier modifier) {
    return ls_ptx_form_has(s->instr->form, modifier);
}

static ls_lanes function_of(const sources *s, uint8_t cause) {
    const ls_lanes *inputs[6];
    for (uint32_t i = 0; i < s->count; i++) inputs[i] = &s->of[i];
    if (s->instr->dst[0].type == LS_TYPE_PRED) return ls_lanes_predicate_function(inputs, s->count, cause);
    return ls_lanes_function(inputs, s->count, cause);
}

static bool constant(const ls_lanes *lanes, int64_t *number) {
    if (lanes->predicate || !ls_lanes_exact(lanes) || !ls_lanes_is_uniform(lanes, UINT32_MAX)) return false;
    *number = lanes->offset[0];
    return true;
}

static ls_lanes rule_add(const sources *s) {
    return ls_lanes_add(&s->of[0], &s->of[1]);
}
static ls_lanes rule_sub(const sources *s) {
    ls_lanes negative = ls_lanes_negate(&s->of[1]);
    return ls_lanes_add(&s->of[0], &negative);
}
/* A known factor that makes 32 bits wrap: a hash, not an index. */
static bool steep(const sources *s) {
    int64_t number;
    for (uint32_t i = 0; i < 2; i++)
        if (ls_ptx_type_bits(s->instr->dst[0].type) <= 32 && constant(&s->of[i], &number) &&
            ls_magnitude(number) >> LS_STEEP)
            return true;
    return false;
}
static ls_lanes rule_mul(const sources *s) {
    if (has(s, LS_MOD_HI) || steep(s)) return function_of(s, LS_CAUSE_OTHER);
    return ls_lanes_multiply(&s->of[0], &s->of[1]);
}
static ls_lanes rule_mad(const sources *s) {
    if (has(s, LS_MOD_HI) || steep(s)) return function_of(s, LS_CAUSE_OTHER);
    ls_lanes product = ls_lanes_multiply(&s->of[0], &s->of[1]);
    return ls_lanes_add(&product, &s->of[2]);
}
static ls_lanes rule_neg(const sources *s) {
    return ls_lanes_negate(&s->of[0]);
}
static ls_lanes rule_not(const sources *s) {
    if (s->of[0].predicate) return ls_lanes_not(&s->of[0]);
    ls_lanes negative = ls_lanes_negate(&s->of[0]), one = ls_lanes_uniform(ls_residue_constant(-1));
    return ls_lanes_add(&negative, &one); /* ~x = −x − 1 */
}
static ls_lanes rule_shl(const sources *s) {
    int64_t by;
    if (constant(&s->of[1], &by))
        return by >= 0 && by < (ls_ptx_type_bits(s->type) <= 32 ? LS_STEEP : 40)
                   ? ls_lanes_scale(&s->of[0], (int64_t)1 << by)
                   : function_of(s, LS_CAUSE_OTHER);
    if (!ls_lanes_is_uniform(&s->of[1], UINT32_MAX)) return function_of(s, LS_CAUSE_OTHER);
    ls_lanes power = ls_lanes_uniform(ls_residue_any()); /* 2^by is some uniform number */
    power.nonnegative = true;
    return ls_lanes_multiply(&s->of[0], &power);
}
static ls_lanes rule_shr(const sources *s) {
    int64_t by;
    uint32_t bits = ls_ptx_type_bits(s->type);
    if (!constant(&s->of[1], &by) || by < 0) return function_of(s, LS_CAUSE_OTHER);
    if (by >= (int64_t)bits - 1 && s->of[0].nonnegative) return ls_lanes_uniform(ls_residue_constant(0));
    if (by >= 40) return function_of(s, LS_CAUSE_OTHER);
    return ls_lanes_divide(&s->of[0], (int64_t)1 << by, false);
}
static ls_lanes rule_div(const sources *s) {
    int64_t by;
    if (!constant(&s->of[1], &by) || by <= 0) return function_of(s, LS_CAUSE_OTHER);
    return ls_lanes_divide(&s->of[0], by, s->is_signed);
}
static ls_lanes rule_rem(const sources *s) {
    int64_t by;
    if (!constant(&s->of[1], &by) || by <= 0) return function_of(s, LS_CAUSE_OTHER);
    return ls_lanes_rest(&s->of[0], by, s->is_signed);
}
static ls_lanes bits(const sources *s, ls_bit_op op) {
    if (s->of[0].predicate && s->of[1].predicate) return ls_lanes_combine(&s->of[0], &s->of[1], op);
    if (s->of[0].predicate || s->of[1].predicate) return function_of(s, LS_CAUSE_OTHER);
    return ls_lanes_bits(&s->of[0], &s->of[1], op);
}
static ls_lanes rule_and(const sources *s) {
    return bits(s, LS_BIT_AND);
}
static ls_lanes rule_or(const sources *s) {
    return bits(s, LS_BIT_OR);
}
static ls_lanes rule_xor(const sources *s) {
    return bits(s, LS_BIT_XOR);
}
/* Known numbers that are large where they are taken as unsigned: their order is another one. */
static bool is_large(const sources *s, uint32_t i) {
    if (s->is_signed || s->of[i].predicate || !ls_lanes_exact(&s->of[i])) return false;
    for (uint32_t l = 0; l < LANES; l++)
        if (s->of[i].offset[l] < 0) return true;
    return false;
}
static ls_lanes limit(const sources *s, bool minimum) {
    if (s->count != 2 || is_large(s, 0) || is_large(s, 1)) return function_of(s, LS_CAUSE_OTHER);
    return ls_lanes_limit(&s->of[0], &s->of[1], minimum);
}
static ls_lanes rule_min(const sources *s) {
    return limit(s, true);
}
static ls_lanes rule_max(const sources *s) {
    return limit(s, false);
}
static ls_lanes rule_bfe(const sources *s) {
    int64_t position, length;
    if (!constant(&s->of[1], &position) || !constant(&s->of[2], &length) || s->is_signed || position < 0 ||
        position >= 32 || length <= 0 || length >= 32)
        return function_of(s, LS_CAUSE_OTHER);
    ls_lanes shifted = ls_lanes_divide(&s->of[0], (int64_t)1 << position, false);
    return ls_lanes_rest(&shifted, (int64_t)1 << length, false);
}
static ls_lanes rule_move(const sources *s) {
    return s->count == 1 && s->instr->dst_count == 1 ? s->of[0] : function_of(s, LS_CAUSE_OTHER);
}

/* Values keep their number where index arithmetic is assumed not to wrap: in 32 bits and more. */
static ls_lanes rule_cvt(const sources *s) {
    ls_ptx_type from = ls_ptx_form_type(s->instr->form, 1);
    if (s->count != 1 || !ls_is_integer(from)) return function_of(s, LS_CAUSE_OTHER);
    uint32_t to_bits = ls_ptx_type_bits(s->type), from_bits = ls_ptx_type_bits(from);
    ls_lanes result = s->of[0];
    if (from_bits < 32 || to_bits < 32) {
        uint32_t narrow = from_bits < to_bits ? from_bits : to_bits;
        ls_ptx_type as = from_bits < to_bits ? from : s->type;
        return ls_lanes_narrow(&result, narrow, ls_ptx_type_kind_of(as) == LS_KIND_SIGNED);
    }
    if (ls_ptx_type_kind_of(from) != LS_KIND_SIGNED && to_bits > from_bits) result.nonnegative = true;
    return result;
}

static ls_lanes rule_selp(const sources *s) {
    const ls_ir_operand *src = s->instr->src;
    if (!s->of[2].predicate) return function_of(s, LS_CAUSE_CONTROL);
    if (!src[0].value || !src[1].value) return ls_lanes_select(&s->of[2], &s->of[0], &s->of[1]);
    return ls_warp_choose(s->warp, &s->of[2], src[0].value, src[1].value);
}

static bool comparison_of(const sources *s, ls_comparison *op, bool *is_unsigned) {
    static const struct {
        uint16_t modifier;
        uint8_t op;
        bool is_unsigned;
    } table[] = {{LS_MOD_EQ, LS_CMP_EQ, false}, {LS_MOD_NE, LS_CMP_NE, false}, {LS_MOD_LT, LS_CMP_LT, false},
                 {LS_MOD_LE, LS_CMP_LE, false}, {LS_MOD_GT, LS_CMP_GT, false}, {LS_MOD_GE, LS_CMP_GE, false},
                 {LS_MOD_LO, LS_CMP_LT, true},  {LS_MOD_LS, LS_CMP_LE, true},  {LS_MOD_HI, LS_CMP_GT, true},
                 {LS_MOD_HS, LS_CMP_GE, true}};
    for (uint32_t i = 0; i < sizeof table / sizeof *table; i++)
        if (s->instr->form->compare == table[i].modifier) {
            *op = (ls_comparison)table[i].op;
            *is_unsigned = table[i].is_unsigned || !s->is_signed;
            return true;
        }
    return false;
}

static ls_lanes rule_setp(const sources *s) {
    ls_comparison op;
    bool is_unsigned;
    if (s->instr->dst_count != 1 || s->of[0].predicate || !comparison_of(s, &op, &is_unsigned))
        return function_of(s, LS_CAUSE_OTHER);
    ls_lanes truth = ls_lanes_compare(&s->of[0], &s->of[1], op, is_unsigned);
    if (s->count == 2) return truth;
    ls_bit_op with = has(s, LS_MOD_AND) ? LS_BIT_AND : has(s, LS_MOD_OR) ? LS_BIT_OR : LS_BIT_XOR;
    return s->of[2].predicate ? ls_lanes_combine(&truth, &s->of[2], with) : function_of(s, LS_CAUSE_OTHER);
}

static const rule rules[LS_OP_COUNT] = {
    [LS_OP_ADD] = rule_add,   [LS_OP_SUB] = rule_sub,   [LS_OP_MUL] = rule_mul, [LS_OP_MAD] = rule_mad,
    [LS_OP_MUL24] = rule_mul, [LS_OP_MAD24] = rule_mad, [LS_OP_NEG] = rule_neg, [LS_OP_NOT] = rule_not,
    [LS_OP_SHL] = rule_shl,   [LS_OP_SHR] = rule_shr,   [LS_OP_DIV] = rule_div, [LS_OP_REM] = rule_rem,
    [LS_OP_AND] = rule_and,   [LS_OP_OR] = rule_or,     [LS_OP_XOR] = rule_xor, [LS_OP_MIN] = rule_min,
    [LS_OP_MAX] = rule_max,   [LS_OP_BFE] = rule_bfe,   [LS_OP_CVT] = rule_cvt, [LS_OP_SETP] = rule_setp,
};

/* --- All of them
 * ------------------------------------------------------------------------------------------------ */

static bool fold_lanes(const sources *s, ls_lanes *result) {
    ls_folder folder;
    for (uint32_t i = 0; i < s->count; i++)
        if (!ls_lanes_exact(&s->of[i])) return false;
    if (!ls_fold_find(s->instr, &folder)) return false;
    int64_t out[LANES];
    uint32_t mask = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        int64_t in[6];
        for (uint32_t i = 0; i < s->count; i++) {
            in[i] = s->of[i].predicate ? (s->of[i].must >> l & 1) : s->of[i].offset[l];
            /* ls_fold applies ! itself */
            if (s->of[i].predicate && s->instr->src[i].flags & LS_OPERAND_NOT) in[i] ^= 1;
        }
        out[l] = ls_fold(&folder, in);
        mask |= (uint32_t)(out[l] & 1) << l;
    }
    *result = s->instr->dst[0].type == LS_TYPE_PRED ? ls_lanes_mask(mask) : ls_lanes_vector(out);
    return true;
}

static ls_lanes anything(const ls_ir_instr *instr, uint32_t k, uint8_t cause) {
    ls_lanes any = ls_lanes_any(cause);
    const ls_lanes *inputs[] = {&any};
    return instr->dst[k].type == LS_TYPE_PRED ? ls_lanes_predicate_function(inputs, 1, cause) : any;
}

static ls_lanes load(const sources *s, uint32_t k) {
    if (!ls_bitset_has(&s->warp->a->stable_loads, s->instr->id)) return anything(s->instr, k, LS_CAUSE_DATA);
    if (ls_bitset_has(&s->warp->a->aligned_params, s->instr->id))
        return ls_lanes_uniform((ls_residue){0, 256});
    return function_of(s, LS_CAUSE_DATA);
}

static void take_as_unsigned(ls_lanes *lanes, uint32_t bits) {
    int64_t numbers[LANES];
    if (lanes->predicate || !ls_lanes_exact(lanes)) return;
    for (uint32_t l = 0; l < LANES; l++)
        numbers[l] = lanes->offset[l] < 0 ? lanes->offset[l] + ((int64_t)1 << bits) : lanes->offset[l];
    *lanes = ls_lanes_vector(numbers);
}

static bool collect(sources *s) {
    const ls_ir_instr *instr = s->instr;
    for (uint32_t i = 0; i < instr->src_count && i < 6; i++) {
        const ls_ir_operand *operand = &instr->src[i];
        if (operand->value)
            s->of[i] = *ls_warp_known(s->warp, operand->value);
        else
            s->of[i] = ls_lanes_uniform(ls_residue_any());
        if (!s->of[i].seen) return false;
        if (s->of[i].predicate && operand->flags & LS_OPERAND_NOT) s->of[i] = ls_lanes_not(&s->of[i]);
    }
    s->count = instr->src_count;
    /* Where numbers are taken as unsigned, known ones with the highest bit set are not negative. */
    uint32_t bits = ls_ptx_type_bits(s->type);
    bool is_unsigned = ls_ptx_type_kind_of(s->type) == LS_KIND_UNSIGNED && bits < 64;
    bool whole = ls_ptx_form_has(instr->form, LS_MOD_WIDE) || instr->op == LS_OP_SETP;
    for (uint32_t i = 0; is_unsigned && whole && i < s->count && i < 2; i++)
        take_as_unsigned(&s->of[i], bits);
    return true;
}

ls_lanes ls_warp_transfer(ls_warp *warp, const ls_ir_instr *instr, uint32_t k) {
    const ls_ptx_opcode *opcode = instr->form->opcode;
    if (instr->unknown || !opcode || instr->op == LS_OP_CALL || instr->src_count > 6)
        return anything(instr, k, LS_CAUSE_UNKNOWN);
    if (opcode->class == LS_CLASS_WARP)
        return ls_warp_result_uniform(warp->a, instr, k)
                   ? (instr->dst[k].type == LS_TYPE_PRED ? ls_lanes_predicate_function(NULL, 0, 0)
                                                         : ls_lanes_uniform(ls_residue_any()))
                   : anything(instr, k, LS_CAUSE_OTHER);
    if (opcode->effects & (LS_ATOMIC | LS_ASYNC) || opcode->class == LS_CLASS_MATRIX)
        return anything(instr, k, LS_CAUSE_DATA);
    if (opcode->effects & (LS_VARIES | LS_EFFECT | LS_CROSS_LANE))
        return anything(instr, k, LS_CAUSE_UNKNOWN);
    sources s = {.warp = warp, .instr = instr, .type = ls_ptx_form_type(instr->form, 0)};
    s.is_signed = ls_ptx_type_kind_of(s.type) == LS_KIND_SIGNED;
    if (!collect(&s)) return (ls_lanes){0};
    if (opcode->effects & LS_READS_MEMORY) return load(&s, k);
    ls_lanes folded;
    if (k == 0 && fold_lanes(&s, &folded)) return folded;
    if (k > 0 || has(&s, LS_MOD_SAT)) return function_of(&s, LS_CAUSE_OTHER);
    if (instr->op == LS_OP_SELP) return rule_selp(&s);
    if (instr->op == LS_OP_MOV || instr->op == LS_OP_CVTA) return rule_move(&s);
    bool integers = ls_is_integer(s.type) || (s.type == LS_TYPE_PRED && s.of[0].predicate);
    if (rules[instr->op] && integers) return rules[instr->op](&s);
    return function_of(&s, LS_CAUSE_OTHER);
}
