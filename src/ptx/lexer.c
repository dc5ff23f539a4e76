/* Lexer for PTX (PTX ISA, chapter 4): identifiers, directives, integer and floating-point literals, strings,
 * punctuation; comments in both C styles; lines that start with # are skipped, as after a preprocessor. */
#include "ptx/lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTER (CHAR_IDENT_START | CHAR_IDENT)
const uint8_t ls_ptx_char_class[256] = {
    ['a' ... 'f'] = LETTER | CHAR_HEX,
    ['g' ... 'z'] = LETTER,
    ['A' ... 'F'] = LETTER | CHAR_HEX,
    ['G' ... 'Z'] = LETTER,
    ['0' ... '9'] = CHAR_IDENT | CHAR_DIGIT | CHAR_HEX,
    ['_'] = LETTER,
    ['$'] = LETTER,
    ['%'] = CHAR_IDENT_START,
    [' '] = CHAR_SPACE,
    ['\t'] = CHAR_SPACE,
    ['\r'] = CHAR_SPACE,
    ['\n'] = CHAR_SPACE,
    ['\f'] = CHAR_SPACE,
    ['\v'] = CHAR_SPACE,
};

void lexer_init(lexer *lex, const char *text, size_t length) {
    *lex = (lexer){text, text + length, text, 1};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) lex->next += 3; /* byte order mark */
}

static bool skip_block_comment(lexer *lex) {
    const char *p = lex->next + 2;
    for (;; p++) {
        p = memchr(p, '*', (size_t)(lex->end - p));
        if (!p || p + 1 >= lex->end) return false;
        if (p[1] == '/') break;
    }
    for (const char *q = lex->next; q < p; q++)
        if (*q == '\n') lex->line++, lex->line_start = q + 1;
    lex->next = p + 2;
    return true;
}

static const char *end_of_line(const lexer *lex, const char *p) {
    const char *newline = memchr(p, '\n', (size_t)(lex->end - p));
    return newline ? newline : lex->end;
}

bool lexer_skip_space(lexer *lex) {
    const char *p = lex->next;
    for (;;) {
        while (char_is(*p, CHAR_SPACE)) {
            if (*p == '\n') lex->line++, lex->line_start = p + 1;
            p++;
        }
        if (*p == '/' && p[1] == '/') {
            p = end_of_line(lex, p);
        } else if (*p == '/' && p[1] == '*') {
            lex->next = p;
            if (!skip_block_comment(lex)) return false;
            p = lex->next;
        } else if (*p == '#' && p == lex->line_start) {
            p = end_of_line(lex, p);
        } else {
            lex->next = p;
            return true;
        }
    }
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 32) - 'a' + 10;
}

static bool lex_hex_digits(const char **at, int most, uint64_t *value) {
    const char *p = *at;
    *value = 0;
    int digits = 0;
    while (char_is(*p, CHAR_HEX) && digits < most) *value = *value << 4 | (uint64_t)hex_value(*p++), digits++;
    bool good = digits > 0 && !char_is(*p, CHAR_IDENT);
    *at = p;
    return good;
}

/* A decimal floating-point literal starts with digits and has a point or an exponent. */
static bool is_decimal_float(const char *p) {
    while (char_is(*p, CHAR_DIGIT)) p++;
    if (*p == '.') return char_is(p[1], CHAR_DIGIT) || !char_is(p[1], CHAR_IDENT_START);
    if (*p != 'e' && *p != 'E') return false;
    p++;
    if (*p == '+' || *p == '-') p++;
    return char_is(*p, CHAR_DIGIT);
}

static void lex_decimal_float(token *out, const char **at) {
    char *end;
    double value = strtod(*at, &end);
    memcpy(&out->value, &value, sizeof value);
    out->kind = TOKEN_F64;
    *at = end;
}

static bool lex_digits(const char **at, unsigned base, uint64_t *value) {
    const char *p = *at;
    bool overflow = false;
    *value = 0;
    for (; char_is(*p, CHAR_DIGIT) && (unsigned)(*p - '0') < base; p++)
        overflow |= __builtin_mul_overflow(*value, base, value) ||
                    __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value);
    bool good = p > *at && !overflow;
    *at = p;
    return good;
}

static void lex_number(token *out, const char **at) {
    const char *p = *at;
    bool good = true;
    out->kind = TOKEN_INT;
    if (p[0] == '0' && (p[1] | 32) == 'x') {
        p += 2;
        uint64_t value = 0;
        int digits = 0;
        for (; char_is(*p, CHAR_HEX); p++, digits++) {
            good &= value >> 60 == 0;
            value = value << 4 | (uint64_t)hex_value(*p);
        }
        good &= digits > 0;
        out->value = value;
    } else if (p[0] == '0' && (p[1] | 32) == 'f') {
        p += 2;
        good = lex_hex_digits(&p, 8, &out->value);
        out->kind = TOKEN_F32;
    } else if (p[0] == '0' && (p[1] | 32) == 'd') {
        p += 2;
        good = lex_hex_digits(&p, 16, &out->value);
        out->kind = TOKEN_F64;
    } else if (p[0] == '0' && (p[1] | 32) == 'b' && (p[2] == '0' || p[2] == '1')) {
        p += 2;
        good = lex_digits(&p, 2, &out->value);
    } else if (is_decimal_float(p)) {
        lex_decimal_float(out, &p);
    } else if (p[0] == '0' && char_is(p[1], CHAR_DIGIT)) {
        p++;
        good = lex_digits(&p, 8, &out->value);
    } else {
        good = lex_digits(&p, 10, &out->value);
    }
    if (out->kind == TOKEN_INT) {
        out->is_unsigned = out->value >> 63;
        if (*p == 'U') p++, out->is_unsigned = true;
    }
    if (!good || char_is(*p, CHAR_IDENT)) {
        while (char_is(*p, CHAR_IDENT)) p++;
        out->kind = TOKEN_BAD;
    }
    *at = p;
}

static const char *scan_ident(const char *p) {
    do p++;
    while (char_is(*p, CHAR_IDENT));
    return p;
}

static const char *scan_directive(const char *p) {
    p++;
    for (;;) {
        while (char_is(*p, CHAR_IDENT)) p++;
        if (p[0] != ':' || p[1] != ':') return p;
        p += 2;
    }
}

static void lex_string(lexer *lex, token *out, const char **at) {
    const char *p = *at + 1;
    while (p < lex->end && *p != '"' && *p != '\n') p += *p == '\\' && p + 1 < lex->end ? 2 : 1;
    if (p < lex->end && *p == '"') {
        out->kind = TOKEN_STRING;
        *at = p + 1;
    } else {
        out->kind = TOKEN_BAD;
        *at = p < lex->end ? p : lex->end;
    }
}

static void lex_punct(token *out, const char **at) {
    const char *p = *at;
    out->kind = strchr("(){}[]<>,;:=+-*/%!~&|^?@", *p) ? TOKEN_PUNCT : TOKEN_BAD;
    out->op = (unsigned char)*p;
    bool twin = p[1] == *p && strchr("<>=&|@", *p);
    bool compare = p[1] == '=' && strchr("<>!", *p);
    if (twin || compare) {
        out->op = PUNCT2((unsigned char)p[0], (unsigned char)p[1]);
        p++;
    }
    *at = p + 1;
}

void lexer_next(lexer *lex, token *out) {
    bool good = lexer_skip_space(lex);
    const char *p = lex->next;
    out->start = p;
    out->line = lex->line;
    out->line_start = lex->line_start;
    out->op = 0;
    if (!good) {
        out->kind = TOKEN_BAD;
        p = lex->end;
    } else if (p >= lex->end) {
        out->kind = TOKEN_END;
    } else if (*p == '%' ? char_is(p[1], CHAR_IDENT) : char_is(*p, CHAR_IDENT_START)) {
        out->kind = TOKEN_IDENT;
        p = scan_ident(p);
    } else if (char_is(*p, CHAR_DIGIT)) {
        lex_number(out, &p);
    } else if (*p == '.' && char_is(p[1], CHAR_DIGIT) && !char_is(p[2], CHAR_IDENT_START)) {
        lex_decimal_float(out, &p);
    } else if (*p == '.') {
        p = scan_directive(p);
        out->kind = p - out->start > 1 ? TOKEN_DIRECTIVE : TOKEN_BAD;
    } else if (*p == '"') {
        lex_string(lex, out, &p);
    } else {
        lex_punct(out, &p);
    }
    out->length = (uint32_t)(p - out->start);
    lex->next = p;
}

const char *token_describe(const token *tok, char *buffer, size_t size) {
    int shown = tok->length > 40 ? 40 : (int)tok->length;
    unsigned char first = (unsigned char)*tok->start;
    if (tok->kind == TOKEN_END)
        snprintf(buffer, size, "the end of the file");
    else if (tok->kind == TOKEN_BAD && (first < 32 || first > 126))
        snprintf(buffer, size, "the byte 0x%02x", first);
    else if (tok->kind == TOKEN_BAD && strncmp(tok->start, "/*", 2) == 0)
        snprintf(buffer, size, "a comment without its end");
    else if (tok->kind == TOKEN_BAD && first == '"')
        snprintf(buffer, size, "a string without its end");
    else
        snprintf(buffer, size, "'%.*s%s'", shown, tok->start, tok->length > 40 ? "…" : "");
    return buffer;
}
