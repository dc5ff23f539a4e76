/* Words of a command line in text (see words.h). */
#include "base/words.h"

#include <stddef.h>
#include <string.h>

const char *ls_word_next(ls_arena *arena, const char **text) {
    const char *p = *text + strspn(*text, " \t\r\n");
    if (!*p) return NULL;
    char *out = ls_arena_alloc(arena, strlen(p) + 1), *end = out;
    char quote = 0;
    for (; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
        if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (*p == '\\' && p[1] && quote != '\'')
            *end++ = *++p;
        else
            *end++ = *p;
    }
    *end = 0;
    *text = p;
    return out;
}
