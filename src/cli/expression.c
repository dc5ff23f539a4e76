/* What the source says at a position, read off its text: good enough to name things in messages, and nothing
 * depends on it. */
#include "cli/expression.h"

#include <ctype.h>
#include <string.h>

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static char at(const char *text, size_t length, size_t i) {
    return i < length ? text[i] : 0;
}

/* The end of the brackets that open at `from`, or 0. */
static size_t close_bracket(const char *text, size_t length, size_t from) {
    int depth = 0;
    for (size_t i = from; i < length; i++) {
        depth += text[i] == '[';
        depth -= text[i] == ']';
        if (!depth) return i + 1;
    }
    return 0;
}

/* name[…][…].member, from the name's start; 0 where there are no brackets. */
static size_t element_end(const char *text, size_t length, size_t from) {
    size_t end = from, brackets = 0;
    while (is_name(at(text, length, end))) end++;
    while (end > from) {
        size_t closed = at(text, length, end) == '[' ? close_bracket(text, length, end) : 0;
        if (closed) {
            end = closed;
            brackets++;
        } else if (at(text, length, end) == '.' && is_name(at(text, length, end + 1)))
            for (end++; is_name(at(text, length, end));) end++;
        else
            break;
    }
    return brackets ? end : 0;
}

/* The start of the element that ends before `end`, going back. */
static size_t element_start(const char *text, size_t end) {
    size_t i = end;
    while (i > 0 && isspace((unsigned char)text[i - 1])) i--;
    for (;;) {
        if (i > 0 && text[i - 1] == ']') {
            int depth = 0;
            do {
                i--;
                depth += text[i] == ']';
                depth -= text[i] == '[';
            } while (i > 0 && depth);
        } else if (i > 0 && is_name(text[i - 1])) {
            while (i > 0 && is_name(text[i - 1])) i--;
            if (i > 0 && text[i - 1] == '.')
                i--;
            else
                return i;
        } else
            return i;
    }
}

const char *ls_expression_at(ls_sources *sources, ls_place place, ls_arena *arena) {
    const char *text;
    size_t length;
    if (!place.file || !place.column || !ls_source_line(sources, place.file, place.line, &text, &length))
        return NULL;
    size_t start = place.column - 1;
    if (start >= length) return NULL;
    if (!is_name(text[start])) { /* at an operator: what stands before it is assigned to */
        if (!memchr("=+-*/|&^<>%", text[start], 11)) return NULL;
        start = element_start(text, start);
    }
    while (start > 0 && is_name(text[start - 1])) start--;
    size_t end = element_end(text, length, start);
    if (!end || end - start > 60) return NULL;
    return ls_arena_strndup(arena, text + start, end - start);
}
