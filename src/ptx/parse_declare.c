/* Declarations: variables and registers with all their attributes, and the parameter lists of functions. */
#include "ptx/parser.h"
#include "ptx/tables.h"

static ls_ptx_space space_at(const parser *p) {
    if (p->tok.kind != TOKEN_DIRECTIVE) return LS_SPACE_GENERIC;
    return ls_ptx_find_space(p->tok.start + 1, p->tok.length - 1);
}

bool at_declaration(const parser *p) {
    return space_at(p) != LS_SPACE_GENERIC;
}

static void parse_const_bank(parser *p, ls_ptx_variable *variable) {
    if (variable->space != LS_SPACE_CONST || !accept(p, '[')) return;
    variable->const_bank = (uint8_t)parse_small_number(p, "a bank number");
    expect(p, ']');
}

static void parse_pointer(parser *p, ls_ptx_variable *variable) {
    take(p);
    variable->is_pointer = true;
    if (space_at(p) != LS_SPACE_GENERIC) {
        variable->pointer_space = (uint8_t)space_at(p);
        take(p);
    }
    if (at_directive(p, ".align")) {
        take(p);
        variable->pointer_align = parse_small_number(p, "an alignment");
    }
}

/* Everything before the first name: .align N, .v4, .u32, .ptr …, .attribute(…), in any order. */
static void parse_prefix(parser *p, ls_ptx_variable *variable) {
    while (p->tok.kind == TOKEN_DIRECTIVE) {
        ls_ptx_type type = ls_ptx_find_type(p->tok.start + 1, p->tok.length - 1);
        if (type != LS_TYPE_NONE) {
            if (variable->type != LS_TYPE_NONE) fail_expected(p, "one type");
            variable->type = (uint8_t)type;
            take(p);
        } else if (at_directive(p, ".align")) {
            take(p);
            variable->align = parse_small_number(p, "an alignment");
            if (!variable->align || (variable->align & (variable->align - 1)))
                fail_expected(p, "an alignment that is a power of two, before this");
        } else if (p->tok.length == 3 && p->tok.start[1] == 'v' && strchr("248", p->tok.start[2])) {
            variable->vector = (uint8_t)(p->tok.start[2] - '0');
            take(p);
        } else if (at_directive(p, ".ptr")) {
            parse_pointer(p, variable);
        } else if (at_directive(p, ".attribute")) {
            variable->attribute = parse_attribute(p);
        } else {
            fail_expected(p, "a type or a name in this declaration");
        }
    }
}

static void parse_dimensions(parser *p, ls_ptx_variable *variable) {
    uint64_t sizes[16];
    uint64_t total = 1;
    while (at_punct(p, '[')) {
        take(p);
        if (variable->dimension_count == 16) fail_expected(p, "at most 16 dimensions");
        uint64_t size = 0;
        if (at_punct(p, ']')) {
            if (variable->dimension_count) fail_expected(p, "a size (only the first one may be left out)");
            variable->open_array = true;
        } else {
            size = parse_constant(p).value;
            if (__builtin_mul_overflow(total, size ? size : 1, &total) || total > UINT64_C(1) << 48)
                fail_expected(p, "an array that fits into memory, before this");
        }
        expect(p, ']');
        sizes[variable->dimension_count++] = size;
    }
    if (!variable->dimension_count) return;
    size_t bytes = variable->dimension_count * sizeof *sizes;
    variable->dimensions = memcpy(ls_arena_alloc(p->arena, bytes), sizes, bytes);
}

/* Initialisers of samplers and textures are "name = value" lists: kept as text. */
static void parse_opaque_initializer(parser *p, ls_ptx_operand *out) {
    const char *start = p->tok.start;
    while (!at_punct(p, '}') && !at_punct(p, ';') && p->tok.kind != TOKEN_END && p->tok.kind != TOKEN_BAD)
        take(p);
    const char *end = p->tok.start + p->tok.length;
    expect(p, '}');
    *out = (ls_ptx_operand){.kind = LS_OPERAND_STRING, .count = (uint32_t)(end - start)};
    out->text = copy_text(p, start, end);
}

static bool is_nameless(const token *tok) {
    return tok->length == 1 && tok->start[0] == '_';
}

/* One name with what follows it; `prefix` is what stood before. */
static ls_ptx_variable *parse_declarator(parser *p, const ls_ptx_variable *prefix) {
    ls_ptx_variable *variable = ls_arena_alloc(p->arena, sizeof *variable);
    *variable = *prefix;
    if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a name");
    token named = p->tok;
    variable->pos = (ls_ptx_pos){named.line, token_column(&named)};
    take(p);
    if (variable->space == LS_SPACE_REG && accept(p, '<')) {
        variable->is_range = true;
        if (p->tok.kind != TOKEN_INT || p->tok.value > UINT32_MAX) fail_expected(p, "a number of registers");
        variable->range_count = (uint32_t)p->tok.value; /* no expression: it would take the '>' */
        take(p);
        expect(p, '>');
        declare_range(p, variable, &named);
        return variable;
    }
    bool keeps_symbol = false;
    if (variable->is_parameter && is_nameless(&named)) {
        variable->symbol = LS_NEW(p->arena, ls_ptx_symbol);
        variable->symbol->name = "_";
        variable->symbol->length = 1;
    } else {
        /* A module variable may be declared .extern first and defined later. */
        name *entry = intern(p, named.start, named.length);
        /* A declaration with an error in it has left no variable. */
        bool again =
            entry->binding && p->depth == 0 && entry->binding->kind == LS_SYMBOL_VARIABLE &&
            entry->binding->variable &&
            (entry->binding->variable->linkage & LS_LINK_EXTERN || variable->linkage & LS_LINK_EXTERN);
        keeps_symbol = again && variable->linkage & LS_LINK_EXTERN;
        variable->symbol = again ? entry->binding : declare(p, &named, LS_SYMBOL_VARIABLE);
    }
    parse_dimensions(p, variable);
    ls_ptx_symbol *symbol = variable->symbol;
    symbol->type = variable->type;
    symbol->vector = variable->vector;
    if (!keeps_symbol) symbol->variable = variable;
    if (variable->space == LS_SPACE_REG) {
        symbol->kind = LS_SYMBOL_REGISTER;
        symbol->index = p->registers.length;
        LS_VEC_PUSH(&p->registers, symbol);
        if (variable->dimension_count) fail_expected(p, "a register without dimensions, before this");
    } else {
        symbol->kind = LS_SYMBOL_VARIABLE;
    }
    if (accept(p, '=')) {
        variable->initializer = LS_NEW(p->arena, ls_ptx_operand);
        if (ls_ptx_type_kind_of(variable->type) == LS_KIND_OPAQUE && at_punct(p, '{'))
            parse_opaque_initializer(p, variable->initializer);
        else
            parse_initializer(p, variable->initializer);
    }
    return variable;
}

static void parse_declaration_prefix(parser *p, ls_ptx_variable *prefix) {
    prefix->space = (uint8_t)space_at(p);
    prefix->vector = 1;
    if (prefix->space == LS_SPACE_GENERIC) fail_expected(p, "a state space such as .param or .reg");
    take(p);
    parse_const_bank(p, prefix);
    parse_prefix(p, prefix);
    if (prefix->type == LS_TYPE_NONE) fail_expected(p, "a type in this declaration, before this");
}

void parse_declaration(parser *p, uint8_t linkage, ls_ptx_stmt *stmt) {
    ls_ptx_variable prefix = {.linkage = linkage};
    parse_declaration_prefix(p, &prefix);
    uint32_t from = p->variables.length;
    do LS_VEC_PUSH(&p->variables, parse_declarator(p, &prefix));
    while (accept(p, ','));
    expect(p, ';');
    uint32_t count = p->variables.length - from;
    stmt->kind = LS_STMT_DECLARE;
    stmt->declared = ls_arena_alloc(p->arena, count * sizeof *stmt->declared);
    memcpy(stmt->declared, p->variables.items + from, count * sizeof *stmt->declared);
    stmt->declared_count = count;
    if (p->function) p->variables.length = from; /* only the module's own stay in the list */
}

uint32_t parse_parameters(parser *p, ls_ptx_variable ***out) {
    expect(p, '(');
    uint32_t from = p->variables.length;
    while (!at_punct(p, ')')) {
        ls_ptx_variable prefix = {.is_parameter = true};
        parse_declaration_prefix(p, &prefix);
        LS_VEC_PUSH(&p->variables, parse_declarator(p, &prefix));
        if (!accept(p, ',')) break;
    }
    expect(p, ')');
    uint32_t count = p->variables.length - from;
    *out = ls_arena_alloc(p->arena, (count + 1) * sizeof **out);
    if (count) memcpy(*out, p->variables.items + from, count * sizeof **out);
    p->variables.length = from;
    return count;
}
