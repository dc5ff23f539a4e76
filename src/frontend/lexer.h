/* A lexer of C++ source text, preprocessed or not: comments, strings and directives are skipped. */
#ifndef LS_FRONTEND_LEXER_H
#define LS_FRONTEND_LEXER_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *start, *at;
    uint32_t line;
    const char *file; /* from a line marker; NULL: the text's own file */
    bool line_start;
    ls_arena *arena;
} ls_lexer;

typedef struct {
    const char *text; /* start; a name, or one character */
    size_t length;    /* 0: the end */
    uint32_t line;
    const char *file;
} ls_token;

ls_lexer ls_lexer_of(const char *text, ls_arena *arena);
ls_token ls_lexer_next(ls_lexer *lex);
/* From just after an opening bracket to just after its partner. */
void ls_lexer_skip(ls_lexer *lex, const char *open, const char *close);

bool ls_token_is(const ls_token *t, const char *text);
bool ls_in_name(char c);

#endif
