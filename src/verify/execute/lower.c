/* From IR instructions to terms: each integer instruction has its exact meaning; floating-point operations
 * are functions of which nothing is known but that equal arguments give equal results; what depends on
 * other threads or on memory is a symbol. An instruction that is not in the table gives anything. */
#include "verify/execute/lower.h"
#include "ptx/tables.h"
#include "verify/check/async.h"
#include "verify/check/barrier_facts.h"
#include "verify/check/images.h"
#include "verify/check/logs.h"
#include "verify/check/ranks.h"
#include "verify/check/tickets.h"
#include "verify/check/warps.h"
#include "verify/execute/calls.h"
#include "verify/execute/contents.h"
#include "verify/execute/exec.h"
#include "verify/execute/fold.h"
#include "verify/execute/nodes.h"
#include "verify/execute/roots.h"

#include <assert.h>
#include <stdio.h>

uint32_t ls_width_of(uint8_t type) {
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)type);
    return bits == 0 || bits > 64 ? 64 : bits;
}

static bool is_signed(uint8_t type) {
    return ls_ptx_type_kind_of((ls_ptx_type)type) == LS_KIND_SIGNED;
}

static bool is_float(uint8_t type) {
    return ls_ptx_type_kind_of((ls_ptx_type)type) == LS_KIND_FLOAT;
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

static const ls_term *computed(const ls_state *s, const ls_ir_value *value) {
    const ls_term *found = NULL;
    for (; s && !found; s = s->before) found = ls_sparse_get(&s->values, value->id);
    return found;
}

const ls_term *ls_value_of(const ls_state *s, const ls_ir_value *value) {
    ls_proof *p = s->proof;
    uint32_t width = ls_width_of(value->type);
    const ls_term *found;
    switch ((ls_ir_value_kind)value->kind) {
    case LS_VALUE_ETA: return ls_value_of(s, value->eta.value);
    case LS_VALUE_IMM: return ls_const(&p->terms, width, value->bits);
    case LS_VALUE_SREG:
        found = ls_special_register(p, value->sreg, value->element, width);
        if (found) return found;
        break;
    case LS_VALUE_OBJECT:
        found = ls_add(&p->terms, ls_object_address(p, value->object.id),
                       ls_const(&p->terms, 64, (uint64_t)value->object.offset));
        return ls_resize(&p->terms, found, width, false);
    default: break;
    }
    found = computed(s, value);
    if (found) return found;
    found = ls_fresh(s, "unset", width, value->kind == LS_VALUE_UNDEF ? LS_SYM_UNSET : LS_SYM_CHOICE);
    ls_set_value(s, value, found);
    return found;
}

const ls_term *ls_operand_of(const ls_state *s, const ls_ir_operand *operand) {
    ls_terms *t = &s->proof->terms;
    uint32_t width = ls_width_of(operand->type);
    const ls_term *v;
    if (operand->value)
        v = ls_value_of(s, operand->value);
    else if (operand->kind == LS_IR_IMM)
        v = ls_const(t, width, operand->bits);
    else
        v = ls_fresh(s, "operand", width, LS_SYM_CHOICE);
    if (v->width != width) v = ls_resize(t, v, width, is_signed(operand->type));
    if (operand->flags & LS_OPERAND_NOT && v->width == 1) v = ls_not(t, v);
    if (operand->flags & LS_OPERAND_MINUS) v = ls_scale(t, v, UINT64_MAX);
    return v;
}

const ls_term *ls_guard_of(const ls_state *s, const ls_ir_instr *instr) {
    if (instr->guard.kind == LS_IR_ABSENT) return ls_true(&s->proof->terms);
    return ls_operand_of(s, &instr->guard);
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

typedef struct {
    ls_state *s;
    ls_terms *t;
    const ls_ir_instr *i;
    const ls_term *src[8];
    uint32_t count;
    uint8_t type; /* first type of the form */
} lowering;

typedef const ls_term *(*lower_fn)(lowering *l);

static const ls_term *low_add(lowering *l) {
    return ls_add(l->t, l->src[0], l->src[1]);
}

static const ls_term *low_sub(lowering *l) {
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
static const ls_term *times(lowering *l) {
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

static const ls_term *low_mul(lowering *l) {
    return times(l);
}

static const ls_term *low_mad(lowering *l) {
    const ls_term *p = times(l);
    if (!p || ls_ptx_form_has(l->i->form, LS_MOD_SAT)) return NULL;
    return ls_add(l->t, p, ls_resize(l->t, l->src[2], p->width, is_signed(l->type)));
}

static const ls_term *low_mul24(lowering *l) {
    if (ls_ptx_form_has(l->i->form, LS_MOD_HI) || ls_ptx_form_has(l->i->form, LS_MOD_SAT)) return NULL;
    const ls_term *a = ls_extract(l->t, l->src[0], 0, 24), *b = ls_extract(l->t, l->src[1], 0, 24);
    bool sign = is_signed(l->type);
    const ls_term *p = ls_mul(l->t, ls_resize(l->t, a, 32, sign), ls_resize(l->t, b, 32, sign));
    return l->i->op == LS_OP_MAD24 ? ls_add(l->t, p, l->src[2]) : p;
}

/* PTX leaves division by zero open: any value. That no remainder by zero is taken is assumed (--div0 looks):
 * it may then be what compilers make of it as well, the dividend less the product with the quotient. */
static const ls_term *low_div(lowering *l) {
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

static const ls_term *low_abs(lowering *l) {
    const ls_term *a = l->src[0];
    return ls_ite(l->t, ls_slt(l->t, a, ls_const(l->t, a->width, 0)), ls_scale(l->t, a, UINT64_MAX), a);
}

static const ls_term *low_neg(lowering *l) {
    return ls_scale(l->t, l->src[0], UINT64_MAX);
}

static const ls_term *less(lowering *l, const ls_term *a, const ls_term *b) {
    return is_signed(l->type) ? ls_slt(l->t, a, b) : ls_ult(l->t, a, b);
}

static const ls_term *low_min_max(lowering *l) {
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

static const ls_term *low_bits(lowering *l) {
    if (l->i->op == LS_OP_OR && ls_is_const(l->src[1]) && l->src[0]->width > 1 &&
        l->src[1]->value >> (low_zeros(l->s->proof, l->src[0]) & 63) == 0)
        return ls_add(l->t, l->src[0], l->src[1]); /* bits that are 0: compilers write p + 4 so */
    ls_term_op op = l->i->op == LS_OP_AND ? LS_T_AND : l->i->op == LS_OP_OR ? LS_T_OR : LS_T_XOR;
    return ls_binary(l->t, op, l->src[0], l->src[1]);
}

static const ls_term *low_not(lowering *l) {
    if (l->src[0]->width == 1) return ls_not(l->t, l->src[0]);
    return ls_sub(l->t, ls_const(l->t, l->src[0]->width, UINT64_MAX), l->src[0]);
}

static const ls_term *low_cnot(lowering *l) {
    uint32_t w = l->src[0]->width;
    return ls_ite(l->t, ls_eq(l->t, l->src[0], ls_const(l->t, w, 0)), ls_const(l->t, w, 1),
                  ls_const(l->t, w, 0));
}

/* The amount is 32 bits wide and counts up to the width. */
static const ls_term *low_shift(lowering *l) {
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
static const ls_term *field(lowering *l, const ls_term *v, uint32_t w) {
    if (w != 64) v = ls_zext(l->t, ls_extract(l->t, v, 0, 8), v->width);
    const ls_term *most = ls_const(l->t, v->width, w);
    return ls_resize(l->t, ls_ite(l->t, ls_ult(l->t, v, most), v, most), w, false);
}

/* The bits from the position on, then as many as are asked for; shifts by the whole width leave nothing, or
 * the sign. */
static const ls_term *low_bfe(lowering *l) {
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

static const ls_term *low_bfi(lowering *l) {
    uint32_t w = l->src[0]->width;
    const ls_term *at = field(l, l->src[2], w), *n = field(l, l->src[3], w), *one = ls_const(l->t, w, 1);
    const ls_term *ones = ls_sub(l->t, ls_binary(l->t, LS_T_SHL, one, n), one);
    const ls_term *inside = ls_binary(l->t, LS_T_SHL, ones, at);
    const ls_term *outside = ls_sub(l->t, ls_const(l->t, w, UINT64_MAX), inside);
    const ls_term *put = ls_binary(l->t, LS_T_SHL, ls_binary(l->t, LS_T_AND, l->src[0], ones), at);
    return ls_binary(l->t, LS_T_OR, ls_binary(l->t, LS_T_AND, l->src[1], outside), put);
}

/* --- Masks of lanes: functions of which ranks.c knows more --- */

static const ls_term *bits_function(lowering *l, ls_uf_kind kind, const ls_term *const *args, uint32_t count,
                                    uint32_t width) {
    const ls_term *all[2] = {args[0], count > 1 ? args[1] : NULL};
    return ls_zext(l->t, ls_uf(l->t, (ls_function){kind, NULL, args[0]->width}, width, all, count), 32);
}

static const ls_term *low_brev(lowering *l) {
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
static const ls_term *low_clz(lowering *l) {
    const ls_term *a = l->src[0], *alone = isolated(l->t, a);
    bool reversed = ls_is_uf(l->t, a, LS_UF_REVERSED);
    const ls_term *mask = reversed ? a->args[0] : alone;
    if (!mask) return NULL;
    const ls_term *lowest = bits_function(l, LS_UF_LOWEST, &mask, 1, 5);
    if (alone) lowest = ls_sub(l->t, ls_const(l->t, 32, 31), lowest);
    return ls_ite(l->t, ls_eq(l->t, mask, ls_const(l->t, 32, 0)),
                  ls_const(l->t, 32, l->i->op == LS_OP_CLZ ? 32 : UINT32_MAX), lowest);
}

static const ls_term *low_bfind(lowering *l) {
    return ls_ptx_form_has(l->i->form, LS_MOD_SHIFTAMT) && !is_signed(l->type) ? low_clz(l) : NULL;
}

/* The first bit that is 1 from bit 0 on. */
static const ls_term *low_fns(lowering *l) {
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
static const ls_term *rank_of(lowering *l, const ls_term *a) {
    for (int k = 0; a->width == 32 && a->op == LS_T_AND && a->count == 2 && k < 2; k++) {
        const ls_term *args[2] = {a->args[1 - k], lanes_below(a->args[k])};
        if (args[1]) return bits_function(l, LS_UF_RANK, args, 2, 5);
    }
    return NULL;
}

static const ls_term *low_popc(lowering *l) {
    const ls_term *rank = rank_of(l, l->src[0]);
    return rank ? rank : bits_function(l, LS_UF_BITS, l->src, 1, 7);
}

static const ls_term *low_sad(lowering *l) {
    const ls_term *a = l->src[0], *b = l->src[1], *c = less(l, a, b);
    return ls_add(l->t, l->src[2], ls_ite(l->t, c, ls_sub(l->t, b, a), ls_sub(l->t, a, b)));
}

/* a ? b on the form's comparison, or NULL. */
static const ls_term *compare(lowering *l, uint8_t type, const ls_term *a, const ls_term *b) {
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

static const ls_term *opaque(lowering *l, uint32_t result, uint32_t width) {
    return ls_uf(l->t, (ls_function){LS_UF_RESULT, l->i->form, result}, width, l->src, l->count);
}

static const ls_term *low_setp(lowering *l) {
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

static const ls_term *low_selp(lowering *l) {
    if (l->src[2]->width != 1) return NULL;
    return ls_ite(l->t, l->src[2], l->src[0], l->src[1]);
}

static const ls_term *low_mov(lowering *l) {
    if (l->count == 1 && l->i->dst_count == 1) {
        uint32_t w = ls_width_of(l->i->dst[0].type);
        return l->src[0]->width == w || (w > 1 && l->src[0]->width > 1) ? ls_resize(l->t, l->src[0], w, false)
                                                                        : NULL;
    }
    return NULL;
}

static const ls_term *low_cvt(lowering *l) {
    const ls_ptx_form *form = l->i->form;
    if (form->type_count != 2 || is_float(form->types[0]) || is_float(form->types[1])) return NULL;
    if (ls_ptx_form_has(form, LS_MOD_SAT)) return NULL;
    const ls_term *a = ls_resize(l->t, l->src[0], ls_width_of(form->types[1]), false);
    const ls_term *r = ls_resize(l->t, a, ls_width_of(form->types[0]), is_signed(form->types[1]));
    uint32_t w = ls_width_of(l->s->proof->f->values[l->i->dst[0].value->id]->type);
    return ls_resize(l->t, r, w, is_signed(form->types[0]));
}

static const ls_term *low_cvta(lowering *l) {
    return l->src[0];
}

typedef struct {
    uint16_t op;
    bool floats; /* also for floating-point types */
    bool needs_no_carry;
    lower_fn lower;
} row;

static const row rows[] = {
    {LS_OP_ADD, false, true, low_add},      {LS_OP_SUB, false, true, low_sub},
    {LS_OP_MUL, false, false, low_mul},     {LS_OP_MAD, false, true, low_mad},
    {LS_OP_MUL24, false, false, low_mul24}, {LS_OP_MAD24, false, false, low_mul24},
    {LS_OP_DIV, false, false, low_div},     {LS_OP_REM, false, false, low_div},
    {LS_OP_ABS, false, false, low_abs},     {LS_OP_NEG, false, false, low_neg},
    {LS_OP_MIN, false, false, low_min_max}, {LS_OP_MAX, false, false, low_min_max},
    {LS_OP_AND, true, false, low_bits},     {LS_OP_OR, true, false, low_bits},
    {LS_OP_XOR, true, false, low_bits},     {LS_OP_NOT, true, false, low_not},
    {LS_OP_CNOT, true, false, low_cnot},    {LS_OP_SHL, true, false, low_shift},
    {LS_OP_SHR, true, false, low_shift},    {LS_OP_BFE, false, false, low_bfe},
    {LS_OP_BFI, true, false, low_bfi},      {LS_OP_SAD, false, false, low_sad},
    {LS_OP_SETP, true, false, low_setp},    {LS_OP_SET, true, false, low_setp},
    {LS_OP_SELP, true, false, low_selp},    {LS_OP_MOV, true, false, low_mov},
    {LS_OP_CVT, true, false, low_cvt},      {LS_OP_CVTA, true, false, low_cvta},
    {LS_OP_BREV, true, false, low_brev},    {LS_OP_CLZ, true, false, low_clz},
    {LS_OP_FNS, true, false, low_fns},      {LS_OP_BFIND, false, false, low_bfind},
    {LS_OP_POPC, true, false, low_popc},
};

/* A function of its operands alone, so that equal operands give equal results. */
static bool is_function(const ls_ir_instr *i) {
    const ls_ptx_opcode *opcode = i->form->opcode;
    if (i->unknown || i->call || opcode->effects) return false;
    return opcode->class == LS_CLASS_INTEGER || opcode->class == LS_CLASS_FLOAT ||
           opcode->class == LS_CLASS_COMPARE || opcode->class == LS_CLASS_LOGIC ||
           opcode->class == LS_CLASS_MOVE || opcode->class == LS_CLASS_VIDEO;
}

static const ls_term *low_any(lowering *l, uint32_t result) {
    bool float_type = is_float(l->type);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *r = &rows[k];
        if (r->op != l->i->op || l->i->unknown || result > 0) continue;
        if (float_type && !r->floats) break;
        if (r->needs_no_carry &&
            (ls_ptx_form_has(l->i->form, LS_MOD_CC) || ls_ptx_form_has(l->i->form, LS_MOD_SAT)))
            break;
        if (ls_ptx_type_bits((ls_ptx_type)l->type) > 64 || !ls_ptx_types_checked(l->i->form)) break;
        const char *text = ls_ptx_type_text((ls_ptx_type)l->type);
        if (strchr(text, 'x')) break; /* packed types */
        return r->lower(l);
    }
    return NULL;
}

/* The number at a byte offset of an initialiser, where it stands there as one; false where it does not. */
static bool initial_number(const ls_ptx_variable *v, uint64_t offset, uint32_t width, uint64_t *out) {
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)v->type) / 8;
    const ls_ptx_operand *parts = v->initializer;
    *out = 0;
    if (!parts) return true; /* PTX: constant memory without an initialiser is zero */
    if (!bytes || v->vector > 1 || v->dimension_count != 1 || parts->kind != LS_OPERAND_VECTOR) return false;
    if (width % (bytes * 8) || offset % bytes) return false;
    *out = 0;
    for (uint32_t k = 0; k < width / (bytes * 8); k++) { /* elements that are left out are 0 */
        uint64_t at = offset / bytes + k;
        const ls_ptx_operand *part = at < parts->count ? &parts->parts[at] : NULL;
        if (part && part->kind != LS_OPERAND_INT) return false;
        if (part) *out |= (part->value & ls_mask(bytes * 8)) << (k * bytes * 8);
    }
    return true;
}

/* Constant arrays of OpenCL, which nobody can write, as a choice by the offset. */
static const ls_term *initial_value(lowering *l, const ls_ir_base *base, const ls_term *address,
                                    uint32_t width) {
    const ls_proof *p = l->s->proof;
    const ls_ir_object *object = base->kind == LS_BASE_OBJECT ? p->f->objects[base->object] : NULL;
    if (!p->options->opencl || !object || p->written[base->id] || p->writes_unknown || !object->variable)
        return NULL;
    if (object->kind != LS_OBJECT_CONST || object->is_extern || object->size > 1024) return NULL;
    uint32_t bytes = width / 8;
    const ls_term *offset = ls_sub(l->t, address, ls_object_address(l->s->proof, object->id)), *value = NULL;
    for (uint64_t at = 0; bytes && at + bytes <= object->size; at += bytes) {
        uint64_t number;
        if (!initial_number(object->variable, at, width, &number)) return NULL;
        const ls_term *here = ls_const(l->t, width, number);
        const ls_term *is_here = ls_eq(l->t, offset, ls_const(l->t, 64, at));
        value = value ? ls_ite(l->t, is_here, here, value) : here;
    }
    if (!value) return NULL;
    /* anything else: out of bounds or not aligned */
    const ls_term *last = ls_const(l->t, 64, object->size - bytes);
    const ls_term *inside = ls_not(l->t, ls_ult(l->t, last, offset));
    const ls_term *rest = ls_binary(l->t, LS_T_UREM, offset, ls_const(l->t, 64, bytes));
    inside = ls_and(l->t, inside, ls_eq(l->t, rest, ls_const(l->t, 64, 0)));
    return ls_ite(l->t, inside, value, ls_fresh(l->s, "outside", width, LS_SYM_CHOICE));
}

/* What a load gives: parameters are symbols of their own, memory that nobody writes is a function of the
 * address, everything else is anything. */
static const ls_term *loaded_at(lowering *l, const ls_ir_access *a, const ls_term *address, uint32_t width) {
    ls_proof *p = l->s->proof;
    bool single = a->base_count == 1 && !a->other_bases && !a->opaque && a->kind == LS_ACCESS_READ;
    const ls_ir_base *base = single ? a->bases[0] : NULL;
    if (base && base->kind == LS_BASE_OBJECT && p->f->objects[base->object]->kind == LS_OBJECT_PARAM) {
        const ls_term *offset = ls_sub(l->t, address, ls_object_address(p, base->object));
        if (ls_is_const(offset)) return ls_parameter(p, base->object, offset->value, width);
    }
    const ls_term *initial = base ? initial_value(l, base, address, width) : NULL;
    if (initial) return initial;
    bool local = a->space == LS_SPACE_LOCAL || (base && base->kind == LS_BASE_OBJECT &&
                                                p->f->objects[base->object]->kind == LS_OBJECT_LOCAL);
    bool unwritten = base && ((!p->written[base->id] && !p->writes_unknown) || p->initial[a->id]);
    bool any = p->options->any_loads && !local && a->space != LS_SPACE_CONST;
    if (unwritten && !local && !a->is_volatile && !p->has_copies && !any) {
        const ls_term *start = ls_base_address(p, base);
        if (start) {
            const ls_term *args[1] = {ls_sub(l->t, address, ls_resize(l->t, start, 64, false))};
            return ls_uf(l->t, (ls_function){LS_UF_READ_ONLY, ls_first_base(p, base)}, width, args, 1);
        }
    }
    const ls_term *known = single && !any ? ls_memory_load(l->s, a, address, width) : NULL;
    if (known) return known;
    const ls_term *v = ls_fresh(l->s, "load", width, LS_SYM_LOAD);
    ls_sym_of(l->t, v)->memory_written = true;
    ls_sym_of(l->t, v)->key = a;
    ls_sym_of(l->t, v)->tag = l->s->tag;
    return v;
}

/* What the other thread has for it. */
static const ls_term *of_other(const ls_state *s, const ls_term *value) {
    const ls_term *other = ls_fresh(s, "other", value->width, LS_SYM_OTHER);
    ls_sym_of(&s->proof->terms, other)->key = value;
    return other;
}

static const ls_term *loaded(lowering *l, uint32_t result, uint32_t width) {
    const ls_ir_access *a = l->i->access_count ? &l->i->accesses[0] : NULL;
    if (!a) return NULL;
    const ls_term *address = ls_resize(l->t, ls_operand_of(l->s, &l->i->src[a->src]), 64, false);
    address = ls_add(l->t, address,
                     ls_const(l->t, 64, (uint64_t)(l->i->src[a->src].offset + (int64_t)result * a->bytes)));
    const ls_term *theirs = ls_address_of_other(l->t, l->i, address); /* barrier_facts.c */
    return theirs ? of_other(l->s, loaded_at(l, a, theirs, width)) : loaded_at(l, a, address, width);
}

/* The number of dimensions of a launch that does not say. */
static const ls_term *dimensions(ls_proof *p, uint32_t width) {
    void **place = ls_map_at(&p->named, "get_work_dim", 12);
    if (!*place)
        *place =
            (void *)(uintptr_t)ls_symbol(&p->terms, "get_work_dim", 32, LS_SCOPE_GRID, LS_SYM_INPUT, 1, 3);
    return ls_resize(&p->terms, *place, width, false);
}

/* The address of the object that is a part of the pointer; NULL: there is none. */
static const ls_term *start_in(ls_proof *p, const ls_term *pointer) {
    ls_term_list leaves = {0};
    const ls_term *start = NULL;
    ls_leaves(&pointer, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length && !start; i++) {
        const ls_term *leaf = leaves.items[i];
        uint64_t key;
        bool address = leaf->op == LS_T_SYM && ls_intmap_get(&p->parameter_keys, leaf->value, &key) &&
                       p->f->objects[key >> 32]->variable && p->f->objects[key >> 32]->variable->is_pointer;
        for (uint32_t o = 0; o < p->f->object_count; o++) address |= p->object_address[o] == leaf;
        if (address) start = leaf;
    }
    LS_VEC_FREE(&leaves);
    return start;
}

enum { MOST_CHOICES = 16 }; /* of a pointer */

/* How far into its object it points, where the object's address goes away when it is taken off. NULL: it is
 * not known. */
static const ls_term *offset_in(ls_proof *p, const ls_term *pointer, uint32_t depth) {
    ls_terms *t = &p->terms;
    if (pointer->op == LS_T_ITE && depth < MOST_CHOICES) {
        const ls_term *one = offset_in(p, pointer->args[1], depth + 1);
        const ls_term *two = one ? offset_in(p, pointer->args[2], depth + 1) : NULL;
        return two ? ls_ite(t, pointer->args[0], one, two) : NULL;
    }
    for (uint32_t i = 0; pointer->op == LS_T_LIN && i < pointer->count; i++) {
        const ls_term *part = pointer->args[i];
        if (part->op != LS_T_ITE || pointer->coefs[i] != 1 || depth >= MOST_CHOICES) continue;
        const ls_term *rest = ls_sub(t, pointer, part), *offset = offset_in(p, part, depth + 1);
        if (offset && !start_in(p, rest)) return ls_add(t, rest, ls_resize(t, offset, rest->width, false));
    }
    const ls_term *start = start_in(p, pointer);
    if (!start) return NULL;
    const ls_term *offset = ls_sub(t, ls_resize(t, pointer, 64, false), ls_resize(t, start, 64, false));
    return start_in(p, offset) ? NULL : offset;
}

/* Calls whose results have a meaning. */
static const ls_term *called(ls_state *s, const ls_ir_instr *i, uint32_t result, uint32_t width) {
    ls_terms *t = &s->proof->terms;
    ls_call_kind kind = ls_call_of(i);
    ls_ir_value *argument = ls_ir_argument_value(i, 0, 0);
    if (kind == LS_CALL_ENABLED || kind == LS_CALL_RESULT) {
        bool enabled = kind == LS_CALL_ENABLED;
        const ls_term *v = ls_fresh(s, i->call->name, width, enabled ? LS_SYM_ENABLED : LS_SYM_RESULT);
        ls_sym *sym = ls_sym_of(t, v);
        sym->key = enabled ? (const void *)s->path : i;
        sym->tag = enabled ? 0 : (uint32_t)i->dst[result].offset;
        if (enabled) ls_add_fact(s->proof, v, ls_eq(t, v, ls_const(t, width, 1)));
        return v;
    }
    if (kind == LS_CALL_DIMENSIONS) {
        uint32_t given = s->proof->options->dimensions;
        return given ? ls_const(t, width, given) : dimensions(s->proof, width);
    }
    if (kind == LS_CALL_COPY) return ls_copy_event(s, i, width);
    if (kind == LS_CALL_OLD) return argument ? ls_value_of(s, argument) : NULL;
    if (kind == LS_CALL_OTHER) {
        if (!argument) return NULL;
        return of_other(s, ls_resize(t, ls_value_of(s, argument), width, true));
    }
    if (kind == LS_CALL_IMAGE) return ls_image_value(s, i, result, width);
    if (kind == LS_CALL_LOG) return ls_log_value(s, i, width);
    if (kind == LS_CALL_OFFSET) {
        const ls_term *offset = argument ? offset_in(s->proof, ls_value_of(s, argument), 0) : NULL;
        return offset ? ls_resize(t, offset, width, false) : NULL;
    }
    if (s->proof->options->any_externals && ls_call_is_external(i)) {
        const ls_term *v = ls_fresh(s, i->call->name, width, LS_SYM_UNSET);
        ls_sym_of(t, v)->key = i;
        return v;
    }
    if (kind != LS_CALL_PURE || !i->call->callee) return NULL;
    const ls_term *args[8];
    uint32_t count = 0;
    for (uint32_t k = 1; k < i->src_count; k++) {
        if (!i->src[k].value || count == 8) return NULL;
        args[count++] = ls_operand_of(s, &i->src[k]);
    }
    return ls_uf(t, (ls_function){LS_UF_RESULT, i->call->callee, result}, width, args, count);
}

void ls_lower_instr(ls_state *s, const ls_ir_instr *i) {
    if (!i->dst_count) return;
    lowering l = {.s = s, .t = &s->proof->terms, .i = i, .type = (uint8_t)ls_ptx_form_type(i->form, 0)};
    bool loads = i->op == LS_OP_LD || i->op == LS_OP_LDU;
    bool function = is_function(i) && i->src_count <= 8;
    for (uint32_t k = 0; k < i->src_count && function; k++) {
        if (!i->src[k].value && i->src[k].kind != LS_IR_IMM) function = false;
        if (function) l.src[l.count++] = ls_operand_of(s, &i->src[k]);
    }
    for (uint32_t d = 0; d < i->dst_count; d++) {
        if (!i->dst[d].value) continue;
        uint32_t width = ls_width_of(i->dst[d].value->type);
        const ls_term *v = NULL;
        if (function) {
            v = ls_fold_instr(l.t, i, l.src, l.count, d);
            if (!v) v = low_any(&l, d);
            if (!v) v = opaque(&l, d, width);
        } else if (loads && !i->unknown) {
            uint32_t narrow = ls_width_of(i->dst[d].type);
            v = loaded(&l, d, narrow < width ? narrow : width);
        }
        if (i->call) v = called(s, i, d, width);
        if (!v) v = ls_fresh(s, i->call ? "call" : i->form->opcode->name, width, LS_SYM_CHOICE);
        if (!d && v->op == LS_T_SYM) ls_keep_joint(s, i, v);
        bool told = i->op == LS_OP_ATOM || ls_is_barrier(i) || ls_is_ticketed(i);
        if (told && v->op == LS_T_SYM) { /* races.c, query.c, tickets.c */
            ls_sym_of(l.t, v)->key = i;
            ls_sym_of(l.t, v)->tag = s->tag;
        }
        if (v->width != width) v = ls_resize(l.t, v, width, is_signed(i->dst[d].type));
        if (i->prior && i->prior[d]) v = ls_ite(l.t, ls_guard_of(s, i), v, ls_value_of(s, i->prior[d]));
        ls_set_value(s, i->dst[d].value, v);
    }
}
