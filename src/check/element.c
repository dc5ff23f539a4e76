/* Names of array elements, read off the text of the source, and of parameters. PTX knows a shared array as so
 * many bytes; the declaration says of which type and with which dimensions they are: `__shared__ float
 * tile[32][33]`, `const int *in`. Only what is certain is named: a type whose size is known here, and inner
 * dimensions that are numbers, macros or constants which stand for numbers, or sums and products of these.
 * Parameters of the kernel's own template stand for what its name has in their place. */
#include "check/element.h"

#include "base/buf.h"
#include "frontend/kernels.h"
#include "frontend/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 20000, MOST_DIMENSIONS = 4, MOST_DEPTH = 8, MOST_NAMES = 64 };

/* A part of a line. */
typedef struct {
    const char *at, *end;
} span;

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static span skip_blanks(span s) {
    while (s.at < s.end && isspace((unsigned char)*s.at)) s.at++;
    return s;
}

static bool take_character(span *s, char c) {
    *s = skip_blanks(*s);
    if (s->at == s->end || *s->at != c) return false;
    s->at++;
    return true;
}

static span take_name(span *s) {
    *s = skip_blanks(*s);
    span word = {s->at, s->at};
    while (word.end < s->end && is_name(*word.end)) word.end++;
    s->at = word.end;
    return word;
}

static bool is_word(span word, const char *text) {
    return (size_t)(word.end - word.at) == strlen(text) && !memcmp(word.at, text, strlen(text));
}

/* --- The kernel's template -------------------------------------------------------------------------------
 */

typedef struct {
    ls_sources *sources;
    const char *file;
    const char *kernel; /* as people write it: "void scale<float, 4>(float*)" */
    uint32_t line;
    int depth;
    int names; /* that were looked up: each may stand for an expression of many more */
} reader;

static bool is_same(span a, span b) {
    return a.end - a.at == b.end - b.at && !memcmp(a.at, b.at, (size_t)(b.end - b.at));
}

/* The next part of a list up to a comma or the end of it; false behind the last one. */
static bool next_part(span *list, span *part) {
    int depth = 0;
    if (list->at >= list->end) return false;
    *part = (span){list->at, list->at};
    for (; part->end < list->end && (depth || (*part->end != ',' && *part->end != '>')); part->end++)
        depth += strchr("<([", *part->end) ? 1 : strchr(">)]", *part->end) ? -1 : 0;
    list->at = part->end < list->end && *part->end == ',' ? part->end + 1 : list->end;
    return true;
}

/* "template <typename T, int N = 4>" above the place: the list, where the kernel's name follows it. */
static bool find_template(const reader *r, span kernel, span *list) {
    const char *text;
    size_t length;
    for (uint32_t line = r->line; line > 0 && r->line - line < MOST_LINES; line--) {
        if (!ls_source_line(r->sources, r->file, line, &text, &length)) return false;
        span s = {text, text + length};
        if (!is_word(take_name(&s), "template")) continue;
        if (!take_character(&s, '<')) return false;
        *list = s;
        for (uint32_t of = line; of < line + 4; of++) {
            if (!ls_source_line(r->sources, r->file, of, &text, &length)) return false;
            const char *at = memmem(text, length, kernel.at, (size_t)(kernel.end - kernel.at));
            const char *end = at ? at + (kernel.end - kernel.at) : NULL;
            if (at && at > text && !is_name(at[-1]) && end < text + length && *end == '(') return true;
        }
        return false;
    }
    return false;
}

/* What the kernel has for a parameter of its template. */
static bool argument_of(const reader *r, span name, span *out) {
    const char *open = r->kernel ? strchr(r->kernel, '<') : NULL;
    span kernel = {open, open}, list = {0}, arguments, part;
    while (open && kernel.at > r->kernel && is_name(kernel.at[-1])) kernel.at--;
    if (!open || kernel.at == kernel.end || !find_template(r, kernel, &list)) return false;
    arguments = (span){open + 1, open + strlen(open)};
    while (next_part(&list, &part) && next_part(&arguments, out)) {
        span last = {part.at, part.at};
        for (span s = skip_blanks(part); s.at < s.end && *s.at != '='; s = skip_blanks(s)) {
            span word = take_name(&s);
            if (word.at == word.end)
                s.at++;
            else
                last = word;
        }
        if (is_same(last, name)) return true;
    }
    return false;
}

/* --- Sizes of types --------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {{"bool", 1},     {"char", 1},         {"uchar", 1},    {"int8_t", 1},   {"uint8_t", 1},
             {"short", 2},    {"ushort", 2},       {"half", 2},     {"__half", 2},   {"int16_t", 2},
             {"uint16_t", 2}, {"int", 4},          {"uint", 4},     {"unsigned", 4}, {"float", 4},
             {"int32_t", 4},  {"uint32_t", 4},     {"double", 8},   {"long", 8},     {"ulong", 8},
             {"size_t", 8},   {"int64_t", 8},      {"uint64_t", 8}, {"float2", 8},   {"int2", 8},
             {"uint2", 8},    {"float4", 16},      {"int4", 16},    {"uint4", 16},   {"double2", 16},
             {"__half2", 4},  {"half2", 4},        {"uchar4", 4},   {"char4", 4},    {"short2", 4},
             {"ushort2", 4},  {"__nv_bfloat16", 2}};

static uint32_t size_of_type(span word) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_word(word, types[i].name)) return types[i].bytes;
    return 0;
}

static uint32_t size_of(const reader *r, span word) {
    span argument;
    uint32_t bytes = size_of_type(word);
    return bytes || !argument_of(r, word, &argument) ? bytes : size_of_type(argument);
}

/* The element's size by the words before the declared name: the last one that is a type, where no other word
 * follows it but a qualifier. "unsigned char" is a char, "long long" a long. */
static uint32_t declared_size(const reader *r, span before, bool *pointer) {
    static const char *const qualifiers[] = {
        "const", "volatile", "restrict", "__restrict__", "__restrict", "__shared__", "__local",
        "local", "__global", "global",   "__constant__", "static",     "extern",     "__constant"};
    uint32_t bytes = 0;
    *pointer = false;
    for (before = skip_blanks(before); before.at < before.end; before = skip_blanks(before)) {
        if (*before.at == '*') {
            if (*pointer) return 0; /* a pointer to pointers */
            *pointer = true;
            before.at++;
            continue;
        }
        span word = take_name(&before);
        if (word.at == word.end) { /* an operator or a bracket: what was read belongs to something else */
            before.at++;
            bytes = 0;
            *pointer = false;
            continue;
        }
        bool qualifies = false;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            qualifies |= is_word(word, qualifiers[i]);
        if (!qualifies) bytes = *pointer ? 0 : size_of(r, word);
    }
    return bytes;
}

/* --- Dimensions ------------------------------------------------------------------------------------------
 */

static bool sum(reader *r, span *s, uint64_t *out);

/* `#define NAME 32`, `const int NAME = 32`, `constexpr int NAME = 4 * 8`. */
static bool constant(reader *r, span name, uint64_t *out) {
    const char *text;
    size_t length;
    if (r->names++ == MOST_NAMES) return false;
    for (uint32_t line = 1; line < MOST_LINES; line++) {
        if (!ls_source_line(r->sources, r->file, line, &text, &length)) return false;
        span s = {text, text + length};
        bool macro = take_character(&s, '#') && is_word(take_name(&s), "define");
        if (!macro && !memmem(text, length, "const", 5)) continue;
        for (s = skip_blanks(s); s.at < s.end; s = skip_blanks(s)) {
            span word = take_name(&s);
            if (word.at == word.end) {
                s.at++;
                continue;
            }
            if (is_same(word, name) && (macro || take_character(&s, '='))) return sum(r, &s, out);
            if (macro) break;
        }
    }
    return false;
}

static bool factor(reader *r, span *s, uint64_t *out) {
    if (r->depth > MOST_DEPTH) return false;
    if (take_character(s, '(')) {
        r->depth++;
        bool good = sum(r, s, out) && take_character(s, ')');
        r->depth--;
        return good;
    }
    span word = take_name(s);
    if (word.at == word.end) return false;
    if (!isdigit((unsigned char)*word.at)) {
        span argument;
        r->depth++;
        bool good = argument_of(r, word, &argument) ? sum(r, &argument, out) : constant(r, word, out);
        r->depth--;
        return good;
    }
    char *end;
    *out = strtoull(word.at, &end, 0);
    while (end < word.end && strchr("uUlL", *end)) end++;
    return end == word.end && *out < 1u << 30;
}

static bool product(reader *r, span *s, uint64_t *out) {
    if (!factor(r, s, out)) return false;
    for (uint64_t next; take_character(s, '*'); *out *= next)
        if (!factor(r, s, &next) || (next && *out > UINT32_MAX / next)) return false;
    return true;
}

static bool sum(reader *r, span *s, uint64_t *out) {
    if (!product(r, s, out)) return false;
    for (uint64_t next;;) {
        bool plus = take_character(s, '+');
        if (!plus && !take_character(s, '-')) return true;
        if (!product(r, s, &next)) return false;
        *out = plus ? *out + next : *out - next;
    }
}

typedef struct {
    uint32_t bytes;                    /* of an element */
    uint32_t dimensions;               /* in brackets, or 1 for a pointer */
    uint64_t lengths[MOST_DIMENSIONS]; /* 0: not known */
} declaration;

static bool read_dimensions(reader *r, span after, declaration *d) {
    for (d->dimensions = 0; take_character(&after, '['); d->dimensions++) {
        if (d->dimensions == MOST_DIMENSIONS) return false;
        span inner = after;
        uint64_t length = 0;
        bool known = sum(r, &inner, &length) && take_character(&inner, ']');
        d->lengths[d->dimensions] = known ? length : 0;
        int depth = 1;
        for (; after.at < after.end && depth; after.at++) depth += (*after.at == '[') - (*after.at == ']');
        if (depth) return false;
    }
    return true;
}

/* Of "float a[4][4], " what stands before the first name of several: "float ". */
static span before_all(span before) {
    const char *comma = NULL, *last = before.end;
    int depth = 0;
    while (last > before.at && isspace((unsigned char)last[-1])) last--;
    if (last == before.at || last[-1] != ',') return before;
    for (const char *at = before.at; at < last && !comma; at++) {
        depth += (*at == '[') - (*at == ']');
        if (*at == ',' && !depth) comma = at;
    }
    span first = {before.at, comma ? comma : before.at};
    for (depth = 0; first.end > first.at; first.end--) {
        char c = first.end[-1];
        depth += (c == ']') - (c == '[');
        if (!depth && c != '[' && !isspace((unsigned char)c)) break;
    }
    while (first.end > first.at && is_name(first.end[-1])) first.end--;
    return first;
}

/* The declaration of the name on this line. */
static bool read_line(reader *r, span line, const char *name, declaration *d) {
    size_t length = strlen(name);
    for (const char *at = line.at; (at = memmem(at, (size_t)(line.end - at), name, length)); at++) {
        bool whole = (at == line.at || !is_name(at[-1])) && (at + length == line.end || !is_name(at[length]));
        if (!whole) continue;
        span before = {line.at, at}, after = {at + length, line.end};
        bool pointer;
        for (const char *b = at; b > line.at; b--) { /* of a parameter list or a statement: its own part */
            if (b[-1] == '(' || b[-1] == ';' || b[-1] == '{') {
                before.at = b;
                break;
            }
        }
        d->bytes = declared_size(r, before_all(before), &pointer);
        if (!d->bytes || !read_dimensions(r, after, d)) continue;
        if (pointer && d->dimensions) continue; /* an array of pointers, or a use */
        if (pointer) d->dimensions = 1;
        if (d->dimensions) return true;
    }
    return false;
}

const char *ls_element_name(ls_sources *sources, ls_place place, const char *kernel, const char *object,
                            uint64_t byte, ls_arena *arena) {
    if (!object || !*object || !place.file) return NULL;
    const char *dot = strrchr(place.file, '.');
    if (dot && !strcmp(dot, ".ptx")) return NULL; /* declarations are C's */
    reader r = {.sources = sources, .file = place.file, .kernel = kernel, .line = place.line};
    declaration d = {0};
    const char *text;
    size_t length;
    bool found = false;
    for (uint32_t line = place.line; line > 0 && place.line - line < MOST_LINES && !found; line--) {
        if (!ls_source_line(sources, place.file, line, &text, &length)) return NULL;
        found = read_line(&r, (span){text, text + length}, object, &d);
    }
    if (!found) return NULL;
    uint64_t index = byte / d.bytes, indices[MOST_DIMENSIONS];
    for (uint32_t i = d.dimensions; i-- > 1; index /= d.lengths[i]) {
        if (!d.lengths[i]) return NULL;
        indices[i] = index % d.lengths[i];
    }
    indices[0] = index;
    const char *name = object;
    for (uint32_t i = 0; i < d.dimensions; i++)
        name = ls_arena_printf(arena, "%s[%llu]", name, (unsigned long long)indices[i]);
    return name;
}

/* --- Parameters ---------------------------------------------------------------------------------------- */

const char *ls_source_parameter(const char *kernel, const char *file, uint32_t number, ls_arena *arena) {
    ls_buf text = {0};
    ls_source_kernels kernels = {0};
    const char *plain = ls_kernel_plain_name(arena, kernel), *name = NULL;
    bool clear = file && ls_read_file(file, &text);
    if (clear) ls_source_scan(ls_buf_text(&text), arena, &kernels);
    for (uint32_t i = 0; i < kernels.length; i++) {
        const ls_source_kernel *one = &kernels.items[i];
        if (!one->defined || strcmp(one->name, plain)) continue;
        const char *here = number < one->parameter_count ? one->parameters[number] : NULL;
        clear = clear && here && (!name || !strcmp(name, here));
        name = here;
    }
    LS_VEC_FREE(&kernels);
    ls_buf_free(&text);
    return clear ? name : NULL;
}
