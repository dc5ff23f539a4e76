/* The parser's top: module header, functions, module variables and directives (PTX ISA, chapter 11), and the
 * reporting of errors. A recursive-descent parser with one token of look-ahead; every list is built on a
 * stack and copied once, so time and memory are linear in the text. */
#include "ptx/parser.h"

#include "base/recover.h"
#include "lockstep/limits.h"
#include "ptx/tables.h"

#include <stdarg.h>
#include <stdio.h>

/* --- Errors ----------------------------------------------------------------------------------------------
 */
static void report(parser *p, uint32_t line, uint32_t column, const char *format, va_list args) {
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    p->errors++;
    if (p->errors <= MAX_ERRORS) ls_diags_add(p->diags, LS_ERROR, p->filename, line, column, "%s", text);
    if (p->errors == MAX_ERRORS)
        ls_diags_add(p->diags, LS_NOTE, p->filename, line, 0, "too many errors; the rest is not read");
}

void complain(parser *p, uint32_t line, uint32_t column, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(p, line, column, format, args);
    va_end(args);
}

_Noreturn void fail_at(parser *p, uint32_t line, uint32_t column, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(p, line, column, format, args);
    va_end(args);
    longjmp(*p->recover, 1);
}

_Noreturn void fail_expected(parser *p, const char *what) {
    char buffer[128];
    fail_at(p, p->tok.line, token_column(&p->tok), "expected %s, found %s", what,
            token_describe(&p->tok, buffer, sizeof buffer));
}

void expect(parser *p, uint32_t op) {
    if (at_punct(p, op)) {
        take(p);
        return;
    }
    char what[] = {'\'', (char)op, '\'', 0};
    fail_expected(p, what);
}

bool token_is(const token *tok, const char *text) {
    return strlen(text) == tok->length && memcmp(tok->start, text, tok->length) == 0;
}

void enter_nesting(parser *p) {
    if (++p->nesting > MAX_NESTING) fail_expected(p, "less nesting of brackets");
}

uint32_t parse_small_number(parser *p, const char *what) {
    if (p->tok.kind != TOKEN_INT && !at_punct(p, '(')) fail_expected(p, what);
    token at = p->tok;
    uint64_t value = parse_constant(p).value;
    if (value > UINT32_MAX)
        fail_at(p, at.line, token_column(&at), "expected %s, found a larger number", what);
    return (uint32_t)value;
}

char *copy_text(parser *p, const char *start, const char *end) {
    while (end > start && char_is(end[-1], CHAR_SPACE)) end--;
    if (memchr(start, 0, (size_t)(end - start)))
        fail_at(p, p->tok.line, token_column(&p->tok), "expected text, found a byte of value 0");
    return ls_arena_strndup(p->arena, start, (size_t)(end - start));
}

/* --- Directives that are kept as text --------------------------------------------------------------------
 */
const char *parse_strings(parser *p) {
    const char *start = p->tok.start, *end = start;
    do {
        if (p->tok.kind != TOKEN_STRING) fail_expected(p, "a string");
        end = p->tok.start + p->tok.length;
        take(p);
    } while (accept(p, ','));
    return copy_text(p, start, end);
}

const char *parse_attribute(parser *p) {
    take(p);
    if (!at_punct(p, '(')) fail_expected(p, "'('");
    const char *start = p->tok.start + 1;
    uint32_t open = 0;
    do {
        if (at_punct(p, '(')) open++;
        if (at_punct(p, ')') && --open == 0) break;
        if (p->tok.kind == TOKEN_END || p->tok.kind == TOKEN_BAD || at_punct(p, ';')) fail_expected(p, "')'");
        take(p);
    } while (true);
    const char *text = copy_text(p, start, p->tok.start);
    take(p);
    return text;
}

/* .file N "path"[, timestamp, size] */
void parse_file_directive(parser *p, ls_ptx_stmt *stmt) {
    take(p);
    const char *start = p->tok.start, *end;
    ls_ptx_file file = {.index = parse_small_number(p, "a file number")};
    if (p->tok.kind != TOKEN_STRING) fail_expected(p, "a path in quotes");
    file.path = copy_text(p, p->tok.start + 1, p->tok.start + p->tok.length - 1);
    end = p->tok.start + p->tok.length;
    take(p);
    while (at_punct(p, ',')) {
        take(p);
        end = p->tok.start + p->tok.length;
        parse_constant(p);
    }
    LS_VEC_PUSH(&p->files, file);
    stmt->kind = LS_STMT_FILE;
    stmt->text = copy_text(p, start, end);
}

/* .section .name { … }: the body is debug data that only the printer needs. */
void parse_section(parser *p, ls_ptx_stmt *stmt) {
    take(p);
    const char *start = p->tok.start;
    if (p->tok.kind != TOKEN_DIRECTIVE && p->tok.kind != TOKEN_IDENT) fail_expected(p, "a section name");
    take(p);
    if (!at_punct(p, '{')) fail_expected(p, "'{'");
    const char *end = memchr(p->tok.start, '}', (size_t)(p->lex.end - p->tok.start));
    if (!end) {
        p->lex.next = p->lex.end;
        take(p);
        fail_expected(p, "'}' of this section");
    }
    for (const char *q = p->lex.next; q < end; q++)
        if (*q == '\n') p->lex.line++, p->lex.line_start = q + 1;
    p->lex.next = end + 1;
    stmt->kind = LS_STMT_SECTION;
    stmt->text = copy_text(p, start, end + 1);
    take(p);
}

/* @@DWARF and other lines of old compilers */
static void parse_raw_line(parser *p, ls_ptx_stmt *stmt) {
    const char *start = p->tok.start;
    const char *end = memchr(start, '\n', (size_t)(p->lex.end - start));
    if (!end) end = p->lex.end;
    p->lex.next = end;
    stmt->kind = LS_STMT_RAW;
    stmt->text = copy_text(p, start, end);
    take(p);
}

static uint64_t position_key(uint32_t file, uint32_t line, uint32_t column) {
    return (uint64_t)(file & 0xfff) << 52 | (uint64_t)(line & 0xffffff) << 20 | (column & 0xfffff);
}

/* .loc file line column [, function_name label[+offset], inlined_at file line column] */
void parse_loc(parser *p, ls_ptx_stmt *stmt) {
    take(p);
    ls_ptx_loc *loc = LS_NEW(p->arena, ls_ptx_loc);
    loc->file = parse_small_number(p, "a file number");
    loc->line = parse_small_number(p, "a line number");
    if (p->tok.kind == TOKEN_INT) loc->column = parse_small_number(p, "a column number");
    while (accept(p, ',')) {
        if (p->tok.kind == TOKEN_IDENT && token_is(&p->tok, "function_name")) {
            take(p);
            const char *start = p->tok.start, *end = start + p->tok.length;
            if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a label");
            take(p);
            if (accept(p, '+')) {
                end = p->tok.start + p->tok.length;
                parse_small_number(p, "an offset");
            }
            loc->function_name = copy_text(p, start, end);
        } else if (p->tok.kind == TOKEN_IDENT && token_is(&p->tok, "inlined_at")) {
            take(p);
            loc->at_file = parse_small_number(p, "a file number");
            loc->at_line = parse_small_number(p, "a line number");
            loc->at_column = parse_small_number(p, "a column number");
        } else {
            fail_expected(p, "function_name or inlined_at");
        }
    }
    uint64_t at;
    if (loc->at_line &&
        ls_intmap_get(&p->locs, position_key(loc->at_file, loc->at_line, loc->at_column), &at))
        loc->at = (const ls_ptx_loc *)(uintptr_t)at;
    *ls_intmap_at(&p->locs, position_key(loc->file, loc->line, loc->column), NULL) = (uintptr_t)loc;
    stmt->kind = LS_STMT_LOC;
    stmt->loc = loc;
    p->loc = loc;
    if (p->function && !p->function->first_loc) p->function->first_loc = loc;
}

/* --- Functions -------------------------------------------------------------------------------------------
 */
static void parse_tune(parser *p, int kind, ls_ptx_tune *tune) {
    uint32_t least, most;
    ls_ptx_tune_limits(kind, &least, &most);
    take(p);
    tune->kind = (uint8_t)kind;
    if (kind == LS_TUNE_PRAGMA) {
        tune->text = parse_strings(p);
        expect(p, ';');
        return;
    }
    while (tune->count < most && (tune->count < least || p->tok.kind == TOKEN_INT || at_punct(p, ','))) {
        if (tune->count && !accept(p, ',')) break;
        tune->values[tune->count++] = parse_small_number(p, "a number");
    }
}

static void parse_tunes(parser *p, ls_ptx_function *function) {
    ls_ptx_tune tunes[LS_TUNE_COUNT + 4];
    while (p->tok.kind == TOKEN_DIRECTIVE) {
        int kind = ls_ptx_find_tune(p->tok.start + 1, p->tok.length - 1);
        if (at_directive(p, ".attribute")) {
            function->attribute = parse_attribute(p);
        } else if (kind < 0) {
            fail_expected(p, "a function's body, ';', or a directive such as .maxntid");
        } else {
            if (function->tune_count == sizeof tunes / sizeof *tunes) fail_expected(p, "fewer directives");
            ls_ptx_tune *tune = &tunes[function->tune_count++];
            memset(tune, 0, sizeof *tune);
            parse_tune(p, kind, tune);
        }
    }
    size_t bytes = function->tune_count * sizeof *tunes;
    function->tunes = memcpy(ls_arena_alloc(p->arena, bytes + 1), tunes, bytes);
}

static void bind_function(parser *p, ls_ptx_function *function) {
    if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a function's name");
    name *entry = intern(p, p->tok.start, p->tok.length);
    if (entry->binding && entry->binding->kind == LS_SYMBOL_FUNCTION) {
        function->symbol = entry->binding;
        return;
    }
    uint32_t depth = p->depth;
    p->depth = 0; /* functions are the module's, though their parameters' scope is open already */
    function->symbol = declare(p, &p->tok, LS_SYMBOL_FUNCTION);
    /* keep the binding when the parameters' scope closes */
    p->undos.length--;
    p->depth = depth;
    function->symbol->function = function;
}

/* [(returns)] name [(parameters)] [tuning], inside a scope that the caller opened. */
void parse_signature(parser *p, ls_ptx_function *function, bool named) {
    if (at_directive(p, ".attribute")) function->attribute = parse_attribute(p);
    if (at_punct(p, '(')) function->return_count = parse_parameters(p, &function->returns);
    if (named)
        bind_function(p, function);
    else if (p->tok.kind != TOKEN_IDENT)
        fail_expected(p, "'_'");
    take(p);
    if (at_punct(p, '(')) function->param_count = parse_parameters(p, &function->params);
    parse_tunes(p, function);
}

static void finish_body(parser *p, ls_ptx_function *function) {
    settle_labels(p, function);
    function->register_count = p->registers.length;
    size_t bytes = p->registers.length * sizeof *p->registers.items;
    function->registers = ls_arena_alloc(p->arena, bytes + 1);
    if (bytes) memcpy(function->registers, p->registers.items, bytes);
}

static void parse_function(parser *p, uint8_t linkage) {
    ls_ptx_function *function = LS_NEW(p->arena, ls_ptx_function);
    ls_ptx_stmt stmt = {.kind = LS_STMT_FUNCTION, .line = p->tok.line, .column = token_column(&p->tok)};
    function->is_entry = at_directive(p, ".entry");
    function->linkage = linkage;
    function->pos = (ls_ptx_pos){p->tok.line, token_column(&p->tok)};
    take(p);
    p->registers.length = 0;
    p->pendings.length = 0;
    p->loc = NULL;
    uint32_t mark = open_scope(p);
    parse_signature(p, function, true);
    function->builtin = (uint8_t)ls_ptx_find_builtin(function->symbol->name);
    if (at_punct(p, '{')) {
        if (function->symbol->function != function && function->symbol->function->body)
            fail_at(p, function->pos.line, function->pos.column, "function '%s' has two bodies",
                    function->symbol->name);
        function->symbol->function = function;
        p->function = function;
        function->body = LS_NEW(p->arena, ls_ptx_block);
        parse_block(p, function->body);
        finish_body(p, function);
        p->function = NULL;
    } else {
        expect(p, ';');
    }
    close_scope(p, mark);
    stmt.function = function;
    LS_VEC_PUSH(&p->functions, function);
    push_stmt(p, stmt);
}

/* --- The module ------------------------------------------------------------------------------------------
 */
static void parse_version(parser *p) {
    take(p);
    if (p->tok.kind != TOKEN_F64) fail_expected(p, "a version such as 9.0");
    char *end;
    p->module->version_major = (uint32_t)strtoul(p->tok.start, &end, 10);
    if (*end == '.') p->module->version_minor = (uint32_t)strtoul(end + 1, NULL, 10);
    take(p);
}

static void parse_target(parser *p) {
    const char *targets[32];
    uint32_t count = 0;
    take(p);
    do {
        if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a target such as sm_75");
        if (count == 32) fail_expected(p, "fewer targets");
        targets[count++] = copy_text(p, p->tok.start, p->tok.start + p->tok.length);
        take(p);
    } while (accept(p, ','));
    p->module->targets = ls_arena_alloc(p->arena, count * sizeof *targets);
    memcpy(p->module->targets, targets, count * sizeof *targets);
    p->module->target_count = count;
}

static void parse_alias(parser *p, ls_ptx_stmt *stmt) {
    take(p);
    if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a function's name");
    stmt->kind = LS_STMT_ALIAS;
    stmt->symbol = look_up(p, &p->tok);
    take(p);
    expect(p, ',');
    if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a function's name");
    ls_ptx_symbol *meant = look_up(p, &p->tok);
    if (meant->kind != LS_SYMBOL_FUNCTION || stmt->symbol->kind != LS_SYMBOL_FUNCTION)
        fail_expected(p, "two functions");
    take(p);
    expect(p, ';');
    ls_ptx_symbol *alias = LS_NEW(p->arena, ls_ptx_symbol);
    *alias = *stmt->symbol;
    alias->kind = LS_SYMBOL_ALIAS;
    alias->alias = meant;
    stmt->symbol = alias;
}

static uint8_t parse_linkage(parser *p) {
    static const struct {
        const char *text;
        uint8_t flag;
    } words[] = {{".extern", LS_LINK_EXTERN},
                 {".visible", LS_LINK_VISIBLE},
                 {".weak", LS_LINK_WEAK},
                 {".common", LS_LINK_COMMON}};
    uint8_t linkage = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (at_directive(p, words[i].text)) {
            linkage |= words[i].flag;
            take(p);
            i = (size_t)-1;
        }
    return linkage;
}

static void parse_top(parser *p) {
    ls_ptx_stmt stmt = {.line = p->tok.line, .column = token_column(&p->tok)};
    uint8_t linkage = parse_linkage(p);
    if (at_directive(p, ".entry") || at_directive(p, ".func")) {
        parse_function(p, linkage);
        return;
    }
    if (at_declaration(p)) {
        parse_declaration(p, linkage, &stmt);
    } else if (linkage) {
        fail_expected(p, ".entry, .func or a variable's state space");
    } else if (at_directive(p, ".version")) {
        parse_version(p);
        return;
    } else if (at_directive(p, ".target")) {
        parse_target(p);
        return;
    } else if (at_directive(p, ".address_size")) {
        take(p);
        p->module->address_size = parse_small_number(p, "32 or 64");
        return;
    } else if (at_directive(p, ".file")) {
        parse_file_directive(p, &stmt);
    } else if (at_directive(p, ".section")) {
        parse_section(p, &stmt);
    } else if (at_directive(p, ".loc")) {
        parse_loc(p, &stmt);
    } else if (at_directive(p, ".alias")) {
        parse_alias(p, &stmt);
    } else if (at_directive(p, ".pragma")) {
        take(p);
        stmt.kind = LS_STMT_PRAGMA;
        stmt.text = parse_strings(p);
        expect(p, ';');
    } else if (at_punct(p, PUNCT2('@', '@'))) {
        parse_raw_line(p, &stmt);
    } else if (accept(p, ';')) {
        return;
    } else {
        fail_expected(p, p->tok.kind == TOKEN_DIRECTIVE ? "a directive that PTX knows" : "a directive");
    }
    push_stmt(p, stmt);
}

/* Behind a mistake at module level: on to the next line that starts with one of these directives. Lines are
 * looked for, not tokens, so that a large file of something else is passed over fast. */
static void skip_top(parser *p) {
    static const char *const starts[] = {".entry",  ".func",  ".visible", ".extern",  ".weak",   ".common",
                                         ".global", ".const", ".file",    ".section", ".version"};
    lexer *lex = &p->lex;
    for (const char *newline; lex->next < lex->end;) {
        newline = memchr(lex->next, '\n', (size_t)(lex->end - lex->next));
        if (!newline) break;
        lex->next = lex->line_start = newline + 1;
        lex->line++;
        while (*lex->next == ' ' || *lex->next == '\t') lex->next++;
        if (*lex->next != '.') continue;
        take(p);
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (at_directive(p, starts[i])) return;
    }
    lex->next = lex->end;
    take(p);
}

static void parse_module(parser *p) {
    jmp_buf here;
    while (p->tok.kind != TOKEN_END) {
        if (setjmp(here) == 0) {
            p->recover = &here;
            while (p->tok.kind != TOKEN_END) parse_top(p);
        } else {
            if (p->errors >= MAX_ERRORS || !p->module->version_major) break; /* or it is not PTX at all */
            while (p->depth > 0) close_scope(p, 0);
            p->undos.length = p->pendings.length = p->forwards.length = 0;
            p->nesting = p->operands.length = p->nested_ranges = 0;
            p->function = NULL;
            skip_top(p);
        }
    }
    p->recover = NULL;
}

static void finish_module(parser *p, ls_ptx_module *module) {
    if (!p->errors && !module->version_major)
        complain(p, 1, 0, "this is not PTX: there is no .version directive");
#define KEEP(field, vec)                                                                                     \
    module->field = ls_arena_alloc(p->arena, (p->vec.length + 1) * sizeof *module->field);                   \
    if (p->vec.length) memcpy(module->field, p->vec.items, p->vec.length * sizeof *module->field)
    KEEP(functions, functions);
    KEEP(variables, variables);
    KEEP(files, files);
    KEEP(top.stmts, stmts);
#undef KEEP
    module->function_count = p->functions.length;
    module->variable_count = p->variables.length;
    module->file_count = p->files.length;
    module->top.count = p->stmts.length;
    module->plain = LS_NEW_N(p->arena, ls_ptx_function *, module->function_count + 1);
    for (uint32_t i = 0; i < module->function_count; i++) {
        ls_ptx_function *function = module->functions[i], *meant = function->symbol->function;
        function->definition = meant->body ? meant : NULL;
        if (!function->is_entry) module->plain[module->plain_count++] = function;
        void **first =
            ls_map_at(&module->hidden->functions, function->symbol->name, strlen(function->symbol->name));
        if (!*first) *first = function;
    }
    for (uint32_t i = 0; i < module->file_count; i++) {
        bool is_new;
        uint64_t *number = ls_intmap_at(&module->hidden->files, module->files[i].index, &is_new);
        if (is_new) *number = i;
    }
}

static void free_parser(parser *p) {
    ls_map_free(&p->names);
    ls_map_free(&p->forms);
    ls_intmap_free(&p->locs);
    ls_intmap_free(&p->range_registers);
    LS_VEC_FREE(&p->undos);
    LS_VEC_FREE(&p->pendings);
    LS_VEC_FREE(&p->forwards);
    LS_VEC_FREE(&p->registers);
    LS_VEC_FREE(&p->operands);
    LS_VEC_FREE(&p->stmts);
    LS_VEC_FREE(&p->variables);
    LS_VEC_FREE(&p->functions);
    LS_VEC_FREE(&p->files);
    free(p);
}

typedef struct {
    const char *text, *filename;
    size_t length;
    bool any_size;
    ls_diags *diags;
    struct ls_ptx_private *private;
    ls_ptx_module *module;
    parser *p;
    char *copy;
    bool good;
} parsing;

static void parse_text(void *context) {
    parsing *all = context;
    struct ls_ptx_private *private = all->private = ls_xcalloc(1, sizeof *private);
    ls_ptx_module *module = all->module = LS_NEW(&private->arena, ls_ptx_module);
    module->hidden = private;
    module->filename = ls_arena_strdup(&private->arena, all->filename ? all->filename : "<text>");

    char *copy = all->copy = ls_xmalloc(all->length + 8); /* the lexer looks a few characters ahead */
    memcpy(copy, all->text, all->length);
    memset(copy + all->length, 0, 8);
    parser *p = all->p = ls_xcalloc(1, sizeof *p);
    p->arena = &private->arena;
    p->module = module;
    p->diags = all->diags;
    p->filename = module->filename;
    lexer_init(&p->lex, copy, all->length);
    take(p);
    parse_module(p);
    finish_module(p, module);
    all->good = p->errors == 0 && ls_ptx_within_limits(module, all->any_size, all->diags);
    if (all->good) ls_ptx_find_uses(module);
}

static ls_ptx_module *parse(const char *text, size_t length, const char *filename, bool any_size,
                            ls_diags *diags) {
    parsing all = {
        .text = text, .filename = filename, .length = length, .any_size = any_size, .diags = diags};
    if (!ls_try(parse_text, &all)) {
        all.good = false;
        ls_diags_no_memory(diags);
    }
    if (all.p) free_parser(all.p);
    free(all.copy);
    if (all.module) all.module->memory = all.module->hidden->arena.total;
    if (all.good) return all.module;
    if (!all.module) free(all.private);
    ls_ptx_module_free(all.module);
    return NULL;
}

ls_ptx_module *ls_ptx_parse(const char *text, size_t length, const char *filename, ls_diags *diags) {
    return parse(text, length, filename, false, diags);
}

ls_ptx_module *ls_ptx_parse_any_size(const char *text, size_t length, const char *filename, ls_diags *diags) {
    return parse(text, length, filename, true, diags);
}

void ls_ptx_module_free(ls_ptx_module *module) {
    if (!module) return;
    struct ls_ptx_private *private = module->hidden;
    ls_map_free(&private->functions);
    ls_map_free(&private->uses);
    ls_intmap_free(&private->files);
    ls_arena_free(&private->arena);
    free(private);
}

const char *ls_ptx_file_path(const ls_ptx_module *module, uint32_t index) {
    uint64_t number;
    return ls_intmap_get(&module->hidden->files, index, &number) ? module->files[number].path : NULL;
}

ls_ptx_function *ls_ptx_find_function(const ls_ptx_module *module, const char *text) {
    ls_ptx_function *function = ls_map_get(&module->hidden->functions, text, strlen(text));
    return function && function->definition ? function->definition : function;
}

uint64_t ls_ptx_variable_size(const ls_ptx_variable *variable) {
    if (variable->open_array && !variable->initializer) return 0;
    uint64_t bits = ls_ptx_type_bits((ls_ptx_type)variable->type);
    if (ls_ptx_type_kind_of((ls_ptx_type)variable->type) == LS_KIND_OPAQUE) bits = 64;
    uint64_t size = (bits + 7) / 8 * variable->vector;
    bool over = false;
    for (uint32_t i = 0; i < variable->dimension_count; i++) {
        bool open = i == 0 && variable->open_array;
        uint64_t count = open ? variable->initializer->count : variable->dimensions[i];
        over |= __builtin_mul_overflow(size, count, &size);
    }
    return over ? UINT64_MAX : size;
}

uint32_t ls_ptx_variable_align(const ls_ptx_variable *variable) {
    if (variable->align) return variable->align;
    uint32_t bytes = (ls_ptx_type_bits((ls_ptx_type)variable->type) + 7) / 8 * variable->vector;
    return bytes ? bytes : 8;
}
