/* Constant expressions (PTX ISA, 4.5): 64-bit signed and unsigned integers with C's operators, evaluated as
 * they are read. Precedence climbing; depth is limited, so no input can exhaust the stack. */
#include "ptx/parser.h"

static const struct {
    uint32_t op;
    int level;
} operators[] = {
    {PUNCT2('|', '|'), 1},
    {PUNCT2('&', '&'), 2},
    {'|', 3},
    {'^', 4},
    {'&', 5},
    {PUNCT2('=', '='), 6},
    {PUNCT2('!', '='), 6},
    {'<', 7},
    {'>', 7},
    {PUNCT2('<', '='), 7},
    {PUNCT2('>', '='), 7},
    {PUNCT2('<', '<'), 8},
    {PUNCT2('>', '>'), 8},
    {'+', 9},
    {'-', 9},
    {'*', 10},
    {'/', 10},
    {'%', 10},
};

static int level_of(const parser *p) {
    if (p->tok.kind != TOKEN_PUNCT) return 0;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].op == p->tok.op) return operators[i].level;
    return 0;
}

static constant boolean(bool value) {
    return (constant){value, false};
}

static constant divide(parser *p, uint32_t op, constant a, constant b, bool is_unsigned) {
    if (b.value == 0) fail_expected(p, "a divisor other than zero");
    uint64_t value;
    if (is_unsigned)
        value = op == '/' ? a.value / b.value : a.value % b.value;
    else if ((int64_t)b.value == -1) /* the one signed division that overflows */
        value = op == '/' ? -a.value : 0;
    else
        value =
            (uint64_t)(op == '/' ? (int64_t)a.value / (int64_t)b.value : (int64_t)a.value % (int64_t)b.value);
    return (constant){value, is_unsigned};
}

static constant combine(parser *p, uint32_t op, constant a, constant b) {
    bool u = a.is_unsigned || b.is_unsigned;
    int64_t sa = (int64_t)a.value, sb = (int64_t)b.value;
    switch (op) {
    case PUNCT2('|', '|'): return boolean(a.value || b.value);
    case PUNCT2('&', '&'): return boolean(a.value && b.value);
    case PUNCT2('=', '='): return boolean(a.value == b.value);
    case PUNCT2('!', '='): return boolean(a.value != b.value);
    case '<': return boolean(u ? a.value < b.value : sa < sb);
    case '>': return boolean(u ? a.value > b.value : sa > sb);
    case PUNCT2('<', '='): return boolean(u ? a.value <= b.value : sa <= sb);
    case PUNCT2('>', '='): return boolean(u ? a.value >= b.value : sa >= sb);
    case PUNCT2('<', '<'): return (constant){b.value < 64 ? a.value << b.value : 0, a.is_unsigned};
    case PUNCT2('>', '>'):
        if (a.is_unsigned) return (constant){b.value < 64 ? a.value >> b.value : 0, true};
        return (constant){(uint64_t)(sa >> (b.value < 64 ? b.value : 63)), false};
    case '|': return (constant){a.value | b.value, u};
    case '^': return (constant){a.value ^ b.value, u};
    case '&': return (constant){a.value & b.value, u};
    case '+': return (constant){a.value + b.value, u};
    case '-': return (constant){a.value - b.value, u};
    case '*': return (constant){a.value * b.value, u};
    default: return divide(p, op, a, b, u);
    }
}

static constant parse_level(parser *p, int least);

static constant parse_unary(parser *p) {
    constant value;
    enter_nesting(p);
    if (p->tok.kind == TOKEN_INT) {
        value = (constant){p->tok.value, p->tok.is_unsigned};
        take(p);
    } else if (p->tok.kind == TOKEN_IDENT && token_is(&p->tok, "WARP_SZ")) {
        value = (constant){32, false};
        take(p);
    } else if (accept(p, '-')) {
        value = parse_unary(p);
        value.value = -value.value;
        value.is_unsigned = false;
    } else if (accept(p, '+')) {
        value = parse_unary(p);
    } else if (accept(p, '~')) {
        value = parse_unary(p);
        value.value = ~value.value;
    } else if (accept(p, '!')) {
        value = boolean(!parse_unary(p).value);
    } else if (accept(p, '(')) {
        bool to_signed = at_directive(p, ".s64"), to_unsigned = at_directive(p, ".u64");
        if (to_signed || to_unsigned) {
            take(p);
            expect(p, ')');
            value = parse_unary(p);
            value.is_unsigned = to_unsigned;
        } else {
            value = parse_constant(p);
            expect(p, ')');
        }
    } else {
        fail_expected(p, "a constant");
    }
    leave_nesting(p);
    return value;
}

static constant parse_level(parser *p, int least) {
    constant left = parse_unary(p);
    for (int level; (level = level_of(p)) >= least && level;) {
        uint32_t op = p->tok.op;
        take(p);
        left = combine(p, op, left, parse_level(p, level + 1));
    }
    return left;
}

constant parse_constant(parser *p) {
    constant value = parse_level(p, 1);
    if (!accept(p, '?')) return value;
    enter_nesting(p);
    constant yes = parse_constant(p);
    expect(p, ':');
    constant no = parse_constant(p);
    leave_nesting(p);
    return value.value ? yes : no;
}
