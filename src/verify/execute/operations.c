/* What each integer instruction computes, exactly, as a term of its operands: a table with a function for
 * each (docs/adding-an-instruction.md). What is not there, or has floating-point operands, is a function of
 * which nothing is known but that equal arguments give equal results (lower.c). */
#include "verify/execute/operations.h"
#include "ptx/tables.h"
#include "verify/check/warps.h"
#include "verify/execute/lower.h"

#include <string.h>

static bool is_signed(uint8_t type) {
    return ls_ptx_type_kind_of((ls_ptx_type)type) == LS_KIND_SIGNED;
}

static bool is_float(uint8_t type) {
    return ls_ptx_type_kind_of((ls_ptx_type)type) == LS_KIND_FLOAT;
}

typedef const ls_term *(*lower_fn)(ls_lowering *l);

static const ls_term *low_add(ls_lowering *l) {
    return ls_add(l->t, l->src[0], l->src[1]);
}

static const ls_term *low_sub(ls_lowering *l) {
    return ls_sub(l->t, l->src[0], l->src[1]);
}

/* The upper 64 bits of a · c, as compilers divide by a constant: a / d with d = ⌈2^64 / c⌉ where a is so
 * small that the error e = c · d − 2^64 never counts, and in halves of c for any a of 32 bits. NULL: neither.
 */
static const ls_term *high_half(ls_terms *t, const ls_term *a, const ls_term *b) {
    if (ls_is_const(a)) return ls_is_const(b) ? NULL : high_half(t, b, a);
    if (!ls_is_const(b) || b->value < 2) return NULL;
    uint64_t c = b->value, divisor = UINT64_MAX / c + 1, error = c * divisor; /* modulo 2^64 */
    if (!error || a->uhi <= UINT64_MAX / error) return ls_binary(t, LS_T_UDIV, a, ls_const(t, 64, divisor));
    if (a->uhi > UINT32_MAX) return NULL;
    const ls_term *low = ls_extract(t, ls_mul(t, a, ls_const(t, 64, c & UINT32_MAX)), 32, 32);
    const ls_term *sum = ls_add(t, ls_mul(t, a, ls_const(t, 64, c >> 32)), ls_zext(t, low, 64));
    return ls_zext(t, ls_extract(t, sum, 32, 32), 64);
}

/* The product as .lo, .hi or .wide has it. */
static const ls_term *times(ls_lowering *l) {
    uint32_t w = ls_width_of(l->type);
    const ls_term *a = ls_resize(l->t, l->src[0], w, is_signed(l->type));
    const ls_term *b = ls_resize(l->t, l->src[1], w, is_signed(l->type));
    if (ls_ptx_form_has(l->i->form, LS_MOD_WIDE) && w <= 32)
        return ls_mul(l->t, ls_resize(l->t, a, 2 * w, is_signed(l->type)),
                      ls_resize(l->t, b, 2 * w, is_signed(l->type)));
    if (!ls_ptx_form_has(l->i->form, LS_MOD_HI)) return ls_mul(l->t, a, b);
    if (w > 32) return is_signed(l->type) ? NULL : high_half(l->t, a, b);
    const ls_term *p = ls_mul(l->t, ls_resize(l->t, a, 2 * w, is_signed(l->type)),
                              ls_resize(l->t, b, 2 * w, is_signed(l->type)));
    return ls_extract(l->t, p, w, w);
}

static const ls_term *low_mul(ls_lowering *l) {
    return times(l);
}

static const ls_term *low_mad(ls_lowering *l) {
    const ls_term *p = times(l);
    if (!p || ls_ptx_form_has(l->i->form, LS_MOD_SAT)) return NULL;
    return ls_add(l->t, p, ls_resize(l->t, l->src[2], p->width, is_signed(l->type)));
}

static const ls_term *low_mul24(ls_lowering *l) {
    if (ls_ptx_form_has(l->i->form, LS_MOD_HI) || ls_ptx_form_has(l->i->form, LS_MOD_SAT)) return NULL;
    if (ls_ptx_type_bits((ls_ptx_type)l->type) != 32) return NULL;
    const ls_term *a = ls_extract(l->t, l->src[0], 0, 24), *b = ls_extract(l->t, l->src[1], 0, 24);
    bool sign = is_signed(l->type);
    const ls_term *p = ls_mul(l->t, ls_resize(l->t, a, 32, sign), ls_resize(l->t, b, 32, sign));
    return l->i->op == LS_OP_MAD24 ? ls_add(l->t, p, l->src[2]) : p;
}

/* PTX leaves division by zero open: any value. That no remainder by zero is taken is assumed (--div0 looks):
 * it may then be what compilers make of it as well, the dividend less the product with the quotient. */
static const ls_term *low_div(ls_lowering *l) {
    bool sign = is_signed(l->type), rest = l->i->op == LS_OP_REM;
    ls_term_op op = sign ? (rest ? LS_T_SREM : LS_T_SDIV) : (rest ? LS_T_UREM : LS_T_UDIV);
    const ls_term *a = l->src[0], *b = l->src[1];
    const ls_term *zero = ls_eq(l->t, b, ls_const(l->t, b->width, 0));
    if (ls_is_false(zero)) return ls_binary(l->t, op, a, b);
    const ls_term *nonzero = ls_ite(l->t, zero, ls_const(l->t, b->width, 1), b);
    const ls_term *args[2] = {a, b};
    if (rest && !l->s->proof->options->div0) l->s->proof->assumed |= LS_ASSUMED_DIVISORS;
    const ls_term *open = rest ? a : ls_uf(l->t, (ls_function){LS_UF_OPEN, l->i->form}, a->width, args, 2);
    return ls_ite(l->t, zero, open, ls_binary(l->t, op, a, nonzero));
}

static const ls_term *low_abs(ls_lowering *l) {
    const ls_term *a = l->src[0];
    return ls_ite(l->t, ls_slt(l->t, a, ls_const(l->t, a->width, 0)), ls_scale(l->t, a, UINT64_MAX), a);
}

static const ls_term *low_neg(ls_lowering *l) {
    return ls_scale(l->t, l->src[0], UINT64_MAX);
}

static const ls_term *less(ls_lowering *l, const ls_term *a, const ls_term *b) {
    return is_signed(l->type) ? ls_slt(l->t, a, b) : ls_ult(l->t, a, b);
}

static const ls_term *low_min_max(ls_lowering *l) {
    const ls_term *a = l->src[0], *b = l->src[1], *c = less(l, a, b);
    if (l->count > 2 || ls_ptx_form_has(l->i->form, LS_MOD_RELU)) return NULL;
    return l->i->op == LS_OP_MIN ? ls_ite(l->t, c, a, b) : ls_ite(l->t, c, b, a);
}

static uint32_t zeros_of(uint64_t value) {
    return value ? (uint32_t)__builtin_ctzll(value) : 64;
}

/* How many of the lowest bits are 0, by the alignment of variables. */
static uint32_t low_zeros(const ls_proof *p, const ls_term *t) {
    uint32_t least = zeros_of(t->value);
    if (t->op == LS_T_CONST) return least;
    if (t->op == LS_T_ZEXT || (t->op == LS_T_EXTRACT && t->value == 0)) return low_zeros(p, t->args[0]);
    for (uint32_t o = 0; t->op == LS_T_SYM && o < p->f->object_count; o++)
        if (p->object_address[o] == t) return zeros_of(p->f->objects[o]->align ? p->f->objects[o]->align : 1);
    if (t->op != LS_T_LIN) return 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t zeros = zeros_of(t->coefs[i]) + low_zeros(p, t->args[i]);
        if (zeros < least) least = zeros;
    }
    return least;
}

static const ls_term *low_bits(ls_lowering *l) {
    if (l->i->op == LS_OP_OR && ls_is_const(l->src[1]) && l->src[0]->width > 1 &&
        l->src[1]->value >> (low_zeros(l->s->proof, l->src[0]) & 63) == 0)
        return ls_add(l->t, l->src[0], l->src[1]); /* bits that are 0: compilers write p + 4 so */
    ls_term_op op = l->i->op == LS_OP_AND ? LS_T_AND : l->i->op == LS_OP_OR ? LS_T_OR : LS_T_XOR;
    return ls_binary(l->t, op, l->src[0], l->src[1]);
}

static const ls_term *low_not(ls_lowering *l) {
    if (l->src[0]->width == 1) return ls_not(l->t, l->src[0]);
    return ls_sub(l->t, ls_const(l->t, l->src[0]->width, UINT64_MAX), l->src[0]);
}

static const ls_term *low_cnot(ls_lowering *l) {
    uint32_t w = l->src[0]->width;
    return ls_ite(l->t, ls_eq(l->t, l->src[0], ls_const(l->t, w, 0)), ls_const(l->t, w, 1),
                  ls_const(l->t, w, 0));
}

/* The amount is 32 bits wide and counts up to the width. */
static const ls_term *low_shift(ls_lowering *l) {
    const ls_term *a = l->src[0], *n = l->src[1];
    ls_term_op op = l->i->op == LS_OP_SHL ? LS_T_SHL : is_signed(l->type) ? LS_T_ASHR : LS_T_LSHR;
    if (a->width < n->width) {
        const ls_term *most = ls_const(l->t, n->width, a->width);
        n = ls_ite(l->t, ls_ult(l->t, n, most), n, most);
    }
    return ls_binary(l->t, op, a, ls_resize(l->t, n, a->width, false));
}

/* Position or length of a bit field as a number up to the field's width w: 32-bit fields take 8 bits of the
 * operand, 64-bit ones all (measured on a GPU). */
static const ls_term *field(ls_lowering *l, const ls_term *v, uint32_t w) {
    if (w != 64) v = ls_zext(l->t, ls_extract(l->t, v, 0, 8), v->width);
    const ls_term *most = ls_const(l->t, v->width, w);
    return ls_resize(l->t, ls_ite(l->t, ls_ult(l->t, v, most), v, most), w, false);
}

/* The bits from the position on, then as many as are asked for; shifts by the whole width leave nothing, or
 * the sign. */
static const ls_term *low_bfe(ls_lowering *l) {
    uint32_t w = l->src[0]->width;
    const ls_term *at = field(l, l->src[1], w), *n = field(l, l->src[2], w);
    if (ls_is_const(at) && ls_is_const(n) && n->value && at->value + n->value <= w)
        return ls_resize(l->t, ls_extract(l->t, l->src[0], (uint32_t)at->value, (uint32_t)n->value), w,
                         is_signed(l->type));
    const ls_term *rest = ls_binary(l->t, is_signed(l->type) ? LS_T_ASHR : LS_T_LSHR, l->src[0], at);
    const ls_term *unused = ls_sub(l->t, ls_const(l->t, w, w), n);
    const ls_term *top = ls_binary(l->t, LS_T_SHL, rest, unused);
    return ls_binary(l->t, is_signed(l->type) ? LS_T_ASHR : LS_T_LSHR, top, unused);
}

static const ls_term *low_bfi(ls_lowering *l) {
    uint32_t w = l->src[0]->width;
    const ls_term *at = field(l, l->src[2], w), *n = field(l, l->src[3], w), *one = ls_const(l->t, w, 1);
    const ls_term *ones = ls_sub(l->t, ls_binary(l->t, LS_T_SHL, one, n), one);
    const ls_term *inside = ls_binary(l->t, LS_T_SHL, ones, at);
    const ls_term *outside = ls_sub(l->t, ls_const(l->t, w, UINT64_MAX), inside);
    const ls_term *put = ls_binary(l->t, LS_T_SHL, ls_binary(l->t, LS_T_AND, l->src[0], ones), at);
    return ls_binary(l->t, LS_T_OR, ls_binary(l->t, LS_T_AND, l->src[1], outside), put);
}

/* --- Masks of lanes: functions of which ranks.c knows more --- */

static const ls_term *bits_function(ls_lowering *l, ls_uf_kind kind, const ls_term *const *args,
                                    uint32_t count, uint32_t width) {
    const ls_term *all[2] = {args[0], count > 1 ? args[1] : NULL};
    return ls_zext(l->t, ls_uf(l->t, (ls_function){kind, NULL, args[0]->width}, width, all, count), 32);
}

static const ls_term *low_brev(ls_lowering *l) {
    if (l->src[0]->width != 32) return NULL;
    return bits_function(l, LS_UF_REVERSED, l->src, 1, 32);
}

/* The mask of which a = mask & -mask is the lowest bit; NULL: it is something else. */
static const ls_term *isolated(ls_terms *t, const ls_term *a) {
    bool both = a->width == 32 && a->op == LS_T_AND && a->count == 2;
    if (both && a->args[1] == ls_scale(t, a->args[0], UINT64_MAX)) return a->args[0];
    return both && a->args[0] == ls_scale(t, a->args[1], UINT64_MAX) ? a->args[1] : NULL;
}

/* Which bit is the lowest that is 1, as compilers write __ffs: of the bits in the opposite order, or of that
 * bit alone. */
static const ls_term *low_clz(ls_lowering *l) {
    const ls_term *a = l->src[0], *alone = isolated(l->t, a);
    bool reversed = ls_is_uf(l->t, a, LS_UF_REVERSED);
    const ls_term *mask = reversed ? a->args[0] : alone;
    if (!mask) return NULL;
    const ls_term *lowest = bits_function(l, LS_UF_LOWEST, &mask, 1, 5);
    if (alone) lowest = ls_sub(l->t, ls_const(l->t, 32, 31), lowest);
    return ls_ite(l->t, ls_eq(l->t, mask, ls_const(l->t, 32, 0)),
                  ls_const(l->t, 32, l->i->op == LS_OP_CLZ ? 32 : UINT32_MAX), lowest);
}

static const ls_term *low_bfind(ls_lowering *l) {
    return ls_ptx_form_has(l->i->form, LS_MOD_SHIFTAMT) && !is_signed(l->type) ? low_clz(l) : NULL;
}

/* The first bit that is 1 from bit 0 on. */
static const ls_term *low_fns(ls_lowering *l) {
    const ls_term *mask = l->src[0], *none = ls_eq(l->t, mask, ls_const(l->t, 32, 0));
    bool first = l->count == 3 && ls_is_const(l->src[1]) && l->src[1]->value == 0 && ls_is_const(l->src[2]) &&
                 l->src[2]->value == 1;
    if (!first || mask->width != 32) return NULL;
    return ls_ite(l->t, none, ls_const(l->t, 32, UINT32_MAX), bits_function(l, LS_UF_LOWEST, &mask, 1, 5));
}

/* (1 << lane) - 1, which is %lanemask_lt, too, or ~(-1 << lane): the lane; NULL: something else. */
static const ls_term *lanes_below(const ls_term *t) {
    bool below = t->op == LS_T_LIN && t->count == 1 && t->value == UINT32_MAX && t->args[0]->op == LS_T_SHL;
    const ls_term *bits = below ? t->args[0]->args[0] : NULL, *lane = below ? t->args[0]->args[1] : NULL;
    if (!bits || !ls_is_const(bits) || lane->uhi >= LS_WARP) return NULL;
    return (t->coefs[0] == 1 && bits->value == 1) || (t->coefs[0] == UINT32_MAX && bits->value == UINT32_MAX)
               ? lane
               : NULL;
}

/* How many lanes of a mask are below a lane, where these are the bits of `a`; NULL: they are not. */
static const ls_term *rank_of(ls_lowering *l, const ls_term *a) {
    for (int k = 0; a->width == 32 && a->op == LS_T_AND && a->count == 2 && k < 2; k++) {
        const ls_term *args[2] = {a->args[1 - k], lanes_below(a->args[k])};
        if (args[1]) return bits_function(l, LS_UF_RANK, args, 2, 5);
    }
    return NULL;
}

static const ls_term *low_popc(ls_lowering *l) {
    const ls_term *rank = rank_of(l, l->src[0]);
    return rank ? rank : bits_function(l, LS_UF_BITS, l->src, 1, 7);
}

static const ls_term *low_sad(ls_lowering *l) {
    const ls_term *a = l->src[0], *b = l->src[1], *c = less(l, a, b);
    return ls_add(l->t, l->src[2], ls_ite(l->t, c, ls_sub(l->t, b, a), ls_sub(l->t, a, b)));
}

/* a ? b on the form's comparison, or NULL. */
static const ls_term *compare(ls_lowering *l, uint8_t type, const ls_term *a, const ls_term *b) {
    if (is_float(type)) return NULL;
    if (a->width == 1) return NULL;
    bool sign = is_signed(type), zero = ls_is_const(b) && b->value == 0;
    if (zero && (l->i->form->compare == LS_MOD_EQ || l->i->form->compare == LS_MOD_NE)) {
        const ls_term *rank = rank_of(l, a); /* 0 where none of these bits is 1 */
        if (rank) a = rank;
    }
#define LESS(x, y) (sign ? ls_slt(l->t, x, y) : ls_ult(l->t, x, y))
    switch (l->i->form->compare) {
    case LS_MOD_EQ: return ls_eq(l->t, a, b);
    case LS_MOD_NE: return ls_not(l->t, ls_eq(l->t, a, b));
    case LS_MOD_LT: return LESS(a, b);
    case LS_MOD_LE: return ls_not(l->t, LESS(b, a));
    case LS_MOD_GT: return LESS(b, a);
    case LS_MOD_GE: return ls_not(l->t, LESS(a, b));
    case LS_MOD_LO: return ls_ult(l->t, a, b);
    case LS_MOD_LS: return ls_not(l->t, ls_ult(l->t, b, a));
    case LS_MOD_HI: return ls_ult(l->t, b, a);
    case LS_MOD_HS: return ls_not(l->t, ls_ult(l->t, a, b));
    default: return NULL;
    }
#undef LESS
}

static const ls_term *low_setp(ls_lowering *l) {
    if (!l->i->form->type_count || l->count < 2) return NULL;
    uint8_t type = l->i->form->types[l->i->form->type_count - 1];
    bool combines = ls_ptx_form_has(l->i->form, LS_MOD_AND) || ls_ptx_form_has(l->i->form, LS_MOD_OR) ||
                    ls_ptx_form_has(l->i->form, LS_MOD_XOR) || l->count > 2;
    if (combines) return NULL;
    const ls_term *c = compare(l, type, l->src[0], l->src[1]);
    if (!c) return NULL;
    if (l->i->op == LS_OP_SETP) return c;
    if (is_float(l->i->dst[0].type)) return NULL;
    uint32_t w = ls_width_of(l->i->dst[0].type);
    return ls_ite(l->t, c, ls_const(l->t, w, UINT64_MAX), ls_const(l->t, w, 0));
}

static const ls_term *low_selp(ls_lowering *l) {
    if (l->src[2]->width != 1) return NULL;
    return ls_ite(l->t, l->src[2], l->src[0], l->src[1]);
}

/* mov.b64 d, {a, b}: the parts one after the other, the lowest bits first. */
static const ls_term *packed(ls_lowering *l) {
    const uint32_t width = ls_width_of(l->i->dst[0].type), part = width / l->count;
    const ls_term *all = ls_const(l->t, width, 0);
    for (uint32_t k = 0; k < l->count; k++) {
        const ls_ir_operand *o = &l->i->src[k];
        if (l->src[k]->width < part || part < 8 || (o->value && is_float(o->value->type))) return NULL;
        const ls_term *low = ls_resize(l->t, ls_resize(l->t, l->src[k], part, false), width, false);
        all = ls_add(l->t, all, ls_scale(l->t, low, UINT64_C(1) << k * part));
    }
    return all;
}

static const ls_term *low_mov(ls_lowering *l) {
    if (l->count > 1 && l->count == l->i->src_count && l->i->dst_count == 1) return packed(l);
    if (l->count == 1 && l->i->dst_count == 1) {
        uint32_t w = ls_width_of(l->i->dst[0].type);
        return l->src[0]->width == w || (w > 1 && l->src[0]->width > 1) ? ls_resize(l->t, l->src[0], w, false)
                                                                        : NULL;
    }
    return NULL;
}

static const ls_term *low_cvt(ls_lowering *l) {
    const ls_ptx_form *form = l->i->form;
    if (form->type_count != 2 || is_float(form->types[0]) || is_float(form->types[1])) return NULL;
    if (ls_ptx_form_has(form, LS_MOD_SAT)) return NULL;
    const ls_term *a = ls_resize(l->t, l->src[0], ls_width_of(form->types[1]), false);
    const ls_term *r = ls_resize(l->t, a, ls_width_of(form->types[0]), is_signed(form->types[1]));
    uint32_t w = ls_width_of(l->s->proof->f->values[l->i->dst[0].value->id]->type);
    return ls_resize(l->t, r, w, is_signed(form->types[0]));
}

static const ls_term *low_cvta(ls_lowering *l) {
    return l->src[0];
}

typedef struct {
    bool floats; /* also for floating-point types */
    bool needs_no_carry;
    lower_fn lower;
} row;

static const row rows[LS_OP_COUNT] = {
    [LS_OP_ADD] = {false, true, low_add},      [LS_OP_SUB] = {false, true, low_sub},
    [LS_OP_MUL] = {false, false, low_mul},     [LS_OP_MAD] = {false, true, low_mad},
    [LS_OP_MUL24] = {false, false, low_mul24}, [LS_OP_MAD24] = {false, false, low_mul24},
    [LS_OP_DIV] = {false, false, low_div},     [LS_OP_REM] = {false, false, low_div},
    [LS_OP_ABS] = {false, false, low_abs},     [LS_OP_NEG] = {false, false, low_neg},
    [LS_OP_MIN] = {false, false, low_min_max}, [LS_OP_MAX] = {false, false, low_min_max},
    [LS_OP_AND] = {true, false, low_bits},     [LS_OP_OR] = {true, false, low_bits},
    [LS_OP_XOR] = {true, false, low_bits},     [LS_OP_NOT] = {true, false, low_not},
    [LS_OP_CNOT] = {true, false, low_cnot},    [LS_OP_SHL] = {true, false, low_shift},
    [LS_OP_SHR] = {true, false, low_shift},    [LS_OP_BFE] = {false, false, low_bfe},
    [LS_OP_BFI] = {true, false, low_bfi},      [LS_OP_SAD] = {false, false, low_sad},
    [LS_OP_SETP] = {true, false, low_setp},    [LS_OP_SET] = {true, false, low_setp},
    [LS_OP_SELP] = {true, false, low_selp},    [LS_OP_MOV] = {true, false, low_mov},
    [LS_OP_CVT] = {true, false, low_cvt},      [LS_OP_CVTA] = {true, false, low_cvta},
    [LS_OP_BREV] = {true, false, low_brev},    [LS_OP_CLZ] = {true, false, low_clz},
    [LS_OP_FNS] = {true, false, low_fns},      [LS_OP_BFIND] = {false, false, low_bfind},
    [LS_OP_POPC] = {true, false, low_popc},
};

/* What the row says of this instruction's types and modifiers. */
static bool is_of_row(const ls_lowering *l, const row *r) {
    const ls_ptx_form *form = l->i->form;
    bool sums = l->i->op == LS_OP_ADD || l->i->op == LS_OP_SUB; /* of two types there are sums of floats */
    if (is_float(l->type) && !r->floats) return false;
    if (r->needs_no_carry && (ls_ptx_form_has(form, LS_MOD_CC) || ls_ptx_form_has(form, LS_MOD_SAT)))
        return false;
    if (ls_ptx_type_bits((ls_ptx_type)l->type) > 64 || !ls_ptx_types_checked(form)) return false;
    if (sums && form->type_count > 1) return false;
    return !strchr(ls_ptx_type_text((ls_ptx_type)l->type), 'x'); /* packed types */
}

const ls_term *ls_operation(ls_lowering *l, uint32_t result) {
    const row *r = &rows[l->i->op];
    if (!r->lower || l->i->unknown || result > 0 || !is_of_row(l, r)) return NULL;
    return r->lower(l);
}
