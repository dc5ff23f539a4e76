/* Floating point, as far as it is exact: conversions of integers that all fit, which give different numbers
 * for different integers. Operations on constants are folded (fold.c); everything else is a function of which
 * nothing is known (lower.c). */
#include "verify/execute/floats.h"
#include "verify/proof.h"

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
