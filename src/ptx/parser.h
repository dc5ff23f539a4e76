/* The parser's state, shared by its files: parse.c (module, functions), parse_body.c (statements and
 * instructions), parse_operand.c, parse_declare.c (variables, parameters, initialisers), parse_expr.c
 * (constant expressions), scope.c (names), check.c (operand types).
 *
 * Errors unwind with longjmp to the statement being parsed, which is then skipped, so that one run reports
 * several mistakes. Nothing is lost by that: all memory belongs to the parser or the module's arena. */
#ifndef LS_PTX_PARSER_H
#define LS_PTX_PARSER_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "ptx/lexer.h"

#include <setjmp.h>

/* A spelling and what it means where the parser stands. */
typedef struct {
    const char *text;
    uint32_t length;
    uint32_t depth;         /* of the scope that bound it */
    ls_ptx_symbol *binding; /* or NULL */
    ls_ptx_variable *range; /* text<N> declared, or NULL */
    uint32_t range_depth, range_id;
} name;

/* What to put back when a scope closes. */
typedef struct {
    name *name;
    ls_ptx_symbol *binding;
    ls_ptx_variable *range;
    uint32_t depth, range_depth, range_id;
} undo;

/* A name used before it is known, which can only be a label. */
typedef struct {
    name *name;
    ls_ptx_symbol *symbol;
    uint32_t depth;
    uint32_t line, column;
} pending;

/* Where a function is named (uses.h). */
typedef struct {
    const char *first; /* a function that names it */
    bool elsewhere;    /* so does another one, or an initialiser */
    bool address_taken;
} ls_ptx_use;

struct ls_ptx_private {
    ls_arena arena;
    ls_map functions; /* name → the first of that name */
    ls_map uses;      /* name of a function → ls_ptx_use */
    bool has_axioms;
    ls_intmap files; /* index of .file → number in module->files */
};
void ls_ptx_find_uses(ls_ptx_module *module);

typedef struct parser {
    lexer lex;
    token tok; /* the next token, not yet taken */
    ls_arena *arena;
    ls_ptx_module *module;
    ls_diags *diags;
    const char *filename;
    jmp_buf *recover;
    uint32_t errors;

    ls_map names; /* text to name */
    ls_map forms; /* spelling to ls_ptx_form */
    uint32_t depth;
    uint32_t range_count;
    ls_intmap range_registers; /* range and number to the symbol made for it */
    uint32_t nested_ranges;    /* open ranges below the function's own scope: look-ups must then be careful */
    LS_VEC(undo) undos;
    LS_VEC(pending) pendings;
    LS_VEC(ls_ptx_symbol *) forwards; /* labels of inner scopes that turned out to be outer ones */

    ls_ptx_function *function; /* being parsed, or NULL */
    const ls_ptx_loc *loc;
    ls_intmap locs; /* file, line, column to the latest such .loc */
    LS_VEC(ls_ptx_symbol *) registers;
    LS_VEC(ls_ptx_operand) operands; /* stack of operand lists under construction */
    LS_VEC(ls_ptx_stmt) stmts;       /* stack of blocks under construction */
    LS_VEC(ls_ptx_variable *) variables;
    LS_VEC(ls_ptx_function *) functions;
    LS_VEC(ls_ptx_file) files;
    uint32_t nesting; /* of brackets and expressions */
} parser;

enum { MAX_NESTING = 200, MAX_ERRORS = 20 };

/* parse.c */
_Noreturn void fail_at(parser *p, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void fail_expected(parser *p, const char *what);
/* Adds an error without unwinding. */
void complain(parser *p, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline void take(parser *p) {
    lexer_next(&p->lex, &p->tok);
}
static inline bool at_punct(const parser *p, uint32_t op) {
    return p->tok.kind == TOKEN_PUNCT && p->tok.op == op;
}
static inline bool accept(parser *p, uint32_t op) {
    if (!at_punct(p, op)) return false;
    take(p);
    return true;
}
void expect(parser *p, uint32_t op);
bool token_is(const token *tok, const char *text);
static inline bool at_directive(const parser *p, const char *text) {
    return p->tok.kind == TOKEN_DIRECTIVE && token_is(&p->tok, text);
}
void enter_nesting(parser *p);
static inline void leave_nesting(parser *p) {
    p->nesting--;
}
/* An integer literal (or constant expression) of at most 32 bits. */
uint32_t parse_small_number(parser *p, const char *what);
char *copy_text(parser *p, const char *start, const char *end); /* trimmed of white space at its end */
void parse_block(parser *p, ls_ptx_block *block);
void parse_statement(parser *p);
void push_stmt(parser *p, ls_ptx_stmt stmt);
const char *parse_strings(parser *p); /* "…", "…" as written */
const char *parse_attribute(parser *p);
void parse_file_directive(parser *p, ls_ptx_stmt *stmt);
void parse_section(parser *p, ls_ptx_stmt *stmt);
void parse_loc(parser *p, ls_ptx_stmt *stmt);
void parse_targets(parser *p, ls_ptx_symbol *label, ls_ptx_stmt *stmt);
void parse_signature(parser *p, ls_ptx_function *function, bool named);

/* parse_expr.c */
typedef struct {
    uint64_t value;
    bool is_unsigned;
} constant;
constant parse_constant(parser *p);

/* parse_operand.c */
uint32_t parse_operand_list(parser *p, bool calls, ls_ptx_operand **out);
void parse_initializer(parser *p, ls_ptx_operand *out);
ls_ptx_operand *copy_operands(parser *p, uint32_t from);

/* parse_declare.c */
bool at_declaration(const parser *p);
void parse_declaration(parser *p, uint8_t linkage, ls_ptx_stmt *stmt);
uint32_t parse_parameters(parser *p, ls_ptx_variable ***out);

/* scope.c */
name *intern(parser *p, const char *text, uint32_t length);
uint32_t open_scope(parser *p);
void close_scope(parser *p, uint32_t mark);
/* A new symbol, bound in the current scope; an error where the scope has that name already. */
ls_ptx_symbol *declare(parser *p, const token *tok, ls_ptx_symbol_kind kind);
ls_ptx_symbol *declare_label(parser *p, const token *tok);
void declare_range(parser *p, ls_ptx_variable *variable, const token *tok);
ls_ptx_symbol *new_register(parser *p, const char *text, uint32_t length, ls_ptx_variable *variable);
/* What an identifier means; an unknown one inside a function is a label that is still to come. */
ls_ptx_symbol *look_up(parser *p, const token *tok);
/* Ends a function: labels that never came are errors, forwarded ones are put in place. */
void settle_labels(parser *p, ls_ptx_function *function);

/* check.c: NULL, or what is wrong with the operands of this instruction (in the buffer). */
const char *check_operands(const ls_ptx_form *form, const ls_ptx_operand *operands, uint32_t count,
                           char *buffer, size_t size);

#endif
