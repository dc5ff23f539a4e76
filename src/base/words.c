/* Words of a command line in text (see words.h). */
#include "base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Behind the word at `p`, which is put into `out` where that is not NULL; how many characters it has. */
static const char *read_word(const char *p, char *out, size_t *length) {
    char quote = 0;
    for (*length = 0; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
        bool opens = !quote && (*p == '"' || *p == '\''), closes = quote && *p == quote;
        if (opens || closes) {
            quote = opens ? *p : 0;
            continue;
        }
        if (*p == '\\' && p[1] && quote != '\'') p++;
        if (out) out[*length] = *p;
        ++*length;
    }
    return p;
}

const char *ls_word_next(ls_arena *arena, const char **text) {
    const char *p = *text + strspn(*text, " \t\r\n");
    if (!*p) return NULL;
    size_t length;
    read_word(p, NULL, &length);
    char *out = ls_arena_alloc(arena, length + 1);
    *text = read_word(p, out, &length);
    out[length] = 0;
    return out;
}
