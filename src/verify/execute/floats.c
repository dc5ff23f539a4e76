/* Floating point, as far as it is exact: operations on constants with rounding to nearest, which IEEE 754
 * leaves no choice in, and conversions of integers that all fit, which give different numbers for different
 * integers. Everything else is a function of which nothing is known (lower.c). */
#include "verify/proof.h"

#include <math.h>

/* --- Constants -------------------------------------------------------------------------------------------
 */

typedef struct {
    double a[3];
    uint32_t count;
} operands;

static float narrow(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static double wide(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static bool single(uint16_t op, const operands *o, double *out) {
    float a = (float)o->a[0], b = (float)o->a[1], c = (float)o->a[2];
    switch (op) {
    case LS_OP_ADD: *out = (double)(a + b); return o->count == 2;
    case LS_OP_SUB: *out = (double)(a - b); return o->count == 2;
    case LS_OP_MUL: *out = (double)(a * b); return o->count == 2;
    case LS_OP_DIV: *out = (double)(a / b); return o->count == 2;
    case LS_OP_FMA: *out = (double)fmaf(a, b, c); return o->count == 3;
    default: return false;
    }
}

static bool twice(uint16_t op, const operands *o, double *out) {
    double a = o->a[0], b = o->a[1], c = o->a[2];
    switch (op) {
    case LS_OP_ADD: *out = a + b; return o->count == 2;
    case LS_OP_SUB: *out = a - b; return o->count == 2;
    case LS_OP_MUL: *out = a * b; return o->count == 2;
    case LS_OP_DIV: *out = a / b; return o->count == 2;
    case LS_OP_FMA: *out = fma(a, b, c); return o->count == 3;
    default: return false;
    }
}

const ls_term *ls_fold_float(ls_terms *t, const ls_ir_instr *i, const ls_term *const *src, uint32_t count) {
    const ls_ptx_form *form = i->form;
    ls_ptx_type type = ls_ptx_form_type(form, 0);
    bool is_single = type == LS_TYPE_F32;
    bool exact = (is_single || type == LS_TYPE_F64) && form->round == LS_MOD_RN &&
                 !ls_ptx_form_has(form, LS_MOD_FTZ) && !ls_ptx_form_has(form, LS_MOD_SAT);
    if (!exact || i->unknown || count > 3) return NULL;
    operands o = {.count = count};
    for (uint32_t k = 0; k < count; k++) {
        if (!ls_is_const(src[k]) || src[k]->width != (is_single ? 32 : 64)) return NULL;
        o.a[k] = is_single ? (double)narrow(src[k]->value) : wide(src[k]->value);
    }
    double result;
    if (!(is_single ? single(i->op, &o, &result) : twice(i->op, &o, &result)) || isnan(result)) return NULL;
    float low = (float)result;
    uint32_t low_bits;
    uint64_t bits;
    memcpy(&low_bits, &low, sizeof low_bits);
    memcpy(&bits, &result, sizeof bits);
    return ls_const(t, is_single ? 32 : 64, is_single ? low_bits : bits);
}

/* --- Conversions -----------------------------------------------------------------------------------------
 */

/* The conversion of an integer that a function stands for; NULL: another one. */
static const ls_ptx_form *conversion(const ls_proof *p, const ls_function *function) {
    for (uint32_t i = 0; i < p->f->instr_count && function->kind == LS_UF_RESULT; i++) {
        const ls_ir_instr *instr = p->f->instrs[i];
        if (instr->op == LS_OP_CVT && instr->form == function->of) return instr->form;
    }
    return NULL;
}

/* Each integer of that size is a number of the floating-point type. */
static bool fits(const ls_ptx_form *form, const ls_term *integer) {
    ls_ptx_type to = ls_ptx_form_type(form, 0), from = ls_ptx_form_type(form, 1);
    bool is_signed = ls_ptx_type_kind_of(from) == LS_KIND_SIGNED;
    if (!is_signed && ls_ptx_type_kind_of(from) != LS_KIND_UNSIGNED) return false;
    if ((to != LS_TYPE_F32 && to != LS_TYPE_F64) || ls_ptx_type_bits(from) != integer->width) return false;
    if (ls_ptx_form_has(form, LS_MOD_SAT)) return false;
    int64_t most = INT64_C(1) << (to == LS_TYPE_F32 ? 24 : 53);
    return is_signed ? integer->slo >= -most && integer->shi <= most : integer->uhi <= (uint64_t)most;
}

const ls_term *ls_equal_values(ls_proof *p, const ls_term *a, const ls_term *b) {
    bool alike = a->op == LS_T_UF && b->op == LS_T_UF && a->value == b->value && a->count == 1 &&
                 b->count == 1 && a->args[0]->width == b->args[0]->width;
    const ls_ptx_form *form = alike ? conversion(p, ls_function_of(&p->terms, a)) : NULL;
    if (!form || !fits(form, a->args[0]) || !fits(form, b->args[0])) return ls_eq(&p->terms, a, b);
    return ls_eq(&p->terms, a->args[0], b->args[0]);
}
