/* Tokens of the kernel language's text form. Names may contain $ and, after the first character, primes, as
 * the paper's I1'. The paper's own signs (≤ ≥ ≠ ∧ ∨ ¬ ⇒ ·) are taken as well as the ASCII ones. */
#include "model/lex.h"

#include <string.h>

static const struct {
    const char *text, *canonical;
} puncts[] = {
    /* longer ones before their beginnings */
    {"==>", "==>"}, {":=", ":="}, {"==", "=="}, {"!=", "!="}, {"<=", "<="}, {">=", ">="}, {"&&", "&&"},
    {"||", "||"},   {"<<", "<<"}, {">>", ">>"}, {"..", ".."}, {"≤", "<="},  {"≥", ">="},  {"≠", "!="},
    {"∧", "&&"},    {"∨", "||"},  {"¬", "!"},   {"⇒", "==>"}, {"·", "*"},   {":", ":"},   {";", ";"},
    {",", ","},     {"(", "("},   {")", ")"},   {"[", "["},   {"]", "]"},   {"{", "{"},   {"}", "}"},
    {"=", "="},     {"<", "<"},   {">", ">"},   {"!", "!"},   {"~", "~"},   {"+", "+"},   {"-", "-"},
    {"*", "*"},     {"/", "/"},   {"%", "%"},   {"&", "&"},   {"|", "|"},   {"^", "^"},   {"?", "?"},
};

void ls_klex_init(ls_klexer *lexer, const char *text, size_t length) {
    *lexer = (ls_klexer){text, text + length, text, 1};
}

static bool name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

static bool starts(const ls_klexer *lexer, const char *text) {
    size_t length = strlen(text);
    return (size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, text, length) == 0;
}

/* Spaces and comments; false where a comment has no end. */
static bool skip_space(ls_klexer *lexer) {
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->line++;
            lexer->line_start = ++lexer->at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lexer->at++;
        } else if (starts(lexer, "//")) {
            while (lexer->at < lexer->end && *lexer->at != '\n') lexer->at++;
        } else if (starts(lexer, "/*")) {
            const char *start = lexer->at;
            for (lexer->at += 2; !starts(lexer, "*/"); lexer->at++) {
                if (lexer->at >= lexer->end) {
                    lexer->at = start;
                    return false;
                }
                if (*lexer->at == '\n') lexer->line++, lexer->line_start = lexer->at + 1;
            }
            lexer->at += 2;
        } else {
            break;
        }
    }
    return true;
}

static void lex_number(ls_klexer *lexer, ls_ktok *token) {
    token->kind = LS_KTOK_NUMBER;
    unsigned base = starts(lexer, "0x") || starts(lexer, "0X") ? 16 : 10;
    if (base == 16) lexer->at += 2;
    const char *first = lexer->at;
    for (; lexer->at < lexer->end; lexer->at++) {
        char c = *lexer->at;
        unsigned value = digit(c)                             ? (unsigned)(c - '0')
                         : base == 16 && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : base == 16 && c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                              : 99;
        if (value >= base) break;
        if (__builtin_mul_overflow(token->number, base, &token->number) ||
            __builtin_add_overflow(token->number, value, &token->number) || token->number > INT64_MAX)
            token->kind = LS_KTOK_BAD, token->complaint = "number is too large";
    }
    if (lexer->at == first) token->kind = LS_KTOK_BAD, token->complaint = "expected digits after '0x'";
    if (lexer->at < lexer->end && name_start(*lexer->at))
        token->kind = LS_KTOK_BAD, token->complaint = "expected a space between a number and a name";
}

static void lex_punct(ls_klexer *lexer, ls_ktok *token) {
    for (size_t i = 0; i < sizeof puncts / sizeof *puncts; i++)
        if (starts(lexer, puncts[i].text)) {
            token->kind = LS_KTOK_PUNCT;
            token->punct = puncts[i].canonical;
            lexer->at += strlen(puncts[i].text);
            return;
        }
    token->kind = LS_KTOK_BAD;
    token->complaint = "unexpected character";
    lexer->at++;
}

ls_ktok ls_klex(ls_klexer *lexer) {
    bool closed = skip_space(lexer);
    ls_ktok token = {
        .text = lexer->at, .line = lexer->line, .column = (uint32_t)(lexer->at - lexer->line_start) + 1};
    if (!closed) {
        token.kind = LS_KTOK_BAD;
        token.complaint = "comment has no end";
        token.column = 0; /* its lines have been counted: the position is that of the end */
        lexer->at = lexer->end;
    } else if (lexer->at >= lexer->end) {
        token.kind = LS_KTOK_END;
    } else if (name_start(*lexer->at)) {
        token.kind = LS_KTOK_NAME;
        while (lexer->at < lexer->end && (name_start(*lexer->at) || digit(*lexer->at) || *lexer->at == '\''))
            lexer->at++;
    } else if (digit(*lexer->at)) {
        lex_number(lexer, &token);
    } else {
        lex_punct(lexer, &token);
    }
    token.length = (uint32_t)(lexer->at - token.text);
    return token;
}
