/* Source files in PTX by the names that the user knows them by: findings then say "scan.cu", as a compiler
 * called with that name would, and reports do not depend on where a checkout stands. */
#include "frontend/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What to write for a path, which is `length` long; NULL: leave it. */
static const char *shown_path(const char *path, size_t length, const char *given, char *buffer) {
    char copy[PATH_MAX], resolved[PATH_MAX], resolved_given[PATH_MAX], folder[PATH_MAX];
    if (length >= sizeof copy) return NULL;
    memcpy(copy, path, length);
    copy[length] = 0;
    if (!realpath(copy, resolved)) return NULL;
    if (realpath(given, resolved_given) && !strcmp(resolved, resolved_given)) return given;
    if (!getcwd(folder, sizeof folder)) return NULL;
    size_t prefix = strlen(folder);
    if (strncmp(resolved, folder, prefix) || resolved[prefix] != '/' || prefix < 2) return NULL;
    return strcpy(buffer, resolved + prefix + 1);
}

void ls_paths_as_given(ls_buf *ptx, const char *given) {
    ls_buf out = {0};
    char buffer[PATH_MAX];
    const char *text = ls_buf_text(ptx), *copied = text;
    for (const char *at = text; (at = strstr(at, ".file"));) {
        at += strlen(".file");
        const char *open = at + strspn(at, " \t0123456789");
        if (*open != '"') continue;
        size_t length = strcspn(open + 1, "\"\n");
        const char *shown = shown_path(open + 1, length, given, buffer);
        at = open + 1 + length;
        if (!shown || strpbrk(shown, "\"\\\n")) continue;
        ls_buf_add(&out, copied, (size_t)(open + 1 - copied));
        ls_buf_puts(&out, shown);
        copied = at;
    }
    if (copied == text) return;
    ls_buf_puts(&out, copied);
    ls_buf_free(ptx);
    *ptx = out;
}
