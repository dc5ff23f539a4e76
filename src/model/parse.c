/* Parser of the kernel language (000, §3.1; the grammar is in model/parse.h). Recursive descent;
 * expressions by precedence climbing over the table of operators. After an error the parser goes on behind
 * the next semicolon, so that one run shows several mistakes. */
#include "model/parse.h"

#include "base/map.h"
#include "model/eval.h"
#include "model/lex.h"

#include <assert.h>
#include <stdio.h>

enum { MAX_ERRORS = 20, MAX_LENGTH = 65536 };

typedef struct {
    uint32_t block;
    ls_ktok token;
} jump; /* a goto's target, resolved when all labels are known */

typedef struct {
    ls_klexer lexer;
    ls_ktok token; /* the one being looked at */
    ls_kctx *ctx;
    ls_kprog *prog;
    const char *file;
    ls_diags *diags;
    uint32_t errors, nesting;
    bool failed;       /* in this declaration or statement */
    bool declared_any; /* variables: threads must come before */
    bool threads_fixed;
    ls_map vars, labels;
    LS_VEC(jump) jumps;
} parser;

/* ---- Tokens and complaints --------------------------------------------------------------------------- */

static void advance(parser *p) {
    p->token = ls_klex(&p->lexer);
}

static void complain_at(parser *p, const ls_ktok *at, const char *what) {
    if (p->failed) return;
    p->failed = true;
    if (p->errors++ < MAX_ERRORS) ls_diags_add(p->diags, LS_ERROR, p->file, at->line, at->column, "%s", what);
}

/* "expected X before 'token'". */
static void expected(parser *p, const char *what) {
    const ls_ktok *at = &p->token;
    char text[300];
    if (at->kind == LS_KTOK_BAD)
        snprintf(text, sizeof text, "%s; expected %s", at->complaint, what);
    else if (at->kind == LS_KTOK_END)
        snprintf(text, sizeof text, "expected %s before the end of the file", what);
    else
        snprintf(text, sizeof text, "expected %s before '%.*s'", what,
                 (int)(at->length < 40 ? at->length : 40), at->text);
    complain_at(p, at, text);
}

static bool is_punct(const parser *p, const char *text) {
    return p->token.kind == LS_KTOK_PUNCT && strcmp(p->token.punct, text) == 0;
}

static bool is_name(const parser *p, const char *text) {
    return p->token.kind == LS_KTOK_NAME && p->token.length == strlen(text) &&
           memcmp(p->token.text, text, p->token.length) == 0;
}

static bool accept(parser *p, const char *punct) {
    if (!is_punct(p, punct)) return false;
    advance(p);
    return true;
}

static bool accept_name(parser *p, const char *name) {
    if (!is_name(p, name)) return false;
    advance(p);
    return true;
}

static void expect(parser *p, const char *punct) {
    if (p->failed || accept(p, punct)) return;
    char quoted[16];
    snprintf(quoted, sizeof quoted, "'%s'", punct);
    expected(p, quoted);
}

static ls_ktok expect_name(parser *p, const char *what) {
    ls_ktok token = p->token;
    if (token.kind == LS_KTOK_NAME)
        advance(p);
    else
        expected(p, what);
    return token;
}

static void recover(parser *p) {
    while (p->token.kind != LS_KTOK_END && !is_punct(p, ";")) advance(p);
    accept(p, ";");
    p->failed = false;
}

static bool give_up(const parser *p) {
    return p->token.kind == LS_KTOK_END || p->errors >= MAX_ERRORS;
}

static const char *copied(parser *p, const ls_ktok *token) {
    return ls_arena_strndup(&p->ctx->arena, token->text, token->length);
}

static ls_kloc location(const ls_ktok *token) {
    return (ls_kloc){token->line, token->column};
}

/* ---- Expressions ------------------------------------------------------------------------------------- */

static const ls_kexpr *parse_expr(parser *p, unsigned precedence);

static const ls_kexpr *nothing(parser *p) {
    return ls_kexpr_bool(p->ctx, true);
}

/* Numbers and TS take the type of the bit-vector they meet. */
static const ls_kexpr *adapt(parser *p, const ls_kexpr *expr, ls_ktype type) {
    if (type.kind != LS_KT_BV || expr->type.kind != LS_KT_INT) return expr;
    if (expr->op == LS_KX_TS) return ls_kexpr_op(p->ctx, LS_KX_TO_BV, &expr, 1, type.width);
    if (expr->op == LS_KX_CONST && (type.width == 64 || expr->value < INT64_C(1) << (type.width % 64)) &&
        (type.width != 63 || expr->value >= 0))
        return ls_kexpr_const(p->ctx, type, expr->value);
    return expr;
}

static const ls_kexpr *build(parser *p, ls_kop op, const ls_ktok *at, const ls_kexpr **args, uint32_t count,
                             int64_t value) {
    if (p->failed) return nothing(p);
    uint32_t from = op == LS_KX_ITE;
    if (count >= from + 2 && op != LS_KX_CONCAT) {
        args[from] = adapt(p, args[from], args[from + 1]->type);
        args[from + 1] = adapt(p, args[from + 1], args[from]->type);
    }
    ls_ktype type;
    const char *wrong = ls_kexpr_check(op, args, count, value, &type);
    if (wrong) {
        char text[128];
        snprintf(text, sizeof text, "'%.*s' expects %s", (int)(at->length < 40 ? at->length : 40), at->text,
                 wrong);
        complain_at(p, at, text);
        return nothing(p);
    }
    const ls_kexpr *made = ls_kexpr_op(p->ctx, op, args, count, value);
    if (made->depth > LS_KERNEL_MAX_DEPTH) complain_at(p, at, "expression is nested too deeply");
    return made;
}

static const ls_kexpr *parse_index(parser *p) {
    expect(p, "[");
    const ls_kexpr *index = parse_expr(p, 1);
    if (!p->failed && index->type.kind != LS_KT_INT && index->type.kind != LS_KT_BV)
        expected(p, "an index that is a number");
    expect(p, "]");
    return index;
}

static const ls_kvar *find_var(parser *p, const ls_ktok *name) {
    const ls_kvar *var = ls_map_get(&p->vars, name->text, name->length);
    if (!var && !p->failed) {
        char text[128];
        snprintf(text, sizeof text, "'%.*s' is not declared", (int)(name->length < 40 ? name->length : 40),
                 name->text);
        complain_at(p, name, text);
    }
    return var;
}

static const ls_kexpr *parse_variable(parser *p, const ls_ktok *name) {
    const ls_kvar *var = find_var(p, name);
    if (!var) return nothing(p);
    if (!var->array) return ls_kexpr_var(p->ctx, var);
    if (!is_punct(p, "[")) {
        expected(p, "'[' after the name of an array");
        return nothing(p);
    }
    const ls_kexpr *index = parse_index(p);
    return p->failed ? nothing(p) : ls_kexpr_select(p->ctx, var, index);
}

/* The widths and bit positions behind the operand of zext(x, 32), extract(x, 7, 0), bv(x, 8). */
static int64_t parse_sizes(parser *p, ls_kop op) {
    int64_t numbers[2] = {0, 0};
    uint32_t count = op == LS_KX_EXTRACT ? 2 : 1;
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        expect(p, ",");
        if (p->token.kind != LS_KTOK_NUMBER || p->token.number > 64) expected(p, "a number of bits, 0 to 64");
        numbers[i] = (int64_t)p->token.number;
        advance(p);
    }
    if (op != LS_KX_EXTRACT) return numbers[0];
    return numbers[0] < numbers[1] ? 0 : (numbers[0] - numbers[1] + 1) << 8 | numbers[1];
}

static const ls_kexpr *parse_call(parser *p, ls_kop op, const ls_ktok *name) {
    const ls_kexpr *args[3];
    uint32_t arity = ls_kops[op].arity, count = 0;
    expect(p, "(");
    for (; count < arity && !p->failed; count++) {
        if (count) expect(p, ",");
        args[count] = parse_expr(p, 1);
    }
    int64_t value = 0;
    uint32_t signature = ls_kops[op].signature;
    if (signature == LS_KSIG_RESIZE || signature == LS_KSIG_TO_BV) value = parse_sizes(p, op);
    expect(p, ")");
    return build(p, op, name, args, count, value);
}

static const ls_kexpr *parse_named(parser *p) {
    ls_ktok name = p->token;
    if (accept_name(p, "true")) return ls_kexpr_bool(p->ctx, true);
    if (accept_name(p, "false")) return ls_kexpr_bool(p->ctx, false);
    if (accept_name(p, "TS")) return ls_kexpr_ts(p->ctx);
    advance(p);
    if (is_punct(p, "("))
        for (uint32_t op = 0; op < LS_KX_COUNT; op++)
            if (!ls_kops[op].infix && ls_kops[op].signature != LS_KSIG_LEAF &&
                strlen(ls_kops[op].name) == name.length &&
                memcmp(ls_kops[op].name, name.text, name.length) == 0)
                return parse_call(p, op, &name);
    return parse_variable(p, &name);
}

static const ls_kexpr *parse_primary(parser *p) {
    ls_ktok at = p->token;
    if (at.kind == LS_KTOK_NAME) return parse_named(p);
    if (at.kind == LS_KTOK_NUMBER) {
        advance(p);
        return ls_kexpr_const(p->ctx, LS_KTYPE_INT, (int64_t)at.number);
    }
    if (accept(p, "(")) {
        const ls_kexpr *inner = parse_expr(p, 1);
        expect(p, ")");
        return inner;
    }
    static const ls_kop unary[] = {LS_KX_NOT, LS_KX_NEG, LS_KX_BNOT};
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (accept(p, ls_kops[unary[i]].infix)) {
            const ls_kexpr *arg = parse_expr(p, ls_kops[unary[i]].precedence);
            if (unary[i] == LS_KX_NEG && arg->op == LS_KX_CONST && arg->type.kind == LS_KT_INT)
                return ls_kexpr_const(p->ctx, LS_KTYPE_INT, -arg->value);
            return build(p, unary[i], &at, &arg, 1, 0);
        }
    expected(p, "an expression");
    return nothing(p);
}

/* The binary operator that stands here, or LS_KX_COUNT. */
static ls_kop operator_here(const parser *p) {
    if (is_punct(p, "=")) return LS_KX_EQ;
    for (uint32_t op = 0; op < LS_KX_COUNT; op++)
        if (ls_kops[op].infix && ls_kops[op].arity != 1 && is_punct(p, ls_kops[op].infix)) return op;
    return LS_KX_COUNT;
}

static const ls_kexpr *parse_expr(parser *p, unsigned precedence) {
    if (++p->nesting > LS_KERNEL_MAX_DEPTH) {
        complain_at(p, &p->token, "expression is nested too deeply");
        p->nesting--;
        return nothing(p);
    }
    const ls_kexpr *left = parse_primary(p);
    for (ls_kop op; !p->failed && (op = operator_here(p)) != LS_KX_COUNT;) {
        unsigned own = ls_kops[op].precedence;
        if (own < precedence) break;
        ls_ktok at = p->token;
        advance(p);
        if (op == LS_KX_ITE) {
            const ls_kexpr *yes = parse_expr(p, 1);
            expect(p, ":");
            const ls_kexpr *no = p->failed ? yes : parse_expr(p, own);
            left = build(p, op, &at, (const ls_kexpr *[]){left, yes, no}, 3, 0);
        } else {
            const ls_kexpr *right = parse_expr(p, op == LS_KX_IMPLIES ? own : own + 1);
            left = build(p, op, &at, (const ls_kexpr *[]){left, right}, 2, 0);
        }
    }
    p->nesting--;
    return left;
}

static const ls_kexpr *parse_typed(parser *p, ls_ktype type, const char *what) {
    ls_ktok at = p->token;
    const ls_kexpr *expr = adapt(p, parse_expr(p, 1), type);
    if (!p->failed && !ls_ktype_equal(expr->type, type)) complain_at(p, &at, what);
    return p->failed ? ls_kexpr_const(p->ctx, type, 0) : expr;
}

static const char *type_complaint(ls_ktype type) {
    return type.kind == LS_KT_BOOL  ? "expected a Boolean expression"
           : type.kind == LS_KT_INT ? "expected an expression that is an integer"
                                    : "expected a bit-vector of the variable's width";
}

/* An expression over numbers and TS, for lengths and domains; binds tighter than comparison. */
static int64_t parse_constant(parser *p) {
    ls_ktok at = p->token;
    const ls_kexpr *expr = parse_expr(p, ls_kops[LS_KX_ADD].precedence);
    if (p->failed) return 0;
    LS_VEC(const ls_kexpr *) todo = {0};
    bool constant = expr->type.kind == LS_KT_INT;
    LS_VEC_PUSH(&todo, expr);
    while (todo.length && constant) {
        const ls_kexpr *e = todo.items[--todo.length];
        constant = e->op != LS_KX_VAR && e->op != LS_KX_SELECT;
        for (uint32_t i = 0; i < e->count; i++) LS_VEC_PUSH(&todo, e->args[i]);
    }
    LS_VEC_FREE(&todo);
    ls_kenv env = {.threads = p->ctx->threads};
    int64_t value = constant ? ls_keval(&env, expr) : 0;
    if (!constant || env.fault) complain_at(p, &at, "expected an integer made of numbers and TS");
    return value;
}

/* ---- Declarations ------------------------------------------------------------------------------------ */

static void parse_domain(parser *p, ls_kvar *var) {
    if (accept_name(p, "bool")) {
        var->type = LS_KTYPE_BOOL;
        return;
    }
    if (p->token.kind == LS_KTOK_NAME && p->token.text[0] == 'u') {
        unsigned width = 0;
        for (uint32_t i = 1; i < p->token.length && width <= 64; i++)
            width = p->token.text[i] >= '0' && p->token.text[i] <= '9'
                        ? width * 10 + (unsigned)(p->token.text[i] - '0')
                        : 99;
        if (width < 1 || width > 64)
            expected(p, "a bit-vector type u1 to u64");
        else
            advance(p);
        var->type = LS_KTYPE_BV(width);
        return;
    }
    var->type = LS_KTYPE_INT;
    if (p->token.kind == LS_KTOK_NAME && !is_name(p, "TS")) expected(p, "a domain ('bool', 'u8', '0..3')");
    ls_ktok at = p->token;
    var->low = parse_constant(p);
    expect(p, "..");
    var->high = p->failed ? var->low : parse_constant(p);
    if (var->high < var->low) complain_at(p, &at, "expected a domain that is not empty");
    if ((uint64_t)var->high - (uint64_t)var->low >= UINT32_MAX)
        complain_at(p, &at, "expected a domain of less than 2^32 values");
}

static void parse_init(parser *p, ls_kvar *var) {
    if (!accept(p, "=")) return;
    bool list = accept(p, "{");
    LS_VEC(const ls_kexpr *) init = {0};
    ls_ktok at = p->token;
    do {
        const ls_kexpr *value = parse_typed(p, var->type, type_complaint(var->type));
        LS_VEC_PUSH_IN(&p->ctx->arena, &init, value);
    } while (list && !p->failed && accept(p, ","));
    if (list) expect(p, "}");
    if (list && init.length != (var->array ? var->length : 1))
        complain_at(p, &at, "expected one initial value for each element");
    var->init = init.items;
    var->init_count = init.length;
}

static bool mentions(const ls_kexpr *expr, bool tid) {
    if (expr->var && (expr->var->role == LS_KR_TID) == tid) return true;
    for (uint32_t i = 0; i < expr->count; i++)
        if (mentions(expr->args[i], tid)) return true;
    return false;
}

/* Initial values are made of tid, TS and numbers alone. */
static void check_init(parser *p, const ls_kvar *var, const ls_ktok *at) {
    for (uint32_t i = 0; i < var->init_count; i++) {
        if (mentions(var->init[i], false))
            complain_at(p, at, "expected an initial value made of numbers, TS and tid");
        if (var->class != LS_KC_PRIVATE && mentions(var->init[i], true))
            complain_at(p, at, "expected an initial value without tid: the variable is not private");
    }
}

static void parse_declaration(parser *p, ls_kclass class) {
    ls_ktok name = expect_name(p, "the name of a variable");
    if (p->failed) return;
    static const char *const reserved[] = {"TS", "true", "false", "End", "Start"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == name.length && memcmp(reserved[i], name.text, name.length) == 0)
            complain_at(p, &name, "this name has a meaning of its own; expected another one");
    const char *text = copied(p, &name);
    if (ls_map_get(&p->vars, text, name.length)) complain_at(p, &name, "this variable is already declared");
    if (p->failed) return;
    ls_kvar *var = ls_kvar_new(p->ctx, text, class, LS_KTYPE_INT);
    var->loc = location(&name);
    if (accept(p, "[")) {
        ls_ktok at = p->token;
        int64_t length = parse_constant(p);
        if (length < 1 || length > MAX_LENGTH) complain_at(p, &at, "expected a length of 1 to 65536");
        var->array = true;
        var->length = p->failed ? 1 : (uint64_t)length;
        expect(p, "]");
    }
    expect(p, ":");
    if (!p->failed) parse_domain(p, var);
    ls_ktok at = p->token;
    if (!p->failed) parse_init(p, var);
    if (!p->failed) check_init(p, var, &at);
    expect(p, ";");
    *ls_map_at(&p->vars, text, name.length) = var;
    p->declared_any = true;
}

static void parse_threads(parser *p) {
    ls_ktok at = p->token;
    if (at.kind != LS_KTOK_NUMBER || at.number < 1 || at.number > LS_KERNEL_MAX_THREADS)
        expected(p, "a number of threads, 1 to 16");
    else if (p->declared_any)
        complain_at(p, &at, "expected 'threads' before the first variable");
    else if (!p->threads_fixed)
        p->ctx->threads = (uint32_t)at.number;
    if (!p->failed) advance(p);
    expect(p, ";");
}

static bool parse_header(parser *p) {
    if (accept_name(p, "kernel")) {
        ls_ktok name = expect_name(p, "the kernel's name");
        if (!p->failed) p->prog->name = copied(p, &name);
        expect(p, ";");
    } else if (accept_name(p, "threads"))
        parse_threads(p);
    else if (accept_name(p, "shared"))
        parse_declaration(p, LS_KC_SHARED);
    else if (accept_name(p, "private"))
        parse_declaration(p, LS_KC_PRIVATE);
    else if (accept_name(p, "const"))
        parse_declaration(p, LS_KC_CONST);
    else
        return false;
    return true;
}

/* ---- Statements and blocks --------------------------------------------------------------------------- */

static void add(parser *p, uint32_t block, ls_kstmt stmt) {
    stmt.origin = p->prog->stmt_count++;
    ls_kblock_add(p->prog, block, stmt);
}

static ls_kstmt parse_target(parser *p, ls_kstmt_kind kind, const ls_ktok *name) {
    ls_kstmt stmt = {.kind = (uint8_t)kind, .loc = location(name), .var = find_var(p, name)};
    if (!stmt.var) return stmt;
    if (stmt.var->class == LS_KC_CONST || stmt.var->role == LS_KR_TID)
        complain_at(p, name, "this variable cannot be written; expected a shared or private one");
    if (stmt.var->array) stmt.index = parse_index(p);
    return stmt;
}

static void parse_assignment(parser *p, uint32_t block) {
    ls_ktok name = expect_name(p, "a statement or 'goto'");
    if (p->failed) return;
    ls_kstmt stmt = parse_target(p, LS_KS_ASSIGN, &name);
    if (p->failed) return;
    expect(p, ":=");
    if (!p->failed) stmt.value = parse_typed(p, stmt.var->type, type_complaint(stmt.var->type));
    expect(p, ";");
    if (!p->failed) add(p, block, stmt);
}

static void parse_havoc(parser *p, uint32_t block) {
    ls_ktok name = expect_name(p, "the name of a variable");
    if (p->failed) return;
    ls_kstmt stmt = parse_target(p, LS_KS_HAVOC, &name);
    expect(p, ";");
    if (!p->failed) add(p, block, stmt);
}

static void parse_goto(parser *p, uint32_t block) {
    do {
        ls_ktok name = expect_name(p, "a block's label");
        jump to = {block, name};
        if (!p->failed) LS_VEC_PUSH(&p->jumps, to);
    } while (!p->failed && accept(p, ","));
    expect(p, ";");
}

/* One statement; true where it was the goto, which ends the block. */
static bool parse_statement(parser *p, uint32_t block) {
    static const struct {
        const char *name;
        uint8_t kind;
        bool expression;
    } simple[] = {{"assume", LS_KS_ASSUME, true},
                  {"assert", LS_KS_ASSERT, true},
                  {"skip", LS_KS_SKIP, false},
                  {"barrier", LS_KS_BARRIER, false}};
    ls_ktok at = p->token;
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        if (!accept_name(p, simple[i].name)) continue;
        ls_kstmt stmt = {.kind = simple[i].kind, .loc = location(&at)};
        if (simple[i].expression) stmt.value = parse_typed(p, LS_KTYPE_BOOL, "expected a Boolean expression");
        expect(p, ";");
        if (!p->failed) add(p, block, stmt);
        return false;
    }
    if (accept_name(p, "havoc")) {
        parse_havoc(p, block);
        return false;
    }
    if (accept_name(p, "goto")) {
        parse_goto(p, block);
        return true;
    }
    parse_assignment(p, block);
    return false;
}

static void parse_block(parser *p) {
    ls_ktok name = expect_name(p, p->prog->blocks.length ? "a block's label" : "a declaration or 'Start:'");
    if (!p->failed) {
        const char *label = copied(p, &name);
        if (p->prog->blocks.length == 0 && strcmp(label, "Start") != 0)
            complain_at(p, &name, "expected the first block to be labelled 'Start'");
        else if (strcmp(label, "End") == 0)
            complain_at(p, &name, "'End' is where the kernel ends; expected another label");
        else if (ls_map_get(&p->labels, label, name.length))
            complain_at(p, &name, "this label is already used");
        p->failed = false;
        uint32_t block = ls_kblock_new(p->prog, label);
        p->prog->blocks.items[block].loc = location(&name);
        *ls_map_at(&p->labels, label, name.length) = (void *)(uintptr_t)(block + 1);
        expect(p, ":");
    }
    uint32_t block = p->prog->blocks.length - 1;
    bool closed = p->failed;
    while (!closed) {
        closed = parse_statement(p, block);
        if (p->failed) recover(p);
        if (!closed && give_up(p)) {
            expected(p, "'goto'");
            return;
        }
    }
}

static void resolve_jumps(parser *p) {
    for (uint32_t i = 0; i < p->jumps.length; i++) {
        const jump *j = &p->jumps.items[i];
        bool end = j->token.length == 3 && memcmp(j->token.text, "End", 3) == 0;
        uintptr_t found = (uintptr_t)ls_map_get(&p->labels, j->token.text, j->token.length);
        if (!end && !found) {
            char text[128];
            snprintf(text, sizeof text, "no block is labelled '%.*s'",
                     (int)(j->token.length < 40 ? j->token.length : 40), j->token.text);
            p->failed = false;
            complain_at(p, &j->token, text);
            continue;
        }
        ls_kblock_goto(p->prog, j->block, end ? LS_KEND : (uint32_t)found - 1);
    }
}

static void declare_tid(parser *p) {
    ls_kvar *tid = ls_kvar_new(p->ctx, "tid", LS_KC_PRIVATE, LS_KTYPE_INT);
    tid->role = LS_KR_TID;
    p->ctx->tid = tid;
    *ls_map_at(&p->vars, tid->name, 3) = tid;
}

static void parse_program(parser *p) {
    declare_tid(p);
    while (!give_up(p) && parse_header(p))
        if (p->failed) recover(p);
    do {
        parse_block(p);
        if (p->failed) recover(p);
    } while (!give_up(p));
    if (p->errors == 0) resolve_jumps(p);
    for (uint32_t i = 0; i < p->ctx->vars.length; i++) {
        ls_kvar *var = p->ctx->vars.items[i];
        if (var->role == LS_KR_TID) var->high = p->ctx->threads - 1;
    }
}

ls_kprog *ls_kernel_parse(const char *text, size_t length, const char *file, uint32_t threads,
                          ls_diags *diags) {
    parser p = {.file = file, .diags = diags, .threads_fixed = threads != 0};
    p.ctx = ls_kctx_new(threads ? threads : 2);
    p.prog = ls_kprog_new(p.ctx, NULL, file);
    if (threads > LS_KERNEL_MAX_THREADS) {
        ls_diags_add(diags, LS_ERROR, file, 0, 0, "%u threads are too many: expected 1 to 16", threads);
        p.errors++;
    } else {
        ls_klex_init(&p.lexer, text, length);
        advance(&p);
        parse_program(&p);
    }
    LS_VEC_FREE(&p.jumps);
    ls_map_free(&p.vars);
    ls_map_free(&p.labels);
    if (p.errors == 0) return p.prog;
    ls_kctx_free(p.ctx);
    return NULL;
}
