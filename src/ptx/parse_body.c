/* Statements of a function body: instructions with their guards, labels, nested scopes, declarations, .loc,
 * .pragma, and the target lists and prototypes of indirect branches and calls. */
#include "ptx/parser.h"
#include "ptx/tables.h"

void push_stmt(parser *p, ls_ptx_stmt stmt) {
    LS_VEC_PUSH(&p->stmts, stmt);
}

static ls_ptx_stmt new_stmt(const token *tok, ls_ptx_stmt_kind kind) {
    return (ls_ptx_stmt){.kind = (uint8_t)kind, .line = tok->line, .column = token_column(tok)};
}

/* Moves the statements above `from` to the arena, and tells labels where they stand. */
static void lay_block(parser *p, uint32_t from, ls_ptx_block *block) {
    block->count = p->stmts.length - from;
    block->stmts = ls_arena_alloc(p->arena, block->count * sizeof *block->stmts);
    if (block->count) memcpy(block->stmts, p->stmts.items + from, block->count * sizeof *block->stmts);
    p->stmts.length = from;
    for (uint32_t i = 0; i < block->count; i++) {
        ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_LABEL) stmt->symbol->stmt = stmt;
        if (stmt->kind >= LS_STMT_BRANCHTARGETS && stmt->kind <= LS_STMT_CALLPROTOTYPE)
            stmt->targets->label->stmt = stmt;
    }
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */

/* The form of a spelling, decoded the first time. */
static const ls_ptx_form *find_form(parser *p, const char *text, uint32_t length, const token *at) {
    void **place = ls_map_at(&p->forms, text, length);
    if (*place) return *place;
    ls_ptx_form *form = ls_ptx_decode_form(p->arena, ls_arena_strndup(p->arena, text, length), length);
    *place = form;
    if (form->op == LS_OP_UNKNOWN)
        ls_diags_add(p->diags, LS_WARNING, p->filename, at->line, token_column(at),
                     "unknown instruction '%s' is kept as it is; what it does is not known", form->text);
    for (uint32_t i = 0; form->op != LS_OP_UNKNOWN && i < form->modifier_count; i++)
        if (form->modifiers[i] == LS_MOD_UNKNOWN)
            ls_diags_add(p->diags, LS_WARNING, p->filename, at->line, token_column(at),
                         "unknown modifier '.%s' of '%s' is kept as it is; what it does is not known",
                         form->modifier_texts[i], form->opcode->name);
    return form;
}

/* Reads on behind the opcode's first word: the dotted modifiers that stick to it, then those that stand
 * apart ("ld .global .u32"), which are joined into one spelling. */
static const ls_ptx_form *parse_opcode(parser *p) {
    token first = p->tok;
    const char *end = first.start + first.length;
    for (;;) {
        if (*end == '.' || (end[0] == ':' && end[1] == ':')) {
            end += *end == '.' ? 1 : 2;
        } else if (char_is(*end, CHAR_IDENT)) {
            end++;
        } else if (*end == '[' && end - first.start > 6 && strncmp(end - 6, ".const", 6) == 0) {
            while (end < p->lex.end && *end != ']' && *end != '\n') end++;
            if (*end == ']') end++;
        } else {
            break;
        }
    }
    p->lex.next = end;
    take(p);
    if (p->tok.kind != TOKEN_DIRECTIVE)
        return find_form(p, first.start, (uint32_t)(end - first.start), &first);
    char joined[512];
    size_t length = (size_t)(end - first.start);
    if (length >= sizeof joined) fail_expected(p, "a shorter opcode");
    memcpy(joined, first.start, length);
    while (p->tok.kind == TOKEN_DIRECTIVE) {
        if (length + p->tok.length >= sizeof joined) fail_expected(p, "a shorter opcode");
        memcpy(joined + length, p->tok.start, p->tok.length);
        length += p->tok.length;
        take(p);
    }
    char *kept = ls_arena_strndup(p->arena, joined, length);
    return find_form(p, kept, (uint32_t)length, &first);
}

static void parse_guard(parser *p, ls_ptx_instr *instr) {
    if (!accept(p, '@')) return;
    instr->guard_negated = accept(p, '!');
    if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a predicate register");
    ls_ptx_symbol *symbol = look_up(p, &p->tok);
    bool is_predicate = (symbol->kind == LS_SYMBOL_REGISTER || symbol->kind == LS_SYMBOL_SPECIAL) &&
                        symbol->type == LS_TYPE_PRED;
    if (!is_predicate)
        fail_at(p, p->tok.line, token_column(&p->tok), "'%s' guards an instruction but is not a predicate",
                symbol->name);
    instr->guard = symbol;
    take(p);
}

static void parse_instruction(parser *p) {
    ls_ptx_stmt stmt = new_stmt(&p->tok, LS_STMT_INSTR);
    ls_ptx_instr *instr = LS_NEW(p->arena, ls_ptx_instr);
    parse_guard(p, instr);
    if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "an instruction");
    token opcode = p->tok;
    instr->form = parse_opcode(p);
    instr->loc = p->loc;
    uint32_t count = parse_operand_list(p, instr->form->op == LS_OP_CALL, &instr->operands);
    if (count > UINT8_MAX) fail_at(p, stmt.line, stmt.column, "an instruction with %u operands", count);
    instr->operand_count = (uint8_t)count;
    if (!at_punct(p, ';')) fail_expected(p, "',' or ';' behind an operand");
    char buffer[256];
    const char *wrong = check_operands(instr->form, instr->operands, count, buffer, sizeof buffer);
    if (wrong) complain(p, opcode.line, token_column(&opcode), "%s", wrong);
    take(p);
    stmt.instr = instr;
    if (p->function) p->function->instr_count++;
    push_stmt(p, stmt);
}

/* --- Labels and target lists -----------------------------------------------------------------------------
 */
void parse_targets(parser *p, ls_ptx_symbol *label, ls_ptx_stmt *stmt) {
    ls_ptx_targets *targets = LS_NEW(p->arena, ls_ptx_targets);
    targets->label = label;
    stmt->targets = targets;
    if (at_directive(p, ".callprototype")) {
        stmt->kind = LS_STMT_CALLPROTOTYPE;
        take(p);
        targets->prototype = LS_NEW(p->arena, ls_ptx_function);
        uint32_t mark = open_scope(p);
        parse_signature(p, targets->prototype, false);
        close_scope(p, mark);
    } else {
        stmt->kind = at_directive(p, ".branchtargets") ? LS_STMT_BRANCHTARGETS : LS_STMT_CALLTARGETS;
        take(p);
        targets->target_count = parse_operand_list(p, false, &targets->targets);
    }
    expect(p, ';');
}

static bool at_targets(const parser *p) {
    return at_directive(p, ".branchtargets") || at_directive(p, ".calltargets") ||
           at_directive(p, ".callprototype");
}

/* "name:" is a label if a single colon follows. */
static bool at_label(parser *p) {
    const char *next = p->tok.start + p->tok.length;
    if (*next == ':') return next[1] != ':';
    if (!char_is(*next, CHAR_SPACE)) return false;
    lexer ahead = p->lex;
    return lexer_skip_space(&ahead) && ahead.next[0] == ':' && ahead.next[1] != ':';
}

static void parse_label(parser *p) {
    ls_ptx_stmt stmt = new_stmt(&p->tok, LS_STMT_LABEL);
    token label = p->tok;
    take(p);
    expect(p, ':');
    stmt.symbol = declare_label(p, &label);
    if (at_targets(p)) {
        stmt.symbol->kind = LS_SYMBOL_TARGETS;
        parse_targets(p, stmt.symbol, &stmt);
    }
    push_stmt(p, stmt);
}

/* --- Statements ------------------------------------------------------------------------------------------
 */
static void parse_directive(parser *p) {
    ls_ptx_stmt stmt = new_stmt(&p->tok, LS_STMT_RAW);
    if (at_directive(p, ".loc")) {
        parse_loc(p, &stmt);
    } else if (at_declaration(p)) {
        parse_declaration(p, 0, &stmt);
    } else if (at_directive(p, ".pragma")) {
        take(p);
        stmt.kind = LS_STMT_PRAGMA;
        stmt.text = parse_strings(p);
        expect(p, ';');
    } else if (at_directive(p, ".file")) {
        parse_file_directive(p, &stmt);
    } else if (at_directive(p, ".section")) {
        parse_section(p, &stmt);
    } else {
        fail_expected(p, "an instruction, a label or a directive that may stand in a function");
    }
    push_stmt(p, stmt);
}

void parse_statement(parser *p) {
    if (p->tok.kind == TOKEN_DIRECTIVE) {
        parse_directive(p);
    } else if (p->tok.kind == TOKEN_IDENT && at_label(p)) {
        parse_label(p);
    } else if (p->tok.kind == TOKEN_IDENT || at_punct(p, '@')) {
        parse_instruction(p);
    } else if (at_punct(p, '{')) {
        ls_ptx_stmt stmt = new_stmt(&p->tok, LS_STMT_BLOCK);
        stmt.block = LS_NEW(p->arena, ls_ptx_block);
        parse_block(p, stmt.block);
        push_stmt(p, stmt);
    } else if (!accept(p, ';')) {
        fail_expected(p, "an instruction, a label, a directive or '}'");
    }
}

/* Behind a mistake: on to what is behind the next ';', or to a brace. By characters, not tokens: the rest of
 * a damaged file can be large. */
static void skip_statement(parser *p) {
    if (p->tok.kind == TOKEN_END) return;
    lexer *lex = &p->lex;
    lex->next = p->tok.start;
    lex->line = p->tok.line;
    lex->line_start = p->tok.line_start;
    for (char c; lex->next < lex->end && (c = *lex->next) != ';' && c != '{' && c != '}'; lex->next++)
        if (*lex->next == '\n') lex->line++, lex->line_start = lex->next + 1;
    take(p);
    accept(p, ';');
}

void parse_block(parser *p, ls_ptx_block *block) {
    enter_nesting(p);
    expect(p, '{');
    uint32_t mark = open_scope(p);
    uint32_t from = p->stmts.length;
    jmp_buf here, *outer = p->recover;
    while (!at_punct(p, '}') && p->tok.kind != TOKEN_END) {
        uint32_t depth = p->depth, nesting = p->nesting, operands = p->operands.length;
        uint32_t variables = p->variables.length, stmts = p->stmts.length;
        if (setjmp(here) == 0) {
            p->recover = &here;
            do parse_statement(p);
            while (!at_punct(p, '}') && p->tok.kind != TOKEN_END && p->depth == depth);
        } else {
            if (p->errors >= MAX_ERRORS) longjmp(*outer, 1);
            while (p->depth > depth) close_scope(p, p->undos.length);
            p->nesting = nesting;
            p->operands.length = operands;
            p->variables.length = variables;
            if (p->stmts.length < stmts) p->stmts.length = stmts;
            skip_statement(p);
        }
    }
    p->recover = outer;
    if (p->tok.kind == TOKEN_END) fail_expected(p, "'}'");
    lay_block(p, from, block);
    close_scope(p, mark);
    expect(p, '}');
    leave_nesting(p);
}
