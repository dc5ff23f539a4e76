/* Texts, positions, changes and URIs (document.h). Whatever a client sends is taken within the text. */
#include "lsp/document.h"

#include "base/arena.h"
#include "report/source.h"
#include "rpc/rpc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ls_text_line(const ls_buf *text, uint32_t line, const char **start, size_t *length) {
    const char *at = ls_buf_text(text), *end = at + text->length;
    for (; line; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) return false;
        at = newline + 1;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *start = at;
    *length = (size_t)((newline ? newline : end) - at);
    if (*length && at[*length - 1] == '\r') --*length;
    return true;
}

static uint32_t units_of(uint32_t character) {
    return character > 0xffff ? 2 : 1;
}

size_t ls_text_offset(const ls_buf *text, json_int_t line, json_int_t character) {
    const char *start;
    size_t length;
    if (line < 0) return 0;
    if (line > UINT32_MAX || !ls_text_line(text, (uint32_t)line, &start, &length)) return text->length;
    size_t at = 0;
    for (json_int_t units = 0; at < length && units < character;) {
        uint32_t c;
        at += ls_utf8_decode(start + at, length - at, &c);
        units += units_of(c);
    }
    return (size_t)(start - ls_buf_text(text)) + at;
}

json_t *ls_text_position(const ls_buf *text, uint32_t line, size_t byte) {
    const char *start;
    size_t length;
    uint32_t units = 0;
    if (ls_text_line(text, line, &start, &length))
        for (size_t at = 0; at < length && at < byte;) {
            uint32_t c;
            at += ls_utf8_decode(start + at, length - at, &c);
            units += units_of(c);
        }
    return json_pack("{s:I, s:I}", "line", (json_int_t)line, "character", (json_int_t)units);
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

json_t *ls_text_range(const ls_buf *text, uint32_t line, uint32_t column) {
    const char *start = "";
    size_t length = 0, from = 0, to;
    uint32_t at = line ? line - 1 : 0;
    if (!ls_text_line(text, at, &start, &length)) length = 0;
    to = length;
    if (column && column - 1 < length) {
        from = column - 1;
        to = from + 1;
        while (in_word(start[from]) && to < length && in_word(start[to])) to++;
    } else {
        while (from < length && isspace((unsigned char)start[from])) from++;
        while (to > from && isspace((unsigned char)start[to - 1])) to--;
    }
    return json_pack("{s:o, s:o}", "start", ls_text_position(text, at, from), "end",
                     ls_text_position(text, at, to));
}

static size_t offset_of(const ls_buf *text, const json_t *position) {
    return ls_text_offset(text, ls_rpc_number(position, "line", 0), ls_rpc_number(position, "character", 0));
}

bool ls_text_change(ls_buf *text, const json_t *change) {
    const json_t *insert = json_object_get(change, "text"), *range = json_object_get(change, "range");
    if (!json_is_string(insert)) return false;
    size_t from = 0, to = text->length;
    if (json_is_object(range)) {
        from = offset_of(text, json_object_get(range, "start"));
        to = offset_of(text, json_object_get(range, "end"));
        if (to < from) to = from;
    }
    ls_buf changed = {0};
    ls_buf_add(&changed, ls_buf_text(text), from);
    ls_buf_add(&changed, json_string_value(insert), json_string_length(insert));
    ls_buf_add(&changed, ls_buf_text(text) + to, text->length - to);
    ls_buf_free(text);
    *text = changed;
    return true;
}

/* --- URIs ---------------------------------------------------------------------------------------------- */

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

char *ls_uri_path(const char *uri) {
    if (strncmp(uri, "file://", 7) != 0) return NULL;
    const char *at = strchr(uri + 7, '/'); /* behind the name of the machine, which is empty or localhost */
    if (!at) return NULL;
    char *path = ls_xmalloc(strlen(at) + 1), *to = path;
    for (; *at; at++) {
        bool coded = *at == '%' && digit(at[1]) >= 0 && digit(at[2]) >= 0;
        int value = coded ? digit(at[1]) * 16 + digit(at[2]) : (unsigned char)*at;
        if (coded) at += 2;
        if (!value) continue;
        *to++ = (char)value;
    }
    *to = 0;
    return path;
}

json_t *ls_uri_of(const char *path) {
    ls_buf out = {0};
    ls_buf_puts(&out, "file://");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
            ls_buf_putc(&out, *path);
        else
            ls_buf_printf(&out, "%%%02X", (unsigned char)*path);
    json_t *uri = json_string(ls_buf_text(&out));
    ls_buf_free(&out);
    return uri;
}
