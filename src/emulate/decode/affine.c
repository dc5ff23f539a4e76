/* Registers that are the sum of a fixed vector and a value that is the same for the whole block, as the
 * addresses of most kernels are: base + 4 * (block * size + thread). Like what is affine in 003, §3.4, with
 * the block's place in the grid in the scalar part. The vector is computed once for a warp (decode/hoist.c),
 * the scalar once for a block (block_values.c), and loads and stores take both: nothing is left to be
 * computed lane by lane. Instructions that need the register itself get it by one addition.
 *
 * Extending a sum from 32 to 64 bits is right as long as it does not overflow, which is looked at when a
 * block starts: the code as it was is kept beside, for blocks where it does. */
#include "emulate/decode/decode.h"
#include "emulate/decode/rules.h"

/* fixed: a slot, or NO_SLOT for 0; value: of the block. */
typedef struct {
    uint32_t fixed, value;
} sum;

const lane_rule em_rules[LANE_COUNT] = {
    [LANE_MOV_32] = {RULE_MOVE, 4},
    [LANE_MOV_64] = {RULE_MOVE, 8},
    [LANE_ADD_32] = {RULE_ADD, 4},
    [LANE_ADD_64] = {RULE_ADD, 8},
    [LANE_SUB_32] = {RULE_SUB, 4},
    [LANE_SUB_64] = {RULE_SUB, 8},
    [LANE_MUL_LO_32] = {RULE_MUL, 4},
    [LANE_MUL_LO_64] = {RULE_MUL, 8},
    [LANE_MAD_LO_32] = {RULE_MAD, 4},
    [LANE_MAD_LO_64] = {RULE_MAD, 8},
    [LANE_SHL_32] = {RULE_SHL, 4},
    [LANE_SHL_64] = {RULE_SHL, 8},
    [LANE_SHR_U32] = {RULE_SHR, 4},
    [LANE_SHR_U64] = {RULE_SHR, 8},
    [LANE_AND_32] = {RULE_AND, 4},
    [LANE_AND_64] = {RULE_AND, 8},
    [LANE_OR_32] = {RULE_OR, 4},
    [LANE_OR_64] = {RULE_OR, 8},
    [LANE_CVT_S64_S32] = {RULE_SIGNED, 8},
    [LANE_CVT_U64_U32] = {RULE_UNSIGNED, 8},
    [LANE_CVT_32_64] = {RULE_NARROW, 4},
    [LANE_MUL_WIDE_S32] = {RULE_MUL_SIGNED, 8},
    [LANE_MUL_WIDE_U32] = {RULE_MUL_UNSIGNED, 8},
    [LANE_MAD_WIDE_S32] = {RULE_MAD_SIGNED, 8},
    [LANE_MAD_WIDE_U32] = {RULE_MAD_UNSIGNED, 8},
};

/* --- The two parts --- */
static uint32_t block_value(decoder *d, block_op_kind kind, uint8_t width, uint32_t a, uint32_t b) {
    if (kind == BLOCK_ADD && (!a || !b)) return a + b;
    block_op o = {(uint8_t)kind, width, a, b};
    LS_VEC_PUSH(&d->c->block_ops, o);
    return d->c->block_ops.length;
}

static uint32_t fixed_value(decoder *d, uint16_t lane, uint8_t width, uint32_t a, uint32_t b) {
    insn i = {.fn = d->e->lane_ops[lane], .op = lane, .guard = NO_SLOT, .site = d->site, .a = a, .b = b};
    i.d = em_new_slot(d, width);
    em_before(d, i);
    return i.d;
}

/* Whether it is the same for all threads; and that, as a value of the block. */
static bool is_flat(const decoder *d, sum x) {
    return x.fixed == NO_SLOT || em_is_uniform(d, x.fixed);
}
static uint32_t flat(decoder *d, sum x, uint8_t width) {
    if (x.fixed == NO_SLOT) return x.value;
    return block_value(d, BLOCK_ADD, width, block_value(d, BLOCK_FIXED, width, x.fixed, 0), x.value);
}
static bool is_number(const decoder *d, sum x) { /* known before any block starts */
    return !x.value && x.fixed != NO_SLOT && em_is_uniform(d, x.fixed);
}

static void require(decoder *d, sum_kind kind, uint8_t width, sum x) {
    sum_condition s = {(uint8_t)kind, width, x.fixed, x.value};
    if (x.fixed != NO_SLOT && x.value) LS_VEC_PUSH(&d->c->conditions, s);
}

/* --- Operations on sums --- */
static bool both_flat(decoder *d, block_op_kind kind, uint8_t width, sum x, sum y, uint8_t y_width, sum *r) {
    if (!is_flat(d, x) || !is_flat(d, y)) return false;
    uint32_t a = flat(d, x, width), b = flat(d, y, y_width);
    *r = (sum){NO_SLOT, block_value(d, kind, width, a, b)};
    return true;
}

static bool add(decoder *d, uint8_t width, sum x, sum y, sum *r) {
    if (both_flat(d, BLOCK_ADD, width, x, y, width, r)) return true;
    r->fixed = x.fixed == NO_SLOT ? y.fixed
               : y.fixed == NO_SLOT
                   ? x.fixed
                   : fixed_value(d, width == 8 ? LANE_ADD_64 : LANE_ADD_32, width, x.fixed, y.fixed);
    r->value = block_value(d, BLOCK_ADD, width, x.value, y.value);
    return true;
}

static bool subtract(decoder *d, uint8_t width, sum x, sum y, sum *r) {
    if (both_flat(d, BLOCK_SUB, width, x, y, width, r)) return true;
    r->fixed = x.fixed;
    if (y.fixed != NO_SLOT)
        r->fixed = fixed_value(d, width == 8 ? LANE_SUB_64 : LANE_SUB_32, width,
                               x.fixed == NO_SLOT ? em_constant(d, 0, width).slot : x.fixed, y.fixed);
    r->value = y.value ? block_value(d, BLOCK_SUB, width, x.value, y.value) : x.value;
    return true;
}

static bool multiply(decoder *d, uint8_t width, sum x, sum y, sum *r) {
    uint16_t lane = width == 8 ? LANE_MUL_LO_64 : LANE_MUL_LO_32;
    if (both_flat(d, BLOCK_MUL, width, x, y, width, r)) return true;
    if (is_number(d, x)) {
        sum t = x;
        x = y, y = t;
    }
    bool fixed = !x.value && !y.value;
    if (!fixed && !is_number(d, y)) return false;
    r->fixed = fixed_value(d, lane, width, x.fixed, y.fixed);
    r->value = fixed ? 0 : block_value(d, BLOCK_MUL, width, x.value, flat(d, y, width));
    return true;
}

static bool shift_left(decoder *d, uint8_t width, sum x, sum y, sum *r) {
    if (both_flat(d, BLOCK_SHL, width, x, y, 4, r)) return true;
    if (!is_number(d, y)) return false;
    r->fixed = fixed_value(d, width == 8 ? LANE_SHL_64 : LANE_SHL_32, width, x.fixed, y.fixed);
    r->value = x.value ? block_value(d, BLOCK_SHL, width, x.value, flat(d, y, 4)) : 0;
    return true;
}

/* Where no bit is set in both, it is the sum. */
static bool either(decoder *d, uint8_t width, sum x, sum y, sum *r) {
    if (both_flat(d, BLOCK_OR, width, x, y, width, r)) return true;
    if (is_flat(d, x)) {
        sum t = x;
        x = y, y = t;
    }
    if (x.value || !is_flat(d, y)) return false;
    *r = (sum){x.fixed, flat(d, y, width)};
    require(d, SUM_DISJOINT, width, *r);
    return true;
}

static sum extended(decoder *d, bool sign, sum x) {
    block_op_kind kind = sign ? BLOCK_SIGNED : BLOCK_UNSIGNED;
    if (is_flat(d, x)) return (sum){NO_SLOT, block_value(d, kind, 8, flat(d, x, 4), 0)};
    require(d, sign ? SUM_SIGNED : SUM_UNSIGNED, 4, x);
    uint32_t fixed = fixed_value(d, sign ? LANE_CVT_S64_S32 : LANE_CVT_U64_U32, 8, x.fixed, x.fixed);
    return (sum){fixed, x.value ? block_value(d, kind, 8, x.value, 0) : 0};
}

/* A product of 32-bit values: a factor that is known as such is kept so, for multiply to see it. */
static sum factor(decoder *d, bool sign, sum x) {
    if (!is_number(d, x)) return extended(d, sign, x);
    return (sum){fixed_value(d, sign ? LANE_CVT_S64_S32 : LANE_CVT_U64_U32, 8, x.fixed, x.fixed), 0};
}

static sum narrowed(decoder *d, sum x) {
    uint32_t fixed = x.fixed == NO_SLOT ? NO_SLOT : fixed_value(d, LANE_CVT_32_64, 4, x.fixed, x.fixed);
    return (sum){fixed, x.value ? block_value(d, BLOCK_UNSIGNED, 4, x.value, 0) : 0};
}

static bool apply(decoder *d, uint16_t lane, const sum *s, sum *r) {
    uint8_t width = em_rules[lane].width;
    sum product;
    switch (em_rules[lane].rule) {
    case RULE_MOVE: *r = s[0]; return true;
    case RULE_ADD: return add(d, width, s[0], s[1], r);
    case RULE_SUB: return subtract(d, width, s[0], s[1], r);
    case RULE_MUL: return multiply(d, width, s[0], s[1], r);
    case RULE_MAD: return multiply(d, width, s[0], s[1], &product) && add(d, width, product, s[2], r);
    case RULE_SHL: return shift_left(d, width, s[0], s[1], r);
    case RULE_SHR: return both_flat(d, BLOCK_SHR, width, s[0], s[1], 4, r);
    case RULE_AND: return both_flat(d, BLOCK_AND, width, s[0], s[1], width, r);
    case RULE_OR: return either(d, width, s[0], s[1], r);
    case RULE_SIGNED:
    case RULE_UNSIGNED: *r = extended(d, em_rules[lane].rule == RULE_SIGNED, s[0]); return true;
    case RULE_NARROW: *r = narrowed(d, s[0]); return true;
    case RULE_MUL_SIGNED:
    case RULE_MUL_UNSIGNED:
    case RULE_MAD_SIGNED:
    case RULE_MAD_UNSIGNED: {
        bool sign = em_rules[lane].rule == RULE_MUL_SIGNED || em_rules[lane].rule == RULE_MAD_SIGNED;
        bool adds = em_rules[lane].rule == RULE_MAD_SIGNED || em_rules[lane].rule == RULE_MAD_UNSIGNED;
        sum x = factor(d, sign, s[0]), y = factor(d, sign, s[1]);
        if (!multiply(d, 8, x, y, &product)) return false;
        if (adds) return add(d, 8, product, s[2], r);
        *r = product;
        return true;
    }
    default: return false;
    }
}

/* --- Instructions --- */
static uint64_t packed(sum x) {
    return (uint64_t)x.fixed << 32 | x.value;
}

/* What a slot is: a sum, or fixed; or the result of one of the last operations. */
typedef struct {
    uint32_t slot;
    sum is;
} result;

static bool find(const decoder *d, uint32_t slot, const result *last, uint32_t count, sum *out) {
    uint64_t value;
    for (uint32_t k = count; k--;) {
        if (last[k].slot != slot) continue;
        *out = last[k].is;
        return true;
    }
    if (ls_intmap_get(&d->sums, slot, &value)) {
        *out = (sum){(uint32_t)(value >> 32), (uint32_t)value};
        return true;
    }
    *out = (sum){slot, 0};
    return em_is_fixed(d, slot);
}

static bool as_sums(decoder *d, uint32_t from, result *results, uint32_t most) {
    uint32_t count = d->out.length - from;
    if (count > most) return false;
    for (uint32_t k = 0; k < count; k++) {
        const insn i = d->out.items[from + k];
        static const uint8_t sources[] = {
            [RULE_MOVE] = 1,       [RULE_ADD] = 2,          [RULE_SUB] = 2,        [RULE_MUL] = 2,
            [RULE_MAD] = 3,        [RULE_SHL] = 2,          [RULE_SHR] = 2,        [RULE_AND] = 2,
            [RULE_OR] = 2,         [RULE_SIGNED] = 1,       [RULE_UNSIGNED] = 1,   [RULE_NARROW] = 1,
            [RULE_MUL_SIGNED] = 2, [RULE_MUL_UNSIGNED] = 2, [RULE_MAD_SIGNED] = 3, [RULE_MAD_UNSIGNED] = 3};
        const uint32_t slots[] = {i.a, i.b, i.c};
        sum s[3];
        if (!i.op || !em_rules[i.op].rule) return false;
        for (uint32_t n = 0; n < sources[em_rules[i.op].rule]; n++)
            if (!find(d, slots[n], results, k, &s[n])) return false;
        results[k].slot = i.d;
        if (!apply(d, i.op, s, &results[k].is)) return false;
    }
    return true;
}

static bool can_split(const decoder *d) {
    return d->c->is_kernel && !d->e->watched && !d->e->profile;
}

void em_split(decoder *d, uint32_t from, uint32_t mark) {
    enum { MOST = 4 };
    result results[MOST];
    const ls_ir_instr *in = d->instr;
    if (!can_split(d) || in->dst_count != 1 || in->dst[0].kind != LS_IR_REG) return;
    operand to = d->registers[in->dst[0].reg];
    uint32_t before = d->before.length, ops = d->c->block_ops.length, conditions = d->c->conditions.length;
    if (d->out.items[d->out.length - 1].d != to.slot || !as_sums(d, from, results, MOST)) {
        d->before.length = before;
        d->c->block_ops.length = ops;
        d->c->conditions.length = conditions;
        return;
    }
    sum r = results[d->out.length - from - 1].is;
    for (uint32_t k = from; k < d->out.length; k++) d->out.items[k].stream = STREAM_PLAIN;
    bool is_new;
    *ls_intmap_at(&d->sums, to.slot, &is_new) = packed(r);
    uint32_t fixed = r.fixed == NO_SLOT ? em_constant(d, 0, to.width).slot : r.fixed;
    em_emit_lane(d, to.width == 8 ? LANE_SUM_64 : LANE_SUM_32, to.slot, fixed, r.value, 0)->stream =
        STREAM_AFFINE;
    d->used.length = mark;
}

void em_place_sum(decoder *d, uint32_t slot, uint32_t dimension) {
    bool is_new;
    if (!can_split(d) || dimension < LS_ELEMENT_X || dimension > LS_ELEMENT_Z) return;
    uint32_t value = block_value(d, BLOCK_PLACE, 4, dimension - LS_ELEMENT_X, 0);
    *ls_intmap_at(&d->sums, slot, &is_new) = packed((sum){NO_SLOT, value});
}

mem_access *em_split_access(decoder *d, const mem_access *m) {
    sum s;
    if (!can_split(d) || em_is_fixed(d, m->address) || !find(d, m->address, NULL, 0, &s)) return NULL;
    mem_access *split = LS_NEW(d->arena, mem_access);
    *split = *m;
    split->address = s.fixed == NO_SLOT ? em_constant(d, 0, m->address_width).slot : s.fixed;
    split->base = s.value;
    split->fixed_address = true;
    for (uint32_t k = d->used.length; k--;) { /* it is not read */
        if (d->used.items[k] != m->address) continue;
        d->used.items[k] = d->used.items[--d->used.length];
        break;
    }
    return split;
}
