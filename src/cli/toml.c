/* A strict reader of a part of TOML 1.0: comments, [tables], [[arrays of tables]], bare and quoted keys, and
 * as values texts on one line ("basic" and 'literal'), integers, floats, booleans, and lists of these, which
 * may take several lines. Inline tables, dotted keys, texts of several lines, dates and nested lists are
 * refused with the line. Debian has no TOML library for C, and this is all that a configuration of options
 * needs. */
#include "cli/toml.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at, *end, *file;
    uint32_t line;
    ls_arena *arena;
    ls_diags *diags;
    const char *table;
    uint32_t number;
    LS_VEC(ls_toml_entry) entries;
    ls_map seen; /* headers and keys so far → their number */
} parser;

static bool wrong(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(parser *p, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ls_diags_add(p->diags, LS_ERROR, p->file, p->line, 0, "%s", text);
    return false;
}

static char look(const parser *p) {
    return p->at < p->end ? *p->at : 0;
}

static void skip_blanks(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t')) p->at++;
}

/* Blanks, comments and line ends. */
static void skip_lines(parser *p) {
    for (; p->at < p->end; p->at++) {
        if (*p->at == '#')
            while (p->at + 1 < p->end && p->at[1] != '\n') p->at++;
        else if (*p->at == '\n')
            p->line++;
        else if (!strchr(" \t\r", *p->at) || !*p->at)
            return;
    }
}

static bool end_line(parser *p) {
    skip_blanks(p);
    if (look(p) == '#')
        while (p->at < p->end && *p->at != '\n') p->at++;
    if (look(p) == '\r') p->at++;
    if (p->at == p->end || *p->at == '\n') return true;
    return wrong(p, "the line should end here, but goes on with '%c'", *p->at);
}

static bool escape(parser *p, ls_buf *out) {
    static const char names[] = "\"\\nt", meanings[] = "\"\\\n\t";
    p->at++;
    const char *which = look(p) ? strchr(names, look(p)) : NULL;
    if (!which) return wrong(p, "only \\\", \\\\, \\n and \\t can follow a backslash; or use '…'");
    ls_buf_putc(out, meanings[which - names]);
    p->at++;
    return true;
}

static bool text(parser *p, const char **out) {
    char quote = *p->at++;
    if (look(p) == quote && p->at + 1 < p->end && p->at[1] == quote)
        return wrong(p, "strings of several lines are not supported here");
    ls_buf buf = {0};
    bool good = true;
    while (good && p->at < p->end && *p->at != quote && *p->at != '\n') {
        if (*p->at == '\\' && quote == '"')
            good = escape(p, &buf);
        else
            ls_buf_putc(&buf, *p->at++);
    }
    if (good && look(p) != quote) good = wrong(p, "the string has no closing %c", quote);
    if (good) p->at++;
    *out = ls_arena_strdup(p->arena, ls_buf_text(&buf));
    ls_buf_free(&buf);
    return good;
}

static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool key(parser *p, const char **out) {
    skip_blanks(p);
    if (look(p) == '"' || look(p) == '\'') return text(p, out);
    const char *start = p->at;
    while (p->at < p->end && is_bare(*p->at)) p->at++;
    if (p->at == start) return wrong(p, "a name is expected here");
    *out = ls_arena_strndup(p->arena, start, (size_t)(p->at - start));
    return look(p) != '.' || wrong(p, "a name with a dot needs quotes: \"%s.…\"", *out);
}

static bool scalar(parser *p, ls_toml_entry *e, bool first) {
    const char *value;
    ls_toml_kind kind = LS_TOML_TEXT;
    char c = look(p);
    if (c == '"' || c == '\'') {
        if (!text(p, &value)) return false;
    } else {
        const char *start = p->at;
        while (p->at < p->end && (is_bare(*p->at) || strchr("+.", *p->at))) p->at++;
        value = ls_arena_strndup(p->arena, start, (size_t)(p->at - start));
        char *end;
        strtod(value, &end);
        if (!strcmp(value, "true") || !strcmp(value, "false"))
            kind = LS_TOML_BOOL;
        else if (*value && !*end && (*value == '-' || *value == '+' || (*value >= '0' && *value <= '9')))
            kind = LS_TOML_NUMBER;
        else
            return wrong(p, "a string in quotes, a number, true or false is expected, not '%s'",
                         *value ? value : "");
    }
    if (!first && kind != e->kind) return wrong(p, "the items of a list should be of one kind");
    e->kind = kind;
    ls_list_push(p->arena, &e->values, value);
    return true;
}

static bool list(parser *p, ls_toml_entry *e) {
    e->is_list = true;
    p->at++;
    for (bool first = true;; first = false) {
        skip_lines(p);
        if (look(p) == ']') return p->at++, true;
        if (!scalar(p, e, first)) return false;
        skip_lines(p);
        if (look(p) == ',')
            p->at++;
        else if (look(p) != ']')
            return wrong(p, "',' or ']' is expected in the list");
    }
}

/* How often the name was there before. */
static uint32_t count_again(parser *p, const char *name) {
    void **times = ls_map_at(&p->seen, name, strlen(name));
    uintptr_t before = (uintptr_t)*times;
    *times = (void *)(before + 1);
    return (uint32_t)before;
}

static bool pair(parser *p) {
    ls_toml_entry e = {.table = p->table, .number = p->number, .line = p->line};
    if (!key(p, &e.key)) return false;
    skip_blanks(p);
    if (look(p) != '=') return wrong(p, "'=' is expected after '%s'", e.key);
    p->at++;
    skip_blanks(p);
    if (count_again(p, ls_arena_printf(p->arena, "=%u %s\n%s", e.number, e.table, e.key)))
        return wrong(p, "'%s' is given twice", e.key);
    if (!(look(p) == '[' ? list(p, &e) : scalar(p, &e, true))) return false;
    LS_VEC_PUSH(&p->entries, e);
    return end_line(p);
}

static bool header(parser *p) {
    p->at++;
    bool array = look(p) == '[';
    p->at += array;
    const char *name;
    if (!key(p, &name)) return false;
    skip_blanks(p);
    for (int i = 0; i <= array; i++, p->at++)
        if (look(p) != ']') return wrong(p, "'%s' is expected after [%s", array ? "]]" : "]", name);
    p->table = name;
    const char *single = ls_arena_printf(p->arena, "[%s", name);
    const char *several = ls_arena_printf(p->arena, "[[%s", name);
    if (ls_map_get(&p->seen, single, strlen(single)) ||
        (!array && ls_map_get(&p->seen, several, strlen(several))))
        return wrong(p, "there is a [%s] already", name);
    uint32_t before = count_again(p, array ? several : single);
    p->number = array ? before + 1 : 0;
    return end_line(p);
}

bool ls_toml_parse(const char *source, size_t length, const char *file, ls_arena *arena, ls_toml *out,
                   ls_diags *diags) {
    parser p = {source, source + length, file, 1, arena, diags, "", 0};
    bool good = true;
    for (skip_lines(&p); good && p.at < p.end; skip_lines(&p)) good = *p.at == '[' ? header(&p) : pair(&p);
    out->count = p.entries.length;
    out->entries = LS_NEW_N(arena, ls_toml_entry, p.entries.length + 1);
    if (p.entries.length) memcpy(out->entries, p.entries.items, p.entries.length * sizeof *p.entries.items);
    LS_VEC_FREE(&p.entries);
    ls_map_free(&p.seen);
    return good;
}
