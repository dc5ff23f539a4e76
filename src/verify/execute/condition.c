/* The language of conditions from outside: C's integer expressions over the launch (CUDA's and OpenCL's
 * names), scalar parameters and numbers. Precedence climbing over one table of operators; every error has its
 * column and says what was expected. */
#include "verify/execute/condition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 200, MOST_NODES = 2000 };

typedef struct {
    ls_arena *arena;
    ls_diags *diags;
    const char *text, *at;
    uint32_t depth, nodes;
    bool failed;
} parser;

static const ls_condition *parse_operation(parser *p, int least);

/* --- Pieces ----------------------------------------------------------------------------------------------
 */

static void skip_space(parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static uint32_t column(const parser *p) {
    return (uint32_t)(p->at - p->text) + 1;
}

static const ls_condition *fail(parser *p, const char *expected) {
    if (!p->failed) {
        if (*p->at)
            ls_diags_add(p->diags, LS_ERROR, p->text, 1, column(p), "expected %s before '%.20s'", expected,
                         p->at);
        else
            ls_diags_add(p->diags, LS_ERROR, p->text, 1, column(p), "expected %s at the end", expected);
    }
    p->failed = true;
    return NULL;
}

static ls_condition *node(parser *p, ls_condition_op op, uint32_t at) {
    ls_condition *n = LS_NEW(p->arena, ls_condition);
    *n = (ls_condition){.op = op, .column = at};
    return n;
}

static bool take(parser *p, const char *token) {
    skip_space(p);
    if (strncmp(p->at, token, strlen(token)) != 0) return false;
    p->at += strlen(token);
    return true;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* --- Names -----------------------------------------------------------------------------------------------
 */

/* What the launch's sizes and indices are called; with an axis in brackets in OpenCL. */
static const struct {
    const char *name;
    bool opencl;
    ls_condition_launch launch;
} launch_names[] = {
    {"blockDim", false, LS_LAUNCH_BLOCK_DIM},         {"gridDim", false, LS_LAUNCH_GRID_DIM},
    {"threadIdx", false, LS_LAUNCH_THREAD},           {"blockIdx", false, LS_LAUNCH_BLOCK},
    {"get_local_size", true, LS_LAUNCH_BLOCK_DIM},    {"get_num_groups", true, LS_LAUNCH_GRID_DIM},
    {"get_local_id", true, LS_LAUNCH_THREAD},         {"get_group_id", true, LS_LAUNCH_BLOCK},
    {"get_global_size", true, LS_LAUNCH_GLOBAL_SIZE}, {"get_global_id", true, LS_LAUNCH_GLOBAL_ID},
};

static const ls_condition *launch_value(parser *p, bool opencl, ls_condition_launch launch, uint32_t at) {
    ls_condition *n = node(p, LS_COND_LAUNCH, at);
    n->launch = launch;
    if (opencl && !take(p, "(")) return fail(p, "'(' and a dimension");
    if (!opencl && !take(p, ".")) return fail(p, "'.x', '.y' or '.z'");
    skip_space(p);
    char first = opencl ? '0' : 'x';
    if (*p->at < first || *p->at > first + 2 || is_name(p->at[1]))
        return fail(p, opencl ? "0, 1 or 2" : "'x', 'y' or 'z'");
    n->axis = (uint32_t)(*p->at++ - first);
    if (opencl && !take(p, ")")) return fail(p, "')'");
    return n;
}

static const ls_condition *parse_name(parser *p) {
    const char *start = p->at;
    uint32_t at = column(p);
    while (is_name(*p->at)) p->at++;
    size_t length = (size_t)(p->at - start);
    for (size_t i = 0; i < sizeof launch_names / sizeof *launch_names; i++)
        if (strlen(launch_names[i].name) == length && !strncmp(launch_names[i].name, start, length))
            return launch_value(p, launch_names[i].opencl, launch_names[i].launch, at);
    ls_condition *n = node(p, LS_COND_PARAMETER, at);
    n->name = ls_arena_strndup(p->arena, start, length);
    n->origin = ls_origin_of(n->name);
    if (strcmp(n->name, "unsigned") != 0) return n;
    n->op = LS_COND_UNSIGNED; /* unsigned(n): the parameter as an unsigned number */
    if (!take(p, "(")) return fail(p, "'(' and a parameter");
    skip_space(p);
    const ls_condition *inner = is_name(*p->at) && !isdigit((unsigned char)*p->at) ? parse_name(p) : NULL;
    if (p->failed) return NULL;
    if (!inner || inner->op != LS_COND_PARAMETER) return fail(p, "a parameter");
    n->name = inner->name;
    n->origin = inner->origin;
    return take(p, ")") ? n : fail(p, "')'");
}

static const ls_condition *parse_number(parser *p) {
    ls_condition *n = node(p, LS_COND_NUMBER, column(p));
    int base = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X') ? 16 : 10;
    const char *digits = p->at + (base == 16 ? 2 : 0);
    uint64_t value = 0;
    const char *at = digits;
    for (; isxdigit((unsigned char)*at); at++) {
        int digit = isdigit((unsigned char)*at) ? *at - '0' : tolower((unsigned char)*at) - 'a' + 10;
        if (digit >= base) break;
        if (value > (INT64_MAX - (uint64_t)digit) / (uint64_t)base) return fail(p, "a number below 2^63");
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    if (at == digits) return fail(p, "a number");
    while (*at == 'u' || *at == 'U' || *at == 'l' || *at == 'L') at++;
    if (is_name(*at)) return fail(p, "a number");
    n->value = (int64_t)value;
    p->at = at;
    return n;
}

/* --- Operators -------------------------------------------------------------------------------------------
 */

static const struct {
    const char *token;
    ls_condition_op op;
    int level; /* the higher, the tighter */
} operators[] = {
    {"||", LS_COND_OR, 1},     {"&&", LS_COND_AND, 2}, {"==", LS_COND_EQ, 6},    {"!=", LS_COND_NE, 6},
    {"<<", LS_COND_SHL, 8},    {">>", LS_COND_SHR, 8}, {"<=", LS_COND_LE, 7},    {">=", LS_COND_GE, 7},
    {"<", LS_COND_LT, 7},      {">", LS_COND_GT, 7},   {"|", LS_COND_BIT_OR, 3}, {"^", LS_COND_BIT_XOR, 4},
    {"&", LS_COND_BIT_AND, 5}, {"+", LS_COND_ADD, 9},  {"-", LS_COND_SUB, 9},    {"*", LS_COND_MUL, 10},
    {"/", LS_COND_DIV, 10},    {"%", LS_COND_REM, 10},
};

static const struct {
    char token;
    ls_condition_op op;
} prefixes[] = {{'-', LS_COND_MINUS}, {'~', LS_COND_COMPLEMENT}, {'!', LS_COND_NOT}};

static const ls_condition *parse_operand(parser *p) {
    skip_space(p);
    uint32_t at = column(p);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (*p->at != prefixes[i].token) continue;
        p->at++;
        if (++p->depth > MOST_DEPTH) return fail(p, "less nesting");
        ls_condition *n = node(p, prefixes[i].op, at);
        n->args[0] = parse_operand(p);
        p->depth--;
        return n->args[0] ? n : NULL;
    }
    if (take(p, "(")) {
        if (++p->depth > MOST_DEPTH) return fail(p, "less nesting");
        const ls_condition *inner = parse_operation(p, 1);
        p->depth--;
        if (!inner) return NULL;
        return take(p, ")") ? inner : fail(p, "')' or an operator");
    }
    if (isdigit((unsigned char)*p->at)) return parse_number(p);
    if (is_name(*p->at)) return parse_name(p);
    return fail(p, "a number, a parameter, a size of the launch or '('");
}

const char *ls_condition_operator(ls_condition_op op, int *level) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].op == op) {
            *level = operators[i].level;
            return operators[i].token;
        }
    return NULL;
}

const char *ls_condition_launch_name(const ls_condition *c) {
    for (size_t i = 0; i < sizeof launch_names / sizeof *launch_names; i++)
        if (launch_names[i].launch == c->launch) return launch_names[i].name;
    return "";
}

static int find_operator(parser *p) {
    skip_space(p);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strncmp(p->at, operators[i].token, strlen(operators[i].token))) return (int)i;
    return -1;
}

static const ls_condition *parse_operation(parser *p, int least) {
    const ls_condition *left = parse_operand(p);
    while (left) {
        int i = find_operator(p);
        if (i < 0 || operators[i].level < least) break;
        if (++p->nodes > MOST_NODES) return fail(p, "a shorter condition");
        ls_condition *n = node(p, operators[i].op, column(p));
        p->at += strlen(operators[i].token);
        n->args[0] = left;
        n->args[1] = parse_operation(p, operators[i].level + 1);
        left = n->args[1] ? n : NULL;
    }
    return left;
}

const ls_condition *ls_condition_parse(ls_arena *arena, const char *text, ls_diags *diags) {
    parser p = {.arena = arena, .diags = diags, .text = text, .at = text};
    const ls_condition *c = parse_operation(&p, 1);
    if (!c) return NULL;
    skip_space(&p);
    return *p.at ? fail(&p, "an operator or the end") : c;
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

/* What an operator gives for two numbers; false where it gives none. */
static bool apply(ls_condition_op op, int64_t a, int64_t b, int64_t *value) {
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    bool shifts = ub < 64, divides = b != 0 && !(a == INT64_MIN && b == -1);
    switch (op) {
    case LS_COND_MINUS: return *value = (int64_t)(0 - ua), true;
    case LS_COND_COMPLEMENT: return *value = ~a, true;
    case LS_COND_NOT: return *value = !a, true;
    case LS_COND_MUL: return *value = (int64_t)(ua * ub), true;
    case LS_COND_DIV: return divides ? *value = a / b, true : false;
    case LS_COND_REM: return divides ? *value = a % b, true : false;
    case LS_COND_ADD: return *value = (int64_t)(ua + ub), true;
    case LS_COND_SUB: return *value = (int64_t)(ua - ub), true;
    case LS_COND_SHL: return *value = shifts ? (int64_t)(ua << ub) : 0, true;
    case LS_COND_SHR: return *value = a >> (shifts ? ub : 63), true;
    case LS_COND_LT: return *value = a < b, true;
    case LS_COND_LE: return *value = a <= b, true;
    case LS_COND_GT: return *value = a > b, true;
    case LS_COND_GE: return *value = a >= b, true;
    case LS_COND_EQ: return *value = a == b, true;
    case LS_COND_NE: return *value = a != b, true;
    case LS_COND_BIT_AND: return *value = a & b, true;
    case LS_COND_BIT_XOR: return *value = a ^ b, true;
    case LS_COND_BIT_OR: return *value = a | b, true;
    case LS_COND_AND: return *value = a && b, true;
    case LS_COND_OR: return *value = a || b, true;
    default: return false;
    }
}

bool ls_condition_value(const ls_condition *c, ls_condition_leaf leaf, void *data, int64_t *value) {
    int64_t a = 0, b = 0;
    if (c->op == LS_COND_NUMBER) return *value = c->value, true;
    if (!c->args[0]) return leaf && leaf(data, c, value);
    bool one = ls_condition_value(c->args[0], leaf, data, &a);
    bool two = !c->args[1] || ls_condition_value(c->args[1], leaf, data, &b);
    bool decides = c->op == LS_COND_AND ? (one && !a) || (two && !b) : (one && a) || (two && b);
    if ((c->op == LS_COND_AND || c->op == LS_COND_OR) && decides) return *value = c->op == LS_COND_OR, true;
    return one && two && apply(c->op, a, b, value);
}

bool ls_condition_constant(const ls_condition *c, int64_t *value) {
    return ls_condition_value(c, NULL, NULL, value);
}
