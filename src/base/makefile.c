/* "target: one two\ words \↵ three" (makefile.h): a blank in a name has a backslash in front, as has the end
 * of a line; a dollar is doubled. */
#include "base/makefile.h"

#include "base/buf.h"

#include <string.h>

/* The character that stands for itself behind `at`, which says so; 0: `at` is what it is. */
static char escaped(const char *at) {
    if (*at == '$' && at[1] == '$') return '$';
    return *at == '\\' && (at[1] == ' ' || at[1] == '#') ? at[1] : 0;
}

bool ls_makefile_each(const char *rule, bool (*each)(void *context, const char *file), void *context) {
    const char *at = strstr(rule, ": ");
    bool good = at != NULL;
    ls_buf name = {0};
    for (at = at ? at + 2 : ""; good; at++) {
        char plain = escaped(at);
        bool ends = !*at || *at == ' ' || *at == '\t' || *at == '\n' || (*at == '\\' && at[1] == '\n');
        if (plain) at++;
        if (!ends || plain) {
            ls_buf_putc(&name, plain ? plain : *at);
            continue;
        }
        if (name.length) good = each(context, ls_buf_text(&name));
        ls_buf_free(&name);
        if (!*at) break;
    }
    ls_buf_free(&name);
    return good;
}
