/* Operands: registers and their elements, symbols with offsets, constants, { vectors }, [ addresses ],
 * pairs a|b, ( call lists ), and the initialisers of variables, which are made of the same parts. */
#include "ptx/parser.h"

#include <ctype.h>

/* Operand lists are built on a stack and copied to the arena when their end, and so their size, is known. */
ls_ptx_operand *copy_operands(parser *p, uint32_t from) {
    uint32_t count = p->operands.length - from;
    p->operands.length = from;
    if (!count) return NULL;
    ls_ptx_operand *copy = ls_arena_alloc(p->arena, count * sizeof *copy);
    memcpy(copy, p->operands.items + from, count * sizeof *copy);
    return copy;
}

static void parse_operand(parser *p, bool calls, ls_ptx_operand *out);

static void parse_group(parser *p, uint32_t close, ls_ptx_operand_kind kind, ls_ptx_operand *out) {
    enter_nesting(p);
    take(p);
    uint32_t from = p->operands.length;
    while (!at_punct(p, close)) {
        ls_ptx_operand part;
        parse_operand(p, false, &part);
        LS_VEC_PUSH(&p->operands, part);
        if (!accept(p, ',')) break;
    }
    expect(p, close);
    out->kind = (uint8_t)kind;
    out->count = p->operands.length - from;
    out->parts = copy_operands(p, from);
    leave_nesting(p);
}

/* .x .y .z .w, the same as .r .g .b .a, and the byte and half selections of the video instructions. */
static void parse_element(parser *p, ls_ptx_operand *out) {
    const char *text = p->tok.start + 1;
    uint32_t length = p->tok.length - 1;
    static const char letters[] = "xyzwrgba";
    const char *letter = length == 1 ? strchr(letters, text[0]) : NULL;
    if (letter && *letter) {
        out->element = (uint8_t)(LS_ELEMENT_X + (letter - letters) % 4);
    } else if ((text[0] == 'b' || text[0] == 'h') && length >= 2 && length <= 5) {
        uint32_t digits = 0;
        for (uint32_t i = 1; i < length; i++) {
            if (text[i] < '0' || text[i] > '7') fail_expected(p, "an element such as .x, .b0 or .h1");
            digits = digits * 8 + (uint32_t)(text[i] - '0');
        }
        if (length == 2 && text[0] == 'b' && digits < 4)
            out->element = (uint8_t)(LS_ELEMENT_B0 + digits);
        else if (length == 2 && text[0] == 'h' && digits < 2)
            out->element = (uint8_t)(LS_ELEMENT_H0 + digits);
        else {
            out->element = LS_ELEMENT_SELECT;
            out->select_digits = (uint8_t)(length - 1);
            out->offset = (int64_t)(digits | (text[0] == 'h' ? 1u << 31 : 0));
        }
    } else {
        fail_expected(p, "an element such as .x, .b0 or .h1");
    }
    take(p);
}

static void parse_offset(parser *p, ls_ptx_operand *out) {
    bool negative = at_punct(p, '-');
    take(p);
    constant value = parse_constant(p);
    out->offset = (int64_t)(negative ? -value.value : value.value);
    out->flags |= LS_OPERAND_HAS_OFFSET;
}

/* array[3]: the address of that element. */
static void parse_index(parser *p, ls_ptx_operand *out) {
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)out->symbol->type) / 8 * out->symbol->vector;
    take(p);
    constant value = parse_constant(p);
    expect(p, ']');
    out->offset = (int64_t)(value.value * (bytes ? bytes : 1));
    out->flags |= LS_OPERAND_HAS_OFFSET;
}

static void parse_named(parser *p, ls_ptx_operand *out) {
    if (p->tok.length == 1 && p->tok.start[0] == '_') {
        out->kind = LS_OPERAND_SINK;
        take(p);
        return;
    }
    ls_ptx_symbol *symbol = look_up(p, &p->tok);
    bool is_register = symbol->kind == LS_SYMBOL_REGISTER || symbol->kind == LS_SYMBOL_SPECIAL;
    out->kind = is_register ? LS_OPERAND_REGISTER : LS_OPERAND_SYMBOL;
    out->symbol = symbol;
    take(p);
    if (p->tok.kind == TOKEN_DIRECTIVE) parse_element(p, out);
    if (at_punct(p, '[') && symbol->kind == LS_SYMBOL_VARIABLE)
        parse_index(p, out);
    else if (at_punct(p, '+') || at_punct(p, '-'))
        parse_offset(p, out);
}

static void parse_number(parser *p, ls_ptx_operand *out) {
    bool negative = false;
    if (at_punct(p, '-')) { /* a negated name or float; a negated integer belongs to its expression */
        lexer ahead = p->lex;
        token next;
        lexer_next(&ahead, &next);
        if (next.kind == TOKEN_IDENT && !token_is(&next, "WARP_SZ")) {
            take(p);
            parse_named(p, out);
            out->flags |= LS_OPERAND_MINUS;
            return;
        }
        if (next.kind == TOKEN_F32 || next.kind == TOKEN_F64) {
            negative = true;
            take(p);
        }
    }
    if (p->tok.kind == TOKEN_F32 || p->tok.kind == TOKEN_F64) {
        bool is_single = p->tok.kind == TOKEN_F32;
        out->kind = is_single ? LS_OPERAND_F32 : LS_OPERAND_F64;
        out->value = p->tok.value ^ (negative ? UINT64_C(1) << (is_single ? 31 : 63) : 0);
        take(p);
        return;
    }
    constant value = parse_constant(p);
    out->kind = LS_OPERAND_INT;
    out->value = value.value;
    if (value.is_unsigned) out->flags |= LS_OPERAND_UNSIGNED;
}

static void parse_plain(parser *p, bool calls, ls_ptx_operand *out) {
    memset(out, 0, sizeof *out);
    if (accept(p, '!')) {
        if (p->tok.kind == TOKEN_INT) {
            parse_number(p, out);
            out->value = !out->value;
            return;
        }
        if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a predicate");
        parse_named(p, out);
        out->flags |= LS_OPERAND_NOT;
    } else if (p->tok.kind == TOKEN_IDENT && !token_is(&p->tok, "WARP_SZ")) {
        parse_named(p, out);
    } else if (at_punct(p, '{')) {
        parse_group(p, '}', LS_OPERAND_VECTOR, out);
    } else if (at_punct(p, '[')) {
        parse_group(p, ']', LS_OPERAND_ADDRESS, out);
        if (out->count == 0) fail_expected(p, "an address");
    } else if (calls && at_punct(p, '(')) {
        parse_group(p, ')', LS_OPERAND_LIST, out);
    } else if (p->tok.kind == TOKEN_PUNCT || p->tok.kind == TOKEN_INT || p->tok.kind == TOKEN_F32 ||
               p->tok.kind == TOKEN_F64 || p->tok.kind == TOKEN_IDENT) {
        parse_number(p, out);
    } else {
        fail_expected(p, "an operand");
    }
}

static void parse_operand(parser *p, bool calls, ls_ptx_operand *out) {
    parse_plain(p, calls, out);
    bool can_pair =
        out->kind == LS_OPERAND_REGISTER || out->kind == LS_OPERAND_VECTOR || out->kind == LS_OPERAND_SINK;
    if (!can_pair || !accept(p, '|')) return;
    ls_ptx_operand *parts = ls_arena_alloc(p->arena, 2 * sizeof *parts);
    parts[0] = *out;
    parse_plain(p, false, &parts[1]);
    memset(out, 0, sizeof *out);
    out->kind = LS_OPERAND_PAIR;
    out->count = 2;
    out->parts = parts;
}

uint32_t parse_operand_list(parser *p, bool calls, ls_ptx_operand **out) {
    uint32_t from = p->operands.length;
    *out = NULL;
    if (at_punct(p, ';')) return 0;
    do {
        ls_ptx_operand operand;
        parse_operand(p, calls, &operand);
        LS_VEC_PUSH(&p->operands, operand);
    } while (accept(p, ','));
    uint32_t count = p->operands.length - from;
    *out = copy_operands(p, from);
    return count;
}

/* generic(symbol) and 0xFF00(symbol): addresses in initialisers. */
static bool parse_wrapped_symbol(parser *p, ls_ptx_operand *out) {
    lexer ahead = p->lex;
    token next;
    lexer_next(&ahead, &next);
    if (next.kind != TOKEN_PUNCT || next.op != '(') return false;
    if (p->tok.kind == TOKEN_IDENT && token_is(&p->tok, "generic")) {
        out->flags |= LS_OPERAND_GENERIC;
    } else if (p->tok.kind == TOKEN_INT) {
        out->flags |= LS_OPERAND_MASKED;
        uint64_t mask = p->tok.value;
        while (mask && (mask & 0xff) == 0) mask >>= 8, out->element++;
        if (mask != 0xff) fail_expected(p, "a mask of one byte, such as 0xFF00");
    } else {
        return false;
    }
    take(p);
    take(p);
    uint8_t flags = out->flags, element = out->element;
    if (p->tok.kind == TOKEN_IDENT && token_is(&p->tok, "generic")) { /* 0xFF(generic(symbol)) */
        take(p);
        expect(p, '(');
        flags |= LS_OPERAND_GENERIC;
        if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a variable or function");
        parse_named(p, out);
        expect(p, ')');
        if (at_punct(p, '+') || at_punct(p, '-')) parse_offset(p, out);
    } else {
        if (p->tok.kind != TOKEN_IDENT) fail_expected(p, "a variable or function");
        parse_named(p, out);
    }
    out->flags |= flags;
    out->element = element;
    expect(p, ')');
    if (at_punct(p, '+') || at_punct(p, '-')) parse_offset(p, out);
    return true;
}

void parse_initializer(parser *p, ls_ptx_operand *out) {
    memset(out, 0, sizeof *out);
    if (p->tok.kind == TOKEN_STRING) {
        out->kind = LS_OPERAND_STRING;
        out->count = p->tok.length;
        out->text = copy_text(p, p->tok.start, p->tok.start + p->tok.length);
        take(p);
    } else if (at_punct(p, '{')) {
        enter_nesting(p);
        take(p);
        uint32_t from = p->operands.length;
        while (!at_punct(p, '}')) {
            ls_ptx_operand part;
            parse_initializer(p, &part);
            LS_VEC_PUSH(&p->operands, part);
            if (!accept(p, ',')) break;
        }
        expect(p, '}');
        out->kind = LS_OPERAND_VECTOR;
        out->count = p->operands.length - from;
        out->parts = copy_operands(p, from);
        leave_nesting(p);
    } else if (!parse_wrapped_symbol(p, out)) {
        parse_plain(p, false, out);
    }
}
