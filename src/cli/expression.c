/* What the source says at a position, read off its text: good enough to name things in messages, and nothing
 * hangs on it. */
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

/* --- Parameters
 * ------------------------------------------------------------------------------------------------ */

/* The last name of a declaration: "const float *__restrict__ A" gives A. */
static const char *last_name(const char *from, const char *to, ls_arena *arena) {
    const char *stop = memchr(from, '[', (size_t)(to - from));
    if (stop) to = stop;
    stop = memchr(from, '=', (size_t)(to - from));
    if (stop) to = stop;
    while (to > from && !is_name(to[-1])) to--;
    const char *start = to;
    while (start > from && is_name(start[-1])) start--;
    return start < to ? ls_arena_strndup(arena, start, (size_t)(to - start)) : NULL;
}

static uint32_t split(const char *text, ls_arena *arena, const char **names, uint32_t most) {
    int depth = 0;
    uint32_t count = 0;
    const char *start = text;
    for (const char *p = text; *p && count < most; p++) {
        bool ends = depth == 0 && (*p == ',' || *p == ')');
        if (ends && p > start) names[count++] = last_name(start, p, arena);
        if (ends && *p == ')') break;
        if (ends) start = p + 1;
        depth += *p == '(' || *p == '<' || *p == '[';
        depth -= *p == ')' || *p == '>' || *p == ']';
    }
    return count;
}

uint32_t ls_parameter_names(ls_sources *sources, const char *file, uint32_t line, const char *name,
                            ls_arena *arena, const char **names, uint32_t most) {
    ls_buf text = {0};
    const char *row;
    size_t length;
    if (!file || !line) return 0;
    for (uint32_t i = 0; i < 40 && ls_source_line(sources, file, line + i, &row, &length); i++) {
        const char *comment = length > 1 ? memmem(row, length, "//", 2) : NULL;
        ls_buf_add(&text, row, comment ? (size_t)(comment - row) : length);
        ls_buf_putc(&text, ' ');
        if (memchr(row, '{', length)) break;
    }
    uint32_t count = 0;
    size_t name_length = strcspn(name, "<(");
    const char *plain = ls_arena_strndup(arena, name, name_length);
    const char *space = strrchr(plain, ' '), *scope = strrchr(plain, ':');
    if (space) plain = space + 1;
    if (scope && scope >= plain) plain = scope + 1;
    for (const char *found = ls_buf_text(&text); *plain && !count && (found = strstr(found, plain));
         found++) {
        const char *after = found + strlen(plain);
        while (isspace((unsigned char)*after)) after++;
        if (*after == '(' && (found == text.text || !is_name(found[-1])))
            count = split(after + 1, arena, names, most);
    }
    ls_buf_free(&text);
    return count;
}
