/* Instructions on constants: what src/isa computes, as a constant. Approximate functions are left out, as is
 * everything whose result the manual leaves open. */
#include "verify/execute/fold.h"
#include "isa/meaning.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

/* Division by zero is open (low_div), and so are the bits of a NaN in double precision. */
static bool is_open(const ls_isa *x, const uint64_t *s, uint64_t result) {
    bool divides = ls_ptx_opcode_of((ls_ptx_op)x->op)->divides && x->type[0] != LS_TYPE_F32;
    uint64_t divisor = s[1] & ls_mask(ls_ptx_type_bits((ls_ptx_type)x->type[0]));
    if (divides && x->type[0] != LS_TYPE_F64) return divisor == 0;
    return x->type[0] == LS_TYPE_F64 && (result & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

const ls_term *ls_fold_instr(ls_terms *t, const ls_ir_instr *i, const ls_term *const *src, uint32_t count,
                             uint32_t result) {
    uint64_t s[LS_ISA_SOURCES] = {0}, more[LS_ISA_MORE] = {0};
    if (i->unknown || count > LS_ISA_SOURCES || result > LS_ISA_MORE || !i->dst[0].value) return NULL;
    for (uint32_t k = 0; k < count; k++) {
        if (!ls_is_const(src[k]) || i->src[k].flags & LS_OPERAND_MINUS) return NULL;
        s[k] = src[k]->value;
    }
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)i->dst[0].value->type);
    ls_isa x;
    if (bits > 64 || !ls_isa_find(&(ls_isa_ask){.form = i->form,
                                                .ast = i->ast,
                                                .src_count = (uint8_t)count,
                                                .dst_count = (uint8_t)i->dst_count,
                                                .dst_bits = (uint8_t)bits},
                                  &x))
        return NULL;
    if (!ls_isa_is_exact(&x)) return NULL;
    uint64_t first = x.fn(&x, s, more);
    if (is_open(&x, s, first)) return NULL;
    uint32_t width = ls_width_of(i->dst[result].value->type);
    return ls_const(t, width, (result ? more[result - 1] : first) & ls_mask(width));
}
