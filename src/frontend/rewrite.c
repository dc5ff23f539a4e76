/* The text of the file is changed in a copy that clang reads in its place (overlay.h); lines keep their
 * numbers. */
#include "frontend/rewrite.h"

#include "frontend/overlay.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the words before `at` end with one of these: the macros that are attributes of variables. */
static bool is_behind_attribute(const char *text, const char *at) {
    static const char *const attributes[] = {"__shared__", "__device__", "__constant__", "__managed__"};
    while (at > text && isspace((unsigned char)at[-1])) at--;
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        size_t length = strlen(attributes[k]);
        if ((size_t)(at - text) >= length && !strncmp(at - length, attributes[k], length) &&
            ((size_t)(at - text) == length || !is_word(at[-(ptrdiff_t)length - 1])))
            return true;
    }
    return false;
}

bool ls_rewrite_alignas(ls_job *job) {
    static const char word[] = "alignas";
    size_t length = sizeof word - 1;
    ls_buf changed = {0};
    const char *from = job->text;
    for (const char *at = from; (at = strstr(at, word)); at += length) {
        bool whole = (at == job->text || !is_word(at[-1])) && !is_word(at[length]);
        if (!whole || !is_behind_attribute(job->text, at)) continue;
        ls_buf_add(&changed, from, (size_t)(at - from));
        ls_buf_puts(&changed, "_Alignas"); /* which may stand anywhere among the words of a declaration */
        from = at + length;
    }
    const char *overlay = NULL;
    if (from != job->text) {
        ls_buf_puts(&changed, from);
        const char *path = ls_arena_printf(job->arena, "%s/rewritten", job->folder);
        if (ls_write_file(path, changed.text, changed.length))
            overlay = ls_overlay(job, "rewritten.yaml", path);
    }
    if (overlay) {
        job->text = ls_arena_strdup(job->arena, changed.text);
        job->overlay = overlay;
    }
    ls_buf_free(&changed);
    return overlay;
}
