/* Functions that are no kernels: which of them the kernels of a module do not cover. */
#include "lockstep/verify.h"
#include "ptx/uses.h"
#include "verify/execute/calls.h"

#include <string.h>

/* What the statements of a body do. */
typedef struct {
    bool promises; /* calls __ensures */
    bool acts;     /* accesses memory that threads share, or synchronises */
} body_facts;

static void read_operand(const ls_ptx_operand *o, body_facts *facts) {
    const ls_ptx_symbol *symbol = o->kind == LS_OPERAND_SYMBOL ? o->symbol : NULL;
    if (symbol && symbol->kind == LS_SYMBOL_FUNCTION)
        facts->promises |=
            (ls_ptx_builtin_traits((ls_ptx_builtin)symbol->function->builtin) & LS_TRAIT_ENSURES) != 0;
    bool has_parts = o->kind == LS_OPERAND_LIST || o->kind == LS_OPERAND_VECTOR;
    for (uint32_t i = 0; has_parts && i < o->count; i++) read_operand(&o->parts[i], facts);
}

static void read_instr(const ls_ptx_instr *instr, body_facts *facts) {
    uint32_t effects = instr->form->opcode->effects;
    ls_ptx_space space = ls_ptx_form_space(instr->form);
    bool private = space == LS_SPACE_PARAM || space == LS_SPACE_LOCAL;
    facts->acts |= (effects & LS_BARRIER) || ((effects & LS_WRITES_MEMORY) && !private);
    for (uint32_t i = 0; i < instr->operand_count; i++) read_operand(&instr->operands[i], facts);
}

static void read_block(const ls_ptx_block *block, body_facts *facts) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_INSTR) read_instr(stmt->instr, facts);
        if (stmt->kind == LS_STMT_BLOCK) read_block(stmt->block, facts);
    }
}

/* Its annotations stand for a body that is not there: GPUVerify's __spec_… */
bool ls_is_specification(const ls_ptx_function *function) {
    return function->symbol && strstr(function->symbol->name, "__spec_");
}

ls_function_role ls_verify_role(const ls_ptx_module *module, const ls_ptx_function *function) {
    if (function->is_entry || !function->body || !function->symbol) return LS_FUNCTION_COVERED;
    if (function->builtin == LS_BUILTIN_AXIOM || ls_is_specification(function)) return LS_FUNCTION_COVERED;
    body_facts facts = {0};
    read_block(function->body, &facts);
    if (facts.promises) return LS_FUNCTION_PROMISES;
    return facts.acts && !ls_ptx_is_named(module, function) ? LS_FUNCTION_UNCALLED : LS_FUNCTION_COVERED;
}
