/* Lexer for PTX: tokens on demand, with line and column. The text must end with a NUL byte. */
#ifndef LS_PTX_LEXER_H
#define LS_PTX_LEXER_H

#include "lockstep/ptx.h"

typedef enum {
    TOKEN_END,
    TOKEN_IDENT,     /* identifiers, %registers, $labels, _ */
    TOKEN_DIRECTIVE, /* .name, also .name::part; length includes the dot */
    TOKEN_INT,
    TOKEN_F32,
    TOKEN_F64,
    TOKEN_STRING,
    TOKEN_PUNCT, /* op holds the character, or the two of << >> <= >= == != && || */
    TOKEN_BAD,   /* a character that PTX does not have, or an unfinished comment or string */
} token_kind;

typedef struct {
    token_kind kind;
    uint32_t length;
    uint32_t op; /* TOKEN_PUNCT: c, or c | c2 << 8 */
    bool is_unsigned;
    const char *start;
    uint64_t value; /* TOKEN_INT: the number; TOKEN_F32, TOKEN_F64: the bits */
    uint32_t line;
    const char *line_start;
} token;

typedef struct {
    const char *next, *end;
    const char *line_start;
    uint32_t line;
} lexer;

#define PUNCT2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

void lexer_init(lexer *lex, const char *text, size_t length);
void lexer_next(lexer *lex, token *out);
/* Moves over white space and comments; the next character is then at lex->next. False: unfinished comment. */
bool lexer_skip_space(lexer *lex);
/* What a token is called in a message: "'add'", "end of file", "string". Writes into buffer. */
const char *token_describe(const token *tok, char *buffer, size_t size);

static inline uint32_t token_column(const token *tok) {
    return (uint32_t)(tok->start - tok->line_start) + 1;
}

/* Character classes, by table. */
enum { CHAR_IDENT_START = 1, CHAR_IDENT = 2, CHAR_DIGIT = 4, CHAR_SPACE = 8, CHAR_HEX = 16 };
extern const uint8_t ls_ptx_char_class[256];
static inline bool char_is(char c, unsigned mask) {
    return ls_ptx_char_class[(unsigned char)c] & mask;
}

#endif
