/* How a kernel uses its parameters (met.h): each value that is loaded from one is followed through copies,
 * conversions and sums to the instruction in which it meets another. */
#include "verify/query/met.h"

enum { MOST_STEPS = 6 };

bool ls_is_fixed(const ls_ir_operand *o) {
    uint64_t bits;
    return o->kind == LS_IR_IMM || (o->value && ls_ir_constant(o->value, &bits));
}

static bool meets(const ls_ir_instr *instr, ls_meeting how) {
    switch (how) {
    case LS_MET_FACTOR: return instr->form->opcode->linear == LS_LINEAR_PRODUCT || instr->op == LS_OP_MUL24;
    case LS_MET_MASK: return instr->op == LS_OP_AND;
    case LS_MET_COMPARED: return instr->op == LS_OP_SETP;
    }
    return false;
}

static bool is_met(const ls_ir_value *v, ls_meeting how, uint32_t depth) {
    for (uint32_t i = 0; i < v->use_count && depth < MOST_STEPS; i++) {
        const ls_ir_use *use = &v->uses[i];
        if (use->kind != LS_USE_SRC) continue;
        const ls_ir_instr *instr = use->instr;
        bool other = use->index < 2 && instr->src_count >= 2 && !ls_is_fixed(&instr->src[1 - use->index]);
        ls_ptx_linear kind = instr->form->opcode->linear;
        if (other && meets(instr, how)) return true;
        bool part =
            use->index == 0 && (instr->op == LS_OP_SHR || instr->op == LS_OP_DIV) && how != LS_MET_FACTOR;
        bool passes = kind == LS_LINEAR_COPY || kind == LS_LINEAR_CVT || kind == LS_LINEAR_SUM || part ||
                      (kind == LS_LINEAR_DIFFERENCE && use->index == 0);
        if (passes && instr->dst_count == 1 && instr->dst[0].value &&
            is_met(instr->dst[0].value, how, depth + 1))
            return true;
    }
    return false;
}

bool ls_is_met(const ls_ir_function *f, uint32_t parameter, ls_meeting how) {
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_instr *instr = f->instrs[i];
        const ls_ir_operand *from = instr->op == LS_OP_LD && instr->src_count ? &instr->src[0] : NULL;
        if (!from || from->kind != LS_IR_OBJECT || f->objects[from->object]->kind != LS_OBJECT_PARAM)
            continue;
        if (f->objects[from->object]->index != parameter || !instr->dst_count || !instr->dst[0].value)
            continue;
        if (is_met(instr->dst[0].value, how, 0)) return true;
    }
    return false;
}
