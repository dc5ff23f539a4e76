/* Uses of functions (uses.h): one walk over the statements and initialisers of a module. Functions are told
 * by their names, which are the module's. */
#include "ptx/uses.h"

#include "ptx/parser.h"

#include <string.h>

typedef struct {
    ls_ptx_module *module;
    const ls_ptx_function *in; /* NULL: in an initialiser */
    bool is_call;
} walk;

static void note_use(const walk *w, const ls_ptx_symbol *symbol) {
    ls_map *uses = &w->module->hidden->uses;
    ls_ptx_use **slot = (ls_ptx_use **)ls_map_at(uses, symbol->name, strlen(symbol->name));
    ls_ptx_use *use = *slot;
    if (!use) use = *slot = LS_NEW(&w->module->hidden->arena, ls_ptx_use);
    use->address_taken |= !w->is_call;
    use->elsewhere |= !w->in || (use->first && use->first != w->in->symbol->name);
    if (w->in) use->first = w->in->symbol->name;
}

static void walk_operand(const walk *w, const ls_ptx_operand *o) {
    if (o->kind == LS_OPERAND_SYMBOL && o->symbol->kind == LS_SYMBOL_FUNCTION) note_use(w, o->symbol);
    bool has_parts = o->kind == LS_OPERAND_LIST || o->kind == LS_OPERAND_VECTOR;
    for (uint32_t i = 0; has_parts && i < o->count; i++) walk_operand(w, &o->parts[i]);
}

static void walk_block(walk *w, const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_BLOCK) walk_block(w, stmt->block);
        if (stmt->kind != LS_STMT_INSTR) continue;
        w->is_call = stmt->instr->form->op == LS_OP_CALL;
        for (uint32_t k = 0; k < stmt->instr->operand_count; k++) walk_operand(w, &stmt->instr->operands[k]);
    }
}

void ls_ptx_find_uses(ls_ptx_module *module) {
    walk w = {.module = module};
    for (uint32_t i = 0; i < module->plain_count; i++)
        module->hidden->has_axioms |= module->plain[i]->builtin == LS_BUILTIN_AXIOM;
    for (uint32_t i = 0; module->plain_count && i < module->function_count; i++) {
        w.in = module->functions[i];
        if (w.in->body) walk_block(&w, w.in->body);
    }
    w = (walk){.module = module};
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i]->initializer) walk_operand(&w, module->variables[i]->initializer);
}

static const ls_ptx_use *use_of(const ls_ptx_module *module, const ls_ptx_function *function) {
    static const ls_ptx_use none;
    const char *text = function->symbol->name;
    const ls_ptx_use *use = ls_map_get(&module->hidden->uses, text, strlen(text));
    return use ? use : &none;
}

bool ls_ptx_has_axioms(const ls_ptx_module *module) {
    return module->hidden->has_axioms;
}

bool ls_ptx_is_named(const ls_ptx_module *module, const ls_ptx_function *function) {
    const ls_ptx_use *use = use_of(module, function);
    return use->elsewhere || (use->first && strcmp(use->first, function->symbol->name) != 0);
}

bool ls_ptx_is_address_taken(const ls_ptx_module *module, const ls_ptx_function *function) {
    return use_of(module, function)->address_taken;
}
