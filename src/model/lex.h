/* Tokens of the kernel language's text form. */
#ifndef LS_MODEL_LEX_H
#define LS_MODEL_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { LS_KTOK_END, LS_KTOK_NAME, LS_KTOK_NUMBER, LS_KTOK_PUNCT, LS_KTOK_BAD } ls_ktok_kind;

typedef struct {
    uint8_t kind;      /* ls_ktok_kind */
    const char *punct; /* PUNCT: its canonical ASCII text, one of the lexer's table */
    const char *text;  /* into the input */
    uint32_t length, line, column;
    uint64_t number;       /* NUMBER */
    const char *complaint; /* BAD: what is wrong */
} ls_ktok;

typedef struct {
    const char *at, *end, *line_start;
    uint32_t line;
} ls_klexer;

void ls_klex_init(ls_klexer *lexer, const char *text, size_t length);
ls_ktok ls_klex(ls_klexer *lexer);

#endif
