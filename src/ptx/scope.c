/* Names and scopes. Each spelling has one entry that holds what it means at this point of the file; a scope
 * is a position in a list of changes that are undone when it closes, so a look-up is one hash.
 *
 * Register ranges (%r<100>) make symbols only for the numbers that are used. Labels may be used before they
 * stand: such a use makes a pending symbol in the current scope, which is filled by the label, moves to the
 * enclosing scope when this one closes without it, and is an error at the end of the function. */
#include "ptx/parser.h"
#include "ptx/tables.h"

#include <assert.h>

enum { FUNCTION_DEPTH = 2 }; /* module 0, parameters 1, body 2 */

name *intern(parser *p, const char *text, uint32_t length) {
    void **place = ls_map_at(&p->names, text, length);
    if (*place) return *place;
    name *entry = LS_NEW(p->arena, name);
    entry->text = ls_arena_strndup(p->arena, text, length);
    entry->length = length;
    *place = entry;
    return entry;
}

uint32_t open_scope(parser *p) {
    p->depth++;
    return p->undos.length;
}

static void remember(parser *p, name *entry) {
    undo change = {entry, entry->binding, entry->range, entry->depth, entry->range_depth, entry->range_id};
    LS_VEC_PUSH(&p->undos, change);
}

static void bind(name *entry, ls_ptx_symbol *symbol, uint32_t depth) {
    entry->binding = symbol;
    entry->depth = depth;
}

/* Labels that this scope used and did not define belong to the scope around it. */
static void hand_pendings_out(parser *p) {
    for (uint32_t i = 0; i < p->pendings.length; i++) {
        pending *use = &p->pendings.items[i];
        if (use->depth <= p->depth) continue;
        name *entry = use->name;
        use->depth = p->depth;
        if (!entry->binding) {
            remember(p, entry);
            bind(entry, use->symbol, p->depth);
        } else if (entry->binding != use->symbol) {
            use->symbol->alias = entry->binding; /* settled by settle_labels */
            use->symbol->kind = LS_SYMBOL_ALIAS;
            LS_VEC_PUSH(&p->forwards, use->symbol);
            *use = p->pendings.items[--p->pendings.length];
            i--;
        }
    }
}

void close_scope(parser *p, uint32_t mark) {
    while (p->undos.length > mark) {
        undo *change = &p->undos.items[--p->undos.length];
        name *entry = change->name;
        if (entry->range != change->range && entry->range_depth > FUNCTION_DEPTH) p->nested_ranges--;
        entry->binding = change->binding;
        entry->range = change->range;
        entry->depth = change->depth;
        entry->range_depth = change->range_depth;
        entry->range_id = change->range_id;
    }
    p->depth--;
    if (p->pendings.length) hand_pendings_out(p);
}

static ls_ptx_symbol *new_symbol(parser *p, const char *text, uint32_t length, ls_ptx_symbol_kind kind) {
    ls_ptx_symbol *symbol = LS_NEW(p->arena, ls_ptx_symbol);
    symbol->name = text;
    symbol->length = length;
    symbol->kind = (uint8_t)kind;
    symbol->vector = 1;
    return symbol;
}

static bool is_pending(const ls_ptx_symbol *symbol) {
    return symbol->kind == LS_SYMBOL_LABEL && !symbol->stmt;
}

ls_ptx_symbol *declare(parser *p, const token *tok, ls_ptx_symbol_kind kind) {
    name *entry = intern(p, tok->start, tok->length);
    if (entry->binding && entry->depth == p->depth)
        fail_at(p, tok->line, token_column(tok), "'%s' is declared twice", entry->text);
    ls_ptx_symbol *symbol = new_symbol(p, entry->text, entry->length, kind);
    remember(p, entry);
    bind(entry, symbol, p->depth);
    return symbol;
}

static void drop_pending(parser *p, const ls_ptx_symbol *symbol) {
    for (uint32_t i = 0; i < p->pendings.length; i++)
        if (p->pendings.items[i].symbol == symbol) {
            p->pendings.items[i] = p->pendings.items[--p->pendings.length];
            return;
        }
}

ls_ptx_symbol *declare_label(parser *p, const token *tok) {
    name *entry = intern(p, tok->start, tok->length);
    ls_ptx_symbol *symbol = entry->binding;
    if (symbol && entry->depth == p->depth && is_pending(symbol)) {
        drop_pending(p, symbol);
    } else if (symbol && entry->depth == p->depth) {
        fail_at(p, tok->line, token_column(tok), "label '%s' stands twice in this scope", entry->text);
    } else {
        symbol = new_symbol(p, entry->text, entry->length, LS_SYMBOL_LABEL);
        remember(p, entry);
        bind(entry, symbol, p->depth);
    }
    if (p->function) symbol->index = p->function->label_count++;
    static ls_ptx_stmt placeholder; /* "defined"; replaced when the block is laid down */
    symbol->stmt = &placeholder;
    return symbol;
}

void declare_range(parser *p, ls_ptx_variable *variable, const token *tok) {
    name *entry = intern(p, tok->start, tok->length);
    if (entry->range && entry->range_depth == p->depth)
        fail_at(p, tok->line, token_column(tok), "'%s<…>' is declared twice", entry->text);
    remember(p, entry);
    if (p->depth > FUNCTION_DEPTH) p->nested_ranges++;
    entry->range = variable;
    entry->range_depth = p->depth;
    entry->range_id = ++p->range_count;
    variable->symbol = new_symbol(p, entry->text, entry->length, LS_SYMBOL_REGISTER);
    variable->symbol->type = variable->type;
    variable->symbol->vector = variable->vector;
    variable->symbol->variable = variable;
}

ls_ptx_symbol *new_register(parser *p, const char *text, uint32_t length, ls_ptx_variable *variable) {
    ls_ptx_symbol *symbol = new_symbol(p, text, length, LS_SYMBOL_REGISTER);
    symbol->type = variable->type;
    symbol->vector = variable->vector;
    symbol->variable = variable;
    symbol->index = p->registers.length;
    LS_VEC_PUSH(&p->registers, symbol);
    return symbol;
}

/* %r57 where %r<100> is declared, closer than what the name means now. */
static ls_ptx_symbol *from_range(parser *p, name *entry) {
    uint32_t digits = 0;
    while (digits < entry->length && char_is(entry->text[entry->length - 1 - digits], CHAR_DIGIT)) digits++;
    uint32_t prefix = entry->length - digits;
    if (digits == 0 || prefix == 0 || digits > 9) return NULL;
    if (digits > 1 && entry->text[prefix] == '0') return NULL;
    const name *base = ls_map_get(&p->names, entry->text, prefix);
    if (!base || !base->range || (entry->binding && entry->depth >= base->range_depth)) return NULL;
    uint32_t number = 0;
    for (uint32_t i = prefix; i < entry->length; i++) number = number * 10 + (uint32_t)(entry->text[i] - '0');
    if (number >= base->range->range_count) return NULL;

    bool is_new;
    uint64_t *place = ls_intmap_at(&p->range_registers, (uint64_t)base->range_id << 32 | number, &is_new);
    if (is_new) *place = (uintptr_t)new_register(p, entry->text, entry->length, base->range);
    ls_ptx_symbol *symbol = (ls_ptx_symbol *)(uintptr_t)*place;
    remember(p, entry); /* an inner scope's close only forgets the short cut */
    bind(entry, symbol, base->range_depth);
    return symbol;
}

static ls_ptx_symbol *special_register(parser *p, name *entry) {
    uint32_t number;
    ls_ptx_sreg sreg = ls_ptx_find_sreg(entry->text, entry->length, &number);
    if (sreg == LS_SREG_NONE) return NULL;
    const ls_ptx_sreg_info *info = ls_ptx_sreg_of(sreg);
    ls_ptx_symbol *symbol = new_symbol(p, entry->text, entry->length, LS_SYMBOL_SPECIAL);
    symbol->sreg = (uint8_t)sreg;
    symbol->type = (uint8_t)info->type;
    symbol->vector = info->vector ? 4 : 1;
    symbol->index = number;
    return symbol;
}

ls_ptx_symbol *look_up(parser *p, const token *tok) {
    name *entry = intern(p, tok->start, tok->length);
    if (entry->binding && !p->nested_ranges) {
        if (entry->depth == p->depth || !is_pending(entry->binding)) return entry->binding;
    } else {
        ls_ptx_symbol *symbol = from_range(p, entry);
        if (symbol) return symbol;
        if (entry->binding && (entry->depth == p->depth || !is_pending(entry->binding)))
            return entry->binding;
    }
    if (!entry->binding && entry->text[0] == '%') {
        ls_ptx_symbol *symbol = special_register(p, entry);
        if (symbol) return symbol;
    }
    if (!p->function || entry->text[0] == '%')
        fail_at(p, tok->line, token_column(tok), "'%s' is not declared", entry->text);
    ls_ptx_symbol *symbol = new_symbol(p, entry->text, entry->length, LS_SYMBOL_LABEL);
    remember(p, entry);
    bind(entry, symbol, p->depth);
    pending use = {entry, symbol, p->depth, tok->line, token_column(tok)};
    LS_VEC_PUSH(&p->pendings, use);
    return symbol;
}

static void settle_operand(ls_ptx_operand *operand) {
    if (operand->kind == LS_OPERAND_SYMBOL)
        while (operand->symbol->kind == LS_SYMBOL_ALIAS && operand->symbol->alias)
            operand->symbol = operand->symbol->alias;
    if (operand->kind >= LS_OPERAND_VECTOR && operand->kind <= LS_OPERAND_LIST)
        for (uint32_t i = 0; i < operand->count; i++) settle_operand(&operand->parts[i]);
}

static void settle_block(ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_BLOCK) settle_block(stmt->block);
        if (stmt->kind == LS_STMT_INSTR)
            for (uint32_t k = 0; k < stmt->instr->operand_count; k++)
                settle_operand(&stmt->instr->operands[k]);
        if (stmt->kind == LS_STMT_BRANCHTARGETS)
            for (uint32_t k = 0; k < stmt->targets->target_count; k++)
                settle_operand(&stmt->targets->targets[k]);
    }
}

void settle_labels(parser *p, ls_ptx_function *function) {
    for (uint32_t i = 0; i < p->pendings.length; i++) {
        const pending *use = &p->pendings.items[i];
        complain(p, use->line, use->column, "'%s' is not declared, and no label of that name follows",
                 use->symbol->name);
    }
    p->pendings.length = 0;
    if (p->forwards.length && function->body) settle_block(function->body);
    p->forwards.length = 0;
}
