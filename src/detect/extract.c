/* One kernel's share of a module's text. Programs have modules of many kernels, and one that is launched is
 * read several times over: what belongs to other kernels is left out before, but for the line ends, so that
 * lines keep their numbers. */
#include "detect/extract.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

const char *dt_step(const char *at, const char *end) {
    if (*at == '"') {
        const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
        return close ? close + 1 : end;
    }
    if (*at == '/' && at + 1 < end && at[1] == '/') {
        const char *close = memchr(at, '\n', (size_t)(end - at));
        return close ? close : end;
    }
    if (*at == '/' && at + 1 < end && at[1] == '*') {
        const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        return close ? close + 2 : end;
    }
    return at + 1;
}

/* The next character that says something of a text's parts: braces, semicolons, where comments and texts in
 * quotes begin; and, if `lines`, the end of a line and the first character behind it. */
static const char *next_mark(const char *at, const char *end, bool lines) {
    static const bool marks[2][256] = {
        {['{'] = true, ['}'] = true, [';'] = true, ['"'] = true, ['/'] = true},
        {['{'] = true, ['}'] = true, [';'] = true, ['"'] = true, ['/'] = true, ['\n'] = true}};
    const bool *stop = marks[lines], starts = lines && *at == '\n';
    at = dt_step(at, end);
    while (at < end && !starts && !stop[(unsigned char)*at]) at++;
    return at;
}

static const char *line_end(const char *at, const char *end) {
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

/* Behind the body that begins at or behind `at`, or behind the semicolon of a declaration. */
static const char *behind_function(const char *at, const char *end) {
    uint32_t depth = 0;
    while (at < end) {
        if (*at == '{') depth++;
        if (*at == ';' && !depth) return at + 1;
        if (*at == '}' && (!depth || !--depth)) return at + 1;
        at = next_mark(at, end, false);
    }
    return end;
}

/* The name of the kernel that the line declares or defines, or NULL. */
static const char *kernel_name(const char *at, const char *end) {
    static const char *const before[] = {".visible", ".weak", ".extern"};
    static const char word[] = ".entry";
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t length = strlen(before[i]);
        if ((size_t)(end - at) <= length || memcmp(at, before[i], length) != 0) continue;
        for (at += length; at < end && (*at == ' ' || *at == '\t');) at++;
        break;
    }
    if ((size_t)(end - at) <= sizeof word || memcmp(at, word, sizeof word - 1) != 0) return NULL;
    at += sizeof word - 1;
    if (!isspace((unsigned char)*at)) return NULL;
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

static bool is_named(const char *at, const char *end, const char *name) {
    size_t length = strlen(name);
    return (size_t)(end - at) > length && memcmp(at, name, length) == 0 &&
           (isspace((unsigned char)at[length]) || at[length] == '(');
}

static void keep_line_ends(const char *at, const char *end, ls_buf *out) {
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        ls_buf_putc(out, '\n');
        if (++at >= end) return;
    }
}

/* Where the body of a function whose head begins at `at` begins; the end: it has none. */
static const char *body_of(const char *at, const char *end) {
    while (at < end && *at != '{' && *at != ';') at = next_mark(at, end, false);
    return at < end && *at == '{' ? at : end;
}

/* The line, behind others, that begins the kernel's definition; the end: there is none. */
static const char *definition_of(const char *ptx, const char *end, const char *name) {
    const char *at = ptx;
    uint32_t depth = 0;
    for (bool line_starts = true; at < end; at = next_mark(at, end, true)) {
        const char *found = line_starts && !depth ? kernel_name(at, end) : NULL;
        if (found && is_named(found, end, name) && body_of(at, end) < end) return at;
        line_starts = *at == '\n';
        if (*at == '{') depth++;
        if (*at == '}' && depth) depth--;
    }
    return end;
}

bool dt_find_body(const char *ptx, size_t length, const char *name, const char **body, const char **behind) {
    const char *end = ptx + length, *at = definition_of(ptx, end, name), *open = body_of(at, end);
    if (open >= end) return false;
    *body = open + 1, *behind = behind_function(open, end) - 1;
    return true;
}

void dt_only_head(const char *ptx, size_t length, const char *name, ls_buf *out) {
    const char *end = ptx + length, *at = definition_of(ptx, end, name), *body = body_of(at, end);
    const char *line = ptx;
    while (line < end && *line != '.') line = dt_step(line, end); /* .version, .target, .address_size */
    for (uint32_t i = 0; i < 3 && line < end; i++) {
        const char *next = line_end(line, end);
        ls_buf_add(out, line, (size_t)(next - line));
        ls_buf_putc(out, '\n');
        for (line = next; line < end && *line != '.';) line = dt_step(line, end);
    }
    ls_buf_add(out, at, (size_t)(body - at));
    ls_buf_puts(out, "{\n\tret;\n}\n");
}

void dt_only_kernel(const char *ptx, size_t length, const char *name, ls_buf *out) {
    const char *at = ptx, *end = ptx + length, *kept = ptx;
    uint32_t depth = 0;
    bool line_starts = true;
    while (at < end) {
        const char *found = line_starts && !depth ? kernel_name(at, end) : NULL;
        if (found && !is_named(found, end, name)) {
            const char *behind = behind_function(at, end);
            ls_buf_add(out, kept, (size_t)(at - kept));
            keep_line_ends(at, behind, out);
            at = kept = behind;
            continue;
        }
        line_starts = *at == '\n';
        if (*at == '{') depth++;
        if (*at == '}' && depth) depth--;
        at = next_mark(at, end, true);
    }
    ls_buf_add(out, kept, (size_t)(end - kept));
}
