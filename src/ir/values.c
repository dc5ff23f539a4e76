/* Values: their uses and versions, and looking through copies. */
#include "ir/private.h"

#include "base/recover.h"

enum { MAX_COPIES = 4096 };

/* --- Uses ------------------------------------------------------------------------------------------------
 */

typedef void (*use_visitor)(void *context, ls_ir_value *value, ls_ir_use use);

static void visit_uses(const ls_ir_function *f, use_visitor visit, void *context) {
    for (uint32_t i = 0; i < f->instr_count; i++) {
        ls_ir_instr *instr = f->instrs[i];
        ls_ir_use use = {.instr = instr};
        if (instr->guard.value) {
            use.kind = LS_USE_GUARD;
            visit(context, instr->guard.value, use);
        }
        for (use.index = 0, use.kind = LS_USE_SRC; use.index < instr->src_count; use.index++)
            if (instr->src[use.index].value) visit(context, instr->src[use.index].value, use);
        for (use.index = 0, use.kind = LS_USE_PRIOR; instr->prior && use.index < instr->dst_count;
             use.index++)
            if (instr->prior[use.index]) visit(context, instr->prior[use.index], use);
    }
    for (uint32_t i = 0; i < f->phi_count; i++) {
        ls_ir_use use = {.kind = LS_USE_PHI, .phi = f->phis[i]};
        for (use.index = 0; use.index < f->phis[i]->block->pred_count; use.index++)
            visit(context, f->phis[i]->args[use.index], use);
    }
    for (uint32_t i = 0; i < f->value_count; i++)
        if (f->values[i]->kind == LS_VALUE_ETA) {
            ls_ir_use use = {.kind = LS_USE_ETA, .eta = f->values[i]};
            visit(context, f->values[i]->eta.value, use);
        }
}

static void count_use(void *context, ls_ir_value *value, ls_ir_use use) {
    (void)context, (void)use;
    value->use_count++;
}

static void add_use(void *context, ls_ir_value *value, ls_ir_use use) {
    (void)context;
    value->uses[value->use_count++] = use;
}

/* Versions number the values of a register that has several, in the order in which a dump shows them. */
static void number_value(ls_ir_value *value, uint32_t *count) {
    if (value && value->reg != LS_IR_NONE) value->version = ++count[value->reg];
}

static void fill_versions(ls_ir_function *f) {
    LS_SCRATCH(scratch);
    uint32_t *count = ls_arena_zalloc(&scratch, sizeof *count * (f->register_count + 1));
    for (uint32_t i = 0; i < f->block_count; i++) {
        const ls_ir_block *block = f->blocks[i];
        for (uint32_t p = 0; p < block->phi_count; p++) number_value(block->phis[p]->value, count);
        for (uint32_t k = 0; k < block->instr_count; k++)
            for (uint32_t d = 0; d < block->instrs[k]->dst_count; d++)
                number_value(block->instrs[k]->dst[d].value, count);
    }
    for (uint32_t i = 0; i < f->value_count; i++)
        if (f->values[i]->kind == LS_VALUE_ETA) number_value(f->values[i], count);
    for (uint32_t i = 0; i < f->value_count; i++)
        if (f->values[i]->reg != LS_IR_NONE && count[f->values[i]->reg] == 1) f->values[i]->version = 0;
}

void ir_fill_uses(ls_ir_function *f) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < f->value_count; i++) f->values[i]->use_count = 0;
    visit_uses(f, count_use, NULL);
    for (uint32_t i = 0; i < f->value_count; i++) total += f->values[i]->use_count;
    ls_ir_use *uses = LS_NEW_N(&f->hidden->arena, ls_ir_use, total + 1);
    for (uint32_t i = 0; i < f->value_count; i++) {
        f->values[i]->uses = uses;
        uses += f->values[i]->use_count;
        f->values[i]->use_count = 0;
    }
    visit_uses(f, add_use, NULL);
    fill_versions(f);
}

/* --- Looking through copies ------------------------------------------------------------------------------
 */

/* The one value, other than itself, that a phi can have; NULL where there are several. */
static ls_ir_value *only_argument(const ls_ir_phi *phi) {
    ls_ir_value *only = NULL;
    for (uint32_t i = 0; i < phi->block->pred_count; i++) {
        ls_ir_value *arg = phi->args[i];
        if (arg == phi->value || arg == only) continue;
        if (only) return NULL;
        only = arg;
    }
    return only;
}

static ls_ir_value *copied(const ls_ir_value *value) {
    if (value->kind == LS_VALUE_ETA) return value->eta.value;
    if (value->kind == LS_VALUE_PHI) return only_argument(value->phi);
    if (value->kind != LS_VALUE_INSTR) return NULL;
    const ls_ir_instr *instr = value->instr;
    bool copies = instr->form->opcode->linear == LS_LINEAR_COPY;
    if (!copies || instr->unknown || ir_is_guarded(instr) || instr->dst_count != 1 || instr->src_count != 1)
        return NULL;
    ls_ir_value *source = instr->src[0].value;
    if (!source || (instr->src[0].flags & (LS_OPERAND_NOT | LS_OPERAND_MINUS))) return NULL;
    return ls_ptx_type_bits((ls_ptx_type)source->type) == ls_ptx_type_bits((ls_ptx_type)value->type) ? source
                                                                                                     : NULL;
}

ls_ir_value *ls_ir_origin(ls_ir_value *value) {
    for (uint32_t i = 0; i < MAX_COPIES; i++) {
        ls_ir_value *next = copied(value);
        if (!next) break;
        value = next;
    }
    return value;
}

bool ls_ir_constant(ls_ir_value *value, uint64_t *bits) {
    const ls_ir_value *origin = ls_ir_origin(value);
    if (origin->kind != LS_VALUE_IMM) return false;
    *bits = origin->bits;
    return true;
}

ls_ir_value *ls_ir_argument_value(const ls_ir_instr *call, uint32_t arg, uint64_t offset) {
    if (!call->call || arg >= call->call->arg_count) return NULL;
    const ls_ir_argument *argument = &call->call->args[arg];
    for (uint32_t i = 0; i < argument->count; i++) {
        const ls_ir_operand *operand = &call->src[argument->first + i];
        bool memory = operand->kind == LS_IR_OBJECT && operand->object == argument->object;
        if (!memory && (uint64_t)operand->offset == offset) return operand->value;
    }
    return NULL;
}

ls_ir_value *ls_ir_branch_predicate(const ls_ir_block *block, bool *negated) {
    const ls_ir_instr *end = block->terminator;
    if (negated) *negated = false;
    if (!end || block->succ_count < 2) return NULL;
    if (end->op == LS_OP_BRX_IDX) return end->src_count ? end->src[0].value : NULL;
    if (negated) *negated = end->guard.flags & LS_OPERAND_NOT;
    return end->guard.value;
}
