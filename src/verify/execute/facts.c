/* What the program says of a launch names parameters by their number, and the host's values by a number and,
 * where there is one, their name (facts.h): here parameters are found, and conditions written as people
 * would, under the names that the source has. */
#include "verify/execute/facts.h"
#include "base/recover.h"
#include "verify/execute/condition.h"

#include <string.h>

bool ls_fact_is_parameter(const ls_ptx_function *kernel, const ls_origin *name) {
    return name->kind == LS_ORIGIN_ARGUMENT && name->count == kernel->param_count &&
           name->index < name->count;
}

bool ls_fact_is_counter(const char *fact) {
    return strstr(fact, " >= (") && !strstr(fact, "&&");
}

bool ls_fact_is_given(const char *fact) {
    static const char equals[] = " == ";
    const char *at = strstr(fact, equals);
    size_t length = at ? (size_t)(at - fact) : 0;
    return at && strlen(fact) == 2 * length + strlen(equals) && !strncmp(fact, at + strlen(equals), length);
}

size_t ls_fact_name_length(const char *text) {
    ls_origin origin = ls_origin_of(text);
    return origin.kind == LS_ORIGIN_HOST ? origin.length : 0;
}

/* --- For people to read ----------------------------------------------------------------------------------
 */

typedef struct {
    const ls_ptx_function *kernel;
    const ls_verify_options *options;
    ls_buf *out;
} printer;

static const char *parameter_name(const printer *p, uint32_t i) {
    const char *own = i < p->options->parameter_count ? p->options->parameters[i] : NULL;
    return own ? own : p->kernel->params[i]->symbol->name;
}

/* A member by its name in the source, where that is known. */
static void print_parameter(const printer *p, const ls_origin *origin) {
    const ls_parameter_range *all = p->options->ranges ? &p->options->ranges[origin->index] : NULL;
    ls_buf_puts(p->out, parameter_name(p, origin->index));
    for (uint32_t i = 0; all && origin->is_member && i < all->member_count; i++)
        if (all->members[i].offset == origin->at) {
            ls_buf_printf(p->out, ".%s", all->members[i].name);
            return;
        }
    if (origin->is_member && origin->at) ls_buf_printf(p->out, "+%u", origin->at);
}

/* The host's own word for a value, apart from parameters of the kernel that are called so, too. */
static void print_name(const printer *p, const ls_condition *c) {
    const char *word = c->origin.word;
    bool is_taken = false;
    for (uint32_t i = 0; word && i < p->kernel->param_count; i++)
        is_taken |= !strcmp(parameter_name(p, i), word);
    if (ls_fact_is_parameter(p->kernel, &c->origin))
        print_parameter(p, &c->origin);
    else if (word)
        ls_buf_printf(p->out, "%s%s", is_taken ? "host::" : "", word);
    else
        ls_buf_puts(p->out, c->name);
}

enum { TIGHTEST = 11 };

static void print(const printer *p, const ls_condition *c, int least);

static bool is_number(const ls_condition *c, int64_t value) {
    return c->op == LS_COND_NUMBER && c->value == value;
}

static bool is_same(const ls_condition *a, const ls_condition *b) {
    if (!a || !b) return a == b;
    bool named = a->op == LS_COND_PARAMETER || a->op == LS_COND_UNSIGNED;
    return a->op == b->op && a->value == b->value && a->launch == b->launch && a->axis == b->axis &&
           (!named || !strcmp(a->name, b->name)) && is_same(a->args[0], b->args[0]) &&
           is_same(a->args[1], b->args[1]);
}

/* x << 32 >> 32 is how the low bits of a number are written, and x & 0xffffffff. */
static bool print_part(const printer *p, const ls_condition *c) {
    static const struct {
        int bits;
        const char *name;
    } types[] = {{32, "int"}, {48, "short"}, {56, "char"}};
    const ls_condition *inner = c->args[0];
    const char *name = c->op == LS_COND_BIT_AND && is_number(c->args[1], UINT32_MAX) ? "unsigned" : NULL;
    bool shifts = c->op == LS_COND_SHR && inner->op == LS_COND_SHL && is_same(c->args[1], inner->args[1]);
    for (size_t i = 0; shifts && i < sizeof types / sizeof *types; i++)
        if (is_number(c->args[1], types[i].bits)) name = types[i].name;
    if (!name) return false;
    ls_buf_printf(p->out, "%s(", name);
    print(p, shifts ? inner->args[0] : inner, 0);
    ls_buf_puts(p->out, ")");
    return true;
}

static ls_condition_op opposite(ls_condition_op op) {
    switch (op) {
    case LS_COND_LT: return LS_COND_GE;
    case LS_COND_GE: return LS_COND_LT;
    case LS_COND_GT: return LS_COND_LE;
    case LS_COND_LE: return LS_COND_GT;
    case LS_COND_EQ: return LS_COND_NE;
    case LS_COND_NE: return LS_COND_EQ;
    default: return LS_COND_NOT;
    }
}

static bool is_opposite(const ls_condition *a, const ls_condition *b) {
    if (a->op == LS_COND_NOT) return is_same(a->args[0], b);
    return opposite(a->op) == b->op && is_same(a->args[0], b->args[0]) && is_same(a->args[1], b->args[1]);
}

/* (c && x == a) || (!c && x == b) */
static bool print_choice(const printer *p, const ls_condition *c, int least) {
    const ls_condition *yes = c->args[0], *no = c->args[1];
    if (c->op != LS_COND_OR || yes->op != LS_COND_AND || no->op != LS_COND_AND) return false;
    const ls_condition *one = yes->args[1], *two = no->args[1];
    if (!is_opposite(no->args[0], yes->args[0])) return false;
    if (one->op != LS_COND_EQ || two->op != LS_COND_EQ || !is_same(one->args[0], two->args[0])) return false;
    if (least > 0) ls_buf_puts(p->out, "(");
    print(p, one->args[0], 7);
    ls_buf_puts(p->out, " == (");
    print(p, yes->args[0], 1);
    ls_buf_puts(p->out, " ? ");
    print(p, one->args[1], 1);
    ls_buf_puts(p->out, " : ");
    print(p, two->args[1], 1);
    ls_buf_puts(p->out, least > 0 ? "))" : ")");
    return true;
}

static void print_prefix(const printer *p, const ls_condition *c, int least) {
    ls_condition_op turned = c->op == LS_COND_NOT ? opposite(c->args[0]->op) : LS_COND_NOT;
    if (turned != LS_COND_NOT) {
        ls_condition other = *c->args[0];
        other.op = turned;
        print(p, &other, least);
        return;
    }
    ls_buf_puts(p->out, c->op == LS_COND_NOT ? "!" : c->op == LS_COND_MINUS ? "-" : "~");
    print(p, c->args[0], TIGHTEST);
}

static void print(const printer *p, const ls_condition *c, int least) {
    int level;
    const char *token = ls_condition_operator(c->op, &level);
    if (c->op == LS_COND_NUMBER) {
        ls_buf_printf(p->out, "%lld", (long long)c->value);
    } else if (c->op == LS_COND_PARAMETER || c->op == LS_COND_UNSIGNED) {
        if (c->op == LS_COND_UNSIGNED) ls_buf_puts(p->out, "unsigned(");
        print_name(p, c);
        if (c->op == LS_COND_UNSIGNED) ls_buf_puts(p->out, ")");
    } else if (c->op == LS_COND_LAUNCH) {
        ls_buf_printf(p->out, "%s.%c", ls_condition_launch_name(c), "xyz"[c->axis]);
    } else if (!token) {
        print_prefix(p, c, least);
    } else if (!print_part(p, c) && !print_choice(p, c, least)) {
        bool obscure = (level >= 3 && level <= 5) || level == 8; /* bits and shifts bind as few people know */
        if (level < least) ls_buf_puts(p->out, "(");
        print(p, c->args[0], obscure ? TIGHTEST : level);
        ls_buf_printf(p->out, " %s ", token);
        print(p, c->args[1], obscure ? TIGHTEST : level + 1);
        if (level < least) ls_buf_puts(p->out, ")");
    }
}

void ls_fact_show(const ls_ptx_function *kernel, const ls_verify_options *options, const char *fact,
                  ls_buf *out) {
    ls_arena arena;
    ls_arena_open(&arena);
    ls_diags *ignored = ls_diags_new();
    const ls_condition *c = ls_condition_parse(&arena, fact, ignored);
    ls_diags_free(ignored);
    if (c)
        print(&(printer){kernel, options, out}, c, 0);
    else
        ls_buf_puts(out, fact);
    ls_arena_close(&arena);
}
