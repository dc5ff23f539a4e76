/* Names and single characters of C++ source text (frontend/lexer.h). */
#include "frontend/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

ls_lexer ls_lexer_of(const char *text, ls_arena *arena) {
    return (ls_lexer){text, text, 1, NULL, true, arena};
}

bool ls_in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* `# 12 "file" 1` of preprocessed text; other directives are skipped whole, with their continuations. */
static void directive(ls_lexer *lex) {
    const char *p = lex->at + 1;
    while (*p == ' ' || *p == '\t') p++;
    if (!strncmp(p, "line", 4)) p += 4;
    while (*p == ' ') p++;
    if (isdigit((unsigned char)*p)) {
        uint32_t line = (uint32_t)strtoul(p, NULL, 10);
        const char *quote = p + strcspn(p, "\"\n");
        if (*quote == '"') {
            size_t length = strcspn(quote + 1, "\"\n");
            lex->file = ls_arena_strndup(lex->arena, quote + 1, length);
        }
        lex->at += strcspn(lex->at, "\n");
        lex->line = line - 1; /* the newline that follows makes it `line` */
        return;
    }
    while (*lex->at && *lex->at != '\n') {
        if (lex->at[0] == '\\' && lex->at[1] == '\n') {
            lex->at++;
            lex->line++;
        }
        lex->at++;
    }
}

static void comment(ls_lexer *lex) {
    if (lex->at[1] == '/') {
        lex->at += strcspn(lex->at, "\n");
        return;
    }
    for (lex->at += 2; *lex->at && !(lex->at[0] == '*' && lex->at[1] == '/'); lex->at++)
        if (*lex->at == '\n') lex->line++;
    if (*lex->at) lex->at += 2;
}

static void literal(ls_lexer *lex) {
    char quote = *lex->at++;
    while (*lex->at && *lex->at != quote && *lex->at != '\n')
        lex->at += lex->at[0] == '\\' && lex->at[1] ? 2 : 1;
    if (*lex->at == quote) lex->at++;
}

/* 1'000 */
static bool digit_separator(const ls_lexer *lex) {
    return lex->at > lex->start && isxdigit((unsigned char)lex->at[-1]);
}

ls_token ls_lexer_next(ls_lexer *lex) {
    for (;;) {
        char c = *lex->at;
        if (!c) return (ls_token){lex->at, 0, lex->line, lex->file};
        if (c == '\n') {
            lex->line++;
            lex->line_start = true;
            lex->at++;
        } else if (isspace((unsigned char)c)) {
            lex->at++;
        } else if (c == '#' && lex->line_start) {
            directive(lex);
        } else if (c == '/' && (lex->at[1] == '/' || lex->at[1] == '*')) {
            comment(lex);
        } else if (c == '"' || (c == '\'' && !digit_separator(lex))) {
            lex->line_start = false;
            literal(lex);
        } else {
            lex->line_start = false;
            ls_token result = {lex->at, 1, lex->line, lex->file};
            while (ls_in_name(c) && ls_in_name(lex->at[result.length])) result.length++;
            lex->at += result.length;
            return result;
        }
    }
}

bool ls_token_is(const ls_token *t, const char *text) {
    return t->length == strlen(text) && !memcmp(t->text, text, t->length);
}

void ls_lexer_skip(ls_lexer *lex, const char *open, const char *close) {
    for (int depth = 1; depth;) {
        ls_token t = ls_lexer_next(lex);
        if (!t.length) return;
        if (ls_token_is(&t, open))
            depth++;
        else if (ls_token_is(&t, close))
            depth--;
    }
}
